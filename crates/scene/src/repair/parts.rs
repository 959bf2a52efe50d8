//! Named parts of a repair: robots and bodies that may move, obstacles, and colliding pairs.

use extricate_core::penetration::generalized::{MovableModel, Obstacle};

/// A movable model with names.
#[derive(Debug, Clone)]
pub struct Actor {
    /// Prefix of the names of its links and joints: `robot/`, or empty.
    pub prefix: String,
    /// Name of its base.
    pub base: String,
    /// The movable model.
    pub movable: MovableModel,
}

/// An obstacle with a name.
#[derive(Debug, Clone)]
pub struct NamedObstacle {
    /// Its name.
    pub name: String,
    /// Its shape and pose.
    pub obstacle: Obstacle,
}

/// Two colliding parts, by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Collision {
    /// Names of links, bodies or obstacles.
    pub names: [String; 2],
    /// Depth by which their convex pieces overlap \[m\]; `None` where only triangles are known.
    pub depth: Option<f64>,
}
