//! Scenes with other poses of bodies and robots and other joint values, in memory and as text.

use std::collections::BTreeMap;
use std::path::Path;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::{Edits, indent_of, number, path_between, triple};
use crate::scene::Scene;
use crate::scene::error::SceneError;
use crate::scene::locate::Step::{self, Field, Index};
use crate::scene::parse::Document;
use crate::scene::placement::{copies, orientation, vector};
use crate::scene::random::Random;
use crate::scene::schema::{BodyEntry, Copies, JointKind, JointValue, RobotEntry, Rotation, Triple};

/// New poses of bodies and robots of a scene; others stay.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScenePoses {
    /// Poses of bodies, body → world, by name.
    pub bodies: BTreeMap<String, Isometry3<f64>>,
    /// Poses of soft bodies, body → world, by name.
    pub soft_bodies: BTreeMap<String, Isometry3<f64>>,
    /// Robots, by name.
    pub robots: BTreeMap<String, RobotPose>,
}

/// New pose of a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotPose {
    /// Root link → world.
    pub base: Isometry3<f64>,
    /// Values of independent joints, by name; others stay.
    pub joints: BTreeMap<String, JointValue>,
}

impl Scene {
    /// The scene with other start poses of bodies and robots. Bodies that are connected by joints must move as these permit.
    #[must_use]
    pub fn posed(mut self, poses: &ScenePoses) -> Self {
        for body in &mut self.bodies {
            if let Some(pose) = poses.bodies.get(&body.name) {
                let by = pose.translation.vector - body.pose.translation.vector;
                self.moved.insert(body.name.clone(), by);
                body.pose = *pose;
            }
        }
        for body in &mut self.soft_bodies {
            if let Some(pose) = poses.soft_bodies.get(&body.name) {
                let by = pose.translation.vector - body.pose.translation.vector;
                self.moved.insert(body.name.clone(), by);
                body.pose = *pose;
            }
        }
        for robot in &mut self.robots {
            let Some(put) = poses.robots.get(&robot.name) else { continue };
            robot.pose = put.base;
            for (joint, value) in &put.joints {
                let (value, _) = value.in_si();
                if let Some(at) = robot.coordinate(joint) {
                    let change = value - robot.configuration[at];
                    self.joints_moved.insert(format!("{}/{joint}", robot.name), change);
                    robot.configuration[at] = value;
                }
            }
        }
        self
    }

    /// Text of the scene with other poses of bodies and robots, to be written to a file in `folder`: positions, rotations,
    /// joint values of robots, copies and joints between bodies are edited in place, and so are paths of files where the
    /// folder is another one.
    ///
    /// ```
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    /// use std::path::Path;
    ///
    /// use extricate_scene::scene::schema::JointValue;
    /// use extricate_scene::scene::{RobotPose, Scene, ScenePoses};
    /// use nalgebra::Isometry3;
    ///
    /// let scene = Scene::load("scenes/robots/arm_reaches.ron")?;
    /// let joints = [(String::from("elbow"), JointValue::Radians(0.25))].into();
    /// let arm = RobotPose { base: scene.robots[0].pose, joints };
    /// let poses = ScenePoses { robots: [(String::from("arm"), arm)].into(), ..ScenePoses::default() };
    /// let text = scene.text_with_poses(&poses, Path::new("scenes/robots"))?;
    /// let written = Scene::parse(Path::new("scenes/robots/written.ron"), text)?;
    /// let elbow = written.robots[0].coordinate("elbow").expect("an independent joint");
    /// assert_eq!(written.robots[0].configuration[elbow], 0.25);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SceneError`] when the text of the scene is not a scene.
    pub fn text_with_poses(&self, poses: &ScenePoses, folder: &Path) -> Result<String, SceneError> {
        let document = Document::parse(&self.path, &self.text);
        let document = document.map_err(|problems| SceneError::Invalid { problems })?;
        let mut edits = Edits { document: &document, edits: Vec::new() };
        let mut random = Random::new(document.file.seed);
        let mut motions = BTreeMap::new();
        for (index, body) in document.file.bodies.iter().enumerate() {
            let starts = copies(body, &mut random);
            for (name, start) in &starts {
                if let Some(pose) = poses.bodies.get(name) {
                    motions.insert(name.clone(), pose * start.inverse());
                }
            }
            edits.put_body(index, body, &starts, poses);
        }
        self.add_motions_of_links(poses, &mut motions);
        let poses_of_bodies: BTreeMap<&str, &Isometry3<f64>> =
            self.bodies.iter().map(|body| (body.name.as_str(), &body.pose)).collect();
        for (index, joint) in document.file.joints.iter().enumerate() {
            let motion = |body: &String| motions.get(body).copied().unwrap_or_else(Isometry3::identity);
            let both = [motion(&joint.bodies.0), motion(&joint.bodies.1)];
            if both != [Isometry3::identity(); 2] {
                let second = poses_of_bodies.get(joint.bodies.1.as_str());
                let second = second.map_or_else(Vector3::zeros, |pose| pose.translation.vector);
                edits.transform_joint(index, &joint.kind, &both, &second);
            }
        }
        for (index, entry) in document.file.soft_bodies.iter().enumerate() {
            if let Some(pose) = poses.soft_bodies.get(&entry.name) {
                let at = |field: &'static str| [Field("soft_bodies"), Index(index), Field(field)];
                edits.put(at, (entry.position, &entry.rotation), pose);
            }
        }
        for (index, entry) in document.file.robots.iter().enumerate() {
            if let Some(put) = poses.robots.get(&entry.name) {
                edits.put_robot(index, entry, put);
            }
        }
        let own = self.path.parent().unwrap_or(Path::new(""));
        if let Some(back) = path_between(folder, own) {
            edits.mesh_files(&self.text, &back);
        }
        Ok(edits.apply(&self.text))
    }
}

impl Scene {
    /// Adds the motions [world] of the links of robots with new poses.
    fn add_motions_of_links(&self, poses: &ScenePoses, motions: &mut BTreeMap<String, Isometry3<f64>>) {
        for robot in self.robots.iter().filter(|robot| !self.joints_of(&robot.name).is_empty()) {
            let Some(put) = poses.robots.get(&robot.name) else { continue };
            let mut configuration = robot.configuration.clone();
            for (joint, value) in &put.joints {
                if let Some(at) = robot.coordinate(joint) {
                    configuration[at] = value.in_si().0;
                }
            }
            let of = |joints: &[f64], base: &Isometry3<f64>| robot.articulation.link_poses(joints, base);
            // Both configurations are of this robot.
            let (Ok(before), Ok(after)) =
                (of(&robot.configuration, &robot.pose), of(&configuration, &put.base))
            else {
                continue;
            };
            for ((link, before), after) in robot.articulation.links().iter().zip(before).zip(after) {
                motions.insert(format!("{}/{link}", robot.name), after * before.inverse());
            }
        }
    }

    /// The joints of the scene that a robot is part of.
    fn joints_of(&self, robot: &str) -> Vec<&extricate_dynamics::JointDescription> {
        let is_link = |name: &String| name.split_once('/').is_some_and(|(owner, _)| owner == robot);
        self.joints.iter().filter(|joint| joint.bodies.iter().any(is_link)).collect()
    }
}

impl Edits<'_> {
    fn put_body(
        &mut self,
        index: usize,
        body: &BodyEntry,
        starts: &[(String, Isometry3<f64>)],
        poses: &ScenePoses,
    ) {
        let at = |field: &'static str| [Field("bodies"), Index(index), Field(field)];
        if let Some(grid) = &body.copies {
            self.put_copies(index, grid, starts, poses);
        } else if let Some(pose) = poses.bodies.get(&body.name) {
            self.put(at, (body.position, &body.rotation), pose);
        }
    }

    /// Writes position and rotation where they differ from the text; missing fields are inserted.
    fn put(
        &mut self,
        at: impl Fn(&'static str) -> [Step; 3],
        (position, rotation): (Triple, &Rotation),
        pose: &Isometry3<f64>,
    ) {
        let after_name = at("name");
        if vector(position) != pose.translation.vector {
            self.write(&at("position"), &after_name, "position", triple(&pose.translation.vector));
        }
        if orientation(rotation) != pose.rotation {
            self.write(&at("rotation"), &after_name, "rotation", rotation_text(&pose.rotation));
        }
    }

    /// Replaces the value of a field by `text`, or inserts the field after another one where it is missing.
    pub(super) fn write(&mut self, path: &[Step], after: &[Step], field: &str, text: String) {
        match self.document.outline().get(path) {
            Some(place) => self.edits.push((place, text)),
            None => self.insert_after(after, &format!(", {field}: {text}")),
        }
    }

    fn put_copies(
        &mut self,
        index: usize,
        grid: &Copies,
        starts: &[(String, Isometry3<f64>)],
        poses: &ScenePoses,
    ) {
        let (mut moved, mut rotations) = (grid.moved.clone(), grid.rotations.clone());
        for (name, start) in starts {
            let Some(pose) = poses.bodies.get(name) else { continue };
            let by = pose.translation.vector - start.translation.vector;
            if by != Vector3::zeros() {
                let before = grid.moved.get(name).copied().map_or(Vector3::zeros(), vector);
                let [x, y, z] = (before + by).into();
                moved.insert(name.clone(), (x, y, z));
            }
            if pose.rotation != start.rotation {
                let q = pose.rotation;
                rotations.insert(name.clone(), Rotation::Quaternion(q.w, q.i, q.j, q.k));
            }
        }
        let at = |field| [Field("bodies"), Index(index), Field("copies"), Field(field)];
        let listed = |entries: Vec<String>| format!("{{{}}}", entries.join(", "));
        if moved != grid.moved {
            let entries = moved.iter().map(|(name, &by)| format!("{name:?}: {}", triple(&vector(by))));
            self.write(&at("moved"), &at("spacing"), "moved", listed(entries.collect()));
        }
        if rotations != grid.rotations {
            let text = |rotation: &Rotation| rotation_text(&orientation(rotation));
            let entries = rotations.iter().map(|(name, rotation)| format!("{name:?}: {}", text(rotation)));
            self.write(&at("rotations"), &at("spacing"), "rotations", listed(entries.collect()));
        }
    }

    /// Moves the anchors and axes of a joint along with its bodies, whose motions are `both`, and its limits, which count from the
    /// start. `second` is the position of the second body before [m].
    fn transform_joint(
        &mut self,
        index: usize,
        kind: &JointKind,
        both: &[Isometry3<f64>; 2],
        second: &Vector3<f64>,
    ) {
        // Both motions move the anchor and the axis to the same place, except for the anchors of a rope.
        let motion = &both[0];
        let at = |motion: &Isometry3<f64>, anchor: Triple| {
            triple(&(motion * nalgebra::Point3::from(vector(anchor))).coords)
        };
        let along = |axis: Triple| triple(&(motion.rotation * vector(axis)).normalize());
        let relative = both[0].inverse() * both[1];
        let limits = |limits: Option<(f64, f64)>, by: f64| {
            limits
                .filter(|_| by.abs() > 0.0)
                .map(|(lower, upper)| format!("({}, {})", number(lower - by), number(upper - by)))
        };
        let (mut fields, limits) = match kind {
            JointKind::Fixed => (Vec::new(), None),
            JointKind::Prismatic { axis, limits: own } => {
                let at = nalgebra::Point3::from(*second);
                let by = (relative * at - at).dot(&vector(*axis).normalize());
                (vec![("axis", along(*axis))], limits(*own, by).map(|text| ("limits", text)))
            }
            JointKind::Spherical { anchor } => (vec![("anchor", at(motion, *anchor))], None),
            JointKind::Revolute { anchor, axis, limits_degrees } => {
                let twist = relative.rotation.imag().dot(&vector(*axis).normalize());
                let by = 2.0 * twist.atan2(relative.rotation.w);
                // q and −q are the same rotation.
                let by = (by - std::f64::consts::TAU * (by / std::f64::consts::TAU).round()).to_degrees();
                let fields = vec![("anchor", at(motion, *anchor)), ("axis", along(*axis))];
                (fields, limits(*limits_degrees, by).map(|text| ("limits_degrees", text)))
            }
            JointKind::Rope { anchors, .. } => {
                let [first, second] = [at(&both[0], anchors.0), at(&both[1], anchors.1)];
                (vec![("anchors", format!("({first}, {second})"))], None)
            }
        };
        fields.extend(limits);
        for (field, text) in fields {
            let path = [Field("joints"), Index(index), Field("kind"), Field(field)];
            if let Some(place) = self.document.outline().get(&path) {
                self.edits.push((place, text));
            }
        }
    }

    fn put_robot(&mut self, index: usize, entry: &RobotEntry, put: &RobotPose) {
        let at = |field: &'static str| [Field("robots"), Index(index), Field(field)];
        self.put(at, (entry.position, &entry.rotation), &put.base);
        let mut added = Vec::new();
        for (name, value) in &put.joints {
            let known = entry.joints.0.iter().position(|(joint, _)| joint == name);
            let Some(known) = known else {
                added.push(format!("{name:?}: {}", joint_text(*value)));
                continue;
            };
            let before = entry.joints.0[known].1;
            let path = [Field("robots"), Index(index), Field("joints"), Index(known)];
            if before.in_si() != value.in_si()
                && let Some(place) = self.document.outline().get(&path)
            {
                self.edits.push((place, joint_text(in_unit_of(before, *value))));
            }
        }
        if added.is_empty() {
            return;
        }
        match entry.joints.0.len().checked_sub(1) {
            Some(last) => {
                let path = [Field("robots"), Index(index), Field("joints"), Index(last)];
                let text = self.document.source.inner();
                let place = self.document.outline().get(&path);
                let indent = place.map_or("", |place| indent_of(text, place.start));
                let added = listed(&added, indent);
                self.insert_after(&path, &added);
            }
            None => {
                let added = added.join(", ");
                self.write(&at("joints"), &at("file"), "joints", format!("{{{added}}}"));
            }
        }
    }
}

/// Length of a line [characters] beyond which further entries begin a new one.
const LINE: usize = 100;

/// Text that appends entries to a list: on the same line while they are short, else on further lines.
fn listed(entries: &[String], indent: &str) -> String {
    let together = entries.join(", ");
    if together.len() + indent.len() <= LINE / 2 {
        return format!(", {together}");
    }
    let mut text = String::new();
    let mut length = LINE;
    for entry in entries {
        if length + entry.len() > LINE {
            text.push_str(",\n");
            text.push_str(indent);
            length = indent.len();
        } else {
            text.push_str(", ");
        }
        text.push_str(entry);
        length += entry.len() + 2;
    }
    text
}

/// An orientation as RON.
fn rotation_text(rotation: &UnitQuaternion<f64>) -> String {
    let [w, x, y, z] = [rotation.w, rotation.i, rotation.j, rotation.k].map(number);
    format!("quaternion({w}, {x}, {y}, {z})")
}

/// The value of a joint as RON.
fn joint_text(value: JointValue) -> String {
    match value {
        JointValue::Degrees(value) => format!("degrees({})", number(value)),
        JointValue::Radians(value) => format!("radians({})", number(value)),
        JointValue::Metres(value) => format!("metres({})", number(value)),
    }
}

/// An angle in degrees where it was written in degrees and some number of degrees converts to the same bits; else
/// unchanged, since a pose that is barely free of collision may not survive a rounding.
fn in_unit_of(before: JointValue, value: JointValue) -> JointValue {
    let (JointValue::Degrees(_), JointValue::Radians(radians)) = (before, value) else { return value };
    let degrees = radians.to_degrees();
    let near = [degrees, degrees.next_up(), degrees.next_down()];
    let same = near.into_iter().find(|degrees| degrees.to_radians().to_bits() == radians.to_bits());
    same.map_or(value, JointValue::Degrees)
}

#[cfg(test)]
mod tests {
    use nalgebra::Translation3;

    use super::*;

    fn scene(rest: &str) -> Scene {
        let text = format!(
            "(title: \"t\", duration: 1, shapes: {{\"s\": ball(radius: 1)}}, bodies: [
            (name: \"a\", shape: \"s\"), // a comment (with brackets
            (name: \"b\", rotation: /* here */ euler_degrees(0, 0, 90), shape: \"s\", position: (9, 0, 0)),
            (name: \"c\", shape: \"s\", copies: (count: (2, 1, 1), spacing: (3, 0, 0)), position: (0, 9, 0)),
        ]{rest})"
        );
        Scene::parse(Path::new("t.ron"), text).unwrap()
    }

    fn written(scene: &Scene, poses: &ScenePoses) -> Scene {
        Scene::parse(Path::new("t.ron"), scene.text_with_poses(poses, Path::new("")).unwrap()).unwrap()
    }

    fn of_bodies(poses: &[(&str, Isometry3<f64>)]) -> ScenePoses {
        let bodies = poses.iter().map(|(name, pose)| ((*name).to_owned(), *pose)).collect();
        ScenePoses { bodies, ..ScenePoses::default() }
    }

    fn rotated(angle: f64) -> Isometry3<f64> {
        let rotation = UnitQuaternion::from_euler_angles(angle, 0.25, -0.5);
        Isometry3::from_parts(Translation3::new(0.1, 1.0 / 3.0, -1e-9), rotation)
    }

    #[test]
    fn bodies_are_read_back_where_they_were_put_and_the_rest_stays() {
        let scene = scene("");
        let poses = of_bodies(&[("a", rotated(0.1)), ("b", rotated(0.2)), ("c-1", rotated(0.3))]);
        let after = written(&scene, &poses);
        for (before, after) in scene.bodies.iter().zip(&after.bodies) {
            let expected = poses.bodies.get(&before.name).unwrap_or(&before.pose);
            assert!((after.pose.translation.vector - expected.translation.vector).norm() < 1e-15);
            assert!(after.pose.rotation.angle_to(&expected.rotation) < 1e-15, "{}", before.name);
        }
        assert!(after.text.contains("// a comment (with brackets") && after.text.contains("/* here */"));
        let again = written(&after, &of_bodies(&[("c-1", rotated(0.7))]));
        assert!(again.bodies[3].pose.rotation.angle_to(&rotated(0.7).rotation) < 1e-15, "{}", again.text);
        assert_eq!(written(&scene, &of_bodies(&[("a", Isometry3::identity())])).text, scene.text);
    }

    #[test]
    fn joints_between_bodies_are_carried_along() {
        let scene = scene(
            ", joints: [
            (name: \"j\", bodies: (\"a\", \"b\"), kind: revolute(anchor: (1, 0, 0), axis: (0, 0, 1))),
            (name: \"k\", bodies: (\"a\", \"b\"), kind: rope(anchors: ((0, 0, 1), (9, 0, 1)), length: 9)),
            (name: \"l\", bodies: (\"a\", \"b\"), kind: prismatic(axis: (1, 0, 0))),
        ]",
        );
        let motion = rotated(1.0);
        let poses = of_bodies(&[("a", motion), ("b", motion * scene.bodies[1].pose)]);
        let after = written(&scene, &poses);
        for (before, after) in scene.joints.iter().zip(&after.joints) {
            // A frame on an axis may rotate about it, and that of a rope about any axis.
            let has_axis = before.name != "k";
            for (before, after) in before.anchors.iter().zip(&after.anchors) {
                let axis = (before.rotation * Vector3::x() - after.rotation * Vector3::x()).norm();
                let place = (before.translation.vector - after.translation.vector).norm();
                assert!(place < 1e-14 && (axis < 1e-14 || !has_axis), "{before} {after}");
            }
        }
    }

    #[test]
    fn many_entries_are_put_on_lines_of_their_own() {
        assert_eq!(listed(&["a: 1".into(), "b: 2".into()], "    "), ", a: 1, b: 2");
        let entry = "x".repeat(60);
        let lines = listed(&[entry.clone(), entry.clone()], "  ");
        assert_eq!(lines, format!(",\n  {entry},\n  {entry}"));
        assert_eq!(indent_of("a\n   b: 1", 8), "   ");
    }

    #[test]
    fn an_angle_stays_in_degrees_where_no_bit_is_lost() {
        let before = JointValue::Degrees(45.0);
        for degrees in [30.0_f64, -12.5, 90.0] {
            let same = in_unit_of(before, JointValue::Radians(degrees.to_radians()));
            assert!(matches!(same, JointValue::Degrees(_)));
            assert_eq!(same.in_si().0.to_bits(), degrees.to_radians().to_bits());
        }
        for radians in (1..1000).map(|i| f64::from(i).sqrt() - 15.0) {
            let same = in_unit_of(before, JointValue::Radians(radians));
            assert_eq!(same.in_si().0.to_bits(), radians.to_bits());
        }
        assert_eq!(in_unit_of(before, JointValue::Metres(1.0)), JointValue::Metres(1.0));
    }
}
