//! Soft bodies of a world: states, nodes, loads, and fields at the nodes and in the elements for pictures and plots.

use nalgebra::{Matrix3, Point3, Vector3};

use super::data::World;
use crate::soft::bodies::description::SoftBodyDescription;
use crate::soft::bodies::state::{SoftBodyState, SoftLoad, SoftOverlap};
use crate::soft::bodies::world::{SoftWorld, bodies_of};
use crate::state::AnyBody;

impl World {
    /// The soft bodies as they were described, sorted by name.
    #[must_use]
    pub fn soft_descriptions(&self) -> &[SoftBodyDescription] {
        self.soft.as_ref().map_or(&[], |soft| &soft.described)
    }

    /// States of all soft bodies, sorted by name.
    #[must_use]
    pub fn soft_bodies(&self) -> Vec<SoftBodyState> {
        let states = |soft: &SoftWorld| (0..soft.described.len()).map(|i| soft.state(i)).collect();
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

    /// Present overlaps, each pair once: of soft bodies with each other, with themselves and with rigid ones. Bodies that
    /// rest on each other overlap slightly.
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

    /// Load of the soft bodies on a rigid one in the last step. `None` where there is no such body, or no soft one.
    ///
    /// On fixed and kinematic bodies it is that of contacts, friction and attachments at the end of the step.
    #[must_use]
    pub fn soft_load(&self, body: &str) -> Option<SoftLoad> {
        let index = self.index_of(body)?;
        Some(self.soft.as_ref()?.load_on(index))
    }

    /// Name of a body.
    ///
    /// # Panics
    /// When there is no body of that index.
    #[must_use]
    pub fn name_of(&self, body: AnyBody) -> &str {
        match body {
            AnyBody::Soft(index) => &self.soft_descriptions()[index].name,
            AnyBody::Rigid(index) => &self.descriptions()[index].name,
        }
    }

    /// Depth of every node of a soft body under its surface \[m\], ≥ 0 and zero on the surface, as contact uses it: at rest,
    /// or where it was last updated as set by [`NodeDepths`](crate::NodeDepths). One for each of
    /// [`World::soft_positions`].
    #[must_use]
    pub fn soft_depths(&self, name: &str) -> Option<&[f64]> {
        Some(&self.soft.as_ref()?.depths[self.soft_index(name)?])
    }

    /// Maximum depth \[m\], ≥ 0, of the contacts that each node of a soft body takes part in at the end of the last
    /// step: as a point that is inside another body, as an end of an edge that is, or as a corner of an element that
    /// another body's point is in. Zero where nothing touches. One for each of [`World::soft_positions`].
    #[must_use]
    pub fn soft_contact_depths(&self, name: &str) -> Option<Vec<f64>> {
        let soft = self.soft.as_ref()?;
        let blocks = soft.system.blocks_of(self.soft_index(name)?);
        let mut depths = vec![0.0_f64; blocks.len()];
        for contact in soft.contact.last_contacts() {
            for block in contact.soft_blocks().filter(|block| blocks.contains(block)) {
                let depth = &mut depths[block - blocks.start];
                *depth = depth.max(contact.depth);
            }
        }
        Some(depths)
    }

    /// Von Mises stress of every element of a soft body \[Pa\], ≥ 0: √(3/2 s:s) with s the deviator of the Cauchy stress,
    /// of a quadratic element at its centroid, damping left out. Not finite where an element is flat. In the order of
    /// the body's tetrahedra.
    #[must_use]
    pub fn soft_stress(&self, name: &str) -> Option<Vec<f64>> {
        let soft = self.soft.as_ref()?;
        let body = self.soft_index(name)?;
        let (elements, x) = (&soft.system.bodies()[body], soft.system.positions_of(body));
        Some((0..elements.element_count()).map(|e| von_mises(&elements.cauchy(e, x))).collect())
    }

    /// Von Mises stress at every node of a soft body \[Pa\]: the mean of the elements around it, weighted by their volumes
    /// at rest; flat elements are left out, and a node with no other has zero. One for each of
    /// [`World::soft_positions`].
    #[must_use]
    pub fn soft_node_stress(&self, name: &str) -> Option<Vec<f64>> {
        let stresses = self.soft_stress(name)?;
        let elements = &self.soft.as_ref()?.system.bodies()[self.soft_index(name)?];
        let mut sums = vec![[0.0; 2]; elements.node_count()];
        for (element, stress) in stresses.into_iter().enumerate().filter(|(_, stress)| stress.is_finite()) {
            let volume = elements.rest_volume(element);
            for &node in elements.nodes_of(element) {
                sums[node as usize][0] += volume * stress;
                sums[node as usize][1] += volume;
            }
        }
        Some(sums.into_iter().map(|[sum, volume]| if volume > 0.0 { sum / volume } else { 0.0 }).collect())
    }

    pub(crate) fn soft_index(&self, name: &str) -> Option<usize> {
        self.soft_descriptions().binary_search_by(|body| body.name.as_str().cmp(name)).ok()
    }
}

/// √(3/2 s:s), s = σ − tr σ/3.
fn von_mises(cauchy: &Matrix3<f64>) -> f64 {
    let deviator = cauchy - Matrix3::from_diagonal_element(cauchy.trace() / 3.0);
    (1.5 * deviator.norm_squared()).sqrt()
}
