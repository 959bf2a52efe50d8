//! Global and local penetration depths along simulated contacts, beside [Je12 Table 4].

use std::path::Path;
use std::time::Instant;

use extricate::dynamics::World;
use extricate::geometry::Norm;
use extricate::penetration::{
    Effort, LowerBound, MotionCoherence, TranslationalOptions, local_penetrations, penetration_coherent,
};
use extricate::proximity::{Model, collide};
use extricate::scene::Scene;
use nalgebra::{Isometry3, Translation3};
use serde::Serialize;

use crate::Result;

/// A pair of Je12: its name there, the scene in its place, and the paper's times of global and local depths [ms].
const PAIRS: [(&str, &str, [f64; 2]); 4] = [
    ("Torus", "pair_of_tori", [3.13, 1.04]),
    ("Bunny2", "pair_of_boulders", [5.43, 1.78]),
    ("Golf-club", "pair_of_golf_clubs", [4.87, 1.67]),
    ("Santa", "pair_of_figurines", [9.14, 2.90]),
];

/// Times of a pair, means over the steps in which it overlaps.
#[derive(Debug, Clone, Serialize)]
struct Line {
    paper_pair: &'static str,
    paper_global_ms: f64,
    paper_local_ms: f64,
    scene: String,
    triangles: usize,
    steps: u64,
    overlapping: u64,
    global_ms: f64,
    local_ms: f64,
    /// Maximum depth over the size.
    deepest: f64,
    regions: f64,
}

/// Prints the table, one row a pair.
pub(crate) fn print(scenes: &Path, steps: Option<u64>, json: bool) -> Result<()> {
    if !json {
        println!(
            "\n| Je12 Table 4 | global, local there | scene | triangles | global | local | regions | deepest | overlapping steps |\n|---|--:|---|--:|--:|--:|--:|--:|--:|"
        );
    }
    for pair in PAIRS {
        let line = measure(pair, scenes, steps)?;
        if json {
            println!("{}", serde_json::to_string(&line)?);
            continue;
        }
        print!("| {} | {} ms, {} ms ", line.paper_pair, line.paper_global_ms, line.paper_local_ms);
        print!("| {} | {} ", line.scene, line.triangles);
        if line.overlapping == 0 {
            println!("| | | | | never overlaps in {} |", line.steps);
            continue;
        }
        print!("| {:.4} ms | {:.4} ms | {:.1} ", line.global_ms, line.local_ms, line.regions);
        println!("| {:.1e} | {} of {} |", line.deepest, line.overlapping, line.steps);
    }
    Ok(())
}

/// One thread, as in the paper: the last time apart is remembered, and no lower bound is proved.
const OPTIONS: TranslationalOptions = TranslationalOptions {
    effort: Effort::Fast,
    start: None,
    allowed: None,
    norm: Norm::L2,
    gaps: true,
    max_iterations: 60,
    lower_bound: LowerBound::Skip,
    relative_tolerance: 1e-9,
    time_budget: None,
    seed: 0,
    parallel: false,
};

fn measure(
    (paper_pair, scene, [paper_global_ms, paper_local_ms]): (&'static str, &str, [f64; 2]),
    scenes: &Path,
    steps: Option<u64>,
) -> Result<Line> {
    let scene = Scene::load(scenes.join(scene).with_extension("ron"))?;
    let mut world = scene.world()?;
    let [a, b] = ["lower", "upper"].map(|name| model(&scene, name));
    let (a, b) = (a?, b?);
    let whole = scene.steps(scene.duration);
    let steps = steps.map_or(whole, |most| most.min(whole));
    let mut coherence = MotionCoherence::default();
    let (mut overlapping, mut global, mut local, mut regions, mut deepest) = (0_u64, 0.0, 0.0, 0, 0.0_f64);
    for _ in 0..steps {
        world.step()?;
        let [pose_a, pose_b] = ["lower", "upper"].map(|name| pose(&world, name));
        let started = Instant::now();
        let found = penetration_coherent((&a, &pose_a), (&b, &pose_b), &OPTIONS, &mut coherence)?;
        let took = started.elapsed().as_secs_f64();
        let Some(found) = found.filter(|_| collide(&a, &pose_a, &b, &pose_b)) else { continue };
        let started = Instant::now();
        regions += local_penetrations(&a, &pose_a, &b, &pose_b, &found).len();
        local += started.elapsed().as_secs_f64();
        global += took;
        deepest = deepest.max(found.depth / a.radius().min(b.radius()));
        overlapping += 1;
    }
    let mean = |sum: f64| sum / overlapping as f64;
    Ok(Line {
        paper_pair,
        paper_global_ms,
        paper_local_ms,
        scene: scene.name(),
        triangles: a.mesh().triangles().len() + b.mesh().triangles().len(),
        steps,
        overlapping,
        global_ms: 1e3 * mean(global),
        local_ms: 1e3 * mean(local),
        deepest,
        regions: mean(regions as f64),
    })
}

fn model(scene: &Scene, name: &str) -> Result<std::sync::Arc<Model>> {
    let body = scene.bodies.iter().find(|body| body.name == name);
    let model = body.and_then(|body| body.shape.model()).cloned();
    model.ok_or_else(|| format!("{} has no mesh {name}", scene.name()).into())
}

fn pose(world: &World, name: &str) -> Isometry3<f64> {
    world.body(name).map_or_else(Isometry3::identity, |state| {
        Isometry3::from_parts(Translation3::from(state.position.coords), state.rotation)
    })
}
