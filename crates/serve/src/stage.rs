//! The bodies that are shown, with their surfaces and colours.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};

use extricate_core::geometry::ShapeError;
use extricate_core::query::Shape;
use extricate_dynamics::{BodyKind, World};
use extricate_scene::record::export::subject::Subject;
use extricate_scene::scene::Scene;

use crate::encode::{bytes_of, message, single};

/// Colours of the links of robots, in turn by robot; alternating by link.
const LINKS: [[[f64; 3]; 2]; 2] =
    [[[0.42, 0.48, 0.58], [0.62, 0.67, 0.75]], [[0.55, 0.46, 0.38], [0.74, 0.66, 0.57]]];

/// Colour of bodies that collide, which no body has by itself, and the one in its place.
const COLLIDING: [f64; 3] = [0.835, 0.369, 0.0];
const INSTEAD: [f64; 3] = [0.886, 0.827, 0.247];

/// Bodies of a scene with their surfaces.
#[derive(Debug)]
pub(crate) struct Stage {
    scene: Arc<Scene>,
    subject: Subject,
    /// Shapes and kinds of the bodies, in the order of [`Subject::bodies`].
    shapes: Vec<(Shape, BodyKind)>,
    names: HashMap<String, usize>,
}

impl Stage {
    /// The bodies of a world, which is that of the scene.
    pub(crate) fn new(scene: Arc<Scene>, world: &World) -> Result<Self, ShapeError> {
        let mut subject = Subject::of(world)?;
        let names =
            subject.bodies.iter().enumerate().map(|(index, body)| (body.name.clone(), index)).collect();
        let shapes = world.descriptions().iter().map(|body| (body.shape.clone(), body.kind)).collect();
        for (robot, colors) in scene.robots.iter().zip(LINKS.iter().cycle()) {
            let prefix = format!("{}/", robot.name);
            let links = subject.bodies.iter_mut().filter(|body| body.name.starts_with(&prefix));
            links.zip(colors.iter().cycle()).for_each(|(body, color)| body.color = *color);
        }
        let soft = subject.soft.iter_mut().map(|body| &mut body.color);
        let all = subject.bodies.iter_mut().map(|body| &mut body.color).chain(soft);
        all.filter(|color| color.iter().zip(COLLIDING).all(|(a, b)| a.to_bits() == b.to_bits()))
            .for_each(|color| *color = INSTEAD);
        Ok(Self { scene, subject, shapes, names })
    }

    pub(crate) fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    pub(crate) fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Index of a body or link.
    pub(crate) fn index(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// Shape and kind of a body.
    pub(crate) fn shape(&self, index: usize) -> &(Shape, BodyKind) {
        &self.shapes[index]
    }

    /// Number of bodies.
    pub(crate) fn len(&self) -> usize {
        self.shapes.len()
    }

    /// The message with all surfaces, and further fields of the header.
    pub(crate) fn message(&self, id: u64, further: Value) -> Vec<u8> {
        let mut vertices: Vec<f32> = Vec::new();
        let mut corners: Vec<u8> = Vec::new();
        let meshes: Vec<Value> = self
            .subject
            .meshes
            .iter()
            .map(|mesh| {
                vertices.extend(mesh.vertices().iter().flat_map(|v| [v.x, v.y, v.z]).map(single));
                corners.extend(mesh.triangles().iter().flatten().flat_map(|corner| corner.to_le_bytes()));
                json!([mesh.vertices().len(), mesh.triangles().len()])
            })
            .collect();
        let soft: Vec<Value> = self.subject.soft.iter().map(|body| {
            corners.extend(body.triangles.iter().flatten().flat_map(|corner| corner.to_le_bytes()));
            json!({"name": body.name, "nodes": body.nodes.len(), "triangles": body.triangles.len(), "color": body.color})
        }).collect();
        let bodies = self.subject.bodies.iter().zip(&self.shapes).map(|(body, (shape, kind))| {
            let robot = self.scene.robots.iter().find(|robot| {
                body.name.strip_prefix(robot.name.as_str()).is_some_and(|rest| rest.starts_with('/'))
            });
            json!({
                "name": body.name, "mesh": body.mesh, "color": body.color, "fixed": *kind == BodyKind::Fixed,
                "plane": shape.is_half_space(), "robot": robot.map(|robot| &robot.name),
            })
        });
        let camera = self.scene.camera.map(|camera| {
            json!({"eye": camera.eye.coords.as_slice(), "target": camera.target.coords.as_slice(), "angle": camera.field_of_view})
        });
        let mut header = json!({
            "id": id, "kind": "stage", "title": self.scene.title, "description": self.scene.description,
            "meshes": meshes, "soft": soft, "bodies": bodies.collect::<Vec<_>>(), "camera": camera,
            "time_step": self.scene.options.time_step,
        });
        if let (Value::Object(header), Value::Object(further)) = (&mut header, further) {
            header.extend(further);
        }
        message(&header, &[&bytes_of(&vertices), &corners])
    }
}
