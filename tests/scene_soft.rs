//! Soft bodies of scenes: errors are reported with place and cause, and valid ones are as they were written.

use std::path::Path;

use extricate::scene::Scene;
use extricate_test_support::ScratchFolder;
use nalgebra::{Point3, Vector3};

/// A scene with a rigid floor and a dynamic brick and one soft body; `body` replaces its line 5, and `rest` follows the list.
fn scene(body: &str, rest: &str) -> String {
    format!(
        "(title: \"test\", duration: 2,\nshapes: {{\"s\": cuboid(size: (1, 1, 1)), \"floor\": half_space}},\n\
         bodies: [(name: \"brick\", shape: \"s\", position: (0, 0, 9)), (name: \"f\", shape: \"floor\", kind: fixed)],\n\
         soft_bodies: [\n{body}],\n{rest})"
    )
}

const MATERIAL: &str = "material: (youngs_modulus: 1e5, poisson_ratio: 0.3)";
const BLOCK: &str = "mesh: block(counts: (2, 2, 2), size: (1, 1, 1))";

fn with(what: &str) -> String {
    scene(&format!("(name: \"a\", {BLOCK}, {MATERIAL}, {what})"), "")
}

/// Everything that is wrong with the text, read as a file of `folder`, each `line:column: cause`.
fn faults_in(folder: &Path, text: &str) -> Vec<String> {
    let path = folder.join("scene.ron");
    let error = Scene::parse(&path, text.to_owned()).expect_err("the scene is invalid");
    let start = format!("{}:", path.display());
    let strip = |p: &extricate::scene::Problem| {
        p.to_string().strip_prefix(&start).expect("the message starts with the path").to_owned()
    };
    error.problems().iter().map(strip).collect()
}

fn faults(text: &str) -> Vec<String> {
    faults_in(Path::new("dir"), text)
}

fn refused(text: &str, expected: &str) {
    let faults = faults(text);
    assert_eq!(faults.len(), 1, "{expected}: {faults:?}");
    assert!(faults[0].contains(expected), "{} (expected {expected})", faults[0]);
}

#[test]
fn an_unused_material_is_reported_with_its_place_and_cause() {
    for (material, expected) in [
        (
            "youngs_modulus: 1e5, poisson_ratio: 0.5",
            "5:109: Poisson's ratio is 0.5, but must be above -1 and below 0.5",
        ),
        ("youngs_modulus: 1e5, poisson_ratio: -1", "Poisson's ratio is -1"),
        ("youngs_modulus: 0, poisson_ratio: 0.3", "Young's modulus [Pa] is 0, but must be above zero"),
        (
            "density: 0, youngs_modulus: 1, poisson_ratio: 0.3",
            "5:82: the density [kg/m³] is 0, but must be above zero",
        ),
        ("density: -5, youngs_modulus: 1, poisson_ratio: 0.3", "the density [kg/m³] is -5"),
        ("youngs_modulus: 1, poisson_ratio: 0, mass_damping: -1", "the damping [1/s] is -1"),
        ("youngs_modulus: 1, poisson_ratio: 0, stiffness_damping: -1", "the damping [s] is -1"),
        ("youngs_modulus: 1", "missing field `poisson_ratio` of `Material`"),
        ("model: rubber, youngs_modulus: 1, poisson_ratio: 0", "unknown value `rubber` of `Model`"),
    ] {
        refused(&scene(&format!("(name: \"a\", {BLOCK}, material: ({material}))"), ""), expected);
    }
}

#[test]
fn a_mesh_that_cannot_be_made_is_reported_with_its_place_and_cause() {
    for (mesh, expected) in [
        ("block(counts: (2, 0, 2), size: (1, 1, 1))", "5:37: the count is 0, but must be 1 or above"),
        ("block(counts: (2, 2, 2), size: (1, -1, 1))", "the edge length [m] is -1, but must be above zero"),
        (
            "block(counts: (4000, 4000, 4000), size: (1, 1, 1))",
            "has 384000000000 tetrahedra; at most 20000000",
        ),
        ("rod(section: disc(radius: 0, rings: 2), length: 1, layers: 2)", "the radius [m] is 0"),
        ("rod(section: disc(radius: 1, rings: 0), length: 1, layers: 2)", "the number of rings is 0"),
        (
            "rod(section: disc(radius: 1, rings: 1), length: 1, layers: 2, scales: [1])",
            "one scale is too few",
        ),
        (
            "rod(section: annulus(radii: (2, 1), layers: 1, around: 9), length: 1, layers: 2)",
            "the inner radius of 2 m is not below the outer radius of 1 m",
        ),
        ("rod(section: rectangle(size: (1, 1), counts: (1, 0)), length: 1, layers: 2)", "the count is 0"),
        (
            "ring(section: disc(radius: 1, rings: 1), radius: 1, layers: 9)",
            "extends 1 m towards the axis, which is only 1 m away",
        ),
        ("ring(section: disc(radius: 1, rings: 1), radius: 3, layers: 2)", "at least three layers"),
        (
            "ring(section: disc(radius: 1, rings: 1), radius: 3, layers: 9, angle: 400)",
            "the angle [°] is 400",
        ),
        (
            "tetrahedralized(of: ball(radius: 1))",
            "5:39: only a `mesh` or `procedural` can be tetrahedralized",
        ),
        ("tetrahedralized(of: procedural(kind: \"sphere\"), cell: 0)", "the length of a cell [m] is 0"),
        ("tetrahedralized(of: procedural(kind: \"sphere\"), cell: 9)", "too coarse"),
        ("file(file: \"a.tet\")", "cannot use the mesh"),
    ] {
        refused(&scene(&format!("(name: \"a\", mesh: {mesh}, {MATERIAL})"), ""), expected);
    }
}

#[test]
fn attachments_of_a_body_must_make_sense() {
    let handle = |what: &str| format!("handles: [(name: \"h\", {what})]");
    let all = |what: &str| handle(&format!("nodes: all, {what}"));
    for (what, expected) in [
        (
            handle("nodes: box(min: (2, 0, 0), max: (3, 1, 1))"),
            "no node of soft body `a` is in the region; its mesh extends from [-0.5",
        ),
        (handle("nodes: box(min: (0, 0, 0), max: (-1, 1, 1))"), "the limits are reversed"),
        (handle("nodes: ball(center: (0, 0, 0), radius: 0)"), "the radius [m] is 0"),
        (handle("nodes: half_space(point: (0, 0, 0), normal: (0, 0, 0))"), "the length of the normal is 0"),
        (handle("nodes: indices(of: [])"), "no nodes are listed"),
        (handle("nodes: indices(of: [3, 27])"), "soft body `a` has no node 27: it has 27, counted from 0"),
        (all("axes: (false, false, false)"), "a handle must prescribe at least one axis"),
        (all("until: 0"), "the release time [s] is 0"),
        (all("keyframes: [(time: 1), (time: 1)]"), "1 s is not after the previous one"),
        (all("keyframes: [(time: -1)]"), "the time of a keyframe [s] is -1"),
        (all("keyframes: [(time: 0, displacement: (1, 0, 0))]"), "the handle would jump"),
        (
            all("axes: (true, true, false), keyframes: [(time: 1, rotation: euler_degrees(1, 0, 0))]"),
            "a handle with a rotation must prescribe all three axes",
        ),
        (
            "handles: [(name: \"h\", nodes: all), (name: \"g\", nodes: indices(of: [5]))]".into(),
            "node 5 belongs to both handle `h` and handle `g`",
        ),
        (
            "handles: [(name: \"h\", nodes: indices(of: [1])), (name: \"h\", nodes: indices(of: [5]))]"
                .into(),
            "duplicate name `h`: the names of handles must be unique",
        ),
        ("attachments: [(body: \"c\", nodes: all)]".into(), "unknown body `c`"),
        (
            "attachments: [(body: \"brick\", nodes: all)]".into(),
            "missing `stiffness`: body `brick` is dynamic",
        ),
        ("attachments: [(body: \"brick\", nodes: all, stiffness: -1)]".into(), "the stiffness [N/m] is -1"),
        (
            "handles: [(name: \"h\", nodes: all)], attachments: [(body: \"f\", nodes: indices(of: [5]))]"
                .into(),
            "node 5 belongs to both handle `h` and the attachment to `f`",
        ),
    ] {
        refused(&with(&what), expected);
    }
}

#[test]
fn names_options_and_expectations_are_checked() {
    let body = format!("(name: \"a\", {BLOCK}, {MATERIAL})");
    let whole = |rest: &str| scene(&body, rest);
    let measured = |quantity: &str| {
        whole(&format!("expect: (measured: [(quantity: {quantity}, exact: 0, tolerance: 1)])"))
    };
    refused(
        &scene(&body.replace("\"a\"", "\"brick\""), ""),
        "5:8: duplicate name `brick`: the names of bodies must be unique",
    );
    refused(&whole("soft: (contact: (stiffness: 0))"), "6:29: the stiffness of contact [Pa/m] is 0");
    refused(&whole("soft: (contact: (friction: -1))"), "the friction coefficient is -1");
    refused(&whole("soft: (newton: (max_iterations: 0))"), "the maximum number of iterations is 0");
    refused(&whole("soft: (newton: (tolerance: 1))"), "the tolerance is 1, but must be above 0 and below 1");
    refused(&whole("plan: (movable: \"brick\", position: (0, 0, 5))"), "`plan` supports rigid bodies only");
    refused(&measured("volume_ratio(body: \"brick\")"), "unknown soft body `brick`");
    refused(&measured("handle_force(body: \"a\", handle: \"h\", along: (0, 0, 1))"), "unknown handle `h`");
    refused(
        &measured("handle_force(body: \"brick\", handle: \"h\", along: (0, 0, 1))"),
        "unknown soft body `brick`",
    );
    refused(&measured("penetration(body: \"a\", from: 3)"), "the run ends before this time");
    refused(&measured("lead(body: \"a\", axis: (0, 0, 1))"), "has no rotation as a whole");
    refused(
        &measured("deflection(body: \"a\", nodes: ball(center: (9, 0, 0), radius: 1), along: (1, 0, 0))"),
        "no node of soft body `a` is in the region",
    );
    refused(
        &measured("deflection(body: \"a\", nodes: all, along: (0, 0, 0))"),
        "the length of the direction is 0",
    );
    let without = "(title: \"t\", duration: 1, shapes: {\"s\": ball(radius: 1)}, bodies: [(name: \"b\", shape: \"s\")],\n\
                   expect: (measured: [(quantity: contact_imbalance, exact: 0, tolerance: 1)]))";
    refused(without, "`contact_imbalance` needs soft bodies");
}

fn folder_with(files: &[(&str, &str)]) -> ScratchFolder {
    let folder = ScratchFolder::new();
    for (name, text) in files {
        folder.write(name, text);
    }
    folder
}

const NODES: &str = "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n";

#[test]
fn a_bad_file_of_tetrahedra_is_reported_with_its_path_and_the_tetrahedron() {
    let body = format!("(name: \"a\", mesh: file(file: \"m.ele\"), {MATERIAL})");
    for (elements, expected) in [
        ("2 4 0\n0 0 1 2 3\n1 1 3 2 4\n", "tetrahedron 1 is inverted"),
        ("2 4 0\n0 0 1 2 3\n1 0 1 2 2\n", "tetrahedron 1 is flat"),
        ("2 4 0\n0 0 1 2 3\n1 1 2 3 9\n", "m.ele:3: tetrahedron 1 references node 9"),
    ] {
        let folder = folder_with(&[("m.node", NODES), ("m.ele", elements)]);
        let faults = faults_in(folder.folder(), &scene(&body, ""));
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(
            faults[0].starts_with("5:30: cannot use the mesh") && faults[0].contains("m.ele"),
            "{}",
            faults[0]
        );
        assert!(faults[0].contains(expected), "{} (expected {expected})", faults[0]);
    }
    let faults = faults(&scene(&body, ""));
    assert!(faults[0].contains("the folder dir does not exist"), "{faults:?}");
}

#[test]
fn a_surface_that_is_not_closed_is_not_filled() {
    let folder = folder_with(&[("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")]);
    let body = format!("(name: \"a\", mesh: tetrahedralized(of: mesh(file: \"open.obj\")), {MATERIAL})");
    let faults = faults_in(folder.folder(), &scene(&body, ""));
    assert_eq!(faults.len(), 1, "{faults:?}");
    let expected =
        "cannot build the tetrahedral mesh: the mesh is not closed: 3 edges are not used equally often";
    assert!(faults[0].starts_with("5:") && faults[0].contains(expected), "{}", faults[0]);
}

#[test]
fn a_file_of_tetrahedra_is_scaled_and_both_its_parts_are_files_of_the_scene() {
    let folder = folder_with(&[("m.node", NODES), ("m.ele", "2 4 0\n0 0 1 2 3\n1 1 4 2 3\n")]);
    let body = format!("(name: \"a\", mesh: file(file: \"m.node\", scale: 0.5), {MATERIAL})");
    let loaded = Scene::parse(&folder.folder().join("s.ron"), scene(&body, "")).unwrap();
    let mesh = &loaded.soft_bodies[0].mesh;
    assert_eq!((mesh.nodes().len(), mesh.tets().len()), (5, 2));
    assert!((mesh.volume() - 0.125 * (1.0 / 6.0 + 1.0 / 3.0)).abs() < 1e-15);
    let files: Vec<_> = loaded.meshes.iter().map(|mesh| mesh.file.as_str()).collect();
    assert_eq!(files, ["m.node", "m.ele"]);
}

fn loaded(text: &str) -> Scene {
    Scene::parse(Path::new("scene.ron"), text.to_owned()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_region_takes_the_nodes_in_it_and_on_its_border_wherever_the_body_is() {
    let held = |nodes: &str| {
        let what = format!(
            "position: (5, 6, 7), rotation: euler_degrees(0, 0, 90), handles: [(name: \"h\", nodes: {nodes})]"
        );
        let body = loaded(&with(&what)).soft_bodies.remove(0);
        let at =
            body.handles[0].nodes.iter().map(|&node| body.mesh.nodes()[node as usize]).collect::<Vec<_>>();
        (at, body.handles[0].pivot)
    };
    // A block of 2 × 2 × 2 cubes with an edge of 1 m round its origin: nodes at -0.5, 0, 0.5.
    let (face, pivot) = held("half_space(point: (0.5, 0, 0), normal: (-3, 0, 0))");
    assert!(face.len() == 9 && face.iter().all(|p| (p.x - 0.5).abs() < 1e-15), "{face:?}");
    // The middle of that face, rotated by 90° about z and moved.
    assert!((pivot - Point3::new(5.0, 6.5, 7.0)).norm() < 1e-15, "{pivot}");
    assert_eq!(held("all").0.len(), 27);
    assert_eq!(held("box(min: (0, 0, 0), max: (0.5, 0.5, 0.5))").0.len(), 8);
    assert_eq!(held("ball(center: (0, 0, 0), radius: 0.5)").0.len(), 7);
    assert_eq!(held("indices(of: [4, 2, 4])").0.len(), 2);
}

#[test]
fn meshes_have_the_sizes_that_the_scene_says() {
    let mesh = |mesh: &str| {
        let body = format!("(name: \"a\", mesh: {mesh}, {MATERIAL})");
        loaded(&scene(&body, "")).soft_bodies.remove(0).mesh
    };
    let block = mesh("block(counts: (1, 2, 3), size: (0.2, 0.4, 0.6))");
    let bounds = block.aabb();
    assert!((bounds.max.coords - Vector3::new(0.1, 0.2, 0.3)).norm() < 1e-15 && block.tets().len() == 36);
    assert!((bounds.min.coords + bounds.max.coords).norm() < 1e-15);
    // A cone's frustum of quadratic section: scales 1, 0.5 at the ends, of which the middle station takes the mean.
    let rod =
        mesh("rod(section: rectangle(size: (1, 1), counts: (1, 1)), length: 2, layers: 2, scales: [1, 0.5])");
    let at = |x: f64| rod.nodes().iter().filter(|p| (p.x - x).abs() < 1e-15).map(|p| p.y).fold(0.0, f64::max);
    assert_eq!((at(0.0), at(1.0), at(2.0)), (0.5, 0.375, 0.25));
    // Pappus: 2π R times the section, less the volume that the 40 straight layers cut off.
    let ring = mesh("ring(section: disc(radius: 0.2, rings: 2), radius: 1, layers: 40)");
    let section = 6.0 * 0.04 * (std::f64::consts::TAU / 12.0).sin();
    let closed = std::f64::consts::TAU * section;
    assert!((ring.volume() / closed - 1.0).abs() < 0.005, "{} {closed}", ring.volume());
    let ball = mesh("tetrahedralized(of: procedural(kind: \"sphere\", scale: 0.2), cell: 0.03)");
    assert!((ball.volume() / 0.004_189 - 1.0).abs() < 0.05, "{}", ball.volume());
}

#[test]
fn nothing_prescribes_the_apple_of_23_000_tetrahedra_that_the_snake_swallows() {
    let scene = Scene::load("scenes/snake/apple.ron").unwrap_or_else(|error| panic!("{error}"));
    let count: usize = scene.soft_bodies.iter().map(|body| body.mesh.tets().len()).sum();
    assert!(count >= 23_000, "{count}");
    let apple = scene.soft_bodies.iter().find(|body| body.name == "apple").expect("an apple");
    assert!(apple.handles.is_empty() && apple.attachments.is_empty());
}

#[test]
fn a_soft_body_is_stepped_as_the_scene_says() {
    use extricate::dynamics::SoftScheme;
    let body = format!("(name: \"a\", {BLOCK}, {MATERIAL}, position: (0, 0, 5))");
    let text = scene(
        &body,
        "soft: (scheme: quasi_static, newton: (max_iterations: 9, once: true), contact: (friction: 0.25, near: 0.5, edges: false))",
    );
    let soft = loaded(&text).options.soft;
    assert_eq!(soft.scheme, SoftScheme::QuasiStatic);
    assert_eq!((soft.newton.max_iterations, soft.newton.once), (9, true));
    let contact = soft.contact;
    assert_eq!((contact.friction, contact.near, contact.edges), (0.25, 0.5, false));
    // Omitted fields have their defaults.
    let usual = extricate::dynamics::SoftOptions::default().contact;
    assert_eq!((contact.stiffness, contact.self_contact), (usual.stiffness, usual.self_contact));
}

#[test]
fn a_bore_that_leaves_no_wall_or_no_end_is_refused() {
    for (section, bore, expected) in [
        ("disc(radius: 1, rings: 3)", "rings: 3, layers: 2, radius_ratios: [0.5]", "fewer than the disc"),
        (
            "disc(radius: 1, rings: 3)",
            "rings: 0, layers: 2, radius_ratios: [0.5]",
            "must have at least 1 ring",
        ),
        (
            "disc(radius: 1, rings: 3)",
            "rings: 1, layers: 4, radius_ratios: [0.5]",
            "at least 1 layer and fewer than the rod",
        ),
        (
            "disc(radius: 1, rings: 3)",
            "rings: 1, layers: 2, radius_ratios: []",
            "a bore needs at least one radius ratio",
        ),
        (
            "disc(radius: 1, rings: 3)",
            "rings: 1, layers: 2, radius_ratios: [0.5, 1]",
            "the radius ratio is 1",
        ),
        (
            "rectangle(size: (1, 1), counts: (2, 2))",
            "rings: 1, layers: 2, radius_ratios: [0.5]",
            "needs a disc section",
        ),
    ] {
        let mesh = format!("mesh: rod(section: {section}, length: 2, layers: 4, bore: ({bore}))");
        refused(&scene(&format!("(name: \"a\", {mesh}, {MATERIAL})"), ""), expected);
    }
}
