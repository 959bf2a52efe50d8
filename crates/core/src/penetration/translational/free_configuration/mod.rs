//! Free configurations from which a walk can start [Je12 §5].
//!
//! A start is a translation of A, in the frame of B's tree, at which the models are separated. Most sources return
//! directions along which A comes from outside; the others return free configurations.
//!
//! | source                | once per mesh         | per query              | good for [Je12 §7.2]                |
//! |-----------------------|-----------------------|------------------------|-------------------------------------|
//! | [`centroid_difference`] | –                   | nothing                | overlaps at the rim, convex bodies  |
//! | [`maximally_clear`]   | voxels, tens of ms    | ≤ 64 collision queries | holes and hollows: grate, ring, cup |
//! | [`motion_coherence`]  | –                     | a collision query      | motions, also in hollows            |
//! | [`random`]            | –                     | 16 casts               | a second opinion                    |
//! | [`sampled`]           | as maximally clear    | 5 or 25 marches        | intricate, interlocking bodies      |
//! | [`face_normals`]      | one pass              | ≤ 24 casts             | flat faces: boxes, brackets         |
//! | [`principal_axes`]    | one pass              | 12 casts               | long and flat bodies                |
//! | [`spread`]            | –                     | 212 casts              | anything, thoroughly                |

mod centroid_difference;
mod face_normals;
mod free_interval;
mod gaps;
mod maximally_clear;
mod motion_coherence;
pub(crate) mod outside;
mod principal_axes;
mod random;
mod sampled;
pub(crate) mod spread;

use nalgebra::Vector3;

use super::coherence::CoherentStarts;
use super::options::{Effort, TranslationalOptions};
use super::walk::ContactSpace;
use crate::penetration::free_configuration::FreeConfiguration;
pub(crate) use centroid_difference::centroid_difference;
pub(super) use face_normals::face_normals;
pub(super) use gaps::{Marches, is_deep, nearest_gap};
pub(crate) use maximally_clear::maximally_clear;
pub(crate) use motion_coherence::motion_coherence;
pub(super) use principal_axes::principal_axes;
pub(super) use random::random;
pub(super) use sampled::sampled;
pub(crate) use spread::axes;
pub use spread::fibonacci;

/// Directions of the spread source, beside the axes of both bodies: about 0.25 rad apart. Time is proportional to it;
/// passages narrower than half that angle may be missed. Half and twice change the mean depth by +0.018 % and −0.018 %
/// (single answers +6.3 %, −15 %) with −31 % and +58 % casts (docs/sensitivity.md).
pub(super) const DIRECTIONS: u32 = 200;

/// Lines of the sampled source for one walk, and for many. Four marches and one walk reach a mean depth of 1.04 (torus) and
/// 1.12 (torus knot) of the best known, against 1.15 and 1.43 from the centroid difference.
const FEW_LINES: u32 = 4;
/// Lines of the sampled source for many walks. Half changes the mean depth by +0.024 % (worst +26 %), twice no depth
/// (docs/sensitivity.md).
const MANY_LINES: u32 = 24;

/// Starts of a source.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Starts {
    /// Unit directions from which A comes from outside.
    Outside(Vec<Vector3<f64>>),
    /// Free configurations, the most promising one first.
    Free(Vec<Vector3<f64>>),
}

/// The starts of `source` [Je12 §5]: all its directions, or at most `count` free configurations.
///
/// `given` maps a translation [m, world] to the frame of B's tree.
pub(super) fn starts(
    space: &mut ContactSpace,
    source: FreeConfiguration,
    (options, remembered): (&TranslationalOptions, &CoherentStarts),
    given: impl Fn(&Vector3<f64>) -> Vector3<f64>,
    count: usize,
) -> Starts {
    match source {
        FreeConfiguration::CentroidDifference => Starts::Outside(vec![centroid_difference(space)]),
        FreeConfiguration::MaximallyClear => Starts::Free(maximally_clear(space, f64::INFINITY, count)),
        FreeConfiguration::MotionCoherence => {
            Starts::Free(motion_coherence::remembered_starts(space, remembered))
        }
        FreeConfiguration::Random => Starts::Outside(random(options.seed).collect()),
        FreeConfiguration::Sampled => {
            let lines = if options.effort == Effort::Fast { FEW_LINES } else { MANY_LINES };
            Starts::Free(sampled(space, f64::INFINITY, lines))
        }
        FreeConfiguration::FaceNormals => Starts::Outside(face_normals(space)),
        FreeConfiguration::PrincipalAxes => Starts::Outside(principal_axes(space).collect()),
        FreeConfiguration::Spread => {
            let spread = (0..DIRECTIONS).map(|i| fibonacci(i, DIRECTIONS));
            Starts::Outside(axes(space).chain(spread).collect())
        }
        FreeConfiguration::Given(translation) => {
            let q = given(&translation);
            Starts::Free(if space.is_apart(&q) { vec![q] } else { Vec::new() })
        }
    }
}

#[cfg(test)]
mod tests;
