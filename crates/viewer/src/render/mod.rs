//! Offscreen rendering of scenes and recorded runs as PNG, GIF or MP4.
//!
//! A [`RenderSource`] provides the states, a [`Renderer`] draws them, and a [`Film`] writes the pictures. [`beside`] puts
//! several pictures side by side.

mod annotations;
mod film;
mod request;
mod source;

use std::ops::ControlFlow;

use image::RgbImage;
use image::imageops::replace;

use extricate_core::geometry::Aabb;

use super::{Camera, Drawing, Models, Quality, Stage, ViewError};

pub use annotations::Annotations;
use extricate_scene::record::WorldState;
pub use film::{Film, Format, write_png};
pub use request::{Progress, RenderRequest, Times};
pub use source::RenderSource;

/// Function that makes the drawing besides the bodies, from the source, its models and the current state.
pub type Overlay<'a> = dyn FnMut(&RenderSource, &Models, &WorldState) -> Result<Drawing, ViewError> + 'a;

/// Draws pictures of a source.
pub struct Renderer {
    stage: Stage,
    source: RenderSource,
    models: Models,
    camera: Camera,
}

impl Renderer {
    /// A renderer of pictures of this size \[pixels\], with `camera`, else with that of the scene, else with one fitted to the
    /// movable bodies. Successive renderers on one thread must overlap in lifetime, or be one: [`Renderer::show`].
    ///
    /// # Errors
    /// [`ViewError`] when there is no driver, or a shape has no surface.
    pub fn new(source: RenderSource, size: [u32; 2], camera: Option<Camera>) -> Result<Self, ViewError> {
        let models = Models::of(source.world())?;
        let stage = Stage::offscreen(size[0], size[1], Quality::default())?;
        // Any camera will do until the source is on the stage.
        let anywhere = Camera::fitted(&Aabb::EMPTY, 1.0);
        let mut renderer = Self { stage, source, models, camera: camera.unwrap_or(anywhere) };
        renderer.place(camera);
        Ok(renderer)
    }

    /// Replaces the source.
    ///
    /// # Errors
    /// [`ViewError`] when a shape has no surface.
    pub fn show(&mut self, source: RenderSource, camera: Option<Camera>) -> Result<(), ViewError> {
        self.models = Models::of(source.world())?;
        self.source = source;
        self.place(camera);
        Ok(())
    }

    fn place(&mut self, camera: Option<Camera>) {
        let start = WorldState::of(self.source.world());
        self.stage.set(&self.models, &start);
        let own = || {
            let camera = self.source.scene().camera.as_ref()?;
            Some(Camera::look_at(&camera.eye, &camera.target, camera.field_of_view))
        };
        let fitted = || {
            let size = self.stage.size();
            Camera::fitted(&self.models.bounds(&start, true), size.x / size.y)
        };
        self.camera = camera.or_else(own).unwrap_or_else(fitted);
    }

    /// The camera.
    #[must_use]
    pub fn camera(&self) -> Camera {
        self.camera
    }

    /// The source.
    #[must_use]
    pub fn source(&self) -> &RenderSource {
        &self.source
    }

    /// Picture at a time \[s\], the camera rotated about its target by `azimuth` \[rad\]. A scene only runs forward: its times
    /// must not decrease. `monitor` is called with the time of each step and may stop the run.
    ///
    /// # Errors
    /// [`ViewError`] when a step fails, a state cannot be read, or `monitor` stops.
    pub fn picture(
        &mut self,
        time: f64,
        azimuth: f64,
        overlay: &mut Overlay,
        monitor: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<RgbImage, ViewError> {
        let state = self.source.seek(time, monitor)?;
        let drawing = overlay(&self.source, &self.models, &state)?;
        let mut camera = self.camera;
        camera.orbit(azimuth, 0.0);
        self.stage.draw(&state, &drawing, &camera, |_| ());
        Ok(self.stage.picture())
    }
}

/// Pictures of equal height side by side.
#[must_use]
pub fn beside(pictures: &[RgbImage]) -> RgbImage {
    let width = pictures.iter().map(RgbImage::width).sum();
    let height = pictures.iter().map(RgbImage::height).max().unwrap_or(0);
    let (mut whole, mut at) = (RgbImage::new(width, height), 0);
    for picture in pictures {
        replace(&mut whole, picture, i64::from(at), 0);
        at += picture.width();
    }
    whole
}
