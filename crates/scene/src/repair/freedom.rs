//! Fixed parts, and weights of the motion of others, by name.

use std::collections::{BTreeMap, BTreeSet};

use super::error::RepairError;
use extricate_core::kinematics::Articulation;
use extricate_core::penetration::generalized::MovableModel;

/// Fixed parts, and weights of motion, by name: of joints, of links (all joints that carry them, and the base), of bases and
/// of bodies.
///
/// The meaning of a name depends on the model: a robot alone knows its joints, its links and `base`; one of a scene
/// `robot/joint`, `robot/link` and, as its base, `robot`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Freedom {
    /// Names of fixed parts.
    pub fixed: BTreeSet<String>,
    /// Factors of the cost of motion, by name; one by default.
    pub weights: BTreeMap<String, f64>,
}

/// The coordinates that a name refers to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Target {
    /// Independent joints, which mimic no other.
    pub(super) joints: Vec<String>,
    /// Whether the base is included.
    pub(super) base: bool,
}

impl Freedom {
    /// All names.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.fixed.iter().chain(self.weights.keys())
    }

    /// Checks that all weights are finite and positive.
    pub(super) fn check(&self) -> Result<(), RepairError> {
        let bad = self.weights.iter().find(|(_, weight)| !(**weight > 0.0 && weight.is_finite()));
        bad.map_or(Ok(()), |(name, &weight)| Err(RepairError::BadWeight { name: name.clone(), weight }))
    }

    /// Applies it to a movable model, whose names `target` resolves; other names are ignored. Returns whether the base is fixed.
    pub(super) fn apply(
        &self,
        movable: &mut MovableModel,
        target: impl Fn(&str) -> Option<Target>,
    ) -> Result<bool, RepairError> {
        let mut base_is_fixed = false;
        let refused = |error| RepairError::Search(Box::new(error));
        for name in &self.fixed {
            let Some(target) = target(name) else { continue };
            target.joints.iter().try_for_each(|joint| movable.fix(joint)).map_err(refused)?;
            base_is_fixed |= target.base;
        }
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        let mut of_base = 1.0;
        for (name, &weight) in &self.weights {
            let Some(target) = target(name) else { continue };
            // A joint that several names refer to has the product of their weights.
            for joint in target.joints {
                *weights.entry(joint).or_insert(1.0) *= weight;
            }
            of_base *= if target.base { weight } else { 1.0 };
        }
        weights.iter().try_for_each(|(joint, &weight)| movable.weigh(joint, weight)).map_err(refused)?;
        movable.weigh_base(of_base).map_err(refused)?;
        if base_is_fixed {
            movable.fix_base();
        }
        Ok(base_is_fixed)
    }
}

/// The coordinates of a joint, of a link or of the base of an articulation; a joint takes precedence over a link.
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
    // A link refers to every joint between it and the root, and to the base.
    let chain = std::iter::successors(Some(link), |&link| articulation.parent(link));
    let mut carriers: Vec<_> =
        chain.filter_map(|link| articulation.parent_joint(link)).filter_map(follows).collect();
    carriers.sort();
    carriers.dedup();
    Some(Target { joints: carriers, base: true })
}

/// The names that [`target`] resolves.
pub(super) fn known(articulation: &Articulation) -> Vec<String> {
    let joints = articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.clone());
    joints.chain(articulation.links().iter().cloned()).collect()
}
