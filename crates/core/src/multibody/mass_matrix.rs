//! Mass matrix by composite rigid bodies [Featherstone08 §6.2].

use nalgebra::DMatrix;

use super::model::Multibody;
use super::placement::Placement;
use super::spatial::RigidInertia;

impl Multibody {
    /// Inertias of the links with all that they carry, as if its joints were rigid, about their origins.
    pub fn composite_inertias(&self, placement: &Placement, composites: &mut Vec<RigidInertia>) {
        composites.clone_from(&placement.inertias);
        for (index, link) in self.links().iter().enumerate().rev() {
            if let Some(parent) = link.parent {
                let shifted = composites[index].shifted(&placement.offsets[index]);
                composites[parent] += shifted;
            }
        }
    }

    /// Mass matrix H: kinetic energy = ½ vᵀ H v; symmetric, armatures on the diagonal.
    #[must_use]
    pub fn mass_matrix(&self, placement: &Placement) -> DMatrix<f64> {
        let mut composites = Vec::new();
        self.composite_inertias(placement, &mut composites);
        let mut matrix = DMatrix::zeros(self.freedoms(), self.freedoms());
        for (index, link) in self.links().iter().enumerate() {
            for column in self.freedoms_of(index) {
                let mut force = composites[index].times(&placement.subspaces[column]);
                for row in self.freedoms_of(index) {
                    matrix[(row, column)] = placement.subspaces[row].dot(&force);
                }
                matrix[(column, column)] += link.armature;
                let mut at = index;
                while let Some(parent) = self.links()[at].parent {
                    force = force.force_from(&placement.offsets[at]);
                    for row in self.freedoms_of(parent) {
                        let entry = placement.subspaces[row].dot(&force);
                        (matrix[(row, column)], matrix[(column, row)]) = (entry, entry);
                    }
                    at = parent;
                }
            }
        }
        matrix
    }
}
