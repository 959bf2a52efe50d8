//! How much a URDF file may ask for.

/// Longest file [bytes].
pub const FILE_BYTES: u64 = 64 << 20;
/// Most links, and most joints.
pub const LINKS: usize = 10_000;
/// Most shapes; a round one becomes a mesh of up to 2000 triangles.
pub const SHAPES: usize = 20_000;
/// Most triangles of all meshes of a robot together.
pub const TRIANGLES: usize = 50_000_000;
