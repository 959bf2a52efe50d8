//! Poses of everything at an instant, as they are sent.

use serde_json::{Value, json};

use extricate_dynamics::{Energy, StepReport, World};
use extricate_scene::record::{ContactPoint, WorldState};
use nalgebra::{Isometry3, Point3};

use crate::encode::{bytes_of, message, single};
use crate::stage::Stage;

/// Numbers of a pose: position, and quaternion x, y, z, w.
const POSE: usize = 7;
/// Numbers of a contact: point, normal, depth, force.
const CONTACT: usize = 8;

/// Poses of everything at an instant, as it is sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    /// Fields of the header.
    pub(crate) fields: Value,
    poses: Vec<f32>,
    nodes: Vec<f32>,
    contacts: Vec<f32>,
}

impl Frame {
    /// The state of a record.
    pub(crate) fn of_state(stage: &Stage, state: &WorldState, contacts: &[ContactPoint]) -> Self {
        let mut frame = Self::default();
        state.poses().for_each(|pose| frame.pose(&pose));
        for (body, soft) in stage.subject().soft.iter().zip(&state.soft) {
            body.points(soft).iter().for_each(|point| frame.node(point));
        }
        frame.add_contacts(contacts);
        frame.fields = json!({
            "step": state.step, "time": state.time, "energy": energy(&state.energy),
            "contact_count": state.contacts, "max_penetration": state.max_penetration,
        });
        frame
    }

    /// The state of a world, after a step if there was one.
    pub(crate) fn of_world(stage: &Stage, world: &World, report: Option<&StepReport>) -> Self {
        let mut frame = Self::default();
        for body in world.bodies() {
            frame.pose(&Isometry3::from_parts(body.position.coords.into(), body.rotation));
        }
        for body in &stage.subject().soft {
            let positions = world.soft_positions(&body.name).unwrap_or_default();
            for &node in &body.nodes {
                let place = positions.get(node as usize).copied().unwrap_or_default();
                frame.nodes.extend(place.iter().copied().map(single));
            }
        }
        if report.is_some() {
            frame.add_contacts(&ContactPoint::of(world));
        }
        let soft = report.and_then(|report| report.soft).map_or(0, |soft| soft.contacts);
        frame.fields = json!({
            "step": world.steps(), "time": world.time(), "energy": energy(&world.energy()),
            "contact_count": report.map_or(0, |report| report.contacts + soft),
            "max_penetration": report.map_or(0.0, |report| report.max_penetration),
            "step_ms": report.map_or(0.0, |report| 1e3 * report.timings.total.as_secs_f64()),
        });
        frame
    }

    /// Adds the pose of the next body.
    pub(crate) fn pose(&mut self, pose: &Isometry3<f64>) {
        let (place, q) = (pose.translation.vector, pose.rotation.coords);
        self.poses.extend([place.x, place.y, place.z, q.x, q.y, q.z, q.w].map(single));
    }

    /// Adds the next node of a soft body [m, world].
    pub(crate) fn node(&mut self, point: &Point3<f64>) {
        self.nodes.extend(point.coords.iter().copied().map(single));
    }

    fn add_contacts(&mut self, contacts: &[ContactPoint]) {
        for contact in contacts {
            self.contacts.extend(contact.point.iter().chain(contact.normal.iter()).copied().map(single));
            self.contacts.extend([single(contact.depth), single(contact.force)]);
        }
    }

    /// Size \[bytes\], about.
    pub(crate) fn size(&self) -> usize {
        512 + 4 * (self.poses.len() + self.nodes.len() + self.contacts.len())
    }

    /// The message, with further fields of the header.
    pub(crate) fn message(&self, id: u64, further: Value) -> Vec<u8> {
        let mut header = json!({
            "id": id, "kind": "frame", "poses": self.poses.len() / POSE, "nodes": self.nodes.len() / 3,
            "contacts": self.contacts.len() / CONTACT,
        });
        for fields in [self.fields.clone(), further] {
            if let (Value::Object(header), Value::Object(fields)) = (&mut header, fields) {
                header.extend(fields);
            }
        }
        message(&header, &[&bytes_of(&self.poses), &bytes_of(&self.nodes), &bytes_of(&self.contacts)])
    }
}

fn energy(energy: &Energy) -> [f64; 3] {
    [energy.kinetic, energy.potential, energy.elastic]
}
