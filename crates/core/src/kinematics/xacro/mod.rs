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

use std::path::{Path, PathBuf};

use crate::geometry::read::reach::FileScope;

/// Maximum length of a robot with all files that it includes, and of its expansion [bytes].
pub const TEXT_BYTES: usize = 64 << 20;
/// Maximum number of files that a robot includes.
pub const FILES: usize = 1000;
/// Maximum depth of files that include one another.
pub const INCLUDES: usize = 32;
/// Maximum depth of nested macros and elements of an expansion: each level takes some kilobytes of stack.
pub const DEPTH: usize = 200;
/// Maximum time of an expansion [s]: macros are programs, and a short one may run for years. Robots take milliseconds.
pub const SECONDS: u64 = 20;

/// A robot in xacro.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
    /// Files that may be included.
    pub(super) reach: &'a FileScope,
    /// Folders that are packages or hold packages.
    pub(super) packages: &'a [PathBuf],
    /// Values of arguments by name.
    pub(super) arguments: &'a [(String, String)],
}

impl Source<'_> {
    /// The URDF text that the robot expands to.
    ///
    /// # Errors
    /// A message with the cause and a remedy.
    pub(super) fn expanded(&self) -> Result<String, String> {
        let remedy = |cause| {
            let path = self.path.display();
            format!("cannot expand this xacro: {cause}; expand first: xacro {path} > ROBOT.urdf")
        };
        self.expansion().map_err(remedy)
    }

    #[cfg(feature = "formats")]
    fn expansion(&self) -> Result<String, String> {
        let (text, refusals) = include::inserted(self)?;
        expansion::run(self, text, refusals)
    }

    #[cfg(not(feature = "formats"))]
    #[expect(clippy::unused_self, reason = "the same function with the feature")]
    fn expansion(&self) -> Result<String, String> {
        Err("this build has no macros".to_owned())
    }
}

#[cfg(all(test, feature = "formats"))]
mod tests;
