//! A planning problem, and the tally of a family of them.

use std::error::Error;

use cpu_time::ProcessTime;
use extricate::nalgebra::{Isometry3, Point3};
use extricate::penetration::generalized::{CollisionWorld, Pose, Shape};
use extricate::plan::{Plan, PlanError, PlanOptions, plan};
use extricate::proximity::collide;

/// Cases on which constants are chosen, and those that are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    Choose,
    Report,
}

/// Settings of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) set: Set,
    pub(crate) max_samples: u32,
    /// Cases of each row.
    pub(crate) count: u32,
}

impl Settings {
    /// Seed of a case of a row: those of the two sets differ.
    pub(crate) fn seed(&self, row: u64, case: u32) -> u64 {
        let set = if self.set == Set::Choose { 0x5eed } else { 0x0dd_ba11 };
        set + 1000 * row + u64::from(case)
    }
}

/// A planning problem.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) world: CollisionWorld,
    pub(crate) ends: [Pose; 2],
    pub(crate) region: Option<[Point3<f64>; 2]>,
}

/// Results of the cases of a row.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    cases: u32,
    found: u32,
    seconds: Vec<f64>,
    samples: f64,
    length: f64,
    is_sound: bool,
}

impl Tally {
    pub(crate) fn new() -> Self {
        Self { is_sound: true, ..Self::default() }
    }

    pub(crate) fn add(
        &mut self,
        problem: &Problem,
        settings: &Settings,
        seed: u64,
    ) -> Result<(), Box<dyn Error>> {
        let options = PlanOptions {
            max_samples: settings.max_samples,
            seed,
            region: problem.region,
            ..PlanOptions::default()
        };
        let started = ProcessTime::now();
        let found = plan(&problem.world, &problem.ends[0], &problem.ends[1], &options);
        self.seconds.push(started.elapsed().as_secs_f64());
        self.cases += 1;
        let work = match found {
            Ok(found) => {
                self.found += 1;
                self.length += found.length;
                self.is_sound &= is_free(problem, &found)?;
                found.work
            }
            Err(PlanError::NotFound { reached }) => reached.work,
            Err(error) => return Err(error.into()),
        };
        self.samples += f64::from(work.samples);
        Ok(())
    }

    /// Prints the row of a family; returns whether all paths are free.
    pub(crate) fn print(mut self, family: &str) -> bool {
        self.seconds.sort_by(f64::total_cmp);
        let cases = f64::from(self.cases);
        let mean = self.seconds.iter().sum::<f64>() / cases;
        let (median, maximum) = (self.seconds[self.seconds.len() / 2], self.seconds[self.seconds.len() - 1]);
        let length = self.length / f64::from(self.found);
        let length = if self.found == 0 { "–".to_owned() } else { format!("{length:.2}") };
        let verdict = if self.is_sound { "" } else { " **a path overlaps**" };
        println!(
            "| {family} | {} of {}{verdict} | {mean:.2} | {median:.2} | {maximum:.2} | {:.0} | {length} |",
            self.found,
            self.cases,
            self.samples / cases
        );
        self.is_sound
    }
}

/// Poses between two of a path at which it is verified.
const CHECKS: u32 = 500;

/// Whether a path is free by collision queries of the worlds' shapes at poses of its own.
fn is_free(problem: &Problem, found: &Plan) -> Result<bool, Box<dyn Error>> {
    let world = &problem.world;
    let movable = &world.movables()[0];
    for ends in found.path.windows(2) {
        for check in 0..=CHECKS {
            let time = f64::from(check) / f64::from(CHECKS);
            let pose = between(&ends[0], &ends[1], time);
            if !world.is_free(std::slice::from_ref(&pose), 0.0)? {
                return Ok(false);
            }
            let links = movable.articulation().link_poses(&pose.joints, &pose.base)?;
            let links = movable
                .shapes()
                .iter()
                .zip(&links)
                .filter_map(|(shape, at)| Some((shape.as_ref()?.model()?, at)));
            for (link, at) in links {
                let of_model = |shape: &Shape, pose: &Isometry3<f64>| {
                    shape.model().is_some_and(|model| collide(link, at, model, pose))
                };
                if world.obstacles().iter().any(|obstacle| of_model(&obstacle.shape, &obstacle.pose)) {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// The pose of a path at a time in [0, 1] between two of its poses.
fn between(from: &Pose, to: &Pose, time: f64) -> Pose {
    let joints = from.joints.iter().zip(&to.joints).map(|(from, to)| from + time * (to - from)).collect();
    let position = from.base.translation.vector.lerp(&to.base.translation.vector, time);
    let rotation = from.base.rotation.try_slerp(&to.base.rotation, time, 1e-12).unwrap_or(from.base.rotation);
    Pose { base: Isometry3::from_parts(position.into(), rotation), joints }
}
