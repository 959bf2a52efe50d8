//! Rigid dynamics: rapier integrates, contacts come from [`extricate_core::penetration`] and [`extricate_core::proximity`].

mod assembly;
mod builder;
mod checkpoint;
mod contact;
mod contacts;
mod continuous;
mod depenetration;
mod description;
mod error;
mod gyroscopic;
mod mass;
mod options;
mod penetration;
mod pull;
mod restitution;
mod robot;
mod rolling;
mod separation;
mod shapes;
pub mod soft;
mod soft_bodies;
mod state;
mod step_report;
mod stepping;
mod watch;
mod world;

pub use builder::WorldBuilder;
pub use checkpoint::{Checkpoint, CheckpointError};
pub use contacts::WorldContact;
pub use description::{BodyDescription, BodyKind, JointDescription, JointKind, Mass, Shape};
pub use error::{BuildError, StepError};
pub use options::{Accuracy, NarrowPhase, SolverOverrides, SolverSettings, WorldOptions};
pub use penetration::BodyPenetration;
pub use pull::{Grip, Pull, PullError};
pub use robot::{
    AllowedPair, Motor, MotorError, RobotBase, RobotDescription, RobotError, RobotJoint, RobotLink,
    RobotState,
};
pub use separation::{BodySeparation, BodySeparationError, Mobility};
pub use soft_bodies::{
    AnyBody, Handle, Keyframe, NodeDepths, SoftAttachment, SoftBodyDescription, SoftBodyError, SoftBodyState,
    SoftLoad, SoftOptions, SoftOverlap, SoftReport, SoftScheme,
};
pub use state::{BodyState, Energy, Momentum};
pub use step_report::{StepReport, StepTimings};
pub use world::World;
