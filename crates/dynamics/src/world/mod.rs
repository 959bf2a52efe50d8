//! A world: its bodies, joints, robots and soft bodies, and the queries between its steps.

mod contacts;
mod data;
mod preparation;
mod pull;
mod robots;
mod sensors;
mod soft;
#[cfg(test)]
mod tests;

pub use data::{Preparation, World};
