//! Soft bodies as plain data.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use crate::soft::contact::ContactOptions;
use crate::soft::element::ElementKind;
use crate::soft::linear::LinearOptions;
use crate::soft::material::Material;
use crate::soft::{NewtonOptions, Scheme};
use extricate_core::geometry::TetMesh;

/// A soft body as it is put into a world.
#[derive(Debug, Clone)]
pub struct SoftBodyDescription {
    /// Its name, unique among all bodies of the world; soft bodies are ordered by it.
    pub name: String,
    /// Its mesh at rest, in its own frame.
    pub mesh: Arc<TetMesh>,
    /// Linear or quadratic elements.
    pub elements: ElementKind,
    /// What it is made of.
    pub material: Material,
    /// Body → world at the start, where it is at rest.
    pub pose: Isometry3<f64>,
    /// Velocity of its centre of mass at the start [m/s, world].
    pub linear_velocity: Vector3<f64>,
    /// Angular velocity about its centre of mass at the start [rad/s, world].
    pub angular_velocity: Vector3<f64>,
    /// Where the depths of its nodes under its surface come from.
    pub depths: NodeDepths,
    /// Nodes that are held or moved; a node belongs to one of them at most.
    pub handles: Vec<Handle>,
    /// Nodes that hang on rigid bodies.
    pub attachments: Vec<SoftAttachment>,
}

impl SoftBodyDescription {
    /// A body of linear elements at rest, its depths exact, held by nothing.
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

/// Where the depths of a soft body's nodes come from [Fisher01 §4].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum NodeDepths {
    /// Closest points of the surface: exact.
    #[default]
    Exact,
    /// A distance field on a grid, with about this many points along the longest side.
    Grid {
        /// Grid points along the longest side.
        resolution: usize,
    },
}

/// Nodes that are moved as one rigid piece, or held.
#[derive(Debug, Clone, PartialEq)]
pub struct Handle {
    /// Its name, unique in its body.
    pub name: String,
    /// Nodes of the body's mesh.
    pub nodes: Vec<u32>,
    /// Components that are prescribed, world axes; all three where the handle turns.
    pub axes: [bool; 3],
    /// The point that turns are about, at the start [m, world].
    pub pivot: Point3<f64>,
    /// Where it is when, by ascending time; empty: it stays where it is at the start.
    pub keyframes: Vec<Keyframe>,
    /// When it lets go [s]; `None`: never.
    pub until: Option<f64>,
}

/// Where a handle is at a time, against the start. Between two keyframes the displacement goes on a straight line and the
/// rotation by the shorter way about one axis, both smoothly from rest to rest; before the first it goes likewise from the
/// start (time 0), after the last it stays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keyframe {
    /// Time [s].
    pub time: f64,
    /// Displacement of the pivot [m].
    pub displacement: Vector3<f64>,
    /// Rotation about the pivot.
    pub rotation: UnitQuaternion<f64>,
}

/// Nodes that hang on a rigid body.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftAttachment {
    /// Name of the rigid body.
    pub body: String,
    /// Nodes of the soft body's mesh.
    pub nodes: Vec<u32>,
    /// Stiffness of each node's spring [N/m]; used for dynamic bodies: on others the nodes are prescribed.
    pub stiffness: f64,
}

/// How the soft bodies of a world are stepped.
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

/// How soft bodies go from one step to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoftScheme {
    /// By an integrator.
    Dynamic(Scheme),
    /// Each step is an equilibrium under gravity, contact and the handles where they are then: no inertia.
    QuasiStatic,
}

impl Default for SoftScheme {
    fn default() -> Self {
        Self::Dynamic(Scheme::default())
    }
}
