//! Bounding slabs of a mesh (a k-DOP): close to its convex hull, and computed in one pass.
//!
//! Beyond the hull there are no holes: a point high above a ring that is equally far from all of its sides is not a useful
//! configuration.

use nalgebra::{Point3, Vector3};

use crate::geometry::triangle_mesh::TriangleMesh;

/// Slabs along the 49 directions with integer coordinates of magnitude up to two.
pub(super) struct Slabs {
    /// Direction (not normalized), and minimum and maximum of its scalar product with the vertices [body frame].
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
            let (min, max) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
            (direction, min, max)
        };
        Self { slabs: directions().map(slab).collect() }
    }

    /// Interval of lengths [m] along the first axis from a point [m, body frame] in which all slabs are, up to rounding; reversed where there
    /// is none. Slabs parallel to the axis are widened by `slack` [m].
    pub(super) fn along_first_axis(&self, from: &Point3<f64>, slack: f64) -> [f64; 2] {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for (direction, min, max) in &self.slabs {
            let at = from.coords.dot(direction);
            // The first coordinate of a direction that has one is positive.
            if direction.x > 0.0 {
                low = low.max((min - at) / direction.x);
                high = high.min((max - at) / direction.x);
            } else if !(at >= min - slack && at <= max + slack) {
                return [f64::INFINITY, f64::NEG_INFINITY];
            }
        }
        [low, high]
    }

    /// Whether the point [m, body frame] lies within all slabs.
    pub(super) fn contain(&self, point: &Point3<f64>) -> bool {
        let is_between = |&(direction, min, max): &(Vector3<f64>, f64, f64)| {
            let along = point.coords.dot(&direction);
            min <= along && along <= max
        };
        self.slabs.iter().all(is_between)
    }
}

/// Selects one of two opposite directions, and of parallel ones that with coprime coordinates.
fn is_first_of_its_line(direction: [i32; 3]) -> bool {
    let leading = direction.into_iter().find(|&x| x != 0);
    leading.is_some_and(|x| x > 0) && direction.iter().any(|x| x % 2 != 0)
}

#[cfg(test)]
mod tests {
    use super::super::super::shapes;
    use super::*;

    #[test]
    fn forty_nine_slabs_bound_a_ball_to_a_tenth_of_its_radius() {
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
