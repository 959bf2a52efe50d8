//! Translations to which a separation may be restricted.

use std::fmt;
use std::str::FromStr;

use nalgebra::{Unit, Vector3};
use thiserror::Error;

/// Sine of the angle between the normal of a half-space and the translations below which they lead along its boundary: they
/// would be 1e9 depths long. A safeguard.
pub(super) const PARALLEL: f64 = 1e-9;

/// Translations of A to which a separation is restricted \[world\].
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::penetration::{AllowedTranslations, TranslationalOptions, penetration};
/// use extricate_core::proximity::Model;
/// use nalgebra::{Isometry3, Vector3};
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.8, 0.3, 0.0));
/// // 0.2 m out along −x; a cube that may only slide along y and z must move by 0.7 m.
/// let allowed = Some(AllowedTranslations::Plane(Vector3::x_axis()));
/// let options = TranslationalOptions { allowed, ..TranslationalOptions::default() };
/// let found = penetration(&cube, &here, &cube, &there, &options)?.expect("they overlap");
/// assert!((found.depth - 0.7).abs() < 1e-9 && found.translation.x.abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum AllowedTranslations {
    /// Along a direction: the depth is the directional penetration depth, the smallest length after which the bodies are apart.
    Direction(Unit<Vector3<f64>>),
    /// Along a line, in both directions.
    Line(Unit<Vector3<f64>>),
    /// In the plane with this normal: sliding on a table.
    Plane(Unit<Vector3<f64>>),
}

impl AllowedTranslations {
    /// Those of B that have the same effect as these of A.
    pub(crate) fn exchanged(self) -> Self {
        match self {
            Self::Direction(direction) => Self::Direction(-direction),
            other => other,
        }
    }

    /// The same in another frame: `to_frame` rotates a direction of the world into it.
    pub(crate) fn rotated(self, to_frame: impl Fn(&Vector3<f64>) -> Vector3<f64>) -> Self {
        let rotated = |direction: Unit<Vector3<f64>>| Unit::new_normalize(to_frame(&direction));
        match self {
            Self::Direction(direction) => Self::Direction(rotated(direction)),
            Self::Line(direction) => Self::Line(rotated(direction)),
            Self::Plane(normal) => Self::Plane(rotated(normal)),
        }
    }

    /// The projection of a vector on the subspace of the translations.
    pub(crate) fn project(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        match self {
            Self::Direction(direction) | Self::Line(direction) => direction.scale(direction.dot(vector)),
            Self::Plane(normal) => vector - normal.scale(normal.dot(vector)),
        }
    }

    /// Whether there are so few that a search among them is exact.
    pub(crate) fn is_exact(&self) -> bool {
        !matches!(self, Self::Plane(_))
    }

    /// Length and direction of the shortest translation that moves a body out of a half-space which it enters by `depth` [m],
    /// against its outward normal `up`; `None` if there is none.
    pub(crate) fn out_of_half_space(&self, depth: f64, up: &Vector3<f64>) -> Option<(f64, Vector3<f64>)> {
        let projected = self.project(up);
        let slope = projected.norm();
        let leads_in = matches!(self, Self::Direction(direction) if direction.dot(&projected) < 0.0);
        (!leads_in && slope >= PARALLEL).then(|| (depth / slope, projected / slope))
    }
}

/// A text that names no allowed translations.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error(
    "unknown translations `{text}`; accepted: direction:X,Y,Z, line:X,Y,Z and plane:X,Y,Z with the normal of the plane, not all of the three numbers zero"
)]
pub struct UnknownAllowedTranslations {
    /// The text.
    pub text: String,
}

/// `direction:X,Y,Z`, `line:X,Y,Z` or `plane:X,Y,Z`.
impl fmt::Display for AllowedTranslations {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (name, vector) = match self {
            Self::Direction(direction) => ("direction", direction),
            Self::Line(direction) => ("line", direction),
            Self::Plane(normal) => ("plane", normal),
        };
        write!(f, "{name}:{},{},{}", vector.x, vector.y, vector.z)
    }
}

/// ```
/// use extricate_core::penetration::AllowedTranslations;
/// use nalgebra::Vector3;
///
/// assert_eq!("plane:0,0,2".parse(), Ok(AllowedTranslations::Plane(Vector3::z_axis())));
/// assert!("plane:0,0,0".parse::<AllowedTranslations>().is_err());
/// ```
impl FromStr for AllowedTranslations {
    type Err = UnknownAllowedTranslations;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownAllowedTranslations { text: text.to_owned() };
        let (name, numbers) = text.split_once(':').ok_or_else(unknown)?;
        let numbers = numbers.split(',').map(|number| number.trim().parse::<f64>().ok());
        let numbers = numbers.collect::<Option<Vec<f64>>>().and_then(|list| <[f64; 3]>::try_from(list).ok());
        // The largest component first: the square of a tiny or a huge one is not a number.
        let scaled = numbers.map(Vector3::from).map(|vector| vector / vector.amax());
        let finite = scaled.filter(|vector| vector.iter().all(|x| x.is_finite()));
        let unit = finite.and_then(|vector| Unit::try_new(vector, 0.0)).ok_or_else(unknown)?;
        match name {
            "direction" => Ok(Self::Direction(unit)),
            "line" => Ok(Self::Line(unit)),
            "plane" => Ok(Self::Plane(unit)),
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_parses_back_and_bad_texts_are_refused_with_the_accepted_forms() {
        for text in ["direction:1,0,0", "line:0,-1,0", "plane:0,0,1"] {
            assert_eq!(text.parse::<AllowedTranslations>().unwrap().to_string(), text);
        }
        assert_eq!("line:0,0,1e-300".parse(), Ok(AllowedTranslations::Line(Vector3::z_axis())));
        for text in ["", "plane", "plane:1,0", "plane:0,0,0", "plane:1,0,inf", "cone:0,0,1", "line:1,x,0"] {
            let error = text.parse::<AllowedTranslations>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")) && error.contains("plane:X,Y,Z"), "{error}");
        }
    }

    #[test]
    fn leaving_a_half_space_obliquely_is_longer_by_the_slope() {
        let (up, root) = (Vector3::z(), 0.5_f64.sqrt());
        let oblique = Unit::new_normalize(Vector3::new(1.0, 0.0, 1.0));
        let (length, direction) =
            AllowedTranslations::Direction(oblique).out_of_half_space(0.3, &up).unwrap();
        assert!((length - 0.3 / root).abs() < 1e-15 && (direction - oblique.into_inner()).norm() < 1e-15);
        assert_eq!(AllowedTranslations::Direction(-oblique).out_of_half_space(0.3, &up), None);
        let (length, direction) = AllowedTranslations::Line(-oblique).out_of_half_space(0.3, &up).unwrap();
        assert!((length - 0.3 / root).abs() < 1e-15 && direction.z > 0.7);
        assert_eq!(AllowedTranslations::Plane(Vector3::z_axis()).out_of_half_space(0.3, &up), None);
    }
}
