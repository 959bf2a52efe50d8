//! The tree contains every triangle once, in boxes that bound it, and is the same however it was built.

use super::*;
use crate::bvh::node::Child;
use crate::bvh::packet::Bounds;
use crate::bvh::packet::Packet;
use crate::bvh::tree::Subtree;
use crate::geometry::triangle_mesh::TriangleMesh;
use nalgebra::Point3;
use nalgebra::Vector3;

/// A bumpy height field of `2 n²` triangles.
fn height_field(n: u32) -> TriangleMesh {
    let point = |i: u32, j: u32| {
        let (x, y) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
        Point3::new(x, y, 0.1 * (9.0 * x).sin() * (7.0 * y).cos())
    };
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| point(i, j))).collect();
    let index = |i: u32, j: u32| i * (n + 1) + j;
    let cell = |(i, j): (u32, u32)| {
        [
            [index(i, j), index(i + 1, j), index(i + 1, j + 1)],
            [index(i, j), index(i + 1, j + 1), index(i, j + 1)],
        ]
    };
    let cells = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    TriangleMesh::new(vertices, cells.flat_map(cell).collect()).unwrap()
}

/// Whether the layer contains all corners of a packet, to the rounding of their heights.
fn holds(layer: &crate::bvh::packet::Layer, packet: &Packet) -> bool {
    let normal = Vector3::from(layer.normal.map(f64::from));
    packet.lanes().all(|(lane, _)| {
        let heights = packet.triangle(lane).map(|corner| normal.dot(&Vector3::from(corner)));
        heights.iter().all(|h| f64::from(layer.low) - 1e-15 <= *h && *h <= f64::from(layer.high) + 1e-15)
    })
}

/// The packets of a subtree.
fn packets_below(tree: &TriangleBvh, subtree: Subtree) -> Vec<&Packet> {
    match tree.child(subtree).expect("a lane with a child") {
        Child::Leaf(index) => vec![tree.packet(index)],
        Child::Inner(index) => (0..node::WIDTH)
            .filter(|&lane| tree.node(index).child(lane).is_some())
            .flat_map(|lane| packets_below(tree, Subtree::new(index, lane)))
            .collect(),
    }
}

/// Asserts that every layer bounds its packets; returns the number of layers thinner than half of their boxes' minimum
/// extent.
fn check_layers(tree: &TriangleBvh) -> usize {
    let mut thin = 0;
    for (index, node) in tree.inner_nodes().iter().enumerate() {
        for lane in (0..node::WIDTH).filter(|&lane| node.child(lane).is_some()) {
            let volume = node.volume(lane);
            let below = packets_below(tree, Subtree::new(index as u32, lane));
            assert!(below.iter().all(|packet| holds(&volume.layer, packet)));
            let size = volume.bounds.half_extents().into_iter().fold(f64::INFINITY, f64::min);
            thin += usize::from(f64::from(volume.layer.high - volume.layer.low) < size);
        }
    }
    assert!(tree.packets().iter().all(|packet| holds(&packet.layer, packet)));
    thin
}

#[test]
fn every_layer_holds_what_is_below_it_and_most_are_thin() {
    let mesh = height_field(40);
    let mut tree = TriangleBvh::new(&mesh);
    // At least the leaves of a smooth surface are thin: half of the lanes.
    assert!(2 * check_layers(&tree) > tree.packets().len());
    let bend = |p: &Point3<f64>| Point3::new(p.x * p.y, 3.0 + p.z, (2.0 * p.x).cos());
    let bent = mesh.vertices().iter().map(bend).collect();
    tree.refit(&TriangleMesh::new(bent, mesh.triangles().to_vec()).unwrap());
    check_layers(&tree);
}

/// Visits the whole tree and returns the triangles in their leaves' order.
fn check_boxes(tree: &TriangleBvh) -> Vec<u32> {
    let mut seen = Vec::new();
    let mut stack = vec![tree.root()];
    while let Some(subtree) = stack.pop() {
        let outer = tree.bounds(subtree);
        let contains =
            |inner: &Bounds| (0..3).all(|k| outer.min[k] <= inner.min[k] && outer.max[k] >= inner.max[k]);
        match tree.child(subtree).expect("only lanes with a child are pushed") {
            Child::Inner(index) => {
                let node = tree.node(index);
                for lane in (0..node::WIDTH).filter(|&lane| node.child(lane).is_some()) {
                    assert!(contains(&node.bounds(lane)));
                    stack.push(Subtree::new(index, lane));
                }
            }
            Child::Leaf(index) => {
                let packet = tree.packet(index);
                assert!(contains(&packet.bounds()));
                seen.extend(packet.lanes().map(|(_, triangle)| triangle));
            }
        }
    }
    seen
}

#[test]
fn every_triangle_is_in_one_leaf_and_in_every_box_above_it() {
    for n in [1, 2, 3, 10, 71] {
        let mesh = height_field(n);
        let mut seen = check_boxes(&TriangleBvh::new(&mesh));
        seen.sort_unstable();
        assert!(seen.iter().copied().eq(0..2 * n * n));
    }
}

#[test]
fn the_tree_does_not_depend_on_the_number_of_threads() {
    let mesh = height_field(80);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        check_boxes(&pool.install(|| TriangleBvh::new(&mesh)))
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn a_refitted_tree_bounds_the_moved_triangles() {
    let mesh = height_field(40);
    let mut tree = TriangleBvh::new(&mesh);
    let bend = |p: &Point3<f64>| Point3::new(p.x * p.y, 3.0 + p.z, (2.0 * p.x).cos());
    let moved =
        TriangleMesh::new(mesh.vertices().iter().map(bend).collect(), mesh.triangles().to_vec()).unwrap();
    tree.refit(&moved);
    assert_eq!(check_boxes(&tree).len(), mesh.triangles().len());
    let packet = &tree.packets()[0];
    let (lane, triangle) = packet.lanes().next().unwrap();
    let expected = moved.triangle(triangle as usize).map(|p| <[f64; 3]>::from(p - tree.center()));
    assert_eq!(packet.triangle(lane), expected);
}

#[test]
fn packets_are_nearly_full_and_memory_is_small() {
    let mesh = height_field(100);
    let tree = TriangleBvh::new(&mesh);
    let triangles = mesh.triangles().len();
    assert!(tree.packets().len() * 35 <= triangles * 10, "{} packets", tree.packets().len());
    assert!(tree.memory() <= 150 * triangles, "{} bytes", tree.memory());
}

#[test]
fn triangles_without_area_take_no_part() {
    let points = vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
    let mesh = TriangleMesh::new(points, vec![[0, 0, 1], [0, 1, 2]]).unwrap();
    assert_eq!(check_boxes(&TriangleBvh::new(&mesh)), [1]);
}

#[test]
fn at_each_level_the_boxes_hold_every_triangle_and_the_first_is_that_of_the_mesh() {
    for (n, far) in [(1, 0.0), (3, 0.0), (40, 0.0), (40, 1e4)] {
        let mesh = height_field(n);
        let moved = mesh.vertices().iter().map(|p| p + Vector3::repeat(far)).collect();
        let mesh = TriangleMesh::new(moved, mesh.triangles().to_vec()).unwrap();
        let tree = TriangleBvh::new(&mesh);
        // Single precision, rounded outwards, of coordinates about the centre.
        let rounding = 1e-6 + 1e-15 * far;
        let around = mesh.aabb();
        let [root] = tree.boxes(0)[..] else { panic!("one root") };
        assert!((root.min - around.min).amax() < rounding && (root.max - around.max).amax() < rounding);
        for level in 0..=tree.levels() {
            let boxes = tree.boxes(level);
            let holds = |aabb: &crate::geometry::Aabb, triangle: usize| {
                let slack = Vector3::repeat(1e-15 * far);
                mesh.triangle(triangle).iter().all(|p| aabb.min - slack <= *p && *p <= aabb.max + slack)
            };
            let lost = (0..mesh.triangles().len()).find(|&t| !boxes.iter().any(|aabb| holds(aabb, t)));
            assert_eq!(lost, None, "of {n} at level {level}");
        }
        let last = tree.levels() - 1;
        assert_eq!(tree.boxes(last).len(), tree.packets().len());
        assert_eq!(tree.boxes(last + 5), tree.boxes(last));
        assert!(last <= 1 || tree.boxes(last - 1).len() < tree.packets().len());
    }
}
