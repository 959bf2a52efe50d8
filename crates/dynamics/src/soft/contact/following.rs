//! The distance field of a soft body that follows its deformation: fast marching over the body at rest, and again in the boxes
//! of contact where rest depths have become wrong [Fisher01 §4.4].
//!
//! Where a body is strained, the depth interpolated from depths at rest is wrong by about as much: the gradient of a distance has
//! length 1, and that of the deformed field has the length 1/λ where the body is compressed to the fraction λ. The change of that
//! length since the depths were taken is the criterion: the largest over the contacts, relative.
//!
//! The field is that of a *reference surface* in a frame that moves with the body: the vertices in the boxes of contact, padded by
//! the depth of the nodes there, are as they are now, the others as they were when the field was last marched there. So the changes
//! are confined to the boxes, and the updated field equals a new one of that surface. Where a vertex beside a box has moved by
//! more than a part of a cell, or a box leaves the grid, the whole field is marched anew over the present surface.

use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::body::Body;
use super::cell::{Cell, Shape};
use super::point::{Contact, Site};
use crate::error::SoftError;
use extricate_core::field::{DistanceField, FieldOptions, Side};
use extricate_core::geometry::{Aabb, TetMesh, TriangleMesh};

/// Cells that a vertex beside a box of contact may have moved before the whole field is marched anew: the error of a depth near the
/// border of a box. Smaller: more whole fields; larger: larger errors there.
const BESIDE: f64 = 0.5;
/// Margin of the grid around the body as a fraction of its longest side: a body that grows by more gets a new grid.
const PADDING: f64 = 0.1;
/// Cells around the surface in which the field is exact: with less than √3 the cell of a node near the surface has corners outside
/// the surface without a value.
const EXACT: f64 = 2.0;
/// Shortest gradient of the depths as taken that is judged: near the middle of a body, where depths of several sides meet, it is short
/// and says nothing about the strain.
const MIN_GRADIENT: f64 = 0.5;

/// Options of depths that follow the deformation of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthUpdate {
    /// Approximate number of grid points along the longest side.
    pub resolution: usize,
    /// Relative error of the depth at a contact above which the field is updated.
    pub tolerance: f64,
}

/// Work of the updates of fields.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FieldWork {
    /// Number of updates.
    pub updates: usize,
    /// Number of those that marched the whole field.
    pub whole: usize,
    /// Grid points whose distance was computed, and those of the whole fields at these updates.
    pub points: [usize; 2],
    /// Wall time \[s\].
    pub time: f64,
}

impl std::ops::AddAssign for FieldWork {
    fn add_assign(&mut self, other: Self) {
        self.updates += other.updates;
        self.whole += other.whole;
        self.points = [0, 1].map(|i| self.points[i] + other.points[i]);
        self.time += other.time;
    }
}

/// The field of a soft body, with the surface and the nodes for which it holds.
#[derive(Debug, Clone)]
pub(super) struct FollowingField {
    how: DepthUpdate,
    field: DistanceField,
    /// The reference surface, in the frame; vertex i is the i-th of the body's surface nodes.
    surface: TriangleMesh,
    /// Positions of the body's nodes in the frame when their depths were taken [m].
    taken_at: Vec<Vector3<f64>>,
}

/// State of a field that follows a body.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FollowingState {
    field: Vec<u8>,
    surface: Vec<Point3<f64>>,
    taken_at: Vec<Vector3<f64>>,
}

impl FollowingField {
    /// The field of a body at rest, with its surface and the positions of its nodes [m].
    pub(super) fn at_rest(
        surface: TriangleMesh,
        nodes: Vec<Vector3<f64>>,
        how: DepthUpdate,
    ) -> Result<Self, SoftError> {
        let field = marched(&surface, how.resolution)?;
        Ok(Self { how, field, surface, taken_at: nodes })
    }

    /// Depths of the nodes of the body's mesh at rest [m].
    pub(super) fn depths_of(&self, mesh: &TetMesh) -> Vec<f64> {
        let mut depths: Vec<f64> =
            mesh.nodes().iter().map(|node| (-self.field.value(node)).max(0.0)).collect();
        mesh.boundary().nodes.iter().for_each(|&node| depths[node as usize] = 0.0);
        depths
    }

    pub(super) fn snapshot(&self) -> FollowingState {
        FollowingState {
            field: self.field.to_bytes(),
            surface: self.surface.vertices().to_vec(),
            taken_at: self.taken_at.clone(),
        }
    }

    /// Restores a state of the same body; `None` where it is that of another one.
    pub(super) fn restore(&mut self, state: FollowingState) -> Option<()> {
        let FollowingState { field, surface, taken_at } = state;
        let fits = surface.len() == self.surface.vertices().len() && taken_at.len() == self.taken_at.len();
        if !fits {
            return None;
        }
        self.field = DistanceField::parse(&field, "a checkpoint".as_ref()).ok()?;
        self.surface = TriangleMesh::new(surface, self.surface.triangles().to_vec()).ok()?;
        self.taken_at = taken_at;
        Some(())
    }

    /// The field.
    #[cfg(test)]
    pub(super) fn field(&self) -> &DistanceField {
        &self.field
    }

    /// The reference surface.
    #[cfg(test)]
    pub(super) fn surface(&self) -> &TriangleMesh {
        &self.surface
    }

    /// Maximum relative error of the depths at contacts in this body: the change of the length of their gradient since they were taken.
    pub(super) fn error<'a>(&self, body: &Body, contacts: impl Iterator<Item = &'a Contact>) -> f64 {
        let of = |contact: &Contact, cell: Cell, length: f64| -> f64 {
            if !(contact.effective_depth > 0.0) {
                return 0.0;
            }
            let corners = body.tets[cell.tet as usize].map(|i| self.taken_at[(i - body.blocks[0]) as usize]);
            let taken = Shape::of(&corners).map_or(0.0, |shape| {
                shape.gradient(&body.depths[cell.tet as usize].of_part(cell.part)).norm()
            });
            if taken > MIN_GRADIENT { (length / taken - 1.0).abs() } else { 0.0 }
        };
        let errors = contacts.map(|contact| match &contact.site {
            Some(Site::Cell(cell)) => of(contact, *cell, contact.gradient.norm()),
            Some(Site::Face(deepest)) => {
                let sides = deepest.sides.iter();
                sides
                    .map(|side| of(contact, Cell { tet: side.tet, part: side.part }, side.gradient.norm()))
                    .fold(0.0, f64::max)
            }
            None => 0.0,
        });
        errors.fold(0.0, f64::max)
    }

    /// Updates field and depths where the error at the contacts exceeds the tolerance; returns the work, or `None` where the depths
    /// still hold. A surface that does not bound a solid any more keeps the depths that it had.
    pub(super) fn follow<'a>(
        &mut self,
        body: &mut Body,
        x: &[Vector3<f64>],
        contacts: impl Iterator<Item = &'a Contact> + Clone,
    ) -> Option<FieldWork> {
        if !(self.error(body, contacts.clone()) > self.how.tolerance) {
            return None;
        }
        let start = std::time::Instant::now();
        let frame = self.frame(body, x);
        let local = |block: u32| frame.inverse_transform_point(&Point3::from(x[block as usize]));
        let now: Vec<Point3<f64>> = body.nodes.iter().map(|&node| local(node)).collect();
        let boxes = self.boxes(body, &local, contacts);
        let (mut work, everywhere) = match self.update(&now, &boxes) {
            Some(work) => (work, false),
            None => (self.march_anew(now)?, true),
        };
        let nodes: Vec<Point3<f64>> = (body.blocks[0]..body.blocks[1]).map(local).collect();
        let changed: Vec<bool> =
            nodes.iter().map(|p| everywhere || boxes.iter().any(|one| contains(one, p))).collect();
        let first = body.blocks[0];
        let at = |some: &[u32]| {
            let sum: Vector3<f64> = some.iter().map(|&i| nodes[(i - first) as usize].coords).sum();
            let value = self.field.value(&Point3::from(sum / some.len() as f64));
            if value.is_finite() { (-value).max(0.0) } else { 0.0 }
        };
        body.take_depths(&changed, &at);
        for ((taken, changed), node) in self.taken_at.iter_mut().zip(&changed).zip(&nodes) {
            if *changed {
                *taken = node.coords;
            }
        }
        work.time = start.elapsed().as_secs_f64();
        Some(work)
    }

    /// The rigid motion from the reference surface to the present one that is nearest to it (least squares; Kabsch).
    fn frame(&self, body: &Body, x: &[Vector3<f64>]) -> Isometry3<f64> {
        let (from, count) = (self.surface.vertices(), self.surface.vertices().len() as f64);
        let to = || body.nodes.iter().map(|&node| x[node as usize]);
        let mean_from = from.iter().map(|p| p.coords).sum::<Vector3<f64>>() / count;
        let mean_to = to().sum::<Vector3<f64>>() / count;
        let pairs = from.iter().zip(to());
        let covariance: Matrix3<f64> =
            pairs.map(|(a, b)| (b - mean_to) * (a.coords - mean_from).transpose()).sum();
        let svd = covariance.svd(true, true);
        let rotation = match (svd.u, svd.v_t) {
            (Some(u), Some(v_t)) => {
                let sign = (u * v_t).determinant().signum();
                u * Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, sign)) * v_t
            }
            _ => Matrix3::identity(),
        };
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
        Isometry3::from_parts((mean_to - rotation * mean_from).into(), rotation)
    }

    /// Boxes in the frame around the elements of the contacts, grown by the depth of their nodes, disjoint.
    fn boxes<'a>(
        &self,
        body: &Body,
        local: &impl Fn(u32) -> Point3<f64>,
        contacts: impl Iterator<Item = &'a Contact>,
    ) -> Vec<Aabb> {
        let tets =
            contacts.filter(|contact| contact.effective_depth > 0.0).flat_map(|contact| {
                match &contact.site {
                    Some(Site::Cell(cell)) => [Some(cell.tet), None],
                    Some(Site::Face(deepest)) => deepest.sides.map(|side| Some(side.tet)),
                    None => [None; 2],
                }
            });
        let mut tets: Vec<u32> = tets.flatten().collect();
        tets.sort_unstable();
        tets.dedup();
        let mut boxes: Vec<Aabb> = Vec::new();
        for tet in tets {
            let corners = body.tets[tet as usize].map(local);
            let depth = body.depths[tet as usize].nodes.into_iter().fold(0.0, f64::max);
            let mut joined = grown(&Aabb::of_points(&corners), depth + EXACT * self.field.grid().spacing);
            // A box that is merged has grown, and may meet others that it did not before.
            while let Some(at) = boxes.iter().position(|other| meets(&joined, other)) {
                let other = boxes.swap_remove(at);
                joined.include(&other.min);
                joined.include(&other.max);
            }
            boxes.push(joined);
        }
        boxes
    }

    /// Updates the field in the boxes; `None`, and nothing has changed, where the whole must be marched anew.
    fn update(&mut self, now: &[Point3<f64>], boxes: &[Aabb]) -> Option<FieldWork> {
        let spacing = self.field.grid().spacing;
        let room = grown(&self.field.grid().bounds(), -EXACT * spacing);
        let changed: Vec<Option<usize>> =
            now.iter().map(|p| boxes.iter().position(|one| contains(one, p))).collect();
        let moved = |i: u32| (now[i as usize] - self.surface.vertices()[i as usize]).norm();
        let mut regions = vec![Aabb::EMPTY; boxes.len()];
        let mut vertices = self.surface.vertices().to_vec();
        for (place, vertex) in vertices.iter_mut().enumerate().filter(|(place, _)| changed[*place].is_some())
        {
            *vertex = now[place];
        }
        for triangle in self.surface.triangles() {
            let within = triangle.map(|i| changed[i as usize]);
            if within.iter().flatten().next().is_none() {
                continue;
            }
            let beside = triangle.iter().zip(&within).filter(|(_, within)| within.is_none());
            if beside.map(|(&i, _)| moved(i)).fold(0.0, f64::max) > BESIDE * spacing {
                return None;
            }
            for region in within.into_iter().flatten() {
                for &i in triangle {
                    regions[region].include(&self.surface.vertices()[i as usize]);
                    regions[region].include(&vertices[i as usize]);
                }
            }
        }
        let regions: Vec<Aabb> = regions.into_iter().filter(|region| region.min.x <= region.max.x).collect();
        if !regions.iter().all(|region| contains(&room, &region.min) && contains(&room, &region.max)) {
            return None;
        }
        let surface = TriangleMesh::new(vertices, self.surface.triangles().to_vec()).ok()?;
        let update = self.field.update(&surface, &regions).ok()?;
        self.surface = surface;
        let points = [update.recomputed, self.field.known()];
        Some(FieldWork { updates: 1, whole: 0, points, time: 0.0 })
    }

    /// Marches the field anew over the present surface; `None`, and nothing has changed, where that bounds no solid.
    fn march_anew(&mut self, now: Vec<Point3<f64>>) -> Option<FieldWork> {
        let surface = TriangleMesh::new(now, self.surface.triangles().to_vec()).ok()?;
        self.field = marched(&surface, self.how.resolution).ok()?;
        self.surface = surface;
        Some(FieldWork { updates: 1, whole: 1, points: [self.field.known(); 2], time: 0.0 })
    }
}

/// The field inside a closed surface, on a grid with room around it.
fn marched(surface: &TriangleMesh, resolution: usize) -> Result<DistanceField, SoftError> {
    let options = FieldOptions {
        resolution,
        side: Side::Inside,
        padding: PADDING,
        exact: Some(EXACT),
        ..FieldOptions::default()
    };
    DistanceField::of(surface, &options)
        .map_err(|error| SoftError::Field { resolution, reason: error.to_string() })
}

fn grown(bounds: &Aabb, by: f64) -> Aabb {
    Aabb { min: bounds.min.map(|x| x - by), max: bounds.max.map(|x| x + by) }
}

fn contains(bounds: &Aabb, point: &Point3<f64>) -> bool {
    (0..3).all(|k| bounds.min[k] <= point[k] && point[k] <= bounds.max[k])
}

fn meets(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k])
}
