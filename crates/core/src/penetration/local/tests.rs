//! Regions of known depth, found at every tessellation.

use nalgebra::{Isometry3, Vector3};

use super::*;
use crate::geometry::procedural::{BumpySphere, Cuboid, Procedural, Torus};
use crate::geometry::{Solidity, TriangleMesh};
use crate::penetration::translational::options::TranslationalOptions;
use crate::penetration::translational::query::penetration;
use crate::proximity::intersecting_pairs;

fn cuboid(size: [f64; 3], center: [f64; 3], subdivisions: u32) -> TriangleMesh {
    let [x, y, z] = size;
    let mesh = Cuboid { x, y, z, subdivisions }.mesh().unwrap();
    mesh.transformed(&Isometry3::translation(center[0], center[1], center[2]))
}

fn joined(meshes: &[TriangleMesh]) -> Model {
    Model::new(TriangleMesh::joined(meshes.iter().cloned()).unwrap(), Solidity::Solid)
}

fn local(a: &Model, b: &Model, at: Vector3<f64>) -> Vec<LocalPenetration> {
    let (pose_a, pose_b) = (Isometry3::from_parts(at.into(), nalgebra::one()), Isometry3::identity());
    let global = penetration(a, &pose_a, b, &pose_b, &TranslationalOptions::default()).unwrap().unwrap();
    local_penetrations(a, &pose_a, b, &pose_b, &global)
}

#[test]
fn two_feet_at_different_depths_are_two_regions() {
    for subdivisions in [1, 2, 5] {
        let feet = [
            cuboid([0.6, 1.0, 2.0], [-1.5, 0.0, 0.5], subdivisions),
            cuboid([0.6, 1.0, 1.6], [1.5, 0.0, 0.7], subdivisions),
            cuboid([5.0, 1.0, 0.4], [0.0, 0.0, 1.7], 1),
        ];
        let ground = joined(&[cuboid([8.0, 3.0, 4.0], [0.0, 0.0, -2.0], subdivisions)]);
        let found = local(&joined(&feet), &ground, Vector3::zeros());
        let depths = found.iter().map(|region| region.depth).collect::<Vec<_>>();
        assert_eq!(depths.len(), 2, "{depths:?}");
        assert!((depths[0] - 0.5).abs() < 1e-9 && (depths[1] - 0.1).abs() < 1e-9, "{depths:?}");
        assert!((found[0].point.x + 1.5).abs() < 1e-9 && (found[1].point.x - 1.5).abs() < 1e-9);
        for region in &found {
            assert!((region.normal.z - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn many_feet_at_different_depths_are_as_many_regions_with_these_depths() {
    let count = 24_u32;
    let depth = |i: u32| 0.1 + 0.9 * f64::from(i * 7919 % (count * count)) / f64::from(count * count);
    let side = |i: u32| f64::from(i) - 0.5 * f64::from(count);
    // Each foot ends in the ground at its depth, and in the slab that joins them.
    let foot = |i: u32| {
        let height = 2.0 + depth(i);
        cuboid([0.4, 0.5, height], [side(i % count), side(i / count), 0.5 * height - depth(i)], 1)
    };
    let slab = cuboid([26.0, 26.0, 0.5], [0.0, 0.0, 2.1], 1);
    let feet = joined(&(0..count * count).map(foot).chain([slab]).collect::<Vec<_>>());
    let ground = joined(&[cuboid([30.0, 30.0, 4.0], [0.0, 0.0, -2.0], 1)]);
    let found = local(&feet, &ground, Vector3::zeros());
    let mut expected: Vec<_> = (0..count * count).collect();
    expected.sort_by(|&i, &j| depth(j).total_cmp(&depth(i)));
    assert_eq!(found.len(), expected.len());
    for (region, i) in found.iter().zip(expected) {
        let place = [side(i % count), side(i / count)];
        assert!((region.depth - depth(i)).abs() < 1e-9, "{} {}", region.depth, depth(i));
        assert!((region.point.x - place[0]).abs() < 1e-9 && (region.point.y - place[1]).abs() < 1e-9);
        assert!(region.patches[0].windows(2).all(|pair| pair[0] < pair[1]));
    }
}

#[test]
fn a_region_of_a_fine_mesh_extends_to_the_deepest_point_inside() {
    let (small, large) =
        (joined(&[cuboid([1.0; 3], [0.0; 3], 12)]), joined(&[cuboid([4.0; 3], [0.0; 3], 7)]));
    let found = local(&small, &large, Vector3::new(0.1, 0.2, 2.2));
    assert_eq!(found.len(), 1);
    assert!((found[0].depth - 0.3).abs() < 1e-9);
    // The whole bottom of the small box is inside.
    assert!(found[0].patches[0].len() >= 2 * 12 * 12);
}

#[test]
fn a_swapped_pair_has_the_same_regions_with_opposite_normals() {
    let (a, b) = (joined(&[cuboid([1.0; 3], [0.0; 3], 2)]), joined(&[cuboid([2.0; 3], [0.0; 3], 3)]));
    let at = Vector3::new(1.3, 0.1, 0.2);
    let (one, other) = (local(&a, &b, at), local(&b, &a, -at));
    assert_eq!(one.len(), other.len());
    assert!((one[0].depth - 0.2).abs() < 1e-9 && (other[0].depth - 0.2).abs() < 1e-9);
    assert!((one[0].normal.into_inner() + other[0].normal.into_inner()).norm() < 1e-9);
}

#[test]
fn surfaces_have_regions_whose_patches_are_the_triangles_that_cross() {
    let shell = |size: f64, subdivisions| {
        Model::new(cuboid([size; 3], [0.0; 3], subdivisions), crate::geometry::Solidity::Surface)
    };
    let (small, large) = (shell(1.0, 12), shell(4.0, 7));
    let found = local(&small, &large, Vector3::new(0.1, 0.2, 2.2));
    assert_eq!(found.len(), 1);
    let region = &found[0];
    // The curve runs around the small box at the height of the large one's top.
    assert!(region.normal.z > 0.99 && (region.point.z - 2.0).abs() < 1e-9, "{region:?}");
    assert!(region.depth > 0.0 && region.depth <= 0.3 + 1e-9);
    // One row of triangles of each side, or two where the curve runs along an edge; never the bottom.
    assert!((4 * 2 * 12..4 * 5 * 12).contains(&region.patches[0].len()), "{}", region.patches[0].len());
}

#[test]
fn a_box_within_a_box_is_one_region_of_the_global_depth() {
    let (a, b) = (joined(&[cuboid([0.5; 3], [0.0; 3], 1)]), joined(&[cuboid([2.0; 3], [0.0; 3], 1)]));
    let found = local(&a, &b, Vector3::zeros());
    assert_eq!(found.len(), 1);
    assert!((found[0].depth - 1.25).abs() < 1e-9);
}

#[test]
fn the_patches_are_the_triangles_that_intersect_and_those_whose_middle_the_other_solid_contains() {
    let bumpy = BumpySphere { frequency: 8, ..BumpySphere::default() }.mesh().unwrap();
    let torus = Torus { major_radius: 0.6, minor_radius: 0.2, segments: 30, sides: 14 }.mesh().unwrap();
    let [bumpy, torus] = [bumpy, torus].map(|mesh| Model::new(mesh, Solidity::Solid));
    for step in 0..12 {
        let rotation = Vector3::from_fn(|axis, _| (1.7 * f64::from(step) + 2.0 * axis as f64).sin());
        let pose = Isometry3::new(0.5 * rotation.yzx(), 2.5 * rotation);
        let here = Isometry3::identity();
        let options = TranslationalOptions::default();
        let Some(global) = penetration(&bumpy, &pose, &torus, &here, &options).unwrap() else { continue };
        let regions = local_penetrations(&bumpy, &pose, &torus, &here, &global);
        let mut pairs = Vec::new();
        intersecting_pairs(&bumpy, &pose, &torus, &here, &mut pairs);
        let sides = [(&bumpy, &torus, pose), (&torus, &bumpy, pose.inverse())];
        for (side, (model, other, to_other)) in sides.into_iter().enumerate() {
            for triangle in 0..model.mesh().triangles().len() as u32 {
                let [a, b, c] = model.mesh().triangle(triangle as usize);
                let middle = a + (b - a + (c - a)) / 3.0;
                let crosses = pairs.iter().any(|pair| pair[side] == triangle);
                let expected = crosses || other.contains(&(to_other * middle));
                let found =
                    regions.iter().any(|region| region.patches[side].binary_search(&triangle).is_ok());
                assert_eq!(found, expected, "triangle {triangle} of body {side}");
            }
        }
    }
}

/// So many times the same triangle, in the plane z = 0 or across it.
fn copies(count: usize, across: bool) -> Model {
    let corners = if across {
        [[0.2, 0.2, -0.5], [0.3, 0.2, 0.5], [0.2, 0.3, 0.5]]
    } else {
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    };
    let triangle = TriangleMesh::new(corners.map(Into::into).to_vec(), vec![[0, 1, 2]]).unwrap();
    Model::new(TriangleMesh::joined((0..count).map(|_| triangle.clone())).unwrap(), Solidity::Surface)
}

#[test]
fn where_more_triangles_intersect_than_the_bound_on_work_admits_one_region_has_the_global_depth() {
    let here = Isometry3::identity();
    let options = TranslationalOptions::default();
    let global = penetration(&copies(1, false), &here, &copies(1, true), &here, &options).unwrap().unwrap();
    let found = |count: usize, threads: usize| {
        let (a, b) = (copies(count, false), copies(count, true));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| local_penetrations(&a, &here, &b, &here, &global))
    };
    let few = found(100, 2);
    assert!(few.iter().all(|region| region.is_measured), "{few:?}");
    // Nine million pairs; those that are listed do not depend on the number of threads.
    let many = found(3000, 1);
    assert!(many.len() == 1 && !many[0].is_measured && !many[0].patches[0].is_empty());
    assert!((many[0].depth - global.depth).abs() < 1e-12 && many[0].normal == global.direction);
    assert_eq!(many, found(3000, 3));
}

#[test]
fn after_the_deadline_there_is_one_region_of_the_global_depth_that_is_not_measured() {
    let ball = Model::new(BumpySphere::default().mesh().unwrap(), Solidity::Solid);
    let (here, there) = (Isometry3::identity(), Isometry3::translation(0.3, 0.2, 0.1));
    let options = TranslationalOptions::default();
    let global = penetration(&ball, &there, &ball, &here, &options).unwrap().unwrap();
    let found = local_penetrations_until((&ball, &there), (&ball, &here), &global, Some(Instant::now()));
    assert!(found.len() == 1 && !found[0].is_measured);
    assert!((found[0].depth - global.depth).abs() < 1e-12);
}
