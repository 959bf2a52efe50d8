//! A scene and its world as a run begins with them.

use super::bodies_repair::moved_apart;
use super::fault::{Class, Fault};
use super::overlaps::{all_measured, build, not_moved};
use super::scene_repair;
use super::text;
use crate::scene::Scene;
use crate::scene::schema::OnOverlap;
use extricate_dynamics::World;

/// The scene and its world at the start: repaired, or refused, where bodies overlap and the scene says that they must not.
///
/// # Errors
/// A [`Fault`] where bodies overlap and must not, or cannot be repaired.
pub fn at_start(scene: Scene) -> Result<(Scene, World), Fault> {
    let world = build(&scene)?;
    if scene.on_overlap == OnOverlap::Ignore {
        return Ok((scene, world));
    }
    let overlaps = all_measured(&world)?;
    if overlaps.is_empty() {
        return Ok((scene, world));
    }
    if scene.on_overlap == OnOverlap::Repair {
        return repaired(scene, &world);
    }
    let pairs: Vec<String> = overlaps.iter().map(text::overlap).collect();
    let message = format!("{}: bodies overlap at the start:\n  {}", scene.path.display(), pairs.join("\n  "));
    Err(Fault::new(Class::InitialPenetration, message))
}

/// The scene without overlaps and its world, for a run: bodies moved apart, and robots put where they are free.
fn repaired(scene: Scene, world: &World) -> Result<(Scene, World), Fault> {
    let scene = match scene.robots.is_empty() {
        true => moved_apart(scene, world)?,
        false => scene_repair::repaired(scene, world)?,
    };
    let world = build(&scene)?;
    match not_moved(&world) {
        Some(message) => Err(Fault::new(Class::NoFreePose, format!("{}: {message}", scene.path.display()))),
        None => Ok((scene, world)),
    }
}
