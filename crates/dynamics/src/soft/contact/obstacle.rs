//! Rigid obstacles of soft bodies: a signed distance field at a pose that is fixed, kinematic or part of the system.

use std::fmt;
use std::sync::Arc;

use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Vector3};
use serde::{Deserialize, Serialize};

use super::body::projected_areas;
use super::distance::SignedDistance;
use extricate_core::proximity::Model;

/// Motion of an obstacle during a step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Motion {
    /// At rest.
    Fixed,
    /// Driven: its pose is that at the end of the step, its velocity drives friction.
    Kinematic {
        /// Velocity of the origin of its frame [m/s, world].
        linear: Vector3<f64>,
        /// Angular velocity [rad/s, world].
        angular: Vector3<f64>,
    },
    /// Solved for with two blocks of unknowns: `block` is the position of the origin of its frame, the centre of mass
    /// [m, world], `block + 1` the rotation vector θ from its pose at the start of the step [rad, world].
    Dynamic {
        /// The first of its two blocks.
        block: u32,
    },
}

/// A rigid obstacle of soft bodies.
#[derive(Clone)]
pub struct Obstacle {
    /// Signed distance in the obstacle's frame.
    pub shape: Arc<dyn SignedDistance>,
    /// Pose, body → world: for a dynamic one that at the start of the step, whose translation the blocks replace.
    pub pose: Isometry3<f64>,
    /// Motion during the step.
    pub motion: Motion,
    /// Points of its surface with the areas attributed to them [m, body frame; m²], tested against soft tetrahedra.
    pub samples: Vec<(Point3<f64>, f64)>,
}

impl fmt::Debug for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pose, motion, samples, .. } = self;
        f.debug_struct("Obstacle")
            .field("pose", pose)
            .field("motion", motion)
            .field("samples", &samples.len())
            .finish()
    }
}

impl Obstacle {
    /// A fixed obstacle without samples: soft nodes are tested against it and not the other way round.
    #[must_use]
    pub fn new(shape: Arc<dyn SignedDistance>, pose: Isometry3<f64>) -> Self {
        Self { shape, pose, motion: Motion::Fixed, samples: Vec::new() }
    }

    /// A fixed obstacle, the solid that `model` bounds, with its vertices as samples.
    #[must_use]
    pub fn of_model(model: Arc<Model>, pose: Isometry3<f64>) -> Self {
        let mesh = model.mesh();
        let areas = projected_areas(mesh.vertices(), mesh.triangles());
        let samples = mesh.vertices().iter().copied().zip(areas).filter(|(_, area)| *area > 0.0).collect();
        Self { shape: model, pose, motion: Motion::Fixed, samples }
    }

    /// The obstacle with another motion.
    #[must_use]
    pub fn moving(mut self, motion: Motion) -> Self {
        self.motion = motion;
        self
    }

    /// Its pose with the blocks at `x`.
    pub(super) fn pose_at(&self, x: &[Vector3<f64>]) -> ObstaclePose {
        let start = self.pose.rotation.to_rotation_matrix();
        match self.motion {
            Motion::Fixed | Motion::Kinematic { .. } => ObstaclePose {
                origin: self.pose.translation.vector,
                rotation: start,
                rotation_vector: Vector3::zeros(),
                block: None,
            },
            Motion::Dynamic { block } => {
                let rotation_vector = x[block as usize + 1];
                let rotation = Rotation3::new(rotation_vector) * start;
                ObstaclePose { origin: x[block as usize], rotation, rotation_vector, block: Some(block) }
            }
        }
    }
}

/// Pose of an obstacle during a solve.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObstaclePose {
    pub(super) origin: Vector3<f64>,
    rotation: Rotation3<f64>,
    rotation_vector: Vector3<f64>,
    pub(super) block: Option<u32>,
}

impl ObstaclePose {
    /// A point [m, world] in the obstacle's frame.
    pub(super) fn to_body(self, point: &Vector3<f64>) -> Point3<f64> {
        Point3::from(self.rotation.inverse() * (point - self.origin))
    }

    /// A point [m, obstacle's frame] in the world.
    pub(super) fn to_world(self, point: &Point3<f64>) -> Vector3<f64> {
        self.origin + self.rotation * point.coords
    }

    /// A vector of the obstacle's frame in world axes.
    pub(super) fn rotate(self, vector: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * vector
    }

    /// (∂w/∂θ)ᵀ v for the point w = c + r of the body: the generalized force of a force v at the arm r.
    ///
    /// w = c + exp([θ]×) R₀ y and d exp = [J_l dθ]× exp give ∂w/∂θ = −[r]× J_l, so this is J_lᵀ (r × v).
    pub(super) fn rotation_gradient(self, arm: &Vector3<f64>, v: &Vector3<f64>) -> Vector3<f64> {
        left_jacobian(&self.rotation_vector).tr_mul(&arm.cross(v))
    }
}

/// Left Jacobian of SO(3): J_l(θ) = 1 + (1 − cos t)/t² [θ]× + (t − sin t)/t³ [θ]×², t = |θ|.
fn left_jacobian(theta: &Vector3<f64>) -> Matrix3<f64> {
    /// Angle [rad] below which the series to t² is exact to rounding and the quotients are not. A safeguard, without
    /// effect on the sets of docs/sensitivity.md.
    const SMALL: f64 = 1e-3;
    let t = theta.norm();
    let (first, second) = if t < SMALL {
        (0.5 - t * t / 24.0, 1.0 / 6.0 - t * t / 120.0)
    } else {
        ((1.0 - t.cos()) / (t * t), (t - t.sin()) / (t * t * t))
    };
    let cross = theta.cross_matrix();
    Matrix3::identity() + first * cross + second * cross * cross
}
