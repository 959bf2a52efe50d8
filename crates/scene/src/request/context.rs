//! Resources that requests are answered with, and the way in which their fields are written.

use std::path::Path;

use super::fault::{Class, Fault};
use super::library::Library;

/// Resources that requests are answered with.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Folder that relative paths are against.
    pub folder: &'a Path,
    /// Preprocessed meshes, robots and scenes.
    pub library: &'a Library,
    /// Whether a single request may use several threads.
    pub parallel: bool,
    /// Whether one request is answered at a sequence of poses.
    pub sequence: bool,
    /// Origin of the request.
    pub origin: Origin,
}

/// Origin of a request, by which messages name its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Options of a command line.
    Options,
    /// Fields of a line of JSON.
    Fields,
}

impl Context<'_> {
    /// The name of a field as its origin writes it.
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
