//! Pictures and films without a display: a scene or a recorded run, seen from a camera, as PNG, GIF or MP4.
//!
//! A [`Reel`] has what is shown, a [`Renderer`] draws it at a time, a [`Film`] takes the pictures. Several pictures stand
//! side by side in one by [`beside`].

mod film;
mod marks;
mod order;
mod reel;

use std::ops::ControlFlow;

use image::RgbImage;
use image::imageops::replace;

use extricate_core::geometry::Aabb;

use super::{Camera, Drawing, Models, Quality, Stage, ViewError};

use extricate_scene::record::WorldState;
pub use film::{Film, Format, write_png};
pub use marks::Marks;
pub use order::{Order, Progress, Times};
pub use reel::Reel;

/// What is drawn besides the bodies: told what is shown and where it is now.
pub type Overlay<'a> = dyn FnMut(&Reel, &Models, &WorldState) -> Result<Drawing, ViewError> + 'a;

/// Draws pictures of a reel.
pub struct Renderer {
    stage: Stage,
    reel: Reel,
    models: Models,
    camera: Camera,
}

impl Renderer {
    /// A renderer of pictures of this size [pixels], seen from `camera`, else from that of the scene, else so that all
    /// that moves is seen. One after another on a thread, renderers must overlap in time, or else be one:
    /// [`Renderer::show`].
    ///
    /// # Errors
    /// [`ViewError`] when there is no driver, or a shape has no surface.
    pub fn new(reel: Reel, size: [u32; 2], camera: Option<Camera>) -> Result<Self, ViewError> {
        let models = Models::of(reel.world())?;
        let stage = Stage::offscreen(size[0], size[1], Quality::default())?;
        // Any camera does until the reel is on the stage.
        let anywhere = Camera::fitted(&Aabb::EMPTY, 1.0);
        let mut renderer = Self { stage, reel, models, camera: camera.unwrap_or(anywhere) };
        renderer.place(camera);
        Ok(renderer)
    }

    /// Shows another reel from now on.
    ///
    /// # Errors
    /// [`ViewError`] when a shape has no surface.
    pub fn show(&mut self, reel: Reel, camera: Option<Camera>) -> Result<(), ViewError> {
        self.models = Models::of(reel.world())?;
        self.reel = reel;
        self.place(camera);
        Ok(())
    }

    fn place(&mut self, camera: Option<Camera>) {
        let start = WorldState::of(self.reel.world());
        self.stage.set(&self.models, &start);
        let own = || {
            let camera = self.reel.scene().camera.as_ref()?;
            Some(Camera::looking(&camera.eye, &camera.target, camera.field_of_view))
        };
        let fitted = || {
            let size = self.stage.size();
            Camera::fitted(&self.models.bounds(&start, true), size.x / size.y)
        };
        self.camera = camera.or_else(own).unwrap_or_else(fitted);
    }

    /// From where is looked.
    #[must_use]
    pub fn camera(&self) -> Camera {
        self.camera
    }

    /// What is shown.
    #[must_use]
    pub fn reel(&self) -> &Reel {
        &self.reel
    }

    /// The picture at a time [s], the camera turned about its target by an angle [rad]. A scene only runs forward: its
    /// times must not fall. `watch` is told the time of each step and may stop.
    ///
    /// # Errors
    /// [`ViewError`] when a step fails, a state cannot be read, or `watch` stops.
    pub fn picture(
        &mut self,
        time: f64,
        turn: f64,
        overlay: &mut Overlay,
        watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<RgbImage, ViewError> {
        let state = self.reel.seek(time, watch)?;
        let drawing = overlay(&self.reel, &self.models, &state)?;
        let mut camera = self.camera;
        camera.orbit(turn, 0.0);
        self.stage.draw(&state, &drawing, &camera, |_| ());
        Ok(self.stage.picture())
    }
}

/// Pictures of one height side by side.
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
