//! Spatial vectors and inertias [Featherstone08 §2], with world axes and a reference point r of their own.
//!
//! | here           | meaning                                                                                |
//! |----------------|----------------------------------------------------------------------------------------|
//! | motion         | angular velocity ω, velocity v of the point of the body at the reference; also S and v̇ |
//! | force          | moment τ about the reference, force f                                                  |
//! | \[R\]            | matrix of the cross product r ×                                                        |

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use nalgebra::{Matrix3, Vector3};

/// A motion (angular velocity, velocity at the reference point) or a force (moment about it, force), world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialVector {
    /// Angular velocity [rad/s], or moment [N·m].
    pub angular: Vector3<f64>,
    /// Velocity [m/s], or force \[N\].
    pub linear: Vector3<f64>,
}

impl SpatialVector {
    /// Zero.
    pub const ZERO: Self = Self { angular: Vector3::new(0.0, 0.0, 0.0), linear: Vector3::new(0.0, 0.0, 0.0) };

    /// A vector of its two parts.
    #[must_use]
    pub fn new(angular: Vector3<f64>, linear: Vector3<f64>) -> Self {
        Self { angular, linear }
    }

    /// Power of a force on a motion; both have the same reference.
    #[must_use]
    pub fn dot(&self, other: &Self) -> f64 {
        self.angular.dot(&other.angular) + self.linear.dot(&other.linear)
    }

    /// A motion with its reference moved by `r` \[m\].
    #[must_use]
    pub fn motion_at(&self, r: &Vector3<f64>) -> Self {
        Self { angular: self.angular, linear: self.linear + self.angular.cross(r) }
    }

    /// A force with its reference moved back by `r` \[m\]: from a child's origin, `r` from the parent's, to the parent's.
    #[must_use]
    pub fn force_from(&self, r: &Vector3<f64>) -> Self {
        Self { angular: self.angular + r.cross(&self.linear), linear: self.linear }
    }
}

impl Add for SpatialVector {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { angular: self.angular + other.angular, linear: self.linear + other.linear }
    }
}

impl AddAssign for SpatialVector {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for SpatialVector {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl SubAssign for SpatialVector {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Neg for SpatialVector {
    type Output = Self;

    fn neg(self) -> Self {
        Self { angular: -self.angular, linear: -self.linear }
    }
}

impl Mul<f64> for SpatialVector {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self { angular: self.angular * factor, linear: self.linear * factor }
    }
}

/// Inertia of a rigid body, or of bodies that move as one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidInertia {
    /// Mass m \[kg\].
    pub mass: f64,
    /// m c, with c from the reference to the centre of mass [kg·m].
    pub first_moment: Vector3<f64>,
    /// Moments about the reference [kg·m²].
    pub moments: Matrix3<f64>,
}

impl RigidInertia {
    /// No mass.
    pub const ZERO: Self = Self {
        mass: 0.0,
        first_moment: Vector3::new(0.0, 0.0, 0.0),
        moments: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// Inertia of a mass \[kg\] at `center` from the reference \[m\] with moments about that centre [kg·m²].
    #[must_use]
    pub fn about(mass: f64, center: &Vector3<f64>, moments: &Matrix3<f64>) -> Self {
        let square = center.norm_squared();
        let shifted = Matrix3::from_diagonal_element(square) - center * center.transpose();
        Self { mass, first_moment: center * mass, moments: moments + shifted * mass }
    }

    /// Momentum of a motion.
    #[must_use]
    pub fn times(&self, motion: &SpatialVector) -> SpatialVector {
        let SpatialVector { angular, linear } = motion;
        SpatialVector {
            angular: self.moments * angular + self.first_moment.cross(linear),
            linear: linear * self.mass + angular.cross(&self.first_moment),
        }
    }

    /// The inertia with its reference moved back by `r` \[m\]: from a child's origin to the parent's.
    #[must_use]
    pub fn shifted(&self, r: &Vector3<f64>) -> Self {
        // I' = I − ([R][mc] + [mc][R] + m [R][R]).
        let Self { mass, first_moment, moments } = self;
        let symmetric =
            r * first_moment.transpose() + first_moment * r.transpose() + r * r.transpose() * *mass;
        Self {
            mass: *mass,
            first_moment: first_moment + r * *mass,
            moments: moments + Matrix3::from_diagonal_element(symmetric.trace()) - symmetric,
        }
    }
}

impl AddAssign for RigidInertia {
    fn add_assign(&mut self, other: Self) {
        self.mass += other.mass;
        self.first_moment += other.first_moment;
        self.moments += other.moments;
    }
}

/// Articulated-body inertia: the symmetric matrix (A, B; Bᵀ, C) that takes an acceleration to the force that causes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArticulatedInertia {
    rotational: Matrix3<f64>,
    coupling: Matrix3<f64>,
    translational: Matrix3<f64>,
}

impl From<&RigidInertia> for ArticulatedInertia {
    fn from(rigid: &RigidInertia) -> Self {
        Self {
            rotational: rigid.moments,
            coupling: rigid.first_moment.cross_matrix(),
            translational: Matrix3::from_diagonal_element(rigid.mass),
        }
    }
}

impl ArticulatedInertia {
    /// Force of an acceleration.
    #[must_use]
    pub fn times(&self, motion: &SpatialVector) -> SpatialVector {
        SpatialVector {
            angular: self.rotational * motion.angular + self.coupling * motion.linear,
            linear: self.coupling.tr_mul(&motion.angular) + self.translational * motion.linear,
        }
    }

    /// Adds moments that resist angular accelerations [kg·m²].
    pub fn add_moments(&mut self, moments: &Matrix3<f64>) {
        self.rotational += moments;
    }

    /// Subtracts a bᵀ, where the sum over all that is subtracted is symmetric.
    pub fn subtract(&mut self, a: &SpatialVector, b: &SpatialVector) {
        self.rotational -= a.angular * b.angular.transpose();
        self.coupling -= a.angular * b.linear.transpose();
        self.translational -= a.linear * b.linear.transpose();
    }

    /// The inertia with its reference moved back by `r` \[m\]: A' = A + \[R\]Bᵀ − B'\[R\], B' = B + \[R\]C.
    #[must_use]
    pub fn shifted(&self, r: &Vector3<f64>) -> Self {
        let coupling = self.coupling + cross_columns(r, &self.translational);
        // (B [R])ᵀ = −[R] Bᵀ.
        let rotational = self.rotational
            + cross_columns(r, &self.coupling.transpose())
            + cross_columns(r, &coupling.transpose()).transpose();
        Self { rotational, coupling, translational: self.translational }
    }
}

/// \[R\] M: r × each column.
fn cross_columns(r: &Vector3<f64>, m: &Matrix3<f64>) -> Matrix3<f64> {
    Matrix3::from_columns(&[
        r.cross(&m.column(0).into_owned()),
        r.cross(&m.column(1).into_owned()),
        r.cross(&m.column(2).into_owned()),
    ])
}

impl AddAssign for ArticulatedInertia {
    fn add_assign(&mut self, other: Self) {
        self.rotational += other.rotational;
        self.coupling += other.coupling;
        self.translational += other.translational;
    }
}
