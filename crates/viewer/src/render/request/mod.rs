//! Render requests and their execution: times, camera, and arrangement of pictures.

use std::ops::ControlFlow;

use image::RgbImage;
use nalgebra::Point3;

use super::annotations::Annotator;
use super::{Annotations, Film, Format, RenderSource, Renderer, beside};
use crate::{Camera, Lens, Models, ViewError};
use extricate_scene::record::WorldState;

/// Request to render pictures or a film.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderRequest {
    /// Output format and path.
    pub format: Format,
    /// Width and height of the whole \[pixels\].
    pub size: [u32; 2],
    /// Times of the pictures.
    pub times: Times,
    /// Position and target of the camera \[m\]; `None` for that of the first scene, or one fitted to the movable bodies.
    pub camera: Option<[Point3<f64>; 2]>,
    /// Rotation of the camera about its target \[rad\]: over the whole film, or of a single picture.
    pub orbit: f64,
    /// Lens of the camera.
    pub lens: Lens,
    /// Whether bodies occlude the light of the sky, of which each sample of the lens has another direction.
    pub occlusion: bool,
    /// Annotations of the pictures.
    pub annotations: Annotations,
}

/// Times of the pictures.
#[derive(Debug, Clone, PartialEq)]
pub enum Times {
    /// These times \[s\], side by side in one picture. They must not decrease.
    Each(Vec<f64>),
    /// A film.
    Film {
        /// Begin \[s\].
        from: f64,
        /// End \[s\]; `None` for the end of the longest source.
        to: Option<f64>,
        /// Simulated seconds per second of the film.
        speed: f64,
        /// Pictures per second of the film.
        fps: f64,
    },
}

/// Time and camera of one picture.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Frame {
    /// Its time [s].
    time: f64,
    /// Rotation of the camera about its target [rad].
    azimuth: f64,
}

/// Progress of rendering.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Number of pictures drawn.
    pub done: u64,
    /// Total number of pictures.
    pub total: u64,
    /// Simulated time \[s\].
    pub time: f64,
}

/// Maximum number of pictures of a film: a mistyped speed must not fill the disk.
const MAX_PICTURES: f64 = 1e6;

impl RenderRequest {
    /// Renders all pictures, all sources with the camera of the first one, and returns the number of pictures. `monitor` may
    /// stop it, after which only numbered pictures remain.
    ///
    /// # Errors
    /// [`ViewError`] when something cannot be drawn or written, or the request is invalid.
    pub fn execute(
        &self,
        sources: Vec<RenderSource>,
        monitor: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<usize, ViewError> {
        let frames = self.frames(&sources)?;
        if self.annotations.overlaps
            && sources.iter().any(|source| matches!(source, RenderSource::Recorded { .. }))
        {
            return Err(ViewError::NoRecordedOverlaps);
        }
        let panels = sources.len() * if self.is_film() { 1 } else { frames.len() };
        let renderers = self.renderers(sources, panels)?;
        let painters = renderers.iter().map(|_| Annotator::default()).collect();
        RenderRun { request: self, renderers, painters, frames, monitor, done: 0 }.run()
    }

    fn is_film(&self) -> bool {
        matches!(self.times, Times::Film { .. })
    }

    fn frames(&self, sources: &[RenderSource]) -> Result<Vec<Frame>, ViewError> {
        match &self.times {
            Times::Each(times) if times.is_sorted() && !times.is_empty() => {
                Ok(times.iter().map(|&time| Frame { time, azimuth: self.orbit }).collect())
            }
            Times::Each(_) => Err(ViewError::DecreasingTimes),
            &Times::Film { from, to, speed, fps } => {
                let to = to.unwrap_or_else(|| sources.iter().map(RenderSource::end).fold(0.0, f64::max));
                if !(from <= to) {
                    return Err(ViewError::EmptyInterval { from, to });
                }
                let step = speed / fps;
                // Both ends are drawn. A step that is zero or not a number gives a count that the next test rejects.
                let count = ((to - from) / step + ROUNDING).floor() + 1.0;
                if !(count <= MAX_PICTURES) {
                    return Err(ViewError::TooManyFrames { count });
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "at most a million"
                )]
                let count = count as u32;
                let frame = |picture: u32| {
                    let picture = f64::from(picture);
                    Frame { time: from + picture * step, azimuth: self.orbit * picture / f64::from(count) }
                };
                Ok((0..count).map(frame).collect())
            }
        }
    }

    fn renderers(&self, sources: Vec<RenderSource>, panels: usize) -> Result<Vec<Renderer>, ViewError> {
        let size = [self.size[0] / u32::try_from(panels.max(1)).unwrap_or(u32::MAX), self.size[1]];
        let mut renderers = Vec::<Renderer>::new();
        for source in sources {
            let given = self.camera.map(|[eye, target]| {
                let camera = source.scene().camera.as_ref();
                let field_of_view = camera.map_or(Camera::FIELD_OF_VIEW, |camera| camera.field_of_view);
                Camera::look_at(&eye, &target, field_of_view)
            });
            let camera = renderers.first().map(Renderer::camera).or(given);
            let mut renderer = Renderer::new(source, size, camera)?;
            renderer.set_lens(self.lens);
            renderer.set_occlusion(self.occlusion);
            if let Some(duration) = self.annotations.trails {
                renderer.leave_trails(duration);
            }
            renderers.push(renderer);
        }
        Ok(renderers)
    }
}

/// Tolerance of the number of pictures: rounding of the times must not drop the last one.
const ROUNDING: f64 = 1e-9;

/// Execution of a request.
struct RenderRun<'a> {
    request: &'a RenderRequest,
    renderers: Vec<Renderer>,
    /// Overlay caches of the sources.
    painters: Vec<Annotator>,
    frames: Vec<Frame>,
    monitor: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
    done: u64,
}

impl RenderRun<'_> {
    fn run(mut self) -> Result<usize, ViewError> {
        let (sources, frames) = (self.renderers.len(), self.frames.len());
        if !self.request.is_film() {
            let panels = (0..sources).flat_map(|source| (0..frames).map(move |frame| (source, frame)));
            let panels = panels.map(|(source, frame)| self.picture(source, frame));
            let whole = beside(&panels.collect::<Result<Vec<_>, _>>()?);
            self.begin(&whole)?.finish()?;
            return Ok(1);
        }
        let mut film: Option<Film> = None;
        for frame in 0..frames {
            let panels = (0..sources).map(|source| self.picture(source, frame));
            let whole = beside(&panels.collect::<Result<Vec<_>, _>>()?);
            match &mut film {
                Some(film) => film.add(&whole)?,
                None => film = Some(self.begin(&whole)?),
            }
        }
        film.map_or(Ok(()), Film::finish)?;
        Ok(frames)
    }

    /// Begins a film with its first picture.
    fn begin(&self, first: &RgbImage) -> Result<Film, ViewError> {
        let fps = match self.request.times {
            Times::Film { fps, .. } => fps,
            Times::Each(_) => 1.0,
        };
        let mut film = Film::begin(&self.request.format, [first.width(), first.height()], fps)?;
        film.add(first)?;
        Ok(film)
    }

    fn picture(&mut self, source: usize, frame: usize) -> Result<RgbImage, ViewError> {
        let total = (self.frames.len() * self.renderers.len()) as u64;
        let Frame { time, azimuth } = self.frames[frame];
        let (done, annotations, monitor) = (self.done, &self.request.annotations, &mut self.monitor);
        let painter = &mut self.painters[source];
        let mut monitor = |time: f64| monitor(Progress { done, total, time });
        let mut overlay = |source: &RenderSource, models: &Models, state: &WorldState| {
            annotations.drawing(painter, source, models, state)
        };
        let picture = self.renderers[source].picture(time, azimuth, &mut overlay, &mut monitor)?;
        self.done += 1;
        Ok(picture)
    }
}

#[cfg(test)]
mod tests;
