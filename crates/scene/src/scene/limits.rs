//! Limits on the size of a scene. What exceeds one is reported at its place in the file, before anything is allocated.
//!
//! Limits of single files are those of [`extricate_core::geometry::limits`] and [`extricate_core::kinematics::urdf::limits`].

/// Maximum length of a scene file \[bytes\].
pub const FILE_BYTES: u64 = 64 << 20;
/// Maximum nesting depth of values: a scene needs eight. More could exhaust the stack of a thread in an unoptimised build.
pub const DEPTH: usize = 32;
/// Maximum length of a name of a body, shape, joint, … \[bytes\].
pub const NAME_BYTES: usize = 256;
/// Maximum number of bodies, copies included.
pub const BODIES: u64 = 1_000_000;
/// Maximum number of shapes, of joints, of robots and of soft bodies, each.
pub const ENTRIES: usize = 100_000;
/// Maximum number of tetrahedra of a parametric mesh (`block`, `rod`, `ring`).
pub const TETRAHEDRA: f64 = 2e7;
/// Maximum number of triangles and tetrahedra of all meshes of a scene together: some ten gigabytes with their trees.
pub const ELEMENTS: usize = 50_000_000;
/// Maximum number of nodes of the depth grids of all soft bodies together: two gigabytes.
pub const DEPTH_NODES: f64 = 2.5e8;
/// Maximum number of problems of a scene that are reported.
pub const PROBLEMS: usize = 100;
/// Maximum number of known names that are listed where one is unknown.
pub const SUGGESTIONS: usize = 100;
