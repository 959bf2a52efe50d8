//! Manifest of a batch: a file with an item on each line that is not blank. It is read as a stream, never held as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::BatchError;
use crate::record::Hash;
use extricate_core::geometry::read::file::explained;

/// Maximum length of a line of a manifest \[bytes\]. It bounds the memory that a hostile file can claim: ten thousand joints fit, a million
/// do not.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// A manifest that has been scanned once.
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
    /// Index of the item, from 0.
    pub(super) index: u64,
    /// Number of the line in the file, from 1.
    pub(super) number: u64,
    /// Text of the line, or the reason why it cannot be read.
    pub(super) text: Result<String, String>,
}

/// The id of an item; all other fields are ignored.
#[derive(Deserialize)]
struct WithId {
    id: Option<String>,
}

impl Manifest {
    /// Scans a manifest once: computes its hash, counts its items and checks that all ids are unique. Lines that are not valid items are
    /// accepted here: each becomes a failed result.
    ///
    /// # Errors
    /// [`BatchError`] when the file cannot be read, holds no items, or has a duplicate id.
    pub fn scan(path: impl AsRef<Path>) -> Result<Self, BatchError> {
        let path = path.as_ref();
        let mut lines = Lines::open(path)?;
        let mut hashes = Vec::new();
        while let Some(line) = lines.next().map_err(unreadable(path))? {
            if let Some(id) = id_of(&line) {
                hashes.push(Hash::OF_NOTHING.then(id.as_bytes()).0);
            }
        }
        let Lines { hash, bytes, index: items, .. } = lines;
        if items == 0 {
            return Err(BatchError::Empty { path: path.to_owned() });
        }
        refuse_duplicates(path, hashes)?;
        Ok(Self { path: path.to_owned(), hash, bytes, items })
    }

    /// File of the manifest.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Hash of its bytes.
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// Length \[bytes\].
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number of items.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Lines of the manifest, from the first one.
    pub(super) fn lines(&self) -> Result<Lines, BatchError> {
        Lines::open(&self.path)
    }

    /// Checks that lines that were read to their end are those of the scan.
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

fn id_of(line: &ManifestLine) -> Option<String> {
    let text = line.text.as_ref().ok()?;
    serde_json::from_str::<WithId>(text).ok()?.id
}

/// Refuses duplicate ids. Hashes are compared first; ids of equal hashes are then compared themselves.
fn refuse_duplicates(path: &Path, mut hashes: Vec<u64>) -> Result<(), BatchError> {
    hashes.sort_unstable();
    let duplicates: BTreeSet<u64> =
        hashes.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    if duplicates.is_empty() {
        return Ok(());
    }
    // A second pass reads the few suspicious ids, so that millions of items need eight bytes each.
    let mut seen = BTreeMap::new();
    let mut lines = Lines::open(path)?;
    while let Some(line) = lines.next().map_err(unreadable(path))? {
        let Some(id) = id_of(&line) else { continue };
        if !duplicates.contains(&Hash::OF_NOTHING.then(id.as_bytes()).0) {
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

/// LineExtent to which a line was read.
enum LineExtent {
    Whole,
    TooLong,
    End,
}

impl Lines {
    fn open(path: &Path) -> Result<Self, BatchError> {
        let file = File::open(path).map_err(explained(path)).map_err(unreadable(path))?;
        let reader = BufReader::with_capacity(1 << 16, file);
        Ok(Self { reader, line: Vec::new(), hash: Hash::OF_NOTHING, bytes: 0, number: 0, index: 0 })
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> io::Result<Option<ManifestLine>> {
        loop {
            let extent = self.read_line()?;
            if matches!(extent, LineExtent::End) {
                return Ok(None);
            }
            self.number += 1;
            let text = match (extent, std::str::from_utf8(&self.line)) {
                (LineExtent::TooLong, _) => Err(format!("the line has more than {MAX_LINE_BYTES} bytes")),
                (_, Err(error)) => {
                    Err(format!("the line is not valid UTF-8 at byte {}", error.valid_up_to() + 1))
                }
                (_, Ok(text)) if text.trim().is_empty() => continue,
                (_, Ok(text)) => Ok(text.trim_end_matches(['\r', '\n']).to_owned()),
            };
            let index = self.index;
            self.index += 1;
            return Ok(Some(ManifestLine { index, number: self.number, text }));
        }
    }

    /// Reads up to the next line feed; the content of an overlong line is discarded.
    fn read_line(&mut self) -> io::Result<LineExtent> {
        self.line.clear();
        let mut extent = LineExtent::End;
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
            if matches!(extent, LineExtent::End) {
                extent = LineExtent::Whole;
            }
            // An overlong line is still read to its end: its bytes belong to the hash.
            if self.line.len() + taken > MAX_LINE_BYTES {
                (self.line, extent) = (Vec::new(), LineExtent::TooLong);
            } else if matches!(extent, LineExtent::Whole) {
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
    fn lines_are_counted_without_blank_ones_and_long_ones_are_discarded() {
        let mut text = b"\n{\"a\"}\r\n  \n\xff\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', 3 * MAX_LINE_BYTES));
        text.extend(b"\nlast");
        let path = file("lines", &text);
        let mut lines = Lines::open(&path).unwrap();
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            assert!(lines.line.capacity() <= 2 * MAX_LINE_BYTES);
            found.push((line.index, line.number, line.text));
        }
        let shortened = |(index, number, text): &(u64, u64, Result<String, String>)| {
            (*index, *number, text.as_ref().map_or_else(|why| why[..14].to_owned(), Clone::clone))
        };
        let found: Vec<_> = found.iter().map(shortened).collect();
        let expected =
            [(0, 2, "{\"a\"}"), (1, 4, "the line is no"), (2, 5, "the line has m"), (3, 6, "last")];
        assert_eq!(found, expected.map(|(index, number, text)| (index, number, text.to_owned())));
        let manifest = Manifest::scan(&path).unwrap();
        assert_eq!((manifest.items(), manifest.bytes()), (4, text.len() as u64));
        assert_eq!(manifest.hash(), Hash::OF_NOTHING.then(&text));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn duplicate_ids_and_empty_manifests_are_refused() {
        let path = file("twice", b"{\"id\": \"a\"}\n\n{\"id\": \"b\"}\n{}\n{}\n{\"id\": \"a\", \"x\": 1}\n");
        let error = Manifest::scan(&path).unwrap_err();
        assert!(error.to_string().ends_with(":6: duplicate id `a`: first used in line 1"), "{error}");
        std::fs::write(&path, " \n\n").unwrap();
        assert!(matches!(Manifest::scan(&path), Err(BatchError::Empty { .. })));
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(Manifest::scan(&path), Err(BatchError::Manifest { .. })));
    }
}
