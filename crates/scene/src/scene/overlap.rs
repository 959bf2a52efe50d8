//! Overlapping bodies of a scene.

use super::judge::soft_size;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::{Effort, TranslationalOptions};
use extricate_dynamics::{BodyPenetration, World};

/// Depth over the size of the smaller body up to which two bodies count as touching, not overlapping. It covers the
/// rounding of poses at a distance of a thousand sizes from the origin and is far below what affects a contact solver;
/// smaller, and bodies placed exactly in contact would be reported as overlapping.
const TOUCHING: f64 = 1e-9;

/// All overlapping pairs of rigid bodies, sorted by name; pairs that only touch are omitted.
///
/// # Errors
/// [`PenetrationError`] when a depth could not be computed.
pub fn overlaps(world: &World, effort: Effort) -> Result<Vec<BodyPenetration>, PenetrationError> {
    let options = TranslationalOptions { effort, gaps: false, ..TranslationalOptions::default() };
    let mut pairs = world.penetrations(&options)?;
    pairs.retain(|pair| !is_touching(pair));
    Ok(pairs)
}

/// Whether a pair only touches; false for a NaN depth.
fn is_touching(pair: &BodyPenetration) -> bool {
    pair.depth <= TOUCHING * pair.size
}

/// All overlaps of soft bodies with each other, with rigid ones and with themselves (the same name twice), sorted by name;
/// pairs that only touch are omitted. The depth is that of the deepest point below the other's surface.
#[must_use]
pub fn soft_overlaps(world: &World) -> Vec<BodyPenetration> {
    let size = |name: &str| {
        let soft = world.soft_descriptions().iter().find(|body| body.name == name).map(soft_size);
        let rigid = || {
            let body = world.descriptions().iter().find(|body| body.name == name)?;
            Some(body.shape.bounding_radius())
        };
        soft.or_else(rigid).unwrap_or(f64::INFINITY)
    };
    let found = world.soft_overlaps().into_iter().map(|overlap| {
        let size = size(&overlap.bodies[0]).min(size(&overlap.bodies[1]));
        BodyPenetration { bodies: overlap.bodies, depth: overlap.depth, size }
    });
    let mut found: Vec<_> = found.filter(|overlap| !is_touching(overlap)).collect();
    found.sort_by(|a, b| a.bodies.cmp(&b.bodies));
    found
}
