//! Table III: articulated models, on the collision hulls of their files and on the meshes that are meant to be seen.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use extricate::geometry::Solidity;
use extricate::geometry::read::read_mesh;
use extricate::kinematics::urdf::{Shapes, UrdfOptions, read_urdf};
use extricate::penetration::generalized::{
    Base, CollisionWorld, GeneralizedOptions, GeneralizedStart, MovableModel, Obstacle, Pose, Shape,
};
use extricate::proximity::{AllowedCollisions, ArticulatedModel, Model};
use nalgebra::Isometry3;
use serde_json::Value;

use crate::statistics::{max, mean, median};
use crate::truth;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A configuration of a benchmark.
struct Case {
    obstacle: String,
    start: [Pose; 1],
    /// √σ of the best answer that is known for the hulls [m].
    best: f64,
    self_colliding: bool,
}

/// A robot with its configurations and, for each obstacle, an arrangement.
struct Benchmark {
    cases: Vec<Case>,
    collision_worlds: BTreeMap<String, CollisionWorld>,
}

fn read(data: &Path, set: &str, shapes: Shapes) -> Result<Benchmark> {
    let text = std::fs::read_to_string(data.join("articulated").join(format!("{set}.json")))?;
    let file: Value = serde_json::from_str(&text)?;
    let urdf = data.join(file["robot"].as_str().ok_or("no robot")?);
    let model =
        ArticulatedModel::of_robot(read_urdf(urdf, &UrdfOptions { shapes, ..UrdfOptions::default() })?);
    let mut allowed = AllowedCollisions::default();
    for pair in file["excluded_pairs"].as_array().into_iter().flatten() {
        let link = |at: usize| model.articulation().link(pair[at].as_str()?);
        if let (Some(a), Some(b)) = (link(0), link(1)) {
            allowed.allow(a, b);
        }
    }
    let (mut cases, mut collision_worlds) = (Vec::new(), BTreeMap::new());
    for config in file["configs"].as_array().into_iter().flatten() {
        let obstacle = config["obstacle"].as_str().ok_or("no obstacle")?.to_owned();
        if !collision_worlds.contains_key(&obstacle) {
            let shape = Shape::of_model(Model::new(read_mesh(data.join(&obstacle))?, Solidity::Solid));
            let movable = MovableModel::robot(model.clone(), allowed.clone(), Base::Fixed)?;
            let obstacles = vec![Obstacle { shape, pose: Isometry3::identity() }];
            collision_worlds.insert(obstacle.clone(), CollisionWorld::new(vec![movable], obstacles)?);
        }
        let values = config["joints"].as_object().into_iter().flatten();
        let values = values.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect();
        let joints = model.articulation().configuration(&values)?;
        let base = truth::pose(&config["base"]["rotation"], &config["base"]["translation"])?;
        cases.push(Case {
            obstacle,
            start: [Pose { base, joints }],
            best: truth::number(&config["sqrt_sigma"])?,
            self_colliding: config["self_collision_at_q0"].as_bool().unwrap_or(false),
        });
    }
    Ok(Benchmark { cases, collision_worlds })
}

/// Table III: Puma1 collides with the car only, Puma2 with itself as well, the hand with a bottle.
pub(crate) fn table_3(data: &Path) -> Result<()> {
    println!(
        "Table III: free with limits kept; milliseconds; iterations; √σ ÷ best known √σ of the hulls: median, maximum"
    );
    for (set, shapes, label) in [
        ("puma", Shapes::Collision, "hulls"),
        ("hand", Shapes::Collision, "hulls"),
        ("puma", Shapes::Visual, "visual meshes"),
        ("hand", Shapes::Visual, "visual meshes"),
    ] {
        if !data.join("articulated").join(format!("{set}.json")).exists() {
            println!("{set}: not there");
            continue;
        }
        let benchmark = read(data, set, shapes)?;
        let starts = [
            ("default policy", None),
            ("direct", Some(GeneralizedStart::Direct)),
            ("successive perturbation", Some(GeneralizedStart::SuccessivePerturbation)),
            ("constrained translation", Some(GeneralizedStart::ConstrainedTranslation)),
        ];
        for (name, start) in starts {
            for self_colliding in [false, true] {
                let row = match (set, self_colliding) {
                    ("puma", false) => "Puma1",
                    ("puma", true) => "Puma2",
                    (_, false) => "Hand",
                    _ => "Hand, self-colliding",
                };
                let options = GeneralizedOptions { start: start.clone(), ..GeneralizedOptions::fast() };
                print!("  {row:20} {label:13} {name:24}");
                measure(&benchmark, self_colliding, &options)?;
            }
        }
    }
    Ok(())
}

fn measure(benchmark: &Benchmark, self_colliding: bool, options: &GeneralizedOptions) -> Result<()> {
    let cases = benchmark.cases.iter().filter(|case| case.self_colliding == self_colliding);
    let (mut ratios, mut times, mut iterations, mut count) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for case in cases {
        let collision_world = &benchmark.collision_worlds[&case.obstacle];
        count += 1;
        // Once to warm up.
        let _ = collision_world.penetration(&case.start, options);
        let begin = Instant::now();
        let found = collision_world.penetration(&case.start, options);
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        if let Ok(Some(found)) = found
            && found.verified_free
            && found.limits_kept
            && collision_world.is_free(&found.poses, 0.0)?
        {
            ratios.push(found.depth / case.best);
            iterations.push(f64::from(found.iterations));
        }
    }
    println!(
        "{}/{count}; {:.2} median {:.2} mean; {:.1}; {:.3} {:.2}",
        ratios.len(),
        median(&times),
        mean(&times),
        mean(&iterations),
        median(&ratios),
        max(&ratios)
    );
    Ok(())
}
