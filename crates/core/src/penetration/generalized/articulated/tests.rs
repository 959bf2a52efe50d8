//! The figures of [Tang14 §5] as small cases with known answers.

use nalgebra::{Isometry3, Vector3};

use super::collision_world::free_poses;
use super::configuration_space::{ConfigurationSpace, FirstContact};
use super::perturbation::successive_perturbation;
use super::projection::{Direction, contact_space_projection};
use crate::geometry::Solidity;
use crate::geometry::procedural::{BumpySphere, Procedural, Torus};
use crate::kinematics::articulation::joint::{Joint, JointKind};
use crate::kinematics::articulation::tree::Articulation;
use crate::penetration::generalized::collision_world::CollisionWorld;
use crate::penetration::generalized::error::GeneralizedError;
use crate::penetration::generalized::movable::{Base, MovableModel, Obstacle};
use crate::penetration::generalized::options::{GeneralizedOptions, GeneralizedStart};
use crate::penetration::generalized::pose::Pose;
use crate::penetration::generalized::shape::Shape;
use crate::proximity::articulated::link_pairs::AllowedCollisions;
use crate::proximity::articulated::model::ArticulatedModel;
use crate::proximity::model::Model;

/// Links whose collisions are defined by a rule; motions are followed in small steps.
struct Rule<F> {
    parents: Vec<Option<usize>>,
    colliding: F,
}

impl<F: FnMut(&[f64]) -> Vec<usize>> ConfigurationSpace for Rule<F> {
    fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    fn coordinate(&self, link: usize) -> Option<usize> {
        Some(link)
    }

    fn limits(&self, _: usize) -> [f64; 2] {
        [-2.0, 2.0]
    }

    fn scale(&self, _: usize) -> f64 {
        1.0
    }

    fn colliding(&mut self, configuration: &[f64]) -> Vec<usize> {
        (self.colliding)(configuration)
    }

    fn first_contact(&mut self, from: &[f64], to: &[f64]) -> Option<FirstContact> {
        const STEPS: u32 = 100_000;
        let at = |step: u32| {
            let fraction = f64::from(step) / f64::from(STEPS);
            from.iter().zip(to).map(|(a, b)| a + (b - a) * fraction).collect::<Vec<_>>()
        };
        // Collisions of these rules never end within a motion: the first one is found by bisection.
        let (mut free, mut blocked) = (0, STEPS);
        let links = (self.colliding)(&at(STEPS));
        let stops = (1..=64).map(|i| i * (STEPS / 64)).find(|&step| !(self.colliding)(&at(step)).is_empty());
        if links.is_empty() && stops.is_none() {
            return None;
        }
        blocked = stops.unwrap_or(blocked);
        while blocked - free > 1 {
            let middle = u32::midpoint(free, blocked);
            if (self.colliding)(&at(middle)).is_empty() { free = middle } else { blocked = middle }
        }
        Some(FirstContact { time: f64::from(free) / f64::from(STEPS), links: (self.colliding)(&at(blocked)) })
    }
}

/// The tree of Fig. 5: 0 carries 1 and 6; 1 carries 2 and 3, 3 carries 4, 4 carries 5; 6 carries 7 and 8, 8 carries 9.
fn figure_5() -> Vec<Option<usize>> {
    let parents = [None, Some(0), Some(1), Some(1), Some(3), Some(4), Some(0), Some(6), Some(6), Some(8)];
    parents.to_vec()
}

#[test]
fn links_are_freed_from_the_tips_and_by_their_parents_where_they_cannot_themselves() {
    // 5 is free when its joint or that of 4 has rotation by 0.3; 9 only when 8 has rotation by −0.2.
    for own in [true, false] {
        let rule = move |q: &[f64]| {
            let mut links = Vec::new();
            if (if own { q[5] } else { 0.0 }) + q[4] < 0.3 {
                links.push(5);
            }
            if q[8] > -0.2 {
                links.push(9);
            }
            links
        };
        let mut space = Rule { parents: figure_5(), colliding: rule };
        let found = successive_perturbation(&mut space, &[0.0; 10]).expect("a way out");
        let moved: Vec<_> = (0..10).filter(|&link| found[link].abs() > 0.0).collect();
        assert_eq!(moved, if own { vec![5, 8] } else { vec![4, 8] });
        // By no more than it takes, to within the bisection.
        let rotation = found[5] + found[4];
        assert!((0.3..0.32).contains(&rotation) && (0.2..0.22).contains(&-found[8]), "{found:?}");
    }
}

#[test]
fn perturbation_does_not_go_past_a_fork() {
    // Only a rotation of joint 1, which also moves link 2, would free 5.
    let rule = |q: &[f64]| if q[1] < 0.2 { vec![5] } else { Vec::new() };
    let mut space = Rule { parents: figure_5(), colliding: rule };
    assert_eq!(successive_perturbation(&mut space, &[0.0; 10]), None);
}

#[test]
fn forks_in_collision_are_freed_first_the_innermost_before_the_others() {
    // Fig. 5 (b): 0, 1 and a link beyond them collide; 1 is only free once 0 has moved.
    let rule = |q: &[f64]| {
        let mut links = Vec::new();
        if q[0] < 0.1 {
            links.push(0);
        }
        if q[0] < 0.1 || q[1] > -0.1 {
            links.push(1);
        }
        if q[5] < 0.5 {
            links.push(5);
        }
        links
    };
    let mut space = Rule { parents: figure_5(), colliding: rule };
    let found = successive_perturbation(&mut space, &[0.0; 10]).expect("a way out");
    let moved: Vec<_> = (0..10).filter(|&link| found[link].abs() > 0.0).collect();
    assert_eq!(moved, [0, 1, 5]);
}

fn chain(links: usize) -> Vec<Option<usize>> {
    (0..links).map(|link: usize| link.checked_sub(1)).collect()
}

#[test]
fn what_hangs_on_a_link_in_contact_continues_and_what_carries_it_stops() {
    // Fig. 6: link 1 is in the way of an obstacle as far as the joints that carry it have come to 0.6 together.
    let rule = |q: &[f64]| if q[0] + q[1] > 0.6 { vec![1] } else { Vec::new() };
    let mut space = Rule { parents: chain(3), colliding: rule };
    let stopped = contact_space_projection(&mut space, &[0.0; 3], &[1.0, 1.0, 1.0], Direction::Forward);
    assert!((stopped[0] - 0.3).abs() < 1e-3 && (stopped[1] - 0.3).abs() < 1e-3, "{stopped:?}");
    assert!((stopped[2] - 1.0).abs() < 1e-12);
}

#[test]
fn a_joint_that_stopped_too_early_continues_by_itself() {
    // Fig. 7: halfway the last link would touch the first one, so all stop; rotation by itself the base comes farther,
    // up to an obstacle at 0.9.
    let rule = |q: &[f64]| {
        if q[0] > 0.9 {
            vec![0]
        } else if q[2] > 0.5 {
            vec![0, 2]
        } else {
            Vec::new()
        }
    };
    let mut space = Rule { parents: chain(3), colliding: rule };
    let stopped = contact_space_projection(&mut space, &[0.0; 3], &[1.0, 1.0, 1.0], Direction::Forward);
    assert!((stopped[0] - 0.9).abs() < 1e-3 && (stopped[2] - 0.5).abs() < 1e-3, "{stopped:?}");
    assert!((stopped[1] - 1.0).abs() < 1e-12);
}

#[test]
fn a_reverse_projection_is_not_stopped_by_what_blocks_the_path_far_from_the_input() {
    // Fig. 8: an obstacle between 0.2 and 0.3, and the one that the input is in from 0.8 on.
    let rule = |q: &[f64]| if (0.2..0.3).contains(&q[0]) || q[0] > 0.8 { vec![0] } else { Vec::new() };
    let mut space = Rule { parents: chain(1), colliding: rule };
    let forward = contact_space_projection(&mut space, &[0.0], &[1.0], Direction::Forward);
    assert!((forward[0] - 0.2).abs() < 1e-3, "{forward:?}");
    let reverse = contact_space_projection(&mut space, &[0.0], &[1.0], Direction::Reverse);
    assert!((reverse[0] - 0.8).abs() < 1e-3, "{reverse:?}");
}

/// Three rings in a chain on a base that slides along x and y, and a bumpy ball in the way: nothing here is convex.
fn rings() -> CollisionWorld {
    let ring = Torus { major_radius: 0.4, minor_radius: 0.08, segments: 24, sides: 10 }.mesh().unwrap();
    let ring = ring.transformed(&Isometry3::translation(0.5, 0.0, 0.0));
    let slide = |name: &str, parent: &str, child: &str, axis: Vector3<f64>| {
        Joint::new(name, parent, child, JointKind::Prismatic { axis }).within([-3.0, 3.0])
    };
    let hinge = |name: &str, parent: &str, child: &str, x: f64| {
        let axis = Vector3::new(0.3, 0.2, 1.0);
        Joint::new(name, parent, child, JointKind::Revolute { axis })
            .at(Isometry3::translation(x, 0.0, 0.0))
            .within([-2.0, 2.0])
    };
    let joints = vec![
        slide("x", "world", "cart", Vector3::x()),
        slide("y", "cart", "a", Vector3::y()),
        hinge("ab", "a", "b", 1.0),
        hinge("bc", "b", "c", 1.0),
    ];
    let links = ["world", "cart", "a", "b", "c"].map(String::from).to_vec();
    let articulation = Articulation::new(links, joints).unwrap();
    let meshes = vec![None, None, Some(ring.clone()), Some(ring.clone()), Some(ring)];
    let model = ArticulatedModel::new(articulation, meshes, Solidity::Solid);
    let allowed = AllowedCollisions::adjacent(&model);
    let ball = BumpySphere { radius: 0.4, ..BumpySphere::default() }.mesh().unwrap();
    let shape = Shape::of_model(Model::new(ball, Solidity::Solid));
    let obstacle = Obstacle { shape, pose: Isometry3::translation(1.6, 0.35, 0.1) };
    CollisionWorld::new(vec![MovableModel::robot(model, allowed, Base::Fixed).unwrap()], vec![obstacle])
        .unwrap()
}

fn posed(joints: [f64; 4]) -> [Pose; 1] {
    [Pose { base: Isometry3::identity(), joints: joints.to_vec() }]
}

#[test]
fn a_chain_of_rings_is_freed_with_its_limits_kept() {
    let collision_world = rings();
    let mut by_strategy = 0;
    for joints in [[0.0, 0.0, 0.1, 0.0], [0.1, 0.2, 0.3, 0.2], [0.4, 0.1, -0.2, 1.9]] {
        let input = posed(joints);
        assert!(!collision_world.is_free(&input, 0.0).unwrap());
        let starts = [
            None,
            Some(GeneralizedStart::SuccessivePerturbation),
            Some(GeneralizedStart::ConstrainedTranslation),
            Some(GeneralizedStart::Given(posed([-2.0, 0.0, 0.0, 0.0]).to_vec())),
        ];
        for start in starts {
            let is_strategy = !matches!(start, None | Some(GeneralizedStart::Given(_)));
            let options = GeneralizedOptions { start: start.clone(), ..GeneralizedOptions::fast() };
            let found = match collision_world.penetration(&input, &options) {
                // One strategy alone may find nothing, and says what still collides.
                Err(GeneralizedError::NotFound { still, .. }) if is_strategy => {
                    assert!(!still.is_empty());
                    continue;
                }
                Err(GeneralizedError::StartFailed { start: failed }) if is_strategy => {
                    assert_eq!(Some(failed), start.map(|start| start.source()));
                    continue;
                }
                found => found.unwrap().expect("it collides"),
            };
            assert!(found.verified_free && found.limits_kept, "{start:?}");
            assert!(start.is_none_or(|start| start.source() == found.source), "{:?}", found.source);
            assert!(collision_world.is_free(&found.poses, 0.0).unwrap() && found.sigma > 0.0);
            by_strategy += usize::from(is_strategy);
        }
    }
    assert!(by_strategy >= 3, "{by_strategy} of six by strategies");
}

#[test]
fn a_strategy_ends_free_and_next_to_a_contact() {
    let collision_world = rings();
    let input = posed([0.0, 0.0, 0.1, 0.0]);
    for source in [GeneralizedStart::SuccessivePerturbation, GeneralizedStart::ConstrainedTranslation] {
        let found = free_poses(&collision_world, &input, &source, &mut 0).expect("a way out");
        assert!(collision_world.is_free(&found, 0.0).unwrap(), "{source:?}");
        let joints = &found[0].joints;
        // What was moved, moved back by a hundredth of the way, collides.
        let back = |k: usize| input[0].joints[k] + 0.99 * (joints[k] - input[0].joints[k]);
        let back = posed([back(0), back(1), back(2), back(3)]);
        assert!(!collision_world.is_free(&back, 0.0).unwrap(), "{source:?} {joints:?}");
    }
    assert!(free_poses(&collision_world, &input, &GeneralizedStart::Random, &mut 0).is_none());
}
