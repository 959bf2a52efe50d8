//! Slices through distance fields: of deformed soft bodies, and of closed rigid bodies on a grid.

use std::collections::HashMap;

use nalgebra::{Isometry3, Point3, Vector3};

use super::super::{ColorMap, Drawing, Legend, Patch};
use super::boxes::is_subject;
use super::input::{OverlayInput, Overlays, Section};
use super::soft::{SoftShape, normalized};
use crate::soft_quantity::SoftQuantity;
use extricate_core::field::{DistanceField, FieldOptions};
use extricate_core::geometry::{Aabb, TriangleMesh};
use extricate_dynamics::AnyBody;

/// Opacity of bodies around a slice: low, so that their colours are not mistaken for those of the slice.
const AROUND: f32 = 0.1;
/// Side from which a slice normal to each axis is seen with a fitted camera: triangles are oriented to it and lit alike.
const TOWARDS: [f64; 3] = [1.0, -1.0, 1.0];
/// Nodes of a distance field along the longest edge of a body: twice as many need eight times the memory and show finer
/// ridges.
const RESOLUTION: usize = 48;
/// Squares of a slice along the longest edge of a body's box: about two for each cell of the field.
const SQUARES: usize = 96;
/// Maximum number of triangles of a mesh whose field is computed, since the window waits for it.
const MAX_TRIANGLES: usize = 200_000;

/// Distance fields of rigid bodies by body index, or the errors of those that have none.
#[derive(Default)]
pub(super) struct Fields(HashMap<usize, Result<DistanceField, String>>);

/// A plane normal to a world axis.
#[derive(Debug, Clone, Copy)]
struct Plane {
    axis: usize,
    at: f64,
}

/// Corners of a polygon with their values.
type Polygon = Vec<(Point3<f64>, f64)>;

/// A slice through one body, with values that are not normalised yet.
#[derive(Default)]
struct Slice {
    vertices: Vec<Point3<f64>>,
    triangles: Vec<[u32; 3]>,
    values: Vec<f64>,
}

impl Slice {
    /// Adds a convex polygon in a plane, oriented to the side from which slices are seen.
    fn add(&mut self, mut polygon: Polygon, plane: &Plane) {
        if polygon.len() < 3 {
            return;
        }
        let (a, b, c) = (polygon[0].0, polygon[1].0, polygon[2].0);
        if (b - a).cross(&(c - a))[plane.axis] * TOWARDS[plane.axis] < 0.0 {
            polygon.reverse();
        }
        let first = self.vertices.len() as u32;
        self.vertices.extend(polygon.iter().map(|(point, _)| point));
        self.values.extend(polygon.iter().map(|(_, value)| value));
        let fans = 2..polygon.len() as u32;
        self.triangles.extend(fans.map(|last| [first, first + last - 1, first + last]));
    }
}

impl Fields {
    /// Slice through all bodies with an interior, or through the subject.
    pub(super) fn section(
        &mut self,
        input: &OverlayInput,
        section: &Section,
        soft: &[SoftShape],
        overlays: &Overlays,
    ) -> Drawing {
        let mut drawing = Drawing { opacity: Some(AROUND), ..Drawing::default() };
        let Some(plane) = plane(input, section, overlays.subject) else {
            drawing.notes.push("No body to slice.".to_owned());
            return drawing;
        };
        let mut slices = Vec::new();
        for (body, (shape, state)) in soft.iter().zip(&input.state.soft).enumerate() {
            if overlays.subject.is_none_or(|subject| subject == AnyBody::Soft(body)) {
                slices.push(plane.through_tets(&state.nodes, &shape.tets, &shape.depths));
            }
        }
        for (body, model) in input.models.bodies.iter().enumerate() {
            let Some(mesh) = model.mesh.as_ref().filter(|_| is_subject(overlays.subject, body)) else {
                continue;
            };
            let pose = &input.state.pose(body);
            let bounds = super::solids::box_of(mesh, pose);
            if !(bounds.min[plane.axis] <= plane.at && plane.at <= bounds.max[plane.axis]) {
                continue;
            }
            match self.0.entry(body).or_insert_with(|| field_of(mesh)) {
                Ok(field) => slices.push(plane.through_field(field, pose, &bounds)),
                Err(error) => drawing.notes.push(format!("{}: {error}", model.name)),
            }
        }
        let max = slices.iter().flat_map(|slice| &slice.values).copied().fold(0.0, f64::max);
        let (max, map) = (overlays.max.unwrap_or(max), ColorMap::default());
        for Slice { vertices, triangles, values } in slices.into_iter().filter(|it| !it.triangles.is_empty())
        {
            let values = values.into_iter().map(|value| normalized(value, max)).collect();
            drawing.patches.push(Patch { vertices, triangles, values, map });
        }
        let title = SoftQuantity::Depth.title().to_owned();
        drawing.legends.push(Legend { title, range: [0.0, max], map });
        drawing
    }
}

fn field_of(mesh: &TriangleMesh) -> Result<DistanceField, String> {
    if mesh.triangles().len() > MAX_TRIANGLES {
        return Err(format!("no distance field: more than {MAX_TRIANGLES} triangles"));
    }
    let options = FieldOptions { resolution: RESOLUTION, ..FieldOptions::default() };
    DistanceField::of(mesh, &options).map_err(|error| error.to_string())
}

/// Plane of a slice through the subject, or through all bodies.
fn plane(input: &OverlayInput, section: &Section, subject: Option<AnyBody>) -> Option<Plane> {
    let (models, state) = (input.models, input.state);
    let bounds = match subject {
        Some(AnyBody::Rigid(body)) => {
            let (mesh, pose) = (models.bodies.get(body)?.mesh.as_ref()?, state.poses().nth(body)?);
            let mut bounds = Aabb::EMPTY;
            mesh.vertices().iter().for_each(|vertex| bounds.include(&(pose * vertex)));
            bounds
        }
        Some(AnyBody::Soft(body)) => Aabb::of_points(&state.soft.get(body)?.nodes),
        None => models.bounds(state, true),
    };
    let axis = section.axis.min(2);
    let at = bounds.min[axis] + section.fraction.clamp(0.0, 1.0) * bounds.extents()[axis];
    at.is_finite().then_some(Plane { axis, at })
}

impl Plane {
    /// Slice through deformed tetrahedra with values at their nodes, interpolated linearly.
    fn through_tets(&self, nodes: &[Point3<f64>], tets: &[[u32; 4]], values: &[f64]) -> Slice {
        let mut slice = Slice::default();
        if values.len() != nodes.len() {
            return slice;
        }
        for tet in tets {
            let corners = tet.map(|node| (nodes[node as usize], values[node as usize]));
            slice.add(self.through_tet(&corners), self);
        }
        slice
    }

    /// Cross-section of a tetrahedron: three or four corners in cyclic order, or none.
    fn through_tet(&self, corners: &[(Point3<f64>, f64); 4]) -> Polygon {
        let height = |corner: usize| corners[corner].0[self.axis] - self.at;
        let (below, above): (Vec<usize>, Vec<usize>) = (0..4).partition(|&corner| height(corner) < 0.0);
        let cut = |a: usize, b: usize| {
            let fraction = height(a) / (height(a) - height(b));
            interpolated(&corners[a], &corners[b], fraction)
        };
        match (below[..].as_ref(), above[..].as_ref()) {
            ([a], [b, c, d]) | ([b, c, d], [a]) => vec![cut(*a, *b), cut(*a, *c), cut(*a, *d)],
            // In this order the four cuts go around the quadrilateral: neighbours lie on a common face.
            ([a, b], [c, d]) => vec![cut(*a, *c), cut(*a, *d), cut(*b, *d), cut(*b, *c)],
            _ => Vec::new(),
        }
    }

    /// Slice through the interior of a body with a field: depths on a triangulated grid that is clipped at the surface.
    fn through_field(&self, field: &DistanceField, pose: &Isometry3<f64>, bounds: &Aabb) -> Slice {
        let [right, up] = [(self.axis + 1) % 3, (self.axis + 2) % 3];
        let extents = bounds.extents();
        let side = extents[right].max(extents[up]) / SQUARES as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most as many as asked for"
        )]
        let counts = [right, up].map(|axis| (extents[axis] / side).ceil().max(1.0) as usize);
        let point = |i: usize, j: usize| {
            let mut point = bounds.min;
            point[right] += side * i as f64;
            point[up] += side * j as f64;
            point[self.axis] = self.at;
            (point, -field.value(&pose.inverse_transform_point(&point)))
        };
        let rows: Vec<Polygon> =
            (0..=counts[1]).map(|j| (0..=counts[0]).map(|i| point(i, j)).collect()).collect();
        let mut slice = Slice::default();
        for (j, i) in (0..counts[1]).flat_map(|j| (0..counts[0]).map(move |i| (j, i))) {
            let [a, b, c, d] = [rows[j][i], rows[j][i + 1], rows[j + 1][i + 1], rows[j + 1][i]];
            for triangle in [[a, b, c], [a, c, d]] {
                slice.add(inside(&triangle), self);
            }
        }
        slice
    }
}

/// Part of a triangle with non-negative values.
fn inside(triangle: &[(Point3<f64>, f64); 3]) -> Polygon {
    let mut polygon = Vec::new();
    for corner in 0..3 {
        let (here, next) = (&triangle[corner], &triangle[(corner + 1) % 3]);
        if here.1 >= 0.0 {
            polygon.push(*here);
        }
        if (here.1 >= 0.0) != (next.1 >= 0.0) {
            polygon.push(interpolated(here, next, here.1 / (here.1 - next.1)));
        }
    }
    polygon
}

/// Linear interpolation between two corners; `fraction` 0 is `a`, 1 is `b`.
fn interpolated(a: &(Point3<f64>, f64), b: &(Point3<f64>, f64), fraction: f64) -> (Point3<f64>, f64) {
    let difference: Vector3<f64> = b.0 - a.0;
    (a.0 + fraction * difference, a.1 + fraction * (b.1 - a.1))
}
