//! A bound on the energy of trees whose overlaps are recovered.
//!
//! The displacement of a step recovers overlaps, and the velocity at its end does not. Where deep ones cannot part, as between links that joints press
//! together, the impulses of the recovery and their friction hold in place what the velocity says falls: it would gain the kinetic energy of a fall that
//! does not happen. The trees of such an island keep their motion as one rigid body, with its momenta, and lose as much of the motion relative to that as
//! the energy rose by more than the work of the forces within their joints.

use nalgebra::{Matrix3, Point3, Vector3};

use super::contact::Contact;
use super::islands::Groups;
use super::midpoint::Step;
use super::motion::MovingTree;
use extricate_core::multibody::{JointModel, Placement, SpatialVector};

/// Rise of the energy, as a fraction of the kinetic one, below which it is an error of the step.
const RISE: f64 = 1e-4;

/// A contact after the solves of a step.
pub(super) struct Recovered<'a> {
    pub(super) contact: &'a Contact,
    /// Impulse of the displacement [N·s].
    pub(super) impulse: Vector3<f64>,
    /// Speed of the recovery that was asked for [m/s].
    pub(super) speed: f64,
}

/// Island of trees that contacts connect.
#[derive(Default, Clone)]
struct Island {
    trees: Vec<usize>,
    /// Whether a contact recovers by more in a step than what falls.
    recovers: bool,
    /// Whether something that does not yield bears on it, and whether that or an outside force may do work.
    is_borne: bool,
    is_driven: bool,
}

/// Bounds the velocities at the end of trees whose overlaps were recovered faster than what falls from rest.
pub(super) fn bound(trees: &mut [MovingTree<'_>], contacts: &[Recovered<'_>], step: &Step) {
    let fall = step.h * step.gravity.norm();
    let recovers = |row: &Recovered<'_>| row.speed > fall && row.impulse != Vector3::zeros();
    if !contacts.iter().any(recovers) {
        return;
    }
    let mut groups = Groups::new(trees.len());
    let trees_of = |row: &Recovered<'_>| row.contact.sides.map(|side| side.map(|side| side.tree));
    for row in contacts {
        if let [Some(a), Some(b)] = trees_of(row) {
            groups.join(a, b);
        }
    }
    let mut islands = vec![Island::default(); trees.len()];
    for (index, tree) in trees.iter().enumerate() {
        let island = &mut islands[groups.first(index)];
        island.trees.push(index);
        island.is_borne |= tree
            .multibody
            .links()
            .iter()
            .any(|link| link.parent.is_none() && link.joint != JointModel::Floating);
        island.is_driven |= tree.is_loaded();
    }
    for row in contacts {
        let [a, b] = trees_of(row);
        if let Some(tree) = a.or(b) {
            let island = &mut islands[groups.first(tree)];
            island.recovers |= recovers(row);
            island.is_borne |= a.is_none() || b.is_none();
            island.is_driven |= row.contact.given != Vector3::zeros();
        }
    }
    for island in islands.iter().filter(|island| island.recovers && !island.is_driven) {
        limit(trees, island, step);
    }
}

/// A tree at the end of a step.
struct Ended {
    /// Rise of the energy beyond the work of forces within joints, and kinetic energy [J].
    rise: f64,
    kinetic: f64,
    placement: Placement,
    motions: Vec<SpatialVector>,
}

impl Ended {
    fn new(tree: &MovingTree<'_>, step: &Step) -> Self {
        let (mut placement, mut motions) = (Placement::default(), Vec::new());
        let mut energies = |q: &[f64], v: &[f64]| {
            tree.multibody.place(&tree.base, q, &mut placement);
            tree.multibody.velocities(&placement, v, &mut motions);
            let links = tree.multibody.links().iter().zip(placement.poses());
            let weights = links
                .map(|(link, pose)| link.mass * step.gravity.dot(&(pose * Point3::from(link.center)).coords));
            (tree.multibody.kinetic_energy(&placement, &motions, v), -weights.sum::<f64>())
        };
        let start = energies(&tree.q, &tree.v);
        let mut q = tree.q.clone();
        tree.multibody.advance(&mut q, &tree.mean, step.h);
        let end = energies(&q, &tree.end);
        let rise = (end.0 - start.0) + (end.1 - start.1) - tree.work(step.h);
        Self { rise, kinetic: end.0, placement, motions }
    }
}

/// Takes the energy that an island gained out of its motion, or, where nothing bears it, out of the motion within it.
fn limit(trees: &mut [MovingTree<'_>], island: &Island, step: &Step) {
    let ends: Vec<Ended> = island.trees.iter().map(|&tree| Ended::new(&trees[tree], step)).collect();
    let [rise, kinetic] =
        [|end: &Ended| end.rise, |end: &Ended| end.kinetic].map(|of| ends.iter().map(of).sum::<f64>());
    if !(rise > RISE * kinetic) {
        return;
    }
    let rigid = if island.is_borne { None } else { RigidMotion::of(trees, &island.trees, &ends) };
    let within = kinetic - rigid.as_ref().map_or(0.0, |rigid| rigid.kinetic);
    let fraction = if within > 0.0 { (1.0 - rise / within).max(0.0).sqrt() } else { 1.0 };
    for (&index, end) in island.trees.iter().zip(&ends) {
        let tree = &mut trees[index];
        let mut common = vec![0.0; tree.end.len()];
        if let Some(rigid) = &rigid {
            let origin = end.placement.poses()[0].translation.vector;
            let linear = rigid.linear + rigid.angular.cross(&(origin - rigid.center));
            common[..3].copy_from_slice(linear.as_slice());
            common[3..6].copy_from_slice(rigid.angular.as_slice());
        }
        tree.end.iter_mut().zip(common).for_each(|(v, common)| *v = common + fraction * (*v - common));
    }
}

/// Motion of one rigid body with the mass, the inertia and the momenta of trees.
struct RigidMotion {
    center: Vector3<f64>,
    /// Velocity of the centre of mass [m/s].
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    kinetic: f64,
}

impl RigidMotion {
    fn of(trees: &[MovingTree<'_>], indices: &[usize], ends: &[Ended]) -> Option<Self> {
        let (mut mass, mut moment, mut momentum) = (0.0, Vector3::zeros(), SpatialVector::ZERO);
        let mut parts = Vec::new();
        for (&index, end) in indices.iter().zip(ends) {
            let multibody = &trees[index].multibody;
            for (at, (link, pose)) in multibody.links().iter().zip(end.placement.poses()).enumerate() {
                let center = (pose * Point3::from(link.center)).coords;
                let rotation = pose.rotation.to_rotation_matrix();
                let inertia = rotation.matrix() * link.inertia * rotation.matrix().transpose();
                momentum += multibody.momentum(&end.placement, at, &end.motions[at]).force_from(&center);
                mass += link.mass;
                moment += center * link.mass;
                parts.push((link.mass, center, inertia));
            }
        }
        let center = moment / mass;
        let about = momentum.force_from(&-center);
        let inertia: Matrix3<f64> = parts
            .iter()
            .map(|(mass, at, own)| {
                let arm = at - center;
                own + (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose()) * *mass
            })
            .sum();
        let angular = inertia.try_inverse()? * about.angular;
        let linear = about.linear / mass;
        let kinetic = 0.5 * (mass * linear.norm_squared() + angular.dot(&about.angular));
        Some(Self { center, linear, angular, kinetic })
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use nalgebra::Isometry3;

    use super::super::tests::link;
    use super::*;
    use extricate_core::multibody::{LinkModel, Multibody};

    /// Linear momentum, angular momentum about the origin, and kinetic energy.
    fn momenta(robot: &Multibody, q: &[f64], v: &[f64]) -> (Vector3<f64>, Vector3<f64>, f64) {
        let (mut placement, mut motions) = (Placement::default(), Vec::new());
        robot.place(&Isometry3::identity(), q, &mut placement);
        robot.velocities(&placement, v, &mut motions);
        let mut sum = SpatialVector::ZERO;
        for (at, (link, pose)) in robot.links().iter().zip(placement.poses()).enumerate() {
            let center = (pose * Point3::from(link.center)).coords;
            sum += robot.momentum(&placement, at, &motions[at]).force_from(&center);
        }
        (sum.linear, sum.angular, robot.kinetic_energy(&placement, &motions, v))
    }

    #[test]
    fn an_island_loses_what_it_gained_and_keeps_its_momenta_where_nothing_bears_it() {
        let mut robot = Multibody::new();
        robot.add(link(None, JointModel::Floating, 1.0, Vector3::new(0.1, 0.0, 0.05)));
        let origin = Isometry3::translation(0.2, 0.1, 0.0);
        let arm =
            link(Some(0), JointModel::Prismatic { axis: Vector3::x() }, 0.5, Vector3::new(0.3, 0.0, 0.0));
        robot.add(LinkModel { origin, ..arm });
        let step = Step { gravity: Vector3::zeros(), h: 1.0 / 240.0 };
        let v = [1.0, -2.0, 0.5, 0.3, -0.2, 0.7, 4.0];
        // Factors of all velocities and of that of the joint.
        let cases = [
            (false, [1.0, 1.1]),
            (true, [1.0, 1.1]),
            (true, [3.0, 1.0]),
            (false, [9.0, 0.1]),
            (false, [0.9, 1.0]),
        ];
        for (is_borne, [of_all, of_joint]) in cases {
            let start = robot.identity();
            let mut tree =
                MovingTree::new(Cow::Borrowed(&robot), Isometry3::identity(), start.clone(), v.to_vec());
            let mut q = start.clone();
            robot.advance(&mut q, &tree.mean, step.h);
            tree.end = v.iter().map(|v| of_all * v).collect();
            tree.end[6] *= of_joint;
            let end = tree.end.clone();
            let before = momenta(&robot, &q, &end);
            let allowed = momenta(&robot, &start, &v).2;
            let mut trees = [tree];
            let island = Island { trees: vec![0], recovers: true, is_borne, is_driven: false };
            limit(&mut trees, &island, &step);
            let after = momenta(&robot, &q, &trees[0].end);
            if of_all < 1.0 {
                assert_eq!(trees[0].end, end, "nothing was gained");
                continue;
            }
            let [linear, angular] = [after.0 - before.0, after.1 - before.1].map(|change| change.norm());
            assert_eq!(linear < 1e-12 && angular < 1e-12, !is_borne, "{linear} {angular}");
            if is_borne || of_joint > 1.0 {
                assert!((after.2 - allowed).abs() < 1e-12 * before.2, "{is_borne}: {} {allowed}", after.2);
            } else {
                // The momenta have more energy than is allowed: what is left is the motion of one rigid body.
                assert!(after.2 > allowed && after.2 < before.2);
                assert!(trees[0].end[6].abs() < 1e-12, "{:?}", trees[0].end);
            }
        }
    }
}
