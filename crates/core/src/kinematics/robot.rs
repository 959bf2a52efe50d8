//! Robots of any format, which is recognized by the content of a file.

use std::path::Path;

use super::format::{RobotFormat, robot_format};
use super::mjcf;
use super::urdf::options::File;
use super::urdf::{Robot, RobotFileError, UrdfOptions, limits, parse_urdf};
use crate::geometry::read::file::text_of;

/// Reads a robot from a file: URDF or MJCF, whatever its name.
///
/// ```no_run
/// use extricate_core::kinematics::read_robot;
/// use extricate_core::kinematics::urdf::UrdfOptions;
///
/// let robot = read_robot("humanoid.xml", &UrdfOptions::default())?;
/// println!("{} joints move", robot.articulation.coordinates().len());
/// # Ok::<(), extricate_core::kinematics::urdf::RobotFileError>(())
/// ```
///
/// # Errors
/// [`RobotFileError`] when the file or one that it names is missing or damaged, is not a robot, or when its links and joints do not
/// make a tree; the error names the file, the line where it is known, and the cause.
pub fn read_robot(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Robot, RobotFileError> {
    let path = path.as_ref();
    let text = text_of(path, limits::FILE_BYTES)
        .map_err(|source| RobotFileError::Io { path: path.to_owned(), source })?;
    parse_robot(&text, path, options)
}

/// The robot in the content of a file that has been read already; files that it names are searched relative to its path,
/// which errors name.
///
/// ```
/// use std::path::Path;
/// use extricate_core::kinematics::parse_robot;
/// use extricate_core::kinematics::urdf::UrdfOptions;
///
/// let text = r#"<mujoco><worldbody><body name="leaf">
///   <joint name="hinge" range="-90 90"/><geom type="box" size="0.5 0.05 1"/>
/// </body></worldbody></mujoco>"#;
/// let door = parse_robot(text, Path::new("door.xml"), &UrdfOptions::default())?;
/// assert_eq!(door.articulation.links(), ["world", "leaf"]);
/// assert_eq!(door.articulation.joints()[0].limits.map(|[lower, _]| lower.to_degrees()), Some(-90.0));
/// # Ok::<(), extricate_core::kinematics::urdf::RobotFileError>(())
/// ```
///
/// # Errors
/// As [`read_robot`].
pub fn parse_robot(text: &str, path: &Path, options: &UrdfOptions) -> Result<Robot, RobotFileError> {
    let format = robot_format(text);
    if !matches!(format, Ok((RobotFormat::Mjcf, _))) {
        return parse_urdf(text, path, options);
    }
    let file = File { path, text, reach: &options.reach(path) };
    let (document, corrections) = mjcf::read(&file, options)?;
    document.assembled(corrections, &file, options)
}
