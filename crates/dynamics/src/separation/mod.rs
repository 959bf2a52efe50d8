//! Bodies of a world taken apart by small translations: [`extricate_core::penetration::separate`] over every kind of shape.
//!
//! Dynamic bodies move, others stay. Bodies that joints tie together move as one, so that no joint is violated; where
//! one of them cannot move, none does. Orientations stay.

mod groups;
mod pairs;

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Vector3;
use thiserror::Error;

use self::groups::Groups;
use self::pairs::WorldPairs;
use super::World;
use extricate_core::penetration::n_bodies::separate_pairs;
use extricate_core::penetration::{PenetrationError, Separation, SeparationError, SeparationOptions};

/// Which bodies move, and how dear their motion is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mobility {
    /// Names of dynamic bodies that stay where they are.
    pub fixed: BTreeSet<String>,
    /// Weights of bodies by name, one where nothing is said: a body of twice the weight moves half as far.
    pub weights: BTreeMap<String, f64>,
}

/// Bodies of a world taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct BodySeparation {
    /// Translations of the bodies that move [m, world], by name.
    pub moved: BTreeMap<String, Vector3<f64>>,
    /// Sum of the lengths of all translations [m].
    pub total_displacement: f64,
    /// Least distance of two bodies that count as a pair [m]; infinite where there is none.
    pub clearance: f64,
    /// Rounds made.
    pub rounds: u32,
    /// Pair queries made.
    pub queries: u64,
}

/// Why bodies of a world could not be taken apart.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum BodySeparationError {
    /// A name that no body bears.
    #[error("there is no body named `{name}`; there are: {}", .known.join(", "))]
    UnknownBody {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A weight is no weight.
    #[error("the weight of `{name}` is {weight}, but must be finite and above 0")]
    BadWeight {
        /// Name of the body.
        name: String,
        /// The weight.
        weight: f64,
    },
    /// A distance of the options makes no sense.
    #[error("the {what} is {value} m, but must be finite and not below 0")]
    BadDistance {
        /// Which one.
        what: &'static str,
        /// Its value [m].
        value: f64,
    },
    /// The penetration of a pair could not be established.
    #[error("`{}` and `{}`: {source}", .bodies[0], .bodies[1])]
    Pair {
        /// Names of two bodies; of bodies that move as one the first.
        bodies: [String; 2],
        /// Why.
        source: PenetrationError,
    },
    /// No translations were found that take all bodies apart.
    #[error("no arrangement without overlaps was found: {} still overlap", told(.overlapping))]
    NotSeparated {
        /// The best arrangement found.
        best: Box<BodySeparation>,
        /// Names of pairs that overlap in it; of bodies that move as one the first.
        overlapping: Vec<[String; 2]>,
    },
    /// A body would have to move farther than the options allow.
    #[error("`{name}` would move {distance} m, farther than {limit} m")]
    TooFar {
        /// Name of the body.
        name: String,
        /// How far [m].
        distance: f64,
        /// How far it may [m].
        limit: f64,
        /// The arrangement.
        best: Box<BodySeparation>,
    },
}

fn told(pairs: &[[String; 2]]) -> String {
    pairs.iter().map(|[a, b]| format!("`{a}` and `{b}`")).collect::<Vec<_>>().join(", ")
}

impl World {
    /// Small translations of dynamic bodies after which no pair of [`World::penetrations`] overlaps.
    ///
    /// Two bodies that a joint exempts from contacts are no pair. What overlaps and cannot move apart (two bodies that
    /// `mobility` fixes, or that joints tie together) is an error with everything else taken apart. What only touches is
    /// left alone.
    ///
    /// ```
    /// use extricate_dynamics::{BodyDescription, BodyKind, Mobility, Shape, World, WorldOptions};
    /// use extricate_core::penetration::SeparationOptions;
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// let mut builder = World::builder(WorldOptions::default());
    /// let (ground, ball) = (Shape::HalfSpace { normal: Vector3::z_axis() }, Shape::Ball { radius: 0.1 });
    /// builder.add_body(BodyDescription::new("ground", BodyKind::Fixed, ground, Isometry3::identity()))?;
    /// let sunk = Isometry3::translation(0.0, 0.0, 0.04);
    /// builder.add_body(BodyDescription::new("ball", BodyKind::Dynamic, ball, sunk))?;
    /// let found = builder.build()?.separate(&Mobility::default(), &SeparationOptions::default())?;
    /// assert!((found.moved["ball"] - Vector3::new(0.0, 0.0, 0.06)).norm() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BodySeparationError`], with the best arrangement found where no separating one was.
    pub fn separate(
        &self,
        mobility: &Mobility,
        options: &SeparationOptions,
    ) -> Result<BodySeparation, BodySeparationError> {
        self.check(mobility)?;
        let groups = Groups::of(self, mobility);
        let pairs = WorldPairs::new(self, &groups);
        let name = |group: usize| self.descriptions()[groups.members[group][0]].name.clone();
        let answer = match separate_pairs(&pairs, options) {
            Ok(found) => Ok(self.by_name(&groups, &found)),
            Err(error) => Err(self.in_words(&groups, error, &name)),
        };
        let stuck = pairs.overlaps_that_cannot_move();
        if stuck.is_empty() {
            return answer;
        }
        let in_order = stuck.iter().map(|pair| pair.map(|body| self.descriptions()[body].name.clone()));
        let mut overlapping = in_order.collect::<Vec<_>>();
        let best = match answer {
            Ok(best) => Box::new(best),
            Err(BodySeparationError::NotSeparated { best, overlapping: others }) => {
                overlapping.extend(others);
                best
            }
            Err(other) => return Err(other),
        };
        Err(BodySeparationError::NotSeparated { best, overlapping })
    }

    fn check(&self, mobility: &Mobility) -> Result<(), BodySeparationError> {
        let known = || self.descriptions().iter().map(|body| body.name.clone()).collect::<Vec<_>>();
        let named = mobility.fixed.iter().chain(mobility.weights.keys());
        for name in named {
            if self.body(name).is_none() {
                return Err(BodySeparationError::UnknownBody { name: name.clone(), known: known() });
            }
        }
        let bad = mobility.weights.iter().find(|(_, weight)| !(**weight > 0.0 && weight.is_finite()));
        bad.map_or(Ok(()), |(name, &weight)| {
            Err(BodySeparationError::BadWeight { name: name.clone(), weight })
        })
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
    fn in_words(
        &self,
        groups: &Groups,
        error: SeparationError,
        name: &dyn Fn(usize) -> String,
    ) -> BodySeparationError {
        match error {
            SeparationError::NotSeparated { best, overlaps } => BodySeparationError::NotSeparated {
                best: Box::new(self.by_name(groups, &best)),
                overlapping: overlaps.iter().map(|overlap| overlap.bodies.map(name)).collect(),
            },
            SeparationError::TooFar { body, distance, limit, best } => BodySeparationError::TooFar {
                name: name(body),
                distance,
                limit,
                best: Box::new(self.by_name(groups, &best)),
            },
            SeparationError::Pair { bodies, source } => {
                BodySeparationError::Pair { bodies: bodies.map(name), source }
            }
            SeparationError::BadDistance { what, value } => BodySeparationError::BadDistance { what, value },
            // Poses and weights of a world have been checked, and fixed bodies are no pair of it.
            SeparationError::PoseNotFinite { body, pose } => BodySeparationError::Pair {
                bodies: [name(body), name(body)],
                source: PenetrationError::PoseNotFinite { body: 'A', pose },
            },
            SeparationError::BadWeight { body, weight } => {
                BodySeparationError::BadWeight { name: name(body), weight }
            }
            SeparationError::FixedOverlap { bodies } => BodySeparationError::NotSeparated {
                best: Box::default(),
                overlapping: vec![bodies.map(name)],
            },
        }
    }
}

impl Default for BodySeparation {
    fn default() -> Self {
        Self {
            moved: BTreeMap::new(),
            total_displacement: 0.0,
            clearance: f64::INFINITY,
            rounds: 0,
            queries: 0,
        }
    }
}
