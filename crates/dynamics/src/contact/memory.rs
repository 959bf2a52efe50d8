//! What is remembered of a pair of shapes from step to step, and the buffers of its contacts.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};
use serde::{Deserialize, Serialize};

use super::MeshShape;
use super::explanation::Explanation;
use super::kept::Memory;
use super::reduction::{Choice, KeptChoice, Selected};
use super::separation::Group;
use extricate_core::proximity::contacts::{CoreFinder, Feature, FeatureFront};

/// A contact for the solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ContactPoint {
    /// The point on the second shape [m], frame of the first.
    pub(super) point: Point3<f64>,
    /// Unit normal from the first shape to the second, frame of the first.
    pub(super) normal: Vector3<f64>,
    /// Signed distance along the normal [m].
    pub(super) distance: f64,
    /// What touches what.
    pub(super) features: [Feature; 2],
}

/// What is remembered of a pair of shapes.
#[derive(Clone, Default)]
pub(super) struct PairMemory {
    /// Pose second → first in the last step.
    pub(super) last_pose: Option<Isometry3<f64>>,
    /// The last pose, second → first, at which the pair was free.
    pub(super) free_pose: Option<Isometry3<f64>>,
    /// Translation of the second shape [m], frame of the first, that separated the pair in the last step.
    pub(super) separation: Option<Vector3<f64>>,
    /// The mesh that stands for the primitive of this pair.
    pub(super) proxy: Option<Arc<MeshShape>>,
    /// Groups of contacts that touch or overlap.
    pub(super) groups: Vec<Group>,
    /// Contacts of this step.
    pub(super) contacts: Vec<ContactPoint>,
    /// Pairs of triangles that intersect.
    pub(super) intersecting: Vec<[u32; 2]>,
    /// Those of them that the local contacts do not take apart.
    pub(super) unexplained: Vec<[u32; 2]>,
    /// Those that intersect after a trial translation.
    pub(super) still_intersecting: Vec<[u32; 2]>,
    /// The search for contacts of a ball or a capsule.
    pub(super) cores: CoreFinder,
    /// The search for features at the present pose, and at the pose that separates.
    pub(super) front: FeatureFront,
    /// See `front`.
    pub(super) front_apart: FeatureFront,
    /// What was proved of the overlap.
    pub(super) explanation: Explanation,
    /// The choice of contacts for the solver.
    pub(super) choice: Choice,
}

impl PairMemory {
    /// The contacts, and those chosen for the solver.
    pub(super) fn chosen(&self) -> (&[ContactPoint], &[Selected]) {
        (&self.contacts, &self.choice.selected)
    }
}

/// What of a pair's memory decides contacts to come. The searches and what was proved of the overlap answer as if they were
/// made anew, and so they are; the contacts are those of the next step by then.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptPair {
    last_pose: Option<Isometry3<f64>>,
    free_pose: Option<Isometry3<f64>>,
    separation: Option<Vector3<f64>>,
    choice: KeptChoice,
}

impl Memory for PairMemory {
    type Kept = KeptPair;

    fn kept(&self) -> KeptPair {
        let Self { last_pose, free_pose, separation, choice, .. } = self;
        KeptPair {
            last_pose: *last_pose,
            free_pose: *free_pose,
            separation: *separation,
            choice: choice.kept(),
        }
    }

    fn of_kept(kept: KeptPair) -> Self {
        let KeptPair { last_pose, free_pose, separation, choice } = kept;
        Self { last_pose, free_pose, separation, choice: Choice::of_kept(choice), ..Self::default() }
    }
}
