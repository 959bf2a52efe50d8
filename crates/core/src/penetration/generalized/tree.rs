//! Kinematic tree of a movable model, preprocessed for descents: forward kinematics and the Jacobian structure of each link.

use nalgebra::{Isometry3, Point3, Translation3, Unit, UnitQuaternion, Vector3};

use super::movable::{Base, MovableModel};
use crate::kinematics::articulation::joint::JointKind;

/// A joint between a link and its parent.
#[derive(Debug, Clone)]
struct TreeJoint {
    link: usize,
    parent: usize,
    origin: Isometry3<f64>,
    kind: JointKind,
    /// Index of the generalized coordinate q, factor and offset: the joint value is factor·q + offset.
    value: Option<(usize, f64, f64)>,
}

/// A column of the Jacobian of a link: a joint on its path to the root with the variable that moves it [Tang14 eq. 22].
#[derive(Debug, Clone, Copy)]
pub(super) struct JacobianColumn {
    /// Index of the joint among those of all movable models.
    pub(super) slot: usize,
    pub(super) variable: usize,
    /// Derivative of the joint value by the generalized coordinate.
    pub(super) factor: f64,
    pub(super) is_revolute: bool,
}

/// Kinematic tree of a movable model, preprocessed for descents.
#[derive(Debug, Clone)]
pub(crate) struct KinematicTree {
    root: usize,
    links: usize,
    joints: Vec<TreeJoint>,
    /// Slot of the first joint.
    pub(super) first_slot: usize,
    /// Jacobian columns of each link from the root on, without those of the base.
    pub(super) jacobian_columns: Vec<Vec<JacobianColumn>>,
    /// Index of the first of the six variables of a floating base.
    pub(super) base: Option<usize>,
    /// Index of the first variable of a joint.
    pub(super) first: usize,
    /// Generalized coordinates that are variables.
    pub(super) coordinates: Vec<usize>,
    /// Whether each of them belongs to a revolute joint.
    pub(super) is_revolute: Vec<bool>,
}

impl KinematicTree {
    /// Builds the tree of a movable model; its variables and joints are numbered from the given counters on, which advance.
    pub(crate) fn new(movable: &MovableModel, variables: &mut usize, slots: &mut usize) -> Self {
        let articulation = movable.articulation();
        let base = (movable.base() == Base::Floating).then_some(*variables);
        *variables += if base.is_some() { 6 } else { 0 };
        // A coordinate that moves no shape and no constraint has neither a gradient nor a weight in σ, so it is not a variable.
        let matters = moves_something(movable);
        let coordinates: Vec<usize> =
            (0..movable.fixed().len()).filter(|&at| !movable.fixed()[at] && matters[at]).collect();
        let is_revolute = |&at: &usize| {
            matches!(articulation.joints()[articulation.coordinates()[at]].kind, JointKind::Revolute { .. })
        };
        let mut tree = Self {
            root: articulation.parents_first()[0],
            links: articulation.links().len(),
            joints: Vec::new(),
            first_slot: *slots,
            jacobian_columns: vec![Vec::new(); articulation.links().len()],
            base,
            first: *variables,
            is_revolute: coordinates.iter().map(is_revolute).collect(),
            coordinates,
        };
        *variables += tree.coordinates.len();
        for &link in &articulation.parents_first()[1..] {
            let (Some(joint), Some(parent)) = (articulation.parent_joint(link), articulation.parent(link))
            else {
                continue;
            };
            let Some(of_joint) = articulation.joints().get(joint) else { continue };
            let value = articulation.dependence(joint);
            let mut jacobian_columns = tree.jacobian_columns[parent].clone();
            // A joint that mimics another one shares its variable, scaled by the factor.
            let variable = value.and_then(|(at, ..)| tree.coordinates.iter().position(|&c| c == at));
            if let (Some((_, factor, _)), Some(variable)) = (value, variable) {
                let is_revolute = matches!(of_joint.kind, JointKind::Revolute { .. });
                jacobian_columns.push(JacobianColumn {
                    slot: *slots,
                    variable: tree.first + variable,
                    factor,
                    is_revolute,
                });
            }
            tree.jacobian_columns[link] = jacobian_columns;
            let (origin, kind) = (of_joint.origin, of_joint.kind);
            tree.joints.push(TreeJoint { link, parent, origin, kind, value });
            *slots += 1;
        }
        tree
    }

    /// The tree scaled about an anchor: joints at the anchor about a point of it [m, link frame], those on the path to it not
    /// at all, all other offsets about their links' origins.
    pub(super) fn scaled(&self, scale: f64, anchor: usize, center: &Point3<f64>) -> Self {
        let above =
            |link: &usize| self.joints.iter().find(|joint| joint.link == *link).map(|joint| joint.parent);
        let path: Vec<usize> = std::iter::successors(Some(anchor), above).collect();
        let mut scaled = self.clone();
        for joint in &mut scaled.joints {
            let offset = &mut joint.origin.translation.vector;
            if joint.parent == anchor {
                *offset = center.coords + (*offset - center.coords) * scale;
            } else if !path.contains(&joint.parent) {
                *offset *= scale;
            }
        }
        scaled
    }

    /// The first joint on the path from the root of a fixed base to a link that moves, as its slot, and the maximum distance [m]
    /// of a point of the link [m, link frame] from the origin of that joint; `None` where nothing moves the link, or all of
    /// it without bound.
    pub(super) fn reach(
        &self,
        link: usize,
        point: &Point3<f64>,
        limits: &[[f64; 2]],
    ) -> Option<(usize, f64)> {
        let first = self.jacobian_columns[link].first().filter(|_| self.base.is_none())?.slot;
        let mut reach = point.coords.norm();
        let mut at = link;
        loop {
            let index = self.joints.iter().position(|joint| joint.link == at)?;
            let joint = &self.joints[index];
            if let (JointKind::Prismatic { .. }, Some((coordinate, factor, offset))) =
                (joint.kind, joint.value)
            {
                let [lower, upper] = limits[coordinate].map(|limit| (factor * limit + offset).abs());
                reach += lower.max(upper);
            }
            if self.first_slot + index == first {
                return reach.is_finite().then_some((first, reach));
            }
            reach += joint.origin.translation.vector.norm();
            at = joint.parent;
        }
    }

    /// Number of variables.
    pub(super) fn dimension(&self) -> usize {
        self.coordinates.len() + if self.base.is_some() { 6 } else { 0 }
    }

    /// Computes the poses of all links and the axes of all joints, from the pose of the base and the values of the coordinates.
    pub(super) fn place(
        &self,
        base: &Isometry3<f64>,
        value: impl Fn(usize) -> f64,
        (links, axes): (&mut Vec<Isometry3<f64>>, &mut Vec<[Vector3<f64>; 2]>),
    ) {
        links.clear();
        links.resize(self.links, *base);
        links[self.root] = *base;
        for joint_of_link in &self.joints {
            let value =
                joint_of_link.value.map_or(0.0, |(number, factor, offset)| factor * value(number) + offset);
            let joint = links[joint_of_link.parent] * joint_of_link.origin;
            let origin = joint.translation.vector;
            let (pose, axis) = match joint_of_link.kind {
                JointKind::Fixed => (joint, Vector3::zeros()),
                JointKind::Revolute { axis } => {
                    let rotation = UnitQuaternion::from_axis_angle(&Unit::new_unchecked(axis), value);
                    (joint * rotation, joint.rotation * axis)
                }
                JointKind::Prismatic { axis } => {
                    (joint * Translation3::from(axis * value), joint.rotation * axis)
                }
            };
            links[joint_of_link.link] = pose;
            // Fixed joints have a zero axis, so that slots match joints.
            axes.push([axis, origin]);
        }
    }
}

/// Whether each generalized coordinate moves a link with a shape or a frame of a constraint.
fn moves_something(movable: &MovableModel) -> Vec<bool> {
    let articulation = movable.articulation();
    let mut matters = vec![false; movable.fixed().len()];
    for link in (0..articulation.links().len()).filter(|&link| movable.matters(link)) {
        for link in std::iter::successors(Some(link), |&link| articulation.parent(link)) {
            let number = articulation.parent_joint(link).and_then(|joint| articulation.dependence(joint));
            if let Some((at, ..)) = number {
                matters[at] = true;
            }
        }
    }
    matters
}
