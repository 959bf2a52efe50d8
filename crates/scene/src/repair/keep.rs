//! Properties of links and bodies that a repair keeps.

use std::str::FromStr;

use nalgebra::Vector3;

use super::ensemble::Ensemble;
use super::error::RepairError;
use extricate_core::penetration::generalized::{ConstraintEnd, Kept, PoseConstraint};

/// A property of a link or body that a repair keeps.
///
/// Its text is `position:NAME`, `pose:NAME`, `direction:NAME,AXIS` or `foot:NAME`, with x, y, z or X,Y,Z of the frame of the part as
/// AXIS, or `com:FOOT,FOOT,…`: the centre of mass of everything that has one of these feet is over their support polygon.
#[derive(Debug, Clone, PartialEq)]
pub struct Keep {
    text: String,
    parts: Vec<String>,
    what: KeptPart,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum KeptPart {
    Position,
    Pose,
    Direction(Vector3<f64>),
    Foot,
    CenterOfMass,
}

/// Forms of a text of a [`Keep`].
const FORMS: &str =
    "expected position:NAME, pose:NAME, direction:NAME,AXIS (x, y, z or X,Y,Z), foot:NAME or com:FOOT,FOOT";

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || format!("`{text}` is not something to keep: {FORMS}");
        let (kind, rest) = text.split_once(':').filter(|(_, rest)| !rest.is_empty()).ok_or_else(refused)?;
        let (part, what) = match kind {
            "position" => (rest, KeptPart::Position),
            "pose" => (rest, KeptPart::Pose),
            "foot" => (rest, KeptPart::Foot),
            "com" => {
                let parts = rest.split(',').map(|part| part.trim().to_owned()).collect::<Vec<_>>();
                let is_named = parts.iter().all(|part| !part.is_empty());
                return match is_named {
                    true => Ok(Self { text: text.to_owned(), parts, what: KeptPart::CenterOfMass }),
                    false => Err(refused()),
                };
            }
            "direction" => {
                let (part, axis) = direction(rest).ok_or_else(refused)?;
                (part, KeptPart::Direction(axis))
            }
            _ => return Err(refused()),
        };
        Ok(Self { text: text.to_owned(), parts: vec![part.to_owned()], what })
    }
}

/// A name and an axis after it.
fn direction(text: &str) -> Option<(&str, Vector3<f64>)> {
    let numbers: Vec<&str> = text.rsplitn(4, ',').collect();
    if let [z, y, x, part] = numbers[..]
        && let [Ok(x), Ok(y), Ok(z)] = [x, y, z].map(str::parse::<f64>)
    {
        let axis = Vector3::new(x, y, z);
        return (axis.norm() > 0.0 && axis.norm().is_finite()).then_some((part, axis));
    }
    let (part, axis) = text.rsplit_once(',')?;
    let at = ["x", "y", "z"].iter().position(|name| *name == axis.trim())?;
    Some((part, Vector3::ith(at, 1.0)))
}

impl Keep {
    /// The names of the links or bodies.
    #[must_use]
    pub fn parts(&self) -> &[String] {
        &self.parts
    }
}

impl Ensemble {
    /// Keeps a property of a link or body in all repairs, as it is in their input; `up` is the direction \[world\] that feet keep
    /// upright.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`] when there is no such link or body that may move.
    pub fn keep(&mut self, keep: &Keep, up: &Vector3<f64>) -> Result<(), RepairError> {
        let ends = keep.parts.iter().map(|part| match self.carrier(part) {
            Some(ConstraintEnd::Link { movable, link }) => Ok([movable, link]),
            _ => {
                let what = "link or body that may move";
                Err(RepairError::UnknownName { what, name: part.clone(), known: self.carriers() })
            }
        });
        let ends = ends.collect::<Result<Vec<_>, _>>()?;
        let kept = match keep.what {
            KeptPart::CenterOfMass => {
                let loads = self.tied_to(ends.iter().map(|[movable, _]| *movable));
                return self.constrain(PoseConstraint::balance(&keep.text, &ends, loads, *up));
            }
            KeptPart::Position => Kept::Position,
            KeptPart::Pose => Kept::Pose,
            KeptPart::Direction(axis) => Kept::Direction(axis),
            KeptPart::Foot => Kept::Stance(*up),
        };
        ends.iter().try_for_each(|&end| self.constrain(PoseConstraint::keep(&keep.text, end, kept)))
    }
}

impl Ensemble {
    /// These actors and all that constraints tie to them rigidly, directly or through others.
    fn tied_to(&self, actors: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut tied: Vec<usize> = actors.collect();
        let ties: Vec<[usize; 2]> =
            self.collision_world().constraints().iter().filter_map(PoseConstraint::tied_models).collect();
        let mut at = 0;
        while at < tied.len() {
            let own = tied[at];
            let others = ties.iter().filter(|pair| pair.contains(&own)).flatten().copied();
            for other in others.collect::<Vec<_>>() {
                if !tied.contains(&other) {
                    tied.push(other);
                }
            }
            at += 1;
        }
        tied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_name_the_part_and_what_is_kept_of_it() {
        let kept = |text: &str| text.parse::<Keep>().map(|keep| (keep.parts.join(" "), keep.what));
        assert_eq!(kept("position:a,b"), Ok(("a,b".to_owned(), KeptPart::Position)));
        assert_eq!(kept("pose:robot/hand"), Ok(("robot/hand".to_owned(), KeptPart::Pose)));
        assert_eq!(kept("foot:left:sole"), Ok(("left:sole".to_owned(), KeptPart::Foot)));
        assert_eq!(kept("com:left foot, right"), Ok(("left foot right".to_owned(), KeptPart::CenterOfMass)));
        assert_eq!(kept("direction:eye,z"), Ok(("eye".to_owned(), KeptPart::Direction(Vector3::z()))));
        let axis = Vector3::new(0.0, -0.5, 2.0);
        assert_eq!(kept("direction:a,b,0,-0.5,2"), Ok(("a,b".to_owned(), KeptPart::Direction(axis))));
        for text in [
            "position",
            "pose:",
            "grip:hand",
            "direction:eye",
            "direction:eye,w",
            "direction:eye,0,0,0",
            "com:a,",
        ] {
            assert!(kept(text).is_err_and(|why| why.contains(text)), "{text}");
        }
    }
}
