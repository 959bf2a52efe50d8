//! Parts of a workcell, and pairs of them that collide.

/// A part of an arrangement that may collide with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A link of a mover, both counted from 0.
    Link {
        /// The mover.
        mover: usize,
        /// The link in its articulation.
        link: usize,
    },
    /// An obstacle, counted from 0.
    Obstacle(usize),
}

/// Two parts that collide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CollidingPair {
    /// Which two; links come before obstacles.
    pub parts: [Part; 2],
    /// How deep the deepest two convex pieces of theirs overlap [m]; NaN where a part is known by its triangles alone.
    pub depth: f64,
}
