//! What may move, and how dear its motion is, by name.

use std::collections::{BTreeMap, BTreeSet};

use super::error::RepairError;
use extricate_core::kinematics::Articulation;
use extricate_core::penetration::generalized::Mover;

/// What stays and what is dear to move, by name: of joints, of links (all joints that carry them, and the base), of bases and
/// of bodies.
///
/// What a name means is told by what it is put to: a robot alone knows its joints, its links and `base`; one of a scene
/// `robot/joint`, `robot/link` and, as its base, `robot`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Freedom {
    /// What stays where it is.
    pub fixed: BTreeSet<String>,
    /// How many times the motion counts, one where nothing is said.
    pub weights: BTreeMap<String, f64>,
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Target {
    /// Joints that move of themselves.
    pub(super) joints: Vec<String>,
    /// Whether the base is meant as well.
    pub(super) base: bool,
}

impl Freedom {
    /// The names that are mentioned.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.fixed.iter().chain(self.weights.keys())
    }

    /// Whether every weight is one.
    pub(super) fn check(&self) -> Result<(), RepairError> {
        let bad = self.weights.iter().find(|(_, weight)| !(**weight > 0.0 && weight.is_finite()));
        bad.map_or(Ok(()), |(name, &weight)| Err(RepairError::BadWeight { name: name.clone(), weight }))
    }

    /// Puts it to a mover, whose names `target` knows; others are left alone. Returns whether the base is fixed.
    pub(super) fn put(
        &self,
        mover: &mut Mover,
        target: impl Fn(&str) -> Option<Target>,
    ) -> Result<bool, RepairError> {
        let mut base_is_fixed = false;
        let refused = |error| RepairError::Search(Box::new(error));
        for name in &self.fixed {
            let Some(target) = target(name) else { continue };
            target.joints.iter().try_for_each(|joint| mover.fix(joint)).map_err(refused)?;
            base_is_fixed |= target.base;
        }
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        let mut of_base = 1.0;
        for (name, &weight) in &self.weights {
            let Some(target) = target(name) else { continue };
            for joint in target.joints {
                *weights.entry(joint).or_insert(1.0) *= weight;
            }
            of_base *= if target.base { weight } else { 1.0 };
        }
        weights.iter().try_for_each(|(joint, &weight)| mover.weigh(joint, weight)).map_err(refused)?;
        mover.weigh_base(of_base).map_err(refused)?;
        if base_is_fixed {
            mover.fix_base();
        }
        Ok(base_is_fixed)
    }
}

/// What the name of a joint, of a link or of the base means in an articulation; a joint comes before a link.
pub(super) fn target(articulation: &Articulation, name: &str, base: &str) -> Option<Target> {
    if name == base {
        return Some(Target { joints: Vec::new(), base: true });
    }
    let joints = articulation.joints();
    let follows = |joint: usize| {
        let (number, ..) = articulation.dependence(joint)?;
        Some(joints[articulation.coordinates()[number]].name.clone())
    };
    if let Some(joint) = joints.iter().position(|joint| joint.name == name) {
        return Some(Target { joints: follows(joint).into_iter().collect(), base: false });
    }
    let link = articulation.link(name)?;
    let chain = std::iter::successors(Some(link), |&link| articulation.parent(link));
    let mut carriers: Vec<_> =
        chain.filter_map(|link| articulation.carrier(link)).filter_map(follows).collect();
    carriers.sort();
    carriers.dedup();
    Some(Target { joints: carriers, base: true })
}

/// The names that [`target`] knows.
pub(super) fn known(articulation: &Articulation) -> Vec<String> {
    let joints = articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.clone());
    joints.chain(articulation.links().iter().cloned()).collect()
}
