//! Formats of robots, recognised by content.

/// Format of the file of a robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotFormat {
    /// URDF.
    Urdf,
    /// xacro, a template of URDF.
    Xacro,
}

/// Format of the text of a robot's file; URDF where nothing speaks for another.
///
/// ```
/// use extricate_core::kinematics::format::{RobotFormat, robot_format};
///
/// assert_eq!(robot_format("<robot name='r'/>"), RobotFormat::Urdf);
/// assert_eq!(robot_format("<robot xmlns:xacro='http://ros.org/wiki/xacro'/>"), RobotFormat::Xacro);
/// ```
#[must_use]
pub fn robot_format(text: &str) -> RobotFormat {
    // A prefix without a declaration is xacro as well: many files of macros leave it out.
    if text.contains("xmlns:xacro") || text.contains("<xacro:") {
        RobotFormat::Xacro
    } else {
        RobotFormat::Urdf
    }
}
