//! Offscreen rendering of scenes and recorded runs as PNG, GIF or MP4.
//!
//! A [`RenderSource`] provides the states, a [`Renderer`] draws them, and a [`Film`] writes the pictures. [`beside`] puts
//! several pictures side by side.

mod annotations;
mod average;
mod film;
mod request;
mod sky;
mod source;
mod trails;

use std::ops::ControlFlow;

use image::RgbImage;
use image::imageops::replace;

use extricate_core::geometry::Aabb;

use super::{Camera, Drawing, Exposure, Lens, LensSample, LightPart, Models, Quality, Stage, ViewError};

pub use annotations::Annotations;
use average::Average;
use extricate_scene::record::WorldState;
pub use film::{Film, Format, write_png};
pub use request::{Progress, RenderRequest, Times};
pub use source::RenderSource;
use trails::Trails;

/// Function that makes the drawing besides the bodies, from the source, its models and the current state.
pub type Overlay<'a> = dyn FnMut(&RenderSource, &Models, &WorldState) -> Result<Drawing, ViewError> + 'a;

/// Draws pictures of a source.
pub struct Renderer {
    stage: Stage,
    source: RenderSource,
    models: Models,
    camera: Camera,
    lens: Lens,
    occlusion: bool,
    trails: Option<Trails>,
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
        let mut renderer = Self {
            stage,
            source,
            models,
            camera: camera.unwrap_or(anywhere),
            lens: Lens::default(),
            occlusion: false,
            trails: None,
        };
        renderer.place(camera);
        Ok(renderer)
    }

    /// Replaces the source, without trails.
    ///
    /// # Errors
    /// [`ViewError`] when a shape has no surface.
    pub fn show(&mut self, source: RenderSource, camera: Option<Camera>) -> Result<(), ViewError> {
        self.models = Models::of(source.world())?;
        self.source = source;
        self.trails = None;
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

    /// Sets whether bodies occlude the light of the sky: its directions are those of the samples of the lens, of which there should
    /// be many.
    pub fn set_occlusion(&mut self, occlusion: bool) {
        self.occlusion = occlusion;
    }

    /// Draws trails of the bodies of the source over their last `duration` \[s\], from the next picture on.
    pub fn leave_trails(&mut self, duration: f64) {
        self.trails = Some(Trails::new(duration, self.source.world()));
    }

    /// Replaces the lens of the camera, a pinhole by default.
    pub fn set_lens(&mut self, lens: Lens) {
        self.lens = lens;
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
    /// must not decrease. `monitor` is called with the time of each step and each sample of the lens, and may stop.
    ///
    /// # Errors
    /// [`ViewError`] when a step fails, a state cannot be read, the focus is not in front of the camera, or `monitor` stops.
    pub fn picture(
        &mut self,
        time: f64,
        azimuth: f64,
        overlay: &mut Overlay,
        monitor: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<RgbImage, ViewError> {
        let state = self.source.seek(time, self.trails.as_mut(), monitor)?;
        let mut drawing = overlay(&self.source, &self.models, &state)?;
        if let Some(trails) = &self.trails {
            drawing.extend(trails.drawing(&self.models, &state));
        }
        let mut camera = self.camera;
        camera.orbit(azimuth, 0.0);
        let samples = self.lens.sampled(&camera).ok_or(ViewError::FocusBehind)?;
        if let ([lens], false) = (&samples[..], self.occlusion) {
            return Ok(self.exposed(
                &state,
                &drawing,
                &camera,
                Exposure { lens: *lens, light: LightPart::Whole },
            ));
        }
        let mut shot = Shot { state, drawing, camera, samples, monitor };
        if !self.occlusion {
            return Ok(self.average(&mut shot, |_| LightPart::Whole)?.picture());
        }
        let count = shot.samples.len();
        let texts = shot.drawing.take_texts();
        let without_sky = self.average(&mut shot, |_| LightPart::WithoutSky)?;
        let sky = self.average(&mut shot, |index| LightPart::Sky(sky::direction(index, count)))?;
        let mut picture = without_sky.plus(&sky).picture();
        if let Some(texts) = texts {
            self.write_texts(&mut picture, shot, texts);
        }
        Ok(picture)
    }

    /// One picture.
    fn exposed(
        &mut self,
        state: &WorldState,
        drawing: &Drawing,
        camera: &Camera,
        exposure: Exposure,
    ) -> RgbImage {
        self.stage.draw_exposed(state, drawing, (camera, &exposure), |_| ());
        self.stage.picture()
    }

    /// Mean of pictures through all points of the lens.
    fn average(&mut self, shot: &mut Shot, light: impl Fn(usize) -> LightPart) -> Result<Average, ViewError> {
        let mut average: Option<Average> = None;
        for (index, &lens) in shot.samples.iter().enumerate() {
            let exposure = Exposure { lens, light: light(index) };
            let picture = self.exposed(&shot.state, &shot.drawing, &shot.camera, exposure);
            average.get_or_insert_with(|| Average::new(&picture)).add(&picture);
            if (shot.monitor)(shot.state.time).is_break() {
                return Err(ViewError::Stopped { time: shot.state.time });
            }
        }
        average.ok_or(ViewError::FocusBehind)
    }

    /// Writes texts on a picture: the pixels that they change are those of a picture with them, without occlusion.
    fn write_texts(&mut self, picture: &mut RgbImage, shot: Shot, texts: Drawing) {
        let Shot { state, mut drawing, camera, .. } = shot;
        let exposure = Exposure { lens: LensSample::pinhole(&camera), light: LightPart::Whole };
        let without = self.exposed(&state, &drawing, &camera, exposure);
        drawing.extend(texts);
        let with = self.exposed(&state, &drawing, &camera, exposure);
        for ((pixel, with), without) in picture.pixels_mut().zip(with.pixels()).zip(without.pixels()) {
            if with != without {
                *pixel = *with;
            }
        }
    }
}

/// State, drawing and camera of a picture that is the mean of several.
struct Shot<'a> {
    state: WorldState,
    drawing: Drawing,
    camera: Camera,
    samples: Vec<LensSample>,
    monitor: &'a mut dyn FnMut(f64) -> ControlFlow<()>,
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
