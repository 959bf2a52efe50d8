//! Following a sketch without overlaps: the nearest free poses as one drags, from where it was free last.
//!
//! One descent leads from the last free poses towards the sketch, so that the answer stays on the side of an obstacle where
//! it was. A descent may step across what is thin, and the sketch may come out on the other side; so the straight way from the
//! last free poses to the answer is looked at in steps in which no point moves farther than a resolution. Every pose there
//! must be free, or within a resolution of a free one (along a round obstacle the straight way cuts corners); else the answer
//! is held where the way ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::repairing::{standing, without};
use super::{Posture, Sketch};
use crate::repair::ensemble::in_search;
use crate::repair::{Ensemble, RepairError, RepairOptions};
use extricate_core::kinematics::{Motion, RigidMotion};
use extricate_core::penetration::Effort;
use extricate_core::penetration::generalized::{GeneralizedError, GeneralizedOptions, Part, Pose};

/// Poses of a way that are looked at, at most: a hand that is faster than that is held back.
const MOST_LOOKS: f64 = 64.0;

/// The next poses of what follows a sketch, to be sought wherever there is time for it.
#[derive(Debug, Clone)]
pub struct FollowJob {
    ensemble: Arc<Ensemble>,
    sketched: Posture,
    last: Option<Vec<Pose>>,
    options: RepairOptions,
    /// Greatest motion between two looks [m].
    resolution: f64,
}

/// What follows a sketch.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// Where everything is without overlaps.
    pub posture: Posture,
    /// √σ [m] between that and the sketch; zero where the sketch is free itself and can be reached.
    pub depth: f64,
    /// Whether something is in the way between where it was free last and what is nearest to the sketch.
    pub held: bool,
    /// How long it took.
    pub time: Duration,
}

impl FollowJob {
    /// Seeks the poses. Without free poses from before, or where obstacles have been put into these, it is a repair of fast
    /// effort, until `stop` says that it is enough.
    ///
    /// # Errors
    /// [`RepairError`] when no free pose was found.
    pub fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Followed, RepairError> {
        let started = Instant::now();
        let (poses, held) = match &self.last {
            Some(last) if self.is_free(last)? => {
                let still = standing((&self.ensemble, &self.options), &self.sketched.poses, Some(last))?;
                match without(&self.ensemble, &still) {
                    Some(few) => Self { ensemble: Arc::new(few), ..self.clone() }.follow(last)?,
                    None => self.follow(last)?,
                }
            }
            _ => (self.repaired(stop)?, false),
        };
        let arrangement = self.ensemble.arrangement();
        let depth = arrangement.sigma(&self.sketched.poses, &poses).map_err(in_search)?.sqrt();
        let posture = Posture { poses, props: self.sketched.props.clone() };
        Ok(Followed { posture, depth, held, time: started.elapsed() })
    }

    fn repaired(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Vec<Pose>, RepairError> {
        let options = RepairOptions { effort: Effort::Fast, ..self.options.clone() };
        let sketched = &self.sketched.poses;
        let found = self.ensemble.repair_until(sketched, &options, self.last.as_slice(), stop)?;
        Ok(found.map_or_else(|| sketched.clone(), |found| found.poses))
    }

    /// The free poses nearest to the sketch that can be reached from the last ones, and whether something is in the way.
    fn follow(&self, last: &[Pose]) -> Result<(Vec<Pose>, bool), RepairError> {
        let arrangement = self.ensemble.arrangement();
        let sketched = &self.sketched.poses;
        let (mut end, mut is_blocked) = (last.to_vec(), false);
        if self.is_free(sketched)? && arrangement.keeps_limits(sketched) {
            match self.way(last, sketched)? {
                (reached, false) => return Ok((reached, false)),
                (reached, true) => (end, is_blocked) = (reached, true),
            }
        }
        // What slides along the obstacle comes nearer than what is held at it.
        let Some(near) = self.descended(sketched, last)? else { return Ok((end, true)) };
        let (near, held) = self.way(last, &near)?;
        let [to_near, to_end] =
            [&near, &end].map(|poses| arrangement.sigma(sketched, poses).map_err(in_search));
        Ok(if to_near? <= to_end? { (near, held || is_blocked) } else { (end, true) })
    }

    /// How far the straight way between two free poses leads, and whether something is in it.
    fn way(&self, from: &[Pose], to: &[Pose]) -> Result<(Vec<Pose>, bool), RepairError> {
        let mut looks = (self.motion(from, to)? / self.resolution).max(1.0).ceil();
        let at = |time: f64| -> Vec<Pose> {
            from.iter().zip(to).map(|(from, to)| between(from, to, time)).collect()
        };
        // What turns far may end where it began.
        while looks < MOST_LOOKS && self.motion(from, &at(1.0 / looks))? > self.resolution {
            looks *= 2.0;
        }
        let mut end = from.to_vec();
        let mut look = 1.0;
        while look < looks {
            if look > MOST_LOOKS {
                return Ok((end, true));
            }
            let poses = at(look / looks);
            if self.is_free(&poses)? {
                end = poses;
            } else {
                match self.descended(&poses, &poses)? {
                    Some(near) if self.motion(&poses, &near)? <= self.resolution => end = near,
                    _ => return Ok((end, true)),
                }
            }
            look += 1.0;
        }
        Ok((to.to_vec(), false))
    }

    /// The free poses to which one descent leads, if it finds any.
    fn descended(&self, towards: &[Pose], from: &[Pose]) -> Result<Option<Vec<Pose>>, RepairError> {
        let options = RepairOptions { effort: Effort::Fast, ..self.options.clone() };
        match self.ensemble.arrangement().descend_from(towards, from, &GeneralizedOptions::from(&options)) {
            Ok(found) => Ok(Some(found.poses)),
            Err(GeneralizedError::NotFound { .. }) => Ok(None),
            Err(other) => Err(in_search(other)),
        }
    }

    fn is_free(&self, poses: &[Pose]) -> Result<bool, RepairError> {
        self.ensemble.arrangement().is_free(poses, self.options.clearance).map_err(in_search)
    }

    /// Bound of how far any point of what moves is from where it was [m].
    fn motion(&self, from: &[Pose], to: &[Pose]) -> Result<f64, RepairError> {
        let arrangement = self.ensemble.arrangement();
        let [from, to] = [from, to].map(|poses| arrangement.body_poses(poses).map_err(in_search));
        let (from, to) = (from?, to?);
        let moved = arrangement
            .bodies
            .iter()
            .zip(from.iter().zip(&to))
            .filter(|(body, _)| matches!(body.part, Part::Link { .. }));
        let far = moved.map(|(body, (from, to))| {
            let (middle, radius) = body.ball;
            (from * middle - to * middle).norm() + radius * from.rotation.angle_to(&to.rotation)
        });
        Ok(far.fold(0.0, f64::max))
    }
}

/// The pose of an actor on the straight way between two.
fn between(from: &Pose, to: &Pose, time: f64) -> Pose {
    let joints = from.joints.iter().zip(&to.joints);
    let joints = joints.map(|(from, to)| from + (to - from) * time).collect();
    Pose { base: Motion::linear(&from.base, &to.base).pose_at(time), joints }
}

impl Sketch {
    /// The nearest free poses on the side where everything was free last: what to show as one drags. The sketch itself stays
    /// as it is; [`Sketch::settle`] takes the answer over.
    ///
    /// # Errors
    /// [`RepairError`] when no free pose was found.
    pub fn follow(&mut self) -> Result<Followed, RepairError> {
        let followed = self.follow_job().run(&|| false)?;
        self.remember(&followed);
        Ok(followed)
    }

    /// The same as a job for another thread; its answer is to be given to [`Sketch::remember`] before the next job is
    /// asked for.
    #[must_use]
    pub fn follow_job(&self) -> FollowJob {
        FollowJob {
            ensemble: Arc::clone(&self.ensemble),
            sketched: self.posture.clone(),
            last: self.free.clone(),
            options: self.options.repair.clone(),
            resolution: self.options.resolution * self.ensemble.arrangement().size(),
        }
    }

    /// Goes on from where the sketch was followed to.
    pub fn remember(&mut self, followed: &Followed) {
        self.free = Some(followed.posture.poses.clone());
    }

    /// Begins anew: the sketch is followed from the free poses that are nearest to it, on whatever side.
    pub fn forget(&mut self) {
        self.free = None;
    }

    /// Puts everything where the sketch was followed to: part of the step that is going on
    /// ([`Sketch::hold`]), or a step to be undone.
    pub fn settle(&mut self, followed: &Followed) {
        let poses = followed.posture.poses.clone();
        let posture = Posture { poses, props: self.posture.props.clone() };
        self.change(posture, None);
    }
}
