//! The stage: a window or a picture without one, with light, ground, bodies and marks.
//!
//! Everything is drawn in view coordinates, in which the scene has a radius of one: a watch and a crane get the same
//! light, and single precision is enough for both.

mod bodies;
mod device;
mod eye;
mod ground;
mod labels;
mod marks;

use std::sync::Arc;

use image::{DynamicImage, RgbImage, RgbaImage};
use kiss3d::egui::Context;
use kiss3d::event::WindowEvent;
use kiss3d::glamx::Vec3;
use kiss3d::light::Light;
use kiss3d::post_processing::Tonemap;
use kiss3d::resource::{Texture, TextureManager};
use kiss3d::scene::SceneNode3d;
use kiss3d::window::{CanvasSetup, NumSamples, Window};
use nalgebra::{Point3, Vector2, Vector3};

pub use device::StageError;

use self::bodies::{Bodies, Meshes, Stock};
use self::eye::Eye;
use self::ground::Grounds;
use self::marks::Marks;
use super::surface::single;
use super::{Camera, Color, ColorMap, Drawing, Frame, Models, palette};

/// How good the picture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quality {
    /// Whether things cast shadows.
    pub shadows: bool,
    /// Whether edges are smoothed, four samples a pixel.
    pub smooth: bool,
}

impl Default for Quality {
    fn default() -> Self {
        Self { shadows: true, smooth: true }
    }
}

/// World → view: subtract the origin, times the scale.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Similarity {
    origin: Point3<f64>,
    scale: f64,
}

impl Similarity {
    fn vector(&self, point: &Point3<f64>) -> Vector3<f64> {
        (point - self.origin) * self.scale
    }

    fn point(&self, point: &Point3<f64>) -> Vec3 {
        Vec3::from(single(&self.vector(point)))
    }
}

/// A window, or a picture without one.
pub struct Stage {
    window: Window,
    root: SceneNode3d,
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
    /// A stage without a window, of this size [pixels].
    ///
    /// # Errors
    /// [`StageError`] when no driver can draw on this machine.
    pub fn offscreen(width: u32, height: u32, quality: Quality) -> Result<Self, StageError> {
        device::check_driver(width, height)?;
        let window = Window::new_headless_with_setup(width, height, setup(quality));
        Ok(Self::on(pollster::block_on(window), quality))
    }

    /// A stage with a window, of this size [logical pixels]. Must be called on the main thread.
    ///
    /// # Errors
    /// [`StageError`] when there is no display, or no driver that can draw on it.
    pub fn window(title: &str, width: u32, height: u32, quality: Quality) -> Result<Self, StageError> {
        device::check_display()?;
        device::check_driver(width, height)?;
        let window = Window::new_with_setup(title, width, height, setup(quality));
        Ok(Self::on(pollster::block_on(window), quality))
    }

    fn on(mut window: Window, quality: Quality) -> Self {
        window.set_background_color(kiss_color(palette::BACKGROUND));
        window.set_ambient(AMBIENT);
        window.set_tonemap(Tonemap::None);
        window.set_shadows_enabled(quality.shadows);
        window.set_shadow_resolution(SHADOW_RESOLUTION);
        window.set_shadow_softness(SHADOW_SOFTNESS);
        window.rebind_close_key(None);
        let mut root = SceneNode3d::empty();
        lights(&mut root);
        let marks = Marks::new(&mut root);
        let colors = TextureManager::get_global_manager(|manager| {
            manager.add_image(DynamicImage::ImageRgba8(stripe(ColorMap::default())), "extricate colours")
        });
        let white = TextureManager::get_global_manager(|manager| manager.get_default());
        Self {
            window,
            root,
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

    /// Puts a scene on the stage, in place of the one that is there.
    pub fn set(&mut self, models: &Models, frame: &Frame) {
        self.root = SceneNode3d::empty();
        lights(&mut self.root);
        self.marks = Marks::new(&mut self.root);
        let bounds = models.bounds(frame, false);
        let radius = 0.5 * bounds.extents().norm();
        self.place = if radius > 0.0 && radius.is_finite() {
            Similarity { origin: bounds.center(), scale: radius.recip() }
        } else {
            Similarity { origin: Point3::origin(), scale: 1.0 }
        };
        self.meshes = Meshes::default();
        self.bodies = Bodies::new(models, frame, (&mut self.root, &mut self.meshes, &self.place));
        self.grounds = Grounds::new(models, &mut self.root, &self.place);
        self.models = Some(models.clone());
    }

    /// Draws a frame of the scene that is on the stage, with what `ui` adds. False when the window was closed.
    pub fn draw(
        &mut self,
        frame: &Frame,
        drawing: &Drawing,
        camera: &Camera,
        ui: impl FnOnce(&Context),
    ) -> bool {
        let Self { root, meshes, place, colors, white, .. } = self;
        let mut stock = Stock { root, meshes, place, colors, white };
        let mut lines = Vec::new();
        if let Some(models) = &self.models {
            self.bodies.place(models, frame, drawing, &mut stock);
            lines = self.grounds.place(models, frame, place);
        }
        self.marks.place(drawing, root, place, colors);
        lines.extend_from_slice(&drawing.lines);
        let points = self.scale_factor();
        marks::draw_lines(&mut self.window, &lines, &self.place, points);
        let size = self.size() / f64::from(points);
        self.window.draw_ui(|context| {
            labels::paint(context, drawing, camera, size);
            ui(context);
        });
        let mut eye = Eye::new(camera, &self.place, size.x / size.y);
        pollster::block_on(self.window.render_3d(&mut self.root, &mut eye))
    }

    /// The picture drawn last.
    #[must_use]
    pub fn picture(&self) -> RgbImage {
        self.window.snap_image()
    }

    /// What was done with keyboard and mouse since the last call.
    pub fn events(&mut self) -> Vec<WindowEvent> {
        self.window.events().iter().map(|event| event.value).collect()
    }

    /// Whether the mouse is over a panel, and whether keys go to one.
    #[must_use]
    pub fn panels_have(&self) -> [bool; 2] {
        [self.window.is_egui_capturing_mouse(), self.window.is_egui_capturing_keyboard()]
    }

    /// Width and height [pixels].
    #[must_use]
    pub fn size(&self) -> Vector2<f64> {
        Vector2::new(f64::from(self.window.width()), f64::from(self.window.height()))
    }

    /// Pixels in a logical pixel.
    #[must_use]
    pub fn scale_factor(&self) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "a small number")]
        let factor = self.window.scale_factor() as f32;
        if factor > 0.0 { factor } else { 1.0 }
    }

    /// Side of a cell of the ground's grid as it is read, if there is a ground.
    #[must_use]
    pub fn grid(&self) -> Option<String> {
        let has_ground = self.models.as_ref().is_some_and(|models| !models.grounds.is_empty());
        has_ground.then(|| ground::told(self.grounds.cell))
    }

    /// Says in the window's title what is shown.
    pub fn set_title(&mut self, title: &str) {
        self.window.set_title(title);
    }

    /// Closes the window.
    pub fn close(&mut self) {
        self.window.close();
    }
}

/// Light from everywhere.
const AMBIENT: f32 = 0.35;
/// Side of the shadow map [pixels].
const SHADOW_RESOLUTION: u32 = 2048;
/// Blur of the edges of shadows.
const SHADOW_SOFTNESS: f32 = 2.0;

fn setup(quality: Quality) -> CanvasSetup {
    let samples = if quality.smooth { NumSamples::Four } else { NumSamples::One };
    CanvasSetup { samples, ..CanvasSetup::default() }
}

/// A sun over the left shoulder that casts shadows, and a faint light from the other side.
fn lights(root: &mut SceneNode3d) {
    let sun = Light::directional(Vec3::new(-0.45, 0.5, -1.0).normalize()).with_intensity(2.2);
    root.add_light(sun);
    let fill = Light::directional(Vec3::new(0.7, 0.4, -0.3).normalize());
    root.add_light(fill.with_intensity(0.5).with_casts_shadows(false));
}

/// The colours of a map in a row.
fn stripe(map: ColorMap) -> RgbaImage {
    RgbaImage::from_fn(256, 1, |x, _| image::Rgba(map.color(f64::from(x) / 255.0).bytes()))
}

fn kiss_color(color: Color) -> kiss3d::color::Color {
    kiss3d::color::Color::new(color.red, color.green, color.blue, color.alpha)
}

/// Gives a node a colour; what is seen through casts no shadow.
fn paint(node: &mut SceneNode3d, color: Color) {
    node.set_color(kiss_color(color));
    node.set_roughness(0.75);
}
