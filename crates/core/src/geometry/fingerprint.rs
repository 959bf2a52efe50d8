//! Fingerprints of meshes: equal for meshes that are equal bit by bit. They are not cryptographic hashes.

use super::triangle_mesh::TriangleMesh;

impl TriangleMesh {
    /// FNV-1a hash of the coordinates of the vertices and the corners of the triangles, bit by bit and in their order.
    ///
    /// ```
    /// use extricate_core::geometry::procedural::{Cuboid, Procedural};
    ///
    /// let (cube, again) = (Cuboid::default().mesh()?, Cuboid::default().mesh()?);
    /// assert_eq!(cube.fingerprint(), again.fingerprint());
    /// assert_ne!(cube.fingerprint(), cube.reversed().fingerprint());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let counts = [self.vertices().len() as u64, self.triangles().len() as u64].into_iter();
        let coordinates = self.vertices().iter().flat_map(|vertex| vertex.coords.iter()).map(|x| x.to_bits());
        let corners = self.triangles().iter().flatten().map(|&corner| u64::from(corner));
        let bytes = counts.chain(coordinates).chain(corners).flat_map(u64::to_le_bytes);
        bytes.fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::*;

    #[test]
    fn the_last_bit_of_a_coordinate_and_the_order_of_corners_change_the_fingerprint() {
        let mesh = |x: f64, triangle: [u32; 3]| {
            let corners = vec![Point3::origin(), Point3::new(x, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
            TriangleMesh::new(corners, vec![triangle]).unwrap().fingerprint()
        };
        let first = mesh(1.0, [0, 1, 2]);
        assert_eq!(first, mesh(1.0, [0, 1, 2]));
        assert_ne!(first, mesh(1.0_f64.next_up(), [0, 1, 2]));
        assert_ne!(first, mesh(1.0, [1, 2, 0]));
    }
}
