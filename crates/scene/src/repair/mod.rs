//! Pose repair: the nearest poses without overlaps of robots and bodies, by name.
//!
//! What moves and what stands still is put together as an [`Ensemble`]: by hand, as a [`Robot`] among obstacles, or from a
//! [`Scene`](crate::scene::Scene). The least change is that of the object norm
//! ([`generalized`](extricate_core::penetration::generalized)): the answer names what moved by how much, has been checked by a
//! collision query that knows nothing of how it was found, and keeps the limits of joints. Where there is none, the
//! error carries the best effort and what still collides there.

mod answer;
mod changes;
mod ensemble;
mod error;
mod freedom;
mod parts;
mod robot;
mod scene;
mod sketch;
mod stand_in;
mod workcell;

pub use answer::{Change, Farthest, Moved, Repair};
pub use ensemble::{Ensemble, RepairOptions};
pub use error::RepairError;
pub use freedom::Freedom;
pub use parts::{Actor, Collision, Prop};
pub use robot::{AllowedLinks, Robot, RobotOptions, at_rest};
pub use scene::SceneRepair;
pub use sketch::{
    BodyHandle, Dragged, FollowJob, Followed, Hand, JointHandle, Overwrite, Place, Posture, RepairJob,
    Repaired, RobotHandle, Set, Sketch, SketchOptions, Standing, Unit,
};
pub use stand_in::with_triangles;
pub use workcell::Workcell;
