//! Penetration depth of meshes in the norms L1, L2 and L∞, against all corners of unions of boxes.

use extricate::Mesh;
use extricate::penetration::Effort;
use extricate::query::{self, CollideOptions, Norm, Penetration, PenetrationOptions, Posed, Shape};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

const NORMS: [Norm; 3] = [Norm::L1, Norm::L2, Norm::LInf];

/// A box by its minimum and its maximum corner.
type Corners = [Vector3<f64>; 2];

/// Triangles of boxes with outward normals.
fn mesh(boxes: &[Corners]) -> Mesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for corners in boxes {
        let first = u32::try_from(vertices.len()).expect("few");
        vertices.extend((0..8).map(|corner: usize| {
            Point3::from(Vector3::from_fn(|axis, _| corners[corner >> axis & 1][axis]))
        }));
        for axis in 0..3 {
            let [u, v, w] = [1 << axis, 1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
            triangles.extend(
                [[0, w, v], [v, w, v + w], [u, u + v, u + w], [u + v, u + v + w, u + w]]
                    .map(|corners| corners.map(|corner: u32| first + corner)),
            );
        }
    }
    Mesh::new(vertices, triangles).expect("boxes")
}

/// The minimum norm of the translations of a box `a` that leave a union of boxes: of the complement of a union of open boxes, every coordinate of
/// a nearest point is zero or that of a face.
fn depth(a: &Corners, union: &[Corners], norm: Norm) -> f64 {
    let obstacles: Vec<Corners> = union.iter().map(|b| [b[0] - a[1], b[1] - a[0]]).collect();
    let axes = [0, 1, 2].map(|axis| {
        let faces = obstacles.iter().flat_map(|corners| [corners[0][axis], corners[1][axis]]);
        faces.chain([0.0]).collect::<Vec<f64>>()
    });
    let mut best = f64::INFINITY;
    for &x in &axes[0] {
        for &y in &axes[1] {
            for &z in &axes[2] {
                let t = Vector3::new(x, y, z);
                let length = match norm {
                    Norm::L1 => x.abs() + y.abs() + z.abs(),
                    Norm::L2 => t.norm(),
                    Norm::LInf => x.abs().max(y.abs()).max(z.abs()),
                };
                let inside = |corners: &Corners| {
                    (0..3).all(|axis| corners[0][axis] < t[axis] && t[axis] < corners[1][axis])
                };
                if length < best && !obstacles.iter().any(inside) {
                    best = length;
                }
            }
        }
    }
    best
}

fn found(a: &Posed, b: &Posed, options: &PenetrationOptions) -> Option<Penetration> {
    let found = query::penetration(a, b, options).expect("a query")?;
    let part = a.part(0);
    let moved = Posed::new(part.shape, Translation3::from(found.translation) * part.pose);
    assert!(!query::collide(&moved, b, &CollideOptions::default()).expect("a query"), "{found:?}");
    assert!(
        0.0 <= found.lower_bound && found.lower_bound <= found.depth && found.norm == options.norm,
        "{found:?}"
    );
    assert!(
        (options.norm.of(&found.translation) - found.depth).abs() < 1e-7 * (1.0 + found.depth),
        "{found:?}"
    );
    Some(found)
}

/// A box with corners in [−1, 1]³ and edges of 0.2 m at least.
fn corners(noise: &mut Noise) -> Corners {
    let center = noise.signed_vector() * 0.7;
    let half = Vector3::from_fn(|_, _| noise.between(0.1, 0.6));
    [center - half, center + half]
}

#[test]
fn unions_of_boxes_are_seldom_left_by_more_than_the_minimum_and_never_by_less() {
    let (mut noise, mut ratios) = (Noise(50), Vec::new());
    while ratios.len() < 3 * 40 {
        let union: Vec<Corners> = (0..5).map(|_| corners(&mut noise)).collect();
        let a = corners(&mut noise).map(|corner| corner * 0.5);
        if !(depth(&a, &union, Norm::L2) > 0.02) {
            continue;
        }
        let [moving, still] =
            [std::slice::from_ref(&a), &union].map(|boxes| Shape::solid(mesh(boxes)).expect("closed"));
        let (first, second) = (Posed::at_origin(&moving), Posed::at_origin(&still));
        for norm in NORMS {
            let exact = depth(&a, &union, norm);
            let found = found(&first, &second, &PenetrationOptions { norm, ..Default::default() })
                .expect("they overlap");
            assert!(found.depth >= exact * (1.0 - 1e-9) - 1e-9, "{norm}: {found:?} {exact}");
            assert!(found.lower_bound <= exact * (1.0 + 1e-9), "{norm}: {found:?} {exact}");
            ratios.push(found.depth / exact);
        }
    }
    let met = ratios.iter().filter(|ratio| **ratio < 1.0 + 1e-6).count();
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    assert!(met * 100 >= ratios.len() * 95 && worst < 1.5, "{met} of {}, {worst}", ratios.len());
}

#[test]
fn a_pose_of_both_changes_the_axes_of_the_norm_and_an_exchange_nothing() {
    let mut noise = Noise(51);
    let cube = [[Vector3::repeat(-0.5), Vector3::repeat(0.5)]];
    let shape = Shape::solid(mesh(&cube)).expect("closed");
    let convex = Shape::cuboid(Vector3::repeat(1.0));
    for _ in 0..20 {
        let poses = [0, 1].map(|_| noise.pose(0.3, 3.0));
        for norm in NORMS {
            let options = PenetrationOptions { norm, ..Default::default() };
            let of = |shape: &Shape, [i, j]: [usize; 2]| {
                found(&Posed::new(shape, poses[i]), &Posed::new(shape, poses[j]), &options)
                    .expect("they overlap")
            };
            let exact = of(&convex, [0, 1]).depth;
            for order in [[0, 1], [1, 0]] {
                let found = of(&shape, order);
                assert!((found.depth - exact).abs() < 1e-6 * exact, "{norm}: {found:?} {exact}");
            }
        }
    }
}

#[test]
fn a_ball_leaves_a_mesh_in_the_norm_as_it_leaves_the_box() {
    let corners = [[Vector3::new(-0.5, -0.4, -0.3), Vector3::new(0.5, 0.4, 0.3)]];
    let (ball, solid) = (Shape::ball(0.3), Shape::solid(mesh(&corners)).expect("closed"));
    let convex = Shape::cuboid(Vector3::new(1.0, 0.8, 0.6));
    let rotated = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.5, 0.4));
    let at = Isometry3::from_parts(Default::default(), rotated);
    let a = Posed::new(&ball, Isometry3::translation(0.3, 0.2, 0.3));
    for norm in NORMS {
        let options = PenetrationOptions { norm, ..Default::default() };
        let [exact, of_mesh] =
            [&convex, &solid].map(|shape| found(&a, &Posed::new(shape, at), &options).expect("they overlap"));
        assert!(
            of_mesh.depth >= exact.lower_bound * (1.0 - 1e-4) && of_mesh.lower_bound <= exact.depth,
            "{norm}: {of_mesh:?} {exact:?}"
        );
        assert!(of_mesh.depth <= 1.02 * exact.depth, "{norm}: {of_mesh:?} {exact:?}");
    }
}

/// Bars of a grate with axes along x, and the gaps between them: [−1, 1] in y.
fn grate(noise: &mut Noise) -> Vec<Corners> {
    let (bars, pitch) = (5 + noise.below(4), noise.between(0.2, 0.5));
    let width = pitch * noise.between(0.3, 0.7);
    let of = |bar: usize| {
        let y = pitch * (bar as f64 - 0.5 * (bars - 1) as f64);
        [Vector3::new(-1.0, y - 0.5 * width, -0.1), Vector3::new(1.0, y + 0.5 * width, 0.1)]
    };
    (0..bars).map(of).collect()
}

#[test]
fn nothing_shorter_along_a_translation_out_of_a_grate_is_free() {
    let mut noise = Noise(52);
    for case in 0..30 {
        let [a, b] = [0; 2].map(|_| Shape::solid(mesh(&grate(&mut noise))).expect("closed"));
        let poses = [0, 1].map(|_| noise.pose(0.2, 3.0));
        let (first, second) = (Posed::new(&a, poses[0]), Posed::new(&b, poses[1]));
        for norm in NORMS {
            for effort in [Effort::Fast, Effort::Best] {
                let options = PenetrationOptions { norm, effort, ..Default::default() };
                let Some(found) = found(&first, &second, &options) else { continue };
                let nearer = Posed::new(&a, Translation3::from(0.999 * found.translation) * poses[0]);
                let collide = query::collide(&nearer, &second, &CollideOptions::default()).expect("a query");
                assert!(collide, "{case} {norm} {effort:?}: {found:?}");
            }
        }
    }
}
