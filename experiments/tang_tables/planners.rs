//! Table IV of [Tang14]: planners with and without retraction, on the scenes under `scenes/plan`.
//!
//! For every scene and planner: how many of the seeds found a path within the samples, and over all seeds the means of the
//! processor time, of the samples and of the segments that were looked at; of those that found one, the mean length of the
//! path, √σ summed over its segments. The two planners differ in nothing but the retraction.

use std::error::Error;
use std::path::Path;

use cpu_time::ProcessTime;
use extricate::plan::{PlanError, PlanOptions, plan};
use extricate::scene::{Planning, Scene};

/// Results of the seeds of one planner.
#[derive(Default)]
struct Tally {
    found: u32,
    seconds: f64,
    samples: f64,
    segments: f64,
    length: f64,
}

/// Seeds of each planner, and samples of each seed at most.
const SEEDS: u32 = 10;
const MAX_SAMPLES: u32 = 10_000;

pub(crate) fn table_4() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/plan");
    let scenes = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut scenes = scenes.collect::<std::io::Result<Vec<_>>>()?;
    scenes.sort();
    println!("Table IV: planners, {SEEDS} seeds");
    println!("| scene | freedoms | planner | found | time [s] | samples | segments | length [m] |");
    println!("|---|---|---|---|---|---|---|---|");
    for path in scenes {
        let scene = Scene::load(&path)?;
        let planning = scene.planning()?;
        for retraction in [false, true] {
            let mut tally = Tally::default();
            for seed in 0..SEEDS {
                let region = planning.region;
                let seed = u64::from(seed);
                let max_samples = MAX_SAMPLES;
                let options = PlanOptions { retraction, max_samples, seed, region, ..PlanOptions::default() };
                tally.add(&planning, &options)?;
            }
            tally.record(&scene.name(), &planning, retraction);
        }
    }
    Ok(())
}

impl Tally {
    fn add(&mut self, planning: &Planning, options: &PlanOptions) -> Result<(), Box<dyn Error>> {
        let started = ProcessTime::now();
        let work = match plan(&planning.collision_world, &planning.start, &planning.goal, options) {
            Ok(found) => {
                self.found += 1;
                self.length += found.length;
                found.work
            }
            Err(PlanError::NotFound { reached }) => reached.work,
            Err(error) => return Err(error.into()),
        };
        self.seconds += started.elapsed().as_secs_f64();
        self.samples += f64::from(work.samples);
        self.segments += work.segments as f64;
        Ok(())
    }

    fn record(&self, scene: &str, planning: &Planning, retraction: bool) {
        let mean = |sum: f64| sum / f64::from(SEEDS);
        let planner = if retraction { "BiRRT-PDg" } else { "BiRRT" };
        let length = match self.found {
            0 => "–".to_owned(),
            found => format!("{:.2}", self.length / f64::from(found)),
        };
        let freedoms = planning.start.joints.len().max(6);
        println!(
            "| {scene} | {freedoms} | {planner} | {} of {SEEDS} | {:.2} | {:.0} | {:.0} | {length} |",
            self.found,
            mean(self.seconds),
            mean(self.samples),
            mean(self.segments),
        );
    }
}
