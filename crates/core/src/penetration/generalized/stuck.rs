//! Proof that links near the root of a fixed base overlap obstacles in every configuration.
//!
//! A link that few joints move has a set of poses of few dimensions. Over a box of joint values no point of it moves farther
//! from where it is at the middle of the box than a bound, so that an overlap there that is deeper than that bound remains in all of the
//! box. Boxes where this proves nothing are halved; one at whose middle the links overlap nothing ends the attempt.

use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use super::collision_world::CollisionWorld;
use super::descent::{Descent, PRECISION};
use super::part::Part;
use super::pose::Pose;
use super::tree::JacobianColumn;
use super::workspace::Workspace;
use crate::geometry::convex::shape::ConvexShape;
use crate::penetration::convex::cache::ConvexCache;
use crate::penetration::convex::options::ConvexOptions;
use crate::penetration::convex::{SignedDistance, signed_distance};

/// Maximum number of joints of such a link.
const JOINTS: usize = 3;
/// Maximum number of boxes of a proof, and of all attempts of a query: a few milliseconds.
const BOXES: usize = 1000;
const ALL_BOXES: usize = 3000;
/// Factor on the bound of the displacement, against rounding.
const ROOM: f64 = 1.0 + 1e-6;

/// Links that the same few joints move, or some of these.
struct Chain {
    movable: usize,
    variables: Vec<usize>,
    /// Indices of the pairs of such a link and an obstacle.
    pairs: Vec<usize>,
}

/// The middle and the half widths of a box of joint values.
#[derive(Debug, Clone)]
struct Values {
    middle: Vec<f64>,
    half: Vec<f64>,
}

impl Descent<'_> {
    /// Whether a point of a link of a fixed model stays inside a convex piece of an obstacle in every configuration: the joint
    /// nearest to the root that moves the link is deeper in the piece than the point can be away from it.
    pub(super) fn is_confined(&self, workspace: &mut Workspace) -> bool {
        /// Room for the rounding of a point's transformation.
        const ROOM: f64 = 1e-9;
        let Self { collision_world, chart, .. } = *self;
        let origin = vec![0.0; chart.dimension()];
        chart.place(collision_world, &origin, &mut workspace.frames);
        let frames = &workspace.frames;
        let point = ConvexShape::sphere(0.0);
        collision_world.pairs.iter().any(|pair| {
            let [a, b] = pair.bodies.map(|body| &collision_world.bodies[body as usize]);
            let (Part::Link { movable, link }, Part::Obstacle(_)) = (a.part, b.part) else { return false };
            let (tree, limits) = (&collision_world.trees[movable], &collision_world.limits[movable]);
            let inner = &collision_world.pieces[a.pieces.start].ball.0;
            let Some((slot, reach)) = tree.reach(link, inner, limits) else { return false };
            let at = Translation3::from(frames.axes[slot][1]).into();
            let pose = &frames.bodies[pair.bodies[1] as usize];
            let in_body = pose.inverse_transform_point(&Point3::from(frames.axes[slot][1]));
            collision_world.pieces[b.pieces.clone()].iter().any(|piece| {
                // Outside of its bounding sphere a point is outside of a piece: few pieces need their distance.
                let (center, radius) = &piece.ball;
                if (in_body - center).norm() > radius * (1.0 + ROOM) {
                    return false;
                }
                let own = pose * piece.pose;
                let options = ConvexOptions::default();
                let found =
                    signed_distance(&point, &at, &piece.shape, &own, &options, &mut ConvexCache::default());
                found.is_ok_and(|found| -found.value > reach * (1.0 + PRECISION))
            })
        })
    }
}

impl CollisionWorld {
    /// Whether links that few joints move overlap obstacles whatever the values of these joints are, with the others at `start`.
    pub(super) fn is_stuck(&self, start: &[Pose], workspace: &mut Workspace) -> bool {
        let mut left = ALL_BOXES;
        (0..self.trees.len()).filter(|&movable| self.trees[movable].base.is_none()).any(|movable| {
            let chains = self.chains(movable);
            chains.iter().any(|chain| self.is_covered(chain, start, &mut left, workspace))
        })
    }

    /// The links of a model that few joints move, and those that some of these joints move, those of the fewest joints first.
    fn chains(&self, movable: usize) -> Vec<Chain> {
        let tree = &self.trees[movable];
        let variables_of = |link: usize| {
            let mut variables: Vec<usize> =
                tree.jacobian_columns[link].iter().map(|column| column.variable).collect();
            variables.sort_unstable();
            variables.dedup();
            variables
        };
        let mut chains: Vec<Chain> = Vec::new();
        for body in &self.bodies {
            let Part::Link { movable: own, link } = body.part else { continue };
            let variables = variables_of(link);
            if own != movable || variables.is_empty() || variables.len() > JOINTS {
                continue;
            }
            if chains.iter().any(|chain| chain.variables == variables) {
                continue;
            }
            let of_pair = |bodies: [u32; 2]| {
                let [a, b] = bodies.map(|body| self.bodies[body as usize].part);
                let (Part::Link { movable: own, link }, Part::Obstacle(_)) = (a, b) else { return false };
                own == movable && variables_of(link).iter().all(|variable| variables.contains(variable))
            };
            let pairs = (0..self.pairs.len()).filter(|&pair| of_pair(self.pairs[pair].bodies)).collect();
            chains.push(Chain { movable, variables, pairs });
        }
        // Where fewer joints suffice, fewer boxes do.
        chains.sort_by_key(|chain| chain.variables.len());
        chains
    }

    /// Whether links of a chain overlap obstacles for all values of its joints, as far as the boxes that are `left` prove it.
    fn is_covered(&self, chain: &Chain, start: &[Pose], left: &mut usize, workspace: &mut Workspace) -> bool {
        let tree = &self.trees[chain.movable];
        let limits = chain
            .variables
            .iter()
            .map(|&variable| self.limits[chain.movable][tree.coordinates[variable - tree.first]]);
        let limits: Vec<[f64; 2]> = limits.collect();
        if chain.pairs.is_empty() || !limits.iter().flatten().all(|limit| limit.is_finite()) {
            return false;
        }
        let whole = Values {
            middle: limits.iter().map(|[lower, upper]| 0.5 * (lower + upper)).collect(),
            half: limits.iter().map(|[lower, upper]| 0.5 * (upper - lower)).collect(),
        };
        let mut open = vec![whole];
        let limit = left.saturating_sub(BOXES);
        while let Some(values) = open.pop() {
            if *left <= limit {
                return false;
            }
            *left -= 1;
            let Some(split) = self.cover(chain, &values, start, workspace) else { return false };
            let Some(at) = split else { continue };
            for sign in [-0.5, 0.5] {
                let mut part = values.clone();
                part.middle[at] += sign * values.half[at];
                part.half[at] *= 0.5;
                open.push(part);
            }
        }
        true
    }

    /// `None` where the links overlap nothing at the middle of a box; otherwise the index of the variable along which it is to be
    /// halved, or none where the links overlap in all of it.
    fn cover(
        &self,
        chain: &Chain,
        values: &Values,
        start: &[Pose],
        workspace: &mut Workspace,
    ) -> Option<Option<usize>> {
        let tree = &self.trees[chain.movable];
        let mut poses = start.to_vec();
        for (&variable, value) in chain.variables.iter().zip(&values.middle) {
            poses[chain.movable].joints[tree.coordinates[variable - tree.first]] = *value;
        }
        let bodies = self.body_poses(&poses).ok()?;
        let (mut links, mut axes) = (Vec::new(), Vec::new());
        let pose = &poses[chain.movable];
        tree.place(&pose.base, |number| pose.joints[number], (&mut links, &mut axes));
        workspace.frames.bodies.clone_from(&bodies);
        workspace.scan.forget();
        workspace.scan.place(self, &workspace.frames);
        let mut best: Option<(f64, usize)> = None;
        for &pair in &chain.pairs {
            let pair = &self.pairs[pair];
            let body = pair.bodies[0] as usize;
            let Part::Link { link, .. } = self.bodies[body].part else { continue };
            let (bound, widest) = displacement(
                &tree.jacobian_columns[link],
                (&bodies[body], &self.bodies[body].ball),
                |slot| axes[slot - tree.first_slot][1],
                |variable| {
                    chain.variables.iter().position(|&own| own == variable).map(|at| (at, values.half[at]))
                },
            );
            let mut deepest = 0.0_f64;
            let visit = |_: [&Isometry3<f64>; 2], _: [usize; 2], found: &SignedDistance, _: [usize; 2]| {
                // The proved part of the depth.
                deepest = deepest.max(-found.at_most);
                deepest <= ROOM * bound
            };
            self.near_pieces(pair, 0.0, &mut workspace.scan, visit, &ConvexOptions::default());
            if deepest > ROOM * bound {
                return Some(None);
            }
            let part = deepest / bound;
            if deepest > 0.0 && best.is_none_or(|(other, _)| part > other) {
                best = Some((part, widest));
            }
        }
        best.map(|(_, widest)| Some(widest))
    }
}

/// Bound of the displacement of a point of a body over a box of joint values, and the variable with the largest part of it.
fn displacement(
    columns: &[JacobianColumn],
    (pose, ball): (&Isometry3<f64>, &(Point3<f64>, f64)),
    origin: impl Fn(usize) -> Vector3<f64>,
    half: impl Fn(usize) -> Option<(usize, f64)>,
) -> (f64, usize) {
    let center = (pose * ball.0).coords;
    let (mut bound, mut widest) = (0.0, (0.0, 0));
    // From the tip to the root: joints nearer to the tip have moved the body before, and the axis of a joint not at all.
    for column in columns.iter().rev() {
        let Some((at, half)) = half(column.variable) else { continue };
        let reach =
            if column.is_revolute { (center - origin(column.slot)).norm() + ball.1 + bound } else { 1.0 };
        let part = column.factor.abs() * half * reach;
        bound += part;
        if part > widest.0 {
            widest = (part, at);
        }
    }
    (bound, widest.1)
}
