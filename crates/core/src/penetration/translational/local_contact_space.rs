//! The local contact space around a contact configuration: the half-spaces that its contacts allow [Je12 §6.1].
//!
//! Everything is in the frame of B's tree; a configuration q is a translation of A relative to its placement.
//!
//! | paper | here                                   | meaning                                        |
//! |-------|----------------------------------------|------------------------------------------------|
//! | jᵢ, cᵢ | [`HalfSpace`]                          | contact plane jᵢ q = cᵢ [eq. 8]                |
//! | LCS   | [`LocalContactSpace`]                  | Jq ≥ c                                         |

use nalgebra::{Point3, Vector3};

use crate::penetration::allowed_translations::AllowedTranslations;
use crate::penetration::quadratic_program::in_projection::{HalfSpace, in_projection};
use crate::proximity::model::Model;
use crate::proximity::relative_pose::{RelativePose, triangles_in_b};
use crate::proximity::time_of_contact::Hit;
use crate::proximity::triangle_distance::closest_points;
use crate::proximity::triangle_pair::separating_planes;

/// Pairs of triangles that are stored along a walk, the latest ones ([Je12 §6.1] takes 10 to 30). At least three
/// determine an optimum; many more only slow the in-projection, much fewer forget contacts that the walk meets again.
/// No effect on the sets of docs/sensitivity.md.
const MAX_PAIRS: usize = 48;
/// Hits of one cast that are evaluated, nearest first; a contact of finely meshed coplanar faces has thousands with the
/// same plane. A safeguard, without effect on the sets of docs/sensitivity.md.
const MAX_HITS: usize = 256;
/// Cosine above which two planes have the same direction (1.4e-6 rad): only the tighter one is retained, since two
/// nearly equal rows make the in-projection ill-conditioned. A safeguard, without effect on the sets of
/// docs/sensitivity.md.
const SAME_DIRECTION: f64 = 1.0 - 1e-12;

/// A stored pair of triangles with its corners at q = 0.
#[derive(Debug, Clone, Copy)]
struct ContactPair {
    /// Their indices.
    pair: [u32; 2],
    triangles: [[Point3<f64>; 3]; 2],
}

/// A pair of triangles with its closest points of A and of B, and the normal of its half-space.
pub(super) type PlacedContact = ([u32; 2], [Point3<f64>; 2], Vector3<f64>);

/// The local contact space (LCS) [Je12 §6.1, eq. 8]: the stored contacts of a walk and their half-spaces.
#[derive(Debug, Default)]
pub(crate) struct LocalContactSpace {
    pairs: Vec<ContactPair>,
    rows: Vec<HalfSpace>,
    shifted: Vec<HalfSpace>,
    /// Translations to which in-projections are restricted.
    allowed: Option<AllowedTranslations>,
}

impl LocalContactSpace {
    /// No contacts.
    pub(crate) const EMPTY: Self =
        Self { pairs: Vec::new(), rows: Vec::new(), shifted: Vec::new(), allowed: None };

    /// Removes all contacts and keeps the allocated memory.
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
        self.rows.clear();
    }

    /// Restricts in-projections to these translations, or to none.
    pub(super) fn restrict(&mut self, allowed: Option<AllowedTranslations>) {
        self.allowed = allowed;
    }

    /// Half-spaces at the last update.
    pub(crate) fn rows(&self) -> &[HalfSpace] {
        &self.rows
    }

    /// Adds the contacts of an out-projection that ended at `q`, unless their half-spaces are redundant there [Je12 §6.1].
    pub(crate) fn add_contacts(
        &mut self,
        (a, b, a_to_b): (&Model, &Model, &RelativePose),
        hits: &mut [Hit],
        q: &Vector3<f64>,
        clearance: f64,
    ) {
        // Nearest first, ties by index: the result must not depend on the order of the descent.
        hits.sort_unstable_by(|x, y| x.entry.total_cmp(&y.entry).then(x.pair.cmp(&y.pair)));
        // Redundancy is tested at `q`, where the planes of the stored pairs may differ from the last ones.
        self.update(q, clearance);
        for hit in hits.iter().take(MAX_HITS) {
            let pair = ContactPair { pair: hit.pair, triangles: triangles_in_b(a, b, a_to_b, hit.pair) };
            if let Some(row) = pair.half_space(q, clearance)
                && self.add(row, clearance)
            {
                self.pairs.push(pair);
            }
        }
        let excess = self.pairs.len().saturating_sub(MAX_PAIRS);
        // The oldest pairs belong to the beginning of the walk.
        self.pairs.drain(..excess);
    }

    /// Replaces all contacts by these pairs of triangles, with their half-spaces at `q`; by none unless the models have the
    /// triangles and those of every pair are closer than `within` [m] there.
    pub(super) fn set_pairs(
        &mut self,
        (a, b, a_to_b): (&Model, &Model, &RelativePose),
        pairs: impl Iterator<Item = [u32; 2]>,
        q: &Vector3<f64>,
        (clearance, within): (f64, f64),
    ) {
        self.clear();
        let counts = [a, b].map(|model| model.mesh().triangles().len());
        for pair in pairs {
            let exists = (0..2).all(|k| (pair[k] as usize) < counts[k]);
            let placed = exists.then(|| ContactPair { pair, triangles: triangles_in_b(a, b, a_to_b, pair) });
            let Some(placed) = placed.filter(|placed| placed.distance_at(q) <= within) else {
                self.clear();
                return;
            };
            self.pairs.push(placed);
        }
        self.update(q, clearance);
    }

    /// Evaluates the half-spaces of the stored pairs at `q` [Je12 §6.1, eq. 8].
    pub(crate) fn update(&mut self, q: &Vector3<f64>, clearance: f64) {
        self.rows.clear();
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.retain(|pair| match pair.half_space(q, clearance) {
            Some(row) => {
                self.add(row, clearance);
                true
            }
            None => false,
        });
        self.pairs = pairs;
    }

    /// Removes the pairs that are farther apart than `within` [m] at `q`, whose planes extend beyond their obstacles; returns
    /// whether there were any. Without it such planes hold walks back (mean depth ÷ best known: bunny of 200k 1.0005
    /// instead of 1.0003).
    pub(crate) fn retain_touching(&mut self, q: &Vector3<f64>, within: f64) -> bool {
        let before = self.pairs.len();
        self.pairs.retain(|pair| pair.distance_at(q) <= within);
        self.pairs.len() < before
    }

    /// Adds a half-space, retaining the tighter of two that coincide; returns whether it is not redundant.
    fn add(&mut self, row: HalfSpace, clearance: f64) -> bool {
        for known in &mut self.rows {
            // Offsets within a clearance are the same contact found again.
            if known.normal.dot(&row.normal) >= SAME_DIRECTION {
                let tighter = row.offset > known.offset + clearance;
                known.offset = known.offset.max(row.offset);
                return tighter;
            }
        }
        self.rows.push(row);
        true
    }

    /// Points of A (at q = 0) and of B that are closest among the stored pairs when A is at `q`.
    pub(crate) fn witnesses(&self, q: &Vector3<f64>) -> Option<[Point3<f64>; 2]> {
        let closest = |pair: &ContactPair| {
            let [p, other] = &pair.triangles;
            closest_points(&p.map(|corner| corner + q), other)
        };
        let (_, [on_a, on_b]) = self.pairs.iter().map(closest).min_by(|x, y| x.0.total_cmp(&y.0))?;
        Some([on_a - q, on_b])
    }

    /// Each stored pair with its closest points of A, at `q`, and of B, and the normal of its half-space.
    pub(super) fn contacts_at<'a>(
        &'a self,
        q: &Vector3<f64>,
        clearance: f64,
    ) -> impl Iterator<Item = PlacedContact> + use<'a> {
        let q = *q;
        self.pairs.iter().filter_map(move |pair| {
            let row = pair.half_space(&q, clearance)?;
            let [p, other] = &pair.triangles;
            let (_, points) = closest_points(&p.map(|corner| corner + q), other);
            Some((pair.pair, points, row.normal))
        })
    }

    /// In-projection [Je12 §6.1, eq. 9]: the configuration nearest to `from` with a gap of at least `clearance` on every contact.
    pub(crate) fn in_projection(&mut self, from: &Vector3<f64>, clearance: f64) -> Option<Vector3<f64>> {
        let Self { rows, shifted, allowed, .. } = self;
        shifted.clear();
        let shift = |row: &HalfSpace| HalfSpace { offset: row.offset + clearance, ..*row };
        match allowed {
            None => shifted.extend(rows.iter().map(shift)),
            Some(allowed) => shifted.extend(rows.iter().map(shift).filter_map(|row| within(&row, allowed))),
        }
        in_projection(&self.shifted, from)
    }
}

/// The intersection of a half-space with the subspace of the allowed translations, as the half-space whose normal lies in it;
/// `None` if no translation in it changes the distance from the plane.
fn within(row: &HalfSpace, allowed: &AllowedTranslations) -> Option<HalfSpace> {
    /// Sine of the angle between plane and subspace below which they count as parallel: such a half-space
    /// would be left by translations a million times as long as the gap. A safeguard.
    const PARALLEL: f64 = 1e-6;
    let normal = allowed.project(&row.normal);
    let slope = normal.norm();
    (slope > PARALLEL).then(|| HalfSpace { normal: normal / slope, offset: row.offset / slope })
}

impl ContactPair {
    /// Distance of the triangles at `q` [m].
    fn distance_at(&self, q: &Vector3<f64>) -> f64 {
        let [p, other] = &self.triangles;
        closest_points(&p.map(|corner| corner + q), other).0
    }

    /// The contact plane [Je12 §6.1, eq. 8]: of the half-spaces that separate this pair, the one nearest to the zero
    /// translation.
    ///
    /// Each plane that separates the pair at `q` is one face of its convex obstacle, and staying beyond one of them
    /// is sufficient: departs from [Je12], which intersects the faces around an edge or a vertex. If no plane separates the
    /// pair, the one with the minimum violation is used.
    fn half_space(&self, q: &Vector3<f64>, clearance: f64) -> Option<HalfSpace> {
        let [p, other] = &self.triangles;
        let moved = p.map(|corner| corner + q);
        let mut best: Option<(f64, HalfSpace)> = None;
        separating_planes(&moved, other, |plane| {
            let normal = plane.normal.into_inner();
            let row = HalfSpace { normal, offset: normal.dot(q) - plane.gap };
            // Gaps above half the clearance are equally good: among them the offset decides.
            let gap = plane.gap.min(0.5 * clearance);
            let better = best.is_none_or(|(best_gap, best_row)| {
                gap > best_gap || (gap >= best_gap && row.offset < best_row.offset)
            });
            if better {
                best = Some((gap, row));
            }
        });
        best.map(|(_, row)| row)
    }
}
