//! Descriptions of bodies and joints as plain data.

use nalgebra::{Isometry3, Vector3};

use extricate_core::kinematics::urdf::Inertial;
use extricate_core::query::Shape;

/// Kind of motion of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// Does not move.
    Fixed,
    /// Moves under forces.
    Dynamic,
    /// Moves with a prescribed velocity, unaffected by contacts.
    Kinematic,
}

/// Mass of a body. Its inertia is that of its shape with uniform density, unless it is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mass {
    /// Mass per volume [kg/m³].
    Density(f64),
    /// Mass \[kg\].
    Total(f64),
    /// Mass, centre and inertia, whatever the shape.
    Inertial(Inertial),
}

/// Description of a body of a world.
#[derive(Debug, Clone)]
pub struct BodyDescription {
    /// Its name, unique in the world; bodies are ordered by it.
    pub name: String,
    /// Kind of motion.
    pub kind: BodyKind,
    /// Body → world at the start.
    pub pose: Isometry3<f64>,
    /// Velocity of the centre of mass at the start [m/s], world frame.
    pub linear_velocity: Vector3<f64>,
    /// Angular velocity at the start [rad/s], world frame.
    pub angular_velocity: Vector3<f64>,
    /// Its shape.
    pub shape: Shape,
    /// Its mass. Only dynamic bodies use it.
    pub mass: Mass,
    /// Coefficient of friction, ≥ 0; two bodies that touch use the mean of theirs.
    pub friction: f64,
    /// Coefficient of rolling friction \[m\], ≥ 0: the arm at which the normal force resists rolling; two bodies that touch use the mean of theirs.
    pub rolling_friction: f64,
    /// Coefficient of restitution in [0, 1]; two bodies that touch use the mean of theirs.
    pub restitution: f64,
    /// Rate at which the linear velocity decays [1/s].
    pub linear_damping: f64,
    /// Rate at which the angular velocity decays [1/s].
    pub angular_damping: f64,
    /// Whether continuous collision detection (CCD) is applied to the body in every step in which it moves. To others it is
    /// applied, against all bodies, in steps in which they move by more than half of their mean thickness, or of that of
    /// the body that they could pass through.
    pub continuous: bool,
}

impl BodyDescription {
    /// Default density [kg/m³]: that of water.
    pub const DENSITY: f64 = 1000.0;
    /// Default coefficient of friction.
    pub const FRICTION: f64 = 0.5;

    /// A body at rest with the default density and friction, without rolling friction, restitution or damping.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: BodyKind, shape: Shape, pose: Isometry3<f64>) -> Self {
        Self {
            name: name.into(),
            kind,
            pose,
            linear_velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            shape,
            mass: Mass::Density(Self::DENSITY),
            friction: Self::FRICTION,
            rolling_friction: 0.0,
            restitution: 0.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            continuous: false,
        }
    }
}

/// Degrees of freedom of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// None.
    Fixed,
    /// Rotation about the x axis of the anchors.
    Revolute {
        /// Minimum and maximum angle \[rad\], if bounded.
        limits: Option<[f64; 2]>,
    },
    /// Translation along the x axis of the anchors.
    Prismatic {
        /// Minimum and maximum displacement \[m\], if bounded.
        limits: Option<[f64; 2]>,
    },
    /// Rotation about the common origin of the anchors.
    Spherical,
    /// All six, while the distance of the origins of the anchors is not larger than the length of the rope.
    Rope {
        /// Length of the rope \[m\].
        length: f64,
    },
}

/// A joint between two bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct JointDescription {
    /// Its name, unique among the joints of the world.
    pub name: String,
    /// Names of the two bodies.
    pub bodies: [String; 2],
    /// Frames of the joint: anchor → body, one on each body.
    pub anchors: [Isometry3<f64>; 2],
    /// Degrees of freedom of the joint.
    pub kind: JointKind,
    /// Whether the two bodies collide with each other.
    pub contacts: bool,
}
