//! What the repair of a robot answers, as people read it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::super::super::console::Console;
use super::super::super::failure::{Exit, Failure};
use super::super::super::table::{Table, number};
use super::super::{Told, matter, word};
use extricate_core::proximity::AllowedBecause;
use extricate_scene::batch::answers::Status;
use extricate_scene::batch::answers::robot_repair::{Answer, BaseAnswer, FarthestAnswer};
use extricate_scene::repair::{Change, Collision, Moved, Robot};

/// A line of the file of what was repaired.
#[derive(Debug, Serialize)]
struct Line<'a> {
    joints: &'a BTreeMap<String, f64>,
    base: &'a BaseAnswer,
}

/// The text of an answer, for people and for files.
pub(super) trait Text {
    /// The configuration as a line that `--joints` takes.
    fn line(&self) -> Result<String, Failure>;

    /// Prints the answer as JSON, or for people.
    fn tell(&self, index: usize, time: Duration, console: &mut Console) -> Result<(), Failure>;
}

impl Text for Answer {
    fn line(&self) -> Result<String, Failure> {
        let line = Line { joints: &self.joints, base: &self.base };
        let text = serde_json::to_string(&line);
        text.map(|text| text + "\n").map_err(|error| Failure::of(Exit::Usage, &error))
    }

    fn tell(&self, index: usize, time: Duration, console: &mut Console) -> Result<(), Failure> {
        if console.json() {
            let (status, error) = (self.status, self.error.as_deref());
            return console.json_line(&Told { index, ..Told::new(status, error, self, time) });
        }
        let word = word(self.status);
        let pairs = self.collisions_before.len();
        console.line(format_args!("{}: {word}; {pairs} pairs collided", index))?;
        let mut facts = Table::default();
        if self.status != Status::AlreadyFree {
            let by = if self.measure == "volume" { "" } else { ", by area" };
            facts.row("moved", [format!("{} m (root mean square{by})", number(self.depth))]);
        }
        if let Some(FarthestAnswer { link, distance }) = &self.farthest {
            facts.row("farthest", [format!("{link}, by {} m", number(*distance))]);
        }
        let clearance = self.clearance.map_or_else(|| "none".into(), |gap| format!("{gap:.3e} m"));
        facts.row("least distance", [clearance]);
        facts.row("checked", [format!("{}, limits {}", checked(self), kept(self.limits_kept))]);
        console.line(facts)?;
        for Collision { names: [a, b], depth } in &self.told.collisions {
            let depth = depth.map_or_else(String::new, |depth| format!(", {} m deep", number(depth)));
            console.line(format_args!("  still collides: {a} and {b}{depth}"))?;
        }
        if let Some(error) = &self.error {
            console.line(format_args!("  {error}"))?;
        }
        tell_changes(self, console)
    }
}

fn checked(answer: &Answer) -> &'static str {
    if answer.verified_free { "free" } else { "NOT free" }
}

/// What moved by how much, largest part of the motion first.
fn tell_changes(answer: &Answer, console: &mut Console) -> Result<(), Failure> {
    if answer.told.changes.is_empty() {
        return Ok(());
    }
    let mut table = Table::default();
    table.row("joint", ["change", "from", "to", "moves all by [m]"].map(String::from));
    let (listed, rest) = matter(&answer.told.changes, answer.depth);
    for Change { name, moved, sigma } in listed {
        let from = answer.told.before.get(name).copied().unwrap_or_default();
        let part = number(sigma.sqrt());
        let cells = match *moved {
            Moved::Turned(by) => {
                let told = |angle: f64| format!("{}°", number(angle.to_degrees()));
                [told(by), told(from), told(from + by), part]
            }
            Moved::Slid(by) => {
                let told = |length: f64| format!("{} m", number(length));
                [told(by), told(from), told(from + by), part]
            }
            Moved::Placed { translation, angle } => {
                let by = format!("{} m, {}°", number(translation.norm()), number(angle.to_degrees()));
                [by, String::new(), String::new(), part]
            }
        };
        table.row(name, cells);
    }
    console.line(table)?;
    if rest > 0 { console.line(format_args!("  and {rest} others by less")) } else { Ok(()) }
}

fn kept(kept: bool) -> &'static str {
    if kept { "kept" } else { "NOT kept" }
}

/// Which links may collide, and why.
#[derive(Debug, Serialize)]
pub(super) struct AllowedAnswer {
    allowed_collisions: Vec<AllowedPair>,
}

#[derive(Debug, Serialize)]
struct AllowedPair {
    links: [String; 2],
    because: &'static str,
    configurations: u32,
}

impl AllowedAnswer {
    pub(super) fn new(robot: &Robot) -> Self {
        let pair = |pair: &extricate_scene::repair::AllowedLinks| {
            let (because, configurations) = match pair.because {
                AllowedBecause::Adjacent => ("adjacent", 0),
                AllowedBecause::AlwaysColliding { configurations } => ("always_colliding", configurations),
                AllowedBecause::Given => ("given", 0),
            };
            AllowedPair { links: pair.links.clone(), because, configurations }
        };
        Self { allowed_collisions: robot.allowed().iter().map(pair).collect() }
    }

    pub(super) fn tell(&self, console: &mut Console) -> Result<(), Failure> {
        let pairs = self.allowed_collisions.len();
        console.line(format_args!("{pairs} pairs of links are allowed to collide"))?;
        for AllowedPair { links: [a, b], because, configurations } in &self.allowed_collisions {
            let why = match *because {
                "always_colliding" => {
                    format!("they collide at rest and in all of {configurations} other configurations")
                }
                "given" => String::from("`--allow` says so"),
                other => other.to_owned(),
            };
            console.line(format_args!("  {a} and {b}: {why}"))?;
        }
        Ok(())
    }
}
