//! How much a file may ask for. What is beyond a limit is an error that names it; nothing is allocated on the word of a
//! header, so that a reader takes a small multiple of what the file holds, whatever the file says.
//!
//! The limits are far from what anybody means: a slip of the pen, a damaged or a malicious file ends here and not in the
//! memory.

/// Longest file of a mesh, of tetrahedra, of a tree or a distance field [bytes]: a binary STL of 170 million triangles.
pub const FILE_BYTES: u64 = 8 << 30;

/// Most corners of a polygon that is not convex. Cutting it into triangles takes the square of their number: with this
/// many, a file is read at some 100 kB/s where it holds nothing else.
pub const POLYGON_CORNERS: usize = 10_000;

/// Corners of triangles that any glTF file may have, however short it is: the nodes of a scene may show a mesh many times.
pub const INSTANCED_CORNERS: usize = 6_000_000;

/// Corners of triangles for each byte of a glTF file and its buffers, where that makes more than
/// [`INSTANCED_CORNERS`]: beyond it a few bytes would fill the memory.
pub const CORNERS_PER_BYTE: usize = 2;

/// Most nodes, meshes, accessors, … of a glTF file, each: the format's library looks each of them up in lists.
pub const GLTF_ITEMS: usize = 1_000_000;

/// Most buffers that a glTF file names.
pub const BUFFERS: usize = 1_000;

/// Elements within elements of an XML file: a robot needs six, a COLLADA file a dozen.
pub const XML_DEPTH: usize = 64;

/// Most elements, texts and comments of an XML file.
pub const XML_NODES: u32 = 2_000_000;

/// Most namespaces that an XML file declares: the parser compares each with all those around it.
pub const XML_NAMESPACES: usize = 1000;

/// Most equals signs of a tag of an XML file, and so most attributes: the parser compares each with all others.
pub const XML_ATTRIBUTES: usize = 10_000;

/// Most nodes that a COLLADA file shows: nodes may be shown many times.
pub const COLLADA_NODES: usize = 1_000_000;
