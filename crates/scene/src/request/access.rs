//! Which files a scene, robot or mesh may name: those around it, those below the roots of `--root`, or with
//! `--allow-outside` any.

use std::path::{Path, PathBuf};

use crate::scene::{Scene, SceneError};
use extricate_core::geometry::FileError;
use extricate_core::geometry::TriangleMesh;
use extricate_core::geometry::read::{Reach, read_mesh_within};
use extricate_core::kinematics::urdf::{Correction, Robot, Shapes, UrdfError, UrdfOptions, read_urdf};

/// Files that may be named beyond those around the file that names them.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// Folders whose files may be named.
    pub roots: Vec<PathBuf>,
    /// Whether any file may be named.
    pub anywhere: bool,
    /// Hears of what was not taken as it stands in the files of robots.
    pub corrected: Option<fn(&Correction)>,
}

impl Access {
    /// The reach of a file, widened by the roots.
    fn widened(&self, own: Reach) -> Reach {
        if self.anywhere {
            return Reach::anywhere();
        }
        self.roots.iter().fold(own, |reach, root| reach.and(root))
    }

    /// Files that a scene may name.
    #[must_use]
    pub fn reach_of_scene(&self, path: &Path) -> Reach {
        self.widened(Reach::around(path))
    }

    /// The scene of a file.
    ///
    /// # Errors
    /// [`SceneError`] when the file cannot be read or is no scene.
    pub fn scene(&self, path: impl AsRef<Path>) -> Result<Scene, SceneError> {
        let path = path.as_ref();
        let scene = Scene::load_within(path, &self.reach_of_scene(path))?;
        let mut files: Vec<&[Correction]> = Vec::new();
        for robot in &scene.robots {
            // Many a scene has a robot several times.
            if !files.contains(&&*robot.corrections) {
                self.tell(&robot.corrections);
                files.push(&robot.corrections);
            }
        }
        Ok(scene)
    }

    /// The mesh of a file.
    ///
    /// # Errors
    /// [`FileError`] when the file cannot be read or is no mesh.
    pub fn mesh(&self, path: impl AsRef<Path>) -> Result<TriangleMesh, FileError> {
        let path = path.as_ref();
        read_mesh_within(path, &self.widened(Reach::around(path)))
    }

    /// The robot of a file with the packages that `--package` gives.
    ///
    /// # Errors
    /// [`UrdfError`] when the file cannot be read or is no robot.
    pub fn robot(
        &self,
        path: impl AsRef<Path>,
        shapes: Shapes,
        packages: &[PathBuf],
    ) -> Result<Robot, UrdfError> {
        let path = path.as_ref();
        let own = packages.iter().fold(Reach::around_robot(path), |reach, folder| reach.and(folder));
        let (packages, reach) = (packages.to_vec(), Some(self.widened(own)));
        let robot = read_urdf(path, &UrdfOptions { shapes, packages, reach, ..UrdfOptions::default() })?;
        self.tell(&robot.corrections);
        Ok(robot)
    }

    fn tell(&self, corrections: &[Correction]) {
        if let Some(corrected) = self.corrected {
            corrections.iter().for_each(corrected);
        }
    }
}
