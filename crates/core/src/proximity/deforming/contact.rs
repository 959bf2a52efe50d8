//! Contacts of deforming models, and options of their queries.

use nalgebra::Point3;

use super::elementary::contact::{ElementaryContact, ElementaryOptions};
use super::model::DeformingModel;

/// How a query of deforming meshes is answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeformingOptions {
    /// Of the elementary tests.
    pub elementary: ElementaryOptions,
    /// Whether regions that provably cannot reach themselves are skipped in a query of self-collision.
    pub normal_cones: bool,
}

impl Default for DeformingOptions {
    fn default() -> Self {
        Self { elementary: ElementaryOptions::default(), normal_cones: true }
    }
}

/// Two features in contact, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Features {
    /// A vertex of A and a triangle of B, or of one mesh.
    VertexFace {
        /// Vertex of A.
        vertex: u32,
        /// Triangle of B.
        face: u32,
    },
    /// A triangle of A and a vertex of B; of two different meshes only.
    FaceVertex {
        /// Triangle of A.
        face: u32,
        /// Vertex of B.
        vertex: u32,
    },
    /// An edge of A and one of B, or of one mesh the lower one first; see [`DeformingModel::edges`].
    EdgeEdge {
        /// The edges.
        edges: [u32; 2],
    },
}

/// The first contact of two features during a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeformingContact {
    /// Which features.
    pub features: Features,
    /// When and where on them.
    pub contact: ElementaryContact,
}

impl DeformingContact {
    /// The closest points of the features at the time of contact [m, world], of A and of B; for a contact of one model
    /// with itself, give it twice.
    ///
    /// # Panics
    /// When the contact is not one of these models.
    #[must_use]
    pub fn witnesses(&self, a: &DeformingModel, b: &DeformingModel) -> [Point3<f64>; 2] {
        let at = |model: &DeformingModel, i: u32| model.vertex_at(i, self.contact.time);
        let [u, v] = self.contact.parameters;
        let on_face = |model: &DeformingModel, face: u32| {
            let [p, q, r] = model.triangles()[face as usize].map(|i| at(model, i));
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
