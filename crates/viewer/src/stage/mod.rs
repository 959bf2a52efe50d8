//! The stage: a window or an offscreen picture, with lights, ground, bodies and marks.
//!
//! Everything is drawn in view coordinates, in which the scene has a radius of one: scenes of all sizes get the same light,
//! and single precision suffices for them.

mod bodies;
mod device;
mod eye;
mod ground;
mod labels;
mod light;
mod marks;
mod material;
mod paint;
mod similarity;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use image::{DynamicImage, RgbImage, RgbaImage};
use kiss3d::egui::Context;
use kiss3d::event::WindowEvent;
use kiss3d::post_processing::Tonemap;
use kiss3d::resource::{MaterialManager2d, Texture, TextureManager};
use kiss3d::scene::SceneNode3d;
use kiss3d::window::{CanvasSetup, NumSamples, Window};
use nalgebra::{Point3, Vector2};

use extricate_scene::record::WorldState;
pub(super) use labels::ink;
pub use light::LightPart;

use self::bodies::{Bodies, Meshes, StageResources};
use self::eye::Eye;
use self::ground::Grounds;
use self::light::Lights;
use self::marks::Marks;
use self::material::Illumination;
use self::paint::kiss_color;
use self::similarity::Similarity;
use super::{Camera, Color, ColorMap, Drawing, LensSample, Line, Models, ViewError, palette};

/// Rendering quality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quality {
    /// Whether bodies cast shadows.
    pub shadows: bool,
    /// Whether edges are anti-aliased, with four samples per pixel.
    pub smooth: bool,
}

impl Quality {
    /// No shadows and no anti-aliasing: the fastest in software rendering.
    pub const FAST: Self = Self { shadows: false, smooth: false };
}

impl Default for Quality {
    fn default() -> Self {
        Self { shadows: true, smooth: true }
    }
}

/// Eye and light of a picture, which is one of several of which the mean is taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exposure {
    /// Displacement of the eye.
    pub lens: LensSample,
    /// Part of the light.
    pub light: LightPart,
}

/// A window or an offscreen picture. One at a time per thread, which owns the data on the graphics card.
pub struct Stage {
    window: Window,
    root: SceneNode3d,
    lights: Lights,
    illumination: Illumination,
    place: Similarity,
    models: Option<Models>,
    meshes: Meshes,
    bodies: Bodies,
    grounds: Grounds,
    marks: Marks,
    colors: Arc<Texture>,
    white: Arc<Texture>,
}

impl Stage {
    /// An offscreen stage of this size \[pixels\].
    ///
    /// # Errors
    /// [`ViewError`] when no driver can draw on this machine.
    pub fn offscreen(width: u32, height: u32, quality: Quality) -> Result<Self, ViewError> {
        device::check_driver(width, height)?;
        let window = Window::new_headless_with_setup(width, height, setup(quality));
        Ok(Self::on(pollster::block_on(window), quality))
    }

    /// A stage with a window, of this size [logical pixels]. Must be called on the main thread.
    ///
    /// # Errors
    /// [`ViewError`] when there is no display, or no driver that can draw on it.
    pub fn window(title: &str, width: u32, height: u32, quality: Quality) -> Result<Self, ViewError> {
        device::check_display()?;
        device::check_driver(width, height)?;
        let window = Window::new_with_setup(title, width, height, setup(quality));
        Ok(Self::on(pollster::block_on(window), quality))
    }

    fn on(mut window: Window, quality: Quality) -> Self {
        // kiss3d would create these when the window is dropped, after its textures, and panic.
        MaterialManager2d::get_global_manager(|_| ());
        window.set_tonemap(Tonemap::None);
        window.set_shadows_enabled(quality.shadows);
        window.set_shadow_atlas_layers(1);
        let is_large = window.width() * window.height() > LARGE;
        window.set_shadow_resolution(SHADOW_RESOLUTION[usize::from(is_large)]);
        window.set_shadow_softness(SHADOW_SOFTNESS);
        window.rebind_close_key(None);
        let illumination = light::illumination(quality.shadows);
        material::register();
        let mut root = SceneNode3d::empty();
        let lights = Lights::new(&mut root);
        let marks = Marks::new(&mut root);
        let colors = TextureManager::get_global_manager(|manager| {
            manager.add_image(DynamicImage::ImageRgba8(stripe(ColorMap::default())), "extricate colours")
        });
        let white = TextureManager::get_global_manager(|manager| manager.get_default());
        Self {
            window,
            root,
            lights,
            illumination,
            place: Similarity { origin: Point3::origin(), scale: 1.0 },
            models: None,
            meshes: Meshes::default(),
            bodies: Bodies::default(),
            grounds: Grounds::default(),
            marks,
            colors,
            white,
        }
    }

    /// Replaces the scene on the stage.
    pub fn set(&mut self, models: &Models, state: &WorldState) {
        self.root = SceneNode3d::empty();
        self.lights = Lights::new(&mut self.root);
        self.marks = Marks::new(&mut self.root);
        self.place = Similarity::of(models, state);
        self.meshes = Meshes::default();
        self.bodies = Bodies::new(models, state, (&mut self.root, &mut self.meshes, &self.place));
        self.grounds = Grounds::new(models, &mut self.root, &self.place);
        self.models = Some(models.clone());
    }

    /// Draws a state of the scene on the stage, and the user interface of `ui`. Returns false when the window was closed.
    pub fn draw(
        &mut self,
        state: &WorldState,
        drawing: &Drawing,
        camera: &Camera,
        ui: impl FnOnce(&Context),
    ) -> bool {
        let exposure = Exposure { lens: LensSample::pinhole(camera), light: LightPart::Whole };
        self.draw_exposed(state, drawing, (camera, &exposure), ui)
    }

    /// Draws as [`Stage::draw`], with an eye displaced within a lens, and with a part of the light. Texts stay where they are.
    pub fn draw_exposed(
        &mut self,
        state: &WorldState,
        drawing: &Drawing,
        (camera, exposure): (&Camera, &Exposure),
        ui: impl FnOnce(&Context),
    ) -> bool {
        let points = self.scale_factor();
        let size = self.size() / f64::from(points);
        let aspect = size.x / size.y;
        let scale = self.text_scale();
        let Self { window, root, meshes, place, colors, white, .. } = self;
        let mut resources = StageResources { root, meshes, place, colors, white };
        if let Some(models) = &self.models {
            self.bodies.place(models, state, drawing, &mut resources);
            self.grounds.place(models, state, place);
        }
        self.marks.place(drawing, root, place, colors);
        // Where only the light of the sky is seen, nothing else adds to it: neither background nor lines nor transparent surfaces.
        let is_sky = matches!(exposure.light, LightPart::Sky(_));
        let background = if is_sky { BLACK } else { palette::BACKGROUND };
        window.set_background_color(kiss_color(background));
        window.set_ambient(if is_sky { 0.0 } else { light::AMBIENT });
        let line_color = |line: &Line| if is_sky { BLACK.with_alpha(line.color.alpha) } else { line.color };
        let lines = drawing.lines.iter().map(|line| Line { color: line_color(line), ..*line });
        marks::draw_lines(window, lines, place, points * scale);
        #[expect(clippy::cast_possible_truncation, reason = "a ratio of pixels")]
        self.lights.aim(camera, place, aspect as f32, exposure.light);
        let fog = light::fade(camera, place);
        window.set_fog(light::fog(fog, background));
        let whole = Illumination { fog_range: fog, ground: self.grounds.plane(), ..self.illumination };
        material::illuminate(light::part(whole, exposure.light));
        window.draw_ui(|context| {
            labels::paint(context, drawing, camera, (size, scale));
            ui(context);
        });
        let mut eye = Eye::new(camera, &exposure.lens, place, size);
        pollster::block_on(window.render_3d(root, &mut eye))
    }

    /// The last picture.
    #[must_use]
    pub fn picture(&self) -> RgbImage {
        self.window.snap_image()
    }

    /// Times of the render passes of the last picture on the device, by name; empty if the driver reports none.
    #[must_use]
    pub fn pass_times(&self) -> Vec<(&'static str, Duration)> {
        let timings = self.window.render_timings();
        timings.and_then(|timings| timings.gpu_steps.clone()).unwrap_or_default()
    }

    /// Keyboard and mouse events since the last call.
    pub fn events(&mut self) -> Vec<WindowEvent> {
        self.window.events().iter().map(|event| event.value).collect()
    }

    /// Whether panels capture the mouse, and whether they capture the keyboard.
    #[must_use]
    pub fn panels_have(&self) -> [bool; 2] {
        [self.window.is_egui_capturing_mouse(), self.window.is_egui_capturing_keyboard()]
    }

    /// Width and height \[pixels\].
    #[must_use]
    pub fn size(&self) -> Vector2<f64> {
        Vector2::new(f64::from(self.window.width()), f64::from(self.window.height()))
    }

    /// Pixels per logical pixel.
    #[must_use]
    pub fn scale_factor(&self) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "a small number")]
        let factor = self.window.scale_factor() as f32;
        if factor > 0.0 { factor } else { 1.0 }
    }

    /// Scale of texts and panels, at least 1: they grow with pictures higher than 900 logical pixels.
    #[must_use]
    pub fn text_scale(&self) -> f32 {
        /// Height up to which texts have their default size [logical pixels].
        const USUAL: f64 = 900.0;
        #[expect(clippy::cast_possible_truncation, reason = "a ratio of pixels")]
        let scale = (self.size().y / f64::from(self.scale_factor()) / USUAL) as f32;
        scale.max(1.0)
    }

    /// Side of a grid cell of the ground as text, if there is a ground.
    #[must_use]
    pub fn grid(&self) -> Option<String> {
        let has_ground = self.models.as_ref().is_some_and(|models| !models.grounds.is_empty());
        has_ground.then(|| ground::readable_length(self.grounds.cell))
    }

    /// Files dropped on the window since the last call.
    pub fn dropped_files(&mut self) -> Vec<PathBuf> {
        self.window.dropped_files()
    }

    /// Sets the window's title.
    pub fn set_title(&mut self, title: &str) {
        self.window.set_title(title);
    }

    /// Closes the window.
    pub fn close(&mut self) {
        self.window.close();
    }
}

/// No light.
const BLACK: Color = Color::new(0.0, 0.0, 0.0);
/// Side of the shadow map [pixels], usually and of large pictures: half makes the edges of shadows coarser, twice needs four
/// times the memory.
const SHADOW_RESOLUTION: [u32; 2] = [2048, 4096];
/// Number of pixels from which a picture is large.
const LARGE: u32 = 1 << 20;
/// Softness of the edges of shadows on transparent surfaces, in units of kiss3d.
const SHADOW_SOFTNESS: f32 = 1.4;

fn setup(quality: Quality) -> CanvasSetup {
    let samples = if quality.smooth { NumSamples::Four } else { NumSamples::One };
    CanvasSetup { samples, ..CanvasSetup::default() }
}

/// Colour map as a row of texels that appear in their exact colours: textures are decoded as sRGB, and pictures are encoded
/// by a power, so that the two do not cancel by themselves.
fn stripe(map: ColorMap) -> RgbaImage {
    RgbaImage::from_fn(256, 1, |x, _| {
        let linear = kiss_color(map.color(f64::from(x) / 255.0));
        let [red, green, blue] = [linear.r, linear.g, linear.b].map(encoded);
        image::Rgba(Color::new(red, green, blue).bytes())
    })
}

/// Linear light as sRGB encodes it [IEC 61966-2-1].
fn encoded(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests;
