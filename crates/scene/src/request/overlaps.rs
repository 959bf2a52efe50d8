//! Overlaps in the world of a scene.

use super::fault::{Class, Fault};
use super::text;
use crate::scene::{Scene, overlaps, soft_overlaps};
use extricate_core::penetration::Effort;
use extricate_dynamics::{BodyPenetration, World};

/// The world of a scene.
pub(super) fn build(scene: &Scene) -> Result<World, Fault> {
    scene.world().map_err(|error| Fault::of(Class::BadFile, &error))
}

/// The overlaps of rigid bodies.
pub(super) fn measured(world: &World) -> Result<Vec<BodyPenetration>, Fault> {
    overlaps(world, Effort::Best).map_err(|error| Fault::of(Class::Numerical, &error))
}

/// The overlaps of rigid bodies, followed by those of soft bodies.
pub(super) fn all_measured(world: &World) -> Result<Vec<BodyPenetration>, Fault> {
    let mut found = measured(world)?;
    found.extend(soft_overlaps(world));
    Ok(found)
}

/// Message that overlaps of soft bodies remain, if there are any.
pub(super) fn soft_overlap_message(world: &World) -> Option<String> {
    let overlaps = soft_overlaps(world);
    let pairs: Vec<String> = overlaps.iter().map(text::overlap).collect();
    let why = "soft bodies overlap; repair moves them rigidly, but not where something holds their nodes (a run pushes the bodies apart)";
    (!pairs.is_empty()).then(|| format!("{why}:\n  {}", pairs.join("\n  ")))
}
