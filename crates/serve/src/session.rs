//! The content that is shown, and the answers to the commands of the page. All pages see the same.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nalgebra::Point3;
use serde_json::{Value, json};

use extricate_dynamics::{Grip, Pull};
use extricate_scene::request::{Access, Fault, SceneRepairRequest, arrangement};
use extricate_scene::scene::Scene;

use crate::command::{Command, Order};
use crate::dropped::{DropFolder, Dropped};
use crate::encode::message;
use crate::live::{Live, end_run};
use crate::measure::Pairs;
use crate::playback::Playback;
use crate::posing::{Drag, Posing};
use crate::search::Search;
use crate::stage::Stage;

/// Content of a session.
#[derive(Debug)]
pub enum Shown {
    /// Nothing yet.
    Nothing,
    /// A scene, which is posed and run.
    Scene(Box<Scene>),
    /// Robots and shapes, as `extricate query` and `repair` write them; they are posed.
    Arguments(Vec<String>),
    /// The folder of a run.
    Run(PathBuf),
}

/// The content of a server, and its state.
#[derive(Debug)]
pub struct Session {
    access: Access,
    state: Mutex<State>,
    folder: Mutex<Option<DropFolder>>,
}

/// An answer to a command.
#[derive(Debug)]
pub(crate) enum Reply {
    Json(Value),
    Binary(Vec<u8>),
}

#[derive(Debug)]
struct State {
    /// Counts what was shown: where it changes, the page asks for the stage again.
    generation: u64,
    content: Content,
    /// Arguments that are shown, to which dropped files are added.
    arguments: Vec<String>,
    /// Folders of dropped robots.
    packages: Vec<PathBuf>,
}

#[derive(Debug)]
enum Content {
    Nothing,
    Scene(Box<Posed>),
    Record(Arc<Stage>, Box<Playback>),
}

/// A scene with its sketch and its run.
#[derive(Debug)]
struct Posed {
    stage: Arc<Stage>,
    /// The sketch, or the reason why the scene cannot be posed.
    posing: Result<Posing, String>,
    live: Option<Live>,
    search: Option<Search>,
    can_run: bool,
}

/// Error of a command, as text for people.
type Answered = Result<Value, String>;

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Session {
    /// A session that shows something.
    ///
    /// # Errors
    /// A [`Fault`] where a file cannot be read, or a world rejects the scene.
    pub fn new(shown: Shown, access: Access) -> Result<Self, Fault> {
        let bad = |message: String| Fault::new(extricate_scene::request::Class::BadFile, message);
        let arguments = if let Shown::Arguments(arguments) = &shown { arguments.clone() } else { Vec::new() };
        let content = match shown {
            Shown::Nothing => Content::Nothing,
            Shown::Scene(scene) => Content::scene(*scene, true).map_err(bad)?,
            Shown::Arguments(arguments) => {
                Content::scene(arrangement(&arguments, &access)?, false).map_err(bad)?
            }
            Shown::Run(folder) => Content::record(folder).map_err(bad)?,
        };
        let state = State { generation: 1, content, arguments, packages: Vec::new() };
        Ok(Self { access, state: Mutex::new(state), folder: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes dropped files: connections may hold the session for longer than the server runs.
    pub(crate) fn end(&self) {
        *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Answers a command.
    pub(crate) fn handle(&self, order: &str) -> Reply {
        match serde_json::from_str::<Order>(order) {
            Ok(Order { id, command }) => self.answer(id, command),
            Err(error) => Reply::Json(json!({"id": 0, "error": format!("not a command: {error}")})),
        }
    }

    fn answer(&self, id: u64, command: Command) -> Reply {
        let answered = match command {
            Command::Stage => return self.state().stage(id),
            Command::Pose => return self.state().pose(id, json!({})),
            Command::State { index } => return self.state().frame(id, index),
            Command::Drag { name, anchor, target, rotate, whole } => {
                let drag = Drag { name: &name, anchor: anchor.into(), target: target.into(), rotate, whole };
                let mut state = self.state();
                match state.posing().and_then(|posing| posing.drag(&drag).map_err(text)) {
                    Ok(dragged) => return state.pose(id, json!({"dragged": dragged})),
                    Err(why) => Err(why),
                }
            }
            Command::Joint { robot, joint, value } => {
                let mut state = self.state();
                match state
                    .posing()
                    .and_then(|posing| posing.sketch.set_joint(&robot, &joint, value).map_err(text))
                {
                    Ok(set) => return state.pose(id, json!({"clamped": set.clamped})),
                    Err(why) => Err(why),
                }
            }
            // The state is free while the pairs are measured.
            Command::Measure { subject, request } => {
                let pairs = self.state().pairs(subject.as_deref());
                pairs.map(|pairs| pairs.measure(&request))
            }
            Command::Clear => Ok(self.clear()),
            Command::Files { .. } => Err(String::from("files are sent as a binary message")),
            other => self.state().change(other),
        };
        let generation = self.state().generation;
        Reply::Json(match answered {
            Ok(mut value) => {
                value["id"] = json!(id);
                value["generation"] = json!(generation);
                value
            }
            Err(why) => json!({"id": id, "generation": generation, "error": why}),
        })
    }

    fn clear(&self) -> Value {
        let mut state = self.state();
        (state.content, state.arguments, state.packages) = (Content::Nothing, Vec::new(), Vec::new());
        state.generation += 1;
        json!({})
    }

    /// Answers a binary message: files that were dropped.
    pub(crate) fn receive(&self, bytes: &[u8]) -> Reply {
        let (header, rest) = match split(bytes) {
            Ok(parts) => parts,
            Err(why) => return Reply::Json(json!({"id": 0, "error": why})),
        };
        let id = header.id;
        let shown = match header.command {
            Command::Files { files, at, .. } => self.take(&files, at, rest),
            _ => Err(String::from("only files are sent as a binary message")),
        };
        let generation = self.state().generation;
        Reply::Json(match shown {
            Ok(()) => json!({"id": id, "generation": generation}),
            Err(why) => json!({"id": id, "generation": generation, "error": why}),
        })
    }

    fn take(&self, files: &[(String, usize)], at: Option<[f64; 3]>, mut rest: &[u8]) -> Result<(), String> {
        let mut named = Vec::new();
        for (name, length) in files {
            let (content, further) =
                rest.split_at_checked(*length).ok_or("the files are longer than the message")?;
            named.push((name.as_str(), content));
            rest = further;
        }
        let dropped = {
            let mut folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
            if folder.is_none() {
                *folder = Some(DropFolder::new().map_err(text)?);
            }
            folder.as_mut().expect("it was created").take(&named)?
        };
        // Loaded before the lock: a large mesh takes seconds.
        let (content, arguments, packages) = match dropped {
            Dropped::Scene(path) => {
                let scene = self.access.scene(&path).map_err(|error| without(&path, &text(error)))?;
                (Content::scene(scene, true)?, Vec::new(), Vec::new())
            }
            Dropped::Arguments(paths, folder) => {
                let (mut arguments, mut packages) = {
                    let state = self.state();
                    (state.arguments.clone(), state.packages.clone())
                };
                packages.push(folder.clone());
                let place = at.map_or_else(String::new, |[x, y, z]| format!("@{x},{y},{z}"));
                arguments.extend(paths.iter().map(|path| format!("{}{place}", path.display())));
                let mut access = self.access.clone();
                access.packages.extend_from_slice(&packages);
                let scene =
                    arrangement(&arguments, &access).map_err(|fault| without(&folder, &fault.message))?;
                (Content::scene(scene, false)?, arguments, packages)
            }
        };
        let mut state = self.state();
        (state.content, state.arguments, state.packages) = (content, arguments, packages);
        state.generation += 1;
        Ok(())
    }
}

/// A message about dropped files without the folder, which means nothing to who dropped them.
fn without(path: &Path, message: &str) -> String {
    let folder = if path.extension().is_some() { path.parent().unwrap_or(path) } else { path };
    message.replace(&format!("{}/", folder.display()), "")
}

/// Splits a binary message into its header and what follows.
fn split(bytes: &[u8]) -> Result<(Order, &[u8]), String> {
    let parts = || {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        rest.split_at_checked(u32::from_le_bytes(*length) as usize)
    };
    let (header, rest) = parts().ok_or("the message ends within its header")?;
    Ok((serde_json::from_slice(header).map_err(text)?, rest))
}

impl Content {
    fn scene(scene: Scene, can_run: bool) -> Result<Self, String> {
        let world = scene.world().map_err(text)?;
        let scene = Arc::new(scene);
        let stage = Arc::new(Stage::new(Arc::clone(&scene), &world).map_err(text)?);
        let posing = Posing::new(&scene, &world).map_err(text);
        Ok(Self::Scene(Box::new(Posed { stage, posing, live: None, search: None, can_run })))
    }

    fn record(folder: PathBuf) -> Result<Self, String> {
        let playback = Playback::open(folder).map_err(text)?;
        let scene = Arc::new(playback.recording().scene().clone());
        let world = scene.world().map_err(text)?;
        let stage = Arc::new(Stage::new(scene, &world).map_err(text)?);
        Ok(Self::Record(stage, Box::new(playback)))
    }
}

const NOT_POSED: &str = "only a scene, or robots and meshes, can be posed";

impl State {
    fn scene(&mut self) -> Result<&mut Posed, String> {
        match &mut self.content {
            Content::Scene(scene) => Ok(scene),
            _ => Err(String::from(NOT_POSED)),
        }
    }

    fn posing(&mut self) -> Result<&mut Posing, String> {
        self.scene()?.posing.as_mut().map_err(|why| format!("this scene cannot be posed: {why}"))
    }

    fn stage(&self, id: u64) -> Reply {
        let mode = |mode: &str| json!({"generation": self.generation, "mode": mode});
        Reply::Binary(match &self.content {
            Content::Nothing => {
                let mut header = mode("nothing");
                for (name, value) in [
                    ("id", json!(id)),
                    ("kind", json!("stage")),
                    ("title", json!("")),
                    ("description", json!("")),
                ] {
                    header[name] = value;
                }
                for list in ["meshes", "bodies", "soft"] {
                    header[list] = json!([]);
                }
                message(&header, &[])
            }
            Content::Scene(scene) => {
                let mut further = mode("scene");
                further["can_run"] = json!(scene.can_run);
                match &scene.posing {
                    Ok(posing) => further["handles"] = posing.handles(),
                    Err(why) => further["not_posed"] = json!(why),
                }
                scene.stage.message(id, further)
            }
            Content::Record(stage, _) => stage.message(id, mode("record")),
        })
    }

    fn failure(&self, id: u64, why: &str) -> Reply {
        Reply::Json(json!({"id": id, "generation": self.generation, "error": why}))
    }

    /// The poses that are sketched; of a scene that cannot be posed those of its start.
    fn pose(&mut self, id: u64, mut further: Value) -> Reply {
        let generation = self.generation;
        further["generation"] = json!(generation);
        let framed = self.scene().and_then(|scene| match &mut scene.posing {
            Ok(posing) => posing.frame(&scene.stage).map_err(text),
            Err(_) => {
                let world = scene.stage.scene().world().map_err(text)?;
                Ok(crate::frame::Frame::of_world(&scene.stage, &world, None))
            }
        });
        match framed {
            Ok(frame) => Reply::Binary(frame.message(id, further)),
            Err(why) => self.failure(id, &why),
        }
    }

    /// A state of the run or of the record.
    fn frame(&mut self, id: u64, index: Option<usize>) -> Reply {
        let generation = json!(self.generation);
        let found = match &mut self.content {
            Content::Nothing => Err(String::from("nothing is shown")),
            Content::Scene(scene) => match &scene.live {
                None => Err(String::from("the scene does not run")),
                Some(live) => Ok(match live.state(index) {
                    (Some(frame), fields) => (frame, fields),
                    (None, fields) => (Arc::default(), fields),
                }),
            },
            Content::Record(stage, playback) => {
                playback.state(stage, index).map(|(frame, fields)| (Arc::new(frame), fields)).map_err(text)
            }
        };
        match found {
            Ok((frame, mut fields)) => {
                fields["generation"] = generation;
                Reply::Binary(frame.message(id, fields))
            }
            Err(why) => self.failure(id, &why),
        }
    }

    fn pairs(&mut self, subject: Option<&str>) -> Result<Pairs, String> {
        let stage = Arc::clone(&self.scene()?.stage);
        Pairs::of(self.posing()?, &stage, subject).map_err(text)
    }

    /// Commands whose answer is a short object.
    fn change(&mut self, command: Command) -> Answered {
        match command {
            Command::Drop => self.posing()?.sketch.end_undo_group(),
            Command::Undo => {
                self.posing()?.sketch.undo();
            }
            Command::Redo => {
                self.posing()?.sketch.redo();
            }
            Command::Restore => {
                let posing = self.posing()?;
                let scene = Arc::clone(posing.sketch.scene());
                posing.sketch.move_to(&scene);
            }
            Command::Text => {
                let text = self.posing()?.sketch.scene_text(Path::new("")).map_err(text)?;
                return Ok(json!({"text": text}));
            }
            Command::Repair { rotate, fields } => self.begin_repair(SceneRepairRequest { rotate, fields })?,
            Command::Repaired => return self.end_repair(),
            Command::Play { speed } => self.live(true)?.play(speed),
            Command::Step => self.live(true)?.step(),
            Command::Pause => self.live(false)?.pause(),
            Command::Stop { keep } => {
                let Posed { stage, posing, live, .. } = self.scene()?;
                end_run(live.take().filter(|_| keep), posing, stage);
            }
            Command::Pull { name, anchor, target } => {
                let (grip, target) = (Grip::Point(Point3::from(anchor)), Point3::from(target));
                self.live(false)?.pull(Some(Pull { body: name, grip, target }));
            }
            Command::Release => self.live(false)?.pull(None),
            _ => unreachable!("answered by the session"),
        }
        Ok(json!({}))
    }

    /// The run of the scene; one that starts from the sketched poses where there is none and `begin`.
    fn live(&mut self, begin: bool) -> Result<&Live, String> {
        let scene = self.scene()?;
        if scene.live.is_none() {
            if !scene.can_run {
                return Err(String::from(
                    "robots and meshes by themselves do not fall; a scene file can be run",
                ));
            }
            if !begin {
                return Err(String::from("the scene does not run"));
            }
            let start = match &scene.posing {
                Ok(posing) => posed(posing),
                Err(_) => Scene::clone(scene.stage.scene()),
            };
            scene.live = Some(Live::new(Arc::clone(&scene.stage), start));
        }
        Ok(scene.live.as_ref().expect("it was begun"))
    }

    fn begin_repair(&mut self, request: SceneRepairRequest) -> Result<(), String> {
        if self.scene()?.search.as_ref().is_some_and(Search::is_running) {
            return Err(String::from("a repair is running"));
        }
        let posing = self.posing()?;
        let search = Search::begin(posed(posing), posing.sketch.revision(), request);
        self.scene()?.search = Some(search);
        Ok(())
    }

    /// The outcome of the repair, once it is found; the sketch is moved to it.
    fn end_repair(&mut self) -> Answered {
        let Some(search) = &self.scene()?.search else {
            return Err(String::from("nothing is being repaired"));
        };
        let revision = search.revision();
        let Some(outcome) = search.outcome() else {
            return Ok(json!({"running": true}));
        };
        self.scene()?.search = None;
        let (mut response, scene) = outcome?;
        if let Some(scene) = scene {
            let posing = self.posing()?;
            let is_current = posing.sketch.revision() == revision;
            if is_current {
                posing.sketch.move_to(&scene);
            }
            response["accepted"] = json!(is_current);
        }
        Ok(response)
    }
}

/// The scene with the sketched poses.
fn posed(posing: &Posing) -> Scene {
    Scene::clone(posing.sketch.scene()).posed(&posing.sketch.scene_poses())
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn session(arguments: &[&str]) -> Session {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let shown = if arguments.is_empty() { Shown::Nothing } else { Shown::Arguments(arguments) };
        Session::new(shown, Access::default()).unwrap()
    }

    fn json_of(reply: Reply) -> Value {
        match reply {
            Reply::Json(value) => value,
            Reply::Binary(bytes) => serde_json::from_slice(header_of(&bytes)).unwrap(),
        }
    }

    fn header_of(bytes: &[u8]) -> &[u8] {
        let (length, rest) = bytes.split_first_chunk::<4>().unwrap();
        &rest[..u32::from_le_bytes(*length) as usize]
    }

    fn files(files: &[(&str, &[u8])]) -> Vec<u8> {
        let lengths: Vec<_> = files.iter().map(|(name, bytes)| (name, bytes.len())).collect();
        let numbers: Vec<&[u8]> = files.iter().map(|(_, bytes)| *bytes).collect();
        message(&json!({"id": 1, "do": "files", "files": lengths}), &numbers)
    }

    const TETRAHEDRON: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

    #[test]
    fn a_drag_changes_the_depth_and_a_repair_frees() {
        let session = session(&["box:1,1,1", "box:1,1,1@0.8,0,0"]);
        let ask = |order: Value| json_of(session.handle(&order.to_string()));
        let depth = || ask(json!({"id": 1, "do": "measure", "subject": "box"}))["pairs"][0]["depth"].as_f64();
        assert!((depth().unwrap() - 0.2).abs() < 1e-9);
        let drag = json!({"id": 2, "do": "drag", "name": "box", "anchor": [0, 0, 0], "target": [0.1, 0, 0]});
        assert_eq!(ask(drag)["colliding"], json!([["box", "box-2"]]));
        assert!((depth().unwrap() - 0.3).abs() < 1e-9);
        ask(json!({"id": 3, "do": "repair", "rotate": false}));
        let mut repaired = json!({"running": true});
        while repaired["running"] == true {
            thread::sleep(Duration::from_millis(1));
            repaired = ask(json!({"id": 4, "do": "repaired"}));
        }
        assert_eq!(
            (&repaired["status"], &repaired["response"]["verified_free"]),
            (&json!("repaired"), &json!(true))
        );
        assert_eq!(ask(json!({"id": 5, "do": "pose"}))["colliding"], json!([]));
        ask(json!({"id": 6, "do": "undo"}));
        assert!((depth().unwrap() - 0.3).abs() < 1e-9);
        let error = ask(json!({"id": 7, "do": "play", "speed": 1.0}))["error"].clone();
        assert!(error.as_str().unwrap().contains("do not fall"), "{error}");
    }

    #[test]
    fn dropped_meshes_are_added_and_what_is_not_a_mesh_changes_nothing() {
        let session = session(&[]);
        let count =
            || json_of(session.handle(r#"{"id": 1, "do": "stage"}"#))["bodies"].as_array().unwrap().len();
        for expected in 1..=2 {
            let reply = json_of(session.receive(&files(&[("part.obj", TETRAHEDRON)])));
            assert_eq!((&reply["error"], count()), (&Value::Null, expected));
        }
        for (name, content) in
            [("part.obj", &b"f 1 2 9\n"[..]), ("../part.obj", TETRAHEDRON), ("arm.urdf", b"<robot name='r'>")]
        {
            let error = json_of(session.receive(&files(&[(name, content)])))["error"].clone();
            assert!(
                error.is_string() && !error.as_str().unwrap().contains("extricate-serve-"),
                "{name}: {error}"
            );
        }
        let outside = br#"<robot name="r"><link name="a"><collision><geometry><mesh filename="/etc/passwd"/></geometry></collision></link></robot>"#;
        let error = json_of(session.receive(&files(&[("arm.urdf", outside)])))["error"].clone();
        assert!(error.as_str().unwrap().contains("lies outside"), "{error}");
        assert_eq!(count(), 2);
    }

    #[test]
    fn malformed_messages_are_answered_with_an_error() {
        let session = session(&["sphere:1"]);
        for text in [
            "",
            "[]",
            "{}",
            r#"{"id": 1}"#,
            r#"{"id": 1, "do": "fly"}"#,
            r#"{"id": 1, "do": "joint", "robot": "x", "joint": "y", "value": 1}"#,
        ] {
            assert!(json_of(session.handle(text))["error"].is_string(), "{text}");
        }
        let whole = files(&[("part.obj", TETRAHEDRON)]);
        for length in [0, 3, 4, 20, whole.len() - 1] {
            assert!(json_of(session.receive(&whole[..length]))["error"].is_string(), "{length}");
        }
        let far =
            r#"{"id": 1, "do": "drag", "name": "sphere", "anchor": [0, 0, 0], "target": [1e400, 0, 0]}"#;
        assert!(json_of(session.handle(far))["error"].is_string());
    }
}
