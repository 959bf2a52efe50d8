//! Models that no search repairs: failures that name the pairs in collision, bounds of their work, and proofs that links are stuck.

use std::sync::Arc;
use std::time::Duration;

use extricate_test_support::Noise;
use nalgebra::{Isometry3, Translation3, Vector3};

use super::tests::{bars, bars_of, cube, hinge, joints, wall};
use super::*;
use crate::geometry::convex::{ConvexHull, ConvexShape};
use crate::geometry::procedural::{Procedural, Sphere};
use crate::kinematics::articulation::joint::{Joint, JointKind};
use crate::kinematics::articulation::tree::Articulation;
use crate::penetration::translational::options::Effort;
use crate::proximity::articulated::link_pairs::AllowedCollisions;

#[test]
fn what_cannot_come_free_is_not_found_and_names_what_still_collides() {
    let mut movable = bars(1.0, 0.1);
    movable.fix("shoulder").unwrap();
    movable.fix("elbow").unwrap();
    let collision_world = CollisionWorld::new(vec![movable], vec![wall(1.5)]).unwrap();
    let failed = collision_world.penetration(&joints(&[0.0, 0.0]), &GeneralizedOptions::fast());
    let Err(GeneralizedError::NotFound { best, still }) = failed else { panic!("it cannot move") };
    assert!(!best.verified_free && best.sigma <= 0.0);
    assert_eq!(still.len(), 1);
    assert_eq!(collision_world.name_of(still[0].parts[0]), "lower");
    assert!((still[0].depth - 0.5).abs() < 1e-9);
}

#[test]
fn a_link_that_nothing_can_move_ends_the_search_at_once() {
    let mut movable = bars(1.0, 0.1);
    movable.fix("shoulder").unwrap();
    let collision_world = CollisionWorld::new(vec![movable], vec![wall(0.5)]).unwrap();
    let options = GeneralizedOptions::default();
    let failed = collision_world.penetration(&joints(&[0.0, 0.3]), &options);
    let Err(GeneralizedError::NotFound { best, still }) = failed else { panic!("the upper bar cannot move") };
    assert!(still.iter().any(|pair| collision_world.name_of(pair.parts[0]) == "upper"));
    assert!(best.iterations <= options.max_iterations, "{}", best.iterations);
}

#[test]
fn after_the_time_budget_what_still_collides_is_named_without_its_depth() {
    // Six balls of 642 corners inside another six: 36 pairs of hulls, each some tenths of a millisecond, in every scan.
    let sphere = Sphere { radius: 1.0, frequency: 8 }.mesh().unwrap();
    let ball = Arc::new(ConvexHull::new(sphere.vertices()).unwrap());
    let mut noise = Noise(31);
    let mut six = || {
        let place =
            |_| (ConvexShape::hull(ball.clone()), Translation3::from(1e-3 * noise.signed_vector()).into());
        Shape::of_pieces((0..6).map(place).collect())
    };
    let movable = MovableModel::rigid(six()).unwrap();
    let obstacle = Obstacle { shape: six(), pose: Isometry3::identity() };
    let collision_world = CollisionWorld::new(vec![movable], vec![obstacle]).unwrap();
    let poses = [Pose::from(Isometry3::identity())];
    let options = GeneralizedOptions { time_budget: Some(Duration::ZERO), ..GeneralizedOptions::fast() };
    let failed = collision_world.penetration(&poses, &options);
    let Err(GeneralizedError::NotFound { best, still }) = failed else { panic!("there is no time") };
    assert!(still.len() == 1 && still[0].depth.is_nan() && best.clearance.is_nan());
    assert_eq!((best.iterations, best.verified_free), (0, false));
    // With time all of it is known: the hulls are as deep as the distance of two facets, nearly two radii.
    let found = collision_world.colliding(&poses).unwrap();
    assert!((found[0].depth - 2.0).abs() < 0.05, "{}", found[0].depth);
}

#[test]
fn a_search_that_finds_nothing_free_has_a_bound_of_its_own() {
    // A cube that slides in a slot narrower than itself, on a rail without an end that a proof could reach: each wall can be left.
    let links = ["rail", "slider"].map(str::to_owned).to_vec();
    let slide = Joint::new("slide", "rail", "slider", JointKind::Prismatic { axis: Vector3::x() });
    let articulation = Articulation::new(links, vec![slide.within([-2.0, f64::INFINITY])]).unwrap();
    let shapes = vec![None, Some(cube(1.0))];
    let movable = MovableModel::new(articulation, shapes, AllowedCollisions::default(), Base::Fixed).unwrap();
    let slot = |width: f64| {
        let beside = |side: f64| Obstacle {
            shape: cube(9.0),
            pose: Isometry3::translation(side * (4.5 + 0.5 * width), 0.0, 0.0),
        };
        CollisionWorld::new(vec![movable.clone()], vec![beside(-1.0), beside(1.0), wall(3.0)]).unwrap()
    };
    let bounded = |[max, max_without_result]: [u64; 2]| {
        let options = GeneralizedOptions {
            work: WorkBounds { max, max_without_result, ..WorkBounds::default() },
            parallel: false,
            ..GeneralizedOptions::default()
        };
        match slot(0.9).penetration(&joints(&[0.0]), &options) {
            Err(GeneralizedError::NotFound { best, .. }) => best.summary,
            other => panic!("there is no room: {other:?}"),
        }
    };
    for (bounds, limit) in [([400, 2000], 2000), ([400, 4000], 4000), ([2000, 0], 2000)] {
        let summary = bounded(bounds);
        assert_eq!(summary.end, SearchEnd::WorkBound);
        // Beyond the bound there is at most the last batch of descents, and what the fallbacks did before, half of the lowest bound.
        assert!((limit..2 * limit).contains(&summary.work), "{bounds:?}: {summary:?}");
    }
    let wide = slot(1.2).penetration(&joints(&[0.3]), &GeneralizedOptions::default()).unwrap().unwrap();
    // Free by the margin of a descent, 5e-8 of the size.
    assert!((wide.poses[0].joints[0] - 0.1).abs() < 1e-7, "{:?}", wide.poses);
}

#[test]
fn a_limb_without_variables_does_no_harm_to_a_search_that_finds_nothing() {
    // Five sliders in a row, of which the last one is in a slot narrower than itself: limbs of fewer joints move nothing else.
    let count = 5;
    let links: Vec<String> = (0..=count).map(|link| format!("l{link}")).collect();
    let slide = |at: usize| {
        let joint = Joint::new(
            &format!("j{at}"),
            &links[at],
            &links[at + 1],
            JointKind::Prismatic { axis: Vector3::x() },
        );
        joint.within([-1.0, 1.0])
    };
    let articulation = Articulation::new(links.clone(), (0..count).map(slide).collect()).unwrap();
    let mut shapes = vec![None; count];
    shapes.push(Some(cube(1.0)));
    let movable = MovableModel::new(articulation, shapes, AllowedCollisions::default(), Base::Fixed).unwrap();
    let beside =
        |side: f64| Obstacle { shape: cube(9.0), pose: Isometry3::translation(side * 4.9, 0.0, 0.0) };
    let collision_world = CollisionWorld::new(vec![movable], vec![beside(-1.0), beside(1.0)]).unwrap();
    for effort in [Effort::Fast, Effort::Best] {
        let options = GeneralizedOptions { effort, ..GeneralizedOptions::default() };
        let failed = collision_world.penetration(&joints(&[0.0; 5]), &options);
        assert!(matches!(failed, Err(GeneralizedError::NotFound { .. })), "{effort:?}: {failed:?}");
    }
}

#[test]
fn hinges_that_are_proved_to_be_stuck_are_free_nowhere_on_a_grid() {
    let (mut noise, mut stuck) = (Noise(61), 0);
    let cases = 80;
    for case in 0..cases {
        let limits = [0, 1].map(|_| noise.between(0.1, 1.6));
        let links = ["ground", "upper", "lower"].map(str::to_owned).to_vec();
        let hinges = [hinge("shoulder", "ground", "upper", 0.0), hinge("elbow", "upper", "lower", 1.0)];
        let within = |(hinge, limit): (Joint, f64)| hinge.within([-limit, limit]);
        let hinges = hinges.into_iter().zip(limits).map(within).collect();
        let movable = bars_of(Articulation::new(links, hinges).unwrap(), 1.0, 0.1);
        let obstacle = |_: i32| {
            let edge = noise.between(0.1, 0.7);
            let at = Vector3::new(noise.between(0.1, 2.0), noise.signed(), 0.0);
            Obstacle { shape: cube(edge), pose: Isometry3::from_parts(at.into(), noise.rotation(3.0)) }
        };
        let obstacles = (0..4).map(obstacle).collect();
        let collision_world = CollisionWorld::new(vec![movable], obstacles).unwrap();
        let is_stuck = collision_world
            .with_workspace(|workspace| collision_world.is_stuck(&joints(&[0.0, 0.0]), workspace));
        if is_stuck {
            stuck += 1;
            let grid = |limit: f64| (-40..=40).map(move |step| limit * f64::from(step) / 40.0);
            for first in grid(limits[0]) {
                for second in grid(limits[1]) {
                    let is_free = collision_world.is_free(&joints(&[first, second]), 0.0).unwrap();
                    assert!(!is_free, "{case}: {first} {second}");
                }
            }
        }
    }
    assert!((5..cases - 5).contains(&stuck), "{stuck}");
}
