//! Masses of links and what resists and drives joints, as a URDF file states them.

use crate::kinematics::error::RobotError;
use nalgebra::{Matrix3, Point3, Vector3};

use super::joints::pose_of;

/// Share of the largest principal moment by which rounding in a file may break the triangle inequality.
const ROUNDING: f64 = 1e-6;

/// Mass, centre and inertia of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertial {
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass [m, link frame].
    pub center: Point3<f64>,
    /// Inertia about the centre of mass [kg·m², axes of the link frame].
    pub inertia: Matrix3<f64>,
}

impl Inertial {
    /// Whether a body can have this mass and inertia: a positive mass, principal moments above zero, none of them
    /// above the sum of the other two.
    ///
    /// ```
    /// use extricate_core::kinematics::urdf::Inertial;
    /// use nalgebra::{Matrix3, Point3, Vector3};
    ///
    /// let rod = |ixx| Inertial {
    ///     mass: 1.0,
    ///     center: Point3::origin(),
    ///     inertia: Matrix3::from_diagonal(&Vector3::new(ixx, 0.08, 0.08)),
    /// };
    /// assert!(rod(0.001).check().is_ok());
    /// assert!(rod(0.0).check().is_err());
    /// assert!(rod(0.2).check().is_err());
    /// ```
    ///
    /// # Errors
    /// [`RobotError`], with the number that is wrong.
    pub fn check(&self) -> Result<(), RobotError> {
        let numbers = self.inertia.iter().chain(self.center.iter()).chain([&self.mass]);
        if !numbers.copied().all(f64::is_finite) {
            return Err(RobotError::InertialNotFinite);
        }
        let has_mass = self.mass > 0.0;
        if !has_mass {
            return Err(RobotError::MassNotPositive { mass: self.mass });
        }
        let mut moments: [f64; 3] = self.inertia.symmetric_eigenvalues().into();
        moments.sort_by(f64::total_cmp);
        let [least, middle, largest] = moments;
        let is_definite = least > 0.0;
        if !is_definite {
            return Err(RobotError::NotPositiveDefinite { least });
        }
        if largest > (least + middle) * (1.0 + ROUNDING) {
            return Err(RobotError::TriangleInequality { moments });
        }
        Ok(())
    }

    /// The two as one rigid body, both in the same frame.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        let weighted = self.center.coords * self.mass + other.center.coords * other.mass;
        let center = Point3::from(weighted / mass);
        let about = |part: &Self| part.inertia + part.mass * point_inertia(&(part.center - center));
        Self { mass, center, inertia: about(self) + about(other) }
    }
}

/// Inertia about the origin of a unit mass at r [m²]: |r|² 1 − r rᵀ.
fn point_inertia(r: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::identity() * r.norm_squared() - r * r.transpose()
}

/// What resists and drives a joint. Forces are [N·m] of a revolute and [N] of a prismatic joint, speeds [rad/s] and
/// [m/s].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointDynamics {
    /// Force per speed that resists any motion [N·m·s/rad or N·s/m].
    pub damping: f64,
    /// Coulomb friction: greatest force with which the joint resists motion and holds at rest.
    pub friction: f64,
    /// Greatest force of its motor, where the file states one.
    pub effort: Option<f64>,
    /// Greatest speed to which its motor drives it, where the file states one.
    pub speed: Option<f64>,
}

/// The mass of a link; none where the file states none, or nothing but zeros.
pub(super) fn inertial_of(link: &urdf_rs::Link) -> Option<Inertial> {
    let of_file = &link.inertial;
    let i = &of_file.inertia;
    let numbers = [of_file.mass.value, i.ixx, i.ixy, i.ixz, i.iyy, i.iyz, i.izz];
    if numbers.iter().all(|number| number.abs() <= 0.0) {
        return None;
    }
    let pose = pose_of(&of_file.origin);
    let turn = pose.rotation.to_rotation_matrix();
    let own = Matrix3::new(i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz);
    let inertia = turn.matrix() * own * turn.matrix().transpose();
    Some(Inertial { mass: of_file.mass.value, center: pose.translation.vector.into(), inertia })
}

/// What resists and drives a joint of one freedom. An effort or velocity of zero is none stated.
pub(super) fn dynamics_of(joint: &urdf_rs::Joint) -> JointDynamics {
    let stated = |value: f64| (value > 0.0 && value.is_finite()).then_some(value);
    let resistance = joint.dynamics.as_ref();
    JointDynamics {
        damping: resistance.map_or(0.0, |dynamics| dynamics.damping),
        friction: resistance.map_or(0.0, |dynamics| dynamics.friction),
        effort: stated(joint.limit.effort),
        speed: stated(joint.limit.velocity),
    }
}
