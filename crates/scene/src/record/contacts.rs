//! Contacts of recorded states: `contacts.jsonl`, a line for each line of `states.jsonl`.
//!
//! They are not in the state, which continues without them, and a pile has hundreds: they are recorded on request. A line
//! is handed to the system as a whole and before that of its state: where the state is, its contacts are.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

use super::error::RecordError;
use super::index::Index;
use extricate_dynamics::World;

/// Name of the file in the folder of a run.
pub(super) const CONTACTS: &str = "contacts.jsonl";

/// A contact of the step that led to a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContactPoint {
    /// Names of the two bodies, in their order; twice the same for a soft body in contact with itself.
    pub bodies: [String; 2],
    /// Point of contact [m, world].
    pub point: Point3<f64>,
    /// Unit direction in which the first body is pushed \[world\].
    pub normal: Vector3<f64>,
    /// Depth along the normal \[m\], negative for a contact that is not closed yet.
    pub depth: f64,
    /// Magnitude of the normal force \[N\].
    pub force: f64,
}

impl ContactPoint {
    /// The contacts of the last step of a world, in the order of the names of their bodies.
    #[must_use]
    pub fn of(world: &World) -> Vec<Self> {
        let named = |contact: extricate_dynamics::WorldContact| Self {
            bodies: contact.bodies.map(|body| world.name_of(body).to_owned()),
            point: contact.point,
            normal: contact.normal.into_inner(),
            depth: contact.depth,
            force: contact.force,
        };
        world.contacts().into_iter().map(named).collect()
    }
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    step: u64,
    time: f64,
    contacts: Vec<ContactPoint>,
}

/// The file as it is written.
#[derive(Debug)]
pub(super) struct ContactsWriter {
    path: PathBuf,
    file: File,
    line: Vec<u8>,
}

impl ContactsWriter {
    /// Creates the file in a folder.
    pub(super) fn create(folder: &Path) -> Result<Self, RecordError> {
        let path = folder.join(CONTACTS);
        match File::create(&path) {
            Ok(file) => Ok(Self { path, file, line: Vec::new() }),
            Err(source) => Err(RecordError::write(&path, source)),
        }
    }

    /// Continues the file of a folder after its first lines; none where contacts were not recorded.
    pub(super) fn reopen(folder: &Path, lines: usize) -> Result<Option<Self>, RecordError> {
        let path = folder.join(CONTACTS);
        if !path.is_file() {
            return Ok(None);
        }
        let cut = || {
            let length = length_of(&path, lines)?;
            let file = OpenOptions::new().append(true).open(&path)?;
            file.set_len(length)?;
            Ok(file)
        };
        let file = cut().map_err(|source| RecordError::write(&path, source))?;
        Ok(Some(Self { path, file, line: Vec::new() }))
    }

    /// Appends the contacts of the last step.
    pub(super) fn append(&mut self, world: &World) -> Result<(), RecordError> {
        let line = Line { step: world.steps(), time: world.time(), contacts: ContactPoint::of(world) };
        self.line.clear();
        let written = serde_json::to_writer(&mut self.line, &line).map_err(io::Error::from);
        self.line.push(b'\n');
        let written = written.and_then(|()| self.file.write_all(&self.line));
        written.map_err(|source| RecordError::write(&self.path, source))
    }
}

/// Length of the first lines of a file [bytes], which it must have.
fn length_of(path: &Path, lines: usize) -> io::Result<u64> {
    let mut reader = BufReader::new(File::open(path)?);
    let (mut length, mut line) = (0, Vec::new());
    for found in 0..lines {
        line.clear();
        length += reader.read_until(b'\n', &mut line)? as u64;
        if line.last() != Some(&b'\n') {
            let message = format!("it has {found} lines, and {lines} states were recorded");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
    }
    Ok(length)
}

/// The file as it is read.
#[derive(Debug)]
pub(super) struct ContactsFile {
    path: PathBuf,
    index: Index,
}

impl ContactsFile {
    /// Opens the file of a folder, which has a line for each state; none where contacts were not recorded.
    pub(super) fn open(folder: &Path, states: &Index) -> Result<Option<Self>, RecordError> {
        let path = folder.join(CONTACTS);
        if !path.is_file() {
            return Ok(None);
        }
        let index = Index::of(&path)?;
        for (number, state) in states.states.iter().enumerate() {
            if index.states.get(number).map(|line| line.step) != Some(state.step) {
                let cause = format!("the contacts of step {} are missing", state.step);
                return Err(RecordError::damaged(&path, Some(number + 1), cause));
            }
        }
        Ok(Some(Self { path, index }))
    }

    /// The contacts of a state.
    pub(super) fn read(&self, state: usize) -> Result<Vec<ContactPoint>, RecordError> {
        let entry = &self.index.states[state];
        let bytes = entry.line(&self.path).map_err(|source| RecordError::unreadable(&self.path, source))?;
        let line: Line = serde_json::from_slice(&bytes)
            .map_err(|error| RecordError::json(&self.path, Some(state + 1), &error))?;
        Ok(line.contacts)
    }
}
