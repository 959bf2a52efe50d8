//! Corrections of invalid elements.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// An element of a robot's file that was corrected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 of a robot in xacro.
    pub line: usize,
    /// The part of the robot, such as `link "base"`.
    pub part: String,
    /// The defect that was found.
    pub found: String,
    /// Its correction.
    pub became: String,
}

impl Display for Correction {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let Self { path, line, part, found, became } = self;
        write!(out, "{}", path.display())?;
        if *line > 0 {
            write!(out, ":{line}")?;
        }
        write!(out, ": {part}: {found}; {became}")
    }
}
