//! V14: a snake whose head is moved to its tail and rotated meanwhile [Fisher01 Fig. 5].

use std::f64::consts::TAU;

use extricate::dynamics::soft::contact::{ContactOptions, SoftContact, node_depths};
use extricate::dynamics::soft::element::ElementKind;
use extricate::dynamics::soft::interaction::{Interaction, OuterProducts};
use extricate::dynamics::soft::material::Constitutive;
use extricate::dynamics::soft::{NewtonOptions, SoftSystem, StepOptions};
use extricate::geometry::TetMesh;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use serde_json::Value;

use crate::Table;
use crate::meshes::{read, system};

/// Increments of the path.
const INCREMENTS: u32 = 100;
/// The head's centre at the start, and at the end: below the tail, which its nose brushes on its path. A line that ends before
/// x ≈ 19 lets the loop flip over, and the tail, 12 cm thin where it is clamped, folds there until elements are inverted.
const PATH: [[f64; 3]; 2] = [[0.5, 0.0, 0.0], [20.1, -0.55, 0.3]];
/// Rotation of the head about z [rad].
const ROTATION: f64 = 0.75 * TAU;
/// Smallest part of an increment that is tried.
const MIN: f64 = 1.0 / 64.0;
/// Penalty [Pa/m].
const STIFFNESS: f64 = 2e6;
/// Radius of the snake [m].
const RADIUS: f64 = 0.5;

/// Result of all increments.
#[derive(Debug, Clone)]
struct Outcome {
    increments: u32,
    solves: u32,
    residual: f64,
    min: f64,
    depth: f64,
    /// Most contacts, and the largest sum of their forces over that of their norms.
    contacts: usize,
    imbalance: f64,
    /// Largest change of the volume, as a share.
    volume: f64,
    x: Vec<Vector3<f64>>,
}

pub(crate) fn coil(_: &Value, table: &mut Table) {
    let mesh = read("meshes/snake_14k");
    let first = run(&mesh);
    let total = f64::from(INCREMENTS);
    table.at_least("V14", "increments that converged", total, f64::from(first.increments));
    table.at_most("V14", "largest |r|/|f|", 1e-6, first.residual);
    table.at_least("V14", "minimum J of an element", 0.0, first.min);
    table.at_most("V14", "deepest penetration over the radius", 0.05, first.depth / RADIUS);
    table.at_most("V14", "sum of contact forces over their norms", 1e-10, first.imbalance);
    println!(
        "V14 | {} solves, {} contacts at most, volume within {:.2} %",
        first.solves,
        first.contacts,
        100.0 * first.volume
    );
    let second = run(&mesh);
    let same = first.x.iter().zip(&second.x).all(|(a, b)| (0..3).all(|k| a[k].to_bits() == b[k].to_bits()));
    table.at_least("V14", "same bits again", 1.0, f64::from(u8::from(same)));
}

fn run(mesh: &TetMesh) -> Outcome {
    let mut system = system(mesh, ElementKind::Linear, Constitutive::NeoHookean, 1e5, 0.35);
    let options = ContactOptions { stiffness: STIFFNESS, ..ContactOptions::default() };
    let mut contact = SoftContact::new(options).expect("options in range");
    contact.add_body(mesh, 0, &node_depths(mesh)).expect("depths of all nodes");
    let newton = NewtonOptions { relative_tolerance: 1e-6, max_iterations: 300, ..NewtonOptions::default() };
    let options = StepOptions { newton, ..StepOptions::default() };
    let rest = system.x.clone();
    let head: Vec<u32> = (0_u32..).zip(&rest).filter(|(_, x)| x.x < 1.0).map(|(node, _)| node).collect();
    (0..rest.len()).filter(|&block| rest[block].x > 18.5).for_each(|block| system.pin(block));
    let mut out = Outcome {
        increments: 0,
        solves: 0,
        residual: 0.0,
        min: f64::INFINITY,
        depth: 0.0,
        contacts: 0,
        imbalance: 0.0,
        volume: 0.0,
        x: Vec::new(),
    };
    // In increments: what is done, and the part that is tried next.
    let (mut done, mut part) = (0.0, 1.0);
    while done < f64::from(INCREMENTS) && part >= MIN {
        let to = (done + part).min(done.floor() + 1.0);
        system.prescribe_rigidly(0, &head, &pose(to / f64::from(INCREMENTS)));
        if let Ok(report) = system.solve_quasi_static(&options, &mut contact) {
            (done, part) = (to, (2.0 * part).min(1.0));
            out.solves += 1;
            out.increments = done as u32;
            out.residual = out.residual.max(report.relative_residual);
            note(&mut out, mesh, &system, &mut contact);
        } else {
            part *= 0.5;
        }
    }
    Outcome { x: system.x, ..out }
}

/// Pose of the head after a fraction of the path.
fn pose(fraction: f64) -> Isometry3<f64> {
    let [from, to] = PATH.map(Vector3::from);
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), ROTATION * fraction);
    Isometry3::from_parts(Translation3::from(from + fraction * (to - from)), rotation)
        * Translation3::from(-from)
}

fn note(out: &mut Outcome, mesh: &TetMesh, system: &SoftSystem, contact: &mut SoftContact) {
    let x = &system.x;
    let (mut volume, mut at_rest) = (0.0, 0.0);
    for (tet, nodes) in mesh.tets().iter().enumerate() {
        let six = |[a, b, c, d]: [Vector3<f64>; 4]| (b - a).cross(&(c - a)).dot(&(d - a));
        let (now, then) = (six(nodes.map(|i| x[i as usize])), six(mesh.tet(tet).map(|p| p.coords)));
        out.min = out.min.min(now / then);
        volume += now;
        at_rest += then;
    }
    out.volume = out.volume.max((volume / at_rest - 1.0).abs());
    out.depth = out.depth.max(contact.penetrations(x)[0]);
    out.contacts = out.contacts.max(contact.contacts(x).len());
    let mut forces = vec![Vector3::zeros(); x.len()];
    contact.linearise(x, &mut forces, &mut OuterProducts::default());
    let norms: f64 = forces.iter().map(Vector3::norm).sum();
    let sum: Vector3<f64> = forces.iter().sum();
    out.imbalance = out.imbalance.max(sum.norm() / norms.max(f64::MIN_POSITIVE));
}
