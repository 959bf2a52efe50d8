//! `extricate check`: is a scene sound, and does anything overlap at its start?

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::console::Console;
use super::failure::{Exit, Failure};
use super::table;
use crate::dynamics::{BodyPenetration, Shape};
use crate::geometry::report::MeshReport;
use crate::geometry::{Solidity, TriangleMesh};
use crate::penetration::Effort;
use crate::scene::{Scene, overlaps};

const EXAMPLES: &str = "\
Examples:
  extricate check scenes/rigid/ring_stack.ron
  extricate check scene.ron --strict

With --strict, bodies that overlap end with exit code 4, else defects of meshes with exit code 1.";

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The scene file.
    scene: PathBuf,
    /// Fail when bodies overlap at the start or meshes have defects.
    #[arg(long)]
    strict: bool,
}

/// What was found.
#[derive(Debug, Serialize)]
struct Findings {
    scene: String,
    title: String,
    bodies: usize,
    joints: usize,
    steps: u64,
    penetrations: Vec<Penetration>,
    meshes: Vec<MeshFinding>,
}

#[derive(Debug, Serialize)]
struct Penetration {
    bodies: [String; 2],
    depth: f64,
    relative: f64,
}

#[derive(Debug, Serialize)]
struct MeshFinding {
    body: String,
    triangles: usize,
    solidity: &'static str,
    defects: Vec<String>,
}

/// Checks the scene.
pub(super) fn execute(console: &mut Console, arguments: &Arguments) -> Result<(), Failure> {
    let scene = Scene::load(&arguments.scene)?;
    let world = scene.world().map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let overlaps = overlaps(&world, Effort::Best).map_err(|error| Failure::of(Exit::Numerical, &error))?;
    let findings = Findings {
        scene: scene.name(),
        title: scene.title.clone(),
        bodies: scene.bodies.len(),
        joints: scene.joints.len(),
        steps: scene.steps(scene.duration),
        penetrations: overlaps.iter().map(penetration).collect(),
        meshes: meshes(&scene),
    };
    if console.json() {
        console.json_line(&findings)?;
    } else {
        tell(console, &findings, &overlaps)?;
    }
    let has_defects = findings.meshes.iter().any(|mesh| !mesh.defects.is_empty());
    match arguments.strict {
        true if !overlaps.is_empty() => Err(Failure::Silent(Exit::InitialPenetration)),
        true if has_defects => Err(Failure::Silent(Exit::CheckFailed)),
        _ => Ok(()),
    }
}

fn penetration(overlap: &BodyPenetration) -> Penetration {
    let relative = overlap.depth / overlap.size;
    Penetration { bodies: overlap.bodies.clone(), depth: overlap.depth, relative }
}

/// Every mesh once, named by the first body that has it.
fn meshes(scene: &Scene) -> Vec<MeshFinding> {
    let mut seen: Vec<&TriangleMesh> = Vec::new();
    let mut found = Vec::new();
    for body in &scene.bodies {
        let Shape::Mesh(model) = &body.shape else { continue };
        if seen.iter().any(|mesh| std::ptr::eq(*mesh, model.mesh())) {
            continue;
        }
        seen.push(model.mesh());
        let solidity = if model.solidity() == Solidity::Solid { "solid" } else { "surface" };
        let triangles = model.mesh().triangles().len();
        let defects = defects(&MeshReport::of(model.mesh()));
        found.push(MeshFinding { body: body.name.clone(), triangles, solidity, defects });
    }
    found
}

/// What is wrong with a mesh, as a physicist would see it: an open surface is no defect of a surface that says so.
fn defects(report: &MeshReport) -> Vec<String> {
    let counts = [
        (report.degenerate_triangles, "triangles without area"),
        (report.duplicate_triangles, "triangles that stand twice"),
        (report.unbalanced_edges, "open edges"),
        (report.non_manifold_edges, "edges of more than two triangles"),
        (report.misoriented_edges, "edges at which the sides disagree on which is out"),
        (report.non_manifold_vertices, "vertices at which several surfaces meet"),
        (usize::from(report.inside_out), "mesh that is inside out"),
    ];
    counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect()
}

fn tell(console: &mut Console, findings: &Findings, overlaps: &[BodyPenetration]) -> Result<(), Failure> {
    let Findings { scene, title, bodies, joints, steps, meshes, .. } = findings;
    console.line(format_args!("{scene}: {title}"))?;
    console.line(format_args!("  {bodies} bodies, {joints} joints, {steps} steps"))?;
    for mesh in meshes {
        let defects = if mesh.defects.is_empty() { "no defects".into() } else { mesh.defects.join(", ") };
        let MeshFinding { body, triangles, solidity, .. } = mesh;
        console.line(format_args!("  mesh of {body}: {solidity} of {triangles} triangles, {defects}"))?;
    }
    if overlaps.is_empty() {
        return console.line("  no bodies overlap at the start");
    }
    overlaps.iter().try_for_each(|pair| console.line(format_args!("  overlap: {}", table::overlap(pair))))
}
