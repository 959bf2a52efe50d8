//! Contact of bodies with themselves, in all elements but a node's own: against brute force, closed forms and searches made anew.

use nalgebra::{Point3, Rotation3, Vector3};

use super::super::{Contact, ContactOptions, Probe};
use super::shapes::{ball, block, blocks};
use super::{contact, shaken};
use extricate_core::geometry::TetMesh;
use extricate_core::geometry::tet_mesh::{barycentric, signed_volume};

/// Nodes only, with a linear pressure.
fn nodes_only() -> ContactOptions {
    ContactOptions { edges: false, stiffen_beyond: f64::INFINITY, ..ContactOptions::default() }
}

/// Whether a tetrahedron has a field: not where it is flattened to a thousandth of its size or inverted.
fn has_field(corners: &[Point3<f64>; 4]) -> bool {
    let longest = (1..4).map(|k| (corners[k] - corners[0]).norm()).fold(0.0, f64::max);
    6.0 * signed_volume(corners) > 1e-3 * longest.powi(3)
}

/// The surface nodes of a body with the blocks `x` that are in elements other than their own.
fn folded_nodes(mesh: &TetMesh, x: &[Vector3<f64>]) -> Vec<Probe> {
    let is_inside = |node: u32, tet: &[u32; 4]| {
        let corners = tet.map(|i| Point3::from(x[i as usize]));
        !tet.contains(&node)
            && has_field(&corners)
            && barycentric(&corners, &x[node as usize].into()).iter().all(|u| *u >= 0.0)
    };
    let nodes = mesh.boundary().nodes;
    let folded = nodes.iter().filter(|&&node| mesh.tets().iter().any(|tet| is_inside(node, tet)));
    folded.map(|&node| Probe::Node(node)).collect()
}

/// Contacts by name, with the bits of their depths, ascending.
fn named(contacts: &[Contact]) -> Vec<(Probe, u64)> {
    let mut all: Vec<_> = contacts.iter().map(|c| (c.probe, c.depth.to_bits())).collect();
    all.sort_unstable();
    all
}

#[test]
fn the_nodes_in_other_elements_of_their_body_are_those_of_brute_force_as_it_is_crushed_and_spins() {
    let mesh = block([3, 3, 3], [1.0; 3], [0.0; 3]);
    let rest = blocks(&[&mesh]);
    let mut contact = contact(&[&mesh], nodes_only());
    let mut found = 0;
    for step in 0..80 {
        let rotation = Rotation3::new(Vector3::new(0.1, 0.3, -0.2) * f64::from(step));
        let mut x = shaken(&rest, 0.005 * f64::from(step), 3);
        x.iter_mut().for_each(|p| *p = rotation * *p + Vector3::x() * 0.1 * f64::from(step));
        let tree: Vec<_> = named(contact.contacts(&x)).into_iter().map(|named| named.0).collect();
        let mut brute = folded_nodes(&mesh, &x);
        brute.sort_unstable();
        assert_eq!(tree, brute, "step {step}");
        found += brute.len();
    }
    assert!(found > 100, "{found}");
}

#[test]
fn a_node_in_the_next_layer_of_its_body_is_as_deep_as_the_body_is_there() {
    // Six layers of a sixth of a metre; the top is pushed through the first one into the second.
    let mesh = block([2, 2, 6], [0.3, 0.3, 1.0], [0.0; 3]);
    let pushed = |p: &Point3<f64>| if p.z > 0.99 { Vector3::new(p.x, p.y, 0.75) } else { p.coords };
    let x: Vec<_> = mesh.nodes().iter().map(pushed).collect();
    let centre = mesh.nodes().iter().position(|p| (p - Point3::new(0.15, 0.15, 1.0)).norm() < 1e-9).unwrap();
    let mut contact = contact(&[&mesh], nodes_only());
    let probe = Probe::Node(u32::try_from(centre).unwrap());
    let found = contact.contacts(&x).iter().find(|c| c.probe == probe).expect("a contact");
    // The sides are nearest, 0.15 m away, along the whole edge that the node is on.
    assert!((found.depth - 0.15).abs() < 1e-9, "{}", found.depth);
}

#[test]
fn a_sheet_folded_sharply_meets_itself_closer_to_the_fold_than_its_longest_edge() {
    const THICK: f64 = 0.05;
    // Elements of 0.1 × 0.1 × 0.025 m: the longest edge is 0.144 m. One half is folded over the other one along x = 0.
    let mesh = block([8, 6, 2], [0.8, 0.6, THICK], [-0.4, 0.0, -THICK / 2.0]);
    let fold = Rotation3::new(-Vector3::y() * 160.0_f64.to_radians());
    let folded = |p: &Point3<f64>| {
        if p.x > 0.01 { fold * p.coords + Vector3::x() * 0.03 } else { p.coords }
    };
    let x: Vec<_> = mesh.nodes().iter().map(folded).collect();
    // Contacts with all elements but a node's own, and without those near it at rest, which the fold is.
    let [all, few] = [0.0, 0.145]
        .map(|near| contact(&[&mesh], ContactOptions { near, ..nodes_only() }).contacts(&x).to_vec());
    let depth = |contacts: &[Contact], node: u32| {
        contacts.iter().find(|c| c.probe == Probe::Node(node)).map_or(0.0, |c| c.depth)
    };
    let is_met = |p: &Point3<f64>| (p.x - 0.1).abs() < 0.01 && p.z > 0.02 && p.y > 0.05 && p.y < 0.55;
    let (mut count, mut missed) = (0, 0);
    for (node, p) in (0_u32..).zip(mesh.nodes()).filter(|(_, p)| is_met(p)) {
        // The half below is as it was: the depth there is the distance to its upper side.
        let (at, expected) = (x[node as usize], THICK / 2.0 - x[node as usize].z);
        assert!(at.x > -0.1 && at.x < 0.0 && expected > 0.2 * THICK, "{p} is at {at}");
        let found = depth(&all, node);
        assert!((found - expected).abs() < 1e-9, "{p}: {found} m in place of {expected} m");
        count += 1;
        missed += usize::from(depth(&few, node) < expected / 2.0);
    }
    assert!(count == 5 && missed > 0, "{count} nodes, {missed} of which excluded elements hide");
}

#[test]
fn what_is_excluded_as_outside_has_no_contacts() {
    let (a, b) = (ball(4), block([4, 3, 3], [1.2, 1.0, 1.0], [-0.6, -0.5, 0.9]));
    let rest = blocks(&[&a, &b]);
    let of_a = a.nodes().len();
    // A margin beyond the size of all excludes nothing.
    let [mut some, mut all] = [None, Some(100.0)]
        .map(|margin| contact(&[&a, &b], ContactOptions { margin, ..ContactOptions::default() }));
    let (mut edges, mut nodes) = (0, 0);
    for step in 0..60 {
        let mut x = shaken(&rest, 0.03, 7);
        x[of_a..].iter_mut().for_each(|p| *p -= Vector3::z() * 0.015 * f64::from(step));
        let found = named(some.contacts(&x));
        assert_eq!(found, named(all.contacts(&x)), "step {step}");
        edges += found.iter().filter(|c| matches!(c.0, Probe::Edge(..))).count();
        nodes += found.iter().filter(|c| matches!(c.0, Probe::Node(_))).count();
    }
    assert!(edges > 100 && nodes > 100, "{edges} {nodes}");
}

#[test]
fn a_body_that_spins_while_it_is_crushed_has_the_contacts_of_a_search_made_anew() {
    let mesh = ball(4);
    let rest = blocks(&[&mesh]);
    let mut followed = contact(&[&mesh], ContactOptions::default());
    let (mut nodes, mut edges) = (0, 0);
    for step in 0..60 {
        let rotation = Rotation3::new(Vector3::new(0.05, -0.2, 0.15) * f64::from(step));
        let crush = 1.0 - 0.015 * f64::from(step);
        let shaken = shaken(&rest, 0.004 * f64::from(step), 5);
        let x: Vec<_> = shaken.iter().map(|p| rotation * Vector3::new(crush * p.x, p.y, p.z)).collect();
        let found = named(followed.contacts(&x));
        assert_eq!(found, named(contact(&[&mesh], ContactOptions::default()).contacts(&x)), "step {step}");
        edges += found.iter().filter(|c| matches!(c.0, Probe::Edge(..))).count();
        nodes += found.iter().filter(|c| matches!(c.0, Probe::Node(_))).count();
    }
    assert!(edges > 20 && nodes > 100, "{edges} {nodes}");
}
