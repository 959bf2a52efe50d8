//! What a repair is about, by name: robots and bodies that may move, obstacles, and pairs that collide.

use extricate_core::penetration::generalized::{Mover, Obstacle};

/// Something that may move, by name.
#[derive(Debug, Clone)]
pub struct Actor {
    /// What stands before the names of its links and joints: `robot/`, or nothing.
    pub prefix: String,
    /// Name of its base.
    pub base: String,
    /// What moves.
    pub mover: Mover,
}

/// Something that stands still, by name.
#[derive(Debug, Clone)]
pub struct Prop {
    /// Its name.
    pub name: String,
    /// Its shape and pose.
    pub obstacle: Obstacle,
}

/// Two parts that collide, by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Collision {
    /// Names of links, bodies or obstacles.
    pub names: [String; 2],
    /// How deep their convex pieces overlap [m]; `None` where triangles alone know.
    pub depth: Option<f64>,
}
