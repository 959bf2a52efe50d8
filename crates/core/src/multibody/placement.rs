//! A multibody in a configuration: poses, motion subspaces and inertias of its links.

use nalgebra::{Isometry3, Vector3};

use super::model::Multibody;
use super::spatial::{RigidInertia, SpatialVector};

/// A multibody in a configuration. It is made once and [placed](Multibody::place) again without an allocation.
#[derive(Debug, Clone, Default)]
pub struct Placement {
    /// Link → world.
    pub(super) poses: Vec<Isometry3<f64>>,
    /// From the origin of the parent to that of the link [m, world axes]; of the base's links from the base's origin.
    pub(super) offsets: Vec<Vector3<f64>>,
    /// Columns of the motion subspaces, one for each velocity.
    pub(super) subspaces: Vec<SpatialVector>,
    /// Inertias of the links about their origins.
    pub(super) inertias: Vec<RigidInertia>,
}

impl Placement {
    /// Poses of the links, link → world.
    #[must_use]
    pub fn poses(&self) -> &[Isometry3<f64>] {
        &self.poses
    }

    /// From the origin of the parent, or of the base, to that of each link [m, world axes].
    #[must_use]
    pub fn offsets(&self) -> &[Vector3<f64>] {
        &self.offsets
    }

    /// Inertias of the links about their origins, world axes.
    #[must_use]
    pub fn inertias(&self) -> &[RigidInertia] {
        &self.inertias
    }

    /// Motion, of each velocity, of the link whose joint has it: reference at the link's origin.
    #[must_use]
    pub fn subspaces(&self) -> &[SpatialVector] {
        &self.subspaces
    }
}

impl Multibody {
    /// Places the links in a configuration, with the base at `base` → world.
    ///
    /// # Panics
    /// When the configuration is too short.
    pub fn place(&self, base: &Isometry3<f64>, q: &[f64], placement: &mut Placement) {
        let count = self.links().len();
        placement.poses.resize(count, Isometry3::identity());
        placement.offsets.resize(count, Vector3::zeros());
        placement.inertias.resize(count, RigidInertia::ZERO);
        placement.subspaces.resize(self.freedoms(), SpatialVector::ZERO);
        for (index, link) in self.links().iter().enumerate() {
            let parent = link.parent.map_or(*base, |parent| placement.poses[parent]);
            let frame = parent * link.origin;
            let pose = frame * link.joint.transform(&q[self.coordinates_of(index)]);
            let rotation = pose.rotation.to_rotation_matrix();
            let moments = rotation.matrix() * link.inertia * rotation.matrix().transpose();
            placement.inertias[index] = RigidInertia::about(link.mass, &(rotation * link.center), &moments);
            link.joint.subspace(&frame.rotation, &mut placement.subspaces[self.freedoms_of(index)]);
            placement.offsets[index] = pose.translation.vector - parent.translation.vector;
            placement.poses[index] = pose;
        }
    }

    /// Motions of the links at velocities: references at their origins.
    ///
    /// # Panics
    /// When the velocities are too short.
    pub fn velocities(&self, placement: &Placement, v: &[f64], motions: &mut Vec<SpatialVector>) {
        motions.resize(self.links().len(), SpatialVector::ZERO);
        for (index, link) in self.links().iter().enumerate() {
            let parent = link.parent.map_or(SpatialVector::ZERO, |parent| motions[parent]);
            let mut motion = parent.motion_at(&placement.offsets[index]);
            for freedom in self.freedoms_of(index) {
                motion += placement.subspaces[freedom] * v[freedom];
            }
            motions[index] = motion;
        }
    }

    /// Momentum of a link in a motion: angular about its centre of mass, linear.
    ///
    /// # Panics
    /// When there is no such link.
    #[must_use]
    pub fn momentum(&self, placement: &Placement, link: usize, motion: &SpatialVector) -> SpatialVector {
        let about_origin = placement.inertias[link].times(motion);
        let center = placement.poses[link].rotation * self.links()[link].center;
        about_origin.force_from(&-center)
    }

    /// Kinetic energy \[J\], that of the armatures included, at motions of the links and velocities.
    ///
    /// # Panics
    /// When a slice is too short.
    #[must_use]
    pub fn kinetic_energy(&self, placement: &Placement, motions: &[SpatialVector], v: &[f64]) -> f64 {
        let links = placement
            .inertias
            .iter()
            .zip(motions)
            .map(|(inertia, motion)| motion.dot(&inertia.times(motion)));
        let rotors = self.links().iter().enumerate().map(|(index, link)| {
            link.armature * self.freedoms_of(index).map(|freedom| v[freedom] * v[freedom]).sum::<f64>()
        });
        0.5 * (links.sum::<f64>() + rotors.sum::<f64>())
    }
}
