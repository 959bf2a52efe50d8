//! Single values of the rigid bodies of a scene file, as text: read, and replaced in place.

use std::path::Path;

use super::{Edits, number};
use crate::scene::error::SceneError;
use crate::scene::locate::Step::{Field, Index};
use crate::scene::parse::Document;
use crate::scene::placement::{copies, orientation};
use crate::scene::random::Random;
use crate::scene::schema::{BodyEntry, BodyKind, DEFAULT_DENSITY, Rotation, Triple};

/// A value of a rigid body in a scene file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyField {
    /// Kind of its motion: `fixed`, `dynamic` or `kinematic`.
    Kind,
    /// Position of its origin, three numbers \[m\].
    Position,
    /// Rotations about the fixed x, then y, then z axis of the world, three numbers [°].
    Rotation,
    /// Velocity of its centre of mass at the start, three numbers [m/s].
    LinearVelocity,
    /// Angular velocity at the start, three numbers [rad/s].
    AngularVelocity,
    /// Mass per volume [kg/m³]; replaces a mass.
    Density,
    /// Mass \[kg\]; replaces a density.
    Mass,
    /// Coefficient of friction.
    Friction,
    /// Coefficient of rolling friction \[m\].
    RollingFriction,
    /// Coefficient of restitution.
    Restitution,
}

impl BodyField {
    /// All fields.
    pub const ALL: [Self; 10] = [
        Self::Kind,
        Self::Position,
        Self::Rotation,
        Self::LinearVelocity,
        Self::AngularVelocity,
        Self::Density,
        Self::Mass,
        Self::Friction,
        Self::RollingFriction,
        Self::Restitution,
    ];

    /// Name in scene files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Position => "position",
            Self::Rotation => "rotation",
            Self::LinearVelocity => "linear_velocity",
            Self::AngularVelocity => "angular_velocity",
            Self::Density => "density",
            Self::Mass => "mass",
            Self::Friction => "friction",
            Self::RollingFriction => "rolling_friction",
            Self::Restitution => "restitution",
        }
    }

    /// Unit of the numbers, empty if they have none.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Kind | Self::Friction | Self::Restitution => "",
            Self::Position | Self::RollingFriction => "m",
            Self::Rotation => "°",
            Self::LinearVelocity => "m/s",
            Self::AngularVelocity => "rad/s",
            Self::Density => "kg/m³",
            Self::Mass => "kg",
        }
    }

    /// Field with a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }

    /// Value of an entry; empty if it is not used, as the density of a body with a mass.
    fn value(self, body: &BodyEntry) -> String {
        let three = |(x, y, z): Triple| [x, y, z].map(number).join(" ");
        match self {
            Self::Kind => kind_name(body.kind).to_owned(),
            Self::Position => three(body.position),
            Self::Rotation => degrees(body),
            Self::LinearVelocity => three(body.linear_velocity),
            Self::AngularVelocity => three(body.angular_velocity),
            Self::Density if body.mass.is_some() => String::new(),
            Self::Density => number(body.density.unwrap_or(DEFAULT_DENSITY)),
            Self::Mass => body.mass.map(number).unwrap_or_default(),
            Self::Friction => number(body.friction),
            Self::RollingFriction => number(body.rolling_friction),
            Self::Restitution => number(body.restitution),
        }
    }

    /// RON of a value that a user has written.
    fn ron(self, text: &str) -> Result<String, SceneError> {
        let wrong =
            |expected| SceneError::Value { field: self.name(), text: text.trim().to_owned(), expected };
        match self {
            Self::Kind => {
                let kinds = [BodyKind::Fixed, BodyKind::Dynamic, BodyKind::Kinematic].map(kind_name);
                let kind = kinds.into_iter().find(|kind| *kind == text.trim());
                kind.map(str::to_owned).ok_or_else(|| wrong("fixed, dynamic or kinematic"))
            }
            Self::Position | Self::Rotation | Self::LinearVelocity | Self::AngularVelocity => {
                let [x, y, z] =
                    numbers(text).ok_or_else(|| wrong("three numbers, such as 0 0 1.5"))?.map(number);
                let name = if self == Self::Rotation { "euler_degrees" } else { "" };
                Ok(format!("{name}({x}, {y}, {z})"))
            }
            Self::Density | Self::Mass | Self::Friction | Self::RollingFriction | Self::Restitution => {
                let [value] = numbers(text).ok_or_else(|| wrong("a number"))?;
                Ok(number(value))
            }
        }
    }
}

/// Values of a rigid body in the text of a scene, in the order of [`BodyField::ALL`]: numbers separated by blanks, in the unit of the
/// field, and defaults of what is not written. Values that another one replaces are empty. `path` names the file in messages.
///
/// # Errors
/// [`SceneError`] when the text is not a scene, or the body has no entry of its own.
pub fn body_values(path: &Path, text: &str, name: &str) -> Result<Vec<(BodyField, String)>, SceneError> {
    let document = Document::parse(path, text).map_err(|problems| SceneError::Invalid { problems })?;
    let (_, body) = entry(&document, name)?;
    Ok(BodyField::ALL.map(|field| (field, field.value(body))).into())
}

/// The text of a scene with another value of a rigid body: the value is replaced in place, or inserted after the name where it is not
/// written; a mass replaces a density and conversely. All else stays, with comments and layout. The value is not checked against the
/// rest of the scene: [`Scene::parse`](crate::scene::Scene::parse) does that.
///
/// ```
/// use std::path::Path;
///
/// use extricate_scene::scene::{BodyField, text_with_body_value};
///
/// let text = r#"(title: "t", duration: 1, shapes: {"s": ball(radius: 1)}, bodies: [
///     (name: "a", shape: "s", density: 500), // of wood
/// ])"#;
/// let text = text_with_body_value(Path::new("a.ron"), text, "a", (BodyField::Mass, "2.5"))?;
/// assert!(text.contains(r#"(name: "a", shape: "s", mass: 2.5), // of wood"#));
/// # Ok::<(), extricate_scene::scene::SceneError>(())
/// ```
///
/// # Errors
/// [`SceneError`] when the text is not a scene, the body has no entry of its own, or the value cannot be read.
pub fn text_with_body_value(
    path: &Path,
    text: &str,
    name: &str,
    (field, value): (BodyField, &str),
) -> Result<String, SceneError> {
    let document = Document::parse(path, text).map_err(|problems| SceneError::Invalid { problems })?;
    let (index, body) = entry(&document, name)?;
    let value_ron = field.ron(value)?;
    // A value that is the default and not written stays so.
    if field.value(body) == value.split_whitespace().collect::<Vec<_>>().join(" ") {
        return Ok(text.to_owned());
    }
    let at = |field: &'static str| [Field("bodies"), Index(index), Field(field)];
    let mut edits = Edits { document: &document, edits: Vec::new() };
    let other = match field {
        BodyField::Density => "mass",
        BodyField::Mass => "density",
        _ => "",
    };
    match document.outline().field(&at(other)) {
        Some(place) if !other.is_empty() => {
            edits.edits.push((place, format!("{}: {value_ron}", field.name())));
        }
        _ => edits.write(&at(field.name()), &at("name"), field.name(), value_ron),
    }
    Ok(edits.apply(text))
}

/// Index and entry of a body.
fn entry<'a>(document: &'a Document, name: &str) -> Result<(usize, &'a BodyEntry), SceneError> {
    let file = &document.file;
    let own = file.bodies.iter().enumerate().find(|(_, body)| body.name == name && body.copies.is_none());
    if let Some(found) = own {
        return Ok(found);
    }
    let name = name.to_owned();
    let robot = name.split_once('/').map(|(robot, _)| robot);
    if let Some(robot) = robot.filter(|robot| file.robots.iter().any(|entry| entry.name == *robot)) {
        let robot = robot.to_owned();
        return Err(SceneError::ValueOfLink { name, robot });
    }
    if file.soft_bodies.iter().any(|body| body.name == name) {
        return Err(SceneError::ValueOfSoftBody { name });
    }
    let mut grids = file.bodies.iter().filter(|body| body.copies.is_some() && name.starts_with(&body.name));
    let has_copy =
        |body: &&BodyEntry| copies(body, &mut Random::new(0)).iter().any(|(copy, _)| *copy == name);
    match grids.find(has_copy) {
        Some(body) => Err(SceneError::ValueOfCopy { of: body.name.clone(), name }),
        None => Err(SceneError::NoBody { name }),
    }
}

const fn kind_name(kind: BodyKind) -> &'static str {
    match kind {
        BodyKind::Fixed => "fixed",
        BodyKind::Dynamic => "dynamic",
        BodyKind::Kinematic => "kinematic",
    }
}

/// Rotations of an entry about the fixed axes [°], rounded to a billionth unless they are written so.
fn degrees(body: &BodyEntry) -> String {
    let angles = match body.rotation {
        Rotation::EulerDegrees(x, y, z) => [x, y, z],
        ref rotation => {
            let (x, y, z) = orientation(rotation).euler_angles();
            // Adding zero makes a negative zero positive.
            [x, y, z].map(|angle| (angle.to_degrees() * 1e9).round() / 1e9 + 0.0)
        }
    };
    angles.map(number).join(" ")
}

/// Finite numbers separated by blanks or commas.
fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let numbers: Vec<f64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    <[f64; N]>::try_from(numbers).ok().filter(|numbers| numbers.iter().all(|number| number.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    const TEXT: &str = r#"// A scene.
(
    title: "t", duration: 1,
    shapes: {"s": ball(radius: 1)}, /* shapes */
    bodies: [
        (name: "a", shape: "s", density: /* of wood */ 500), // a comment (with brackets
        (
            shape: "s",
            name: "b",
            position: (9, 0, 0),   // far away
            rotation: quaternion(0, 0, 0, 1),
            mass: 2,
        ),
        (name: "c", shape: "s", copies: (count: (2, 1, 1), spacing: (3, 0, 0)), position: (0, 9, 0)),
    ],
)"#;

    fn edited(name: &str, field: BodyField, value: &str) -> Result<String, SceneError> {
        text_with_body_value(Path::new("t.ron"), TEXT, name, (field, value))
    }

    #[test]
    fn only_the_value_changes_and_is_read_back() {
        let cases = [
            ("b", BodyField::Position, "0.5, 1e-9 -3", "position: (9, 0, 0)", "position: (0.5, 1e-9, -3)"),
            ("b", BodyField::Mass, "0.1", "mass: 2", "mass: 0.1"),
            ("b", BodyField::Density, "700", "mass: 2", "density: 700"),
            ("a", BodyField::Mass, "3", "density: /* of wood */ 500", "mass: 3"),
            ("a", BodyField::Density, "7", "/* of wood */ 500", "/* of wood */ 7"),
            ("b", BodyField::Rotation, "0 0 90", "quaternion(0, 0, 0, 1)", "euler_degrees(0, 0, 90)"),
            ("a", BodyField::Kind, " fixed ", r#"name: "a""#, r#"name: "a", kind: fixed"#),
            ("a", BodyField::Friction, "0.25", r#"name: "a""#, r#"name: "a", friction: 0.25"#),
            ("b", BodyField::Restitution, "1", r#"name: "b""#, r#"name: "b", restitution: 1"#),
            (
                "a",
                BodyField::RollingFriction,
                "0.001",
                r#"name: "a""#,
                r#"name: "a", rolling_friction: 0.001"#,
            ),
            (
                "a",
                BodyField::LinearVelocity,
                "1 0 0",
                r#"name: "a""#,
                r#"name: "a", linear_velocity: (1, 0, 0)"#,
            ),
        ];
        for (name, field, value, before, after) in cases {
            let text = edited(name, field, value).unwrap();
            assert_eq!(text, TEXT.replacen(before, after, 1), "{name} {field:?}");
            Scene::parse(Path::new("t.ron"), text.clone()).unwrap();
            let values = body_values(Path::new("t.ron"), &text, name).unwrap();
            let read = &values.iter().find(|(other, _)| *other == field).unwrap().1;
            assert_eq!(*read, value.trim().replace(',', ""));
        }
    }

    #[test]
    fn values_are_read_with_their_defaults_and_unchanged_ones_change_nothing() {
        let values = body_values(Path::new("t.ron"), TEXT, "b").unwrap();
        let texts: Vec<_> = values.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["dynamic", "9 0 0", "0 0 180", "0 0 0", "0 0 0", "", "2", "0.5", "0", "0"]);
        for (field, text) in values {
            if !text.is_empty() {
                assert_eq!(edited("b", field, &text).unwrap(), TEXT, "{field:?}");
            }
        }
    }

    #[test]
    fn values_that_are_invalid_are_refused() {
        for (field, value, message) in [
            (BodyField::Position, "1 2", "invalid position `1 2`; expected three numbers, such as 0 0 1.5"),
            (
                BodyField::Position,
                "1 2 inf",
                "invalid position `1 2 inf`; expected three numbers, such as 0 0 1.5",
            ),
            (BodyField::Mass, "x", "invalid mass `x`; expected a number"),
            (BodyField::Mass, "", "invalid mass ``; expected a number"),
            (BodyField::Kind, "moving", "invalid kind `moving`; expected fixed, dynamic or kinematic"),
        ] {
            assert_eq!(edited("a", field, value).unwrap_err().to_string(), message);
        }
        // The schema refuses others.
        for (field, value) in
            [(BodyField::Mass, "-1"), (BodyField::Friction, "-0.1"), (BodyField::Restitution, "2")]
        {
            let text = edited("a", field, value).unwrap();
            let error = Scene::parse(Path::new("t.ron"), text).unwrap_err();
            assert_eq!(error.problems()[0].line_and_column().0, 6, "{error}");
        }
    }

    #[test]
    fn bodies_without_an_entry_of_their_own_cannot_be_edited() {
        let refused = |name| edited(name, BodyField::Mass, "1").unwrap_err();
        assert!(matches!(refused("c-1"), SceneError::ValueOfCopy { of, .. } if of == "c"));
        assert!(matches!(refused("c"), SceneError::NoBody { .. }));
        assert!(matches!(refused("d"), SceneError::NoBody { .. }));
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/robots/arm_reaches.ron"));
        let text = std::fs::read_to_string(path).unwrap();
        let link = Scene::load(path).unwrap().world().unwrap().descriptions()[0].name.clone();
        let link = if link.contains('/') { link } else { String::from("arm/forearm") };
        let error = body_values(path, &text, &link).unwrap_err();
        assert!(matches!(error, SceneError::ValueOfLink { robot, .. } if robot == "arm"));
    }
}
