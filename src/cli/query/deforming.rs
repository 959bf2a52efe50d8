//! Meshes whose vertices move on straight lines from one file to another, for the kinds of queries that take them.

use std::path::Path;

use nalgebra::Isometry3;
use serde::Serialize;

use super::super::access;
use super::super::failure::{Exit, Failure};
use super::coordinates;
use extricate_core::geometry::TriangleMesh;
use extricate_core::proximity::deforming::{DeformingContact, DeformingModel, Features};

/// A mesh, and where its vertices are at the end.
#[derive(Debug)]
pub(super) struct Deforming {
    start: TriangleMesh,
    end: TriangleMesh,
    /// Its tree, made once.
    model: DeformingModel,
}

/// The first contact of deforming meshes, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct FeatureContact {
    time: f64,
    points: [[f64; 3]; 2],
    gap: f64,
    features: [Feature; 2],
    certain: bool,
}

/// A feature of a mesh, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Feature {
    Vertex(u32),
    Triangle(u32),
    /// By its vertices.
    Edge([u32; 2]),
}

impl Deforming {
    /// A mesh that moves to the vertices of the file `end`, or not at all.
    pub(super) fn new(start: TriangleMesh, end: Option<&Path>) -> Result<Self, Failure> {
        let bad = |error: &dyn std::error::Error| Failure::of(Exit::BadFile, error);
        let mut model = DeformingModel::new(&start).map_err(|error| bad(&error))?;
        let end = match end {
            None => start.clone(),
            Some(path) => {
                let end = access::mesh(path).map_err(|error| bad(&error))?;
                let unlike = |error| Failure::new(Exit::BadFile, format!("{}: {error}", path.display()));
                model.move_to_mesh(&end).map_err(unlike)?;
                end
            }
        };
        Ok(Self { start, end, model })
    }

    /// The mesh on its way from one pose to another.
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
    /// The contact of two models; of one with itself when they are the same.
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

    pub(super) fn time(&self) -> f64 {
        self.time
    }

    pub(super) fn points(&self) -> &[[f64; 3]; 2] {
        &self.points
    }

    pub(super) fn features(&self) -> [String; 2] {
        self.features.map(|feature| match feature {
            Feature::Vertex(i) => format!("vertex {i}"),
            Feature::Triangle(i) => format!("triangle {i}"),
            Feature::Edge([i, j]) => format!("edge {i}–{j}"),
        })
    }
}
