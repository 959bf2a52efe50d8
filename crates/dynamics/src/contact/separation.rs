//! Two meshes at a relative pose: what intersects, and the translation that takes them apart.

use nalgebra::{Isometry3, Translation3, Vector3};

use super::mesh_shape::MeshShape;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::in_projection::{HalfSpace, nearest};
use extricate_core::penetration::{Effort, LowerBound, TranslationalOptions, penetration, penetration_from};
use extricate_core::proximity::contacts::{FeatureFront, Side};
use extricate_core::proximity::triangle_pair::separating_planes;
use extricate_core::proximity::{collide, pairs_within};

/// Two meshes at a relative pose.
pub(super) struct Pair<'a> {
    pub(super) a: &'a MeshShape,
    pub(super) b: &'a MeshShape,
    /// B → A.
    pub(super) b_to_a: Isometry3<f64>,
}

/// Where to look for a separating translation.
pub(super) struct Start<'a> {
    /// The translation of B that separated the pair in the last step [m], frame of A.
    pub(super) separation: Option<Vector3<f64>>,
    /// The last free pose B → A.
    pub(super) free_pose: Option<Isometry3<f64>>,
    /// Contacts that overlap.
    pub(super) groups: &'a [Group],
}

/// Contacts of one normal that overlap.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    /// Unit normal from A to B, frame of A.
    pub(super) normal: Vector3<f64>,
    /// Greatest depth [m].
    pub(super) depth: f64,
}

/// The last separation is tried again this many times as long, plus …
const AGAIN: f64 = 1.02;
/// … this share of the size: the overlap may have grown.
const GROWN: f64 = 1e-3;
/// Shares of the size at which a start along a normal is tried.
const ALONG_NORMALS: [f64; 2] = [0.02, 0.32];
/// Clearances from all local contacts at which a start is tried, shares of the size.
const CLEARANCES: [f64; 3] = [1e-6, 1e-4, 1e-2];
/// How often a start that is not free is doubled.
const DOUBLINGS: usize = 5;
/// Share of the size beyond which a pair has come a long way since it was free.
const FAR: f64 = 0.02;
/// Share of the size below which a depth found near the local contacts is not looked for farther off: bodies at rest
/// overlap by less, and a search from scratch costs a hundred walks.
const SHALLOW: f64 = 1e-4;
/// In-projections of a walk.
const WALK: u32 = 60;
/// Effort where nothing is known of a pair.
pub(super) const SCRATCH: TranslationalOptions = TranslationalOptions {
    effort: Effort::Best,
    start: None,
    max_iterations: WALK,
    lower_bound: LowerBound::Skip,
    relative_tolerance: 1e-9,
    time_budget: None,
    seed: 0,
    parallel: false,
};

impl Pair<'_> {
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

    /// How far any point of B may have moved relative to A since another pose [m].
    pub(super) fn motion_since(&self, before: &Isometry3<f64>) -> f64 {
        FeatureFront::motion(&self.b.model, before, &self.b_to_a)
    }

    pub(super) fn sides(&self) -> [Side<'_>; 2] {
        [self.a, self.b].map(|mesh| Side { model: &mesh.model, adjacency: &mesh.adjacency })
    }

    /// All pairs of triangles nearer than `distance` [m] with B moved by `shift` [m], sorted.
    fn triangle_pairs(&self, shift: &Vector3<f64>, distance: f64, pairs: &mut Vec<[u32; 2]>) {
        pairs.clear();
        let (a, b) = (&self.a.model, &self.b.model);
        pairs_within(a, &Isometry3::identity(), b, &self.moved(shift), distance, pairs);
    }

    /// The pairs of triangles that overlap by more than `tolerance` [m] with B moved by `shift` [m].
    pub(super) fn intersecting(&self, shift: &Vector3<f64>, tolerance: f64, pairs: &mut Vec<[u32; 2]>) {
        self.triangle_pairs(shift, -tolerance, pairs);
    }

    /// Whether two triangles are apart with B moved by `shift` [m].
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

    /// The penetration depth [m], `None` if the pair is apart: the least found by walks from a little way off the
    /// local contacts and, unless that is shallow already, from scratch.
    ///
    /// # Errors
    /// [`PenetrationError`] when no walk from scratch succeeds.
    pub(super) fn depth(
        &self,
        groups: &[Group],
        options: &TranslationalOptions,
    ) -> Result<Option<f64>, PenetrationError> {
        let shallow = SHALLOW * self.size();
        let mut least = f64::INFINITY;
        if self.collides() {
            let along = groups.iter().map(|group| group.normal * (ALONG_NORMALS[0] * self.size()));
            let free =
                self.local_starts(groups).chain(along).filter_map(|start| self.doubled_until_free(start));
            for separation in free.filter_map(|start| self.walk_from(&start)) {
                least = least.min(separation.norm());
                if least <= shallow {
                    return Ok(Some(least));
                }
            }
        }
        let (a, b) = (&*self.a.model, &*self.b.model);
        let found = penetration(b, &self.b_to_a, a, &Isometry3::identity(), options)?;
        Ok(found.map(|found| found.depth.min(least)))
    }

    /// Length [m] of the shortest translation that satisfies all local contacts, if it takes the pair apart.
    pub(super) fn local_separation(&self, groups: &[Group]) -> Option<f64> {
        let shortest = self.local_starts(groups).next()?;
        self.is_free(&shortest).then(|| shortest.norm())
    }

    fn moved(&self, shift: &Vector3<f64>) -> Isometry3<f64> {
        Translation3::from(*shift) * self.b_to_a
    }

    fn is_free(&self, shift: &Vector3<f64>) -> bool {
        !collide(&self.a.model, &Isometry3::identity(), &self.b.model, &self.moved(shift))
    }

    /// A translation of B [m], frame of A, that takes the pair apart: by a walk from the first start that is free,
    /// from outside only where none is.
    pub(super) fn separate(&self, start: &Start) -> Option<Vector3<f64>> {
        let size = self.size();
        let again = start.separation.and_then(|before| {
            let direction = before.try_normalize(0.0)?;
            Some(before * AGAIN + direction * (GROWN * size))
        });
        let back = start.free_pose.map(|pose| {
            let center = self.b.model.center();
            pose * center - self.b_to_a * center
        });
        let along = |share: f64| start.groups.iter().map(move |group| group.normal * (share * size));
        // After a long way the local contacts may be those of the far side.
        let (first, last) =
            if back.is_some_and(|way| way.norm() > FAR * size) { (back, None) } else { (None, back) };
        let starts = first
            .into_iter()
            .chain(again)
            .chain(self.local_starts(start.groups))
            .chain(last)
            .chain(ALONG_NORMALS.iter().flat_map(|&share| along(share)));
        starts
            .filter_map(|start| self.doubled_until_free(start))
            .find_map(|free| self.walk_from(&free))
            .or_else(|| self.separation_from_scratch())
    }

    /// The shortest translations that satisfy all local contacts at once, with growing clearances.
    fn local_starts(&self, groups: &[Group]) -> impl Iterator<Item = Vector3<f64>> {
        let size = self.size();
        let rows = move |clearance: f64| -> Vec<_> {
            let row =
                |group: &Group| HalfSpace { normal: group.normal, offset: group.depth + clearance * size };
            groups.iter().map(row).collect()
        };
        CLEARANCES.into_iter().filter_map(move |clearance| nearest(&rows(clearance), &Vector3::zeros()))
    }

    fn doubled_until_free(&self, start: Vector3<f64>) -> Option<Vector3<f64>> {
        let mut shift = start;
        for _ in 0..DOUBLINGS {
            if shift != Vector3::zeros() && self.is_free(&shift) {
                return Some(shift);
            }
            shift *= 2.0;
        }
        None
    }

    fn walk_from(&self, free: &Vector3<f64>) -> Option<Vector3<f64>> {
        let (a, b) = (&*self.a.model, &*self.b.model);
        let walk = penetration_from((b, &self.b_to_a), (a, &Isometry3::identity()), free, WALK);
        walk.ok().map(|penetration| penetration.translation)
    }

    fn separation_from_scratch(&self) -> Option<Vector3<f64>> {
        let (a, b) = (&*self.a.model, &*self.b.model);
        let options = SCRATCH;
        let found = penetration(b, &self.b_to_a, a, &Isometry3::identity(), &options);
        found.ok().flatten().map(|penetration| penetration.translation)
    }
}
