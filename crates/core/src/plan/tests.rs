use nalgebra::{Isometry3, Vector3};

use super::*;
use crate::geometry::Solidity;
use crate::geometry::convex::ConvexShape;
use crate::geometry::procedural::{Cuboid, Procedural, Torus};
use crate::kinematics::articulation::joint::{Joint, JointKind};
use crate::kinematics::articulation::tree::Articulation;
use crate::kinematics::motion::Motion;
use crate::kinematics::rigid_motion::RigidMotion;
use crate::penetration::generalized::{Base, MovableModel, Obstacle, Shape};
use crate::proximity::articulated::link_pairs::AllowedCollisions;
use crate::proximity::collision::collide;
use crate::proximity::model::Model;

fn model(x: f64, y: f64, z: f64) -> Model {
    Model::new(Cuboid { x, y, z, ..Cuboid::default() }.mesh().unwrap(), Solidity::Solid)
}

fn block(x: f64, y: f64, z: f64) -> Shape {
    Shape::of_model(model(x, y, z))
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

/// A wall in the plane x = 0 with a square hole in its middle, all times a unit.
fn wall_with_hole(edge: f64, unit: f64) -> Vec<Obstacle> {
    let (side, middle) = (2.0 - 0.5 * edge, 1.0 + 0.25 * edge);
    let place = |y: f64, z: f64, [a, b]: [f64; 2]| Obstacle {
        shape: block(0.1 * unit, a * unit, b * unit),
        pose: at(0.0, y * unit, z * unit),
    };
    vec![
        place(0.0, middle, [4.0, side]),
        place(0.0, -middle, [4.0, side]),
        place(middle, 0.0, [side, edge]),
        place(-middle, 0.0, [side, edge]),
    ]
}

fn bar(wall: Vec<Obstacle>, unit: f64) -> CollisionWorld {
    let bar = block(0.8 * unit, 0.1 * unit, 0.1 * unit);
    CollisionWorld::new(vec![MovableModel::rigid(bar).unwrap()], wall).unwrap()
}

/// Edge of a hole through which a bar of 0.1 m and 0.8 m length goes at some tilt.
const HOLE: f64 = 0.5;

/// Ends on both sides of the wall, the start rotated; a region that does not extend around the wall.
fn through(unit: f64) -> ([Pose; 2], PlanOptions) {
    let start = Isometry3::new(Vector3::new(-unit, 0.5 * unit, 0.0), Vector3::z() * 1.5);
    let region = [[-1.5, -1.0, -1.0], [1.5, 1.0, 1.0]].map(|corner| Vector3::from(corner) * unit);
    let options = PlanOptions { region: Some(region.map(Into::into)), ..PlanOptions::default() };
    ([start.into(), at(unit, 0.0, 0.2 * unit).into()], options)
}

/// Whether links and obstacles are free along a path, by queries of the models at many poses.
fn is_free_by_models(collision_world: &CollisionWorld, path: &[Pose]) -> bool {
    let movable = &collision_world.movables()[0];
    let shapes: Vec<_> = movable.shapes().iter().map(|shape| shape.as_ref().and_then(Shape::model)).collect();
    path.windows(2).all(|ends| {
        let base = Motion::linear(&ends[0].base, &ends[1].base);
        (0..=200).map(|i| f64::from(i) / 200.0).all(|t| {
            let mix = |(a, b): (&f64, &f64)| a + t * (b - a);
            let joints: Vec<f64> = ends[0].joints.iter().zip(&ends[1].joints).map(mix).collect();
            let links = movable.articulation().link_poses(&joints, &base.pose_at(t)).unwrap();
            let links = shapes.iter().zip(&links).filter_map(|(shape, pose)| Some(((*shape)?, pose)));
            let links: Vec<_> = links.collect();
            let meets = |(shape, pose): &(&Model, &Isometry3<f64>)| {
                collision_world
                    .obstacles()
                    .iter()
                    .any(|obstacle| collide(shape, pose, obstacle.shape.model().unwrap(), &obstacle.pose))
            };
            !links.iter().any(meets)
        })
    })
}

#[test]
fn a_bar_finds_the_hole_in_the_wall_with_and_without_retraction() {
    let collision_world = bar(wall_with_hole(HOLE, 1.0), 1.0);
    let ([start, goal], options) = through(1.0);
    for seed in 0..3 {
        for retraction in [true, false] {
            let options = PlanOptions { retraction, seed, ..options.clone() };
            let found = plan(&collision_world, &start, &goal, &options).unwrap();
            assert_eq!((&found.path[0], found.path.last().unwrap()), (&start, &goal));
            assert!(is_free_by_models(&collision_world, &found.path), "{retraction} {seed}");
            assert!(found.length <= found.found_length * (1.0 + 1e-12) && found.checked > 0);
            assert!(found.work.retracted <= found.work.overlapping, "{:?}", found.work);
            assert!(retraction || found.work.retracted == 0);
            // No straight motion leads from 1.5 rad across to the other side.
            assert!(found.path.len() > 2);
        }
    }
}

/// Edge of a hole through which the bar goes straight alone, with 5 mm of room.
const NARROW: f64 = 0.11;

#[test]
fn a_bar_goes_through_a_hole_hardly_wider_than_it_is() {
    let collision_world = bar(wall_with_hole(NARROW, 1.0), 1.0);
    let ([start, goal], options) = through(1.0);
    for seed in 0..3 {
        let options = PlanOptions { seed, max_samples: 4000, ..options.clone() };
        let found = plan(&collision_world, &start, &goal, &options).unwrap();
        assert!(is_free_by_models(&collision_world, &found.path), "{seed}");
        assert_eq!((&found.path[0], found.path.last().unwrap()), (&start, &goal));
        let again = plan(&collision_world, &start, &goal, &options).unwrap();
        assert_eq!(found, again);
    }
}

#[test]
fn links_of_triangles_find_a_path_over_a_ridge_on_a_half_space() {
    let ring = Torus { major_radius: 0.3, minor_radius: 0.08, segments: 24, sides: 10 }.mesh().unwrap();
    let ring = Shape::of_model(Model::new(ring, Solidity::Solid));
    assert_eq!(ring.convex_pieces(), None);
    let floor = Obstacle { shape: Shape::convex(ConvexShape::half_space()), pose: Isometry3::identity() };
    let ridge = Shape::convex(ConvexShape::cuboid(Vector3::new(0.1, 4.0, 0.8)));
    let ridge = Obstacle { shape: ridge, pose: Isometry3::identity() };
    let collision_world =
        CollisionWorld::new(vec![MovableModel::rigid(ring.clone()).unwrap()], vec![floor, ridge]).unwrap();
    let region = Some([[-1.2, -0.6, 0.0], [1.2, 0.6, 1.0]].map(Into::into));
    let options = PlanOptions { region, ..PlanOptions::default() };
    let [start, goal] = [-0.8, 0.8].map(|x| at(x, 0.0, 0.12).into());
    let found = plan(&collision_world, &start, &goal, &options).unwrap();
    let vertices = ring.model().unwrap().mesh().vertices();
    let mut highest = 0.0_f64;
    for ends in found.path.windows(2) {
        let motion = Motion::linear(&ends[0].base, &ends[1].base);
        for i in 0..=100 {
            let pose = motion.pose_at(f64::from(i) / 100.0);
            let lowest = vertices.iter().map(|vertex| (pose * vertex).z).fold(f64::INFINITY, f64::min);
            assert!(lowest > 0.0, "{lowest}");
            highest = highest.max(lowest);
        }
    }
    assert!(highest > 0.4, "it goes over the ridge");
}

#[test]
fn the_same_seed_finds_the_same_path_in_every_unit() {
    let find = |unit: f64, seed: u64| {
        let ([start, goal], options) = through(unit);
        let options = PlanOptions { seed, ..options };
        plan(&bar(wall_with_hole(HOLE, unit), unit), &start, &goal, &options).unwrap()
    };
    let (one, again, other) = (find(1.0, 0), find(1.0, 0), find(1.0, 1));
    assert_eq!(one, again);
    assert_ne!(one.path, other.path);
    let large = find(1024.0, 0);
    assert_eq!(large.path.len(), one.path.len());
    assert!((large.length / 1024.0 - one.length).abs() < 1e-9 * one.length);
}

#[test]
fn a_walled_in_start_yields_no_path_but_a_partial_plan() {
    let collision_world = bar(wall_with_hole(0.09, 1.0), 1.0);
    let ([start, goal], options) = through(1.0);
    let options = PlanOptions { max_samples: 60, ..options };
    match plan(&collision_world, &start, &goal, &options) {
        Err(PlanError::NotFound { reached }) => {
            assert_eq!(reached.work.samples, 60);
            assert_eq!(reached.path[0], start);
            // The wall is between the two trees: a bar of 0.8 m has its middle at least 0.05 m from it on either side.
            assert!(reached.gap > 0.1 && reached.gap < 2.0, "{}", reached.gap);
            assert!(is_free_by_models(&collision_world, &reached.path));
        }
        other => panic!("{other:?}"),
    }
}

/// Two bars of 1 m on hinges at the origin, in the plane of x and y, and posts that block them.
fn arm(posts: &[[f64; 2]]) -> CollisionWorld {
    let hinge = JointKind::Revolute { axis: Vector3::z() };
    let joints = vec![
        Joint::new("shoulder", "ground", "upper", hinge).within([-3.0, 3.0]),
        Joint::new("elbow", "upper", "lower", hinge).at(at(1.0, 0.0, 0.0)).within([-2.5, 2.5]),
    ];
    let links = ["ground", "upper", "lower"].map(String::from).to_vec();
    let articulation = Articulation::new(links, joints).unwrap();
    let mesh = || Cuboid { x: 1.0, y: 0.05, z: 0.05, ..Cuboid::default() }.mesh().unwrap();
    let bar = || Shape::of_model(Model::new(mesh().transformed(&at(0.5, 0.0, 0.0)), Solidity::Solid));
    let mut allowed = AllowedCollisions::default();
    allowed.allow(1, 2);
    let movable =
        MovableModel::new(articulation, vec![None, Some(bar()), Some(bar())], allowed, Base::Fixed).unwrap();
    let post = |[x, y]: &[f64; 2]| Obstacle { shape: block(0.1, 0.1, 1.0), pose: at(*x, *y, 0.0) };
    CollisionWorld::new(vec![movable], posts.iter().map(post).collect()).unwrap()
}

fn pose(joints: [f64; 2]) -> Pose {
    Pose { base: Isometry3::identity(), joints: joints.to_vec() }
}

#[test]
fn an_arm_folds_to_pass_between_posts_and_keeps_its_limits() {
    let collision_world = arm(&[[1.5, 0.0], [0.0, 1.4], [-1.3, 0.9]]);
    let (start, goal) = (pose([-1.0, 0.0]), pose([2.8, 0.0]));
    for retraction in [true, false] {
        let options = PlanOptions { retraction, seed: 5, ..PlanOptions::default() };
        let found = plan(&collision_world, &start, &goal, &options).unwrap();
        assert!(is_free_by_models(&collision_world, &found.path));
        assert!(found.path.iter().all(|pose| pose.joints[0].abs() <= 3.0 && pose.joints[1].abs() <= 2.5));
        assert!(found.path.iter().any(|pose| pose.joints[1].abs() > 0.5), "it does not fold");
    }
}

#[test]
fn a_fixed_joint_does_not_move_along_the_path() {
    let mut movable = arm(&[]).movables()[0].clone();
    movable.fix("elbow").unwrap();
    let post = Obstacle { shape: block(0.1, 0.1, 1.0), pose: at(1.9, 0.0, 0.0) };
    let collision_world = CollisionWorld::new(vec![movable], vec![post]).unwrap();
    let found =
        plan(&collision_world, &pose([-1.0, 1.2]), &pose([1.5, 1.2]), &PlanOptions::default()).unwrap();
    assert!(found.path.iter().all(|pose| pose.joints[1].to_bits() == 1.2_f64.to_bits()));
    let error =
        plan(&collision_world, &pose([-1.0, 1.2]), &pose([1.5, 0.0]), &PlanOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "joint \"elbow\" is fixed, but differs between the start and the goal");
}

#[test]
fn invalid_ends_are_rejected_by_name() {
    let collision_world = arm(&[[1.5, 0.0]]);
    let options = PlanOptions::default();
    let free = pose([1.0, 0.0]);
    let message = |start: &Pose, goal: &Pose, options: &PlanOptions| {
        plan(&collision_world, start, goal, options).unwrap_err().to_string()
    };
    match plan(&collision_world, &free, &pose([0.0, 0.0]), &options) {
        Err(PlanError::NotFree { end: End::Goal, pairs, .. }) => {
            let names: Vec<_> = pairs[0].parts.iter().map(|&part| collision_world.name_of(part)).collect();
            assert_eq!(names, ["lower", "obstacle 0"]);
        }
        other => panic!("{other:?}"),
    }
    assert!(message(&pose([0.0, 0.0]), &free, &options).starts_with("the start is not free"));
    let error = message(&free, &pose([1.0, 2.6]), &options);
    assert_eq!(error, "joint \"elbow\" is at 2.6 at the goal, where -2.5 to 2.5 are allowed");
    let moved = Pose { base: at(0.0, 0.0, 0.1), ..free.clone() };
    assert_eq!(
        message(&free, &moved, &options),
        "the base is fixed, but differs between the start and the goal"
    );
    let far = PlanOptions { clearance: f64::NAN, ..options.clone() };
    assert!(message(&free, &free, &far).starts_with("the option clearance is NaN"));
    let still = PlanOptions { step: Some(0.0), ..options };
    assert!(message(&free, &free, &still).starts_with("the option step is 0"));
    let nobody = CollisionWorld::new(Vec::new(), Vec::new()).unwrap();
    let error = plan(&nobody, &free, &free, &PlanOptions::default()).unwrap_err();
    assert!(matches!(error, PlanError::ModelCount { movables: 0 }));
}

#[test]
fn a_clearance_is_kept_along_the_path() {
    let collision_world = bar(wall_with_hole(HOLE, 1.0), 1.0);
    let ([start, goal], options) = through(1.0);
    let options = PlanOptions { clearance: 0.03, ..options };
    let found = plan(&collision_world, &start, &goal, &options).unwrap();
    for ends in found.path.windows(2) {
        let base = Motion::linear(&ends[0].base, &ends[1].base);
        for i in 0..=50 {
            let pose = [Pose::from(base.pose_at(f64::from(i) / 50.0))];
            assert!(collision_world.is_free(&pose, 0.0299).unwrap());
        }
    }
}
