//! Shapes preprocessed for a search among rigid motions.

use std::sync::Arc;

use nalgebra::Isometry3;

use super::error::QueryError;
use super::posed::{Part, Posed};
use super::shape::Shape;
use crate::kinematics::Articulation;
use crate::penetration::generalized::{
    self, Base, CollisionWorld, GeneralizedCoherence, GeneralizedError, GeneralizedOptions,
    GeneralizedPenetration, MovableModel, Obstacle,
};
use crate::penetration::object_norm::{Extent, ObjectNorm};
use crate::proximity::AllowedCollisions;

/// A movable model and obstacles in the frame of B's first part, which makes the result independent of the common pose.
#[derive(Debug, Clone)]
pub(super) struct RelativeWorld {
    shapes: Vec<Shape>,
    collision_world: CollisionWorld,
    /// Distance [m] by which polyhedra extend beyond the round shapes that they replace.
    pub(super) approximation: f64,
}

impl RelativeWorld {
    pub(super) fn new(a: &Part, b: &Posed) -> Result<Self, QueryError> {
        let mut approximation = 0.0_f64;
        let shapes: Vec<_> = std::iter::once(a).chain(b.parts()).map(|part| part.shape.clone()).collect();
        // Convex pieces meet triangles only by a polyhedron: its excess matters as soon as one shape has no pieces.
        let all_pieces = shapes.iter().all(|shape| shape.searchable().convex_pieces().is_some());
        let mut searched =
            shapes.iter().map(|shape| match (!all_pieces).then(|| shape.triangles()).flatten() {
                Some(triangles) => {
                    approximation = approximation.max(triangles.excess);
                    generalized::Shape::of_model(Arc::clone(&triangles.model))
                }
                None => shape.searchable(),
            });
        let movable = movable(a, searched.next().expect("the first shape is that of A"))?;
        let obstacles = searched.map(|shape| Obstacle { shape, pose: Isometry3::identity() }).collect();
        let collision_world = CollisionWorld::new(vec![movable], obstacles)?;
        Ok(Self { shapes, collision_world, approximation })
    }

    /// Whether it was built from these shapes.
    pub(super) fn are_of(&self, a: &Part, b: &Posed) -> bool {
        let parts = std::iter::once(a).chain(b.parts());
        self.shapes.len() == 1 + b.parts().len()
            && self.shapes.iter().zip(parts).all(|(shape, part)| shape.is_clone_of(part.shape))
    }

    /// Searches among rigid motions, with poses in the frame of B's first part.
    pub(super) fn search(
        &mut self,
        a: &Part,
        b: &Posed,
        options: &GeneralizedOptions,
        coherence: &mut GeneralizedCoherence,
    ) -> Result<Option<GeneralizedPenetration>, GeneralizedError> {
        let frame = b.part(0).pose;
        for (index, part) in b.parts().enumerate().skip(1) {
            self.collision_world.place(index, frame.inv_mul(&part.pose));
        }
        let start = [(frame.inverse() * a.pose).into()];
        self.collision_world.penetration_coherent(&start, options, coherence)
    }
}

/// A rigid body; the motion of a rounded shape without closed-form moments is measured by the polyhedron around it.
fn movable(a: &Part, shape: generalized::Shape) -> Result<MovableModel, QueryError> {
    let articulation = Articulation::new(vec![String::from("A")], Vec::new())?;
    let allowed = AllowedCollisions::default();
    let made =
        MovableModel::new(articulation.clone(), vec![Some(shape.clone())], allowed.clone(), Base::Floating);
    let Some(triangles) = made.is_err().then(|| a.shape.triangles()).flatten() else { return Ok(made?) };
    let extent = Extent::of_mesh(triangles.model.mesh(), triangles.model.solidity());
    let norm = extent.and_then(|extent| ObjectNorm::new(&articulation, vec![Some(extent)]));
    Ok(MovableModel::with_norm(norm?, vec![Some(shape)], allowed, Base::Floating))
}
