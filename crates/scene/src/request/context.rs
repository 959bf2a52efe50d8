//! Resources for answering requests, and the notation of their fields.

use std::path::Path;

use super::fault::{Class, Fault};
use super::library::Library;

/// Resources for answering requests.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Folder against which relative paths are resolved.
    pub folder: &'a Path,
    /// Preprocessed meshes, robots and scenes.
    pub library: &'a Library,
    /// Whether a single request may use several threads.
    pub parallel: bool,
    /// Whether the request is answered for a sequence of poses.
    pub sequence: bool,
    /// Origin of the request.
    pub origin: Origin,
}

/// Origin of a request, which determines how messages write the names of its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Options of a command line.
    Options,
    /// Fields of a line of JSON.
    Fields,
}

impl Context<'_> {
    /// The name of a field in the notation of the origin.
    pub(super) fn name(&self, field: &str) -> String {
        match self.origin {
            Origin::Options => format!("`--{}`", field.replace('_', "-")),
            Origin::Fields => format!("`{field}`"),
        }
    }

    /// Refuses a field, if one was given.
    pub(super) fn refuse(&self, field: Option<&str>, why: &str) -> Result<(), Fault> {
        match field {
            None => Ok(()),
            Some(field) => Err(Fault::new(Class::Usage, format!("{} {why}", self.name(field)))),
        }
    }
}
