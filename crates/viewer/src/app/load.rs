//! Loading of scene files and recorded runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::playback::Playback;
use super::source::Source;
use crate::interface::Title;
use crate::{Camera, Models};
use extricate_dynamics::World;
use extricate_scene::record::WorldState;
use extricate_scene::scene::Scene;

/// Loads a scene file and builds its world; the error is a message for the user.
pub type Prepare = dyn Fn(&Path) -> Result<(Scene, World), String> + Send + Sync;

/// A scene or recorded run that has been loaded, at its start.
pub struct Loaded {
    /// Name, description and times.
    pub title: Title,
    /// The scene.
    pub scene: Arc<Scene>,
    /// Drawable models of its bodies.
    pub models: Models,
    /// State at the start.
    pub start: WorldState,
    /// Source of the states: simulation or recording.
    pub source: Source,
    /// Camera that the scene file specifies.
    pub camera: Option<Camera>,
    /// Files that it was loaded from.
    pub files: Vec<PathBuf>,
}

/// Loads a scene file without repairing it, and builds its world.
///
/// # Errors
/// A message for the user when the file cannot be loaded or its world not be built.
pub fn prepare(path: &Path) -> Result<(Scene, World), String> {
    let scene = Scene::load(path).map_err(|error| error.to_string())?;
    let world = scene.world().map_err(|error| format!("{}: {error}", path.display()))?;
    Ok((scene, world))
}

impl Loaded {
    /// Loads a scene file with `prepare`.
    ///
    /// # Errors
    /// A message for the user when the file cannot be loaded or its world not be built.
    pub fn scene(path: &Path, prepare: &Prepare) -> Result<Self, String> {
        let (scene, world) = prepare(path)?;
        Self::of(path, scene, world)
    }

    /// A scene with its world at the start; `path` is the file that it was loaded from.
    ///
    /// # Errors
    /// A message for the user when a shape has no surface that can be drawn.
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

    /// Opens the folder of a recorded run.
    ///
    /// # Errors
    /// A message for the user when the file cannot be loaded or its world not be built.
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

    /// Opens a scene file, or the folder of a recorded run.
    ///
    /// # Errors
    /// A message for the user when the file cannot be loaded or its world not be built.
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

/// Camera that the scene file specifies.
fn camera_of(scene: &Scene) -> Option<Camera> {
    let camera = scene.camera.as_ref()?;
    Some(Camera::look_at(&camera.eye, &camera.target, camera.field_of_view))
}
