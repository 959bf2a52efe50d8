//! Poses of a scene that are sketched: links and bodies are dragged, joints are set.

use std::sync::Arc;

use nalgebra::Point3;
use serde_json::{Value, json};

use extricate_dynamics::World;
use extricate_scene::record::{SoftState, WorldState};
use extricate_scene::repair::{Mobility, RepairError, Sketch, SketchOptions, Unit};
use extricate_scene::scene::Scene;

use crate::command::drag_mode;
use crate::frame::Frame;
use crate::stage::Stage;

/// A drag of a point.
#[derive(Debug)]
pub(crate) struct Drag<'a> {
    /// Body or link.
    pub(crate) name: &'a str,
    /// The point [m, its frame].
    pub(crate) anchor: Point3<f64>,
    /// Target of the point [m, world].
    pub(crate) target: Point3<f64>,
    /// Whether the body is rotated.
    pub(crate) rotate: bool,
    /// Whether a robot is dragged as a whole.
    pub(crate) whole: bool,
}

/// The sketched poses of a scene.
#[derive(Debug)]
pub(crate) struct Posing {
    pub(crate) sketch: Sketch,
    /// The soft bodies when the sketch began.
    soft: Vec<SoftState>,
}

/// Name of the robot of a link, and that of the link.
pub(crate) fn robot_of<'a>(scene: &'a Scene, name: &'a str) -> Option<(&'a str, &'a str)> {
    scene.robots.iter().find_map(|robot| {
        let link = name.strip_prefix(robot.name.as_str())?.strip_prefix('/')?;
        Some((robot.name.as_str(), link))
    })
}

impl Posing {
    /// The poses of a scene as it is.
    pub(crate) fn new(scene: &Arc<Scene>, world: &World) -> Result<Self, RepairError> {
        Self::at(scene, world, &WorldState::of(world))
    }

    /// The poses of a state of a run.
    pub(crate) fn of_run(stage: &Stage, state: &WorldState) -> Result<Self, String> {
        let world = stage.scene().world().map_err(|error| error.to_string())?;
        Self::at(stage.scene(), &world, state).map_err(|error| error.to_string())
    }

    fn at(scene: &Arc<Scene>, world: &World, state: &WorldState) -> Result<Self, RepairError> {
        let sketch = Sketch::at_state(Arc::clone(scene), world, state, SketchOptions::default())?;
        Ok(Self { sketch, soft: state.soft.clone() })
    }

    /// Drags a point; returns what remains of the distance [m] and the joints at their limits.
    pub(crate) fn drag(&mut self, drag: &Drag) -> Result<Value, RepairError> {
        let Drag { name, anchor, target, rotate, whole } = drag;
        let scene = Arc::clone(self.sketch.scene());
        let dragged = match robot_of(&scene, name) {
            None => self.sketch.drag_body(name, anchor, target, drag_mode(*rotate))?,
            Some((robot, _)) if *whole => {
                let root = self.sketch.robots().into_iter().find(|handle| handle.name == robot);
                let root = root.map(|handle| handle.base).unwrap_or_default();
                let poses = self.sketch.named_poses(self.sketch.posture())?;
                let link = poses.into_iter().find(|pose| pose.name == *name).map(|pose| pose.pose);
                let anchor = root.inverse() * link.unwrap_or_default() * anchor;
                self.sketch.drag_base(robot, &anchor, target, drag_mode(*rotate))?
            }
            Some((robot, link)) => self.sketch.drag_link(robot, link, anchor, target)?,
        };
        Ok(json!({"distance": dragged.distance, "at_limit": dragged.at_limit}))
    }

    /// The present poses, with the pairs that collide, and the values of joints.
    pub(crate) fn frame(&mut self, stage: &Stage) -> Result<Frame, RepairError> {
        let named = self.sketch.named_poses(self.sketch.posture())?;
        let mut poses = vec![nalgebra::Isometry3::identity(); stage.len()];
        for place in named {
            if let Some(index) = stage.index(&place.name) {
                poses[index] = place.pose;
            }
        }
        let mut frame = Frame::default();
        poses.iter().for_each(|pose| frame.pose(pose));
        let motions = self.sketch.soft_motions(self.sketch.posture());
        for (body, before) in stage.subject().soft.iter().zip(&self.soft) {
            let motion = motions.iter().find(|motion| motion.name == body.name);
            let motion = motion.map_or_else(nalgebra::Isometry3::identity, |motion| motion.pose);
            body.points(before).iter().for_each(|point| frame.node(&(motion * point)));
        }
        let joints: Vec<Vec<f64>> = self
            .sketch
            .robots()
            .iter()
            .map(|robot| robot.joints.iter().map(|joint| joint.value).collect())
            .collect();
        let [undo, redo] = self.sketch.steps();
        let colliding: Vec<[String; 2]> =
            self.sketch.colliding()?.iter().map(|collision| collision.names.clone()).collect();
        frame.fields = json!({
            "colliding": colliding, "joints": joints, "undo": undo, "redo": redo, "revision": self.sketch.revision(),
        });
        Ok(frame)
    }

    /// Robots with their joints, and the bodies that cannot be dragged.
    pub(crate) fn handles(&self) -> Value {
        let finite = |limit: f64| Some(limit).filter(|limit| limit.is_finite());
        let robots = self.sketch.robots().into_iter().map(|robot| {
            let joints = robot.joints.iter().map(|joint| json!({
                "name": joint.name, "value": joint.value, "angle": joint.unit == Unit::Radians,
                "limits": joint.limits.map(finite),
            }));
            json!({"name": robot.name, "joints": joints.collect::<Vec<_>>(), "tied": robot.mobility == Mobility::Tied})
        });
        let tied = self.sketch.bodies().into_iter().filter(|body| body.mobility == Mobility::Tied);
        json!({
            "robots": robots.collect::<Vec<_>>(), "tied": tied.map(|body| body.name).collect::<Vec<_>>(),
        })
    }
}
