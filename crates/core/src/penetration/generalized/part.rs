//! Parts of a collision world, and colliding pairs of them.

/// A part of a collision world that may collide with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A link of a movable model, both counted from 0.
    Link {
        /// The movable model.
        movable: usize,
        /// The link in its articulation.
        link: usize,
    },
    /// An obstacle, counted from 0.
    Obstacle(usize),
}

/// Two parts that collide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CollidingPair {
    /// The two parts; links come before obstacles.
    pub parts: [Part; 2],
    /// Penetration depth of the deepest two convex pieces \[m\]; NaN where a part has no convex decomposition, and in an error where the time
    /// budget was spent before it was known.
    pub depth: f64,
}
