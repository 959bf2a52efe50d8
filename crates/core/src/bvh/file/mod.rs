//! Trees on disk: the topology of a tree in a few bytes per triangle, from which it is rebuilt without searching for
//! splits.
//!
//! A tree's boxes, layers and corners follow from its mesh, and the mesh is at hand whenever its tree is. So a file
//! holds only the part that is expensive to compute: the grouping of the triangles. A loaded tree has exactly the boxes
//! of the one that was saved, and a damaged file cannot produce wrong ones: indices are not stored but counted, and
//! every triangle of the file is checked to belong to the mesh, to have an area and to occur once.
//!
//! | bytes         | content                                                                                          |
//! |---------------|-------------------------------------------------------------------------------------------|
//! | 8             | `exbvhtre`                                                                                |
//! | 4, 2, 2       | version; children of a node, triangles of a leaf                                          |
//! | 8             | fingerprint of the mesh                                                                   |
//! | 4, 4, 4, 4    | nodes, leaves, triangles of the tree, and zero                                            |
//! | 8             | checksum of all that follows, eight bytes at a time                                       |
//! | 2 for a node  | one bit for every lane with a child, and one for every lane whose child is a leaf         |
//! | 1 for a leaf  | number of triangles                                                                       |
//! | 4 a triangle  | triangles of the leaves, one after another                                                |
//!
//! Nodes precede their descendants, in the order of their lanes. All numbers are little-endian.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::node::{Child, Node, WIDTH};
use super::packet::{NONE, PACKET, Packet};
use super::tree::{Subtree, TriangleBvh};
use crate::geometry::read::error::FileError;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::geometry::write::write_atomically;
use crate::parallel;
use rayon::prelude::*;

/// Magic number at the beginning of the file.
const MAGIC: &[u8; 8] = b"exbvhtre";
/// Version of the file format.
const VERSION: u32 = 1;
/// Size of the header in bytes.
const HEADER: usize = 48;

/// The header of a file, without magic number and version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    fingerprint: u64,
    nodes: u32,
    leaves: u32,
    triangles: u32,
    checksum: u64,
}

impl TriangleBvh {
    /// Writes the topology of the tree over `mesh` to a file, about five bytes per triangle; an existing file is
    /// replaced.
    ///
    /// ```
    /// use extricate_core::bvh::TriangleBvh;
    /// use extricate_core::geometry::procedural::{Procedural, Torus};
    ///
    /// let path = std::env::temp_dir().join(format!("extricate-tree-doc-{}.bvh", std::process::id()));
    /// let torus = Torus::default().mesh()?;
    /// let tree = TriangleBvh::new(&torus);
    /// tree.save(&torus, &path)?;
    /// assert_eq!(TriangleBvh::load(&torus, &path)?, tree);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`FileError::Io`] when the file cannot be written.
    pub fn save(&self, mesh: &TriangleMesh, path: &Path) -> Result<(), FileError> {
        let bytes = self.to_bytes(mesh.fingerprint());
        write_atomically(path, |file| file.write_all(&bytes))
    }

    /// Loads the tree over `mesh` that [`TriangleBvh::save`] has written: bitwise equal to the saved one.
    ///
    /// # Errors
    /// [`FileError`] when the file cannot be read, is truncated or damaged, or belongs to another mesh, format or
    /// version. A tree that is returned is valid for this mesh: every triangle with an area is in it once, and its
    /// boxes are computed from the mesh.
    pub fn load(mesh: &TriangleMesh, path: &Path) -> Result<Self, FileError> {
        let file = File::open(path).map_err(FileError::unread(path))?;
        // A tree over this mesh has fewer nodes than triangles and no more leaves. Reading no further than that bounds
        // the memory that a wrong file can claim.
        let longest = HEADER as u64 + 7 * mesh.triangles().len() as u64 + 8;
        let mut bytes = Vec::new();
        file.take(longest + 1).read_to_end(&mut bytes).map_err(FileError::unread(path))?;
        Self::parse(mesh, &bytes, path)
    }

    /// Parses the tree over `mesh` from the content of a file; `path` is used in error messages only.
    ///
    /// # Errors
    /// As [`TriangleBvh::load`].
    pub fn parse(mesh: &TriangleMesh, bytes: &[u8], path: &Path) -> Result<Self, FileError> {
        Self::from_bytes(mesh, bytes).map_err(|fault| fault.in_file(path))
    }

    /// Serialises the tree.
    fn to_bytes(&self, fingerprint: u64) -> Vec<u8> {
        let (mut nodes, mut leaves, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        let mut stack = vec![Subtree::new(self.nodes.len() as u32 - 1, 0)];
        while let Some(subtree) = stack.pop() {
            match self.child(subtree).expect("only lanes with a child are pushed") {
                Child::Leaf(packet) => {
                    let packet = self.packet(packet);
                    leaves.push(packet.lanes().count() as u8);
                    triangles.extend(packet.lanes().flat_map(|(_, triangle)| triangle.to_le_bytes()));
                }
                Child::Inner(index) => {
                    let node = self.node(index);
                    let (mut used, mut leaf) = (0, 0);
                    for lane in (0..WIDTH).rev() {
                        let Some(child) = node.child(lane) else { continue };
                        used |= 1 << lane;
                        leaf |= u8::from(matches!(child, Child::Leaf(_))) << lane;
                        stack.push(Subtree::new(index, lane));
                    }
                    nodes.extend([used, leaf]);
                }
            }
        }
        let counts = [nodes.len() / 2, leaves.len(), triangles.len() / 4].map(|count| count as u32);
        let body = [nodes, leaves, triangles].concat();
        let [nodes, leaves, triangles] = counts;
        let header = Header { fingerprint, nodes, leaves, triangles, checksum: checksum(&body) };
        [&header.to_bytes()[..], &body].concat()
    }

    /// Parses and validates a file.
    fn from_bytes(mesh: &TriangleMesh, bytes: &[u8]) -> Result<Self, Fault> {
        let header = Header::from_bytes(bytes)?;
        let expected = mesh.fingerprint();
        if header.fingerprint != expected {
            return Err(Fault::OtherMesh { found: header.fingerprint, expected });
        }
        let body = &bytes[HEADER..];
        let [nodes, leaves, triangles] =
            [header.nodes, header.leaves, header.triangles].map(|count| count as usize);
        if nodes == 0 || body.len() as u64 != 2 * nodes as u64 + leaves as u64 + 4 * triangles as u64 {
            return Err(malformed(format!(
                "its length of {} bytes does not match the counts in its header",
                bytes.len()
            )));
        }
        if checksum(body) != header.checksum {
            return Err(malformed("its checksum does not match: it is truncated or damaged".to_owned()));
        }
        let (nodes, body) = body.split_at(2 * nodes);
        let (leaves, triangles) = body.split_at(leaves);
        let nodes = read_nodes(nodes, leaves.len())?;
        let leaves = read_leaves(leaves, triangles, mesh)?;
        Ok(Self::from_shape(nodes, &leaves, mesh))
    }

    /// The tree with these nodes, whose boxes are not set yet, and these triangles in its leaves.
    fn from_shape(nodes: Vec<Node>, leaves: &[[u32; PACKET]], mesh: &TriangleMesh) -> Self {
        let center = mesh.aabb().center();
        let packet = |triangles: &[u32; PACKET]| {
            let count = triangles.iter().take_while(|&&triangle| triangle != NONE).count();
            Packet::new(&triangles[..count], |triangle| super::tree::corners(mesh, &center, triangle))
        };
        let packets = parallel::map_slice(leaves, 1, packet);
        let mut tree = Self { nodes, packets, center };
        tree.fit();
        tree
    }
}

impl Header {
    fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&layout().to_le_bytes());
        bytes[16..24].copy_from_slice(&self.fingerprint.to_le_bytes());
        for (i, count) in [self.nodes, self.leaves, self.triangles].into_iter().enumerate() {
            bytes[24 + 4 * i..28 + 4 * i].copy_from_slice(&count.to_le_bytes());
        }
        bytes[40..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, Fault> {
        if bytes.len() < HEADER {
            return Err(malformed(format!(
                "it has {} bytes, fewer than the {HEADER} of its header",
                bytes.len()
            )));
        }
        if &bytes[..8] != MAGIC {
            return Err(malformed("it does not begin with the magic number `exbvhtre`".to_owned()));
        }
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        if word(8) != VERSION {
            return Err(Fault::Version { found: word(8) });
        }
        if word(12) != layout() || word(36) != 0 {
            return Err(malformed("its nodes have another layout".to_owned()));
        }
        let (nodes, leaves, triangles) = (word(24), word(28), word(32));
        Ok(Self { fingerprint: long(16), nodes, leaves, triangles, checksum: long(40) })
    }
}

/// Node layout: children of a node in the low and triangles of a leaf in the high two bytes.
fn layout() -> u32 {
    WIDTH as u32 | (PACKET as u32) << 16
}

/// Reasons why a file is rejected.
#[derive(Debug)]
enum Fault {
    Malformed { why: String },
    Version { found: u32 },
    OtherMesh { found: u64, expected: u64 },
}

impl Fault {
    fn in_file(self, path: &Path) -> FileError {
        let path = path.to_owned();
        match self {
            Self::Malformed { why } => FileError::Malformed { path, format: "triangle BVH", why },
            Self::Version { found } => FileError::Version { path, found, expected: VERSION },
            Self::OtherMesh { found, expected } => {
                let [found, expected] = [found, expected].map(|hash| format!("{hash:016x}"));
                FileError::OtherMesh { path, found, expected }
            }
        }
    }
}

fn malformed(why: String) -> Fault {
    Fault::Malformed { why }
}

/// FNV-1a over words of eight bytes, the last one padded with zeros.
fn checksum(bytes: &[u8]) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain(std::iter::once(&last));
    words
        .fold(BASIS ^ bytes.len() as u64, |hash, word| (hash ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME))
}

/// Parses the nodes, boxes unset, followed by the node that holds the root; exactly `leaves` leaves must be linked.
fn read_nodes(bytes: &[u8], leaves: usize) -> Result<Vec<Node>, Fault> {
    let (masks, _) = bytes.as_chunks::<2>();
    let mut nodes = vec![Node::EMPTY; masks.len() + 1];
    nodes[masks.len()].set_child(0, Child::Inner(0));
    let (mut node_count, mut leaf_count) = (1, 0);
    // Path from the root to the current node, each node with the lanes that remain to be read.
    let mut ancestors = vec![(0, masks[0][0])];
    while let Some((index, lanes)) = ancestors.last_mut() {
        let [used, leaf] = masks[*index];
        if used == 0 || leaf & !used != 0 {
            return Err(malformed(format!("node {index} is empty or marks an empty lane as a leaf")));
        }
        if *lanes == 0 {
            ancestors.pop();
            continue;
        }
        let lane = lanes.trailing_zeros() as usize;
        *lanes &= *lanes - 1;
        // Indices follow from the order: leaves and nodes are numbered as they are met in depth-first order.
        if leaf & (1 << lane) != 0 {
            nodes[*index].set_child(lane, Child::Leaf(leaf_count as u32));
            leaf_count += 1;
        } else if node_count < masks.len() {
            nodes[*index].set_child(lane, Child::Inner(node_count as u32));
            ancestors.push((node_count, masks[node_count][0]));
            node_count += 1;
        } else {
            return Err(malformed("it has fewer nodes than its nodes refer to".to_owned()));
        }
    }
    if node_count != masks.len() || leaf_count != leaves {
        return Err(malformed("its nodes and leaves do not form a tree".to_owned()));
    }
    Ok(nodes)
}

/// Parses the triangles of the leaves, which must be those of the mesh that have an area, each once.
fn read_leaves(sizes: &[u8], triangles: &[u8], mesh: &TriangleMesh) -> Result<Vec<[u32; PACKET]>, Fault> {
    let (triangles, _) = triangles.as_chunks::<4>();
    let mut rest = triangles.iter().map(|bytes| u32::from_le_bytes(*bytes));
    let mut seen = vec![false; mesh.triangles().len()];
    let mut leaves = Vec::with_capacity(sizes.len());
    for &size in sizes {
        if !(1..=PACKET).contains(&usize::from(size)) {
            return Err(malformed(format!("a leaf has {size} triangles")));
        }
        let mut leaf = [NONE; PACKET];
        for slot in &mut leaf[..usize::from(size)] {
            let triangle = rest
                .next()
                .ok_or_else(|| malformed("it has fewer triangles than its leaves refer to".to_owned()))?;
            match seen.get_mut(triangle as usize) {
                Some(seen) if !*seen => *seen = true,
                Some(_) => return Err(malformed(format!("duplicate triangle {triangle}"))),
                None => return Err(malformed(format!("the mesh has no triangle {triangle}"))),
            }
            *slot = triangle;
        }
        leaves.push(leaf);
    }
    // Exactly the triangles with an area must have occurred.
    let wrong = seen.par_iter().enumerate().find_first(|&(index, &seen)| seen == mesh.is_degenerate(index));
    match (rest.next(), wrong) {
        (None, None) => Ok(leaves),
        (Some(_), _) => Err(malformed("it has triangles that are in no leaf".to_owned())),
        (None, Some((index, true))) => Err(malformed(format!("triangle {index} of the mesh has no area"))),
        (None, Some((index, false))) => Err(malformed(format!("triangle {index} of the mesh is missing"))),
    }
}

#[cfg(test)]
mod tests;
