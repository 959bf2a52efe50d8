//! Meshes whose vertices move on straight lines from one file to another, for the kinds of queries that take them.

use std::path::Path;

use nalgebra::{Isometry3, Point3};
use serde::Serialize;

use super::super::failure::{Exit, Failure};
use super::coordinates;
use crate::geometry::TriangleMesh;
use crate::geometry::read::read_mesh;
use crate::proximity::deforming::{DeformingContact, DeformingModel, Features};

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
                let end = read_mesh(path).map_err(|error| bad(&error))?;
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
        let (time, [s, t]) = (found.contact.time, found.contact.parameters);
        // A triangle takes both parameters; of two edges the first one takes one, the second one the other.
        let points = [
            features[0].point(a, time, [s, t]),
            features[1].point(b, time, if matches!(features[1], Feature::Edge(_)) { [t, t] } else { [s, t] }),
        ];
        Self {
            time,
            points: coordinates(&points),
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

impl Feature {
    /// A point of the feature at a time: an edge at the fraction `s`, a triangle at the weights `s` and `t` of its
    /// second and third corner.
    fn point(self, model: &DeformingModel, time: f64, [s, t]: [f64; 2]) -> Point3<f64> {
        let at = |i: u32| {
            let (start, end) = (&model.start()[i as usize], &model.end()[i as usize]);
            start + (end - start) * time
        };
        match self {
            Self::Vertex(i) => at(i),
            Self::Edge([i, j]) => at(i) + (at(j) - at(i)) * s,
            Self::Triangle(face) => {
                let [i, j, k] = model.triangles()[face as usize];
                at(i) + (at(j) - at(i)) * s + (at(k) - at(i)) * t
            }
        }
    }
}
