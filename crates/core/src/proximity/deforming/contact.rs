//! Contacts of deforming models, and options of their queries.

use std::time::Duration;

use nalgebra::Point3;

use super::elementary::contact::{ElementaryContact, ElementaryOptions};
use super::model::DeformingModel;

/// Options of queries of deforming meshes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeformingOptions {
    /// Options of the elementary tests.
    pub elementary: ElementaryOptions,
    /// Whether regions that are proved free of self-collision are skipped in self-collision queries.
    pub normal_cones: bool,
    /// Time after which a query ends with an error unless its answer is known; `None` for no end.
    pub time_budget: Option<Duration>,
}

impl Default for DeformingOptions {
    fn default() -> Self {
        Self { elementary: ElementaryOptions::default(), normal_cones: true, time_budget: None }
    }
}

/// Pair of features in contact, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Features {
    /// Vertex of A and triangle of B, or both of one mesh.
    VertexFace {
        /// Vertex of A.
        vertex: u32,
        /// Triangle of B.
        face: u32,
    },
    /// Triangle of A and vertex of B; only for two different meshes.
    FaceVertex {
        /// Triangle of A.
        face: u32,
        /// Vertex of B.
        vertex: u32,
    },
    /// Edge of A and edge of B, or both of one mesh with the lower one first; see [`DeformingModel::edges`].
    EdgeEdge {
        /// Edge indices.
        edges: [u32; 2],
    },
}

/// First contact of two features during a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeformingContact {
    /// Features in contact.
    pub features: Features,
    /// Time of contact and position on the features.
    pub contact: ElementaryContact,
}

impl DeformingContact {
    /// Witness points of the features at the time of contact, on A and on B [m, world]; for a self-contact pass the
    /// model twice.
    ///
    /// # Panics
    /// When the contact does not belong to these models.
    #[must_use]
    pub fn witnesses(&self, a: &DeformingModel, b: &DeformingModel) -> [Point3<f64>; 2] {
        let at = |model: &DeformingModel, i: u32| model.vertex_at(i, self.contact.time);
        let [u, v] = self.contact.parameters;
        let on_face = |model: &DeformingModel, face: u32| {
            let [p, q, r] = model.triangles()[face as usize].map(|i| at(model, i));
            // Barycentric weights of the second and third corner.
            p + u * (q - p) + v * (r - p)
        };
        let on_edge = |model: &DeformingModel, edge: u32, along: f64| {
            let [p, q] = model.edges()[edge as usize].map(|i| at(model, i));
            p + along * (q - p)
        };
        match self.features {
            Features::VertexFace { vertex, face } => [at(a, vertex), on_face(b, face)],
            Features::FaceVertex { face, vertex } => [on_face(a, face), at(b, vertex)],
            Features::EdgeEdge { edges: [i, j] } => [on_edge(a, i, u), on_edge(b, j, v)],
        }
    }
}
