//! What a command says on stdout.

use std::fmt::Display;
use std::io::{self, BufWriter, Stdout, Write};

use serde::Serialize;

use super::failure::Failure;

/// Stdout of one command.
pub(super) struct Console {
    json: bool,
    stdout: BufWriter<Stdout>,
}

impl Console {
    pub(super) fn new(json: bool) -> Self {
        Self { json, stdout: BufWriter::new(io::stdout()) }
    }

    pub(super) fn json(&self) -> bool {
        self.json
    }

    /// One result as a line of JSON.
    pub(super) fn json_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(io::Error::from)?;
        self.line(text)
    }

    /// A line of text for a person.
    pub(super) fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        Ok(writeln!(self.stdout, "{text}")?)
    }

    /// Writes out what is buffered.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }
}
