//! Numbers at the nodes and in the elements of soft bodies, for pictures and plots: depths, depths of contact, stresses;
//! and their contacts one by one.

use nalgebra::{Matrix3, Point3, Unit};

use super::SoftWorld;
use super::world::body_of;
use crate::soft::contact::Contact;
use crate::{World, WorldContact};

impl World {
    /// Depth of every node of a soft body under its surface at rest [m], ≥ 0 and zero on the surface: the material
    /// distance that contact goes by, as [`NodeDepths`](super::NodeDepths) asked for it. One for each of
    /// [`World::soft_positions`].
    #[must_use]
    pub fn soft_depths(&self, name: &str) -> Option<&[f64]> {
        Some(&self.soft.as_ref()?.depths[self.soft_index(name)?])
    }

    /// Greatest depth [m], ≥ 0, of the contacts that each node of a soft body takes part in at the end of the last
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

    /// Von Mises stress of every element of a soft body [Pa], ≥ 0: √(3/2 s:s) with s the deviator of the Cauchy stress,
    /// of a quadratic element at its centroid, damping left out. Not finite where an element is flat. In the order of
    /// the body's tetrahedra.
    #[must_use]
    pub fn soft_stress(&self, name: &str) -> Option<Vec<f64>> {
        let soft = self.soft.as_ref()?;
        let body = self.soft_index(name)?;
        let (elements, x) = (&soft.system.bodies()[body], soft.system.positions_of(body));
        Some((0..elements.element_count()).map(|e| von_mises(&elements.cauchy(e, x))).collect())
    }

    /// Von Mises stress at every node of a soft body [Pa]: the mean of the elements around it, weighted by their volumes
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
}

impl SoftWorld {
    /// The contacts at the end of the last step, the body whose point it is in front.
    pub(crate) fn world_contacts(&self) -> impl Iterator<Item = WorldContact> + '_ {
        self.contact.last_contacts().iter().filter_map(|contact: &Contact| {
            Some(WorldContact {
                bodies: [self.contact.owner(contact.probe), contact.field].map(body_of),
                point: Point3::from(contact.point),
                normal: Unit::try_new(-contact.gradient, 0.0)?,
                depth: contact.depth,
                force: contact.force().norm(),
            })
        })
    }
}

/// √(3/2 s:s), s = σ − tr σ/3.
fn von_mises(cauchy: &Matrix3<f64>) -> f64 {
    let deviator = cauchy - Matrix3::from_diagonal_element(cauchy.trace() / 3.0);
    (1.5 * deviator.norm_squared()).sqrt()
}
