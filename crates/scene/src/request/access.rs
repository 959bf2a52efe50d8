//! Access to files: a scene, robot or mesh may name those around it, those below the roots of `--root`, or with
//! `--allow-outside` any.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use crate::scene::{NO_COLLISION_SHAPES, Scene, SceneError, millimetres};
use extricate_core::geometry::FileError;
use extricate_core::geometry::TriangleMesh;
use extricate_core::geometry::read::{FileScope, read_mesh_within};
use extricate_core::kinematics::read_robot;
use extricate_core::kinematics::urdf::{Correction, Robot, Shapes, UrdfError, UrdfOptions};

/// Files that may be named beyond those around the file that names them.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// Folders whose files may be named.
    pub roots: Vec<PathBuf>,
    /// Whether any file may be named.
    pub anywhere: bool,
    /// Receives warnings: corrections made while reading files of robots, and deprecated names in scenes.
    pub warn: Option<fn(&dyn Display)>,
}

impl Access {
    /// The scope of a file, extended by the roots.
    fn extended(&self, own: FileScope) -> FileScope {
        if self.anywhere {
            return FileScope::anywhere();
        }
        self.roots.iter().fold(own, |scope, root| scope.and(root))
    }

    /// Files that a scene may name.
    #[must_use]
    pub fn scope_of_scene(&self, path: &Path) -> FileScope {
        self.extended(FileScope::around(path))
    }

    /// Loads a scene, and warns of deprecated names in it and of corrections of its robots.
    ///
    /// # Errors
    /// [`SceneError`] when the file cannot be read or is not a scene.
    pub fn scene(&self, path: impl AsRef<Path>) -> Result<Scene, SceneError> {
        let path = path.as_ref();
        let scene = Scene::load_within(path, &self.scope_of_scene(path))?;
        self.warn_of(&scene.deprecations);
        self.warn_of(&scene.hints);
        let mut files: Vec<&[Correction]> = Vec::new();
        for robot in &scene.robots {
            // Several robots of a scene may come from the same file; its corrections are reported once.
            if !files.contains(&&*robot.corrections) {
                self.warn_of(&robot.corrections);
                files.push(&robot.corrections);
            }
        }
        Ok(scene)
    }

    /// Loads a mesh.
    ///
    /// # Errors
    /// [`FileError`] when the file cannot be read or is not a mesh.
    pub fn mesh(&self, path: impl AsRef<Path>) -> Result<TriangleMesh, FileError> {
        let path = path.as_ref();
        let mesh = read_mesh_within(path, &self.extended(FileScope::around(path)))?;
        let scaled = "`extricate convert IN OUT --scale 0.001` scales it";
        self.warn_of(millimetres(&path.display().to_string(), &mesh, scaled).as_slice());
        Ok(mesh)
    }

    /// Loads a robot with the packages of `--package`, and warns of corrections.
    ///
    /// # Errors
    /// [`UrdfError`] when the file cannot be read or is not a robot.
    pub fn robot(
        &self,
        path: impl AsRef<Path>,
        shapes: Shapes,
        packages: &[PathBuf],
    ) -> Result<Robot, UrdfError> {
        let path = path.as_ref();
        let own = packages.iter().fold(FileScope::around_robot(path), |scope, folder| scope.and(folder));
        let (packages, reach) = (packages.to_vec(), Some(self.extended(own)));
        let robot = read_robot(path, &UrdfOptions { shapes, packages, reach, ..UrdfOptions::default() })?;
        self.warn_of(&robot.corrections);
        if robot.meshes.iter().all(Option::is_none) {
            let instead =
                if shapes == Shapes::Collision { "; `--visual` takes the <visual> shapes" } else { "" };
            self.warn_of(&[format!("{}: {NO_COLLISION_SHAPES}{instead}", path.display())]);
        }
        Ok(robot)
    }

    /// Prints findings, unless only results are printed.
    pub(super) fn warn_of(&self, findings: &[impl Display]) {
        if let Some(warn) = self.warn {
            findings.iter().for_each(|finding| warn(finding));
        }
    }
}
