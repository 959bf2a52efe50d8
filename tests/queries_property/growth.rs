//! Growth distance, against closed forms and its definition.

use extricate::query::options::GrowthDistanceOptions;
use extricate::query::{self, CollideOptions, GrowthDistance, Posed, QueryError, Shape};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::boxes::faces_of_difference;

/// Bounds of a growth distance, relative to it.
const CERTIFIED: f64 = 1e-7;

fn found(a: &Posed, b: &Posed, options: &GrowthDistanceOptions) -> GrowthDistance {
    let found = query::growth_distance(a, b, options).expect("a query");
    assert!(found.lower_bound <= found.value && found.value <= found.upper_bound, "{found:?}");
    assert!(found.upper_bound <= found.lower_bound * (1.0 + CERTIFIED) && found.converged, "{found:?}");
    for side in 0..2 {
        let grown = found.seeds[side] + (found.points[side] - found.seeds[side]) * found.value;
        let size = (found.seeds[1] - found.seeds[0]).norm();
        assert!((grown - found.contact).norm() < 1e-6 * size, "{found:?}");
    }
    found
}

fn centred(a: &Posed, b: &Posed) -> GrowthDistance {
    found(a, b, &GrowthDistanceOptions::default())
}

#[test]
fn balls_grow_by_the_distance_of_their_seeds_over_a_chord_of_the_ball_of_their_radii() {
    let (mut noise, radii) = (Noise(40), [0.5, 0.3]);
    let [a, b] = radii.map(Shape::ball);
    for _ in 0..50 {
        let (at, apart) = (noise.pose(1.0, 3.0), noise.signed_vector());
        let there = Isometry3::from_parts((at.translation.vector + apart).into(), noise.rotation(3.0));
        let (first, second) = (Posed::new(&a, at), Posed::new(&b, there));
        let found_at_centres = centred(&first, &second);
        assert!((found_at_centres.value - apart.norm() / 0.8).abs() < 1e-8, "{found_at_centres:?}");
        let seeds = [0.25, 0.15].map(|reach| Point3::from(noise.signed_vector() * reach));
        let options = GrowthDistanceOptions { seeds: seeds.map(Some), ..Default::default() };
        let in_world = [at * seeds[0], there * seeds[1]];
        // The ball K with the radius of both, and its chord along p.
        let center =
            (at.translation.vector - in_world[0].coords) - (there.translation.vector - in_world[1].coords);
        let between = in_world[1] - in_world[0];
        let along = center.dot(&between.normalize());
        let chord = along + (along * along - center.norm_squared() + 0.64).sqrt();
        let seeded = found(&first, &second, &options);
        assert!((seeded.value - between.norm() / chord).abs() < 1e-8 * seeded.value, "{seeded:?}");
    }
}

/// The growth distance of boxes about their centres: the maximum over the normals of the faces of their Minkowski difference of
/// the offset of the centres over the sum of the half extents.
fn growth_of_boxes(halves: [Vector3<f64>; 2], poses: [Isometry3<f64>; 2]) -> f64 {
    faces_of_difference(halves, poses).iter().map(|faces| faces.offset / faces.extent).fold(0.0, f64::max)
}

#[test]
fn boxes_grow_until_the_first_separating_plane_of_their_minkowski_difference_is_lost() {
    let mut noise = Noise(41);
    for _ in 0..60 {
        let halves = [0, 1].map(|_| Vector3::from_fn(|_, _| noise.between(0.1, 1.0)));
        let poses = [0, 1].map(|_| noise.pose(1.5, 3.0));
        let [a, b] = halves.map(|half| Shape::cuboid(2.0 * half));
        let (a, b) = (Posed::new(&a, poses[0]), Posed::new(&b, poses[1]));
        let expected = growth_of_boxes(halves, poses);
        let [one, other] = [centred(&a, &b), centred(&b, &a)];
        assert!((one.value - expected).abs() < 1e-8 * expected, "{one:?} {expected}");
        assert!((other.value - expected).abs() < 1e-8 * expected, "{other:?} {expected}");
    }
}

/// Convex shapes of all kinds that are bounded, scaled about the origins of their frames.
fn convex(scale: f64) -> Vec<Shape> {
    let corners = [[0.5, 0.1, -0.4], [-0.5, 0.3, -0.3], [0.0, -0.6, -0.3], [0.1, 0.1, 0.6], [-0.3, 0.2, 0.4]];
    let size = Vector3::new(0.6, 0.9, 1.1) * scale;
    vec![
        Shape::ball(0.6 * scale),
        Shape::capsule(0.2 * scale, 0.8 * scale),
        Shape::cuboid(size),
        Shape::cylinder(0.4 * scale, 0.9 * scale),
        Shape::cone(0.5 * scale, 1.2 * scale),
        Shape::hull(&corners.map(|corner| Point3::from(corner) * scale)).expect("a hull"),
        Shape::cuboid(size).rounded(0.1 * scale).expect("convex"),
    ]
}

#[test]
fn shapes_that_are_scaled_by_more_collide_and_by_less_are_apart() {
    let (mut noise, options) =
        (Noise(42), GrowthDistanceOptions { seeds: [Some(Point3::origin()); 2], ..Default::default() });
    let kinds = convex(1.0).len();
    for i in 0..kinds {
        for j in 0..kinds {
            let poses = [0, 1].map(|_| noise.pose(1.0, 3.0));
            let of = |scale: f64, query: &dyn Fn(&Posed, &Posed) -> f64| {
                let shapes = convex(scale);
                query(&Posed::new(&shapes[i], poses[0]), &Posed::new(&shapes[j], poses[1]))
            };
            let value = of(1.0, &|a, b| found(a, b, &options).value);
            let collides = |scale: f64| {
                let hit =
                    |a: &Posed, b: &Posed| query::collide(a, b, &CollideOptions::default()).expect("a query");
                of(scale, &|a, b| f64::from(u8::from(hit(a, b)))) > 0.5
            };
            assert!(collides(value * (1.0 + 1e-6)) && !collides(value * (1.0 - 1e-6)), "{i} {j} {value}");
            let unit = |unit: f64| {
                let shapes = convex(unit);
                let [at_a, at_b] = poses.map(|pose| {
                    Isometry3::from_parts((pose.translation.vector * unit).into(), pose.rotation)
                });
                found(&Posed::new(&shapes[i], at_a), &Posed::new(&shapes[j], at_b), &options).value
            };
            assert!((unit(1e-3) - value).abs() < 1e-7 * value && (unit(1e3) - value).abs() < 1e-7 * value);
        }
    }
}

#[test]
fn coincident_seeds_have_the_factor_zero_and_pairs_without_one_are_refused() {
    let (ball, cube) = (Shape::ball(0.5), Shape::cuboid(Vector3::repeat(1.0)));
    let corners = [[0.5, 0.5, 0.0], [-0.5, 0.5, 0.0], [-0.5, -0.5, 0.0], [0.5, -0.5, 0.0]];
    let flat = Shape::hull(&corners.map(Point3::from)).expect("a flat hull");
    let here = Posed::at_origin(&ball);
    let same = query::growth_distance(&here, &Posed::at_origin(&cube), &Default::default()).expect("a query");
    assert!(same.value.abs() < 1e-300 && same.upper_bound.abs() < 1e-300, "{same:?}");
    // Two parallel plates grow within their planes.
    let plates = [0.0, 0.3].map(|z| Posed::new(&flat, Isometry3::translation(0.1, 0.0, z)));
    let ground = Shape::half_space();
    for (a, b) in [(&plates[0], &plates[1]), (&here, &Posed::at_origin(&ground))] {
        let refused = query::growth_distance(a, b, &Default::default());
        assert!(matches!(refused, Err(QueryError::Unsupported { .. })), "{refused:?}");
    }
    let seeds = [Some(Point3::new(0.0, 0.6, 0.0)), None];
    let rotated = Posed::new(&cube, Isometry3::from_parts(Vector3::x().into(), UnitQuaternion::identity()));
    let refused =
        query::growth_distance(&here, &rotated, &GrowthDistanceOptions { seeds, ..Default::default() });
    assert!(matches!(refused, Err(QueryError::Option { option: "seed of A", .. })), "{refused:?}");
}
