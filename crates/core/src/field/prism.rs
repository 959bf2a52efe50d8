//! A triangle preprocessed for distances to many points.

use nalgebra::{Point3, Vector3};

/// Points that are processed together: a vector of doubles with AVX2.
pub(super) const LANES: usize = 4;

/// A triangle and the planes through its edges, perpendicular to it.
///
/// | symbol | here                | meaning                                                    |
/// |--------|---------------------|------------------------------------------------------------|
/// | n      | `normal`            | b × c, with b and c the sides from the corner              |
/// | H      |                     | n · p, with p a point from the corner: the height times ‖n‖ |
/// | mᵢ     | `outward`           | eᵢ × n, with eᵢ the edges: away from the triangle           |
/// | Eᵢ     |                     | mᵢ · p − offsetᵢ: the distance from the line of an edge, in the plane, times ‖mᵢ‖ |
pub(super) struct Prism {
    corner: Point3<f64>,
    /// From the corner to the other two.
    sides: [Vector3<f64>; 2],
    /// Zero when the triangle is degenerate.
    normal: Vector3<f64>,
    /// Zero when the triangle is degenerate, and with them the lower bound.
    outward: [Vector3<f64>; 3],
    /// Of the third edge; the first two begin at the corner.
    offset: f64,
    has_area: bool,
    /// 1/‖n‖²
    inverse_normal: f64,
    /// 1/‖eᵢ‖²
    inverse_edges: [f64; 3],
    /// 1/‖mᵢ‖²
    inverse_outward: [f64; 3],
}

impl Prism {
    #[inline(always)]
    pub(super) fn new(corners: &[Point3<f64>; 3]) -> Self {
        /// Squared sine of an angle below which a triangle is replaced by its edges: their distances are then less in
        /// error than the normal would be.
        const FLAT: f64 = 1e-16;
        let (b, c) = (corners[1] - corners[0], corners[2] - corners[0]);
        let (a, normal) = (c - b, b.cross(&c));
        let squared = normal.norm_squared();
        let squares = [b.norm_squared(), c.norm_squared(), a.norm_squared()];
        let has_area = squared > FLAT * squares[0] * squares[1];
        let inverse = |square: f64| 1.0 / square.max(f64::MIN_POSITIVE);
        let inverse_normal = inverse(squared);
        let inverse_edges = [inverse(squares[0]), inverse(squares[1]), inverse(squares[2])];
        let [of_b, of_c, of_a] = inverse_edges;
        let normal = if has_area { normal } else { Vector3::zeros() };
        let outward = [b.cross(&normal), normal.cross(&c), a.cross(&normal)];
        Self {
            corner: corners[0],
            sides: [b, c],
            normal,
            outward,
            offset: outward[2].dot(&b),
            has_area,
            inverse_normal,
            inverse_edges,
            inverse_outward: [of_b * inverse_normal, of_c * inverse_normal, of_a * inverse_normal],
        }
    }

    /// Height and distances from the edges on the line parallel to x at `y` and `z`, where x is that of the corner.
    #[inline(always)]
    pub(super) fn row(&self, y: f64, z: f64) -> Row {
        let (y, z) = (y - self.corner.y, z - self.corner.z);
        let [b, c, a] = &self.outward;
        Row {
            height: self.normal.y * y + self.normal.z * z,
            beyond: [b.y * y + b.z * z, c.y * y + c.z * z, a.y * y + a.z * z - self.offset],
        }
    }

    /// The terms that x adds to them.
    #[inline(always)]
    pub(super) fn along(&self, x: &[f64; LANES]) -> AxialTerms {
        let mut along = AxialTerms { height: [0.0; LANES], beyond: [[0.0; LANES]; 3] };
        for lane in 0..LANES {
            let x = x[lane] - self.corner.x;
            along.height[lane] = self.normal.x * x;
            for edge in 0..3 {
                along.beyond[edge][lane] = self.outward[edge].x * x;
            }
        }
        along
    }

    /// Lower bound of the squared distance of each point; equal to it for points that project into the triangle.
    #[inline(always)]
    pub(super) fn min(&self, row: &Row, along: &AxialTerms) -> [f64; LANES] {
        let mut min = [0.0; LANES];
        for lane in 0..LANES {
            let height = row.height + along.height[lane];
            let mut beyond = 0.0_f64;
            for edge in 0..3 {
                let past = (row.beyond[edge] + along.beyond[edge][lane]).max(0.0);
                beyond = beyond.max(past * past * self.inverse_outward[edge]);
            }
            min[lane] = height * height * self.inverse_normal + beyond;
        }
        min
    }

    /// The minimum and maximum x of points on a line parallel to x that may be as near as `band`; the maximum is below the
    /// minimum when there are none.
    #[inline(always)]
    pub(super) fn near(&self, row: &Row, band: f64) -> [f64; 2] {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        // Restricts x to at + slope · x ≤ max.
        let mut cut = |at: f64, slope: f64, max: f64| {
            let x = (max - at) / slope;
            if slope > 0.0 {
                high = high.min(x);
            } else if slope < 0.0 {
                low = low.max(x);
            } else if at > max {
                high = f64::NEG_INFINITY;
            }
        };
        let max = band / self.inverse_normal.sqrt();
        cut(row.height, self.normal.x, max);
        cut(-row.height, -self.normal.x, max);
        for edge in 0..3 {
            cut(row.beyond[edge], self.outward[edge].x, band / self.inverse_outward[edge].sqrt());
        }
        [low + self.corner.x, high + self.corner.x]
    }

    /// Squared distance of a point whose lower bound is known.
    #[inline(always)]
    pub(super) fn squared_distance(&self, point: &Point3<f64>, min: f64) -> f64 {
        let [b, c] = self.sides;
        let from = point - self.corner;
        let is_past = |edge: usize, offset: f64| !self.has_area || self.outward[edge].dot(&from) > offset;
        let to_edge = |from: Vector3<f64>, side: Vector3<f64>, inverse: f64| {
            let along = (from.dot(&side) * inverse).clamp(0.0, 1.0);
            (from - along * side).norm_squared()
        };
        // The closest point is on an edge that the point is beyond, if there is one.
        let [of_b, of_c, of_a] = self.inverse_edges;
        let mut squared = f64::INFINITY;
        if is_past(0, 0.0) {
            squared = to_edge(from, b, of_b);
        }
        if is_past(1, 0.0) {
            squared = squared.min(to_edge(from, c, of_c));
        }
        if is_past(2, self.offset) {
            squared = squared.min(to_edge(from - b, c - b, of_a));
        }
        if squared < f64::INFINITY { squared } else { min }
    }
}

/// Height above a triangle and distances from its edges, on a line of points.
pub(super) struct Row {
    height: f64,
    beyond: [f64; 3],
}

/// Terms of height and distances that depend on x, for several points of a line.
pub(super) struct AxialTerms {
    height: [f64; LANES],
    beyond: [[f64; LANES]; 3],
}

#[cfg(test)]
mod tests {
    use extricate_test_support::Noise;

    use super::*;
    use crate::geometry::{Solidity, TriangleMesh};
    use crate::proximity::{Model, closest_point};

    #[test]
    fn distances_are_those_of_the_closest_points_of_triangles_of_every_shape_and_bounds_are_below_them() {
        let mut noise = Noise(11);
        let mut random = || noise.unit_interval() - 0.5;
        for shape in 0..300 {
            let thin = [1.0, 1e-3, 1e-7, 0.0][shape % 4];
            let [a, b, c] = [0, 1, 2].map(|_| Point3::new(random(), random(), random()));
            // A needle, or with a factor of zero a line.
            let corners = [a, b, Point3::from(b.coords.lerp(&c.coords, thin))];
            let prism = Prism::new(&corners);
            let model = TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]])
                .map(|mesh| Model::new(mesh, Solidity::Surface));
            let exact = |point: &Point3<f64>| match &model {
                Ok(model) => closest_point(model, point).distance,
                Err(_) => {
                    let fraction = (point - a).dot(&(b - a)) / (b - a).norm_squared();
                    (point - a - fraction.clamp(0.0, 1.0) * (b - a)).norm()
                }
            };
            for _ in 0..50 {
                let first = Point3::new(0.0, 2.0 * random(), 2.0 * random());
                let x = [0; LANES].map(|_| 2.0 * random());
                let row = prism.row(first.y, first.z);
                let min = prism.min(&row, &prism.along(&x));
                for lane in 0..LANES {
                    let point = Point3::new(x[lane], first.y, first.z);
                    let exact = exact(&point);
                    let found = prism.squared_distance(&point, min[lane]).sqrt();
                    assert!((found - exact).abs() < 1e-9, "{corners:?} {point}: {found} {exact}");
                    assert!(thin < 1.0 || (found - exact).abs() < 1e-13, "{corners:?}: {found} {exact}");
                    assert!(min[lane].sqrt() < exact + 1e-9, "{corners:?} {point}: {min:?} {exact}");
                    let [low, high] = prism.near(&row, exact * (1.0 + 1e-6));
                    assert!(low - 1e-6 <= x[lane] && x[lane] <= high + 1e-6, "{low} {high} {}", x[lane]);
                }
            }
        }
    }
}
