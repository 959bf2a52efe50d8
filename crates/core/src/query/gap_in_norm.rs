//! Distance of convex shapes in the norms L1 and L∞.
//!
//! The distance is the minimum norm of the translations t of A after which the shapes touch, a convex set O. A plane that separates the
//! shapes after a translation t, with normal n from B to A and a gap g, is a cut: −n·t' ≥ g − n·t for all t' in O. The shortest
//! translation in the norm that satisfies all cuts is the next t, and its norm a lower bound (Kelley's method of cutting planes);
//! any point of A and any point of B are an upper bound. The first cuts are those along the normals of the norm's ball, which are all
//! that is needed where a facet of the ball touches O.

use nalgebra::{Point3, Translation3, Unit, UnitVector3, Vector3};

use super::cache::PairCache;
use super::error::QueryError;
use super::pair::ConvexPair;
use crate::geometry::Norm;
use crate::geometry::convex::{Core, START_ANYWHERE};
use crate::penetration::convex::ConvexOptions;
use crate::penetration::in_projection::HalfSpace;
use crate::penetration::quadratic_program::shortest_in_norm::shortest_in_norm;
use crate::proximity::{Distance, DistanceOptions};

/// Maximum number of cuts beside the first ones: polyhedra take about one for each facet that is passed, round shapes up to some thirty.
const CUTS: u32 = 200;
/// Relative difference of the bounds at which they are equal, as of penetration depths.
const CONVERGED: f64 = 1e-9;

/// The distance of two convex shapes in L1 or L∞, with a proved lower bound; zero where they collide.
pub(super) fn gap_in_norm(
    pair: &ConvexPair,
    norm: Norm,
    options: &DistanceOptions,
) -> Result<Distance, QueryError> {
    let colliding = pair.certified(&ConvexOptions::default(), &mut PairCache::default())?;
    if colliding.value <= 0.0 {
        let witnesses = colliding.witnesses;
        return Ok(Distance { value: 0.0, lower_bound: 0.0, witnesses, triangles: None });
    }
    CuttingPlanes::of(pair, norm).distance(options)
}

/// Cuts around the translations after which two convex shapes touch, and the nearest points found.
struct CuttingPlanes<'a, 'b> {
    pair: &'a ConvexPair<'b>,
    norm: Norm,
    cuts: Vec<HalfSpace>,
    upper_bound: f64,
    points: [Point3<f64>; 2],
}

impl<'a, 'b> CuttingPlanes<'a, 'b> {
    /// The cuts along the normals of the norm's ball, for bounded shapes.
    fn of(pair: &'a ConvexPair<'b>, norm: Norm) -> Self {
        let (cuts, points) = (Vec::new(), [Point3::origin(); 2]);
        let mut planes = Self { pair, norm, cuts, upper_bound: f64::INFINITY, points };
        if pair.shapes.iter().all(|shape| !matches!(shape.core(), Core::HalfSpace)) {
            for facet in norm.dual().ball_vertices() {
                planes.cut_along(&Unit::new_normalize(facet));
            }
        }
        planes
    }

    /// Adds the supporting plane with a normal from B to A, and the extreme points of both.
    fn cut_along(&mut self, normal: &UnitVector3<f64>) {
        let extreme = |side: usize, sign: f64| {
            let (shape, pose) = (self.pair.shapes[side], self.pair.poses[side]);
            let outward = normal.into_inner() * sign;
            let local = pose.rotation.inverse() * outward;
            pose * Point3::from(shape.core().support(&local, START_ANYWHERE).point) + outward * shape.radius()
        };
        let (on_a, on_b) = (extreme(0, -1.0), extreme(1, 1.0));
        self.cuts.push(HalfSpace { normal: -normal.into_inner(), offset: normal.dot(&(on_a - on_b)) });
        self.keep_nearer(self.norm.of(&(on_b - on_a)), [on_a, on_b]);
    }

    /// Keeps an upper bound, and the points of A and of B for it, if it is less than all before.
    fn keep_nearer(&mut self, upper_bound: f64, points: [Point3<f64>; 2]) {
        if upper_bound < self.upper_bound {
            (self.upper_bound, self.points) = (upper_bound, points);
        }
    }

    fn distance(mut self, options: &DistanceOptions) -> Result<Distance, QueryError> {
        let pair = self.pair;
        let (mut translation, mut lower_bound) = (Vector3::zeros(), 0.0_f64);
        for _ in 0..CUTS {
            let moved = Translation3::from(translation) * pair.poses[0];
            let at = ConvexPair { poses: [&moved, pair.poses[1]], ..*pair };
            let found = at.search(&ConvexOptions::default(), &mut PairCache::default())?;
            let [on_a, on_b] = found.witnesses;
            let points = [on_a - translation, on_b];
            // The proved bound of a small gap is more accurate than its witness points.
            let proved = self.norm.of(&translation) + found.at_most.max(0.0) * self.norm.range_on_sphere()[1];
            self.keep_nearer(proved.min(self.norm.of(&(points[1] - points[0]))), points);
            let normal = -found.direction.into_inner();
            self.cuts.push(HalfSpace { normal, offset: found.value + normal.dot(&translation) });
            let Some(next) = shortest_in_norm(self.norm, &self.cuts) else { break };
            lower_bound = lower_bound.max(next.lower_bound);
            let relative = options.relative_tolerance.max(CONVERGED) * self.upper_bound;
            let tolerance = relative.max(options.absolute_tolerance) + pair.rounding();
            if self.upper_bound - lower_bound <= tolerance {
                break;
            }
            translation = next.point;
        }
        let (value, witnesses) = (self.upper_bound, self.points);
        Ok(Distance { value, lower_bound: lower_bound.min(value), witnesses, triangles: None })
    }
}
