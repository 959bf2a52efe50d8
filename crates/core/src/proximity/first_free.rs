//! Ray marching from inside: the first free configuration along a ray of translations.
//!
//! A cast from outside never reaches a pocket or a hole. This march starts in the overlap and leaves one group of
//! intersecting pairs after another, so that the first gap it finds is the nearest one in its direction.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::leaf_pair::PreparedLeaf;
use super::obstacle_tree::{ObstacleTree, Probe, Record};
use super::relative_pose::RelativePose;
use super::time_of_contact::{Ray, RayInterval};
use super::triangle_pair::contact_interval;
use crate::bvh::lanes::isa::Isa;
use crate::bvh::node::WIDTH;
use crate::bvh::packet::Packet;

/// Intersecting pairs that one step collects before it ends: their last exit is the start of the next step. With 16
/// there are fewer steps, and yet a thorough search takes half as long again.
const PAIRS_PER_STEP: u32 = 2;
/// Maximum number of steps of a march: far more than there are triangles along a line through a mesh.
const MAX_STEPS: u32 = 1 << 14;

/// Ray marching of A out of B along a unit direction; everything in the frame of B's tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct March {
    /// Unit direction.
    pub(crate) direction: Vector3<f64>,
    /// Gap that counts as free [m].
    pub(crate) margin: f64,
    /// Maximum length [m].
    pub(crate) within: f64,
    /// Minimum step [m]. With zero every gap is found; otherwise narrower gaps may be skipped, in exchange for a bound
    /// on the number of steps through finely meshed bodies.
    pub(crate) stride: f64,
}

impl March {
    /// The minimum length from `start` on at which no triangles are closer than the margin. A step passes only over
    /// lengths that are blocked by the pair that is left last, unless the stride is longer. `None` also where the limit of the
    /// obstacles is spent.
    ///
    /// `skip` returns the minimum length from a given one on that is not known to be blocked.
    pub(crate) fn first_free(
        &self,
        obstacles: &mut ObstacleTree<'_>,
        start: f64,
        mut skip: impl FnMut(f64) -> f64,
    ) -> Option<f64> {
        let mut length = start;
        for _ in 0..MAX_STEPS {
            length = skip(length);
            if !(length < self.within) {
                return None;
            }
            let exit = self.last_exit(obstacles, &(self.direction * length));
            if obstacles.limit.is_spent() {
                return None;
            }
            match exit {
                None => return Some(length),
                // Beyond the margin after the exit, so that the same pair does not block the next step by rounding.
                Some(exit) => length += (exit.max(0.0) + self.margin).max(self.stride),
            }
        }
        None
    }

    /// Length from `q` to the last exit of a few intersecting pairs; `None` when nothing intersects there.
    fn last_exit(&self, obstacles: &mut ObstacleTree<'_>, q: &Vector3<f64>) -> Option<f64> {
        let a_to_b = obstacles.a_to_b().shifted(q);
        let (from, direction) = (obstacles.motions(q), obstacles.motions(&self.direction));
        let mut query = ExitQuery {
            slack: self.margin + a_to_b.slack(),
            a_to_b,
            rays: [Ray::new(&from[0], &direction[0]), Ray::new(&from[1], &direction[1])],
            margin: self.margin,
            direction: self.direction.into(),
            prepared: PreparedLeaf::default(),
            found: 0,
            exit: f64::NEG_INFINITY,
            left: [0; 2],
        };
        // The pairs near those that blocked the last step most likely block this one.
        obstacles.probe_nearby(&mut query);
        if query.found == 0 {
            obstacles.probe(&mut query);
        }
        if let (1.., Some(left)) = (query.found, &mut obstacles.left) {
            left.push(query.left);
        }
        (query.found > 0).then_some(query.exit)
    }
}

/// Query for pairs that intersect at the start of a ray, and their last exit along it.
struct ExitQuery {
    a_to_b: RelativePose,
    rays: [Ray; 2],
    margin: f64,
    slack: f64,
    direction: [f64; 3],
    prepared: PreparedLeaf,
    found: u32,
    exit: f64,
    /// The pair of leaves with the last exit.
    left: [u32; 2],
}

impl Probe for ExitQuery {
    #[inline(always)]
    fn costs<I: Isa>(&self, obstacles: &Record) -> [f32; WIDTH] {
        RayInterval::<I::Single>::of(obstacles, &self.rays).costs_of_depths()
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn leaves<I: Isa>(&mut self, a: (u32, &Packet), b: (u32, &Packet)) -> ControlFlow<()> {
        self.prepared.load::<I>(a, &self.a_to_b);
        if !self.prepared.may_be_within::<I>(b.1, self.slack) {
            return ControlFlow::Continue(());
        }
        for (lane_a, _) in a.1.lanes() {
            let p = &self.prepared.triangles[lane_a];
            let interval = contact_interval::<I::Double>(p, b.1, &self.direction, self.margin, 0.0);
            for (lane_b, _) in b.1.lanes() {
                let (entry, exit) = (interval.entry[lane_b], interval.exit[lane_b]);
                if entry <= exit && entry <= 0.0 && exit >= 0.0 {
                    self.found += 1;
                    if exit > self.exit {
                        (self.exit, self.left) = (exit, [a.0, b.0]);
                    }
                }
            }
        }
        if self.found >= PAIRS_PER_STEP { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
