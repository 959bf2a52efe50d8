//! MCAP recordings [MCAP format specification, version 0], with messages in JSON and the schemas of Foxglove.
//!
//! | topic | schema | message |
//! |---|---|---|
//! | `/tf` | `foxglove.FrameTransforms` | poses of all rigid bodies in the frame `world`, for each state |
//! | `/scene` | `foxglove.SceneUpdate` | every mesh once in the frame of its body; surfaces of soft bodies for each state |
//! | `/joints` | `extricate.JointStates` | values of the joints of robots, for each state \[rad or m\] |
//! | `/contacts` | `extricate.Contacts` | number of contacts and maximum penetration \[m\], for each state |
//!
//! The records are in chunks with indices, so that programs may seek; nothing is compressed. Times are those of the simulation.

mod writer;

use std::path::Path;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use serde_json::{Value, json};

use self::writer::{Channel, Writer};
use super::subject::Subject;
use crate::record::error::RecordError;
use crate::record::recording::Recording;
use crate::state::WorldState;

/// Channels in the order of their numbers: topic, name of the schema, and the JSON schema.
const CHANNELS: [Channel; 4] = [
    Channel { topic: "/tf", schema: "foxglove.FrameTransforms", definition: FRAME_TRANSFORMS },
    Channel { topic: "/scene", schema: "foxglove.SceneUpdate", definition: SCENE_UPDATE },
    Channel { topic: "/joints", schema: "extricate.JointStates", definition: JOINT_STATES },
    Channel { topic: "/contacts", schema: "extricate.Contacts", definition: CONTACTS },
];
const TRANSFORMS: u16 = 0;
const SCENE: u16 = 1;
const JOINTS: u16 = 2;
const SUMMARY: u16 = 3;

const FRAME_TRANSFORMS: &str = r#"{"title":"foxglove.FrameTransforms","type":"object","properties":{"transforms":{"type":"array","items":{"type":"object","properties":{"timestamp":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"parent_frame_id":{"type":"string"},"child_frame_id":{"type":"string"},"translation":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}}},"rotation":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"},"w":{"type":"number"}}}}}}}}"#;
const SCENE_UPDATE: &str = r#"{"title":"foxglove.SceneUpdate","type":"object","properties":{"deletions":{"type":"array","items":{"type":"object"}},"entities":{"type":"array","items":{"type":"object","properties":{"timestamp":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"frame_id":{"type":"string"},"id":{"type":"string"},"lifetime":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"frame_locked":{"type":"boolean"},"metadata":{"type":"array"},"arrows":{"type":"array"},"cubes":{"type":"array"},"spheres":{"type":"array"},"cylinders":{"type":"array"},"lines":{"type":"array"},"triangles":{"type":"array","items":{"type":"object"}},"texts":{"type":"array"},"models":{"type":"array"}}}}}}"#;
const JOINT_STATES: &str = r#"{"title":"extricate.JointStates","type":"object","properties":{"timestamp":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"robots":{"type":"object","additionalProperties":{"type":"object","additionalProperties":{"type":"number"}}}}}"#;
const CONTACTS: &str = r#"{"title":"extricate.Contacts","type":"object","properties":{"timestamp":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"step":{"type":"integer"},"contacts":{"type":"integer"},"max_penetration":{"type":"number"}}}"#;

/// Frame of the world.
const WORLD: &str = "world";

/// Writes the file and returns the number of states.
pub(super) fn write(recording: &Recording, subject: &Subject, path: &Path) -> Result<usize, RecordError> {
    let failed = |source| RecordError::write(path, source);
    // Written under another name and then renamed: a complete file or none.
    let part = path.with_extension("mcap.part");
    let library = concat!("extricate ", env!("CARGO_PKG_VERSION"));
    let mut writer = Writer::create(&part, library, &CHANNELS).map_err(failed)?;
    let count = recording.state_count();
    for index in 0..count {
        let state = recording.state(index)?;
        let time = nanoseconds(state.time);
        let mut send = |channel: u16, message: Value| {
            writer.message(channel, time, message.to_string().as_bytes()).map_err(failed)
        };
        if index == 0 {
            send(SCENE, meshes(subject, time))?;
        }
        send(TRANSFORMS, transforms(&state, time))?;
        if !subject.soft.is_empty() {
            send(SCENE, soft_surfaces(subject, &state, time))?;
        }
        if !state.robots.is_empty() {
            let robots: serde_json::Map<String, Value> =
                state.robots.iter().map(|robot| (robot.name.clone(), json!(robot.joints))).collect();
            send(JOINTS, json!({"timestamp": stamp(time), "robots": robots}))?;
        }
        let (contacts, depth) = (state.contacts, state.max_penetration);
        send(
            SUMMARY,
            json!({"timestamp": stamp(time), "step": state.step, "contacts": contacts, "max_penetration": depth}),
        )?;
    }
    writer.finish().and_then(|()| std::fs::rename(&part, path)).map_err(failed)?;
    Ok(count)
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
        Some(entity((&body.name, &body.name), triangles, time))
    });
    json!({"deletions": [], "entities": entities.collect::<Vec<_>>()})
}

fn soft_surfaces(subject: &Subject, state: &WorldState, time: u64) -> Value {
    let entities = subject.soft.iter().zip(&state.soft).map(|(body, soft)| {
        let triangles = triangles(&body.points(soft), body.triangles.as_flattened(), body.color);
        entity((&body.name, WORLD), triangles, time)
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

/// An entity that stays until one with the same name replaces it.
fn entity((name, frame): (&str, &str), triangles: Value, time: u64) -> Value {
    json!({
        "timestamp": stamp(time), "frame_id": frame, "id": name, "lifetime": stamp(0), "frame_locked": true,
        "metadata": [], "arrows": [], "cubes": [], "spheres": [], "cylinders": [], "lines": [],
        "triangles": [triangles], "texts": [], "models": [],
    })
}
