//! Values of the selected body in the scene file, which can be edited.

use kiss3d::egui::{ComboBox, FontId, Grid, Id, Key, Label, RichText, TextEdit, TextStyle, Ui};

use super::layout::PanelLayout;
use crate::interface::{Action, BodyValues};
use extricate_scene::scene::BodyField;

/// Width of a field [logical pixels].
const WIDTH: f32 = 140.0;
/// Of three angles.
pub(super) const ABOUT_FIXED_AXES: &str = "about the fixed x, then y, then z axis";
/// Kinds of motion.
const KINDS: [&str; 3] = ["fixed", "dynamic", "kinematic"];

/// Shows the values of the body called `name`, or why they cannot be edited.
pub(super) fn show(layout: &mut PanelLayout<'_>, ui: &mut Ui, name: &str, values: &BodyValues) {
    ui.separator();
    let values = match values {
        Ok(values) => values,
        Err(reason) => {
            ui.add(Label::new(RichText::new(format!("Not editable: {reason}")).small().weak()).wrap());
            return;
        }
    };
    ui.label("In the scene file")
        .on_hover_text("Enter writes a value to the file and reloads the scene; Z undoes.");
    let grid = Grid::new("values").num_columns(2).spacing(layout.size(10.0, 2.0));
    grid.show(ui, |ui| {
        for (field, value) in values {
            ui.weak(label(*field)).on_hover_text(hint(*field));
            match field {
                BodyField::Kind => kind(layout, ui, name, value),
                _ => text(layout, ui, name, (*field, value)),
            }
            ui.end_row();
        }
    });
}

fn label(field: BodyField) -> &'static str {
    match field {
        BodyField::Kind => "Kind",
        BodyField::Position => "Position, m",
        BodyField::Rotation => "Rotation, °",
        BodyField::LinearVelocity => "Velocity, m/s",
        BodyField::AngularVelocity => "Ang. vel., rad/s",
        BodyField::Density => "Density, kg/m³",
        BodyField::Mass => "Mass, kg",
        BodyField::Friction => "Friction",
        BodyField::RollingFriction => "Rolling friction",
        BodyField::Restitution => "Restitution",
    }
}

fn hint(field: BodyField) -> String {
    let about = match field {
        BodyField::Rotation => ABOUT_FIXED_AXES,
        BodyField::Density => "replaces a mass",
        BodyField::Mass => "replaces a density",
        _ => return format!("`{}`", field.name()),
    };
    format!("`{}`: {about}", field.name())
}

fn kind(layout: &mut PanelLayout<'_>, ui: &mut Ui, name: &str, value: &str) {
    let width = WIDTH * layout.scale;
    ComboBox::from_id_salt("kind").selected_text(value).width(width).show_ui(ui, |ui| {
        for kind in KINDS {
            if ui.selectable_label(kind == value, kind).clicked() && kind != value {
                layout.actions.push(set(name, BodyField::Kind, kind));
            }
        }
    });
}

/// A field whose text is kept while it is edited, and requested when the field is left, but not with Esc.
fn text(layout: &mut PanelLayout<'_>, ui: &mut Ui, name: &str, (field, value): (BodyField, &str)) {
    let id = Id::new(("value", name, field.name()));
    let edited = ui.data(|data| data.get_temp::<String>(id));
    let mut text = edited.unwrap_or_else(|| value.to_owned());
    let font = FontId::monospace(ui.style().text_styles[&TextStyle::Monospace].size);
    let edit = TextEdit::singleline(&mut text).id(id).font(font).hint_text("–");
    let edit = ui.add(edit.desired_width(WIDTH * layout.scale));
    if edit.lost_focus() {
        ui.data_mut(|data| data.remove::<String>(id));
        let is_cancelled = ui.input(|input| input.key_pressed(Key::Escape));
        if !is_cancelled && text.trim() != value {
            layout.actions.push(set(name, field, &text));
        }
    } else if edit.has_focus() {
        ui.data_mut(|data| data.insert_temp(id, text));
    }
}

fn set(name: &str, field: BodyField, value: &str) -> Action {
    Action::SetValue { body: name.to_owned(), field, value: value.trim().to_owned() }
}
