//! Time of a sketch per move of the mouse: a link is dragged along a line from where it is free to where the scene has it
//! colliding, and on by as much; after each move the colliding pairs are queried, and the sketch is followed without overlaps. Times are CPU times of the
//! thread.
//!
//! `cargo run --release --example sketch_times`

#![expect(clippy::print_stdout, reason = "a program that prints what it measures")]

use std::sync::Arc;

use cpu_time::ThreadTime;
use extricate::penetration::Effort;
use extricate::repair::{RepairOptions, Sketch, SketchOptions};
use extricate::scene::Scene;
use nalgebra::Point3;

/// Moves of each drag.
const MOVES: u32 = 120;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let drags = [
        ("scenes/repair/hand_around_bottle.ron", "hand", "index_distal"),
        ("scenes/repair/hand_around_bottle.ron", "hand", "palm"),
        ("scenes/repair/arm_in_car.ron", "arm", "forearm"),
        ("scenes/repair/figure_in_cup.ron", "figure", "pelvis"),
        ("scenes/repair/figure_in_cup.ron", "figure", "left_foot"),
        ("scenes/repair/three_link.ron", "bars", "left"),
    ];
    println!("milliseconds per move, median / 95 % / most, of {MOVES} moves");
    println!("{:<44} {:>20} {:>20} {:>23} held", "drag", "joints", "colliding", "follow");
    for (path, robot, link) in drags {
        let scene = Arc::new(Scene::load(path)?);
        let fast = RepairOptions { effort: Effort::Fast, ..RepairOptions::default() };
        let options = SketchOptions { repair: fast, ..SketchOptions::default() };
        let mut sketch = Sketch::new(Arc::clone(&scene), &scene.world()?, options)?;
        let name = format!("{robot}/{link}");
        let anchor = Point3::new(0.0, 0.0, 0.01);
        let place = |sketch: &Sketch| -> Result<Point3<f64>, Box<dyn std::error::Error>> {
            let places = sketch.named_poses(sketch.posture())?;
            let place = places.iter().find(|place| place.name == name).ok_or("no such link")?;
            Ok(place.pose * anchor)
        };
        let to = place(&sketch)?;
        sketch.repair()?;
        let from = place(&sketch)?;
        let to = if (to - from).norm() > 0.1 { to } else { from + (to - from).normalize() * 0.1 };
        let [mut drag, mut colliding, mut follow] = [const { Vec::new() }; 3];
        let mut held = 0;
        for i in 1..=MOVES {
            let target = from + (to - from) * (2.0 * f64::from(i) / f64::from(MOVES));
            let started = ThreadTime::now();
            sketch.drag_link(robot, link, &anchor, &target)?;
            drag.push(started.elapsed().as_secs_f64() * 1e3);
            let started = ThreadTime::now();
            sketch.colliding()?;
            colliding.push(started.elapsed().as_secs_f64() * 1e3);
            let started = ThreadTime::now();
            held += u32::from(sketch.follow()?.held);
            follow.push(started.elapsed().as_secs_f64() * 1e3);
        }
        let [drag, colliding, follow] = [drag, colliding, follow].map(summary);
        println!("{:<44} {drag:>20} {colliding:>20} {follow:>23} {held}", format!("{} {name}", scene.name()));
        let repaired = sketch.repair()?;
        if let Some(repaired) = repaired {
            println!(
                "    repair, fast: {:.0} ms, √σ {:.4} m",
                repaired.time.as_secs_f64() * 1e3,
                repaired.repair.depth
            );
        }
    }
    Ok(())
}

fn summary(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let at = |fraction: f64| times[((times.len() - 1) as f64 * fraction).round() as usize];
    format!("{:.2} / {:.2} / {:.2}", at(0.5), at(0.95), at(1.0))
}
