//! Dynamics of multibodies against closed forms, finite differences and dense matrices.

use nalgebra::{DMatrix, DVector, Isometry3, Matrix3, UnitQuaternion, Vector3};

use super::factor::{Factor, SolveBuffer, UnitForce};
use super::inverse::Recursion;
use super::joint::JointModel;
use super::model::{LinkModel, Multibody};
use super::placement::Placement;
use super::spatial::SpatialVector;
use extricate_test_support::Noise;

const GRAVITY: Vector3<f64> = Vector3::new(0.3, -0.2, -9.81);

fn inertia(noise: &mut Noise) -> Matrix3<f64> {
    let rotation = noise.pose(1.0, 3.0).rotation.to_rotation_matrix();
    let moments = Vector3::new(0.3, 0.4, 0.5) + noise.vector() * 0.1;
    rotation.matrix() * Matrix3::from_diagonal(&moments) * rotation.matrix().transpose()
}

/// A tree with all kinds of joints.
fn tree(noise: &mut Noise, count: usize) -> Multibody {
    let mut tree = Multibody::new();
    for index in 0..count {
        let axis = noise.vector().normalize();
        let joint = match index % 7 {
            0 => JointModel::Floating,
            1 | 4 => JointModel::Revolute { axis },
            2 => JointModel::Spherical,
            3 => JointModel::Prismatic { axis },
            5 => JointModel::Planar,
            _ => JointModel::Screw { axis, pitch: 0.2 },
        };
        let parent = (index > 0).then(|| if index % 4 == 0 { index / 2 } else { index - 1 });
        tree.add(LinkModel {
            parent,
            origin: noise.pose(0.5, 1.0),
            joint,
            mass: 1.5 + noise.next(),
            center: noise.vector() * 0.3,
            inertia: inertia(noise),
            armature: 0.05,
        });
    }
    tree
}

fn numbers(noise: &mut Noise, count: usize) -> Vec<f64> {
    (0..count).map(|_| noise.next()).collect()
}

fn random_configuration(tree: &Multibody, noise: &mut Noise) -> Vec<f64> {
    let mut q = tree.identity();
    let v = numbers(noise, tree.freedoms());
    tree.advance(&mut q, &v, 1.0);
    q
}

fn placed(tree: &Multibody, q: &[f64]) -> Placement {
    let mut placement = Placement::default();
    tree.place(&Isometry3::identity(), q, &mut placement);
    placement
}

fn energy(tree: &Multibody, q: &[f64], v: &[f64]) -> f64 {
    let (placement, mut motions) = (placed(tree, q), Vec::new());
    tree.velocities(&placement, v, &mut motions);
    let height =
        tree.links().iter().zip(placement.poses()).map(|(link, pose)| {
            link.mass * GRAVITY.dot(&(pose * nalgebra::Point3::from(link.center)).coords)
        });
    tree.kinetic_energy(&placement, &motions, v) - height.sum::<f64>()
}

#[test]
fn velocities_are_the_rates_of_the_poses() {
    let mut noise = Noise(3);
    let tree = tree(&mut noise, 16);
    let (q, v) = (random_configuration(&tree, &mut noise), numbers(&mut noise, tree.freedoms()));
    let mut motions = Vec::new();
    tree.velocities(&placed(&tree, &q), &v, &mut motions);
    let h = 1e-6;
    let moved = |h: f64| {
        let mut q = q.clone();
        tree.advance(&mut q, &v, h);
        placed(&tree, &q).poses().to_vec()
    };
    for ((before, after), motion) in moved(-h).iter().zip(moved(h)).zip(&motions) {
        let linear = (after.translation.vector - before.translation.vector) / (2.0 * h);
        let angular = (after.rotation * before.rotation.inverse()).scaled_axis() / (2.0 * h);
        assert!((linear - motion.linear).norm() < 1e-8 && (angular - motion.angular).norm() < 1e-8);
    }
}

#[test]
fn the_mass_matrix_is_that_of_the_kinetic_energy_and_of_newton_euler() {
    let mut noise = Noise(5);
    for count in [1, 2, 6, 20] {
        let tree = tree(&mut noise, count);
        let placement = placed(&tree, &random_configuration(&tree, &mut noise));
        let matrix = tree.mass_matrix(&placement);
        let v = DVector::from_vec(numbers(&mut noise, tree.freedoms()));
        let mut motions = Vec::new();
        tree.velocities(&placement, v.as_slice(), &mut motions);
        let kinetic = tree.kinetic_energy(&placement, &motions, v.as_slice());
        assert!((0.5 * (v.transpose() * &matrix * &v)[0] - kinetic).abs() < 1e-12 * kinetic);
        let still = vec![0.0; v.len()];
        let mut forces = still.clone();
        let mut recursion = Recursion::default();
        tree.inverse_dynamics(
            &placement,
            [&still, v.as_slice()],
            (&Vector3::zeros(), &[]),
            &mut recursion,
            &mut forces,
        );
        let exact = &matrix * &v;
        assert!((DVector::from_vec(forces) - &exact).amax() < 1e-12 * exact.amax(), "{count}");
    }
}

#[test]
fn articulated_bodies_solve_the_equations_of_newton_euler() {
    let mut noise = Noise(7);
    for count in [1, 2, 7, 30] {
        let tree = tree(&mut noise, count);
        let placement = placed(&tree, &random_configuration(&tree, &mut noise));
        let n = tree.freedoms();
        let [v, tau, added] = [0; 3].map(|_| numbers(&mut noise, n));
        let added: Vec<f64> = added.iter().map(|number| number.abs()).collect();
        let external: Vec<SpatialVector> =
            (0..count).map(|_| SpatialVector::new(noise.vector(), noise.vector())).collect();
        let mut factor = Factor::default();
        factor.update(&tree, &placement, &added);
        let (mut recursion, mut buffer, mut rates) =
            (Recursion::default(), SolveBuffer::default(), vec![0.0; n]);
        factor.forward_dynamics(
            (&tree, &placement),
            (&v, &mut recursion),
            (&tau, &external),
            (&GRAVITY, &mut buffer),
            &mut rates,
        );
        let mut forces = vec![0.0; n];
        tree.inverse_dynamics(&placement, [&v, &rates], (&GRAVITY, &external), &mut recursion, &mut forces);
        let largest = rates.iter().fold(1.0_f64, |largest, rate| largest.max(rate.abs()));
        for at in 0..n {
            // The added diagonal is an inertia of the coordinate.
            let residual = forces[at] + added[at] * rates[at] - tau[at];
            assert!(residual.abs() < 1e-10 * largest, "{count} {at}: {residual}");
        }
        // Impulses: against the dense matrix.
        let dense = tree.mass_matrix(&placement) + DMatrix::from_diagonal(&DVector::from_vec(added));
        factor.solve(&tree, &placement, (&tau, &[]), &mut buffer, &mut rates);
        let exact = dense.cholesky().unwrap().solve(&DVector::from_vec(tau));
        assert!((DVector::from_vec(rates) - &exact).amax() < 1e-10 * exact.amax().max(1.0));
    }
}

#[test]
fn power_of_the_joints_is_the_rate_of_the_energy() {
    let mut noise = Noise(9);
    let tree = tree(&mut noise, 21);
    let n = tree.freedoms();
    let q = random_configuration(&tree, &mut noise);
    let [v, rates] = [0; 2].map(|_| numbers(&mut noise, n));
    let mut forces = vec![0.0; n];
    let mut recursion = Recursion::default();
    tree.inverse_dynamics(&placed(&tree, &q), [&v, &rates], (&GRAVITY, &[]), &mut recursion, &mut forces);
    let power: f64 = forces.iter().zip(&v).map(|(force, speed)| force * speed).sum();
    let h = 1e-5;
    let after = |h: f64| {
        let mut q = q.clone();
        tree.advance(&mut q, &v, h);
        let v: Vec<f64> = v.iter().zip(&rates).map(|(v, rate)| v + h * rate).collect();
        energy(&tree, &q, &v)
    };
    let exact = (after(h) - after(-h)) / (2.0 * h);
    assert!((power - exact).abs() < 1e-6 * exact.abs().max(1.0), "{power} {exact}");
}

#[test]
fn joints_return_the_coordinates_of_their_transforms() {
    let mut noise = Noise(13);
    let axis = noise.vector().normalize();
    let joints = [
        JointModel::Revolute { axis },
        JointModel::Prismatic { axis },
        JointModel::Screw { axis, pitch: -0.3 },
        JointModel::Planar,
        JointModel::Spherical,
        JointModel::Floating,
    ];
    for joint in joints {
        let mut q = vec![0.0; joint.coordinates()];
        joint.set_identity(&mut q);
        joint.advance(&mut q, &numbers(&mut noise, joint.freedoms()), 1.2);
        let mut again = vec![9.0; q.len()];
        joint.set_transform(&joint.transform(&q), &mut again);
        assert!(q.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-14), "{joint:?} {q:?} {again:?}");
    }
}

#[test]
fn a_heavy_top_precesses_as_its_equation_says() {
    // Steady precession at angle θ: I₃ ω₃ Ω − I₁ Ω² cos θ = m g l, Ω about the vertical.
    let (mass, length, spin, tilt) = (2.0_f64, 0.1, 150.0, 0.5_f64);
    let moments = Vector3::new(0.004, 0.004, 0.006);
    let about = moments.x + mass * length * length;
    let mut top = Multibody::new();
    top.add(LinkModel {
        parent: None,
        origin: Isometry3::identity(),
        joint: JointModel::Spherical,
        mass,
        center: Vector3::z() * length,
        inertia: Matrix3::from_diagonal(&moments),
        armature: 0.0,
    });
    // ω₃ is the spin about the axis; the smaller root for Ω.
    let (a, b, c) = (about * tilt.cos(), -moments.z * spin, mass * 9.81 * length);
    let precession = (-b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
    let mut q = top.identity();
    let tilted = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), tilt);
    JointModel::Spherical.set_transform(&(tilted * Isometry3::identity()), &mut q);
    let axis = tilted * Vector3::z();
    let v = Vector3::z() * precession + axis * (spin - precession * tilt.cos());
    let mut factor = Factor::default();
    let placement = placed(&top, &q);
    factor.update(&top, &placement, &[0.0; 3]);
    let mut rates = [0.0; 3];
    factor.forward_dynamics(
        (&top, &placement),
        (v.as_slice(), &mut Recursion::default()),
        (&[0.0; 3], &[]),
        (&(Vector3::z() * -9.81), &mut SolveBuffer::default()),
        &mut rates,
    );
    // The spin vector rotates with the axis.
    let exact = (Vector3::z() * precession).cross(&(axis * (spin - precession * tilt.cos())));
    assert!((Vector3::from(rates) - exact).norm() < 1e-9 * exact.norm(), "{rates:?} {exact:?}");
}

#[test]
fn responses_are_scalar_products_of_coordinates() {
    let mut noise = Noise(23);
    for count in [1, 3, 9, 30] {
        let tree = tree(&mut noise, count);
        let placement = placed(&tree, &random_configuration(&tree, &mut noise));
        let freedoms = tree.freedoms();
        let added: Vec<f64> = numbers(&mut noise, freedoms).iter().map(|d| d * d).collect();
        let mut factor = Factor::default();
        factor.update(&tree, &placement, &added);
        let dense = tree.mass_matrix(&placement) + DMatrix::from_diagonal(&DVector::from_vec(added));
        let inverse = dense.try_inverse().unwrap();
        let (mut forces, mut coordinates) = (Vec::new(), Vec::new());
        for at in 0..freedoms {
            let link = (7 * at + 3) % count;
            let wrench = SpatialVector::new(noise.vector(), noise.vector());
            let mut wrenches = vec![SpatialVector::ZERO; count];
            wrenches[link] = wrench;
            let mut on_joints = vec![0.0; freedoms];
            tree.transmit(&placement, &mut wrenches, &mut on_joints);
            let mut on_joint = vec![0.0; freedoms];
            on_joint[at] = 1.0;
            for (force, unit) in
                [(on_joints, UnitForce::Wrench(link, wrench)), (on_joint, UnitForce::Joint(at))]
            {
                let mut z = vec![0.0; freedoms];
                factor.coordinates((&tree, &placement), &unit, &mut z);
                forces.push(DVector::from_vec(force));
                coordinates.push(DVector::from_vec(z));
            }
        }
        let scale = inverse.amax();
        for (a, z) in forces.iter().zip(&coordinates) {
            for (b, w) in forces.iter().zip(&coordinates) {
                let exact = (a.transpose() * &inverse * b)[0];
                let bound = 1e-12 * scale * a.norm() * b.norm();
                assert!((z.dot(w) - exact).abs() <= bound, "{count}: {} {exact}", z.dot(w));
            }
        }
    }
}

#[test]
fn velocities_lead_from_a_configuration_to_another() {
    let mut noise = Noise(29);
    let tree = tree(&mut noise, 14);
    let q = random_configuration(&tree, &mut noise);
    // Up to two rotations in the time.
    let v: Vec<f64> = numbers(&mut noise, tree.freedoms()).iter().map(|v| 20.0 * v).collect();
    let mut moved = q.clone();
    tree.advance(&mut moved, &v, 0.4);
    let mut found: Vec<f64> = v.iter().map(|v| v * 1.02).collect();
    tree.lead([&q, &moved], 0.4, &mut found);
    assert!(v.iter().zip(&found).all(|(v, found)| (v - found).abs() < 1e-12), "{v:?} {found:?}");
}
