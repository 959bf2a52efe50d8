//! Slices through distance fields: of soft bodies as they are deformed, of closed rigid ones on a grid.

use std::collections::HashMap;

use nalgebra::{Isometry3, Point3, Vector3};

use super::super::{ColorMap, Drawing, Legend, Patch};
use super::boxes::is_subject;
use super::sight::{Overlays, Section, Sight};
use super::soft::{SoftShape, share};
use crate::soft_quantity::SoftQuantity;
use extricate_core::field::{DistanceField, FieldOptions};
use extricate_core::geometry::{Aabb, TriangleMesh};
use extricate_dynamics::AnyBody;

/// Opacity of bodies around a slice: their own colours are not to be taken for those of the slice.
const AROUND: f32 = 0.1;
/// The side that a slice across each axis is seen from, as cameras are fitted: all of it is lit alike.
const TOWARDS: [f64; 3] = [1.0, -1.0, 1.0];
/// Nodes of a field along the longest edge of a body.
const RESOLUTION: usize = 48;
/// Squares of a slice along the longest edge of a body's box.
const SQUARES: usize = 96;
/// Most triangles of a mesh whose field is made while one waits.
const MOST: usize = 200_000;

/// The distance fields of rigid bodies that were asked for, by body: what they could not be made for is an error.
#[derive(Default)]
pub(super) struct Fields(HashMap<usize, Result<DistanceField, String>>);

/// A plane across a world axis.
#[derive(Debug, Clone, Copy)]
struct Plane {
    axis: usize,
    at: f64,
}

/// Corners with their values.
type Polygon = Vec<(Point3<f64>, f64)>;

/// A slice through one body, its values not scaled yet.
#[derive(Default)]
struct Slice {
    vertices: Vec<Point3<f64>>,
    triangles: Vec<[u32; 3]>,
    values: Vec<f64>,
}

impl Slice {
    /// Adds a convex polygon of a plane, turned to the side that slices are seen from.
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
    /// A slice through all bodies with an inside, or through the subject.
    pub(super) fn section(
        &mut self,
        sight: &Sight,
        section: &Section,
        soft: &[SoftShape],
        overlays: &Overlays,
    ) -> Drawing {
        let mut drawing = Drawing { opacity: Some(AROUND), ..Drawing::default() };
        let Some(plane) = plane(sight, section, overlays.subject) else {
            drawing.notes.push("There is no body to slice.".to_owned());
            return drawing;
        };
        let mut slices = Vec::new();
        for (body, (shape, state)) in soft.iter().zip(&sight.state.soft).enumerate() {
            if overlays.subject.is_none_or(|subject| subject == AnyBody::Soft(body)) {
                slices.push(plane.through_tets(&state.nodes, &shape.tets, &shape.depths));
            }
        }
        for (body, model) in sight.models.bodies.iter().enumerate() {
            let Some(mesh) = model.mesh.as_ref().filter(|_| is_subject(overlays.subject, body)) else {
                continue;
            };
            let pose = &sight.state.pose(body);
            let bounds = super::solids::box_of(mesh, pose);
            if !(bounds.min[plane.axis] <= plane.at && plane.at <= bounds.max[plane.axis]) {
                continue;
            }
            match self.0.entry(body).or_insert_with(|| field_of(mesh)) {
                Ok(field) => slices.push(plane.through_field(field, pose, &bounds)),
                Err(error) => drawing.notes.push(format!("{}: {error}", model.name)),
            }
        }
        let most = slices.iter().flat_map(|slice| &slice.values).copied().fold(0.0, f64::max);
        let (most, map) = (overlays.greatest.unwrap_or(most), ColorMap::default());
        for Slice { vertices, triangles, values } in slices.into_iter().filter(|it| !it.triangles.is_empty())
        {
            let values = values.into_iter().map(|value| share(value, most)).collect();
            drawing.patches.push(Patch { vertices, triangles, values, map });
        }
        let title = SoftQuantity::Depth.title().to_owned();
        drawing.legends.push(Legend { title, range: [0.0, most], map });
        drawing
    }
}

fn field_of(mesh: &TriangleMesh) -> Result<DistanceField, String> {
    if mesh.triangles().len() > MOST {
        return Err(format!("no distance field of more than {MOST} triangles"));
    }
    let options = FieldOptions { resolution: RESOLUTION, ..FieldOptions::default() };
    DistanceField::of(mesh, &options).map_err(|error| error.to_string())
}

/// The plane of a slice through the subject, or through everything.
fn plane(sight: &Sight, section: &Section, subject: Option<AnyBody>) -> Option<Plane> {
    let (models, state) = (sight.models, sight.state);
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
    let at = bounds.min[axis] + section.share.clamp(0.0, 1.0) * bounds.extents()[axis];
    at.is_finite().then_some(Plane { axis, at })
}

impl Plane {
    /// The slice through deformed tetrahedra with values at their nodes, linear within each.
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

    /// Where the plane cuts a tetrahedron: three or four corners in turn, or none.
    fn through_tet(&self, corners: &[(Point3<f64>, f64); 4]) -> Polygon {
        let height = |corner: usize| corners[corner].0[self.axis] - self.at;
        let (below, above): (Vec<usize>, Vec<usize>) = (0..4).partition(|&corner| height(corner) < 0.0);
        let cut = |a: usize, b: usize| {
            let part = height(a) / (height(a) - height(b));
            between(&corners[a], &corners[b], part)
        };
        match (below[..].as_ref(), above[..].as_ref()) {
            ([a], [b, c, d]) | ([b, c, d], [a]) => vec![cut(*a, *b), cut(*a, *c), cut(*a, *d)],
            ([a, b], [c, d]) => vec![cut(*a, *c), cut(*a, *d), cut(*b, *d), cut(*b, *c)],
            _ => Vec::new(),
        }
    }

    /// The slice through the inside of a body with a field: depths on a grid of triangles, which end at the surface.
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

/// The part of a triangle where its values are not negative.
fn inside(triangle: &[(Point3<f64>, f64); 3]) -> Polygon {
    let mut polygon = Vec::new();
    for corner in 0..3 {
        let (here, next) = (&triangle[corner], &triangle[(corner + 1) % 3]);
        if here.1 >= 0.0 {
            polygon.push(*here);
        }
        if (here.1 >= 0.0) != (next.1 >= 0.0) {
            polygon.push(between(here, next, here.1 / (here.1 - next.1)));
        }
    }
    polygon
}

/// A part of the way from one corner to another.
fn between(a: &(Point3<f64>, f64), b: &(Point3<f64>, f64), part: f64) -> (Point3<f64>, f64) {
    let way: Vector3<f64> = b.0 - a.0;
    (a.0 + part * way, a.1 + part * (b.1 - a.1))
}
