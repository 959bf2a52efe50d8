//! Merging the shards of a batch: the same bytes as if there had been no shards.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::BatchError;
use super::folder::{FAILED, RESULTS, RUNS, SUMMARY, outcome_of, read_batch_file, write_json};
use super::shard::Shard;
use super::summary::{BatchFile, BatchSummary, Tally};
use crate::disk::part_of;
use crate::record::Hash;

/// Maximum number of missing shards that a message lists.
const NAMED: usize = 8;

/// A shard that is complete.
struct Part {
    folder: PathBuf,
    file: BatchFile,
    results_hash: Hash,
}

/// The field of a shard's summary that is needed here.
#[derive(Deserialize)]
struct Complete {
    results_hash: Hash,
}

/// The results of a shard, one by one.
struct ResultReader {
    path: PathBuf,
    reader: BufReader<File>,
    line: Vec<u8>,
    hash: Hash,
}

/// Merges the shards of a batch into one folder: results in the order of the manifest, failures, runs, summary. Each folder is a
/// shard, or holds shards. The output is the folder of the whole batch, byte for byte, but without `timing.json`.
///
/// # Errors
/// [`BatchError::Shards`] when shards are missing, duplicate, incomplete or of different batches; [`BatchError::Damaged`]
/// when results are not those with which a shard was completed; others when a file cannot be read or written.
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
    // `batch.json` comes last: a merge that was killed can then be repeated.
    write_json(&output.join(BatchFile::FILE), &whole)?;
    Ok(summary)
}

/// Shards among the given folders, or in them.
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
            let why = format!("{}: neither a shard nor a folder of shards", folder.display());
            return Err(BatchError::Shards { why });
        }
    }
    Ok(parts)
}

impl Part {
    fn read(folder: &Path) -> Result<Self, BatchError> {
        let file = read_batch_file(folder)?;
        let Shard { index, of } = file.shard;
        if index >= of || file.items != file.shard.item_count(file.manifest.items) {
            let path = folder.join(BatchFile::FILE);
            return Err(BatchError::Damaged {
                path,
                why: format!("shard {index}/{of} cannot have {} items", file.items),
            });
        }
        let path = folder.join(SUMMARY);
        if !path.exists() {
            let why = format!(
                "{}: shard {} is incomplete: resume it with `--resume`",
                folder.display(),
                file.shard
            );
            return Err(BatchError::Shards { why });
        }
        let text = fs::read(&path).map_err(BatchError::read(&path))?;
        let complete: Complete = serde_json::from_slice(&text)
            .map_err(|error| BatchError::Damaged { path, why: format!("not a batch summary: {error}") })?;
        Ok(Self { folder: folder.to_owned(), file, results_hash: complete.results_hash })
    }
}

/// Sorts the shards by number; refuses shards of different batches, duplicate and missing ones.
fn in_order(mut parts: Vec<Part>) -> Result<Vec<Part>, BatchError> {
    let refused = |why| Err(BatchError::Shards { why });
    parts.sort_by(|a, b| (a.file.shard, &a.folder).cmp(&(b.file.shard, &b.folder)));
    let Some(first) = parts.first() else { return refused(String::from("there are no shards")) };
    let of = first.file.shard.of;
    for part in &parts {
        let folders = format!("{} and {}", first.folder.display(), part.folder.display());
        if part.file.shard.of != of {
            return refused(format!(
                "{folders}: the numbers of shards differ: {of} and {}",
                part.file.shard.of
            ));
        }
        // Shard and number of items differ by design; everything else must agree.
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

/// Writes all results in the order of the manifest, and the failures among them.
fn write_results(parts: &[Part], output: &Path, items: u64) -> Result<Tally, BatchError> {
    let mut answers = parts.iter().map(ResultReader::open).collect::<Result<Vec<_>, _>>()?;
    let paths = [RESULTS, FAILED].map(|name| output.join(name));
    let [results, failed] = &paths;
    let create =
        |path: &Path| File::create(part_of(path)).map(BufWriter::new).map_err(BatchError::write(path));
    let (mut all, mut failures) = (create(results)?, create(failed)?);
    let mut tally = Tally::default();
    let shards = answers.len() as u64;
    // Shard I holds the items I, I + N, …, so that the next item is the next unread line of its shard.
    for index in 0..items {
        #[expect(clippy::cast_possible_truncation, reason = "it is the index of one of the shards")]
        let own = &mut answers[(index % shards) as usize];
        let (outcome, line) = own.next(index)?;
        tally.add(&outcome, line);
        all.write_all(line).map_err(BatchError::write(results))?;
        let failure = outcome.failed_line().unwrap_or_default();
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

impl ResultReader {
    fn open(part: &Part) -> Result<Self, BatchError> {
        let path = part.folder.join(RESULTS);
        let file = File::open(&path).map_err(BatchError::read(&path))?;
        Ok(Self { path, reader: BufReader::new(file), line: Vec::new(), hash: Hash::OF_NOTHING })
    }

    /// Reads the next result, which must be that of the item `index`.
    fn next(&mut self, index: u64) -> Result<(super::summary::ItemOutcome, &[u8]), BatchError> {
        self.line.clear();
        self.reader.read_until(b'\n', &mut self.line).map_err(BatchError::read(&self.path))?;
        self.hash = self.hash.then(&self.line);
        match outcome_of(&self.line).filter(|outcome| outcome.index == index) {
            Some(outcome) => Ok((outcome, &self.line)),
            None => Err(self.damaged(format!("the result of item {index} is missing or out of order"))),
        }
    }

    /// Checks that all results were read, and that they are those with which the shard was completed.
    fn finish(mut self, hash: Hash) -> Result<(), BatchError> {
        let rest = self.reader.fill_buf().map_err(BatchError::read(&self.path))?.len();
        if rest > 0 {
            return Err(self.damaged(String::from("there are more results than items")));
        }
        if self.hash != hash {
            return Err(self.damaged(format!("the hash of the results is {}, expected {hash}", self.hash)));
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
        // Links are skipped: a run leaves none.
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
