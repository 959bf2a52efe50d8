//! The local contact space around a contact configuration: the half-spaces that its contacts allow [Je12 §6.1].
//!
//! Everything is in the frame of B's tree; a configuration q is a translation of A on top of its placement.

use nalgebra::{Point3, Vector3};

use crate::penetration::quadratic_program::in_projection::{HalfSpace, nearest};
use crate::proximity::model::Model;
use crate::proximity::placement::{Placement, triangles_in_b};
use crate::proximity::time_of_contact::Hit;
use crate::proximity::triangle_distance::closest_points;
use crate::proximity::triangle_pair::separating_planes;

/// Pairs of triangles that are remembered along a walk. More only slow the walk: an optimum has three.
const REMEMBERED: usize = 48;
/// Hits of one cast that are looked at, nearest first; a contact of finely meshed coplanar faces has thousands that
/// say the same.
const HITS: usize = 256;
/// Cosine above which two planes have the same direction.
const SAME_DIRECTION: f64 = 1.0 - 1e-12;

/// A remembered pair with its corners at q = 0.
#[derive(Debug, Clone, Copy)]
struct ContactPair {
    triangles: [[Point3<f64>; 3]; 2],
}

/// The remembered contacts of a walk and the half-spaces they allow.
#[derive(Debug, Default)]
pub(crate) struct ContactCone {
    pairs: Vec<ContactPair>,
    rows: Vec<HalfSpace>,
    shifted: Vec<HalfSpace>,
}

impl ContactCone {
    /// No contacts.
    pub(crate) const EMPTY: Self = Self { pairs: Vec::new(), rows: Vec::new(), shifted: Vec::new() };

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
        self.rows.clear();
    }

    /// Half-spaces at the last update.
    pub(crate) fn rows(&self) -> &[HalfSpace] {
        &self.rows
    }

    /// Remembers the pairs of a cast that ended at `q` unless what they allow there is known already.
    pub(crate) fn remember(
        &mut self,
        (a, b, a_to_b): (&Model, &Model, &Placement),
        hits: &mut [Hit],
        q: &Vector3<f64>,
        clearance: f64,
    ) {
        hits.sort_unstable_by(|x, y| x.entry.total_cmp(&y.entry).then(x.pair.cmp(&y.pair)));
        self.update(q, clearance);
        for hit in hits.iter().take(HITS) {
            let pair = ContactPair { triangles: triangles_in_b(a, b, a_to_b, hit.pair) };
            if let Some(row) = pair.half_space(q, clearance)
                && self.add(row, clearance)
            {
                self.pairs.push(pair);
            }
        }
        let excess = self.pairs.len().saturating_sub(REMEMBERED);
        self.pairs.drain(..excess);
    }

    /// Evaluates what the remembered pairs allow at `q`.
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

    /// Forgets the pairs that are farther apart than `within` [m] at `q`: there the plane of a pair goes on where its
    /// obstacle has ended. Answers whether there were any.
    pub(crate) fn keep_touching(&mut self, q: &Vector3<f64>, within: f64) -> bool {
        let before = self.pairs.len();
        self.pairs.retain(|pair| {
            let [p, other] = &pair.triangles;
            closest_points(&p.map(|corner| corner + q), other).0 <= within
        });
        self.pairs.len() < before
    }

    /// Adds a half-space, keeping the tighter of two that coincide; whether it says anything new.
    fn add(&mut self, row: HalfSpace, clearance: f64) -> bool {
        for known in &mut self.rows {
            if known.normal.dot(&row.normal) >= SAME_DIRECTION {
                let tighter = row.offset > known.offset + clearance;
                known.offset = known.offset.max(row.offset);
                return tighter;
            }
        }
        self.rows.push(row);
        true
    }

    /// Points of A (at q = 0) and of B that are closest among the remembered pairs when A is at `q`.
    pub(crate) fn witnesses(&self, q: &Vector3<f64>) -> Option<[Point3<f64>; 2]> {
        let closest = |pair: &ContactPair| {
            let [p, other] = &pair.triangles;
            closest_points(&p.map(|corner| corner + q), other)
        };
        let (_, [on_a, on_b]) = self.pairs.iter().map(closest).min_by(|x, y| x.0.total_cmp(&y.0))?;
        Some([on_a - q, on_b])
    }

    /// For each of the remembered pairs the closest points of A, at `q`, and of B, and the normal of its half-space.
    pub(super) fn contacts_at(
        &self,
        q: &Vector3<f64>,
        clearance: f64,
    ) -> impl Iterator<Item = ([Point3<f64>; 2], Vector3<f64>)> + '_ {
        let q = *q;
        self.pairs.iter().filter_map(move |pair| {
            let row = pair.half_space(&q, clearance)?;
            let [p, other] = &pair.triangles;
            let (_, points) = closest_points(&p.map(|corner| corner + q), other);
            Some((points, row.normal))
        })
    }

    /// The configuration nearest to `from` that keeps a gap of at least `clearance` on every contact.
    pub(crate) fn nearest(&mut self, from: &Vector3<f64>, clearance: f64) -> Option<Vector3<f64>> {
        self.shifted.clear();
        let shift = |row: &HalfSpace| HalfSpace { offset: row.offset + clearance, ..*row };
        self.shifted.extend(self.rows.iter().map(shift));
        nearest(&self.shifted, from)
    }
}

impl ContactPair {
    /// The half-space that keeps this pair apart and asks least of a translation near zero.
    ///
    /// Each plane that separates the pair at `q` is one face of its convex obstacle, and staying beyond one of them
    /// is enough: departs from [Je12], which intersects the faces around an edge or a vertex. Where no plane shows
    /// a gap, the one that is violated least is taken.
    fn half_space(&self, q: &Vector3<f64>, clearance: f64) -> Option<HalfSpace> {
        let [p, other] = &self.triangles;
        let moved = p.map(|corner| corner + q);
        let mut best: Option<(f64, HalfSpace)> = None;
        separating_planes(&moved, other, |plane| {
            let normal = plane.normal.into_inner();
            let row = HalfSpace { normal, offset: normal.dot(q) - plane.gap };
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
