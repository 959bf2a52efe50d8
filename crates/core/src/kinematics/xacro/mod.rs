//! Robots in xacro, the macro language of ROS: expansion to URDF.
//!
//! Files that xacro includes are inserted before the expansion, each only within the scope of the robot's file; the
//! expansion itself opens no file. It is bounded in depth, in the length of its text, and in time.

#[cfg(feature = "formats")]
mod expansion;
#[cfg(feature = "formats")]
mod include;
#[cfg(feature = "formats")]
mod yaml;

pub mod source;

use self::source::Source;

/// The URDF text that a robot expands to.
///
/// # Errors
/// A message with the cause and a remedy.
pub(super) fn expanded(source: &Source<'_>) -> Result<String, String> {
    let remedy = |cause| {
        let path = source.path.display();
        format!("cannot expand this xacro: {cause}; expand first: xacro {path} > ROBOT.urdf")
    };
    expansion_of(source).map_err(remedy)
}

#[cfg(feature = "formats")]
fn expansion_of(source: &Source<'_>) -> Result<String, String> {
    let (text, refusals) = include::inserted(source)?;
    expansion::run(source, text, refusals)
}

#[cfg(not(feature = "formats"))]
fn expansion_of(_: &Source<'_>) -> Result<String, String> {
    Err("the library is built without the feature `formats`".to_owned())
}

#[cfg(all(test, feature = "formats"))]
mod tests;
