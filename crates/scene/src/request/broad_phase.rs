//! Overlapping pairs of many moving boxes, step by step, and their changes.

use std::fmt;
use std::time::Duration;

use nalgebra::Point3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply::{Answered, Reply, timed};
use extricate_core::geometry::Aabb;
use extricate_core::proximity::ProximityError;
use extricate_core::proximity::{BoxHandle, BoxPair, BroadPhase};

/// Request for the overlapping pairs among many moving boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct BroadPhaseRequest {
    /// Report all overlapping pairs of boxes.
    #[cfg_attr(feature = "clap", arg(long))]
    pub all: bool,
    /// Report the pairs that have begun and those that have ceased to overlap since the previous line.
    #[cfg_attr(feature = "clap", arg(long))]
    pub changes: bool,
}

/// The boxes of a step.
#[derive(Debug, Deserialize)]
pub struct Step {
    boxes: Vec<Option<[f64; 6]>>,
}

/// Overlapping pairs of boxes, by indices in the line.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["updated"]))]
pub struct BoxOverlaps {
    /// Numbers of boxes and pairs.
    pub counts: BoxCounts,
    /// The pairs by their indices in the line, 0-based; with `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Vec<[u32; 2]>>,
    /// Pairs that have begun to overlap; with `changes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begun: Option<Vec<[u32; 2]>>,
    /// Pairs that have ceased to overlap; with `changes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Vec<[u32; 2]>>,
}

/// Numbers of boxes and pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BoxCounts {
    /// Boxes in this step.
    pub boxes: usize,
    /// Overlapping pairs, touching ones included.
    pub pairs: usize,
    /// Pairs that did not overlap in the previous step.
    pub begun: usize,
    /// Pairs that overlapped in the previous step but not in this one.
    pub ended: usize,
}

/// The boxes of a file, which appear and disappear, by their indices in the lines.
#[derive(Debug, Default)]
pub struct MovingBoxes {
    broad_phase: BroadPhase,
    /// Handle of every index that has a box.
    handles: Vec<Option<BoxHandle>>,
    /// Index of every handle, at present or before its removal.
    places: Vec<u32>,
}

/// Parses the boxes of a line.
///
/// # Errors
/// A message that describes the error.
pub fn parse(line: &str) -> Result<Step, String> {
    let step: Step = serde_json::from_str(line).map_err(|error| format!("invalid line of boxes: {error}"))?;
    let inside_out = |corners: &Option<[f64; 6]>| {
        corners.is_some_and(|[x, y, z, to_x, to_y, to_z]| !(x <= to_x && y <= to_y && z <= to_z))
    };
    match step.boxes.iter().position(inside_out) {
        None => Ok(step),
        Some(place) => {
            Err(format!("box {place} is inside out: write the minimum corner first, then the maximum corner"))
        }
    }
}

impl MovingBoxes {
    /// Advances by a step and returns the overlapping boxes; the time is that of the update alone.
    pub fn answer(&mut self, step: &Step, request: BroadPhaseRequest) -> (Answered<BoxOverlaps>, Duration) {
        let (moved, time) = timed(|| {
            let moved = self.apply(step);
            self.broad_phase.update();
            moved
        });
        (moved.map(|()| self.overlaps(request)).map_err(|error| error.to_string()), time)
    }

    /// Moves, adds and removes boxes according to the step.
    fn apply(&mut self, step: &Step) -> Result<(), ProximityError> {
        let places = step.boxes.len().max(self.handles.len());
        self.handles.resize(places, None);
        for place in 0..places {
            let target = step.boxes.get(place).copied().flatten().map(corners);
            match (self.handles[place], target) {
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

    fn overlaps(&self, request: BroadPhaseRequest) -> BoxOverlaps {
        let (pairs, changes) = (self.broad_phase.pairs(), self.broad_phase.changes());
        BoxOverlaps {
            counts: BoxCounts {
                boxes: self.broad_phase.len(),
                pairs: pairs.len(),
                begun: changes.begun.len(),
                ended: changes.ended.len(),
            },
            pairs: request.all.then(|| self.by_places(pairs)),
            begun: request.changes.then(|| self.by_places(changes.begun)),
            ended: request.changes.then(|| self.by_places(changes.ended)),
        }
    }

    /// Pairs by indices in the line, sorted, the lower index first.
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

impl Reply for BoxOverlaps {
    fn status(&self) -> &'static str {
        "updated"
    }
}

impl fmt::Display for BoxOverlaps {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let BoxCounts { boxes, pairs, begun, ended } = self.counts;
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
