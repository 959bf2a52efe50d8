//! A robot in xacro, and the limits of its expansion.

use std::path::{Path, PathBuf};

use crate::geometry::read::reach::FileScope;

/// Maximum length of a robot with all files that it includes, and of its expansion \[bytes\].
pub const TEXT_BYTES: usize = 64 << 20;
/// Maximum number of files that a robot includes.
pub const FILES: usize = 1000;
/// Maximum depth of files that include one another.
pub const INCLUDES: usize = 32;
/// Maximum depth of nested macros and elements of an expansion: each level takes some kilobytes of stack.
pub const DEPTH: usize = 200;
/// Maximum time of an expansion \[s\]: macros are programs, and a short one may run for years. Robots take milliseconds.
pub const SECONDS: u64 = 20;

/// A robot in xacro.
#[cfg_attr(
    not(feature = "formats"),
    expect(dead_code, reason = "only its path is named where nothing is expanded")
)]
#[derive(Debug, Clone, Copy)]
pub(in crate::kinematics) struct Source<'a> {
    pub(in crate::kinematics) path: &'a Path,
    pub(in crate::kinematics) text: &'a str,
    /// Files that may be included.
    pub(in crate::kinematics) reach: &'a FileScope,
    /// Folders that are packages or hold packages.
    pub(in crate::kinematics) packages: &'a [PathBuf],
    /// Values of arguments by name.
    pub(in crate::kinematics) arguments: &'a [(String, String)],
}
