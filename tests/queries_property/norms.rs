//! Penetration depth in the norms L1, L2 and L∞, against closed forms and the definition.

use extricate::geometry::procedural;
use extricate::query::{self, CollideOptions, Norm, Penetration, PenetrationOptions, Posed, Shape};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::boxes::{Faces, faces_of_difference};

const NORMS: [Norm; 3] = [Norm::L1, Norm::L2, Norm::LInf];

/// Bounds of convex shapes, relative to the depth.
const CERTIFIED: f64 = 1e-8;

fn in_norm(norm: Norm) -> PenetrationOptions {
    PenetrationOptions { norm, ..PenetrationOptions::default() }
}

fn collides(a: &Posed, b: &Posed, translation: &Vector3<f64>) -> bool {
    let part = a.part(0);
    let moved = Posed::new(part.shape, Translation3::from(*translation) * part.pose);
    query::collide(&moved, b, &CollideOptions::default()).expect("a query")
}

/// The penetration, free after its translation and not before it.
fn found(a: &Posed, b: &Posed, options: &PenetrationOptions) -> Penetration {
    let found = query::penetration(a, b, options).expect("a query").expect("they overlap");
    assert!(!collides(a, b, &found.translation), "{found:?}");
    assert!(collides(a, b, &(0.999 * found.translation)), "{found:?}");
    assert!(0.0 <= found.lower_bound && found.lower_bound <= found.depth, "{found:?}");
    assert_eq!(found.norm, options.norm);
    let clearance = found.translation.norm() - found.length();
    assert!((0.0..1e-8 * (1.0 + found.length())).contains(&clearance), "{found:?}");
    assert!((found.translation.normalize() - found.direction.into_inner()).norm() < 1e-9, "{found:?}");
    found
}

fn certified(a: &Posed, b: &Posed, options: &PenetrationOptions) -> Penetration {
    let found = found(a, b, options);
    assert!(found.lower_bound >= found.depth * (1.0 - CERTIFIED) && found.converged, "{found:?}");
    let [on_a, on_b] = found.witnesses;
    let apart = (on_a + found.translation - on_b).norm();
    assert!(apart <= 1e-6 * found.length(), "{apart} {found:?}");
    found
}

/// The depth of two boxes: the minimum distance of the planes of the faces of their Minkowski difference, whose normals are those of
/// both boxes and the products of their edges, in the norm: h(n) over the dual norm of n.
fn depth_of_boxes(halves: [Vector3<f64>; 2], poses: [Isometry3<f64>; 2], norm: Norm) -> f64 {
    let distance = |faces: &Faces| {
        let dual = match norm {
            Norm::L1 => faces.normal.amax(),
            Norm::L2 => faces.normal.norm(),
            Norm::LInf => faces.normal.iter().map(|x| x.abs()).sum(),
        };
        (faces.extent - faces.offset) / dual
    };
    faces_of_difference(halves, poses).iter().map(distance).fold(f64::INFINITY, f64::min)
}

#[test]
fn parallel_boxes_are_as_deep_in_every_norm_as_along_the_nearest_axis() {
    let (a, b) = (Shape::cuboid(Vector3::new(1.0, 2.0, 3.0)), Shape::cuboid(Vector3::repeat(1.0)));
    let here = Posed::at_origin(&a);
    for (x, y, z, expected) in
        [(0.7, 0.1, 0.2, 0.3), (0.1, -1.2, 0.4, 0.3), (-0.2, 0.3, 1.6, 0.4), (0.0, 0.0, 0.0, 1.0)]
    {
        let there = Posed::new(&b, Isometry3::translation(x, y, z));
        for norm in NORMS {
            let found = certified(&here, &there, &in_norm(norm));
            assert!((found.depth - expected).abs() < 1e-12, "{norm}: {found:?}");
            // Of translations that are equally long in L∞, the one along the axis.
            assert!((found.translation.norm() - expected).abs() < 1e-9, "{norm}: {found:?}");
        }
    }
}

#[test]
fn rotated_boxes_are_as_deep_as_the_nearest_face_of_their_minkowski_difference() {
    let mut noise = Noise(29);
    let mut overlapping = 0;
    while overlapping < 60 {
        let halves = [0, 1].map(|_| Vector3::from_fn(|_, _| noise.between(0.2, 1.0)));
        let poses =
            [0, 1].map(|_| Isometry3::from_parts((noise.signed_vector() * 0.5).into(), noise.rotation(3.0)));
        let [a, b] = halves.map(|half| Shape::cuboid(2.0 * half));
        let (a, b) = (Posed::new(&a, poses[0]), Posed::new(&b, poses[1]));
        if !(depth_of_boxes(halves, poses, Norm::L2) > 1e-3) {
            continue;
        }
        overlapping += 1;
        for norm in NORMS {
            let expected = depth_of_boxes(halves, poses, norm);
            let options = in_norm(norm);
            let [one, other] = [certified(&a, &b, &options), certified(&b, &a, &options)];
            assert!((one.depth - expected).abs() < 1e-8 * expected, "{norm}: {one:?} {expected}");
            assert!((other.depth - expected).abs() < 1e-8 * expected, "{norm}: {other:?} {expected}");
        }
    }
}

#[test]
fn balls_are_as_deep_as_the_sphere_of_their_radii_is_along_the_nearest_vertex_of_the_norm() {
    let mut noise = Noise(30);
    let (a, b) = (Shape::ball(0.5), Shape::ball(0.3));
    for _ in 0..30 {
        let apart = noise.signed_vector() * 0.4;
        let (at, origin) = (Posed::new(&a, Isometry3::from(apart)), Posed::at_origin(&b));
        // Where a ray along a unit vector leaves the sphere.
        let exit = |along: Vector3<f64>| {
            let part = apart.dot(&along);
            (part * part - apart.norm_squared() + 0.64).sqrt() - part
        };
        // The vertex with the signs, or on the axis with the sign, of the offset of A is the nearest.
        let diagonal = apart.map(f64::signum) / 3.0_f64.sqrt();
        let axis =
            (0..3).map(|axis| exit(Vector3::ith(axis, apart[axis].signum()))).fold(f64::INFINITY, f64::min);
        for (norm, expected) in
            [(Norm::L1, axis), (Norm::L2, 0.8 - apart.norm()), (Norm::LInf, exit(diagonal) / 3.0_f64.sqrt())]
        {
            let found = certified(&at, &origin, &in_norm(norm));
            assert!((found.depth - expected).abs() < 1e-9, "{norm}: {found:?} {expected}");
        }
    }
}

/// Convex shapes of all kinds that are bounded.
fn convex() -> Vec<Shape> {
    let corners = [[0.5, 0.1, -0.4], [-0.5, 0.3, -0.3], [0.0, -0.6, -0.3], [0.1, 0.1, 0.6], [-0.3, 0.2, 0.4]];
    vec![
        Shape::ball(0.6),
        Shape::capsule(0.2, 0.8),
        Shape::cuboid(Vector3::new(0.6, 0.9, 1.1)),
        Shape::cylinder(0.4, 0.9),
        Shape::cone(0.5, 1.2),
        Shape::hull(&corners.map(Point3::from)).expect("a hull"),
        Shape::cuboid(Vector3::new(0.5, 0.3, 0.7)).rounded(0.1).expect("convex"),
    ]
}

#[test]
fn all_translations_that_are_shorter_in_the_norm_collide() {
    let (mut noise, shapes) = (Noise(31), convex());
    for (i, first) in shapes.iter().enumerate() {
        for second in &shapes[i..] {
            let [pose_a, pose_b] = [0, 1]
                .map(|_| Isometry3::from_parts((noise.signed_vector() * 0.15).into(), noise.rotation(3.0)));
            let (a, b) = (Posed::new(first, pose_a), Posed::new(second, pose_b));
            let depths = NORMS.map(|norm| {
                let found = certified(&a, &b, &in_norm(norm));
                for _ in 0..40 {
                    let shorter = noise.signed_vector();
                    let shorter = shorter * (0.999 * found.depth / norm.of(&shorter));
                    assert!(collides(&a, &b, &shorter), "{norm}: {found:?} {shorter}");
                }
                found.depth
            });
            let [l1, l2, linf] = depths.map(|depth| depth * (1.0 + 1e-8));
            assert!(depths[1] <= l1 && depths[2] <= l2 && depths[0] <= 3_f64.sqrt() * l2, "{depths:?}");
            assert!(depths[1] <= 3_f64.sqrt() * linf, "{depths:?}");
        }
    }
}

#[test]
fn depths_scale_with_the_unit_of_length() {
    let mut noise = Noise(32);
    let poses = [0, 1].map(|_| (noise.signed_vector() * 0.2, noise.rotation(3.0)));
    for norm in NORMS {
        let depths = [1e-3, 1.0, 1e3].map(|unit| {
            let [a, b] = [Shape::cylinder(0.4 * unit, 0.9 * unit), Shape::cone(0.5 * unit, 1.2 * unit)];
            let [at_a, at_b] =
                poses.map(|(shift, rotated)| Isometry3::from_parts((shift * unit).into(), rotated));
            certified(&Posed::new(&a, at_a), &Posed::new(&b, at_b), &in_norm(norm)).depth / unit
        });
        assert!(
            depths.iter().all(|depth| (depth - depths[1]).abs() < 1e-8 * depths[1]),
            "{norm}: {depths:?}"
        );
    }
}

#[test]
fn half_spaces_are_left_by_the_depth_over_the_dual_norm_of_their_normal() {
    let ground = Shape::half_space();
    let mesh = Shape::mesh(procedural::build("box", &Default::default()).unwrap());
    let up = Vector3::new(1.0, -2.0, 3.0).normalize();
    let slope = UnitQuaternion::rotation_between(&Vector3::z(), &up).expect("not opposite");
    let slope = Posed::new(&ground, Isometry3::from_parts(Default::default(), slope));
    for shape in [Shape::ball(0.5), Shape::cuboid(Vector3::repeat(1.0)), mesh] {
        let a = Posed::new(&shape, Isometry3::translation(0.0, 0.1, 0.2));
        let depth = found(&a, &slope, &in_norm(Norm::L2)).depth;
        let sum = up.iter().map(|x| x.abs()).sum::<f64>();
        for (norm, dual) in [(Norm::L1, up.amax()), (Norm::LInf, sum)] {
            for found in [found(&a, &slope, &in_norm(norm)), found(&slope, &a, &in_norm(norm))] {
                assert!((found.depth - depth / dual).abs() < 1e-9, "{norm}: {found:?}");
                assert!((found.lower_bound - found.depth).abs() < 1e-9, "{norm}: {found:?}");
            }
        }
    }
}

#[test]
fn restricted_translations_are_shortest_in_the_norm_as_well() {
    let cube = Shape::cuboid(Vector3::repeat(1.0));
    let (a, b) = (Posed::at_origin(&cube), Posed::new(&cube, Isometry3::translation(0.6, 0.1, 0.2)));
    for (allowed, depths) in [
        // Along the diagonal, through the face y = const.
        ("direction:0,1,1", [2.2, 1.1 * 2_f64.sqrt(), 1.1]),
        ("line:0,3,4", [0.8 * 7.0 / 4.0, 0.8 * 5.0 / 4.0, 0.8]),
        ("plane:1,0,0", [0.8, 0.8, 0.8]),
        // In the plane x + y = 0, out through the face x = −0.4.
        ("plane:1,1,0", [0.8, 0.4 * 2_f64.sqrt(), 0.4]),
    ] {
        for (norm, expected) in NORMS.into_iter().zip(depths) {
            let options = PenetrationOptions { allowed: Some(allowed.parse().unwrap()), ..in_norm(norm) };
            let found = certified(&a, &b, &options);
            assert!((found.depth - expected).abs() < 1e-8, "{allowed} {norm}: {found:?}");
        }
    }
}

#[test]
fn distances_are_attained_by_points_and_bounded_by_planes() {
    let (mut noise, shapes) = (Noise(33), convex());
    for (i, first) in shapes.iter().enumerate() {
        for second in &shapes[i..] {
            for _ in 0..4 {
                let apart = noise.uniform_direction(0.1..=1.0).into_inner() * noise.between(1.8, 4.0);
                let pose_a = noise.pose(0.1, 3.0);
                let pose_b = Isometry3::from_parts(apart.into(), noise.rotation(3.0));
                let (a, b) = (Posed::new(first, pose_a), Posed::new(second, pose_b));
                let values = NORMS.map(|norm| {
                    let found = query::distance_in_norm(&a, &b, norm, &Default::default()).expect("a query");
                    let back = query::distance_in_norm(&b, &a, norm, &Default::default()).expect("a query");
                    let [on_a, on_b] = found.points;
                    let apart = norm.of(&(on_b - on_a));
                    assert!((apart - found.value).abs() < 2e-8 * found.value, "{norm} {found:?}");
                    for (point, shape, pose) in [(on_a, first, pose_a), (on_b, second, pose_b)] {
                        let dot = Shape::ball(1e-9);
                        let dot = Posed::new(&dot, Isometry3::from(point.coords));
                        assert!(
                            query::collide(&dot, &Posed::new(shape, pose), &Default::default())
                                .expect("a query")
                        );
                    }
                    let bounds = found.value - found.lower_bound;
                    assert!((0.0..2e-9 * found.value).contains(&bounds), "{norm} {found:?} {bounds:e}");
                    assert!(
                        (back.value - found.value).abs() < 3e-9 * found.value,
                        "{norm} {found:?} {back:?}"
                    );
                    // The minimum norm of a translation that makes them touch: shorter ones leave a gap.
                    for _ in 0..20 {
                        let shorter = noise.signed_vector();
                        let shorter = shorter * (0.999 * found.value / norm.of(&shorter));
                        assert!(!collides(&a, &b, &shorter), "{norm} {found:?}");
                    }
                    found.value
                });
                let more = 1.0 + 1e-8;
                assert!(values[2] <= values[1] * more && values[1] <= values[0] * more, "{values:?}");
            }
        }
    }
}

#[test]
fn distances_of_balls_boxes_and_half_spaces_have_closed_forms_in_every_unit() {
    for unit in [1e-3, 1.0, 1e3] {
        let at = |x: f64, y: f64, z: f64| Isometry3::translation(x * unit, y * unit, z * unit);
        let (ball, cube, ground) =
            (Shape::ball(0.5 * unit), Shape::cuboid(Vector3::repeat(unit)), Shape::half_space());
        let distances = |a: &Posed, b: &Posed| {
            NORMS.map(|norm| {
                query::distance_in_norm(a, b, norm, &Default::default()).expect("a query").value / unit
            })
        };
        let close = |found: [f64; 3], expected: [f64; 3]| {
            let near = (0..3).all(|k| (found[k] - expected[k]).abs() < 3e-9 * (1.0 + expected[k]));
            assert!(near, "{found:?} {expected:?}");
        };
        let here = Posed::new(&cube, at(0.0, 0.0, 0.0));
        close(distances(&here, &Posed::new(&cube, at(2.0, -1.5, 0.3))), [1.5, 1.25_f64.sqrt(), 1.0]);
        // A ball beyond a corner: in L1 it is nearest along an axis of the corner, in L∞ along the diagonal.
        let corner = Posed::new(&ball, at(1.5, 1.5, 1.5));
        let (root, diagonal) = (3_f64.sqrt(), 3_f64.sqrt() - 0.5);
        close(distances(&here, &corner), [3.0 - 0.5 * root, diagonal, 1.0 - 0.5 / root]);
        let up = UnitQuaternion::rotation_between(&Vector3::z(), &Vector3::new(1.0, 2.0, 2.0))
            .expect("not opposite");
        let slope = Posed::new(&ground, Isometry3::from_parts(Default::default(), up));
        // One metre above the plane with the normal (1, 2, 2)/3.
        close(distances(&Posed::new(&ball, at(0.5, 1.0, 1.0)), &slope), [1.5, 1.0, 0.6]);
        // Touching and overlapping.
        close(distances(&here, &Posed::new(&cube, at(0.9, 0.0, 0.0))), [0.0; 3]);
    }
}

#[test]
fn signed_distances_in_a_norm_are_distances_or_minus_depths() {
    let cube = Shape::cuboid(Vector3::repeat(1.0));
    let mesh = Shape::mesh(procedural::build("box", &Default::default()).unwrap());
    for (x, y, l1, linf) in [(1.5, 1.25, 0.75, 0.5), (0.75, 0.5, -0.25, -0.25)] {
        for (first, second) in [(&cube, &cube), (&cube, &mesh), (&mesh, &cube), (&mesh, &mesh)] {
            let here = Posed::at_origin(first);
            let there = Posed::new(second, Isometry3::translation(x, y, 0.0));
            for (norm, expected) in [(Norm::L1, l1), (Norm::LInf, linf)] {
                let found = query::signed_distance(&here, &there, &in_norm(norm)).expect("a query");
                assert!((found.value - expected).abs() < 1e-8, "{norm} {found:?}");
                assert!(found.lower_bound <= found.upper_bound);
                // The depth of meshes has no lower bound near it in every norm.
                let is_certified = expected > 0.0 || first.core().is_some() && second.core().is_some();
                assert!(!is_certified || found.upper_bound - found.lower_bound < 1e-8, "{norm} {found:?}");
            }
        }
    }
}
