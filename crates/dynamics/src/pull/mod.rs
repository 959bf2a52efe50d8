//! Pulling at a body: a damped spring from a point of it to a place in the world, as a mouse does.
//!
//! The spring moves what it holds as a critically damped oscillator of rate ω = [`RATE`] would, by implicit Euler: from the
//! stretch e = target − x and the velocity v of the point follows its velocity at the end of the step,
//!
//! v₁ = (v + h ω² e) / (1 + ωh)²,
//!
//! and the force is what brings the point there, (v₁ − v)/h times the mass that resists at the point. So its stiffness
//! follows from the body, and it is stable for any body and any step. A free body's weight is carried besides, so that it
//! does not sag, and its turning about the grip fades at the rate ω.
//!
//! | pulled           | what resists at the point                                                              |
//! |------------------|----------------------------------------------------------------------------------------|
//! | a free body      | K⁻¹, K = 1/m − [r]× I⁻¹ [r]×, r from the centre of mass                                |
//! | a link of a robot| the same with K = J M⁻¹ Jᵀ over the joints; what motors and limits add makes it slower |
//! | a soft body      | its mass; the spring holds the mean of the nodes around one, within the implicit solve |
//!
//! The force is at most [`LIMIT`] (of a soft body [`SOFT_LIMIT`]) times the mass (of a robot the whole one's) times the
//! greater of gravity and ω² times the body's radius.

mod mobility;
mod rigid;

use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{BodyKind, World};

/// Rate ω of the spring [1/s]: it has settled to a tenth after a quarter of a second.
pub(super) const RATE: f64 = 15.0;
/// Rate at which a free body's turning about its grip fades [1/s]: much less and it swings for long, much more and it
/// sinks slowly to where it hangs.
pub(super) const TURNING: f64 = RATE;
/// Bound of the force on rigid bodies and robots, see the module's documentation: enough to tear a body from a pile, too
/// little to press it through what it meets.
pub(super) const LIMIT: f64 = 20.0;
/// The same for soft bodies, which are held by few of their elements.
pub(super) const SOFT_LIMIT: f64 = 4.0;

/// A spring from a body to a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pull {
    /// Name of the body: a dynamic one, a link of a robot (`robot/link`), or a soft one.
    pub body: String,
    /// Where it is held.
    pub grip: Grip,
    /// Where it is pulled to [m, world].
    pub target: Point3<f64>,
}

/// Where a pulled body is held.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Grip {
    /// A point of a rigid body [m, body frame]; it need not be inside.
    Point(Point3<f64>),
    /// A node of a soft body, an index in [`World::soft_positions`]: with it those of the elements around it.
    Node(usize),
}

/// Why a body cannot be pulled.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum PullError {
    /// There is no such body.
    #[error("there is no body `{body}` to pull")]
    UnknownBody {
        /// The name.
        body: String,
    },
    /// No force moves the body: it is fixed or kinematic, or a link that no joint lets move.
    #[error("body `{body}` cannot be pulled: no force moves it")]
    Immovable {
        /// The body.
        body: String,
    },
    /// A rigid body is held by a node, or a soft one by a point.
    #[error("body `{body}` is {is}, which is held by a {by}")]
    Grip {
        /// The body.
        body: String,
        /// `rigid` or `soft`.
        is: &'static str,
        /// What such a body is held by.
        by: &'static str,
    },
    /// The soft body has no such node.
    #[error("soft body `{body}` has no node {node}, only {nodes} nodes (0-based)")]
    NodeOutOfRange {
        /// The body.
        body: String,
        /// The node.
        node: usize,
        /// Number of its nodes.
        nodes: usize,
    },
    /// A coordinate is not finite.
    #[error("the {what} of the pull at `{body}` is not finite: {point}")]
    NotFinite {
        /// The body.
        body: String,
        /// `grip` or `target`.
        what: &'static str,
        /// The point [m].
        point: Point3<f64>,
    },
}

impl World {
    /// Pulls at a body in every step from now on, until told otherwise; `None` lets go. See [`Pull`] for what can be pulled
    /// and [`Grip`] for where; at most 20 times (a soft body 4 times) its mass times the greater of gravity and its radius
    /// times 225/s² acts on it. While somebody pulls, energy from nowhere is no [`StepError`](super::StepError).
    ///
    /// ```
    /// use extricate_dynamics::{BodyDescription, BodyKind, Grip, Pull, Shape, World, WorldOptions};
    /// use nalgebra::{Isometry3, Point3};
    ///
    /// let mut builder = World::builder(WorldOptions::default());
    /// let cube = Shape::Cuboid { size: nalgebra::Vector3::repeat(0.1) };
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
    /// [`PullError`] when there is no such body, nothing moves it, or the grip or the target make no sense; what was
    /// pulled before goes on being pulled then.
    pub fn pull(&mut self, pull: Option<Pull>) -> Result<(), PullError> {
        let Some(pull) = pull else {
            self.pull = None;
            self.soft.iter_mut().for_each(|soft| soft.hang_on(None));
            return Ok(());
        };
        let checked = |what, point: &Point3<f64>| {
            let finite = point.iter().all(|x| x.is_finite());
            let error = || PullError::NotFinite { body: pull.body.clone(), what, point: *point };
            if finite { Ok(()) } else { Err(error()) }
        };
        checked("target", &pull.target)?;
        if let Grip::Point(point) = &pull.grip {
            checked("grip", point)?;
        }
        let grip = |is, by| PullError::Grip { body: pull.body.clone(), is, by };
        match (self.soft_index(&pull.body), pull.grip) {
            (Some(_), Grip::Point(_)) => return Err(grip("soft", "node")),
            (Some(body), Grip::Node(node)) => self.pull_node(body, node, &pull)?,
            (None, grip_at) => {
                let found = self.descriptions().binary_search_by(|body| body.name.as_str().cmp(&pull.body));
                let body = found.map_err(|_| PullError::UnknownBody { body: pull.body.clone() })?;
                let Grip::Point(point) = grip_at else { return Err(grip("rigid", "point")) };
                let is_dynamic = self.descriptions()[body].kind == BodyKind::Dynamic;
                if !(is_dynamic && mobility::of(&self.physics, self.handles[body], &point).is_some()) {
                    return Err(PullError::Immovable { body: pull.body });
                }
                self.soft.iter_mut().for_each(|soft| soft.hang_on(None));
            }
        }
        self.pull = Some(pull);
        Ok(())
    }

    /// What is pulled, if anything.
    #[must_use]
    pub fn pulled(&self) -> Option<&Pull> {
        self.pull.as_ref()
    }

    /// Where the pulled body is held now [m, world]: a point of it, or the mean of the nodes that are held.
    #[must_use]
    pub fn pulled_at(&self) -> Option<Point3<f64>> {
        let pull = self.pull.as_ref()?;
        match pull.grip {
            Grip::Node(_) => self.soft.as_ref()?.held_at(),
            Grip::Point(point) => {
                let index = self.descriptions().binary_search_by(|body| body.name.cmp(&pull.body)).ok()?;
                Some(self.pose(index) * point)
            }
        }
    }

    fn pull_node(&mut self, body: usize, node: usize, pull: &Pull) -> Result<(), PullError> {
        let Some(soft) = &mut self.soft else { return Ok(()) };
        let nodes = soft.node_count(body);
        if node >= nodes {
            return Err(PullError::NodeOutOfRange { body: pull.body.clone(), node, nodes });
        }
        soft.hang_on(Some((body, node, pull.target)));
        Ok(())
    }
}

/// Change of velocity [m/s] of a point that is stretched by `stretch` [m] and moves with `velocity` [m/s], in a step of
/// `h` [s].
pub(super) fn change_of_velocity(stretch: &Vector3<f64>, velocity: &Vector3<f64>, h: f64) -> Vector3<f64> {
    let settled = (1.0 + RATE * h).powi(2);
    (velocity + h * RATE * RATE * stretch) / settled - velocity
}

/// Acceleration [m/s²] that `limit` allows for a body of a radius [m].
pub(super) fn greatest_acceleration(limit: f64, gravity: &Vector3<f64>, radius: f64) -> f64 {
    limit * gravity.norm().max(RATE * RATE * radius)
}

#[cfg(test)]
mod tests;
