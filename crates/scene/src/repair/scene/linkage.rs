//! Bodies connected by joints as an articulation, with the joints that close loops as constraints.
//!
//! A spanning tree of the joints becomes the kinematic tree. Bodies that do not move are the fixed root, if there is one; otherwise the
//! first body is a floating one. All other joints close loops.
//!
//! | joint | in the tree | otherwise |
//! |---|---|---|
//! | fixed, revolute, prismatic | the same, along the x axis of its anchors | a closure, and a range of the limits |
//! | spherical | three revolute joints about x, y and z | a closure |
//! | rope | – | a maximum distance |

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{Isometry3, Vector3};

use super::super::ensemble::in_search;
use super::super::error::RepairError;
use super::super::parts::Actor;
use super::actors::{extent_of, mass_of, parts};
use crate::scene::Scene;
use extricate_core::kinematics::{Articulation, Joint, JointKind};
use extricate_core::penetration::generalized::{
    AxisMotion, Base, ConstraintFrame, Lock, MovableModel, Pose, PoseConstraint,
};
use extricate_core::penetration::object_norm::ObjectNorm;
use extricate_core::proximity::AllowedCollisions;
use extricate_dynamics::{JointDescription, JointKind as SceneJoint};

/// Bodies of a scene that are connected by joints, by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// The bodies that move.
    pub(super) members: Vec<usize>,
    /// The joints of the tree.
    pub(super) tree: Vec<usize>,
    /// Whether a body that does not move carries them.
    pub(super) is_grounded: bool,
}

/// An articulation of bodies under construction.
struct Linkage<'a> {
    scene: &'a Scene,
    links: Vec<String>,
    joints: Vec<Joint>,
    link_names: BTreeSet<String>,
    joint_names: BTreeSet<String>,
}

/// Bodies of a scene and the link of each, both by index.
type LinksOfBodies = Vec<(usize, usize)>;

/// The actor of connected bodies, its pose, and the link of each of the bodies.
pub(super) fn actor_of_group(
    scene: &Scene,
    group: &Group,
) -> Result<(Actor, Pose, LinksOfBodies), RepairError> {
    let link_names = scene.bodies.iter().map(|body| body.name.clone()).collect();
    let (links, joints, joint_names) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut linkage = Linkage { scene, links, joints, link_names, joint_names };
    let first = &scene.bodies[group.members[0]];
    let (root, base, pose) = if group.is_grounded {
        (fresh(&mut linkage.link_names, "ground"), Base::Fixed, Isometry3::identity())
    } else {
        (first.name.clone(), Base::Floating, first.pose)
    };
    linkage.links.push(root.clone());
    linkage.grow(group, &root);
    let Linkage { links, joints, .. } = linkage;
    let articulation = Articulation::new(links, joints)?;
    let body_of: BTreeMap<&str, usize> =
        group.members.iter().map(|&body| (scene.bodies[body].name.as_str(), body)).collect();
    let of_link = |name: &String| body_of.get(name.as_str()).map(|&body| &scene.bodies[body]);
    let extents = articulation.links().iter().map(|name| of_link(name).map(extent_of).transpose());
    let norm = ObjectNorm::new(&articulation, extents.collect::<Result<Vec<_>, _>>()?);
    let norm = norm.map_err(|error| in_search(error.into()))?;
    let shapes = articulation.links().iter().map(|name| of_link(name).map(|body| body.shape.searchable()));
    let mut allowed = AllowedCollisions::default();
    let rigid = parts(&articulation);
    // No repair can separate bodies that move as one: their overlaps are ignored.
    for i in 0..rigid.len() {
        (i + 1..rigid.len()).filter(|&j| rigid[i] == rigid[j]).for_each(|j| allowed.allow(i, j));
    }
    let masses = articulation.links().iter().zip(norm.extents());
    let masses = masses.map(|(name, extent)| mass_of(of_link(name)?, extent.as_ref()?)).collect();
    let movable = MovableModel::with_norm(norm, shapes.collect(), allowed, base).with_masses(masses);
    let joints = vec![0.0; articulation.coordinates().len()];
    let places = articulation
        .links()
        .iter()
        .enumerate()
        .filter_map(|(link, name)| Some((*body_of.get(name.as_str())?, link)));
    let places = places.collect();
    Ok((Actor { prefix: String::new(), base: root, movable }, Pose { base: pose, joints }, places))
}

/// A new name, with primes where it is not new.
fn fresh(names: &mut BTreeSet<String>, name: &str) -> String {
    let mut name = name.to_owned();
    while !names.insert(name.clone()) {
        name.push('\'');
    }
    name
}

impl Linkage<'_> {
    /// Adds the bodies of a group from the root on, breadth first.
    fn grow(&mut self, group: &Group, root: &str) {
        let is_member =
            |name: &String| group.members.iter().any(|&body| self.scene.bodies[body].name == *name);
        let node = |name: &String| if is_member(name) { name.clone() } else { root.to_owned() };
        let scene = self.scene;
        let mut open: Vec<(&JointDescription, [String; 2])> = group
            .tree
            .iter()
            .map(|&joint| (&scene.joints[joint], scene.joints[joint].bodies.each_ref().map(node)))
            .collect();
        let mut reached = vec![root.to_owned()];
        let mut next = 0;
        while next < reached.len() {
            let parent = reached[next].clone();
            let (own, rest) = open.into_iter().partition(|(_, ends)| ends.contains(&parent));
            open = rest;
            let own: Vec<(&JointDescription, [String; 2])> = own;
            for (joint, ends) in own {
                let side = usize::from(ends[0] != parent);
                reached.push(ends[1 - side].clone());
                self.connect(joint, side, [&parent, &ends[1 - side]]);
            }
            next += 1;
        }
    }

    /// Adds the joints of a scene joint from the link of its body number `side` to that of the other.
    fn connect(&mut self, joint: &JointDescription, side: usize, [parent, child]: [&str; 2]) {
        let body = self.scene.bodies.iter().find(|body| body.name == joint.bodies[side]);
        // A body that does not move is part of the root, whose frame is that of the world.
        let is_root = parent != joint.bodies[side];
        let of_parent = body.filter(|_| is_root).map_or_else(Isometry3::identity, |body| body.pose);
        let mut origin = of_parent * joint.anchors[side];
        // The joint moves the second body against the first one.
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let along = |k: usize| Vector3::ith(k, sign);
        let revolute = |k: usize| JointKind::Revolute { axis: along(k) };
        let axes: Vec<(String, JointKind, Option<[f64; 2]>)> = match joint.kind {
            SceneJoint::Revolute { limits } => vec![(joint.name.clone(), revolute(0), limits)],
            SceneJoint::Prismatic { limits } => {
                vec![(joint.name.clone(), JointKind::Prismatic { axis: along(0) }, limits)]
            }
            SceneJoint::Spherical => (0..3)
                .map(|k| (format!("{} {}", joint.name, ["x", "y", "z"][k]), revolute(k), None))
                .collect(),
            SceneJoint::Fixed | SceneJoint::Rope { .. } => Vec::new(),
        };
        let mut from = parent.to_owned();
        for (name, kind, limits) in axes {
            let link = fresh(&mut self.link_names, &format!("{name} of {child}"));
            let name = fresh(&mut self.joint_names, &name);
            let own = Joint { limits, ..Joint::new(&name, &from, &link, kind).at(origin) };
            self.joints.push(own);
            self.links.push(link.clone());
            (from, origin) = (link, Isometry3::identity());
        }
        let name = fresh(&mut self.joint_names, &format!("{} to {child}", joint.name));
        let tie = Joint::new(&name, &from, child, JointKind::Fixed);
        self.joints.push(tie.at(origin * joint.anchors[1 - side].inverse()));
        self.links.push(child.to_owned());
    }
}

/// Constraints of a joint that is not part of a tree, between the carriers of its anchors.
pub(super) fn constraints_of(joint: &JointDescription, frames: [ConstraintFrame; 2]) -> Vec<PoseConstraint> {
    let closure = |lock| PoseConstraint::closure(&joint.name, frames, lock);
    let range = |motion, limits: Option<[f64; 2]>| {
        limits
            .map(|limits| PoseConstraint::range(format!("limits of {}", joint.name), frames, motion, limits))
    };
    match joint.kind {
        SceneJoint::Fixed => vec![closure(Lock::FIXED)],
        SceneJoint::Spherical => vec![closure(Lock::SPHERICAL)],
        SceneJoint::Rope { length } => vec![PoseConstraint::max_distance(&joint.name, frames, length)],
        SceneJoint::Revolute { limits } => {
            std::iter::once(closure(Lock::REVOLUTE)).chain(range(AxisMotion::Rotation, limits)).collect()
        }
        SceneJoint::Prismatic { limits } => {
            std::iter::once(closure(Lock::PRISMATIC)).chain(range(AxisMotion::Translation, limits)).collect()
        }
    }
}
