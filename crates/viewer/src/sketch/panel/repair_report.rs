//! Report of the last repair.

use kiss3d::egui::{CollapsingHeader, Grid, Ui};

use super::super::{BUDGET, SketchMode};
use super::strong;
use crate::palette;
use crate::sketch::text::{metres, three_digits};
use extricate_scene::repair::{Moved, Repaired};

/// Maximum number of listed changes, and the fraction of √σ below which a change is not listed.
const LISTED: usize = 12;
const UNLISTED: f64 = 1e-3;

impl SketchMode {
    pub(super) fn repair_report(&self, ui: &mut Ui) {
        let Some((revision, repaired)) = &self.repaired else { return };
        let title = if *revision == self.sketch.revision() { "Repair" } else { "Last repair" };
        let header = CollapsingHeader::new(title).id_salt("repair").default_open(true);
        header.show(ui, |ui| numbers(ui, repaired)).header_response.on_hover_text(
            "Red: before; green: after; σ: object norm of the change (mean squared displacement)",
        );
    }
}

fn numbers(ui: &mut Ui, Repaired { repair, collisions, time, .. }: &Repaired) {
    let checked = match (repair.verified_free, repair.limits_kept) {
        (true, true) => strong("free, limits satisfied", palette::FREE),
        (true, false) => strong("free, limits VIOLATED", palette::COLLIDING),
        (false, _) => strong("NOT free", palette::COLLIDING),
    };
    Grid::new("numbers of a repair").num_columns(2).show(ui, |ui| {
        let mut row = |what: &str, value: String| {
            ui.label(what);
            ui.label(value);
            ui.end_row();
        };
        row("σ", format!("{} m²", three_digits(repair.sigma)));
        row("√σ", metres(repair.depth));
        if let Some(farthest) = &repair.farthest {
            row("Largest displacement", format!("{}, {}", farthest.name, metres(farthest.distance)));
        }
        row("Collisions before", format!("{} pairs", collisions.len()));
        let stopped = if *time >= BUDGET { ", time budget reached" } else { "" };
        row("Time", format!("{} ms{stopped}", three_digits(time.as_secs_f64() * 1e3)));
        ui.label("Verification");
        ui.label(checked);
        ui.end_row();
    });
    let listed = repair.changes.iter().take_while(|change| change.sigma.sqrt() >= UNLISTED * repair.depth);
    let listed: Vec<_> = listed.take(LISTED).collect();
    Grid::new("changes of a repair").num_columns(3).striped(true).show(ui, |ui| {
        for head in ["Name", "Change", "Part of √σ"] {
            ui.strong(head);
        }
        ui.end_row();
        for change in &listed {
            ui.label(&change.name);
            ui.label(match change.moved {
                Moved::Rotated(by) => format!("{}°", three_digits(by.to_degrees())),
                Moved::Slid(by) => metres(by),
                Moved::Placed { translation, angle } => {
                    format!("{}, {}°", metres(translation.norm()), three_digits(angle.to_degrees()))
                }
            });
            ui.label(metres(change.sigma.sqrt()));
            ui.end_row();
        }
    });
    let rest = repair.changes.len() - listed.len();
    if rest > 0 {
        ui.label(format!("and {rest} smaller changes"));
    }
}
