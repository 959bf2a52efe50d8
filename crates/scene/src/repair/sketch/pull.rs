//! Damped least squares: how the joints of a robot bring a point of a link to a target [Wampler 1986; Nakamura and
//! Hanafusa 1986].
//!
//! | here | meaning                                                                                     |
//! |------|---------------------------------------------------------------------------------------------|
//! | e    | target − point [m]                                                                          |
//! | J    | Jacobian of the point, 3 × n, mimicking joints in the columns of those they follow           |
//! | H    | weights of the object norm: of all steps that lead as far the one of least σ is made         |
//! | μ    | damping as a share of the mean of the diagonal of J H⁻¹ Jᵀ: smaller after a step that leads nearer, larger else |
//!
//! A step is Δq = H⁻¹ Jᵀ (J H⁻¹ Jᵀ + μ λ 1)⁻¹ e. A joint that would leave its limits is put on its limit and the others
//! make up for it, so that the limits are kept throughout.

use nalgebra::{Isometry3, Matrix3, Matrix3xX, Point3, Vector3};

use extricate_core::kinematics::RobotError;
use extricate_core::kinematics::{Articulation, JointKind};
use extricate_core::penetration::generalized::{Mover, Pose};

/// Steps at most.
const STEPS: u32 = 60;
/// Share of the size of what is pulled within which the target is reached.
const REACHED: f64 = 1e-9;
/// Greatest turn of a joint in a step [rad]: beyond it the Jacobian says little.
const MOST_TURN: f64 = 0.3;
/// Damping at first, its factors after steps that lead nearer and that do not, and when nothing leads nearer any more.
const DAMPING: f64 = 1e-3;
const LESS: f64 = 0.25;
const MORE: f64 = 8.0;
const MOST_DAMPING: f64 = 1e6;
/// Share of the distance by which a step must lead nearer to be followed by another one.
const GAIN: f64 = 1e-5;
/// Least weight of a joint as a share of the greatest of its kind.
const LEAST_WEIGHT: f64 = 1e-6;

/// A point of a link that is pulled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pull<'a> {
    pub(super) mover: &'a Mover,
    pub(super) link: usize,
    /// The point [m, link frame].
    pub(super) anchor: Point3<f64>,
    /// Where it is to go [m, world].
    pub(super) target: Point3<f64>,
}

/// Where joints are, and what is left.
struct State {
    joints: Vec<f64>,
    jacobian: Matrix3xX<f64>,
    error: Vector3<f64>,
}

impl Pull<'_> {
    /// The values of the joints after the pull, and the distance that is left [m].
    pub(super) fn run(&self, pose: &Pose, limits: &[[f64; 2]]) -> Result<(Vec<f64>, f64), RobotError> {
        let articulation = self.mover.articulation();
        let ease = self.ease(pose)?;
        let reached = REACHED * (self.anchor - Point3::origin()).norm().max(self.reach());
        let mut state = self.at(pose.joints.clone(), &pose.base)?;
        let mut damping = DAMPING;
        for _ in 0..STEPS {
            let distance = state.error.norm();
            if !(distance > reached) {
                break;
            }
            let step = step(&state, &ease, limits, damping);
            let share = share(articulation, &step);
            let joints = state.joints.iter().zip(&step).zip(limits);
            let joints = joints.map(|((q, change), limits)| kept(*q, q + share * change, limits)).collect();
            let trial = self.at(joints, &pose.base)?;
            let left = trial.error.norm();
            if left < distance {
                state = trial;
                damping *= LESS;
                // A step that was cut short says nothing of the next one.
                if share >= 1.0 && !(left < (1.0 - GAIN) * distance) {
                    break;
                }
            } else {
                damping *= MORE;
                if damping > MOST_DAMPING {
                    break;
                }
            }
        }
        let left = state.error.norm();
        Ok((state.joints, left))
    }

    fn at(&self, joints: Vec<f64>, base: &Isometry3<f64>) -> Result<State, RobotError> {
        let placed = self.mover.articulation().placed(&joints, base)?;
        let point = placed.poses()[self.link] * self.anchor;
        let jacobian = placed.point_jacobian(self.link, &point);
        drop(placed);
        Ok(State { joints, jacobian, error: self.target - point })
    }

    /// H⁻¹: how easily each number of the configuration moves; zero of one that is fixed.
    fn ease(&self, pose: &Pose) -> Result<Vec<f64>, RobotError> {
        let metric = self.mover.norm().at(&pose.joints, &pose.base)?;
        let articulation = self.mover.articulation();
        let kind = |at: usize| turns(articulation, at);
        let greatest = |of: bool| {
            let weights = metric.weights().iter().enumerate().filter(|(at, _)| kind(*at) == of);
            weights.map(|(_, weight)| *weight).fold(0.0, f64::max)
        };
        let floors = [false, true].map(|turns| LEAST_WEIGHT * greatest(turns));
        let ease = |(at, (weight, fixed)): (usize, (&f64, &bool))| {
            let weight = weight.max(floors[usize::from(kind(at))]);
            if *fixed || !(weight > 0.0) { 0.0 } else { 1.0 / weight }
        };
        Ok(metric.weights().iter().zip(self.mover.fixed()).enumerate().map(ease).collect())
    }

    /// Sum of the lengths of what carries the link [m].
    fn reach(&self) -> f64 {
        let articulation = self.mover.articulation();
        let up = |&link: &usize| articulation.parent(link);
        let carriers =
            std::iter::successors(Some(self.link), up).filter_map(|link| articulation.carrier(link));
        carriers.map(|joint| articulation.joints()[joint].origin.translation.vector.norm()).sum()
    }
}

/// The damped step; joints that would leave their limits end on them, and the others make up for it.
fn step(state: &State, ease: &[f64], limits: &[[f64; 2]], damping: f64) -> Vec<f64> {
    let mut step = vec![0.0; ease.len()];
    let mut free: Vec<bool> = ease.iter().map(|ease| *ease > 0.0).collect();
    let mut left = state.error;
    loop {
        let mut normal = Matrix3::zeros();
        for at in (0..ease.len()).filter(|&at| free[at]) {
            let column = state.jacobian.column(at);
            normal += ease[at] * column * column.transpose();
        }
        let size = normal.trace() / 3.0;
        let damped = normal + Matrix3::identity() * (damping * size);
        let Some(pull) = damped.cholesky().map(|factors| factors.solve(&left)) else { return step };
        let mut is_kept = true;
        for at in (0..ease.len()).filter(|&at| free[at]) {
            step[at] = ease[at] * state.jacobian.column(at).dot(&pull);
        }
        for at in 0..ease.len() {
            let (q, [lower, upper]) = (state.joints[at], limits[at]);
            let to = q + step[at];
            if free[at] && !(lower <= to && to <= upper) {
                step[at] = kept(q, to, &limits[at]) - q;
                free[at] = false;
                left -= state.jacobian.column(at) * step[at];
                is_kept = false;
            }
        }
        if is_kept {
            return step;
        }
    }
}

/// The value nearest to where a joint is to go that its limits allow; from beyond them it may come back part of the way.
fn kept(from: f64, to: f64, [lower, upper]: &[f64; 2]) -> f64 {
    to.max(lower.min(from)).min(upper.max(from))
}

/// The share of a step in which no joint turns too far.
fn share(articulation: &Articulation, step: &[f64]) -> f64 {
    let turned = step.iter().enumerate().filter(|(at, _)| turns(articulation, *at));
    let most = turned.map(|(_, change)| change.abs()).fold(0.0, f64::max);
    if most > MOST_TURN { MOST_TURN / most } else { 1.0 }
}

/// Whether a number of a configuration is an angle.
pub(super) fn turns(articulation: &Articulation, coordinate: usize) -> bool {
    let joint = articulation.coordinates()[coordinate];
    matches!(articulation.joints()[joint].kind, JointKind::Revolute { .. })
}
