//! Welding: points that coincide exactly become one vertex.
//!
//! STL files share no vertices and glTF files split them along seams, so which triangles are neighbours is decided
//! by position. Nothing is snapped: two points are one only if every coordinate is equal (`-0.0` equals `0.0`).

use std::collections::HashMap;

use nalgebra::Point3;

/// Collects points, assigning the same index to equal ones.
#[derive(Debug, Default)]
pub(crate) struct Welder {
    points: Vec<Point3<f64>>,
    index_of: HashMap<[u64; 3], u32>,
}

impl Welder {
    /// Adds a point and returns its index: that of an equal one, or the next free one.
    ///
    /// Beyond 2³² points the index saturates; `TriangleMesh::new` then refuses the list by its length.
    pub(crate) fn add(&mut self, point: Point3<f64>) -> u32 {
        // Adding +0 converts -0 to +0 and changes nothing else.
        let bits = [point.x, point.y, point.z].map(|x| (x + 0.0).to_bits());
        let next = u32::try_from(self.points.len()).unwrap_or(u32::MAX);
        let index = *self.index_of.entry(bits).or_insert(next);
        if index == next {
            self.points.push(point);
        }
        index
    }

    /// The distinct points in the order of their indices.
    pub(crate) fn into_points(self) -> Vec<Point3<f64>> {
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_points_are_one_and_the_signs_of_zero_are_equal() {
        let mut welder = Welder::default();
        let first = welder.add(Point3::new(0.0, 1.0, 2.0));
        assert_eq!(welder.add(Point3::new(-0.0, 1.0, 2.0)), first);
        assert_ne!(welder.add(Point3::new(f64::MIN_POSITIVE, 1.0, 2.0)), first);
        assert_eq!(welder.into_points().len(), 2);
    }
}
