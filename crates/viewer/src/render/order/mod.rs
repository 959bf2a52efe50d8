//! What is to be made, and making it: which times are drawn, from where, and what stands beside what.

use std::ops::ControlFlow;

use image::RgbImage;
use nalgebra::Point3;

use super::{Film, Format, Marks, Reel, Renderer, beside};
use crate::overlay::Insight;
use crate::{Camera, Models, ViewError};
use extricate_scene::record::WorldState;

/// What is to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// What of.
    pub format: Format,
    /// Width and height of the whole [pixels].
    pub size: [u32; 2],
    /// What times are drawn.
    pub times: Times,
    /// Where the camera is and what it looks at [m]; else that of the first scene, else so that all that moves is seen.
    pub camera: Option<[Point3<f64>; 2]>,
    /// How far the camera is turned about its target [rad], over a film or at once.
    pub orbit: f64,
    /// What is drawn besides the bodies.
    pub marks: Marks,
}

/// What times are drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Times {
    /// These [s], side by side in one picture. They must not fall.
    Each(Vec<f64>),
    /// A film.
    Film {
        /// Where it begins [s].
        from: f64,
        /// Where it ends [s]; else where what is shown does.
        to: Option<f64>,
        /// Simulated seconds in a second of the film.
        speed: f64,
        /// Pictures in a second of the film.
        fps: f64,
    },
}

/// A picture of a film.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Take {
    /// Its time [s].
    time: f64,
    /// How far the camera is turned [rad].
    turn: f64,
}

/// How far the making is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Pictures that are drawn.
    pub done: u64,
    /// Pictures in all.
    pub total: u64,
    /// Simulated time [s].
    pub time: f64,
}

/// Most pictures of a film: a slip of the pen in its speed ends here and not on the disk.
const MOST_PICTURES: f64 = 1e6;

impl Order {
    /// Draws everything. All reels are seen from where the first one is. `watch` may stop it, and then only numbered
    /// pictures stay. Returns the number of pictures.
    ///
    /// # Errors
    /// [`ViewError`] when something cannot be drawn or written, or the order makes no sense.
    pub fn carry_out(
        &self,
        reels: Vec<Reel>,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<usize, ViewError> {
        let takes = self.takes(&reels)?;
        if self.marks.overlaps && reels.iter().any(|reel| matches!(reel, Reel::Recorded { .. })) {
            return Err(ViewError::NotOfRuns);
        }
        let panels = reels.len() * if self.is_film() { 1 } else { takes.len() };
        let renderers = self.renderers(reels, panels)?;
        let insights = renderers.iter().map(|_| Insight::default()).collect();
        Shoot { order: self, renderers, insights, takes, watch, done: 0 }.run()
    }

    fn is_film(&self) -> bool {
        matches!(self.times, Times::Film { .. })
    }

    fn takes(&self, reels: &[Reel]) -> Result<Vec<Take>, ViewError> {
        match &self.times {
            Times::Each(times) if times.is_sorted() && !times.is_empty() => {
                Ok(times.iter().map(|&time| Take { time, turn: self.orbit }).collect())
            }
            Times::Each(_) => Err(ViewError::TimesFall),
            &Times::Film { from, to, speed, fps } => {
                let to = to.unwrap_or_else(|| reels.iter().map(Reel::end).fold(0.0, f64::max));
                if !(from <= to) {
                    return Err(ViewError::NoTime { from, to });
                }
                let step = speed / fps;
                let count = ((to - from) / step + ROUNDING).floor() + 1.0;
                if !(count <= MOST_PICTURES) {
                    return Err(ViewError::TooMany { count });
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "at most a million"
                )]
                let count = count as u32;
                let take = |picture: u32| {
                    let picture = f64::from(picture);
                    Take { time: from + picture * step, turn: self.orbit * picture / f64::from(count) }
                };
                Ok((0..count).map(take).collect())
            }
        }
    }

    fn renderers(&self, reels: Vec<Reel>, panels: usize) -> Result<Vec<Renderer>, ViewError> {
        let size = [self.size[0] / u32::try_from(panels.max(1)).unwrap_or(u32::MAX), self.size[1]];
        let mut renderers = Vec::<Renderer>::new();
        for reel in reels {
            let given = self.camera.map(|[eye, target]| {
                let camera = reel.scene().camera.as_ref();
                let field_of_view = camera.map_or(Camera::FIELD_OF_VIEW, |camera| camera.field_of_view);
                Camera::looking(&eye, &target, field_of_view)
            });
            let camera = renderers.first().map(Renderer::camera).or(given);
            renderers.push(Renderer::new(reel, size, camera)?);
        }
        Ok(renderers)
    }
}

/// Part of a picture by which the end of a film may be missed and is still drawn.
const ROUNDING: f64 = 1e-9;

/// An order that is carried out.
struct Shoot<'a> {
    order: &'a Order,
    renderers: Vec<Renderer>,
    /// What is known of each reel.
    insights: Vec<Insight>,
    takes: Vec<Take>,
    watch: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
    done: u64,
}

impl Shoot<'_> {
    fn run(mut self) -> Result<usize, ViewError> {
        let (sources, takes) = (self.renderers.len(), self.takes.len());
        if !self.order.is_film() {
            let panels = (0..sources).flat_map(|source| (0..takes).map(move |take| (source, take)));
            let panels = panels.map(|(source, take)| self.picture(source, take));
            let whole = beside(&panels.collect::<Result<Vec<_>, _>>()?);
            self.begin(&whole)?.finish()?;
            return Ok(1);
        }
        let mut film: Option<Film> = None;
        for take in 0..takes {
            let panels = (0..sources).map(|source| self.picture(source, take));
            let whole = beside(&panels.collect::<Result<Vec<_>, _>>()?);
            match &mut film {
                Some(film) => film.add(&whole)?,
                None => film = Some(self.begin(&whole)?),
            }
        }
        film.map_or(Ok(()), Film::finish)?;
        Ok(takes)
    }

    /// A film with its first picture.
    fn begin(&self, first: &RgbImage) -> Result<Film, ViewError> {
        let fps = match self.order.times {
            Times::Film { fps, .. } => fps,
            Times::Each(_) => 1.0,
        };
        let mut film = Film::begin(&self.order.format, [first.width(), first.height()], fps)?;
        film.add(first)?;
        Ok(film)
    }

    fn picture(&mut self, source: usize, take: usize) -> Result<RgbImage, ViewError> {
        let total = (self.takes.len() * self.renderers.len()) as u64;
        let Take { time, turn } = self.takes[take];
        let (done, marks, watch) = (self.done, &self.order.marks, &mut self.watch);
        let insight = &mut self.insights[source];
        let mut watch = |time: f64| watch(Progress { done, total, time });
        let mut overlay =
            |reel: &Reel, models: &Models, state: &WorldState| marks.drawing(insight, reel, models, state);
        let picture = self.renderers[source].picture(time, turn, &mut overlay, &mut watch)?;
        self.done += 1;
        Ok(picture)
    }
}

#[cfg(test)]
mod tests;
