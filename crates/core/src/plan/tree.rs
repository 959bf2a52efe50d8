//! A search tree of free poses, each joined to its parent by a segment that is proved free.

use super::motion_validator::MotionValidator;
use super::retraction::Retraction;
use super::segment::Segment;
use super::space::Space;
use super::types::PlanError;
use crate::penetration::generalized::pose::Pose;
use crate::penetration::object_norm::metric::{JointWeight, Metric};

/// A search tree of free poses.
pub(super) struct SearchTree {
    nodes: Vec<Node>,
}

struct Node {
    pose: Pose,
    parent: usize,
    /// Clearance of the poses to which steps from here are retracted [m].
    gap: f64,
    /// (cos, sin) of each revolute joint, or (value, 0) of a prismatic one; in the order of the metric's joints.
    circle: Vec<[f64; 2]>,
}

/// A tree that grows in a passage between the two others.
pub(super) struct Passage {
    pub(super) tree: SearchTree,
    /// Times that it has grown.
    pub(super) growths: u32,
    /// Nodes at which it meets the trees of the start and of the goal: its node, and that of the other.
    pub(super) links: [Option<[usize; 2]>; 2],
}

/// Outcome of extending a tree towards a pose [Kuffner and LaValle 2000].
pub(super) enum Extension {
    /// The tree has reached the pose: it is this node.
    Reached(usize),
    /// The tree has advanced to this node, where an obstacle blocks it.
    Advanced(usize),
    /// The tree has not advanced.
    Trapped,
}

impl SearchTree {
    /// A tree of one pose, with the clearance [m] of retracted steps from there.
    pub(super) fn new(root: Pose, gap: f64, metric: &Metric) -> Self {
        let circle = embed(metric, &root);
        Self { nodes: vec![Node { pose: root, parent: 0, gap, circle }] }
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
        let (mut best, mut min) = (0, f64::INFINITY);
        let measure = metric.measure();
        for (index, node) in self.nodes.iter().enumerate() {
            let mut sigma = metric.sigma_of_base(&node.pose.base);
            let limit = min;
            for ((joint, here), there) in metric.joints().iter().zip(&circle).zip(&node.circle) {
                let change =
                    joint.factor * (pose.joints[joint.coordinate] - node.pose.joints[joint.coordinate]);
                // The chord of the circle shrinks again beyond a difference of π, although the motion does not: it is clamped there.
                let squared = if joint.is_revolute && change.abs() > std::f64::consts::PI {
                    4.0
                } else {
                    let [x, y] = [here[0] - there[0], here[1] - there[1]];
                    x * x + y * y
                };
                sigma += joint.weight * squared / measure;
                // Partial sums only grow, so a node is rejected as soon as it exceeds the best.
                if sigma >= limit {
                    break;
                }
            }
            if sigma < min {
                (best, min) = (index, sigma);
            }
        }
        (best, min)
    }

    /// Extends the tree from a node straight towards a pose, with a node after every step (EXTEND, repeated). Where a step is
    /// blocked and retraction is enabled, the extension slides along the obstacle: the next step is retracted to the nearest free
    /// pose, as long as that is nearer to the target.
    pub(super) fn extend(
        &mut self,
        from: usize,
        to: &Pose,
        options: &ExtensionOptions<'_>,
        validator: &mut MotionValidator<'_>,
    ) -> Result<Extension, PlanError> {
        let towards = options.space.metric(to)?;
        let mut at = from;
        for _ in 0..options.max_segments {
            let (step, is_last) = options.step_towards(self.pose(at), to)?;
            let (reached, is_free) = self.step(at, &step, options, validator)?;
            at = reached;
            if is_free && is_last {
                return Ok(Extension::Reached(at));
            }
            if !is_free {
                let Some(slid) = self.slide(at, &step, (options, &towards), validator)? else { break };
                at = slid;
            }
        }
        Ok(if at == from { Extension::Trapped } else { Extension::Advanced(at) })
    }

    /// Adds a step from a node, or its free part: returns the node reached, and whether the step is complete.
    fn step(
        &mut self,
        at: usize,
        step: &Pose,
        options: &ExtensionOptions<'_>,
        validator: &mut MotionValidator<'_>,
    ) -> Result<(usize, bool), PlanError> {
        let here = self.pose(at).clone();
        let segment = Segment::new(&here, step, options.space.collision_world.obstacles());
        let free = validator.free_until(&segment)?;
        let metric = options.space.metric(&here)?;
        if free >= 1.0 {
            return Ok((self.add(step.clone(), at, &metric, options), true));
        }
        // Right at the bound the next segment would be blocked at once.
        let reached = segment.at(free * options.retreat);
        let gained = metric.sigma(&reached.joints, &reached.base).sqrt();
        Ok((if gained > options.min { self.add(reached, at, &metric, options) } else { at }, false))
    }

    /// Adds a node along the obstacle that blocks a step: free, and nearer to the target of the metric.
    fn slide(
        &mut self,
        at: usize,
        step: &Pose,
        (options, towards): (&ExtensionOptions<'_>, &Metric),
        validator: &mut MotionValidator<'_>,
    ) -> Result<Option<usize>, PlanError> {
        if !options.retracts {
            return Ok(None);
        }
        let retraction = Retraction { clearance: self.nodes[at].gap };
        let here = self.pose(at).clone();
        let obstacles = options.space.collision_world.obstacles();
        let before = towards.sigma(&here.joints, &here.base);
        for fraction in SLIDES {
            let beyond = Segment::new(&here, step, obstacles).at(fraction);
            let Some(slid) = retraction.nearest_free(options.space.collision_world, &beyond, &here) else {
                continue;
            };
            // A retraction may also lead back: only progress towards the target is a slide.
            if !(towards.sigma(&slid.joints, &slid.base) < NEARER * before) {
                continue;
            }
            if validator.free_until(&Segment::new(&here, &slid, obstacles))? >= 1.0 {
                let metric = options.space.metric(&here)?;
                return Ok(Some(self.add(slid, at, &metric, options)));
            }
        }
        Ok(None)
    }

    fn add(&mut self, pose: Pose, parent: usize, metric: &Metric, options: &ExtensionOptions<'_>) -> usize {
        let circle = embed(metric, &pose);
        let mut gap = self.nodes[parent].gap;
        // Outside a passage there is room for the clearance of other nodes.
        let world = options.space.collision_world;
        if gap < options.gap && world.is_free(std::slice::from_ref(&pose), options.gap).unwrap_or(false) {
            gap = options.gap;
        }
        self.nodes.push(Node { pose, parent, gap, circle });
        self.nodes.len() - 1
    }

    /// Adds the nodes of another tree, of which `own` and `other` are the same pose.
    pub(super) fn absorb(&mut self, own: usize, tree: Self, other: usize) {
        let mut order = vec![usize::MAX; tree.nodes.len()];
        order[other] = own;
        // From the common pose up to the root of the other tree the parents are reversed.
        let (mut nodes, mut at) = (tree.nodes, other);
        let mut above = Vec::new();
        while at != 0 {
            above.push((at, nodes[at].parent));
            at = nodes[at].parent;
        }
        for &(child, parent) in above.iter().rev() {
            nodes[parent].parent = child;
        }
        // Parents first: the reversed branch, then the others, whose parents precede them.
        let branch: Vec<usize> = above.iter().map(|&(_, parent)| parent).collect();
        let others = (0..nodes.len()).filter(|at| *at != other && !branch.contains(at));
        let all: Vec<usize> = branch.iter().copied().chain(others).collect();
        let mut slots: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        for at in all {
            if let Some(node) = slots[at].take() {
                order[at] = self.nodes.len();
                self.nodes.push(Node { parent: order[node.parent], ..node });
            }
        }
    }

    /// The poses from one node to another along the tree.
    pub(super) fn path_between(&self, from: usize, to: usize) -> Vec<Pose> {
        let up = |node: usize| {
            let mut all = vec![node];
            while let Some(&at) = all.last()
                && at != 0
            {
                all.push(self.nodes[at].parent);
            }
            all
        };
        let (up_from, up_to) = (up(from), up(to));
        // Both branches end at the root: the last node that they share is where the path bends.
        let shared = up_from.iter().rev().zip(up_to.iter().rev()).take_while(|(a, b)| a == b).count();
        let rising = &up_from[..=up_from.len() - shared];
        let falling = up_to[..up_to.len() - shared].iter().rev();
        rising.iter().chain(falling).map(|&node| self.nodes[node].pose.clone()).collect()
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

/// Fractions of a blocked step at which a free pose nearby is searched; the whole step first, as it gains most.
const SLIDES: [f64; 2] = [1.0, 0.3];
/// Fraction of σ to the target below which σ must fall to continue along an obstacle: one nearer to 1 slides on in small steps
/// that gain little.
const NEARER: f64 = 0.995;

/// Parameters of the extension of a tree.
pub(super) struct ExtensionOptions<'a> {
    pub(super) space: &'a Space<'a>,
    /// Maximum √σ of a segment [m].
    pub(super) step: f64,
    /// Minimum √σ of one [m].
    pub(super) min: f64,
    /// Fraction of the free part of a blocked segment that is used, so that the next one has room to start.
    pub(super) retreat: f64,
    /// Maximum number of segments of one extension.
    pub(super) max_segments: usize,
    /// Whether blocked steps are retracted.
    pub(super) retracts: bool,
    /// Clearance of retracted poses where there is room for it [m].
    pub(super) gap: f64,
}

impl ExtensionOptions<'_> {
    /// The pose one step from a pose towards another, and whether it is the other.
    fn step_towards(&self, from: &Pose, to: &Pose) -> Result<(Pose, bool), PlanError> {
        let length = self.space.distance(from, to)?;
        if length > self.step {
            let whole = Segment::new(from, to, self.space.collision_world.obstacles());
            return Ok((whole.at(self.step / length), false));
        }
        Ok((to.clone(), true))
    }
}

fn embed(metric: &Metric, pose: &Pose) -> Vec<[f64; 2]> {
    let place = |joint: &JointWeight| {
        let value = joint.factor * pose.joints[joint.coordinate];
        if joint.is_revolute { [value.cos(), value.sin()] } else { [value, 0.0] }
    };
    metric.joints().iter().map(place).collect()
}
