//! Growth: the movable models are scaled down about their roots until they are free, and grown back to their size among the
//! obstacles, which keep theirs.
//!
//! In a cavity hands and feet lie beyond the wall and are free there, while forearms and shins collide: a descent from the
//! overlap then leaves by the rim. A model that grows from its root has all of its links on the side of the root at first, and
//! meets each wall from that side.
//!
//! At the scale s the pieces of the anchor become c + s (v − c), c its centre, the
//! origins of its child joints likewise; all other pieces and offsets are multiplied by s. Joint values, limits, the base and the
//! joints above the anchor are the same at every scale. A
//! step of s that a few iterations cannot follow is halved. The anchor is the first link with a shape from the root on; the heaviest link,
//! or one that a constraint holds in its place, is another one: a figure whose pelvis lies in a wall grows from its chest. The objective is always the distance from the input, with the
//! weight √(H H_max) of each joint while growing: with H itself light joints take all of the motion and bend as far as they can.

use nalgebra::Point3;

use super::chart::LocalChart;
use super::collision_world::CollisionWorld;
use super::constraint::PoseConstraint;
use super::descent::{Descent, DescentResult, DescentStart};
use super::part::Part;
use super::pose::Pose;
use super::work::SPHERES;

/// First scale tried, and the steps in which larger ones are tried until one collides.
const FIRST: f64 = 0.1;
const SCAN: f64 = 0.05;
/// Maximum and minimum step of the scale. Steps must stay well below what walls are thick: with 0.25 none of six sketches in a
/// tub of thin pieces was solved.
const MAX_STEP: f64 = 0.12;
const MIN_STEP: f64 = 0.02;
/// Factors of the step after one that was followed, and after one that was not.
const FASTER: f64 = 1.3;
const SLOWER: f64 = 0.5;
/// Iterations at a scale.
const ITERATIONS: u32 = 4;
/// Trust region at a scale: maximum rotation [rad].
const MAX_ROTATION: f64 = 0.15;

/// Result of a growth.
#[derive(Debug, Default)]
pub(super) struct Grown {
    /// Free poses at full size; `None` where a scale below was not free.
    pub(super) poses: Option<Vec<Pose>>,
    pub(super) work: u64,
    pub(super) iterations: u32,
}

/// A growth about the input of a descent.
pub(super) struct Growth<'a> {
    collision_world: &'a CollisionWorld,
    descent: &'a Descent<'a>,
    stop: &'a (dyn Fn() -> bool + Sync),
    /// Copy of the collision world, at the scale of the last trial.
    scaled: CollisionWorld,
    anchors: Vec<Anchor>,
}

/// The link of a movable model that keeps its place while the others grow, and its centre [m, link frame].
pub(super) type Anchor = (usize, Point3<f64>);

impl<'a> Growth<'a> {
    /// A growth about an anchor of each movable model; `None` where a model has no joints, or is known by its triangles alone.
    pub(super) fn new(
        collision_world: &'a CollisionWorld,
        descent: &'a Descent<'a>,
        anchors: &[Anchor],
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Option<Self> {
        let has_joints = descent.chart.start().iter().any(|pose| !pose.joints.is_empty());
        let grows = has_joints && collision_world.mesh_pairs.is_empty();
        let (scaled, anchors) = (collision_world.clone(), anchors.to_vec());
        grows.then_some(Self { collision_world, descent, stop, scaled, anchors })
    }

    /// Grows the models from the largest free scale at `input` to their own size, as near to it as may be.
    pub(super) fn grow(mut self, input: &[Pose]) -> Grown {
        let mut grown = Grown::default();
        let mut weighted = self.collision_world.clone();
        weighted.movables.iter_mut().zip(input).for_each(|(movable, pose)| movable.level_weights(pose));
        // At other scales the frames of the constraints are elsewhere: the descent after the growth satisfies them.
        weighted.constraints.clear();
        let chart = LocalChart::new(&weighted, input);
        let Some(mut scale) = self.first_scale(&chart, &mut grown) else { return grown };
        let mut poses = input.to_vec();
        let mut step = MAX_STEP;
        while scale < 1.0 {
            if (self.stop)() {
                return grown;
            }
            let next = (scale + step).min(1.0);
            self.scaled.rescale(self.collision_world, next, &self.anchors);
            match self.follow(&chart, &poses, &mut grown) {
                Some(found) => {
                    (poses, scale) = (found, next);
                    step = (FASTER * step).min(MAX_STEP);
                }
                None if step <= MIN_STEP => return grown,
                None => step = (SLOWER * step).max(MIN_STEP),
            }
        }
        grown.poses = Some(poses);
        grown
    }

    /// The largest of the scales from [`FIRST`] on that is free at the input without a gap.
    fn first_scale(&mut self, chart: &LocalChart, grown: &mut Grown) -> Option<f64> {
        let origin = vec![0.0; chart.dimension()];
        let mut free = None;
        let mut scale = FIRST;
        while scale < 1.0 {
            self.scaled.rescale(self.collision_world, scale, &self.anchors);
            let descent = Descent { collision_world: &self.scaled, chart, ..*self.descent };
            grown.work += 1 + self.scaled.pairs.len() as u64 / SPHERES;
            if !self.scaled.with_workspace(|workspace| descent.is_free(&origin, workspace)) {
                break;
            }
            free = Some(scale);
            scale += SCAN;
        }
        free
    }

    /// Free poses at the current scale, from those at the last one.
    fn follow(&self, chart: &LocalChart, from: &[Pose], grown: &mut Grown) -> Option<Vec<Pose>> {
        let descent = Descent {
            collision_world: &self.scaled,
            chart,
            max_iterations: ITERATIONS,
            max_rotation: MAX_ROTATION,
            stop: self.stop,
            ..*self.descent
        };
        let start = chart.point(&self.scaled, from);
        let found: DescentResult = self
            .scaled
            .with_workspace(|workspace| descent.run(&DescentStart::from(start.as_slice()), workspace));
        grown.work += found.work;
        grown.iterations += found.iterations;
        Some(chart.poses(&self.scaled, &found.free?))
    }
}

impl CollisionWorld {
    /// Sets pieces and trees to those of another world of the same bodies, scaled about the anchor of each movable model. Triangle
    /// models, volumes and tolerances stay as they are.
    fn rescale(&mut self, whole: &Self, scale: f64, anchors: &[Anchor]) {
        let around = |center: &Point3<f64>, point: &Point3<f64>| center + (point - center) * scale;
        for (movable, (tree, (link, center))) in whole.trees.iter().zip(anchors).enumerate() {
            self.trees[movable] = tree.scaled(scale, *link, center);
        }
        for (body, same) in self.bodies.iter_mut().zip(&whole.bodies) {
            let Part::Link { movable, link } = body.part else { continue };
            let (anchor, center) = &anchors[movable];
            let center = if link == *anchor { *center } else { Point3::origin() };
            for index in body.pieces.clone() {
                let (own, piece) = (&mut self.pieces[index], &whole.pieces[index]);
                own.shape = piece.shape.scaled(scale);
                own.bounds = piece.bounds.scaled(scale);
                let at = Point3::from(piece.pose.translation.vector);
                own.pose.translation.vector = around(&center, &at).coords;
                own.ball = (around(&center, &piece.ball.0), scale * piece.ball.1);
            }
            body.ball = (around(&center, &same.ball.0), scale * same.ball.1);
        }
    }

    /// The choices of anchors, one of each movable model: the first links with a shape from the root on, the heaviest ones, and those that a
    /// constraint holds. Equal choices are left out.
    pub(super) fn anchors(&self) -> Vec<Vec<Anchor>> {
        let center = |movable: usize, link: usize| {
            let part = Part::Link { movable, link };
            Some(self.bodies.iter().find(|body| body.part == part)?.ball.0)
        };
        let first = |movable: usize| {
            let links = self.movables[movable].articulation().parents_first();
            let shaped = links.iter().find_map(|&link| Some((link, center(movable, link)?)));
            shaped.unwrap_or((links[0], Point3::origin()))
        };
        let heaviest = |movable: usize| {
            let extents = self.movables[movable].norm().extents().iter().enumerate();
            let measured = extents.filter_map(|(link, extent)| Some((link, extent.as_ref()?.measure())));
            let own = measured.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            own.and_then(|(link, _)| Some((link, center(movable, link)?)))
        };
        let held = |movable: usize| {
            let links = self.constraints.iter().filter_map(PoseConstraint::held_link);
            let own = links.filter(|[other, _]| *other == movable).map(|[_, link]| link).next();
            own.map(|link| (link, center(movable, link).unwrap_or_else(Point3::origin)))
        };
        let all = 0..self.trees.len();
        let mut choices: Vec<Vec<Anchor>> = vec![all.clone().map(first).collect()];
        let others: [&dyn Fn(usize) -> Option<Anchor>; 2] = [&heaviest, &held];
        for other in others {
            let choice =
                all.clone().map(|movable| other(movable).unwrap_or_else(|| first(movable))).collect();
            if !choices.contains(&choice) {
                choices.push(choice);
            }
        }
        choices
    }
}
