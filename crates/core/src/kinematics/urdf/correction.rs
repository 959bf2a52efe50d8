//! What a reader made of elements that cannot be taken as they stand.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// An element of a robot's file that was not taken as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The part of the robot, such as `link "base"`.
    pub part: String,
    /// What the file says.
    pub found: String,
    /// What it became.
    pub became: String,
}

impl Display for Correction {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let Self { path, line, part, found, became } = self;
        write!(out, "{}:{line}: {part}: {found}; {became}", path.display())
    }
}
