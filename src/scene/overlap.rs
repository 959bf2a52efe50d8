//! Which bodies overlap.

use crate::dynamics::{BodyPenetration, World};
use crate::penetration::{Effort, PenetrationError, TranslationalOptions};

/// Depth over the size of the smaller body up to which two bodies touch and do not overlap: rounding of poses at a
/// thousand sizes from the origin, and far below what a contact solver can feel.
const TOUCHING: f64 = 1e-9;

/// All pairs of bodies that overlap, sorted by name; those that only touch are left out.
///
/// # Errors
/// [`PenetrationError`] when a depth could not be established.
pub fn overlaps(world: &World, effort: Effort) -> Result<Vec<BodyPenetration>, PenetrationError> {
    let options = TranslationalOptions { effort, ..TranslationalOptions::default() };
    let mut pairs = world.penetrations(&options)?;
    pairs.retain(|pair| !is_touching(pair));
    Ok(pairs)
}

/// A depth that is not a number is no touching.
fn is_touching(pair: &BodyPenetration) -> bool {
    pair.depth <= TOUCHING * pair.size
}
