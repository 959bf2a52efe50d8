//! Segments compared with closed forms, brute force over edges, and one another.

use std::collections::HashMap;
use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::super::degenerate;
use super::super::shapes;
use super::super::tests::{Noise, about_center, soup};
use super::super::triangle_distance::closest_on_triangle;
use super::super::{Model, intersecting_pairs};
use super::*;
use crate::geometry::{Solidity, TriangleMesh};

fn segments(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
) -> Vec<IntersectionSegment> {
    let mut found = Vec::new();
    intersection_segments(a, pose_a, b, pose_b, &mut found);
    found
}

fn length(segments: &[IntersectionSegment]) -> f64 {
    segments.iter().map(|s| nalgebra::distance(&s.points[0], &s.points[1])).sum()
}

fn surface(mesh: TriangleMesh) -> Model {
    Model::new(mesh, Solidity::Surface)
}

/// Number of closed curves: every segment is followed to the one that begins, bit by bit, where it ends.
fn curves(segments: &[IntersectionSegment]) -> usize {
    let bits = |p: &Point3<f64>| [p.x, p.y, p.z].map(f64::to_bits);
    let starts = segments.iter().enumerate().map(|(i, s)| (bits(&s.points[0]), i)).collect::<HashMap<_, _>>();
    assert_eq!(starts.len(), segments.len(), "two segments begin at one point");
    let mut is_done = vec![false; segments.len()];
    let mut count = 0;
    for first in 0..segments.len() {
        count += usize::from(!is_done[first]);
        let mut at = first;
        while !is_done[at] {
            is_done[at] = true;
            at = starts[&bits(&segments[at].points[1])];
        }
    }
    count
}

#[test]
fn the_segments_of_two_spheres_are_one_closed_curve_around_the_circle_in_which_they_cross() {
    let ball = surface(shapes::sphere(60));
    let mut noise = Noise(60);
    for apart in [0.3, 1.0, 1.7] {
        let (pose_a, mut pose_b) = (about_center(noise.pose(1.0, 3.0)), about_center(noise.pose(1.0, 3.0)));
        let center = pose_a * Point3::origin() + apart * noise.vector().normalize();
        pose_b.translation.vector += center - pose_b * Point3::origin();
        let found = segments(&ball, &pose_a, &ball, &pose_b);
        assert_eq!(curves(&found), 1);
        let circle = TAU * (1.0 - 0.25 * apart * apart).sqrt();
        // The facets lie up to 7e-4 within the sphere.
        assert!((length(&found) - circle).abs() < 4e-3 * circle, "{} {circle}", length(&found));
    }
}

#[test]
fn the_segments_of_two_boxes_are_the_edges_of_their_common_box_that_both_have_part_in() {
    for (scale, far) in [(1e-6, 0.0), (1.0, 0.0), (1e6, 0.0), (1.0, 1e6)] {
        let cube = shapes::cuboid(Vector3::repeat(scale));
        let moved = cube.vertices().iter().map(|p| p + Vector3::new(far, -far, 0.5 * far)).collect();
        let cube = surface(TriangleMesh::new(moved, cube.triangles().to_vec()).unwrap());
        let there = Isometry3::translation(0.625 * scale, 0.125 * scale, 0.25 * scale);
        let found = segments(&cube, &there, &cube, &Isometry3::identity());
        let expected = 2.0 * (0.375 + 0.875 + 0.75) * scale;
        assert!(
            (length(&found) - expected).abs() <= 1e-13 * (scale + far) * 10.0,
            "{} {expected}",
            length(&found)
        );
        assert_eq!(curves(&found), 1);
    }
}

#[test]
fn a_torus_and_a_box_share_as_many_closed_curves_as_the_box_cuts_off_tubes() {
    let torus = surface(shapes::torus(1.0, 0.2, 60));
    let bar = surface(shapes::cuboid(Vector3::new(0.4003, 4.0, 2.0)));
    let mut noise = Noise(61);
    for _ in 0..5 {
        let pose = about_center(noise.pose(2.0, 3.0));
        let tilt = Isometry3::new(Vector3::new(0.013, 0.007, 0.011), Vector3::new(0.02, 0.03, 0.01));
        assert_eq!(curves(&segments(&bar, &(pose * tilt), &torus, &pose)), 4);
    }
}

/// Points where the edges of each triangle pierce the other one, by signed volumes: independent of intersection lines.
fn piercings(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3]) -> Vec<Point3<f64>> {
    let volume = |a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>, d: &Point3<f64>| {
        (b - a).cross(&(c - a)).dot(&(d - a))
    };
    let mut found = Vec::new();
    for (edges_of, [a, b, c]) in [(p, q), (q, p)] {
        for k in 0..3 {
            let (x, y) = (edges_of[k], edges_of[(k + 1) % 3]);
            let (above, below) = (volume(a, b, c, &x), volume(a, b, c, &y));
            let around = [volume(&x, &y, a, b), volume(&x, &y, b, c), volume(&x, &y, c, a)];
            let pierces = around.iter().all(|v| *v > 0.0) || around.iter().all(|v| *v < 0.0);
            if above * below < 0.0 && pierces {
                found.push(x + (y - x) * (above / (above - below)));
            }
        }
    }
    found
}

#[test]
fn the_ends_of_a_segment_are_where_edges_pierce_triangles() {
    let mut noise = Noise(62);
    let (a, b) = (soup(&mut noise, 80, 0.4), soup(&mut noise, 100, 0.3));
    let mut compared = 0;
    for _ in 0..20 {
        let (pose_a, pose_b) = (about_center(noise.pose(0.3, 3.0)), about_center(noise.pose(0.3, 3.0)));
        let found = segments(&a, &pose_a, &b, &pose_b);
        let mut pairs = Vec::new();
        intersecting_pairs(&a, &pose_a, &b, &pose_b, &mut pairs);
        assert_eq!(found.iter().map(|s| s.triangles).collect::<Vec<_>>(), pairs);
        for segment in &found {
            let [i, j] = segment.triangles.map(|triangle| triangle as usize);
            let p = a.mesh().triangle(i).map(|x| pose_a * x);
            let q = b.mesh().triangle(j).map(|x| pose_b * x);
            let pierced = piercings(&p, &q);
            assert_eq!(pierced.len(), 2);
            let apart = |i: usize, j: usize| nalgebra::distance(&pierced[i], &segment.points[j]);
            let mismatch = apart(0, 0).max(apart(1, 1)).min(apart(0, 1).max(apart(1, 0)));
            assert!(mismatch <= 1e-9, "{mismatch:e}");
            let along = (p[1] - p[0]).cross(&(p[2] - p[0])).cross(&(q[1] - q[0]).cross(&(q[2] - q[0])));
            assert!((segment.points[1] - segment.points[0]).dot(&along) >= 0.0);
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn whatever_is_degenerate_every_intersecting_pair_has_points_that_lie_on_both_triangles() {
    let here = Isometry3::identity();
    for pair in degenerate::pairs() {
        let found = segments(&pair.a, &pair.pose, &pair.b, &here);
        let mut pairs = Vec::new();
        intersecting_pairs(&pair.a, &pair.pose, &pair.b, &here, &mut pairs);
        let mut listed = found.iter().map(|s| s.triangles).collect::<Vec<_>>();
        listed.dedup();
        assert_eq!(listed, pairs, "{}", pair.name);
        for segment in &found {
            let [i, j] = segment.triangles.map(|triangle| triangle as usize);
            let p = pair.a.mesh().triangle(i).map(|x| pair.pose * x);
            let q = pair.b.mesh().triangle(j);
            for point in segment.points {
                for triangle in [&p, &q] {
                    let off = nalgebra::distance(&point, &closest_on_triangle(&point, triangle));
                    // Pairs that touch may miss one another by a dozen units of rounding.
                    assert!(off <= 3e-14 * pair.size, "{}: {off:e}", pair.name);
                }
            }
        }
    }
}

#[test]
fn triangles_in_one_plane_share_the_outline_of_a_polygon() {
    let square = |size: f64| {
        let corner = |x: f64, y: f64| Point3::new(size * x, size * y, 0.0);
        let points = vec![corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
        surface(TriangleMesh::new(points, vec![[0, 1, 2], [0, 2, 3]]).unwrap())
    };
    // A rotation would leave a gap of some 1e-16 between the planes.
    let here = Isometry3::translation(3.0, 1.0, 2.0);
    let there = Isometry3::translation(3.5, 1.25, 2.0);
    let found = segments(&square(1.0), &here, &square(1.0), &there);
    assert!(!found.is_empty() && found.iter().all(|segment| segment.coplanar));
    // Twice the vector area of all polygons is that of the rectangle that the squares share.
    let from = |point: &Point3<f64>| point - Point3::new(3.0, 1.0, 2.0);
    let doubled = found.iter().map(|s| from(&s.points[0]).cross(&from(&s.points[1]))).sum::<Vector3<f64>>();
    assert!((doubled.norm() - 2.0 * 0.5 * 0.75).abs() < 1e-12, "{doubled}");
    let same = segments(&square(2.0), &here, &square(2.0), &here);
    let of_first = same.iter().filter(|s| s.triangles == [0, 0]).copied().collect::<Vec<_>>();
    assert!((length(&of_first) - 2.0 * (2.0 + 2.0_f64.sqrt())).abs() < 1e-12);
}

#[test]
fn surfaces_that_are_apart_share_nothing_and_those_that_touch_at_a_corner_share_a_point() {
    let cube = surface(shapes::cuboid(Vector3::repeat(1.0)));
    let here = Isometry3::identity();
    assert!(segments(&cube, &Isometry3::translation(1.0 + 1e-9, 0.0, 0.0), &cube, &here).is_empty());
    let found = segments(&cube, &Isometry3::translation(1.0, 1.0, 1.0), &cube, &here);
    assert!(!found.is_empty());
    assert!(found.iter().flat_map(|s| s.points).all(|p| (p - Point3::new(0.5, 0.5, 0.5)).norm() < 1e-14));
}
