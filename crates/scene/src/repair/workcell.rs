//! A robot among named obstacles: collision, clearance, repair and planning by configuration.

use nalgebra::{Isometry3, Vector3};

use super::{
    AttachedObject, Collision, Ensemble, Freedom, Keep, NamedObstacle, Repair, RepairError, RepairOptions,
    Robot, RobotOptions,
};
use extricate_core::penetration::generalized::{Obstacle, Pose};
use extricate_core::plan::{Plan, PlanError, PlanOptions, plan};
use extricate_core::proximity::{ArticulatedModel, Model};
use extricate_core::query::{self, Posed};

/// A robot on a fixed base among named obstacles, preprocessed for many configurations.
///
/// A configuration holds the values of the independent joints [rad or m], in the order of
/// [`Articulation::coordinates`](extricate_core::kinematics::Articulation::coordinates). Links of the robot may collide where
/// they are neighbours, and where they do so in every configuration ([`Robot::new`]).
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use extricate_core::query::{Posed, Robot, Shape};
/// use extricate_scene::repair::Workcell;
/// use nalgebra::Isometry3;
///
/// let arm = Robot::load("assets/robots/two_link.urdf")?;
/// let mut q = vec![0.0; arm.degrees_of_freedom()];
/// let ball = Shape::ball(0.05);
/// // A ball around the middle of the last link.
/// let posed = arm.at(&q)?;
/// let last = posed.part(posed.parts().len() - 1);
/// let at = Isometry3::from((last.pose * last.shape.bounding_sphere().0).coords);
/// let cell = Workcell::new(&arm, [("ball", Posed::new(&ball, at))])?;
/// assert!(cell.collides(&q)? && cell.colliding_pairs(&q)?[0].names[1] == "ball");
/// let repair = cell.repair(&q, &Default::default())?.expect("the link is in the ball");
/// q.clone_from(&repair.poses[0].joints);
/// assert!(repair.verified_free && !cell.collides(&q)? && cell.clearance(&q)? >= 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Workcell {
    ensemble: Ensemble,
    base: Isometry3<f64>,
}

impl Workcell {
    /// A robot with its root at the origin among obstacles, each with its name; those of several parts have one obstacle for
    /// every part, `name/part`.
    ///
    /// # Errors
    /// [`RepairError::Norm`], with the name of a link that has no volume, and as [`Ensemble::new`].
    pub fn new<'a>(
        robot: &query::Robot,
        obstacles: impl IntoIterator<Item = (&'a str, Posed<'a>)>,
    ) -> Result<Self, RepairError> {
        let (base, options) = (Isometry3::identity(), RobotOptions::default());
        Self::with(robot, base, obstacles, &options, &Freedom::default())
    }

    /// As [`Workcell::new`], with the root at `base` (body to world), with links that may or may not collide, and with fixed or
    /// weighted joints.
    ///
    /// # Errors
    /// As [`Workcell::new`], and [`RepairError::UnknownName`] when a link or a joint that is named does not exist.
    pub fn with<'a>(
        robot: &query::Robot,
        base: Isometry3<f64>,
        obstacles: impl IntoIterator<Item = (&'a str, Posed<'a>)>,
        options: &RobotOptions,
        freedom: &Freedom,
    ) -> Result<Self, RepairError> {
        Self::holding(robot, base, obstacles, (options, freedom), &[])
    }

    /// As [`Workcell::with`], with objects that move with links of the robot and are part of its shape.
    ///
    /// ```
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    /// use extricate_core::geometry::convex::ConvexShape;
    /// use extricate_core::penetration::generalized::Shape;
    /// use extricate_core::query::Robot;
    /// use extricate_scene::repair::{AttachedObject, Freedom, RobotOptions, Workcell};
    /// use nalgebra::Isometry3;
    ///
    /// let arm = Robot::load("assets/robots/arm.urdf")?;
    /// let tool = AttachedObject {
    ///     link: "hand".into(),
    ///     name: "ball".into(),
    ///     shape: Shape::convex(ConvexShape::sphere(0.05)),
    ///     pose: Isometry3::translation(0.0, 0.0, 0.17),
    /// };
    /// let options = (&RobotOptions::default(), &Freedom::default());
    /// let mut cell = Workcell::holding(&arm, Isometry3::identity(), [], options, &[tool])?;
    /// cell.keep(&"direction:hand,z".parse()?)?;
    /// assert!(!cell.collides(&vec![0.0; arm.degrees_of_freedom()])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Workcell::with`] and [`Robot::attach`].
    pub fn holding<'a>(
        robot: &query::Robot,
        base: Isometry3<f64>,
        obstacles: impl IntoIterator<Item = (&'a str, Posed<'a>)>,
        (options, freedom): (&RobotOptions, &Freedom),
        objects: &[AttachedObject],
    ) -> Result<Self, RepairError> {
        let model = |shape: &query::Shape| shape.model().map(|model| Model::clone(model));
        let models = robot.shapes().iter().map(|shape| shape.as_ref().and_then(model)).collect();
        let model = ArticulatedModel::of_models(robot.articulation().clone(), models);
        let model = model.with_surroundings(robot.surroundings().to_vec());
        let named = obstacles.into_iter().flat_map(|(name, posed)| named_obstacles(name, &posed)).collect();
        let allow = options.allow.iter().chain(robot.exempt()).cloned().collect();
        let options = RobotOptions { allow, ..options.clone() };
        let robot = Robot::of_model(model, &options)?.closed_by(robot.closures()).weighing(robot.masses());
        let robot = objects.iter().try_fold(robot, Robot::attach)?;
        Ok(Self { ensemble: robot.among(named, freedom)?, base })
    }

    /// Keeps a property of a link in all repairs, as it is in their input; the floor of feet has the normal z.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`] when there is no such link.
    pub fn keep(&mut self, keep: &Keep) -> Result<(), RepairError> {
        self.ensemble.keep(keep, &Vector3::z())
    }

    /// The ensemble: the robot and the obstacles by index, for other queries than those of a configuration.
    #[must_use]
    pub fn ensemble(&self) -> &Ensemble {
        &self.ensemble
    }

    fn pose(&self, configuration: &[f64]) -> Pose {
        Pose { base: self.base, joints: configuration.to_vec() }
    }

    /// Whether links collide with obstacles or with links that they may not touch.
    ///
    /// # Errors
    /// [`RepairError::Articulation`] and [`RepairError::Search`] when the configuration is not one of this robot.
    pub fn collides(&self, configuration: &[f64]) -> Result<bool, RepairError> {
        Ok(!self.colliding_pairs(configuration)?.is_empty())
    }

    /// Colliding pairs, by name, with their depths.
    ///
    /// # Errors
    /// As [`Workcell::collides`].
    pub fn colliding_pairs(&self, configuration: &[f64]) -> Result<Vec<Collision>, RepairError> {
        self.ensemble.colliding(&[self.pose(configuration)])
    }

    /// Minimum distance of the pairs that may not collide \[m\]; zero or below where one does.
    ///
    /// # Errors
    /// As [`Workcell::collides`].
    pub fn clearance(&self, configuration: &[f64]) -> Result<f64, RepairError> {
        self.ensemble.clearance(&[self.pose(configuration)])
    }

    /// Nearest configuration found that is free and within all joint limits; `None` where the given one is.
    ///
    /// # Errors
    /// [`RepairError::NotFound`] and [`RepairError::TooFar`] with the best effort, and as [`Workcell::collides`].
    pub fn repair(
        &self,
        configuration: &[f64],
        options: &RepairOptions,
    ) -> Result<Option<Repair>, RepairError> {
        self.ensemble.repair(&[self.pose(configuration)], options)
    }

    /// A path from one configuration to another, free at all times.
    ///
    /// # Errors
    /// [`PlanError`] when an end is not free or not a configuration, and when no path was found.
    pub fn plan(&self, start: &[f64], goal: &[f64], options: &PlanOptions) -> Result<Plan, PlanError> {
        plan(self.ensemble.collision_world(), &self.pose(start), &self.pose(goal), options)
    }
}

fn named_obstacles(name: &str, posed: &Posed) -> Vec<NamedObstacle> {
    let named = |part: Option<&str>| part.map_or_else(|| name.to_owned(), |part| format!("{name}/{part}"));
    posed
        .parts()
        .map(|part| NamedObstacle {
            name: named(part.name),
            obstacle: Obstacle { shape: part.shape.searchable(), pose: part.pose },
        })
        .collect()
}
