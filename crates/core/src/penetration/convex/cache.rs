//! Warm-start state of a sequence of queries of one pair: a polytope while the cores overlap, a simplex while they are
//! separated.

use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};

use super::difference::Difference;
use super::expansion::Expansion;
use super::gap::Gap;
use super::gjk::{Descent, descend};
use super::options::ConvexOptions;
use super::polytope::Polytope;
use super::simplex::Simplex;
use crate::geometry::convex::extreme::START_ANYWHERE;
use crate::geometry::convex::shape::Core;

/// Warm-start state of a sequence of queries of one pair of shapes.
///
/// It never changes a result beyond its bounds; it is reset when the pair changes. A cache that was deserialised adopts
/// the next pair.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ConvexCache {
    #[serde(skip)]
    cores: Option<[Core; 2]>,
    state: State,
    rotation: Matrix3<f64>,
    origin: Vector3<f64>,
    polytope: Polytope,
    simplex: Simplex,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
enum State {
    /// No state: the next query starts from scratch.
    #[default]
    Fresh,
    /// The polytope contains the origin; this face gave the depth.
    Overlap(u16),
    /// The simplex was the nearest one to the origin.
    Apart,
}

impl ConvexCache {
    /// Discards the state and keeps the allocated memory: the next query starts from scratch.
    pub fn forget(&mut self) {
        self.state = State::Fresh;
    }

    /// The gap of two cores; `towards` points from A to B, roughly.
    pub(super) fn gap(
        &mut self,
        difference: &Difference,
        towards: &Vector3<f64>,
        options: &ConvexOptions,
    ) -> Gap {
        let same = |[a, b]: &[Core; 2]| a.is_same(difference.a) && b.is_same(difference.b);
        if !self.cores.as_ref().is_some_and(same) {
            // A deserialised cache has no cores, and its state belongs to the pair that comes first.
            if self.cores.is_some() {
                self.state = State::Fresh;
            }
            self.cores = Some([difference.a.clone(), difference.b.clone()]);
        }
        let mut supports = 0;
        let gap = match self.state {
            State::Overlap(face) => self.still_overlapping(face, difference, options, &mut supports),
            _ => None,
        };
        // A polytope that lost the origin or broke: from scratch.
        let gap = gap.unwrap_or_else(|| self.descend(difference, towards, options, &mut supports));
        (self.rotation, self.origin) = (difference.rotation, difference.origin);
        gap
    }

    fn still_overlapping(
        &mut self,
        face: u16,
        difference: &Difference,
        options: &ConvexOptions,
        supports: &mut u32,
    ) -> Option<Gap> {
        let motion = self.motion(difference);
        let expanded = self.expansion(difference, options, supports).resume(motion, face)?;
        self.state = expanded.face.map_or(State::Fresh, State::Overlap);
        Some(expanded.gap)
    }

    fn descend(
        &mut self,
        difference: &Difference,
        towards: &Vector3<f64>,
        options: &ConvexOptions,
        supports: &mut u32,
    ) -> Gap {
        // The vertices of the last simplex are fixed to the bodies: at the present pose they are still extreme enough.
        if matches!(self.state, State::Apart) {
            self.simplex.repose(|vertex| difference.point(&vertex.on_a, &vertex.on_b));
        } else {
            let towards = if *towards == Vector3::zeros() { Vector3::x() } else { *towards };
            self.simplex = Simplex::default();
            self.simplex.push(difference.support(&towards, [START_ANYWHERE; 2]));
            *supports += 1;
        }
        let (tolerance, max_supports) = (options.relative_tolerance, options.max_iterations);
        match descend(difference, &mut self.simplex, tolerance, max_supports, supports) {
            Descent::Apart(gap) => {
                self.state = State::Apart;
                gap
            }
            Descent::Overlap(touch) => {
                let simplex = self.simplex;
                let expanded = self.expansion(difference, options, supports).start_at(&simplex, &touch);
                self.state = expanded.face.map_or(State::Fresh, State::Overlap);
                expanded.gap
            }
        }
    }

    fn expansion<'a, 'b>(
        &'a mut self,
        difference: &'a Difference<'b>,
        options: &ConvexOptions,
        supports: &'a mut u32,
    ) -> Expansion<'a, 'b> {
        let ConvexOptions { relative_tolerance, max_iterations } = *options;
        Expansion { difference, polytope: &mut self.polytope, relative_tolerance, max_iterations, supports }
    }

    /// Upper bound of the motion of any point of the difference since the last query [m].
    fn motion(&self, difference: &Difference) -> f64 {
        let rotated = difference.rotation - self.rotation;
        let center = difference.b.center();
        let shifted = difference.origin - self.origin + rotated * center;
        // The spectral norm of the difference of two rotations is its Frobenius norm over √2.
        shifted.norm() + rotated.norm() * std::f64::consts::FRAC_1_SQRT_2 * difference.b.radius()
    }
}
