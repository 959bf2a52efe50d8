//! Every pair of shape kinds and every query: answered, or refused with the reason; `docs/queries.md` holds the table.
//! Answers are compared with closed forms and with brute force over triangles.
//!
//! `EXTRICATE_WRITE_TABLE=1 cargo test --release --test query_pairs` writes the table anew.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write as _;
use std::path::Path;

use extricate::geometry::procedural::{Cuboid, Procedural, Torus};
use extricate::nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use extricate::penetration::Effort;
use extricate::query::options::{
    CollideOptions, DistanceOptions, HausdorffOptions, PenetrationOptions, SpanningOptions,
    TimeOfContactOptions,
};
use extricate::query::{self, Moving, QueryError, RigidPenetrationOptions};
use extricate::{Mesh, Posed, Robot, Shape};

/// Uniform numbers in [−1, 1] of a seed.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }

    fn pose(&mut self, reach: f64) -> Isometry3<f64> {
        Isometry3::new(reach * self.vector(), std::f64::consts::PI * self.vector())
    }
}

fn ring() -> Mesh {
    Torus { major_radius: 0.6, minor_radius: 0.25, segments: 20, sides: 8 }.mesh().unwrap()
}

fn box_mesh(size: Vector3<f64>) -> Mesh {
    Cuboid { x: size.x, y: size.y, z: size.z, ..Cuboid::default() }.mesh().unwrap()
}

/// One shape of every kind.
fn kinds() -> Vec<Shape> {
    let size = Vector3::new(0.8, 0.6, 0.5);
    let corners =
        [[0.5, 0.0, -0.3], [-0.4, 0.4, -0.3], [-0.4, -0.4, -0.3], [0.0, 0.1, 0.5]].map(Point3::from);
    let cut = ring();
    let half = cut.triangles()[..cut.triangles().len() / 2].to_vec();
    vec![
        Shape::ball(0.4),
        Shape::capsule(0.25, 0.6),
        Shape::cuboid(size),
        Shape::cylinder(0.3, 0.7),
        Shape::cone(0.4, 0.8),
        Shape::hull(&corners).unwrap(),
        Shape::cuboid(size).rounded(0.1).unwrap(),
        Shape::half_space(),
        Shape::solid(ring()).unwrap(),
        Shape::surface(Mesh::new(cut.vertices().to_vec(), half).unwrap()),
    ]
}

const QUERIES: [&str; 10] = [
    "collide",
    "distance",
    "signed distance",
    "penetration",
    "local penetrations",
    "rigid penetration",
    "time of contact",
    "Hausdorff",
    "spanning",
    "growth distance",
];

fn fast() -> PenetrationOptions {
    PenetrationOptions { effort: Effort::Fast, ..PenetrationOptions::default() }
}

/// Mark of an answer that is exact or certified (`yes`), or holds to within a stated error of triangles (`bound`).
fn mark(error: f64) -> &'static str {
    if error > 0.0 { "bound" } else { "yes" }
}

fn answer(query: &str, a: &Shape, b: &Shape) -> Result<&'static str, QueryError> {
    let overlapping = Isometry3::new(Vector3::new(0.45, 0.1, 0.05), Vector3::new(0.2, 0.1, 0.3));
    let (first, second) = (Posed::new(a, overlapping), Posed::at_origin(b));
    let away = Isometry3::translation(0.3, 0.2, 2.5);
    match query {
        "collide" => query::collide(&first, &second, &CollideOptions::default()).map(|_| "yes"),
        "distance" => query::distance(&first, &second, &DistanceOptions::default()).map(|_| "yes"),
        "signed distance" => {
            query::signed_distance(&first, &second, &fast())?;
            answer("penetration", a, b)
        }
        "penetration" => {
            let found = query::penetration(&first, &second, &fast())?;
            Ok(mark(found.map_or(0.0, |found| found.approximation)))
        }
        "local penetrations" => {
            query::local_penetrations(&first, &second, &fast())?;
            answer("penetration", a, b)
        }
        "rigid penetration" => {
            let options = RigidPenetrationOptions::fast();
            let found = query::penetration_rigid(&first, &second, &options)?;
            Ok(mark(found.map_or(0.0, |found| found.approximation)))
        }
        "time of contact" => {
            let options = TimeOfContactOptions { relative_tolerance: 1e-3, ..Default::default() };
            let falling = Moving::linear(a, &away, &overlapping);
            query::time_of_contact(&falling, &Moving::still(b, &Isometry3::identity()), &options)
                .map(|_| "yes")
        }
        "Hausdorff" => {
            let options = HausdorffOptions { relative_tolerance: 0.05, ..Default::default() };
            query::hausdorff(&first, &second, &options)?;
            let excess = |shape: &Shape| shape.triangles().map_or(0.0, |triangles| triangles.excess);
            Ok(mark(excess(a) + excess(b)))
        }
        "growth distance" => query::growth_distance(&first, &second, &Default::default()).map(|_| "yes"),
        _ => {
            let found = query::spanning(&first, &second, &SpanningOptions::default())?;
            Ok(mark(found.upper_bound - found.value))
        }
    }
}

fn table() -> String {
    let kinds = kinds();
    let mut reasons: Vec<String> = Vec::new();
    let mut text =
        format!("| A | B | {} |\n|---|---|{}\n", QUERIES.join(" | "), "---|".repeat(QUERIES.len()));
    for a in &kinds {
        for b in &kinds {
            write!(text, "| {} | {} |", a.kind(), b.kind()).unwrap();
            for query in QUERIES {
                let cell = match answer(query, a, b) {
                    Ok(mark) => mark.to_owned(),
                    Err(QueryError::Unsupported { reason, .. }) => {
                        let known = reasons.iter().position(|known| known == reason);
                        let index = known.unwrap_or_else(|| {
                            reasons.push(reason.to_owned());
                            reasons.len() - 1
                        });
                        format!("no ({})", index + 1)
                    }
                    Err(other) => panic!("{query} of {} and {}: {other}", a.kind(), b.kind()),
                };
                write!(text, " {cell} |").unwrap();
            }
            text.push('\n');
        }
    }
    text.push('\n');
    for (index, reason) in reasons.iter().enumerate() {
        writeln!(text, "{}. {reason}", index + 1).unwrap();
    }
    text
}

#[test]
fn the_table_of_all_pairs_and_queries_is_that_of_the_documentation() {
    let begin = "<!-- table -->\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/queries.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (above, written) = page.split_once(begin).unwrap();
    let table = table();
    if std::env::var_os("EXTRICATE_WRITE_TABLE").is_some() {
        std::fs::write(&path, format!("{above}{begin}{table}")).unwrap();
    } else {
        assert!(written == table, "docs/queries.md is not up to date; this is the table now:\n{table}");
    }
}

/// Distance of a point and a triangle: its plane where the foot is inside, otherwise its edges.
fn to_triangle(p: &Point3<f64>, [a, b, c]: [Point3<f64>; 3]) -> f64 {
    let to_edge = |u: Point3<f64>, v: Point3<f64>| {
        let along = v - u;
        let t = ((p - u).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        (p - (u + along * t)).norm()
    };
    let normal = (b - a).cross(&(c - a)).normalize();
    let inside = [(a, b), (b, c), (c, a)].iter().all(|(u, v)| normal.cross(&(v - u)).dot(&(p - u)) >= 0.0);
    let edges = to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a));
    if inside { (p - a).dot(&normal).abs() } else { edges }
}

fn to_mesh(p: &Point3<f64>, mesh: &Mesh) -> f64 {
    (0..mesh.triangles().len()).map(|i| to_triangle(p, mesh.triangle(i))).fold(f64::INFINITY, f64::min)
}

/// Signed distance of a point and a shape of a closed form, frame of the shape.
fn closed_form(shape: usize, p: &Vector3<f64>) -> f64 {
    let outside = |gaps: Vector3<f64>| gaps.sup(&Vector3::zeros()).norm() + gaps.max().min(0.0);
    let round = p.x.hypot(p.y);
    let in_box = |radius: f64| outside(p.abs() - Vector3::new(0.4, 0.3, 0.25)) - radius;
    match shape {
        0 => p.norm() - 0.4,
        1 => (p - Vector3::z() * p.z.clamp(-0.3, 0.3)).norm() - 0.25,
        2 => in_box(0.0),
        3 => outside(Vector3::new(round - 0.3, p.z.abs() - 0.35, f64::NEG_INFINITY)),
        6 => in_box(0.1),
        _ => p.z,
    }
}

#[test]
fn distances_and_depths_of_a_ball_are_closed_forms_and_exchange_of_the_shapes_changes_nothing() {
    let (kinds, mut noise, radius) = (kinds(), Noise(1), 0.2);
    let ball = Shape::ball(radius);
    for index in [0, 1, 2, 3, 6, 7] {
        for _ in 0..200 {
            let (pose, center) = (noise.pose(1.0), Point3::from(1.2 * noise.vector()));
            let wanted = closed_form(index, &(pose.inverse() * center).coords) - radius;
            let (a, b) = (Posed::new(&ball, Isometry3::from(center.coords)), Posed::new(&kinds[index], pose));
            let found = query::signed_distance(&a, &b, &PenetrationOptions::default()).unwrap();
            assert!((found.value - wanted).abs() < 1e-8, "{}: {} {wanted}", kinds[index].kind(), found.value);
            let back = query::signed_distance(&b, &a, &PenetrationOptions::default()).unwrap();
            assert!((found.value - back.value).abs() < 1e-8);
            assert_eq!(query::collide(&a, &b, &CollideOptions::default()).unwrap(), found.value <= 0.0);
            if let Some(overlap) = query::penetration(&a, &b, &PenetrationOptions::default()).unwrap() {
                let moved = (pose.inverse() * (center + overlap.translation)).coords;
                assert!(closed_form(index, &moved) - radius > 0.0);
            }
        }
    }
}

#[test]
fn a_round_shape_and_a_mesh_are_as_far_apart_as_brute_force_finds() {
    let (mesh, mut noise) = (ring(), Noise(2));
    let (shape, ball, capsule) =
        (Shape::solid(mesh.clone()).unwrap(), Shape::ball(0.1), Shape::capsule(0.1, 0.4));
    let samples = 400;
    for _ in 0..60 {
        let (pose, other) = (noise.pose(0.3), noise.pose(1.2));
        let local = pose.inverse() * other;
        let target = Posed::new(&shape, pose);
        let distance = |shape: &Shape| {
            query::distance(&Posed::new(shape, other), &target, &DistanceOptions::default()).unwrap()
        };
        let contains = |p: &Point3<f64>| shape.model().unwrap().contains(p);
        let center = local * Point3::origin();
        let wanted = if contains(&center) { 0.0 } else { (to_mesh(&center, &mesh) - 0.1).max(0.0) };
        let found = distance(&ball);
        assert!((found.value - wanted).abs() < 1e-12, "{} {wanted}", found.value);
        assert!(found.value <= 0.0 || ((found.points[0] - found.points[1]).norm() - wanted).abs() < 1e-12);
        let axis = (0..=samples).map(|i| {
            let point = local * Point3::new(0.0, 0.0, 0.4 * (f64::from(i) / f64::from(samples) - 0.5));
            if contains(&point) { 0.0 } else { (to_mesh(&point, &mesh) - 0.1).max(0.0) }
        });
        let (found, wanted) = (distance(&capsule).value, axis.fold(f64::INFINITY, f64::min));
        assert!(found <= wanted + 1e-9 && wanted <= found + 1e-3, "{found} {wanted}");
    }
}

#[test]
fn a_box_of_triangles_answers_as_the_convex_box() {
    let (size, mut noise) = (Vector3::new(0.8, 0.6, 0.5), Noise(3));
    let (convex, mesh) = (Shape::cuboid(size), Shape::solid(box_mesh(size)).unwrap());
    for shape in kinds().iter().take(8) {
        for _ in 0..25 {
            let (pose, other) = (noise.pose(0.2), noise.pose(0.9));
            let a = Posed::new(shape, other);
            let ask = |b: &Shape| {
                let b = Posed::new(b, pose);
                let options = PenetrationOptions::default();
                let found = query::signed_distance(&a, &b, &options).unwrap();
                (found, query::collide(&a, &b, &CollideOptions::default()).unwrap())
            };
            let ((wanted, hits), (found, also)) = (ask(&convex), ask(&mesh));
            assert_eq!(hits, also, "{}", shape.kind());
            assert!((wanted.value - found.value).abs() < 1e-7, "{}: {wanted:?} {found:?}", shape.kind());
            assert!(found.lower_bound <= wanted.value + 1e-9 && wanted.value <= found.upper_bound + 1e-9);
        }
    }
}

#[test]
fn a_half_space_is_as_far_as_the_lowest_support() {
    let (ground, mut noise) = (Shape::half_space(), Noise(4));
    for shape in kinds().iter().enumerate().filter(|(index, _)| *index != 7).map(|(_, shape)| shape) {
        for _ in 0..50 {
            let (pose, plane) = (noise.pose(1.0), noise.pose(0.5));
            let up = plane.rotation * Vector3::z();
            let lowest = pose * shape.support(&(pose.rotation.inverse() * -up)).unwrap();
            let wanted = up.dot(&(lowest.coords - plane.translation.vector));
            let (a, b) = (Posed::new(shape, pose), Posed::new(&ground, plane));
            let found = query::signed_distance(&a, &b, &PenetrationOptions::default()).unwrap();
            assert!((found.value - wanted).abs() < 1e-9, "{}: {} {wanted}", shape.kind(), found.value);
            if let Some(overlap) = query::penetration(&a, &b, &PenetrationOptions::default()).unwrap() {
                assert!(
                    (overlap.direction.dot(&up) - 1.0).abs() < 1e-9 && overlap.lower_bound <= overlap.depth
                );
                let regions = query::local_penetrations(&a, &b, &PenetrationOptions::default()).unwrap();
                // The region of a surface without an inside is only what intersects the plane.
                let (deepest, depth) = (regions.first().map_or(0.0, |region| region.depth), overlap.depth);
                let is_surface = shape.kind() == "surface mesh";
                let agrees =
                    if is_surface { deepest <= depth + 1e-6 } else { (deepest - depth).abs() < 1e-6 };
                assert!(agrees, "{}: {deepest} {depth}", shape.kind());
            }
        }
    }
}

#[test]
fn a_ball_in_the_wall_of_a_ring_leaves_it_by_a_verified_translation_within_its_bounds() {
    let (mesh, mut noise, radius) = (ring(), Noise(5), 0.1);
    let (shape, ball) = (Shape::solid(mesh.clone()).unwrap(), Shape::ball(radius));
    let ring = Posed::at_origin(&shape);
    let mut overlaps = 0;
    for _ in 0..40 {
        let center = Point3::from(noise.vector().component_mul(&Vector3::new(0.9, 0.9, 0.3)));
        let found = query::penetration(
            &Posed::new(&ball, Isometry3::from(center.coords)),
            &ring,
            &PenetrationOptions::default(),
        )
        .unwrap();
        let inside = shape.model().unwrap().contains(&center);
        let Some(found) = found else {
            assert!(!inside && to_mesh(&center, &mesh) > radius);
            continue;
        };
        overlaps += 1;
        let moved = center + found.translation;
        assert!(!shape.model().unwrap().contains(&moved) && to_mesh(&moved, &mesh) >= radius - 1e-12);
        // A ball inside by s touches after r + s at the earliest; here the shortest path out of a tube is nearly that.
        let min = radius + if inside { to_mesh(&center, &mesh) } else { -to_mesh(&center, &mesh) };
        assert!(min <= found.depth + 1e-9 && found.lower_bound <= found.depth, "{min} {found:?}");
        assert!(found.lower_bound >= min - 1e-9 && found.depth <= 1.35 * min + 0.02, "{min} {found:?}");
        assert!(found.approximation > 0.0 && found.approximation < 0.02 * radius);
    }
    assert!(overlaps > 10);
}

#[test]
fn first_contacts_are_closed_forms() {
    let ball = Shape::ball(0.2);
    let size = Vector3::new(0.8, 0.6, 0.5);
    let (from, to) = (Isometry3::translation(0.1, 0.1, 2.0), Isometry3::translation(0.1, 0.1, -2.0));
    let targets = [
        (Shape::half_space(), 0.0),
        (Shape::cuboid(size), 0.25),
        (Shape::solid(box_mesh(size)).unwrap(), 0.25),
        (Shape::surface(box_mesh(size)), 0.25),
        (Shape::cylinder(0.3, 0.7), 0.35),
    ];
    for (target, top) in targets {
        let resting = Moving::still(&target, &Isometry3::identity());
        let found = query::time_of_contact(&Moving::linear(&ball, &from, &to), &resting, &Default::default());
        let found = found.unwrap().unwrap();
        assert!((found.time - (1.8 - top) / 4.0).abs() < 1e-6, "{}: {found:?}", target.kind());
        assert!(found.normal.z > 0.999);
        let aside = Isometry3::translation(5.0, 0.0, 0.21);
        let past = Moving::linear(&ball, &Isometry3::translation(5.0, 5.0, 0.21), &aside);
        assert!(query::time_of_contact(&past, &resting, &Default::default()).unwrap().is_none());
    }
}

#[test]
fn a_rotating_half_space_meets_a_ball_when_its_plane_does() {
    let (ground, ball) = (Shape::half_space(), Shape::ball(0.1));
    let tilt = Isometry3::rotation(Vector3::y() * -1.0);
    let rising = Moving::linear(&ground, &Isometry3::identity(), &tilt);
    let resting = Moving::still(&ball, &Isometry3::translation(2.0, 0.0, 0.5));
    let found = query::time_of_contact(&resting, &rising, &Default::default()).unwrap().unwrap();
    // Height of (2, 0, ½) over the plane rotated by θ: ½ cos θ − 2 sin θ = 0.1.
    let height = |angle: f64| 0.5 * angle.cos() - 2.0 * angle.sin() - 0.1;
    assert!(height(found.time) >= 0.0 && height(found.time) < 1e-6, "{found:?}");
}

#[test]
fn spanning_and_hausdorff_distances_are_within_their_bounds() {
    let at = |x: f64| Isometry3::new(Vector3::x() * x, Vector3::new(0.3, 0.2, 0.1));
    let span = |a: &Shape, b: &Shape, x: f64| {
        query::spanning(&Posed::new(a, at(x)), &Posed::at_origin(b), &SpanningOptions::default()).unwrap()
    };
    let (ball, other) = (Shape::ball(0.5), Shape::ball(0.2));
    assert!((span(&ball, &other, 3.0).value - 3.7).abs() < 1e-12);
    let cylinder = Shape::cylinder(0.3, 0.8);
    let found = query::spanning(
        &Posed::at_origin(&cylinder),
        &Posed::new(&other, Isometry3::translation(2.0, 0.0, 0.0)),
        &SpanningOptions::default(),
    );
    let (found, wanted) = (found.unwrap(), 2.3_f64.hypot(0.4) + 0.2);
    assert!(found.value <= wanted + 1e-12 && wanted <= found.upper_bound, "{found:?} {wanted}");
    assert!(found.upper_bound - found.value < 1e-4);
    let deviation =
        query::hausdorff(&Posed::at_origin(&ball), &Posed::at_origin(&other), &Default::default()).unwrap();
    assert!(deviation.lower_bound <= 0.3 && 0.3 <= deviation.upper_bound && deviation.upper_bound < 0.34);
}

#[test]
fn bad_numbers_and_open_meshes_are_refused_by_name() {
    let (ball, good) = (Shape::ball(0.5), Shape::ball(-1.0));
    let nowhere = Posed::new(&ball, Isometry3::translation(f64::NAN, 0.0, 0.0));
    let here = Posed::at_origin(&ball);
    let options = DistanceOptions::default();
    assert!(matches!(
        query::distance(&here, &nowhere, &options),
        Err(QueryError::PoseNotFinite { body: "B" })
    ));
    assert!(matches!(query::distance(&Posed::at_origin(&good), &here, &options), Err(QueryError::Shape(_))));
    let whole = ring();
    let open = Mesh::new(whole.vertices().to_vec(), whole.triangles()[1..].to_vec()).unwrap();
    assert!(matches!(Shape::solid(open), Err(QueryError::OpenMesh { .. })));
    let limit = query::distance_up_to(
        &here,
        &Posed::new(&ball, Isometry3::translation(9.0, 0.0, 0.0)),
        1.0,
        &options,
    );
    assert!(limit.unwrap().is_none());
}

#[test]
fn a_shape_reads_back_as_it_was_written() {
    for shape in kinds() {
        let text = serde_json::to_string(&shape).unwrap();
        let back: Shape = serde_json::from_str(&text).unwrap();
        assert_eq!(back.kind(), shape.kind());
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
        if !matches!(shape.kind(), "half-space" | "surface mesh") {
            let (mass, again) = (shape.mass_properties().unwrap(), back.mass_properties().unwrap());
            assert!(mass.volume > 0.0 && (mass.volume - again.volume).abs() < 1e-12);
        }
    }
    assert!(serde_json::from_str::<Shape>(r#"{"ball":{"radius":-1}}"#).is_err());
}

#[test]
fn a_robot_names_the_link_that_is_nearest_and_what_it_hits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let arm = Robot::load(folder.join("assets/robots/arm.urdf")).unwrap();
    let posed = arm.at(&vec![0.0; arm.degrees_of_freedom()]).unwrap();
    let ball = Shape::ball(0.03);
    for (index, part) in posed.parts().enumerate() {
        let center = part.pose * part.shape.bounding_sphere().0;
        let target = Posed::new(&ball, Isometry3::from(center.coords));
        let hits = query::colliding_parts(&posed, &target, &CollideOptions::default()).unwrap();
        if !part.shape.model().unwrap().contains(&part.shape.bounding_sphere().0) {
            continue;
        }
        assert!(hits.iter().any(|hit| hit.parts == [index, 0] && posed.name(hit.parts[0]) == part.name));
        let deepest = query::penetration(&posed, &target, &PenetrationOptions::default()).unwrap().unwrap();
        assert!(hits.iter().any(|hit| hit.parts == deepest.parts) && posed.name(deepest.parts[0]).is_some());
    }
    let (ground, below) = (Shape::half_space(), Isometry3::translation(0.0, 0.0, -3.0));
    let nearest = query::distance(&posed, &Posed::new(&ground, below), &DistanceOptions::default()).unwrap();
    let each = posed.parts().map(|part| {
        let single = Posed::new(part.shape, part.pose);
        query::distance(&single, &Posed::new(&ground, below), &DistanceOptions::default()).unwrap().value
    });
    assert!((each.fold(f64::INFINITY, f64::min) - nearest.value).abs() < 1e-12);
    let rotated = Isometry3::from_parts(below.translation, UnitQuaternion::identity());
    let twin = arm.at_base(&vec![0.0; arm.degrees_of_freedom()], &rotated).unwrap();
    let apart = query::distance(&posed, &twin, &DistanceOptions::default()).unwrap();
    assert!(apart.value > 0.0 && twin.name(apart.parts[1]).is_some());
}
