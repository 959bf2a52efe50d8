//! The slabs between which a mesh lies: nearly its convex hull, and found in one pass.
//!
//! Beyond the hull there is no hole: what is equally far from all sides of a ring, high above it, is no place to go.

use nalgebra::{Point3, Vector3};

use crate::geometry::triangle_mesh::TriangleMesh;

/// Slabs along the 49 directions whose coordinates are whole numbers up to two.
pub(super) struct Slabs {
    /// Direction, least and greatest coordinate along it [m, body frame].
    slabs: Vec<(Vector3<f64>, f64, f64)>,
}

impl Slabs {
    pub(super) fn new(mesh: &TriangleMesh) -> Self {
        let directions = || {
            let all = (-2..=2).flat_map(|x| (-2..=2).flat_map(move |y| (-2..=2).map(move |z| [x, y, z])));
            all.filter(|direction| is_first_of_its_line(*direction))
        };
        let corners =
            || mesh.triangles().iter().flatten().map(|&index| mesh.vertices()[index as usize].coords);
        let slab = |direction: [i32; 3]| {
            let direction = Vector3::from(direction.map(f64::from));
            let along = corners().map(|corner| corner.dot(&direction));
            let (least, greatest) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
            (direction, least, greatest)
        };
        Self { slabs: directions().map(slab).collect() }
    }

    /// Whether the point [m, body frame] lies between all slabs.
    pub(super) fn contain(&self, point: &Point3<f64>) -> bool {
        let is_between = |&(direction, least, greatest): &(Vector3<f64>, f64, f64)| {
            let along = point.coords.dot(&direction);
            least <= along && along <= greatest
        };
        self.slabs.iter().all(is_between)
    }
}

/// One of two opposite directions, and the shortest of those with whole coordinates.
fn is_first_of_its_line(direction: [i32; 3]) -> bool {
    let leading = direction.into_iter().find(|&x| x != 0);
    leading.is_some_and(|x| x > 0) && direction.iter().any(|x| x % 2 != 0)
}

#[cfg(test)]
mod tests {
    use super::super::super::shapes;
    use super::*;

    #[test]
    fn a_ball_is_held_between_49_slabs_to_a_tenth_of_its_radius() {
        let slabs = Slabs::new(&shapes::sphere(40));
        assert_eq!(slabs.slabs.len(), 49);
        for i in 0..500 {
            let angle = f64::from(i);
            let z = f64::from(i) / 250.0 - 0.998;
            let radius = (1.0 - z * z).sqrt();
            let p = Point3::new(radius * angle.cos(), radius * angle.sin(), z);
            assert!(slabs.contain(&(p * 0.98)) && !slabs.contain(&(p * 1.1)), "{p}");
        }
    }
}
