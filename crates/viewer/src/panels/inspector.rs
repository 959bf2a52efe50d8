//! Inspector: quantities of the selected body.

use kiss3d::egui::{Align, Align2, Grid, Layout, Rect, Response, RichText, ScrollArea, Ui};
use nalgebra::Vector3;

use super::layout::{MARGIN, PanelLayout};
use super::values::{self, ABOUT_FIXED_AXES};
use crate::Models;
use crate::interface::{Action, PanelState, Snapshot};
use crate::overlay::text::with_unit;
use extricate_dynamics::{AnyBody, BodyKind, WorldContact};
use extricate_scene::record::SoftState;

/// Width of the panel [logical pixels].
const WIDTH: f32 = 258.0;
/// Maximum number of listed contacts, the deepest first.
const LISTED: usize = 6;
/// Maximum height of the list of joints [logical pixels].
const JOINTS: f32 = 110.0;

/// Shows the selected body, if there is one, in the upper right corner; it scrolls where it would reach the plots.
pub(super) fn show(layout: &mut PanelLayout<'_>, state: &PanelState<'_>, plots: Option<Rect>) {
    let Some(body) = state.selection else { return };
    let Some(name) = name(state.models, body) else { return };
    layout.panel("inspector", Align2::RIGHT_TOP, WIDTH, |layout, ui| {
        ui.horizontal(|ui| {
            ui.heading(name);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                layout.button(ui, "×", "Deselect (Esc)", Action::Select(None));
            });
        });
        let bottom = plots.map_or(layout.free.max.y, |plots| plots.min.y);
        // Of this panel to its frame, and of the frame to what lies below.
        let height = bottom - ui.cursor().min.y - 2.0 * MARGIN * layout.scale;
        let area = ScrollArea::vertical().id_salt("inspected").auto_shrink([false, true]);
        area.max_height(height.max(0.0)).show(ui, |ui| content(layout, ui, state, (body, name)));
    });
}

fn content(layout: &mut PanelLayout<'_>, ui: &mut Ui, state: &PanelState<'_>, (body, name): (AnyBody, &str)) {
    let grid = Grid::new("numbers").num_columns(2).spacing(layout.size(10.0, 2.0));
    grid.show(ui, |ui| match body {
        AnyBody::Rigid(index) => rigid(ui, state, index),
        AnyBody::Soft(index) => soft(ui, state.snapshot, index),
    });
    if state.snapshot.recorded.is_some_and(|recorded| !recorded.has_contacts) {
        ui.separator();
        ui.weak("Contacts: not recorded").on_hover_text("`extricate run --contacts` records them.");
    }
    contacts(layout, ui, state, body);
    if let Some(values) = state.values {
        values::show(layout, ui, name, values);
    }
    if let Some((robot, _)) = name.split_once('/') {
        joints(layout, ui, state.snapshot, robot);
    }
}

fn name(models: &Models, body: AnyBody) -> Option<&str> {
    match body {
        AnyBody::Rigid(index) => models.bodies.get(index).map(|body| body.name.as_str()),
        AnyBody::Soft(index) => models.soft.get(index).map(|body| body.name.as_str()),
    }
}

fn rigid(ui: &mut Ui, state: &PanelState<'_>, index: usize) {
    let model = &state.models.bodies[index];
    let kind = match model.kind {
        BodyKind::Fixed => "fixed",
        BodyKind::Dynamic => "dynamic",
        BodyKind::Kinematic => "kinematic",
    };
    row(ui, "Kind", kind.to_owned());
    if let Some(mass) = model.mass {
        row(ui, "Mass", with_unit(mass * 1e3, "g"));
    }
    if let Some(mesh) = &model.mesh {
        row(ui, "Triangles", mesh.triangles().len().to_string());
    }
    let Some(body) = state.snapshot.state.bodies.get(index) else { return };
    row(ui, "Position", vector(&body.position.coords, "m"));
    let (x, y, z) = body.rotation.euler_angles();
    let degrees = Vector3::new(x, y, z).map(f64::to_degrees);
    row(ui, "Rotation", format!("{} °", components(&degrees))).on_hover_text(ABOUT_FIXED_AXES);
    if model.kind != BodyKind::Fixed {
        row(ui, "Velocity", vector(&body.linear_velocity, "m/s"));
        row(ui, "Speed", with_unit(body.linear_velocity.norm(), "m/s"));
        row(ui, "Ang. velocity", vector(&body.angular_velocity, "rad/s"));
    }
}

fn soft(ui: &mut Ui, snapshot: &Snapshot, index: usize) {
    row(ui, "Kind", "soft".to_owned());
    let Some(SoftState { nodes, state: body, .. }) = snapshot.state.soft.get(index) else { return };
    row(ui, "Nodes", nodes.len().to_string());
    row(ui, "Centroid", vector(&body.centroid.coords, "m"));
    row(ui, "Velocity", vector(&body.velocity, "m/s"));
    row(ui, "Speed", with_unit(body.velocity.norm(), "m/s"));
    if let Some(change) = body.volume_change {
        row(ui, "Volume change", format!("{:+.2} %", 100.0 * change));
    }
    row(ui, "Deepest contact", with_unit(body.max_penetration, "m"));
    if body.inverted > 0 {
        row(ui, "Inverted", format!("{} elements", body.inverted));
    }
    for legend in &snapshot.drawing.legends {
        let unit = legend.title.split_once('[').and_then(|(_, unit)| unit.strip_suffix(']')).unwrap_or("");
        let title = legend.title.split(" [").next().unwrap_or_default();
        row(ui, title, legend.range.map(|end| with_unit(end, unit)).join(" … "));
    }
}

fn row(ui: &mut Ui, label: &str, value: String) -> Response {
    let label = ui.weak(label);
    ui.label(RichText::new(value).monospace());
    ui.end_row();
    label
}

/// Text of three components in one unit, that of the largest: `1.20 0.00 -0.30 mm`.
fn vector(vector: &Vector3<f64>, unit: &str) -> String {
    let max = with_unit(vector.amax(), unit);
    let Some((_, unit_of)) = max.split_once(' ') else { return max };
    let prefix = unit_of.strip_suffix(unit).unwrap_or_default();
    let factor = match prefix {
        "p" => 1e-12,
        "n" => 1e-9,
        "µ" => 1e-6,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        _ => 1.0,
    };
    format!("{} {unit_of}", components(&(vector / factor)))
}

/// Text of three numbers with three digits of the largest, but at most two after the point; without a minus sign before zero.
fn components(vector: &Vector3<f64>) -> String {
    let digits = if vector.amax() >= 99.95 { 0 } else { 2 - usize::from(vector.amax() >= 9.995) };
    let smallest = 0.5 * 10_f64.powi(-(digits as i32));
    let [x, y, z] = [vector.x, vector.y, vector.z].map(|x| if x.abs() < smallest { 0.0 } else { x });
    format!("{x:.digits$} {y:.digits$} {z:.digits$}")
}

fn contacts(layout: &mut PanelLayout<'_>, ui: &mut Ui, state: &PanelState<'_>, body: AnyBody) {
    // Speculative contacts without a force are not listed.
    let touches = |contact: &&WorldContact| contact.depth >= 0.0 || contact.force > 0.0;
    let all = state.snapshot.contacts.iter();
    let mut found: Vec<_> = all.filter(|contact| contact.bodies.contains(&body)).filter(touches).collect();
    if found.is_empty() {
        return;
    }
    found.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    ui.separator();
    let total: f64 = found.iter().map(|contact| contact.force).sum();
    let plural = if found.len() == 1 { "" } else { "s" };
    ui.label(format!("{} contact{plural}, {} in total", found.len(), with_unit(total, "N")));
    let grid = Grid::new("contacts").num_columns(3).spacing(layout.size(10.0, 1.0));
    grid.show(ui, |ui| {
        for contact in found.iter().take(LISTED) {
            let other = contact.bodies[usize::from(contact.bodies[0] == body)];
            let other_name = name(state.models, other).unwrap_or_default();
            let shown: String = other_name.chars().take(14).collect();
            if ui.link(shown).on_hover_text(other_name).clicked() {
                layout.actions.push(Action::Select(Some(other)));
            }
            ui.label(RichText::new(with_unit(contact.depth, "m")).monospace());
            ui.label(RichText::new(with_unit(contact.force, "N")).monospace());
            ui.end_row();
        }
    });
    if found.len() > LISTED {
        ui.weak(format!("and {} more", found.len() - LISTED));
    }
}

fn joints(layout: &mut PanelLayout<'_>, ui: &mut Ui, snapshot: &Snapshot, robot: &str) {
    let Some(robot) = snapshot.state.robots.iter().find(|state| state.name == robot) else { return };
    if robot.joints.is_empty() {
        return;
    }
    ui.separator();
    ui.label(format!("Joints of {}", robot.name));
    ScrollArea::vertical().max_height(JOINTS * layout.scale).auto_shrink([false, true]).show(ui, |ui| {
        let grid = Grid::new("joints").num_columns(2).spacing(layout.size(10.0, 1.0));
        grid.show(ui, |ui| {
            for (name, value) in &robot.joints {
                row(ui, name, format!("{value:+.4}"));
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_have_one_unit() {
        assert_eq!(vector(&Vector3::new(1.5e-3, -2e-9, -2.26e-4), "m"), "1.50 0.00 -0.23 mm");
        assert_eq!(vector(&Vector3::new(0.0, 1234.0, 0.0), "m/s"), "0.00 1.23 0.00 km/s");
        assert_eq!(vector(&Vector3::new(-0.1234, 1e-3, -0.09), "m"), "-123 1 -90 mm");
        assert_eq!(vector(&Vector3::new(0.04, -12.34, 9.96), "rad/s"), "0.0 -12.3 10.0 rad/s");
        assert_eq!(vector(&Vector3::zeros(), "m"), "0.00 0.00 0.00 m");
    }
}
