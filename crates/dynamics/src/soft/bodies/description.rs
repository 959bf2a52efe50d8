//! Descriptions of soft bodies: plain data.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use crate::soft::contact::{ContactOptions, DepthUpdate};
use crate::soft::element::ElementKind;
use crate::soft::linear::LinearOptions;
use crate::soft::material::Material;
use crate::soft::{NewtonOptions, Scheme};
use extricate_core::geometry::TetMesh;

/// Description of a soft body of a world.
#[derive(Debug, Clone)]
pub struct SoftBodyDescription {
    /// Its name, unique among all bodies of the world; soft bodies are ordered by it.
    pub name: String,
    /// Its mesh at rest, in its own frame.
    pub mesh: Arc<TetMesh>,
    /// Linear or quadratic elements.
    pub elements: ElementKind,
    /// The material.
    pub material: Material,
    /// Body → world at the start, where it is at rest.
    pub pose: Isometry3<f64>,
    /// Velocity of its centre of mass at the start [m/s, world].
    pub linear_velocity: Vector3<f64>,
    /// Angular velocity about its centre of mass at the start [rad/s, world].
    pub angular_velocity: Vector3<f64>,
    /// Source of the depths of its nodes below its surface.
    pub depths: NodeDepths,
    /// Handles: nodes with prescribed motion; a node belongs to one of them at most.
    pub handles: Vec<Handle>,
    /// Nodes attached to rigid bodies.
    pub attachments: Vec<SoftAttachment>,
}

impl SoftBodyDescription {
    /// A body of linear elements at rest, with exact depths, without handles and attachments.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        mesh: Arc<TetMesh>,
        material: Material,
        pose: Isometry3<f64>,
    ) -> Self {
        Self {
            name: name.into(),
            mesh,
            elements: ElementKind::Linear,
            material,
            pose,
            linear_velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            depths: NodeDepths::Exact,
            handles: Vec::new(),
            attachments: Vec::new(),
        }
    }
}

/// Source of the depths of a soft body's nodes [Fisher01 §4].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum NodeDepths {
    /// Closest points on the surface: exact.
    #[default]
    Exact,
    /// A distance field on a grid.
    Grid {
        /// Approximate number of grid points along the longest side.
        resolution: usize,
    },
    /// A distance field on a grid that is updated in the boxes of contact as the body deforms [Fisher01 §4.4].
    UpdatedGrid(DepthUpdate),
}

/// Nodes with a prescribed rigid motion, or fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct Handle {
    /// Its name, unique in its body.
    pub name: String,
    /// Nodes of the body's mesh.
    pub nodes: Vec<u32>,
    /// Prescribed components, world axes; all three where the handle rotates.
    pub axes: [bool; 3],
    /// Centre of its rotations, at the start [m, world].
    pub pivot: Point3<f64>,
    /// Keyframes of its motion, by ascending time; empty: it stays at its initial position.
    pub keyframes: Vec<Keyframe>,
    /// Time at which it releases its nodes \[s\]; `None`: never.
    pub until: Option<f64>,
}

/// Pose of a handle at a time, relative to the start. Between two keyframes the displacement is interpolated along a straight line
/// and the rotation along the shorter arc about one axis, both smoothly from rest to rest; likewise from the start (time 0) to the
/// first keyframe; after the last one the handle stays there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keyframe {
    /// Time \[s\].
    pub time: f64,
    /// Displacement of the pivot \[m\].
    pub displacement: Vector3<f64>,
    /// Rotation about the pivot.
    pub rotation: UnitQuaternion<f64>,
}

/// Nodes attached to a rigid body.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftAttachment {
    /// Name of the rigid body.
    pub body: String,
    /// Nodes of the soft body's mesh.
    pub nodes: Vec<u32>,
    /// Stiffness of each node's spring [N/m]; used for dynamic bodies: on others the nodes are prescribed rigidly.
    pub stiffness: f64,
}

/// Options for stepping the soft bodies of a world.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SoftOptions {
    /// Time integration.
    pub scheme: SoftScheme,
    /// Newton's method.
    pub newton: NewtonOptions,
    /// The linear systems in it.
    pub linear: LinearOptions,
    /// Contact.
    pub contact: ContactOptions,
}

/// Time-stepping scheme of soft bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoftScheme {
    /// Dynamics by a time integrator.
    Dynamic(Scheme),
    /// Each step is an equilibrium under gravity, contact and the handles at their poses then, without inertia.
    QuasiStatic,
}

impl SoftScheme {
    /// Whether it damps the vibration of stiff springs, as friction that sticks is one.
    pub(super) fn damps(self) -> bool {
        matches!(self, Self::Dynamic(Scheme::ImplicitEuler) | Self::QuasiStatic)
    }
}

impl Default for SoftScheme {
    fn default() -> Self {
        Self::Dynamic(Scheme::default())
    }
}
