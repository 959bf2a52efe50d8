//! What a sequence of queries of one pair remembers: a polytope while the cores overlap, a simplex while they are apart.

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

/// What a sequence of queries of one pair of shapes remembers.
///
/// It never changes an answer beyond its bounds; for another pair it starts afresh. One that was read back from a file
/// takes the next pair for its own.
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
    /// Nothing is known.
    #[default]
    Fresh,
    /// The polytope holds the origin; this face had the answer.
    Overlap(u16),
    /// The simplex was nearest to the origin.
    Apart,
}

impl ConvexCache {
    /// Forgets all but the memory it has allocated: the next query starts from scratch.
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
        if matches!(self.state, State::Apart) {
            self.simplex.repose(|vertex| difference.point(&vertex.on_a, &vertex.on_b));
        } else {
            let towards = if *towards == Vector3::zeros() { Vector3::x() } else { *towards };
            self.simplex = Simplex::default();
            self.simplex.push(difference.support(&towards, [START_ANYWHERE; 2]));
            *supports += 1;
        }
        let (tolerance, most) = (options.relative_tolerance, options.max_iterations);
        match descend(difference, &mut self.simplex, tolerance, most, supports) {
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

    /// How far any point of the difference has moved since the last query, at most [m].
    fn motion(&self, difference: &Difference) -> f64 {
        let turned = difference.rotation - self.rotation;
        let center = difference.b.center();
        let shifted = difference.origin - self.origin + turned * center;
        // The spectral norm of the difference of two rotations is its Frobenius norm over √2.
        shifted.norm() + turned.norm() * std::f64::consts::FRAC_1_SQRT_2 * difference.b.radius()
    }
}
