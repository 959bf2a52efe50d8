//! Contact features that survive motion: what can become a contact while the pose changes by a little is found once.
//!
//! At a *reference* pose the pairs of triangles are gathered that come within a distance of each other, and of their
//! features those that a motion of at most `margin` can turn into contacts. Until the motion since the reference
//! exceeds the margin, the contacts are looked for among these alone. Nothing else can be one, so the answer does not
//! depend on when the reference was: it is that of a search from scratch, bit for bit.
//!
//! | here     | meaning                                                                                          |
//! |----------|--------------------------------------------------------------------------------------------------|
//! | T, T₀    | pose B → A, and at the reference                                                                 |
//! | c, r     | centre and radius of the ball around B                                                           |
//! | θ        | angle between the rotations of T and T₀                                                          |
//! | motion   | ‖Tc − T₀c‖ + θ r: no point of B has moved by more [m]                                            |
//! | margin   | greatest motion for which the reference serves; the rotation is then at most margin / r          |
//! | range    | greatest distance of two features that are asked for, gaps of either sign [m]                    |

mod sieve;

use nalgebra::Isometry3;

use self::sieve::{Candidate, Sieve};
use super::adjacency::Adjacency;
use super::features::{Bodies, Candidates, FeaturePair, Query, VALLEY};
use crate::proximity::collision::pairs_within_as_met;
use crate::proximity::model::Model;
use crate::proximity::placement::Placement;

/// Rounding of coordinates that went through a pose, relative to all lengths that enter.
const ROUNDING: f64 = 1e-13;
/// How much farther apart than its gap a feature pair may be: faces and edges go on beyond the end of a valley, on
/// both bodies.
const BEYOND: f64 = 1.0 + 2.0 * VALLEY;

/// A mesh, as contacts see it.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The mesh with its tree.
    pub model: &'a Model,
    /// Its edges and corners.
    pub adjacency: &'a Adjacency,
}

/// Contact features near a pair of meshes, kept from pose to pose.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::Model;
/// use extricate_core::proximity::contacts::{Adjacency, FeatureFront, Query, Side};
/// use nalgebra::Isometry3;
///
/// let mesh = Cuboid::default().mesh()?;
/// let (model, adjacency) = (Model::new(mesh.clone(), Solidity::Solid), Adjacency::new(&mesh));
/// let cube = Side { model: &model, adjacency: &adjacency };
/// let mut front = FeatureFront::default();
/// for step in 0..10 {
///     let b_to_a = Isometry3::translation(0.1, 0.2 + 1e-4 * f64::from(step), 1.001);
///     let query = Query { b_to_a, least: -0.01, greatest: 0.01, two_sided: [false; 2] };
///     let found = front.find([cube, cube], &query, 0.002);
///     assert!(found.iter().all(|contact| (contact.gap - 0.001).abs() < 1e-12));
/// }
/// assert_eq!(front.gathered(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct FeatureFront {
    reference: Option<Reference>,
    /// Pairs of triangles that come near each other, in no order that matters.
    pairs: Vec<[u32; 2]>,
    /// Sorted by their features.
    candidates: Vec<Candidate>,
    /// Contacts with the triangles that they were found between.
    met: Vec<([u32; 2], FeaturePair)>,
    found: Vec<FeaturePair>,
    gathered: u64,
}

/// For which poses and gaps the pairs and candidates serve.
#[derive(Debug, Clone, Copy)]
struct Reference {
    b_to_a: Isometry3<f64>,
    range: f64,
    margin: f64,
    two_sided: [bool; 2],
}

impl FeatureFront {
    /// Contact features at a pose, sorted by their features; each pair of features at most once.
    ///
    /// Where nothing is known of poses nearby, what a motion of `margin` [m] needs is gathered. The margin decides
    /// what that costs and how long it serves, and nothing else; with a margin of 0 nothing is kept.
    pub fn find(&mut self, sides: [Side; 2], query: &Query, margin: f64) -> &[FeaturePair] {
        let range = query.greatest.max(-query.least);
        let bodies = Bodies::new(sides.map(|side| side.adjacency), query);
        self.found.clear();
        if self.serves(sides, query, range) {
            self.look_at_candidates(&bodies);
        } else if margin > 0.0 {
            self.gather(sides, query, range, margin);
            self.look_at_candidates(&bodies);
        } else {
            self.look_at_everything(sides, &bodies, range);
        }
        &self.found
    }

    fn look_at_candidates(&mut self, bodies: &Bodies) {
        for candidate in &self.candidates {
            // Of a vertex over two triangles of one plane, the first counts.
            if self.found.last().is_none_or(|last| last.features != candidate.features) {
                self.found.extend(candidate.contact(bodies));
            }
        }
        if self.found.is_empty() {
            self.look_at_borders(bodies);
        }
    }

    fn look_at_everything(&mut self, sides: [Side; 2], bodies: &Bodies, range: f64) {
        self.reference = None;
        let query = bodies.query;
        self.near_pairs(sides, query, BEYOND * range + rounding(sides, query));
        self.met.clear();
        for &pair in &self.pairs {
            Candidates::new(bodies, pair).each(|found| self.met.push((pair, found)));
        }
        if self.met.is_empty() {
            self.look_at_borders(bodies);
            return;
        }
        self.met.sort_unstable_by_key(|(triangles, pair)| (pair.features, *triangles));
        self.met.dedup_by_key(|(_, pair)| pair.features);
        self.found.extend(self.met.iter().map(|(_, pair)| pair));
    }

    /// Vertices over borders, where there is nothing else.
    fn look_at_borders(&mut self, bodies: &Bodies) {
        for &pair in &self.pairs {
            Candidates::new(bodies, pair).closest_points_of_borders(&mut self.found);
        }
        self.found.sort_unstable_by_key(|pair| pair.features);
    }

    fn near_pairs(&mut self, [a, b]: [Side; 2], query: &Query, distance: f64) {
        self.pairs.clear();
        let placement = Placement::between(a.model, &Isometry3::identity(), b.model, &query.b_to_a);
        pairs_within_as_met(a.model, b.model, &placement, distance, &mut self.pairs);
    }

    /// Whether pairs and candidates are kept for poses nearby.
    #[must_use]
    pub fn lasts(&self) -> bool {
        self.reference.is_some()
    }

    /// Pairs of triangles in no order that matters: all that come within the gaps of the last query of each other, and
    /// more.
    #[must_use]
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// How often pairs and candidates were gathered.
    #[must_use]
    pub fn gathered(&self) -> u64 {
        self.gathered
    }

    /// Greatest motion [m] of a point of B between two poses B → A.
    #[must_use]
    pub fn motion(model_of_b: &Model, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
        let center = model_of_b.center();
        let turned = (to.rotation * from.rotation.inverse()).angle();
        (to * center - from * center).norm() + turned * model_of_b.radius()
    }

    fn serves(&self, sides: [Side; 2], query: &Query, range: f64) -> bool {
        self.reference.is_some_and(|reference| {
            let motion = Self::motion(sides[1].model, &reference.b_to_a, &query.b_to_a);
            let same = reference.two_sided == query.two_sided;
            motion <= reference.margin && range <= reference.range && same
        })
    }

    fn gather(&mut self, sides: [Side; 2], query: &Query, range: f64, margin: f64) {
        let [a, b] = sides;
        let rounding = rounding(sides, query);
        let (radius, distance) = (b.model.radius(), BEYOND * range + margin + rounding);
        let slip = margin * (1.0 + distance / radius) + rounding;
        let sieve = Sieve { distance, range, slip, turn: margin / radius + ROUNDING };
        self.near_pairs(sides, query, sieve.distance);
        let wide = Query { least: -range, greatest: range, ..*query };
        let bodies = Bodies::new([a.adjacency, b.adjacency], &wide);
        self.candidates.clear();
        for &pair in &self.pairs {
            sieve.candidates(&bodies, pair, &mut self.candidates);
        }
        self.candidates.sort_unstable_by_key(Candidate::place);
        self.reference = Some(Reference { b_to_a: query.b_to_a, range, margin, two_sided: query.two_sided });
        self.gathered += 1;
    }
}

/// What rounding may amount to in coordinates of B in the frame of A [m].
fn rounding(sides: [Side; 2], query: &Query) -> f64 {
    let [a, b] = sides.map(|side| side.model.center().coords.norm() + side.model.radius());
    ROUNDING * (a + b + query.b_to_a.translation.vector.norm())
}

#[cfg(test)]
mod tests;
