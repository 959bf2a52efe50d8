//! Closed forms, promises and degenerate starts.

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::chart::LocalChart;
use super::limbs::Limbs;
use super::rows::ContactRow;
use super::workspace::Frames;
use super::*;
use crate::geometry::Solidity;
use crate::geometry::convex::shape::ConvexShape;
use crate::geometry::procedural::{Cuboid, Procedural};
use crate::kinematics::articulation::Mimic;
use crate::kinematics::articulation::joint::{Joint, JointKind};
use crate::kinematics::articulation::tree::Articulation;
use crate::kinematics::error::RobotError;
use crate::penetration::object_norm::{Extent, ObjectNorm};
use crate::penetration::translational::options::{Effort, TranslationalOptions};
use crate::penetration::translational::query::penetration;
use crate::proximity::articulated::link_pairs::AllowedCollisions;
use crate::proximity::collision::collide;
use crate::proximity::error::ProximityError;
use crate::proximity::model::Model;

/// d/l and σ/l² of two line sticks, V = 2l [Tang14 eq. 32]: minimised numerically, `two_link.csv` of the ground truth.
const TWO_LINK: [[f64; 2]; 19] = [
    [1.0, 0.309_679_891_072],
    [1.05, 0.293_259_797_794],
    [1.1, 0.276_951_189_89],
    [1.15, 0.260_751_544_865],
    [1.2, 0.244_658_442_041],
    [1.25, 0.228_669_556_557],
    [1.3, 0.212_782_653_83],
    [1.35, 0.196_995_584_445],
    [1.4, 0.181_306_279_418],
    [1.45, 0.165_712_745_818],
    [1.5, 0.150_213_062_685],
    [1.55, 0.134_805_377_257],
    [1.6, 0.119_487_901_439],
    [1.65, 0.104_258_908_524],
    [1.7, 0.089_116_730_132_5],
    [1.75, 0.074_059_753_342_7],
    [1.8, 0.059_086_418_019_3],
    [1.85, 0.044_195_214_303_5],
    [1.9, 0.029_384_680_262_6],
];

fn here() -> Isometry3<f64> {
    Isometry3::identity()
}

pub(super) fn hinge(name: &str, parent: &str, child: &str, x: f64) -> Joint {
    Joint::new(name, parent, child, JointKind::Revolute { axis: Vector3::z() })
        .at(Isometry3::translation(x, 0.0, 0.0))
}

/// Two sticks of length `l` along x, hinged at the origin and where they meet.
fn two_link(l: f64) -> Articulation {
    let links = ["ground", "upper", "lower"].map(String::from).to_vec();
    let hinges = vec![hinge("shoulder", "ground", "upper", 0.0), hinge("elbow", "upper", "lower", l)];
    Articulation::new(links, hinges).unwrap()
}

/// Everything at x ≥ d.
pub(super) fn wall(d: f64) -> Obstacle {
    let rotation = UnitQuaternion::rotation_between(&Vector3::z(), &-Vector3::x()).unwrap();
    let pose = Isometry3::from_parts(Vector3::new(d, 0.0, 0.0).into(), rotation);
    Obstacle { shape: Shape::convex(ConvexShape::half_space()), pose }
}

pub(super) fn joints(values: &[f64]) -> Vec<Pose> {
    vec![Pose { base: here(), joints: values.to_vec() }]
}

/// σ/l² of the optimum: the minimum (8 s₁² + s₂²)·4/6 with s = sin(θ/2) on cos θ₁ + cos(θ₁ + θ₂) = d, by bisection of a fine
/// scan over θ₁.
fn two_link_optimum(d: f64) -> f64 {
    let sigma = |first: f64| {
        let second = (d - first.cos()).clamp(-1.0, 1.0).acos() - first;
        let square = |angle: f64| 4.0 * (0.5 * angle).sin().powi(2);
        (square(first) * 8.0 / 3.0 + square(second) / 3.0) / 2.0
    };
    let mut best = (0.0, f64::INFINITY);
    let (mut middle, mut width) = (0.0, 1.5);
    for _ in 0..12 {
        for step in -200..=200 {
            let first = middle + width * f64::from(step) / 200.0;
            if (d - first.cos()).abs() <= 1.0 && sigma(first) < best.1 {
                best = (first, sigma(first));
            }
        }
        (middle, width) = (best.0, width * 0.1);
    }
    best.1
}

fn line_sticks(l: f64, d: f64) -> CollisionWorld {
    let articulation = two_link(l);
    let stick = Extent::of_stick(&Point3::origin(), &Point3::new(l, 0.0, 0.0)).unwrap();
    let norm = ObjectNorm::new(&articulation, vec![None, Some(stick), Some(stick)]).unwrap();
    let rotation = UnitQuaternion::rotation_between(&Vector3::z(), &Vector3::x()).unwrap();
    let middle = Isometry3::from_parts(Vector3::new(0.5 * l, 0.0, 0.0).into(), rotation);
    let shape = || Some(Shape::of_pieces(vec![(ConvexShape::capsule(0.0, l), middle)]));
    let mut allowed = AllowedCollisions::default();
    allowed.allow(1, 2);
    let movable = MovableModel::with_norm(norm, vec![None, shape(), shape()], allowed, Base::Fixed);
    CollisionWorld::new(vec![movable], vec![wall(d * l)]).unwrap()
}

#[test]
fn two_line_sticks_reach_the_closed_form_from_their_singular_rest() {
    for [d, best] in TWO_LINK {
        assert!((two_link_optimum(d) - best).abs() < 1e-9, "{d}: {best}");
        for l in [1e-3, 1.0, 1e3] {
            let found = line_sticks(l, d).penetration(&joints(&[0.0, 0.0]), &GeneralizedOptions::default());
            let found = found.unwrap().unwrap();
            assert!((found.sigma / (l * l) - best).abs() < 1e-6, "{d} {l}: {} {best}", found.sigma / (l * l));
        }
    }
}

/// Two square bars of a thickness.
pub(super) fn bars(l: f64, thickness: f64) -> MovableModel {
    bars_of(two_link(l), l, thickness)
}

/// The same with the joints of an articulation.
pub(super) fn bars_of(articulation: Articulation, l: f64, thickness: f64) -> MovableModel {
    let mesh = Cuboid { x: l, y: thickness, z: thickness, ..Cuboid::default() }.mesh().unwrap();
    let mesh = mesh.transformed(&Isometry3::translation(0.5 * l, 0.0, 0.0));
    let shape = || Some(Shape::of_model(Model::new(mesh.clone(), Solidity::Solid)));
    let mut allowed = AllowedCollisions::default();
    allowed.allow(1, 2);
    MovableModel::new(articulation, vec![None, shape(), shape()], allowed, Base::Fixed).unwrap()
}

#[test]
fn thick_sticks_converge_to_line_sticks() {
    let mut last = f64::INFINITY;
    for thickness in [0.1, 0.01, 0.001] {
        let collision_world = CollisionWorld::new(vec![bars(1.0, thickness)], vec![wall(1.2)]).unwrap();
        let found = collision_world.penetration(&joints(&[0.0, 0.0]), &GeneralizedOptions::default());
        let off = (found.unwrap().unwrap().sigma - two_link_optimum(1.2)).abs();
        assert!(off < 2.0 * thickness && off < 0.5 * last, "{thickness}: {off}");
        last = off;
    }
}

#[test]
fn starts_move_a_limb_and_leave_the_rest() {
    let collision_world = CollisionWorld::new(vec![bars(1.0, 0.1)], vec![wall(1.5)]).unwrap();
    let chart = LocalChart::new(&collision_world, &joints(&[0.0, 0.0]));
    let limbs = Limbs::new(&collision_world, &chart);
    // All that is less than the whole is the forearm. A better place for it is within the ball of its own part of σ.
    let point = [0.5, 0.3];
    for index in 0..40 {
        let start = limbs.start(&chart, &point, [0, index]).unwrap();
        let moved = (start[1] - point[1]).abs();
        assert!(
            (start[0] - point[0]).abs() < 1e-15 && moved > 1e-9 && start[1].abs() <= point[1],
            "{start:?}"
        );
        assert_eq!(start[1] == 0.0, index % 4 == 0, "{start:?}");
    }
    assert!(limbs.start(&chart, &[0.5, 0.0], [0, 1]).is_none());
    // The forearm reaches into the wall: it moves, alone or with all that carries it.
    let (mut alone, mut both) = (0, 0);
    for index in 0..40 {
        let start =
            limbs.start_of_colliding((&collision_world, &chart), &[0.0, 0.0], 0.2, [0, index]).unwrap();
        assert!(
            start[1] != 0.0 && start.iter().map(|y| y * y).sum::<f64>() <= 0.04 * (1.0 + 1e-12),
            "{start:?}"
        );
        *if start[0] == 0.0 { &mut alone } else { &mut both } += 1;
    }
    assert!(alone > 10 && both > 10, "{alone} {both}");
    let apart = chart.point(&collision_world, &joints(&[0.0, 2.0]));
    assert!(limbs.start_of_colliding((&collision_world, &chart), &apart, 0.2, [0, 0]).is_none());
}

/// A cube of an edge, as a solid mesh.
pub(super) fn cube(edge: f64) -> Shape {
    let mesh = Cuboid { x: edge, y: edge, z: edge, ..Cuboid::default() }.mesh().unwrap();
    Shape::of_model(Model::new(mesh, Solidity::Solid))
}

/// The bars among three cubes in a unit of length, everything moved by a motion.
fn among_cubes(unit: f64, motion: &Isometry3<f64>) -> (CollisionWorld, Isometry3<f64>) {
    let at = |x: f64, y: f64| Obstacle {
        shape: cube(0.3 * unit),
        pose: motion * Isometry3::translation(x * unit, y * unit, 0.05 * unit),
    };
    let obstacles = vec![at(1.4, 0.2), at(0.6, -0.25), at(1.1, 0.8)];
    (CollisionWorld::new(vec![bars(unit, 0.1 * unit)], obstacles).unwrap(), *motion)
}

/// Configurations of the bars, half of which collide.
fn configurations() -> impl Iterator<Item = [f64; 2]> {
    (0..24).map(|i| [0.37 * f64::from(i % 6) - 0.9, 0.61 * f64::from(i / 6) - 0.8])
}

#[test]
fn an_answer_is_none_exactly_where_the_models_are_free_and_else_touches() {
    let (collision_world, _) = among_cubes(1.0, &here());
    let mut repaired = 0;
    for q in configurations() {
        let collides = |q: &[f64]| {
            let poses = collision_world.body_poses(&joints(q)).unwrap();
            collision_world.pairs.iter().any(|pair| {
                let [a, b] = pair.bodies.map(|body| body as usize);
                let model = |body: usize| collision_world.bodies[body].model.as_ref().unwrap();
                collide(model(a), &poses[a], model(b), &poses[b])
            })
        };
        for effort in [Effort::Fast, Effort::Best] {
            let options = GeneralizedOptions { effort, ..GeneralizedOptions::default() };
            let found = collision_world.penetration(&joints(&q), &options).unwrap();
            assert_eq!(found.is_some(), collides(&q), "{q:?}");
            assert_eq!(collision_world.is_free(&joints(&q), 0.0).unwrap(), found.is_none());
            assert_eq!(collision_world.colliding(&joints(&q)).unwrap().is_empty(), found.is_none());
            let Some(found) = found else { continue };
            assert!(found.sigma > 0.0 && found.verified_free && found.limits_kept && found.clearance > 0.0);
            assert!(!collides(&found.poses[0].joints), "{q:?}");
            let back = |at: usize| q[at] + 0.99 * (found.poses[0].joints[at] - q[at]);
            assert!(collides(&[back(0), back(1)]), "{q:?}");
            repaired += 1;
        }
    }
    assert!(repaired >= 16, "{repaired}");
}

#[test]
fn best_effort_finds_what_a_scan_of_all_configurations_finds() {
    let (collision_world, _) = among_cubes(1.0, &here());
    for q in configurations().step_by(5) {
        let Ok(Some(found)) = collision_world.penetration(&joints(&q), &GeneralizedOptions::default()) else {
            continue;
        };
        let metric = collision_world.movables[0].norm().at(&q, &here()).unwrap();
        let mut scanned = f64::INFINITY;
        let steps = 120;
        for (i, k) in (-steps..=steps).flat_map(|i| (-steps..=steps).map(move |k| (i, k))) {
            let q = [q[0] + 0.01 * f64::from(i), q[1] + 0.02 * f64::from(k)];
            let sigma = metric.sigma(&q, &here());
            if sigma < scanned && collision_world.is_free(&joints(&q), 0.0).unwrap() {
                scanned = sigma;
            }
        }
        assert!(found.sigma <= scanned * (1.0 + 1e-6), "{q:?}: {} {scanned}", found.sigma);
    }
}

#[test]
fn units_and_rigid_motions_of_everything_do_not_matter() {
    let motion =
        |unit: f64| Isometry3::new(Vector3::new(3.0, -2.0, 1.0) * unit, Vector3::new(0.3, -1.2, 0.8));
    for q in configurations() {
        let asked = |unit: f64, motion: Isometry3<f64>| {
            let (collision_world, base) = among_cubes(unit, &motion);
            let start = [Pose { base, joints: q.to_vec() }];
            collision_world.penetration(&start, &GeneralizedOptions::default()).unwrap()
        };
        let Some(expected) = asked(1.0, here()) else { continue };
        for unit in [1e-3, 1.0, 1e3] {
            for motion in [here(), motion(unit)] {
                let depth = asked(unit, motion).unwrap().depth / unit;
                assert!((depth - expected.depth).abs() < 1e-5 * expected.depth, "{q:?} {unit}: {depth}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (collision_world, _) = among_cubes(1.0, &here());
    let start = joints(&[-0.16, 0.42]);
    let alone = GeneralizedOptions { parallel: false, ..GeneralizedOptions::default() };
    let expected = collision_world.penetration(&start, &alone).unwrap();
    assert!(expected.is_some());
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| collision_world.penetration(&start, &GeneralizedOptions::default()));
        assert_eq!(found.unwrap(), expected);
    }
}

#[test]
fn a_joint_that_is_fixed_does_not_move_and_one_that_is_dear_moves_less() {
    let start = joints(&[0.05, 0.1]);
    let asked = |prepare: &dyn Fn(&mut MovableModel)| {
        let mut movable = bars(1.0, 0.05);
        prepare(&mut movable);
        let collision_world = CollisionWorld::new(vec![movable], vec![wall(1.7)]).unwrap();
        collision_world.penetration(&start, &GeneralizedOptions::default()).unwrap().unwrap()
    };
    let change =
        |found: &GeneralizedPenetration, at: usize| (found.poses[0].joints[at] - start[0].joints[at]).abs();
    let free = asked(&|_| {});
    let fixed = asked(&|movable| movable.fix("elbow").unwrap());
    assert!(change(&fixed, 1) <= 0.0 && change(&fixed, 0) > change(&free, 0));
    assert!(fixed.sigma > free.sigma);
    let dear = asked(&|movable| movable.weigh("elbow", 50.0).unwrap());
    assert!(change(&dear, 1) < 0.9 * change(&free, 1) && dear.sigma > free.sigma);
}

#[test]
fn a_limit_is_kept_and_a_clearance_reached() {
    let mut articulation = two_link(1.0);
    let mut hinges = articulation.joints().to_vec();
    hinges[1].limits = Some([-0.3, 0.3]);
    articulation = Articulation::new(articulation.links().to_vec(), hinges).unwrap();
    let plain = bars(1.0, 0.05);
    let allowed = plain.allowed().clone();
    let movable = MovableModel::new(articulation, plain.shapes().to_vec(), allowed, Base::Fixed).unwrap();
    let collision_world = CollisionWorld::new(vec![movable], vec![wall(1.5)]).unwrap();
    let options = GeneralizedOptions { clearance: 0.01, ..GeneralizedOptions::default() };
    let found = collision_world.penetration(&joints(&[0.1, 0.1]), &options).unwrap().unwrap();
    assert!(found.poses[0].joints[1].abs() <= 0.3 && found.limits_kept);
    assert!((found.clearance - 0.01).abs() < 1e-5, "{}", found.clearance);
    let tight = GeneralizedOptions { max_move: Some(0.5 * found.depth), ..options };
    let refused = collision_world.penetration(&joints(&[0.1, 0.1]), &tight);
    assert!(matches!(refused, Err(GeneralizedError::TooFar { .. })));
}

#[test]
fn two_floating_cubes_divide_the_displacement_by_their_volumes() {
    for (edge, fraction) in [(1.0, 0.5), (2.0, 1.0 / 9.0)] {
        // Alone or with another one as heavy: a cube of edge 2 has 8 times the volume.
        let movables =
            vec![MovableModel::rigid(cube(1.0)).unwrap(), MovableModel::rigid(cube(edge)).unwrap()];
        let collision_world = CollisionWorld::new(movables, Vec::new()).unwrap();
        let apart = 0.5 * (1.0 + edge);
        let start = [here().into(), Isometry3::translation(apart - 0.1, 0.0, 0.0).into()];
        let found = collision_world.penetration(&start, &GeneralizedOptions::default()).unwrap().unwrap();
        let moved = found.poses[1].base.translation.x - (apart - 0.1);
        assert!((moved - 0.1 * fraction).abs() < 1e-4, "{edge}: {moved}");
        // One part in v of 0.1 each: σ = m₁m₂/(m₁ + m₂)² · 0.01.
        let sigma = fraction * (1.0 - fraction) * 0.01;
        assert!((found.sigma - sigma).abs() < 1e-5, "{} {sigma}", found.sigma);
    }
}

#[test]
fn a_rigid_body_rotates_where_that_is_nearer_than_a_translation() {
    // Two bars that cross near the end of one: the translational answer shifts all of it.
    let mesh = Cuboid { x: 2.0, y: 0.2, z: 0.2, ..Cuboid::default() }.mesh().unwrap();
    let bar = Model::new(mesh, Solidity::Solid);
    for angle in [0.0, 0.2, 0.5, 1.0] {
        let pose = Isometry3::new(Vector3::new(0.9, 0.02, 0.1), Vector3::z() * (1.5 + angle));
        let movable = MovableModel::rigid(Shape::of_model(bar.clone())).unwrap();
        let obstacle = Obstacle { shape: Shape::of_model(bar.clone()), pose: here() };
        let collision_world = CollisionWorld::new(vec![movable], vec![obstacle]).unwrap();
        let found_by = |effort| {
            let options = GeneralizedOptions { effort, ..GeneralizedOptions::default() };
            let found = collision_world.penetration(&[pose.into()], &options).unwrap().unwrap();
            let options = TranslationalOptions { effort, ..TranslationalOptions::default() };
            let shifted = penetration(&bar, &pose, &bar, &here(), &options).unwrap().unwrap().depth;
            assert!(found.depth <= shifted * (1.0 + 1e-6), "{angle}: {} {shifted}", found.depth);
            found
        };
        found_by(Effort::Fast);
        let found = found_by(Effort::Best);
        let extent = collision_world.movables[0].norm().extents()[0].unwrap();
        let sigma = extent.squared(&pose, &found.poses[0].base);
        assert!(
            (sigma - found.sigma).abs() < 1e-12 && (sigma - found.mean_squared_displacement).abs() < 1e-12
        );
    }
}

#[test]
fn links_that_fold_into_each_other_are_unfolded() {
    let links = ["a", "b", "c"].map(String::from).to_vec();
    let chain =
        Articulation::new(links, vec![hinge("ab", "a", "b", 1.0), hinge("bc", "b", "c", 1.0)]).unwrap();
    let mesh = Cuboid { x: 1.0, y: 0.1, z: 0.1, ..Cuboid::default() }.mesh().unwrap();
    let mesh = mesh.transformed(&Isometry3::translation(0.5, 0.0, 0.0));
    let shape = || Some(Shape::of_model(Model::new(mesh.clone(), Solidity::Solid)));
    let mut allowed = AllowedCollisions::default();
    allowed.allow(0, 1);
    allowed.allow(1, 2);
    let movable = MovableModel::new(chain, vec![shape(), shape(), shape()], allowed, Base::Fixed).unwrap();
    let collision_world = CollisionWorld::new(vec![movable], Vec::new()).unwrap();
    let start = joints(&[2.0, 2.4]);
    let still = collision_world.colliding(&start).unwrap();
    assert_eq!(still[0].parts, [Part::Link { movable: 0, link: 0 }, Part::Link { movable: 0, link: 2 }]);
    let found = collision_world.penetration(&start, &GeneralizedOptions::fast()).unwrap().unwrap();
    assert!(found.verified_free && collision_world.is_free(&found.poses, 0.0).unwrap());
}

#[test]
fn bad_input_is_named() {
    let mut movable = bars(1.0, 0.1);
    assert!(
        matches!(movable.fix("wrist"), Err(GeneralizedError::Articulation(RobotError::UnknownJoint { joint, .. })) if joint == "wrist")
    );
    assert!(matches!(movable.weigh("elbow", 0.0), Err(GeneralizedError::Weight { .. })));
    let collision_world = CollisionWorld::new(vec![movable], vec![wall(1.5)]).unwrap();
    assert!(matches!(
        collision_world.is_free(&[], 0.0),
        Err(GeneralizedError::Proximity(ProximityError::Count { given: 0, expected: 1, .. }))
    ));
    assert!(matches!(collision_world.is_free(&joints(&[0.0]), 0.0), Err(GeneralizedError::Articulation(_))));
    let nan = [Isometry3::translation(f64::NAN, 0.0, 0.0).into()];
    let rigid = CollisionWorld::new(vec![MovableModel::rigid(cube(1.0)).unwrap()], vec![wall(0.0)]).unwrap();
    assert!(matches!(rigid.is_free(&nan, 0.0), Err(GeneralizedError::NotFinite { movable: 0 })));
    let options = GeneralizedOptions { clearance: f64::NAN, ..GeneralizedOptions::default() };
    let refused = rigid.penetration(&[here().into()], &options);
    assert!(matches!(
        refused,
        Err(GeneralizedError::Proximity(ProximityError::Option { option: "clearance", .. }))
    ));
    let flat = ConvexShape::cuboid(Vector3::new(1.0, 1.0, 0.0));
    let shapes = vec![None, Some(Shape::convex(flat)), None];
    let refused =
        MovableModel::new(two_link(1.0), shapes, AllowedCollisions::default(), Base::Fixed).unwrap_err();
    assert!(refused.to_string().contains("\"upper\""), "{refused}");
}

/// A prismatic and two revolute joints, one of which mimics the other, on a floating base.
fn mimicking() -> CollisionWorld {
    let slide = Joint::new("slide", "base", "cart", JointKind::Prismatic { axis: Vector3::y() });
    let mut follower = hinge("follower", "arm", "tip", 0.8);
    follower.mimic = Some(Mimic { joint: "lead".into(), factor: -1.7, offset: 0.2 });
    let lead = Joint::new("lead", "cart", "arm", JointKind::Revolute { axis: Vector3::new(0.2, 0.3, 1.0) });
    let links = ["base", "cart", "arm", "tip"].map(String::from).to_vec();
    let tree = Articulation::new(links, vec![slide, lead, follower]).unwrap();
    let shapes = vec![Some(cube(0.3)), None, Some(cube(0.2)), Some(cube(0.25))];
    let movable = MovableModel::new(tree, shapes, AllowedCollisions::default(), Base::Floating).unwrap();
    CollisionWorld::new(vec![movable], vec![wall(0.0)]).unwrap()
}

#[test]
fn rows_change_with_the_chart_as_finite_differences_say() {
    let collision_world = mimicking();
    let start =
        [Pose { base: Isometry3::new(Vector3::x(), Vector3::new(0.1, 0.5, -0.4)), joints: vec![0.3, -0.6] }];
    let chart = LocalChart::new(&collision_world, &start);
    assert_eq!(chart.dimension(), 8);
    let y: Vec<f64> = (0..8).map(|k| 0.05 * (f64::from(k) - 3.3)).collect();
    let (mut frames, mut moved) = (Frames::default(), Frames::default());
    chart.place(&collision_world, &y, &mut frames);
    let normal = nalgebra::Unit::new_normalize(Vector3::new(0.3, -0.5, 0.8));
    for bodies in [[0, 1], [1, 2], [2, 0], [2, 3], [0, 3]] {
        // The points of a row lie along its normal: a rotation of both bodies together then changes nothing.
        let own_a = Point3::new(0.1, 0.2, -0.3);
        let in_world = frames.bodies[bodies[0] as usize] * own_a - normal.into_inner() * 0.1;
        let own = [own_a, frames.bodies[bodies[1] as usize].inverse_transform_point(&in_world)];
        let place = |frames: &Frames| -> [Point3<f64>; 2] {
            std::array::from_fn(|side| frames.bodies[bodies[side] as usize] * own[side])
        };
        let row = ContactRow { bodies, gap: 0.0, normal, points: place(&frames) };
        let mut derivative = vec![0.0; 8];
        chart.differentiate(&collision_world, &frames, &row, &mut derivative);
        for k in 0..8 {
            let step = 1e-6;
            let mut gaps = [0.0; 2];
            for (gap, sign) in gaps.iter_mut().zip([1.0, -1.0]) {
                let mut other = y.clone();
                other[k] += sign * step;
                chart.place(&collision_world, &other, &mut moved);
                let [a, b] = place(&moved);
                *gap = normal.dot(&(a - b));
            }
            let difference = (gaps[0] - gaps[1]) / (2.0 * step);
            assert!((difference - derivative[k]).abs() < 1e-7 * (1.0 + difference.abs()), "{bodies:?} {k}");
        }
    }
}

#[test]
fn the_square_of_the_chart_is_the_object_norm_and_points_are_found_again() {
    let collision_world = mimicking();
    let start =
        [Pose { base: Isometry3::new(Vector3::x(), Vector3::new(0.1, 0.5, -0.4)), joints: vec![0.3, -0.6] }];
    let chart = LocalChart::new(&collision_world, &start);
    let y: Vec<f64> = (0..8).map(|k| 0.04 * (f64::from(k) - 3.3)).collect();
    let poses = chart.poses(&collision_world, &y);
    let again = chart.point(&collision_world, &poses);
    assert!(y.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-12), "{again:?}");
    let metric = collision_world.movables[0].norm().at(&start[0].joints, &start[0].base).unwrap();
    // The joint that mimics makes the chart's square exact to second order only.
    let without = |y: &[f64]| y.iter().map(|x| x * x).sum::<f64>();
    let sigma = metric.sigma(&poses[0].joints, &poses[0].base);
    assert!((sigma - without(&y)).abs() < 0.05 * sigma, "{sigma} {}", without(&y));
    let base = metric.sigma_of_base(&poses[0].base);
    assert!((base - without(&y[..6])).abs() < 1e-12);
}

#[test]
fn an_answer_is_remembered_and_leads_the_next_one() {
    let (collision_world, _) = among_cubes(1.0, &here());
    let mut coherence = GeneralizedCoherence::default();
    let options = GeneralizedOptions::fast();
    let start = joints(&[-0.16, 0.42]);
    let only = GeneralizedOptions { start: Some(GeneralizedStart::MotionCoherence), ..options.clone() };
    assert!(matches!(collision_world.penetration(&start, &only), Err(GeneralizedError::NothingRemembered)));
    let first = collision_world.penetration_coherent(&start, &options, &mut coherence).unwrap().unwrap();
    assert_eq!(coherence.free(), std::slice::from_ref(&first.poses));
    let next = joints(&[-0.15, 0.43]);
    let second = collision_world.penetration_coherent(&next, &only, &mut coherence).unwrap().unwrap();
    assert!((second.depth - first.depth).abs() < 0.1, "{} {}", first.depth, second.depth);
}

#[test]
fn a_shape_without_volume_of_its_own_weighs_nothing_but_moves() {
    // The axis of a ball's hinge runs through its middle: a round link hardly weighs anything about it.
    let tree =
        Articulation::new(vec!["ground".into(), "pin".into()], vec![hinge("pin", "ground", "pin", 0.0)]);
    let pin = Shape::convex(ConvexShape::sphere(0.1));
    let movable =
        MovableModel::new(tree.unwrap(), vec![None, Some(pin)], AllowedCollisions::default(), Base::Fixed);
    let collision_world = CollisionWorld::new(vec![movable.unwrap()], vec![wall(0.05)]).unwrap();
    let failed = collision_world.penetration(&joints(&[0.0]), &GeneralizedOptions::fast());
    assert!(matches!(failed, Err(GeneralizedError::NotFound { .. })));
}

#[test]
fn a_start_that_is_asked_for_alone_finds_the_answer_or_fails_and_is_named() {
    let (collision_world, _) = among_cubes(1.0, &here());
    let input = joints(&[-0.16, 0.42]);
    let alone = |start: GeneralizedStart| {
        let options = GeneralizedOptions { start: Some(start), ..GeneralizedOptions::fast() };
        collision_world.penetration(&input, &options)
    };
    let found = alone(GeneralizedStart::Direct).unwrap().expect("it collides");
    assert_eq!(found.source, GeneralizedSource::Direct);
    // The translation of one rigid body out of another one is not a start for a robot on a fixed base.
    let refused = alone(GeneralizedStart::Translational).unwrap_err();
    assert!(
        matches!(refused, GeneralizedError::StartFailed { start: GeneralizedSource::Translational }),
        "{refused}"
    );
    assert!(refused.to_string().contains("`translational`"), "{refused}");
    let mut coherence = GeneralizedCoherence::default();
    coherence.remember(&found.poses);
    let only =
        GeneralizedOptions { start: Some(GeneralizedStart::MotionCoherence), ..GeneralizedOptions::fast() };
    let again = collision_world.penetration_coherent(&input, &only, &mut coherence).unwrap().unwrap();
    assert_eq!(again.source, GeneralizedSource::MotionCoherence);
}
