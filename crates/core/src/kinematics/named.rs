//! Named configurations: keyframes of MJCF, group states of SRDF.

use std::collections::BTreeMap;

use super::error::RobotError;

/// A configuration with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedConfiguration {
    /// Its name.
    pub name: String,
    /// Joint values by name [rad or m]; joints that are not named are at rest.
    pub joints: BTreeMap<String, f64>,
}

/// The joint values of the configuration with a name.
///
/// # Errors
/// [`RobotError::UnknownConfiguration`] with the known names.
pub fn named_joints<'a>(
    configurations: &'a [NamedConfiguration],
    name: &str,
) -> Result<&'a BTreeMap<String, f64>, RobotError> {
    let found = configurations.iter().find(|own| own.name == name).map(|own| &own.joints);
    found.ok_or_else(|| RobotError::UnknownConfiguration {
        name: name.to_owned(),
        known: configurations.iter().map(|own| own.name.clone()).collect(),
    })
}
