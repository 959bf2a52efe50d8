//! Soft bodies of a world: what they are made of, and how they are stepped beside rigid ones.

mod description;

pub use description::{
    Handle, Keyframe, NodeDepths, SoftAttachment, SoftBodyDescription, SoftOptions, SoftScheme,
};
