//! A run as messages in JSON with the schemas of Foxglove: those of MCAP recordings, and of live streams.
//!
//! | topic | schema | message |
//! |---|---|---|
//! | `/tf` | `foxglove.FrameTransforms` | poses of all rigid bodies in the frame `world`, for each state |
//! | `/scene` | `foxglove.SceneUpdate` | every mesh once in the frame of its body; surfaces of soft bodies for each state |
//! | `/joints` | `foxglove.JointStates` | positions of the joints `robot/joint`, for each state \[rad or m\] |
//! | `/contacts` | `extricate.Contacts` | contacts with bodies, point, normal, depth \[m\] and force \[N\], for each state |
//! | `/contact_markers` | `foxglove.SceneUpdate` | the same to look at: an arrow along each normal, for each state |
//!
//! Where contacts are not known, `/contacts` has their number and the maximum penetration, and there are no markers. Times are those of the
//! simulation.

use nalgebra::{Point3, Unit, UnitQuaternion, Vector3};
use serde_json::{Value, json};

use super::subject::Subject;
use crate::record::contacts::ContactPoint;
use crate::state::WorldState;

/// A channel of messages in JSON.
#[derive(Debug, Clone, Copy)]
pub struct Channel {
    /// Its name.
    pub topic: &'static str,
    /// Name of its schema.
    pub schema: &'static str,
    /// JSON schema of its messages.
    pub definition: &'static str,
}

/// A message of a channel.
#[derive(Debug, Clone)]
pub struct Message {
    /// Index of the channel in [`CHANNELS`].
    pub channel: u16,
    /// Simulated time \[ns\].
    pub time: u64,
    /// Its content, in JSON.
    pub content: Vec<u8>,
}

impl Message {
    fn new(channel: u16, time: u64, content: &Value) -> Self {
        Self { channel, time, content: content.to_string().into_bytes() }
    }
}

/// Channels in the order of their numbers: topic, name of the schema, and the JSON schema.
pub const CHANNELS: [Channel; 5] = [
    Channel { topic: "/tf", schema: "foxglove.FrameTransforms", definition: FRAME_TRANSFORMS },
    Channel { topic: "/scene", schema: "foxglove.SceneUpdate", definition: SCENE_UPDATE },
    Channel { topic: "/joints", schema: "foxglove.JointStates", definition: JOINT_STATES },
    Channel { topic: "/contacts", schema: "extricate.Contacts", definition: CONTACTS },
    Channel { topic: "/contact_markers", schema: "foxglove.SceneUpdate", definition: SCENE_UPDATE },
];
const TRANSFORMS: u16 = 0;
const SCENE: u16 = 1;
const JOINTS: u16 = 2;
const POINTS: u16 = 3;
const MARKERS: u16 = 4;

const FRAME_TRANSFORMS: &str = r#"{"title":"foxglove.FrameTransforms","type":"object","properties":{"transforms":{"type":"array","items":{"type":"object","properties":{"timestamp":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"parent_frame_id":{"type":"string"},"child_frame_id":{"type":"string"},"translation":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}}},"rotation":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"},"w":{"type":"number"}}}}}}}}"#;
const SCENE_UPDATE: &str = r#"{"title":"foxglove.SceneUpdate","type":"object","properties":{"deletions":{"type":"array","items":{"type":"object"}},"entities":{"type":"array","items":{"type":"object","properties":{"timestamp":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"frame_id":{"type":"string"},"id":{"type":"string"},"lifetime":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"frame_locked":{"type":"boolean"},"metadata":{"type":"array"},"arrows":{"type":"array"},"cubes":{"type":"array"},"spheres":{"type":"array"},"cylinders":{"type":"array"},"lines":{"type":"array"},"triangles":{"type":"array","items":{"type":"object"}},"texts":{"type":"array"},"models":{"type":"array"}}}}}}"#;
const JOINT_STATES: &str = r#"{"title":"foxglove.JointStates","type":"object","properties":{"timestamp":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"joints":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"position":{"type":"number"},"velocity":{"type":"number"},"effort":{"type":"number"}}}}}}"#;
const CONTACTS: &str = r#"{"title":"extricate.Contacts","type":"object","properties":{"timestamp":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"step":{"type":"integer"},"count":{"type":"integer"},"max_penetration":{"type":"number"},"contacts":{"type":"array","items":{"type":"object","properties":{"bodies":{"type":"array","items":{"type":"string"}},"point":{"type":"array","items":{"type":"number"}},"normal":{"type":"array","items":{"type":"number"}},"depth":{"type":"number"},"force":{"type":"number"}}}}}}"#;

/// Frame of the world.
const WORLD: &str = "world";
/// Length of the arrow of a contact, relative to the median size of the bodies with a surface. Half of it: arrows are hidden by the
/// bodies; twice: those of neighbouring contacts cover each other.
const ARROW: f64 = 0.5;
/// Colour of the arrows: that of Okabe and Ito which no body has.
const ARROW_COLOR: [f64; 3] = [0.941, 0.894, 0.259];

impl Subject {
    /// The meshes of all rigid bodies, each in the frame of its body, at a time \[s\].
    #[must_use]
    pub fn mesh_message(&self, time: f64) -> Message {
        let time = nanoseconds(time);
        Message::new(SCENE, time, &meshes(self, time))
    }

    /// Messages of a state; `contacts` are those of its step where they are known.
    #[must_use]
    pub fn state_messages(&self, state: &WorldState, contacts: Option<&[ContactPoint]>) -> Vec<Message> {
        let time = nanoseconds(state.time);
        let mut messages = vec![Message::new(TRANSFORMS, time, &transforms(state, time))];
        let mut add = |channel, content: &Value| messages.push(Message::new(channel, time, content));
        if !self.soft.is_empty() {
            add(SCENE, &soft_surfaces(self, state, time));
        }
        if !state.robots.is_empty() {
            add(JOINTS, &joints(state, time));
        }
        add(POINTS, &points(state, contacts, time));
        if let Some(contacts) = contacts {
            add(MARKERS, &markers(contacts, ARROW * self.size, time));
        }
        messages
    }
}

/// Positions of the joints of all robots.
fn joints(state: &WorldState, time: u64) -> Value {
    let of_robot = |robot: &extricate_dynamics::RobotState| {
        let named = |(joint, position): (&String, &f64)| json!({"name": format!("{}/{joint}", robot.name), "position": position});
        robot.joints.iter().map(named).collect::<Vec<_>>()
    };
    json!({"timestamp": stamp(time), "joints": state.robots.iter().flat_map(of_robot).collect::<Vec<_>>()})
}

/// The contacts of a state as numbers.
fn points(state: &WorldState, contacts: Option<&[ContactPoint]>, time: u64) -> Value {
    json!({
        "timestamp": stamp(time), "step": state.step, "count": state.contacts,
        "max_penetration": state.max_penetration, "contacts": contacts.unwrap_or_default(),
    })
}

/// The contacts of a state as one entity, which replaces that of the state before.
fn markers(contacts: &[ContactPoint], length: f64, time: u64) -> Value {
    let arrow = |contact: &ContactPoint| {
        let rotation =
            UnitQuaternion::rotation_between_axis(&Vector3::x_axis(), &Unit::new_unchecked(contact.normal));
        // A normal along -x has no shortest rotation.
        let opposite = || UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI);
        let [r, g, b] = ARROW_COLOR;
        json!({
            "pose": {"position": xyz(contact.point.into()), "orientation": xyzw(&rotation.unwrap_or_else(opposite))},
            "shaft_length": 0.7 * length, "shaft_diameter": 0.06 * length,
            "head_length": 0.3 * length, "head_diameter": 0.15 * length,
            "color": {"r": r, "g": g, "b": b, "a": 1.0},
        })
    };
    let arrows = contacts.iter().map(arrow).collect::<Vec<_>>();
    json!({"deletions": [], "entities": [entity(("contacts", WORLD), ("arrows", json!(arrows)), time)]})
}

/// Time in nanoseconds of a time in seconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "times of runs are far below the 584 years of 64 bits"
)]
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

fn stamp(time: u64) -> Value {
    json!({"sec": time / 1_000_000_000, "nsec": time % 1_000_000_000})
}

fn xyz([x, y, z]: [f64; 3]) -> Value {
    json!({"x": x, "y": y, "z": z})
}

fn xyzw(rotation: &UnitQuaternion<f64>) -> Value {
    json!({"x": rotation.i, "y": rotation.j, "z": rotation.k, "w": rotation.w})
}

fn transforms(state: &WorldState, time: u64) -> Value {
    let transform = |body: &extricate_dynamics::BodyState| {
        json!({
            "timestamp": stamp(time),
            "parent_frame_id": WORLD,
            "child_frame_id": body.name,
            "translation": xyz(body.position.into()),
            "rotation": xyzw(&body.rotation),
        })
    };
    json!({"transforms": state.bodies.iter().map(transform).collect::<Vec<_>>()})
}

fn meshes(subject: &Subject, time: u64) -> Value {
    let entities = subject.bodies.iter().filter_map(|body| {
        let mesh = &subject.meshes[body.mesh?];
        let triangles = triangles(mesh.vertices(), mesh.triangles().as_flattened(), body.color);
        Some(entity((&body.name, &body.name), ("triangles", json!([triangles])), time))
    });
    json!({"deletions": [], "entities": entities.collect::<Vec<_>>()})
}

fn soft_surfaces(subject: &Subject, state: &WorldState, time: u64) -> Value {
    let entities = subject.soft.iter().zip(&state.soft).map(|(body, soft)| {
        let triangles = triangles(&body.points(soft), body.triangles.as_flattened(), body.color);
        entity((&body.name, WORLD), ("triangles", json!([triangles])), time)
    });
    json!({"deletions": [], "entities": entities.collect::<Vec<_>>()})
}

fn triangles(points: &[Point3<f64>], indices: &[u32], [r, g, b]: [f64; 3]) -> Value {
    let pose =
        json!({"position": xyz(Vector3::zeros().into()), "orientation": xyzw(&UnitQuaternion::identity())});
    json!({
        "pose": pose,
        "points": points.iter().map(|point| xyz((*point).into())).collect::<Vec<_>>(),
        "color": {"r": r, "g": g, "b": b, "a": 1.0},
        "colors": [],
        "indices": indices,
    })
}

/// An entity with primitives of a kind, which stays until one with the same name replaces it.
fn entity((name, frame): (&str, &str), (kind, primitives): (&str, Value), time: u64) -> Value {
    let mut entity = json!({
        "timestamp": stamp(time), "frame_id": frame, "id": name, "lifetime": stamp(0), "frame_locked": true,
        "metadata": [], "arrows": [], "cubes": [], "spheres": [], "cylinders": [], "lines": [],
        "triangles": [], "texts": [], "models": [],
    });
    entity[kind] = primitives;
    entity
}
