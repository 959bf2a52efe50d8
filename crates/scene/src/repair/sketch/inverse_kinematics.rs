//! Inverse kinematics by damped least squares: the joints of a robot bring a point of a link to a target [Wampler 1986; Nakamura and
//! Hanafusa 1986].
//!
//! | here | meaning                                                                                     |
//! |------|---------------------------------------------------------------------------------------------|
//! | e    | target − point [m]                                                                          |
//! | J    | Jacobian of the point, 3 × n, mimicking joints in the columns of those they follow           |
//! | H    | weights of the object norm: of all steps with the same effect that of minimum σ is taken      |
//! | λ    | mean of the diagonal of J H⁻¹ Jᵀ                                                             |
//! | μ    | relative damping: decreased after a step that leads nearer, otherwise increased               |
//!
//! A step is Δq = H⁻¹ Jᵀ (J H⁻¹ Jᵀ + μ λ 1)⁻¹ e. A joint that would leave its limits is set to its limit and the others
//! compensate for it, so that the limits hold throughout.

use nalgebra::{Isometry3, Matrix3, Matrix3xX, Point3, Vector3};

use extricate_core::kinematics::RobotError;
use extricate_core::kinematics::{Articulation, JointKind};
use extricate_core::penetration::generalized::{MovableModel, Pose};

/// Maximum number of iterations.
const MAX_ITERATIONS: u32 = 60;
/// Distance within which the target is reached, relative to the size of the chain that is pulled.
const TARGET_TOLERANCE: f64 = 1e-9;
/// Maximum rotation of a joint in a step [rad]: beyond it the linearisation by the Jacobian is poor.
const MAX_ROTATION: f64 = 0.3;
/// Initial damping, its factors after steps that lead nearer and that do not, and the damping at which no step leads nearer any more.
const DAMPING: f64 = 1e-3;
const DAMPING_DECREASE: f64 = 0.25;
const DAMPING_INCREASE: f64 = 8.0;
const MAX_DAMPING: f64 = 1e6;
/// Minimum relative decrease of the distance by a full step for the iteration to continue.
const MIN_PROGRESS: f64 = 1e-5;
/// Minimum weight of a joint, relative to the maximum of its kind: joints that carry almost no volume would move without bound.
const MIN_WEIGHT: f64 = 1e-6;

/// A point of a link that is pulled.
#[derive(Debug, Clone, Copy)]
pub(super) struct InverseKinematics<'a> {
    pub(super) movable: &'a MovableModel,
    pub(super) link: usize,
    /// The point [m, link frame].
    pub(super) anchor: Point3<f64>,
    /// Target of the point [m, world].
    pub(super) target: Point3<f64>,
}

/// Joint values, with Jacobian and error of the point.
struct Iterate {
    joints: Vec<f64>,
    jacobian: Matrix3xX<f64>,
    error: Vector3<f64>,
}

impl InverseKinematics<'_> {
    /// Values of the joints after the pull, and the remaining distance [m].
    pub(super) fn solve(&self, pose: &Pose, limits: &[[f64; 2]]) -> Result<(Vec<f64>, f64), RobotError> {
        let articulation = self.movable.articulation();
        let inverse_weights = self.inverse_weights(pose)?;
        let tolerance = TARGET_TOLERANCE * (self.anchor - Point3::origin()).norm().max(self.chain_length());
        let mut state = self.at(pose.joints.clone(), &pose.base)?;
        let mut damping = DAMPING;
        for _ in 0..MAX_ITERATIONS {
            let distance = state.error.norm();
            if !(distance > tolerance) {
                break;
            }
            let step = step(&state, &inverse_weights, limits, damping);
            let fraction = step_fraction(articulation, &step);
            let joints = state.joints.iter().zip(&step).zip(limits);
            let joints =
                joints.map(|((q, change), limits)| clamped(*q, q + fraction * change, limits)).collect();
            let trial = self.at(joints, &pose.base)?;
            let left = trial.error.norm();
            if left < distance {
                state = trial;
                damping *= DAMPING_DECREASE;
                // The progress of a step that was cut short does not show convergence.
                if fraction >= 1.0 && !(left < (1.0 - MIN_PROGRESS) * distance) {
                    break;
                }
            } else {
                damping *= DAMPING_INCREASE;
                if damping > MAX_DAMPING {
                    break;
                }
            }
        }
        let left = state.error.norm();
        Ok((state.joints, left))
    }

    fn at(&self, joints: Vec<f64>, base: &Isometry3<f64>) -> Result<Iterate, RobotError> {
        let placed = self.movable.articulation().placed(&joints, base)?;
        let point = placed.poses()[self.link] * self.anchor;
        let jacobian = placed.point_jacobian(self.link, &point);
        // It borrows the joints, which move into the iterate.
        drop(placed);
        Ok(Iterate { joints, jacobian, error: self.target - point })
    }

    /// Diagonal of H⁻¹: how easily each generalized coordinate moves; zero where it is fixed.
    fn inverse_weights(&self, pose: &Pose) -> Result<Vec<f64>, RobotError> {
        let metric = self.movable.norm().at(&pose.joints, &pose.base)?;
        let articulation = self.movable.articulation();
        let revolute = |at: usize| is_revolute(articulation, at);
        let max = |of: bool| {
            let weights = metric.weights().iter().enumerate().filter(|(at, _)| revolute(*at) == of);
            weights.map(|(_, weight)| *weight).fold(0.0, f64::max)
        };
        // Weights of angles and of lengths have different units, hence two floors.
        let floors = [false, true].map(|revolute| MIN_WEIGHT * max(revolute));
        let inverse_weight = |(at, (weight, fixed)): (usize, (&f64, &bool))| {
            let weight = weight.max(floors[usize::from(revolute(at))]);
            if *fixed || !(weight > 0.0) { 0.0 } else { 1.0 / weight }
        };
        Ok(metric.weights().iter().zip(self.movable.fixed()).enumerate().map(inverse_weight).collect())
    }

    /// Sum of the lengths of the offsets of the joints that carry the link [m].
    fn chain_length(&self) -> f64 {
        let articulation = self.movable.articulation();
        let up = |&link: &usize| articulation.parent(link);
        let carriers =
            std::iter::successors(Some(self.link), up).filter_map(|link| articulation.parent_joint(link));
        carriers.map(|joint| articulation.joints()[joint].origin.translation.vector.norm()).sum()
    }
}

/// Damped step H⁻¹ Jᵀ (J H⁻¹ Jᵀ + μ λ 1)⁻¹ e [Wampler 1986; Nakamura and Hanafusa 1986]; joints that would leave their limits end on
/// them, and the others compensate.
fn step(state: &Iterate, inverse_weights: &[f64], limits: &[[f64; 2]], damping: f64) -> Vec<f64> {
    let mut step = vec![0.0; inverse_weights.len()];
    let mut free: Vec<bool> = inverse_weights.iter().map(|weight| *weight > 0.0).collect();
    let mut left = state.error;
    // Every further pass has a free joint less, so that the loop ends.
    loop {
        let mut normal = Matrix3::zeros();
        for at in (0..inverse_weights.len()).filter(|&at| free[at]) {
            let column = state.jacobian.column(at);
            normal += inverse_weights[at] * column * column.transpose();
        }
        // λ, which makes the damping independent of units.
        let size = normal.trace() / 3.0;
        let damped = normal + Matrix3::identity() * (damping * size);
        // Without a joint that can move the point the matrix is singular.
        let Some(pull) = damped.cholesky().map(|factors| factors.solve(&left)) else { return step };
        let mut is_within_limits = true;
        for at in (0..inverse_weights.len()).filter(|&at| free[at]) {
            step[at] = inverse_weights[at] * state.jacobian.column(at).dot(&pull);
        }
        for at in 0..inverse_weights.len() {
            let (q, [lower, upper]) = (state.joints[at], limits[at]);
            let to = q + step[at];
            if free[at] && !(lower <= to && to <= upper) {
                step[at] = clamped(q, to, &limits[at]) - q;
                free[at] = false;
                // The others have to make up for the error that remains at the limit.
                left -= state.jacobian.column(at) * step[at];
                is_within_limits = false;
            }
        }
        if is_within_limits {
            return step;
        }
    }
}

/// The allowed value nearest to `to`; from outside the limits a joint may return by a part of the distance.
fn clamped(from: f64, to: f64, [lower, upper]: &[f64; 2]) -> f64 {
    to.max(lower.min(from)).min(upper.max(from))
}

/// Fraction of a step at which no revolute joint rotates too far.
fn step_fraction(articulation: &Articulation, step: &[f64]) -> f64 {
    let rotations = step.iter().enumerate().filter(|(at, _)| is_revolute(articulation, *at));
    let max = rotations.map(|(_, change)| change.abs()).fold(0.0, f64::max);
    if max > MAX_ROTATION { MAX_ROTATION / max } else { 1.0 }
}

/// Whether a generalized coordinate is an angle.
pub(super) fn is_revolute(articulation: &Articulation, coordinate: usize) -> bool {
    let joint = articulation.coordinates()[coordinate];
    matches!(articulation.joints()[joint].kind, JointKind::Revolute { .. })
}
