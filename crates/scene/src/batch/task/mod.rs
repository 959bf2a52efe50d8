//! What an item asks, by kind: how it is read, and how it is answered.

mod freedom;
mod own;
mod pair;
mod robot;
mod scene;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Serialize;

use self::own::OwnTask;
use self::pair::PairTask;
use self::robot::RobotTask;
use self::scene::{RunTask, SceneTask};
use super::answers::Reply;
use super::fault::{Class, Fault};
use super::fields::Fields;
use super::item::{Item, ItemFault};
use super::library::Library;
use super::manifest::ManifestLine;

/// What an item asks.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Task {
    Own(OwnTask),
    Pair(Box<PairTask>),
    Robot(Box<RobotTask>),
    Scene(Box<SceneTask>),
    Run(Box<RunTask>),
}

/// What tasks are answered with.
pub(super) struct Bench<'a> {
    /// Folder that relative paths are against.
    pub(super) folder: &'a Path,
    /// What is shared.
    pub(super) library: &'a Library,
    /// Folder of the runs.
    pub(super) runs: PathBuf,
    /// Whether a single task may use several threads.
    pub(super) parallel: bool,
    /// Set when what takes long should stop.
    pub(super) stop: &'a AtomicBool,
}

/// What stands at the start of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head<'a> {
    pub(super) index: u64,
    pub(super) id: Option<&'a str>,
    pub(super) kind: &'static str,
}

/// An answer as it is written, and how long the question itself took.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    pub(super) line: Vec<u8>,
    pub(super) time: Duration,
}

/// An answer as a line of JSON.
#[derive(Debug, Serialize)]
struct Line<'a, R> {
    index: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    kind: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<Class>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    answer: &'a R,
}

/// The fields of a failure: none.
#[derive(Debug, Serialize)]
struct NoAnswer {}

/// What of a line can be told when nothing else can.
pub(super) struct OwnHead {
    index: u64,
    id: Option<String>,
    pub(super) kind: &'static str,
}

impl OwnHead {
    pub(super) fn head(&self) -> Head<'_> {
        Head { index: self.index, id: self.id.as_deref(), kind: self.kind }
    }
}

impl Head<'_> {
    /// The kind of what could not be read.
    pub(super) const UNKNOWN: &'static str = "unknown";

    /// The head of a line that could not be read.
    pub(super) fn unknown(index: u64) -> Self {
        Self { index, id: None, kind: Self::UNKNOWN }
    }

    /// The head of a line whose answer was lost.
    pub(super) fn of_line(line: &ManifestLine) -> OwnHead {
        let item = line.text.as_ref().ok().map(|text| Item::parse(text));
        let (id, kind) = match item {
            Some(Ok(item)) => (item.id.clone(), Some(item.kind())),
            Some(Err(error)) => (error.id, error.kind),
            None => (None, None),
        };
        OwnHead { index: line.index, id, kind: kind.unwrap_or(Self::UNKNOWN) }
    }

    /// The line of an answer.
    pub(super) fn told<R: Reply>(&self, answer: &R, time: Duration) -> Told {
        let shortfall = answer.shortfall();
        self.line(answer.status(), shortfall, answer, time)
    }

    /// The line of a failure.
    pub(super) fn failed(&self, fault: Fault) -> Told {
        self.line("failed", Some(fault), &NoAnswer {}, Duration::ZERO)
    }

    fn line<R: Serialize>(
        &self,
        status: &'static str,
        fault: Option<Fault>,
        answer: &R,
        time: Duration,
    ) -> Told {
        let Self { index, id, kind } = *self;
        let (exit_code, error) = fault.map(|fault| (fault.class, fault.message)).unzip();
        let line = Line { index, id, kind, status, exit_code, error, answer };
        let mut line = serde_json::to_vec(&line).expect("answers are objects with text keys");
        line.push(b'\n');
        Told { line, time }
    }
}

impl Task {
    /// All kinds.
    pub(super) const KINDS: [&'static str; 10] = [
        "collide",
        "distance",
        "hausdorff",
        "spanning",
        "time-of-contact",
        "self-collision",
        "penetration",
        "generalized",
        "repair",
        "run",
    ];

    /// The task of a kind, one of [`Task::KINDS`].
    pub(super) fn take(kind: &'static str, fields: &mut Fields) -> Result<Self, ItemFault> {
        match kind {
            "self-collision" => Ok(Self::Own(OwnTask::take(fields)?)),
            "run" => Ok(Self::Run(Box::new(RunTask::take(fields)?))),
            "repair" => match (fields.take("robot")?, fields.take("scene")?) {
                (Some(robot), None) => Ok(Self::Robot(Box::new(RobotTask::take(robot, fields)?))),
                (None, Some(scene)) => Ok(Self::Scene(Box::new(SceneTask::take(scene, fields)?))),
                _ => {
                    let why = String::from("a repair has either a `robot` or a `scene`");
                    Err(ItemFault::Clash { why })
                }
            },
            _ => Ok(Self::Pair(Box::new(PairTask::take(kind, fields)?))),
        }
    }

    /// Its kind.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Own(_) => "self-collision",
            Self::Pair(task) => task.kind(),
            Self::Robot(_) | Self::Scene(_) => "repair",
            Self::Run(_) => "run",
        }
    }

    /// Its answer, as it is written; none where it was stopped.
    pub(super) fn answer(&self, bench: &Bench, head: Head) -> Result<Option<Told>, Fault> {
        match self {
            Self::Own(task) => task.answer(bench, head).map(Some),
            Self::Pair(task) => task.answer(bench, head).map(Some),
            Self::Robot(task) => task.answer(bench, head).map(Some),
            Self::Scene(task) => task.answer(bench, head).map(Some),
            Self::Run(task) => task.answer(bench, head),
        }
    }
}
