//! Writes a long manifest for `extricate batch`, always the same for the same seed.
//!
//! `cargo run --release --example manifest -- --items 100000 -o out/manifest.jsonl`
//!
//! Penetrations are those of two meshes of `assets/meshes` that are rotated at random and put so that the balls around them
//! overlap deeply; most pairs then collide. Repairs are those of the arm of `assets/robots` with random joints among three obstacles
//! at random places in its reach.

use std::error::Error;
use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Component, Path, PathBuf};

use clap::{Parser, ValueEnum};
use extricate::geometry::read::read_mesh;
use extricate_core::geometry::random::SplitMix64;
use nalgebra::{Point3, UnitQuaternion, Vector3};

/// Meshes of penetrations: bumpy, holed, hollow and long ones.
const MESHES: [&str; 6] = ["bumpy_sphere", "ring", "torus_knot", "bowl", "spoon", "u_shape"];

/// Obstacles of repairs.
const OBSTACLES: [&str; 5] =
    ["box:0.3,0.3,0.3", "sphere:0.15", "capsule:0.08,0.4", "cylinder:0.1,0.4", "box:0.1,0.5,0.2"];

/// Joints of the arm, with the range in which they are put [rad].
const JOINTS: [(&str, f64); 5] =
    [("turn", 3.0), ("shoulder", 1.2), ("elbow", 1.2), ("pitch", 1.2), ("roll", 3.0)];

/// Maximum distance of the middles of two meshes, over the sum of their radii: most pairs then collide.
const APART: f64 = 0.4;

/// Distances from the arm's root at which its obstacles are [m].
const REACH: [f64; 2] = [0.45, 0.9];

/// Kinds of the items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Penetrations of two meshes.
    Penetration,
    /// Repairs of an arm.
    Repair,
    /// Both in turn.
    Mixed,
}

/// Writes a long manifest.
#[derive(Debug, Parser)]
struct Arguments {
    /// Number of items.
    #[arg(long, default_value_t = 100_000)]
    items: u64,
    /// Kinds of the items.
    #[arg(long, default_value = "penetration")]
    kind: Kind,
    /// Seed of everything random.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Effort of a query.
    #[arg(long, default_value = "fast")]
    effort: String,
    /// The manifest.
    #[arg(short, long)]
    output: PathBuf,
}

/// Numbers that depend on the seed alone.
struct Numbers(SplitMix64);

impl Numbers {
    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        self.0.unit_interval()
    }

    fn range(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the length")]
        let index = (self.unit() * choices.len() as f64) as usize;
        &choices[index]
    }

    /// All directions alike.
    fn direction(&mut self) -> Vector3<f64> {
        let (z, angle) = (self.range(-1.0, 1.0), self.range(0.0, TAU));
        let radius = (1.0 - z * z).sqrt();
        Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
    }

    /// Uniformly distributed rotations: a quaternion of four normal numbers.
    fn rotation(&mut self) -> UnitQuaternion<f64> {
        let [a, b, c] = [self.unit(), TAU * self.unit(), TAU * self.unit()];
        let (low, high) = ((1.0 - a).sqrt(), a.sqrt());
        let quaternion =
            nalgebra::Quaternion::new(low * b.sin(), low * b.cos(), high * c.sin(), high * c.cos());
        UnitQuaternion::new_normalize(quaternion)
    }
}

/// The properties of a mesh that are used.
struct Mesh {
    path: String,
    middle: Point3<f64>,
    radius: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let folder = arguments.output.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let assets = path_from(folder)?;
    let meshes = MESHES.iter().map(|name| measured(name, &assets)).collect::<Result<Vec<_>, _>>()?;
    let mut output = BufWriter::new(File::create(&arguments.output)?);
    let mut numbers = Numbers(SplitMix64(arguments.seed));
    for index in 0..arguments.items {
        let is_repair = match arguments.kind {
            Kind::Penetration => false,
            Kind::Repair => true,
            Kind::Mixed => index % 2 == 1,
        };
        let item = match is_repair {
            true => repair(&mut numbers, &assets)?,
            false => penetration(&mut numbers, &meshes)?,
        };
        writeln!(output, "{item}, \"effort\": \"{}\"}}", arguments.effort)?;
    }
    Ok(output.flush()?)
}

/// The assets as seen from a folder, so that the manifest may be moved together with them.
fn path_from(folder: &Path) -> Result<String, Box<dyn Error>> {
    let plain = folder.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !plain {
        return Ok(std::path::absolute("assets")?.display().to_string());
    }
    let up = folder.components().filter(|part| matches!(part, Component::Normal(_))).count();
    Ok("../".repeat(up) + "assets")
}

fn measured(name: &str, assets: &str) -> Result<Mesh, Box<dyn Error>> {
    let mesh = read_mesh(format!("assets/meshes/{name}.obj"))?;
    let points = mesh.vertices();
    let corner = |pick: fn(f64, f64) -> f64| {
        points.iter().fold(points[0], |a, b| a.coords.zip_map(&b.coords, pick).into())
    };
    let middle = nalgebra::center(&corner(f64::min), &corner(f64::max));
    let radius = points.iter().map(|point| nalgebra::distance(point, &middle)).fold(0.0, f64::max);
    Ok(Mesh { path: format!("{assets}/meshes/{name}.obj"), middle, radius })
}

/// The start of an item, without its last brace.
fn penetration(numbers: &mut Numbers, meshes: &[Mesh]) -> Result<String, std::fmt::Error> {
    let (a, b) = (numbers.one_of(meshes), numbers.one_of(meshes));
    let rotations = [numbers.rotation(), numbers.rotation()];
    let apart = numbers.direction() * numbers.range(0.0, APART) * (a.radius + b.radius);
    let places = [apart - rotations[0] * a.middle.coords, -(rotations[1] * b.middle.coords)];
    let mut item = String::new();
    write!(item, r#"{{"kind": "penetration", "a": "{}", "b": "{}", "poses": {{"#, a.path, b.path)?;
    for (name, (rotation, place)) in ["a", "b"].into_iter().zip(rotations.iter().zip(&places)) {
        let comma = if name == "a" { ", " } else { "}" };
        write!(item, r#""{name}": {}{comma}"#, pose(place, rotation))?;
    }
    Ok(item)
}

/// The start of an item, without its last brace.
fn repair(numbers: &mut Numbers, assets: &str) -> Result<String, std::fmt::Error> {
    let mut item = format!(r#"{{"kind": "repair", "robot": "{assets}/robots/arm.urdf", "joints": {{"#);
    for (number, (joint, most)) in JOINTS.iter().enumerate() {
        let comma = if number == 0 { "" } else { ", " };
        write!(item, r#"{comma}"{joint}": {:.6}"#, numbers.range(-most, *most))?;
    }
    item.push_str(r#"}, "obstacle": ["#);
    // One of each of three shapes, in their order: few ensembles, at any number of places.
    let first = numbers.range(0.0, OBSTACLES.len() as f64).floor();
    for number in 0..3 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
        let shape = OBSTACLES[(first as usize + number) % OBSTACLES.len()];
        let mut place = numbers.direction() * numbers.range(REACH[0], REACH[1]);
        place.z = place.z.abs();
        let comma = if number == 0 { "" } else { ", " };
        write!(
            item,
            r#"{comma}{{"shape": "{shape}", "name": "obstacle_{number}", "pose": {}}}"#,
            pose(&place, &numbers.rotation())
        )?;
    }
    item.push(']');
    Ok(item)
}

fn pose(place: &Vector3<f64>, rotation: &UnitQuaternion<f64>) -> String {
    let [x, y, z] = [place.x, place.y, place.z];
    let q = rotation.quaternion();
    format!(
        r#"{{"translation": [{x:.9}, {y:.9}, {z:.9}], "rotation": [{:.9}, {:.9}, {:.9}, {:.9}]}}"#,
        q.w, q.i, q.j, q.k
    )
}
