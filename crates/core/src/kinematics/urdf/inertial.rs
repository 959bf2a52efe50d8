//! Inertias of links, and damping, friction and motor limits of joints, as a URDF file states them.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Matrix3, Point3, SymmetricEigen, Vector3};

use crate::geometry::convex::ConvexHull;
use crate::geometry::mass_properties::MassProperties;
use crate::geometry::{Solidity, TriangleMesh};
use crate::kinematics::error::RobotError;

/// Fraction of the sum of two principal moments by which rounding in a file may break the triangle inequality: six digits,
/// as files have. Thin plates attain equality, which rounding of the file then exceeds.
const ROUNDING: f64 = 1e-6;

/// Minimum principal moment over the maximum of a corrected inertia: that of a rod thirty times as long as thick. Smaller, and
/// the rotation about its axis is needlessly stiff.
const ROD: f64 = 1e-3;
/// Mass, centre and inertia of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertial {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass [m, link frame].
    pub center: Point3<f64>,
    /// Inertia about the centre of mass [kg·m², axes of the link frame].
    pub inertia: Matrix3<f64>,
}

impl Inertial {
    /// Density of water [kg/m³]: that of a link with a shape and without a stated mass, and of the ball whose inertia replaces one
    /// without a positive moment.
    pub const WATER: f64 = 1000.0;

    /// Mass of a shape of a density [kg/m³]: of the solid that a closed mesh encloses, or of the convex hull of one that encloses no volume;
    /// `None` where that has no volume either.
    #[must_use]
    pub fn filled(mesh: &TriangleMesh, solidity: Solidity, density: f64) -> Option<Self> {
        let solid = (solidity == Solidity::Solid).then(|| MassProperties::of_solid(mesh).ok()).flatten();
        let hull = || {
            let hull = ConvexHull::new(mesh.vertices()).and_then(|hull| hull.mesh()).ok()?;
            MassProperties::of_solid(&hull).ok()
        };
        let unit = solid.or_else(hull)?;
        Some(Self { mass: unit.volume * density, center: unit.center, inertia: unit.inertia * density })
    }

    /// Checks that mass and inertia are physically valid: a positive mass, principal moments above zero, none of them
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
    /// [`RobotError`], with the invalid value.
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
        let [min, middle, largest] = moments;
        let is_definite = min > 0.0;
        if !is_definite {
            return Err(RobotError::NotPositiveDefinite { min });
        }
        if largest > (min + middle) * (1.0 + ROUNDING) {
            return Err(RobotError::TriangleInequality { moments });
        }
        Ok(())
    }

    /// The same mass with a valid inertia: principal moments that are too small are raised, those that break the triangle
    /// inequality are moved to the nearest ones that do not; without a positive moment, the inertia of a ball.
    pub(super) fn nearest_valid(&self) -> Self {
        let SymmetricEigen { eigenvectors: axes, eigenvalues: moments } = self.inertia.symmetric_eigen();
        let max = moments.max();
        if max <= 0.0 {
            let radius = (3.0 * self.mass / (4.0 * PI * Self::WATER)).cbrt();
            return Self { inertia: Matrix3::identity() * (0.4 * self.mass * radius * radius), ..*self };
        }
        let mut moments = moments.map(|moment| moment.max(ROD * max));
        let (largest, excess) = (moments.imax(), 2.0 * moments.max() - moments.sum());
        if excess > 0.0 {
            // The foot of the perpendicular on the plane a + b = c.
            moments.add_scalar_mut(excess / 3.0);
            moments[largest] -= 2.0 / 3.0 * excess;
        }
        Self { inertia: axes * Matrix3::from_diagonal(&moments) * axes.transpose(), ..*self }
    }

    /// The same inertia in another frame, with the transform from the present frame to that one.
    #[must_use]
    pub fn transformed(&self, transform: &Isometry3<f64>) -> Self {
        let rotation = transform.rotation.to_rotation_matrix();
        let inertia = rotation.matrix() * self.inertia * rotation.matrix().transpose();
        Self { mass: self.mass, center: transform * self.center, inertia }
    }

    /// Inertia of both as one rigid body, in their common frame.
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

/// Spring, damping, friction, armature and motor limits of a joint. Forces are [N·m] of a revolute and \[N\] of a prismatic joint, speeds [rad/s] and
/// [m/s].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointDynamics {
    /// Viscous damping [N·m·s/rad or N·s/m].
    pub damping: f64,
    /// Coulomb friction: maximum force with which the joint resists motion and holds at rest.
    pub friction: f64,
    /// The spring within it, where the file states one.
    pub spring: Option<JointSpring>,
    /// Inertia of the rotor, as the joint bears it behind its gear [kg·m² or kg].
    pub armature: f64,
    /// Maximum force of its motor, where the file states one.
    pub effort: Option<f64>,
    /// Maximum speed of its motor, where the file states one.
    pub speed: Option<f64>,
    /// The law of its motor, where the file states one.
    pub servo: Option<Servo>,
    /// Kind of its motor, where the file states one without a law.
    pub actuator: Option<ActuatorKind>,
}

/// A spring within a joint: force = stiffness · (rest − value).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointSpring {
    /// Force per deviation from rest [N·m/rad or N/m].
    pub stiffness: f64,
    /// Value of the joint without force [rad or m].
    pub rest: f64,
}

/// Quantity that the controller of a joint commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActuatorKind {
    /// Its value.
    Position,
    /// Its speed.
    Velocity,
    /// Its force.
    Effort,
}

/// A motor that holds a joint: force = stiffness · (target − value) − damping · speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Servo {
    /// Force per deviation from the target [N·m/rad or N/m]; zero of a motor that only brakes.
    pub stiffness: f64,
    /// Force per speed [N·m·s/rad or N·s/m].
    pub damping: f64,
}

/// A mass [kg] at a pose in its link, with the moments xx, xy, xz, yy, yz, zz about its centre [kg·m², axes of the pose].
pub(in crate::kinematics) fn rotated(
    mass: f64,
    [ixx, ixy, ixz, iyy, iyz, izz]: [f64; 6],
    pose: &Isometry3<f64>,
) -> Inertial {
    let rotation = pose.rotation.to_rotation_matrix();
    let own = Matrix3::new(ixx, ixy, ixz, ixy, iyy, iyz, ixz, iyz, izz);
    let inertia = rotation.matrix() * own * rotation.matrix().transpose();
    Inertial { mass, center: pose.translation.vector.into(), inertia }
}
