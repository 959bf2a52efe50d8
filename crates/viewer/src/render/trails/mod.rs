//! Motion trails: paths of the bodies' centres over the last seconds, as lines that fade.

use std::collections::VecDeque;

use nalgebra::{Isometry3, Point3};

use crate::color::Color;
use crate::drawing::{Drawing, Line};
use crate::models::Models;
use extricate_dynamics::{BodyDescription, BodyKind, Mass, World};
use extricate_scene::record::WorldState;

/// Maximum number of lines of a trail: corners of a path closer than this fraction of its time are cut.
const MAX_LINES: u32 = 120;
/// Width of a trail [logical pixels].
const WIDTH: f32 = 2.0;

/// Trails of the movable bodies, the links of robots among them, and of the soft bodies of a world.
pub(super) struct Trails {
    /// Length of the trails [s].
    duration: f64,
    /// Centre of mass of each rigid body [m, body frame]; `None` if it is fixed.
    centers: Vec<Option<Point3<f64>>>,
    /// Samples in the order of their times; the first may be older than the trails, which begin between two samples.
    samples: VecDeque<Sample>,
}

/// Centres of the bodies at a time.
#[derive(Debug, Clone)]
struct Sample {
    /// The time [s].
    time: f64,
    /// Centres of mass of the movable bodies, then of the soft bodies [m, world].
    centers: Vec<Point3<f64>>,
}

impl Trails {
    /// Trails over the last `duration` [s] of the bodies of a world.
    pub(super) fn new(duration: f64, world: &World) -> Self {
        let centers = world.descriptions().iter().map(center_of).collect();
        Self { duration, centers, samples: VecDeque::new() }
    }

    /// Minimum time between samples [s].
    fn spacing(&self) -> f64 {
        self.duration / f64::from(MAX_LINES)
    }

    /// Whether a state at a time [s] is far enough from the last sample to become one. Times are sums of steps: rounding must not
    /// skip a step.
    pub(super) fn accepts(&self, time: f64) -> bool {
        const SLACK: f64 = 1e-6;
        self.samples.back().is_none_or(|last| time - last.time >= (1.0 - SLACK) * self.spacing())
    }

    /// Times at which a recording is read for a picture at `time` [s].
    pub(super) fn missing(&self, time: f64) -> impl Iterator<Item = f64> + use<> {
        let spacing = self.spacing();
        let begin = time - self.duration;
        let from = self.samples.back().map_or(begin, |last| begin.max(last.time + spacing)).max(0.0);
        (0..=MAX_LINES).map(move |index| from + f64::from(index) * spacing).take_while(move |&at| at < time)
    }

    /// Adds a state as a sample, unless it is not after the last one.
    pub(super) fn add(&mut self, state: &WorldState) {
        if self.samples.back().is_none_or(|last| state.time > last.time) {
            self.samples.push_back(self.sample(state));
        }
        let begin = state.time - self.duration;
        while self.samples.get(1).is_some_and(|second| second.time <= begin) {
            self.samples.pop_front();
        }
    }

    fn sample(&self, state: &WorldState) -> Sample {
        let poses = state.poses().zip(&self.centers);
        let rigid =
            poses.filter_map(|(pose, center): (Isometry3<f64>, _)| center.map(|center| pose * center));
        let soft = state.soft.iter().map(|body| body.state.centroid);
        Sample { time: state.time, centers: rigid.chain(soft).collect() }
    }

    /// The trails up to a state, oldest lines first, each more opaque the newer it is.
    pub(super) fn drawing(&self, models: &Models, state: &WorldState) -> Drawing {
        let begin = state.time - self.duration;
        let now = self.sample(state);
        let samples: Vec<&Sample> =
            self.samples.iter().filter(|sample| sample.time < now.time).chain([&now]).collect();
        let colors = self.colors(models);
        let mut lines = Vec::new();
        for pair in samples.windows(2) {
            let [from, to] = [pair[0], pair[1]];
            if to.time <= begin {
                continue;
            }
            let cut = ((begin - from.time) / (to.time - from.time)).max(0.0);
            let middle = 0.5 * (from.time.max(begin) + to.time);
            #[expect(clippy::cast_possible_truncation, reason = "an opacity")]
            let alpha = ((middle - begin) / self.duration).clamp(0.0, 1.0) as f32;
            for ((a, b), color) in from.centers.iter().zip(&to.centers).zip(&colors) {
                let ends = [a + cut * (b - a), *b];
                lines.push(Line { ends, color: color.with_alpha(alpha), width: WIDTH, on_top: false });
            }
        }
        Drawing { lines, ..Drawing::default() }
    }

    fn colors(&self, models: &Models) -> Vec<Color> {
        let movable = models.bodies.iter().zip(&self.centers).filter(|(_, center)| center.is_some());
        movable.map(|(body, _)| body.color).chain(models.soft.iter().map(|body| body.color)).collect()
    }
}

/// Centre of mass of a body [m, body frame], that of its bounding sphere if its shape has no volume; `None` if it is fixed.
fn center_of(body: &BodyDescription) -> Option<Point3<f64>> {
    if body.kind == BodyKind::Fixed {
        return None;
    }
    if let Mass::Inertial(inertial) = &body.mass {
        return Some(inertial.center);
    }
    let mass = body.shape.mass_properties().map(|mass| mass.center);
    Some(mass.unwrap_or_else(|_| body.shape.bounding_sphere().0))
}

#[cfg(test)]
mod tests;
