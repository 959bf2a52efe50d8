//! Following a sketch without overlaps: the nearest free poses during a drag, from the last free ones.
//!
//! One descent leads from the last free poses towards the sketch, so that the result stays on the same side of an obstacle.
//! A descent may step across thin obstacles, and the sketch may come out on the other side; so the straight path from the
//! last free poses to the result is sampled in steps in which no point moves farther than a resolution. Every sample
//! must be free, or within a resolution of a free pose (along a round obstacle the straight path cuts corners); and between two
//! samples nothing may cross an obstacle, however thin it is (`CollisionWorld::crosses`). Otherwise the result is held where the free
//! path ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::repair_job::{undisturbed, with_fixed};
use super::{Posture, Sketch};
use crate::repair::ensemble::in_search;
use crate::repair::{Ensemble, RepairError, RepairOptions};
use extricate_core::kinematics::{Motion, RigidMotion};
use extricate_core::penetration::Effort;
use extricate_core::penetration::generalized::{GeneralizedError, GeneralizedOptions, Part, Pose};

/// Maximum number of samples of a path: a drag that is faster than that is followed in several calls. Doubling it doubles the worst time
/// of a call.
const MAX_SAMPLES: f64 = 64.0;

/// Motion of parts in contact, as a fraction of the resolution, within which they are compared for being on the same side: narrower
/// slots than that are not moved in.
const CONTACT: f64 = 0.025;

/// Job that computes the next poses that follow a sketch, on any thread.
#[derive(Debug, Clone)]
pub struct FollowJob {
    ensemble: Arc<Ensemble>,
    sketched: Posture,
    last: Option<Vec<Pose>>,
    options: RepairOptions,
    /// Maximum motion between two samples [m].
    resolution: f64,
}

/// Result of following a sketch.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// Posture without overlaps.
    pub posture: Posture,
    /// √σ \[m\] between that posture and the sketch; zero where the sketch is itself free and can be reached.
    pub depth: f64,
    /// Whether an obstacle blocks the path from the last free poses to those nearest to the sketch.
    pub held: bool,
    /// Time of the computation.
    pub time: Duration,
}

impl FollowJob {
    /// Computes the poses. Without earlier free poses, or where obstacles have been moved into these, it is a repair of fast
    /// effort, until `stop` returns true.
    ///
    /// # Errors
    /// [`RepairError`] when no free pose was found.
    pub fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Followed, RepairError> {
        let started = Instant::now();
        let (poses, held) = match &self.last {
            Some(last) if self.is_free(last)? => {
                let still = undisturbed((&self.ensemble, &self.options), &self.sketched.poses, Some(last))?;
                match with_fixed(&self.ensemble, &still) {
                    Some(few) => Self { ensemble: Arc::new(few), ..self.clone() }.follow(last)?,
                    None => self.follow(last)?,
                }
            }
            _ => (self.repaired(stop)?, false),
        };
        let collision_world = self.ensemble.collision_world();
        let depth = collision_world.sigma(&self.sketched.poses, &poses).map_err(in_search)?.sqrt();
        let posture = Posture { poses, obstacles: self.sketched.obstacles.clone() };
        Ok(Followed { posture, depth, held, time: started.elapsed() })
    }

    fn repaired(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Vec<Pose>, RepairError> {
        let options = RepairOptions { effort: Effort::Fast, ..self.options.clone() };
        let sketched = &self.sketched.poses;
        let found = self.ensemble.repair_until(sketched, &options, self.last.as_slice(), stop)?;
        Ok(found.map_or_else(|| sketched.clone(), |found| found.poses))
    }

    /// The free poses nearest to the sketch that can be reached from the last ones, and whether the path is blocked.
    fn follow(&self, last: &[Pose]) -> Result<(Vec<Pose>, bool), RepairError> {
        let collision_world = self.ensemble.collision_world();
        let sketched = &self.sketched.poses;
        let (mut end, mut is_blocked) = (last.to_vec(), false);
        // Where the sketch is free and can be reached, no descent is needed.
        if self.is_free(sketched)? && collision_world.keeps_limits(sketched) {
            match self.free_path(last, sketched)? {
                (reached, false) => return Ok((reached, false)),
                (reached, true) => (end, is_blocked) = (reached, true),
            }
        }
        // Sliding along the obstacle may lead nearer than stopping at it.
        let Some(near) = self.descended(sketched, last)? else { return Ok((end, true)) };
        let (near, held) = self.free_path(last, &near)?;
        let [to_near, to_end] =
            [&near, &end].map(|poses| collision_world.sigma(sketched, poses).map_err(in_search));
        Ok(if to_near? <= to_end? { (near, held || is_blocked) } else { (end, true) })
    }

    /// End of the free part of the straight path between two free poses, and whether the path is blocked.
    fn free_path(&self, from: &[Pose], to: &[Pose]) -> Result<(Vec<Pose>, bool), RepairError> {
        let mut samples = (self.motion(from, to)? / self.resolution).max(1.0).ceil();
        let at = |time: f64| -> Vec<Pose> {
            from.iter().zip(to).map(|(from, to)| between(from, to, time)).collect()
        };
        // After a full revolution a joint is where it began: the motion up to the first sample counts, too.
        while samples < MAX_SAMPLES && self.motion(from, &at(1.0 / samples))? > self.resolution {
            samples *= 2.0;
        }
        let mut end = from.to_vec();
        let mut sample = 1.0;
        while sample < samples {
            if sample > MAX_SAMPLES {
                return Ok((end, true));
            }
            let poses = at(sample / samples);
            let next = if self.is_free(&poses)? {
                poses
            } else {
                match self.descended(&poses, &poses)? {
                    // The straight path cuts the corner of a round obstacle by less than the resolution.
                    Some(near) if self.motion(&poses, &near)? <= self.resolution => near,
                    _ => return Ok((end, true)),
                }
            };
            if self.crosses(&end, &next)? {
                return Ok((end, true));
            }
            end = next;
            sample += 1.0;
        }
        let is_blocked = self.crosses(&end, to)?;
        Ok((if is_blocked { end } else { to.to_vec() }, is_blocked))
    }

    /// Whether the straight path between two free poses leads across an obstacle, however thin it is.
    fn crosses(&self, from: &[Pose], to: &[Pose]) -> Result<bool, RepairError> {
        let at = |time: f64| from.iter().zip(to).map(|(from, to)| between(from, to, time)).collect();
        let resolution = CONTACT * self.resolution;
        self.ensemble.collision_world().crosses(&at, resolution).map_err(in_search)
    }

    /// Free poses found by one descent, if any.
    fn descended(&self, towards: &[Pose], from: &[Pose]) -> Result<Option<Vec<Pose>>, RepairError> {
        let options = RepairOptions { effort: Effort::Fast, ..self.options.clone() };
        match self.ensemble.collision_world().descend_from(towards, from, &GeneralizedOptions::from(&options))
        {
            Ok(found) => Ok(Some(found.poses)),
            Err(GeneralizedError::NotFound { .. }) => Ok(None),
            Err(other) => Err(in_search(other)),
        }
    }

    fn is_free(&self, poses: &[Pose]) -> Result<bool, RepairError> {
        self.ensemble
            .collision_world()
            .is_free(poses, self.options.clearance.unwrap_or_default())
            .map_err(in_search)
    }

    /// Upper bound on the displacement of any point of an actor [m].
    fn motion(&self, from: &[Pose], to: &[Pose]) -> Result<f64, RepairError> {
        let collision_world = self.ensemble.collision_world();
        let [from, to] = [from, to].map(|poses| collision_world.body_poses(poses).map_err(in_search));
        let (from, to) = (from?, to?);
        let moved = collision_world
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

/// Pose of an actor on the straight path between two poses.
fn between(from: &Pose, to: &Pose, time: f64) -> Pose {
    let joints = from.joints.iter().zip(&to.joints);
    let joints = joints.map(|(from, to)| from + (to - from) * time).collect();
    Pose { base: Motion::linear(&from.base, &to.base).pose_at(time), joints }
}

impl Sketch {
    /// Nearest free poses on the side of the last free ones, to be shown during a drag. The sketch itself is
    /// unchanged; [`Sketch::settle`] accepts the result.
    ///
    /// # Errors
    /// [`RepairError`] when no free pose was found.
    pub fn follow(&mut self) -> Result<Followed, RepairError> {
        let followed = self.follow_job().run(&|| false)?;
        self.remember(&followed);
        Ok(followed)
    }

    /// The same as a job for another thread; its result is to be given to [`Sketch::remember`] before the next job is
    /// created.
    #[must_use]
    pub fn follow_job(&self) -> FollowJob {
        FollowJob {
            ensemble: Arc::clone(&self.ensemble),
            sketched: self.posture.clone(),
            last: self.free.clone(),
            options: self.options.repair.clone(),
            resolution: self.options.resolution * self.ensemble.collision_world().size(),
        }
    }

    /// Continues from the poses to which the sketch was followed.
    pub fn remember(&mut self, followed: &Followed) {
        self.free = Some(followed.posture.poses.clone());
    }

    /// Starts anew: the sketch is then followed from the free poses nearest to it, on any side of an obstacle.
    pub fn forget(&mut self) {
        self.free = None;
    }

    /// Moves everything to the posture to which the sketch was followed, as part of the open undo group
    /// ([`Sketch::begin_undo_group`]), or as an undo step of its own.
    pub fn settle(&mut self, followed: &Followed) {
        let poses = followed.posture.poses.clone();
        let posture = Posture { poses, obstacles: self.posture.obstacles.clone() };
        self.change(posture, None);
    }
}
