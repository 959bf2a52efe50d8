//! V09 to V13: contact with a plane, between bodies, of a body with itself, and of a fold between plates.

use std::sync::Arc;

use extricate::dynamics::soft::SoftSystem;
use extricate::dynamics::soft::contact::{
    Contact, ContactOptions, Obstacle, Primitive, SoftContact, node_depths,
};
use extricate::dynamics::soft::element::{ElementKind, Elements};
use extricate::dynamics::soft::interaction::{Interaction, OuterProducts};
use extricate::dynamics::soft::material::{Constitutive, Material};
use extricate::dynamics::soft::{NewtonOptions, StepOptions};
use extricate::geometry::TetMesh;
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Rotation3, Translation3, UnitQuaternion, Vector3};
use serde_json::Value;

use crate::Table;
use crate::meshes::{kuhn, number, read, system};

/// Contact of the system's only body with itself, if it is to be, and what else.
fn contact(system: &SoftSystem, meshes: &[&TetMesh], options: ContactOptions) -> SoftContact {
    let mut contact = SoftContact::new(options).expect("options in range");
    for (number, mesh) in meshes.iter().enumerate() {
        let first = u32::try_from(system.blocks_of(number).start).expect("few nodes");
        contact.add_body(mesh, first, &node_depths(mesh)).expect("depths of all nodes");
    }
    contact
}

/// Forces on all blocks [N]: of contact, and of the elements.
fn forces(system: &SoftSystem, contact: &mut SoftContact) -> (Vec<Vector3<f64>>, Vec<Vector3<f64>>) {
    let mut of_contact = vec![Vector3::zeros(); system.block_count()];
    contact.linearise(&system.x, &mut of_contact, &mut OuterProducts::default());
    let mut of_elements = vec![Vector3::zeros(); system.block_count()];
    let mut local = extricate::dynamics::soft::element::Local::default();
    for (body, elements) in system.bodies().iter().enumerate() {
        let first = system.blocks_of(body).start;
        for e in 0..elements.element_count() {
            elements.local(e, system.positions_of(body), &mut local, false, false);
            for (&node, g) in elements.nodes_of(e).iter().zip(&local.gradient) {
                of_elements[first + node as usize] -= g;
            }
        }
    }
    of_contact.iter_mut().for_each(|f| *f = -*f);
    (of_contact, of_elements)
}

fn nearest(x: &[Vector3<f64>], point: Vector3<f64>) -> usize {
    let distance = |i: &usize| (x[*i] - point).norm();
    (0..x.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("nodes")
}

fn to(tolerance: f64) -> StepOptions {
    let newton =
        NewtonOptions { relative_tolerance: tolerance, max_iterations: 200, ..NewtonOptions::default() };
    StepOptions { newton, ..StepOptions::default() }
}

/// A hemisphere pressed on a plane.
pub(crate) fn hertz(expected: &Value, table: &mut Table) {
    for (name, tolerance, stiffness) in [("coarse", 0.05, 1e8), ("fine", 0.03, 3e8)] {
        let mesh = read(&format!("valid/v09_hemi_{name}"));
        for delta in ["0.005", "0.01", "0.02", "0.05"] {
            let mut system = system(&mesh, ElementKind::Linear, Constitutive::Linear, 1e6, 0.3);
            let down: f64 = delta.parse().expect("a number");
            let rest = system.x.clone();
            let (middle, rim) = (nearest(&rest, Vector3::z()), nearest(&rest, Vector3::new(1.0, 0.0, 1.0)));
            for (node, x) in rest.iter().enumerate().filter(|(_, x)| x.z > 1.0 - 1e-9) {
                let axes = [node == middle, node == middle || node == rim, true];
                system.prescribe(node, axes, x - down * Vector3::z());
            }
            let options = ContactOptions { self_contact: false, stiffness, ..ContactOptions::default() };
            let mut contact = contact(&system, &[&mesh], options);
            contact.add_obstacle(Obstacle::new(Arc::new(Primitive::HalfSpace), Isometry3::identity()));
            system.solve_quasi_static(&to(1e-9), &mut contact).expect("equilibrium");
            let force = forces(&system, &mut contact).0.iter().map(|f| f.z).sum();
            let reference = number(&expected[format!("delta={delta}")]["F_fem_hemisphere"]);
            table.relative(
                "V09",
                &format!("{name}, pressed {delta} m: force [N]"),
                reference,
                force,
                tolerance,
            );
        }
    }
}

/// Two blocks, one on the other.
pub(crate) fn stacked(expected: &Value, table: &mut Table) {
    let sizes = [Vector3::new(1.2, 1.2, 1.0), Vector3::repeat(1.0)];
    let meshes = [kuhn([4, 4, 4], sizes[0]), kuhn([3, 3, 3], sizes[1])];
    let material = Material::new(Constitutive::Linear, 1000.0, 1e6, 0.0).expect("a material");
    let material = material.with_damping(0.0, 1e-2).expect("damping");
    let elements = |mesh| Elements::new(mesh, material, ElementKind::Linear).expect("elements");
    let mut system = SoftSystem::new(meshes.iter().map(elements).collect(), 0);
    system.gravity = Vector3::new(0.0, 0.0, -9.81);
    system.transform(0, &Isometry3::translation(-0.6, -0.6, 0.0));
    system.transform(1, &Isometry3::translation(-0.5, -0.5, 1.0));
    let start = system.x.clone();
    let corners = [-0.6, 0.6].map(|x| nearest(&start, Vector3::new(x, -0.6, 0.0)));
    for block in system.blocks_of(0).filter(|&block| start[block].z == 0.0) {
        system.prescribe(block, [block == corners[0], corners.contains(&block), true], start[block]);
    }
    let mut contact = contact(
        &system,
        &[&meshes[0], &meshes[1]],
        ContactOptions { friction: 0.2, ..ContactOptions::default() },
    );
    // Nothing but friction holds the upper block: it comes to rest in time, then in equilibrium.
    for _ in 0..40 {
        contact.begin_step(&system.x, 0.02);
        system.step(0.02, &to(1e-9), &mut contact).expect("a step");
    }
    contact.begin_step(&system.x, 0.02);
    system.solve_quasi_static(&to(1e-9), &mut contact).expect("equilibrium");
    let (of_contact, of_elements) = forces(&system, &mut contact);
    let on = |body: usize| of_contact[system.blocks_of(body)].iter().sum::<Vector3<f64>>();
    let weight = |block: usize| {
        let masses = system.bodies()[0].masses();
        masses[block] * system.gravity.z
    };
    let floor = system.blocks_of(0).filter(|&block| start[block].z == 0.0);
    let floor: f64 = floor.map(|block| -(of_elements[block] + of_contact[block]).z - weight(block)).sum();
    table.relative("V10", "reaction of the floor [N]", number(&expected["floor_reaction_N"]), floor, 1e-6);
    table.relative(
        "V10",
        "force of the interface [N]",
        number(&expected["interface_force_N"]),
        on(1).z,
        1e-6,
    );
    table.at_most("V10", "action and reaction [N]", 1e-6, (on(0) + on(1)).norm());
    let of_area = |c: &Contact| c.depth * c.stiffness / 1e8;
    let mean = contact.contacts(&system.x).iter().map(of_area).sum::<f64>() / 2.0;
    let both = number(&expected["mean_penetration_m_one_sided"]) / 2.0;
    table.relative("V10", "mean penetration, both surfaces pushing [m]", both, mean, 0.1);
}

/// Contact of the ring, whose lips meet at their edges: they would slip past each other, for the symmetric equilibrium is not
/// stable. Springs hold each node level with its mirror image; in the symmetric equilibrium they carry no load.
struct Guided {
    pairs: Vec<[u32; 2]>,
    contact: SoftContact,
}

impl Guided {
    /// Stiffness of a spring [N/m]: some times E times the size of an element.
    const STIFFNESS: f64 = 1e5;
    /// Signs of the coordinates of a mirror image.
    const SIGNS: [f64; 3] = [1.0, -1.0, 1.0];
}

impl Interaction for Guided {
    fn energy(&mut self, x: &[Vector3<f64>]) -> f64 {
        let apart =
            |axis: usize, [a, b]: &[u32; 2]| x[*a as usize][axis] - Self::SIGNS[axis] * x[*b as usize][axis];
        let squares = self.pairs.iter().flat_map(|pair| [0, 1, 2].map(|axis| apart(axis, pair).powi(2)));
        0.5 * Self::STIFFNESS * squares.sum::<f64>() + self.contact.energy(x)
    }

    fn linearise(&mut self, x: &[Vector3<f64>], g: &mut [Vector3<f64>], hessian: &mut OuterProducts) -> f64 {
        for [a, b] in &self.pairs {
            for (axis, sign) in Self::SIGNS.into_iter().enumerate() {
                let pull = Self::STIFFNESS * (x[*a as usize][axis] - sign * x[*b as usize][axis]);
                g[*a as usize][axis] += pull;
                g[*b as usize][axis] -= sign * pull;
                let unit = Vector3::ith(axis, 1.0);
                hessian.push(Self::STIFFNESS, [(*a, unit), (*b, -sign * unit)]);
            }
        }
        self.contact.linearise(x, g, hessian);
        self.energy(x)
    }

    fn freeze_active_set(&mut self, x: &[Vector3<f64>]) {
        self.contact.freeze_active_set(x);
    }

    fn extend_active_set(&mut self, x: &[Vector3<f64>]) {
        self.contact.extend_active_set(x);
    }

    fn refresh_active_set(&mut self, x: &[Vector3<f64>]) {
        self.contact.refresh_active_set(x);
    }

    fn drift(&mut self, x: &[Vector3<f64>]) -> Option<f64> {
        self.contact.drift(x)
    }
}

/// Nodes near the slit with their mirror images.
fn mirrored(rest: &[Vector3<f64>]) -> Vec<[u32; 2]> {
    let near = |x: &Vector3<f64>| x.x > 0.5 && x.y > 0.0 && x.y < 0.1;
    let upper = (0..rest.len()).filter(|&node| near(&rest[node]));
    let image = |node: usize| nearest(rest, rest[node].component_mul(&Vector3::new(1.0, -1.0, 1.0)));
    upper.map(|node| [node, image(node)].map(|node| u32::try_from(node).expect("few nodes"))).collect()
}

/// A ring with a slit, pressed until the slit closes.
pub(crate) fn ring(expected: &Value, table: &mut Table) {
    let mesh = read("valid/v11_cring_full");
    for (name, stiffness) in [("1e+07", 1e7), ("1e+08", 1e8)] {
        let mut system = system(&mesh, ElementKind::Linear, Constitutive::NeoHookean, 1e5, 0.3);
        let rest = system.x.clone();
        let options = ContactOptions { stiffness, ..ContactOptions::default() };
        let contact = contact(&system, &[&mesh], options);
        let mut guided = Guided { pairs: mirrored(&rest), contact };
        let outer = rest.iter().map(|x| x.xy().norm()).fold(0.0, f64::max);
        let loaded = |x: &Vector3<f64>| (x.xy().norm() - outer).abs() < 1e-6 * outer && x.x.abs() < 0.12;
        let back = [0.0, 0.2].map(|z| nearest(&rest, Vector3::new(-1.0, 0.0, z)));
        let steps = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.11, 0.12];
        for down in steps {
            for (node, x) in rest.iter().enumerate().filter(|(_, x)| loaded(x)) {
                system.prescribe(node, [false, true, false], x - down * x.y.signum() * Vector3::y());
            }
            system.prescribe(back[0], [true, false, true], rest[back[0]]);
            system.prescribe(back[1], [true, false, false], rest[back[1]]);
            system.solve_quasi_static(&to(1e-8), &mut guided).expect("equilibrium");
            let values = &expected[format!("kp={name} d={down}")];
            if values.is_null() {
                continue;
            }
            let (of_contact, of_elements) = forces(&system, &mut guided.contact);
            let upper = (0..rest.len()).filter(|&node| loaded(&rest[node]) && rest[node].y > 0.0);
            let load: f64 = upper.map(|node| of_elements[node].y).sum();
            let slit: f64 = rest.iter().zip(&of_contact).filter(|(x, _)| x.y > 0.0).map(|(_, f)| f.y).sum();
            let sum = of_contact.iter().sum::<Vector3<f64>>().norm();
            let row = |what: &str| format!("k = {stiffness:.0e}, pressed {down} m: {what}");
            table.relative("V11", &row("load [N]"), number(&values["load_force"]), load, 0.02);
            let force = number(&values["contact_force"]);
            if force == 0.0 {
                table.absolute("V11", &row("contact [N]"), 0.0, slit, 1e-9);
            } else {
                table.relative("V11", &row("contact [N]"), force, slit, 0.02);
            }
            table.at_most("V11", &row("sum of contact forces [N]"), 1e-10, sum);
        }
    }
}

/// A strip folded between two plates: the elastica.
pub(crate) fn fold(expected: &Value, table: &mut Table) {
    const LENGTH: f64 = 1.2;
    const WIDTH: f64 = 0.2;
    const THICKNESS: f64 = 0.02;
    const DISTANCE: f64 = 0.4;
    const YOUNG: f64 = 1e6;
    let mesh = kuhn([60, 2, 2], Vector3::new(LENGTH, WIDTH, THICKNESS));
    let mut system = system(&mesh, ElementKind::Quadratic, Constitutive::StVenantKirchhoff, YOUNG, 0.0);
    let rest: Vec<_> =
        system.x.iter().map(|x| x - Vector3::new(0.5 * LENGTH, 0.0, 0.5 * THICKNESS)).collect();
    // The middle of the strip bent to half a circle, its ends straight: near enough to the fold to continue from.
    let radius = 0.5 * DISTANCE;
    let arc = 0.5 * std::f64::consts::PI * radius;
    for (x, rest) in system.x.iter_mut().zip(&rest) {
        let along = rest.x.clamp(-arc, arc);
        let rotation = Rotation3::from_axis_angle(&Vector3::y_axis(), -along / radius);
        let straight = Vector3::new(rest.x - along, rest.y, rest.z - radius);
        *x = rotation * straight;
    }
    let start = system.x.clone();
    let apex = nearest(&rest, Vector3::zeros());
    for (block, x) in start.iter().enumerate() {
        // The plane of symmetry of the fold, and of its width at one node.
        let middle = rest[block].x.abs() < 1e-9;
        system.prescribe(block, [middle, rest[block].y.abs() < 1e-9, block == apex], *x);
    }
    let options = ContactOptions { self_contact: false, stiffness: 1e8, ..ContactOptions::default() };
    let surface = system.bodies()[0].linear_mesh().clone();
    let mut contact = contact(&system, &[&surface], options);
    let gap = 0.5 * (DISTANCE + THICKNESS);
    for side in [1.0, -1.0] {
        let towards = Vector3::x() * -side;
        let rotation = UnitQuaternion::rotation_between(&Vector3::z(), &towards).expect("not opposite");
        let pose = Isometry3::from_parts(Translation3::new(side * gap, 0.0, 0.0), rotation);
        contact.add_obstacle(Obstacle::new(Arc::new(Primitive::HalfSpace), pose));
    }
    system.solve_quasi_static(&to(1e-8), &mut contact).expect("equilibrium");
    let wrenches = contact.wrenches(&system.x);
    let ei = YOUNG * WIDTH * THICKNESS.powi(3) / 12.0;
    let force = 0.5 * (wrenches[0].force - wrenches[1].force).x.abs();
    table.relative(
        "V13",
        "F D²/EI",
        number(&expected["F_times_D2_over_EI"]),
        force * DISTANCE.powi(2) / ei,
        0.05,
    );
    // Curvature at the apex: of the circle through three points of the middle surface.
    let span = LENGTH / 60.0;
    let at = |along: f64| system.x[nearest(&rest, Vector3::new(along, 0.5 * WIDTH, 0.0))];
    let (before, apex, after) = (at(-span), at(0.0), at(span));
    let (a, b, c) = ((apex - before).norm(), (after - apex).norm(), (after - before).norm());
    let area = (apex - before).cross(&(after - before)).norm();
    let curvature = 2.0 * area / (a * b * c);
    table.relative(
        "V13",
        "maximum curvature times D",
        number(&expected["kappa_max_times_D"]),
        curvature * DISTANCE,
        0.05,
    );
}

/// Derivatives and balance of the energy of contact between two shaken blocks that overlap.
pub(crate) fn derivatives(_: &Value, table: &mut Table) {
    const STEP: f64 = 1e-6;
    let sizes = [Vector3::repeat(1.0), Vector3::new(0.8, 0.7, 1.0)];
    let meshes = [kuhn([2, 2, 2], sizes[0]), kuhn([2, 2, 1], sizes[1])];
    let material = Material::new(Constitutive::Linear, 1000.0, 1e6, 0.0).expect("a material");
    let elements = |mesh| Elements::new(mesh, material, ElementKind::Linear).expect("elements");
    let mut system = SoftSystem::new(meshes.iter().map(elements).collect(), 0);
    system.transform(1, &Isometry3::translation(0.15, 0.13, 0.83));
    let (mut x, mut noise) = (system.x.clone(), Noise(7));
    for x in x.iter_mut().flat_map(|x| x.iter_mut()) {
        *x += 0.04 * noise.signed();
    }
    let mut contact = contact(&system, &[&meshes[0], &meshes[1]], ContactOptions::default());
    let mut gradient = |x: &[Vector3<f64>]| {
        let mut gradient = vec![Vector3::zeros(); x.len()];
        let energy = contact.linearise(x, &mut gradient, &mut OuterProducts::default());
        (energy, gradient)
    };
    let (_, exact) = gradient(&x);
    let (mut slopes, mut columns) = (Vec::new(), Vec::new());
    for (block, axis) in (0..x.len()).flat_map(|block| [0, 1, 2].map(|axis| (block, axis))) {
        let mut at = |shift: f64| {
            let mut x = x.clone();
            x[block][axis] += shift;
            gradient(&x)
        };
        let (up, down) = (at(STEP), at(-STEP));
        slopes.push((up.0 - down.0) / (2.0 * STEP));
        let column =
            up.1.iter().zip(&down.1).flat_map(|(a, b)| (0..3).map(move |k| (a[k] - b[k]) / (2.0 * STEP)));
        columns.push(column.collect::<Vec<f64>>());
    }
    let largest = exact.iter().map(|g| g.amax()).fold(0.0, f64::max);
    let flat = exact.iter().flat_map(|g| g.iter());
    let error = flat.zip(&slopes).map(|(g, slope)| (g - slope).abs()).fold(0.0, f64::max);
    table.at_most("V15", "gradient against differences, relative", 1e-6, error / largest);
    let hessian = contact.exact_hessian(&x);
    let entries = columns.iter().enumerate().flat_map(|(j, column)| {
        let hessian = &hessian;
        column.iter().enumerate().map(move |(i, value)| (value - hessian[(i, j)]).abs())
    });
    table.at_most(
        "V15",
        "Hessian against differences, relative",
        1e-5,
        entries.fold(0.0, f64::max) / hessian.amax(),
    );
    let size: f64 = exact.iter().map(|g| g.norm()).sum();
    let force = exact.iter().sum::<Vector3<f64>>().norm() / size;
    let torque = x.iter().zip(&exact).map(|(x, g)| x.cross(g)).sum::<Vector3<f64>>().norm() / size;
    table.at_most("V15", "sum of forces, relative", 1e-10, force);
    table.at_most("V15", "sum of torques, relative", 1e-10, torque);
}
