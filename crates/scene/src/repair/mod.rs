//! Pose repair: the nearest poses without overlaps of robots and bodies, by name.
//!
//! Movable parts and obstacles form an [`Ensemble`]: built by hand, of a [`Robot`] among obstacles, or of a
//! [`Scene`](crate::scene::Scene). The minimum change is that of the object norm
//! ([`generalized`](extricate_core::penetration::generalized)): the result names the displacements, has been checked by a
//! collision query independent of the search, and respects joint limits. Where none is found, the
//! error carries the best effort and the pairs that still collide.

mod answer;
mod attachment;
mod changes;
mod ensemble;
mod error;
mod freedom;
mod keep;
mod parts;
mod proxy_geometry;
mod robot;
mod scene;
mod sketch;
mod workcell;

pub use answer::{Change, Farthest, Moved, Repair};
pub use attachment::Attachment;
pub use ensemble::{Ensemble, RepairOptions};
pub use error::RepairError;
pub use freedom::Freedom;
pub use keep::Keep;
pub use parts::{Actor, Collision, NamedObstacle};
pub use proxy_geometry::with_triangles;
pub use robot::{AllowedLinks, AttachedObject, Robot, RobotOptions, at_rest};
pub use scene::SceneRepair;
pub use sketch::{
    BodyHandle, DragMode, Dragged, FollowJob, Followed, JointHandle, JointSetting, Mobility, NamedPose,
    Overwrite, Posture, RepairJob, Repaired, RobotHandle, Sketch, SketchOptions, Unit,
};
pub use workcell::Workcell;
