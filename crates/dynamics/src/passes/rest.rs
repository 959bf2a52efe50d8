//! Rest of bodies that may sleep: how far their points come within a time, not how fast they are at an instant.
//!
//! rapier's own criterion is the displacement within one step. Bodies in a heap tremble about places which they do not leave: a disc of 29 g under
//! others rocks at some cm/s by some micrometres, and one such body keeps its island awake for ever. So a body rests for as long as none of its
//! points has come farther from an *anchor*, its pose when it last did so, than the speed of [`SleepOptions`] times the time of [`SleepOptions`].
//! A body in steady motion is at rest at the same speeds by both criteria, and a rotation of more than a quarter circle per second is never rest.
//!
//! rapier has the timer of each body and puts islands to sleep; it accepts displacements within a step that the anchor accepts, and its timer is
//! lowered here before it runs out for a body that has not rested as long.

use nalgebra::{Isometry3, Point3};
use rapier3d::dynamics::{RigidBodyHandle, RigidBodySet};
use serde::{Deserialize, Serialize};

use super::awake::Awake;
use crate::description::BodyDescription;
use crate::options::{SleepOptions, WorldOptions};
use crate::stateful::{Mismatch, Stateful, fits};

/// The bodies of a world, in the order of the names.
#[derive(Debug, Default)]
pub(crate) struct Rests {
    /// Time after which a body that rests may sleep [s].
    time: f64,
    /// None where bodies do not sleep.
    bodies: Vec<Resting>,
}

/// A body that may come to rest.
#[derive(Debug)]
struct Resting {
    handle: RigidBodyHandle,
    /// Bounding sphere [m, body frame].
    center: Point3<f64>,
    radius: f64,
    /// Displacement of its points from the anchor up to which it rests \[m\].
    reach: f64,
    state: Rest,
}

/// Anchor of a body and the time for which it has rested there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Rest {
    anchor: Isometry3<f64>,
    /// \[s\]
    time: f64,
}

/// Displacement of the points of a body from its anchor up to which it rests \[m\].
fn reach(sleep: &SleepOptions, body: &BodyDescription) -> f64 {
    sleep.speed * sleep.time * body.shape.bounding_radius()
}

/// Threshold of rapier's own criterion \[m/s\], which accepts displacements in a step of twice the threshold times the step: any between two
/// poses that rest on one anchor.
pub(crate) fn threshold(sleep: &SleepOptions, options: &WorldOptions, body: &BodyDescription) -> f64 {
    reach(sleep, body) / options.time_step
}

impl Rests {
    /// Bodies at their start, in the order of their handles.
    pub(crate) fn of(
        bodies: &[BodyDescription],
        handles: &[RigidBodyHandle],
        sleep: Option<&SleepOptions>,
    ) -> Self {
        let Some(sleep) = sleep else { return Self::default() };
        let resting = |(body, &handle): (&BodyDescription, &RigidBodyHandle)| {
            let (center, radius) = body.shape.bounding_sphere();
            let state = Rest { anchor: body.pose, time: 0.0 };
            Resting { handle, center, radius, reach: reach(sleep, body), state }
        };
        Self { time: sleep.time, bodies: bodies.iter().zip(handles).map(resting).collect() }
    }

    /// Judges the bodies that are awake by their poses before a part of a step \[s\].
    pub(crate) fn update(&mut self, bodies: &mut RigidBodySet, awake: &Awake, part: f64) {
        if self.bodies.is_empty() {
            return;
        }
        for &index in awake.bodies() {
            let resting = &mut self.bodies[index];
            let body = &bodies[resting.handle];
            // All bodies count as awake in the first part after a restore.
            if !body.is_dynamic() || body.is_sleeping() {
                continue;
            }
            let pose = (*body.position()).into();
            resting.judge(&pose, part);
            let timer = body.activation().time_since_can_sleep;
            let rested = resting.state.time;
            if rested < self.time && timer + part >= self.time {
                bodies[resting.handle].activation_mut().time_since_can_sleep = (rested - part).max(0.0);
            }
        }
    }
}

impl Resting {
    /// Adds a part \[s\] to the time of rest, or starts anew at a pose out of reach.
    fn judge(&mut self, pose: &Isometry3<f64>, part: f64) {
        let anchor = &self.state.anchor;
        let shift = (pose * self.center - anchor * self.center).norm();
        // The chord of the rotation, 2 sin(θ/2).
        let chord = 2.0 * (anchor.rotation.inverse() * pose.rotation).imag().norm();
        // A forged checkpoint may have an anchor that is not finite, which is not rest.
        self.state = if shift + chord * self.radius <= self.reach {
            Rest { anchor: *anchor, time: self.state.time + part }
        } else {
            Rest { anchor: *pose, time: 0.0 }
        };
    }
}

impl Stateful for Rests {
    type State = Vec<Rest>;

    fn snapshot(&self) -> Vec<Rest> {
        self.bodies.iter().map(|body| body.state.clone()).collect()
    }

    fn restore(&mut self, state: Vec<Rest>) -> Result<(), Mismatch> {
        fits(state.len() == self.bodies.len())?;
        self.bodies.iter_mut().zip(state).for_each(|(body, state)| body.state = state);
        Ok(())
    }
}
