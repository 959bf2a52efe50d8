//! Soft bodies of a scene: tetrahedral meshes, materials, handles and attachments.

use serde::Deserialize;

use super::{Rotation, ShapeEntry, Triple};

/// Stepping options of the soft bodies of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename = "Soft", deny_unknown_fields)]
pub struct SoftEntry {
    /// Time integration scheme.
    #[serde(default)]
    pub scheme: SchemeEntry,
    /// Newton's method.
    #[serde(default)]
    pub newton: NewtonEntry,
    /// Contact of all soft bodies.
    #[serde(default)]
    pub contact: SoftContactEntry,
}

/// Time integration scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename = "Scheme", rename_all = "snake_case")]
pub enum SchemeEntry {
    /// First order, unconditionally stable, damps vibration.
    #[default]
    ImplicitEuler,
    /// Second order, conserves momentum and angular momentum; vibration is not damped.
    ImplicitMidpoint,
    /// Second order, average acceleration; vibration is not damped.
    Newmark,
    /// Explicit, first order; stable for short steps only.
    SymplecticEuler,
    /// Each step is a static equilibrium: no inertia.
    QuasiStatic,
}

/// Newton's method.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename = "Newton", deny_unknown_fields)]
pub struct NewtonEntry {
    /// Maximum number of iterations of a step.
    #[serde(default, alias = "limit")]
    pub max_iterations: Option<u32>,
    /// Relative residual at which the iteration ends: unbalanced force over the sum of the acting forces.
    #[serde(default)]
    pub tolerance: Option<f64>,
    /// Whether each step solves one linear system only, converged or not.
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
    /// Depth beyond which the pressure stiffens, as a fraction of the thickness of the thinnest soft body.
    #[serde(default)]
    pub stiffen_beyond: Option<f64>,
    /// Coefficient of friction.
    #[serde(default)]
    pub friction: Option<f64>,
    /// Sliding speed below which friction decreases to zero [m/s].
    #[serde(default)]
    pub creep: Option<f64>,
    /// Speed at which overlaps of the start are resolved [m/s].
    #[serde(default)]
    pub recovery: Option<f64>,
    /// Whether edges are in contact whose deepest point is deeper than their ends.
    #[serde(default)]
    pub edges: Option<bool>,
    /// Whether soft bodies collide with themselves.
    #[serde(default)]
    pub self_contact: Option<bool>,
    /// Distance along the rest mesh within which elements of the same body do not collide \[m\], by default zero.
    #[serde(default)]
    pub near: Option<f64>,
    /// Displacement of nodes after which contact candidates are searched again \[m\].
    #[serde(default)]
    pub margin: Option<f64>,
}

/// A soft body.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename = "SoftBody", deny_unknown_fields)]
pub struct SoftBodyEntry {
    /// Its name, unique among all bodies of the scene.
    pub name: String,
    /// Its tetrahedral mesh at rest, in its own frame.
    pub mesh: TetMeshEntry,
    /// Its material.
    pub material: MaterialEntry,
    /// Linear or quadratic elements.
    #[serde(default)]
    pub elements: ElementsEntry,
    /// Position of its origin at the start \[m\].
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
    /// Method for the depths of its nodes below its surface.
    #[serde(default)]
    pub depths: DepthsEntry,
    /// Nodes with prescribed motion.
    #[serde(default)]
    pub handles: Vec<HandleEntry>,
    /// Nodes attached to rigid bodies.
    #[serde(default)]
    pub attachments: Vec<AttachmentEntry>,
}

/// A tetrahedral mesh, in the frame of its body.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename = "TetMesh", rename_all = "snake_case", deny_unknown_fields)]
pub enum TetMeshEntry {
    /// A box around the origin, cut into cubes of six tetrahedra each.
    Block {
        /// Cubes along x, y and z.
        counts: (u32, u32, u32),
        /// Full edge lengths \[m\].
        size: Triple,
    },
    /// A section swept along x, from x = 0 on.
    Rod {
        /// The swept section, in the plane of y and z.
        section: SectionEntry,
        /// Its length \[m\].
        length: f64,
        /// Layers along the length.
        layers: u32,
        /// Scale factors of the section, evenly spaced from one end to the other, linear between them.
        #[serde(default)]
        scales: Vec<f64>,
        /// A hole along the axis, from the first end to a blind end; in a disc only.
        #[serde(default)]
        bore: Option<BoreEntry>,
    },
    /// A section swept around the z axis, from the x axis on.
    Ring {
        /// The swept section; its first direction points away from the axis, its second along it.
        section: SectionEntry,
        /// Distance of the section's centre from the axis \[m\].
        radius: f64,
        /// Angle of the sweep [°]: 360 closes the ring.
        #[serde(default = "full_circle")]
        angle: f64,
        /// Layers along the sweep.
        layers: u32,
    },
    /// A tetrahedral mesh from a file.
    File {
        /// Path of the file, relative to the folder of the scene.
        file: String,
        /// Factor from the file's unit of length to metres.
        #[serde(default = "super::default_scale")]
        scale: f64,
    },
    /// The interior of a closed triangle mesh, tetrahedralized.
    Tetrahedralized {
        /// A `mesh` or `procedural`.
        of: Box<ShapeEntry>,
        /// Length of a lattice cell \[m\].
        #[serde(default)]
        cell: Option<f64>,
    },
}

/// A blind hole along the axis of a rod, from its first end: a mouth and a gullet.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Bore", deny_unknown_fields)]
pub struct BoreEntry {
    /// Number of rings of the disc that it removes.
    pub rings: u32,
    /// Number of layers that it goes through.
    pub layers: u32,
    /// Its radius over that of the rod at evenly spaced stations along it, linear between them; the last ratio applies to the
    /// rings behind it.
    #[serde(alias = "shares")]
    pub radius_ratios: Vec<f64>,
}

fn full_circle() -> f64 {
    360.0
}

/// A plane section that is swept.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename = "Section", rename_all = "snake_case", deny_unknown_fields)]
pub enum SectionEntry {
    /// A disc.
    Disc {
        /// Its radius \[m\].
        radius: f64,
        /// Rings of triangles around its centre.
        rings: u32,
    },
    /// The region between two circles: the section of a tube.
    Annulus {
        /// Radius of the inner and of the outer circle \[m\].
        radii: (f64, f64),
        /// Layers of triangles between them.
        layers: u32,
        /// Edges of each circle.
        around: u32,
    },
    /// A rectangle.
    Rectangle {
        /// Lengths of its edges \[m\].
        size: (f64, f64),
        /// Cells along each.
        counts: (u32, u32),
    },
}

/// Material of a soft body.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename = "Material", deny_unknown_fields)]
pub struct MaterialEntry {
    /// Constitutive model.
    #[serde(default)]
    pub model: ModelEntry,
    /// Mass per volume at rest [kg/m³].
    #[serde(default = "default_density")]
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub youngs_modulus: f64,
    /// Poisson's ratio.
    pub poisson_ratio: f64,
    /// Damping α proportional to mass [1/s].
    #[serde(default)]
    pub mass_damping: f64,
    /// Damping β proportional to stiffness \[s\].
    #[serde(default)]
    pub stiffness_damping: f64,
}

fn default_density() -> f64 {
    super::DEFAULT_DENSITY
}

/// Constitutive model: the relation of stress and strain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename = "Model", rename_all = "snake_case")]
pub enum ModelEntry {
    /// Small strains and small rotations.
    Linear,
    /// Large rotations, small strains.
    #[default]
    Corotational,
    /// Large rotations and stretching; too weak in compression.
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
    /// Nodes at the corners and at the edge midpoints: no locking, at several times the cost.
    Quadratic,
}

/// Method for the depths of a soft body's nodes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename = "Depths", rename_all = "snake_case", deny_unknown_fields)]
pub enum DepthsEntry {
    /// Closest points of the surface.
    #[default]
    Exact,
    /// A distance field on a grid.
    Grid {
        /// Grid points along the longest side.
        resolution: u32,
        /// Relative error of the depths at contacts above which the field is updated to the deformed shape; never where it is left out.
        #[serde(default)]
        update: Option<f64>,
    },
}

/// Nodes that are moved as one rigid piece, or held in place.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Handle", deny_unknown_fields)]
pub struct HandleEntry {
    /// Its name, unique in its body.
    pub name: String,
    /// The nodes.
    pub nodes: NodesEntry,
    /// Components that are prescribed, along x, y and z of the world.
    #[serde(default = "all_axes")]
    pub axes: (bool, bool, bool),
    /// Centre of its rotations, at the start \[m\]; by default the mean of its nodes.
    #[serde(default)]
    pub pivot: Option<Triple>,
    /// Its motion; without keyframes it stays at its start.
    #[serde(default)]
    pub keyframes: Vec<KeyframeEntry>,
    /// Time at which it releases its nodes \[s\].
    #[serde(default)]
    pub until: Option<f64>,
}

fn all_axes() -> (bool, bool, bool) {
    (true, true, true)
}

/// Displacement and rotation of a handle from the start, at a given time.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename = "Keyframe", deny_unknown_fields)]
pub struct KeyframeEntry {
    /// The time \[s\].
    pub time: f64,
    /// Displacement of the pivot \[m\].
    #[serde(default)]
    pub displacement: Triple,
    /// Rotation about the pivot.
    #[serde(default)]
    pub rotation: Rotation,
}

/// Nodes of a soft body, selected by their positions at rest in the frame of the body.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Nodes", rename_all = "snake_case", deny_unknown_fields)]
pub enum NodesEntry {
    /// All of them.
    All,
    /// Those in a box.
    Box {
        /// Minimum coordinates \[m\].
        min: Triple,
        /// Maximum coordinates \[m\].
        max: Triple,
    },
    /// Those on the far side of a plane: its normal points away from them.
    HalfSpace {
        /// A point of the plane \[m\].
        point: Triple,
        /// Its normal, of any length.
        normal: Triple,
    },
    /// Those in a ball.
    Ball {
        /// Its centre \[m\].
        center: Triple,
        /// Its radius \[m\].
        radius: f64,
    },
    /// Those with the given indices.
    Indices {
        /// Indices in the mesh, 0-based.
        of: Vec<u32>,
    },
}

/// Nodes attached to a rigid body.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Attachment", deny_unknown_fields)]
pub struct AttachmentEntry {
    /// Name of the body, or of a robot's link.
    pub body: String,
    /// The nodes.
    pub nodes: NodesEntry,
    /// Stiffness of each node's spring [N/m]; required for dynamic bodies.
    #[serde(default)]
    pub stiffness: Option<f64>,
}
