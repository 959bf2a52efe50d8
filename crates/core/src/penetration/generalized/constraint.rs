//! Constraints on the poses of movable models: loop closures, poses that are kept, bounded distances.
//!
//! | constraint | condition |
//! |---|---|
//! | [`PoseConstraint::closure`] | two frames coincide in the locked directions of the first one |
//! | [`PoseConstraint::keep`] | a link keeps what it has at the input: position, pose, a direction, its stance on the floor |
//! | [`PoseConstraint::balance`] | the centre of mass is over the support polygon of feet |
//! | [`PoseConstraint::max_distance`] | two points are no farther apart than a length |
//! | [`PoseConstraint::range`] | the rotation about, or the translation along, the x axis of a closure is within limits |
//!
//! The errors of a result are measured here by the forward kinematics of the articulations, which the search does not use.

use nalgebra::{Isometry3, Point3, Rotation3, UnitQuaternion, Vector3};

use super::balance::Balance;
use super::constraint_frame::{ConstraintEnd, ConstraintFrame};
use super::movable::MovableModel;

/// Relative rotation that a closure locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RotationLock {
    /// None.
    #[default]
    Free,
    /// All but the rotation about the x axis, which both frames share.
    Axis,
    /// All.
    Full,
}

/// Directions in which two frames coincide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lock {
    /// Whether the translation along x, y and z of the first frame is locked.
    pub translation: [bool; 3],
    /// The rotation that is locked.
    pub rotation: RotationLock,
}

impl Lock {
    /// A rigid connection.
    pub const FIXED: Self = Self { translation: [true; 3], rotation: RotationLock::Full };
    /// A hinge about the x axis.
    pub const REVOLUTE: Self = Self { translation: [true; 3], rotation: RotationLock::Axis };
    /// A slide along the x axis.
    pub const PRISMATIC: Self = Self { translation: [false, true, true], rotation: RotationLock::Full };
    /// A ball joint.
    pub const SPHERICAL: Self = Self { translation: [true; 3], rotation: RotationLock::Free };
    /// A flat face on a plane with the x axis as its normal.
    pub const PLANAR: Self = Self { translation: [true, false, false], rotation: RotationLock::Axis };
    /// A direction, that of the x axis.
    pub const DIRECTION: Self = Self { translation: [false; 3], rotation: RotationLock::Axis };
}

/// Property of a link that it keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kept {
    /// The position of its origin.
    Position,
    /// Its pose.
    Pose,
    /// The direction \[world\] of a vector of its frame.
    Direction(Vector3<f64>),
    /// The height of its origin and its inclination: the link slides and rotates on a floor with this upward normal \[world\].
    Stance(Vector3<f64>),
}

/// Relative motion of two frames that have an x axis in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisMotion {
    /// Rotation about it \[rad\].
    Rotation,
    /// Translation along it \[m\].
    Translation,
}

/// A constraint on the poses of movable models.
#[derive(Debug, Clone, PartialEq)]
pub struct PoseConstraint {
    pub(super) name: String,
    pub(super) kind: ConstraintKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ConstraintKind {
    Closure { frames: [ConstraintFrame; 2], lock: Lock },
    Keep { link: ConstraintEnd, kept: Kept },
    Balance { feet: Vec<ConstraintEnd>, loads: Vec<usize>, up: Vector3<f64> },
    MaxDistance { points: [ConstraintFrame; 2], max: f64 },
    Range { frames: [ConstraintFrame; 2], motion: AxisMotion, limits: [f64; 2] },
}

impl PoseConstraint {
    /// Two frames that coincide in the locked directions of the first one.
    #[must_use]
    pub fn closure(name: impl Into<String>, frames: [ConstraintFrame; 2], lock: Lock) -> Self {
        Self { name: name.into(), kind: ConstraintKind::Closure { frames, lock } }
    }

    /// A property that a link of a movable model keeps as it is at the input of a query.
    #[must_use]
    pub fn keep(name: impl Into<String>, [movable, link]: [usize; 2], kept: Kept) -> Self {
        Self {
            name: name.into(),
            kind: ConstraintKind::Keep { link: ConstraintEnd::Link { movable, link }, kept },
        }
    }

    /// The centre of mass of all movable models that have one of these feet, each a movable model and a link, and of those in `loads`, is
    /// over the convex hull of their soles: over, seen along the upward direction `up` \[world\]. The masses are
    /// [`MovableModel::masses`].
    #[must_use]
    pub fn balance(
        name: impl Into<String>,
        feet: &[[usize; 2]],
        loads: Vec<usize>,
        up: Vector3<f64>,
    ) -> Self {
        let feet = feet.iter().map(|&[movable, link]| ConstraintEnd::Link { movable, link }).collect();
        Self { name: name.into(), kind: ConstraintKind::Balance { feet, loads, up } }
    }

    /// The two movable models that it ties to each other rigidly, if it does.
    #[must_use]
    pub fn tied_models(&self) -> Option<[usize; 2]> {
        let ConstraintKind::Closure { frames: [a, b], lock: Lock::FIXED } = &self.kind else { return None };
        match [a.end, b.end] {
            [ConstraintEnd::Link { movable: a, .. }, ConstraintEnd::Link { movable: b, .. }] => Some([a, b]),
            _ => None,
        }
    }

    /// Two origins of frames that are no farther apart than `max` \[m\].
    #[must_use]
    pub fn max_distance(name: impl Into<String>, points: [ConstraintFrame; 2], max: f64) -> Self {
        Self { name: name.into(), kind: ConstraintKind::MaxDistance { points, max } }
    }

    /// Limits [rad or m] of the motion of the second frame against the first one, which a closure leaves a motion about or along
    /// their x axis.
    #[must_use]
    pub fn range(
        name: impl Into<String>,
        frames: [ConstraintFrame; 2],
        motion: AxisMotion,
        limits: [f64; 2],
    ) -> Self {
        Self { name: name.into(), kind: ConstraintKind::Range { frames, motion, limits } }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The carriers of its frames.
    pub(super) fn ends(&self) -> Vec<ConstraintEnd> {
        match &self.kind {
            ConstraintKind::Closure { frames, .. }
            | ConstraintKind::Range { frames, .. }
            | ConstraintKind::MaxDistance { points: frames, .. } => {
                frames.iter().map(|frame| frame.end).collect()
            }
            ConstraintKind::Keep { link, .. } => vec![*link],
            ConstraintKind::Balance { feet, .. } => feet.clone(),
        }
    }

    /// Whether it is an equation: a closure, or something that is kept.
    pub(super) fn is_closure(&self) -> bool {
        matches!(self.kind, ConstraintKind::Closure { .. } | ConstraintKind::Keep { .. })
    }

    /// The movable model and the link that it holds in its place, if it does.
    pub(super) fn held_link(&self) -> Option<[usize; 2]> {
        match &self.kind {
            ConstraintKind::Keep {
                link: ConstraintEnd::Link { movable, link },
                kept: Kept::Position | Kept::Pose,
            } => Some([*movable, *link]),
            _ => None,
        }
    }

    /// The movable models on whose masses it depends.
    pub(super) fn massive(&self) -> Vec<usize> {
        let ConstraintKind::Balance { feet, loads, .. } = &self.kind else { return Vec::new() };
        let of_foot = |foot: &ConstraintEnd| match *foot {
            ConstraintEnd::World => None,
            ConstraintEnd::Link { movable, .. } => Some(movable),
        };
        feet.iter().filter_map(of_foot).chain(loads.iter().copied()).collect()
    }

    /// Reason for which it is not a constraint of movable models with these numbers of links, if it is none.
    pub(super) fn fault(&self, links: &[usize]) -> Option<&'static str> {
        let is_known = |end: &ConstraintEnd| match *end {
            ConstraintEnd::World => true,
            ConstraintEnd::Link { movable, link } => links.get(movable).is_some_and(|&count| link < count),
        };
        if !self.ends().iter().all(is_known) {
            return Some("there is no such link");
        }
        if !self.massive().iter().all(|movable| *movable < links.len()) {
            return Some("there is no such movable model");
        }
        let finite = |frame: &ConstraintFrame| {
            let Isometry3 { rotation, translation } = frame.frame;
            rotation.coords.iter().chain(translation.vector.iter()).all(|x| x.is_finite())
        };
        let is_finite = match &self.kind {
            ConstraintKind::Closure { frames, .. } => frames.iter().all(finite),
            ConstraintKind::MaxDistance { points, max } => points.iter().all(finite) && *max >= 0.0,
            ConstraintKind::Range { frames, limits: [lower, upper], .. } => {
                frames.iter().all(finite) && lower <= upper
            }
            ConstraintKind::Balance { up: direction, .. }
            | ConstraintKind::Keep { kept: Kept::Direction(direction) | Kept::Stance(direction), .. } => {
                direction.try_normalize(0.0).is_some_and(|unit| unit.iter().all(|x| x.is_finite()))
            }
            ConstraintKind::Keep { .. } => true,
        };
        (!is_finite).then_some("a number is not finite, or a direction is zero")
    }

    /// The constraint around an input with these link poses.
    pub(super) fn resolved(
        &self,
        movables: &[MovableModel],
        pose_of: &dyn Fn(ConstraintEnd) -> Isometry3<f64>,
    ) -> ResolvedConstraint {
        match &self.kind {
            ConstraintKind::Balance { feet, loads, up } => {
                ResolvedConstraint::Balance(Balance::new(movables, (feet, loads), up, pose_of))
            }
            ConstraintKind::Closure { frames, lock } => {
                ResolvedConstraint::Closure { frames: *frames, lock: *lock }
            }
            ConstraintKind::MaxDistance { points, max } => {
                ResolvedConstraint::MaxDistance { points: *points, max: *max }
            }
            ConstraintKind::Range { frames, motion, limits } => {
                ResolvedConstraint::Range { frames: *frames, motion: *motion, limits: *limits }
            }
            ConstraintKind::Keep { link, kept } => {
                let pose = pose_of(*link);
                let (rotation, lock) = match kept {
                    Kept::Position => (UnitQuaternion::identity(), Lock::SPHERICAL),
                    Kept::Pose => (UnitQuaternion::identity(), Lock::FIXED),
                    Kept::Direction(along) => (x_along(&(pose.rotation * along)), Lock::DIRECTION),
                    Kept::Stance(up) => (x_along(up), Lock::PLANAR),
                };
                let at = Isometry3::from_parts(pose.translation, rotation);
                let of_link = ConstraintFrame { end: *link, frame: pose.inverse() * at };
                let of_world = ConstraintFrame { end: ConstraintEnd::World, frame: at };
                ResolvedConstraint::Closure { frames: [of_world, of_link], lock }
            }
        }
    }
}

/// A rotation of the x axis to a direction.
fn x_along(direction: &Vector3<f64>) -> UnitQuaternion<f64> {
    let x = direction.normalize();
    // The coordinate axis most across it never vanishes in the cross product.
    let across = Vector3::ith(x.iamin(), 1.0);
    let y = across.cross(&x).normalize();
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(nalgebra::Matrix3::from_columns(
        &[x, y, x.cross(&y)],
    )))
}

/// A constraint with what is kept at an input filled in.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ResolvedConstraint {
    Balance(Balance),
    Closure { frames: [ConstraintFrame; 2], lock: Lock },
    MaxDistance { points: [ConstraintFrame; 2], max: f64 },
    Range { frames: [ConstraintFrame; 2], motion: AxisMotion, limits: [f64; 2] },
}

impl ResolvedConstraint {
    /// Error in metres and radians at these link poses; zero where an inequality holds.
    pub(super) fn error(&self, pose_of: &dyn Fn(ConstraintEnd) -> Isometry3<f64>) -> [f64; 2] {
        match self {
            Self::Balance(balance) => [balance.error(pose_of), 0.0],
            Self::Closure { frames, lock } => {
                let [a, b] = frames.each_ref().map(|frame| pose_of(frame.end) * frame.frame);
                let between = a.inv_mul(&b);
                let locked = (0..3).filter(|&k| lock.translation[k]);
                let length = locked.map(|k| between.translation.vector[k].powi(2)).sum::<f64>().sqrt();
                let x = between.rotation * Vector3::x();
                let angle = match lock.rotation {
                    RotationLock::Free => 0.0,
                    RotationLock::Axis => x.yz().norm().atan2(x.x),
                    RotationLock::Full => between.rotation.angle(),
                };
                [length, angle]
            }
            Self::MaxDistance { points, max } => {
                let [a, b] =
                    points.each_ref().map(|point| pose_of(point.end) * point.frame * Point3::origin());
                [((b - a).norm() - max).max(0.0), 0.0]
            }
            Self::Range { frames, motion, limits: [lower, upper] } => {
                let [a, b] = frames.each_ref().map(|frame| pose_of(frame.end) * frame.frame);
                let between = a.inv_mul(&b);
                let value = match motion {
                    AxisMotion::Translation => between.translation.x,
                    AxisMotion::Rotation => {
                        // q and −q are the same rotation; the one with w ≥ 0 has the angle within ±π.
                        let sign = if between.rotation.w < 0.0 { -1.0 } else { 1.0 };
                        2.0 * (sign * between.rotation.i).atan2(sign * between.rotation.w)
                    }
                };
                let beyond = (lower - value).max(value - upper).max(0.0);
                if *motion == AxisMotion::Translation { [beyond, 0.0] } else { [0.0, beyond] }
            }
        }
    }
}
