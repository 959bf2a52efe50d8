//! Coordinates of a descent: a chart y around the start in which σ is ‖y‖².
//!
//! | variable | X                                                             | y                  |
//! |----------|---------------------------------------------------------------|--------------------|
//! | prismatic joint | Δq                                                      | √(H/V) X           |
//! | revolute joint  | 2 sin(Δq/2)                                             | √(H/V) X           |
//! | turn of a floating base about the centroid of all | 2 Q, Q the vector part of the quaternion [Tang14 eq. 8], along the principal axes | √(I/V) X |
//! | shift of a floating base | that of the centroid                           | X                  |
//!
//! Of several movers each is scaled by the root of its share of all volume. Joints whose weight is (nearly) zero are given a
//! small one, so that they are cheap to move and the scaling stays bounded.

use nalgebra::{Isometry3, Matrix3, Quaternion, SymmetricEigen, Translation3, UnitQuaternion, Vector3};

use super::arrangement::Arrangement;
use super::part::Part;
use super::pose::Pose;
use super::rows::ContactRow;
use super::tree::Tree;
use super::workspace::Frames;

/// Greatest turn of a revolute joint from its start [rad]: at π the chart ends.
const MOST_TURN: f64 = 3.0;
/// Greatest length of the vector part of a base's turn: 0.98 is 157°.
const MOST_VECTOR: f64 = 0.98;
/// Least weight of a joint as a share of V·(size)²: it bounds the scaling to 1e8 of the size.
const LEAST_WEIGHT: f64 = 1e-16;

/// A floating base in the chart.
#[derive(Debug, Clone)]
struct FloatingBase {
    first: usize,
    /// Centroid of all links at the start [m, world].
    centroid: Vector3<f64>,
    /// Principal axes, as columns.
    axes: Matrix3<f64>,
    /// y for each metre, and for each X along an axis.
    shift: f64,
    turn: Vector3<f64>,
}

/// A joint's number in the chart.
#[derive(Debug, Clone, Copy)]
struct JointVariable {
    coordinate: usize,
    turns: bool,
    start: f64,
    /// y for each X.
    scale: f64,
    /// Limits of its value [rad or m].
    limits: [f64; 2],
}

/// The chart around a start.
#[derive(Debug, Clone)]
pub(crate) struct Chart {
    start: Vec<Pose>,
    bases: Vec<Option<FloatingBase>>,
    joints: Vec<Vec<JointVariable>>,
    /// Least and greatest y of each variable.
    bounds: Vec<[f64; 2]>,
}

impl Chart {
    /// The chart around a start, whose poses have been checked.
    pub(crate) fn new(arrangement: &Arrangement, start: &[Pose]) -> Self {
        let whole: f64 = arrangement.movers.iter().map(|mover| mover.norm().measure()).sum();
        let dimension = arrangement.trees.iter().map(Tree::dimension).sum();
        let mut bounds = vec![[f64::NEG_INFINITY, f64::INFINITY]; dimension];
        let (mut bases, mut joints) = (Vec::new(), Vec::new());
        for (index, (mover, pose)) in arrangement.movers.iter().zip(start).enumerate() {
            let metric = mover.norm().at(&pose.joints, &pose.base).expect("the poses have been checked");
            let tree = &arrangement.trees[index];
            let share = metric.measure() / whole;
            let least = LEAST_WEIGHT * arrangement.size * arrangement.size;
            bases.push(tree.base.map(|first| {
                let inertia = metric.whole().inertia() / metric.measure();
                let eigen = SymmetricEigen::new(inertia);
                let share = share * mover.base_weight();
                FloatingBase {
                    first,
                    centroid: metric.whole().centroid().coords,
                    axes: eigen.eigenvectors,
                    shift: share.sqrt(),
                    turn: eigen.eigenvalues.map(|moment| (share * moment.max(least)).sqrt()),
                }
            }));
            let variable = |(at, &coordinate): (usize, &usize)| {
                let weight = metric.weights()[coordinate] / metric.measure();
                let floor = if tree.turns[at] { least } else { LEAST_WEIGHT };
                let scale = (share * mover.weights()[coordinate] * weight.max(floor)).sqrt();
                JointVariable {
                    coordinate,
                    turns: tree.turns[at],
                    start: pose.joints[coordinate],
                    scale,
                    limits: arrangement.limits[index][coordinate],
                }
            };
            let of_mover: Vec<_> = tree.coordinates.iter().enumerate().map(variable).collect();
            for (at, variable) in of_mover.iter().enumerate() {
                bounds[tree.first + at] = variable.bounds();
            }
            joints.push(of_mover);
        }
        Self { start: start.to_vec(), bases, joints, bounds }
    }

    /// Number of variables.
    pub(crate) fn dimension(&self) -> usize {
        self.bounds.len()
    }

    /// Least and greatest y of each variable.
    pub(crate) fn bounds(&self) -> &[[f64; 2]] {
        &self.bounds
    }

    /// The poses where the chart was made.
    pub(crate) fn start(&self) -> &[Pose] {
        &self.start
    }

    /// The poses at a point.
    pub(crate) fn poses(&self, arrangement: &Arrangement, y: &[f64]) -> Vec<Pose> {
        let of_mover = |index: usize| {
            let (tree, start) = (&arrangement.trees[index], &self.start[index]);
            let mut pose = start.clone();
            if let Some(base) = &self.bases[index] {
                let (turn, shift) = base.motion(y);
                pose.base = around(&base.centroid, &turn, &shift) * start.base;
            }
            for (at, variable) in self.joints[index].iter().enumerate() {
                pose.joints[variable.coordinate] = variable.value(y[tree.first + at]);
            }
            pose
        };
        (0..self.start.len()).map(of_mover).collect()
    }

    /// The point of the chart at poses, as near as the chart reaches.
    pub(crate) fn point(&self, arrangement: &Arrangement, poses: &[Pose]) -> Vec<f64> {
        let mut y = vec![0.0; self.dimension()];
        for (index, pose) in poses.iter().enumerate() {
            let tree = &arrangement.trees[index];
            if let Some(base) = &self.bases[index] {
                base.point(&(pose.base * self.start[index].base.inverse()), &mut y);
            }
            for (at, variable) in self.joints[index].iter().enumerate() {
                y[tree.first + at] = variable.point(pose.joints[variable.coordinate]);
            }
        }
        y
    }

    /// Where everything is at a point.
    pub(crate) fn place(&self, arrangement: &Arrangement, y: &[f64], frames: &mut Frames) {
        frames.slopes.resize(self.dimension(), 0.0);
        frames.bodies.resize(arrangement.bodies.len(), Isometry3::identity());
        frames.axes.clear();
        frames.turns.clear();
        let mut body = 0;
        for (index, tree) in arrangement.trees.iter().enumerate() {
            let start = &self.start[index];
            let base = match &self.bases[index] {
                None => {
                    frames.turns.push((1.0, Vector3::zeros(), Vector3::zeros()));
                    start.base
                }
                Some(base) => {
                    let (turn, shift) = base.motion(y);
                    frames.turns.push((turn.w, turn.imag(), base.centroid + shift));
                    around(&base.centroid, &turn, &shift) * start.base
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
            while let Some(Part::Link { mover, link }) = arrangement.bodies.get(body).map(|body| body.part)
                && mover == index
            {
                frames.bodies[body] = frames.links[link];
                body += 1;
            }
        }
        for (index, pose) in frames.bodies.iter_mut().enumerate().skip(body) {
            if let Part::Obstacle(obstacle) = arrangement.bodies[index].part {
                *pose = arrangement.obstacles[obstacle].pose;
            }
        }
    }

    /// Adds the derivative of a row's gap by y to `derivative`, which has been zeroed.
    pub(crate) fn differentiate(
        &self,
        arrangement: &Arrangement,
        frames: &Frames,
        row: &ContactRow,
        derivative: &mut [f64],
    ) {
        let normal = row.normal.into_inner();
        let parts = row.bodies.map(|body| arrangement.bodies[body as usize].part);
        let shared = self.shared_levers(arrangement, parts);
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let Part::Link { mover, link } = parts[side] else { continue };
            let (direction, point) = (normal * sign, row.points[side].coords);
            if let (Some(base), None) = (&self.bases[mover], shared) {
                let (w, v, center) = &frames.turns[mover];
                base.differentiate(&direction, &(point - center), (*w, v), derivative);
            }
            let moment = point.cross(&direction);
            for lever in &arrangement.trees[mover].levers[link][shared.unwrap_or(0)..] {
                let [axis, origin] = &frames.axes[lever.slot];
                let rate = if lever.turns {
                    axis.dot(&(moment - origin.cross(&direction)))
                } else {
                    axis.dot(&direction)
                };
                derivative[lever.variable] += lever.factor * rate * frames.slopes[lever.variable];
            }
        }
    }

    /// How many levers, from the root on, move both parts alike, where both are links of one mover.
    fn shared_levers(&self, arrangement: &Arrangement, parts: [Part; 2]) -> Option<usize> {
        let [Part::Link { mover, link }, Part::Link { mover: other, link: second }] = parts else {
            return None;
        };
        let levers = &arrangement.trees[mover].levers;
        let both = levers[link].iter().zip(&levers[second]);
        (mover == other).then(|| both.take_while(|(a, b)| a.slot == b.slot).count())
    }

    /// How far each variable may move without turning a joint by more than an angle [rad] or shifting anything by more
    /// than a length [m].
    pub(crate) fn reach(&self, frames: &Frames, angle: f64, length: f64, reach: &mut Vec<f64>) {
        reach.clear();
        for (base, joints) in self.bases.iter().zip(&self.joints) {
            if let Some(base) = base {
                reach.extend((0..3).map(|_| length * base.shift));
                reach.extend(base.turn.iter().map(|turn| angle * turn));
            }
            for variable in joints {
                let slope = frames.slopes[reach.len()];
                reach.push(if variable.turns { angle } else { length } / slope);
            }
        }
    }

    /// Which variables move all of a mover.
    pub(crate) fn moving_all(&self, arrangement: &Arrangement) -> Vec<bool> {
        let mut moving = vec![true; self.dimension()];
        for body in &arrangement.bodies {
            let Part::Link { mover, link } = body.part else { continue };
            let tree = &arrangement.trees[mover];
            for variable in tree.first..tree.first + tree.coordinates.len() {
                moving[variable] &= tree.levers[link].iter().any(|lever| lever.variable == variable);
            }
        }
        moving
    }

    /// Adds to a point what shifts all of a mover by a vector [m, world], as far as its base or its joints can.
    pub(crate) fn shift(&self, arrangement: &Arrangement, mover: usize, by: &Vector3<f64>, y: &mut [f64]) {
        if let Some(base) = &self.bases[mover] {
            (0..3).for_each(|k| y[base.first + k] += by[k] * base.shift);
            return;
        }
        let mut frames = Frames::default();
        self.place(arrangement, y, &mut frames);
        let tree = &arrangement.trees[mover];
        let moving = self.moving_all(arrangement);
        for lever in tree.levers.iter().max_by_key(|levers| levers.len()).into_iter().flatten() {
            if moving[lever.variable] && !lever.turns {
                let [axis, _] = frames.axes[lever.slot];
                let along = axis.dot(by) / (lever.factor * frames.slopes[lever.variable]);
                let [lower, upper] = self.bounds[lever.variable];
                y[lever.variable] = (y[lever.variable] + along).clamp(lower, upper);
            }
        }
    }

    /// Greatest share of a step from a point that turns no joint by more than an angle [rad] and shifts nothing by more
    /// than a length [m].
    pub(crate) fn share_within(&self, frames: &Frames, step: &[f64], angle: f64, length: f64) -> f64 {
        let mut share: f64 = 1.0;
        let mut limit = |moved: f64, most: f64| {
            if moved.abs() > most {
                share = share.min(most / moved.abs());
            }
        };
        let mut at = 0;
        for (base, joints) in self.bases.iter().zip(&self.joints) {
            if let Some(base) = base {
                let of_base = |k: usize| step[base.first + k];
                let shift = Vector3::new(of_base(0), of_base(1), of_base(2)) / base.shift;
                let turn = Vector3::new(of_base(3), of_base(4), of_base(5)).component_div(&base.turn);
                limit(shift.norm(), length);
                limit(turn.norm(), angle);
                at += 6;
            }
            for variable in joints {
                limit(step[at] * frames.slopes[at], if variable.turns { angle } else { length });
                at += 1;
            }
        }
        share
    }
}

/// A turn about a point, then a shift.
fn around(center: &Vector3<f64>, turn: &UnitQuaternion<f64>, shift: &Vector3<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(center + shift - turn * center), *turn)
}

impl FloatingBase {
    /// Turn about the centroid and shift at a point.
    fn motion(&self, y: &[f64]) -> (UnitQuaternion<f64>, Vector3<f64>) {
        let y = &y[self.first..self.first + 6];
        let shift = Vector3::new(y[0], y[1], y[2]) / self.shift;
        let x = Vector3::new(y[3], y[4], y[5]).component_div(&self.turn);
        let mut vector = self.axes * x * 0.5;
        let length = vector.norm();
        if length > MOST_VECTOR {
            vector *= MOST_VECTOR / length;
        }
        let scalar = (1.0 - vector.norm_squared()).sqrt();
        (UnitQuaternion::new_normalize(Quaternion::from_parts(scalar, vector)), shift)
    }

    /// The point at a motion of the world.
    fn point(&self, motion: &Isometry3<f64>, y: &mut [f64]) {
        let shift = motion.rotation * self.centroid + motion.translation.vector - self.centroid;
        let sign = if motion.rotation.w < 0.0 { -2.0 } else { 2.0 };
        let x = self.axes.tr_mul(&(motion.rotation.imag() * sign));
        let turn = x.component_mul(&self.turn);
        for k in 0..3 {
            y[self.first + k] = shift[k] * self.shift;
            y[self.first + 3 + k] = turn[k];
        }
    }

    /// Derivative of a point's way along a direction; `arm` is the point from the centroid [m], (w, v) the quaternion.
    ///
    /// ω = w dX + v (v·dX)/w + v × dX, so that m·ω = (w m + v (v·m)/w + m × v)·dX with m = arm × direction.
    fn differentiate(
        &self,
        direction: &Vector3<f64>,
        arm: &Vector3<f64>,
        (w, v): (f64, &Vector3<f64>),
        derivative: &mut [f64],
    ) {
        let moment = arm.cross(direction);
        let by_x = moment * w + v * (v.dot(&moment) / w) + moment.cross(v);
        let along_axes = self.axes.tr_mul(&by_x).component_div(&self.turn);
        for k in 0..3 {
            derivative[self.first + k] += direction[k] / self.shift;
            derivative[self.first + 3 + k] += along_axes[k];
        }
    }
}

impl JointVariable {
    /// Least and greatest y.
    fn bounds(&self) -> [f64; 2] {
        let most = if self.turns { MOST_TURN } else { f64::INFINITY };
        self.limits.map(|limit| {
            let change = (limit - self.start).clamp(-most, most);
            self.scale * if self.turns { 2.0 * (0.5 * change).sin() } else { change }
        })
    }

    /// The value [rad or m] at y.
    fn value(&self, y: f64) -> f64 {
        let x = y / self.scale;
        if x == 0.0 {
            return self.start.clamp(self.limits[0], self.limits[1]);
        }
        let change = if self.turns { 2.0 * (0.5 * x).clamp(-1.0, 1.0).asin() } else { x };
        (self.start + change).clamp(self.limits[0], self.limits[1])
    }

    /// y at a value.
    fn point(&self, value: f64) -> f64 {
        let change = value - self.start;
        let x = if self.turns { 2.0 * (0.5 * change.clamp(-MOST_TURN, MOST_TURN)).sin() } else { change };
        self.scale * x
    }

    /// Change of the value by y: dΔq/dX = 1/cos(Δq/2) of a revolute joint.
    fn slope(&self, y: f64) -> f64 {
        let half = 0.5 * y / self.scale;
        if self.turns { 1.0 / (self.scale * (1.0 - half * half).max(1e-3).sqrt()) } else { 1.0 / self.scale }
    }
}
