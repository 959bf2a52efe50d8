//! Contact rows of triangle models that are not unions of convex pieces.
//!
//! Where two models overlap, the minimum translation t found separates them; there, the closest points of all pairs of
//! triangles near each other give the contacts and the pairs that would touch next. A pair with the gap d along n has the
//! gap d − n·t at the models' actual poses, to first order in any motion. Where the models are apart, t is zero and the
//! rows are the gaps themselves.

use nalgebra::{Isometry3, Point3, Translation3, Unit, Vector3};

use super::rows::ContactRow;
use crate::penetration::error::PenetrationError;
use crate::penetration::free_configuration::FreeConfiguration;
use crate::penetration::translational::answer::Penetration;
use crate::penetration::translational::options::{Effort, LowerBound, TranslationalOptions};
use crate::penetration::translational::query::penetration;
use crate::proximity::collision::{pairs_within_as_met, pairs_within_at_most};
use crate::proximity::distance::distance_up_to;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::{RelativePose, triangles_in_b};
use crate::proximity::triangle_distance::closest_points;

/// Distance behind the nearest pair of triangles within which others have rows, as a fraction of the smaller model's radius.
/// A smaller one misses contacts that a rotation brings, a larger one collects rows that never become active.
const NEAR: f64 = 0.05;
/// Number of triangle pairs above which the distance is halved, and the maximum number of halvings: bounds the cost of finely
/// meshed models at the price of a shorter look-ahead.
const MANY: usize = 128;
const HALVINGS: u32 = 5;
/// Maximum number of rows of a pair of models. Six contacts determine a rigid motion; more rows only cost time in the
/// quadratic program.
const ROWS: usize = 24;
/// Tolerance within which two rows are duplicates: of points relative to the radius, and of the cosine of normals.
const SAME: f64 = 1e-3;

/// Extent of a scan of a pair of models.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeshExtent {
    /// Distance beyond which there are no rows [m].
    pub(super) horizon: f64,
    /// Whether the models are known to be apart.
    pub(super) are_apart: bool,
    /// Index of the pair among those of models.
    pub(super) pair: usize,
}

/// Buffers of a scan of pairs of models.
#[derive(Debug, Clone, Default)]
pub(crate) struct MeshMemory {
    pairs: Vec<[u32; 2]>,
    rows: Vec<ContactRow>,
    /// The translation that separated each pair when it was last found to overlap [m, frame of B].
    separations: Vec<Option<Vector3<f64>>>,
}

impl MeshMemory {
    /// Discards the separations, so that results do not depend on earlier queries.
    pub(crate) fn forget(&mut self) {
        self.separations.clear();
    }

    /// The minimum translation found that separates two models: near the one found last, which holds their side and takes a walk
    /// alone, or of a search.
    fn separate(
        &mut self,
        pair: usize,
        (a, pose_a): (&Model, &Isometry3<f64>),
        (b, pose_b): (&Model, &Isometry3<f64>),
    ) -> Result<Option<Penetration>, PenetrationError> {
        let options = TranslationalOptions {
            effort: Effort::Fast,
            lower_bound: LowerBound::Skip,
            gaps: false,
            parallel: false,
            ..TranslationalOptions::default()
        };
        if self.separations.len() <= pair {
            self.separations.resize(pair + 1, None);
        }
        let last = self.separations[pair].map(|last| FreeConfiguration::Given(pose_b.rotation * last));
        let near = TranslationalOptions { start: last, ..options };
        let found = match penetration(a, pose_a, b, pose_b, &near) {
            Err(_) if last.is_some() => penetration(a, pose_a, b, pose_b, &options),
            found => found,
        };
        let translation = found.as_ref().ok().and_then(Option::as_ref).map(|found| found.translation);
        self.separations[pair] = translation.map(|by| pose_b.rotation.inverse() * by);
        found
    }

    /// Number of pairs of triangles of the last pair of models.
    pub(crate) fn pairs(&self) -> u64 {
        self.pairs.len() as u64
    }
}

/// Appends the rows of two models that are closer than the horizon and returns their signed distance [m]: minus the depth
/// of the minimum translation found where they overlap, the horizon where they are at least that far apart.
///
/// If no separating translation is found, the depth is taken to be the sum of the radii, and there are no rows.
pub(crate) fn mesh_rows(
    bodies: [u32; 2],
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    MeshExtent { horizon, are_apart, pair }: MeshExtent,
    (memory, rows): (&mut MeshMemory, &mut Vec<ContactRow>),
) -> f64 {
    memory.pairs.clear();
    let found = if are_apart { Ok(None) } else { memory.separate(pair, (a, pose_a), (b, pose_b)) };
    let (separation, value) = match found {
        Ok(Some(found)) => (found.translation, -found.depth),
        Ok(None) => match distance_up_to(a, pose_a, b, pose_b, horizon) {
            Some(found) => (Vector3::zeros(), found.value),
            None => return horizon,
        },
        Err(_) => return -(a.radius() + b.radius()),
    };
    let apart = Translation3::from(separation) * pose_a;
    // Contacts are collected at the separated pose, where closest points and normals are well defined.
    let gap = value.max(0.0);
    let smaller = a.radius().min(b.radius());
    near_rows(bodies, (a, &apart), (b, pose_b), gap + NEAR * smaller, memory);
    thin_out(&mut memory.rows, SAME * smaller);
    for row in &memory.rows {
        let gap = row.gap - row.normal.dot(&separation);
        rows.push(ContactRow { gap, points: [row.points[0] - separation, row.points[1]], ..*row });
    }
    value
}

/// Collects the closest points of all pairs of triangles within `reach` [m], or within less where they are too many.
fn near_rows(
    bodies: [u32; 2],
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    mut reach: f64,
    memory: &mut MeshMemory,
) {
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    let mut is_complete = false;
    for _ in 0..=HALVINGS {
        memory.pairs.clear();
        is_complete = pairs_within_at_most(MANY, a, b, &a_to_b, reach, &mut memory.pairs);
        if is_complete {
            break;
        }
        reach *= 0.5;
    }
    if !is_complete {
        memory.pairs.clear();
        pairs_within_as_met(a, b, &a_to_b, reach, &mut memory.pairs);
    }
    // The order of the tree descent is arbitrary: sorting makes the rows reproducible.
    memory.pairs.sort_unstable();
    memory.rows.clear();
    let to_world = |point: Point3<f64>| pose_b * (point + b.center().coords);
    for &pair in &memory.pairs {
        let [p, q] = triangles_in_b(a, b, &a_to_b, pair);
        let (gap, [x, y]) = closest_points(&p, &q);
        // Triangles that touch have no separating direction.
        let Some(normal) = Unit::try_new(x - y, 0.0) else { continue };
        if gap <= reach {
            let normal = pose_b.rotation * normal;
            memory.rows.push(ContactRow { bodies, gap, normal, points: [to_world(x), to_world(y)] });
        }
    }
}

/// Keeps the nearest rows, without duplicates.
fn thin_out(rows: &mut Vec<ContactRow>, same: f64) {
    rows.sort_by(|x, y| x.gap.total_cmp(&y.gap));
    let mut retained: Vec<ContactRow> = Vec::with_capacity(ROWS);
    for row in rows.iter() {
        if retained.len() == ROWS {
            break;
        }
        let coincides = |other: &ContactRow| {
            (other.points[0] - row.points[0]).norm() <= same && other.normal.dot(&row.normal) >= 1.0 - SAME
        };
        if !retained.iter().any(coincides) {
            retained.push(*row);
        }
    }
    *rows = retained;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Solidity;
    use crate::geometry::procedural::{Cuboid, Procedural, Torus};

    fn solid(mesh: crate::geometry::TriangleMesh) -> Model {
        Model::new(mesh, Solidity::Solid)
    }

    fn rows_of(a: &Model, pose_a: &Isometry3<f64>, b: &Model, horizon: f64) -> (f64, Vec<ContactRow>) {
        let (mut memory, mut rows) = (MeshMemory::default(), Vec::new());
        let here = Isometry3::identity();
        let extent = MeshExtent { horizon, are_apart: false, pair: 0 };
        let value = mesh_rows([0, 1], (a, pose_a), (b, &here), extent, (&mut memory, &mut rows));
        (value, rows)
    }

    #[test]
    fn a_cube_over_a_plate_has_a_row_for_each_corner_whether_it_is_above_or_sunk() {
        let cube = solid(Cuboid::default().mesh().unwrap());
        let plate = solid(Cuboid { x: 6.0, y: 6.0, z: 1.0, ..Cuboid::default() }.mesh().unwrap());
        for height in [1.01, 1.0 - 1e-9, 0.9, 0.7] {
            let (value, rows) = rows_of(&cube, &Isometry3::translation(0.2, 0.1, height), &plate, 0.5);
            assert!((value - (height - 1.0)).abs() < 1e-8, "{height} {value}");
            for corner in 0..4 {
                let (x, y) = (0.2 + f64::from(corner % 2) - 0.5, 0.1 + f64::from(corner / 2) - 0.5);
                let at_corner =
                    |row: &ContactRow| (row.points[0] - Point3::new(x, y, height - 0.5)).norm() < 1e-6;
                let row = rows.iter().find(|row| at_corner(row)).expect("a row of that corner");
                assert!((row.gap - (height - 1.0)).abs() < 1e-6 && row.normal.z > 1.0 - 1e-6, "{row:?}");
            }
        }
    }

    #[test]
    fn a_row_is_the_derivative_of_a_gap_under_small_motions() {
        let ring = solid(Torus::default().mesh().unwrap());
        let pose = Isometry3::new(Vector3::new(0.9, 0.3, 0.2), Vector3::new(0.4, 0.8, 0.1));
        let (value, rows) = rows_of(&ring, &pose, &ring, 0.5);
        assert!(value < 0.0 && !rows.is_empty());
        // Moved along the deepest row's normal by its depth, the overlap vanishes nearly.
        let deepest = rows.iter().min_by(|x, y| x.gap.total_cmp(&y.gap)).unwrap();
        let moved = Translation3::from(-value * deepest.normal.into_inner()) * pose;
        assert!(rows_of(&ring, &moved, &ring, 0.5).0 > 0.3 * value);
        let far = Isometry3::translation(9.0, 0.0, 0.0);
        let (value, rows) = rows_of(&ring, &far, &ring, 0.5);
        assert!((value - 0.5).abs() < 1e-15 && rows.is_empty());
    }
}
