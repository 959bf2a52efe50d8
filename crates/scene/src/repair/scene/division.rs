//! Division of a scene into actors, obstacles, and joints between them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::linkage::Group;
use super::source::{ActorSource, Ties};
use crate::repair::freedom::Freedom;
use crate::scene::Scene;
use extricate_dynamics::{BodyKind, JointKind};

/// Division of a scene into actors and obstacles.
#[derive(Debug, Default)]
pub(super) struct Division {
    pub(super) sources: Vec<ActorSource>,
    /// The group of each actor that is an articulation of bodies.
    pub(super) groups: BTreeMap<usize, Group>,
    pub(super) fixed_bodies: Vec<usize>,
    pub(super) fixed_robots: Vec<usize>,
    pub(super) fixed_soft: Vec<usize>,
    /// Joints that are part of no actor.
    pub(super) closing: Vec<usize>,
}

/// Disjoint sets of numbers, each represented by its smallest one.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// Merges the sets of two numbers.
    fn merge(&mut self, [a, b]: [usize; 2]) {
        let (root, merged) = (self.0[a].min(self.0[b]), self.0[a].max(self.0[b]));
        self.0.iter_mut().filter(|at| **at == merged).for_each(|at| *at = root);
    }
}

impl Division {
    pub(super) fn of(
        scene: &Scene,
        freedom: &Freedom,
        moving: Option<&BTreeSet<String>>,
        ties: Ties,
    ) -> Self {
        match ties {
            Ties::Rigid => Self::rigid(scene, freedom, moving),
            Ties::Articulated => Self::articulated(scene, freedom, moving),
        }
    }

    /// Bodies attached to each other move as one rigid body, and not at all where one of them is fixed; a robot that a joint
    /// attaches to a body is fixed, and so is that body.
    fn rigid(scene: &Scene, freedom: &Freedom, moving: Option<&BTreeSet<String>>) -> Self {
        let index = indices(scene);
        // The group of bodies that joints connect is the smallest index among them.
        let mut sets = Sets::new(scene.bodies.len());
        let (mut tied_bodies, mut tied_robots) = (BTreeSet::new(), BTreeSet::new());
        for joint in &scene.joints {
            let ends = joint.bodies.each_ref().map(|name| index.get(name.as_str()).copied());
            if let [Some(a), Some(b)] = ends {
                sets.merge([a, b]);
                continue;
            }
            // A joint to a link of a robot: the body cannot join the robot's articulation, so that both are fixed.
            tied_bodies.extend(ends.into_iter().flatten());
            let robots = joint.bodies.iter().filter_map(|name| name.split_once('/'));
            tied_robots.extend(robots.map(|(robot, _)| robot.to_owned()));
        }
        let group = sets.0;
        let stays = |body: usize| stays(scene, freedom, body) || tied_bodies.contains(&body);
        let named = |body: usize| moving.is_none_or(|names| names.contains(&scene.bodies[body].name));
        let mut division = Self::default();
        for (robot, description) in scene.robots.iter().enumerate() {
            if tied_robots.contains(&description.name) {
                division.fixed_robots.push(robot);
            } else {
                division.sources.push(ActorSource::Robot(robot));
            }
        }
        for first in (0..scene.bodies.len()).filter(|&body| group[body] == body) {
            let members: Vec<_> = (first..scene.bodies.len()).filter(|&body| group[body] == first).collect();
            // One fixed member fixes the group; one named member suffices to move it.
            let moves = !members.iter().any(|&body| stays(body)) && members.iter().any(|&body| named(body));
            if moves {
                division.sources.push(ActorSource::Bodies(members));
            } else {
                division.fixed_bodies.extend(members);
            }
        }
        division.add_soft(scene, freedom, moving);
        division
    }

    /// Bodies attached to each other are links of an articulation; all other joints are constraints. Soft bodies move rigidly where nothing
    /// holds one of their nodes.
    fn articulated(scene: &Scene, freedom: &Freedom, moving: Option<&BTreeSet<String>>) -> Self {
        let still = still(scene, freedom);
        let moves = coupled(scene, &still, moving);
        let is_member = |body: usize| !still[body] && moves[body];
        let index = indices(scene);
        let ground = scene.bodies.len();
        let mut division = Self {
            sources: (0..scene.robots.len()).map(ActorSource::Robot).collect(),
            fixed_bodies: (0..ground).filter(|&body| !is_member(body)).collect(),
            ..Self::default()
        };
        let mut groups = Sets::new(ground);
        // The ground is one more node. Joints to links of robots, and ropes, are not part of a tree.
        let mut edges: Vec<(usize, [usize; 2])> = Vec::new();
        for (joint, description) in scene.joints.iter().enumerate() {
            let node = |name: &String| {
                index.get(name.as_str()).map(|&body| if is_member(body) { body } else { ground })
            };
            match description.bodies.each_ref().map(node) {
                [Some(a), Some(b)] if a == ground && b == ground => {}
                [Some(a), Some(b)] if !matches!(description.kind, JointKind::Rope { .. }) => {
                    edges.push((joint, [a, b]));
                    if a < ground && b < ground {
                        groups.merge([a, b]);
                    }
                }
                _ => division.closing.push(joint),
            }
        }
        let trees = spanning_trees(&mut edges, ground);
        // What is left closes loops.
        division.closing.extend(edges.iter().map(|(joint, _)| *joint));
        division.closing.sort_unstable();
        for first in (0..ground).filter(|&body| groups.0[body] == body && is_member(body)) {
            let members: Vec<_> = (first..ground).filter(|&body| groups.0[body] == first).collect();
            let of_group = |(_, ends): &&(usize, [usize; 2])| ends.iter().any(|end| members.contains(end));
            let own: Vec<&(usize, [usize; 2])> = trees.iter().filter(of_group).collect();
            let is_grounded = own.iter().any(|(_, ends)| ends.contains(&ground));
            let tree: Vec<usize> = own.iter().map(|(joint, _)| *joint).collect();
            let is_rigid = tree.iter().all(|&joint| scene.joints[joint].kind == JointKind::Fixed);
            if !is_grounded && is_rigid {
                division.sources.push(ActorSource::Bodies(members));
                continue;
            }
            division.groups.insert(division.sources.len(), Group { members, tree, is_grounded });
            division.sources.push(ActorSource::Linkage(Vec::new()));
        }
        division.add_soft(scene, freedom, moving);
        division
    }

    /// Adds soft bodies: those that neither handles nor other bodies hold move rigidly.
    fn add_soft(&mut self, scene: &Scene, freedom: &Freedom, moving: Option<&BTreeSet<String>>) {
        for (index, body) in scene.soft_bodies.iter().enumerate() {
            let is_free = body.handles.is_empty() && body.attachments.is_empty();
            let is_named = moving.is_none_or(|names| names.contains(&body.name));
            if is_free && is_named && !freedom.fixed.contains(&body.name) {
                self.sources.push(ActorSource::Soft(index));
            } else {
                self.fixed_soft.push(index);
            }
        }
    }
}

/// Takes the edges of spanning trees out of those of a graph, breadth first from the ground and then from the first node that is left:
/// short chains have an object norm nearer to the displacement of the bodies.
fn spanning_trees(edges: &mut Vec<(usize, [usize; 2])>, ground: usize) -> Vec<(usize, [usize; 2])> {
    let (mut trees, mut reached) = (Vec::new(), vec![false; ground + 1]);
    for root in std::iter::once(ground).chain(0..ground) {
        if std::mem::replace(&mut reached[root], true) {
            continue;
        }
        let mut open = VecDeque::from([root]);
        while let Some(node) = open.pop_front() {
            edges.retain(|&(joint, ends)| {
                let other = if ends[0] == node { ends[1] } else { ends[0] };
                let is_new = ends.contains(&node) && !reached[other];
                if is_new {
                    reached[other] = true;
                    open.push_back(other);
                    trees.push((joint, ends));
                }
                !is_new
            });
        }
    }
    trees
}

fn indices(scene: &Scene) -> BTreeMap<&str, usize> {
    scene.bodies.iter().enumerate().map(|(index, body)| (body.name.as_str(), index)).collect()
}

fn stays(scene: &Scene, freedom: &Freedom, body: usize) -> bool {
    let body = &scene.bodies[body];
    body.kind != BodyKind::Dynamic || freedom.fixed.contains(&body.name)
}

/// Whether each body stays where it is: by itself, or because fixed joints attach it to one that does.
fn still(scene: &Scene, freedom: &Freedom) -> Vec<bool> {
    let index = indices(scene);
    let mut still: Vec<bool> = (0..scene.bodies.len()).map(|body| stays(scene, freedom, body)).collect();
    loop {
        let mut changes = false;
        for joint in scene.joints.iter().filter(|joint| joint.kind == JointKind::Fixed) {
            let ends = joint.bodies.each_ref().map(|name| index.get(name.as_str()).copied());
            if let [Some(a), Some(b)] = ends
                && still[a] != still[b]
            {
                (still[a], still[b], changes) = (true, true, true);
            }
        }
        if !changes {
            return still;
        }
    }
}

/// Whether each body may move: it is named, or joints connect it to one that is or to a robot, through others that are not still.
fn coupled(scene: &Scene, still: &[bool], moving: Option<&BTreeSet<String>>) -> Vec<bool> {
    let index = indices(scene);
    let robots = scene.bodies.len();
    // All robots move, and are one node.
    let mut sets = Sets::new(robots + 1);
    for joint in &scene.joints {
        let node = |name: &String| match index.get(name.as_str()) {
            Some(&body) => (!still[body]).then_some(body),
            None => Some(robots),
        };
        if let [Some(a), Some(b)] = joint.bodies.each_ref().map(node) {
            sets.merge([a, b]);
        }
    }
    let is_named = |body: usize| moving.is_none_or(|names| names.contains(&scene.bodies[body].name));
    let mut moves: BTreeSet<usize> =
        (0..robots).filter(|&body| is_named(body)).map(|body| sets.0[body]).collect();
    moves.insert(sets.0[robots]);
    (0..robots).map(|body| moves.contains(&sets.0[body])).collect()
}
