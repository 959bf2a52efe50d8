//! Balance: the centre of mass of movable models over the support polygon of feet.
//!
//! The support polygon is the convex hull of the soles of all feet, projected along the upward direction. It moves with the feet.
//! With p and q the ends of an edge, counterclockwise seen from above, n = up × (q − p)/L the inward normal, c the centre of mass and
//! t = (c − p)·(q − p)/L² its place along the edge:
//!
//! | gap | rate |
//! |---|---|
//! | n·(c − p) | n·(ċ − (1 − t) ṗ − t q̇) |
//!
//! The sole of a foot is made of the points that are lowest at some inclination of the floor up to [`INCLINATION`] at the input, so that
//! a foot which does not quite lie on the floor in a sketch has a sole and not an edge.

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::constraint_frame::ConstraintEnd;
use super::movable::MovableModel;
use super::shape::Shape;
use crate::geometry::convex::extreme::START_ANYWHERE;
use crate::geometry::convex::shape::Core;

/// Tangent of the maximum inclination of the floor for which a point belongs to a sole: 5.7°. Half of it loses the far side of a sole
/// that is inclined by 3° or more, twice of it adds points of a round heel.
const INCLINATION: f64 = 0.1;
/// Number of directions of inclination.
const DIRECTIONS: u32 = 16;
/// Area of a triangle relative to the product of two of its sides below which its corners count as collinear.
const COLLINEAR: f64 = 1e-9;

/// A centre of mass and the soles that it is to be above.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Balance {
    up: Unit<Vector3<f64>>,
    /// Points of the soles [m, frame of the carrier].
    soles: Vec<(ConstraintEnd, Point3<f64>)>,
    /// Centres [m, frame of the carrier] and fractions of the total mass.
    masses: Vec<(ConstraintEnd, Point3<f64>, f64)>,
}

/// An edge of the support polygon at given poses.
#[derive(Debug, Clone, Copy)]
pub(super) struct SupportEdge {
    /// Distance of the centre of mass inside the edge [m]; negative outside.
    pub(super) gap: f64,
    /// Inward normal [world].
    pub(super) normal: Vector3<f64>,
    /// The two ends: carrier, point [m, world] and weight in the rate of the gap.
    pub(super) ends: [(ConstraintEnd, Point3<f64>, f64); 2],
}

impl Balance {
    /// The balance of all movable models that have one of these feet, and of loads, with soles as they are at an input.
    pub(super) fn new(
        movables: &[MovableModel],
        (feet, loads): (&[ConstraintEnd], &[usize]),
        up: &Vector3<f64>,
        pose_of: &dyn Fn(ConstraintEnd) -> Isometry3<f64>,
    ) -> Self {
        let up = Unit::new_normalize(*up);
        let mut soles = Vec::new();
        let mut balanced: Vec<bool> = (0..movables.len()).map(|movable| loads.contains(&movable)).collect();
        for &foot in feet {
            let ConstraintEnd::Link { movable, link } = foot else { continue };
            balanced[movable] = true;
            if let Some(shape) = &movables[movable].shapes()[link] {
                let pose = pose_of(foot);
                let down = pose.rotation.inverse() * -up;
                soles.extend(sole(shape, &down).into_iter().map(|point| (foot, point)));
            }
        }
        let of_movable = |(movable, model): (usize, &MovableModel)| {
            let own = model.masses().into_iter().enumerate();
            own.filter_map(move |(link, mass)| {
                let (mass, center) = mass?;
                Some((ConstraintEnd::Link { movable, link }, center, mass))
            })
            .collect::<Vec<_>>()
        };
        let chosen = movables.iter().enumerate().filter(|(movable, _)| balanced[*movable]);
        let mut masses: Vec<_> = chosen.flat_map(of_movable).collect();
        let whole: f64 = masses.iter().map(|(.., mass)| mass).sum();
        masses.iter_mut().for_each(|(.., mass)| *mass /= whole);
        Self { up, soles, masses }
    }

    /// Centres of mass [m, world], their carriers, and their fractions of the total mass.
    pub(super) fn masses<'a>(
        &'a self,
        pose_of: &'a dyn Fn(ConstraintEnd) -> Isometry3<f64>,
    ) -> impl Iterator<Item = (ConstraintEnd, Point3<f64>, f64)> + 'a {
        self.masses.iter().map(|&(end, center, fraction)| (end, pose_of(end) * center, fraction))
    }

    /// The edges of the support polygon; of feet without an area, both sides of a line or a point, which nothing is inside of.
    pub(super) fn edges(&self, pose_of: &dyn Fn(ConstraintEnd) -> Isometry3<f64>) -> Vec<SupportEdge> {
        let center: Vector3<f64> =
            self.masses(pose_of).map(|(_, center, fraction)| center.coords * fraction).sum();
        let points: Vec<_> = self.soles.iter().map(|(end, point)| (*end, pose_of(*end) * point)).collect();
        let axes = horizontal(&self.up);
        let flat: Vec<[f64; 2]> = points.iter().map(|(_, p)| axes.map(|axis| axis.dot(&p.coords))).collect();
        let corners = hull(&flat);
        let edge = |(&i, &j): (&usize, &usize)| {
            let [(p_end, p), (q_end, q)] = [points[i], points[j]];
            let across = |vector: Vector3<f64>| vector - self.up.into_inner() * self.up.dot(&vector);
            let (along, offset) = (across(q - p), across(center - p.coords));
            let length = along.norm();
            let (normal, t) = match along.try_normalize(0.0) {
                Some(tangent) => (self.up.cross(&tangent), tangent.dot(&offset) / length),
                // Nothing is inside of a single point.
                None => (-offset.try_normalize(0.0).unwrap_or(axes[0]), 0.0),
            };
            SupportEdge { gap: normal.dot(&offset), normal, ends: [(p_end, p, 1.0 - t), (q_end, q, t)] }
        };
        corners.iter().zip(corners.iter().cycle().skip(1)).map(edge).collect()
    }

    /// Distance by which the centre of mass is beyond an edge of the support polygon [m]; infinite without a sole.
    pub(super) fn error(&self, pose_of: &dyn Fn(ConstraintEnd) -> Isometry3<f64>) -> f64 {
        let edges = self.edges(pose_of);
        let beyond = edges.iter().map(|edge| -edge.gap).fold(f64::NEG_INFINITY, f64::max);
        if edges.is_empty() { f64::INFINITY } else { beyond.max(0.0) }
    }
}

/// Two horizontal directions, the second to the left of the first one seen from above.
fn horizontal(up: &Unit<Vector3<f64>>) -> [Vector3<f64>; 2] {
    // The coordinate axis most across the upward one never vanishes in the cross product.
    let first = Vector3::ith(up.iamin(), 1.0).cross(up).normalize();
    [first, up.cross(&first)]
}

/// The points of a shape [m, frame of the shape] that are lowest for a floor inclined in some direction.
fn sole(shape: &Shape, down: &Unit<Vector3<f64>>) -> Vec<Point3<f64>> {
    let [x, y] = horizontal(down);
    let mut points: Vec<Point3<f64>> = Vec::new();
    for k in 0..DIRECTIONS {
        let angle = std::f64::consts::TAU * (f64::from(k) + 0.5) / f64::from(DIRECTIONS);
        let direction = down.into_inner() + (x * angle.cos() + y * angle.sin()) * INCLINATION;
        let lowest = lowest(shape, &direction);
        points.extend(lowest.filter(|lowest| !points.contains(lowest)));
    }
    points
}

/// The point of a shape that is extreme in a direction; `None` of an unbounded one.
fn lowest(shape: &Shape, direction: &Vector3<f64>) -> Option<Point3<f64>> {
    let farther = |a: Point3<f64>, b: Point3<f64>| {
        if direction.dot(&b.coords) > direction.dot(&a.coords) { b } else { a }
    };
    if let Some(model) = shape.model() {
        return model.mesh().vertices().iter().copied().reduce(farther);
    }
    let of_piece = |piece: &super::shape::Piece| {
        let local = piece.pose.rotation.inverse() * direction;
        let is_bounded = !matches!(piece.shape.core(), Core::HalfSpace);
        is_bounded.then(|| {
            let core = piece.shape.core().support(&local, START_ANYWHERE).point;
            piece.pose * Point3::from(core + local.normalize() * piece.shape.radius())
        })
    };
    shape.pieces().iter().filter_map(of_piece).reduce(farther)
}

/// Corners of the convex hull of points in a plane, counterclockwise: monotone chains [Andrew79].
fn hull(points: &[[f64; 2]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        points[a][0].total_cmp(&points[b][0]).then_with(|| points[a][1].total_cmp(&points[b][1]))
    });
    order.dedup_by(|a, b| points[*a].iter().zip(&points[*b]).all(|(a, b)| a.total_cmp(b).is_eq()));
    if order.len() < 3 {
        return order;
    }
    let is_left = |a: usize, b: usize, c: usize| {
        let [u, v] = [b, c].map(|to| [points[to][0] - points[a][0], points[to][1] - points[a][1]]);
        u[0] * v[1] - u[1] * v[0] > COLLINEAR * u[0].hypot(u[1]) * v[0].hypot(v[1])
    };
    let chain = |order: &mut dyn Iterator<Item = usize>| {
        let mut corners: Vec<usize> = Vec::new();
        for point in order {
            while let [.., a, b] = corners[..]
                && !is_left(a, b, point)
            {
                corners.pop();
            }
            corners.push(point);
        }
        // The last point starts the other chain.
        corners.pop();
        corners
    };
    let mut corners = chain(&mut order.iter().copied());
    corners.extend(chain(&mut order.iter().rev().copied()));
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hull_of_a_square_with_inner_and_edge_points_is_its_corners_counterclockwise() {
        let points =
            [[0.0, 0.0], [0.5, 0.5], [1.0, 1.0], [1.0, 0.0], [0.5, 0.0], [0.0, 1.0], [0.0, 0.0], [0.2, 0.9]];
        let corners: Vec<[f64; 2]> = hull(&points).into_iter().map(|at| points[at]).collect();
        assert_eq!(corners, [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        assert_eq!(hull(&[[2.0, 1.0], [2.0, 1.0]]).len(), 1);
        assert_eq!(hull(&[[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]]).len(), 2);
    }

    #[test]
    fn the_sole_of_a_box_that_is_inclined_a_little_is_its_lower_face() {
        use crate::geometry::convex::shape::ConvexShape;
        let foot = Shape::convex(ConvexShape::cuboid(Vector3::new(0.25, 0.1, 0.05)));
        let down = Unit::new_normalize(Vector3::new(0.05, -0.02, -1.0));
        let mut found = sole(&foot, &down);
        found.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        let expected = [[-0.125, -0.05], [-0.125, 0.05], [0.125, -0.05], [0.125, 0.05]];
        assert_eq!(found, expected.map(|[x, y]| Point3::new(x, y, -0.025)));
    }
}
