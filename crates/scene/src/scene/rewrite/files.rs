//! Self-contained text of a scene: files under other names, poses and options as they are in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Edits, RobotPose, ScenePoses};
use crate::scene::Scene;
use crate::scene::error::SceneError;
use crate::scene::locate::Step::{Field, Index};
use crate::scene::parse::Document;
use crate::scene::schema::{JointValue, RobotEntry};
use extricate_core::kinematics::JointKind;
use extricate_core::kinematics::urdf::UrdfOptions;
use extricate_dynamics::NarrowPhase;

/// A file that the text of a scene names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NamedFile {
    /// Its path.
    pub(crate) path: PathBuf,
    /// Options of reading it, if it is a robot.
    pub(crate) robot: Option<UrdfOptions>,
}

impl Scene {
    /// Text of the scene with poses, joint values, time step and narrow phase as they are in memory, and each path of a
    /// file replaced by the one that `place` returns. Copies in a grid that have been moved from their places in the text
    /// are read back within rounding, all others with the same bits.
    ///
    /// # Errors
    /// [`SceneError`] when the text of the scene is not a scene, and errors of `place`.
    pub(crate) fn text_with_files<E: From<SceneError>>(
        &self,
        place: &mut dyn FnMut(&NamedFile) -> Result<String, E>,
    ) -> Result<String, E> {
        let own = self.path.parent().map_or_else(PathBuf::new, PathBuf::from);
        let text = self.text_with_poses(&self.changed_poses(), &own)?;
        let document = Document::parse(&self.path, &text);
        let document = document.map_err(|problems| SceneError::Invalid { problems })?;
        let mut edits = Edits { document: &document, edits: Vec::new() };
        edits.options(self);
        edits.files(&text, &own, &mut |file| place(file).map(Some))?;
        Ok(edits.apply(&text))
    }

    /// Poses of the bodies that have been moved from their places in the text, and of all robots.
    fn changed_poses(&self) -> ScenePoses {
        let moved = self.bodies.iter().filter(|body| self.moved.contains_key(&body.name));
        let bodies = moved.map(|body| (body.name.clone(), body.pose)).collect();
        let of_robot = |robot: &extricate_dynamics::RobotDescription| {
            let joints = self.joints_moved.keys().filter_map(|name| {
                let joint = name.strip_prefix(robot.name.as_str())?.strip_prefix('/')?;
                let value = robot.configuration[robot.coordinate(joint)?];
                let kind = &robot.articulation.joints()[robot.joint(joint)?].kind;
                let is_angle = matches!(kind, JointKind::Revolute { .. });
                let value = if is_angle { JointValue::Radians(value) } else { JointValue::Metres(value) };
                Some((joint.to_owned(), value))
            });
            (robot.name.clone(), RobotPose { base: robot.pose, joints: joints.collect::<BTreeMap<_, _>>() })
        };
        let moved = self.soft_bodies.iter().filter(|body| self.moved.contains_key(&body.name));
        let soft_bodies = moved.map(|body| (body.name.clone(), body.pose)).collect();
        ScenePoses { bodies, soft_bodies, robots: self.robots.iter().map(of_robot).collect() }
    }
}

/// The text of the scene at `path` with each path of a file replaced by the one that `place` returns; where it returns none,
/// the path stays.
///
/// # Errors
/// [`SceneError`] when the text is not a scene, and errors of `place`.
pub(crate) fn with_files<E: From<SceneError>>(
    path: &Path,
    text: &str,
    place: &mut dyn FnMut(&NamedFile) -> Result<Option<String>, E>,
) -> Result<String, E> {
    let document = Document::parse(path, text).map_err(|problems| SceneError::Invalid { problems })?;
    let mut edits = Edits { document: &document, edits: Vec::new() };
    edits.files(text, path.parent().unwrap_or(Path::new("")), place)?;
    Ok(edits.apply(text))
}

impl Edits<'_> {
    /// Replaces the paths of all files by those that `place` returns; `folder` is that of the text.
    fn files<E>(
        &mut self,
        text: &str,
        folder: &Path,
        place: &mut dyn FnMut(&NamedFile) -> Result<Option<String>, E>,
    ) -> Result<(), E> {
        for part in ["shapes", "soft_bodies"] {
            for span in self.document.outline().fields_named(&[Field(part)], "file") {
                let Ok(file) = ron::from_str::<String>(&text[span.clone()]) else { continue };
                if let Some(placed) = place(&NamedFile { path: folder.join(file), robot: None })? {
                    self.edits.push((span, format!("{placed:?}")));
                }
            }
        }
        for (index, robot) in self.document.file.robots.iter().enumerate() {
            let packages = robot.packages.iter().map(|package| folder.join(package)).collect();
            let arguments = robot.xacro_args.0.clone();
            let options = UrdfOptions { packages, arguments, ..UrdfOptions::default() };
            let named = NamedFile { path: folder.join(&robot.file), robot: Some(options) };
            if let Some(placed) = place(&named)? {
                self.robot_file(index, robot, &placed);
            }
            let span = self.document.outline().get(&[Field("robots"), Index(index), Field("srdf")]);
            if let (Some(srdf), Some(span)) = (&robot.srdf, span)
                && let Some(placed) = place(&NamedFile { path: folder.join(srdf), robot: None })?
            {
                self.edits.push((span, format!("{placed:?}")));
            }
        }
        Ok(())
    }

    /// Writes the time step and the narrow phase where they differ from the text.
    fn options(&mut self, scene: &Scene) {
        let file = &self.document.file;
        let (time_step, narrow_phase) = (scene.options.time_step, scene.options.narrow_phase);
        let own = file.time_step.unwrap_or_else(|| scene.options.accuracy.time_step());
        let after = [Field("duration")];
        // A step longer than the duration would make the text invalid.
        if time_step.to_bits() != own.to_bits() && time_step <= file.duration {
            self.write(&[Field("time_step")], &after, "time_step", super::number(time_step));
        }
        if narrow_phase != NarrowPhase::from(file.narrow_phase) {
            let name = match narrow_phase {
                NarrowPhase::Extricate => "extricate",
                NarrowPhase::Rapier => "rapier",
            };
            self.write(&[Field("narrow_phase")], &after, "narrow_phase", name.to_owned());
        }
    }

    /// Replaces the file of a robot; its meshes are beside it, so that it needs no packages.
    fn robot_file(&mut self, index: usize, robot: &RobotEntry, placed: &str) {
        let at = |field| [Field("robots"), Index(index), Field(field)];
        let outline = self.document.outline();
        self.edits.extend(outline.get(&at("file")).map(|span| (span, format!("{placed:?}"))));
        if !robot.packages.is_empty() {
            self.edits.extend(outline.get(&at("packages")).map(|span| (span, String::from("[]"))));
        }
    }
}
