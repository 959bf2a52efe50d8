//! Nodes and edges in elements of their own body that are excluded from self-contact because they are near at rest.
//!
//! Where a crushed body is folded so tightly that such a node gets into elements that are not excluded, it is at once as deep as it
//! was in the excluded ones. Up to that depth the pressure is linear, so that hardly any energy appears with the contact.

use serde::{Deserialize, Serialize};

use super::point::Probe;

/// Depths of folded nodes and edges in their own body [m], ascending by probe.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Folds(pub(super) Vec<(Probe, f64)>);

impl Folds {
    /// The depth up to which the pressure of a probe within its body is linear [m]: that of an edge at least that of its ends.
    pub(super) fn depth_of(&self, probe: Probe) -> f64 {
        if self.0.is_empty() {
            return 0.0;
        }
        let own = depth_of(&self.0, probe).unwrap_or(0.0);
        match probe {
            Probe::Edge(first, second) => {
                let ends = [first, second].map(|end| depth_of(&self.0, Probe::Node(end)).unwrap_or(0.0));
                ends.into_iter().fold(own, f64::max)
            }
            Probe::Node(_) | Probe::Sample { .. } => own,
        }
    }
}

/// The depth of a probe in a list that ascends.
pub(super) fn depth_of(list: &[(Probe, f64)], probe: Probe) -> Option<f64> {
    list.binary_search_by_key(&probe, |entry| entry.0).ok().map(|at| list[at].1)
}
