//! A tree of free poses, each joined to its parent by a segment that is proved free.

use super::retraction::Retraction;
use super::segment::Segment;
use super::space::Space;
use super::sweep::Sweeper;
use super::types::PlanError;
use crate::penetration::generalized::pose::Pose;
use crate::penetration::object_norm::metric::{JointWeight, Metric};

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

    /// Goes from a node straight towards a pose, with a node after every step. Where something is in the way and the
    /// walk retracts, it goes on along it: the next step is moved to the nearest free pose, as long as that comes nearer.
    pub(super) fn extend(
        &mut self,
        from: usize,
        to: &Pose,
        walk: &Walk<'_>,
        sweeper: &mut Sweeper<'_>,
    ) -> Result<Extension, PlanError> {
        let towards = walk.space.metric(to)?;
        let mut at = from;
        for _ in 0..walk.most {
            let (step, is_last) = walk.step_towards(self.pose(at), to)?;
            let (reached, is_free) = self.step(at, &step, walk, sweeper)?;
            at = reached;
            if is_free && is_last {
                return Ok(Extension::Reached(at));
            }
            if !is_free {
                let Some(slid) = self.slide(at, &step, (walk, &towards), sweeper)? else { break };
                at = slid;
            }
        }
        Ok(if at == from { Extension::Trapped } else { Extension::Blocked(at) })
    }

    /// Goes a step from a node, or as much of it as is free: the node that is reached, and whether it is the whole step.
    fn step(
        &mut self,
        at: usize,
        step: &Pose,
        walk: &Walk<'_>,
        sweeper: &mut Sweeper<'_>,
    ) -> Result<(usize, bool), PlanError> {
        let here = self.pose(at).clone();
        let segment = Segment::new(&here, step, walk.space.arrangement.obstacles());
        let free = sweeper.free_until(&segment)?;
        let metric = walk.space.metric(&here)?;
        if free >= 1.0 {
            return Ok((self.add(step.clone(), at, &metric), true));
        }
        let reached = segment.at(free * walk.retreat);
        let gained = metric.sigma(&reached.joints, &reached.base).sqrt();
        Ok((if gained > walk.least { self.add(reached, at, &metric) } else { at }, false))
    }

    /// A node along what is in the way of a step: free, and nearer to the goal of the metric.
    fn slide(
        &mut self,
        at: usize,
        step: &Pose,
        (walk, towards): (&Walk<'_>, &Metric),
        sweeper: &mut Sweeper<'_>,
    ) -> Result<Option<usize>, PlanError> {
        let Some(retraction) = &walk.retraction else { return Ok(None) };
        let here = self.pose(at).clone();
        let obstacles = walk.space.arrangement.obstacles();
        let before = towards.sigma(&here.joints, &here.base);
        for share in SLIDES {
            let beyond = Segment::new(&here, step, obstacles).at(share);
            let Some(slid) = retraction.nearest_free(walk.space.arrangement, &beyond, &here) else {
                continue;
            };
            if !(towards.sigma(&slid.joints, &slid.base) < NEARER * before) {
                continue;
            }
            if sweeper.free_until(&Segment::new(&here, &slid, obstacles))? >= 1.0 {
                let metric = walk.space.metric(&here)?;
                return Ok(Some(self.add(slid, at, &metric)));
            }
        }
        Ok(None)
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

/// Shares of a step that is in the way of something at which a free pose nearby is looked for.
const SLIDES: [f64; 2] = [1.0, 0.3];
/// Share of σ to the goal that must be undercut to go on along something.
const NEARER: f64 = 0.995;

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
    /// How poses that overlap are moved to free ones, if they are.
    pub(super) retraction: Option<Retraction>,
}

impl Walk<'_> {
    /// The pose a step from one towards another, and whether it is the other.
    fn step_towards(&self, from: &Pose, to: &Pose) -> Result<(Pose, bool), PlanError> {
        let length = self.space.distance(from, to)?;
        if length > self.step {
            let whole = Segment::new(from, to, self.space.arrangement.obstacles());
            return Ok((whole.at(self.step / length), false));
        }
        Ok((to.clone(), true))
    }
}

fn embed(metric: &Metric, pose: &Pose) -> Vec<[f64; 2]> {
    let place = |joint: &JointWeight| {
        let value = joint.factor * pose.joints[joint.coordinate];
        if joint.turns { [value.cos(), value.sin()] } else { [value, 0.0] }
    };
    metric.joints().iter().map(place).collect()
}
