use extricate_test_support::ScratchFolder;
use nalgebra::{Isometry3, Vector3};

use super::super::closest_point;
use super::*;
use crate::geometry::procedural::{BumpySphere, Cuboid, Cup, Grate, Procedural, Torus};
use crate::geometry::{FileError, TriangleMesh};
use nalgebra::Point3;

fn solid(mesh: &TriangleMesh) -> Model {
    Model::new(mesh.clone(), Solidity::Solid)
}

fn ring() -> TriangleMesh {
    Torus { major_radius: 1.0, minor_radius: 0.25, ..Torus::default() }.mesh().unwrap()
}

fn rotated(mesh: &TriangleMesh) -> TriangleMesh {
    mesh.transformed(&Isometry3::new(Vector3::new(3.0, -1.0, 2.0), Vector3::new(0.4, 0.7, -0.3)))
}

#[test]
fn every_place_has_the_stated_clearance_and_is_outside_or_inside_as_stated() {
    let grate = Grate::default().mesh().unwrap();
    for mesh in [ring(), rotated(&ring()), grate, Cup::default().mesh().unwrap()] {
        let model = solid(&mesh);
        let found = model.clear_configurations();
        assert!(!found.free().is_empty() && !found.interior().is_empty());
        for (place, inside) in
            found.free().iter().map(|p| (p, false)).chain(found.interior().iter().map(|p| (p, true)))
        {
            assert!((closest_point(&model, &place.point).distance - place.clearance).abs() < 1e-12);
            assert_eq!(model.contains(&place.point), inside, "{place:?}");
        }
    }
}

#[test]
fn the_hole_of_a_ring_is_on_its_axis_and_its_interior_on_the_circle_within_the_tube() {
    for mesh in [ring(), rotated(&ring())] {
        let back = if mesh.vertices()[0] == ring().vertices()[0] {
            Isometry3::identity()
        } else {
            Isometry3::new(Vector3::new(3.0, -1.0, 2.0), Vector3::new(0.4, 0.7, -0.3)).inverse()
        };
        let model = solid(&mesh);
        let found = model.clear_configurations();
        for place in found.free() {
            let p = back * place.point;
            assert!(p.x.hypot(p.y) < 0.02, "{p}");
        }
        // The polygons lie within the round tube by up to 0.01.
        for place in found.interior() {
            let p = back * place.point;
            let off = (p.x.hypot(p.y) - 1.0).hypot(p.z);
            assert!((place.clearance - (0.25 - off)).abs() < 0.02, "{place:?}");
        }
        let around = |quadrant: f64| {
            let at = |p: &ClearPlace| (back * p.point).y.atan2((back * p.point).x);
            found.interior().iter().any(|p| (at(p) - quadrant).abs() < 0.5)
        };
        assert!([-3.0, -1.5, 0.0, 1.5, 3.0].into_iter().all(around));
    }
}

#[test]
fn every_slot_of_a_grate_has_a_place_half_as_clear_as_it_is_wide() {
    let grate = Grate::default();
    let model = solid(&grate.mesh().unwrap());
    let slots = grate.bars + 1;
    let width = (grate.width - 2.0 * grate.frame - f64::from(grate.bars) * grate.bar) / f64::from(slots);
    for slot in 0..slots {
        let middle =
            -0.5 * grate.width + grate.frame + (f64::from(slot) + 0.5) * width + f64::from(slot) * grate.bar;
        let is_there = |place: &&ClearPlace| (place.point.x - middle).abs() < 0.02 * width;
        let place = model.clear_configurations().free().iter().find(is_there).expect("a place in the slot");
        assert!((place.clearance - 0.5 * width).abs() < 0.02 * width, "{slot}: {}", place.clearance);
    }
}

#[test]
fn a_cup_is_clear_on_its_axis_at_several_depths() {
    let model = solid(&Cup::default().mesh().unwrap());
    let inside = |p: &&ClearPlace| p.point.x.hypot(p.point.y) < 0.3 && p.point.z > -0.47;
    let heights = model.clear_configurations().free().iter().filter(inside).map(|p| p.point.z);
    let heights = heights.collect::<Vec<_>>();
    assert!(heights.len() >= 3, "{heights:?}");
    let (low, high) =
        (heights.iter().copied().fold(1.0, f64::min), heights.iter().copied().fold(-1.0, f64::max));
    assert!(low < 0.0 && high > 0.3, "{heights:?}");
}

#[test]
fn around_a_convex_body_and_within_a_surface_nothing_is_clear() {
    let cuboid = Cuboid { x: 1.0, y: 2.0, z: 0.5, subdivisions: 2 }.mesh().unwrap();
    for mesh in [super::super::shapes::sphere(20), cuboid.clone(), rotated(&cuboid)] {
        assert_eq!(solid(&mesh).clear_configurations().free(), []);
    }
    let surface = Model::new(cuboid, Solidity::Surface);
    let found = surface.clear_configurations();
    // Without an inside the space within the walls is free, and there is no interior.
    assert!(found.interior().is_empty() && !found.free().is_empty());
    assert!((found.free()[0].clearance - 0.25).abs() < 1e-9);
}

#[test]
fn places_do_not_depend_on_the_unit_of_length_nor_on_the_number_of_threads() {
    let mesh = rotated(&Cup::default().mesh().unwrap());
    let model = solid(&mesh);
    let found = model.clear_configurations();
    for scale in [1e-3, 39.37, 1e3] {
        let scaled = solid(&mesh.scaled(&Vector3::repeat(scale)).unwrap());
        let other = scaled.clear_configurations();
        assert_eq!(
            (found.free().len(), found.interior().len()),
            (other.free().len(), other.interior().len())
        );
        for (x, y) in found.free().iter().zip(other.free()) {
            assert!((x.point.coords * scale - y.point.coords).norm() < 1e-6 * scale, "{x:?} {y:?}");
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    assert_eq!(&pool.install(|| ClearConfigurations::new(&model, RESOLUTION)), found);
}

#[test]
fn memory_is_bounded_and_counted_and_the_resolution_is_clamped_to_its_range() {
    let mesh = BumpySphere::default().mesh().unwrap();
    let mut model = solid(&mesh);
    let before = model.memory();
    model.prepare_clear_configurations(0);
    assert_eq!(model.clear_configurations().resolution(), 4);
    model.prepare_clear_configurations(17);
    let found = model.clear_configurations();
    let places = found.free().len() + found.interior().len();
    assert!(found.resolution() == 17 && places > 0 && places <= 2 * PLACES);
    assert!(model.memory() >= before + places * size_of::<ClearPlace>());
}

#[test]
fn a_mesh_without_extent_or_thickness_has_no_free_places() {
    let corners = |s: f64| vec![Point3::origin(), Point3::new(s, 0.0, 0.0), Point3::new(0.0, s, 0.0)];
    for size in [0.0, 1e-300, 1.0] {
        let Ok(mesh) = TriangleMesh::new(corners(size), vec![[0, 1, 2]]) else { continue };
        let model = Model::new(mesh, Solidity::Surface);
        assert!(model.clear_configurations().free().is_empty());
    }
}

#[test]
fn saving_and_loading_preserve_every_bit() {
    let folder = ScratchFolder::new();
    let file = folder.folder().join("free.json");
    let mut first = solid(&rotated(&ring()));
    first.prepare_clear_configurations(21);
    first.save_clear_configurations(&file).unwrap();
    let mut second = solid(&rotated(&ring()));
    second.load_clear_configurations(&file).unwrap();
    assert_eq!(second.clear_configurations(), first.clear_configurations());
    assert_eq!(second.clear_configurations().resolution(), 21);
}

#[test]
fn every_truncation_of_a_file_is_refused_and_changes_nothing() {
    let folder = ScratchFolder::new();
    let file = folder.folder().join("free.json");
    let mut model = solid(&ring());
    model.prepare_clear_configurations(9);
    model.save_clear_configurations(&file).unwrap();
    let whole = std::fs::read(&file).unwrap();
    let before = model.clear_configurations().clone();
    for length in (0..whole.len()).step_by(7) {
        std::fs::write(&file, &whole[..length]).unwrap();
        let error = model.load_clear_configurations(&file).unwrap_err();
        assert!(matches!(error, FileError::Malformed { .. }), "{length}: {error}");
    }
    assert_eq!(model.clear_configurations(), &before);
}

#[test]
fn a_file_that_is_foreign_damaged_of_another_mesh_or_of_another_version_is_refused_with_the_reason() {
    let folder = ScratchFolder::new();
    let file = folder.folder().join("free.json");
    let model = solid(&ring());
    model.save_clear_configurations(&file).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let refused = |model: &mut Model, text: &str| {
        std::fs::write(&file, text).unwrap();
        model.load_clear_configurations(&file).unwrap_err().to_string()
    };
    let mut same = solid(&ring());
    for (changed, why) in [
        (text.replace("\"version\":1", "\"version\":2"), "version 2"),
        (text.replace("extricate clear", "another"), "its format is `another configurations`"),
        (text.replace("\"resolution\":33", "\"resolution\":0"), "out of range"),
        (text.replace("\"free\":[[", "\"free\":[[1.0,2.0,3.0,-1.0],["), "out of range"),
        ("{\"a\": 1}".to_owned(), "file of clear configurations"),
        ("solid cube".to_owned(), "file of clear configurations"),
    ] {
        assert_ne!(changed, text);
        let message = refused(&mut same, &changed);
        assert!(message.contains(why) && message.contains("free.json"), "{message}");
    }
    let mut moved = solid(&rotated(&ring()));
    let mut surface = Model::new(ring(), Solidity::Surface);
    for other in [&mut moved, &mut surface] {
        assert!(refused(other, &text).contains("another mesh"));
    }
    let absent = same.load_clear_configurations(std::path::Path::new("/nowhere/at/all")).unwrap_err();
    assert!(matches!(absent, FileError::Io { .. }), "{absent}");
}
