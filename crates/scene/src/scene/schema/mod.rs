//! RON schema of scene files, field by field. `docs/scenes.md` is its reference.
//!
//! SI units; angles in degrees where the name says so; positions and directions in the world frame unless a line
//! says otherwise. Only types and names of fields are checked here; `Scene::load` checks the values.

mod camera;
mod expect;
mod plan;
mod robot;
mod soft;
mod solver;

use std::collections::BTreeMap;
use std::fmt;

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use extricate_core::geometry::Solidity;
use extricate_core::query::Shape;

pub use camera::CameraEntry;
pub use expect::{BodyAt, BodyWithin, Distance, Expect, Linked, LinkingCurve, Measured, Quantity, Region};
pub use plan::PlanEntry;
pub use robot::{
    EffortKeyframe, JointAt, JointValue, LoopEntry, MotorEntry, RobotBase, RobotEntry, SensorEntry,
    SpringEntry, TargetKeyframe,
};
pub use soft::{
    AttachmentEntry, BoreEntry, DepthsEntry, ElementsEntry, HandleEntry, KeyframeEntry, MaterialEntry,
    ModelEntry, NewtonEntry, NodesEntry, SchemeEntry, SectionEntry, SoftBodyEntry, SoftContactEntry,
    SoftEntry, TetMeshEntry,
};
pub use solver::{SleepEntry, SolverEntry};

/// Three numbers `(x, y, z)`.
pub type Triple = (f64, f64, f64);

/// A scene file.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename = "Scene", deny_unknown_fields)]
pub struct SceneFile {
    /// Title, one line.
    pub title: String,
    /// Description, a few sentences.
    #[serde(default)]
    pub description: String,
    /// Acceleration of free fall [m/s²].
    #[serde(default = "default_gravity")]
    pub gravity: Triple,
    /// Length of a step \[s\]; by default that of the accuracy.
    #[serde(default)]
    pub time_step: Option<f64>,
    /// Simulated time of a run \[s\].
    pub duration: f64,
    /// Accuracy of the simulation.
    #[serde(default)]
    pub accuracy: Accuracy,
    /// Overrides of single settings of the accuracy.
    #[serde(default)]
    pub solver: SolverEntry,
    /// Sleep of bodies at rest; without it no body sleeps.
    #[serde(default)]
    pub sleep: Option<SleepEntry>,
    /// Source of the contacts of two convex bodies.
    #[serde(default)]
    pub narrow_phase: NarrowPhase,
    /// Seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// Policy for bodies that overlap at the start of a run.
    #[serde(default)]
    pub on_overlap: OnOverlap,
    /// Shapes by name.
    #[serde(default)]
    pub shapes: Entries<ShapeEntry>,
    /// Bodies.
    #[serde(default)]
    pub bodies: Vec<BodyEntry>,
    /// Robots.
    #[serde(default)]
    pub robots: Vec<RobotEntry>,
    /// Joints between bodies.
    #[serde(default)]
    pub joints: Vec<JointEntry>,
    /// Stepping options of soft bodies.
    #[serde(default)]
    pub soft: SoftEntry,
    /// Soft bodies.
    #[serde(default)]
    pub soft_bodies: Vec<SoftBodyEntry>,
    /// Path planning problem of the command `plan`.
    #[serde(default)]
    pub plan: Option<PlanEntry>,
    /// Camera; without it a viewer shows the whole scene.
    #[serde(default)]
    pub camera: Option<CameraEntry>,
    /// Expectations of a run.
    #[serde(default)]
    pub expect: Expect,
}

fn default_gravity() -> Triple {
    (0.0, 0.0, -9.81)
}

/// Accuracy of the simulation, which sets the work of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Accuracy {
    /// Fast, for a first look.
    Preview,
    /// The default.
    #[default]
    Standard,
    /// The highest accuracy of the solver.
    Reference,
}

/// Source of the contacts of two convex bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
pub enum NarrowPhase {
    /// This program.
    #[default]
    Extricate,
    /// The library rapier, for comparison.
    Rapier,
}

/// Policy for bodies that overlap at the start of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
pub enum OnOverlap {
    /// The run pushes them apart without adding energy.
    #[default]
    Ignore,
    /// Dynamic bodies are moved apart before the first step; exit code 6 where that fails.
    Repair,
    /// The run does not start: exit code 4.
    Error,
}

/// Named entries in the order of the file; duplicate names are retained, so that they can be reported.
#[derive(Debug, Clone, PartialEq)]
pub struct Entries<T>(pub Vec<(String, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a map { \"name\": value, … }")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(InOrder(std::marker::PhantomData))
    }
}

/// A shape by its dimensions or its file, in its own frame: an entry of a scene, or an argument of a command line or
/// manifest.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Shape", rename_all = "snake_case", deny_unknown_fields)]
pub enum ShapeEntry {
    /// A triangle mesh from a file.
    Mesh {
        /// Path of the mesh file, relative to the folder of the scene.
        file: String,
        /// Factor from the file's unit of length to metres.
        #[serde(default = "default_scale")]
        scale: f64,
        /// Solid or surface; by default a closed mesh is a solid and an open one a surface.
        #[serde(default)]
        solidity: Option<Solidity>,
    },
    /// A procedurally generated triangle mesh.
    Procedural {
        /// Kind of the procedural mesh.
        kind: String,
        /// Its parameters by name; missing ones have their defaults.
        #[serde(default)]
        parameters: BTreeMap<String, f64>,
        /// Factor on all lengths.
        #[serde(default = "default_scale")]
        scale: f64,
        /// Solid or surface; by default a closed mesh is a solid and an open one a surface.
        #[serde(default)]
        solidity: Option<Solidity>,
    },
    /// A ball around the origin.
    Ball {
        /// Its radius \[m\].
        radius: f64,
    },
    /// A box around the origin.
    Cuboid {
        /// Full edge lengths \[m\].
        size: Triple,
    },
    /// A capsule around the origin, its axis along z.
    Capsule {
        /// Its radius \[m\].
        radius: f64,
        /// Length of the straight part, without the caps \[m\].
        length: f64,
    },
    /// A cylinder around the origin, its axis along z.
    Cylinder {
        /// Its radius \[m\].
        radius: f64,
        /// Its full height \[m\].
        height: f64,
    },
    /// A cone, its apex towards +z, its origin at half height.
    Cone {
        /// Radius of its base \[m\].
        radius: f64,
        /// Its full height \[m\].
        height: f64,
    },
    /// The convex hull of a mesh's vertices.
    Hull {
        /// A `mesh` or `procedural`.
        of: Box<ShapeEntry>,
    },
    /// All points within a distance of a shape.
    Rounded {
        /// A `cuboid`, `cylinder`, `cone` or `hull`.
        core: Box<ShapeEntry>,
        /// The distance \[m\].
        radius: f64,
    },
    /// Everything at z ≤ 0.
    HalfSpace,
}

impl ShapeEntry {
    /// The shape, if it is a primitive; its dimensions are not checked.
    pub(crate) fn primitive(&self) -> Option<Shape> {
        Some(match *self {
            Self::Ball { radius } => Shape::ball(radius),
            Self::Cuboid { size: (x, y, z) } => Shape::cuboid(Vector3::new(x, y, z)),
            Self::Capsule { radius, length } => Shape::capsule(radius, length),
            Self::Cylinder { radius, height } => Shape::cylinder(radius, height),
            Self::Cone { radius, height } => Shape::cone(radius, height),
            Self::HalfSpace => Shape::half_space(),
            Self::Mesh { .. } | Self::Procedural { .. } | Self::Hull { .. } | Self::Rounded { .. } => {
                return None;
            }
        })
    }

    /// Path of its mesh file, if it has one.
    pub(crate) fn file(&self) -> Option<&str> {
        match self {
            Self::Mesh { file, .. } => Some(file),
            Self::Hull { of: inner } | Self::Rounded { core: inner, .. } => inner.file(),
            _ => None,
        }
    }
}

fn default_scale() -> f64 {
    1.0
}

/// A body, or a grid of equal ones.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename = "Body", deny_unknown_fields)]
pub struct BodyEntry {
    /// Its name, unique in the scene.
    pub name: String,
    /// Name of its shape.
    pub shape: String,
    /// Kind of its motion.
    #[serde(default)]
    pub kind: BodyKind,
    /// Position of its origin \[m\].
    #[serde(default)]
    pub position: Triple,
    /// Its orientation.
    #[serde(default)]
    pub rotation: Rotation,
    /// Mass per volume [kg/m³].
    #[serde(default)]
    pub density: Option<f64>,
    /// Mass \[kg\], instead of a density.
    #[serde(default)]
    pub mass: Option<f64>,
    /// Coefficient of friction.
    #[serde(default = "default_friction")]
    pub friction: f64,
    /// Coefficient of rolling friction \[m\].
    #[serde(default)]
    pub rolling_friction: f64,
    /// Coefficient of restitution.
    #[serde(default)]
    pub restitution: f64,
    /// Velocity of its centre of mass at the start [m/s].
    #[serde(default)]
    pub linear_velocity: Triple,
    /// Angular velocity at the start [rad/s].
    #[serde(default)]
    pub angular_velocity: Triple,
    /// Rate at which the linear velocity decays [1/s].
    #[serde(default)]
    pub linear_damping: f64,
    /// Rate at which the angular velocity decays [1/s].
    #[serde(default)]
    pub angular_damping: f64,
    /// Whether continuous collision detection is applied in every step, not only in those in which it moves far.
    #[serde(default)]
    pub continuous: bool,
    /// Makes a grid of copies of the body.
    #[serde(default)]
    pub copies: Option<Copies>,
}

/// Density [kg/m³] of a body with neither density nor mass: that of water.
pub const DEFAULT_DENSITY: f64 = 1000.0;

fn default_friction() -> f64 {
    0.5
}

/// Kind of motion of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyKind {
    /// Does not move.
    Fixed,
    /// Moves under forces, contacts and joints.
    #[default]
    Dynamic,
    /// Moves with its given velocities, whatever it meets.
    Kinematic,
}

/// An orientation.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Rotation {
    /// The axes of the world.
    #[default]
    Identity,
    /// A unit quaternion `(w, x, y, z)`.
    Quaternion(f64, f64, f64, f64),
    /// A rotation about an axis.
    AxisAngleDegrees {
        /// Unit vector of the axis.
        axis: Triple,
        /// The angle [°], right-handed.
        angle: f64,
    },
    /// Rotations about the fixed x, then y, then z axis of the world [°].
    EulerDegrees(f64, f64, f64),
}

/// A grid of copies of a body, the first at the body's position.
///
/// Their names are the body's with the indices along the axes that have more than one: `"brick-2-0"`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Copies along x, y and z.
    pub count: (u32, u32, u32),
    /// Distance between neighbours along x, y and z \[m\].
    pub spacing: Triple,
    /// Whether each copy gets an orientation of its own, drawn from the scene's seed.
    #[serde(default)]
    pub random_rotation: bool,
    /// Displacements of single copies from their places in the grid \[m\], by name.
    #[serde(default)]
    pub moved: BTreeMap<String, Triple>,
    /// Orientations of single copies, by name.
    #[serde(default, alias = "turned")]
    pub rotations: BTreeMap<String, Rotation>,
}

/// A joint between two bodies.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename = "Joint", deny_unknown_fields)]
pub struct JointEntry {
    /// Its name, unique among joints.
    pub name: String,
    /// The two bodies it connects.
    pub bodies: (String, String),
    /// Relative motion that it allows.
    pub kind: JointKind,
    /// Whether the two bodies collide with each other.
    #[serde(default)]
    pub contacts: bool,
}

/// Relative motion that a joint allows. Points and axes are in the world frame, with all bodies at their start.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum JointKind {
    /// None: the relative pose of the bodies is constant.
    Fixed,
    /// A rotation about an axis.
    Revolute {
        /// A point of the axis \[m\].
        anchor: Triple,
        /// Unit vector of the axis.
        axis: Triple,
        /// Minimum and maximum angle [°] from the start, right-handed, of the second body against the first.
        #[serde(default)]
        limits_degrees: Option<(f64, f64)>,
    },
    /// A translation along an axis.
    Prismatic {
        /// Unit vector of the axis.
        axis: Triple,
        /// Minimum and maximum displacement \[m\] from the start, of the second body against the first.
        #[serde(default)]
        limits: Option<(f64, f64)>,
    },
    /// Any rotation about a point.
    Spherical {
        /// The point \[m\].
        anchor: Triple,
    },
    /// Any motion in which two points stay within a distance.
    Rope {
        /// The point of the first and of the second body \[m\].
        anchors: (Triple, Triple),
        /// Maximum distance of the two \[m\].
        length: f64,
    },
}
