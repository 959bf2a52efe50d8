//! Making one batch of all its shards: the same bytes as if there had been no shards.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::BatchError;
use super::folder::{FAILED, RESULTS, RUNS, SUMMARY, facts_of, read_batch_file, write_json};
use super::shard::Shard;
use super::summary::{BatchFile, BatchSummary, Tally};
use crate::disk::part_of;
use crate::record::Hash;

/// Missing shards that a message names; of more it tells how many.
const NAMED: usize = 8;

/// A shard that is complete.
struct Part {
    folder: PathBuf,
    file: BatchFile,
    results_hash: Hash,
}

/// What of a summary is needed here.
#[derive(Deserialize)]
struct Complete {
    results_hash: Hash,
}

/// The answers of a shard, one by one.
struct Answers {
    path: PathBuf,
    reader: BufReader<File>,
    line: Vec<u8>,
    hash: Hash,
}

/// Merges the shards of a batch into one folder: results in the order of the manifest, failures, runs, summary. A folder is a
/// shard, or holds shards. The folder that is made is that of the whole batch, byte for byte but for `timing.json`, which it
/// has not.
///
/// # Errors
/// [`BatchError::Shards`] when shards are missing, there twice, incomplete or of different batches; [`BatchError::Damaged`]
/// when answers are not those that a shard was completed with; others when a file cannot be read or written.
pub fn merge(folders: &[impl AsRef<Path>], output: impl AsRef<Path>) -> Result<BatchSummary, BatchError> {
    let output = output.as_ref();
    if output.join(BatchFile::FILE).exists() {
        return Err(BatchError::Occupied { folder: output.to_owned() });
    }
    let parts = in_order(gather(folders)?)?;
    fs::create_dir_all(output).map_err(BatchError::write(output))?;
    let first = &parts[0].file;
    let items = first.manifest.items;
    let whole = BatchFile { shard: Shard::WHOLE, items, ..first.clone() };
    let summary = write_results(&parts, output, items)?.summary(&whole);
    for part in &parts {
        copy_runs(&part.folder, output)?;
    }
    write_json(&output.join(SUMMARY), &summary)?;
    // What makes it a batch comes last, so that a merge that is killed can be done again.
    write_json(&output.join(BatchFile::FILE), &whole)?;
    Ok(summary)
}

/// The shards that are named, or are in a folder that is named.
fn gather(folders: &[impl AsRef<Path>]) -> Result<Vec<Part>, BatchError> {
    let mut parts = Vec::new();
    for folder in folders {
        let folder = folder.as_ref();
        if folder.join(BatchFile::FILE).exists() {
            parts.push(Part::read(folder)?);
            continue;
        }
        let before = parts.len();
        for entry in fs::read_dir(folder).map_err(BatchError::read(folder))? {
            let path = entry.map_err(BatchError::read(folder))?.path();
            if path.join(BatchFile::FILE).exists() {
                parts.push(Part::read(&path)?);
            }
        }
        if parts.len() == before {
            let why = format!("{}: is no shard and holds none", folder.display());
            return Err(BatchError::Shards { why });
        }
    }
    Ok(parts)
}

impl Part {
    fn read(folder: &Path) -> Result<Self, BatchError> {
        let file = read_batch_file(folder)?;
        let Shard { index, of } = file.shard;
        if index >= of || file.items != file.shard.share(file.manifest.items) {
            let path = folder.join(BatchFile::FILE);
            return Err(BatchError::Damaged {
                path,
                why: format!("there is no shard {index}/{of} of {} items", file.items),
            });
        }
        let path = folder.join(SUMMARY);
        if !path.exists() {
            let why = format!(
                "{}: shard {} is not complete: `--resume` goes on with it",
                folder.display(),
                file.shard
            );
            return Err(BatchError::Shards { why });
        }
        let text = fs::read(&path).map_err(BatchError::read(&path))?;
        let complete: Complete = serde_json::from_slice(&text).map_err(|error| BatchError::Damaged {
            path,
            why: format!("is no summary of a batch: {error}"),
        })?;
        Ok(Self { folder: folder.to_owned(), file, results_hash: complete.results_hash })
    }
}

/// The shards by their numbers: all of one batch, and all there.
fn in_order(mut parts: Vec<Part>) -> Result<Vec<Part>, BatchError> {
    let refused = |why| Err(BatchError::Shards { why });
    parts.sort_by(|a, b| (a.file.shard, &a.folder).cmp(&(b.file.shard, &b.folder)));
    let Some(first) = parts.first() else { return refused(String::from("there are no shards")) };
    let of = first.file.shard.of;
    for part in &parts {
        let folders = format!("{} and {}", first.folder.display(), part.folder.display());
        if part.file.shard.of != of {
            return refused(format!(
                "{folders}: the one is a shard of {of}, the other of {}",
                part.file.shard.of
            ));
        }
        let like_first = BatchFile { shard: first.file.shard, items: first.file.items, ..part.file.clone() };
        if let Some((what, here, there)) = first.file.difference(&like_first) {
            return refused(format!("{folders}: are of different batches: {what} is {here} and {there}"));
        }
    }
    if let Some(twice) = parts.windows(2).find(|pair| pair[0].file.shard == pair[1].file.shard) {
        let [a, b] = [&twice[0], &twice[1]].map(|part| part.folder.display());
        return refused(format!("{a} and {b}: are both shard {}", twice[0].file.shard));
    }
    let there: std::collections::BTreeSet<u64> = parts.iter().map(|part| part.file.shard.index).collect();
    let missing = (0..of).filter(|index| !there.contains(index)).take(NAMED + 1);
    let mut named: Vec<String> = missing.map(|index| format!("{index}/{of}")).collect();
    if named.is_empty() {
        return Ok(parts);
    }
    let count = of - parts.len() as u64;
    if named.len() > NAMED {
        named[NAMED] = String::from("…");
    }
    refused(format!("{count} of {of} shards are missing: {}", named.join(", ")))
}

/// Writes all answers in the order of the manifest, and the failures among them.
fn write_results(parts: &[Part], output: &Path, items: u64) -> Result<Tally, BatchError> {
    let mut answers = parts.iter().map(Answers::open).collect::<Result<Vec<_>, _>>()?;
    let paths = [RESULTS, FAILED].map(|name| output.join(name));
    let [results, failed] = &paths;
    let create =
        |path: &Path| File::create(part_of(path)).map(BufWriter::new).map_err(BatchError::write(path));
    let (mut all, mut failures) = (create(results)?, create(failed)?);
    let mut tally = Tally::default();
    let shards = answers.len() as u64;
    for index in 0..items {
        #[expect(clippy::cast_possible_truncation, reason = "it is the index of one of the shards")]
        let own = &mut answers[(index % shards) as usize];
        let (facts, line) = own.next(index)?;
        tally.add(&facts, line);
        all.write_all(line).map_err(BatchError::write(results))?;
        let failure = facts.failed_line().unwrap_or_default();
        failures.write_all(&failure).map_err(BatchError::write(failed))?;
    }
    for (answers, part) in answers.into_iter().zip(parts) {
        answers.finish(part.results_hash)?;
    }
    for (mut file, path) in [(all, results), (failures, failed)] {
        let written = file.flush().and_then(|()| file.get_ref().sync_all());
        let renamed = written.and_then(|()| fs::rename(part_of(path), path));
        renamed.map_err(BatchError::write(path))?;
    }
    Ok(tally)
}

impl Answers {
    fn open(part: &Part) -> Result<Self, BatchError> {
        let path = part.folder.join(RESULTS);
        let file = File::open(&path).map_err(BatchError::read(&path))?;
        Ok(Self { path, reader: BufReader::new(file), line: Vec::new(), hash: Hash::OF_NOTHING })
    }

    /// The next answer, which is that of an item.
    fn next(&mut self, index: u64) -> Result<(super::summary::Facts, &[u8]), BatchError> {
        self.line.clear();
        self.reader.read_until(b'\n', &mut self.line).map_err(BatchError::read(&self.path))?;
        self.hash = self.hash.then(&self.line);
        match facts_of(&self.line).filter(|facts| facts.index == index) {
            Some(facts) => Ok((facts, &self.line)),
            None => Err(self.damaged(format!("the answer to item {index} is not where it should be"))),
        }
    }

    /// Whether these were all answers, and those that the shard was completed with.
    fn finish(mut self, hash: Hash) -> Result<(), BatchError> {
        let rest = self.reader.fill_buf().map_err(BatchError::read(&self.path))?.len();
        if rest > 0 {
            return Err(self.damaged(String::from("there are more answers than items")));
        }
        if self.hash != hash {
            return Err(self.damaged(format!("the hash of the answers is {}, and was {hash}", self.hash)));
        }
        Ok(())
    }

    fn damaged(&self, why: String) -> BatchError {
        BatchError::Damaged { path: self.path.clone(), why }
    }
}

/// Copies the runs of a shard.
fn copy_runs(shard: &Path, output: &Path) -> Result<(), BatchError> {
    let runs = shard.join(RUNS);
    if !runs.exists() {
        return Ok(());
    }
    copy_folder(&runs, &output.join(RUNS))
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), BatchError> {
    fs::create_dir_all(to).map_err(BatchError::write(to))?;
    for entry in fs::read_dir(from).map_err(BatchError::read(from))? {
        let entry = entry.map_err(BatchError::read(from))?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        // A link is no part of what a run leaves.
        match entry.file_type().map_err(BatchError::read(&from))? {
            kind if kind.is_dir() => copy_folder(&from, &to)?,
            kind if kind.is_file() => {
                fs::copy(&from, &to).map_err(BatchError::write(&to))?;
            }
            _ => {}
        }
    }
    Ok(())
}
