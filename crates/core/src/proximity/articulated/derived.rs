//! Which links of a robot may collide with one another, derived from the robot itself.
//!
//! Neighbours overlap at their joint by construction, and simplified shapes may overlap whatever the robot does: a pair
//! that collides in the start and in every one of many seeded configurations says nothing about the motion, and its
//! contacts would only fight the joints. Every other pair is a collision.

use nalgebra::Isometry3;
use rayon::prelude::*;

use super::link_pairs::AllowedCollisions;
use super::model::ArticulatedModel;
use crate::geometry::random::share;
use crate::kinematics::articulation::joint::JointKind;
use crate::kinematics::error::RobotError;

/// How a list of allowed collisions is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// Configurations besides the start in which a pair must collide to be allowed.
    pub configurations: u32,
    /// Seed of the configurations: the same seed gives the same list.
    pub seed: u64,
}

impl Default for Sampling {
    /// 200 configurations. A pair that can come free in one of a hundred is missed with a chance of 13 %, in one of
    /// twenty with 4 in 100 000.
    fn default() -> Self {
        Self { configurations: 200, seed: 0 }
    }
}

/// Why two links may collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AllowedBecause {
    /// One carries the other, with nothing that has a shape in between, or no joint moves between them.
    Adjacent,
    /// They collide in the start and in every one of so many seeded configurations.
    AlwaysColliding {
        /// Number of seeded configurations.
        configurations: u32,
    },
    /// Whoever put the robot together said so.
    Given,
}

/// The pairs of links that may collide, each with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DerivedCollisions {
    /// Pairs that may collide, the lower index first, with the first reason that holds; sorted.
    pub allowed: Vec<([usize; 2], AllowedBecause)>,
    /// Other pairs that collide in the start: they are pushed apart.
    pub at_start: Vec<[usize; 2]>,
}

impl ArticulatedModel {
    /// Which links may collide with one another: neighbours, pairs that `given` names, and pairs that collide in the
    /// configuration `start` and in every one of many seeded ones within the limits of the joints. A joint without limits
    /// turns by up to half a turn, or slides by up to the greatest radius of a link.
    ///
    /// ```
    /// use extricate_core::geometry::Solidity;
    /// use extricate_core::geometry::procedural::{Procedural, Sphere};
    /// use extricate_core::kinematics::{Articulation, Joint, JointKind};
    /// use extricate_core::proximity::{AllowedBecause, ArticulatedModel, Sampling};
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// // Three balls on a shaft: each turns on the one before, and the first and the last always overlap.
    /// let ball = Sphere { radius: 1.0, ..Sphere::default() }.mesh()?;
    /// let turn = |name: &str, parent: &str, child: &str| {
    ///     Joint::new(name, parent, child, JointKind::Revolute { axis: Vector3::z() })
    ///         .at(Isometry3::translation(0.0, 0.0, 0.5))
    /// };
    /// let links = ["a", "b", "c"].map(String::from).to_vec();
    /// let shaft = Articulation::new(links, vec![turn("ab", "a", "b"), turn("bc", "b", "c")])?;
    /// let shaft = ArticulatedModel::new(shaft, vec![Some(ball.clone()), Some(ball.clone()), Some(ball)], Solidity::Solid);
    /// let derived = shaft.derive_allowed(&[0.0, 0.0], &[], Sampling::default())?;
    /// let always = AllowedBecause::AlwaysColliding { configurations: 200 };
    /// let expected = [([0, 1], AllowedBecause::Adjacent), ([0, 2], always), ([1, 2], AllowedBecause::Adjacent)];
    /// assert_eq!(derived.allowed, expected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RobotError::Length`] and [`RobotError::NotFinite`] when the start is no configuration.
    pub fn derive_allowed(
        &self,
        start: &[f64],
        given: &[[usize; 2]],
        sampling: Sampling,
    ) -> Result<DerivedCollisions, RobotError> {
        let adjacent = AllowedCollisions::adjacent(self);
        let mut known = adjacent.clone();
        given.iter().for_each(|&[a, b]| known.allow(a, b));
        let at_start = self.self_collisions(start, &Isometry3::identity(), &known)?;
        let mut always = at_start.clone();
        for index in 0..sampling.configurations {
            if always.is_empty() {
                break;
            }
            let configuration = self.sampled(sampling.seed, index);
            always = self.still_colliding(&always, &configuration)?;
        }
        let reason = |pair: [usize; 2]| {
            let is_adjacent = adjacent.contains(pair[0], pair[1]);
            (pair, if is_adjacent { AllowedBecause::Adjacent } else { AllowedBecause::Given })
        };
        let mut allowed: Vec<_> = known.iter().map(reason).collect();
        let configurations = sampling.configurations;
        let because = AllowedBecause::AlwaysColliding { configurations };
        allowed.extend(always.iter().map(|&pair| (pair, because)));
        allowed.sort_unstable();
        let at_start = at_start.into_iter().filter(|pair| !always.contains(pair)).collect();
        Ok(DerivedCollisions { allowed, at_start })
    }

    /// Those of the pairs that collide in a configuration.
    fn still_colliding(
        &self,
        pairs: &[[usize; 2]],
        configuration: &[f64],
    ) -> Result<Vec<[usize; 2]>, RobotError> {
        let poses = self.articulation.link_poses(configuration, &Isometry3::identity())?;
        Ok(pairs.par_iter().copied().filter(|&pair| self.collide_at(pair, &poses)).collect())
    }

    /// A configuration within the limits, the same for the same seed and index on every machine.
    fn sampled(&self, seed: u64, index: u32) -> Vec<f64> {
        let reach = self.models.iter().flatten().map(crate::proximity::Model::radius).fold(0.0, f64::max);
        let of_coordinate = |(at, &joint): (usize, &usize)| {
            let joint = &self.articulation.joints()[joint];
            let free = match joint.kind {
                JointKind::Prismatic { .. } => reach,
                _ => std::f64::consts::PI,
            };
            let [lower, upper] = joint.limits.unwrap_or([-free, free]);
            lower + (upper - lower) * share([seed, u64::from(index), at as u64])
        };
        self.articulation.coordinates().iter().enumerate().map(of_coordinate).collect()
    }
}
