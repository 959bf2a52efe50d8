//! Loading of scenes: from the file to the descriptions of everything in the world.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use extricate_core::parallel;
use miette::NamedSource;
use nalgebra::Vector3;

use super::camera::Camera;
use super::deprecated::Deprecation;
use super::error::{Problem, SceneError};
use super::files::Files;
use super::hints::hints;
use super::instantiate;
use super::limits::FILE_BYTES;
use super::locate::Step::{Field, Index};
use super::parse::{Document, other_format};
use super::robots::{self, LoadedRobot};
use super::schema::{self, Expect, OnOverlap, PlanEntry, SceneFile};
use super::shape::{self, LoadedShape};
use super::soft::{self, LoadedSoft};
use super::validate::validate;
use extricate_core::geometry::read::file::text_of;
use extricate_core::geometry::read::{Correction, FileScope};

use extricate_dynamics::{
    Accuracy, BodyDescription, BuildError, JointDescription, RobotDescription, SoftBodyDescription, World,
    WorldOptions,
};

/// Translations of bodies by name [m, world].
pub type Moves = BTreeMap<String, Vector3<f64>>;

/// A validated scene, with its meshes loaded.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Title, one line.
    pub title: String,
    /// Description, a few sentences.
    pub description: String,
    /// Path of its file as given.
    pub path: PathBuf,
    /// Gravity, time step, accuracy and narrow phase.
    pub options: WorldOptions,
    /// Simulated time of a run \[s\].
    pub duration: f64,
    /// Seed of everything random.
    pub seed: u64,
    /// Policy for bodies that overlap at the start of a run.
    pub on_overlap: OnOverlap,
    /// Bodies, copies expanded, in the order of the file.
    pub bodies: Vec<BodyDescription>,
    /// Joints.
    pub joints: Vec<JointDescription>,
    /// Robots.
    pub robots: Vec<RobotDescription>,
    /// Soft bodies, in the order of the file.
    pub soft_bodies: Vec<SoftBodyDescription>,
    /// Path planning problem, if the scene has one.
    pub plan: Option<PlanEntry>,
    /// Camera, if the scene has one.
    pub camera: Option<Camera>,
    /// Expectations of a run.
    pub expect: Expect,
    /// The mesh files of the scene.
    pub meshes: Vec<MeshFile>,
    /// The files of the robots, without those of their meshes.
    pub robot_files: Vec<PathBuf>,
    /// Text of the scene file.
    pub text: String,
    /// Translations of bodies from their positions in the file [m, world], by name.
    pub moved: Moves,
    /// Changes of joints of robots from their values in the file [rad or m], by `robot/joint`.
    pub joints_moved: BTreeMap<String, f64>,
    /// The files that it may name.
    pub file_scope: FileScope,
    /// Deprecated names that the text uses, each once, at its first place.
    pub deprecations: Vec<Deprecation>,
    /// Values that are valid, but probably not meant: messages with their places.
    pub hints: Vec<String>,
    /// Corrections of mesh files of its shapes, each once.
    pub mesh_corrections: Vec<Correction>,
}

/// A mesh file of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshFile {
    /// Name of the shape or soft body that uses it.
    pub shape: String,
    /// Path as written in the scene.
    pub file: String,
    /// Path resolved against the folder of the scene.
    pub path: PathBuf,
}

impl Scene {
    /// Loads the scene of a file, validated, with its meshes.
    ///
    /// ```
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    /// use extricate_scene::scene::Scene;
    ///
    /// let scene = Scene::load("scenes/rigid/linked_chain.ron")?;
    /// assert_eq!(scene.bodies.len(), 5);
    /// let mut world = scene.world()?;
    /// world.step()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The scene may name only files below its folder, or below the nearest marked folder around it
    /// ([`FileScope::around`]); [`Scene::load_within`] takes another scope.
    ///
    /// # Errors
    /// [`SceneError`] with all errors, each with its line and column.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        Self::load_within(path, &FileScope::around(path))
    }

    /// Loads a scene as [`Scene::load`] does; it may name the files within `scope`.
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn load_within(path: &Path, scope: &FileScope) -> Result<Self, SceneError> {
        let text = text_of(path, FILE_BYTES).map_err(|source| unreadable(path, source))?;
        Self::parse_within(path, text, scope)
    }

    /// The scene that `text` describes, validated, with its meshes; `path` is the actual or intended path of the text.
    ///
    /// # Errors
    /// [`SceneError`] with all errors, each with its line and column.
    pub fn parse(path: &Path, text: String) -> Result<Self, SceneError> {
        Self::parse_within(path, text, &FileScope::around(path))
    }

    /// Parses a scene as [`Scene::parse`] does; it may name the files within `scope`.
    ///
    /// # Errors
    /// As [`Scene::parse`].
    pub fn parse_within(path: &Path, text: String, scope: &FileScope) -> Result<Self, SceneError> {
        let invalid = |problems| SceneError::Invalid { problems };
        let document = Document::parse(path, &text).map_err(invalid)?;
        let problems = validate(&document, None);
        if !problems.is_empty() {
            return Err(invalid(problems));
        }
        let files = Files::of(path, scope);
        let shapes = load_shapes(&document, &files).map_err(invalid)?;
        let robots = robots::load(&document, &files).map_err(invalid)?;
        let soft = soft::load(&document, &files).map_err(invalid)?;
        let scene = Self::assemble(document, (shapes, robots, soft), path).map_err(invalid)?;
        let mesh_corrections = files.corrections();
        Ok(Self { text, file_scope: scope.clone(), mesh_corrections, ..scene })
    }

    fn assemble(
        document: Document,
        (shapes, robots, soft): (BTreeMap<String, LoadedShape>, Vec<LoadedRobot>, Vec<LoadedSoft>),
        path: &Path,
    ) -> Result<Self, Vec<Problem>> {
        let mut problems = dynamic_surfaces(&document, &shapes);
        let links = robots::links(&robots);
        // References to links of robots can be checked only now that their files have been read.
        problems.extend(validate(&document, Some(&links)));
        problems.extend(robots::wrong_expectations(&document, &robots));
        problems.extend(robots::wrong_goals(&document, &robots));
        problems.extend(soft::wrong_expectations(&document, &soft));
        if !problems.is_empty() {
            return Err(problems);
        }
        let hints = hints(&document, &shapes, &robots);
        let file = &document.file;
        let bodies = instantiate::bodies(file, &shapes);
        let joints = instantiate::joints(file, &bodies, &robots);
        let accuracy = Accuracy::from(file.accuracy);
        let meshes = shapes
            .into_iter()
            .filter_map(|(shape, loaded)| loaded.file.map(|(file, path)| MeshFile { shape, file, path }));
        let meshes = meshes.chain(soft.iter().flat_map(|body| {
            let named = |(file, path): &(String, PathBuf)| MeshFile {
                shape: body.description.name.clone(),
                file: file.clone(),
                path: path.clone(),
            };
            body.files.iter().map(named).collect::<Vec<_>>()
        }));
        let meshes = meshes.collect();
        Ok(Self {
            title: file.title.clone(),
            description: file.description.clone(),
            path: path.to_owned(),
            options: WorldOptions {
                gravity: super::placement::vector(file.gravity),
                time_step: file.time_step.unwrap_or_else(|| accuracy.time_step()),
                accuracy,
                solver: file.solver.into(),
                sleep: file.sleep.map(Into::into),
                narrow_phase: file.narrow_phase.into(),
                soft: soft::options(&file.soft),
            },
            duration: file.duration,
            seed: file.seed,
            on_overlap: file.on_overlap,
            bodies,
            joints,
            plan: file.plan.clone(),
            camera: file.camera.map(Camera::from),
            expect: file.expect.clone(),
            meshes,
            soft_bodies: soft.into_iter().map(|body| body.description).collect(),
            robot_files: robots.iter().map(|robot| robot.path.clone()).collect(),
            robots: robots.into_iter().map(|robot| robot.description).collect(),
            text: String::new(),
            moved: Moves::new(),
            joints_moved: BTreeMap::new(),
            file_scope: FileScope::anywhere(),
            deprecations: document.deprecations.clone(),
            hints,
            mesh_corrections: Vec::new(),
        })
    }

    /// Name of the scene: its file name without extension.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }

    /// Number of steps in `duration` \[s\], at least one.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturation of the cast is intended"
    )]
    pub fn steps(&self, duration: f64) -> u64 {
        ((duration / self.options.time_step).round() as u64).max(1)
    }

    /// A world with the bodies, robots and joints of the scene, at time zero.
    ///
    /// # Errors
    /// [`BuildError`] when the world rejects a body, robot or joint that the scene allows.
    pub fn world(&self) -> Result<World, BuildError> {
        let mut builder = World::builder(self.options.clone());
        for body in &self.bodies {
            builder.add_body(body.clone())?;
        }
        for robot in &self.robots {
            builder.add_robot(robot.clone())?;
        }
        for joint in &self.joints {
            builder.add_joint(joint.clone())?;
        }
        for body in &self.soft_bodies {
            builder.add_soft_body(body.clone())?;
        }
        builder.build()
    }
}

impl SceneFile {
    /// Parses a scene and checks its names, ranges and references. Meshes are not opened; `path` names the file in
    /// messages.
    ///
    /// # Errors
    /// [`SceneError::Invalid`] with all errors.
    pub fn parse(path: &Path, text: &str) -> Result<Self, SceneError> {
        let document = Document::parse(path, text).map_err(|problems| SceneError::Invalid { problems })?;
        let problems = validate(&document, None);
        if problems.is_empty() { Ok(document.file) } else { Err(SceneError::Invalid { problems }) }
    }
}

/// The error of a scene that cannot be read: a binary mesh, a folder, or another file that is no text.
fn unreadable(path: &Path, source: io::Error) -> SceneError {
    let fault = (source.kind() == io::ErrorKind::InvalidData).then(|| other_format(path, "")).flatten();
    if let Some(fault) = fault {
        let source = Arc::new(NamedSource::new(path.display().to_string(), String::new()));
        return SceneError::Invalid { problems: vec![Problem::new(fault, 0..0, &source)] };
    }
    let source = match source.kind() {
        io::ErrorKind::IsADirectory => {
            let folder = path.display();
            let message =
                format!("{source}; name a scene in it, or run all of them with `extricate verify {folder}`");
            io::Error::new(io::ErrorKind::IsADirectory, message)
        }
        _ => source,
    };
    SceneError::Unreadable { path: path.to_owned(), source }
}

/// Loads all shapes of a scene, in parallel.
fn load_shapes(document: &Document, files: &Files) -> Result<BTreeMap<String, LoadedShape>, Vec<Problem>> {
    let entries = &document.file.shapes.0;
    let loaded: Vec<_> = parallel::map_slice(entries, 1, |(_, entry)| shape::load(entry, files));
    let (mut shapes, mut problems) = (BTreeMap::new(), Vec::new());
    for (index, ((name, _), result)) in entries.iter().zip(loaded).enumerate() {
        match result {
            Ok(shape) => {
                shapes.insert(name.clone(), shape);
            }
            Err((place, fault)) => {
                let path = [&[Field("shapes"), Index(index)], place.as_slice()].concat();
                problems.push(document.problem(&path, fault));
            }
        }
    }
    if problems.is_empty() { Ok(shapes) } else { Err(problems) }
}

/// Errors of dynamic bodies whose mesh is a surface and that have no `mass`.
fn dynamic_surfaces(document: &Document, shapes: &BTreeMap<String, LoadedShape>) -> Vec<Problem> {
    let bodies = document.file.bodies.iter().enumerate();
    let dynamic = bodies.filter(|(_, body)| body.kind == schema::BodyKind::Dynamic && body.mass.is_none());
    dynamic
        .filter_map(|(index, body)| {
            let fault = shapes[&body.shape].massless_fault(&body.name, &body.shape)?;
            Some(document.problem(&[Field("bodies"), Index(index), Field("shape")], fault))
        })
        .collect()
}
