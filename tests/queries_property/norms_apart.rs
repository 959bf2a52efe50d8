//! Distances of meshes, and of meshes and convex shapes, in the norms L1 and L∞: against all pairs of triangles one by one, each
//! measured as a pair of convex hulls by cutting planes, and against the definition.

use std::time::Duration;

use extricate::Mesh;
use extricate::geometry::procedural::{self, Blob, Cup, Procedural, Sphere, Torus};
use extricate::proximity::ProximityError;
use extricate::query::{self, CollideOptions, Distance, DistanceOptions, Norm, Posed, QueryError, Shape};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

const NORMS: [Norm; 2] = [Norm::L1, Norm::LInf];

fn apart(a: &Posed, b: &Posed, norm: Norm) -> Distance {
    query::distance_in_norm(a, b, norm, &DistanceOptions::default()).expect("a query")
}

/// Triangles of random shape and size, at random places: some of them needles.
fn soup(noise: &mut Noise, count: u32) -> Mesh {
    let mut points = Vec::new();
    for _ in 0..count {
        let at = noise.vector();
        let corners: [Vector3<f64>; 3] = std::array::from_fn(|_| at + 0.4 * noise.vector());
        let thin = if noise.below(3) == 0 { 1e-4 } else { 1.0 };
        let third = corners[1] + (corners[2] - corners[1]) * thin;
        points.extend([corners[0], corners[1], third].map(Point3::from));
    }
    Mesh::new(points, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).expect("triangles")
}

/// Every triangle as a convex hull in the frame of the mesh.
fn hulls(mesh: &Mesh) -> Vec<Shape> {
    (0..mesh.triangles().len()).map(|i| Shape::hull(&mesh.triangle(i)).expect("a triangle")).collect()
}

/// The distance over all pairs.
fn by_pairs(a: &[Shape], pose_a: &Isometry3<f64>, b: &[Shape], pose_b: &Isometry3<f64>, norm: Norm) -> f64 {
    let of = |p: &Shape, q: &Shape| apart(&Posed::new(p, *pose_a), &Posed::new(q, *pose_b), norm).value;
    a.iter().flat_map(|p| b.iter().map(move |q| of(p, q))).fold(f64::INFINITY, f64::min)
}

fn norm_of(norm: Norm, v: &Vector3<f64>) -> f64 {
    match norm {
        Norm::L1 => v.x.abs() + v.y.abs() + v.z.abs(),
        Norm::L2 => v.norm(),
        Norm::LInf => v.amax(),
    }
}

/// The points are on the shapes at the distance that is reported, and no shorter translation brings these together.
fn assert_attained(a: &Posed, b: &Posed, norm: Norm, found: &Distance, noise: &mut Noise) {
    let [on_a, on_b] = found.points;
    assert!((norm_of(norm, &(on_b - on_a)) - found.value).abs() < 1e-8 * found.value, "{norm} {found:?}");
    assert!(found.lower_bound <= found.value && found.value <= found.upper_bound, "{norm} {found:?}");
    for (point, posed) in [(on_a, a), (on_b, b)] {
        let dot = Shape::ball(1e-8);
        let dot = Posed::new(&dot, Isometry3::from(point.coords));
        assert!(
            query::collide(&dot, posed, &CollideOptions::default()).expect("a query"),
            "{norm} {found:?}"
        );
    }
    let part = a.part(0);
    for _ in 0..20 {
        let shorter = noise.signed_vector();
        let shorter = shorter * (0.999 * found.value / norm_of(norm, &shorter));
        let moved = Posed::new(part.shape, Translation3::from(shorter) * part.pose);
        assert!(!query::collide(&moved, b, &CollideOptions::default()).expect("a query"), "{norm} {found:?}");
    }
}

#[test]
fn the_distance_of_meshes_is_that_of_the_nearest_pair_of_their_triangles() {
    let mut noise = Noise(51);
    for round in 0..12 {
        let meshes = [soup(&mut noise, 14), soup(&mut noise, 11)];
        let [all_a, all_b] = [hulls(&meshes[0]), hulls(&meshes[1])];
        let [a, b] = meshes.map(Shape::surface);
        let away = noise.uniform_direction(0.1..=1.0).into_inner() * noise.between(2.5, 6.0);
        let pose_a = noise.pose(0.1, 3.0);
        let mut pose_b = Translation3::from(away) * noise.pose(0.1, 3.0);
        if round % 4 == 0 {
            pose_b.rotation = UnitQuaternion::identity();
        }
        let (a, b) = (Posed::new(&a, pose_a), Posed::new(&b, pose_b));
        for norm in NORMS {
            let (found, back) = (apart(&a, &b, norm), apart(&b, &a, norm));
            let expected = by_pairs(&all_a, &pose_a, &all_b, &pose_b, norm);
            assert!(found.value > 0.0 || expected <= 0.0);
            assert!((found.value - expected).abs() < 3e-9 * (1.0 + expected), "{norm} {found:?} {expected}");
            assert!((found.value - back.value).abs() < 1e-12, "{norm} {found:?} {back:?}");
            if found.value > 0.0 {
                assert_attained(&a, &b, norm, &found, &mut noise);
            }
        }
    }
}

#[test]
fn the_distance_of_a_convex_shape_and_a_mesh_is_that_of_its_nearest_triangle() {
    let mut noise = Noise(52);
    let shapes = [
        Shape::ball(0.5),
        Shape::capsule(0.2, 0.7),
        Shape::cuboid(Vector3::new(0.6, 0.8, 0.4)),
        Shape::cylinder(0.3, 0.6),
        Shape::cone(0.4, 0.7),
        Shape::cuboid(Vector3::repeat(0.4)).rounded(0.1).expect("rounded"),
    ];
    for shape in &shapes {
        for _ in 0..3 {
            let mesh = soup(&mut noise, 12);
            let (all, mesh) = (hulls(&mesh), Shape::surface(mesh));
            let away = noise.uniform_direction(0.1..=1.0).into_inner() * noise.between(2.0, 5.0);
            let (pose_a, pose_b) = (noise.pose(0.1, 3.0), Translation3::from(away) * noise.pose(0.1, 3.0));
            let (a, b) = (Posed::new(shape, pose_a), Posed::new(&mesh, pose_b));
            for norm in NORMS {
                let (found, back) = (apart(&a, &b, norm), apart(&b, &a, norm));
                let expected = by_pairs(std::slice::from_ref(shape), &pose_a, &all, &pose_b, norm);
                let near = |value: f64| (value - expected).abs() < 3e-9 * (1.0 + expected);
                assert!(near(found.value) && near(back.value), "{norm} {found:?} {back:?} {expected}");
                assert!(found.value - found.lower_bound < 3e-9 * (1.0 + expected), "{norm} {found:?}");
                if found.value > 0.0 {
                    assert_attained(&a, &b, norm, &found, &mut noise);
                    assert_attained(&b, &a, norm, &back, &mut noise);
                }
            }
        }
    }
}

#[test]
fn solids_with_many_triangles_are_attained_and_ordered_by_the_norms() {
    let mut noise = Noise(53);
    let shapes = [
        Shape::solid(Cup::default().mesh().expect("a cup")).expect("closed"),
        Shape::solid(Torus::default().mesh().expect("a torus")).expect("closed"),
        Shape::solid(Blob::default().mesh().expect("a blob")).expect("closed"),
    ];
    for (i, first) in shapes.iter().enumerate() {
        for second in &shapes[i..] {
            let reach = first.bounding_radius() + second.bounding_radius();
            for _ in 0..4 {
                let away =
                    noise.uniform_direction(0.1..=1.0).into_inner() * (noise.between(0.9, 2.0) * reach);
                let a = Posed::new(first, noise.pose(0.1, 3.0));
                let b = Posed::new(second, Translation3::from(away) * noise.pose(0.1, 3.0));
                let euclidean = query::distance(&a, &b, &DistanceOptions::default()).expect("a query");
                let values = NORMS.map(|norm| {
                    let found = apart(&a, &b, norm);
                    if found.value > 0.0 {
                        assert_attained(&a, &b, norm, &found, &mut noise);
                    }
                    let coarse = DistanceOptions { relative_tolerance: 0.1, ..DistanceOptions::default() };
                    let coarse = query::distance_in_norm(&a, &b, norm, &coarse).expect("a query");
                    assert!(coarse.lower_bound <= found.value * (1.0 + 1e-12), "{coarse:?} {found:?}");
                    assert!(found.value <= coarse.value * (1.0 + 1e-12) && coarse.value <= found.value / 0.9);
                    found.value
                });
                let more = 1.0 + 1e-12;
                assert!(euclidean.value <= values[0] * more && values[1] <= euclidean.value * more);
                assert!(
                    (euclidean.value > 0.0) == (values[0] > 0.0) && (values[0] > 0.0) == (values[1] > 0.0)
                );
            }
        }
    }
}

#[test]
fn meshes_of_boxes_and_half_spaces_have_closed_forms_in_every_unit() {
    for unit in [1e-3, 1.0, 1e3] {
        let at = |x: f64, y: f64, z: f64| Isometry3::translation(x * unit, y * unit, z * unit);
        let mut cube = procedural::build("box", &Default::default()).expect("a box");
        cube = Mesh::new(cube.vertices().iter().map(|p| p * unit).collect(), cube.triangles().to_vec())
            .expect("a box");
        let (mesh, box_, ball) = (
            Shape::solid(cube).expect("closed"),
            Shape::cuboid(Vector3::repeat(unit)),
            Shape::ball(0.5 * unit),
        );
        let ground = Shape::half_space();
        let close = |a: &Posed, b: &Posed, expected: [f64; 2]| {
            for (norm, expected) in NORMS.into_iter().zip(expected) {
                for found in [apart(a, b, norm), apart(b, a, norm)] {
                    assert!((found.value / unit - expected).abs() < 3e-9, "{norm} {found:?} {expected}");
                    assert!(
                        (found.lower_bound / unit - expected).abs() < 3e-9,
                        "{norm} {found:?} {expected}"
                    );
                }
            }
        };
        let here = Posed::new(&mesh, at(0.0, 0.0, 0.0));
        for other in [&mesh, &box_] {
            close(&here, &Posed::new(other, at(2.0, -1.5, 0.3)), [1.5, 1.0]);
            close(&here, &Posed::new(other, at(0.9, 0.0, 0.0)), [0.0, 0.0]);
        }
        // A ball beyond a corner, and one inside.
        let root = 3_f64.sqrt();
        close(&here, &Posed::new(&ball, at(1.5, 1.5, 1.5)), [3.0 - 0.5 * root, 1.0 - 0.5 / root]);
        close(&here, &Posed::new(&Shape::ball(0.1 * unit), at(0.1, 0.0, 0.0)), [0.0, 0.0]);
        let up = UnitQuaternion::rotation_between(&Vector3::z(), &Vector3::new(1.0, 2.0, 2.0))
            .expect("not opposite");
        let slope = Posed::new(&ground, Isometry3::from_parts(Default::default(), up));
        // The lowest corner is 2 − (1 + 2 + 2)/6 above the plane with the normal (1, 2, 2)/3.
        let height = 2.0 - 5.0 / 6.0;
        close(&Posed::new(&mesh, at(2.0 / 3.0, 4.0 / 3.0, 4.0 / 3.0)), &slope, [height * 1.5, height * 0.6]);
    }
}

#[test]
fn time_budgets_end_the_distance_of_meshes_with_an_error_or_change_nothing() {
    // All triangles are nearly equally far from the middle of their sphere.
    let sphere = Shape::surface(Sphere::default().mesh().expect("a sphere"));
    let cup = Shape::solid(Cup::default().mesh().expect("a cup")).expect("closed");
    let ball = Shape::ball(0.2);
    for (other, shape) in [(&ball, &sphere), (&cup, &cup)] {
        let x = if other.core().is_some() { 0.0 } else { 5.0 };
        let (here, there) = (Posed::at_origin(other), Posed::new(shape, Isometry3::translation(x, 0.0, 0.0)));
        for norm in NORMS {
            let [late, ample] = [Duration::ZERO, Duration::from_secs(3600)].map(|budget| {
                let options = DistanceOptions { time_budget: Some(budget), ..DistanceOptions::default() };
                query::distance_in_norm(&here, &there, norm, &options)
            });
            let exact = apart(&here, &there, norm);
            assert_eq!(ample.expect("enough time"), exact);
            match late {
                // Bounds of the distance of meshes that are known to be apart, which are equal where the clock was not looked at before.
                Ok(found) => {
                    let between = found.lower_bound <= exact.value && exact.value <= found.value;
                    assert!(between && other.core().is_none(), "{norm} {found:?}");
                }
                Err(error) => {
                    let is_late = matches!(error, QueryError::Proximity(ProximityError::OutOfTime { .. }));
                    assert!(is_late, "{error:?}");
                }
            }
        }
    }
}
