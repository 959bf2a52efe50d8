//! `extricate check`: validates a scene and lists overlaps at its start.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::allowed;
use super::terminal::{Console, Exit, Failure};
use extricate_core::geometry::report::MeshReport;
use extricate_core::geometry::tet_mesh::quality::TetQuality;
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::kinematics::urdf::Correction;
use extricate_core::penetration::Effort;
use extricate_dynamics::{
    AllowedPair, BodyDescription, BodyPenetration, RobotDescription, RobotState, SoftBodyDescription, World,
};
use extricate_scene::request::text::{number, overlap};
use extricate_scene::scene::{overlaps, soft_overlaps};

const EXAMPLES: &str = "\
Examples:
  extricate check scenes/rigid/ring_stack.ron
  extricate check scene.ron --strict

With --strict, overlapping bodies give exit code 4, otherwise mesh defects and corrections of files exit code 1.";

/// CheckArguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckArguments {
    /// The scene file.
    scene: PathBuf,
    /// Fail if bodies overlap at the start, meshes have defects, or files of meshes or robots were corrected.
    #[arg(long)]
    strict: bool,
}

/// Findings of `check`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Findings {
    /// Name of the scene.
    scene: String,
    /// Its title.
    title: String,
    /// Number of rigid bodies.
    bodies: usize,
    /// Number of joints.
    joints: usize,
    /// Robots, sorted by name.
    robots: Vec<RobotFinding>,
    /// Soft bodies.
    soft: Vec<SoftFinding>,
    /// Steps of a whole run.
    steps: u64,
    /// Pairs that overlap at the start.
    penetrations: Vec<Penetration>,
    /// Every mesh once.
    meshes: Vec<MeshFinding>,
    /// Corrections of mesh files of its shapes.
    mesh_corrections: Vec<CorrectionFinding>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Penetration {
    /// Names of the two bodies.
    bodies: [String; 2],
    /// `rigid`, `soft` if a soft body is involved, `self` if it overlaps with itself.
    #[schemars(extend("enum" = ["rigid", "soft", "self"]))]
    kind: &'static str,
    /// Penetration depth [m].
    #[schemars(extend("exclusiveMinimum" = 0))]
    depth: f64,
    /// Depth over the size of the smaller body.
    #[schemars(extend("exclusiveMinimum" = 0))]
    relative: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SoftFinding {
    /// Name of the body.
    body: String,
    /// Nodes.
    nodes: usize,
    /// Tetrahedra.
    elements: usize,
    /// Volume at rest [m³].
    #[schemars(extend("exclusiveMinimum" = 0))]
    volume: f64,
    /// Mass [kg].
    #[schemars(extend("exclusiveMinimum" = 0))]
    mass: f64,
    /// Nodes of handles and attachments.
    held_nodes: usize,
    /// Minimum dihedral angle [°].
    least_dihedral: f64,
    /// Maximum dihedral angle [°].
    greatest_dihedral: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RobotFinding {
    /// Name of the robot.
    robot: String,
    /// Number of links of its file; a joint with several degrees of freedom adds one for each but the last.
    links: usize,
    /// Number of joints that move independently.
    joints: usize,
    /// Number of joints that follow others.
    mimic_joints: usize,
    /// Sum of the masses that its file states [kg].
    #[schemars(range(min = 0.0))]
    mass: f64,
    /// Pairs of its bodies that may collide: their contacts are disabled.
    allowed_collisions: Vec<AllowedFinding>,
    /// Other pairs of its bodies that collide at the start.
    collisions_at_start: Vec<[String; 2]>,
    /// Corrections of its file.
    corrections: Vec<CorrectionFinding>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CorrectionFinding {
    /// The file.
    file: String,
    /// The line, from 1; 0 where it is not known.
    line: usize,
    /// The link, joint or part of a mesh file.
    part: String,
    /// The defect that was found.
    found: String,
    /// Its correction.
    became: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AllowedFinding {
    /// Names of the two bodies.
    bodies: [String; 2],
    /// `adjacent`: one is the parent of the other; `always_colliding`: at the start and in all sampled configurations; `given`: by the scene or the file of the robot.
    #[schemars(extend("enum" = ["adjacent", "always_colliding", "given"]))]
    because: &'static str,
    /// Number of sampled configurations; 0 where none were needed.
    configurations: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct MeshFinding {
    /// The first body that has it.
    body: String,
    /// Number of triangles.
    triangles: usize,
    /// Whether it has an inside.
    #[schemars(with = "String", extend("enum" = ["solid", "surface"]))]
    solidity: Solidity,
    /// Its defects.
    defects: Vec<String>,
}

/// Checks the scene.
pub(super) fn execute(console: &mut Console, arguments: &CheckArguments) -> Result<(), Failure> {
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
        robots: world.robots().iter().map(|robot| robot_finding(&world, robot, &scene.robots)).collect(),
        steps: scene.steps(scene.duration),
        soft: world.soft_descriptions().iter().map(soft_finding).collect(),
        penetrations,
        meshes: meshes(world.descriptions()),
        mesh_corrections: scene.mesh_corrections.iter().map(correction_finding).collect(),
    };
    if console.json() {
        console.json_line(&findings)?;
    } else {
        print_findings(console, &findings, &overlaps)?;
    }
    let has_defects = findings.meshes.iter().any(|mesh| !mesh.defects.is_empty())
        || findings.robots.iter().any(|robot| !robot.corrections.is_empty())
        || !findings.mesh_corrections.is_empty();
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
        least_dihedral: quality.min_dihedral,
        greatest_dihedral: quality.max_dihedral,
    }
}

/// Findings on a robot, with the allowed collisions between its links and their reasons.
fn robot_finding(world: &World, robot: &RobotState, described: &[RobotDescription]) -> RobotFinding {
    let description = described.iter().find(|description| description.name == robot.name);
    let corrections = description.map_or(&[][..], |description| &description.corrections);
    let finding = |pair: &AllowedPair| {
        let (because, configurations) = allowed::reason(pair.because);
        AllowedFinding { bodies: pair.bodies.clone(), because, configurations }
    };
    let joints = description.map_or(0, |own| own.articulation.coordinates().len());
    let stated_mass = |own: &RobotDescription| {
        own.links
            .iter()
            .filter_map(|link| link.inertial)
            .map(|inertial| inertial.mass)
            .fold(0.0, |sum, mass| sum + mass)
    };
    RobotFinding {
        robot: robot.name.clone(),
        links: description.map_or(0, |own| own.links.len()),
        joints,
        mimic_joints: robot.joints.len() - joints,
        mass: description.map_or(0.0, stated_mass),
        allowed_collisions: world
            .allowed_collisions(&robot.name)
            .unwrap_or_default()
            .iter()
            .map(finding)
            .collect(),
        collisions_at_start: world.self_collisions_at_start(&robot.name).unwrap_or_default().to_vec(),
        corrections: corrections.iter().map(correction_finding).collect(),
    }
}

fn correction_finding(correction: &Correction) -> CorrectionFinding {
    let Correction { path, line, part, found, became } = correction.clone();
    CorrectionFinding { file: path.display().to_string(), line, part, found, became }
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

/// Defects of a mesh that matter to physics.
fn defects(report: &MeshReport) -> Vec<String> {
    let counts = [
        (report.degenerate_triangles, "triangles without area"),
        (report.duplicate_triangles, "duplicate triangles"),
        (report.unbalanced_edges, "open edges"),
        (report.non_manifold_edges, "non-manifold edges"),
        (report.misoriented_edges, "inconsistently oriented edges"),
        (report.non_manifold_vertices, "non-manifold vertices"),
        (usize::from(report.inside_out), "mesh inside out"),
    ];
    counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect()
}

fn print_findings(
    console: &mut Console,
    findings: &Findings,
    overlaps: &[BodyPenetration],
) -> Result<(), Failure> {
    let Findings { scene, title, bodies, joints, robots, steps, meshes, .. } = findings;
    console.line(format_args!("{scene}: {title}"))?;
    console.line(format_args!("  {bodies} bodies, {joints} joints, {steps} steps"))?;
    for robot in robots {
        print_robot(console, robot)?;
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

/// Prints a robot with the disabled contacts between its links.
fn print_robot(console: &mut Console, robot: &RobotFinding) -> Result<(), Failure> {
    let RobotFinding { robot, joints, allowed_collisions, collisions_at_start, .. } = robot;
    console.line(format_args!(
        "  robot {robot}: {joints} movable joints, {} pairs of links allowed to collide",
        allowed_collisions.len()
    ))?;
    for AllowedFinding { bodies: [a, b], because, configurations } in allowed_collisions {
        let why = allowed::explanation(
            (because, *configurations),
            "the start",
            "the scene or the file of the robot",
        );
        console.line(format_args!("    {a} and {b}: {why}"))?;
    }
    collisions_at_start
        .iter()
        .try_for_each(|[a, b]| console.line(format_args!("    colliding at the start: {a} and {b}")))
}
