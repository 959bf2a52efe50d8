//! Soft bodies of a scene for the dynamics: meshes read or generated, regions converted to sets of nodes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use extricate_core::parallel;
use nalgebra::{Isometry3, Point3, Vector3};

use super::error::{Fault, Problem};
use super::files::Files;
use super::locate::Step::{self, Field, Index};
use super::parse::Document;
use super::placement::{orientation, point, vector};
use super::schema::{
    self, DepthsEntry, ElementsEntry, HandleEntry, MaterialEntry, Measured, ModelEntry, NodesEntry, Quantity,
    SchemeEntry, SectionEntry, SoftBodyEntry, TetMeshEntry,
};
use super::shape;
use extricate_core::field::tetrahedralize::{TetrahedralizeOptions, tetrahedralize};
use extricate_core::geometry::TetMesh;
use extricate_core::geometry::tet_mesh::procedural::{Bore, Section, block, bored_rod, ring, rod};
use extricate_core::geometry::tet_mesh::read::read_tets;
use extricate_dynamics::soft::Scheme;
use extricate_dynamics::soft::contact::DepthUpdate;
use extricate_dynamics::soft::element::ElementKind;
use extricate_dynamics::soft::material::{Constitutive, Material};
use extricate_dynamics::{
    Handle, Keyframe, NodeDepths, SoftAttachment, SoftBodyDescription, SoftOptions, SoftScheme,
};

/// Distance from a region, over the size of the mesh, within which a node belongs to it: a plane through nodes selects them
/// whatever the rounding of their coordinates. It must exceed rounding (1e-16) and stay far below the spacing of nodes.
const ON_PLANE: f64 = 1e-9;

/// A soft body and the files of its mesh: each path as written, and resolved against the folder of the scene.
#[derive(Debug, Clone)]
pub(super) struct LoadedSoft {
    pub(super) description: SoftBodyDescription,
    pub(super) files: Vec<(String, PathBuf)>,
}

/// An error of a soft body, with its path in the entry.
type Failure = (Vec<Step>, Fault);

/// All soft bodies of a scene, in the order of the file.
pub(super) fn load(document: &Document, files: &Files) -> Result<Vec<LoadedSoft>, Vec<Problem>> {
    let entries = &document.file.soft_bodies;
    let loaded: Vec<_> = parallel::map_slice(entries, 1, |entry| load_one(entry, files));
    let (mut bodies, mut problems) = (Vec::new(), Vec::new());
    for (index, result) in loaded.into_iter().enumerate() {
        match result {
            Ok(body) => bodies.push(body),
            Err((place, fault)) => {
                let path = [&[Field("soft_bodies"), Index(index)], place.as_slice()].concat();
                problems.push(document.problem(&path, fault));
            }
        }
    }
    if problems.is_empty() { Ok(bodies) } else { Err(problems) }
}

/// Errors of expectations about nodes that their soft body does not have.
pub(super) fn wrong_expectations(document: &Document, bodies: &[LoadedSoft]) -> Vec<Problem> {
    let wrong = |(index, measured): (usize, &Measured)| {
        let Quantity::Deflection { body, nodes, .. } = &measured.quantity else { return None };
        let soft = bodies.iter().find(|soft| soft.description.name == *body)?;
        let fault = nodes_of(&soft.description.mesh, body, nodes).err()?;
        let path = [Field("expect"), Field("measured"), Index(index), Field("quantity"), Field("nodes")];
        Some(document.problem(&path, fault))
    };
    document.file.expect.measured.iter().enumerate().filter_map(wrong).collect()
}

/// Stepping options of soft bodies; missing fields have the defaults of the dynamics.
pub(super) fn options(soft: &schema::SoftEntry) -> SoftOptions {
    let mut options = SoftOptions { scheme: scheme(soft.scheme), ..SoftOptions::default() };
    let (newton, contact) = (&mut options.newton, &mut options.contact);
    newton.max_iterations = soft.newton.max_iterations.map_or(newton.max_iterations, |count| count as usize);
    newton.relative_tolerance = soft.newton.tolerance.unwrap_or(newton.relative_tolerance);
    newton.once = soft.newton.once;
    let given = soft.contact;
    contact.stiffness = given.stiffness.unwrap_or(contact.stiffness);
    // A step without iterations does not resolve a pressure that stiffens within it.
    let iterates = !(newton.once || matches!(soft.scheme, SchemeEntry::SymplecticEuler));
    let never = f64::INFINITY;
    contact.stiffen_beyond =
        given.stiffen_beyond.unwrap_or(if iterates { contact.stiffen_beyond } else { never });
    contact.friction = given.friction.unwrap_or(contact.friction);
    contact.edges = given.edges.unwrap_or(contact.edges);
    contact.self_contact = given.self_contact.unwrap_or(contact.self_contact);
    contact.creep = given.creep.or(contact.creep);
    contact.recovery = given.recovery.or(contact.recovery);
    contact.near = given.near.unwrap_or(contact.near);
    contact.margin = given.margin.or(contact.margin);
    options
}

fn scheme(scheme: SchemeEntry) -> SoftScheme {
    match scheme {
        SchemeEntry::ImplicitEuler => SoftScheme::Dynamic(Scheme::ImplicitEuler),
        SchemeEntry::ImplicitMidpoint => SoftScheme::Dynamic(Scheme::ImplicitMidpoint),
        SchemeEntry::Newmark => SoftScheme::Dynamic(Scheme::Newmark),
        SchemeEntry::SymplecticEuler => SoftScheme::Dynamic(Scheme::SymplecticEuler),
        SchemeEntry::QuasiStatic => SoftScheme::QuasiStatic,
    }
}

fn load_one(entry: &SoftBodyEntry, files: &Files) -> Result<LoadedSoft, Failure> {
    let (mesh, named) = mesh(&entry.mesh, files).map_err(|failure| within("mesh", failure))?;
    files.count(mesh.tets().len()).map_err(|fault| at("mesh", fault))?;
    let material = material(&entry.material)
        .map_err(|cause| at("material", Fault::Contradiction { message: cause.to_string() }))?;
    let pose = Isometry3::from_parts(vector(entry.position).into(), orientation(&entry.rotation));
    let mesh = Arc::new(mesh);
    let mut description = SoftBodyDescription {
        elements: match entry.elements {
            ElementsEntry::Linear => ElementKind::Linear,
            ElementsEntry::Quadratic => ElementKind::Quadratic,
        },
        linear_velocity: vector(entry.linear_velocity),
        angular_velocity: vector(entry.angular_velocity),
        depths: match entry.depths {
            DepthsEntry::Exact => NodeDepths::Exact,
            DepthsEntry::Grid { resolution, update: None } => {
                NodeDepths::Grid { resolution: resolution as usize }
            }
            DepthsEntry::Grid { resolution, update: Some(tolerance) } => {
                NodeDepths::UpdatedGrid(DepthUpdate { resolution: resolution as usize, tolerance })
            }
        },
        ..SoftBodyDescription::new(&entry.name, mesh, material, pose)
    };
    constrain(entry, &mut description)?;
    Ok(LoadedSoft { description, files: named })
}

/// Adds the handles and attachments of the body; no node may have two.
fn constrain(entry: &SoftBodyEntry, body: &mut SoftBodyDescription) -> Result<(), Failure> {
    let mut owners: Vec<Option<String>> = vec![None; body.mesh.nodes().len()];
    for (index, handle) in entry.handles.iter().enumerate() {
        let place = [Field("handles"), Index(index), Field("nodes")];
        let nodes =
            nodes_of(&body.mesh, &entry.name, &handle.nodes).map_err(|fault| (place.to_vec(), fault))?;
        let owner = format!("handle `{}`", handle.name);
        claim(&mut owners, &nodes, &owner).map_err(|fault| (place.to_vec(), fault))?;
        body.handles.push(handle_of(handle, nodes, body));
    }
    for (index, attachment) in entry.attachments.iter().enumerate() {
        let place = [Field("attachments"), Index(index), Field("nodes")];
        let nodes =
            nodes_of(&body.mesh, &entry.name, &attachment.nodes).map_err(|fault| (place.to_vec(), fault))?;
        let owner = format!("the attachment to `{}`", attachment.body);
        claim(&mut owners, &nodes, &owner).map_err(|fault| (place.to_vec(), fault))?;
        let stiffness = attachment.stiffness.unwrap_or(1.0);
        body.attachments.push(SoftAttachment { body: attachment.body.clone(), nodes, stiffness });
    }
    Ok(())
}

fn claim(owners: &mut [Option<String>], nodes: &[u32], owner: &str) -> Result<(), Fault> {
    for &node in nodes {
        if let Some(other) = &owners[node as usize] {
            let message =
                format!("node {node} belongs to both {other} and {owner}; a node may belong to one only");
            return Err(Fault::Contradiction { message });
        }
        owners[node as usize] = Some(owner.to_owned());
    }
    Ok(())
}

fn handle_of(entry: &HandleEntry, nodes: Vec<u32>, body: &SoftBodyDescription) -> Handle {
    let pivot = entry.pivot.map_or_else(
        || {
            let at_rest = nodes.iter().map(|&node| body.mesh.nodes()[node as usize].coords);
            body.pose * Point3::from(at_rest.sum::<Vector3<f64>>() / nodes.len() as f64)
        },
        point,
    );
    let keyframes = entry.keyframes.iter().map(|frame| Keyframe {
        time: frame.time,
        displacement: vector(frame.displacement),
        rotation: orientation(&frame.rotation),
    });
    let (x, y, z) = entry.axes;
    let (name, keyframes) = (entry.name.clone(), keyframes.collect());
    Handle { name, nodes, axes: [x, y, z], pivot, keyframes, until: entry.until }
}

/// The nodes of a region, ascending; an empty region is an error.
pub(super) fn nodes_of(mesh: &TetMesh, body: &str, nodes: &NodesEntry) -> Result<Vec<u32>, Fault> {
    let bounds = mesh.aabb();
    let slack = ON_PLANE * bounds.extents().norm();
    let is_in = |p: &Point3<f64>| match nodes {
        NodesEntry::All | NodesEntry::Indices { .. } => true,
        NodesEntry::Box { min, max } => {
            let (min, max) = (vector(*min), vector(*max));
            (0..3).all(|axis| p[axis] >= min[axis] - slack && p[axis] <= max[axis] + slack)
        }
        NodesEntry::HalfSpace { point: of, normal } => {
            (p - point(*of)).dot(&vector(*normal).normalize()) <= slack
        }
        NodesEntry::Ball { center, radius } => (p - point(*center)).norm() <= radius + slack,
    };
    let found = match nodes {
        NodesEntry::Indices { of } => {
            let mut of = of.clone();
            of.sort_unstable();
            of.dedup();
            of
        }
        _ => (0_u32..).zip(mesh.nodes()).filter(|(_, p)| is_in(p)).map(|(node, _)| node).collect(),
    };
    match found.last() {
        // An empty choice is never what is meant: the handle or attachment would silently do nothing.
        None => Err(Fault::NoNodes {
            body: body.to_owned(),
            min: bounds.min.coords.into(),
            max: bounds.max.coords.into(),
        }),
        Some(&node) if node as usize >= mesh.nodes().len() => {
            Err(Fault::NoSuchNode { body: body.to_owned(), node, nodes: mesh.nodes().len() })
        }
        Some(_) => Ok(found),
    }
}

fn material(entry: &MaterialEntry) -> Result<Material, extricate_dynamics::SoftError> {
    let model = match entry.model {
        ModelEntry::Linear => Constitutive::Linear,
        ModelEntry::Corotational => Constitutive::Corotational,
        ModelEntry::StVenantKirchhoff => Constitutive::StVenantKirchhoff,
        ModelEntry::NeoHookean => Constitutive::NeoHookean,
    };
    Material::new(model, entry.density, entry.youngs_modulus, entry.poisson_ratio)?
        .with_damping(entry.mass_damping, entry.stiffness_damping)
}

type MeshWithFiles = (TetMesh, Vec<(String, PathBuf)>);

/// The tetrahedral mesh in metres, read or generated, and its files.
fn mesh(entry: &TetMeshEntry, files: &Files) -> Result<MeshWithFiles, Failure> {
    let made = match entry {
        TetMeshEntry::Block { counts: (x, y, z), size } => {
            let size = vector(*size);
            block([*x, *y, *z].map(|count| count as usize), size, Point3::from(-0.5 * size))
        }
        TetMeshEntry::Rod { section, length, layers, scales, bore } => {
            let scales = stations(scales, *layers);
            match (section, bore) {
                (&SectionEntry::Disc { radius, rings }, Some(bore)) => {
                    let [bore_rings, layers] = [bore.rings, bore.layers].map(|count| count as usize);
                    let bore = Bore { rings: bore_rings, layers, fractions: bore.radius_ratios.clone() };
                    bored_rod([radius, *length], rings as usize, &scales, &bore)
                }
                _ => rod(section_of(section), *length, &scales),
            }
        }
        TetMeshEntry::Ring { section, radius, angle, layers } => {
            ring(section_of(section), *radius, angle.to_radians(), *layers as usize)
        }
        TetMeshEntry::File { file, scale } => return read(file, *scale, files),
        TetMeshEntry::Tetrahedralized { of, cell } => {
            let (surface, file) = shape::mesh(of, files).map_err(|failure| within("of", failure))?;
            let options = TetrahedralizeOptions { cell: *cell, ..TetrahedralizeOptions::default() };
            let filled = tetrahedralize(&surface, &options)
                .map_err(|error| at("of", Fault::Tetrahedra { cause: error.into() }))?;
            return Ok((filled.mesh, file.into_iter().collect()));
        }
    };
    let mesh = made.map_err(|error| (Vec::new(), Fault::Tetrahedra { cause: error.into() }))?;
    Ok((mesh, Vec::new()))
}

fn section_of(entry: &SectionEntry) -> Section {
    match *entry {
        SectionEntry::Disc { radius, rings } => Section::Disc { radius, rings: rings as usize },
        SectionEntry::Annulus { radii: (inner, outer), layers, around } => {
            Section::Annulus { radii: [inner, outer], layers: layers as usize, around: around as usize }
        }
        SectionEntry::Rectangle { size: (a, b), counts: (m, n) } => {
            Section::Rectangle { size: [a, b], counts: [m as usize, n as usize] }
        }
    }
}

/// The scales at the stations of a rod, interpolated linearly between the evenly spaced ones of the scene.
fn stations(scales: &[f64], layers: u32) -> Vec<f64> {
    let [first, .., last] = *scales else { return vec![1.0; layers as usize + 1] };
    let at = |station: u32| {
        let place = f64::from(station) / f64::from(layers) * (scales.len() - 1) as f64;
        let index = place as usize;
        match scales.get(index..index + 2) {
            Some(&[before, after]) => before + (place - index as f64) * (after - before),
            _ if station == 0 => first,
            _ => last,
        }
    };
    (0..=layers).map(at).collect()
}

/// The tetrahedral mesh of a file, and the files that contain it: two in the format of TetGen.
fn read(file: &str, scale: f64, files: &Files) -> Result<MeshWithFiles, Failure> {
    let path = files.find(file).map_err(|fault| at("file", fault))?;
    let fault = |cause| Fault::Mesh { path: path.clone(), cause };
    let mesh = read_tets(&path).map_err(|error| at("file", fault(error.into())))?.mesh;
    let nodes = mesh.nodes().iter().map(|p| p * scale).collect();
    let mesh = TetMesh::new(nodes, mesh.tets().to_vec()).map_err(|error| at("scale", fault(error.into())))?;
    let is_msh = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("msh"));
    let files = match is_msh {
        true => vec![(file.to_owned(), path)],
        false => ["node", "ele"]
            .map(|extension| {
                let written = Path::new(file).with_extension(extension);
                (written.to_string_lossy().into_owned(), path.with_extension(extension))
            })
            .to_vec(),
    };
    Ok((mesh, files))
}

fn within(field: &'static str, (place, fault): Failure) -> Failure {
    ([&[Field(field)], place.as_slice()].concat(), fault)
}

fn at(field: &'static str, fault: Fault) -> Failure {
    (vec![Field(field)], fault)
}
