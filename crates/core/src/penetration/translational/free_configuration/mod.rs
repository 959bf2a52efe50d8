//! Free configurations from which a walk can start [Je12 §5].
//!
//! A start is a translation of A, in the frame of B's tree, at which the models are apart. Most sources name
//! directions, and A comes from outside along them; the others know a free configuration at once.
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
mod gaps;
mod maximally_clear;
mod motion_coherence;
pub(crate) mod outside;
mod principal_axes;
mod random;
mod sampled;
pub(crate) mod spread;

use nalgebra::Vector3;

use super::coherence::Remembered;
use super::options::{Effort, TranslationalOptions};
use super::walk::ContactSpace;
use crate::penetration::free_configuration::FreeConfiguration;
pub(crate) use centroid_difference::centroid_difference;
pub(super) use face_normals::face_normals;
pub(crate) use maximally_clear::maximally_clear;
pub(crate) use motion_coherence::motion_coherence;
pub(super) use principal_axes::principal_axes;
pub(super) use random::random;
pub(super) use sampled::sampled;
pub(crate) use spread::axes;
pub use spread::fibonacci;

/// Directions of the spread source, beside the axes of both bodies.
pub(super) const DIRECTIONS: u32 = 200;

/// Lines of the sampled source for one walk, and for many.
const FEW_LINES: u32 = 4;
const MANY_LINES: u32 = 24;

/// What a source has to offer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Starts {
    /// Unit directions in which A lies outside.
    Outside(Vec<Vector3<f64>>),
    /// Free configurations, the most promising one first.
    Free(Vec<Vector3<f64>>),
}

/// What `source` has to offer, at most `count` free configurations, and whatever directions it has.
///
/// `given` turns a translation [m, world] into the frame of B's tree.
pub(super) fn starts(
    space: &mut ContactSpace,
    source: FreeConfiguration,
    (options, remembered): (&TranslationalOptions, &Remembered),
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
