//! Pairs of bodies whose pressure is linear, or stiffens less, until they have parted; folds.

use nalgebra::{Point3, Vector3};

use super::super::initial::Pressure;
use super::super::{ContactOptions, Field, SoftContact};
use super::contact;
use super::shapes::block;
use crate::soft::interaction::Interaction;
use crate::stateful::Stateful;
use extricate_core::geometry::TetMesh;

const DT: f64 = 0.01;

/// Nodes of two equal blocks, the second one moved along x.
fn at(mesh: &TetMesh, apart: f64) -> Vec<Vector3<f64>> {
    let rest = mesh.nodes().iter().map(|node| node.coords);
    rest.clone().chain(rest.map(|node| node + Vector3::new(apart, 0.013, 0.017))).collect()
}

/// A contact of two such blocks, linear or not.
fn of(mesh: &TetMesh, stiffen_beyond: f64) -> SoftContact {
    contact(&[mesh, mesh], ContactOptions { stiffness: 1e6, stiffen_beyond, ..ContactOptions::default() })
}

/// Energies at the depth of a step that begins at `start` \[J\]: by the law that stiffens, and by the linear one.
fn energies(stiff: &mut SoftContact, mesh: &TetMesh, start: f64, end: f64) -> [f64; 2] {
    let mut linear = of(mesh, f64::INFINITY);
    let (start, end) = (at(mesh, start), at(mesh, end));
    [stiff, &mut linear].map(|contact| {
        contact.begin_step(&start, DT);
        contact.energy(&end)
    })
}

#[test]
fn pairs_that_begin_deep_are_linear_until_they_have_parted() {
    let mesh = block([3, 3, 3], [1.0; 3], [0.0; 3]);
    let mut contact = of(&mesh, 0.01);
    // 0.1 of 1 deep at the start, then deeper: points enter that were outside.
    let [stiff, linear] = energies(&mut contact, &mesh, 0.9, 0.8);
    assert!(linear > 0.0 && (stiff - linear).abs() <= 1e-12 * linear, "{stiff} {linear}");
    let mut restored = of(&mesh, 0.01);
    restored.restore(contact.snapshot()).unwrap();
    for contact in [&mut contact, &mut restored] {
        let [stiff, linear] = energies(contact, &mesh, 0.85, 0.8);
        assert!((stiff - linear).abs() <= 1e-12 * linear, "{stiff} {linear}");
        let [stiff, linear] = energies(contact, &mesh, 1.1, 0.9);
        assert!(stiff > 2.0 * linear, "they have parted: {stiff} {linear}");
    }
}

/// A contact after a step from 0.1 apart to 0.1 deep, and the pairs that are deep then.
fn after_an_impact(mesh: &TetMesh) -> (SoftContact, Vec<[Field; 2]>) {
    let mut contact = of(mesh, 0.01);
    let [stiff, linear] = energies(&mut contact, mesh, 1.1, 0.9);
    assert!(stiff > 2.0 * linear, "{stiff} {linear}");
    let deep = contact.deep_pairs_at(&at(mesh, 1.1), &at(mesh, 0.9));
    assert_eq!(deep.len(), 1);
    (contact, deep)
}

#[test]
fn pairs_that_a_step_leaves_deep_are_linear_in_its_repetition_and_until_they_have_parted() {
    let mesh = block([3, 3, 3], [1.0; 3], [0.0; 3]);
    let (mut contact, deep) = after_an_impact(&mesh);
    assert!(contact.can_ease(&deep, Pressure::Linear));
    contact.ease(&deep, Pressure::Linear);
    assert!(!contact.can_ease(&deep, Pressure::Linear) && !contact.can_ease(&deep, Pressure::Eased));
    // The repetition begins apart, which does not count as parted.
    let [stiff, linear] = energies(&mut contact, &mesh, 1.1, 0.9);
    assert!((stiff - linear).abs() <= 1e-12 * linear, "{stiff} {linear}");
    contact.end_easing();
    let [stiff, linear] = energies(&mut contact, &mesh, 0.9, 0.85);
    assert!((stiff - linear).abs() <= 1e-12 * linear, "{stiff} {linear}");
    let [stiff, linear] = energies(&mut contact, &mesh, 1.1, 0.9);
    assert!(stiff > 2.0 * linear, "they have parted: {stiff} {linear}");
}

#[test]
fn the_first_easing_stiffens_less_and_leaves_the_second_one_until_the_pair_has_parted() {
    let mesh = block([3, 3, 3], [1.0; 3], [0.0; 3]);
    let (mut contact, deep) = after_an_impact(&mesh);
    let [stiff, linear] = energies(&mut contact, &mesh, 1.1, 0.9);
    assert!(contact.can_ease(&deep, Pressure::Eased));
    contact.ease(&deep, Pressure::Eased);
    assert!(!contact.can_ease(&deep, Pressure::Eased) && contact.can_ease(&deep, Pressure::Linear));
    let [eased, _] = energies(&mut contact, &mesh, 1.1, 0.9);
    assert!(linear < eased && eased < 0.5 * stiff, "{linear} {eased} {stiff}");
    let mut restored = of(&mesh, 0.01);
    restored.restore(contact.snapshot()).unwrap();
    contact.end_easing();
    for contact in [&mut contact, &mut restored] {
        let [still, linear] = energies(contact, &mesh, 0.9, 0.9);
        assert!(linear < still && still < 0.5 * stiff, "{linear} {still} {stiff}");
        let [again, _] = energies(contact, &mesh, 1.1, 0.9);
        assert!((again - stiff).abs() <= 1e-9 * stiff, "they have parted: {again} {stiff}");
    }
}

#[test]
fn a_state_that_is_put_back_has_no_eased_pairs() {
    let mesh = block([3, 3, 3], [1.0; 3], [0.0; 3]);
    let (mut contact, deep) = after_an_impact(&mesh);
    let before = contact.memory();
    contact.ease(&deep, Pressure::Eased);
    contact.ease(&deep, Pressure::Linear);
    contact.set_memory(before);
    assert!(contact.eased_pairs().iter().all(|pairs| pairs.is_empty()));
    let [stiff, linear] = energies(&mut contact, &mesh, 1.1, 0.9);
    assert!(stiff > 2.0 * linear, "{stiff} {linear}");
}

/// Blocks of a column of six layers of a sixth of a metre whose top is moved to the height `top` \[m\].
fn folded(mesh: &TetMesh, top: f64) -> Vec<Vector3<f64>> {
    let move_top = |p: &Point3<f64>| Vector3::new(p.x, p.y, if p.z > 0.99 { top } else { p.z });
    mesh.nodes().iter().map(move_top).collect()
}

#[test]
fn the_pressure_within_a_body_stiffens_but_not_where_it_is_folded_into_elements_that_are_excluded() {
    let mesh = block([2, 2, 6], [0.3, 0.3, 1.0], [0.0; 3]);
    // Excluded are elements with a node one layer below: those of the two layers at the top. The third one from above is not.
    let energy = |stiffen_beyond, starts: &[f64], end: f64| {
        let options = ContactOptions { stiffen_beyond, near: 0.2, ..ContactOptions::default() };
        let [mut contact, mut restored] = [(); 2].map(|()| contact(&[&mesh], options));
        for start in starts {
            contact.begin_step(&folded(&mesh, *start), DT);
        }
        restored.restore(contact.snapshot()).unwrap();
        let [energy, again] = [contact, restored].map(|mut contact| contact.energy(&folded(&mesh, end)));
        assert_eq!(energy.to_bits(), again.to_bits(), "{starts:?} {end}");
        energy
    };
    let both = |starts: &[f64], end| [0.01, f64::INFINITY].map(|beyond| energy(beyond, starts, end));
    let [stiff, linear] = both(&[1.0], 0.6);
    assert!(linear > 0.0 && stiff > 2.0 * linear, "from outside: {stiff} {linear}");
    let [stiff, linear] = both(&[1.0, 0.69], 0.6);
    assert!(linear > 0.0 && (stiff - linear).abs() <= 1e-12 * linear, "folded before: {stiff} {linear}");
    let [stiff, linear] = both(&[1.0, 0.69, 0.6], 0.6);
    assert!((stiff - linear).abs() <= 1e-12 * linear, "still in the other elements: {stiff} {linear}");
    let [stiff, linear] = both(&[1.0, 0.69, 0.6, 1.0], 0.6);
    assert!(stiff > 2.0 * linear, "unfolded since: {stiff} {linear}");
}
