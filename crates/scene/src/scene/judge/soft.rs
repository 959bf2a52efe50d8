//! Monitoring of soft bodies: positions and speeds of their nodes, and curves embedded in them.

use nalgebra::{Point3, Vector3};

use super::measure::{distance_outside, worse};
use crate::scene::schema::Region;
use crate::state::SoftState;
use extricate_core::field::embedding::Embedding;
use extricate_dynamics::SoftBodyDescription;

/// Radius [m] of the ball around the centre of a soft body's bounding box at rest that contains its nodes.
pub(in crate::scene) fn soft_size(body: &SoftBodyDescription) -> f64 {
    let bounds = body.mesh.aabb();
    let middle = nalgebra::center(&bounds.min, &bounds.max);
    body.mesh.nodes().iter().map(|p| (p - middle).norm()).fold(0.0, f64::max)
}

/// A monitored soft body.
#[derive(Debug, Clone)]
pub(super) struct MonitoredSoftBody {
    pub(super) description: SoftBodyDescription,
    /// Radius of the ball around it [m].
    pub(super) size: f64,
    /// Mass [kg].
    pub(super) mass: f64,
    /// Its centre of mass and the nodes of its mesh in the last observed state [m, world].
    last: Option<(Point3<f64>, Vec<Point3<f64>>)>,
}

impl MonitoredSoftBody {
    pub(super) fn new(body: &SoftBodyDescription) -> Self {
        let mass = body.material.density() * body.mesh.volume();
        Self { description: body.clone(), size: soft_size(body), mass, last: None }
    }

    pub(super) fn observe(&mut self, soft: &SoftState) {
        let nodes = soft.nodes.iter().take(self.description.mesh.nodes().len());
        self.last = Some((soft.state.centroid, nodes.copied().collect()));
    }

    /// Its centre of mass in the last observed state [m, world].
    pub(super) fn centroid(&self) -> Option<Point3<f64>> {
        self.last.as_ref().map(|(centroid, _)| *centroid)
    }

    /// Positions of the material points at `points` in its rest frame, in the last observed state [m, world].
    pub(super) fn deformed(&self, points: &[Point3<f64>]) -> Option<Vec<Point3<f64>>> {
        let (_, nodes) = self.last.as_ref()?;
        let mut moved = vec![Point3::origin(); points.len()];
        Embedding::new(&self.description.mesh, points).deform(nodes, &mut moved);
        Some(moved)
    }
}

/// Speed of the fastest node [m/s].
pub(super) fn max_speed(soft: &SoftState) -> f64 {
    soft.velocities.iter().map(Vector3::norm).fold(0.0, worse)
}

/// Maximum distance of a node from the region [m].
pub(super) fn max_distance_outside(soft: &SoftState, region: &Region) -> f64 {
    soft.nodes.iter().map(|node| distance_outside(region, node)).fold(0.0, worse)
}
