//! Inverse dynamics by the recursive Newton–Euler algorithm [Featherstone08 §5.3], with accelerations of material points.
//!
//! A child's origin is at r from its parent's, and v_c − v_p = ω_p × r + S_v v̇: with ' for the parent,
//! ω̇ = ω̇' + S_ω v̇ + ω' × S_ω v,  v̇ = v̇' + ω̇' × r + ω' × (v − v') + S_v v̇ + ω' × S_v v.

use nalgebra::Vector3;

use super::model::Multibody;
use super::placement::Placement;
use super::spatial::SpatialVector;

/// Intermediate results of a recursion over the links.
#[derive(Debug, Clone, Default)]
pub struct Recursion {
    /// Motions of the links.
    pub motions: Vec<SpatialVector>,
    /// Accelerations of the links without those of their own joints' accelerations.
    pub(super) accelerations: Vec<SpatialVector>,
    /// Forces that the joints transmit to the links.
    pub forces: Vec<SpatialVector>,
}

impl Multibody {
    /// Acceleration of a link that its velocity causes, besides those of its parent and of its joint's v̇.
    pub(super) fn velocity_product(
        &self,
        placement: &Placement,
        (link, motions): (usize, &[SpatialVector]),
        v: &[f64],
    ) -> SpatialVector {
        let Some(parent) = self.links()[link].parent else { return SpatialVector::ZERO };
        let (own, parent) = (&motions[link], &motions[parent]);
        let mut joint = SpatialVector::ZERO;
        for freedom in self.freedoms_of(link) {
            joint += placement.subspaces[freedom] * v[freedom];
        }
        SpatialVector {
            angular: parent.angular.cross(&joint.angular),
            linear: parent.angular.cross(&(own.linear - parent.linear + joint.linear)),
        }
    }

    /// Force on a link that its velocity needs: gyroscopic and centrifugal.
    ///
    /// # Panics
    /// When there is no such link.
    #[must_use]
    pub fn velocity_force(placement: &Placement, link: usize, motion: &SpatialVector) -> SpatialVector {
        let (inertia, omega) = (&placement.inertias[link], &motion.angular);
        SpatialVector {
            angular: omega.cross(&(inertia.moments * omega)),
            linear: omega.cross(&omega.cross(&inertia.first_moment)),
        }
    }

    /// Forces of the joints in a motion: H v̇ + c, with gravity as the acceleration of free fall `gravity` [m/s²], less the
    /// `external` forces on the links (references at their origins), if any.
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn inverse_dynamics(
        &self,
        placement: &Placement,
        [v, acceleration]: [&[f64]; 2],
        (gravity, external): (&Vector3<f64>, &[SpatialVector]),
        recursion: &mut Recursion,
        forces: &mut [f64],
    ) {
        self.velocities(placement, v, &mut recursion.motions);
        let Recursion { motions, accelerations, forces: on_links } = recursion;
        accelerations.clear();
        on_links.clear();
        for (index, link) in self.links().iter().enumerate() {
            let base = SpatialVector::new(Vector3::zeros(), -gravity);
            let parent = link.parent.map_or(base, |parent| accelerations[parent]);
            let mut own = parent.motion_at(&placement.offsets[index])
                + self.velocity_product(placement, (index, motions), v);
            for freedom in self.freedoms_of(index) {
                own += placement.subspaces[freedom] * acceleration[freedom];
            }
            let outside = external.get(index).copied().unwrap_or(SpatialVector::ZERO);
            let velocity_force = Self::velocity_force(placement, index, &motions[index]);
            on_links.push(placement.inertias[index].times(&own) + velocity_force - outside);
            accelerations.push(own);
        }
        self.transmit(placement, on_links, forces);
        for (index, link) in self.links().iter().enumerate() {
            for freedom in self.freedoms_of(index) {
                forces[freedom] += link.armature * acceleration[freedom];
            }
        }
    }

    /// Forces of the joints that transmit forces on the links (references at their origins) from the base: Σ Jᵀ f. The forces on the links
    /// become those that their joints transmit.
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn transmit(&self, placement: &Placement, on_links: &mut [SpatialVector], forces: &mut [f64]) {
        for (index, link) in self.links().iter().enumerate().rev() {
            let force = on_links[index];
            for freedom in self.freedoms_of(index) {
                forces[freedom] = placement.subspaces[freedom].dot(&force);
            }
            if let Some(parent) = link.parent {
                on_links[parent] += force.force_from(&placement.offsets[index]);
            }
        }
    }
}
