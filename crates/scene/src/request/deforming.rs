//! Deforming meshes, whose vertices move on straight lines from the positions of one file to those of another.

use std::path::Path;

use nalgebra::Isometry3;
use schemars::JsonSchema;
use serde::Serialize;

use super::access::Access;
use super::fault::{Class, Fault};
use super::reply::coordinates;
use extricate_core::geometry::TriangleMesh;
use extricate_core::proximity::deforming::{DeformingContact, DeformingModel, Features};

/// A mesh with the start and end positions of its vertices.
#[derive(Debug)]
pub(super) struct Deforming {
    start: TriangleMesh,
    end: TriangleMesh,
    /// Its tree, built once.
    model: DeformingModel,
}

/// The first contact of deforming meshes, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FeatureContact {
    /// Time of the first contact: the motion is proved free up to here.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub time: f64,
    /// Closest points of the features at that time \[m\].
    pub points: [[f64; 3]; 2],
    /// Distance of the features at that time \[m\].
    #[schemars(range(min = 0.0))]
    pub gap: f64,
    /// The features that touch, 0-based: a vertex and a triangle, or two edges by their vertices.
    pub features: [Feature; 2],
    /// Whether the features come within the tolerance; false where the search ended at its bound on work.
    pub certain: bool,
}

/// A feature of a mesh, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// A vertex.
    Vertex(u32),
    /// A triangle.
    Triangle(u32),
    /// An edge, by its vertices.
    Edge([u32; 2]),
}

impl Deforming {
    /// A mesh whose vertices move to those of the file `end`, or stay where there is none.
    pub(super) fn new(start: TriangleMesh, end: Option<&Path>, access: &Access) -> Result<Self, Fault> {
        let bad = |error: &dyn std::error::Error| Fault::of(Class::BadFile, error);
        let mut model = DeformingModel::new(&start).map_err(|error| bad(&error))?;
        let end = match end {
            None => start.clone(),
            Some(path) => {
                let end = access.mesh(path).map_err(|error| bad(&error))?;
                let unlike = |error| Fault::new(Class::BadFile, format!("{}: {error}", path.display()));
                model.move_to_mesh(&end).map_err(unlike)?;
                end
            }
        };
        Ok(Self { start, end, model })
    }

    /// The mesh, deforming while it moves from one pose to another.
    pub(super) fn moved(
        &mut self,
        from: &Isometry3<f64>,
        to: &Isometry3<f64>,
    ) -> Result<&DeformingModel, String> {
        let placed = |mesh: &TriangleMesh, pose: &Isometry3<f64>| {
            mesh.vertices().iter().map(|p| pose * p).collect::<Vec<_>>()
        };
        let (start, end) = (placed(&self.start, from), placed(&self.end, to));
        self.model.set_motion(&start, &end).map_err(|error| error.to_string())?;
        Ok(&self.model)
    }
}

impl FeatureContact {
    /// The contact of two models, or of one with itself where `a` and `b` are the same.
    pub(super) fn new(found: &DeformingContact, a: &DeformingModel, b: &DeformingModel) -> Self {
        let features = match found.features {
            Features::VertexFace { vertex, face } => [Feature::Vertex(vertex), Feature::Triangle(face)],
            Features::FaceVertex { face, vertex } => [Feature::Triangle(face), Feature::Vertex(vertex)],
            Features::EdgeEdge { edges: [i, j] } => {
                [Feature::Edge(a.edges()[i as usize]), Feature::Edge(b.edges()[j as usize])]
            }
        };
        Self {
            time: found.contact.time,
            points: coordinates(&found.witnesses(a, b)),
            gap: found.contact.distance,
            features,
            certain: found.contact.certain,
        }
    }

    /// The features as text.
    pub(super) fn feature_names(&self) -> [String; 2] {
        self.features.map(|feature| match feature {
            Feature::Vertex(i) => format!("vertex {i}"),
            Feature::Triangle(i) => format!("triangle {i}"),
            Feature::Edge([i, j]) => format!("edge {i}–{j}"),
        })
    }
}
