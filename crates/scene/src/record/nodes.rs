//! Positions of the nodes of the soft bodies of a run: `nodes.bin`.
//!
//! All numbers are little-endian, and nothing is aligned.
//!
//! | part | holds |
//! |---|---|
//! | header | the eight letters `EXTNODES`, version `1` as u32, number of bodies as u32 |
//! | for each body, sorted by name | length of the name in bytes as u32, the name in UTF-8, number of nodes as u32 |
//! | for each recorded state | its step as u64, then x, y, z of every node of every body as f64 [m, world] |
//!
//! All states have the same length, so that any can be read without those before it. Positions are `f64` as they were in
//! the run, because what is derived from them is small against them: of a steel beam 1 m long that a strain of 1e-6 loads,
//! single precision would leave a stress of one digit. That is 24 bytes a node and state: 20 000 nodes at sixty states a second
//! are 29 MB a simulated second.
//!
//! A state is handed to the system as a whole and before its line in `states.jsonl`: where the line is, its nodes are.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use nalgebra::{Point3, Vector3};

use super::RecordError;
use extricate_dynamics::World;

/// Name of the file in the folder of a run.
pub(super) const NODES: &str = "nodes.bin";
const MAGIC: &[u8; 8] = b"EXTNODES";
const VERSION: u32 = 1;
/// Bytes of a node: three numbers.
const NODE: usize = 3 * size_of::<f64>();
/// Bytes of the step before the nodes of a state.
const STEP: usize = size_of::<u64>();
/// Maximum length of a name [bytes]: a header with a longer one is damaged.
const MAX_NAME_BYTES: usize = 1 << 16;

/// The file as it is written.
#[derive(Debug)]
pub(super) struct NodesWriter {
    path: PathBuf,
    file: File,
    state: Vec<u8>,
    /// Length of the file [bytes].
    length: u64,
}

impl NodesWriter {
    /// Continues the file of a folder, which has the given length [bytes].
    pub(super) fn reopened(folder: &Path, file: File, length: u64) -> Self {
        Self { path: folder.join(NODES), file, state: Vec::new(), length }
    }

    /// Length of the file [bytes].
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Creates the file, with a header for the bodies of a world.
    pub(super) fn create(folder: &Path, world: &World) -> Result<Self, RecordError> {
        let path = folder.join(NODES);
        let mut header = MAGIC.to_vec();
        let bodies = world.soft_descriptions();
        header.extend(VERSION.to_le_bytes());
        header.extend(length(bodies.len()));
        for body in bodies {
            let nodes = world.soft_positions(&body.name).unwrap_or_default();
            header.extend(length(body.name.len()));
            header.extend(body.name.as_bytes());
            header.extend(length(nodes.len()));
        }
        let created = File::create(&path).and_then(|mut file| file.write_all(&header).map(|()| file));
        match created {
            Ok(file) => Ok(Self { path, file, state: Vec::new(), length: header.len() as u64 }),
            Err(source) => Err(RecordError::write(&path, source)),
        }
    }

    /// Appends the current positions of the nodes.
    pub(super) fn append(&mut self, world: &World) -> Result<(), RecordError> {
        self.state.clear();
        self.state.extend(world.steps().to_le_bytes());
        for body in world.soft_descriptions() {
            let nodes = world.soft_positions(&body.name).unwrap_or_default();
            self.state.extend(nodes.iter().flatten().flat_map(|x| x.to_le_bytes()));
        }
        self.file.write_all(&self.state).map_err(|source| RecordError::write(&self.path, source))?;
        self.length += self.state.len() as u64;
        Ok(())
    }

    /// Waits until everything is on the disk.
    pub(super) fn finish(&self) -> Result<(), RecordError> {
        self.file.sync_all().map_err(|source| RecordError::write(&self.path, source))
    }
}

/// A count as stored in the file.
fn length(count: usize) -> [u8; 4] {
    u32::try_from(count).expect("meshes count their nodes in 32 bits").to_le_bytes()
}

/// The file as it is read.
#[derive(Debug, Clone)]
pub(super) struct NodesFile {
    path: PathBuf,
    /// Names and numbers of nodes, sorted by name.
    bodies: Vec<(String, usize)>,
    /// Length of the header [bytes].
    header: u64,
    /// Number of complete states.
    states: usize,
}

impl NodesFile {
    /// Opens the file of a folder and reads its header.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        let path = folder.join(NODES);
        let mut file = File::open(&path)?;
        let size = file.metadata()?.len();
        let mut reader = io::BufReader::new(&mut file);
        let mut magic = [0; MAGIC.len()];
        reader.read_exact(&mut magic)?;
        let version = number(&mut reader)?;
        if &magic != MAGIC || version != VERSION as usize {
            return Err(damaged(format!("not a node file of version {VERSION}")));
        }
        let mut bodies = Vec::new();
        for _ in 0..number(&mut reader)? {
            let letters = number(&mut reader)?;
            // Checked before allocating: a damaged length must not claim memory.
            if letters > MAX_NAME_BYTES {
                return Err(damaged(format!(
                    "its header has a name of {letters} bytes, more than {MAX_NAME_BYTES}"
                )));
            }
            let mut name = vec![0; letters];
            reader.read_exact(&mut name)?;
            let name = String::from_utf8(name)
                .map_err(|_| damaged("a name in its header is not valid UTF-8".into()))?;
            bodies.push((name, number(&mut reader)?));
        }
        let header = reader.stream_position()?;
        let mut nodes = Self { path, bodies, header, states: 0 };
        // The division drops a state that was written in part.
        nodes.states = ((size - header) / nodes.state_length() as u64) as usize;
        Ok(nodes)
    }

    /// Names and numbers of nodes of the bodies, sorted by name.
    pub(super) fn bodies(&self) -> &[(String, usize)] {
        &self.bodies
    }

    /// Number of complete states.
    pub(super) fn states(&self) -> usize {
        self.states
    }

    /// Reads the positions of the nodes in a state [m, world], body by body; the state must be that of `step`.
    pub(super) fn read(&self, state: usize, step: u64) -> io::Result<Vec<Vec<Point3<f64>>>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.header + state as u64 * self.state_length() as u64))?;
        let mut bytes = vec![0; self.state_length()];
        file.read_exact(&mut bytes)?;
        let (found, bytes) = bytes.split_at(STEP);
        let found = u64::from_le_bytes(found.try_into().expect("eight bytes were split off"));
        if found != step {
            return Err(damaged(format!("its state {state} is that of step {found}, not of step {step}")));
        }
        let mut numbers = bytes
            .chunks_exact(size_of::<f64>())
            .map(|bytes| f64::from_le_bytes(bytes.try_into().expect("chunks have eight bytes")));
        let mut node = || Point3::from(Vector3::from_fn(|_, _| numbers.next().unwrap_or(f64::NAN)));
        let bodies: Vec<Vec<_>> =
            self.bodies.iter().map(|&(_, count)| (0..count).map(|_| node()).collect()).collect();
        let is_finite = bodies.iter().flatten().all(|node| node.iter().all(|x| x.is_finite()));
        if is_finite {
            Ok(bodies)
        } else {
            Err(damaged(format!("a node of its state {state} is not finite")))
        }
    }

    fn state_length(&self) -> usize {
        STEP + NODE * self.bodies.iter().map(|(_, count)| count).sum::<usize>()
    }
}

fn number(reader: &mut impl Read) -> io::Result<usize> {
    let mut bytes = [0; 4];
    reader.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes) as usize)
}

fn damaged(cause: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}
