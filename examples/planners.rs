//! Planners with and without retraction [Tang14 Table IV], on the scenes under `scenes/plan`.
//!
//! ```text
//! cargo run --release --example planners -- [SEEDS] [MAX_SAMPLES] [SCENE.ron …]
//! ```
//!
//! For every scene and planner: how many of the seeds (10) found a path within the samples (10 000), and over all seeds the
//! means of the processor time, of the samples and of the segments that were looked at; of those that found one, the mean
//! length of the path, √σ summed over its segments. The two planners differ in nothing but the retraction.

#![expect(clippy::print_stdout, reason = "what the program is for")]

use std::error::Error;
use std::path::PathBuf;

use cpu_time::ProcessTime;
use extricate::plan::{PlanError, PlanOptions, plan};
use extricate::scene::{Planning, Scene};

/// What the seeds of one planner came to.
#[derive(Default)]
struct Tally {
    found: u32,
    seconds: f64,
    samples: f64,
    segments: f64,
    length: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u32| arguments.get(at).map_or(Ok(default), |text| text.parse());
    let (seeds, max_samples) = (number(0, 10)?, number(1, 10_000)?);
    let mut scenes: Vec<PathBuf> = arguments.iter().skip(2).map(PathBuf::from).collect();
    if scenes.is_empty() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/plan");
        scenes = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        scenes.sort();
    }
    println!("| scene | freedoms | planner | found | time [s] | samples | segments | length [m] |");
    println!("|---|---|---|---|---|---|---|---|");
    for path in scenes {
        let scene = Scene::load(&path)?;
        let planning = scene.planning()?;
        for retraction in [false, true] {
            let mut tally = Tally::default();
            for seed in 0..seeds {
                let region = planning.region;
                let seed = u64::from(seed);
                let options = PlanOptions { retraction, max_samples, seed, region, ..PlanOptions::default() };
                tally.add(&planning, &options)?;
            }
            tally.tell(&scene.name(), &planning, retraction, seeds);
        }
    }
    Ok(())
}

impl Tally {
    fn add(&mut self, planning: &Planning, options: &PlanOptions) -> Result<(), Box<dyn Error>> {
        let started = ProcessTime::now();
        let work = match plan(&planning.arrangement, &planning.start, &planning.goal, options) {
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

    fn tell(&self, scene: &str, planning: &Planning, retraction: bool, seeds: u32) {
        let mean = |sum: f64| sum / f64::from(seeds);
        let planner = if retraction { "BiRRT-PDg" } else { "BiRRT" };
        let length = match self.found {
            0 => "–".to_owned(),
            found => format!("{:.2}", self.length / f64::from(found)),
        };
        let freedoms = planning.start.joints.len().max(6);
        println!(
            "| {scene} | {freedoms} | {planner} | {} of {seeds} | {:.2} | {:.0} | {:.0} | {length} |",
            self.found,
            mean(self.seconds),
            mean(self.samples),
            mean(self.segments),
        );
    }
}
