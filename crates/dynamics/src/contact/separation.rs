//! Two meshes at a relative pose: their intersecting triangles, and the translation that separates them.

use nalgebra::{Isometry3, Translation3, Vector3};

use super::mesh_shape::MeshShape;
use extricate_core::geometry::Norm;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::in_projection::{HalfSpace, in_projection};
use extricate_core::penetration::{Effort, LowerBound, TranslationalOptions, penetration, penetration_from};
use extricate_core::proximity::contacts::{ContactMesh, FeatureFront};
use extricate_core::proximity::triangle_pair::separating_planes;
use extricate_core::proximity::{collide, pairs_within};

/// Two meshes at a relative pose.
pub(super) struct MeshPair<'a> {
    pub(super) a: &'a MeshShape,
    pub(super) b: &'a MeshShape,
    /// B → A.
    pub(super) b_to_a: Isometry3<f64>,
}

/// Initial guesses of a separating translation.
pub(super) struct WarmStart {
    /// The translation of B that separated the pair in the last step [m], frame of A.
    pub(super) separation: Option<Vector3<f64>>,
    /// The last free pose B → A.
    pub(super) free_pose: Option<Isometry3<f64>>,
}

/// Contacts of one normal that overlap.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    /// Unit normal from A to B, frame of A.
    pub(super) normal: Vector3<f64>,
    /// Maximum depth [m].
    pub(super) depth: f64,
}

/// Factor by which the last separation is lengthened before it is tried again: the overlap may have grown. Too little
/// and the start is not free and has to be doubled; more starts farther from the solution. Half and twice change 1 of 2
/// runs and the work by less than 0.1 % (docs/sensitivity.md).
const AGAIN: f64 = 1.02;
/// Length added to it, as a fraction of the size, for separations that are short. Half and twice change 1 of 2 runs and
/// the work by less than 0.1 % (docs/sensitivity.md).
const GROWN: f64 = 1e-3;
/// Lengths of starts along a normal, as fractions of the size: with the doublings they reach from 0.02 to 5 sizes. No
/// effect on the sets of docs/sensitivity.md.
const ALONG_NORMALS: [f64; 2] = [0.02, 0.32];
/// Clearances from all local contacts at which a start is tried, as fractions of the size: the first is nearest to the
/// solution, the others are free where contacts were missed. Half changes 1 and twice 1 (maximum overlap × 1.00 … 1.05)
/// of 7 runs and the work by < 0.1 % and −1 % (docs/sensitivity.md).
const CLEARANCES: [f64; 3] = [1e-6, 1e-4, 1e-2];
/// Number of lengths at which a start is tried, each twice the one before. Half changes 1 and twice 0 of 7 runs and the
/// work by less than 0.1 % (docs/sensitivity.md).
const DOUBLINGS: usize = 5;
/// Distance from the last free pose, as a fraction of the size, beyond which that pose is tried first: a pair that has
/// moved so far may have local contacts of the far side. Half changes 1 and twice 0 of 2 runs and the work by less than
/// 0.1 % (docs/sensitivity.md).
const FAR: f64 = 0.02;
/// Depth, as a fraction of the size, below which a depth found near the local contacts is accepted without a search
/// from scratch: bodies at rest overlap by less, and a search from scratch costs a hundred iterative projections. No
/// effect on the sets of docs/sensitivity.md.
const SHALLOW: f64 = 1e-4;
/// Maximum number of in-projections from one start. Fewer may end before the local minimum; most starts need far fewer.
/// A safeguard against walks that converge slowly, without effect on the sets of docs/sensitivity.md.
const MAX_PROJECTIONS: u32 = 60;
/// Options of a search without a start.
pub(super) const SCRATCH: TranslationalOptions = TranslationalOptions {
    effort: Effort::Best,
    start: None,
    allowed: None,
    norm: Norm::L2,
    gaps: false,
    max_iterations: MAX_PROJECTIONS,
    lower_bound: LowerBound::Skip,
    relative_tolerance: 1e-9,
    time_budget: None,
    seed: 0,
    parallel: false,
};

impl MeshPair<'_> {
    /// Bounding radius of the smaller mesh [m].
    pub(super) fn size(&self) -> f64 {
        self.a.size().min(self.b.size())
    }

    pub(super) fn two_sided(&self) -> [bool; 2] {
        [!self.a.one_sided(), !self.b.one_sided()]
    }

    pub(super) fn one_sided(&self) -> bool {
        self.two_sided() == [false; 2]
    }

    /// Upper bound of the distance that any point of B has moved relative to A since another pose [m].
    pub(super) fn motion_since(&self, before: &Isometry3<f64>) -> f64 {
        FeatureFront::motion(&self.b.model, before, &self.b_to_a)
    }

    pub(super) fn sides(&self) -> [ContactMesh<'_>; 2] {
        [self.a.contact_mesh(), self.b.contact_mesh()]
    }

    /// Pairs of triangles nearer than `distance` [m] with B translated by `shift` [m], sorted.
    pub(super) fn triangle_pairs(&self, shift: &Vector3<f64>, distance: f64, pairs: &mut Vec<[u32; 2]>) {
        pairs.clear();
        let (a, b) = (&self.a.model, &self.b.model);
        pairs_within(a, &Isometry3::identity(), b, &self.moved(shift), distance, pairs);
    }

    /// Pairs of triangles that overlap by more than `tolerance` [m] with B translated by `shift` [m], sorted.
    pub(super) fn intersecting(&self, shift: &Vector3<f64>, tolerance: f64, pairs: &mut Vec<[u32; 2]>) {
        self.triangle_pairs(shift, -tolerance, pairs);
    }

    /// Whether two triangles are disjoint with B translated by `shift` [m].
    pub(super) fn are_apart(&self, [i, j]: [u32; 2], shift: &Vector3<f64>) -> bool {
        let moved = self.moved(shift);
        let on_a = self.a.adjacency.triangle(i);
        let on_b = self.b.adjacency.triangle(j).map(|corner| moved * corner);
        let mut apart = false;
        separating_planes(&on_a, &on_b, |plane| apart |= plane.gap > 0.0);
        apart
    }

    /// Whether the bodies at least touch, or one solid contains the other.
    pub(super) fn collides(&self) -> bool {
        !self.is_free(&Vector3::zeros())
    }

    /// Penetration depth [m], `None` if the pair is disjoint: the minimum found by iterative projection from starts near
    /// the local contacts and, unless that is shallow already, from scratch.
    ///
    /// # Errors
    /// [`PenetrationError`] when no search from scratch succeeds.
    pub(super) fn depth(
        &self,
        groups: &[Group],
        options: &TranslationalOptions,
    ) -> Result<Option<f64>, PenetrationError> {
        let shallow = SHALLOW * self.size();
        let mut min = f64::INFINITY;
        if self.collides() {
            let along = groups.iter().map(|group| group.normal * (ALONG_NORMALS[0] * self.size()));
            let free =
                self.local_starts(groups).chain(along).filter_map(|start| self.doubled_until_free(start));
            for separation in free.filter_map(|start| self.project_from(&start)) {
                min = min.min(separation.norm());
                if min <= shallow {
                    return Ok(Some(min));
                }
            }
        }
        let (a, b) = (&*self.a.model, &*self.b.model);
        let found = penetration(b, &self.b_to_a, a, &Isometry3::identity(), options)?;
        Ok(found.map(|found| found.depth.min(min)))
    }

    /// Length [m] of the shortest translation that satisfies all local contacts, if it separates the pair.
    pub(super) fn local_depth(&self, groups: &[Group]) -> Option<f64> {
        let shortest = self.local_starts(groups).next()?;
        self.is_free(&shortest).then(|| shortest.norm())
    }

    /// The relative pose with B translated by `shift` [m].
    pub(super) fn moved(&self, shift: &Vector3<f64>) -> Isometry3<f64> {
        Translation3::from(*shift) * self.b_to_a
    }

    fn is_free(&self, shift: &Vector3<f64>) -> bool {
        !collide(&self.a.model, &Isometry3::identity(), &self.b.model, &self.moved(shift))
    }

    /// Translation of B [m, frame of A] that separates the pair, by iterative projection from the first start that is
    /// free; from scratch only where none is. The groups of contacts that overlap are asked for only where those starts
    /// that do not depend on them fail.
    pub(super) fn separate(
        &self,
        start: &WarmStart,
        groups: impl FnOnce() -> Vec<Group>,
    ) -> Option<Vector3<f64>> {
        let size = self.size();
        let again = start.separation.and_then(|before| {
            let direction = before.try_normalize(0.0)?;
            Some(before * AGAIN + direction * (GROWN * size))
        });
        // From the present pose to the last free one, as far as a translation can.
        let back = start.free_pose.map(|pose| {
            let center = self.b.model.center();
            pose * center - self.b_to_a * center
        });
        // After a large displacement the local contacts may be those of the far side.
        let (first, last) =
            if back.is_some_and(|back| back.norm() > FAR * size) { (back, None) } else { (None, back) };
        if let Some(found) = self.project_from_first(first.into_iter().chain(again)) {
            return Some(found);
        }
        let groups = groups();
        let along = |length: f64| groups.iter().map(move |group| group.normal * (length * size));
        let starts = self.local_starts(&groups).chain(last);
        self.project_from_first(starts.chain(ALONG_NORMALS.iter().flat_map(|&length| along(length))))
            .or_else(|| self.separation_from_scratch())
    }

    /// The separating translation that is found from the first start from which one is.
    fn project_from_first(&self, starts: impl Iterator<Item = Vector3<f64>>) -> Option<Vector3<f64>> {
        starts.filter_map(|start| self.doubled_until_free(start)).find_map(|free| self.project_from(&free))
    }

    /// Shortest translations that satisfy all local contacts at once, with growing clearances.
    fn local_starts(&self, groups: &[Group]) -> impl Iterator<Item = Vector3<f64>> {
        let size = self.size();
        let rows = move |clearance: f64| -> Vec<_> {
            let row =
                |group: &Group| HalfSpace { normal: group.normal, offset: group.depth + clearance * size };
            groups.iter().map(row).collect()
        };
        CLEARANCES.into_iter().filter_map(move |clearance| in_projection(&rows(clearance), &Vector3::zeros()))
    }

    fn doubled_until_free(&self, start: Vector3<f64>) -> Option<Vector3<f64>> {
        let mut shift = start;
        for _ in 0..DOUBLINGS {
            // A zero start gives the search no direction, however often it is doubled.
            if shift != Vector3::zeros() && self.is_free(&shift) {
                return Some(shift);
            }
            shift *= 2.0;
        }
        None
    }

    /// Separating translation at a local minimum of the length, by iterative projection from a free one [Je12 §5].
    fn project_from(&self, free: &Vector3<f64>) -> Option<Vector3<f64>> {
        let (a, b) = (&*self.a.model, &*self.b.model);
        let found = penetration_from((b, &self.b_to_a), (a, &Isometry3::identity()), free, MAX_PROJECTIONS);
        found.ok().map(|penetration| penetration.translation)
    }

    fn separation_from_scratch(&self) -> Option<Vector3<f64>> {
        let (a, b) = (&*self.a.model, &*self.b.model);
        let options = SCRATCH;
        let found = penetration(b, &self.b_to_a, a, &Isometry3::identity(), &options);
        found.ok().flatten().map(|penetration| penetration.translation)
    }
}
