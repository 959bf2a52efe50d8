//! A manifest: a file with an item on each line that is not blank. It is never held as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::BatchError;
use crate::record::Hash;

/// Longest line of a manifest, in bytes: what an attacker may make a reader hold. A million joints do not fit, ten thousand do.
pub const LONGEST_LINE: usize = 1 << 20;

/// A manifest that was read once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    path: PathBuf,
    hash: Hash,
    bytes: u64,
    items: u64,
}

/// A line that is not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ManifestLine {
    /// Which item it is, from 0.
    pub(super) index: u64,
    /// Which line of the file it is, from 1.
    pub(super) number: u64,
    /// Its text, or why there is none.
    pub(super) text: Result<String, String>,
}

/// The name of an item; all else is ignored.
#[derive(Deserialize)]
struct Named {
    id: Option<String>,
}

impl Manifest {
    /// Reads a manifest from its start to its end: its hash, how many items it holds, and that no two bear one name. Lines
    /// that are no items are left for later: each is a failure of its own.
    ///
    /// # Errors
    /// [`BatchError`] when the file cannot be read, holds nothing, or a name stands in it twice.
    pub fn survey(path: impl AsRef<Path>) -> Result<Self, BatchError> {
        let path = path.as_ref();
        let mut lines = Lines::open(path)?;
        let mut names = Vec::new();
        while let Some(line) = lines.next().map_err(unreadable(path))? {
            if let Some(id) = name_of(&line) {
                names.push(Hash::OF_NOTHING.then(id.as_bytes()).0);
            }
        }
        let Lines { hash, bytes, index: items, .. } = lines;
        if items == 0 {
            return Err(BatchError::Empty { path: path.to_owned() });
        }
        refuse_duplicates(path, names)?;
        Ok(Self { path: path.to_owned(), hash, bytes, items })
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Hash of its bytes.
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// Its length in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many items it holds.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Its lines, from the first one.
    pub(super) fn lines(&self) -> Result<Lines, BatchError> {
        Lines::open(&self.path)
    }

    /// Whether lines that were read to their end are those that were counted.
    pub(super) fn check(&self, lines: &Lines) -> Result<(), BatchError> {
        if (lines.hash, lines.bytes) == (self.hash, self.bytes) {
            return Ok(());
        }
        Err(BatchError::Changed { path: self.path.clone() })
    }
}

fn unreadable(path: &Path) -> impl Fn(io::Error) -> BatchError + '_ {
    |source| BatchError::Manifest { path: path.to_owned(), source }
}

fn name_of(line: &ManifestLine) -> Option<String> {
    let text = line.text.as_ref().ok()?;
    serde_json::from_str::<Named>(text).ok()?.id
}

/// Refuses names that stand twice. Names are told apart by their hashes; equal ones are then looked at themselves.
fn refuse_duplicates(path: &Path, mut hashes: Vec<u64>) -> Result<(), BatchError> {
    hashes.sort_unstable();
    let twice: BTreeSet<u64> =
        hashes.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    if twice.is_empty() {
        return Ok(());
    }
    let mut seen = BTreeMap::new();
    let mut lines = Lines::open(path)?;
    while let Some(line) = lines.next().map_err(unreadable(path))? {
        let Some(id) = name_of(&line) else { continue };
        if !twice.contains(&Hash::OF_NOTHING.then(id.as_bytes()).0) {
            continue;
        }
        if let Some(first) = seen.get(&id) {
            let lines = [*first, line.number];
            return Err(BatchError::DuplicateId { path: path.to_owned(), id, lines });
        }
        seen.insert(id, line.number);
    }
    Ok(())
}

/// The lines of a manifest, one at a time.
#[derive(Debug)]
pub(super) struct Lines {
    reader: BufReader<File>,
    line: Vec<u8>,
    hash: Hash,
    bytes: u64,
    number: u64,
    index: u64,
}

/// How a line was read.
enum Extent {
    Whole,
    TooLong,
    End,
}

impl Lines {
    fn open(path: &Path) -> Result<Self, BatchError> {
        let file = File::open(path).map_err(unreadable(path))?;
        let reader = BufReader::with_capacity(1 << 16, file);
        Ok(Self { reader, line: Vec::new(), hash: Hash::OF_NOTHING, bytes: 0, number: 0, index: 0 })
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> io::Result<Option<ManifestLine>> {
        loop {
            let extent = self.read_line()?;
            if matches!(extent, Extent::End) {
                return Ok(None);
            }
            self.number += 1;
            let text = match (extent, std::str::from_utf8(&self.line)) {
                (Extent::TooLong, _) => Err(format!("the line has more than {LONGEST_LINE} bytes")),
                (_, Err(error)) => Err(format!("the line is no text: byte {}", error.valid_up_to() + 1)),
                (_, Ok(text)) if text.trim().is_empty() => continue,
                (_, Ok(text)) => Ok(text.trim_end_matches(['\r', '\n']).to_owned()),
            };
            let index = self.index;
            self.index += 1;
            return Ok(Some(ManifestLine { index, number: self.number, text }));
        }
    }

    /// Reads up to the next line feed; of what is too long nothing is kept.
    fn read_line(&mut self) -> io::Result<Extent> {
        self.line.clear();
        let mut extent = Extent::End;
        loop {
            let chunk = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                chunk => chunk?,
            };
            if chunk.is_empty() {
                return Ok(extent);
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(chunk.len(), |end| end + 1);
            self.hash = self.hash.then(&chunk[..taken]);
            if matches!(extent, Extent::End) {
                extent = Extent::Whole;
            }
            if self.line.len() + taken > LONGEST_LINE {
                (self.line, extent) = (Vec::new(), Extent::TooLong);
            } else if matches!(extent, Extent::Whole) {
                self.line.extend_from_slice(&chunk[..taken]);
            }
            self.reader.consume(taken);
            self.bytes += taken as u64;
            if end.is_some() {
                return Ok(extent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, bytes: &[u8]) -> PathBuf {
        let path =
            std::env::temp_dir().join(format!("extricate-manifest-{name}-{}.jsonl", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn lines_are_counted_without_blank_ones_and_long_ones_are_not_kept() {
        let mut text = b"\n{\"a\"}\r\n  \n\xff\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', 3 * LONGEST_LINE));
        text.extend(b"\nlast");
        let path = file("lines", &text);
        let mut lines = Lines::open(&path).unwrap();
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            assert!(lines.line.capacity() <= 2 * LONGEST_LINE);
            found.push((line.index, line.number, line.text));
        }
        let told = |(index, number, text): &(u64, u64, Result<String, String>)| {
            (*index, *number, text.as_ref().map_or_else(|why| why[..14].to_owned(), Clone::clone))
        };
        let found: Vec<_> = found.iter().map(told).collect();
        let expected =
            [(0, 2, "{\"a\"}"), (1, 4, "the line is no"), (2, 5, "the line has m"), (3, 6, "last")];
        assert_eq!(found, expected.map(|(index, number, text)| (index, number, text.to_owned())));
        let manifest = Manifest::survey(&path).unwrap();
        assert_eq!((manifest.items(), manifest.bytes()), (4, text.len() as u64));
        assert_eq!(manifest.hash(), Hash::OF_NOTHING.then(&text));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn names_that_stand_twice_and_empty_manifests_are_refused() {
        let path = file("twice", b"{\"id\": \"a\"}\n\n{\"id\": \"b\"}\n{}\n{}\n{\"id\": \"a\", \"x\": 1}\n");
        let error = Manifest::survey(&path).unwrap_err();
        assert!(error.to_string().ends_with(":6: the id `a` stands in line 1 already"), "{error}");
        std::fs::write(&path, " \n\n").unwrap();
        assert!(matches!(Manifest::survey(&path), Err(BatchError::Empty { .. })));
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(Manifest::survey(&path), Err(BatchError::Manifest { .. })));
    }
}
