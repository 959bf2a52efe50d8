//! Files of a sketch: the scene with its poses, and the joints of a robot.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Serialize;

use super::super::scene::joint_values;
use super::{Role, Sketch};
use crate::disk::write_whole;
use crate::repair::error::RepairError;
use crate::scene::{RobotPose, ScenePoses};

/// Policy for existing files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// An existing file is an error.
    Refuse,
    /// An existing file is replaced as a whole.
    Replace,
}

impl Overwrite {
    /// Refuses an existing file that must not be replaced.
    ///
    /// # Errors
    /// [`RepairError::Exists`].
    pub fn check(self, path: &Path) -> Result<(), RepairError> {
        if self == Self::Refuse && path.exists() {
            return Err(RepairError::Exists { path: path.to_owned() });
        }
        Ok(())
    }
}

/// A configuration as `extricate repair --robot … --joints` reads it.
#[derive(Debug, Serialize)]
struct Line<'a> {
    joints: BTreeMap<&'a str, f64>,
    base: Base,
}

#[derive(Debug, Serialize)]
struct Base {
    translation: [f64; 3],
    rotation: [f64; 4],
}

impl Sketch {
    /// Text of the scene with the current poses, for a file in `folder`: positions, rotations and values of joints
    /// are edited in place, comments and layout are preserved.
    ///
    /// # Errors
    /// [`RepairError::Scene`] when the text of the scene is not a valid scene.
    pub fn scene_text(&self, folder: &Path) -> Result<String, RepairError> {
        let text = self.scene.text_with_poses(&self.scene_poses(), folder);
        text.map_err(|source| RepairError::Scene { path: self.scene.path.clone(), source: Box::new(source) })
    }

    /// Writes the scene with the current poses, as [`Sketch::scene_text`]. The files that it names are not copied;
    /// [`write_scene`](crate::record::write_scene) copies them.
    ///
    /// # Errors
    /// [`RepairError::Exists`] when there is such a file (that of the scene, say) and `overwrite` refuses,
    /// [`RepairError::Write`], and as [`Sketch::scene_text`].
    pub fn save_scene(&self, path: &Path, overwrite: Overwrite) -> Result<(), RepairError> {
        overwrite.check(path)?;
        write(path, &self.scene_text(path.parent().unwrap_or(Path::new("")))?)
    }

    /// Writes the configuration of a robot as `extricate repair --robot … --joints` reads it.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`], and as [`Sketch::save_scene`].
    pub fn save_joints(&self, robot: &str, path: &Path, overwrite: Overwrite) -> Result<(), RepairError> {
        overwrite.check(path)?;
        let (actor, _) = self.actor_of_robot(robot)?;
        let pose = &self.posture.poses[actor];
        let articulation = self.movable(actor).articulation();
        let names =
            articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.as_str());
        let q = pose.base.rotation;
        let base = Base { translation: pose.base.translation.vector.into(), rotation: [q.w, q.i, q.j, q.k] };
        let line = Line { joints: names.zip(pose.joints.iter().copied()).collect(), base };
        let text = serde_json::to_string(&line).map_err(|error| refused(path, error.into()))?;
        write(path, &(text + "\n"))
    }

    /// Current poses of bodies and robots; those that are as in the file are left out.
    #[must_use]
    pub fn scene_poses(&self) -> ScenePoses {
        let mut poses = ScenePoses::default();
        for (index, body) in self.scene.bodies.iter().enumerate() {
            let pose = self.pose_of_body(index, &self.posture);
            // Bodies that loading has moved apart are not where the file has them, either.
            if pose != body.pose || self.scene.moved.contains_key(&body.name) {
                poses.bodies.insert(body.name.clone(), pose);
            }
        }
        for (index, body) in self.scene.soft_bodies.iter().enumerate() {
            let at = self.scene.bodies.len() + index;
            let pose = self.pose_of_body(at, &self.posture);
            // What holds a soft body holds it where the file has it.
            let is_free = matches!(self.bodies[at], Role::Member { .. });
            if is_free && (pose != body.pose || self.scene.moved.contains_key(&body.name)) {
                poses.soft_bodies.insert(body.name.clone(), pose);
            }
        }
        for (robot, actor) in self.scene.robots.iter().zip(&self.robots) {
            let Some(actor) = *actor else { continue };
            let pose = &self.posture.poses[actor];
            let changed = |joint: &str, [after, before]: [f64; 2]| {
                let name = format!("{}/{joint}", robot.name);
                after.to_bits() != before.to_bits() || self.scene.joints_moved.contains_key(&name)
            };
            let joints = joint_values(robot, &pose.joints, changed);
            poses.robots.insert(robot.name.clone(), RobotPose { base: pose.base, joints });
        }
        poses
    }
}

/// Writes a file atomically.
fn write(path: &Path, text: &str) -> Result<(), RepairError> {
    write_whole(path, text.as_bytes()).map_err(|error| refused(path, error))
}

fn refused(path: &Path, source: io::Error) -> RepairError {
    RepairError::Write { path: path.to_owned(), source }
}
