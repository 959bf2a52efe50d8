//! Distance of convex shapes in the norms L1 and L∞.
//!
//! The distance is the minimum norm of the translations t of A after which the shapes touch, a convex set O. A plane that separates the
//! shapes after a translation t, with normal n from B to A and a gap g, is a cut: −n·t' ≥ g − n·t for all t' in O. The shortest
//! translation in the norm that satisfies all cuts is the next t, and its norm a lower bound (Kelley's method of cutting planes);
//! any point of A and any point of B are an upper bound. The first cuts are those along the normals of the norm's ball, which are all
//! that is needed where a facet of the ball touches O.
//!
//! Cutting planes come near a round O slowly. Where the shapes have radii, whose sum is R, O contains the ball of radius R around
//! the difference of the nearest points of their cores: its own supporting plane nearest to the origin in the norm has a closed form, and its
//! normal is that of another cut, which is the last one for balls.

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
    gap_apart_in_norm(pair, norm, options)
}

/// As [`gap_in_norm`], of convex shapes that are known to be apart; the search ends where the distance is proved to exceed the limit
/// of the options.
pub(super) fn gap_apart_in_norm(
    pair: &ConvexPair,
    norm: Norm,
    options: &DistanceOptions,
) -> Result<Distance, QueryError> {
    CuttingPlanes::of(pair, norm).distance(options)
}

/// The normal, from the origin on, of the plane that separates a ball from the origin and is farthest from it in the norm L1 or L∞: the maximum
/// of (u·c − R |u|) over the dual norm of u. `None` where the ball contains the origin.
fn normal_to_ball(norm: Norm, center: &Vector3<f64>, radius: f64) -> Option<UnitVector3<f64>> {
    if center.norm() <= radius {
        return None;
    }
    let sizes = center.abs();
    let mut sorted: [f64; 3] = sizes.into();
    sorted.sort_by(|x, y| y.total_cmp(x));
    let mut best: Option<(f64, Vector3<f64>)> = None;
    for count in 1..=3 {
        let (largest, others) = sorted.split_at(count);
        let many = [1.0, 2.0, 3.0][count - 1];
        let components = if norm == Norm::L1 {
            // The largest components are at the bound of the cube, the others in proportion to the centre.
            let scale = (many / (radius * radius - others.iter().map(|c| c * c).sum::<f64>())).sqrt();
            sizes.map(|c| if c >= largest[count - 1] { 1.0 } else { (scale * c).min(1.0) })
        } else {
            // The largest components exceed a threshold λ, with Σ (c − λ)² = R².
            let mean = largest.iter().sum::<f64>() / many;
            let spread: f64 = largest.iter().map(|c| (c - mean).powi(2)).sum();
            let threshold = mean - ((radius * radius - spread) / many).max(0.0).sqrt();
            sizes.map(|c| (c - threshold).max(0.0))
        };
        // Every direction is that of a point of the ball, and the nearest one of these is sought.
        let nearest = norm.of(&(sizes - components * (radius / components.norm())));
        // False for NaN.
        if nearest < best.map_or(f64::INFINITY, |(nearest, _)| nearest) {
            best = Some((nearest, components));
        }
    }
    let signed = best?.1.zip_map(center, f64::copysign);
    Unit::try_new(signed, 0.0)
}

/// Cuts around the translations after which two convex shapes touch, and the nearest points found.
struct CuttingPlanes<'a, 'b> {
    pair: &'a ConvexPair<'b>,
    norm: Norm,
    cuts: Vec<HalfSpace>,
    upper_bound: f64,
    points: [Point3<f64>; 2],
    /// Sum of the radii of bounded shapes; zero where one is a half-space.
    radius: f64,
}

impl<'a, 'b> CuttingPlanes<'a, 'b> {
    /// The cuts along the normals of the norm's ball, for bounded shapes.
    fn of(pair: &'a ConvexPair<'b>, norm: Norm) -> Self {
        let (cuts, points) = (Vec::new(), [Point3::origin(); 2]);
        let mut planes = Self { pair, norm, cuts, upper_bound: f64::INFINITY, points, radius: 0.0 };
        if pair.shapes.iter().all(|shape| !matches!(shape.core(), Core::HalfSpace)) {
            planes.radius = pair.shapes.iter().map(|shape| shape.radius()).sum();
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
            if self.radius > 0.0 {
                let center = translation + normal * (found.value + self.radius);
                if let Some(outward) = normal_to_ball(self.norm, &center, self.radius) {
                    self.cut_along(&-outward);
                }
            }
            let Some(next) = shortest_in_norm(self.norm, &self.cuts) else { break };
            lower_bound = lower_bound.max(next.lower_bound);
            let relative = options.relative_tolerance.max(CONVERGED) * self.upper_bound;
            let tolerance = relative.max(options.absolute_tolerance) + pair.rounding();
            if self.upper_bound - lower_bound <= tolerance || lower_bound > options.limit {
                break;
            }
            translation = next.point;
        }
        let (value, witnesses) = (self.upper_bound, self.points);
        Ok(Distance { value, lower_bound: lower_bound.min(value), witnesses, triangles: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::SplitMix64;

    #[test]
    fn the_plane_between_a_ball_and_the_origin_is_the_farthest_of_all() {
        let mut random = SplitMix64(7);
        let mut vector = || Vector3::from_fn(|_, _| 2.0 * random.unit_interval() - 1.0);
        for round in 0..400 {
            let center = if round % 8 == 0 { vector().map(f64::round) } else { vector() };
            let radius = 0.05 + 0.9 * vector().x.abs();
            for norm in [Norm::L1, Norm::LInf] {
                let height = |u: &Vector3<f64>| (u.dot(&center) - radius * u.norm()) / norm.dual().of(u);
                let found = normal_to_ball(norm, &center, radius);
                assert_eq!(found.is_some(), center.norm() > radius, "{norm} {center} {radius}");
                let Some(normal) = found else { continue };
                let best = height(&normal);
                // The point of the ball with this normal is as far in the norm: no other plane can be farther.
                let nearest = center - normal.into_inner() * radius;
                assert!((norm.of(&nearest) - best).abs() < 1e-12, "{norm} {center} {radius} {best}");
                for _ in 0..50 {
                    let other = vector();
                    assert!(height(&other) <= best + 1e-14);
                    assert!(height(&(normal.into_inner() + other * 1e-3)) <= best + 1e-14);
                }
            }
        }
    }
}
