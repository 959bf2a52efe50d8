//! Scenes: the RON schema, validation, loading and instantiation.

mod camera;
mod deprecated;
mod error;
mod files;
mod from_json;
mod hints;
mod instantiate;
mod judge;
pub mod limits;
mod linking;
mod load;
mod locate;
mod overlap;
mod parse;
mod placement;
mod planning;
mod quantity;
mod random;
mod rewrite;
mod robots;
pub mod schema;
mod shape;
mod soft;
mod validate;

pub use camera::Camera;
pub use deprecated::Deprecation;
pub use error::{Problem, SceneError};
pub use from_json::NotAScene;
pub(crate) use hints::{NO_COLLISION_SHAPES, millimetres};
pub use judge::{EnergyBalance, Judge, JudgeState, Verdict};
pub use linking::linking_number;
pub use load::{MeshFile, Moves, Scene};
pub use overlap::{overlaps, soft_overlaps};
pub use planning::Planning;
pub(crate) use rewrite::{NamedFile, with_files};
pub use rewrite::{RobotPose, ScenePoses};
