//! Visualization of scenes, runs and queries, in a window or without a display (feature `viewer`).
//!
//! The only crate that depends on kiss3d and egui. The input of drawing is plain data: [`Models`] (the bodies of a scene), a
//! [`WorldState`](extricate_scene::record::WorldState) (their poses at a time) and a [`Drawing`] (everything else); a
//! [`Stage`] shows them with a [`Camera`]. All lengths are metres in the world frame.

pub mod app;
mod camera;
mod color;
mod drawing;
mod error;
mod interface;
mod models;
pub mod overlay;
mod panels;
pub mod render;
mod sketch;
pub mod soft_quantity;
mod stage;
mod surface;

pub use image;

pub use camera::{Camera, Focus, Lens, LensSample, Ray};
pub use color::{Color, ColorMap, palette};
pub use drawing::{Arrow, Drawing, Ghost, Label, Legend, Line, Patch, Point, VertexValues};
pub use error::ViewError;
pub use models::{BodyModel, Ground, Models, SoftModel};
pub use panels::Panels;
pub use sketch::SketchMode;
pub use stage::{Exposure, LightPart, Quality, Stage};
