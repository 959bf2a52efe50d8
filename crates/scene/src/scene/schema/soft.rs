//! Soft bodies of a scene: their meshes of tetrahedra, what they are made of, what holds, moves and joins them.

use serde::Deserialize;

use super::{Rotation, ShapeEntry, Triple};

/// How the soft bodies of a scene are stepped.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename = "Soft", deny_unknown_fields)]
pub struct SoftEntry {
    /// How time is integrated.
    #[serde(default)]
    pub scheme: SchemeEntry,
    /// Newton's method.
    #[serde(default)]
    pub newton: NewtonEntry,
    /// Contact of all soft bodies.
    #[serde(default)]
    pub contact: SoftContactEntry,
}

/// How time is integrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename = "Scheme", rename_all = "snake_case")]
pub enum SchemeEntry {
    /// First order, stable at any step, damps vibration.
    #[default]
    ImplicitEuler,
    /// Second order, keeps momentum and angular momentum; vibration is not damped.
    ImplicitMidpoint,
    /// Second order, average acceleration; vibration is not damped.
    Newmark,
    /// Explicit, first order; stable at short steps only.
    SymplecticEuler,
    /// Each step is an equilibrium: no inertia.
    QuasiStatic,
}

/// Newton's method.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename = "Newton", deny_unknown_fields)]
pub struct NewtonEntry {
    /// Most iterations of a step.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Forces out of balance over the forces that meet at which an iteration ends.
    #[serde(default)]
    pub tolerance: Option<f64>,
    /// One linear system for each step, whether it converges or not.
    #[serde(default)]
    pub once: bool,
}

/// Contact of soft bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename = "SoftContact", deny_unknown_fields)]
pub struct SoftContactEntry {
    /// Pressure per depth [Pa/m].
    #[serde(default)]
    pub stiffness: Option<f64>,
    /// Coefficient of friction.
    #[serde(default)]
    pub friction: Option<f64>,
    /// Sliding speed below which friction falls to zero [m/s].
    #[serde(default)]
    pub creep: Option<f64>,
    /// Speed at which overlaps that are there at the start are released [m/s].
    #[serde(default)]
    pub recovery: Option<f64>,
    /// Whether edges count whose deepest point is deeper than their ends.
    #[serde(default)]
    pub edges: Option<bool>,
    /// Whether soft bodies touch themselves.
    #[serde(default)]
    pub self_contact: Option<bool>,
    /// Distance along the rest mesh within which a body's own elements are no contact [m].
    #[serde(default)]
    pub near: Option<f64>,
    /// How far nodes move before candidates are searched anew [m].
    #[serde(default)]
    pub margin: Option<f64>,
}

/// A soft body.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename = "SoftBody", deny_unknown_fields)]
pub struct SoftBodyEntry {
    /// Its name, unique among all bodies of the scene.
    pub name: String,
    /// Its tetrahedra at rest, in its own frame.
    pub mesh: TetMeshEntry,
    /// What it is made of.
    pub material: MaterialEntry,
    /// Linear or quadratic elements.
    #[serde(default)]
    pub elements: ElementsEntry,
    /// Position of its origin at the start [m].
    #[serde(default)]
    pub position: Triple,
    /// Its orientation at the start.
    #[serde(default)]
    pub rotation: Rotation,
    /// Velocity of its centre of mass at the start [m/s].
    #[serde(default)]
    pub linear_velocity: Triple,
    /// Angular velocity about its centre of mass at the start [rad/s].
    #[serde(default)]
    pub angular_velocity: Triple,
    /// Where the depths of its nodes under its surface come from.
    #[serde(default)]
    pub depths: DepthsEntry,
    /// Nodes that are held or moved.
    #[serde(default)]
    pub handles: Vec<HandleEntry>,
    /// Nodes that hang on rigid bodies.
    #[serde(default)]
    pub attachments: Vec<AttachmentEntry>,
}

/// A mesh of tetrahedra, in the frame of its body.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename = "TetMesh", rename_all = "snake_case", deny_unknown_fields)]
pub enum TetMeshEntry {
    /// A box around the origin, cut into cubes of six tetrahedra each.
    Block {
        /// Cubes along x, y and z.
        counts: (u32, u32, u32),
        /// Full edge lengths [m].
        size: Triple,
    },
    /// A section swept along x, from x = 0 on.
    Rod {
        /// What is swept, in the plane of y and z.
        section: SectionEntry,
        /// Its length [m].
        length: f64,
        /// Layers along the length.
        layers: u32,
        /// Factors on the section, evenly spaced from one end to the other, linear between them.
        #[serde(default)]
        scales: Vec<f64>,
        /// A hole along the axis, from the first end to a blind end; in a disc only.
        #[serde(default)]
        bore: Option<BoreEntry>,
    },
    /// A section swept round the z axis, from the x axis on.
    Ring {
        /// What is swept; its first direction points away from the axis, its second along it.
        section: SectionEntry,
        /// Distance of the section's centre from the axis [m].
        radius: f64,
        /// How far it is swept [°]: 360 closes the ring.
        #[serde(default = "full_turn")]
        angle: f64,
        /// Layers along the sweep.
        layers: u32,
    },
    /// A file of tetrahedra.
    File {
        /// Path of the file, relative to the folder of the scene.
        file: String,
        /// Factor from the file's unit of length to metres.
        #[serde(default = "super::default_scale")]
        scale: f64,
    },
    /// The inside of a closed triangle mesh.
    Tetrahedralized {
        /// A `mesh` or `procedural`.
        of: Box<ShapeEntry>,
        /// Length of a lattice cell [m].
        #[serde(default)]
        cell: Option<f64>,
    },
}

/// A hole along the axis of a rod, from its first end: a mouth and a gullet.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Bore", deny_unknown_fields)]
pub struct BoreEntry {
    /// How many of the disc's rings it takes.
    pub rings: u32,
    /// How many of the layers it goes through.
    pub layers: u32,
    /// Its radius over that of the rod, evenly spaced along it, linear between them; the last holds for the rings behind it.
    pub shares: Vec<f64>,
}

fn full_turn() -> f64 {
    360.0
}

/// A plane section that is swept.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename = "Section", rename_all = "snake_case", deny_unknown_fields)]
pub enum SectionEntry {
    /// A disc.
    Disc {
        /// Its radius [m].
        radius: f64,
        /// Rings of triangles round its centre.
        rings: u32,
    },
    /// The ring between two circles: of a tube.
    Annulus {
        /// Radius of the inner and of the outer circle [m].
        radii: (f64, f64),
        /// Layers of triangles between them.
        layers: u32,
        /// Edges of each circle.
        around: u32,
    },
    /// A rectangle.
    Rectangle {
        /// Lengths of its edges [m].
        size: (f64, f64),
        /// Cells along each.
        counts: (u32, u32),
    },
}

/// What a soft body is made of.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename = "Material", deny_unknown_fields)]
pub struct MaterialEntry {
    /// How stress follows from strain.
    #[serde(default)]
    pub model: ModelEntry,
    /// Mass per volume at rest [kg/m³].
    #[serde(default = "default_density")]
    pub density: f64,
    /// Young's modulus [Pa].
    pub youngs_modulus: f64,
    /// Poisson's ratio.
    pub poisson_ratio: f64,
    /// Damping α proportional to mass [1/s].
    #[serde(default)]
    pub mass_damping: f64,
    /// Damping β proportional to stiffness [s].
    #[serde(default)]
    pub stiffness_damping: f64,
}

fn default_density() -> f64 {
    super::DEFAULT_DENSITY
}

/// How stress follows from strain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename = "Model", rename_all = "snake_case")]
pub enum ModelEntry {
    /// Small strains and small rotations.
    Linear,
    /// Large rotations, small strains.
    #[default]
    Corotational,
    /// Large rotations, stretching.
    StVenantKirchhoff,
    /// Large strains, defined for inverted elements too.
    NeoHookean,
}

/// The shape functions of the elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename = "Elements", rename_all = "snake_case")]
pub enum ElementsEntry {
    /// Nodes at the corners.
    #[default]
    Linear,
    /// Nodes at the middles of the edges, too: no locking, at several times the cost.
    Quadratic,
}

/// Where the depths of a soft body's nodes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename = "Depths", rename_all = "snake_case", deny_unknown_fields)]
pub enum DepthsEntry {
    /// Closest points of the surface.
    #[default]
    Exact,
    /// A distance field on a grid.
    Grid {
        /// Grid points along the longest side.
        resolution: u32,
    },
}

/// Nodes that are moved as one rigid piece, or held.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Handle", deny_unknown_fields)]
pub struct HandleEntry {
    /// Its name, unique in its body.
    pub name: String,
    /// Which nodes.
    pub nodes: NodesEntry,
    /// Components that are prescribed, along x, y and z of the world.
    #[serde(default = "all_axes")]
    pub axes: (bool, bool, bool),
    /// The point that turns are about, at the start [m]; the mean of its nodes where it is missing.
    #[serde(default)]
    pub pivot: Option<Triple>,
    /// Where it is when.
    #[serde(default)]
    pub keyframes: Vec<KeyframeEntry>,
    /// When it lets go [s].
    #[serde(default)]
    pub until: Option<f64>,
}

fn all_axes() -> (bool, bool, bool) {
    (true, true, true)
}

/// Where a handle is at a time, against the start.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename = "Keyframe", deny_unknown_fields)]
pub struct KeyframeEntry {
    /// The time [s].
    pub time: f64,
    /// How far the pivot has moved [m].
    #[serde(default)]
    pub displacement: Triple,
    /// How it has turned about the pivot.
    #[serde(default)]
    pub rotation: Rotation,
}

/// Nodes of a soft body by where they are at rest, in the frame of the body.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Nodes", rename_all = "snake_case", deny_unknown_fields)]
pub enum NodesEntry {
    /// All of them.
    All,
    /// Those in a box.
    Box {
        /// Least coordinates [m].
        min: Triple,
        /// Greatest coordinates [m].
        max: Triple,
    },
    /// Those on the far side of a plane: its normal points away from them.
    HalfSpace {
        /// A point of the plane [m].
        point: Triple,
        /// Its normal, of any length.
        normal: Triple,
    },
    /// Those in a ball.
    Ball {
        /// Its centre [m].
        center: Triple,
        /// Its radius [m].
        radius: f64,
    },
    /// Those given.
    Indices {
        /// Places in the mesh, 0-based.
        of: Vec<u32>,
    },
}

/// Nodes that hang on a rigid body.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Attachment", deny_unknown_fields)]
pub struct AttachmentEntry {
    /// Name of the body, or of a robot's link.
    pub body: String,
    /// Which nodes.
    pub nodes: NodesEntry,
    /// Stiffness of each node's spring [N/m]; of dynamic bodies.
    #[serde(default)]
    pub stiffness: Option<f64>,
}
