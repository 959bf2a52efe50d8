//! Scenes: the RON schema, validation, loading and instantiation.

mod camera;
mod deprecated;
mod error;
mod files;
mod from_json;
mod hints;
mod instantiate;
mod joint_values;
mod judge;
pub mod limits;
mod linking;
mod load;
mod locate;
mod motors;
mod overlap;
mod parse;
mod placement;
mod planning;
mod quantity;
mod random;
mod rewrite;
mod robots;
pub mod schema;
mod sensors;
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
pub use rewrite::{
    BodyField, RobotPose, ScenePoses, body_values, text_with_body_value, text_with_mesh, text_with_robot,
};
pub(crate) use rewrite::{NamedFile, with_files};
