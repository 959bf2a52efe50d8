//! The distance between two models, with its witnesses.

use nalgebra::Point3;

/// How far two models are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// The distance of the witnesses [m]; zero where the models collide.
    pub value: f64,
    /// What the distance of the models is proved to be at least, rounding apart [m]: the same as `value` where no
    /// tolerance was asked for.
    pub lower_bound: f64,
    /// A point of A and one of B that are that far apart [m, world]; the same point where the models collide.
    pub witnesses: [Point3<f64>; 2],
    /// The triangles of A and of B that hold the witnesses; `None` where a solid contains them.
    pub triangles: Option<[u32; 2]>,
}
