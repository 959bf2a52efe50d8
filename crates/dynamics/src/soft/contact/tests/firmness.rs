//! Pairs of bodies whose pressure stiffens faster until they have parted, and the onset of stiffening of all pairs.

use nalgebra::Vector3;

use super::super::initial::Pressure;
use super::super::{ContactOptions, SoftContact};
use super::contact;
use super::shapes::block;
use crate::soft::interaction::Interaction;
use crate::stateful::Stateful;
use extricate_core::geometry::TetMesh;

const DT: f64 = 0.01;

/// Blocks of 3³ cells: nodes lie a third of the size deep, so that the thickness is two thirds of it and the onset 1 % of that.
fn unit_block() -> TetMesh {
    block([3, 3, 3], [1.0; 3], [0.0; 3])
}
const ONSET: f64 = 0.01 * 2.0 / 3.0;

fn options(stiffen_beyond: f64) -> ContactOptions {
    ContactOptions { stiffness: 1e6, stiffen_beyond, ..ContactOptions::default() }
}

/// Nodes of two unit blocks, the second one `depth` \[m\] deep in the first, followed by the nodes of other bodies.
fn at(depth: f64, others: &[&TetMesh]) -> Vec<Vector3<f64>> {
    let mesh = unit_block();
    let rest = mesh.nodes().iter().map(|node| node.coords);
    let moved = rest.clone().map(|node| node + Vector3::new(1.0 - depth, 0.013, 0.017));
    let far = others.iter().flat_map(|other| other.nodes()).map(|node| node.coords + Vector3::repeat(9.0));
    rest.chain(moved).chain(far).collect()
}

/// Energy \[J\] at the end of a step between two depths \[m\].
fn energy(contact: &mut SoftContact, [start, end]: [f64; 2]) -> f64 {
    contact.begin_step(&at(start, &[]), DT);
    contact.energy(&at(end, &[]))
}

/// A contact of two blocks in a step that begins apart.
fn begun() -> SoftContact {
    let mesh = unit_block();
    let mut contact = contact(&[&mesh, &mesh], options(0.01));
    contact.begin_step(&at(-0.1, &[]), DT);
    contact
}

#[test]
fn a_pair_is_firm_from_a_deep_balance_until_it_has_parted() {
    let mesh = unit_block();
    let (mut contact, mut common) = (begun(), begun());
    assert!(!contact.firm_up(&at(1.8 * ONSET, &[])), "shallow enough");
    assert!(contact.firm_up(&at(3.0 * ONSET, &[])));
    for (depth, stiffens) in [(0.5, false), (0.99, false), (1.5, true), (3.0, true)] {
        let [firm, before] = [&mut contact, &mut common].map(|of| of.energy(&at(depth * ONSET, &[])));
        assert_eq!(firm > (1.0 + 1e-9) * before, stiffens, "{depth}: {firm} {before}");
        assert!(stiffens || (firm - before).abs() <= 1e-12 * before, "{depth}: {firm} {before}");
    }
    let mut restored = super::contact(&[&mesh, &mesh], options(0.01));
    restored.restore(contact.snapshot()).unwrap();
    for contact in [&mut contact, &mut restored] {
        let deep = [1.5 * ONSET; 2];
        assert!(energy(contact, deep) > 1.01 * energy(&mut common, deep), "still deep");
        let again = [-0.1, 1.5 * ONSET];
        let [parted, before] = [contact, &mut common].map(|of| energy(of, again));
        assert_eq!(parted.to_bits(), before.to_bits(), "they have parted");
    }
}

#[test]
fn the_deepest_contact_of_a_firm_pair_has_its_force_at_the_target_depth() {
    // Pressure over the penalty stiffness beyond the linear law's [m] of the deepest contact: c w s²/2.
    let added = |contact: &mut SoftContact, depth: f64| {
        let x = at(depth, &[]);
        // Edges take the area of some nodes whole.
        let acting = contact.contacts(&x).iter().filter(|contact| contact.stiffening > 0.0);
        let deepest = acting.max_by(|a, b| a.effective_depth.total_cmp(&b.effective_depth)).unwrap();
        assert!((deepest.effective_depth - depth).abs() < 1e-9);
        (deepest.pull() - deepest.stiffness * deepest.effective_depth) / deepest.stiffening
    };
    let mut contact = begun();
    let deep = 3.0 * ONSET;
    let common = added(&mut contact, deep);
    assert!((common - 0.5 * 400.0 * ONSET * 4.0).abs() < 1e-6 * common, "{common}");
    assert!(contact.firm_up(&at(deep, &[])));
    let firm = added(&mut contact, 1.7 * ONSET);
    assert!((firm - common).abs() < 1e-6 * common, "{firm} {common}");
}

#[test]
fn firmness_is_undone_put_back_and_eased() {
    let deep = at(3.0 * ONSET, &[]);
    let mut contact = begun();
    let (memory, before) = (contact.memory(), contact.energy(&deep));
    let is_as_before = |contact: &mut SoftContact| contact.energy(&deep).to_bits() == before.to_bits();
    assert!(contact.firm_up(&deep) && !is_as_before(&mut contact));
    contact.undo_firming();
    assert!(is_as_before(&mut contact));
    assert!(contact.firm_up(&deep) && !is_as_before(&mut contact));
    contact.set_memory(memory);
    assert!(is_as_before(&mut contact));
    let start = at(-0.1, &[]);
    let pairs = contact.deep_pairs_at(&start, &deep);
    assert!(!contact.can_ease(&pairs, Pressure::Stiffens), "no pair is firm");
    assert!(contact.firm_up(&deep));
    assert!(contact.can_ease(&pairs, Pressure::Stiffens));
    contact.ease(&pairs, Pressure::Stiffens);
    assert!(is_as_before(&mut contact) && !contact.can_ease(&pairs, Pressure::Stiffens));
    assert!(!contact.firm_up(&deep), "not in the repetition of the step");
}

#[test]
fn a_pair_that_starts_a_step_deep_is_not_pushed_out_at_once() {
    let mesh = unit_block();
    let mut contact = super::contact(&[&mesh, &mesh], options(0.01));
    contact.begin_step(&at(-0.1, &[]), DT);
    contact.begin_step(&at(4.0 * ONSET, &[]), DT);
    assert!(!contact.firm_up(&at(3.5 * ONSET, &[])), "on its path outwards");
    assert!(contact.firm_up(&at(4.0 * ONSET, &[])));
}

#[test]
fn the_pressure_of_all_pairs_stiffens_beyond_a_fraction_of_the_thickness_of_the_thinnest_body() {
    let (mesh, thin) = (unit_block(), block([3, 3, 3], [0.5; 3], [0.0; 3]));
    let energy = |meshes: &[&TetMesh], stiffen_beyond: f64| {
        let mut contact = contact(meshes, options(stiffen_beyond));
        contact.begin_step(&at(-0.1, &meshes[2..]), DT);
        contact.energy(&at(0.9 * ONSET, &meshes[2..]))
    };
    let never = f64::INFINITY;
    let [alone, linear] = [0.01, never].map(|onset| energy(&[&mesh, &mesh], onset));
    assert_eq!(alone.to_bits(), linear.to_bits());
    let [beside, linear] = [0.01, never].map(|onset| energy(&[&mesh, &mesh, &thin], onset));
    assert!(beside > 1.01 * linear, "{beside} {linear}");
}
