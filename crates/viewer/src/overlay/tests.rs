//! Drawings of overlays, without a display: counts, positions, lengths, areas and ranges.

use crate::soft_quantity::SoftQuantity;
use std::f64::consts::PI;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::super::Patch;
use super::*;
use crate::Models;
use extricate_core::geometry::tet_mesh::procedural::block;
use extricate_core::penetration::WalkStepKind;
use extricate_core::proximity::collide;
use extricate_dynamics::soft::material::{Constitutive, Material};
use extricate_dynamics::{BodyDescription, BodyKind, Shape, SoftBodyDescription, WorldOptions};
use extricate_dynamics::{World, WorldContact};
use extricate_scene::record::WorldState;

/// A scene at its start.
struct Scene {
    world: World,
    models: Models,
    state: WorldState,
    shapes: SceneShapes,
    contacts: Vec<WorldContact>,
    contact_depths: Vec<Vec<f64>>,
}

impl Scene {
    fn of(rigid: Vec<BodyDescription>, soft: Vec<SoftBodyDescription>, gravity: f64) -> Self {
        let options = WorldOptions { gravity: Vector3::new(0.0, 0.0, -gravity), ..WorldOptions::default() };
        let mut builder = World::builder(options);
        for body in rigid {
            builder.add_body(body).unwrap();
        }
        for body in soft {
            builder.add_soft_body(body).unwrap();
        }
        let world = builder.build().unwrap();
        let models = Models::of(&world).unwrap();
        let (state, shapes) = (WorldState::of(&world), SceneShapes::of(&world, &models));
        let contact_depths = contact_depths(&world);
        Self { models, state, shapes, contacts: Vec::new(), contact_depths, world }
    }

    fn input(&self) -> OverlayInput<'_> {
        let Self { models, state, shapes, .. } = self;
        let (contacts, contact_depths) = (Some(&self.contacts[..]), Some(&self.contact_depths[..]));
        OverlayInput { shapes, models, state, contacts, contact_depths }
    }

    fn draw(&self, overlays: &Overlays) -> Drawing {
        OverlayPainter::default().draw(&self.input(), overlays)
    }
}

fn cube(name: &str, kind: BodyKind, x: f64) -> BodyDescription {
    let shape = Shape::cuboid(Vector3::repeat(1.0));
    BodyDescription::new(name, kind, shape, Isometry3::translation(x, 0.1 * x, 0.05 * x))
}

/// Three cubes in a row that overlap by 0.4 m and 0.3 m, the first one fixed, and a fourth one far away.
fn row() -> Scene {
    let places = [("a", BodyKind::Fixed, 0.0), ("b", BodyKind::Dynamic, 0.6), ("c", BodyKind::Dynamic, 1.3)];
    let mut bodies: Vec<_> = places.into_iter().map(|(name, kind, x)| cube(name, kind, x)).collect();
    bodies.push(cube("d", BodyKind::Dynamic, 9.0));
    // Fixed bodies may overlap each other.
    bodies.push(cube("e", BodyKind::Fixed, -0.6));
    Scene::of(bodies, Vec::new(), 0.0)
}

fn jelly() -> SoftBodyDescription {
    let mesh = Arc::new(block([4; 3], Vector3::repeat(0.4), Point3::from(Vector3::repeat(-0.2))).unwrap());
    let material = Material::new(Constitutive::Corotational, 1000.0, 1e5, 0.3).unwrap();
    SoftBodyDescription::new("jelly", mesh, material, Isometry3::identity())
}

fn area(patch: &Patch) -> f64 {
    let corner = |index: u32| patch.vertices[index as usize];
    let one = |t: &[u32; 3]| (corner(t[1]) - corner(t[0])).cross(&(corner(t[2]) - corner(t[0]))).norm() / 2.0;
    patch.triangles.iter().map(one).sum()
}

#[test]
fn only_requested_overlays_are_drawn() {
    let drawing = row().draw(&Overlays::default());
    assert_eq!(format!("{drawing:?}"), format!("{:?}", Drawing::default()));
}

#[test]
fn contacts_are_points_with_arrows_proportional_to_their_forces() {
    let plane = Shape::half_space();
    // The ground's name comes first, and the force shown is that on the cube.
    let ground = BodyDescription::new("a ground", BodyKind::Fixed, plane, Isometry3::identity());
    let mut body = cube("cube", BodyKind::Dynamic, 0.0);
    body.pose = Isometry3::translation(0.0, 0.0, 0.5);
    let mut scene = Scene::of(vec![ground, body], Vec::new(), 9.81);
    for _ in 0..30 {
        scene.world.step().unwrap();
    }
    scene.state = WorldState::of(&scene.world);
    scene.contacts = scene.world.contacts();
    let drawing = scene.draw(&Overlays { contacts: true, ..Overlays::default() });
    assert_eq!((drawing.points.len(), drawing.arrows.len()), (4, 4));
    let size = 0.5 * 3.0_f64.sqrt();
    let longest = drawing.arrows.iter().map(|arrow| arrow.along.norm()).fold(0.0, f64::max);
    assert!((longest - 0.25 * size).abs() < 1e-3 * size, "{longest}");
    for (arrow, contact) in drawing.arrows.iter().zip(scene.world.contacts()) {
        assert!(arrow.along.z > 0.9 * longest && (arrow.from - contact.point).norm() < 1e-15);
    }
    assert!(drawing.notes[0].starts_with("4 contacts"), "{:?}", drawing.notes);
    let recorded = OverlayInput { contacts: None, ..scene.input() };
    let drawing =
        OverlayPainter::default().draw(&recorded, &Overlays { contacts: true, ..Overlays::default() });
    assert!(drawing.points.is_empty() && drawing.notes.len() == 1);
}

#[test]
fn each_overlap_has_an_arrow_of_its_depth_and_a_separated_ghost() {
    let scene = row();
    let drawing = scene.draw(&Overlays { penetrations: true, depth_scale: 2.0, ..Overlays::default() });
    assert_eq!((drawing.arrows.len(), drawing.ghosts.len(), drawing.labels.len()), (2, 2, 2));
    let expected = [("b in a", 0.4), ("b in c", 0.3)];
    for ((arrow, note), (names, depth)) in drawing.arrows.iter().zip(&drawing.notes).zip(expected) {
        assert!((arrow.along.norm() - 2.0 * depth).abs() < 1e-6, "{arrow:?}");
        assert!(note.starts_with(names) && note.contains(&format!("{:.0} mm", 1e3 * depth)), "{note}");
    }
    assert_eq!(drawing.labels[0].text, "400 mm");
    // The movable body is moved: b out of a to the right.
    assert!(drawing.arrows[0].along.x > 0.0 && drawing.opacity.is_some());
    let solids = Solids::of(&scene.shapes, &scene.models);
    let model = solids.model(0).unwrap();
    assert!(!collide(model, &drawing.ghosts[0].pose, model, &scene.state.pose(0)));
    assert!(
        collide(model, &drawing.ghosts[0].pose, model, &scene.state.pose(2)),
        "separated from its partner only"
    );
}

#[test]
fn a_subject_restricts_the_pairs_to_its_own() {
    let wanted = |subject| Overlays { penetrations: true, subject: Some(subject), ..Overlays::default() };
    let scene = row();
    let count = |body| scene.draw(&wanted(AnyBody::Rigid(body))).arrows.len();
    assert_eq!([0, 1, 2, 3].map(count), [1, 2, 1, 0]);
    let mut painter = OverlayPainter::default();
    let drawn = |painter: &mut OverlayPainter, body| {
        painter.draw(&scene.input(), &wanted(AnyBody::Rigid(body))).arrows.len()
    };
    assert_eq!([drawn(&mut painter, 1), drawn(&mut painter, 3), drawn(&mut painter, 2)], [2, 0, 1]);
}

#[test]
fn overlaps_are_recomputed_when_bodies_have_moved() {
    let mut scene = row();
    let mut painter = OverlayPainter::default();
    let overlays = Overlays { local_penetrations: true, ..Overlays::default() };
    assert_eq!(painter.draw(&scene.input(), &overlays).arrows.len(), 2);
    scene.state.set_pose(1, &Isometry3::translation(0.0, 5.0, 0.0));
    let drawing = painter.draw(&scene.input(), &overlays);
    assert_eq!(drawing.arrows.len(), 0);
    assert_eq!(drawing.notes, ["No two rigid bodies overlap."]);
}

#[test]
fn each_region_of_an_overlap_has_an_arrow_true_to_scale() {
    let scene = row();
    let drawing = scene.draw(&Overlays { local_penetrations: true, ..Overlays::default() });
    assert_eq!((drawing.arrows.len(), drawing.points.len(), drawing.ghosts.len()), (2, 2, 0));
    assert!((drawing.arrows[0].along - Vector3::new(0.4, 0.0, 0.0)).norm() < 1e-6);
    assert!((drawing.arrows[1].along - Vector3::new(-0.3, 0.0, 0.0)).norm() < 1e-6);
}

#[test]
fn the_walk_is_shown_step_by_step_and_free_ghosts_are_free() {
    let torus = |name: &str, x: f64| {
        use extricate_core::geometry::procedural::{Procedural, Torus};
        let mesh = Torus::default().mesh().unwrap();
        let model = extricate_core::proximity::Model::new(mesh, extricate_core::geometry::Solidity::Solid);
        let pose = Isometry3::new(Vector3::new(x, 0.1, 0.05), Vector3::new(0.3 * x, 0.7, 0.1));
        BodyDescription::new(name, BodyKind::Dynamic, Shape::from(model), pose)
    };
    let scene = Scene::of(vec![torus("a", 0.0), torus("b", 0.4)], Vec::new(), 0.0);
    let mut painter = OverlayPainter::default();
    let mut wanted = |step| {
        let drawing = painter.draw(&scene.input(), &Overlays { walk: Some(step), ..Overlays::default() });
        (drawing, painter.walk_steps())
    };
    let (first, steps) = wanted(0);
    assert!(steps > 3 && first.ghosts.len() == 1 && first.notes[2].starts_with("Start"), "{:?}", first.notes);
    let solids = Solids::of(&scene.shapes, &scene.models);
    let model = |body| solids.model(body).unwrap();
    let (mut starts, mut free, mut seen) = (0, 0, std::collections::BTreeSet::new());
    for step in 0..steps {
        let (drawing, _) = wanted(step);
        assert_eq!(
            drawing.arrows.iter().filter(|arrow| arrow.color == super::super::palette::FREE).count(),
            1
        );
        let note = &drawing.notes[2];
        assert!(seen.insert(drawing.notes[1..].concat()), "each position is another step: {note}");
        starts += usize::from(note.starts_with("Start"));
        if note.contains("free") {
            let ghost = drawing.ghosts.last().unwrap();
            assert!(!collide(model(0), &ghost.pose, model(1), &scene.state.pose(1)), "{note}");
            free += 1;
        }
    }
    assert!(starts >= 1 && free > starts, "{starts} {free}");
    assert_eq!(wanted(steps + 7).0.notes, wanted(steps - 1).0.notes);
    // All starts are shown at every step, one point each beside those of contacts.
    let at_start = |drawing: &Drawing| {
        drawing.points.iter().filter(|p| p.color != super::super::palette::PURPLE).count()
    };
    assert!((0..steps).all(|step| at_start(&wanted(step).0) == starts));
}

#[test]
fn walk_contacts_and_path_are_those_of_the_traced_query() {
    let scene = row();
    let solids = Solids::of(&scene.shapes, &scene.models);
    let (a, b) = (solids.model(1).unwrap(), solids.model(0).unwrap());
    let poses = [&scene.state.pose(1), &scene.state.pose(0)];
    let options = extricate_core::penetration::TranslationalOptions::default();
    let (_, trace) =
        extricate_core::penetration::penetration_traced((a, poses[0]), (b, poses[1]), &options).unwrap();
    let mut place = 0;
    for walk in &trace.walks {
        for step in 0..=walk.steps.len() {
            let drawing = scene.draw(&Overlays { walk: Some(place), ..Overlays::default() });
            let beside = trace.walks.len() + 1;
            assert_eq!(drawing.lines.len(), walk.steps.len() + beside, "a ray to each start, and the result");
            if let Some(last) = step.checked_sub(1).map(|step| &walk.steps[step]) {
                assert_eq!(drawing.arrows.len(), 1 + last.contacts.len());
                let center = poses[0] * a.center() + last.translation;
                let end = drawing.lines[trace.walks.len() + step - 1].ends[1];
                assert!((end - center).norm() < 1e-12);
                assert_eq!(
                    last.kind == WalkStepKind::InProjection,
                    drawing.notes[2].contains("in-projection")
                );
            }
            place += 1;
        }
    }
}

#[test]
fn a_slice_through_a_soft_block_has_its_cross_section_and_the_depths_of_its_nodes() {
    let mut scene = Scene::of(Vec::new(), vec![jelly()], 0.0);
    // Twice as long in x and sheared.
    let deformed = |p: &Point3<f64>| Point3::new(2.0 * p.x + 0.3 * p.z, p.y, p.z + 5.0);
    scene.state.soft[0].nodes = scene.state.soft[0].nodes.iter().map(deformed).collect();
    for (axis, expected) in [(0, 0.16), (1, 0.32), (2, 0.32)] {
        // Off the planes of nodes.
        let section = Section { axis, fraction: 0.45 };
        let drawing = scene.draw(&Overlays { section: Some(section), ..Overlays::default() });
        let [patch] = &drawing.patches[..] else { panic!("one patch") };
        let seen = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|corner| patch.vertices[corner as usize]);
            (b - a).cross(&(c - a))[axis] * [1.0, -1.0, 1.0][axis]
        };
        assert!(patch.triangles.iter().all(|triangle| seen(triangle) > -1e-18), "all oriented to one side");
        // Normal to x the sheared block is cut obliquely: its width in z is that of the cross-section.
        let across = if axis == 0 { patch_height(patch) * 0.4 } else { expected };
        assert!((area(patch) - across).abs() < 1e-9, "{axis} {} {across}", area(patch));
        assert!(patch.values.iter().all(|value| (0.0..=1.0).contains(value)));
        let max = patch.values.iter().copied().fold(0.0, f64::max);
        assert!(max > 0.8 && drawing.legends[0].range[1] <= 0.2 + 1e-12, "{max}");
        assert!(drawing.opacity.is_some());
    }
}

/// Extent of a patch in z [m].
fn patch_height(patch: &Patch) -> f64 {
    let z = patch.vertices.iter().map(|p| p.z);
    z.clone().fold(f64::NEG_INFINITY, f64::max) - z.fold(f64::INFINITY, f64::min)
}

#[test]
fn a_slice_through_a_ball_is_a_disc_with_depth_equal_to_the_distance_to_its_rim() {
    let pose = Isometry3::from_parts(
        Translation3::new(1.0, -2.0, 3.0),
        UnitQuaternion::from_euler_angles(0.3, 1.0, 2.0),
    );
    let ball = BodyDescription::new("ball", BodyKind::Dynamic, Shape::ball(0.5), pose);
    let scene = Scene::of(vec![ball], Vec::new(), 0.0);
    for axis in 0..3 {
        let section = Some(Section { axis, ..Section::default() });
        let drawing = scene.draw(&Overlays { section, max: Some(0.5), ..Overlays::default() });
        let [patch] = &drawing.patches[..] else { panic!("one patch") };
        assert!((area(patch) / (0.25 * PI) - 1.0).abs() < 0.02, "{}", area(patch));
        for (point, value) in patch.vertices.iter().zip(&patch.values) {
            let depth = 0.5 - (point - pose.translation.vector).coords.norm();
            // The field rounds its ridge off by one or two cells.
            assert!((0.5 * value - depth).abs() < 0.035, "{point} {value}");
        }
        assert!((drawing.legends[0].range[1] - 0.5).abs() < 1e-15);
    }
    let section = Some(Section { axis: 0, fraction: 0.1 });
    let subject = Some(AnyBody::Rigid(0));
    let off = scene.draw(&Overlays { section, subject, ..Overlays::default() });
    // A cap as high as a tenth of the diameter has a rim of radius 0.3 m.
    assert!((area(&off.patches[0]) / (0.09 * PI) - 1.0).abs() < 0.05, "{}", area(&off.patches[0]));
}

#[test]
fn colours_of_soft_bodies_range_from_zero_to_the_max_value() {
    let mut scene = Scene::of(Vec::new(), vec![jelly()], 0.0);
    let stretched = |p: &Point3<f64>| Point3::new(1.1 * p.x, p.y, p.z);
    scene.state.soft[0].nodes = scene.state.soft[0].nodes.iter().map(stretched).collect();
    let draw = |soft| scene.draw(&Overlays { soft: Some(soft), ..Overlays::default() });
    let displaced = draw(SoftQuantity::Displacement);
    assert!((displaced.legends[0].range[1] - 0.02).abs() < 1e-12);
    for (value, node) in displaced.soft_values[&0].values.iter().zip(&scene.state.soft[0].nodes) {
        assert!((value - node.x.abs() / 0.22).abs() < 1e-9);
    }
    // Stretched and held at the sides: P₁ = (2µ + λ) 0.1 and P₂ = λ 0.1; Cauchy's are P₁ and P₂/1.1.
    let (mu, lambda): (f64, f64) = (1e5 / 2.6, 0.3 * 1e5 / (1.3 * 0.4));
    let expected = (2.0 * mu + lambda) * 0.1 - lambda * 0.1 / 1.1;
    let cauchy = draw(SoftQuantity::Stress);
    let range = cauchy.legends[0].range[1];
    assert!((range - expected).abs() < 1e-6 * range, "{range} {expected}");
    assert!(cauchy.soft_values[&0].values.iter().all(|value| (value - 1.0).abs() < 1e-9));
    let depths = draw(SoftQuantity::Depth);
    assert!((depths.legends[0].range[1] - 0.2).abs() < 1e-12);
    let untouched = draw(SoftQuantity::ContactDepth);
    assert!(untouched.soft_values[&0].values.iter().all(|value| *value <= 0.0));
    assert!(
        row().draw(&Overlays { soft: Some(SoftQuantity::Stress), ..Overlays::default() }).notes.len() == 1
    );
}

#[test]
fn boxes_are_drawn_by_their_twelve_edges_where_the_body_is() {
    let scene = row();
    let drawing = scene.draw(&Overlays { boxes: Some(0), ..Overlays::default() });
    assert_eq!(drawing.lines.len(), 5 * 12);
    let length: f64 = drawing.lines[..12].iter().map(|line| (line.ends[1] - line.ends[0]).norm()).sum();
    assert!((length - 12.0).abs() < 1e-5, "{length}");
    let mut ends: Vec<_> = drawing.lines[12..24].iter().map(|line| line.ends).collect();
    ends.dedup();
    assert_eq!(ends.len(), 12, "no edge twice");
    let center = ends.iter().flatten().map(|end| end.coords).sum::<Vector3<f64>>() / 24.0;
    assert!((center - scene.state.pose(1).translation.vector).norm() < 1e-6);
    let one =
        scene.draw(&Overlays { boxes: Some(9), subject: Some(AnyBody::Rigid(2)), ..Overlays::default() });
    assert_eq!(one.lines.len(), 3 * 12, "twelve triangles in three leaves");
    assert!(one.notes[0].contains("3 boxes"), "{:?}", one.notes);
}

#[test]
fn numbers_have_three_digits_and_a_prefix() {
    let cases = [
        (0.4, "400 mm"),
        (0.00123456, "1.23 mm"),
        (12.345, "12.3 m"),
        (999.9, "1.00 km"),
        (-4.5e-7, "-450 nm"),
        (0.0, "0 m"),
        (3.2e-13, "0.32 pm"),
    ];
    for (value, expected) in cases {
        assert_eq!(text::with_unit(value, "m"), expected);
    }
}
