//! Local chart of the configuration space: coordinates y around the start in which σ is ‖y‖² [Tang14 eqs. 19, 24–28].
//!
//! | variable | X                                                             | y                  |
//! |----------|---------------------------------------------------------------|--------------------|
//! | prismatic joint | Δq                                                      | √(H/V) X           |
//! | revolute joint  | 2 sin(Δq/2)                                             | √(H/V) X           |
//! | rotation of a floating base about the centroid of all links | 2 Q, Q the vector part of the quaternion [Tang14 eqs. 18, 26], along the principal axes | √(I/V) X |
//! | translation of a floating base | that of the centroid                     | X                  |
//!
//! With several movable models each is scaled by the root of its fraction of the total volume. Joints whose weight is (nearly)
//! zero are given a small one, so that they are cheap to move and the scaling stays bounded.

use nalgebra::{Isometry3, Matrix3, Quaternion, SymmetricEigen, Translation3, UnitQuaternion, Vector3};

use super::collision_world::CollisionWorld;
use super::constraint::ResolvedConstraint;
use super::constraint_frame::ConstraintEnd;
use super::part::Part;
use super::pose::Pose;
use super::rows::ContactRow;
use super::tree::KinematicTree;
use super::workspace::Frames;

/// Maximum rotation of a revolute joint from its start [rad]: the chart is singular at π. Half changes the mean depth
/// by +0.16 % (worst +4.2 %), twice no depth (docs/sensitivity.md).
const MAX_ROTATION: f64 = 3.0;
/// Maximum length of the vector part of a base's quaternion: 0.98 is 157°, short of the singularity at 180°.
const MAX_VECTOR: f64 = 0.98;
/// Minimum weight of a joint as a fraction of V·(size)²: it bounds the scaling to 1e8 of the size. A safeguard, without
/// effect on the sets of docs/sensitivity.md.
const MIN_WEIGHT: f64 = 1e-16;
/// Lower bound of cos²(Δq/2) in the slope of a revolute joint: reached within 4° of π, beyond [`MAX_ROTATION`]. It
/// keeps the slope finite at the singularity of the chart.
const MIN_SQUARED_COSINE: f64 = 1e-3;

/// A floating base in the chart.
#[derive(Debug, Clone)]
struct FloatingBase {
    first: usize,
    /// Centroid of all links at the start [m, world].
    centroid: Vector3<f64>,
    /// Principal axes, as columns.
    axes: Matrix3<f64>,
    /// y per metre of translation, and per X along each axis.
    shift: f64,
    rotation_scale: Vector3<f64>,
}

/// A generalized coordinate in the chart.
#[derive(Debug, Clone, Copy)]
struct JointVariable {
    coordinate: usize,
    is_revolute: bool,
    start: f64,
    /// y per X: √(H/V) with H of [Tang14 eq. 28].
    scale: f64,
    /// Limits of the joint value [rad or m].
    limits: [f64; 2],
}

/// The local chart of the configuration space of all movable models around a start.
#[derive(Debug, Clone)]
pub(crate) struct LocalChart {
    start: Vec<Pose>,
    bases: Vec<Option<FloatingBase>>,
    joints: Vec<Vec<JointVariable>>,
    /// Minimum and maximum y of each variable.
    bounds: Vec<[f64; 2]>,
    constraints: Vec<ResolvedConstraint>,
    /// Index of the first link of each movable model among those of all.
    first_links: Vec<usize>,
}

impl LocalChart {
    /// The chart around a start, whose poses have been checked.
    pub(crate) fn new(collision_world: &CollisionWorld, start: &[Pose]) -> Self {
        let whole: f64 = collision_world.movables.iter().map(|movable| movable.norm().measure()).sum();
        let dimension = collision_world.trees.iter().map(KinematicTree::dimension).sum();
        let mut bounds = vec![[f64::NEG_INFINITY, f64::INFINITY]; dimension];
        let (mut bases, mut joints) = (Vec::new(), Vec::new());
        for (index, (movable, pose)) in collision_world.movables.iter().zip(start).enumerate() {
            let metric = movable.norm().at(&pose.joints, &pose.base).expect("the poses have been checked");
            let tree = &collision_world.trees[index];
            let fraction = metric.measure() / whole;
            let min = MIN_WEIGHT * collision_world.size * collision_world.size;
            bases.push(tree.base.map(|first| {
                let inertia = metric.whole().inertia() / metric.measure();
                let eigen = SymmetricEigen::new(inertia);
                let fraction = fraction * movable.base_weight();
                FloatingBase {
                    first,
                    centroid: metric.whole().centroid().coords,
                    axes: eigen.eigenvectors,
                    shift: fraction.sqrt(),
                    rotation_scale: eigen.eigenvalues.map(|moment| (fraction * moment.max(min)).sqrt()),
                }
            }));
            let variable = |(at, &coordinate): (usize, &usize)| {
                let weight = metric.weights()[coordinate] / metric.measure();
                // A weightless joint would scale y by zero: the floor keeps y ↔ q invertible.
                let floor = if tree.is_revolute[at] { min } else { MIN_WEIGHT };
                let scale = (fraction * movable.weights()[coordinate] * weight.max(floor)).sqrt();
                JointVariable {
                    coordinate,
                    is_revolute: tree.is_revolute[at],
                    start: pose.joints[coordinate],
                    scale,
                    limits: collision_world.limits[index][coordinate],
                }
            };
            let of_movable: Vec<_> = tree.coordinates.iter().enumerate().map(variable).collect();
            for (at, variable) in of_movable.iter().enumerate() {
                bounds[tree.first + at] = variable.bounds();
            }
            joints.push(of_movable);
        }
        let mut first_links = Vec::new();
        let mut links = Vec::new();
        if !collision_world.constraints.is_empty() {
            for (movable, pose) in collision_world.movables.iter().zip(start) {
                first_links.push(links.len());
                links.extend(movable.articulation().link_poses(&pose.joints, &pose.base).unwrap_or_default());
            }
        }
        let pose_of = |end: ConstraintEnd| match end {
            ConstraintEnd::World => Isometry3::identity(),
            ConstraintEnd::Link { movable, link } => links[first_links[movable] + link],
        };
        let constraints = collision_world.constraints.iter();
        let constraints =
            constraints.map(|constraint| constraint.resolved(&collision_world.movables, &pose_of)).collect();
        Self { start: start.to_vec(), bases, joints, bounds, constraints, first_links }
    }

    /// The constraints, around the start.
    pub(super) fn constraints(&self) -> &[ResolvedConstraint] {
        &self.constraints
    }

    /// Index of the first link of a movable model among those of all.
    pub(super) fn first_link(&self, movable: usize) -> usize {
        self.first_links[movable]
    }

    /// Number of variables.
    pub(crate) fn dimension(&self) -> usize {
        self.bounds.len()
    }

    /// Minimum and maximum y of each variable.
    pub(crate) fn bounds(&self) -> &[[f64; 2]] {
        &self.bounds
    }

    /// The poses at the origin of the chart.
    pub(crate) fn start(&self) -> &[Pose] {
        &self.start
    }

    /// The poses at a point.
    pub(crate) fn poses(&self, collision_world: &CollisionWorld, y: &[f64]) -> Vec<Pose> {
        let of_movable = |index: usize| {
            let (tree, start) = (&collision_world.trees[index], &self.start[index]);
            let mut pose = start.clone();
            if let Some(base) = &self.bases[index] {
                let (rotation, shift) = base.motion(y);
                pose.base = around(&base.centroid, &rotation, &shift) * start.base;
            }
            for (at, variable) in self.joints[index].iter().enumerate() {
                pose.joints[variable.coordinate] = variable.value(y[tree.first + at]);
            }
            pose
        };
        (0..self.start.len()).map(of_movable).collect()
    }

    /// The point of the chart at given poses, clamped to the range of the chart.
    pub(crate) fn point(&self, collision_world: &CollisionWorld, poses: &[Pose]) -> Vec<f64> {
        let mut y = vec![0.0; self.dimension()];
        for (index, pose) in poses.iter().enumerate() {
            let tree = &collision_world.trees[index];
            if let Some(base) = &self.bases[index] {
                base.point(&(pose.base * self.start[index].base.inverse()), &mut y);
            }
            for (at, variable) in self.joints[index].iter().enumerate() {
                y[tree.first + at] = variable.point(pose.joints[variable.coordinate]);
            }
        }
        y
    }

    /// A point with some variables multiplied by a factor, within their bounds.
    pub(super) fn scaled(&self, y: &[f64], variables: &[usize], factor: f64) -> Vec<f64> {
        let mut scaled = y.to_vec();
        for &k in variables {
            scaled[k] = (factor * y[k]).clamp(self.bounds[k][0], self.bounds[k][1]);
        }
        scaled
    }

    /// Forward kinematics at a point: poses of all bodies and derivatives for [`LocalChart::differentiate`].
    pub(crate) fn place(&self, collision_world: &CollisionWorld, y: &[f64], frames: &mut Frames) {
        frames.slopes.resize(self.dimension(), 0.0);
        frames.bodies.resize(collision_world.bodies.len(), Isometry3::identity());
        frames.axes.clear();
        frames.base_motions.clear();
        frames.all_links.clear();
        let mut body = 0;
        for (index, tree) in collision_world.trees.iter().enumerate() {
            let start = &self.start[index];
            let base = match &self.bases[index] {
                None => {
                    frames.base_motions.push((1.0, Vector3::zeros(), Vector3::zeros()));
                    start.base
                }
                Some(base) => {
                    let (rotation, shift) = base.motion(y);
                    frames.base_motions.push((rotation.w, rotation.imag(), base.centroid + shift));
                    around(&base.centroid, &rotation, &shift) * start.base
                }
            };
            for (at, variable) in self.joints[index].iter().enumerate() {
                frames.slopes[tree.first + at] = variable.slope(y[tree.first + at]);
            }
            let value = |number: usize| {
                let at = tree.coordinates.iter().position(|&coordinate| coordinate == number);
                match at {
                    Some(at) => self.joints[index][at].value(y[tree.first + at]),
                    None => start.joints[number],
                }
            };
            tree.place(&base, value, (&mut frames.links, &mut frames.axes));
            if !self.constraints.is_empty() {
                frames.all_links.extend_from_slice(&frames.links);
            }
            // Bodies are ordered by movable model, obstacles last: one pass assigns all poses.
            while let Some(Part::Link { movable, link }) =
                collision_world.bodies.get(body).map(|body| body.part)
                && movable == index
            {
                frames.bodies[body] = frames.links[link];
                body += 1;
            }
        }
        for (index, pose) in frames.bodies.iter_mut().enumerate().skip(body) {
            if let Part::Obstacle(obstacle) = collision_world.bodies[index].part {
                *pose = collision_world.obstacles[obstacle].pose;
            }
        }
    }

    /// Adds the gradient of a row's gap by y to `derivative`, which has been zeroed: a row n·J of the contact matrix
    /// [Tang14 eqs. 22–23, 25].
    pub(crate) fn differentiate(
        &self,
        collision_world: &CollisionWorld,
        frames: &Frames,
        row: &ContactRow,
        derivative: &mut [f64],
    ) {
        let normal = row.normal.into_inner();
        let parts = row.bodies.map(|body| collision_world.bodies[body as usize].part);
        let shared = self.common_ancestors(collision_world, parts);
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let Part::Link { movable, link } = parts[side] else { continue };
            let (direction, point) = (normal * sign, row.points[side].coords);
            // Joints above the last common ancestor move both points alike; as the points lie along the normal the gap stays.
            if let (Some(base), None) = (&self.bases[movable], shared) {
                let (w, v, center) = &frames.base_motions[movable];
                base.differentiate(&direction, &(point - center), (*w, v), derivative);
            }
            let moment = point.cross(&direction);
            for column in &collision_world.trees[movable].jacobian_columns[link][shared.unwrap_or(0)..] {
                let [axis, origin] = &frames.axes[column.slot];
                let rate = if column.is_revolute {
                    axis.dot(&(moment - origin.cross(&direction)))
                } else {
                    axis.dot(&direction)
                };
                derivative[column.variable] += column.factor * rate * frames.slopes[column.variable];
            }
        }
    }

    /// Adds the gradient by y of the power of a wrench on a link: a force, and a moment about the origin of the world.
    pub(super) fn add_wrench(
        &self,
        collision_world: &CollisionWorld,
        frames: &Frames,
        end: ConstraintEnd,
        [force, moment]: [Vector3<f64>; 2],
        derivative: &mut [f64],
    ) {
        let ConstraintEnd::Link { movable, link } = end else { return };
        if let Some(base) = &self.bases[movable] {
            let (w, v, center) = &frames.base_motions[movable];
            base.add_wrench(&force, &(moment - center.cross(&force)), (*w, v), derivative);
        }
        for column in &collision_world.trees[movable].jacobian_columns[link] {
            let [axis, origin] = &frames.axes[column.slot];
            let rate = if column.is_revolute {
                axis.dot(&(moment - origin.cross(&force)))
            } else {
                axis.dot(&force)
            };
            derivative[column.variable] += column.factor * rate * frames.slopes[column.variable];
        }
    }

    /// Number of Jacobian columns, from the root on, of the common ancestors of both parts; `None` unless both are links of
    /// one movable model.
    fn common_ancestors(&self, collision_world: &CollisionWorld, parts: [Part; 2]) -> Option<usize> {
        let [Part::Link { movable, link }, Part::Link { movable: other, link: second }] = parts else {
            return None;
        };
        let columns = &collision_world.trees[movable].jacobian_columns;
        let both = columns[link].iter().zip(&columns[second]);
        (movable == other).then(|| both.take_while(|(a, b)| a.slot == b.slot).count())
    }

    /// Computes the change of each variable that rotates a joint by an angle [rad], or translates anything by a length [m].
    pub(crate) fn reach(&self, frames: &Frames, angle: f64, length: f64, reach: &mut Vec<f64>) {
        reach.clear();
        for (base, joints) in self.bases.iter().zip(&self.joints) {
            if let Some(base) = base {
                reach.extend((0..3).map(|_| length * base.shift));
                reach.extend(base.rotation_scale.iter().map(|scale| angle * scale));
            }
            for variable in joints {
                let slope = frames.slopes[reach.len()];
                reach.push(if variable.is_revolute { angle } else { length } / slope);
            }
        }
    }

    /// Whether each variable moves all of its movable model.
    pub(crate) fn moving_all(&self, collision_world: &CollisionWorld) -> Vec<bool> {
        let mut moving = vec![true; self.dimension()];
        for body in &collision_world.bodies {
            let Part::Link { movable, link } = body.part else { continue };
            let tree = &collision_world.trees[movable];
            for variable in tree.first..tree.first + tree.coordinates.len() {
                moving[variable] &=
                    tree.jacobian_columns[link].iter().any(|column| column.variable == variable);
            }
        }
        moving
    }

    /// Adds the translation of a movable model by a vector [m, world] to a point, as far as its base or its joints allow.
    pub(crate) fn shift(
        &self,
        collision_world: &CollisionWorld,
        movable: usize,
        by: &Vector3<f64>,
        y: &mut [f64],
    ) {
        if let Some(base) = &self.bases[movable] {
            (0..3).for_each(|k| y[base.first + k] += by[k] * base.shift);
            return;
        }
        let mut frames = Frames::default();
        self.place(collision_world, y, &mut frames);
        let tree = &collision_world.trees[movable];
        let moving = self.moving_all(collision_world);
        // The longest chain contains every joint that moves all links.
        for column in tree.jacobian_columns.iter().max_by_key(|columns| columns.len()).into_iter().flatten() {
            if moving[column.variable] && !column.is_revolute {
                let [axis, _] = frames.axes[column.slot];
                let along = axis.dot(by) / (column.factor * frames.slopes[column.variable]);
                let [lower, upper] = self.bounds[column.variable];
                y[column.variable] = (y[column.variable] + along).clamp(lower, upper);
            }
        }
    }

    /// Maximum fraction of a step from a point that rotates no joint by more than an angle [rad] and translates nothing by more
    /// than a length [m].
    pub(crate) fn max_step_fraction(&self, frames: &Frames, step: &[f64], angle: f64, length: f64) -> f64 {
        let mut fraction: f64 = 1.0;
        let mut limit = |moved: f64, max: f64| {
            if moved.abs() > max {
                fraction = fraction.min(max / moved.abs());
            }
        };
        let mut at = 0;
        for (base, joints) in self.bases.iter().zip(&self.joints) {
            if let Some(base) = base {
                let of_base = |k: usize| step[base.first + k];
                let shift = Vector3::new(of_base(0), of_base(1), of_base(2)) / base.shift;
                let rotation =
                    Vector3::new(of_base(3), of_base(4), of_base(5)).component_div(&base.rotation_scale);
                limit(shift.norm(), length);
                limit(rotation.norm(), angle);
                at += 6;
            }
            for variable in joints {
                limit(step[at] * frames.slopes[at], if variable.is_revolute { angle } else { length });
                at += 1;
            }
        }
        fraction
    }
}

/// A rotation about a point, then a translation.
fn around(center: &Vector3<f64>, rotation: &UnitQuaternion<f64>, shift: &Vector3<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(center + shift - rotation * center), *rotation)
}

impl FloatingBase {
    /// Rotation about the centroid and translation at a point of the chart.
    fn motion(&self, y: &[f64]) -> (UnitQuaternion<f64>, Vector3<f64>) {
        let y = &y[self.first..self.first + 6];
        let shift = Vector3::new(y[0], y[1], y[2]) / self.shift;
        let x = Vector3::new(y[3], y[4], y[5]).component_div(&self.rotation_scale);
        let mut vector = self.axes * x * 0.5;
        let length = vector.norm();
        // Points beyond the chart are pulled back to its boundary, so that the scalar part stays real.
        if length > MAX_VECTOR {
            vector *= MAX_VECTOR / length;
        }
        let scalar = (1.0 - vector.norm_squared()).sqrt();
        (UnitQuaternion::new_normalize(Quaternion::from_parts(scalar, vector)), shift)
    }

    /// Sets the coordinates of the base at a motion of the world.
    fn point(&self, motion: &Isometry3<f64>, y: &mut [f64]) {
        let shift = motion.rotation * self.centroid + motion.translation.vector - self.centroid;
        // q and −q are the same rotation; the one with w ≥ 0 is within the chart.
        let sign = if motion.rotation.w < 0.0 { -2.0 } else { 2.0 };
        let x = self.axes.tr_mul(&(motion.rotation.imag() * sign));
        let rotation = x.component_mul(&self.rotation_scale);
        for k in 0..3 {
            y[self.first + k] = shift[k] * self.shift;
            y[self.first + 3 + k] = rotation[k];
        }
    }

    /// Adds the derivative of a point's displacement along a direction; `arm` is the point relative to the centroid [m], (w, v)
    /// the quaternion [Tang14 eqs. 7–8].
    ///
    /// ω = w dX + v (v·dX)/w + v × dX, so that m·ω = (w m + v (v·m)/w + m × v)·dX with m = arm × direction.
    fn differentiate(
        &self,
        direction: &Vector3<f64>,
        arm: &Vector3<f64>,
        (w, v): (f64, &Vector3<f64>),
        derivative: &mut [f64],
    ) {
        self.add_wrench(direction, &arm.cross(direction), (w, v), derivative);
    }

    /// Adds the derivative of the power of a force and a moment about the centroid.
    fn add_wrench(
        &self,
        force: &Vector3<f64>,
        moment: &Vector3<f64>,
        (w, v): (f64, &Vector3<f64>),
        derivative: &mut [f64],
    ) {
        let by_x = moment * w + v * (v.dot(moment) / w) + moment.cross(v);
        let along_axes = self.axes.tr_mul(&by_x).component_div(&self.rotation_scale);
        for k in 0..3 {
            derivative[self.first + k] += force[k] / self.shift;
            derivative[self.first + 3 + k] += along_axes[k];
        }
    }
}

impl JointVariable {
    /// Minimum and maximum y.
    fn bounds(&self) -> [f64; 2] {
        let max = if self.is_revolute { MAX_ROTATION } else { f64::INFINITY };
        self.limits.map(|limit| {
            let change = (limit - self.start).clamp(-max, max);
            self.scale * if self.is_revolute { 2.0 * (0.5 * change).sin() } else { change }
        })
    }

    /// The joint value [rad or m] at y [Tang14 eq. 26].
    fn value(&self, y: f64) -> f64 {
        let x = y / self.scale;
        // Exactly zero must return the start bit by bit, without rounding through sine and arcsine.
        if x == 0.0 {
            return self.start.clamp(self.limits[0], self.limits[1]);
        }
        let change = if self.is_revolute { 2.0 * (0.5 * x).clamp(-1.0, 1.0).asin() } else { x };
        (self.start + change).clamp(self.limits[0], self.limits[1])
    }

    /// y at a joint value [Tang14 eq. 26].
    fn point(&self, value: f64) -> f64 {
        let change = value - self.start;
        let x = if self.is_revolute {
            2.0 * (0.5 * change.clamp(-MAX_ROTATION, MAX_ROTATION)).sin()
        } else {
            change
        };
        self.scale * x
    }

    /// Derivative of the joint value by y: dΔq/dX = 1/cos(Δq/2) for a revolute joint [Tang14 eq. 25].
    fn slope(&self, y: f64) -> f64 {
        let half = 0.5 * y / self.scale;
        if self.is_revolute {
            1.0 / (self.scale * (1.0 - half * half).max(MIN_SQUARED_COSINE).sqrt())
        } else {
            1.0 / self.scale
        }
    }
}
