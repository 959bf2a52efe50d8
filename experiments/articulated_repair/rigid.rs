//! Rigid pairs: a spoon in a box, an L in a torus knot, a hammer in a bumpy sphere.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use cpu_time::ThreadTime;
use extricate::geometry::Solidity;
use extricate::geometry::convex::ConvexShape;
use extricate::geometry::read::read_mesh;
use extricate::kinematics::Articulation;
use extricate::penetration::generalized::{
    Base, CollisionWorld, GeneralizedOptions, GeneralizedPenetration, MovableModel, Obstacle, Pose, Shape,
};
use extricate::penetration::object_norm::{Extent, ObjectNorm};
use extricate::proximity::{AllowedCollisions, Model};
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};
use serde_json::Value;

/// A rigid body of a shape that is measured by an extent.
fn body(shape: Shape, extent: Extent) -> Result<MovableModel, Box<dyn Error>> {
    let articulation = Articulation::new(vec!["body".into()], Vec::new())?;
    let norm = ObjectNorm::new(&articulation, vec![Some(extent)])?;
    Ok(MovableModel::with_norm(norm, vec![Some(shape)], AllowedCollisions::default(), Base::Floating))
}

fn solid(path: &Path) -> Result<Shape, Box<dyn Error>> {
    Ok(Shape::of_model(Model::new(read_mesh(path)?, Solidity::Solid)))
}

fn options(effort: &str) -> GeneralizedOptions {
    if effort == "fast" { GeneralizedOptions::fast() } else { GeneralizedOptions::default() }
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => other.as_f64().into_iter().collect(),
    }
}

fn pose(rotation: &[f64], translation: &[f64]) -> Isometry3<f64> {
    let rotation = Rotation3::from_matrix(&Matrix3::from_row_slice(rotation));
    let rotation = UnitQuaternion::from_rotation_matrix(&rotation);
    Isometry3::from_parts(Translation3::from(Vector3::from_row_slice(translation)), rotation)
}

/// The answer and the milliseconds it took.
fn asked(
    collision_world: &CollisionWorld,
    start: &Isometry3<f64>,
    effort: &str,
) -> Result<(GeneralizedPenetration, f64), Box<dyn Error>> {
    let start = [Pose::from(*start)];
    let mut times = Vec::new();
    let mut found = None;
    for _ in 0..if effort == "fast" { 5 } else { 1 } {
        let (wall, own) = (Instant::now(), ThreadTime::now());
        found = collision_world.penetration(&start, &options(effort))?;
        let time = if effort == "fast" { own.elapsed() } else { wall.elapsed() };
        times.push(time.as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok((found.ok_or("it does not overlap")?, times[times.len() / 2]))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The spoon in a box: excess of σ over the optimum of six freedoms.
pub(crate) fn spoon(data: &Path, effort: &str) -> Result<(), Box<dyn Error>> {
    let folder = data.join("generalized");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(folder.join("spoon_box.json"))?)?;
    let table = std::fs::read_to_string(folder.join("spoon_box.csv"))?;
    let shape = solid(&data.join("models/rigid/spoon_pieces.obj"))?;
    let com = Vector3::from_row_slice(&numbers(&json["com"]));
    let local = Matrix3::from_row_slice(&numbers(&json["R_local_from_model"]));
    let inertia = Vector3::from_row_slice(&numbers(&json["I_over_V"]));
    // Σ = (tr I / 2) 1 − I, in the principal frame.
    let principal = Matrix3::from_diagonal(&(Vector3::repeat(0.5 * inertia.sum()) - inertia));
    let volume = json["V"].as_f64().ok_or("no V")?;
    let extent = Extent::given(volume, Point3::from(com), local.transpose() * principal * local)?;
    let corners = ConvexShape::cuboid(Vector3::new(8.0, 8.0, 2.0));
    let place = Isometry3::translation(0.0, 0.0, -1.0);
    let slab = Obstacle { shape: Shape::convex(corners), pose: place };
    let collision_world = CollisionWorld::new(vec![body(shape, extent)?], vec![slab])?;
    let (mut excess, mut times) = (Vec::new(), Vec::new());
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let cell = |name: &str| -> Result<f64, Box<dyn Error>> {
            let at = header.iter().position(|column| *column == name).ok_or("a column is missing")?;
            Ok(cells[at].parse()?)
        };
        let mut rotation = Matrix3::zeros();
        for i in 0..3 {
            for j in 0..3 {
                rotation[(i, j)] = cell(&format!("R0_{i}{j}"))?;
            }
        }
        let orientation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix(&(rotation * local)));
        let height = Vector3::new(0.0, 0.0, cell("com_height")?);
        let start = Isometry3::from_parts(Translation3::from(height - orientation * com), orientation);
        let (found, time) = asked(&collision_world, &start, effort)?;
        let best = cell("sigma_6dof_best")?;
        println!(
            "  spoon {} {effort} σ {:.8} best {best:.8} 3-dof {:.8} excess {:+.5} % {time:.3} ms {}",
            cells[0],
            found.sigma,
            cell("sigma_3dof_polished")?,
            (found.sigma / best - 1.0) * 100.0,
            found.verified_free
        );
        excess.push((found.sigma / best - 1.0) * 100.0);
        times.push(time);
    }
    println!(
        "spoon   {effort}: mean excess of σ over the 6-dof optimum {:.4} %, minimum {:+.6} %, worst {:.3} %, median {:.3} ms",
        excess.iter().sum::<f64>() / excess.len() as f64,
        excess.iter().copied().fold(f64::INFINITY, f64::min),
        excess.iter().copied().fold(0.0, f64::max),
        median(times)
    );
    Ok(())
}

/// A pair of solids: σ against the best known.
pub(crate) fn pair(data: &Path, name: &str, effort: &str) -> Result<(), Box<dyn Error>> {
    let file = data.join("generalized").join(format!("{name}.json"));
    let json: Value = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let part = |key: &str| -> Result<Shape, Box<dyn Error>> {
        solid(&data.join(format!("{}_pieces.obj", super::text(&json[key])?)))
    };
    let volume = json["A_volume"].as_f64().ok_or("no A_volume")?;
    let moment = Matrix3::from_row_slice(&numbers(&json["A_second_moment_over_V"]));
    let com = Point3::from(Vector3::from_row_slice(&numbers(&json["A_com"])));
    let movable = body(part("A")?, Extent::given(volume, com, moment)?)?;
    let obstacle = Obstacle { shape: part("B")?, pose: Isometry3::identity() };
    let collision_world = CollisionWorld::new(vec![movable], vec![obstacle])?;
    let (mut ratios, mut times, mut failed) = (Vec::new(), Vec::new(), 0);
    for config in json["configs"].as_array().ok_or("no configs")? {
        let start = pose(&numbers(&config["R0"]), &numbers(&config["t0"]));
        let best = config["sigma_best"].as_f64().ok_or("no sigma_best")?;
        match asked(&collision_world, &start, effort) {
            Ok((found, time)) => {
                println!(
                    "  {} {effort} σ {:.6} best {best:.6} ratio {:.4} {} iterations {time:.3} ms {}",
                    config["id"],
                    found.sigma,
                    found.sigma / best,
                    found.iterations,
                    found.verified_free
                );
                ratios.push(found.sigma / best);
                times.push(time);
            }
            Err(error) => {
                println!("  {} {effort} {error}", config["id"]);
                failed += 1;
            }
        }
    }
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    println!(
        "{name} {effort}: {failed} failed, σ ratio median {:.4} worst {worst:.3}, median {:.3} ms",
        median(ratios),
        median(times)
    );
    Ok(())
}
