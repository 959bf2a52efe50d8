//! Rigid, articulated and soft dynamics: rapier integrates, contacts come from [`extricate_core::penetration`] and
//! [`extricate_core::proximity`].
//!
//! From the bottom to the top: errors, states and helpers; shapes, descriptions and masses; pulls, robots, soft bodies and
//! options; contacts; the solver of robots; the passes around rapier's step; the world; its step, measurements, building and checkpoints. A
//! module imports only from those below it.

mod algebra;
mod error;
mod state;
mod stateful;

mod description;
mod mass;
mod rigid;
mod shape;

mod options;
mod profile;
mod pull;
mod robot;
pub mod soft;

mod contact;
mod multibody;
mod passes;

mod world;

mod build;
mod checkpoint;
mod penetration;
mod separation;
mod step;

pub use build::WorldBuilder;
pub use checkpoint::{Checkpoint, CheckpointError};
pub use description::{BodyDescription, BodyKind, JointDescription, JointKind, Mass};
pub use error::{BuildError, SoftError, StepError};
pub use multibody::solver::RobotReport;
pub use options::{Accuracy, NarrowPhase, SleepOptions, SolverOverrides, SolverSettings, WorldOptions};
pub use penetration::BodyPenetration;
pub use profile::{Activity, PairTime, Phase};
pub use pull::{Grip, Pull};
pub use robot::{
    AllowedPair, ContactForce, JointEfforts, Motor, Reading, RobotBase, RobotDescription, RobotJoint,
    RobotLink, RobotState, TargetCurve,
};
pub use separation::Mobility;
pub use soft::bodies::description::{
    Handle, Keyframe, NodeDepths, SoftAttachment, SoftBodyDescription, SoftOptions, SoftScheme,
};
pub use soft::bodies::state::{SoftBodyState, SoftLoad, SoftOverlap, SoftReport};
pub use state::{AnyBody, BodySeparation, BodyState, Energy, Momentum, WorldContact};
pub use step::{StepReport, StepTimings};
pub use world::{Preparation, World};

pub use extricate_core::kinematics::{Sensor, SensorKind};
pub use extricate_core::query::Shape;
