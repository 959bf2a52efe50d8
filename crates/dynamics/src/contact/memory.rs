//! Memory of a pair of shapes from step to step, and the buffers of its contacts.

use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use super::clearance::Clearance;
use super::local_separation::LocalSeparation;
use super::mesh_shape::MeshShape;
use super::point::ContactPoint;
use super::reduction::{Choice, ChoiceState, Selected};
use super::separation::Group;
use crate::stateful::{Mismatch, Stateful};
use extricate_core::proximity::contacts::{CoreFinder, FeatureFront};

/// Memory of a pair of shapes with a mesh in it.
#[derive(Clone, Default)]
pub(super) struct PairMemory {
    /// Pose second → first in the last step.
    pub(super) last_pose: Option<Isometry3<f64>>,
    /// The last pose, second → first, at which the pair was free.
    pub(super) free_pose: Option<Isometry3<f64>>,
    /// Translation of the second shape [m], frame of the first, that separated the pair in the last step.
    pub(super) separation: Option<Vector3<f64>>,
    /// Proxy mesh of the primitive of this pair.
    pub(super) proxy: Option<Arc<MeshShape>>,
    /// Groups of contacts that touch or overlap.
    pub(super) groups: Vec<Group>,
    /// Contacts of this step.
    pub(super) contacts: Vec<ContactPoint>,
    /// Pairs of triangles that intersect.
    pub(super) intersecting: Vec<[u32; 2]>,
    /// Those of them that the local contacts do not separate.
    pub(super) unseparated: Vec<[u32; 2]>,
    /// Those that intersect after a trial translation.
    pub(super) still_intersecting: Vec<[u32; 2]>,
    /// The search for contacts of a ball or a capsule.
    pub(super) cores: CoreFinder,
    /// The search for features at the present pose, and at the pose that separates.
    pub(super) front: FeatureFront,
    /// See `front`.
    pub(super) front_apart: FeatureFront,
    /// Proof that there is nothing to search for.
    pub(super) clearance: Clearance,
    /// Local separation test of the overlap.
    pub(super) local_separation: LocalSeparation,
    /// The choice of contacts for the solver.
    pub(super) choice: Choice,
}

impl PairMemory {
    /// The contacts, and those chosen for the solver.
    pub(super) fn chosen(&self) -> (&[ContactPoint], &[Selected]) {
        (&self.contacts, &self.choice.selected)
    }
}

/// State of a pair of shapes. Searches and proofs are not part of it: they are caches whose results equal those of new
/// ones. Nor are the contacts, which the next step replaces.
#[derive(Serialize, Deserialize)]
pub(super) struct PairState {
    last_pose: Option<Isometry3<f64>>,
    free_pose: Option<Isometry3<f64>>,
    separation: Option<Vector3<f64>>,
    choice: ChoiceState,
}

impl Stateful for PairMemory {
    type State = PairState;

    fn snapshot(&self) -> PairState {
        let Self { last_pose, free_pose, separation, choice, .. } = self;
        PairState {
            last_pose: *last_pose,
            free_pose: *free_pose,
            separation: *separation,
            choice: choice.snapshot(),
        }
    }

    fn restore(&mut self, state: PairState) -> Result<(), Mismatch> {
        (self.last_pose, self.free_pose, self.separation) =
            (state.last_pose, state.free_pose, state.separation);
        self.choice.restore(state.choice)
    }
}
