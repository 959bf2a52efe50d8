//! Which files the files on the command line may name: `--root` and `--allow-outside`.
//!
//! They hold for the whole command, whichever thread reads a file, and are said once, at its start.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::scene::{Scene, SceneError};
use extricate_core::geometry::TriangleMesh;
use extricate_core::geometry::read::{Reach, ReadError, read_mesh_within};
use extricate_core::kinematics::urdf::{Robot, Shapes, UrdfError, UrdfOptions, read_urdf};

/// What was said on the command line.
static SAID: OnceLock<Said> = OnceLock::new();

#[derive(Debug, Default)]
struct Said {
    roots: Vec<PathBuf>,
    anywhere: bool,
}

/// Takes what the command line says; the first time counts.
pub fn say(roots: Vec<PathBuf>, anywhere: bool) {
    // A second command line in one process is one of the tests, which say nothing.
    let _ = SAID.set(Said { roots, anywhere });
}

/// The reach of a file with what was said.
fn widened(own: Reach) -> Reach {
    let said = SAID.get_or_init(Said::default);
    if said.anywhere {
        return Reach::anywhere();
    }
    said.roots.iter().fold(own, |reach, root| reach.and(root))
}

/// What a scene may name, with what was said.
pub fn reach_of_scene(path: &Path) -> Reach {
    widened(Reach::around(path))
}

/// The scene of a file.
pub fn scene(path: impl AsRef<Path>) -> Result<Scene, SceneError> {
    let path = path.as_ref();
    Scene::load_within(path, &reach_of_scene(path))
}

/// The mesh of a file.
pub fn mesh(path: impl AsRef<Path>) -> Result<TriangleMesh, ReadError> {
    let path = path.as_ref();
    read_mesh_within(path, &widened(Reach::around(path)))
}

/// The robot of a file with the packages that `--package` gives.
pub fn robot(path: impl AsRef<Path>, shapes: Shapes, packages: &[PathBuf]) -> Result<Robot, UrdfError> {
    let path = path.as_ref();
    let own = packages.iter().fold(Reach::around_robot(path), |reach, folder| reach.and(folder));
    let (packages, reach) = (packages.to_vec(), Some(widened(own)));
    read_urdf(path, &UrdfOptions { shapes, packages, reach, ..UrdfOptions::default() })
}
