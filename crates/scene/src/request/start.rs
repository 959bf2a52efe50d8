//! Scene and world at the start of a run.

use super::bodies_repair::moved_apart;
use super::fault::{Class, Fault};
use super::overlaps::{all_measured, build, soft_overlap_message};
use super::repair::has_moving_joints;
use super::scene_repair;
use super::text;
use crate::scene::Scene;
use crate::scene::schema::OnOverlap;
use extricate_dynamics::World;

/// The scene and its world at the start: where bodies overlap, ignored, repaired or refused by the policy of the scene.
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

/// The repaired scene and its world, for a run: bodies separated, robots at collision-free configurations, soft bodies moved rigidly.
fn repaired(scene: Scene, world: &World) -> Result<(Scene, World), Fault> {
    let is_rigid = soft_overlap_message(world).is_none();
    let scene = match is_rigid && scene.robots.is_empty() && !has_moving_joints(&scene) {
        true => moved_apart(scene, world)?,
        false => scene_repair::repaired(scene, world)?,
    };
    let world = build(&scene)?;
    match soft_overlap_message(&world) {
        Some(message) => Err(Fault::new(Class::NoFreePose, format!("{}: {message}", scene.path.display()))),
        None => Ok((scene, world)),
    }
}
