//! The boxes of a tree level by level, for visualisation.

use nalgebra::Vector3;

use super::node::{Child, WIDTH};
use super::packet::Bounds;
use super::tree::{Subtree, TriangleBvh};
use crate::geometry::triangle_mesh::Aabb;

impl TriangleBvh {
    /// Number of levels, the box around everything and the deepest leaves included.
    #[must_use]
    pub fn levels(&self) -> usize {
        let mut levels = 0;
        let mut level = vec![self.root()];
        while !level.is_empty() {
            levels += 1;
            level = level.into_iter().flat_map(|subtree| self.below(subtree)).collect();
        }
        levels
    }

    /// Boxes of the subtrees of a level [m, body frame], and of those leaves that end above it: together they hold all
    /// triangles that have an area, at any level. Level 0 is the box around everything; beyond the last level are the
    /// boxes of the leaves. They are the boxes that queries use, in single precision, rounded outwards.
    ///
    /// ```
    /// use extricate_core::bvh::TriangleBvh;
    /// use extricate_core::geometry::procedural::{Cuboid, Procedural};
    ///
    /// let tree = TriangleBvh::new(&Cuboid::default().mesh()?);
    /// assert_eq!(tree.boxes(0).len(), 1);
    /// assert_eq!(tree.boxes(tree.levels() - 1).len(), 3, "twelve triangles, four in a leaf");
    /// # Ok::<(), extricate_core::geometry::ShapeError>(())
    /// ```
    #[must_use]
    pub fn boxes(&self, level: usize) -> Vec<Aabb> {
        let mut subtrees = vec![self.root()];
        for _ in 0..level {
            let deeper = subtrees.iter().flat_map(|&subtree| {
                let below = self.below(subtree);
                if below.is_empty() { vec![subtree] } else { below }
            });
            let deeper: Vec<Subtree> = deeper.collect();
            // Only leaves are left.
            if deeper == subtrees {
                break;
            }
            subtrees = deeper;
        }
        let boxes = subtrees.into_iter().map(|subtree| self.in_body(&self.bounds(subtree)));
        boxes.filter(|aabb| aabb.min <= aabb.max).collect()
    }

    /// The children of a subtree; none of a leaf.
    fn below(&self, subtree: Subtree) -> Vec<Subtree> {
        let Some(Child::Inner(node)) = self.child(subtree) else { return Vec::new() };
        let filled = (0..WIDTH).filter(|&lane| self.node(node).child(lane).is_some());
        filled.map(|lane| Subtree::new(node, lane)).collect()
    }

    fn in_body(&self, bounds: &Bounds) -> Aabb {
        let corner = |corner: [f32; 3]| self.center + Vector3::from(corner.map(f64::from));
        Aabb { min: corner(bounds.min), max: corner(bounds.max) }
    }
}
