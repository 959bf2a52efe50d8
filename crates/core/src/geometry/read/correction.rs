//! Corrections of invalid elements of files.

use std::cell::RefCell;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

/// An element of a file of a robot or mesh that was corrected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 where it is not known: in binary files, and of a robot in xacro.
    pub line: usize,
    /// The part of the file, such as `link "base"` or `face`.
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

/// Corrections of one mesh file: one for each cause, with the number of its occurrences.
#[derive(Debug, Default)]
pub(super) struct Corrections(RefCell<Vec<Cause>>);

#[derive(Debug)]
struct Cause {
    line: usize,
    part: &'static str,
    /// The defect where it was found first.
    found: String,
    became: &'static str,
    count: usize,
}

impl Corrections {
    /// Adds a correction; of those with the same part and result, which have the same cause, only the first one is described.
    pub(super) fn add(
        &self,
        line: Option<usize>,
        part: &'static str,
        became: &'static str,
        found: impl FnOnce() -> String,
    ) {
        let mut causes = self.0.borrow_mut();
        match causes.iter_mut().find(|cause| (cause.part, cause.became) == (part, became)) {
            Some(cause) => cause.count += 1,
            None => causes.push(Cause { line: line.unwrap_or(0), part, found: found(), became, count: 1 }),
        }
    }

    /// The first cause, of a file of which nothing remains: its line if it is known, and the defect.
    pub(super) fn first(&self) -> Option<(Option<usize>, String)> {
        let causes = self.0.borrow();
        let first = causes.first()?;
        Some((Some(first.line).filter(|&line| line > 0), first.found.clone()))
    }

    /// The corrections, of the file `path`.
    pub(super) fn of_file(self, path: &Path) -> Vec<Correction> {
        let of_cause = |Cause { line, part, found, became, count }| {
            let more = match count {
                1 => String::new(),
                2 => ", and so is one more".to_owned(),
                _ => format!(", and so are {} more", count - 1),
            };
            let (path, part) = (path.to_owned(), String::from(part));
            Correction { path, line, part, found, became: format!("{became}{more}") }
        };
        self.0.into_inner().into_iter().map(of_cause).collect()
    }
}
