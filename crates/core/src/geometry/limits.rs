//! Limits on the resources that a file may request. Exceeding one is an error that names it. Readers never allocate what a
//! header declares without checking it, so that the memory for a file is a small multiple of its size.
//!
//! The limits are far above all intended uses: typing errors, damaged and malicious files are refused before they exhaust the
//! memory. Larger limits let such a file take more memory and time, smaller ones refuse large valid files.

/// Maximum size of a file with a mesh, tetrahedra, a tree or a distance field \[bytes\]: a binary STL of 170 million triangles.
pub const FILE_BYTES: u64 = 8 << 30;

/// Maximum number of corners of a non-convex polygon. Its triangulation takes quadratic time: a file of nothing but polygons
/// of this size is read at some 100 kB/s.
pub const POLYGON_CORNERS: usize = 10_000;

/// Corners of triangles that any glTF or COLLADA file may have, however small it is: the nodes of a scene may instance a mesh
/// many times.
pub const INSTANCED_CORNERS: usize = 6_000_000;

/// Corners of triangles per byte of a glTF file with its buffers, or of a COLLADA file, if that is more than
/// [`INSTANCED_CORNERS`]: without a limit a few bytes could fill the memory.
pub const CORNERS_PER_BYTE: usize = 2;

/// Maximum number of JSON objects (nodes, meshes, accessors, …) of a glTF file: in memory, an object takes about a hundred
/// times the size of its text.
pub const GLTF_ITEMS: usize = 1_000_000;

/// Maximum number of buffers of a glTF file.
pub const BUFFERS: usize = 1_000;

/// Maximum nesting depth of the elements of an XML file: a robot needs six, a COLLADA file a dozen.
pub const XML_DEPTH: usize = 64;

/// Maximum number of elements, texts and comments of an XML file.
pub const XML_NODES: u32 = 2_000_000;

/// Maximum number of namespaces that an XML file declares: the parser compares each with all enclosing ones.
pub const XML_NAMESPACES: usize = 1000;

/// Maximum number of equals signs of a tag of an XML file, an upper bound of its attributes: the parser compares each with
/// all others.
pub const XML_ATTRIBUTES: usize = 10_000;

/// Maximum number of node instances of a COLLADA file: a node may be instanced many times.
pub const COLLADA_NODES: usize = 1_000_000;
