//! The tree of a mover, made ready: where its links are, and what moves each of them.

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::mover::{Base, Mover};
use crate::kinematics::articulation::joint::JointKind;

/// A joint between a link and its parent, as the descent needs it.
#[derive(Debug, Clone)]
struct Step {
    link: usize,
    parent: usize,
    origin: Isometry3<f64>,
    kind: JointKind,
    /// Number of the configuration, factor, offset.
    value: Option<(usize, f64, f64)>,
}

/// How a variable moves a link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lever {
    /// The joint, as all joints of all movers are numbered.
    pub(super) slot: usize,
    pub(super) variable: usize,
    /// Change of the joint's value by that of the variable's number.
    pub(super) factor: f64,
    pub(super) turns: bool,
}

/// The tree of a mover, made ready.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    root: usize,
    links: usize,
    steps: Vec<Step>,
    /// What moves each link, base variables apart.
    pub(super) levers: Vec<Vec<Lever>>,
    /// First of the six variables of a floating base.
    pub(super) base: Option<usize>,
    /// First variable of a joint.
    pub(super) first: usize,
    /// Numbers of the configuration that are variables.
    pub(super) coordinates: Vec<usize>,
    /// Whether each of them turns what hangs on it.
    pub(super) turns: Vec<bool>,
}

impl Tree {
    /// The tree of a mover; its variables and joints are numbered on from those given.
    pub(crate) fn new(mover: &Mover, variables: &mut usize, slots: &mut usize) -> Self {
        let articulation = mover.articulation();
        let base = (mover.base() == Base::Floating).then_some(*variables);
        *variables += if base.is_some() { 6 } else { 0 };
        let matters = moves_something(mover);
        let coordinates: Vec<usize> =
            (0..mover.fixed().len()).filter(|&at| !mover.fixed()[at] && matters[at]).collect();
        let turns = |&at: &usize| {
            matches!(articulation.joints()[articulation.coordinates()[at]].kind, JointKind::Revolute { .. })
        };
        let mut tree = Self {
            root: articulation.parents_first()[0],
            links: articulation.links().len(),
            steps: Vec::new(),
            levers: vec![Vec::new(); articulation.links().len()],
            base,
            first: *variables,
            turns: coordinates.iter().map(turns).collect(),
            coordinates,
        };
        *variables += tree.coordinates.len();
        for &link in &articulation.parents_first()[1..] {
            let (Some(joint), Some(parent)) = (articulation.carrier(link), articulation.parent(link)) else {
                continue;
            };
            let Some(of_joint) = articulation.joints().get(joint) else { continue };
            let value = articulation.dependence(joint);
            let mut levers = tree.levers[parent].clone();
            let variable = value.and_then(|(at, ..)| tree.coordinates.iter().position(|&c| c == at));
            if let (Some((_, factor, _)), Some(variable)) = (value, variable) {
                let turns = matches!(of_joint.kind, JointKind::Revolute { .. });
                levers.push(Lever { slot: *slots, variable: tree.first + variable, factor, turns });
            }
            tree.levers[link] = levers;
            let (origin, kind) = (of_joint.origin, of_joint.kind);
            tree.steps.push(Step { link, parent, origin, kind, value });
            *slots += 1;
        }
        tree
    }

    /// Number of variables.
    pub(super) fn dimension(&self) -> usize {
        self.coordinates.len() + if self.base.is_some() { 6 } else { 0 }
    }

    /// Poses of all links and axes of all joints.
    pub(super) fn place(
        &self,
        base: &Isometry3<f64>,
        value: impl Fn(usize) -> f64,
        (links, axes): (&mut Vec<Isometry3<f64>>, &mut Vec<[Vector3<f64>; 2]>),
    ) {
        links.clear();
        links.resize(self.links, *base);
        links[self.root] = *base;
        for step in &self.steps {
            let value = step.value.map_or(0.0, |(number, factor, offset)| factor * value(number) + offset);
            let joint = links[step.parent] * step.origin;
            let origin = joint.translation.vector;
            let (pose, axis) = match step.kind {
                JointKind::Fixed => (joint, Vector3::zeros()),
                JointKind::Revolute { axis } => {
                    let turn = UnitQuaternion::from_axis_angle(&Unit::new_unchecked(axis), value);
                    (joint * turn, joint.rotation * axis)
                }
                JointKind::Prismatic { axis } => {
                    (joint * Translation3::from(axis * value), joint.rotation * axis)
                }
            };
            links[step.link] = pose;
            axes.push([axis, origin]);
        }
    }
}

/// Whether each number of a configuration moves a link with a shape.
fn moves_something(mover: &Mover) -> Vec<bool> {
    let articulation = mover.articulation();
    let mut matters = vec![false; mover.fixed().len()];
    for link in (0..articulation.links().len()).filter(|&link| mover.shapes()[link].is_some()) {
        for link in std::iter::successors(Some(link), |&link| articulation.parent(link)) {
            let number = articulation.carrier(link).and_then(|joint| articulation.dependence(joint));
            if let Some((at, ..)) = number {
                matters[at] = true;
            }
        }
    }
    matters
}
