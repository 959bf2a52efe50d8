//! Subsets of the triangles of a surface, with the subtrees that contain them.

use crate::bvh::node::{Child, WIDTH};
use crate::bvh::tree::{Subtree, TriangleBvh};

/// Marks a triangle that is in no leaf, since it has no area, and the top of a tree, which is in no subtree.
const NONE: u32 = u32::MAX;

/// A set of triangles of a tree that is replaced many times: a query restricted to it descends only into the subtrees that
/// contain one of them, so its cost is that of the set and not of the tree.
#[derive(Debug)]
pub(crate) struct Patch {
    /// The lane of the leaf of each triangle.
    leaf_of: Vec<u32>,
    /// The lane that has each node as its child.
    parent_of: Vec<u32>,
    /// The set in which each triangle and each subtree was last; the current one is `current`.
    triangles: Vec<u32>,
    subtrees: Vec<u32>,
    current: u32,
}

impl Patch {
    /// The empty set, for the tree of a mesh of `triangles` triangles.
    pub(crate) fn new(tree: &TriangleBvh, triangles: usize) -> Self {
        let top = tree.root().index() / WIDTH;
        let (mut leaf_of, mut parent_of) = (vec![NONE; triangles], vec![NONE; top + 1]);
        for node in 0..=top as u32 {
            for lane in 0..WIDTH {
                let subtree = Subtree::new(node, lane);
                match tree.child(subtree) {
                    Some(Child::Inner(child)) => parent_of[child as usize] = subtree.index() as u32,
                    Some(Child::Leaf(packet)) => {
                        let lanes = tree.packet(packet).lanes();
                        lanes.for_each(|(_, triangle)| leaf_of[triangle as usize] = subtree.index() as u32);
                    }
                    None => {}
                }
            }
        }
        let subtrees = vec![0; WIDTH * parent_of.len()];
        Self { leaf_of, parent_of, triangles: vec![0; triangles], subtrees, current: 0 }
    }

    /// Replaces the set.
    pub(crate) fn set(&mut self, triangles: &[u32]) {
        self.current += 1;
        for &triangle in triangles {
            self.triangles[triangle as usize] = self.current;
            let mut subtree = self.leaf_of[triangle as usize];
            // Up to the first subtree that contains another one of the set.
            while subtree != NONE && self.subtrees[subtree as usize] != self.current {
                self.subtrees[subtree as usize] = self.current;
                subtree = self.parent_of[subtree as usize / WIDTH];
            }
        }
    }

    #[inline(always)]
    pub(crate) fn contains(&self, triangle: u32) -> bool {
        self.triangles[triangle as usize] == self.current
    }

    /// Whether a subtree contains a triangle of the set.
    #[inline(always)]
    pub(crate) fn reaches(&self, subtree: Subtree) -> bool {
        self.subtrees[subtree.index()] == self.current
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::procedural::{Procedural, Torus};

    #[test]
    fn the_subtrees_of_a_set_are_those_with_a_triangle_of_it() {
        let mesh = Torus { segments: 24, sides: 10, ..Torus::default() }.mesh().unwrap();
        let tree = TriangleBvh::new(&mesh);
        let mut patch = Patch::new(&tree, mesh.triangles().len());
        for chosen in [vec![], vec![3], (0..480).filter(|i| i % 37 == 5).collect(), vec![479, 0]] {
            patch.set(&chosen);
            let mut found = below(&tree, tree.root(), &patch);
            found.sort_unstable();
            let mut chosen = chosen;
            chosen.sort_unstable();
            assert_eq!(found, chosen);
        }
    }

    /// The triangles of the set below a subtree, whose marks are compared with them.
    fn below(tree: &TriangleBvh, subtree: Subtree, patch: &Patch) -> Vec<u32> {
        let found: Vec<u32> = match tree.child(subtree) {
            None => Vec::new(),
            Some(Child::Leaf(packet)) => {
                let triangles = tree.packet(packet).lanes().map(|(_, triangle)| triangle);
                triangles.filter(|&triangle| patch.contains(triangle)).collect()
            }
            Some(Child::Inner(node)) => {
                (0..WIDTH).flat_map(|lane| below(tree, Subtree::new(node, lane), patch)).collect()
            }
        };
        assert_eq!(patch.reaches(subtree), !found.is_empty());
        found
    }
}
