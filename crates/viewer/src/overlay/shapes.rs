//! Shapes of the bodies of a scene, apart from its world.

use crate::models::Models;
use extricate_dynamics::{BodyDescription, SoftBodyDescription, World};

/// Shapes of the bodies of a scene, and whatever else of its world does not change with the steps. Geometry is not
/// copied.
#[derive(Debug, Clone)]
pub struct SceneShapes {
    /// Descriptions of the rigid bodies, sorted by name.
    pub(super) bodies: Vec<BodyDescription>,
    /// Descriptions of the soft bodies, sorted by name.
    pub(super) soft: Vec<SoftBodyDescription>,
    /// Depths of their nodes at rest \[m\].
    pub(super) soft_depths: Vec<Vec<f64>>,
    /// Pairs of robot links that are allowed to overlap, the smaller index first.
    pub(super) allowed: Vec<[usize; 2]>,
}

impl SceneShapes {
    /// Shapes of the bodies of a world, and of their drawable models.
    #[must_use]
    pub fn of(world: &World, models: &Models) -> Self {
        let robots = world.robots();
        let pairs = robots.iter().filter_map(|robot| world.allowed_collisions(&robot.name)).flatten();
        let index = |name: &String| models.body(name);
        let allowed = pairs.filter_map(|pair| Some([index(&pair.bodies[0])?, index(&pair.bodies[1])?]));
        let allowed = allowed.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        let soft = world.soft_descriptions().to_vec();
        let depths = |body: &SoftBodyDescription| world.soft_depths(&body.name).map(<[f64]>::to_vec);
        Self {
            bodies: world.descriptions().to_vec(),
            soft_depths: soft.iter().map(|body| depths(body).unwrap_or_default()).collect(),
            soft,
            allowed,
        }
    }
}
