//! What a world tells of its soft bodies.

use nalgebra::{Point3, Vector3};

use super::world::bodies_of;
use super::{AnyBody, SoftBodyDescription, SoftBodyState, SoftLoad, SoftOverlap};
use crate::World;

impl World {
    /// The soft bodies as they were described, sorted by name.
    #[must_use]
    pub fn soft_descriptions(&self) -> &[SoftBodyDescription] {
        self.soft.as_ref().map_or(&[], |soft| &soft.described)
    }

    /// States of all soft bodies, sorted by name.
    #[must_use]
    pub fn soft_bodies(&self) -> Vec<SoftBodyState> {
        let states = |soft: &super::SoftWorld| (0..soft.described.len()).map(|i| soft.state(i)).collect();
        self.soft.as_deref().map_or_else(Vec::new, states)
    }

    /// State of one soft body.
    #[must_use]
    pub fn soft_body(&self, name: &str) -> Option<SoftBodyState> {
        Some(self.soft.as_ref()?.state(self.soft_index(name)?))
    }

    /// Nodes of a soft body [m, world]: those of its mesh, then the middles of the edges where its elements are quadratic.
    #[must_use]
    pub fn soft_positions(&self, name: &str) -> Option<&[Vector3<f64>]> {
        Some(self.soft.as_ref()?.system.positions_of(self.soft_index(name)?))
    }

    /// Velocities of the same nodes [m/s, world].
    #[must_use]
    pub fn soft_velocities(&self, name: &str) -> Option<&[Vector3<f64>]> {
        let system = &self.soft.as_ref()?.system;
        Some(&system.v[system.blocks_of(self.soft_index(name)?)])
    }

    /// What overlaps now, each pair once: soft bodies with each other, with themselves and with rigid ones. Bodies that
    /// rest on each other overlap a little.
    #[must_use]
    pub fn soft_overlaps(&self) -> Vec<SoftOverlap> {
        let Some(soft) = &self.soft else { return Vec::new() };
        let named = soft.overlaps.iter().map(|overlap| SoftOverlap {
            bodies: bodies_of(overlap).map(|body| self.name_of(body).to_owned()),
            depth: overlap.depth,
            point: Point3::from(overlap.point),
            count: overlap.count,
        });
        named.collect()
    }

    /// What the soft bodies did to a rigid one in the last step. None where there is no such body, or no soft one.
    ///
    /// Of fixed and kinematic bodies it is what contacts and friction did at the end of the step; attachments to them hold
    /// nodes in place and are not in it.
    #[must_use]
    pub fn soft_load(&self, body: &str) -> Option<SoftLoad> {
        let index = self.descriptions().binary_search_by(|other| other.name.as_str().cmp(body)).ok()?;
        Some(self.soft.as_ref()?.partners[index].load)
    }

    /// Name of a body.
    ///
    /// # Panics
    /// When there is none of that index.
    #[must_use]
    pub fn name_of(&self, body: AnyBody) -> &str {
        match body {
            AnyBody::Soft(index) => &self.soft_descriptions()[index].name,
            AnyBody::Rigid(index) => &self.descriptions()[index].name,
        }
    }

    pub(crate) fn soft_index(&self, name: &str) -> Option<usize> {
        self.soft_descriptions().binary_search_by(|body| body.name.as_str().cmp(name)).ok()
    }
}
