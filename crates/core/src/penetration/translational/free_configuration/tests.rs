use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::*;
use crate::geometry::procedural::{Cuboid, Cup, Grate, LShape, Procedural, Spoon, Torus, TorusKnot};
use crate::geometry::{Solidity, TriangleMesh};
use crate::penetration::translational::free_configuration::outside::from_outside;
use crate::proximity::relative_pose::RelativePose;
use crate::proximity::{Model, signed_distance};
use nalgebra::Point3;

fn solid(mesh: TriangleMesh) -> Model {
    Model::new(mesh, Solidity::Solid)
}

fn cuboid(x: f64, y: f64, z: f64) -> Model {
    solid(Cuboid { x, y, z, subdivisions: 1 }.mesh().unwrap())
}

fn space<'a>(
    (a, pose_a): (&'a Model, &Isometry3<f64>),
    (b, pose_b): (&'a Model, &Isometry3<f64>),
) -> ContactSpace<'a> {
    ContactSpace::new(a, b, RelativePose::between(a, pose_a, b, pose_b), 0.0, 100)
}

/// The nearest clear configuration of A, with B in its own frame, and a pose of A there.
fn clear(a: &Model, pose: &Isometry3<f64>, b: &Model) -> Option<(Vector3<f64>, Isometry3<f64>)> {
    let space = space((a, pose), (b, &Isometry3::identity()));
    assert!(!space.is_apart(&Vector3::zeros()), "they overlap");
    let q = *maximally_clear(&space, f64::INFINITY, 1).first()?;
    let mut moved = *pose;
    moved.translation.vector += q;
    Some((q, moved))
}

fn upright() -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2)
}

#[test]
fn every_start_of_every_source_is_free() {
    let models = [
        solid(Torus::default().mesh().unwrap()),
        solid(TorusKnot::default().mesh().unwrap()),
        solid(Cup::default().mesh().unwrap()),
        solid(Grate::default().mesh().unwrap()),
        solid(LShape::default().mesh().unwrap()),
        Model::new(Spoon::default().mesh().unwrap(), Solidity::Surface),
    ];
    let options = TranslationalOptions::default();
    let sources = ["centroid", "clear", "random", "sampled", "normals", "axes", "spread", "given:9,9,9"];
    for (i, a) in models.iter().enumerate() {
        let b = &models[(i + 1) % models.len()];
        let pose = Isometry3::new(Vector3::new(0.1, 0.05, -0.1), Vector3::new(0.3, i as f64, -0.8));
        let mut space = space((a, &pose), (b, &Isometry3::identity()));
        for source in sources {
            let source = source.parse().unwrap();
            let remembered = (&options, &CoherentStarts::default());
            match starts(&mut space, source, remembered, |q| *q, 10) {
                Starts::Outside(directions) => {
                    assert!(!directions.is_empty(), "{source}");
                    for direction in directions {
                        assert!((direction.norm() - 1.0).abs() < 1e-12);
                        assert!(space.is_apart(&from_outside(&space, &direction)), "{source}");
                    }
                }
                Starts::Free(free) => {
                    assert!(free.iter().all(|q| space.is_apart(q)), "{source}");
                    assert!(source == FreeConfiguration::MaximallyClear || !free.is_empty(), "{source}");
                }
            }
        }
    }
}

#[test]
fn a_bar_across_a_grate_finds_the_next_slot() {
    let grate = Grate { bars: 3, ..Grate::default() };
    let (pitch, slot) = (0.463, 0.3125);
    let model = solid(grate.mesh().unwrap());
    let bar = cuboid(0.1, 0.1, 3.0);
    for x in [-0.47, 0.0, 0.02, 0.45] {
        let pose = Isometry3::translation(x, 0.3, 0.2);
        let (q, moved) = clear(&bar, &pose, &model).expect("a slot");
        // No farther than to the middle of the next slot, and in it.
        assert!(q.norm() < 0.55 * pitch + 0.3, "{q}");
        let across = moved.translation.x.rem_euclid(pitch) - 0.5 * pitch;
        assert!(across.abs() < 0.5 * slot, "{across}");
        assert!(moved.translation.y.abs() < 0.9, "within the frame");
    }
}

#[test]
fn a_spoon_in_the_wall_of_a_cup_finds_the_hollow() {
    let cup = solid(Cup { radius: 0.9, base_radius: 0.8, handle: 0, ..Cup::default() }.mesh().unwrap());
    let spoon = solid(Spoon::default().mesh().unwrap());
    let down = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    let pose = Isometry3::from_parts(Vector3::new(0.85, 0.0, 0.35).into(), down);
    let (_, moved) = clear(&spoon, &pose, &cup).expect("a place in the cup");
    // Its bowl hangs below the rim, within the wall.
    let points = spoon.mesh().vertices().iter().map(|p| moved * p);
    let lowest = points.min_by(|p, q| p.z.total_cmp(&q.z)).expect("a mesh has points");
    assert!(lowest.x.hypot(lowest.y) < 0.8 && lowest.z < 0.2 && lowest.z > -0.5, "{lowest}");
}

#[test]
fn a_peg_finds_the_hole_in_either_role() {
    let ring = solid(Torus { major_radius: 1.0, minor_radius: 0.4, ..Torus::default() }.mesh().unwrap());
    let peg = cuboid(0.5, 0.5, 4.0);
    let pose = Isometry3::translation(0.6, 0.1, 0.0);
    let (_, moved) = clear(&peg, &pose, &ring).expect("the hole");
    assert!(moved.translation.x.hypot(moved.translation.y) < 0.25, "{moved}");
    // The ring moves, over a peg that stays where it is.
    let (_, moved) = clear(&ring, &pose.inverse(), &peg).expect("the hole");
    assert!(moved.translation.x.hypot(moved.translation.y) < 0.25, "{moved}");
}

#[test]
fn a_ring_is_linked_with_another_one() {
    let ring = solid(Torus { major_radius: 1.0, minor_radius: 0.2, ..Torus::default() }.mesh().unwrap());
    let pose = Isometry3::from_parts(Vector3::new(1.7, 0.1, 0.1).into(), upright());
    let (q, moved) = clear(&ring, &pose, &ring).expect("a linked configuration");
    assert!(q.norm() < 1.0, "{q}");
    // Some of the circle within one tube is in the other ring's hole.
    let through = (0..64).map(|i| {
        let angle = std::f64::consts::TAU * f64::from(i) / 64.0;
        moved * Point3::new(angle.cos(), angle.sin(), 0.0)
    });
    let in_hole = |p: Point3<f64>| p.x.hypot(p.y) < 0.8 && p.z.abs() < 0.1;
    assert!(through.into_iter().any(in_hole), "{moved}");
    assert!(signed_distance(&ring, &moved.inverse_transform_point(&Point3::origin())).abs() < 0.9);
}

#[test]
fn a_body_too_thick_for_every_hole_has_no_clear_configuration() {
    let ring = solid(Torus::default().mesh().unwrap());
    let pose = Isometry3::translation(0.9, 0.0, 0.0);
    assert!(clear(&cuboid(1.7, 1.7, 4.0), &pose, &ring).is_none());
    let cube = cuboid(1.0, 1.0, 1.0);
    assert!(clear(&cube, &Isometry3::translation(0.4, 0.0, 0.0), &cube).is_none());
}

#[test]
fn a_sampled_start_is_the_first_gap_towards_the_hole() {
    let ring = solid(Torus { major_radius: 1.0, minor_radius: 0.4, ..Torus::default() }.mesh().unwrap());
    let peg = cuboid(0.2, 0.2, 4.0);
    let pose = Isometry3::translation(0.65, 0.0, 0.0);
    let mut space = space((&peg, &pose), (&ring, &Isometry3::identity()));
    let nearest = sampled(&mut space, f64::INFINITY, 4)[0];
    // The hole begins at 0.6, the peg is 0.1 to its side: a step to the middle would be 0.65.
    assert!(nearest.norm() > 0.14 && nearest.norm() < 0.3, "{nearest}");
    assert!(nearest.x < 0.0);
}

#[test]
fn starts_do_not_depend_on_the_unit_of_length() {
    let (cup, spoon) = (Cup::default().mesh().unwrap(), Spoon::default().mesh().unwrap());
    let options = TranslationalOptions::default();
    let pose = Isometry3::new(Vector3::new(0.3, 0.1, 0.2), Vector3::new(0.2, 1.4, 0.1));
    let of = |scale: f64, source: &str| {
        let scaled = |mesh: &TriangleMesh| solid(mesh.scaled(&Vector3::repeat(scale)).unwrap());
        let (cup, spoon) = (scaled(&cup), scaled(&spoon));
        let mut pose = pose;
        pose.translation.vector *= scale;
        let mut space = space((&spoon, &pose), (&cup, &Isometry3::identity()));
        match starts(&mut space, source.parse().unwrap(), (&options, &CoherentStarts::default()), |q| *q, 3) {
            Starts::Outside(directions) => directions,
            Starts::Free(free) => free.into_iter().map(|q| q / scale).collect(),
        }
    };
    for source in ["centroid", "clear", "random", "sampled", "normals", "axes", "spread"] {
        for scale in [1e-3, 1e3] {
            let (one, other) = (of(1.0, source), of(scale, source));
            assert_eq!(one.len(), other.len(), "{source}");
            // A march with a stride stops somewhere in the gap: on the same line.
            let same = |x: &Vector3<f64>, y: &Vector3<f64>| match source {
                "sampled" => (x.normalize() - y.normalize()).norm() < 1e-5,
                _ => (x - y).norm() < 1e-5,
            };
            assert!(one.iter().all(|x| other.iter().any(|y| same(x, y))), "{source} {scale}");
        }
    }
}
