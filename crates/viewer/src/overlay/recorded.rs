//! Contacts of a recorded run, with the indices of their bodies.

use nalgebra::Unit;

use crate::models::Models;
use extricate_dynamics::{AnyBody, WorldContact};
use extricate_scene::record::{ContactPoint, Recording, StateSource};

/// Norm below which the normal of a recorded contact has no direction.
const NO_DIRECTION: f64 = 1e-12;

/// Contacts of a recorded state; `None` where they were not recorded.
///
/// # Errors
/// A message for the user when they cannot be read, or do not belong to the scene.
pub(crate) fn recorded_contacts(
    recording: &Recording,
    state: usize,
    models: &Models,
) -> Result<Option<Vec<WorldContact>>, String> {
    let contacts = StateSource::contacts(recording, state).map_err(|error| error.to_string())?;
    let step = recording.step(state);
    let named = |contact: ContactPoint| {
        world_contact(&contact, models).map_err(|cause| format!("contacts of step {step}: {cause}"))
    };
    contacts.map(|contacts| contacts.into_iter().map(named).collect()).transpose()
}

fn world_contact(contact: &ContactPoint, models: &Models) -> Result<WorldContact, String> {
    let body = |name: &String| {
        let soft = || models.soft.iter().position(|body| body.name == *name).map(AnyBody::Soft);
        let body = models.body(name).map(AnyBody::Rigid).or_else(soft);
        body.ok_or_else(|| format!("the scene has no body `{name}`"))
    };
    let [first, second] = &contact.bodies;
    let normal = Unit::try_new(contact.normal, NO_DIRECTION);
    Ok(WorldContact {
        bodies: [body(first)?, body(second)?],
        point: contact.point,
        normal: normal
            .ok_or_else(|| format!("the normal between `{first}` and `{second}` has no direction"))?,
        depth: contact.depth,
        force: contact.force,
    })
}
