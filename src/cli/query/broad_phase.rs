//! `query broad-phase`: which of many moving boxes overlap, step by step, and what has changed.

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use nalgebra::Point3;
use serde::{Deserialize, Serialize};

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::interrupt::Interrupt;
use super::lines::{self, Answered, Reply, timed};
use super::poses;
use extricate_core::geometry::Aabb;
use extricate_core::proximity::{BoxHandle, BoxPair, BroadPhase, BroadPhaseError};

/// Arguments of `query broad-phase`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  extricate query broad-phase boxes.jsonl
  extricate query broad-phase boxes.jsonl --changes --json

A line of the file is a step: {\"boxes\": [[x,y,z, x,y,z], null, ...]}, each box by its least and its greatest corner in
metres, world frame; further keys are ignored. A box goes by its place in the line, from 0; null, or a line that
ends before, means that there is no such box in this step. Boxes that touch overlap. The time of an answer is that of the
update alone.")]
pub(in crate::cli) struct Arguments {
    /// File of boxes, one step a line.
    boxes: PathBuf,
    /// Tell all pairs of boxes that overlap.
    #[arg(long)]
    all: bool,
    /// Tell the pairs that have begun and those that have ended to overlap since the line before.
    #[arg(long)]
    changes: bool,
}

/// A line of the file.
#[derive(Debug, Deserialize)]
pub(in crate::cli) struct Step {
    boxes: Vec<Option<[f64; 6]>>,
}

/// What overlaps, by places in the line.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Overlaps {
    counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<Vec<[u32; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    begun: Option<Vec<[u32; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<Vec<[u32; 2]>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Counts {
    boxes: usize,
    pairs: usize,
    begun: usize,
    ended: usize,
}

/// The boxes of a file that come and go, by their places in the lines.
#[derive(Debug, Default)]
struct Boxes {
    broad_phase: BroadPhase,
    /// Handle of every place that has a box.
    handles: Vec<Option<BoxHandle>>,
    /// Place of every handle, now or before it was taken out.
    places: Vec<u32>,
}

pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let steps = poses::read_lines(&arguments.boxes, "boxes", parse)?;
    let mut boxes = Boxes::default();
    lines::answer(console, interrupt, &steps, |step| {
        let (moved, time) = timed(|| {
            let moved = boxes.take_over(step);
            boxes.broad_phase.update();
            moved
        });
        let answer = moved.map(|()| boxes.overlaps(arguments));
        (answer.map_err(|error| error.to_string()) as Answered<Overlaps>, time)
    })
}

pub(in crate::cli) fn parse(line: &str) -> Result<Step, String> {
    let step: Step = serde_json::from_str(line).map_err(|error| format!("not a line of boxes: {error}"))?;
    let inside_out = |corners: &Option<[f64; 6]>| {
        corners.is_some_and(|[x, y, z, to_x, to_y, to_z]| !(x <= to_x && y <= to_y && z <= to_z))
    };
    match step.boxes.iter().position(inside_out) {
        None => Ok(step),
        Some(place) => {
            Err(format!("box {place} is inside out: the least corner comes first, then the greatest one"))
        }
    }
}

impl Boxes {
    /// Moves, adds and removes boxes as the step says.
    fn take_over(&mut self, step: &Step) -> Result<(), BroadPhaseError> {
        let places = step.boxes.len().max(self.handles.len());
        self.handles.resize(places, None);
        for place in 0..places {
            let wanted = step.boxes.get(place).copied().flatten().map(corners);
            match (self.handles[place], wanted) {
                (Some(handle), Some(aabb)) => self.broad_phase.set(handle, aabb)?,
                (Some(handle), None) => {
                    self.broad_phase.remove(handle)?;
                    self.handles[place] = None;
                }
                (None, Some(aabb)) => {
                    let handle = self.broad_phase.insert(aabb)?;
                    self.handles[place] = Some(handle);
                    self.places.resize(self.places.len().max(handle.index() + 1), 0);
                    self.places[handle.index()] =
                        u32::try_from(place).expect("there are no more places than handles");
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    fn overlaps(&self, arguments: &Arguments) -> Overlaps {
        let (pairs, changes) = (self.broad_phase.pairs(), self.broad_phase.changes());
        Overlaps {
            counts: Counts {
                boxes: self.broad_phase.len(),
                pairs: pairs.len(),
                begun: changes.begun.len(),
                ended: changes.ended.len(),
            },
            pairs: arguments.all.then(|| self.by_places(pairs)),
            begun: arguments.changes.then(|| self.by_places(changes.begun)),
            ended: arguments.changes.then(|| self.by_places(changes.ended)),
        }
    }

    /// Pairs by places in the line, sorted, the lesser place first.
    fn by_places(&self, pairs: &[BoxPair]) -> Vec<[u32; 2]> {
        let place = |handle: BoxHandle| self.places[handle.index()];
        let ordered = |&[a, b]: &BoxPair| [place(a).min(place(b)), place(a).max(place(b))];
        let mut pairs: Vec<[u32; 2]> = pairs.iter().map(ordered).collect();
        pairs.sort_unstable();
        pairs
    }
}

fn corners([x, y, z, to_x, to_y, to_z]: [f64; 6]) -> Aabb {
    Aabb { min: Point3::new(x, y, z), max: Point3::new(to_x, to_y, to_z) }
}

impl Reply for Overlaps {
    fn status(&self) -> &'static str {
        "updated"
    }
}

impl fmt::Display for Overlaps {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Counts { boxes, pairs, begun, ended } = self.counts;
        write!(f, "{pairs} pairs of {boxes} boxes overlap, {begun} have begun, {ended} have ended")?;
        let lists = [("", &self.pairs), ("begun", &self.begun), ("ended", &self.ended)];
        for (what, pairs) in lists.iter().filter_map(|(what, pairs)| Some((what, pairs.as_ref()?))) {
            let separator = if what.is_empty() { "" } else { " " };
            for [a, b] in pairs {
                write!(f, "\n  {what}{separator}{a} {b}")?;
            }
        }
        Ok(())
    }
}
