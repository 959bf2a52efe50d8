//! Shapes of about a given size.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use extricate::geometry::{TriangleMesh, procedural};

use super::draft::{Draft, Kind, number, triple};

/// Procedural meshes that can move, with parameters that keep them below about three thousand triangles.
const PROCEDURAL: &[(&str, &[(&str, f64)])] = &[
    ("apple", &[]),
    ("blob", &[("frequency", 5.0)]),
    ("bolt", &[("depth", 0.0)]),
    ("bottle", &[("segments", 24.0)]),
    ("box", &[]),
    ("box", &[("x", 1.0), ("y", 0.2), ("z", 0.05)]),
    ("bumpy_sphere", &[("frequency", 8.0)]),
    ("cone", &[("segments", 24.0)]),
    ("cup", &[]),
    ("cylinder", &[("segments", 24.0)]),
    ("distorted_torus", &[]),
    ("gear", &[]),
    ("grate", &[]),
    ("hammer", &[]),
    ("l_shape", &[]),
    ("lattice", &[]),
    ("pawn", &[]),
    ("plate", &[("segments", 24.0)]),
    ("sphere", &[("frequency", 4.0)]),
    ("spoon", &[]),
    ("torus", &[("segments", 24.0), ("sides", 12.0)]),
    ("torus", &[("major_radius", 1.0), ("minor_radius", 0.08), ("segments", 32.0), ("sides", 6.0)]),
    ("torus_knot", &[("segments", 72.0), ("sides", 8.0)]),
];

/// Meshes of the assets that can move.
const FILES: &[&str] =
    &["bumpy_sphere", "cup", "grate", "lattice", "ring", "spoon", "torus_knot", "u_shape", "alpha", "limb"];

/// A mesh that scenes name.
struct Source {
    /// Its fields in the scene, but for the scale.
    fields: String,
    /// Maximum distance of a vertex from its origin, as it is.
    reach: f64,
    file: Option<String>,
}

fn reach(mesh: &TriangleMesh) -> f64 {
    mesh.vertices().iter().map(|vertex| vertex.coords.norm()).fold(0.0, f64::max)
}

/// Maximum distance of a vertex of a file from its origin: such a file is in this repository.
fn reach_of_file(name: &str) -> f64 {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/meshes").join(name).with_extension("obj");
    let path = if path.exists() { path } else { Path::new("assets/meshes").join(name).with_extension("obj") };
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let squares = text.lines().filter_map(|line| line.strip_prefix("v ")).map(|line| {
        line.split_whitespace().filter_map(|x| x.parse::<f64>().ok()).map(|x| x * x).sum::<f64>()
    });
    squares.fold(0.0, f64::max).sqrt()
}

fn sources() -> &'static [Source] {
    static SOURCES: OnceLock<Vec<Source>> = OnceLock::new();
    SOURCES.get_or_init(|| {
        let made = PROCEDURAL.iter().map(|(kind, parameters)| {
            let map: BTreeMap<String, f64> = parameters.iter().map(|(n, x)| ((*n).to_owned(), *x)).collect();
            let mesh = procedural::build(kind, &map).expect("parameters of the table above");
            let written: Vec<String> = parameters.iter().map(|(n, x)| format!("\"{n}\": {x}")).collect();
            let fields = format!("kind: \"{kind}\", parameters: {{{}}}", written.join(", "));
            Source { fields: format!("procedural({fields}"), reach: reach(&mesh), file: None }
        });
        let read = FILES.iter().map(|name| {
            let file = format!("meshes/{name}.obj");
            let fields = format!("mesh(file: \"{file}\"");
            Source { fields, reach: reach_of_file(name), file: Some(file) }
        });
        made.chain(read).collect()
    })
}

/// Adds a shape that reaches `radius` units from its origin at most, and returns its name.
pub(crate) fn any(draft: &mut Draft, radius: f64) -> String {
    let text = match draft.random.below(8) {
        0..3 => mesh(draft, radius),
        3 => {
            draft.kinds.insert(Kind::Hulls);
            hull(draft, radius)
        }
        4 => {
            draft.kinds.insert(Kind::Rounded);
            let fraction = draft.random.log_within(0.02, 0.5);
            let core = core(draft, radius * (1.0 - fraction));
            format!("rounded(core: {core}, radius: {})", draft.length(radius * fraction))
        }
        _ => {
            draft.kinds.insert(Kind::Primitives);
            primitive(draft, radius)
        }
    };
    draft.shape(&text)
}

/// A mesh with an inside.
pub(crate) fn mesh(draft: &mut Draft, radius: f64) -> String {
    draft.kinds.insert(Kind::Meshes);
    let sources = sources();
    let source = &sources[draft.random.below(sources.len())];
    sized(draft, source, radius)
}

fn sized(draft: &mut Draft, source: &Source, radius: f64) -> String {
    draft.files.extend(source.file.clone());
    format!("{}, scale: {})", source.fields, draft.length(radius / source.reach))
}

fn hull(draft: &mut Draft, radius: f64) -> String {
    let sources = sources();
    let source = &sources[draft.random.below(sources.len())];
    format!("hull(of: {})", sized(draft, source, radius))
}

fn primitive(draft: &mut Draft, radius: f64) -> String {
    match draft.random.below(5) {
        0 => format!("ball(radius: {})", draft.length(radius)),
        1 => {
            let fraction = draft.random.within(0.1, 0.9);
            let (round, straight) = (radius * fraction, 2.0 * radius * (1.0 - fraction));
            format!("capsule(radius: {}, length: {})", draft.length(round), draft.length(straight))
        }
        _ => core(draft, radius),
    }
}

/// A core that can be rounded, without hulls half of the time.
fn core(draft: &mut Draft, radius: f64) -> String {
    let slim = draft.random.within(0.1, 1.4);
    let (width, height) = (radius * slim.sin(), 2.0 * radius * slim.cos());
    match draft.random.below(5) {
        0 => format!("cylinder(radius: {}, height: {})", draft.length(width), draft.length(height)),
        1 => format!("cone(radius: {}, height: {})", draft.length(width), draft.length(height)),
        2 => hull(draft, radius),
        _ => {
            let edges = [(); 3].map(|()| draft.random.within(0.1, 1.0));
            let diagonal = edges.iter().map(|x| x * x).sum::<f64>().sqrt();
            let size = edges.map(|x| x * 2.0 * radius / diagonal * draft.mixture.unit);
            format!("cuboid(size: {})", triple(size))
        }
    }
}

/// A density [kg/m³] of the scene's, or a mass.
pub(crate) fn density(draft: &mut Draft) -> String {
    let [min, most] = draft.mixture.densities;
    format!("density: {}", number(draft.random.log_within(min, most.max(min * 1.001))))
}
