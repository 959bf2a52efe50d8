//! Depths of deformed soft bodies: accuracy of depths at rest and of updated ones, and the work of updates in running scenes.
//!
//! ```text
//! cargo run --release --example depth_updates -- scenes/soft/snake_apple.ron
//! ```
//!
//! The first table presses a block to a fraction of its height and compares the depths of four nodes 2 cm below its upper face with
//! closest points of the deformed surface. The second runs scenes and counts what the updates of distance fields compute
//! [Fisher01, tables 1 and 2]: grid points, as a part of those of whole fields, and time.

#![expect(clippy::print_stdout, reason = "a program that prints tables")]

use std::error::Error;
use std::path::Path;

use extricate::dynamics::soft::contact::node_depths;
use extricate::dynamics::soft::contact::{ContactOptions, DepthUpdate, FieldWork, Probe, SoftContact};
use extricate::field::{DistanceField, FieldOptions, Side};
use extricate::geometry::tet_mesh::procedural::block;
use extricate::geometry::{Solidity, TetMesh};
use extricate::proximity::{Model, closest_point};
use extricate::scene::Scene;
use nalgebra::{Point3, Vector3};

/// Grid points along the longest side, with the margin of the grid.
const RESOLUTION: usize = 33;

/// Source of the depths.
#[derive(Debug, Clone, Copy)]
enum Depths {
    ExactAtRest,
    GridAtRest,
    GridUpdated,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{:>12} {:>15} {:>15} {:>15}", "compression", "exact at rest", "grid at rest", "grid updated");
    for compression in [0.1, 0.3, 0.6] {
        let [exact, grid, updated] = [Depths::ExactAtRest, Depths::GridAtRest, Depths::GridUpdated]
            .map(|depths| error(compression, depths).map_or(f64::NAN, |error| 100.0 * error));
        println!("{:>10} % {exact:>13.2} % {grid:>13.2} % {updated:>13.2} %", 100.0 * compression);
    }
    for path in std::env::args().skip(1) {
        work(Path::new(&path))?;
    }
    Ok(())
}

/// Maximum relative error of the depths in a compressed block.
fn error(compression: f64, depths: Depths) -> Result<f64, Box<dyn Error>> {
    let kept = 1.0 - compression;
    let lower = block([8; 3], Vector3::repeat(2.0), Point3::origin())?;
    let upper = block([1; 3], Vector3::new(0.31, 0.31, 0.3), Point3::new(0.84, 0.86, 2.0 * kept - 0.02))?;
    let mut contact = SoftContact::new(ContactOptions { edges: false, ..ContactOptions::default() })?;
    let how = DepthUpdate { resolution: RESOLUTION, tolerance: 0.05 };
    match depths {
        Depths::ExactAtRest => contact.add_body(&lower, 0, &node_depths(&lower))?,
        Depths::GridAtRest => contact.add_body(&lower, 0, &sampled(&lower)?)?,
        Depths::GridUpdated => contact.add_following_body(&lower, 0, how)?,
    };
    let first = u32::try_from(lower.nodes().len())?;
    contact.add_body(&upper, first, &node_depths(&upper))?;
    let pressed: Vec<_> = lower.nodes().iter().map(|p| Point3::new(p.x, p.y, kept * p.z)).collect();
    let x: Vec<_> = pressed.iter().chain(upper.nodes()).map(|p| p.coords).collect();
    contact.begin_step(&x, 0.01);
    let surface = Model::new(TetMesh::new(pressed, lower.tets().to_vec())?.surface(), Solidity::Solid);
    let of_upper = |probe: &Probe| matches!(probe, Probe::Node(block) if *block >= first);
    let contacts = contact.contacts(&x).iter().filter(|contact| of_upper(&contact.probe));
    let errors = contacts.map(|c| (c.depth / closest_point(&surface, &c.point.into()).distance - 1.0).abs());
    Ok(errors.fold(0.0, f64::max))
}

/// Depths of the nodes at rest from a grid.
fn sampled(mesh: &TetMesh) -> Result<Vec<f64>, Box<dyn Error>> {
    let options = FieldOptions { resolution: RESOLUTION, side: Side::Inside, ..FieldOptions::default() };
    let field = DistanceField::of(&mesh.surface(), &options)?;
    Ok(mesh.nodes().iter().map(|node| (-field.value(node)).max(0.0)).collect())
}

/// Runs a scene and prints the work of its updates.
fn work(path: &Path) -> Result<(), Box<dyn Error>> {
    let scene = Scene::load(path)?;
    let mut world = scene.world()?;
    let (mut all, mut steps, mut time) = (FieldWork::default(), 0_usize, 0.0);
    for _ in 0..scene.steps(scene.duration) {
        let report = world.step()?;
        all += report.soft.map_or_else(FieldWork::default, |soft| soft.fields);
        time += report.timings.total.as_secs_f64();
        steps += 1;
    }
    let FieldWork { updates, whole, points, time: of_updates } = all;
    let part = 100.0 * points[0] as f64 / points[1].max(1) as f64;
    println!(
        "{}: {updates} updates in {steps} steps, {whole} of them whole; {part:.1} % of the points of whole fields computed; {:.2} ms \
         an update, {:.2} ms a step",
        path.display(),
        1e3 * of_updates / updates.max(1) as f64,
        1e3 * time / steps.max(1) as f64
    );
    Ok(())
}
