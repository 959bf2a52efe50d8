//! Subsets of the triangles of a surface.

/// A set of triangles of a mesh, as bits.
#[derive(Debug, Clone)]
pub(crate) struct Patch(Vec<u64>);

impl Patch {
    /// The empty set of a mesh of `triangles` triangles.
    pub(crate) fn new(triangles: usize) -> Self {
        Self(vec![0; triangles.div_ceil(64)])
    }

    pub(crate) fn insert(&mut self, triangle: u32) {
        self.0[(triangle / 64) as usize] |= 1 << (triangle % 64);
    }

    #[inline(always)]
    pub(crate) fn contains(&self, triangle: u32) -> bool {
        self.0[(triangle / 64) as usize] & (1 << (triangle % 64)) != 0
    }

    /// The triangles in increasing order.
    pub(crate) fn triangles(&self) -> Vec<u32> {
        (0..64 * self.0.len() as u32).filter(|&triangle| self.contains(triangle)).collect()
    }
}
