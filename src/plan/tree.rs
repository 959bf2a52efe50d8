//! A tree of free poses, each joined to its parent by a segment that is proved free.

use super::segment::Segment;
use super::space::Space;
use super::{PlanError, sweep::Sweeper};
use crate::penetration::generalized::Pose;
use crate::penetration::object_norm::Metric;

/// A tree of free poses.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

struct Node {
    pose: Pose,
    parent: usize,
    /// (cos, sin) of each joint that turns, or (value, 0) of one that slides; in the order of the metric's joints.
    circle: Vec<[f64; 2]>,
}

/// How far a tree came towards a pose.
pub(super) enum Extension {
    /// All the way: the node is that pose.
    Reached(usize),
    /// As far as this node, then something is in the way.
    Blocked(usize),
    /// Nowhere.
    Trapped,
}

impl Tree {
    pub(super) fn new(root: Pose, metric: &Metric) -> Self {
        let circle = embed(metric, &root);
        Self { nodes: vec![Node { pose: root, parent: 0, circle }] }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn pose(&self, node: usize) -> &Pose {
        &self.nodes[node].pose
    }

    /// The node nearest to a pose by the metric there, and σ [m²] to it.
    pub(super) fn nearest(&self, pose: &Pose, metric: &Metric) -> (usize, f64) {
        let circle = embed(metric, pose);
        let (mut best, mut least) = (0, f64::INFINITY);
        let measure = metric.measure();
        for (index, node) in self.nodes.iter().enumerate() {
            let mut sigma = metric.sigma_of_base(&node.pose.base);
            let limit = least;
            for ((joint, here), there) in metric.joints().iter().zip(&circle).zip(&node.circle) {
                let change =
                    joint.factor * (pose.joints[joint.coordinate] - node.pose.joints[joint.coordinate]);
                // Beyond half a turn the way is no shorter.
                let squared = if joint.turns && change.abs() > std::f64::consts::PI {
                    4.0
                } else {
                    let [x, y] = [here[0] - there[0], here[1] - there[1]];
                    x * x + y * y
                };
                sigma += joint.weight * squared / measure;
                if sigma >= limit {
                    break;
                }
            }
            if sigma < least {
                (best, least) = (index, sigma);
            }
        }
        (best, least)
    }

    /// Goes from a node straight towards a pose until something is in the way, with a node after every `step` [m] of √σ;
    /// no farther than `most` steps.
    pub(super) fn extend(
        &mut self,
        from: usize,
        to: &Pose,
        walk: &Walk<'_>,
        sweeper: &mut Sweeper<'_>,
    ) -> Result<Extension, PlanError> {
        let space = walk.space;
        let obstacles = space.arrangement.obstacles();
        let mut at = from;
        for _ in 0..walk.most {
            let here = self.nodes[at].pose.clone();
            let metric = space.metric(&here)?;
            let length = metric.sigma(&to.joints, &to.base).sqrt();
            let whole = Segment::new(&here, to, obstacles);
            // Long ways back that end near by σ still are long.
            let share = if length > walk.step { walk.step / length } else { 1.0 };
            let target = if share < 1.0 { whole.at(share) } else { to.clone() };
            let segment = Segment::new(&here, &target, obstacles);
            let free = sweeper.free_until(&segment)?;
            if free >= 1.0 {
                at = self.add(target, at, &metric);
                if share >= 1.0 {
                    return Ok(Extension::Reached(at));
                }
                continue;
            }
            let reached = segment.at(free * walk.retreat);
            let gained = metric.sigma(&reached.joints, &reached.base).sqrt();
            if gained > walk.least {
                at = self.add(reached, at, &metric);
            }
            break;
        }
        Ok(if at == from { Extension::Trapped } else { Extension::Blocked(at) })
    }

    fn add(&mut self, pose: Pose, parent: usize, metric: &Metric) -> usize {
        let circle = embed(metric, &pose);
        self.nodes.push(Node { pose, parent, circle });
        self.nodes.len() - 1
    }

    /// The poses from the root to a node.
    pub(super) fn path_to(&self, node: usize) -> Vec<Pose> {
        let (mut path, mut at) = (vec![self.nodes[node].pose.clone()], node);
        while at != 0 {
            at = self.nodes[at].parent;
            path.push(self.nodes[at].pose.clone());
        }
        path.reverse();
        path
    }
}

/// How trees grow.
pub(super) struct Walk<'a> {
    pub(super) space: &'a Space<'a>,
    /// Greatest √σ of a segment [m].
    pub(super) step: f64,
    /// Least √σ of one [m].
    pub(super) least: f64,
    /// Share of the free part of a blocked segment that is gone, so that the next one has room to start.
    pub(super) retreat: f64,
    /// Greatest number of segments at once.
    pub(super) most: usize,
}

fn embed(metric: &Metric, pose: &Pose) -> Vec<[f64; 2]> {
    let place = |joint: &crate::penetration::object_norm::JointWeight| {
        let value = joint.factor * pose.joints[joint.coordinate];
        if joint.turns { [value.cos(), value.sin()] } else { [value, 0.0] }
    };
    metric.joints().iter().map(place).collect()
}
