//! Requests to check a scene: its contents, the defects and corrections of its files, and the overlaps at its start.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::allowed;
use super::fault::{Class, Fault};
use super::fields::{Fields, ItemFault};
use super::reply::Reply;
use super::text::{number, overlap};
use crate::scene::{Scene, overlaps, soft_overlaps};
use extricate_core::geometry::report::MeshReport;
use extricate_core::geometry::tet_mesh::quality::TetQuality;
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::kinematics::urdf::Correction;
use extricate_core::penetration::Effort;
use extricate_dynamics::{
    AllowedPair, BodyDescription, BodyPenetration, RobotDescription, RobotState, SoftBodyDescription, World,
};

/// Request to check a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRequest {
    /// The scene file.
    pub scene: String,
    /// Options of the check.
    pub fields: CheckFields,
}

/// Options of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct CheckFields {
    /// Fail if bodies overlap at the start, meshes have defects, or files of meshes or robots were corrected.
    #[cfg_attr(feature = "clap", arg(long))]
    pub strict: bool,
}

/// Findings of `check`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckResponse {
    /// Whether findings are failures.
    #[serde(skip)]
    strict: bool,
    /// The overlaps, for text.
    #[serde(skip)]
    overlaps: Vec<BodyPenetration>,
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

impl CheckRequest {
    /// Takes the fields of the request.
    pub(super) fn take(fields: &mut Fields) -> Result<Self, ItemFault> {
        Ok(Self { scene: fields.need("scene")?, fields: fields.part()? })
    }
}

impl CheckFields {
    /// Checks a scene.
    ///
    /// # Errors
    /// A [`Fault`] where no world can be built of the scene, or the penetration depth of an overlap cannot be computed.
    pub fn check(self, scene: &Scene) -> Result<CheckResponse, Fault> {
        let world = scene.world().map_err(|error| Fault::of(Class::BadFile, &error))?;
        let rigid = overlaps(&world, Effort::Best).map_err(|error| Fault::of(Class::Numerical, &error))?;
        let soft = soft_overlaps(&world);
        let penetrations =
            rigid.iter().map(|pair| penetration(pair, "rigid")).chain(soft.iter().map(|pair| {
                let kind = if pair.bodies[0] == pair.bodies[1] { "self" } else { "soft" };
                penetration(pair, kind)
            }));
        let penetrations = penetrations.collect();
        Ok(CheckResponse {
            strict: self.strict,
            overlaps: [rigid, soft].concat(),
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
        })
    }
}

impl CheckResponse {
    /// Whether meshes have defects, or files were corrected.
    fn has_defects(&self) -> bool {
        self.meshes.iter().any(|mesh| !mesh.defects.is_empty())
            || self.robots.iter().any(|robot| !robot.corrections.is_empty())
            || !self.mesh_corrections.is_empty()
    }
}

impl Reply for CheckResponse {
    fn status(&self) -> &'static str {
        match (self.penetrations.is_empty(), self.has_defects()) {
            (false, _) => "overlapping",
            (true, true) => "defective",
            (true, false) => "sound",
        }
    }

    fn shortfall(&self) -> Option<Fault> {
        let fault = |class, what: &str| Some(Fault::new(class, format!("`strict`: {what}")));
        match self.status() {
            "overlapping" if self.strict => fault(Class::InitialPenetration, "bodies overlap at the start"),
            "defective" if self.strict => {
                fault(Class::CheckFailed, "meshes have defects, or files were corrected")
            }
            _ => None,
        }
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

impl fmt::Display for CheckResponse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { scene, title, bodies, joints, robots, steps, meshes, .. } = self;
        writeln!(f, "{scene}: {title}")?;
        write!(f, "  {bodies} bodies, {joints} joints, {steps} steps")?;
        robots.iter().try_for_each(|robot| write!(f, "{robot}"))?;
        for mesh in meshes {
            let defects = if mesh.defects.is_empty() { "no defects".into() } else { mesh.defects.join(", ") };
            let MeshFinding { body, triangles, solidity, .. } = mesh;
            let solidity = if *solidity == Solidity::Solid { "solid" } else { "surface" };
            write!(f, "\n  mesh of {body}: {solidity} of {triangles} triangles, {defects}")?;
        }
        for soft in &self.soft {
            let SoftFinding { body, nodes, elements, mass, held_nodes, .. } = soft;
            write!(
                f,
                "\n  soft {body}: {elements} tetrahedra, {nodes} nodes, {held_nodes} of them held, {} kg, dihedral angles {:.1}° to {:.1}°",
                number(*mass),
                soft.least_dihedral,
                soft.greatest_dihedral
            )?;
        }
        if self.overlaps.is_empty() {
            return f.write_str("\n  no bodies overlap at the start");
        }
        self.overlaps.iter().try_for_each(|pair| write!(f, "\n  overlap: {}", overlap(pair)))
    }
}

/// The robot with the disabled contacts between its links.
impl fmt::Display for RobotFinding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { robot, joints, allowed_collisions, collisions_at_start, .. } = self;
        let allowed = allowed_collisions.len();
        write!(f, "\n  robot {robot}: {joints} movable joints, {allowed} pairs of links allowed to collide")?;
        for AllowedFinding { bodies: [a, b], because, configurations } in allowed_collisions {
            let why = allowed::explanation(
                (because, *configurations),
                "the start",
                "the scene or the file of the robot",
            );
            write!(f, "\n    {a} and {b}: {why}")?;
        }
        collisions_at_start
            .iter()
            .try_for_each(|[a, b]| write!(f, "\n    colliding at the start: {a} and {b}"))
    }
}
