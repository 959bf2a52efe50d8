//! Formats of robots, recognised by content.

/// Format of the file of a robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotFormat {
    /// URDF.
    Urdf,
    /// xacro, a template of URDF.
    Xacro,
}

/// Format of the text of a robot's file; URDF where nothing speaks for another. A file is xacro where an element or an
/// expression is: URDF that xacro has written often keeps the declaration of its namespace.
///
/// ```
/// use extricate_core::kinematics::format::{RobotFormat, robot_format};
///
/// let declaration = "xmlns:xacro='http://ros.org/wiki/xacro'";
/// assert_eq!(robot_format(&format!("<robot {declaration}><link name='a'/></robot>")), RobotFormat::Urdf);
/// assert_eq!(robot_format(&format!("<robot {declaration}><xacro:arm/></robot>")), RobotFormat::Xacro);
/// ```
#[must_use]
pub fn robot_format(text: &str) -> RobotFormat {
    // Text outside of comments.
    let parts = text.split("<!--").enumerate();
    let parts = parts.map(|(at, part)| match part.split_once("-->") {
        Some((_, after)) if at > 0 => after,
        _ => part,
    });
    let parts: Vec<_> = parts.collect();
    let declarations = parts.iter().flat_map(|part| part.split("xmlns:").skip(1));
    let declared = declarations.filter_map(|declaration| {
        let (prefix, rest) = declaration.split_once('=')?;
        let uri = rest.trim_start().get(1..)?.split(['"', '\'']).next()?;
        uri.contains("xacro").then(|| prefix.trim())
    });
    let declared: Vec<_> = declared.collect();
    let has_element = |prefix: &&str| {
        let start = format!("<{prefix}:");
        parts.iter().any(|part| part.contains(&start))
    };
    // Many files of macros leave the declaration out.
    let has_macro = declared.iter().chain(&["xacro"]).any(has_element);
    let has_expression = !declared.is_empty() && parts.iter().any(|part| part.contains("${"));
    if has_macro || has_expression { RobotFormat::Xacro } else { RobotFormat::Urdf }
}
