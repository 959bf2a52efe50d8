//! Traces of queries: the free configurations of the walks, and the walks step by step.

use nalgebra::{Isometry3, Vector3};

use super::answer::Penetration;
use super::coherence::CoherentStarts;
use super::options::TranslationalOptions;
use super::query::{Beside, search};
use super::steps::{Trace, WalkContact, WalkStepKind};
use super::walk::{ContactSpace, Optimum};
use crate::penetration::error::PenetrationError;
use crate::proximity::model::Model;

/// As [`penetration`](super::penetration), bit for bit, with a record of its walks.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::penetration::{TranslationalOptions, penetration_traced};
/// use extricate_core::proximity::Model;
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.6, 0.1, 0.0));
/// let options = TranslationalOptions::default();
/// let (found, trace) = penetration_traced((&cube, &here), (&cube, &there), &options)?;
/// let depth = found.expect("they overlap").depth;
/// assert!(trace.walks.iter().any(|walk| walk.kept && (walk.depth - depth).abs() < 1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`penetration`](super::penetration).
pub fn penetration_traced(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    options: &TranslationalOptions,
) -> Result<(Option<Penetration>, Trace), PenetrationError> {
    let mut trace = Trace::default();
    let beside = Beside { trace: Some(&mut trace), ..Beside::default() };
    let found = search((a, pose_a), (b, pose_b), (options, CoherentStarts::default()), beside)?;
    Ok((found, trace))
}

impl ContactSpace<'_> {
    /// Records the start of a walk.
    #[inline]
    pub(super) fn trace_start(&mut self, start: &Vector3<f64>) {
        let source = self.source;
        if let Some(trace) = &mut self.trace {
            trace.begin(source, start);
        }
    }

    /// Records a step of the walk, which led to `q`.
    #[inline]
    pub(super) fn trace_step(&mut self, kind: WalkStepKind, q: &Vector3<f64>) {
        if self.trace.is_some() {
            self.record_step(kind, q);
        }
    }

    #[cold]
    fn record_step(&mut self, kind: WalkStepKind, q: &Vector3<f64>) {
        let contacts = self.local_contact_space().contacts_at(q, self.clearance());
        let contacts =
            contacts.map(|(_, [moved, point], normal)| WalkContact { point, moved, normal }).collect();
        if let Some(trace) = &mut self.trace {
            trace.add(kind, q, contacts);
        }
    }

    /// Records the end of a walk that had to be nearer than `within` [m].
    #[inline]
    pub(super) fn trace_end(&mut self, optimum: &Optimum, within: f64) {
        if let Some(trace) = &mut self.trace {
            trace.end(&optimum.q, optimum.touching.norm(), within);
        }
    }
}

#[cfg(test)]
mod tests;
