//! The proved lower bound of the penetration depth: below exact depths, tight where it should be, and true along
//! every direction.

use extricate_test_support::Noise;
use std::f64::consts::PI;

use extricate::geometry::procedural::{
    BumpySphere, Cuboid, Cup, Grate, LShape, Procedural, Sphere, Torus, TorusKnot,
};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::penetration::{
    Effort, LowerBound, MotionCoherence, Penetration, TranslationalOptions, penetration, penetration_coherent,
};
use extricate::proximity::{Model, collide};
use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, Vector3};

const COVER: LowerBound = LowerBound::Cover { evaluations: 2000 };

fn solid(mesh: TriangleMesh) -> Model {
    Model::new(mesh, Solidity::Solid)
}

fn mesh(shape: &impl Procedural) -> TriangleMesh {
    shape.mesh().expect("valid parameters")
}

fn cube(size: f64) -> TriangleMesh {
    mesh(&Cuboid { x: size, y: size, z: size, subdivisions: 1 })
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn found(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    lower_bound: LowerBound,
) -> Penetration {
    let options = TranslationalOptions { effort: Effort::Fast, lower_bound, ..Default::default() };
    penetration(a, pose_a, b, pose_b, &options).expect("free after the move").expect("they overlap")
}

/// Boxes with these minimum and maximum corners, as one mesh of overlapping or touching pieces.
fn boxes(corners: &[[[f64; 3]; 2]]) -> Model {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for corners in corners {
        let [min, max] = corners.map(Vector3::from);
        let size = max - min;
        let piece = mesh(&Cuboid { x: size.x, y: size.y, z: size.z, subdivisions: 1 });
        let first = vertices.len() as u32;
        vertices.extend(piece.vertices().iter().map(|p| p + 0.5 * (min + max)));
        triangles.extend(piece.triangles().iter().map(|t| t.map(|i| i + first)));
    }
    solid(TriangleMesh::new(vertices, triangles).expect("a mesh"))
}

#[test]
fn cubes_that_overlap_along_an_axis_are_proved_to_the_full_depth() {
    let model = solid(cube(1.0));
    for x in [0.2, 0.5, 0.8, 0.99, 1.0 - 1e-6] {
        for bound in [LowerBound::InnerBalls, COVER] {
            let found = found((&model, &at(x, 0.01, -0.02)), (&model, &at(0.0, 0.0, 0.0)), bound);
            assert!(found.lower_bound <= 1.0 - x, "{x} {found:?}");
            assert!(found.lower_bound >= 0.93 * (1.0 - x), "{x} {found:?}");
        }
    }
}

#[test]
fn spheres_are_proved_almost_to_the_full_depth() {
    let model = solid(mesh(&Sphere { radius: 1.0, frequency: 16 }));
    for x in [0.0, 0.1, 0.7, 1.5, 1.9] {
        let found =
            found((&model, &at(0.6 * x, 0.0, 0.8 * x)), (&model, &at(0.0, 0.0, 0.0)), LowerBound::InnerBalls);
        assert!(found.lower_bound <= 2.0 - x && found.lower_bound <= found.depth, "{x} {found:?}");
        assert!(found.lower_bound >= 0.95 * (2.0 - x), "{x} {found:?}");
    }
}

#[test]
fn a_cube_inside_a_cube_has_a_tight_lower_bound() {
    let (small, large) = (solid(cube(0.5)), solid(cube(2.0)));
    let found = found((&small, &at(0.0, 0.0, 0.0)), (&large, &at(0.0, 0.0, 0.0)), LowerBound::InnerBalls);
    assert!((found.depth - 1.25).abs() < 1e-9, "{found:?}");
    assert!(found.lower_bound <= 1.25 && found.lower_bound > 1.24, "{found:?}");
}

/// Exact depths of unions of convex pieces, computed by an independent program from the convex pieces of the
/// Minkowski difference: pose of A (rotation by rows, translation) with B at the identity.
type Exact = ([f64; 9], [f64; 3], f64);

#[rustfmt::skip]
const L_AND_BOX: [Exact; 3] = [
    ([-0.6912944280080471, -0.7223603227045089, 0.017537901449834192,
      0.6410989054099917, -0.6243627356734855, -0.44627723198078445,
      0.33332297743650496, -0.29726543439249403, 0.8947228924244115],
     [0.5699858677835967, -0.02952751043408428, 0.24403363193772623], 0.2097880603207971),
    ([0.8702206599994912, 0.48692941819887436, 0.07493827194802256,
      0.48315295012844395, -0.8732346684910257, 0.06343847828841886,
      0.09632875838622353, -0.018998827276296544, -0.9951682344558102],
     [0.07718145714376301, 0.010722858720858394, 0.16417100576834562], 0.422818542856237),
    ([-0.6090137441000261, -0.5267027305796058, -0.5930316122242182,
      0.6887446565162813, 0.019627287382634417, -0.7247382753175585,
      0.39336123044542404, -0.8498229246084074, 0.3508104034838124],
     [0.18854645132454081, 0.18035895780054848, 0.28522735741579075], 0.4348570785826373),
];

#[rustfmt::skip]
const U_AND_BAR: [Exact; 3] = [
    ([0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0],
     [0.1915217023059276, -0.00836631394446921, 0.4113155549502005], 0.13631555495020048),
    ([0.6572758947055553, -0.37794757776655274, -0.6520306945991174,
      0.7153482236242542, 0.04056440834925379, 0.6975897417056095,
      -0.23720311380046405, -0.9249379207469389, 0.29702613616935036],
     [0.06787884065569842, 0.20585475209783027, 0.36450138241788527], 0.21226356777982236),
    ([-0.905675803660063, -0.3756094172288397, -0.19664410581990746,
      -0.42040718633350244, 0.8556336713738136, 0.301908625399336,
      0.05485559537410348, 0.3561019321772632, -0.9328356112176319],
     [0.2728639172357572, 0.11852146984098949, -0.20081295577081004], 0.25525045832973076),
];

#[test]
fn unions_of_boxes_are_bounded_below_their_exact_depth() {
    let l = boxes(&[[[0.0, 0.0, 0.0], [1.0, 0.3, 0.3]], [[0.0, 0.3, 0.0], [0.3, 1.0, 0.3]]]);
    let block = boxes(&[[[-0.5, -0.4, -0.3], [0.5, 0.4, 0.3]]]);
    let u = boxes(&[
        [[-0.6, -0.5, -0.2], [0.6, -0.3, 0.2]],
        [[-0.6, -0.3, -0.2], [-0.4, 0.7, 0.2]],
        [[0.4, -0.3, -0.2], [0.6, 0.7, 0.2]],
    ]);
    let bar = boxes(&[[[-1.0, -0.125, -0.125], [1.0, 0.125, 0.125]]]);
    let cases = L_AND_BOX.map(|case| (&l, &block, case)).into_iter();
    for (a, b, (rotation, translation, exact)) in cases.chain(U_AND_BAR.map(|case| (&u, &bar, case))) {
        let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_row_slice(&rotation));
        let pose = Isometry3::from_parts(Vector3::from(translation).into(), rotation.into());
        // A search for a crossing counts as 64 evaluations.
        let cover = LowerBound::Cover { evaluations: 16_384 };
        for (bound, fraction) in [(LowerBound::InnerBalls, 0.5), (cover, 0.8)] {
            let found = found((a, &pose), (b, &Isometry3::identity()), bound);
            assert!(found.lower_bound <= exact + 1e-9, "{exact} {found:?}");
            assert!(found.lower_bound >= fraction * exact, "{exact} {found:?}");
        }
    }
}

fn models() -> Vec<Model> {
    let cup = Cup { wall: 0.02, floor: 0.02, segments: 24, rings: 8, ..Cup::default() };
    let knot = TorusKnot { segments: 72, sides: 6, ..TorusKnot::default() };
    vec![
        solid(mesh(&cup)),
        solid(mesh(&knot)),
        solid(mesh(&Grate::default())),
        solid(mesh(&Torus { segments: 24, sides: 8, ..Torus::default() })),
        solid(mesh(&LShape::default())),
        solid(mesh(&BumpySphere::default())),
    ]
}

#[test]
fn no_translation_shorter_than_the_bound_separates() {
    let (mut noise, models) = (Noise(11), models());
    let mut proved = 0;
    for round in 0..40 {
        let [a, b] = [round % models.len(), (round / 2) % models.len()].map(|i| &models[i]);
        let [pose_a, pose_b] = [noise.pose(0.4, PI), noise.pose(0.4, PI)];
        if !collide(a, &pose_a, b, &pose_b) {
            continue;
        }
        for bound in [LowerBound::InnerBalls, LowerBound::CROSSINGS, COVER] {
            let found = found((a, &pose_a), (b, &pose_b), bound);
            assert!(0.0 <= found.lower_bound && found.lower_bound <= found.depth, "{found:?}");
            for _ in 0..60 {
                let direction = noise.vector().normalize();
                let moved = Translation3::from(direction * (0.9999 * found.lower_bound)) * pose_a;
                assert!(collide(a, &moved, b, &pose_b), "{round} {direction} {found:?}");
            }
            proved += usize::from(found.lower_bound > 0.2 * found.depth);
        }
    }
    assert!(proved >= 20, "{proved}");
}

#[test]
fn the_bound_does_not_depend_on_the_order() {
    let (mut noise, models) = (Noise(12), models());
    for (i, a) in models.iter().enumerate() {
        let b = &models[(i + 1) % models.len()];
        let [pose_a, pose_b] = [noise.pose(0.2, PI), noise.pose(0.2, PI)];
        if collide(a, &pose_a, b, &pose_b) {
            let [x, y] = [
                found((a, &pose_a), (b, &pose_b), COVER).lower_bound,
                found((b, &pose_b), (a, &pose_a), COVER).lower_bound,
            ];
            assert!((x - y).abs() <= 1e-12, "{x} {y}");
        }
    }
}

#[test]
fn the_bound_does_not_depend_on_the_unit() {
    let (mut noise, shape) = (Noise(13), mesh(&TorusKnot { segments: 72, sides: 6, ..TorusKnot::default() }));
    let [pose_a, pose_b] = [noise.pose(0.3, PI), noise.pose(0.3, PI)];
    let in_unit = |scale: f64| {
        let model = solid(shape.scaled(&Vector3::repeat(scale)).expect("a scale"));
        let pose = |pose: &Isometry3<f64>| {
            Isometry3::from_parts((scale * pose.translation.vector).into(), pose.rotation)
        };
        found((&model, &pose(&pose_a)), (&model, &pose(&pose_b)), LowerBound::InnerBalls).lower_bound / scale
    };
    let expected = in_unit(1.0);
    assert!(expected > 0.0);
    for scale in [1e-3, 2.0_f64.powi(-20), 2.0_f64.powi(20), 1e3] {
        let bound = in_unit(scale);
        assert!((bound - expected).abs() <= 1e-6 * expected, "{scale} {bound} {expected}");
    }
}

#[test]
fn far_from_the_origin_the_bound_stays_below_the_depth() {
    let model = solid(cube(1.0));
    for far in [1e3, 1e6, 1e9] {
        for gap in [0.3, 0.9999] {
            // The value after rounding of the poses.
            let exact = 1.0 - ((far + gap) - far);
            let found = found(
                (&model, &at(far + gap, far, -far)),
                (&model, &at(far, far, -far)),
                LowerBound::InnerBalls,
            );
            assert!(found.lower_bound <= exact, "{far} {exact} {found:?}");
            let rounding = 1e-13 * far;
            assert!(found.lower_bound >= 0.9 * exact - rounding, "{far} {exact} {found:?}");
        }
    }
}

#[test]
fn touching_solids_are_bounded_by_next_to_nothing() {
    let model = solid(cube(1.0));
    let found = found((&model, &at(1.0, 0.2, 0.1)), (&model, &at(0.0, 0.0, 0.0)), LowerBound::InnerBalls);
    assert!(found.lower_bound <= 0.0, "{found:?}");
}

#[test]
fn by_balls_nothing_is_proved_of_a_surface_and_by_crossings_as_much_as_its_sides_allow() {
    let (surface, solid) = (Model::new(cube(1.0), Solidity::Surface), solid(cube(1.0)));
    for (a, b) in [(&surface, &solid), (&solid, &surface), (&surface, &surface)] {
        let of = |bound| found((a, &at(0.5, 0.1, 0.2)), (b, &at(0.0, 0.0, 0.0)), bound);
        assert!(of(LowerBound::InnerBalls).lower_bound <= 0.0);
        // The edges of the one pass the face of the other at 0.3 from its border.
        for bound in [LowerBound::CROSSINGS, COVER] {
            let found = of(bound);
            assert!(found.lower_bound > 0.2 && found.lower_bound <= found.depth, "{found:?}");
        }
    }
    let skipped = found((&solid, &at(0.5, 0.1, 0.2)), (&solid, &at(0.0, 0.0, 0.0)), LowerBound::Skip);
    assert!(skipped.lower_bound <= 0.0);
}

/// A flat square of side 2 about the origin, across the axis.
fn square(axis: usize) -> Model {
    let corner = |x: f64, y: f64| {
        let mut corner = nalgebra::Point3::origin();
        (corner[(axis + 1) % 3], corner[(axis + 2) % 3]) = (x, y);
        corner
    };
    let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    Model::new(TriangleMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).expect("a mesh"), Solidity::Surface)
}

#[test]
fn squares_that_cross_are_proved_to_nearly_the_exact_depth() {
    let (a, b) = (square(1), square(2));
    // The shortest exit is along z, or along y: a side of one leaves the face of the other.
    for (y, z) in [(0.0, 0.0), (0.3, -0.1), (-0.2, 0.7)] {
        let exact = (1.0 - f64::abs(y)).min(1.0 - f64::abs(z));
        let pose = at(0.05, y, z);
        for (bound, fraction) in [(LowerBound::CROSSINGS, 0.8), (COVER, 0.9)] {
            let found = found((&a, &pose), (&b, &at(0.0, 0.0, 0.0)), bound);
            assert!(found.lower_bound <= exact, "{y} {z} {found:?}");
            assert!(found.lower_bound >= fraction * exact, "{y} {z} {found:?}");
            assert!((found.depth - exact).abs() < 1e-6, "{y} {z} {found:?}");
        }
    }
}

#[test]
fn along_a_motion_the_bound_stays_below_the_exact_depth_and_near_it() {
    let (a, b, here) = (square(1), square(2), at(0.0, 0.0, 0.0));
    let options = TranslationalOptions {
        effort: Effort::Fast,
        lower_bound: LowerBound::CROSSINGS,
        ..Default::default()
    };
    let mut coherence = MotionCoherence::default();
    for step in 0..60 {
        let [y, z] = [0.01, -0.004].map(|speed| speed * f64::from(step));
        let exact = (1.0 - f64::abs(y)).min(1.0 - f64::abs(z));
        let pose = at(0.05, y, z);
        let found = penetration_coherent((&a, &pose), (&b, &here), &options, &mut coherence);
        let found = found.expect("free after the move").expect("they overlap");
        assert!(found.lower_bound <= exact, "{step} {found:?}");
        assert!(found.lower_bound >= 0.7 * exact, "{step} {exact} {found:?}");
    }
}

/// Surfaces that are open, thin or linked, in pairs with a pose of the first.
fn thin_pairs() -> Vec<(Model, Model, Isometry3<f64>)> {
    let open = |mesh: &TriangleMesh, keep: &dyn Fn(nalgebra::Point3<f64>) -> bool| {
        let middle = |i: usize| nalgebra::center(&mesh.triangle(i)[0], &mesh.triangle(i)[1]);
        let kept = (0..mesh.triangles().len()).filter(|&i| keep(middle(i)));
        let triangles = kept.map(|i| mesh.triangles()[i]).collect();
        Model::new(TriangleMesh::new(mesh.vertices().to_vec(), triangles).expect("a mesh"), Solidity::Surface)
    };
    let torus = mesh(&Torus { segments: 36, sides: 12, ..Torus::default() });
    let sphere = mesh(&Sphere { radius: 1.0, frequency: 8 });
    let rotated = |x: f64, angle: f64| Isometry3::new(Vector3::new(x, 0.1, 0.05), Vector3::x() * angle);
    let band = |radius: f64| open(&torus, &|p| (p.x.hypot(p.y) - radius).abs() < 0.5 && p.z > 0.0);
    let bowl = || open(&sphere, &|p| p.z < 0.2);
    vec![
        (band(1.0), band(1.0), rotated(0.15, 0.5 * PI)),
        (bowl(), bowl(), rotated(0.5, 0.4)),
        (bowl(), band(1.0), rotated(0.3, 1.2)),
        (square(0), bowl(), rotated(-0.2, 0.3)),
    ]
}

#[test]
fn no_translation_shorter_than_the_bound_separates_open_and_linked_surfaces() {
    let (mut noise, mut tight) = (Noise(15), 0);
    for (number, (a, b, pose)) in thin_pairs().iter().enumerate() {
        let here = Isometry3::identity();
        for bound in [LowerBound::CROSSINGS, COVER] {
            let found = found((a, pose), (b, &here), bound);
            assert!(found.lower_bound > 0.0 && found.lower_bound <= found.depth, "{number} {found:?}");
            tight += u32::from(found.lower_bound > 0.5 * found.depth);
            for round in 0..400 {
                // Anywhere in the ball, most of them near its surface.
                let length = 0.9999 * (1.0 - f64::from(round % 4).powi(2) / 16.0) * found.lower_bound;
                let moved = Translation3::from(length * noise.vector().normalize()) * pose;
                assert!(collide(a, &moved, b, &here), "{number} {length} {found:?}");
            }
        }
    }
    assert!(tight >= 4, "{tight}");
}

#[test]
fn a_cover_finds_the_exit_that_a_fast_search_missed() {
    // A bar through a frame overlaps one of its sides: outwards it is free after 0.45, into the hole after 0.35.
    let frame = boxes(&[
        [[-3.0, -1.0, -0.1], [3.0, -0.8, 0.1]],
        [[-3.0, 0.8, -0.1], [3.0, 1.0, 0.1]],
        [[-3.0, -0.8, -0.1], [-2.8, 0.8, 0.1]],
        [[2.8, -0.8, -0.1], [3.0, 0.8, 0.1]],
    ]);
    let bar = boxes(&[[[-0.3, -0.3, -2.0], [0.3, 0.3, 2.0]]]);
    let pose = at(0.2, 0.85, 0.0);
    let outside = |lower_bound| {
        let options =
            TranslationalOptions { effort: Effort::Fast, gaps: false, lower_bound, ..Default::default() };
        let frame = (&frame, &at(0.0, 0.0, 0.0));
        penetration(&bar, &pose, frame.0, frame.1, &options)
            .expect("free after the move")
            .expect("they overlap")
    };
    let fast = outside(LowerBound::CROSSINGS);
    let covered = outside(LowerBound::Cover { evaluations: 20_000 });
    assert!((fast.depth - 0.45).abs() < 1e-6 && (covered.depth - 0.35).abs() < 1e-6, "{fast:?} {covered:?}");
    assert!(covered.lower_bound >= 0.8 * covered.depth, "{covered:?}");
}

#[test]
fn a_cover_only_raises_the_bound_and_more_evaluations_never_lower_it() {
    let (mut noise, models) = (Noise(14), models());
    let mut raised = 0;
    for model in &models {
        let [pose_a, pose_b] = [noise.pose(0.2, PI), noise.pose(0.2, PI)];
        if !collide(model, &pose_a, model, &pose_b) {
            continue;
        }
        let bound = |bound| found((model, &pose_a), (model, &pose_b), bound).lower_bound;
        let balls = bound(LowerBound::InnerBalls);
        let mut last = balls;
        for evaluations in [0, 10, 100, 300, 1000, 3000] {
            let next = bound(LowerBound::Cover { evaluations });
            assert!(next >= last, "{evaluations} {last} {next}");
            last = next;
        }
        raised += usize::from(last > 1.05 * balls);
    }
    assert!(raised >= 3, "{raised}");
}
