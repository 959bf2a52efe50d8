//! Formats of robots, recognized by the content of a file.

use std::fmt::{self, Display, Formatter};

use crate::geometry::read::xml::{Refusal, start_tag, without_comments};

/// A format of robots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotFormat {
    /// URDF: the root element is `<robot>`.
    Urdf,
    /// Xacro, a template of URDF: a `<robot>` with elements of xacro.
    Xacro,
    /// MJCF, a model of MuJoCo: the root element is `<mujoco>`.
    Mjcf,
}

impl Display for RobotFormat {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Urdf => "URDF",
            Self::Xacro => "xacro, a template of a robot",
            Self::Mjcf => "MJCF, a model of MuJoCo",
        })
    }
}

/// The format of a text by its root element, and the line of the element that shows it.
///
/// # Errors
/// The line and a message for texts of other formats.
pub fn robot_format(text: &str) -> Result<(RobotFormat, usize), Refusal> {
    let text = without_comments(text);
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let Some((at, root)) = start_tag(&text) else {
        return Err((None, format!("not a robot: found no XML element, {EXPECTED}")));
    };
    match root {
        "robot" if is_xacro(&text) => Ok((RobotFormat::Xacro, line(at))),
        "robot" => Ok((RobotFormat::Urdf, line(at))),
        "mujoco" => Ok((RobotFormat::Mjcf, line(at))),
        "sdf" => Err((Some(line(at)), format!("this is SDF, a model of Gazebo; {EXPECTED}"))),
        other => Err((Some(line(at)), format!("not a robot: found the root element <{other}>, {EXPECTED}"))),
    }
}

/// Whether a text without comments is xacro: it has an element or an expression of it. URDF that xacro has written often keeps
/// the declaration of its namespace.
fn is_xacro(text: &str) -> bool {
    let declared = text.split("xmlns:").skip(1).filter_map(|declaration| {
        let (prefix, rest) = declaration.split_once('=')?;
        let uri = rest.trim_start().get(1..)?.split(['"', '\'']).next()?;
        uri.contains("xacro").then(|| prefix.trim())
    });
    let declared: Vec<_> = declared.collect();
    // Many files of macros leave the declaration out.
    let has_macro = declared.iter().chain(&["xacro"]).any(|prefix| text.contains(&format!("<{prefix}:")));
    has_macro || !declared.is_empty() && text.contains("${")
}

const EXPECTED: &str = "expected <robot> (URDF) or <mujoco> (MJCF)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_recognized_by_the_root_element_behind_comments_and_declarations() {
        let found = |text: &str| robot_format(text);
        assert_eq!(
            found("<?xml version='1.0'?>\n<!-- <mujoco> -->\n<robot name='r'/>"),
            Ok((RobotFormat::Urdf, 3))
        );
        assert_eq!(found("\u{feff}<mujoco\nmodel='m'><robot/></mujoco>"), Ok((RobotFormat::Mjcf, 1)));
        assert_eq!(found("<robot xmlns:xacro='x'/>"), Ok((RobotFormat::Urdf, 1)));
        assert_eq!(found("<robot>\n<xacro:arm/></robot>"), Ok((RobotFormat::Xacro, 1)));
        assert_eq!(
            found("<robot xmlns:x='http://ros.org/wiki/xacro'>\n<x:arm/></robot>"),
            Ok((RobotFormat::Xacro, 1))
        );
        assert_eq!(
            found("\n<package format='2'/>"),
            Err((Some(2), format!("not a robot: found the root element <package>, {EXPECTED}")))
        );
        assert_eq!(
            found("<sdf/>").unwrap_err().1,
            "this is SDF, a model of Gazebo; expected <robot> (URDF) or <mujoco> (MJCF)"
        );
        assert_eq!(
            found("v 0 0 0").unwrap_err(),
            (None, format!("not a robot: found no XML element, {EXPECTED}"))
        );
    }
}
