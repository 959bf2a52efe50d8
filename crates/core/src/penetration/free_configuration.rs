//! Sources of free configurations, and their names on the command line.

use std::fmt;
use std::str::FromStr;

use nalgebra::Vector3;
use thiserror::Error;

/// Source of the free configurations from which a walk may start [Je12 §5].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum FreeConfiguration {
    /// From outside along the difference of the centroids [Je12 §5.1].
    CentroidDifference,
    /// A part of one body where the holes and hollows of the other one are widest [Je12 §5.2].
    MaximallyClear,
    /// Near configurations at which the models were separated before [Je12 §5.3]; needs a [`MotionCoherence`](super::MotionCoherence).
    MotionCoherence,
    /// From outside along random directions, from the seed of the options [Je12 §5.4].
    Random,
    /// The first gaps on lines from the overlap outwards, where gaps are likely [Je12 §5.5].
    Sampled,
    /// From outside along the most frequent face normals.
    FaceNormals,
    /// From outside along the principal axes of both models.
    PrincipalAxes,
    /// From outside along two hundred directions spread evenly over the sphere.
    Spread,
    /// This translation of A [m, world]; an error if the models are not separated there.
    Given(Vector3<f64>),
}

/// A name that is not a source of free configurations.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error(
    "unknown source of starts `{text}`; accepted are centroid, clear, coherence, random, sampled, normals, axes, \
     spread and given:X,Y,Z with a translation of A [m]"
)]
pub struct UnknownFreeConfiguration {
    /// The text that was parsed.
    pub text: String,
}

/// The sources without parameters.
const NAMES: [(&str, FreeConfiguration); 8] = [
    ("centroid", FreeConfiguration::CentroidDifference),
    ("clear", FreeConfiguration::MaximallyClear),
    ("coherence", FreeConfiguration::MotionCoherence),
    ("random", FreeConfiguration::Random),
    ("sampled", FreeConfiguration::Sampled),
    ("normals", FreeConfiguration::FaceNormals),
    ("axes", FreeConfiguration::PrincipalAxes),
    ("spread", FreeConfiguration::Spread),
];

impl FreeConfiguration {
    /// The same start with the roles of A and B exchanged.
    pub(crate) fn exchanged(self) -> Self {
        match self {
            Self::Given(translation) => Self::Given(-translation),
            other => other,
        }
    }
}

/// `centroid`, `clear`, `coherence`, `random`, `sampled`, `normals`, `axes`, `spread`, or `given:X,Y,Z`.
impl fmt::Display for FreeConfiguration {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Given(translation) => {
                write!(f, "given:{},{},{}", translation.x, translation.y, translation.z)
            }
            other => {
                let name = NAMES.iter().find(|(_, source)| source == other).map(|(name, _)| *name);
                f.write_str(name.expect("every source but the given one has a name"))
            }
        }
    }
}

/// ```
/// use extricate_core::penetration::FreeConfiguration;
///
/// assert_eq!("clear".parse(), Ok(FreeConfiguration::MaximallyClear));
/// assert_eq!("given:0,0,1.5".parse::<FreeConfiguration>()?.to_string(), "given:0,0,1.5");
/// assert!("given:0,0".parse::<FreeConfiguration>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl FromStr for FreeConfiguration {
    type Err = UnknownFreeConfiguration;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownFreeConfiguration { text: text.to_owned() };
        let Some(numbers) = text.strip_prefix("given:") else {
            let known = NAMES.iter().find(|(name, _)| *name == text);
            return known.map(|(_, source)| *source).ok_or_else(unknown);
        };
        let numbers = numbers.split(',').map(|number| number.trim().parse::<f64>().ok());
        let numbers = numbers.collect::<Option<Vec<f64>>>().and_then(|list| <[f64; 3]>::try_from(list).ok());
        let finite = numbers.filter(|list| list.iter().all(|x| x.is_finite()));
        finite.map(|list| Self::Given(Vector3::from(list))).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_parses_back_to_its_source() {
        let given = FreeConfiguration::Given(Vector3::new(0.1, -2e-9, 1.0 / 3.0));
        for source in NAMES.into_iter().map(|(_, source)| source).chain([given]) {
            assert_eq!(source.to_string().parse(), Ok(source));
        }
    }

    #[test]
    fn an_unknown_source_is_refused_with_the_list_of_sources() {
        for text in
            ["", "Clear", "given", "given:", "given:1,2", "given:1,2,3,4", "given:1,2,inf", "given:1,2,x"]
        {
            let error = text.parse::<FreeConfiguration>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")) && error.contains("centroid"), "{error}");
        }
    }
}
