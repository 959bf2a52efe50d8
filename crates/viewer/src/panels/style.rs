//! Style of the panels.

use kiss3d::egui::{
    Context, CornerRadius, FontDefinitions, FontFamily, FontId, Shadow, Spacing, Stroke, Style, TextStyle,
    Theme, Vec2, Visuals,
};

use crate::stage::ink;
use crate::{Color, palette};

/// Height of text, of small text and of headings [logical pixels].
const TEXT: [f32; 3] = [13.5, 11.5, 15.0];
/// Opacity of panels.
const OPACITY: f32 = 0.93;
/// Background of widgets, at rest and under the pointer.
const WIDGET: [Color; 2] = [Color::new(0.875, 0.890, 0.905), Color::new(0.80, 0.83, 0.86)];

/// Sets the viewer's style, all lengths times `scale`.
pub(super) fn set(context: &Context, scale: f32) {
    context.set_theme(Theme::Light);
    context.set_fonts(fonts(context));
    context.set_global_style(style(scale));
}

/// The default fonts, with a truly monospaced family for text in columns.
fn fonts(context: &Context) -> FontDefinitions {
    let mut fonts = context.fonts(|fonts| fonts.definitions().clone());
    if let Some(family) = fonts.families.get_mut(&FontFamily::Monospace) {
        family.retain(|name| name != "WorkSans");
    }
    fonts
}

fn style(scale: f32) -> Style {
    let mut style = Style { spacing: spacing(scale), visuals: visuals(scale), ..Style::default() };
    let [text, small, heading] = TEXT.map(|height| height * scale);
    style.text_styles = [
        (TextStyle::Small, FontId::new(small, FontFamily::Proportional)),
        (TextStyle::Body, FontId::new(text, FontFamily::Proportional)),
        (TextStyle::Button, FontId::new(text, FontFamily::Proportional)),
        (TextStyle::Heading, FontId::new(heading, FontFamily::Proportional)),
        (TextStyle::Monospace, FontId::new(small, FontFamily::Monospace)),
    ]
    .into();
    style.interaction.selectable_labels = false;
    style.animation_time = 0.0;
    style
}

fn spacing(scale: f32) -> Spacing {
    let usual = Spacing::default();
    let mut spacing = Spacing {
        item_spacing: Vec2::new(7.0, 4.0) * scale,
        button_padding: Vec2::new(6.0, 2.0) * scale,
        indent: usual.indent * scale,
        interact_size: usual.interact_size * scale,
        slider_width: usual.slider_width * scale,
        slider_rail_height: 6.0 * scale,
        combo_width: usual.combo_width * scale,
        text_edit_width: usual.text_edit_width * scale,
        icon_width: usual.icon_width * scale,
        icon_width_inner: usual.icon_width_inner * scale,
        icon_spacing: usual.icon_spacing * scale,
        tooltip_width: usual.tooltip_width * scale,
        menu_width: usual.menu_width * scale,
        combo_height: usual.combo_height * scale,
        ..usual
    };
    spacing.scroll.bar_width *= scale;
    spacing
}

fn visuals(scale: f32) -> Visuals {
    let mut visuals = Visuals::light();
    let paper = Color::new(0.975, 0.98, 0.985);
    let ground = ink(paper.with_alpha(OPACITY));
    let text = ink(palette::INK);
    visuals.panel_fill = ground;
    visuals.window_fill = ink(paper.with_alpha(0.98));
    let edge = Stroke::new(scale, ink(palette::INK.with_alpha(0.16)));
    visuals.window_stroke = edge;
    visuals.window_shadow = Shadow::NONE;
    visuals.popup_shadow = Shadow::NONE;
    visuals.override_text_color = None;
    visuals.selection.bg_fill = ink(palette::SKY.with_alpha(0.55));
    visuals.selection.stroke = Stroke::new(scale, text);
    visuals.slider_trailing_fill = true;
    visuals.hyperlink_color = ink(palette::BLUE);
    visuals.warn_fg_color = ink(palette::VERMILION);
    visuals.error_fg_color = ink(palette::VERMILION);
    let [rest, under] = WIDGET.map(ink);
    let widgets = &mut visuals.widgets;
    for (widget, fill) in [
        (&mut widgets.noninteractive, ground),
        (&mut widgets.inactive, rest),
        (&mut widgets.hovered, under),
        (&mut widgets.active, under),
        (&mut widgets.open, under),
    ] {
        widget.bg_fill = fill;
        widget.weak_bg_fill = fill;
        widget.fg_stroke = Stroke::new(1.2 * scale, text);
        widget.bg_stroke = Stroke::NONE;
        widget.corner_radius = CornerRadius::from(3.0 * scale);
        widget.expansion = 0.0;
    }
    visuals.widgets.noninteractive.bg_stroke = edge;
    visuals
}
