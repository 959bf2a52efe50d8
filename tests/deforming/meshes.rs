//! Deforming meshes: closed forms, and brute force over all pairs of features.

use std::time::Duration;

use extricate::geometry::{ShapeError, TriangleMesh};
use extricate::proximity::ProximityError;
use extricate::proximity::deforming::{
    DeformingContact, DeformingModel, DeformingOptions, ElementaryOptions, Features, collides, contacts,
    edge_edge, first_contact, first_self_contact, self_collides, self_contacts, vertex_face,
};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3, Vector3};

use super::sheets::{ball, folded, moved, sheet};

const OPTIONS: DeformingOptions = DeformingOptions {
    elementary: ElementaryOptions { relative_tolerance: 1e-12, minimum_separation: 0.0, max_iterations: 100 },
    normal_cones: true,
    time_budget: None,
};

fn all_self(model: &DeformingModel, options: &DeformingOptions) -> Vec<DeformingContact> {
    let mut found = Vec::new();
    self_contacts(model, options, &mut found).expect("valid options");
    found
}

fn all_between(a: &DeformingModel, b: &DeformingModel, options: &DeformingOptions) -> Vec<DeformingContact> {
    let mut found = Vec::new();
    contacts(a, b, options, &mut found).expect("valid options");
    found
}

fn points<const N: usize>(positions: &[Point3<f64>], indices: [u32; N]) -> [Point3<f64>; N] {
    indices.map(|i| positions[i as usize])
}

fn joined(first: &[Point3<f64>], rest: &[Point3<f64>]) -> [Point3<f64>; 4] {
    [first, rest].concat().try_into().expect("four points")
}

/// The contacts of every vertex of `a` with every triangle of `b`, adjacent ones left out where they are one mesh.
fn vertices_with_faces(
    a: &DeformingModel,
    b: &DeformingModel,
    is_one: bool,
    features: impl Fn(u32, u32) -> Features,
    options: &DeformingOptions,
) -> Vec<DeformingContact> {
    let mut found = Vec::new();
    for vertex in 0..a.start().len() as u32 {
        for (face, &corners) in b.triangles().iter().enumerate() {
            if is_one && corners.contains(&vertex) {
                continue;
            }
            let start = joined(&points(a.start(), [vertex]), &points(b.start(), corners));
            let end = joined(&points(a.end(), [vertex]), &points(b.end(), corners));
            let contact = vertex_face(&start, &end, &options.elementary).expect("finite");
            found.extend(
                contact.map(|contact| DeformingContact { features: features(vertex, face as u32), contact }),
            );
        }
    }
    found
}

fn edges_with_edges(
    a: &DeformingModel,
    b: &DeformingModel,
    is_one: bool,
    options: &DeformingOptions,
) -> Vec<DeformingContact> {
    let mut found = Vec::new();
    for (i, &first) in a.edges().iter().enumerate() {
        for (j, &second) in b.edges().iter().enumerate() {
            if is_one && (j <= i || first.iter().any(|end| second.contains(end))) {
                continue;
            }
            let start = joined(&points(a.start(), first), &points(b.start(), second));
            let end = joined(&points(a.end(), first), &points(b.end(), second));
            let contact = edge_edge(&start, &end, &options.elementary).expect("finite");
            let features = Features::EdgeEdge { edges: [i as u32, j as u32] };
            found.extend(contact.map(|contact| DeformingContact { features, contact }));
        }
    }
    found
}

fn brute_self(model: &DeformingModel, options: &DeformingOptions) -> Vec<DeformingContact> {
    let faces = |vertex, face| Features::VertexFace { vertex, face };
    let mut found = vertices_with_faces(model, model, true, faces, options);
    found.extend(edges_with_edges(model, model, true, options));
    found.sort_by_key(|contact| contact.features);
    found
}

fn brute_between(
    a: &DeformingModel,
    b: &DeformingModel,
    options: &DeformingOptions,
) -> Vec<DeformingContact> {
    let mut found =
        vertices_with_faces(a, b, false, |vertex, face| Features::VertexFace { vertex, face }, options);
    found.extend(vertices_with_faces(
        b,
        a,
        false,
        |vertex, face| Features::FaceVertex { face, vertex },
        options,
    ));
    found.extend(edges_with_edges(a, b, false, options));
    found.sort_by_key(|contact| contact.features);
    found
}

fn earliest(contacts: &[DeformingContact]) -> Option<DeformingContact> {
    let key = |a: &&DeformingContact, b: &&DeformingContact| {
        a.contact.time.total_cmp(&b.contact.time).then(a.features.cmp(&b.features))
    };
    contacts.iter().min_by(key).copied()
}

fn moving(mesh: &TriangleMesh, start: &[Point3<f64>], end: &[Point3<f64>]) -> DeformingModel {
    let mut model = DeformingModel::new(mesh).expect("a small mesh");
    model.set_motion(start, end).expect("finite");
    model
}

/// A crumpled sheet of 128 triangles.
fn crumpled(seed: u64, by: f64) -> DeformingModel {
    let (mesh, mut noise) = (sheet(8), Noise(seed));
    let start = moved(&mut noise, mesh.vertices(), by);
    let end = moved(&mut noise, &start, by);
    moving(&mesh, &start, &end)
}

#[test]
fn the_tree_finds_the_contacts_of_a_mesh_with_itself_that_brute_force_finds() {
    let mut contacts_found = 0;
    for seed in 0..6 {
        let model = crumpled(seed, 0.03 * (1.0 + seed as f64));
        let (tree, brute) = (all_self(&model, &OPTIONS), brute_self(&model, &OPTIONS));
        assert_eq!(tree, brute, "seed {seed}");
        assert_eq!(self_collides(&model, &OPTIONS), Ok(!brute.is_empty()));
        assert_eq!(first_self_contact(&model, &OPTIONS), Ok(earliest(&brute)));
        contacts_found += brute.len();
    }
    assert!(contacts_found > 300, "{contacts_found}");
}

#[test]
fn the_tree_finds_the_contacts_of_two_meshes_that_brute_force_finds() {
    let mut contacts_found = 0;
    for seed in 0..6 {
        let a = crumpled(seed, 0.02);
        let mesh = sheet(5);
        let mut noise = Noise(100 + seed);
        let start = moved(&mut noise, mesh.vertices(), 0.1)
            .iter()
            .map(|p| p + Vector3::z() * 0.2)
            .collect::<Vec<_>>();
        let end = moved(&mut noise, &start, 0.1)
            .iter()
            .map(|p| p - Vector3::z() * 0.05 * seed as f64)
            .collect::<Vec<_>>();
        let b = moving(&mesh, &start, &end);
        let (tree, brute) = (all_between(&a, &b, &OPTIONS), brute_between(&a, &b, &OPTIONS));
        assert_eq!(tree, brute, "seed {seed}");
        assert_eq!(collides(&a, &b, &OPTIONS), Ok(!brute.is_empty()));
        assert_eq!(first_contact(&a, &b, &OPTIONS), Ok(earliest(&brute)));
        contacts_found += brute.len();
    }
    assert!(contacts_found > 100, "{contacts_found}");
}

#[test]
fn a_minimum_separation_finds_what_brute_force_finds() {
    let separated = |minimum_separation| DeformingOptions {
        elementary: ElementaryOptions { minimum_separation, ..OPTIONS.elementary },
        ..OPTIONS
    };
    let model = crumpled(3, 0.02);
    let near = separated(0.06);
    let brute = brute_self(&model, &near);
    assert_eq!(all_self(&model, &near), brute);
    assert!(brute.len() > all_self(&model, &OPTIONS).len());
    let at = |z| Isometry3::translation(0.3, 0.2, z);
    let b = DeformingModel::moved(&sheet(4), &at(0.3), &at(0.1)).expect("finite");
    let brute = brute_between(&model, &b, &separated(0.1));
    assert_eq!(all_between(&model, &b, &separated(0.1)), brute);
    assert!(!brute.is_empty());
}

#[test]
fn culling_by_normal_cones_changes_no_contact() {
    let without = DeformingOptions { normal_cones: false, ..OPTIONS };
    let mesh = sheet(30);
    let mut with_contacts = 0;
    for (from, to) in [(0.0, 0.2), (0.8, 0.9), (1.9, 1.95), (1.9, 2.6), (2.2, 2.3), (0.0, 2.5)] {
        let model = moving(&mesh, &folded(&mesh, from), &folded(&mesh, to));
        let found = all_self(&model, &OPTIONS);
        assert_eq!(found, all_self(&model, &without), "{from} {to}");
        with_contacts += usize::from(!found.is_empty());
    }
    assert!((2..=5).contains(&with_contacts), "{with_contacts}");
}

#[test]
fn a_sheet_that_is_folded_over_meets_itself_when_the_halves_meet() {
    // The right half flips over onto the left one along chords: its far edge passes the middle's height at t = 1/2
    // and lies on the left half at the end.
    let mesh = sheet(8);
    let start = mesh.vertices().to_vec();
    let over = |height: f64| {
        let place =
            |p: &Point3<f64>| if p.x > 0.5 { Point3::new(1.0 - p.x, p.y, height * (p.x - 0.5)) } else { *p };
        start.iter().map(place).collect::<Vec<_>>()
    };
    let above = moving(&mesh, &over(4.0), &over(0.5));
    assert_eq!(first_self_contact(&above, &OPTIONS), Ok(None), "it stays above");
    let onto = moving(&mesh, &over(1.0), &over(-1.0));
    let contact = first_self_contact(&onto, &OPTIONS).expect("valid").expect("it goes through");
    assert!((contact.contact.time - 0.5).abs() < 1e-11, "{contact:?}");
}

#[test]
fn a_ball_that_passes_a_sheet_in_one_step_does_not_tunnel() {
    let (ball, lowest) = (ball(0.01, 8), -0.01);
    let at = |z| Isometry3::translation(0.512, 0.493, z);
    let floor = DeformingModel::new(&sheet(7)).expect("a sheet");
    let bullet = DeformingModel::moved(&ball, &at(10.0), &at(-90.0)).expect("finite");
    let contact = first_contact(&bullet, &floor, &OPTIONS).expect("valid").expect("it passes through");
    assert!((contact.contact.time - (10.0 + lowest) / 100.0).abs() < 1e-12, "{contact:?}");
    let mirrored = first_contact(&floor, &bullet, &OPTIONS).expect("valid").expect("it passes through");
    assert!((mirrored.contact.time - contact.contact.time).abs() < 1e-13);
    let short = DeformingModel::moved(&ball, &at(10.0), &at(0.02)).expect("finite");
    assert_eq!(collides(&short, &floor, &OPTIONS), Ok(false));
}

#[test]
fn adjacent_features_are_not_in_contact_however_the_mesh_folds() {
    // Two triangles at an edge, folded shut: only features that share a vertex meet, but for the two far corners.
    let mesh = TriangleMesh::new(
        vec![
            Point3::origin(),
            Point3::new(0.0, 1.0, 0.0),
            Point3::new(1.0, 0.3, 0.0),
            Point3::new(-1.0, 0.6, 0.0),
        ],
        vec![[0, 2, 1], [0, 1, 3]],
    )
    .expect("a mesh");
    let mut model = DeformingModel::new(&mesh).expect("small");
    let mut end = mesh.vertices().to_vec();
    end[3] = Point3::new(1.5, 0.6, 1e-3);
    model.move_to(&end).expect("finite");
    assert_eq!(self_collides(&model, &OPTIONS), Ok(false));
    end[3] = Point3::new(0.2, 0.35, -1e-3);
    end[2] = Point3::new(1.0, 0.3, 0.0);
    model.set_motion(&[&end[..3], &[Point3::new(0.2, 0.35, 1e-3)]].concat(), &end).expect("finite");
    let found = all_self(&model, &OPTIONS);
    assert_eq!(found[0].features, Features::VertexFace { vertex: 3, face: 0 });
}

#[test]
fn the_same_contacts_come_in_the_same_order_for_any_number_of_threads() {
    let model = crumpled(5, 0.15);
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| (all_self(&model, &OPTIONS), first_self_contact(&model, &OPTIONS)))
    };
    let one = with_threads(1);
    assert!(one.0.len() > 100);
    for threads in [2, 3, 8] {
        assert_eq!(with_threads(threads), one);
    }
}

#[test]
fn units_and_places_change_no_contact() {
    let model = crumpled(4, 0.08);
    let features = |found: Vec<DeformingContact>| found.iter().map(|c| c.features).collect::<Vec<_>>();
    let expected = features(all_self(&model, &OPTIONS));
    assert!(expected.len() > 10);
    let mesh = sheet(8);
    for scale in [1e-30, 1e-3, 1e3, 1e30] {
        let [start, end] =
            [model.start(), model.end()].map(|points| points.iter().map(|p| p * scale).collect::<Vec<_>>());
        assert_eq!(features(all_self(&moving(&mesh, &start, &end), &OPTIONS)), expected, "{scale}");
    }
    // A thousand kilometres away the coordinates are rounded to 0.1 nm; none of these contacts is that close.
    let far = Vector3::new(1e6, -1e6, 1e6);
    let [start, end] =
        [model.start(), model.end()].map(|points| points.iter().map(|p| p + far).collect::<Vec<_>>());
    assert_eq!(features(all_self(&moving(&mesh, &start, &end), &OPTIONS)), expected);
}

#[test]
fn a_triangle_without_area_at_rest_takes_part() {
    // Three corners on a line at rest, which open into a triangle while a point passes.
    let vertices = vec![
        Point3::new(0.0, 0.0, 0.0),
        Point3::new(1.0, 0.0, 0.0),
        Point3::new(2.0, 0.0, 0.0),
        Point3::new(1.0, 0.5, 1.0),
        Point3::new(1.1, 0.5, 1.0),
        Point3::new(1.0, 0.6, 1.0),
    ];
    let mesh = TriangleMesh::new(vertices.clone(), vec![[0, 1, 2], [3, 4, 5]]).expect("one has an area");
    let mut model = DeformingModel::new(&mesh).expect("small");
    let mut end = vertices;
    end[1].y = 4.0;
    end[3..].iter_mut().for_each(|p| p.z = -1.0);
    model.move_to(&end).expect("finite");
    let found = all_self(&model, &OPTIONS);
    assert_eq!(found, brute_self(&model, &OPTIONS));
    assert!(found.len() >= 3);
}

#[test]
fn a_motion_that_does_not_fit_is_refused_and_leaves_the_model_as_it_was() {
    let mesh = sheet(2);
    let mut model = DeformingModel::new(&mesh).expect("small");
    let good = mesh.vertices().to_vec();
    assert_eq!(
        model.move_to(&good[1..]),
        Err(ProximityError::Count { what: "positions", given: 8, expected: 9 })
    );
    for bad in [f64::NAN, f64::INFINITY] {
        let mut end = good.clone();
        end[4].y = bad;
        assert!(matches!(
            model.move_to(&end),
            Err(ProximityError::Shape(ShapeError::NotFinite { index: 4, .. }))
        ));
        assert!(matches!(
            model.set_motion(&end, &good),
            Err(ProximityError::Shape(ShapeError::NotFinite { index: 4, .. }))
        ));
    }
    let mut huge = good.clone();
    huge[0].x = -1e38;
    assert!(matches!(model.move_to(&huge), Err(ProximityError::Overflow { .. })));
    let mut triangles = mesh.triangles().to_vec();
    triangles[3] = [0, 1, 8];
    let other = TriangleMesh::new(good.clone(), triangles.clone()).expect("a mesh");
    assert_eq!(model.move_to_mesh(&other), Err(ProximityError::Topology { triangle: 3 }));
    triangles.truncate(2);
    let shorter = TriangleMesh::new(good.clone(), triangles).expect("a mesh");
    assert_eq!(model.move_to_mesh(&shorter), Err(ProximityError::Topology { triangle: 2 }));
    assert_eq!(model.end(), good);
    assert_eq!(self_collides(&model, &OPTIONS), Ok(false));
    let negative = DeformingOptions {
        elementary: ElementaryOptions { minimum_separation: -1.0, ..OPTIONS.elementary },
        ..OPTIONS
    };
    assert!(matches!(self_collides(&model, &negative), Err(ProximityError::Option { .. })));
}

#[test]
fn a_time_budget_ends_a_query_with_an_error_unless_its_answer_is_known() {
    let mesh = sheet(60);
    let still = DeformingModel::new(&mesh).expect("a sheet");
    let below = Isometry3::translation(0.1, 0.2, -1.0);
    let falling = DeformingModel::moved(&mesh, &below.inverse(), &below).expect("a sheet");
    let within = |time_budget| DeformingOptions { time_budget, ..OPTIONS };
    let spent = within(Some(Duration::ZERO));
    let late = |error: ProximityError| matches!(error, ProximityError::OutOfTime { .. });
    assert!(first_contact(&falling, &still, &spent).is_err_and(late));
    assert!(contacts(&falling, &still, &spent, &mut Vec::new()).is_err_and(late));
    let all_tested = DeformingOptions { normal_cones: false, ..spent };
    assert!(self_collides(&falling, &all_tested).is_err_and(late));
    let free = |options| first_contact(&falling, &still, options).expect("enough time");
    assert!(free(&OPTIONS).is_some());
    assert_eq!(free(&within(Some(Duration::from_secs(600)))), free(&OPTIONS));
}
