//! Access to files: a scene, robot or mesh may name those around it, those below the roots of `--root`, or with
//! `--allow-outside` any.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use super::mesh_units::MeshUnits;
use crate::scene::{NO_COLLISION_SHAPES, Scene, SceneError, millimetres};
use extricate_core::geometry::FileError;
use extricate_core::geometry::TriangleMesh;
use extricate_core::geometry::read::{FileScope, read_mesh_corrected};
use extricate_core::kinematics::srdf::{Srdf, read_srdf};
use extricate_core::kinematics::urdf::{Correction, Robot, RobotFileError, Shapes, UrdfOptions};
use extricate_core::kinematics::{NamedConfiguration, read_robot};

/// Files that may be named beyond those around the file that names them.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// Folders whose files may be named.
    pub roots: Vec<PathBuf>,
    /// Whether any file may be named.
    pub anywhere: bool,
    /// Folders that are ROS packages or hold some, for robots.
    pub packages: Vec<PathBuf>,
    /// Unit and up axis of mesh files that are named directly; those that a robot or scene names have their own.
    pub units: MeshUnits,
    /// Receives warnings: corrections made while reading files of robots and meshes, and deprecated names in scenes.
    pub warn: Option<fn(&dyn Display)>,
}

impl Access {
    /// The scope of a file, extended by the roots.
    pub(super) fn extended(&self, own: FileScope) -> FileScope {
        let own = if self.anywhere { FileScope::anywhere() } else { own };
        self.roots.iter().fold(own, |scope, root| scope.and(root)).with_packages(&self.packages)
    }

    /// Files that a scene may name.
    #[must_use]
    pub fn scope_of_scene(&self, path: &Path) -> FileScope {
        self.extended(FileScope::around(path))
    }

    /// Loads a scene, and warns of deprecated names in it and of corrections of its meshes and robots.
    ///
    /// # Errors
    /// [`SceneError`] when the file cannot be read or is not a scene.
    pub fn scene(&self, path: impl AsRef<Path>) -> Result<Scene, SceneError> {
        let path = path.as_ref();
        let scene = Scene::load_within(path, &self.scope_of_scene(path))?;
        self.warn_of(&scene.deprecations);
        self.warn_of(&scene.hints);
        self.warn_of(&scene.mesh_corrections);
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

    /// Loads a mesh, and warns of corrections.
    ///
    /// # Errors
    /// [`FileError`] when the file cannot be read or is not a mesh.
    pub fn mesh(&self, path: impl AsRef<Path>) -> Result<TriangleMesh, FileError> {
        let path = path.as_ref();
        let (mesh, corrections) = read_mesh_corrected(path, &self.extended(FileScope::around(path)))?;
        self.warn_of(&corrections);
        let mesh = self.units.of_file(mesh);
        let mesh = mesh.map_err(|source| FileError::Shape { path: path.to_owned(), source })?;
        let scaled = "`--scale 0.001` reads it so";
        self.warn_of(millimetres(&path.display().to_string(), &mesh, scaled).as_slice());
        Ok(mesh)
    }

    /// Loads a robot with the packages of `--package`, and warns of corrections. The scope of `options` is replaced.
    ///
    /// # Errors
    /// [`RobotFileError`] when the file cannot be read or is not a robot.
    pub fn robot(&self, path: impl AsRef<Path>, options: UrdfOptions) -> Result<Robot, RobotFileError> {
        let path = path.as_ref();
        let options = self.options_of_robot(path, options);
        let shapes = options.shapes;
        let robot = read_robot(path, &options)?;
        self.warn_of(&robot.corrections);
        if robot.meshes.iter().all(Option::is_none) {
            let instead =
                if shapes == Shapes::Collision { "; `--visual` takes the <visual> shapes" } else { "" };
            self.warn_of(&[format!("{}: {NO_COLLISION_SHAPES}{instead}", path.display())]);
        }
        Ok(robot)
    }

    /// The options with the files that a robot may name.
    #[must_use]
    pub fn options_of_robot(&self, path: &Path, mut options: UrdfOptions) -> UrdfOptions {
        let around = FileScope::around_robot(path);
        let own = options.packages.iter().fold(around, |scope, folder| scope.and(folder));
        options.reach = Some(self.extended(own));
        options
    }

    /// Loads an SRDF file.
    ///
    /// # Errors
    /// [`RobotFileError`] when the file cannot be read or is not SRDF.
    pub fn srdf(&self, path: &Path) -> Result<Srdf, RobotFileError> {
        read_srdf(path)
    }

    /// Pairs of links whose collisions an SRDF file disables; warns of what is not used of it.
    pub(super) fn allowed_pairs(&self, srdf: &Srdf, robot: &Robot) -> Vec<[String; 2]> {
        let (allowed, unknown) = srdf.allowed(robot.articulation.links());
        self.warn_of(srdf.unused.as_slice());
        self.warn_of(unknown.as_slice());
        allowed
    }

    /// Named configurations of a robot: those of its file, and the group states of an SRDF file; warns of what is not used.
    pub(super) fn configurations(&self, srdf: Option<&Srdf>, robot: &Robot) -> Vec<NamedConfiguration> {
        let (states, unknown) = srdf.map(|srdf| srdf.configurations(&robot.articulation)).unwrap_or_default();
        self.warn_of(unknown.as_slice());
        robot.configurations.iter().cloned().chain(states).collect()
    }

    /// Folders of ROS packages that the environment names: those of `ROS_PACKAGE_PATH`, and the folder `share` of each of
    /// `AMENT_PREFIX_PATH`.
    #[must_use]
    pub fn packages_of_environment() -> Vec<PathBuf> {
        let folders = |variable| std::env::var_os(variable).unwrap_or_default();
        let (packages, prefixes) = (folders("ROS_PACKAGE_PATH"), folders("AMENT_PREFIX_PATH"));
        let installed = std::env::split_paths(&prefixes).map(|prefix| prefix.join("share"));
        std::env::split_paths(&packages).chain(installed).filter(|folder| folder.is_absolute()).collect()
    }

    /// Prints findings, unless only results are printed.
    pub(super) fn warn_of(&self, findings: &[impl Display]) {
        if let Some(warn) = self.warn {
            findings.iter().for_each(|finding| warn(finding));
        }
    }
}
