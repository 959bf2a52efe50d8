//! Soft bodies as a judge sees them: where their nodes are, how fast they move, curves inside them.

use nalgebra::{Point3, Vector3};

use super::measure::{distance_outside, worse};
use crate::scene::schema::Region;
use crate::state::SoftState;
use extricate_core::field::embedding::Embedding;
use extricate_dynamics::SoftBodyDescription;

/// Radius [m] of the ball round a soft body's middle at rest that holds its nodes.
pub(in crate::scene) fn soft_size(body: &SoftBodyDescription) -> f64 {
    let bounds = body.mesh.aabb();
    let middle = nalgebra::center(&bounds.min, &bounds.max);
    body.mesh.nodes().iter().map(|p| (p - middle).norm()).fold(0.0, f64::max)
}

/// A soft body that is watched.
#[derive(Debug, Clone)]
pub(super) struct WatchedSoft {
    pub(super) description: SoftBodyDescription,
    /// Radius of the ball round it [m].
    pub(super) size: f64,
    /// Mass [kg].
    pub(super) mass: f64,
    /// Its centre of mass and the nodes of its mesh at the last moment [m, world].
    last: Option<(Point3<f64>, Vec<Point3<f64>>)>,
}

impl WatchedSoft {
    pub(super) fn new(body: &SoftBodyDescription) -> Self {
        let mass = body.material.density() * body.mesh.volume();
        Self { description: body.clone(), size: soft_size(body), mass, last: None }
    }

    pub(super) fn observe(&mut self, soft: &SoftState) {
        let nodes = soft.nodes.iter().take(self.description.mesh.nodes().len());
        self.last = Some((soft.state.centroid, nodes.copied().collect()));
    }

    /// Its centre of mass [m, world] at the last moment.
    pub(super) fn centroid(&self) -> Option<Point3<f64>> {
        self.last.as_ref().map(|(centroid, _)| *centroid)
    }

    /// Where its elements have taken `points` of its frame at rest [m, world].
    pub(super) fn deformed(&self, points: &[Point3<f64>]) -> Option<Vec<Point3<f64>>> {
        let (_, nodes) = self.last.as_ref()?;
        let mut moved = vec![Point3::origin(); points.len()];
        Embedding::new(&self.description.mesh, points).deform(nodes, &mut moved);
        Some(moved)
    }
}

/// Speed of the fastest node [m/s].
pub(super) fn greatest_speed(soft: &SoftState) -> f64 {
    soft.velocities.iter().map(Vector3::norm).fold(0.0, worse)
}

/// How far outside the region the farthest node is [m].
pub(super) fn farthest_outside(soft: &SoftState, region: &Region) -> f64 {
    soft.nodes.iter().map(|node| distance_outside(region, node)).fold(0.0, worse)
}
