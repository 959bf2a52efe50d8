//! Constraints against finite differences and closed forms.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::chart::LocalChart;
use super::collision_world::CollisionWorld;
use super::constraint::{AxisMotion, Kept, Lock, PoseConstraint, RotationLock};
use super::constraint_frame::{ConstraintEnd, ConstraintFrame};
use super::error::GeneralizedError;
use super::movable::{Base, MovableModel, Obstacle};
use super::options::GeneralizedOptions;
use super::pose::Pose;
use super::shape::Shape;
use crate::geometry::convex::shape::ConvexShape;
use crate::geometry::random::fraction;
use crate::kinematics::articulation::joint::{Joint, JointKind};
use crate::kinematics::articulation::tree::Articulation;
use crate::proximity::articulated::link_pairs::AllowedCollisions;

/// A chain of hinges and a slide, of boxes a metre long.
fn chain(base: Base) -> MovableModel {
    let links: Vec<String> = (0..5).map(|link| format!("link {link}")).collect();
    let kind = |k: usize| match k {
        1 => JointKind::Prismatic { axis: Vector3::new(0.2, 1.0, 0.1) },
        _ => JointKind::Revolute { axis: Vector3::new(0.1 * k as f64, 0.3, 1.0) },
    };
    let joint = |k: usize| {
        let at = Isometry3::translation(1.0, 0.1, -0.05);
        Joint::new(&format!("joint {k}"), &links[k], &links[k + 1], kind(k)).at(at).within([-2.5, 2.5])
    };
    let joints = (0..4).map(joint).collect();
    let articulation = Articulation::new(links, joints).unwrap();
    let shape = || Some(Shape::convex(ConvexShape::cuboid(Vector3::new(1.0, 0.1, 0.2))));
    let shapes = (0..5).map(|_| shape()).collect();
    MovableModel::new(articulation, shapes, AllowedCollisions::default(), base).unwrap()
}

fn frame(end: ConstraintEnd, seed: u64) -> ConstraintFrame {
    let number = |k: u64| 2.0 * fraction([seed, k, 0]) - 1.0;
    let translation = Translation3::new(number(0), number(1), number(2));
    let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(number(3), number(4), number(5)));
    ConstraintFrame { end, frame: Isometry3::from_parts(translation, rotation) }
}

fn link(movable: usize, link: usize) -> ConstraintEnd {
    ConstraintEnd::Link { movable, link }
}

/// A chain on a fixed base, one on a floating base, and constraints between them and the world.
fn constrained() -> CollisionWorld {
    let mut world = CollisionWorld::new(vec![chain(Base::Fixed), chain(Base::Floating)], Vec::new()).unwrap();
    let ends = [[link(0, 4), link(1, 3)], [ConstraintEnd::World, link(0, 2)], [link(1, 4), link(1, 1)]];
    let mut seed = 0;
    for ends in ends {
        let mut frames = || {
            seed += 1;
            [frame(ends[0], 2 * seed), frame(ends[1], 2 * seed + 1)]
        };
        let rotation = [RotationLock::Axis, RotationLock::Full, RotationLock::Free];
        for rotation in rotation {
            let lock = Lock { translation: [true, false, true], rotation };
            world.constrain(PoseConstraint::closure("closure", frames(), lock)).unwrap();
        }
        world.constrain(PoseConstraint::max_distance("rope", frames(), 1.0)).unwrap();
        let range = PoseConstraint::range("slide", frames(), AxisMotion::Translation, [-0.1, 0.2]);
        world.constrain(range).unwrap();
    }
    let up = Vector3::new(0.1, -0.2, 1.0);
    world.constrain(PoseConstraint::balance("balance", &[[0, 4], [1, 4]], Vec::new(), up)).unwrap();
    world
}

#[test]
fn gradients_of_residuals_and_gaps_are_those_of_finite_differences() {
    let world = constrained();
    let poses = vec![
        Pose { base: Isometry3::identity(), joints: vec![0.3, -0.2, 0.5, 0.1] },
        Pose { base: frame(ConstraintEnd::World, 77).frame, joints: vec![-0.4, 0.3, 0.2, 0.6] },
    ];
    let chart = LocalChart::new(&world, &poses);
    let at: Vec<f64> = (0..chart.dimension() as u64).map(|k| 0.2 * (fraction([5, k, 1]) - 0.5)).collect();
    let evaluate = |y: &[f64]| {
        world.with_workspace(|workspace| {
            chart.place(&world, y, &mut workspace.frames);
            let (mut values, mut gradients) = chart.residuals(&world, &workspace.frames);
            chart.visit_inequalities(
                &world,
                &workspace.frames,
                &mut workspace.constraints,
                |gap, gradient| {
                    values.push(gap);
                    gradients.push(gradient.to_vec());
                },
            );
            (values, gradients)
        })
    };
    let (values, gradients) = evaluate(&at);
    // Those of the closures, and at least the edges of a triangle.
    assert!(values.len() >= 3 * (2 + 2 + 2 + 3 + 2 + 1 + 2) + 3);
    const STEP: f64 = 1e-6;
    for k in 0..at.len() {
        let moved = |by: f64| {
            let mut y = at.clone();
            y[k] += by;
            evaluate(&y).0
        };
        let (after, before) = (moved(STEP), moved(-STEP));
        for (row, gradient) in gradients.iter().enumerate() {
            let expected = (after[row] - before[row]) / (2.0 * STEP);
            assert!((gradient[k] - expected).abs() < 1e-6, "{row} {k}: {} {expected}", gradient[k]);
        }
    }
}

/// Two bars of length one in the plane, hinged at the origin and at the elbow.
fn two_bars() -> MovableModel {
    let hinge = |name: &str, parent: &str, child: &str, x: f64| {
        Joint::new(name, parent, child, JointKind::Revolute { axis: Vector3::z() })
            .at(Isometry3::translation(x, 0.0, 0.0))
    };
    let links = ["ground", "upper", "lower"].map(String::from).to_vec();
    let joints = vec![hinge("shoulder", "ground", "upper", 0.0), hinge("elbow", "upper", "lower", 1.0)];
    let bar = ConvexShape::cuboid(Vector3::new(1.0, 0.04, 0.04));
    let bar = Shape::of_pieces(vec![(bar, Isometry3::translation(0.5, 0.0, 0.0))]);
    let mut allowed = AllowedCollisions::default();
    allowed.allow(1, 2);
    let articulation = Articulation::new(links, joints).unwrap();
    MovableModel::new(articulation, vec![None, Some(bar.clone()), Some(bar)], allowed, Base::Fixed).unwrap()
}

/// The constraint that the end of the second bar lies at a point of the x axis.
fn end_at(x: f64) -> PoseConstraint {
    let frames = [
        ConstraintFrame { end: ConstraintEnd::World, frame: Isometry3::translation(x, 0.0, 0.0) },
        ConstraintFrame { end: link(0, 2), frame: Isometry3::translation(1.0, 0.0, 0.0) },
    ];
    PoseConstraint::closure("pin", frames, Lock::SPHERICAL)
}

#[test]
fn an_open_triangle_is_closed_at_the_angles_of_the_law_of_cosines() {
    let mut world = CollisionWorld::new(vec![two_bars()], Vec::new()).unwrap();
    world.constrain(end_at(1.0)).unwrap();
    // Equilateral: 60° at the shoulder, and −120° at the elbow.
    let open = [Pose { base: Isometry3::identity(), joints: vec![1.2, -1.9] }];
    assert!(!world.is_solution(&open, 0.0).unwrap());
    let found = world.penetration(&open, &GeneralizedOptions::fast()).unwrap().expect("it is open");
    let third = std::f64::consts::FRAC_PI_3;
    for (joint, expected) in found.poses[0].joints.iter().zip([third, -2.0 * third]) {
        assert!((joint - expected).abs() < 1e-12, "{:?}", found.poses);
    }
    assert_eq!(found.constraints.len(), 1);
    assert!(found.constraints[0].length < 1e-12, "{:?}", found.constraints);
}

#[test]
fn a_triangle_that_cannot_be_closed_is_an_error_that_names_the_constraint() {
    let mut world = CollisionWorld::new(vec![two_bars()], Vec::new()).unwrap();
    world.constrain(end_at(2.5)).unwrap();
    let open = [Pose { base: Isometry3::identity(), joints: vec![0.1, -0.2] }];
    match world.penetration(&open, &GeneralizedOptions::default()) {
        Err(GeneralizedError::Constraint(error)) => {
            // Both bars together reach two metres.
            assert!(error.name == "pin" && error.length >= 0.5 - 1e-9, "{error:?}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_kept_leaves_the_other_freedom_to_the_search() {
    let plate = Shape::convex(ConvexShape::cuboid(Vector3::new(1.0, 0.6, 0.1)));
    let ball = Obstacle {
        shape: Shape::convex(ConvexShape::sphere(0.2)),
        pose: Isometry3::translation(0.5, 0.0, 0.1),
    };
    // On its stance the plate slides off the ball, without being lifted or tilted.
    let found = |kept: Kept| {
        let mut world =
            CollisionWorld::new(vec![MovableModel::rigid(plate.clone()).unwrap()], vec![ball.clone()])
                .unwrap();
        world.constrain(PoseConstraint::keep("kept", [0, 0], kept)).unwrap();
        let start = [Isometry3::identity().into()];
        world.penetration(&start, &GeneralizedOptions::default()).map(|found| found.expect("they overlap"))
    };
    let stance = found(Kept::Stance(Vector3::z())).unwrap();
    let Isometry3 { rotation, translation } = stance.poses[0].base;
    assert!(translation.z.abs() < 1e-9 && (rotation * Vector3::z() - Vector3::z()).norm() < 1e-9);
    assert!(translation.vector.xy().norm() > 0.05);
    let position = found(Kept::Position).unwrap();
    assert!(position.poses[0].base.translation.vector.norm() < 1e-9);
    let direction = found(Kept::Direction(Vector3::x())).unwrap();
    assert!((direction.poses[0].base.rotation * Vector3::x() - Vector3::x()).norm() < 1e-9);
    assert!(matches!(found(Kept::Pose), Err(GeneralizedError::NotFound { .. })));
}

#[test]
fn a_projection_is_the_nearest_point_of_a_closure_to_first_order() {
    let world = constrained_to_plane();
    let poses = [Isometry3::identity().into()];
    let chart = LocalChart::new(&world, &poses);
    let mut y = chart.point(&world, &[Isometry3::translation(0.3, -0.2, 0.5).into()]);
    assert!(world.with_workspace(|workspace| chart.retract(&world, &mut y, workspace)));
    let base = chart.poses(&world, &y)[0].base;
    // The foot of the perpendicular on the plane through the origin.
    assert!((base.translation.vector - Vector3::new(0.3, -0.2, 0.0)).norm() < 1e-12, "{base}");
}

fn constrained_to_plane() -> CollisionWorld {
    let cube = Shape::convex(ConvexShape::cuboid(Vector3::repeat(1.0)));
    let mut world = CollisionWorld::new(vec![MovableModel::rigid(cube).unwrap()], Vec::new()).unwrap();
    let stance = PoseConstraint::keep("floor", [0, 0], Kept::Stance(Vector3::z()));
    world.constrain(stance).unwrap();
    world
}

/// A foot with two blocks of its own size that slide along x, one of them in an obstacle.
fn balanced_blocks(half_length: f64) -> CollisionWorld {
    let slide = |name: &str, child: &str, z: f64| {
        Joint::new(name, "foot", child, JointKind::Prismatic { axis: Vector3::x() })
            .at(Isometry3::translation(0.0, 0.0, z))
    };
    let joints = vec![slide("a", "upper", 1.0), slide("b", "counterweight", 0.5)];
    let links = ["foot", "upper", "counterweight"].map(String::from).to_vec();
    let articulation = Articulation::new(links, joints).unwrap();
    let block = || Some(Shape::convex(ConvexShape::cuboid(Vector3::new(2.0 * half_length, 0.2, 0.1))));
    let shapes = vec![block(), block(), block()];
    let movable = MovableModel::new(articulation, shapes, AllowedCollisions::default(), Base::Fixed).unwrap();
    let wall = Obstacle {
        shape: Shape::convex(ConvexShape::cuboid(Vector3::new(1.0, 1.0, 0.2))),
        // The upper block has to slide by 0.3 m.
        pose: Isometry3::translation(0.3 - half_length - 0.5, 0.0, 1.0),
    };
    CollisionWorld::new(vec![movable], vec![wall]).unwrap()
}

#[test]
fn a_counterweight_keeps_the_centre_of_mass_over_the_foot() {
    let half_length = 0.05;
    let start = [Pose { base: Isometry3::identity(), joints: vec![0.0, 0.0] }];
    let found = |feet: &[[usize; 2]]| {
        let mut world = balanced_blocks(half_length);
        world.constrain(PoseConstraint::balance("com", feet, Vec::new(), Vector3::z())).unwrap();
        world.penetration(&start, &GeneralizedOptions::fast()).map(|found| found.expect("they overlap"))
    };
    let balanced = found(&[[0, 0]]).unwrap();
    // Three equal masses: a + b may be at most three half lengths, and a must be 0.3 m.
    let [a, b] = balanced.poses[0].joints[..] else { panic!() };
    assert!((a - 0.3).abs() < 1e-6 && (b - (3.0 * half_length - 0.3)).abs() < 1e-6, "{a} {b}");
    assert!(balanced.constraints[0].length <= 0.0, "{:?}", balanced.constraints);
    let free =
        balanced_blocks(half_length).penetration(&start, &GeneralizedOptions::fast()).unwrap().unwrap();
    assert!(free.poses[0].joints[1].abs() < 1e-9);
    // Masses that are given take precedence: a light block needs no counterweight.
    let mut world = balanced_blocks(half_length);
    let masses = [10.0, 1.0, 1.0].map(|mass| Some((mass, nalgebra::Point3::origin())));
    let light = world.movables()[0].clone().with_masses(masses.to_vec());
    world = CollisionWorld::new(vec![light], world.obstacles().to_vec()).unwrap();
    world.constrain(PoseConstraint::balance("com", &[[0, 0]], Vec::new(), Vector3::z())).unwrap();
    let light = world.penetration(&start, &GeneralizedOptions::fast()).unwrap().unwrap();
    assert!(light.poses[0].joints[1].abs() < 1e-9, "{:?}", light.poses);
}

#[test]
fn a_pose_out_of_balance_is_no_solution_and_is_brought_into_balance() {
    let mut world = balanced_blocks(0.05);
    world.constrain(PoseConstraint::balance("com", &[[0, 0]], Vec::new(), Vector3::z())).unwrap();
    let start = [Pose { base: Isometry3::identity(), joints: vec![0.4, 0.0] }];
    assert!(world.is_free(&start, 0.0).unwrap() && !world.is_solution(&start, 0.0).unwrap());
    let found =
        world.penetration(&start, &GeneralizedOptions::fast()).unwrap().expect("it is out of balance");
    // Equal weights of both slides: each moves by half of what a + b is too large, or a stops at the wall.
    let [a, b] = found.poses[0].joints[..] else { panic!() };
    assert!((a - 0.3).abs() < 1e-6 && (b + 0.15).abs() < 1e-6, "{a} {b}");
}
