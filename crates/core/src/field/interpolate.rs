//! Trilinear interpolation of distances between nodes, and its gradient.

use nalgebra::{Point3, Vector3};

use super::distance_field::{DistanceField, shown};

impl DistanceField {
    /// Signed distance at a point [m, body frame], trilinear between nodes. Outside the grid it is the value at the
    /// nearest point of the grid's box plus the distance to that point. Infinite, with the sign of its side, where one
    /// of the nodes around the point has no value.
    #[must_use]
    pub fn value(&self, point: &Point3<f64>) -> f64 {
        self.value_and_gradient(point).0
    }

    /// [`DistanceField::value`] and its gradient, which is the exact derivative of the interpolant: about a unit
    /// vector away from the surface, constant along each axis within a cell, and discontinuous between cells. Zero
    /// where the value is infinite.
    #[must_use]
    pub fn value_and_gradient(&self, point: &Point3<f64>) -> (f64, Vector3<f64>) {
        let bounds = self.grid.bounds();
        let inside = Point3::from(point.coords.sup(&bounds.min.coords).inf(&bounds.max.coords));
        let (value, gradient) = self.in_cell(&inside);
        let beyond = point - inside;
        let distance = beyond.norm();
        if !(distance > 0.0) {
            return (value, gradient);
        }
        if !value.is_finite() {
            return (value, Vector3::zeros());
        }
        // Along the axes on which the point is beyond the box, its nearest point does not move with it.
        let along = gradient.zip_map(&beyond, |slope, beyond| if beyond.abs() > 0.0 { 0.0 } else { slope });
        (value + distance, along + beyond / distance)
    }

    fn in_cell(&self, point: &Point3<f64>) -> (f64, Vector3<f64>) {
        let cells = (point - self.grid.origin) / self.grid.spacing;
        let cell = [0, 1, 2].map(|axis| (cells[axis].max(0.0) as usize).min(self.grid.counts[axis] - 2));
        let [x, y, z] = [0, 1, 2].map(|axis| cells[axis] - cell[axis] as f64);
        let place = self.grid.place(cell);
        let [_, line, plane] = self.grid.strides();
        let corners = [0, 1, line, line + 1, plane, plane + 1, plane + line, plane + line + 1]
            .map(|step| shown(self.values[place + step]));
        if let Some(&far) = corners.iter().find(|corner| !corner.is_finite()) {
            return (far, Vector3::zeros());
        }
        let mix = |from: f64, to: f64, fraction: f64| from + fraction * (to - from);
        let rows = [0, 2, 4, 6].map(|at| mix(corners[at], corners[at + 1], x));
        let slopes = [0, 2, 4, 6].map(|at| corners[at + 1] - corners[at]);
        let planes = [mix(rows[0], rows[1], y), mix(rows[2], rows[3], y)];
        let gradient = Vector3::new(
            mix(mix(slopes[0], slopes[1], y), mix(slopes[2], slopes[3], y), z),
            mix(rows[1] - rows[0], rows[3] - rows[2], z),
            planes[1] - planes[0],
        );
        (mix(planes[0], planes[1], z), gradient / self.grid.spacing)
    }
}
