//! Separation of the bodies of a world.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::groups::{Groups, Mobility};
use super::pairs::WorldPairs;
use crate::error::BuildError;
use crate::state::BodySeparation;
use crate::world::World;
use extricate_core::penetration::n_bodies::separate_pairs;
use extricate_core::penetration::{Separation, SeparationError, SeparationOptions, default_clearance};
use extricate_core::proximity::ProximityError;

impl World {
    /// Small translations of dynamic bodies after which no pair of [`World::penetrations`] overlaps.
    ///
    /// Two bodies that a joint exempts from contacts are not a pair. Overlaps of bodies that cannot be separated (two that
    /// `mobility` fixes, or that joints connect) are an error with all others separated. Bodies that only touch are not
    /// moved.
    ///
    /// ```
    /// use extricate_dynamics::{BodyDescription, BodyKind, Mobility, Shape, World, WorldOptions};
    /// use extricate_core::penetration::SeparationOptions;
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// let mut builder = World::builder(WorldOptions::default());
    /// let (ground, ball) = (Shape::half_space(), Shape::ball(0.1));
    /// builder.add_body(BodyDescription::new("ground", BodyKind::Fixed, ground, Isometry3::identity()))?;
    /// let sunk = Isometry3::translation(0.0, 0.0, 0.04);
    /// builder.add_body(BodyDescription::new("ball", BodyKind::Dynamic, ball, sunk))?;
    /// let found = builder.build()?.separate(&Mobility::default(), &SeparationOptions::default())?;
    /// assert!((found.moved["ball"] - Vector3::new(0.0, 0.0, 0.06)).norm() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError`], with the best translations found where none separate all bodies.
    pub fn separate(
        &self,
        mobility: &Mobility,
        options: &SeparationOptions,
    ) -> Result<BodySeparation, BuildError> {
        self.check(mobility)?;
        let groups = Groups::of(self, mobility);
        self.separate_pairs(&groups, &WorldPairs::new(self, &groups, None), options)
    }

    /// As [`World::separate`], with the clearance that [`default_clearance`] states for the largest body that may move, which
    /// other collision libraries accept. Pairs that are nearer than that without overlapping may remain there: what rests on
    /// something is not lifted, and free bodies are not moved. Where there is no room for the clearance, it is zero. The
    /// clearance of the options is not used.
    ///
    /// # Errors
    /// As [`World::separate`].
    pub fn separate_clearly(
        &self,
        mobility: &Mobility,
        options: &SeparationOptions,
    ) -> Result<BodySeparation, BuildError> {
        self.check(mobility)?;
        let groups = Groups::of(self, mobility);
        let moving = groups.members.iter().zip(&groups.weights).filter(|(_, weight)| weight.is_some());
        let radius = |&body: &usize| self.descriptions()[body].shape.bounding_radius();
        let radii = moving.flat_map(|(members, _)| members.iter().map(radius));
        let largest = radii.filter(|radius| radius.is_finite()).fold(0.0, f64::max);
        let clear = SeparationOptions { clearance: default_clearance(2.0 * largest), ..*options };
        let pairs = WorldPairs::new(self, &groups, Some(clear.clearance));
        match self.separate_pairs(&groups, &pairs, &clear) {
            // Some bodies cannot get so far from each other.
            Err(BuildError::NotSeparated { .. } | BuildError::TooFar { .. }) => {
                self.separate(mobility, &SeparationOptions { clearance: 0.0, ..*options })
            }
            found => found,
        }
    }

    fn separate_pairs(
        &self,
        groups: &Groups,
        pairs: &WorldPairs<'_>,
        options: &SeparationOptions,
    ) -> Result<BodySeparation, BuildError> {
        let name = |group: usize| self.descriptions()[groups.members[group][0]].name.clone();
        let answer = match separate_pairs(pairs, options) {
            Ok(found) => Ok(self.by_name(groups, &found)),
            Err(error) => Err(self.with_names(groups, error, &name)),
        };
        let stuck = pairs.overlaps_that_cannot_move();
        if stuck.is_empty() {
            return answer;
        }
        let in_order = stuck.iter().map(|pair| pair.map(|body| self.descriptions()[body].name.clone()));
        let mut overlapping = in_order.collect::<Vec<_>>();
        let best = match answer {
            Ok(best) => Box::new(best),
            Err(BuildError::NotSeparated { best, overlapping: others }) => {
                overlapping.extend(others);
                best
            }
            Err(other) => return Err(other),
        };
        Err(BuildError::NotSeparated { best, overlapping })
    }

    fn check(&self, mobility: &Mobility) -> Result<(), BuildError> {
        let known = || self.descriptions().iter().map(|body| body.name.clone()).collect::<Vec<_>>();
        let named = mobility.fixed.iter().chain(mobility.weights.keys());
        for name in named {
            if self.body(name).is_none() {
                return Err(BuildError::NoSuchBody { name: name.clone(), known: known() });
            }
        }
        let bad = mobility.weights.iter().find(|(_, weight)| !(**weight > 0.0 && weight.is_finite()));
        bad.map_or(Ok(()), |(name, &weight)| Err(BuildError::BadWeight { name: name.clone(), weight }))
    }

    fn by_name(&self, groups: &Groups, found: &Separation) -> BodySeparation {
        let mut moved = BTreeMap::new();
        for (members, translation) in groups.members.iter().zip(&found.translations) {
            if *translation != Vector3::zeros() {
                moved.extend(members.iter().map(|&i| (self.descriptions()[i].name.clone(), *translation)));
            }
        }
        BodySeparation {
            total_displacement: moved.values().map(Vector3::norm).fold(0.0, |sum, norm| sum + norm),
            moved,
            clearance: found.clearance,
            rounds: found.rounds,
            queries: found.queries,
        }
    }

    /// The error with names in the place of indices.
    fn with_names(
        &self,
        groups: &Groups,
        error: SeparationError,
        name: &dyn Fn(usize) -> String,
    ) -> BuildError {
        match error {
            SeparationError::NotSeparated { best, overlaps } => BuildError::NotSeparated {
                best: Box::new(self.by_name(groups, &best)),
                overlapping: overlaps.iter().map(|overlap| overlap.bodies.map(name)).collect(),
            },
            SeparationError::TooFar { body, distance, limit, best } => BuildError::TooFar {
                name: name(body),
                distance,
                limit,
                best: Box::new(self.by_name(groups, &best)),
            },
            SeparationError::Pair { bodies, source } => {
                BuildError::Pair { bodies: bodies.map(name), source: Box::new(source) }
            }
            SeparationError::BadDistance { what, value } => BuildError::BadDistance { what, value },
            // Poses and weights of a world have been checked, and two fixed bodies are not a pair of it.
            SeparationError::PoseNotFinite { body, pose } => BuildError::Pair {
                bodies: [name(body), name(body)],
                source: Box::new(ProximityError::PoseNotFinite { body: 'A', pose }.into()),
            },
            SeparationError::BadWeight { body, weight } => BuildError::BadWeight { name: name(body), weight },
            SeparationError::FixedOverlap { bodies } => {
                BuildError::NotSeparated { best: Box::default(), overlapping: vec![bodies.map(name)] }
            }
        }
    }
}
