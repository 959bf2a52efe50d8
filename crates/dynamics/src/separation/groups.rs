//! Groups of bodies connected by joints, which move as one.

use std::collections::{BTreeMap, BTreeSet};

use crate::description::BodyKind;
use crate::world::World;

/// Mobility of bodies in a separation: those that are fixed, and weights of the displacements of others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mobility {
    /// Names of dynamic bodies that stay where they are.
    pub fixed: BTreeSet<String>,
    /// Weights of bodies by name, 1 by default: a body of twice the weight moves half as far.
    pub weights: BTreeMap<String, f64>,
}

/// Groups of bodies that move as one.
pub(super) struct Groups {
    /// Indices of the bodies of each group, in order; the groups in the order of their first bodies.
    pub(super) members: Vec<Vec<usize>>,
    /// Weight of each group: the sum over its bodies; `None` where one of them is fixed.
    pub(super) weights: Vec<Option<f64>>,
}

impl Groups {
    pub(super) fn of(world: &World, mobility: &Mobility) -> Self {
        let bodies = world.descriptions();
        let mut first = (0..bodies.len()).collect::<Vec<_>>();
        for [a, b] in world.jointed() {
            let (group, merged) = (first[a].min(first[b]), first[a].max(first[b]));
            first.iter_mut().filter(|other| **other == merged).for_each(|other| *other = group);
        }
        let leaders = (0..bodies.len()).filter(|&body| first[body] == body);
        let members =
            leaders.map(|leader| (leader..bodies.len()).filter(|&body| first[body] == leader).collect());
        let members = members.collect::<Vec<Vec<usize>>>();
        let weight = |&body: &usize| {
            let name = &bodies[body].name;
            let moves = bodies[body].kind == BodyKind::Dynamic && !mobility.fixed.contains(name);
            moves.then(|| mobility.weights.get(name).copied().unwrap_or(1.0))
        };
        let weights = members.iter().map(|group| group.iter().map(weight).sum()).collect();
        Self { members, weights }
    }
}
