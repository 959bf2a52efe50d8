//! Pull on a body of a world.

use nalgebra::Point3;
use rapier3d::dynamics::RigidBodyHandle;

use super::data::World;
use crate::description::BodyKind;
use crate::error::BuildError;
use crate::pull::mobility::LinkMobility;
use crate::pull::rigid::RigidPull;
use crate::pull::{Grip, Pull, mobility};
use crate::robot::body::RobotBody;

impl World {
    /// Sets the pull that acts on a body in every step from now on; `None` ends it. See [`Pull`] for the bodies and [`Grip`] for
    /// the points that can be pulled; the force is at most 20 times (for a soft body 4 times) the mass times the larger of
    /// gravity and the radius times 225/s². While a body is pulled, energy that cannot be accounted for is not a
    /// [`StepError`](crate::StepError).
    ///
    /// ```
    /// use extricate_dynamics::{BodyDescription, BodyKind, Grip, Pull, Shape, World, WorldOptions};
    /// use nalgebra::{Isometry3, Point3};
    ///
    /// let mut builder = World::builder(WorldOptions::default());
    /// let cube = Shape::cuboid(nalgebra::Vector3::repeat(0.1));
    /// builder.add_body(BodyDescription::new("cube", BodyKind::Dynamic, cube, Isometry3::identity()))?;
    /// let mut world = builder.build()?;
    /// let (grip, target) = (Grip::Point(Point3::new(0.05, 0.05, 0.05)), Point3::new(1.0, 2.0, 3.0));
    /// world.pull(Some(Pull { body: "cube".into(), grip, target }))?;
    /// while world.time() < 5.0 {
    ///     world.step()?;
    /// }
    /// let cube = world.body("cube").expect("it was added");
    /// let corner = cube.position + cube.rotation * nalgebra::Vector3::repeat(0.05);
    /// assert!((corner - target).norm() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError`] when there is no such body, it cannot move, or the grip or the target is not valid; the pull before
    /// remains then.
    pub fn pull(&mut self, pull: Option<Pull>) -> Result<(), BuildError> {
        let Some(pull) = pull else {
            self.pull = None;
            self.soft.iter_mut().for_each(|soft| soft.set_pull(None));
            return Ok(());
        };
        let checked = |what, point: &Point3<f64>| {
            let finite = point.iter().all(|x| x.is_finite());
            let error = || BuildError::PullNotFinite { body: pull.body.clone(), what, point: *point };
            if finite { Ok(()) } else { Err(error()) }
        };
        checked("target", &pull.target)?;
        if let Grip::Point(point) = &pull.grip {
            checked("grip", point)?;
        }
        let grip = |is, by| BuildError::Grip { body: pull.body.clone(), is, by };
        match (self.soft_index(&pull.body), pull.grip) {
            // Soft bodies are pulled within their own solve, rigid ones by a force of rapier.
            (Some(_), Grip::Point(_)) => return Err(grip("soft", "node")),
            (Some(body), Grip::Node(node)) => self.pull_node(body, node, &pull)?,
            (None, grip_at) => {
                let found = self.index_of(&pull.body);
                let body = found.ok_or_else(|| BuildError::NoBodyToPull { body: pull.body.clone() })?;
                let Grip::Point(point) = grip_at else { return Err(grip("rigid", "point")) };
                let is_dynamic = self.descriptions()[body].kind == BodyKind::Dynamic;
                if !(is_dynamic && self.is_mobile(body, &point)) {
                    return Err(BuildError::Immovable { body: pull.body });
                }
                self.soft.iter_mut().for_each(|soft| soft.set_pull(None));
            }
        }
        self.pull = Some(pull);
        Ok(())
    }

    /// Present pull, if there is one.
    #[must_use]
    pub fn pulled(&self) -> Option<&Pull> {
        self.pull.as_ref()
    }

    /// Present position of the grip [m, world]: a point of the pulled body, or the mean of the nodes that are held.
    #[must_use]
    pub fn pulled_at(&self) -> Option<Point3<f64>> {
        let pull = self.pull.as_ref()?;
        match pull.grip {
            Grip::Node(_) => self.soft.as_ref()?.pulled_point(),
            Grip::Point(point) => {
                let index = self.index_of(&pull.body)?;
                Some(self.pose(index) * point)
            }
        }
    }

    fn pull_node(&mut self, body: usize, node: usize, pull: &Pull) -> Result<(), BuildError> {
        let Some(soft) = &mut self.soft else { return Ok(()) };
        let nodes = soft.node_count(body);
        if node >= nodes {
            return Err(BuildError::NodeOutOfRange { body: pull.body.clone(), node, nodes });
        }
        soft.set_pull(Some((body, node, pull.target)));
        Ok(())
    }

    /// Pull on a rigid body, if one is pulled.
    pub(crate) fn rigid_pull(&self) -> Option<RigidPull> {
        let pull = self.pull.as_ref()?;
        let Grip::Point(point) = pull.grip else { return None };
        let index = self.index_of(&pull.body)?;
        let radius = self.descriptions()[index].shape.bounding_radius();
        let (handle, gravity) = (self.handles[index], self.options.gravity);
        let link = self.link_mobility(handle, &point);
        Some(RigidPull { handle, point, target: pull.target, radius, gravity, link })
    }

    fn is_mobile(&self, body: usize, point: &Point3<f64>) -> bool {
        let handle = self.handles[body];
        mobility::of(&self.physics, handle, point, self.link_mobility(handle, point).as_ref()).is_some()
    }

    /// Mobility of a point of a link of a robot that rapier does not joint.
    fn link_mobility(&self, body: RigidBodyHandle, point: &Point3<f64>) -> Option<LinkMobility> {
        self.robots.iter().filter_map(RobotBody::tree).find_map(|tree| tree.mobility(body, point))
    }
}
