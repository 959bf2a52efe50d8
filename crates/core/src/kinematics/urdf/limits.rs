//! Limits of a URDF file: they bound the memory that a hostile file takes, and are far above real robots.

/// Maximum length of the file \[bytes\].
pub const FILE_BYTES: u64 = 64 << 20;
/// Maximum number of links, and of joints.
pub const LINKS: usize = 10_000;
/// Maximum number of shapes; a round one becomes a mesh of up to 2000 triangles.
pub const SHAPES: usize = 20_000;
/// Maximum number of pairs of links that masks exempt from collision.
pub const EXEMPT_PAIRS: usize = 100_000;
/// Maximum length \[m\]: squares and cubes of it, and sums along chains of joints, stay finite.
pub const LENGTH: f64 = 1e12;
/// Maximum number of triangles of all meshes of a robot together.
pub const TRIANGLES: usize = 50_000_000;
