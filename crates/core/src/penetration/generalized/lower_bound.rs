//! Lower bound of the generalized penetration depth: a pair of convex pieces in collision must be separated by a plane, and how far a
//! point of one of them moves relative to the other is bounded by σ.
//!
//! In the frame of B let A and B be separated after the change by a plane with the normal n. Every point p of A then moves along n by
//! at least d = h_B(n) − n·p, h_B the support function. With the joints j between B and A in their order along the chain, Xⱼ their
//! changes in the chart (2 sin(Δq/2) of a revolute one), hⱼ their weights, so that σ ≥ Σ hⱼ Xⱼ², mⱼ the velocity of p per joint
//! velocity at the start, and ρⱼ = |mⱼ|, the displacement of p is the sum of those by each joint, rotated by the joints before it
//! [Tang14 §4.2], and
//!
//! | bound of the displacement along n | with |
//! |---|---|
//! | b √σ + c σ | b² = Σ (n·mⱼ)²/hⱼ, c = ‖M‖, M the form ½ Σⱼ ρⱼ Xⱼ² + Σ_{i<j} ρⱼ Xᵢ Xⱼ (i rotates) in √hⱼ Xⱼ |
//! | k √σ | k² = Σ ρⱼ²/hⱼ |
//!
//! So √σ is at least the root of b s + c s² = d, and at least d/k, for every p. The minimum over all n follows by branch and bound on
//! triangles of the sphere: h_B is convex, so that its tangent at a corner is below it, and b is a norm of n, so that it is largest at
//! a corner.
//!
//! The bound is valid for every change, whatever side and path: constraints and other pairs only raise the depth.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use nalgebra::{Isometry3, Matrix3, Point3, SymmetricEigen, Vector3};

use super::chart::LocalChart;
use super::collision_world::{BodyPair, CollisionWorld};
use super::error::GeneralizedError;
use super::part::Part;
use super::pose::Pose;
use super::shape::Piece;
use super::workspace::Frames;
use crate::geometry::convex::extreme::START_ANYWHERE;
use crate::geometry::convex::shape::Core;
use crate::penetration::convex::options::ConvexOptions;

/// Maximum number of pairs of pieces that are bounded, the deepest ones: each costs some ten microseconds.
const PAIRS: usize = 8;
/// Maximum number of triangles that are divided for a pair.
const DIVISIONS: usize = 300;
/// Relative gap at which the branch and bound of a pair ends.
const GAP: f64 = 0.02;
/// Maximum number of corners of a piece among its points.
const CORNERS: usize = 24;
/// Relative margin for rounding.
const ROUNDING: f64 = 1e-9;

/// Motion of a point by one joint, or by the base.
struct PointMotion {
    /// h: the weight of its change in σ; of a base the smallest one.
    weight: f64,
    /// Σ m mᵀ/h.
    form: Matrix3<f64>,
    /// ρ [m].
    radius: f64,
    rotates: bool,
}

/// A point of A with its bounds of displacements.
struct BoundedPoint {
    point: Vector3<f64>,
    form: Matrix3<f64>,
    second_order: f64,
    /// 1/k².
    flat: f64,
}

/// The joints between two bodies, from B to A.
struct Chain<'a> {
    collision_world: &'a CollisionWorld,
    chart: &'a LocalChart,
    frames: &'a Frames,
    /// Weight of each joint by its slot.
    weights: &'a [f64],
    bodies: [Part; 2],
}

impl CollisionWorld {
    /// Lower bound of the depth √σ \[m\] of every change after which nothing overlaps and the deepest pairs have a clearance \[m\]; zero
    /// where no pair of convex pieces collides. It is proved up to rounding, and costs some ten microseconds per pair.
    ///
    /// ```
    /// use extricate_core::geometry::convex::ConvexShape;
    /// use extricate_core::penetration::generalized::{CollisionWorld, GeneralizedOptions, MovableModel, Obstacle, Shape};
    /// use nalgebra::Isometry3;
    ///
    /// // A ball leaves the ground by a translation: bound and depth agree.
    /// let ball = MovableModel::rigid(Shape::convex(ConvexShape::sphere(0.5)))?;
    /// let ground = Obstacle { shape: Shape::convex(ConvexShape::half_space()), pose: Isometry3::identity() };
    /// let world = CollisionWorld::new(vec![ball], vec![ground])?;
    /// let sunk = [Isometry3::translation(0.0, 0.0, 0.4).into()];
    /// assert!((world.lower_bound(&sunk, 0.0)? - 0.1).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses do not suit these movable models.
    pub fn lower_bound(&self, poses: &[Pose], clearance: f64) -> Result<f64, GeneralizedError> {
        self.check(poses)?;
        let chart = LocalChart::new(self, poses);
        let weights = self.joint_weights(poses)?;
        Ok(self.with_workspace(|workspace| {
            chart.place(self, &vec![0.0; chart.dimension()], &mut workspace.frames);
            workspace.scan.forget();
            let mut deepest: Vec<(f64, [u32; 2], [usize; 2])> = Vec::new();
            workspace.scan.place(self, &workspace.frames);
            for &pair in &self.pairs {
                let BodyPair { bodies, .. } = pair;
                self.near_pieces(
                    &pair,
                    0.0,
                    &mut workspace.scan,
                    |_, pieces, found, _| {
                        if found.value < 0.0 {
                            deepest.push((found.value, bodies, pieces));
                        }
                        true
                    },
                    &ConvexOptions::default(),
                );
            }
            deepest.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
            let frames = &workspace.frames;
            let of_pair = |&(_, bodies, pieces): &(f64, [u32; 2], [usize; 2])| {
                let parts = bodies.map(|body| self.bodies[body as usize].part);
                let chain =
                    Chain { collision_world: self, chart: &chart, frames, weights: &weights, bodies: parts };
                let [a, b] = [0, 1].map(|side| {
                    let piece = &self.pieces[pieces[side]];
                    (piece, frames.bodies[bodies[side] as usize] * piece.pose)
                });
                chain.separation(a, b, clearance)
            };
            deepest.iter().take(PAIRS).map(of_pair).fold(0.0, f64::max) * (1.0 - ROUNDING)
        }))
    }

    /// hⱼ of each joint by its slot, zero of fixed joints.
    fn joint_weights(&self, poses: &[Pose]) -> Result<Vec<f64>, GeneralizedError> {
        let whole: f64 = self.movables.iter().map(|movable| movable.norm().measure()).sum();
        let mut weights = Vec::new();
        for (movable, pose) in self.movables.iter().zip(poses) {
            let metric = movable.norm().at(&pose.joints, &pose.base)?;
            let articulation = movable.articulation();
            for &link in &articulation.parents_first()[1..] {
                let own = articulation.parent_joint(link).and_then(|joint| {
                    metric.joints().iter().find(|weight| weight.joint == joint).map(|own| own.weight)
                });
                weights.push(own.unwrap_or_default() / whole);
            }
        }
        Ok(weights)
    }
}

impl Chain<'_> {
    /// Lower bound of √σ for the separation of a piece of the first body from one of the second one, both with their poses in the world.
    fn separation(
        &self,
        (a, pose_a): (&Piece, Isometry3<f64>),
        (b, pose_b): (&Piece, Isometry3<f64>),
        clearance: f64,
    ) -> f64 {
        let points: Vec<BoundedPoint> =
            corners(a).into_iter().filter_map(|point| self.bounded(pose_a * point)).collect();
        let room = a.shape.radius() + b.shape.radius() + clearance;
        if matches!(b.shape.core(), Core::HalfSpace) {
            let normal = pose_b.rotation * Vector3::z();
            let support = pose_b.translation.vector;
            return points.iter().map(|point| point.bound(&normal, &support, room)).fold(0.0, f64::max);
        }
        let sphere = Sphere { points: &points, room, core: b.shape.core(), pose: pose_b };
        sphere.minimum()
    }

    /// A point of A [m, world] with its bounds; `None` where nothing moves it, or a joint without weight.
    fn bounded(&self, point: Point3<f64>) -> Option<BoundedPoint> {
        let motions = self.motions(&point.coords);
        if motions.is_empty() {
            return None;
        }
        let mut form = Matrix3::zeros();
        let (mut flat, mut second_order) = (0.0, 0.0);
        for (at, motion) in motions.iter().enumerate() {
            if !(motion.weight > 0.0) {
                return None;
            }
            form += motion.form;
            flat += motion.form.symmetric_eigenvalues().max();
            if motion.rotates {
                second_order += (0.5 * motion.radius / motion.weight).powi(2);
            }
            // Both off-diagonal entries of the symmetric form.
            for before in motions[..at].iter().filter(|before| before.rotates) {
                let entry = 0.5 * motion.radius / (motion.weight * before.weight).sqrt();
                second_order += 2.0 * entry * entry;
            }
        }
        Some(BoundedPoint {
            point: point.coords,
            form,
            second_order: second_order.sqrt(),
            flat: 1.0 / flat.max(f64::MIN_POSITIVE),
        })
    }

    /// Everything that moves a point of A relative to B, in the order of the chain from B to A.
    fn motions(&self, point: &Vector3<f64>) -> Vec<PointMotion> {
        let columns = self.bodies.map(|part| match part {
            Part::Link { movable, link } => {
                self.collision_world.trees[movable].jacobian_columns[link].as_slice()
            }
            Part::Obstacle(_) => &[],
        });
        let movables = self.bodies.map(|part| match part {
            Part::Link { movable, .. } => Some(movable),
            Part::Obstacle(_) => None,
        });
        let is_same = movables[0] == movables[1];
        let shared =
            columns[0].iter().zip(columns[1]).take_while(|(a, b)| is_same && a.slot == b.slot).count();
        let joint = |column: &super::tree::JacobianColumn| {
            let [axis, origin] = &self.frames.axes[column.slot];
            let velocity = if column.is_revolute { axis.cross(&(point - origin)) } else { *axis };
            let weight = self.weights[column.slot];
            PointMotion {
                weight,
                form: velocity * velocity.transpose() / weight,
                radius: velocity.norm(),
                rotates: column.is_revolute,
            }
        };
        let mut motions: Vec<PointMotion> = columns[1][shared..].iter().rev().map(joint).collect();
        if !is_same {
            motions.extend(movables[1].into_iter().flat_map(|movable| self.of_base(movable, point)).rev());
            motions.extend(movables[0].into_iter().flat_map(|movable| self.of_base(movable, point)));
        }
        motions.extend(columns[0][shared..].iter().map(joint));
        motions
    }

    /// Translation and rotation of a floating base; empty of a fixed one.
    fn of_base(&self, movable: usize, point: &Vector3<f64>) -> Vec<PointMotion> {
        if self.collision_world.trees[movable].base.is_none() {
            return Vec::new();
        }
        let movables = &self.collision_world.movables;
        let whole: f64 = movables.iter().map(|movable| movable.norm().measure()).sum();
        let pose = &self.chart.start()[movable];
        let Ok(metric) = movables[movable].norm().at(&pose.joints, &pose.base) else { return Vec::new() };
        let fraction = metric.measure() / whole;
        let shift = PointMotion {
            weight: fraction,
            form: Matrix3::identity() / fraction,
            radius: 1.0,
            rotates: false,
        };
        let eigen = SymmetricEigen::new(metric.whole().inertia() / whole);
        let arm = (point - metric.whole().centroid().coords).cross_matrix();
        let min = eigen.eigenvalues.min();
        let inverse = eigen.eigenvectors
            * Matrix3::from_diagonal(&eigen.eigenvalues.map(|moment| 1.0 / moment))
            * eigen.eigenvectors.transpose();
        let radius = (point - metric.whole().centroid().coords).norm();
        let of_rotation =
            PointMotion { weight: min, form: arm * inverse * arm.transpose(), radius, rotates: true };
        vec![shift, of_rotation]
    }
}

impl BoundedPoint {
    /// Lower bound of √σ where the point has to move along a normal beyond a support point and some room [m].
    fn bound(&self, normal: &Vector3<f64>, support: &Vector3<f64>, room: f64) -> f64 {
        self.root(normal.dot(&(support - self.point)) + room, self.slope(normal))
    }

    /// b of a normal.
    fn slope(&self, normal: &Vector3<f64>) -> f64 {
        normal.dot(&(self.form * normal)).max(0.0).sqrt()
    }

    /// The larger of the root of b s + c s² = d and d/k.
    fn root(&self, distance: f64, slope: f64) -> f64 {
        if !(distance > 0.0) {
            return 0.0;
        }
        // Without cancellation: 2d/(b + √(b² + 4cd)).
        let root = (slope * slope + 4.0 * self.second_order * distance).sqrt();
        let curved = 2.0 * distance / (slope + root).max(f64::MIN_POSITIVE);
        curved.max(distance * self.flat.sqrt())
    }
}

/// Minimum over all normals.
struct Sphere<'a> {
    points: &'a [BoundedPoint],
    room: f64,
    core: &'a Core,
    pose: Isometry3<f64>,
}

/// A unit vector with the support point of B along it.
#[derive(Clone, Copy)]
struct Corner {
    normal: Vector3<f64>,
    support: Vector3<f64>,
    bound: f64,
}

/// A triangle of the sphere with its lower bound.
struct Facet {
    corners: [Corner; 3],
    bound: f64,
}

impl PartialEq for Facet {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Facet {}

impl PartialOrd for Facet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Facet {
    /// The facet with the smallest bound is the maximum: a heap returns it first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound)
    }
}

impl Sphere<'_> {
    fn minimum(&self) -> f64 {
        let corner = |axis: usize, sign: f64| self.corner(Vector3::ith(axis, sign));
        let ends = [0, 1, 2].map(|axis| [corner(axis, 1.0), corner(axis, -1.0)]);
        let mut min = ends.iter().flatten().map(|corner| corner.bound).fold(f64::INFINITY, f64::min);
        let octant = |k: usize| self.facet([0, 1, 2].map(|axis: usize| ends[axis][k >> axis & 1]));
        let mut open: BinaryHeap<Facet> = (0..8).map(octant).collect();
        for _ in 0..DIVISIONS {
            let Some(worst) = open.peek() else { break };
            if worst.bound >= (1.0 - GAP) * min {
                break;
            }
            let Some(Facet { corners, bound }) = open.pop() else { break };
            let length = |k: usize| (corners[k].normal - corners[(k + 1) % 3].normal).norm_squared();
            let longest = (0..3).fold(0, |best, k| if length(k) > length(best) { k } else { best });
            let [a, b, c] = [longest, (longest + 1) % 3, (longest + 2) % 3].map(|k| corners[k]);
            let middle = self.corner((a.normal + b.normal).normalize());
            min = min.min(middle.bound);
            for half in [[a, middle, c], [middle, b, c]] {
                let facet = self.facet(half);
                // A part is bounded by the whole as well.
                open.push(Facet { bound: facet.bound.max(bound), ..facet });
            }
        }
        open.peek().map_or(0.0, |worst| worst.bound)
    }

    fn corner(&self, normal: Vector3<f64>) -> Corner {
        let local = self.pose.rotation.inverse() * normal;
        let support = self.pose * Point3::from(self.core.support(&local, START_ANYWHERE).point);
        let support = support.coords;
        let bound =
            self.points.iter().map(|point| point.bound(&normal, &support, self.room)).fold(0.0, f64::max);
        Corner { normal, support, bound }
    }

    /// A facet with the lower bound of all of its normals, which are the combinations Σ aᵢ nᵢ of length 1.
    fn facet(&self, corners: [Corner; 3]) -> Facet {
        let [a, b, c] = corners.each_ref().map(|corner| corner.normal);
        // Σ aᵢ ≤ 1/(distance of the plane of the corners from the origin).
        let across = (b - a).cross(&(c - a)).normalize();
        let stretch = 1.0 / across.dot(&a).abs().max(f64::MIN_POSITIVE);
        let of_point = |point: &BoundedPoint| {
            // The tangent of the support function at each corner; the best of the three is taken.
            let tangent = |own: &Corner| {
                let along = own.support - point.point;
                let min = [a, b, c].iter().map(|normal| along.dot(normal)).fold(f64::INFINITY, f64::min);
                if min < 0.0 { min * stretch } else { min }
            };
            let min = corners.iter().map(tangent).fold(f64::NEG_INFINITY, f64::max);
            let slope = [a, b, c].iter().map(|normal| point.slope(normal)).fold(0.0, f64::max) * stretch;
            point.root(min + self.room, slope)
        };
        Facet { corners, bound: self.points.iter().map(of_point).fold(0.0, f64::max) }
    }
}

/// Points of the core of a piece [m, frame of the core]: its centre, corners, and centres of faces.
fn corners(piece: &Piece) -> Vec<Point3<f64>> {
    let core = piece.shape.core();
    let center = piece.pose.inverse_transform_point(&piece.ball.0);
    match core {
        Core::HalfSpace => Vec::new(),
        Core::Hull(hull) => {
            let vertices = hull.vertices();
            let every = vertices.len().div_ceil(CORNERS);
            let middle = |facet: crate::geometry::convex::Facet<'_>| {
                let corners = facet.corners.iter().map(|&corner| vertices[corner as usize].coords);
                Point3::from(corners.sum::<Vector3<f64>>() / facet.corners.len() as f64)
            };
            let faces = hull.facets().map(middle).collect::<Vec<_>>();
            let of_faces = faces.len().div_ceil(CORNERS);
            let mean =
                vertices.iter().map(|vertex| vertex.coords).sum::<Vector3<f64>>() / vertices.len() as f64;
            let own = vertices.iter().step_by(every).chain(faces.iter().step_by(of_faces)).copied();
            own.chain([Point3::from(mean)]).collect()
        }
        _ => {
            let directions = (0..27_i32).map(|k| Vector3::new(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1));
            let directions = directions.map(|k| k.map(f64::from)).filter(|k| k.norm() > 0.0);
            let extreme = |k: Vector3<f64>| Point3::from(core.support(&k, START_ANYWHERE).point);
            let mut points: Vec<Point3<f64>> = vec![center];
            for direction in directions {
                let own = extreme(direction);
                // The centre of the face in this direction.
                let facing =
                    Point3::from(direction * (own.coords.dot(&direction) / direction.norm_squared()));
                let is_face = direction.norm_squared() <= 1.0;
                points.push(own);
                points.extend(is_face.then_some(facing));
            }
            points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
            points.dedup();
            points
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::movable::{Base, MovableModel, Obstacle};
    use super::super::options::GeneralizedOptions;
    use super::super::shape::Shape;
    use super::*;
    use crate::geometry::convex::shape::ConvexShape;
    use crate::geometry::random::fraction;
    use crate::kinematics::articulation::joint::{Joint, JointKind};
    use crate::kinematics::articulation::tree::Articulation;
    use crate::proximity::articulated::link_pairs::AllowedCollisions;

    fn cuboid(x: f64, y: f64, z: f64) -> Shape {
        Shape::convex(ConvexShape::cuboid(Vector3::new(x, y, z)))
    }

    fn ground() -> Obstacle {
        Obstacle { shape: Shape::convex(ConvexShape::half_space()), pose: Isometry3::identity() }
    }

    #[test]
    fn the_bound_of_a_cube_in_the_ground_approaches_its_depth_as_that_vanishes() {
        let cube = MovableModel::rigid(cuboid(1.0, 1.0, 1.0)).unwrap();
        let world = CollisionWorld::new(vec![cube], vec![ground()]).unwrap();
        for (depth, min) in [(0.3, 0.7), (0.1, 0.85), (0.01, 0.98), (0.001, 0.998)] {
            let bound =
                world.lower_bound(&[Isometry3::translation(0.0, 0.0, 0.5 - depth).into()], 0.0).unwrap();
            assert!(bound <= depth && bound >= min * depth, "{depth}: {bound}");
        }
        // With a clearance everything has to move farther.
        let sunk = [Isometry3::translation(0.0, 0.0, 0.49).into()];
        assert!(world.lower_bound(&sunk, 0.01).unwrap() > 1.9 * world.lower_bound(&sunk, 0.0).unwrap());
        assert!(world.lower_bound(&[Isometry3::translation(0.0, 0.0, 0.6).into()], 0.0).unwrap() <= 0.0);
    }

    #[test]
    fn the_bound_of_a_bar_on_a_hinge_is_below_the_closed_form_and_near_it() {
        let hinge = Joint::new("hinge", "pillar", "bar", JointKind::Revolute { axis: Vector3::y() });
        let links = ["pillar", "bar"].map(String::from).to_vec();
        let articulation = Articulation::new(links, vec![hinge]).unwrap();
        let bar = Shape::of_pieces(vec![(
            ConvexShape::cuboid(Vector3::new(1.0, 0.02, 0.02)),
            Isometry3::translation(0.5, 0.0, 0.0),
        )]);
        let arm =
            MovableModel::new(articulation, vec![None, Some(bar)], AllowedCollisions::default(), Base::Fixed);
        let plane = Obstacle { pose: Isometry3::translation(0.0, 0.0, -0.1), ..ground() };
        let world = CollisionWorld::new(vec![arm.unwrap()], vec![plane]).unwrap();
        for angle in [0.11, 0.15, 0.3] {
            // The lower corner at (1, −0.01) touches at −0.1: −sin(a − atan 0.01)·|corner| … found by bisection.
            let height = |a: f64| 0.1 - a.sin() - 0.01 * a.cos();
            let (mut free, mut low) = (0.0, angle);
            for _ in 0..60 {
                let middle = 0.5 * (free + low);
                if height(middle) > 0.0 { free = middle } else { low = middle }
            }
            // H/V = (1 + 0.02²/4)/3 of a bar about its end, thickness along z.
            let moment: f64 = 1.0 / 3.0 + 0.02 * 0.02 / 12.0;
            let depth = 2.0 * (0.5 * (angle - free)).sin() * moment.sqrt();
            let bound = world.lower_bound(&[Pose { base: Isometry3::identity(), joints: vec![angle] }], 0.0);
            let bound = bound.unwrap();
            assert!(bound <= depth && bound >= 0.9 * depth, "{angle}: {bound} {depth}");
        }
    }

    #[test]
    fn no_depth_found_is_below_the_bound() {
        let (mut sum, mut count) = (0.0, 0.0);
        for seed in 0..60_u64 {
            let number = |k: u64| 2.0 * fraction([seed, k, 3]) - 1.0;
            let rotated = |k: u64, reach: f64| {
                let rotation = Vector3::new(number(k), number(k + 1), number(k + 2)) * 2.0;
                let shift = Vector3::new(number(k + 3), number(k + 4), number(k + 5)) * reach;
                Isometry3::new(shift, rotation)
            };
            let shape = |k: u64| match (seed + k) % 3 {
                0 => Shape::convex(ConvexShape::cylinder(0.3, 0.8)),
                1 => Shape::convex(ConvexShape::capsule(0.2, 0.6)),
                _ => cuboid(0.4 + 0.3 * number(k).abs(), 0.7, 1.0),
            };
            let movables = match seed % 2 {
                0 => vec![MovableModel::rigid(shape(1)).unwrap()],
                _ => vec![MovableModel::rigid(shape(1)).unwrap(), MovableModel::rigid(shape(2)).unwrap()],
            };
            let poses: Vec<Pose> = (0..movables.len() as u64).map(|k| rotated(20 * k, 0.25).into()).collect();
            let obstacle = Obstacle { shape: shape(5), pose: rotated(60, 0.25) };
            let world = CollisionWorld::new(movables, vec![obstacle]).unwrap();
            // Without a result there is nothing to compare with.
            let Ok(Some(found)) = world.penetration(&poses, &GeneralizedOptions::fast()) else { continue };
            let bound = world.lower_bound(&poses, 0.0).unwrap();
            assert!(bound <= found.depth * (1.0 + 1e-9), "{seed}: {bound} {}", found.depth);
            sum += bound / found.depth;
            count += 1.0;
        }
        assert!(count > 40.0 && sum / count > 0.4, "{sum} of {count}");
    }
}
