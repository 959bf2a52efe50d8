//! Runs that are attached to MCAP recordings, so that one file can be shown by other programs and by this one.
//!
//! The files of the folder of a run that are needed to read it are attachments with the names `extricate/…`: `run.json`, the scene with
//! its files, states, nodes, contacts and the summary. Checkpoints, plots and exports are not among them.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Take};
use std::path::Path;

use crate::record::bundle::{ASSETS, SCENE};
use crate::record::contacts::CONTACTS;
use crate::record::directory::RunDirectory;
use crate::record::error::RecordError;
use crate::record::manifest::Manifest;
use crate::record::nodes::NODES;

/// First part of the names of attachments.
pub(super) const PREFIX: &str = "extricate/";

/// Names and media types of the files of a run, besides those that its scene names.
const FILES: [(&str, &str); 6] = [
    (Manifest::FILE, "application/json"),
    (SCENE, "text/plain"),
    (RunDirectory::STATES, "application/jsonl"),
    (NODES, "application/octet-stream"),
    (CONTACTS, "application/jsonl"),
    (RunDirectory::SUMMARY, "application/json"),
];

const MAGIC: &[u8; 8] = b"\x89MCAP0\r\n";
const FOOTER: u8 = 0x02;
const ATTACHMENT: u8 = 0x09;

/// Maximum length of a name in an attachment \[bytes\].
const NAME_BYTES: u64 = 1024;

/// Names and media types of the files of the folder of a run that are attached, in the order in which they are.
pub(super) fn files_of(folder: &Path) -> io::Result<Vec<(String, &'static str)>> {
    let known = FILES.into_iter().filter(|(name, _)| folder.join(name).is_file());
    let mut files: Vec<_> = known.map(|(name, media)| (name.to_owned(), media)).collect();
    let mut assets = Vec::new();
    if folder.join(ASSETS).is_dir() {
        for entry in fs::read_dir(folder.join(ASSETS))? {
            let entry = entry?;
            // Names of copied files are those of their content, and ASCII.
            if let (true, Ok(name)) = (entry.path().is_file(), entry.file_name().into_string()) {
                assets.push((format!("{ASSETS}/{name}"), "application/octet-stream"));
            }
        }
    }
    assets.sort_unstable();
    files.append(&mut assets);
    Ok(files)
}

/// Writes the run that is attached to an MCAP recording into a folder, which is created and must not exist.
///
/// # Errors
/// [`RecordError`] when the file is not an MCAP recording, is damaged, or has no run, or when the folder cannot be written. What was
/// written before remains.
pub fn unpack(path: &Path, folder: &Path) -> Result<(), RecordError> {
    let damaged = |cause: String| RecordError::damaged(path, None, cause);
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged(String::from("the file ends within a record")),
        _ => RecordError::unreadable(path, error),
    };
    let mut file = BufReader::new(File::open(path).map_err(|error| RecordError::unreadable(path, error))?);
    let mut magic = [0; 8];
    if file.read_exact(&mut magic).is_err() || magic != *MAGIC {
        return Err(damaged(String::from("it is not an MCAP recording")));
    }
    fs::create_dir(folder)
        .and_then(|()| fs::create_dir(folder.join(ASSETS)))
        .map_err(|source| RecordError::write(folder, source))?;
    let mut has_run = false;
    loop {
        let kind = number::<1>(&mut file).map_err(unreadable)?[0];
        let length = u64::from_le_bytes(number(&mut file).map_err(unreadable)?);
        if kind == FOOTER {
            break;
        }
        if kind != ATTACHMENT {
            let length = i64::try_from(length).map_err(|_| damaged(format!("a record of {length} bytes")))?;
            file.seek_relative(length).map_err(unreadable)?;
            continue;
        }
        let mut record = (&mut file).take(length);
        let name = attachment(&mut record).map_err(unreadable)?;
        match name.strip_prefix(PREFIX) {
            Some(name) if is_of_run(name) => {
                let size = record.limit().saturating_sub(4);
                write(&mut record, size, &folder.join(name), path)?;
                has_run |= name == Manifest::FILE;
            }
            Some(name) => return Err(damaged(format!("`{name}` is not a file of a run"))),
            // Of another program.
            None => {}
        }
        let rest = i64::try_from(record.limit()).unwrap_or(i64::MAX);
        file.seek_relative(rest).map_err(unreadable)?;
    }
    if has_run {
        return Ok(());
    }
    let cause = "it has no run of `extricate`: another program wrote it, or states in memory were written";
    Err(damaged(String::from(cause)))
}

/// Reads the head of an attachment, up to its data, and returns its name.
fn attachment(record: &mut impl Read) -> io::Result<String> {
    // Times.
    let _: [u8; 16] = number(record)?;
    let name = text(record)?;
    let _media = text(record)?;
    // The length of the data, which the length of the record implies.
    let _: [u8; 8] = number(record)?;
    Ok(name)
}

/// Whether a file may be in the folder of a run: no name leads out of it.
fn is_of_run(name: &str) -> bool {
    let is_plain = |name: &str| {
        !name.is_empty()
            && !name.starts_with('.')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    let asset = name.strip_prefix(ASSETS).and_then(|rest| rest.strip_prefix('/'));
    FILES.iter().any(|(known, _)| *known == name) || asset.is_some_and(is_plain)
}

fn write(record: &mut Take<impl Read>, size: u64, path: &Path, source: &Path) -> Result<(), RecordError> {
    let failed = |error| RecordError::write(path, error);
    let mut file = File::options().write(true).create_new(true).open(path).map_err(failed)?;
    if io::copy(&mut record.take(size), &mut file).map_err(failed)? < size {
        return Err(RecordError::damaged(source, None, String::from("the file ends within an attachment")));
    }
    Ok(())
}

fn number<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn text(from: &mut impl Read) -> io::Result<String> {
    let length = u64::from(u32::from_le_bytes(number(from)?));
    let mut text = String::new();
    if length <= NAME_BYTES && from.take(length).read_to_string(&mut text)? as u64 == length {
        return Ok(text);
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}
