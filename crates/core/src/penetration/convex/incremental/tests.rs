//! Against closed forms, as the paper's tables; the failures of the method are tested as well.

use std::sync::Arc;

use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3, Unit, UnitQuaternion, Vector3};

use super::{IncrementalOptions, IncrementalPenetration, incremental};
use crate::geometry::convex::hull::ConvexHull;
use crate::geometry::convex::shape::ConvexShape;
use crate::geometry::procedural::{Procedural, Sphere};
use crate::penetration::error::PenetrationError;
use crate::proximity::error::ProximityError;

/// Pairs of a row of the tables; the paper has 10 000.
const PAIRS: usize = 2000;

fn direction(noise: &mut Noise) -> Unit<Vector3<f64>> {
    noise.uniform_direction(..=1.0)
}

fn rotation(noise: &mut Noise) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&direction(noise), 3.2 * noise.signed())
}

/// A pose at most `reach` from the origin.
fn pose(noise: &mut Noise, reach: f64) -> Isometry3<f64> {
    let by = direction(noise).into_inner() * (reach * noise.signed());
    Isometry3::from_parts(by.into(), rotation(noise))
}

/// A direction `angle` off another one.
fn off(noise: &mut Noise, from: &Unit<Vector3<f64>>, angle: f64) -> Vector3<f64> {
    let axis = Unit::new_normalize(from.cross(&direction(noise)));
    UnitQuaternion::from_axis_angle(&axis, angle) * from.into_inner()
}

/// The vector between the nearest points of two segments: the nearest pair of interiors, or one with an end.
fn between_segments(p: [Vector3<f64>; 2], q: [Vector3<f64>; 2]) -> Vector3<f64> {
    let to_segment = |point: Vector3<f64>, [from, to]: [Vector3<f64>; 2]| {
        let along = to - from;
        let square = along.norm_squared();
        let fraction = if square > 0.0 { (point - from).dot(&along) / square } else { 0.0 };
        from + fraction.clamp(0.0, 1.0) * along - point
    };
    let mut candidates =
        vec![to_segment(p[0], q), to_segment(p[1], q), -to_segment(q[0], p), -to_segment(q[1], p)];
    let (along_p, along_q) = (p[1] - p[0], q[1] - q[0]);
    let normal = along_p.cross(&along_q);
    let fraction = |other: &Vector3<f64>| (q[0] - p[0]).cross(other).dot(&normal) / normal.norm_squared();
    if (0.0..=1.0).contains(&fraction(&along_q)) && (0.0..=1.0).contains(&fraction(&along_p)) {
        candidates.push(normal * (q[0] - p[0]).dot(&normal) / normal.norm_squared());
    }
    candidates.into_iter().min_by(|a, b| a.norm().total_cmp(&b.norm())).expect("four candidates")
}

/// Depth of two capsules (length without the caps), and the direction in which the first one moves.
fn capsules(radii: f64, lengths: [f64; 2], pose_b: &Isometry3<f64>) -> (f64, Unit<Vector3<f64>>) {
    let [a, b] = lengths.map(|length| [-0.5 * length, 0.5 * length].map(|z| Vector3::new(0.0, 0.0, z)));
    let gap = between_segments(a, b.map(|end| pose_b * Point3::from(end)).map(|end| end.coords));
    (radii - gap.norm(), Unit::new_normalize(-gap))
}

/// Mean errors of depth [m] and direction [rad] with guesses some degrees off.
fn mean_errors(lengths: [f64; 2], degrees: f64) -> [f64; 2] {
    let shape =
        |length| if length > 0.0 { ConvexShape::capsule(0.5, length) } else { ConvexShape::sphere(0.5) };
    let [a, b] = lengths.map(shape);
    let (mut noise, mut sums, mut pairs) = (Noise(7), [0.0; 2], 0);
    while pairs < PAIRS {
        let pose = pose(&mut noise, 1.0 + lengths[0] + lengths[1]);
        let (depth, direction) = capsules(1.0, lengths, &pose);
        if !(depth > 0.0 && depth < 0.9) {
            continue;
        }
        let guess = off(&mut noise, &direction, degrees.to_radians());
        let found = separated(&a, &b, &pose, &guess, &IncrementalOptions::default());
        assert!(found.converged && found.depth > depth - 1e-12, "{} {depth}", found.depth);
        sums[0] += found.depth - depth;
        sums[1] += found.direction.angle(&direction);
        pairs += 1;
    }
    sums.map(|sum| sum / PAIRS as f64)
}

fn separated(
    a: &ConvexShape,
    b: &ConvexShape,
    pose_b: &Isometry3<f64>,
    guess: &Vector3<f64>,
    options: &IncrementalOptions,
) -> IncrementalPenetration {
    incremental(a, &Isometry3::identity(), b, pose_b, guess, options).expect("found").expect("overlapping")
}

fn icosphere(frequency: u32) -> ConvexShape {
    let mesh = Sphere { radius: 0.5, frequency }.mesh().expect("valid");
    ConvexShape::hull(Arc::new(ConvexHull::new(mesh.vertices()).expect("points")))
}

#[test]
fn spheres_and_capsules_are_as_exact_as_in_tables_one_and_two_of_the_paper() {
    for (name, lengths) in [("spheres", [0.0, 0.0]), ("capsules", [1.0, 1.0]), ("mixed", [0.0, 1.0])] {
        for degrees in [5.0, 15.0, 30.0] {
            let [depth, direction] = mean_errors(lengths, degrees);
            println!("{name} {degrees}°: depth {depth:.2e} m, direction {direction:.2e} rad");
            assert!(depth < 2e-6, "{name} {degrees}: {depth}");
            assert!(direction < 4e-3, "{name} {degrees}: {direction}");
        }
    }
}

/// Mean supports of a sphere of triangles and a capsule, with guesses 15° off [Gao23 §IV-C].
fn mean_supports(sphere: &ConvexShape, shortcut: bool, reuse_portal: bool) -> f64 {
    let capsule = ConvexShape::capsule(0.5, 1.0);
    let options = IncrementalOptions { shortcut, reuse_portal, ..IncrementalOptions::default() };
    let (mut noise, mut supports, mut pairs) = (Noise(3), 0, 0_u32);
    while pairs < 300 {
        let pose = pose(&mut noise, 2.0);
        let (depth, direction) = capsules(1.0, [0.0, 1.0], &pose);
        if !(depth > 0.05 && depth < 0.9) {
            continue;
        }
        let guess = off(&mut noise, &direction, 15_f64.to_radians());
        supports += separated(sphere, &capsule, &pose, &guess, &options).supports;
        pairs += 1;
    }
    f64::from(supports) / f64::from(pairs)
}

#[test]
fn the_shortcut_halves_the_supports_as_in_figure_seven_of_the_paper() {
    for frequency in [2, 4, 8] {
        let sphere = icosphere(frequency);
        let [both, neither] = [true, false].map(|either| mean_supports(&sphere, either, either));
        let [only_shortcut, only_reuse] =
            [true, false].map(|shortcut| mean_supports(&sphere, shortcut, !shortcut));
        println!(
            "frequency {frequency}: {both} both, {only_shortcut} shortcut, {only_reuse} reuse, {neither}"
        );
        assert!(both < 0.55 * only_reuse, "{both} {only_reuse}");
        assert!(only_shortcut < 0.8 * neither, "{only_shortcut} {neither}");
        assert!(both < 0.65 * only_shortcut, "{both} {only_shortcut}");
    }
}

#[test]
fn a_portal_reused_for_the_next_ray_halves_the_supports_of_a_pair_of_spheres_of_triangles() {
    for frequency in [2, 4, 8] {
        let sphere = icosphere(frequency);
        let supports = [true, false].map(|reuse_portal| {
            let options = IncrementalOptions { reuse_portal, ..IncrementalOptions::default() };
            let mut noise = Noise(3);
            let pair = |_| {
                let pose = pose(&mut noise, 0.9);
                let guess =
                    off(&mut noise, &Unit::new_normalize(-pose.translation.vector), 15_f64.to_radians());
                separated(&sphere, &sphere, &pose, &guess, &options).supports
            };
            f64::from((0..200).map(pair).sum::<u32>()) / 200.0
        });
        println!("frequency {frequency}: {supports:?}");
        assert!(supports[0] < 0.55 * supports[1], "{supports:?}");
    }
}

/// The depth of two unit cubes by their fifteen separating axes.
fn cubes(pose_b: &Isometry3<f64>) -> (f64, Vector3<f64>) {
    let rotation = pose_b.rotation.to_rotation_matrix();
    let axes_b: [Vector3<f64>; 3] = std::array::from_fn(|i| rotation.matrix().column(i).into_owned());
    let axes_a: [Vector3<f64>; 3] = std::array::from_fn(|i| Vector3::ith(i, 1.0));
    let edges = axes_a.iter().flat_map(|a| axes_b.iter().map(|b| a.cross(b)));
    let candidates = axes_a.into_iter().chain(axes_b).chain(edges.filter(|axis| axis.norm() > 1e-6));
    let overlap = |axis: Vector3<f64>| {
        let reach: f64 = axes_a.iter().chain(&axes_b).map(|side| 0.5 * axis.dot(side).abs()).sum();
        let along = axis.dot(&pose_b.translation.vector);
        (reach - along.abs(), -axis * along.signum())
    };
    candidates.map(|axis| overlap(axis.normalize())).min_by(|p, q| p.0.total_cmp(&q.0)).expect("axes")
}

#[test]
fn a_guess_fifteen_degrees_off_gives_some_pairs_of_cubes_a_wrong_depth_but_never_too_small_a_one() {
    let cube = ConvexShape::cuboid(Vector3::repeat(1.0));
    let (mut noise, mut wrong, mut pairs) = (Noise(5), 0, 0);
    while pairs < PAIRS {
        let pose = pose(&mut noise, 1.5);
        let (depth, direction) = cubes(&pose);
        if !(depth > 0.0) {
            continue;
        }
        let guess = off(&mut noise, &Unit::new_normalize(direction), 15_f64.to_radians());
        let found = separated(&cube, &cube, &pose, &guess, &IncrementalOptions::default());
        assert!(found.depth > depth - 1e-12, "{} {depth}", found.depth);
        wrong += usize::from(found.depth > depth + 1e-4);
        pairs += 1;
    }

    assert!(wrong * 100 > pairs && wrong * 10 < pairs, "{wrong}");
}

#[test]
fn moved_by_the_answer_the_shapes_are_free_and_the_witnesses_meet_the_same_plane() {
    let (a, b) = (ConvexShape::cylinder(0.4, 1.0), ConvexShape::cone(0.5, 1.0).rounded(0.1));
    let mut noise = Noise(11);
    for _ in 0..200 {
        let [pose_a, pose_b] = [pose(&mut noise, 0.3), pose(&mut noise, 0.3)];
        let guess = direction(&mut noise).into_inner();
        let options = IncrementalOptions::default();
        let found = incremental(&a, &pose_a, &b, &pose_b, &guess, &options).expect("found").expect("overlap");
        let [on_a, on_b] = found.witnesses;
        assert!(((on_b - on_a).dot(&found.direction) - found.depth).abs() < 1e-12);
        let by = found.direction.into_inner() * (found.depth * (1.0 + 1e-9));
        let moved = nalgebra::Translation3::from(by) * pose_a;
        let free = incremental(&a, &moved, &b, &pose_b, &by, &options);
        assert!(matches!(free, Ok(None)), "{free:?}");
    }
}

#[test]
fn a_guess_opposite_to_the_best_direction_or_on_a_vertex_still_ends_free() {
    let cube = ConvexShape::cuboid(Vector3::repeat(1.0));
    let pose = Isometry3::translation(0.0, 0.0, 0.8);
    for guess in
        [Vector3::z(), Vector3::repeat(1.0), Vector3::new(1.0, 1.0, 0.0), Vector3::x(), -Vector3::z()]
    {
        let found = separated(&cube, &cube, &pose, &guess, &IncrementalOptions::default());
        assert!(found.converged && found.depth > 0.2 - 1e-12 && found.depth < 1.8 + 1e-12, "{found:?}");
    }
    // From the corner of two coincident cubes to one of their faces.
    let found = separated(
        &cube,
        &cube,
        &Isometry3::identity(),
        &Vector3::repeat(1.0),
        &IncrementalOptions::default(),
    );
    assert!((found.depth - 1.0).abs() < 1e-12, "{found:?}");
}

#[test]
fn apart_is_none_and_touching_is_zero_and_neither_is_an_error() {
    let cube = ConvexShape::cuboid(Vector3::repeat(1.0));
    let options = IncrementalOptions::default();
    let query = |pose: &Isometry3<f64>, guess: &Vector3<f64>| {
        incremental(&cube, &Isometry3::identity(), &cube, pose, guess, &options)
    };
    let is_free = |answer: &Result<Option<IncrementalPenetration>, PenetrationError>| match answer {
        Ok(None) => true,
        Ok(Some(touching)) => touching.depth < 1e-12,
        Err(_) => false,
    };
    let mut noise = Noise(13);
    for _ in 0..500 {
        // Away from the other cube: towards it, the answer may be on its far side.
        let any = direction(&mut noise).into_inner();
        let guess = if any.y < 0.0 { any } else { -any };
        let touching = query(&Isometry3::translation(0.25, 1.0, -0.25), &guess);
        assert!(is_free(&touching), "{touching:?}");
        for (gap, rotated) in [(1e-9, UnitQuaternion::identity()), (0.8, rotation(&mut noise))] {
            let apart =
                query(&Isometry3::from_parts(Vector3::new(0.3, 1.0 + gap, -0.2).into(), rotated), &guess);
            assert!(is_free(&apart), "{gap}: {apart:?}");
        }
    }
}

#[test]
fn flat_and_thin_shapes_are_answered_like_others() {
    let points = |size: [f64; 3]| {
        let corners = (0..8).map(|i| {
            let [x, y, z] =
                std::array::from_fn(|axis| if i >> axis & 1 == 1 { size[axis] } else { -size[axis] });
            Point3::new(x, y, z)
        });
        ConvexShape::hull(Arc::new(ConvexHull::new(&corners.collect::<Vec<_>>()).expect("points")))
    };
    let mut noise = Noise(17);
    for size in [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 1e-9], [1.0, 1e-9, 1e-9]] {
        let (a, b) = (points(size), points([0.5, 0.5, 0.5]));
        for _ in 0..100 {
            let pose = pose(&mut noise, 0.3);
            let found = separated(&a, &b, &pose, &direction(&mut noise), &IncrementalOptions::default());
            assert!(found.converged && found.depth > 0.19 && found.depth < 3.0, "{size:?} {found:?}");
        }
    }
    let plate = points([1.0, 1.0, 0.0]);
    for guess in [Vector3::z(), Vector3::new(0.3, 0.2, 1.0)] {
        let same = separated(&plate, &plate, &Isometry3::identity(), &guess, &IncrementalOptions::default());
        assert!(same.depth < 1e-12, "{same:?}");
    }
}

#[test]
fn half_spaces_and_numbers_that_are_not_finite_are_errors() {
    let (ball, ground) = (ConvexShape::sphere(1.0), ConvexShape::half_space());
    let here = Isometry3::identity();
    let query = |b: &ConvexShape, pose: &Isometry3<f64>, guess: Vector3<f64>| {
        incremental(&ball, &here, b, pose, &guess, &IncrementalOptions::default()).expect_err("no answer")
    };
    assert_eq!(query(&ground, &here, Vector3::x()), PenetrationError::Unbounded);
    assert_eq!(query(&ball, &here, Vector3::zeros()), ProximityError::NotFinite.into());
    assert_eq!(
        query(&ball, &Isometry3::translation(f64::NAN, 0.0, 0.0), Vector3::x()),
        ProximityError::NotFinite.into()
    );
    assert_eq!(query(&ball, &here, Vector3::repeat(f64::NAN)), ProximityError::NotFinite.into());
}
