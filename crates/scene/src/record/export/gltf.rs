//! Animated glTF 2.0, binary.
//!
//! The scene has the node `z_up`, which rotates z up to y up, and a child for each body: node `i + 1` is body `i`. Bodies that
//! move have two channels, translation and rotation, with a key for each recorded state and linear interpolation. A soft body
//! has a morph target for each recorded state but the first, of which every `k`-th is taken if there are more than
//! [`MAX_TARGETS`].

use std::path::Path;

use nalgebra::{Isometry3, Quaternion, UnitQuaternion};
use serde_json::{Value, json};

use super::subject::{SoftBody, Subject};
use crate::record::bundle::whole;
use crate::record::error::RecordError;
use crate::record::source::StateSource;
use extricate_core::geometry::TriangleMesh;

/// Maximum number of morph targets of a soft body: their weights take memory that is quadratic in their number. Half of it:
/// shorter files with coarser motion; twice: programs that draw them run out of memory.
const MAX_TARGETS: usize = 256;

/// Component type of single-precision numbers.
const FLOAT: u32 = 5126;
/// Component type of unsigned 32-bit integers.
const UNSIGNED: u32 = 5125;
/// Target of a buffer view with vertices.
const VERTICES: u32 = 34962;
/// Target of a buffer view with indices.
const INDICES: u32 = 34963;

/// The parts of a file as it is built.
#[derive(Default)]
struct Builder {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    nodes: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

/// Writes the file and returns the number of states.
pub(super) fn write(
    recording: &dyn StateSource,
    subject: &mut Subject,
    path: &Path,
) -> Result<usize, RecordError> {
    let count = recording.state_count();
    let stride = (count - 1).div_ceil(MAX_TARGETS).max(1);
    let mut poses = vec![Vec::with_capacity(count); subject.bodies.len()];
    let mut shapes = vec![Vec::new(); subject.soft.len()];
    let mut times = Vec::with_capacity(count);
    for index in 0..count {
        let state = recording.state(index)?;
        times.push(single(state.time));
        poses.iter_mut().zip(state.poses()).for_each(|(poses, pose)| poses.push(pose));
        if index % stride == 0 || index + 1 == count {
            for ((shapes, body), soft) in shapes.iter_mut().zip(&subject.soft).zip(&state.soft) {
                shapes.push((state.time, body.points(soft)));
            }
        }
    }
    if stride > 1 && !subject.soft.is_empty() {
        let note = format!(
            "states of the soft bodies: one of {stride} is taken, since a file holds at most {MAX_TARGETS} shapes"
        );
        subject.left_out.push(note);
    }
    let mut builder = Builder::default();
    let times = builder.times(&times);
    let to_y_up = UnitQuaternion::from_axis_angle(&nalgebra::Vector3::x_axis(), -std::f64::consts::FRAC_PI_2);
    let children: Vec<usize> = (1..=subject.bodies.len() + subject.soft.len()).collect();
    builder.nodes.push(json!({"name": "z_up", "rotation": xyzw(&to_y_up), "children": children}));
    builder.bodies(subject, &poses, times);
    for (body, shapes) in subject.soft.iter().zip(&shapes) {
        builder.soft(body, shapes);
    }
    whole(path, &builder.finished(path)?)?;
    Ok(count)
}

impl Builder {
    fn bodies(&mut self, subject: &Subject, poses: &[Vec<Isometry3<f64>>], times: usize) {
        // A mesh has a colour: bodies of other colours share its accessors.
        let geometries: Vec<[usize; 2]> = subject.meshes.iter().map(|mesh| self.geometry(mesh)).collect();
        let mut colored: Vec<(usize, [f64; 3])> = Vec::new();
        for (body, poses) in subject.bodies.iter().zip(poses) {
            let first = poses[0];
            let mut node = json!({
                "name": body.name,
                "translation": first.translation.vector.map(single).as_slice(),
                "rotation": xyzw(&first.rotation),
            });
            if let Some(geometry) = body.mesh {
                let known = colored.iter().position(|key| *key == (geometry, body.color));
                node["mesh"] = json!(known.unwrap_or_else(|| {
                    colored.push((geometry, body.color));
                    let [positions, indices] = geometries[geometry];
                    let primitive = json!({"attributes": {"POSITION": positions}, "indices": indices});
                    self.mesh(&body.name, body.color, primitive)
                }));
            }
            self.nodes.push(node);
            if poses.iter().any(|pose| *pose != first) {
                self.motion(poses, times);
            }
        }
    }

    /// Animates the last node along poses.
    fn motion(&mut self, poses: &[Isometry3<f64>], times: usize) {
        let translations = poses.iter().flat_map(|pose| {
            let [x, y, z] = pose.translation.vector.into();
            [x, y, z].map(single)
        });
        let translations = self.numbers(&translations.collect::<Vec<_>>(), "VEC3", None);
        let mut last = Quaternion::identity();
        let rotations = poses.iter().flat_map(|pose| {
            // Of the two quaternions of a rotation the one closer to the last: interpolation takes the shorter path.
            let quaternion = *pose.rotation.quaternion();
            last = if quaternion.dot(&last) < 0.0 { -quaternion } else { quaternion };
            let [x, y, z, w] = last.coords.into();
            [x, y, z, w].map(single)
        });
        let rotations = rotations.collect::<Vec<_>>();
        let rotations = self.numbers(&rotations, "VEC4", None);
        self.channel("translation", times, translations);
        self.channel("rotation", times, rotations);
    }

    /// Adds a soft body: its first shape, and a morph target for each other one.
    fn soft(&mut self, body: &SoftBody, shapes: &[(f64, Vec<nalgebra::Point3<f64>>)]) {
        let [(_, first), others @ ..] = shapes else { return };
        let corners: Vec<u32> = body.triangles.iter().flatten().copied().collect();
        let positions = self.positions(&first.iter().map(|point| point.coords).collect::<Vec<_>>());
        let indices = self.indices(&corners);
        let targets: Vec<Value> = (others.iter())
            .map(|(_, points)| {
                points.iter().zip(first).map(|(point, first)| point - first).collect::<Vec<_>>()
            })
            .map(|displacements| json!({"POSITION": self.positions(&displacements)}))
            .collect();
        let mut primitive = json!({"attributes": {"POSITION": positions}, "indices": indices});
        if !others.is_empty() {
            primitive["targets"] = json!(targets);
        }
        let mesh = self.mesh(&body.name, body.color, primitive);
        self.nodes.push(json!({"name": body.name, "mesh": mesh}));
        if others.is_empty() {
            return;
        }
        self.meshes[mesh]["weights"] = json!(vec![0.0; others.len()]);
        let times: Vec<f32> = shapes.iter().map(|&(time, _)| single(time)).collect();
        let times = self.times(&times);
        // At the state `i` the target `i - 1` has the weight one, and all others zero.
        let weights = (0..shapes.len()).flat_map(|state| {
            (1..shapes.len()).map(move |target| if state == target { 1.0_f32 } else { 0.0 })
        });
        let weights = weights.collect::<Vec<_>>();
        let weights = self.numbers(&weights, "SCALAR", None);
        self.channel("weights", times, weights);
    }

    /// Animates a property of the last node.
    fn channel(&mut self, property: &str, times: usize, values: usize) {
        let (sampler, node) = (self.samplers.len(), self.nodes.len() - 1);
        self.samplers.push(json!({"input": times, "output": values, "interpolation": "LINEAR"}));
        self.channels.push(json!({"sampler": sampler, "target": {"node": node, "path": property}}));
    }

    fn geometry(&mut self, mesh: &TriangleMesh) -> [usize; 2] {
        let positions = self.positions(&mesh.vertices().iter().map(|point| point.coords).collect::<Vec<_>>());
        [positions, self.indices(mesh.triangles().as_flattened())]
    }

    fn mesh(&mut self, name: &str, color: [f64; 3], mut primitive: Value) -> usize {
        // Colours of materials are linear.
        let linear = color.map(|value| value.powf(2.2));
        primitive["material"] = json!(self.materials.len());
        self.materials.push(json!({
            "doubleSided": true,
            "pbrMetallicRoughness": {
                "baseColorFactor": [linear[0], linear[1], linear[2], 1.0],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.8,
            },
        }));
        self.meshes.push(json!({"name": name, "primitives": [primitive]}));
        self.meshes.len() - 1
    }

    fn positions(&mut self, points: &[nalgebra::Vector3<f64>]) -> usize {
        let numbers: Vec<f32> =
            points.iter().flat_map(|point| <[f64; 3]>::from(*point).map(single)).collect();
        let accessor = self.numbers(&numbers, "VEC3", Some(VERTICES));
        let bound = |choose: fn(f32, f32) -> f32, start: f32| {
            [0, 1, 2].map(|axis| numbers.iter().skip(axis).step_by(3).copied().fold(start, choose))
        };
        self.accessors[accessor]["min"] = json!(bound(f32::min, f32::INFINITY));
        self.accessors[accessor]["max"] = json!(bound(f32::max, f32::NEG_INFINITY));
        accessor
    }

    fn times(&mut self, times: &[f32]) -> usize {
        let accessor = self.numbers(times, "SCALAR", None);
        self.accessors[accessor]["min"] = json!([times.first()]);
        self.accessors[accessor]["max"] = json!([times.last()]);
        accessor
    }

    fn numbers(&mut self, numbers: &[f32], kind: &str, target: Option<u32>) -> usize {
        let width = match kind {
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 1,
        };
        let view = self.view(numbers.iter().flat_map(|number| number.to_le_bytes()), target);
        let count = numbers.len() / width;
        self.accessors
            .push(json!({"bufferView": view, "componentType": FLOAT, "count": count, "type": kind}));
        self.accessors.len() - 1
    }

    fn indices(&mut self, indices: &[u32]) -> usize {
        let view = self.view(indices.iter().flat_map(|index| index.to_le_bytes()), Some(INDICES));
        let count = indices.len();
        self.accessors
            .push(json!({"bufferView": view, "componentType": UNSIGNED, "count": count, "type": "SCALAR"}));
        self.accessors.len() - 1
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>, target: Option<u32>) -> usize {
        let start = self.binary.len();
        self.binary.extend(bytes);
        let mut view = json!({"buffer": 0, "byteOffset": start, "byteLength": self.binary.len() - start});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// The bytes of the file.
    fn finished(self, path: &Path) -> Result<Vec<u8>, RecordError> {
        let Self { binary, views, accessors, meshes, materials, nodes, samplers, channels } = self;
        let mut content = json!({
            "asset": {"version": "2.0", "generator": concat!("extricate ", env!("CARGO_PKG_VERSION"))},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": nodes,
            "bufferViews": views,
            "accessors": accessors,
            "buffers": [{"byteLength": binary.len()}],
        });
        // Empty lists are invalid.
        for (name, list) in [("meshes", meshes), ("materials", materials)] {
            if !list.is_empty() {
                content[name] = Value::Array(list);
            }
        }
        if !channels.is_empty() {
            content["animations"] = json!([{"name": "run", "samplers": samplers, "channels": channels}]);
        }
        let mut text = content.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let length = 12 + 8 + text.len() + 8 + binary.len();
        let too_long = |_| {
            let cause = format!(
                "the run would take {length} bytes, and glTF files have at most 4 GiB; `run --every` records fewer states"
            );
            RecordError::damaged(path, None, cause)
        };
        let length = u32::try_from(length).map_err(too_long)?;
        let mut bytes = b"glTF".to_vec();
        bytes.extend(2_u32.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        for (kind, chunk) in [(b"JSON", text), (b"BIN\0", binary)] {
            bytes.extend((chunk.len() as u32).to_le_bytes());
            bytes.extend(kind);
            bytes.extend(chunk);
        }
        Ok(bytes)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "glTF has numbers of single precision")]
fn single(number: f64) -> f32 {
    number as f32
}

fn xyzw(rotation: &UnitQuaternion<f64>) -> [f32; 4] {
    let [x, y, z, w] = rotation.coords.into();
    [x, y, z, w].map(single)
}
