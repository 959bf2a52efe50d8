//! Seeing: scenes, runs and queries as pictures, in a window or without a display (feature `viewer`).
//!
//! The only part of the crate that names kiss3d and egui. What is drawn is plain data: [`Models`] (what a scene is made
//! of), a [`WorldState`](extricate_scene::record::WorldState) (where that is at a time) and a [`Drawing`] (what is drawn besides); a [`Stage`] shows them from a
//! [`Camera`]. All lengths are metres in the world's frame.

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

pub use camera::{Camera, Ray};
pub use color::{Color, ColorMap, palette};
pub use drawing::{Arrow, Drawing, Ghost, Label, Legend, Line, Patch, Point, VertexValues};
pub use error::ViewError;
pub use models::{BodyModel, Ground, Models, SoftModel};
pub use panels::Panels;
pub use sketch::SketchMode;
pub use stage::{Quality, Stage};
