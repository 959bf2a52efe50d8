//! Detection: brute force, edges that nodes miss, self-contact, stacked blocks.

use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3, Rotation3, Vector3};
use std::sync::Arc;

use super::super::{Contact, ContactOptions, Field, Obstacle, Primitive, Probe, SoftContact};
use super::shapes::{ball, block, blocks, ring};
use super::{contact, shaken};
use crate::soft::interaction::Interaction;
use extricate_core::geometry::tet_mesh::barycentric;

const NODES_ONLY: ContactOptions = ContactOptions {
    stiffness: 1e8,
    stiffen_beyond: f64::INFINITY,
    self_contact: true,
    edges: false,
    near: 0.0,
    margin: None,
    friction: 0.0,
    creep: None,
    recovery: None,
    recovery_pressure: None,
};

#[test]
fn the_trees_find_the_contacts_of_brute_force_along_a_motion() {
    let (a, b) = (ball(4), block([4, 3, 3], [1.2, 1.0, 1.0], [-0.6, -0.5, 0.9]));
    let rest = blocks(&[&a, &b]);
    let of_a = a.nodes().len();
    let mut contact = contact(&[&a, &b], NODES_ONLY);
    let mut found = 0;
    for step in 0..40 {
        let mut x = shaken(&rest, 0.02, step);
        let rotation = Rotation3::new(Vector3::new(0.0, 0.03 * step as f64, 0.0));
        x[of_a..].iter_mut().for_each(|p| *p = rotation * *p - Vector3::z() * 0.02 * step as f64);
        let mut tree: Vec<_> = contact.contacts(&x).iter().map(|c| (c.probe, c.field)).collect();
        let mut brute = Vec::new();
        for (body, mesh, first, from) in [(0, &a, 0, of_a), (1, &b, of_a, 0)] {
            let other = if body == 0 { &b } else { &a };
            for &node in &other.boundary().nodes {
                let block = from + node as usize;
                let inside = mesh.tets().iter().any(|tet| {
                    let corners = tet.map(|i| Point3::from(x[first + i as usize]));
                    barycentric(&corners, &x[block].into()).iter().all(|u| *u >= 0.0)
                });
                if inside {
                    brute.push((Probe::Node(u32::try_from(block).unwrap()), Field::Body(body)));
                }
            }
        }
        tree.sort_unstable();
        brute.sort_unstable();
        assert_eq!(tree, brute, "step {step}");
        found += brute.len();
    }
    assert!(found > 100, "{found}");
}

#[test]
fn crossing_beams_without_nodes_inside_are_found_by_their_edges() {
    // A flat beam of long elements passes through one across it: no node of either is in the other.
    let a = block([1, 1, 1], [4.0, 1.0, 1.0], [-2.1, -0.45, -0.52]);
    let b = block([1, 1, 1], [1.0, 4.0, 1.0], [-0.55, -2.2, 0.2]);
    let x = blocks(&[&a, &b]);
    assert!(contact(&[&a, &b], NODES_ONLY).contacts(&x).is_empty());
    let mut with = contact(&[&a, &b], ContactOptions::default());
    let overlaps = with.overlaps(&x);
    assert_eq!(overlaps.len(), 1);
    assert!(overlaps[0].pair == (0, Field::Body(1)) && overlaps[0].depth > 0.05, "{overlaps:?}");
    let mut gradient = vec![Vector3::zeros(); x.len()];
    with.linearise(&x, &mut gradient, &mut Default::default());
    let push: f64 = gradient[..8].iter().map(|g| g.z).sum();
    assert!(push > 0.0, "the lower beam is pushed down: {push}");
}

#[test]
fn nothing_touches_itself_at_rest() {
    let shapes = [
        block([4, 4, 4], [1.0; 3], [0.0; 3]),
        ball(6),
        ring(6.2),
        block([12, 1, 1], [12.0, 1.0, 1.0], [0.0; 3]),
    ];
    for mesh in &shapes {
        let x = blocks(&[mesh]);
        assert!(contact(&[mesh], ContactOptions::default()).overlaps(&x).is_empty());
        let x = shaken(&x, 1e-3, 9);
        assert!(contact(&[mesh], ContactOptions::default()).overlaps(&x).is_empty());
    }
}

#[test]
fn a_ring_closed_beyond_its_slit_touches_itself() {
    let (open, closed) = (ring(6.2), |overlap: f64| {
        blocks(&[&ring(std::f64::consts::TAU - 1e-3)])
            .into_iter()
            .enumerate()
            .map(|(at, p)| if at % 111 / 3 > 18 { p + Vector3::y() * overlap } else { p })
            .collect::<Vec<_>>()
    });
    let mut contact = contact(&[&open], ContactOptions::default());
    assert!(contact.overlaps(&closed(0.0)).is_empty());
    let overlaps = contact.overlaps(&closed(0.05));
    assert_eq!(overlaps.len(), 1);
    assert!(overlaps[0].pair == (0, Field::Body(0)) && overlaps[0].count >= 9, "{overlaps:?}");
    // In the middle of the face the overlap is 0.05 less the gap of 0.8 · 10⁻³, on layers stretched by 2π/6.2.
    let expected = (0.05 - 0.8e-3) * 6.2 / std::f64::consts::TAU;
    assert!((overlaps[0].depth - expected).abs() < 0.02 * expected, "{overlaps:?} {expected}");
}

#[test]
fn stacked_blocks_of_v10_carry_the_load_evenly_on_both_surfaces() {
    // Case V10 of the finite-element validation: 4³ cubes of 1.2 × 1.2 × 1 m below 3³ of 1 m, k = 1e8 Pa/m.
    let lower = block([4, 4, 4], [1.2, 1.2, 1.0], [-0.6, -0.6, 0.0]);
    let penetration = 9.81e-5;
    let upper = block([3, 3, 3], [1.0; 3], [-0.5, -0.5, 1.0 - penetration]);
    let x = blocks(&[&lower, &upper]);
    let mut with = contact(&[&lower, &upper], NODES_ONLY);
    let from = |body: usize| {
        move |c: &&super::super::Contact| {
            let Probe::Node(block) = c.probe else { return false };
            ((block as usize) < lower_nodes()) == (body == 0)
        }
    };
    let contacts = with.contacts(&x).to_vec();
    // All 16 nodes of the upper block, and the 9 of the lower that lie under it.
    assert_eq!((contacts.iter().filter(from(1)).count(), contacts.iter().filter(from(0)).count()), (16, 9));
    let force: f64 = contacts.iter().filter(from(1)).map(|c| c.force().z).sum();
    assert!((force - 9810.0).abs() < 0.05 * 9810.0, "{force}");
    assert!(contacts.iter().all(|c| (c.depth - penetration).abs() < 1e-12));
    // Flat faces: edges add nothing but what the field's slope differs between elements.
    let edges = contact(&[&lower, &upper], ContactOptions::default()).energy(&x);
    let nodes = with.energy(&x);
    assert!(edges >= nodes && edges < 1.02 * nodes, "{edges} {nodes}");
}

fn lower_nodes() -> usize {
    125
}

#[test]
fn results_do_not_depend_on_the_margin() {
    let (a, b) = (ball(4), block([3, 3, 3], [1.0; 3], [0.3, 0.3, 0.3]));
    let x = blocks(&[&a, &b]);
    let mut energies = [1e-4, 0.05, 0.5].map(|margin| {
        let mut contact =
            contact(&[&a, &b], ContactOptions { margin: Some(margin), ..ContactOptions::default() });
        let mut noise = Noise(3);
        (0..10)
            .map(|_| contact.energy(&shaken(&x, 0.03, (noise.signed().abs() * 1e6) as u64)))
            .collect::<Vec<_>>()
    });
    let last = energies[2].clone();
    energies[..2]
        .iter_mut()
        .for_each(|e| assert!(e.iter().zip(&last).all(|(a, b)| (a - b).abs() < 1e-12 * b)));
    assert!(last.iter().all(|e| *e > 0.0));
}

#[test]
fn samples_of_a_rigid_spike_push_where_no_soft_node_is_in_it() {
    let soft = block([2, 2, 2], [2.0; 3], [-1.0, -1.0, -2.0]);
    let stiffen_beyond = f64::INFINITY;
    let mut contact = contact(&[&soft], ContactOptions { stiffen_beyond, ..ContactOptions::default() });
    let mut spike = Obstacle::new(
        Arc::new(Primitive::Capsule { half_height: 0.3, radius: 1e-3 }),
        Isometry3::translation(0.3, 0.2, 0.1),
    );
    spike.samples = vec![(Point3::new(0.0, 0.0, -0.301), 1e-4)];
    contact.add_obstacle(spike);
    let x = blocks(&[&soft]);
    let overlaps = contact.overlaps(&x);
    assert_eq!(overlaps.len(), 1);
    assert!((overlaps[0].depth - 0.201).abs() < 1e-12, "{overlaps:?}");
    let wrench = contact.wrenches(&x)[0];
    assert!((wrench.force - Vector3::z() * 0.201 * 1e4).norm() < 1e-6, "{wrench:?}");
    assert!(contact.penetrations(&x)[0] > 0.2);
}

#[test]
fn the_energy_does_not_jump_as_an_end_of_an_edge_goes_in() {
    let a = block([2, 2, 2], [2.0, 2.0, 1.0], [-1.0, -1.0, 0.0]);
    let b = block([1, 1, 1], [0.5, 0.5, 4.0], [-0.27, -0.23, -1.5]);
    let mut contact = contact(&[&a, &b], ContactOptions::default());
    let rest = blocks(&[&a, &b]);
    let mut energies = Vec::new();
    let mut kinds = [0; 2];
    // The bar passes through the block, and is pulled up until its end is inside and then outside.
    for step in 0..4000 {
        let mut x = rest.clone();
        x[a.nodes().len()..].iter_mut().for_each(|p| p.z += 3e-4 * 2.2 * f64::from(step));
        energies.push(contact.energy(&x));
        let contacts = contact.contacts(&x);
        let edges = contacts.iter().filter(|c| matches!(c.probe, Probe::Edge(..))).count();
        kinds[0] += edges;
        kinds[1] += contacts.len() - edges;
    }
    let max = energies.iter().copied().fold(0.0, f64::max);
    let jump = energies.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
    assert!(kinds.iter().all(|count| *count > 1000) && max > 0.0, "{kinds:?}");
    assert!(jump < 0.02 * max, "{jump} J of {max} J");
}

#[test]
fn contacts_do_not_depend_on_previous_searches() {
    let (a, b) = (ball(5), block([5, 3, 3], [1.4, 1.0, 1.0], [-0.7, -0.5, 0.8]));
    let rest = blocks(&[&a, &b]);
    let of_a = a.nodes().len();
    let mut followed = contact(&[&a, &b], ContactOptions::default());
    let mut counts = [0, 0];
    for step in 0..60 {
        let mut x = shaken(&rest, 0.01, step / 3);
        let rotation = Rotation3::new(Vector3::new(0.0, 0.02 * step as f64, 0.0));
        // Through each other, and the ball folded into itself.
        x[of_a..].iter_mut().for_each(|p| *p = rotation * *p - Vector3::z() * 0.015 * step as f64);
        x[..of_a].iter_mut().for_each(|p| p.x *= 1.0 - 0.01 * step as f64 * (1.0 + 2.0 * p.z));
        let name = |c: &Contact| (c.probe, c.field, c.depth.to_bits());
        let mut all: Vec<_> = followed.contacts(&x).iter().map(name).collect();
        let mut anew: Vec<_> =
            contact(&[&a, &b], ContactOptions::default()).contacts(&x).iter().map(name).collect();
        all.sort_unstable();
        anew.sort_unstable();
        assert_eq!(all, anew, "step {step}");
        let own = |(probe, field, _): &&(Probe, Field, u64)| {
            let Probe::Node(block) = *probe else { return false };
            *field == Field::Body(u32::from(block as usize >= of_a))
        };
        counts[0] += all.len();
        counts[1] += all.iter().filter(own).count();
    }
    assert!(counts[0] > 500 && counts[1] > 20, "{counts:?}");
}

#[test]
fn an_edge_that_becomes_deep_beside_an_end_in_contact_joins_where_edges_may() {
    let a = block([1, 1, 1], [4.0, 1.0, 1.0], [-2.0, -0.5, -0.5]);
    let b = block([1, 1, 1], [0.1, 3.0, 0.1], [-0.04, -0.45, 0.45]);
    let rest = blocks(&[&a, &b]);
    let of_b = a.nodes().len();
    // The end of a bar is in a beam by 0.05, first with the bar upwards, then with the bar level and deep in the beam.
    let placed = |slope: f64, lowered: f64| {
        let mut x = rest.clone();
        x[of_b..].iter_mut().for_each(|p| p.z += slope * (p.y + 0.45) - lowered);
        x
    };
    let (before, after) = (placed(1.0, 0.0), placed(0.0, 0.35));
    let [mut waiting, mut joining, mut anew] =
        [(); 3].map(|()| contact(&[&a, &b], ContactOptions::default()));
    joining.let_edges_join(true);
    for frozen in [&mut waiting, &mut joining] {
        frozen.freeze_active_set(&before);
        let ends = frozen.contacts(&before).iter().filter(|c| matches!(c.probe, Probe::Node(_))).count();
        assert!(ends > 0, "the end is not in contact before");
    }
    let [waits, joins, whole] = [&mut waiting, &mut joining, &mut anew].map(|contact| contact.energy(&after));
    // The lower edges of the bar are at 0.1, its upper ones at 0.2, in a beam whose upper face is at 0.5.
    let deepest = |contact: &mut SoftContact| {
        let edges = contact.contacts(&after).iter().filter(|c| matches!(c.probe, Probe::Edge(..)));
        edges.map(|c| c.depth).fold(0.0, f64::max)
    };
    assert!((deepest(&mut joining) - 0.4).abs() < 1e-12, "{}", deepest(&mut joining));
    assert!(deepest(&mut waiting) < 0.31, "{}", deepest(&mut waiting));
    assert!(joins > 0.5 * whole && whole > 0.0, "{joins} J of {whole} J");
    assert!(waits < 0.5 * whole, "{waits} J of {whole} J");
}
