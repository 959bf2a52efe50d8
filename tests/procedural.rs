//! Every procedural mesh is a clean solid, of the genus and, where there is a closed form, the volume it should have.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use std::path::Path;

use extricate::geometry::TriangleMesh;
use extricate::geometry::procedural::{
    self, Bottle, Bowl, Capsule, Cone, Cup, Cylinder, Gear, Grate, LShape, Lattice, Plate, Procedural,
    Sphere, Torus, TorusKnot, Tub, UvSphere,
};
use extricate::geometry::read::read_mesh;
use extricate::geometry::report::MeshReport;
use nalgebra::{Point3, Vector3};

const ROUNDING: f64 = 1e-12;

fn build(kind: &str, parameters: &[(&str, f64)]) -> TriangleMesh {
    let parameters: BTreeMap<_, _> =
        parameters.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    procedural::build(kind, &parameters).expect("these parameters make a mesh")
}

fn volume(mesh: &TriangleMesh) -> f64 {
    MeshReport::of(mesh).volume.expect("every kind is closed")
}

fn assert_volume(mesh: &TriangleMesh, expected: f64) {
    let found = volume(mesh);
    assert!((found - expected).abs() <= ROUNDING * expected.max(1.0), "volume {found} is not {expected}");
}

/// Area of the regular polygon of n sides inscribed in the unit circle: the counterpart of π.
fn polygon(n: u32) -> f64 {
    0.5 * f64::from(n) * (TAU / f64::from(n)).sin()
}

/// Variants of every kind that the sweeping tests look at: the default, and one with unusual parameters.
fn variants() -> Vec<(String, TriangleMesh)> {
    let unusual: &[(&str, &[(&str, f64)])] = &[
        ("apple", &[("dimple", 0.6), ("segments", 7.0)]),
        ("blob", &[("frequency", 20.0), ("seed", 99.0), ("amplitude", 0.9)]),
        ("bolt", &[("depth", 0.0), ("segments", 6.0)]),
        ("bottle", &[("wall", 0.0)]),
        ("bowl", &[("wall", 0.4), ("rings", 3.0)]),
        ("box", &[("x", 1e-3), ("y", 10.0), ("subdivisions", 5.0)]),
        ("bumpy_sphere", &[("amplitude", 0.6), ("bumps", 1.5)]),
        ("capsule", &[("segments", 3.0), ("rings", 1.0)]),
        ("cone", &[("height", 0.01)]),
        ("cup", &[("handle", 0.0), ("segments", 9.0), ("rings", 1.0)]),
        ("cup", &[("segments", 64.0), ("rings", 30.0), ("handle_thickness", 0.2)]),
        ("cylinder", &[("segments", 3.0)]),
        ("distorted_torus", &[("rise", 0.0), ("swelling", 0.9), ("waves", 0.0)]),
        ("figurine", &[("limbs", 0.0)]),
        ("figurine", &[("limbs", 3.0), ("frequency", 12.0)]),
        ("gear", &[("teeth", 3.0)]),
        ("golf_club", &[("segments", 10.0), ("sides", 3.0), ("bend", 1.57)]),
        ("golf_club", &[("bend_radius", 0.02), ("head_height", 0.5), ("segments", 90.0), ("bend", 0.3)]),
        ("grate", &[("bars", 0.0)]),
        ("grate", &[("bars", 3.0), ("subdivisions", 3.0), ("width", 1.0)]),
        ("hammer", &[("segments", 40.0), ("handle_radius", 0.12)]),
        ("l_shape", &[("subdivisions", 3.0), ("foot", 2.0)]),
        ("lattice", &[("bars", 2.0), ("subdivisions", 2.0)]),
        ("nut", &[("depth", 0.0), ("clearance", 0.0), ("segments", 12.0)]),
        ("pawn", &[("radius", 0.5), ("segments", 5.0)]),
        ("plate", &[("height", 0.08)]),
        ("sphere", &[("frequency", 1.0)]),
        ("spoon", &[("bowl_depth", 0.0), ("sides", 4.0), ("segments", 12.0), ("rise", 0.4)]),
        ("torus", &[("segments", 3.0), ("sides", 3.0)]),
        ("torus_knot", &[("p", 3.0), ("q", 2.0), ("tube_radius", 0.15)]),
        ("torus_knot", &[("p", 1.0), ("q", 5.0), ("tube_radius", 0.1), ("segments", 300.0)]),
        ("tub", &[("subdivisions", 2.0)]),
        ("uv_sphere", &[("segments", 3.0), ("rings", 2.0)]),
    ];
    let defaults = procedural::KINDS.iter().map(|kind| (kind.name.to_owned(), build(kind.name, &[])));
    let unusual = unusual.iter().map(|(kind, given)| (format!("{kind} {given:?}"), build(kind, given)));
    defaults.chain(unusual).collect()
}

#[test]
fn every_kind_is_one_closed_oriented_manifold_of_positive_volume() {
    for (name, mesh) in variants() {
        let report = MeshReport::of(&mesh);
        assert_eq!(report.defects().collect::<Vec<_>>(), [], "{name}");
        assert!(report.closed && report.manifold && report.oriented && !report.inside_out, "{name}");
        assert!(report.components == 1 && report.volume.unwrap() > 0.0, "{name}");
    }
}

#[test]
fn no_kind_meets_itself() {
    /// Beyond this, brute force takes too long; the shapes that are finer are functions of the direction.
    const MOST: usize = 8000;
    for (name, mesh) in variants().into_iter().filter(|(_, mesh)| mesh.triangles().len() <= MOST) {
        assert_eq!(self_intersection(&mesh), None, "{name}");
    }
}

/// An edge and a triangle without a common vertex that meet, by brute force over all pairs.
fn self_intersection(mesh: &TriangleMesh) -> Option<([u32; 2], usize)> {
    let edges: Vec<_> = (mesh.triangles().iter())
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .filter(|[from, to]| from < to)
        .collect();
    for (index, corners) in mesh.triangles().iter().enumerate() {
        let triangle = mesh.triangle(index);
        let low = triangle.iter().fold(triangle[0], |low, p| low.inf(p));
        let high = triangle.iter().fold(triangle[0], |high, p| high.sup(p));
        for &edge in &edges {
            let [p, q] = edge.map(|i| mesh.vertices()[i as usize]);
            let apart = (0..3).any(|k| p[k].max(q[k]) < low[k] || p[k].min(q[k]) > high[k]);
            if !apart && !edge.iter().any(|end| corners.contains(end)) && crosses([p, q], triangle) {
                return Some((edge, index));
            }
        }
    }
    None
}

/// Whether a segment passes through a triangle, by the signs of five volumes. Volumes at the level of rounding are
/// those of coplanar neighbours, which do not cross.
fn crosses([p, q]: [Point3<f64>; 2], [a, b, c]: [Point3<f64>; 3]) -> bool {
    let sign = |a: Point3<f64>, b: Point3<f64>, c: Point3<f64>, d: Point3<f64>| {
        let (u, v, w) = (b - a, c - a, d - a);
        let volume = u.cross(&v).dot(&w);
        if volume.abs() > ROUNDING * u.norm() * v.norm() * w.norm() { volume.signum() as i32 } else { 0 }
    };
    let sides = [sign(p, q, a, b), sign(p, q, b, c), sign(p, q, c, a)];
    sign(a, b, c, p) * sign(a, b, c, q) == -1 && (sides == [1; 3] || sides == [-1; 3])
}

#[test]
fn the_self_intersection_oracle_finds_one() {
    let torus = Torus::default().mesh().unwrap();
    let count = torus.vertices().len() as u32;
    let other = torus.transformed(&nalgebra::Isometry3::translation(0.5, 0.1, 0.03));
    let triangles = other.triangles().iter().map(|triangle| triangle.map(|i| i + count));
    let both = TriangleMesh::new(
        [torus.vertices(), other.vertices()].concat(),
        torus.triangles().iter().copied().chain(triangles).collect(),
    );
    assert!(self_intersection(&both.unwrap()).is_some());
}

#[test]
fn every_kind_has_the_genus_it_should_have() {
    let handles = |kind: &str, given: &[(&str, f64)]| MeshReport::of(&build(kind, given)).genus.unwrap();
    for kind in [
        "apple",
        "blob",
        "bolt",
        "bottle",
        "bowl",
        "box",
        "bumpy_sphere",
        "capsule",
        "cone",
        "cylinder",
        "figurine",
        "golf_club",
        "hammer",
    ] {
        assert_eq!(handles(kind, &[]), 0, "{kind}");
    }
    for kind in ["l_shape", "pawn", "plate", "sphere", "spoon", "tub", "uv_sphere"] {
        assert_eq!(handles(kind, &[]), 0, "{kind}");
    }
    for kind in ["cup", "distorted_torus", "gear", "nut", "torus", "torus_knot"] {
        assert_eq!(handles(kind, &[]), 1, "{kind}");
    }
    assert_eq!(handles("cup", &[("handle", 0.0)]), 0);
    assert_eq!(handles("grate", &[("bars", 4.0)]), 5);
    // Two layers of n bars fused at n² crossings: a graph of 2n paths whose n² crossings join them.
    assert_eq!(handles("lattice", &[("bars", 4.0)]), 9);
}

#[test]
fn shapes_of_flat_faces_have_their_exact_volume() {
    let l = LShape { foot: 2.0, stem: 1.5, thickness: 0.4, depth: 0.7, subdivisions: 3 };
    assert_volume(&l.mesh().unwrap(), 0.7 * (2.0 * 0.4 + 1.1 * 0.4));
    let tub = Tub { width: 2.0, depth: 3.0, height: 1.0, wall: 0.1, subdivisions: 2 };
    assert_volume(&tub.mesh().unwrap(), 2.0 * 3.0 * 1.0 - 1.8 * 2.8 * 0.9);
    let grate =
        Grate { width: 2.0, depth: 1.0, thickness: 0.1, frame: 0.2, bars: 3, bar: 0.1, subdivisions: 2 };
    assert_volume(&grate.mesh().unwrap(), 0.1 * (2.0 - (1.6 - 0.3) * 0.6));
    let lattice = Lattice { width: 2.0, depth: 3.0, thickness: 0.2, bars: 4, bar: 0.1, subdivisions: 1 };
    assert_volume(&lattice.mesh().unwrap(), 0.1 * (4.0 * 0.1 * 2.0 + 4.0 * 0.1 * 3.0));
}

#[test]
fn polygonal_solids_of_revolution_have_their_exact_volume() {
    let n = 20;
    let cylinder = Cylinder { radius: 0.7, height: 1.3, segments: n };
    assert_volume(&cylinder.mesh().unwrap(), polygon(n) * 0.7 * 0.7 * 1.3);
    let cone = Cone { radius: 0.7, height: 1.3, segments: n };
    assert_volume(&cone.mesh().unwrap(), polygon(n) * 0.7 * 0.7 * 1.3 / 3.0);
    // Guldin: a polygon of n sides about the axis, times the section's area and the radius of its centroid.
    let torus = Torus { major_radius: 1.0, minor_radius: 0.2, segments: n, sides: 9 };
    assert_volume(&torus.mesh().unwrap(), 2.0 * polygon(n) * 1.0 * polygon(9) * 0.2 * 0.2);
}

#[test]
fn fine_round_shapes_approach_their_smooth_volume() {
    /// More than the share that the coarsest of these meshes loses to its facets.
    const FACETS: f64 = 3e-3;
    let cap = |radius: f64, from: f64| {
        PI * (radius * radius * (radius - from) - (radius.powi(3) - from.powi(3)) / 3.0)
    };
    let (outer, inner, foot) = (1.5_f64, 1.35_f64, 0.5_f64);
    let foot_depth = (outer * outer - foot * foot).sqrt();
    let smooth = [
        (Sphere { radius: 0.5, frequency: 40 }.mesh(), 4.0 / 3.0 * PI * 0.125),
        (UvSphere { radius: 0.5, segments: 160, rings: 80 }.mesh(), 4.0 / 3.0 * PI * 0.125),
        (
            Capsule { radius: 0.25, length: 0.5, segments: 160, rings: 40 }.mesh(),
            PI * 0.0625 * 0.5 + 4.0 / 3.0 * PI * 0.25_f64.powi(3),
        ),
        (
            Bowl { radius: outer, wall: outer - inner, foot, segments: 160, rings: 60 }.mesh(),
            2.0 / 3.0 * PI * (outer.powi(3) - inner.powi(3)) - cap(outer, foot_depth),
        ),
        // Thickness times the disc: the plate is sheared upwards, which keeps its volume.
        (
            Plate { radius: 1.0, flat: 0.6, height: 0.3, thickness: 0.1, segments: 160, rings: 40 }.mesh(),
            PI * 0.1,
        ),
    ];
    for (mesh, expected) in smooth {
        let ratio = volume(&mesh.unwrap()) / expected;
        assert!((ratio - 1.0).abs() < FACETS, "ratio {ratio}");
    }
}

#[test]
fn a_thin_knot_has_the_volume_of_its_length_times_its_section() {
    // A straight-sided tube around a closed curve has the volume of its section times the curve's length (Pappus),
    // for sections that are perpendicular to the curve.
    let knot = TorusKnot { tube_radius: 0.05, segments: 2000, sides: 60, ..TorusKnot::default() };
    let at = |i: u32| {
        let t = TAU * f64::from(i) / 20_000.0;
        let radius = 1.0 + 0.45 * (3.0 * t).cos();
        Point3::new(radius * (2.0 * t).cos(), radius * (2.0 * t).sin(), 0.45 * (3.0 * t).sin())
    };
    let length: f64 = (0..20_000).map(|i| (at(i + 1) - at(i)).norm()).sum();
    let ratio = volume(&knot.mesh().unwrap()) / (PI * 0.05 * 0.05 * length);
    assert!((ratio - polygon(60) / PI).abs() < 1e-3, "ratio {ratio}");
}

#[test]
fn a_cup_and_a_bottle_are_hollow_but_for_their_walls() {
    let cup = Cup { handle: 0, ..Cup::default() };
    let solid_cup = polygon(36) * 1.1 * (0.5_f64.powi(2) + 0.5 * 0.42 + 0.42_f64.powi(2)) / 3.0;
    let found = volume(&cup.mesh().unwrap());
    assert!(found > 0.2 * solid_cup && found < 0.4 * solid_cup, "{found} of {solid_cup}");
    assert!(volume(&Cup::default().mesh().unwrap()) > found);
    let hollow = volume(&Bottle::default().mesh().unwrap());
    let solid = volume(&Bottle { wall: 0.0, ..Bottle::default() }.mesh().unwrap());
    assert!(hollow < 0.35 * solid, "{hollow} of {solid}");
}

#[test]
fn a_gear_is_between_its_root_and_its_tip() {
    let gear = Gear::default();
    let disc = |radius: f64| PI * (radius * radius - gear.bore_radius.powi(2)) * gear.thickness;
    let found = volume(&gear.mesh().unwrap());
    assert!(found > disc(gear.root_radius) && found < disc(gear.tip_radius), "{found}");
}

#[test]
fn a_figurine_is_a_ball_with_limbs_that_stick_out() {
    let figurine = |limbs: f64| build("figurine", &[("limbs", limbs), ("radius", 0.5), ("frequency", 9.0)]);
    let ball = build("sphere", &[("radius", 0.5), ("frequency", 9.0)]);
    assert_volume(&figurine(0.0), volume(&ball));
    let [none, half, whole] = [0.0, 0.5, 1.0].map(|limbs| figurine(limbs).aabb().extents());
    assert!((0..3).all(|k| none[k] < half[k] && half[k] < whole[k]), "{none} {half} {whole}");
    assert!(whole.z > 1.3 * whole.x && whole.z > 1.1 * whole.y, "it is upright: {whole}");
}

#[test]
fn a_blob_of_scan_size_is_the_same_every_time_and_another_with_another_seed() {
    let blob = build("blob", &[]);
    assert!(blob.triangles().len() >= 70_000);
    assert_eq!(blob, build("blob", &[]));
    assert_ne!(blob, build("blob", &[("seed", 2.0)]));
}

#[test]
fn sizes_are_about_a_metre_and_symmetric_kinds_are_centred() {
    for kind in procedural::KINDS {
        let bounds = build(kind.name, &[]).aabb();
        let size = bounds.extents().max();
        assert!((0.5..4.0).contains(&size), "{} is {size} m", kind.name);
        let has_centre =
            !["apple", "blob", "cup", "figurine", "golf_club", "hammer", "spoon"].contains(&kind.name);
        let offset = bounds.center().coords.component_mul(&Vector3::new(0.0, 0.0, 1.0)).norm();
        assert!(!has_centre || offset < 0.02 * size, "{} is off centre by {offset} m", kind.name);
    }
}

#[test]
fn values_that_make_no_solid_are_refused_by_name() {
    let refused: &[(&str, &str, f64)] = &[
        ("box", "x", 0.0),
        ("box", "x", -1.0),
        ("box", "x", f64::NAN),
        ("box", "x", f64::INFINITY),
        ("box", "subdivisions", 0.0),
        ("box", "subdivisions", 1.5),
        ("box", "subdivisions", -1.0),
        ("apple", "dimple", 0.7),
        ("torus", "minor_radius", 1.0),
        ("torus", "sides", 2.0),
        ("torus_knot", "q", 4.0),
        ("cup", "wall", 0.6),
        ("cup", "handle", 2.0),
        ("cup", "handle_thickness", 0.9),
        ("cup", "handle_reach", 0.05),
        ("grate", "bars", 50.0),
        ("bolt", "segments", 32.0),
        ("nut", "across_flats", 0.5),
        ("blob", "amplitude", 1.0),
        ("spoon", "length", 0.5),
        ("bowl", "foot", 1.4),
        ("bottle", "wall", 0.2),
        ("gear", "bore_radius", 0.5),
        ("golf_club", "bend_radius", 0.01),
        ("golf_club", "bend", 2.0),
        ("figurine", "limbs", 11.0),
    ];
    for &(kind, parameter, value) in refused {
        let error = procedural::build(kind, &BTreeMap::from([(parameter.to_owned(), value)])).unwrap_err();
        assert!(error.to_string().contains(kind), "{error}");
    }
}

#[test]
fn a_mesh_beyond_memory_is_refused_before_it_is_made() {
    for (kind, parameter) in
        [("sphere", "frequency"), ("torus", "segments"), ("box", "subdivisions"), ("bolt", "steps")]
    {
        let error = procedural::build(kind, &BTreeMap::from([(parameter.to_owned(), 4e9)])).unwrap_err();
        assert!(error.to_string().contains("triangles"), "{error}");
    }
}

#[test]
fn the_assets_are_what_their_commands_make() {
    /// Sine and cosine may differ in the last digits between platforms.
    const PLATFORM: f64 = 1e-14;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = std::fs::read_to_string(root.join("assets/SOURCES.md")).unwrap();
    let commands: Vec<_> = sources.lines().filter_map(|line| line.strip_prefix("extricate mesh ")).collect();
    for command in &commands {
        let words: Vec<_> = command.split(' ').collect();
        let [kind, parameters @ .., "-o", file] = words.as_slice() else { panic!("{command}") };
        let parameters = parameters
            .chunks(2)
            .map(|pair| (pair[0].trim_start_matches('-').replace('-', "_"), pair[1].parse::<f64>().unwrap()));
        let made = procedural::build(kind, &parameters.collect()).unwrap();
        let stored = read_mesh(root.join(file)).unwrap();
        assert_eq!(stored.triangles(), made.triangles(), "{file}");
        let size = made.aabb().extents().norm();
        let mut pairs = stored.vertices().iter().zip(made.vertices());
        assert!(pairs.all(|(stored, made)| (stored - made).norm() <= PLATFORM * size), "{file}");
    }
    for file in std::fs::read_dir(root.join("assets/meshes")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(sources.contains(&format!("`{name}`")), "where does {name} come from?");
    }
}
