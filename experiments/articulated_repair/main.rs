//! Repairs the colliding configurations of `shared/data/articulated` and compares with the best known answers.
//!
//! ```text
//! cargo run --release --example articulated_repair -- ../shared/data [puma|hand|figure|folded|spoon|l|hammer]… [fast|best] [work=N] [ID]
//! ```
//!
//! `spoon`, `l` and `hammer` are the rigid pairs of `shared/data/generalized`. Times of fast effort, which is one thread's
//! work, are of its processor, median of five; those of best effort are of the clock.

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

mod folded;
mod rigid;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cpu_time::ThreadTime;
use extricate::geometry::Solidity;
use extricate::geometry::read::read_mesh;
use extricate::kinematics::urdf::{UrdfOptions, read_urdf};
use extricate::penetration::generalized::{
    Base, CollisionWorld, GeneralizedError, GeneralizedOptions, MovableModel, Obstacle, Pose, Shape,
    WorkBounds,
};
use extricate::proximity::{AllowedCollisions, ArticulatedModel, Model};
use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let data = PathBuf::from(args.next().unwrap_or_else(|| "../shared/data".into()));
    let only: Vec<String> = args.collect();
    let wants = |name: &str, among: &[&str]| {
        let named: Vec<_> = only.iter().filter(|word| among.contains(&word.as_str())).collect();
        named.is_empty() || named.iter().any(|word| *word == name)
    };
    let sets = ["puma", "hand", "figure", "folded", "spoon", "l", "hammer"];
    for set in sets.into_iter().filter(|set| wants(set, &sets)) {
        for effort in ["fast", "best"].into_iter().filter(|effort| wants(effort, &["fast", "best"])) {
            let id = only.iter().find(|word| word.contains('_')).map(String::as_str);
            match set {
                "folded" if effort == "fast" => {
                    for robot in ["puma", "hand", "figure"] {
                        folded::folded(&data, robot)?;
                    }
                }
                "folded" => {}
                "spoon" => rigid::spoon(&data, effort)?,
                "l" => rigid::pair(&data, "l_torusknot", effort)?,
                "hammer" => rigid::pair(&data, "hammer_bumpy", effort)?,
                _ => run_set(&data, set, effort, id)?,
            }
        }
    }
    Ok(())
}

/// One configuration's outcome.
struct Outcome {
    id: String,
    self_colliding: bool,
    ratio: Option<f64>,
    milliseconds: f64,
}

/// The file of a set, its robot and the links that may collide.
fn robot(data: &Path, set: &str) -> Result<(Value, ArticulatedModel, AllowedCollisions), Box<dyn Error>> {
    let file = data.join("articulated").join(format!("{set}.json"));
    let json: Value = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let robot = read_urdf(data.join(text(&json["robot"])?), &UrdfOptions::default())?;
    let model = ArticulatedModel::of_robot(robot);
    let mut allowed = AllowedCollisions::default();
    for pair in json["excluded_pairs"].as_array().ok_or("no excluded_pairs")? {
        let link = |at: usize| model.articulation().link(pair[at].as_str()?);
        if let (Some(a), Some(b)) = (link(0), link(1)) {
            allowed.allow(a, b);
        }
    }
    Ok((json, model, allowed))
}

fn run_set(data: &Path, set: &str, effort: &str, only: Option<&str>) -> Result<(), Box<dyn Error>> {
    let (json, model, allowed) = robot(data, set)?;
    let mut collision_worlds = BTreeMap::new();
    let mut outcomes = Vec::new();
    for config in json["configs"].as_array().ok_or("no configs")? {
        if only.is_some_and(|id| config["id"] != id) {
            continue;
        }
        let path = text(&config["obstacle"])?.to_owned();
        if !collision_worlds.contains_key(&path) {
            let mesh = read_mesh(data.join(&path))?;
            let shape = Shape::of_model(Model::new(mesh, Solidity::Solid));
            let movable = MovableModel::robot(model.clone(), allowed.clone(), Base::Fixed)?;
            let obstacle = Obstacle { shape, pose: Isometry3::identity() };
            collision_worlds.insert(path.clone(), CollisionWorld::new(vec![movable], vec![obstacle])?);
        }
        outcomes.push(repair(&collision_worlds[&path], &model, config, effort)?);
    }
    for self_colliding in [false, true] {
        let of_kind: Vec<_> = outcomes.iter().filter(|o| o.self_colliding == self_colliding).collect();
        if !of_kind.is_empty() {
            let mut ratios: Vec<f64> = of_kind.iter().filter_map(|o| o.ratio).collect();
            ratios.sort_by(f64::total_cmp);
            let mut times: Vec<f64> = of_kind.iter().map(|o| o.milliseconds).collect();
            times.sort_by(f64::total_cmp);
            println!(
                "{set:7} {effort} {}: {}/{} repaired, √σ ratio median {:.4} worst {:.3}, median {:.3} ms, worst {:.1} ms",
                if self_colliding { "self-colliding" } else { "obstacle only " },
                ratios.len(),
                of_kind.len(),
                ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN),
                ratios.last().copied().unwrap_or(f64::NAN),
                times[times.len() / 2],
                times[times.len() - 1],
            );
        }
    }
    let failed: Vec<_> = outcomes.iter().filter(|o| o.ratio.is_none()).map(|o| o.id.as_str()).collect();
    if !failed.is_empty() {
        println!("    failed: {}", failed.join(" "));
    }
    Ok(())
}

/// Best effort, with the minimum work of an argument `work=N`.
fn options_of_best() -> GeneralizedOptions {
    let min = std::env::args().find_map(|word| word.strip_prefix("work=")?.parse().ok());
    let default = WorkBounds::default();
    let work = WorkBounds {
        min: min.unwrap_or(default.min),
        min_after_failure: min.unwrap_or(default.min_after_failure),
        ..default
    };
    GeneralizedOptions { work, ..GeneralizedOptions::default() }
}

fn repair(
    collision_world: &CollisionWorld,
    model: &ArticulatedModel,
    config: &Value,
    effort: &str,
) -> Result<Outcome, Box<dyn Error>> {
    let values = config["joints"].as_object().ok_or("no joints")?;
    let values = values.iter().filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect();
    let joints = model.articulation().configuration(&values)?;
    let start = [Pose { base: base(&config["base"])?, joints }];
    let options = if effort == "fast" { GeneralizedOptions::fast() } else { options_of_best() };
    let mut milliseconds = Vec::new();
    let mut answer = collision_world.penetration(&start, &options);
    for _ in 0..if effort == "fast" { 5 } else { 1 } {
        let (wall, own) = (Instant::now(), ThreadTime::now());
        answer = collision_world.penetration(&start, &options);
        let time = if effort == "fast" { own.elapsed() } else { wall.elapsed() };
        milliseconds.push(time.as_secs_f64() * 1e3);
    }
    milliseconds.sort_by(f64::total_cmp);
    let best = config["sqrt_sigma"].as_f64().ok_or("no sqrt_sigma")?;
    let id = text(&config["id"])?.to_owned();
    let ratio = match &answer {
        Ok(Some(found)) => {
            let ok =
                found.verified_free && found.limits_kept && collision_world.is_free(&found.poses, 0.0)?;
            println!(
                "  {id:9} {effort} √σ {:.6} best {best:.6} ratio {:.4} clearance {:.1e} {} iterations {:.3} ms{}",
                found.depth,
                found.depth / best,
                found.clearance,
                found.iterations,
                milliseconds[milliseconds.len() / 2],
                if ok { "" } else { " NOT FREE" }
            );
            ok.then_some(found.depth / best)
        }
        Ok(None) => {
            println!("  {id:9} {effort} is free already?");
            None
        }
        Err(GeneralizedError::NotFound { best, still }) => {
            let still: Vec<_> = still
                .iter()
                .map(|p| {
                    let [a, b] = p.parts.map(|part| collision_world.name_of(part));
                    format!("{a}×{b} {:.4}", p.depth)
                })
                .collect();
            println!(
                "  {id:9} {effort} NOT FOUND clearance {:.2e} limits {} after {}: {}",
                best.clearance,
                best.limits_kept,
                best.iterations,
                still.join(", ")
            );
            None
        }
        Err(error) => {
            println!("  {id:9} {effort} {error}");
            None
        }
    };
    let self_colliding = config["self_collision_at_q0"].as_bool().unwrap_or(false);
    Ok(Outcome { id, self_colliding, ratio, milliseconds: milliseconds[milliseconds.len() / 2] })
}

fn text(value: &Value) -> Result<&str, Box<dyn Error>> {
    value.as_str().ok_or_else(|| "a string is missing".into())
}

fn base(value: &Value) -> Result<Isometry3<f64>, Box<dyn Error>> {
    let numbers = |key: &str| -> Vec<f64> {
        value[key].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let (translation, rotation) = (numbers("translation"), numbers("rotation"));
    if translation.len() != 3 || rotation.len() != 9 {
        return Err("a base needs a translation and a row-major rotation".into());
    }
    let rotation = Rotation3::from_matrix(&Matrix3::from_row_slice(&rotation));
    let rotation = UnitQuaternion::from_rotation_matrix(&rotation);
    Ok(Isometry3::from_parts(Translation3::from(Vector3::from_row_slice(&translation)), rotation))
}
