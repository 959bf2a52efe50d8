//! How much a scene may ask for. What is beyond a limit is told at its place in the file, before anything is allocated.
//!
//! Limits of single files are those of [`extricate_core::geometry::limits`] and [`extricate_core::kinematics::urdf::limits`].

/// Longest scene file [bytes].
pub const FILE_BYTES: u64 = 64 << 20;
/// Values within values: a scene needs eight. More would need more of the stack than a thread has where nothing is optimised.
pub const DEPTH: usize = 32;
/// Longest name of a body, shape, joint, … [bytes].
pub const NAME_BYTES: usize = 256;
/// Most bodies, copies counted.
pub const BODIES: u64 = 1_000_000;
/// Most shapes, joints, robots and soft bodies, each.
pub const ENTRIES: usize = 100_000;
/// Most tetrahedra of a mesh made of numbers.
pub const TETRAHEDRA: f64 = 2e7;
/// Most triangles and tetrahedra of all meshes that a scene reads and makes: some ten gigabytes with their trees.
pub const ELEMENTS: usize = 50_000_000;
/// Most nodes of the grids of depths of all soft bodies together: two gigabytes.
pub const DEPTH_NODES: f64 = 2.5e8;
/// Most problems of a scene that are told.
pub const PROBLEMS: usize = 100;
/// Most names that are told where one is unknown.
pub const SUGGESTIONS: usize = 100;
