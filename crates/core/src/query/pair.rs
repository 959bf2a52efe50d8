//! Two shapes, classified by the algorithm that applies to them, and their distance.

use nalgebra::{Isometry3, Point3, UnitVector3};

use super::cache::PairCache;
use super::convex_mesh::nearest;
use super::error::QueryError;
use super::options::CollideOptions;
use super::posed::{Part, Posed};
use crate::geometry::convex::{ConvexShape, Core, START_ANYWHERE};
use crate::penetration::convex::{ConvexOptions, SignedDistance, signed_distance};
use crate::proximity::collision::collide_bounded;
use crate::proximity::distance::is_within_bounded;
use crate::proximity::{self, Distance, DistanceOptions, Model, ProximityError};

/// Fraction of sizes and positions by which the bounds of a depth of zero may differ: the rounding of coordinates, which limits
/// the depth of shapes in contact.
const ROUNDING: f64 = 1e-14;

/// Two shapes at their poses.
#[derive(Debug, Clone, Copy)]
pub(super) enum ShapePair<'a> {
    /// Both convex.
    Convex(ConvexPair<'a>),
    /// A convex shape and a mesh.
    Mixed(ConvexMeshPair<'a>),
    /// Both meshes.
    Meshes([&'a Model; 2], [&'a Isometry3<f64>; 2]),
}

/// Two convex shapes at their poses.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConvexPair<'a> {
    pub(super) shapes: [&'a ConvexShape; 2],
    pub(super) poses: [&'a Isometry3<f64>; 2],
}

/// A convex shape and a mesh.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConvexMeshPair<'a> {
    pub(super) convex: (&'a ConvexShape, &'a Isometry3<f64>),
    pub(super) mesh: (&'a Model, &'a Isometry3<f64>),
    /// Whether A is the mesh.
    pub(super) mesh_first: bool,
}

impl<'a> ShapePair<'a> {
    pub(super) fn new(a: &'a Part<'_>, b: &'a Part<'_>) -> Self {
        let meshes = [a, b].map(|part| part.shape.model());
        match ([a, b].map(|part| part.shape.core()), meshes) {
            ([Some(first), Some(second)], _) => {
                Self::Convex(ConvexPair { shapes: [first, second], poses: [&a.pose, &b.pose] })
            }
            ([Some(convex), _], [_, Some(model)]) => Self::Mixed(ConvexMeshPair {
                convex: (convex, &a.pose),
                mesh: (model, &b.pose),
                mesh_first: false,
            }),
            ([_, Some(convex)], [Some(model), _]) => Self::Mixed(ConvexMeshPair {
                convex: (convex, &b.pose),
                mesh: (model, &a.pose),
                mesh_first: true,
            }),
            (_, [Some(first), Some(second)]) => Self::Meshes([first, second], [&a.pose, &b.pose]),
            _ => unreachable!("a shape is convex or a mesh"),
        }
    }

    /// Whether the shapes have a point in common or are at most the clearance apart.
    pub(super) fn collides(
        &self,
        options: &CollideOptions,
        cache: &mut PairCache,
    ) -> Result<bool, QueryError> {
        let &CollideOptions { clearance, time_budget } = options;
        Ok(match self {
            // Half-spaces that do not face each other overlap without bounds.
            Self::Convex(pair) if pair.is_unbounded() => true,
            Self::Convex(pair) => pair.certified(&ConvexOptions::default(), cache)?.value <= clearance,
            Self::Mixed(mixed) => {
                let wanted = DistanceOptions { time_budget, ..DistanceOptions::up_to(clearance) };
                mixed.gap(wanted)?.is_some()
            }
            Self::Meshes([a, b], [pose_a, pose_b]) => match time_budget {
                Some(_) if clearance > 0.0 => {
                    let wanted = DistanceOptions { time_budget, ..DistanceOptions::up_to(clearance) };
                    self.gap(wanted, cache)?.is_some()
                }
                Some(budget) => proximity::collide_until((a, pose_a), (b, pose_b), budget)?,
                None if clearance > 0.0 => is_within_bounded((a, pose_a), (b, pose_b), clearance)?,
                None => collide_bounded((a, pose_a), (b, pose_b))?,
            },
        })
    }

    /// The distance, zero where the shapes collide; `None` where it is proved to exceed the limit.
    pub(super) fn gap(
        &self,
        wanted: DistanceOptions,
        cache: &mut PairCache,
    ) -> Result<Option<Distance>, QueryError> {
        let found = match self {
            Self::Convex(pair) => {
                let found = pair.certified(&ConvexOptions::default(), cache)?;
                let value = found.value.max(0.0);
                let gap = Distance { value, lower_bound: value, witnesses: found.witnesses, triangles: None };
                (found.value <= wanted.limit).then_some(gap)
            }
            Self::Mixed(mixed) => mixed.gap(wanted)?,
            Self::Meshes([a, b], [pose_a, pose_b]) => {
                proximity::distance_with(a, pose_a, b, pose_b, &wanted, &mut cache.distance)?
            }
        };
        match found {
            Some(gap) if !gap.value.is_finite() => Err(too_far(gap.value)),
            found => Ok(found),
        }
    }
}

fn too_far(value: f64) -> QueryError {
    QueryError::OutOfRange { value, range: "a distance whose square is finite" }
}

impl ConvexPair<'_> {
    /// The certified signed distance; an error where its bounds leave open whether the shapes overlap.
    pub(super) fn certified(
        &self,
        options: &ConvexOptions,
        cache: &mut PairCache,
    ) -> Result<SignedDistance, QueryError> {
        let found = self.search(options, cache)?;
        if !found.value.is_finite() {
            return Err(too_far(found.value));
        }
        // The lower bound allows an overlap and the upper one a gap wider than rounding: neither is proved.
        if found.value <= 0.0 && found.at_most > self.rounding() {
            return Err(QueryError::Undecided { apart: found.at_most, overlap: -found.value });
        }
        Ok(found)
    }

    pub(super) fn search(
        &self,
        options: &ConvexOptions,
        cache: &mut PairCache,
    ) -> Result<SignedDistance, QueryError> {
        let ([a, b], [pose_a, pose_b]) = (self.shapes, self.poses);
        Ok(signed_distance(a, pose_a, b, pose_b, options, &mut cache.convex)?)
    }

    /// Whether both are half-spaces whose planes intersect, or that have the same orientation.
    fn is_unbounded(&self) -> bool {
        let are_half_spaces = self.shapes.iter().all(|shape| matches!(shape.core(), Core::HalfSpace));
        are_half_spaces
            && matches!(
                self.search(&ConvexOptions::default(), &mut PairCache::default()),
                Err(QueryError::Unsupported { .. })
            )
    }

    /// Whether a plane with this normal, which points from B to A, separates the shapes by more than rounding: a proof that needs
    /// no search, by the extreme points of both. False for half-spaces.
    pub(super) fn is_separated_along(&self, normal: &UnitVector3<f64>) -> bool {
        if self.shapes.iter().any(|shape| matches!(shape.core(), Core::HalfSpace)) {
            return false;
        }
        let farthest = |side: usize, sign: f64| {
            let (shape, pose) = (self.shapes[side], self.poses[side]);
            let direction = normal.into_inner() * sign;
            let local = pose.rotation.inverse() * direction;
            let point = pose * Point3::from(shape.core().support(&local, START_ANYWHERE).point);
            direction.dot(&point.coords) + shape.radius()
        };
        -farthest(0, -1.0) - farthest(1, 1.0) > self.rounding()
    }

    /// The size of both shapes [m]: the sum of their bounding radii; a metre for two half-spaces, which have none.
    pub(super) fn size(&self) -> f64 {
        let radii = self.shapes.iter().map(|shape| shape.bounding_sphere().1);
        let size: f64 = radii.filter(|radius| radius.is_finite()).sum();
        if size > 0.0 { size } else { 1.0 }
    }

    /// Uncertainty of a depth by rounding [m].
    pub(super) fn rounding(&self) -> f64 {
        let far: f64 = self.poses.iter().map(|pose| pose.translation.vector.norm()).sum();
        ROUNDING * (self.size() + far)
    }
}

impl ConvexMeshPair<'_> {
    /// Sorts the data of the convex shape and of the mesh in the order of A and B.
    pub(super) fn in_order<T>(&self, [convex, mesh]: [T; 2]) -> [T; 2] {
        if self.mesh_first { [mesh, convex] } else { [convex, mesh] }
    }

    pub(super) fn is_half_space(&self) -> bool {
        matches!(self.convex.0.core(), Core::HalfSpace)
    }

    /// The distance, zero where the shapes collide; `None` where it is proved to exceed the limit.
    ///
    /// # Errors
    /// [`ProximityError::OutOfTime`] where the time budget passes before that is known.
    pub(super) fn gap(&self, wanted: DistanceOptions) -> Result<Option<Distance>, ProximityError> {
        let ((shape, pose), (model, pose_of_model)) = (self.convex, self.mesh);
        let Some(found) = nearest(shape, pose, model, pose_of_model, wanted)? else { return Ok(None) };
        // Also maps NaN to zero.
        let value = if found.value > 0.0 { found.value } else { 0.0 };
        let lower_bound = if self.is_half_space() { value } else { wanted.lower_bound(value) };
        Ok(Some(Distance { value, lower_bound, witnesses: self.in_order(found.points), triangles: None }))
    }

    /// Height of the lowest vertex of the mesh over a half-space [m].
    pub(super) fn height(&self) -> (f64, [Point3<f64>; 2]) {
        let ((shape, pose), (model, pose_of_model)) = (self.convex, self.mesh);
        let found = nearest(shape, pose, model, pose_of_model, DistanceOptions::default());
        let found = found.expect("no time budget passes").expect("nothing is farther than infinity");
        (found.value, found.points)
    }

    /// Size of both shapes and positions [m], to which rounding is relative.
    pub(super) fn size(&self) -> f64 {
        let radius = self.convex.0.bounding_sphere().1;
        let far = self.convex.1.translation.vector.norm() + self.mesh.1.translation.vector.norm();
        self.mesh.0.radius() + far + if radius.is_finite() { radius } else { 0.0 }
    }
}

/// The pairs of parts of two assemblies, with a lower bound of their distance [m] by bounding spheres, nearest first. Two
/// single shapes form one pair, without a bound.
pub(super) fn pairs_by_nearness(a: &Posed, b: &Posed) -> Vec<(f64, [usize; 2])> {
    if a.single().is_some() && b.single().is_some() {
        return vec![(f64::NEG_INFINITY, [0, 0])];
    }
    let ball = |part: &Part| {
        let (center, radius) = part.shape.bounding_sphere();
        (part.pose * center, radius)
    };
    let balls: Vec<_> = b.parts().map(ball).collect();
    let mut pairs = Vec::with_capacity(a.parts().len() * balls.len());
    for (i, part) in a.parts().enumerate() {
        let (center, radius) = ball(part);
        for (j, (other, reach)) in balls.iter().enumerate() {
            /// Relative margin for rounding.
            const ROOM: f64 = 1e-9;
            let apart = nalgebra::distance(&center, other);
            pairs.push((apart - (radius + reach) - ROOM * (apart + radius), [i, j]));
        }
    }
    pairs.sort_by(|p, q| p.0.total_cmp(&q.0));
    pairs
}
