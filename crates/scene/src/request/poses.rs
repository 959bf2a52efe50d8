//! Pose lines: poses of A and B, one query per line.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Matrix3, Quaternion, Rotation3, Translation3, UnitQuaternion, Vector3};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use extricate_core::kinematics::Motion;

/// Interpolation between two poses.
pub(super) type Interpolation = fn(&Isometry3<f64>, &Isometry3<f64>) -> Motion;

/// Poses of A and B, body → world.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Poses {
    /// Pose of A, or of the root link of a robot.
    pub a: Isometry3<f64>,
    /// Pose of B.
    pub b: Isometry3<f64>,
}

/// Poses of A and B at the start and at the end of a motion, body → world.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Motions {
    /// Poses at time 0.
    pub start: Poses,
    /// Poses at time 1.
    pub end: Poses,
}

impl Motions {
    /// The motions of bodies that are displaced in their frames by poses written behind them.
    pub(super) fn of_placed(self, [a, b]: &[Isometry3<f64>; 2]) -> Self {
        let placed = |poses: Poses| Poses { a: poses.a * a, b: poses.b * b };
        match [a, b].iter().all(|pose| **pose == Isometry3::identity()) {
            true => self,
            false => Self { start: placed(self.start), end: placed(self.end) },
        }
    }

    /// The motion of A (0) or of B (1).
    pub(super) fn of(&self, side: usize, motion: Interpolation) -> Motion {
        let [start, end] = [&self.start, &self.end].map(|poses| if side == 0 { &poses.a } else { &poses.b });
        motion(start, end)
    }
}

/// Content of a pose line.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PoseLine {
    /// Poses; at rest unless the kind of request has motions.
    pub(super) motions: Motions,
    /// Configurations of A and of B, of those that are robots.
    pub(super) robots: [JointFields; 2],
}

/// Configurations of a robot in a line.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct JointFields {
    pub(super) start: Joints,
    /// The end of the motion, if joints move.
    pub(super) end: Option<Joints>,
}

/// A configuration: a named one, with the values of single joints in its place.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Joints {
    pub(super) at: Option<String>,
    /// Values by name [rad or m].
    pub(super) values: BTreeMap<String, f64>,
}

/// Form of a pose line: the fields that are read; others are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LineForm {
    /// Whether poses and joints have ends.
    pub(super) moves: bool,
    /// Whether A and B are robots, which have joints.
    pub(super) robots: [bool; 2],
}

/// Joint fields of a line.
#[derive(Debug, Deserialize)]
struct JointLine {
    at: Option<String>,
    #[serde(default)]
    joints: BTreeMap<String, f64>,
    at_end: Option<String>,
    joints_end: Option<BTreeMap<String, f64>>,
    b_at: Option<String>,
    #[serde(default)]
    b_joints: BTreeMap<String, f64>,
    b_at_end: Option<String>,
    b_joints_end: Option<BTreeMap<String, f64>>,
}

/// Fields of the only robot of a line, where it is B, and the names that they stand for.
const OF_B: [(&str, &str); 6] = [
    ("joints", "b_joints"),
    ("joints_end", "b_joints_end"),
    ("at", "b_at"),
    ("at_end", "b_at_end"),
    ("base", "b"),
    ("base_end", "b_end"),
];

impl LineForm {
    /// Parses a line of JSON.
    pub(super) fn parse(self, line: &str) -> Result<PoseLine, String> {
        if self.robots != [false, true] {
            return self.parse_as_written(line);
        }
        let mut fields: Map<String, Value> =
            serde_json::from_str(line).map_err(|error| format!("invalid pose line: {error}"))?;
        for (name, of_b) in OF_B {
            if let Some(value) = fields.remove(name) {
                fields.entry(of_b).or_insert(value);
            }
        }
        self.parse_as_written(&Value::from(fields).to_string())
    }

    fn parse_as_written(self, line: &str) -> Result<PoseLine, String> {
        let motions = match self.moves {
            true => parse_motions(line)?,
            false => parse(line).map(|poses| Motions { start: poses, end: poses })?,
        };
        if self.robots == [false; 2] {
            return Ok(PoseLine { motions, ..PoseLine::default() });
        }
        let line: JointLine =
            serde_json::from_str(line).map_err(|error| format!("invalid line of joints: {error}"))?;
        let end = |at: Option<String>, values: Option<BTreeMap<String, f64>>| {
            let is_given = self.moves && (at.is_some() || values.is_some());
            is_given.then(|| Joints { at, values: values.unwrap_or_default() })
        };
        let of_a = JointFields {
            start: Joints { at: line.at, values: line.joints },
            end: end(line.at_end, line.joints_end),
        };
        let of_b = JointFields {
            start: Joints { at: line.b_at, values: line.b_joints },
            end: end(line.b_at_end, line.b_joints_end),
        };
        Ok(PoseLine { motions, robots: [of_a, of_b] })
    }

    /// Parses the field `poses` of a request; without it everything is at rest at the origin.
    pub(super) fn of_field(self, field: Option<&Value>) -> Result<PoseLine, String> {
        field.map_or_else(|| Ok(PoseLine::default()), |line| self.parse(&line.to_string()))
    }
}

/// Pose fields of a line; unknown keys are ignored.
#[derive(Debug, Default, Deserialize)]
struct PoseFields {
    /// For a robot: the pose of its root link, also written `base`.
    #[serde(default, alias = "base")]
    a: Pose,
    #[serde(default)]
    b: Pose,
}

/// Motion fields of a line: poses at the start and end; a body without an end pose is at rest.
#[derive(Debug, Deserialize)]
struct MotionFields {
    #[serde(flatten)]
    start: PoseFields,
    #[serde(alias = "base_end")]
    a_end: Option<Pose>,
    b_end: Option<Pose>,
}

/// A pose in JSON.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pose {
    /// Position [m].
    #[serde(default)]
    translation: [f64; 3],
    /// Unit quaternion w, x, y, z, or the nine numbers of a rotation matrix, row-major.
    #[serde(default)]
    rotation: Option<Vec<f64>>,
}

/// Maximum deviation of a rotation from an orthonormal one: the rounding of six written digits. Larger, and a matrix with a
/// scale or a mistyped number would pass.
const ROTATION_TOLERANCE: f64 = 1e-5;

/// Parses the poses of a line.
///
/// # Errors
/// A message that describes the error.
pub fn parse(line: &str) -> Result<Poses, String> {
    poses(serde_json::from_str(line).map_err(|error| format!("invalid pose line: {error}"))?)
}

/// Parses the motions of a line.
///
/// # Errors
/// A message that describes the error.
pub fn parse_motions(line: &str) -> Result<Motions, String> {
    motions(serde_json::from_str(line).map_err(|error| format!("invalid motion line: {error}"))?)
}

/// The motions of the fields of a line.
fn motions(line: MotionFields) -> Result<Motions, String> {
    let start = poses(line.start)?;
    let end = |body: &str, end: Option<Pose>, start| {
        end.map_or(Ok(start), |pose| isometry(pose).map_err(|why| format!("pose of {body}_end: {why}")))
    };
    let end = Poses { a: end("a", line.a_end, start.a)?, b: end("b", line.b_end, start.b)? };
    Ok(Motions { start, end })
}

/// The poses of the fields of a line.
fn poses(line: PoseFields) -> Result<Poses, String> {
    let in_body = |body: &str, pose: Pose| isometry(pose).map_err(|why| format!("pose of {body}: {why}"));
    Ok(Poses { a: in_body("a", line.a)?, b: in_body("b", line.b)? })
}

/// The pose, body → world.
pub(crate) fn isometry(pose: Pose) -> Result<Isometry3<f64>, String> {
    let rotation = match pose.rotation.as_deref() {
        None => UnitQuaternion::identity(),
        Some(&[w, x, y, z]) => {
            let quaternion = Quaternion::new(w, x, y, z);
            let is_unit = (quaternion.norm() - 1.0).abs() <= ROTATION_TOLERANCE;
            if !is_unit {
                return Err(format!(
                    "the quaternion has length {}, but must have length 1",
                    quaternion.norm()
                ));
            }
            UnitQuaternion::new_normalize(quaternion)
        }
        Some(rows) if rows.len() == 9 => {
            let matrix = Matrix3::from_row_slice(rows);
            let is_orthonormal =
                (matrix * matrix.transpose() - Matrix3::identity()).amax() <= ROTATION_TOLERANCE;
            // A reflection is orthonormal as well.
            if !is_orthonormal || matrix.determinant() < 0.0 {
                return Err("the nine numbers are not a rotation matrix (row-major, right-handed)".into());
            }
            UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
        }
        Some(other) => {
            return Err(format!(
                "a rotation needs 4 numbers (w, x, y, z) or 9 (row-major), not {}",
                other.len()
            ));
        }
    };
    Ok(Isometry3::from_parts(Translation3::from(Vector3::from(pose.translation)), rotation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quaternion_and_the_matrix_of_the_same_rotation_give_the_same_pose() {
        let of_quaternion =
            parse(r#"{"a": {"rotation": [0.8, 0, 0, 0.6], "translation": [1, 2, 3]}, "id": 7}"#);
        let of_matrix = parse(
            r#"{"a": {"translation": [1, 2, 3], "rotation": [0.28, -0.96, 0, 0.96, 0.28, 0, 0, 0, 1]}, "b": {}}"#,
        );
        let (of_quaternion, of_matrix) = (of_quaternion.unwrap(), of_matrix.unwrap());
        assert!((of_quaternion.a.to_matrix() - of_matrix.a.to_matrix()).norm() < 1e-15);
        assert_eq!(of_matrix.b, Isometry3::identity());
        let image = of_matrix.a.rotation * Vector3::x();
        assert!((image - Vector3::new(0.28, 0.96, 0.0)).norm() < 1e-15, "{image}");
    }

    #[test]
    fn invalid_rotations_are_refused_with_the_reason() {
        for (rotation, why) in [
            ("[1, 1, 0, 0]", "length 1.41"),
            ("[1, 0, 0]", "not 3"),
            ("[1, 0, 0, 0, 1, 0, 0, 0, -1]", "not a rotation matrix"),
            ("[1, 0, 0, 0, 2, 0, 0, 0, 0.5]", "not a rotation matrix"),
            ("[0, 0, 0, 0]", "length 0"),
        ] {
            let error = parse(&format!(r#"{{"b": {{"rotation": {rotation}}}}}"#)).expect_err(rotation);
            assert!(error.contains(why) && error.contains("pose of b"), "{error}");
        }
        assert!(parse("{\"a\": {\"translation\": [1, 2]}}").unwrap_err().contains("invalid pose line"));
        assert!(parse("{\"a\": {\"translation\": [1, 2, 1e999]}}").is_err());
        // A pose of other words would be the identity.
        let error = parse(r#"{"a": {"position": [1, 2, 3]}}"#).unwrap_err();
        assert!(error.contains("unknown field `position`, expected `translation` or `rotation`"), "{error}");
    }

    #[test]
    fn a_body_without_an_end_pose_is_at_rest() {
        let motions = r#"{"a": {"translation": [1, 0, 0]}, "b": {"translation": [0, 1, 0]}, "b_end": {}}"#;
        let motions = parse_motions(motions).unwrap();
        assert_eq!(motions.end.a, motions.start.a);
        assert_eq!(motions.end.b, Isometry3::identity());
        let error = parse_motions(r#"{"a_end": {"rotation": [1, 1, 0, 0]}}"#).unwrap_err();
        assert!(error.contains("pose of a_end") && error.contains("length 1.41"), "{error}");
        assert!(parse_motions(r#"{"a_end": 3}"#).unwrap_err().contains("invalid motion line"));
    }
}
