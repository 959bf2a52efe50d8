//! Temporal coherence of contact features: candidates that a small motion can turn into contacts are collected once.
//!
//! At a *reference* pose the pairs of triangles within a distance of each other whose normals can be opposite are collected, and
//! of their features those that a motion of at most `margin` can turn into contacts. Until the motion since the reference exceeds
//! the margin, only these candidates are tested. Nothing else can be a contact, so the result does not depend on the reference:
//! it equals that of a search from scratch, bit for bit.
//!
//! | here     | meaning                                                                                          |
//! |----------|--------------------------------------------------------------------------------------------------|
//! | T, T₀    | pose of B in the frame of A, now and at the reference                                            |
//! | c, r     | centre and radius of the bounding sphere of B                                                    |
//! | θ        | angle between the rotations of T and T₀                                                          |
//! | motion   | ‖Tc − T₀c‖ + θ r: upper bound of the displacement of any point of B [m]                          |
//! | margin   | maximum motion for which the reference is valid; the rotation is then at most margin / r         |
//! | range    | maximum magnitude of the gaps of a query [m]                                                     |

mod sieve;

use std::sync::atomic::AtomicUsize;

use nalgebra::Isometry3;

use self::sieve::{Candidate, Sieve};
use super::adjacency::Adjacency;
use super::cone_tree::{ConeTree, Range};
use super::features::{Bodies, Candidates, FeaturePair, FeatureQuery, VALLEY};
use super::normal_cone::Sides;
use super::opposed::Opposed;
use super::touching::Touching;
use crate::proximity::collision::{filtered_pairs_within, pairs_within_at_most};
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;

/// Rounding of coordinates transformed by a pose, relative to all lengths that enter.
const ROUNDING: f64 = 1e-13;
/// Maximum distance of a feature pair relative to its gap: faces and edges are extended beyond valleys on both bodies.
const BEYOND: f64 = 1.0 + 2.0 * VALLEY;

/// Pairs of triangles of a limit that a pair of leaves counts for when it is tested by its features.
const PAIRS_PER_LEAVES: usize = 2;

/// Mesh of a contact query: collision model, adjacency and normal cones.
#[derive(Debug, Clone, Copy)]
pub struct ContactMesh<'a> {
    /// Mesh with its tree.
    pub model: &'a Model,
    /// Adjacency of the mesh.
    pub adjacency: &'a Adjacency,
    /// Normal cones of the mesh, computed from these two.
    pub cones: &'a ConeTree,
}

/// Incremental search for the contact features of two meshes over a sequence of poses.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::Model;
/// use extricate_core::proximity::contacts::{Adjacency, ConeTree, ContactMesh, FeatureFront, FeatureQuery};
/// use nalgebra::Isometry3;
///
/// let mesh = Cuboid::default().mesh()?;
/// let (model, adjacency) = (Model::new(mesh.clone(), Solidity::Solid), Adjacency::new(&mesh));
/// let cones = ConeTree::new(&adjacency, &model);
/// let cube = ContactMesh { model: &model, adjacency: &adjacency, cones: &cones };
/// let mut front = FeatureFront::default();
/// for step in 0..10 {
///     let b_to_a = Isometry3::translation(0.1, 0.2 + 1e-4 * f64::from(step), 1.001);
///     let query = FeatureQuery { b_to_a, min: -0.01, max: 0.01, two_sided: [false; 2] };
///     let found = front.find([cube, cube], &query, 0.002);
///     assert!(found.iter().all(|contact| (contact.gap - 0.001).abs() < 1e-12));
/// }
/// assert_eq!(front.gather_count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct FeatureFront {
    reference: Option<Reference>,
    /// Pairs of nearby triangles, in unspecified order.
    pairs: Vec<[u32; 2]>,
    /// Sorted by their features.
    candidates: Vec<Candidate>,
    /// Contacts with the triangles between which they were found.
    contacts: Vec<([u32; 2], FeaturePair)>,
    found: Vec<FeaturePair>,
    gather_count: u64,
}

/// Reference pose with the range of gaps and the margin for which pairs and candidates are valid.
#[derive(Debug, Clone, Copy)]
struct Reference {
    b_to_a: Isometry3<f64>,
    range: f64,
    margin: f64,
    two_sided: [bool; 2],
}

/// Outcome of a search for pairs of triangles of which some features can touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// No leaves are near each other.
    Nothing,
    /// All contacts are among the pairs.
    Contacts,
    /// More pairs of leaves are near each other than the limit is for.
    TooMany,
}

impl FeatureFront {
    /// Contact features at a pose, sorted by their features; each pair of features at most once.
    ///
    /// Without a valid reference, the candidates for motions up to `margin` \[m\] are collected. The margin only determines
    /// the cost of that and how long it stays valid, not the result; with a margin of 0 nothing is stored.
    pub fn find(&mut self, meshes: [ContactMesh; 2], query: &FeatureQuery, margin: f64) -> &[FeaturePair] {
        self.find_at_most(usize::MAX, meshes, query, margin).unwrap_or_default()
    }

    /// As [`find`](Self::find), or `None` when more than `limit` pairs of triangles would have to be tested, or half as many
    /// pairs of leaves of the trees; the cost is then in proportion to the limit, and no reference is stored.
    pub fn find_at_most(
        &mut self,
        limit: usize,
        meshes: [ContactMesh; 2],
        query: &FeatureQuery,
        margin: f64,
    ) -> Option<&[FeaturePair]> {
        let range = query.max.max(-query.min);
        let bodies = Bodies::new(meshes.map(|mesh| mesh.adjacency), query);
        self.found.clear();
        let complete = if self.is_valid_for(meshes, query, range) {
            self.test_candidates(&bodies);
            true
        } else if margin > 0.0 {
            let complete = self.gather(limit, meshes, query, range, margin);
            if complete {
                self.test_candidates(&bodies);
            }
            complete
        } else {
            self.test_all_pairs(limit, meshes, &bodies, range)
        };
        if !complete {
            self.reference = None;
            self.pairs.clear();
        }
        complete.then_some(&self.found[..])
    }

    fn test_candidates(&mut self, bodies: &Bodies) {
        for candidate in &self.candidates {
            // A vertex over an edge between two triangles of one plane region is found twice; the first one counts.
            if self.found.last().is_none_or(|last| last.features != candidate.features) {
                self.found.extend(candidate.contact(bodies));
            }
        }
        if self.found.is_empty() {
            self.test_borders(bodies);
        }
    }

    /// Tests all pairs of triangles within the range; false when there are more than `limit`.
    fn test_all_pairs(
        &mut self,
        limit: usize,
        meshes: [ContactMesh; 2],
        bodies: &Bodies,
        range: f64,
    ) -> bool {
        self.reference = None;
        let query = bodies.query;
        let rounding = rounding(meshes, query);
        let beyond = Range { depth: -query.min, slack: (BEYOND - 1.0) * range + rounding, angle: ROUNDING };
        let within = (BEYOND * range + rounding, &beyond);
        let are_bounded = bounds_normals(meshes.map(|mesh| mesh.cones), query);
        if are_bounded {
            match self.touching_pairs(limit, meshes, query, within) {
                Seen::TooMany => return false,
                Seen::Nothing => return true,
                Seen::Contacts => self.test_pairs(bodies),
            }
        } else if self.near_pairs(limit, meshes, query, within) {
            self.test_pairs(bodies);
        } else {
            return false;
        }
        if self.contacts.is_empty() {
            // Only where there is nothing else, the other pairs near each other are looked at as well.
            if are_bounded && !self.near_pairs(limit, meshes, query, within) {
                return false;
            }
            self.test_borders(bodies);
            return true;
        }
        self.contacts.sort_unstable_by_key(|(triangles, pair)| (pair.features, *triangles));
        self.contacts.dedup_by_key(|(_, pair)| pair.features);
        self.found.extend(self.contacts.iter().map(|(_, pair)| pair));
        true
    }

    /// Replaces the contacts by those of the pairs, in their order.
    fn test_pairs(&mut self, bodies: &Bodies) {
        self.contacts.clear();
        for &pair in &self.pairs {
            Candidates::new(bodies, pair).each(|found| self.contacts.push((pair, found)));
        }
    }

    /// Replaces the pairs by those of [`Self::near_pairs`] of which some features can touch; the normals of the meshes are bounded.
    fn touching_pairs(
        &mut self,
        limit: usize,
        [a, b]: [ContactMesh; 2],
        query: &FeatureQuery,
        (distance, range): (f64, &Range),
    ) -> Seen {
        self.pairs.clear();
        self.contacts.clear();
        let placement = RelativePose::between(a.model, &Isometry3::identity(), b.model, &query.b_to_a);
        let opposed = Opposed::new([a.cones, b.cones], &placement, range);
        let (visited, leaves) = (AtomicUsize::new(0), limit / PAIRS_PER_LEAVES);
        let touching = Touching::new(opposed, query, (&visited, leaves));
        filtered_pairs_within(
            usize::MAX,
            [a.model, b.model],
            &placement,
            distance,
            &touching,
            &mut self.pairs,
        );
        match visited.into_inner() {
            0 => Seen::Nothing,
            count if count <= leaves => Seen::Contacts,
            _ => Seen::TooMany,
        }
    }

    /// Vertex–edge and vertex–vertex pairs, where no other contact was found.
    fn test_borders(&mut self, bodies: &Bodies) {
        for &pair in &self.pairs {
            Candidates::new(bodies, pair).closest_points_of_borders(&mut self.found);
        }
        self.found.sort_unstable_by_key(|pair| pair.features);
    }

    /// Replaces the pairs by those within a distance [m] whose normals can be opposite, and along the line between them, within
    /// a range; false when there are more than `limit`.
    fn near_pairs(
        &mut self,
        limit: usize,
        [a, b]: [ContactMesh; 2],
        query: &FeatureQuery,
        (distance, range): (f64, &Range),
    ) -> bool {
        self.pairs.clear();
        let placement = RelativePose::between(a.model, &Isometry3::identity(), b.model, &query.b_to_a);
        if !bounds_normals([a.cones, b.cones], query) {
            return pairs_within_at_most(limit, a.model, b.model, &placement, distance, &mut self.pairs);
        }
        let opposed = Opposed::new([a.cones, b.cones], &placement, range);
        let models = [a.model, b.model];
        filtered_pairs_within(limit, models, &placement, distance, &opposed, &mut self.pairs)
    }

    /// The contact features of the last query.
    #[must_use]
    pub fn found(&self) -> &[FeaturePair] {
        &self.found
    }

    /// Whether candidates for poses near a reference are stored.
    #[must_use]
    pub fn has_reference(&self) -> bool {
        self.reference.is_some()
    }

    /// Pairs of nearby triangles in unspecified order: a superset of those that have contact features within the gaps of the last
    /// query.
    #[must_use]
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Number of times that pairs and candidates were collected.
    #[must_use]
    pub fn gather_count(&self) -> u64 {
        self.gather_count
    }

    /// Upper bound of the displacement \[m\] of any point of B between two poses of B in the frame of A.
    #[must_use]
    pub fn motion(model_of_b: &Model, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
        let center = model_of_b.center();
        let angle = (to.rotation * from.rotation.inverse()).angle();
        (to * center - from * center).norm() + angle * model_of_b.radius()
    }

    /// Whether the stored candidates are valid for a query.
    fn is_valid_for(&self, meshes: [ContactMesh; 2], query: &FeatureQuery, range: f64) -> bool {
        self.reference.is_some_and(|reference| {
            let motion = Self::motion(meshes[1].model, &reference.b_to_a, &query.b_to_a);
            let same = reference.two_sided == query.two_sided;
            motion <= reference.margin && range <= reference.range && same
        })
    }

    /// Makes the pose of the query the reference and collects pairs and candidates for it; false when there are more than
    /// `limit` pairs.
    fn gather(
        &mut self,
        limit: usize,
        meshes: [ContactMesh; 2],
        query: &FeatureQuery,
        range: f64,
        margin: f64,
    ) -> bool {
        let [a, b] = meshes;
        let rounding = rounding(meshes, query);
        let (radius, distance) = (b.model.radius(), BEYOND * range + margin + rounding);
        // A vertex of A may be up to `distance` outside the bounding sphere of B, where rotation moves it farther.
        let slip = margin * (1.0 + distance / radius) + rounding;
        let sieve = Sieve { distance, range, slip, angle: margin / radius + ROUNDING };
        let slack = (BEYOND - 1.0) * range + slip;
        // Gaps of either sign: motion may change a positive gap into a negative one.
        let beyond = Range { depth: range + slip, slack, angle: sieve.angle };
        if !self.near_pairs(limit, meshes, query, (sieve.distance, &beyond)) {
            return false;
        }
        let wide = FeatureQuery { min: -range, max: range, ..*query };
        let bodies = Bodies::new([a.adjacency, b.adjacency], &wide);
        self.candidates.clear();
        for &pair in &self.pairs {
            sieve.candidates(&bodies, pair, &mut self.candidates);
        }
        // Sorted by features: this is the order of the results, and duplicates become adjacent.
        self.candidates.sort_unstable_by_key(Candidate::key);
        self.reference = Some(Reference { b_to_a: query.b_to_a, range, margin, two_sided: query.two_sided });
        self.gather_count += 1;
        true
    }
}

/// Whether cones bound the normals of all contacts of a query: both sides of a solid may be touched where it counts as a surface.
fn bounds_normals(cones: [&ConeTree; 2], query: &FeatureQuery) -> bool {
    (0..2).all(|side| !query.two_sided[side] || cones[side].sides() == Sides::Both)
}

/// Bound of the rounding of coordinates of B in the frame of A [m].
fn rounding(meshes: [ContactMesh; 2], query: &FeatureQuery) -> f64 {
    let [a, b] = meshes.map(|mesh| mesh.model.center().coords.norm() + mesh.model.radius());
    ROUNDING * (a + b + query.b_to_a.translation.vector.norm())
}

#[cfg(test)]
mod tests;
