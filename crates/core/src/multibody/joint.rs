//! Models of joints: the motion of a link relative to its parent, on the manifold of the joint.
//!
//! A joint's frame F is fixed in the parent. The child's frame is F · J(q). Velocities have these axes:
//!
//! | joint     | q                                       | v                                                 |
//! |-----------|-----------------------------------------|---------------------------------------------------|
//! | revolute  | angle                                   | about the axis                                    |
//! | prismatic | displacement                            | along the axis                                    |
//! | screw     | angle; displacement = pitch · angle     | about the axis                                    |
//! | planar    | x, y in F; angle about z                | x, y in F; about z                                |
//! | spherical | unit quaternion (x, y, z, w) child → F  | angular velocity in F                             |
//! | floating  | position in F; unit quaternion          | velocity of the child's origin, angular velocity, both in F |
//!
//! That the axes are those of F, which does not spin with the child, matters to the midpoint rule: the mean of two
//! velocities of a fast top is then that of two vectors that hardly differ. A universal joint is two revolute ones.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::spatial::SpatialVector;

/// Model of a joint; axes are unit vectors in its frame F.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointModel {
    /// Rotation about an axis.
    Revolute {
        /// The axis.
        axis: Vector3<f64>,
    },
    /// Translation along an axis.
    Prismatic {
        /// The axis.
        axis: Vector3<f64>,
    },
    /// Rotation about an axis with a proportional translation along it.
    Screw {
        /// The axis.
        axis: Vector3<f64>,
        /// Translation per rotation [m/rad].
        pitch: f64,
    },
    /// Translation in the plane of x and y, rotation about z.
    Planar,
    /// Rotation about a point.
    Spherical,
    /// Any motion.
    Floating,
}

/// Maximum number of degrees of freedom of a joint.
pub const MAX_FREEDOMS: usize = 6;

impl JointModel {
    /// Number of velocities.
    #[must_use]
    pub fn freedoms(&self) -> usize {
        match self {
            Self::Revolute { .. } | Self::Prismatic { .. } | Self::Screw { .. } => 1,
            Self::Planar | Self::Spherical => 3,
            Self::Floating => 6,
        }
    }

    /// Number of coordinates.
    #[must_use]
    pub fn coordinates(&self) -> usize {
        match self {
            Self::Spherical => 4,
            Self::Floating => 7,
            other => other.freedoms(),
        }
    }

    /// Writes the coordinates of the identity.
    pub fn set_identity(&self, q: &mut [f64]) {
        q.fill(0.0);
        if matches!(self, Self::Spherical | Self::Floating) {
            q[q.len() - 1] = 1.0;
        }
    }

    /// J(q): child → F.
    #[must_use]
    pub fn transform(&self, q: &[f64]) -> Isometry3<f64> {
        match self {
            Self::Revolute { axis } => rotated_by(rotation(&(axis * q[0]))),
            Self::Prismatic { axis } => Translation3::from(axis * q[0]).into(),
            Self::Screw { axis, pitch } => {
                Isometry3::from_parts((axis * (pitch * q[0])).into(), rotation(&(axis * q[0])))
            }
            Self::Planar => {
                Isometry3::from_parts(Translation3::new(q[0], q[1], 0.0), rotation(&(Vector3::z() * q[2])))
            }
            Self::Spherical => rotated_by(quaternion(q)),
            Self::Floating => Isometry3::from_parts(Translation3::new(q[0], q[1], q[2]), quaternion(&q[3..])),
        }
    }

    /// Coordinates of a transform child → F that the joint can attain; angles between −π and π.
    pub fn set_transform(&self, transform: &Isometry3<f64>, q: &mut [f64]) {
        let Isometry3 { rotation, translation } = transform;
        let about = |axis: &Vector3<f64>| 2.0 * rotation.imag().dot(axis).atan2(rotation.w);
        match self {
            Self::Revolute { axis } | Self::Screw { axis, .. } => q[0] = about(axis),
            Self::Prismatic { axis } => q[0] = axis.dot(&translation.vector),
            Self::Planar => q.copy_from_slice(&[translation.x, translation.y, about(&Vector3::z())]),
            Self::Spherical => q.copy_from_slice(rotation.coords.as_slice()),
            Self::Floating => {
                q[..3].copy_from_slice(translation.vector.as_slice());
                q[3..].copy_from_slice(rotation.coords.as_slice());
            }
        }
    }

    /// Columns of the motion subspace S, world axes, reference at the child's origin; `frame` is the rotation F → world.
    pub fn subspace(&self, frame: &UnitQuaternion<f64>, columns: &mut [SpatialVector]) {
        let zero = Vector3::zeros();
        match self {
            Self::Revolute { axis } => columns[0] = SpatialVector::new(frame * axis, zero),
            Self::Prismatic { axis } => columns[0] = SpatialVector::new(zero, frame * axis),
            Self::Screw { axis, pitch } => {
                let axis = frame * axis;
                columns[0] = SpatialVector::new(axis, axis * *pitch);
            }
            Self::Planar | Self::Spherical | Self::Floating => {
                let axes = frame.to_rotation_matrix();
                let axis = |i: usize| axes.matrix().column(i).into_owned();
                let (angular, linear): (&[usize], &[usize]) = match self {
                    Self::Planar => (&[2], &[0, 1]),
                    Self::Spherical => (&[0, 1, 2], &[]),
                    _ => (&[0, 1, 2], &[0, 1, 2]),
                };
                let linear = linear.iter().map(|&i| SpatialVector::new(zero, axis(i)));
                let angular = angular.iter().map(|&i| SpatialVector::new(axis(i), zero));
                columns.iter_mut().zip(linear.chain(angular)).for_each(|(column, made)| *column = made);
            }
        }
    }

    /// Moves the coordinates by a velocity over a time: q ← q ⊕ h v.
    pub fn advance(&self, q: &mut [f64], v: &[f64], h: f64) {
        match self {
            Self::Spherical => rotate(q, v, h),
            Self::Floating => {
                (0..3).for_each(|i| q[i] += h * v[i]);
                rotate(&mut q[3..], &v[3..], h);
            }
            _ => q.iter_mut().zip(v).for_each(|(q, v)| *q += h * v),
        }
    }

    /// Velocity that leads from coordinates to others in a unit of time, q₁ = q₀ ⊕ v; of those of a rotation the one nearest to what `v` is before.
    pub fn lead(&self, [from, to]: [&[f64]; 2], v: &mut [f64]) {
        match self {
            Self::Spherical => rotation_between([from, to], v),
            Self::Floating => {
                (0..3).for_each(|i| v[i] = to[i] - from[i]);
                rotation_between([&from[3..], &to[3..]], &mut v[3..]);
            }
            _ => v.iter_mut().zip(from.iter().zip(to)).for_each(|(v, (from, to))| *v = to - from),
        }
    }
}

/// Rotation of a rotation vector \[rad\].
fn rotation(vector: &Vector3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(*vector)
}

/// Rotation without translation.
fn rotated_by(rotation: UnitQuaternion<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::identity(), rotation)
}

fn quaternion(q: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::new(q[3], q[0], q[1], q[2]))
}

/// Rotates a quaternion by exp(h ω), ω in the axes of the parent, and restores its length.
fn rotate(q: &mut [f64], v: &[f64], h: f64) {
    let rotated = rotation(&(Vector3::new(v[0], v[1], v[2]) * h)) * quaternion(q);
    q.copy_from_slice(UnitQuaternion::new_normalize(rotated.into_inner()).coords.as_slice());
}

/// Rotation vector from one quaternion to another, in the axes of the parent, with as many whole rotations as come nearest to what it is before.
fn rotation_between([from, to]: [&[f64]; 2], v: &mut [f64]) {
    let vector = (quaternion(to) * quaternion(from).inverse()).scaled_axis();
    let near = Vector3::new(v[0], v[1], v[2]);
    let (axis, angle) = match vector.norm() {
        angle if angle > 0.0 => (vector / angle, angle),
        _ => (near.try_normalize(0.0).unwrap_or_default(), 0.0),
    };
    let rotations = ((near.dot(&axis) - angle) / TAU).round();
    v.copy_from_slice((vector + axis * (rotations * TAU)).as_slice());
}
