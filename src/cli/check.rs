//! `extricate check`: is a scene sound, and does anything overlap at its start?

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_core::geometry::report::MeshReport;
use extricate_core::geometry::tet_mesh::quality::TetQuality;
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::penetration::Effort;
use extricate_core::proximity::AllowedBecause;
use extricate_dynamics::{
    AllowedPair, BodyDescription, BodyPenetration, RobotState, SoftBodyDescription, World,
};
use extricate_scene::request::text::{number, overlap};
use extricate_scene::scene::{overlaps, soft_overlaps};

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
    robots: Vec<RobotFinding>,
    soft: Vec<SoftFinding>,
    steps: u64,
    penetrations: Vec<Penetration>,
    meshes: Vec<MeshFinding>,
}

#[derive(Debug, Serialize)]
struct Penetration {
    bodies: [String; 2],
    /// `rigid`, `soft` where a soft body takes part, `self` where it overlaps with itself.
    kind: &'static str,
    depth: f64,
    relative: f64,
}

#[derive(Debug, Serialize)]
struct SoftFinding {
    body: String,
    nodes: usize,
    elements: usize,
    volume: f64,
    mass: f64,
    held_nodes: usize,
    least_dihedral: f64,
    greatest_dihedral: f64,
}

#[derive(Debug, Serialize)]
struct RobotFinding {
    robot: String,
    joints: usize,
    allowed_collisions: Vec<AllowedFinding>,
    collisions_at_start: Vec<[String; 2]>,
}

#[derive(Debug, Serialize)]
struct AllowedFinding {
    bodies: [String; 2],
    because: &'static str,
    configurations: u32,
}

#[derive(Debug, Serialize)]
struct MeshFinding {
    body: String,
    triangles: usize,
    solidity: Solidity,
    defects: Vec<String>,
}

/// Checks the scene.
pub(super) fn execute(console: &mut Console, arguments: &Arguments) -> Result<(), Failure> {
    let scene = console.access().scene(&arguments.scene)?;
    let world = scene.world().map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let rigid = overlaps(&world, Effort::Best).map_err(|error| Failure::of(Exit::Numerical, &error))?;
    let soft = soft_overlaps(&world);
    let penetrations = rigid.iter().map(|pair| penetration(pair, "rigid")).chain(soft.iter().map(|pair| {
        let kind = if pair.bodies[0] == pair.bodies[1] { "self" } else { "soft" };
        penetration(pair, kind)
    }));
    let penetrations = penetrations.collect();
    let overlaps = [rigid, soft].concat();
    let findings = Findings {
        scene: scene.name(),
        title: scene.title.clone(),
        bodies: world.descriptions().len(),
        joints: scene.joints.len(),
        robots: world.robots().iter().map(|robot| robot_finding(&world, robot)).collect(),
        steps: scene.steps(scene.duration),
        soft: world.soft_descriptions().iter().map(soft_finding).collect(),
        penetrations,
        meshes: meshes(world.descriptions()),
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

fn penetration(overlap: &BodyPenetration, kind: &'static str) -> Penetration {
    let relative = overlap.depth / overlap.size;
    Penetration { bodies: overlap.bodies.clone(), kind, depth: overlap.depth, relative }
}

fn soft_finding(body: &SoftBodyDescription) -> SoftFinding {
    let (volume, quality) = (body.mesh.volume(), TetQuality::of(&body.mesh));
    let handles = body.handles.iter().map(|handle| handle.nodes.len());
    let attachments = body.attachments.iter().map(|attachment| attachment.nodes.len());
    SoftFinding {
        body: body.name.clone(),
        nodes: body.mesh.nodes().len(),
        elements: body.mesh.tets().len(),
        volume,
        mass: body.material.density() * volume,
        held_nodes: handles.chain(attachments).sum(),
        least_dihedral: quality.least_dihedral,
        greatest_dihedral: quality.greatest_dihedral,
    }
}

/// A robot with the collisions between its links that are allowed, and why.
fn robot_finding(world: &World, robot: &RobotState) -> RobotFinding {
    let finding = |pair: &AllowedPair| {
        let (because, configurations) = match pair.because {
            AllowedBecause::Adjacent => ("adjacent", 0),
            AllowedBecause::AlwaysColliding { configurations } => ("always_colliding", configurations),
            AllowedBecause::Given => ("given", 0),
        };
        AllowedFinding { bodies: pair.bodies.clone(), because, configurations }
    };
    RobotFinding {
        robot: robot.name.clone(),
        joints: robot.joints.len(),
        allowed_collisions: world
            .allowed_collisions(&robot.name)
            .unwrap_or_default()
            .iter()
            .map(finding)
            .collect(),
        collisions_at_start: world.self_collisions_at_start(&robot.name).unwrap_or_default().to_vec(),
    }
}

/// Every mesh once, named by the first body that has it.
fn meshes(bodies: &[BodyDescription]) -> Vec<MeshFinding> {
    let mut seen: Vec<&TriangleMesh> = Vec::new();
    let mut found = Vec::new();
    for body in bodies {
        let Some(model) = body.shape.model() else { continue };
        if seen.iter().any(|mesh| std::ptr::eq(*mesh, model.mesh())) {
            continue;
        }
        seen.push(model.mesh());
        let triangles = model.mesh().triangles().len();
        let defects = defects(&MeshReport::of(model.mesh()));
        let solidity = model.solidity();
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
    let Findings { scene, title, bodies, joints, robots, steps, meshes, .. } = findings;
    console.line(format_args!("{scene}: {title}"))?;
    console.line(format_args!("  {bodies} bodies, {joints} joints, {steps} steps"))?;
    for robot in robots {
        tell_robot(console, robot)?;
    }
    for mesh in meshes {
        let defects = if mesh.defects.is_empty() { "no defects".into() } else { mesh.defects.join(", ") };
        let MeshFinding { body, triangles, solidity, .. } = mesh;
        let solidity = if *solidity == Solidity::Solid { "solid" } else { "surface" };
        console.line(format_args!("  mesh of {body}: {solidity} of {triangles} triangles, {defects}"))?;
    }
    for soft in &findings.soft {
        let SoftFinding { body, nodes, elements, mass, held_nodes, .. } = soft;
        console.line(format_args!(
            "  soft {body}: {elements} tetrahedra, {nodes} nodes, {held_nodes} of them held, {} kg, dihedral angles {:.1}° to {:.1}°",
            number(*mass),
            soft.least_dihedral,
            soft.greatest_dihedral
        ))?;
    }
    if overlaps.is_empty() {
        return console.line("  no bodies overlap at the start");
    }
    overlaps.iter().try_for_each(|pair| console.line(format_args!("  overlap: {}", overlap(pair))))
}

/// A robot with the contacts between its links that are off.
fn tell_robot(console: &mut Console, robot: &RobotFinding) -> Result<(), Failure> {
    let RobotFinding { robot, joints, allowed_collisions, collisions_at_start } = robot;
    console.line(format_args!(
        "  robot {robot}: {joints} joints that move, {} pairs of links are allowed to collide",
        allowed_collisions.len()
    ))?;
    for AllowedFinding { bodies: [a, b], because, configurations } in allowed_collisions {
        let why = match *because {
            "always_colliding" => {
                format!("they collide at the start and in all of {configurations} other configurations")
            }
            "given" => String::from("the scene says so"),
            other => other.to_owned(),
        };
        console.line(format_args!("    {a} and {b}: {why}"))?;
    }
    collisions_at_start
        .iter()
        .try_for_each(|[a, b]| console.line(format_args!("    collide at the start: {a} and {b}")))
}
