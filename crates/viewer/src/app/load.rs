//! From a file to what is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::playback::Playback;
use super::source::Source;
use crate::interface::Title;
use crate::{Camera, Models};
use extricate_dynamics::World;
use extricate_scene::record::WorldState;
use extricate_scene::scene::Scene;

/// Makes a scene and its world of a file, or a report of what is wrong with it.
pub type Prepare = dyn Fn(&Path) -> Result<(Scene, World), String> + Send + Sync;

/// What is shown, from the start.
pub struct Loaded {
    /// What it is called.
    pub title: Title,
    /// The scene.
    pub scene: Arc<Scene>,
    /// What it is made of.
    pub models: Models,
    /// Where everything is at the start.
    pub start: WorldState,
    /// What is stepped.
    pub source: Source,
    /// From where the scene wants to be looked at.
    pub camera: Option<Camera>,
    /// Files that it was made of.
    pub files: Vec<PathBuf>,
}

/// The scene of a file as it stands there.
///
/// # Errors
/// What is wrong with it.
pub fn prepare(path: &Path) -> Result<(Scene, World), String> {
    let scene = Scene::load(path).map_err(|error| error.to_string())?;
    let world = scene.world().map_err(|error| format!("{}: {error}", path.display()))?;
    Ok((scene, world))
}

impl Loaded {
    /// A scene of a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn scene(path: &Path, prepare: &Prepare) -> Result<Self, String> {
        let (scene, world) = prepare(path)?;
        Self::of(path, scene, world)
    }

    /// A scene with its world at the start.
    ///
    /// # Errors
    /// When a shape has no surface that can be drawn.
    pub fn of(path: &Path, scene: Scene, world: World) -> Result<Self, String> {
        let models = Models::of(&world).map_err(|error| format!("{}: {error}", path.display()))?;
        let scene = Arc::new(scene);
        let mut files = vec![path.to_owned()];
        files.extend(scene.meshes.iter().map(|mesh| mesh.path.clone()));
        files.extend(scene.robot_files.iter().cloned());
        Ok(Self {
            title: title(&scene, path),
            models,
            start: WorldState::of(&world),
            source: Source::live(Arc::clone(&scene), world),
            camera: camera_of(&scene),
            files,
            scene,
        })
    }

    /// The run of a folder.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn run(folder: &Path) -> Result<Self, String> {
        let playback = Playback::open(folder)?;
        let scene = Arc::new(playback.recording().scene().clone());
        let models =
            Models::of(playback.start()).map_err(|error| format!("{}: {error}", folder.display()))?;
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
        let duration = playback.place().duration;
        Ok(Self {
            title: Title { name, duration, ..title(&scene, folder) },
            models,
            start: playback.state().clone(),
            camera: camera_of(&scene),
            source: Source::Recorded(Box::new(playback)),
            files: Vec::new(),
            scene,
        })
    }

    /// A scene of a file, or a run of a folder.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn open(path: &Path, prepare: &Prepare) -> Result<Self, String> {
        if path.is_dir() { Self::run(path) } else { Self::scene(path, prepare) }
    }
}

fn title(scene: &Scene, path: &Path) -> Title {
    Title {
        name: scene.name(),
        title: scene.title.clone(),
        description: scene.description.clone(),
        path: path.to_owned(),
        time_step: scene.options.time_step,
        duration: scene.duration,
    }
}

/// From where the scene wants to be looked at.
fn camera_of(scene: &Scene) -> Option<Camera> {
    let camera = scene.camera.as_ref()?;
    Some(Camera::looking(&camera.eye, &camera.target, camera.field_of_view))
}
