//! Text of repairs: facts about scenes, and tables of changes.

use std::fmt;
use std::path::PathBuf;

use super::reply::RepairStatus;
use super::table::Table;
use super::text::{number, overlap};
use crate::repair::{Change, Moved};
use extricate_dynamics::BodyPenetration;

/// Facts about a repaired scene that are part of its text only.
#[derive(Debug, Clone, Default)]
pub struct SceneReport {
    /// File of the repaired scene.
    pub written_to: Option<PathBuf>,
    /// Sum of the depths before the repair [m].
    depth_before: f64,
    /// Pairs that still overlap.
    overlaps: Vec<String>,
    /// Changes, in decreasing order.
    pub(super) changes: Vec<Change>,
}

impl SceneReport {
    pub(super) fn new([before, after]: [&[BodyPenetration]; 2], changes: Vec<Change>) -> Self {
        let depth_before = before.iter().map(|pair| pair.depth).sum();
        Self { written_to: None, depth_before, overlaps: after.iter().map(overlap).collect(), changes }
    }

    /// Writes the facts common to all repairs of scenes; `moved` are the rows between them.
    pub(super) fn facts(
        &self,
        f: &mut fmt::Formatter,
        (scene, status): (&str, RepairStatus),
        overlaps_before: usize,
        moved: &[(&str, String)],
        clearance: Option<f64>,
    ) -> fmt::Result {
        writeln!(f, "{scene}: {}", status.word())?;
        let mut facts = Table::default();
        let depths = number(self.depth_before);
        facts.row("overlaps before", [format!("{overlaps_before}, {depths} m deep in sum")]);
        facts.row("overlaps after", [self.overlaps.len().to_string()]);
        moved.iter().for_each(|(name, fact)| facts.row(name, [fact.clone()]));
        facts.row("minimum distance", [gap(clearance)]);
        if let Some(path) = &self.written_to {
            facts.row("written to", [path.display().to_string()]);
        }
        write!(f, "{facts}")?;
        self.overlaps.iter().try_for_each(|pair| write!(f, "\n  overlap: {pair}"))
    }
}

/// A lower bound of a depth [m], to follow a depth in parentheses; empty where none is known.
pub(super) fn at_least(bound: f64) -> String {
    if bound > 0.0 { format!(", at least {} m", number(bound)) } else { String::new() }
}

/// A minimum distance as text.
pub(super) fn gap(clearance: Option<f64>) -> String {
    clearance.map_or_else(|| "none".into(), |gap| format!("{gap:.3e} m"))
}

/// Fraction of the whole motion below which a change is counted but not listed, which keeps the tables of robots with many
/// joints short.
const UNLISTED: f64 = 1e-3;

/// Writes a table of the changes worth listing, which come first, and the number of the others.
pub(super) fn write_changes(
    f: &mut fmt::Formatter,
    (changes, depth): (&[Change], f64),
    heading: (&str, &[&str]),
    cells: impl Fn(&Change) -> Vec<String>,
) -> fmt::Result {
    if changes.is_empty() {
        return Ok(());
    }
    let listed = changes.iter().take_while(|change| change.sigma.sqrt() >= UNLISTED * depth).count();
    let mut table = Table::default();
    table.row(heading.0, heading.1.iter().map(ToString::to_string));
    for change in &changes[..listed] {
        table.row(&change.name, cells(change).into_iter().chain([number(change.sigma.sqrt())]));
    }
    write!(f, "\n{table}")?;
    let rest = changes.len() - listed;
    if rest > 0 { write!(f, "\n  and {rest} others by less") } else { Ok(()) }
}

/// A change as text.
pub(super) fn change_text(moved: &Moved) -> String {
    match *moved {
        Moved::Rotated(by) => format!("{}°", number(by.to_degrees())),
        Moved::Slid(by) => format!("{} m", number(by)),
        Moved::Placed { translation, angle } => {
            format!("{} m, {}°", number(translation.norm()), number(angle.to_degrees()))
        }
    }
}
