//! Allowed collision matrix derived from sampled configurations, as in MoveIt's setup assistant.
//!
//! Adjacent links overlap at their joint by construction, and simplified shapes may overlap at every configuration. A pair
//! that collides at the start and at every one of many seeded configurations carries no information about the motion, and
//! its contacts would only oppose the joints. Every other pair is a collision.

use nalgebra::Isometry3;

use super::link_pairs::AllowedCollisions;
use super::model::ArticulatedModel;
use crate::geometry::random::fraction;
use crate::kinematics::articulation::joint::JointKind;
use crate::kinematics::error::RobotError;

/// Sampling parameters for deriving allowed collisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// Number of configurations, besides the start, at which a pair must collide to be allowed.
    pub configurations: u32,
    /// Seed of the configurations: the same seed yields the same pairs.
    pub seed: u64,
}

impl Default for Sampling {
    /// 200 configurations: a pair that separates in one of a hundred configurations is wrongly allowed with a
    /// probability of 13 %, one that separates in one of twenty with 4 in 100 000. Half as many: 37 % and 0.6 %.
    fn default() -> Self {
        Self { configurations: 200, seed: 0 }
    }
}

/// Reason for which a pair of links is exempt from self-collision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AllowedReason {
    /// Nearest ancestor and descendant with shapes, or rigidly connected.
    Adjacent,
    /// Colliding at the start and at every sampled configuration.
    AlwaysColliding {
        /// Number of sampled configurations.
        configurations: u32,
    },
    /// Specified by the user or by the robot's description.
    Given,
}

/// Allowed pairs of links with their reasons.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DerivedCollisions {
    /// Allowed pairs, the lower index first, with the first reason that applies; sorted.
    pub allowed: Vec<([usize; 2], AllowedReason)>,
    /// Other pairs that collide at the start; these are to be separated.
    pub at_start: Vec<[usize; 2]>,
}

impl ArticulatedModel {
    /// Derives the allowed pairs: adjacent links, the pairs in `given`, and pairs that collide at the configuration `start`
    /// and at every one of many seeded configurations within the joint limits. A joint without limits is sampled over ±π,
    /// or over ± the maximum bounding radius of a link if it is prismatic.
    ///
    /// ```
    /// use extricate_core::geometry::Solidity;
    /// use extricate_core::geometry::procedural::{Procedural, Sphere};
    /// use extricate_core::kinematics::{Articulation, Joint, JointKind};
    /// use extricate_core::proximity::{AllowedReason, ArticulatedModel, Sampling};
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// // Three balls on a shaft: each rotates on the one before, and the first and the last always overlap.
    /// let ball = Sphere { radius: 1.0, ..Sphere::default() }.mesh()?;
    /// let hinge = |name: &str, parent: &str, child: &str| {
    ///     Joint::new(name, parent, child, JointKind::Revolute { axis: Vector3::z() })
    ///         .at(Isometry3::translation(0.0, 0.0, 0.5))
    /// };
    /// let links = ["a", "b", "c"].map(String::from).to_vec();
    /// let shaft = Articulation::new(links, vec![hinge("ab", "a", "b"), hinge("bc", "b", "c")])?;
    /// let shaft = ArticulatedModel::new(shaft, vec![Some(ball.clone()), Some(ball.clone()), Some(ball)], Solidity::Solid);
    /// let derived = shaft.derive_allowed(&[0.0, 0.0], &[], Sampling::default())?;
    /// let always = AllowedReason::AlwaysColliding { configurations: 200 };
    /// let expected = [([0, 1], AllowedReason::Adjacent), ([0, 2], always), ([1, 2], AllowedReason::Adjacent)];
    /// assert_eq!(derived.allowed, expected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RobotError::Length`] and [`RobotError::NotFinite`] when the start is not a valid configuration.
    pub fn derive_allowed(
        &self,
        start: &[f64],
        given: &[[usize; 2]],
        sampling: Sampling,
    ) -> Result<DerivedCollisions, RobotError> {
        let adjacent = AllowedCollisions::adjacent(self);
        let mut known = adjacent.clone();
        given.iter().for_each(|&[a, b]| known.allow(a, b));
        // Only pairs that collide at the start can collide at every configuration.
        let at_start = self.self_collisions(start, &Isometry3::identity(), &known)?;
        let mut always = at_start.clone();
        for index in 0..sampling.configurations {
            // No pair left that could collide always: further samples change nothing.
            if always.is_empty() {
                break;
            }
            let configuration = self.sampled(sampling.seed, index);
            always = self.still_colliding(&always, &configuration)?;
        }
        // Adjacency takes precedence over what the user specified.
        let reason = |pair: [usize; 2]| {
            let is_adjacent = adjacent.contains(pair[0], pair[1]);
            (pair, if is_adjacent { AllowedReason::Adjacent } else { AllowedReason::Given })
        };
        let mut allowed: Vec<_> = known.iter().map(reason).collect();
        let configurations = sampling.configurations;
        let always_colliding = AllowedReason::AlwaysColliding { configurations };
        allowed.extend(always.iter().map(|&pair| (pair, always_colliding)));
        allowed.sort_unstable();
        let at_start = at_start.into_iter().filter(|pair| !always.contains(pair)).collect();
        Ok(DerivedCollisions { allowed, at_start })
    }

    /// Subset of the pairs that collide at a configuration.
    fn still_colliding(
        &self,
        pairs: &[[usize; 2]],
        configuration: &[f64],
    ) -> Result<Vec<[usize; 2]>, RobotError> {
        let poses = self.articulation.link_poses(configuration, &Isometry3::identity())?;
        Ok(self.colliding(pairs, &poses))
    }

    /// Random configuration within the joint limits; for a given seed and index the same on every machine.
    fn sampled(&self, seed: u64, index: u32) -> Vec<f64> {
        let max_radius =
            self.models.iter().flatten().map(crate::proximity::Model::radius).fold(0.0, f64::max);
        let of_coordinate = |(at, &joint): (usize, &usize)| {
            let joint = &self.articulation.joints()[joint];
            let free = match joint.kind {
                JointKind::Prismatic { .. } => max_radius,
                _ => std::f64::consts::PI,
            };
            let [lower, upper] = joint.limits.unwrap_or([-free, free]);
            lower + (upper - lower) * fraction([seed, u64::from(index), at as u64])
        };
        self.articulation.coordinates().iter().enumerate().map(of_coordinate).collect()
    }
}
