//! Answering a manifest, or a shard of it, into a folder.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::BatchError;
use super::folder::{BatchFolder, Opened};
use super::item::Item;
use super::manifest::{Manifest, ManifestLine};
use super::memory::peak;
use super::progress::BatchProgress;
use super::report::{Header, Report};
use super::shard::Shard;
use super::summary::{BatchFile, BatchSummary, BatchTiming};
use super::workers::{Done, Work};
use crate::record::host_name;
use crate::request::Library;
use crate::request::{Access, Context, Origin, RunPlace};
use crate::request::{Class, Fault};

/// How a manifest is to be answered.
#[derive(Debug, Clone)]
pub struct BatchOptions {
    /// Which of its items.
    pub shard: Shard,
    /// Whether to go on with what the folder holds of the same batch.
    pub resume: bool,
    /// Threads to use; 0 is one for each core. Answers do not depend on it.
    pub threads: usize,
    /// What meshes and what is made of them may take [bytes], by estimate.
    pub memory: usize,
    /// Files that items may name.
    pub access: Access,
}

/// What items are answered with.
struct TaskContext<'a> {
    /// Resources of requests.
    requests: Context<'a>,
    /// Folder of the runs.
    runs: PathBuf,
    /// Set when what takes long should stop.
    stop: &'a AtomicBool,
}

impl Default for BatchOptions {
    fn default() -> Self {
        Self { shard: Shard::WHOLE, resume: false, threads: 0, memory: 1 << 30, access: Access::default() }
    }
}

/// What became of a batch.
#[derive(Debug, Clone)]
pub struct BatchOutcome {
    /// What it came to, or came to so far.
    pub summary: BatchSummary,
    /// How long it took.
    pub timing: BatchTiming,
    /// Whether it was stopped before its end; it can be resumed then.
    pub stopped: bool,
}

/// Answers the items of a manifest into a folder, several at a time, with the answers in the order of the manifest.
///
/// A failure of an item, a panic included, is its answer and keeps no other item from being answered. `watch` is told again and
/// again how far it is, and may stop it; what is then answered can be gone on with, and so can what a kill leaves.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use std::ops::ControlFlow;
///
/// use extricate_scene::batch::{BatchOptions, batch};
///
/// let folder = std::env::temp_dir().join(format!("extricate-batch-doc-{}", std::process::id()));
/// let options = BatchOptions::default();
/// let outcome = batch("assets/manifests/demo.jsonl", &folder, &options, &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!(outcome.summary.failed, 0);
/// assert!(folder.join("results.jsonl").exists());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`BatchError`] when the manifest cannot be read, the folder holds something else, or a file cannot be written.
pub fn batch(
    manifest: impl AsRef<Path>,
    folder: impl AsRef<Path>,
    options: &BatchOptions,
    watch: &mut dyn FnMut(&BatchProgress) -> ControlFlow<()>,
) -> Result<BatchOutcome, BatchError> {
    let manifest = Manifest::survey(manifest)?;
    let file = BatchFile::new(&manifest, options.shard);
    let Opened { mut folder, tally, pending } = BatchFolder::open(folder.as_ref(), &file, options.resume)?;
    let found = tally.done + pending.len() as u64;
    let (threads, workers) = share_out(options.threads, file.items - found);
    let (library, stop) = (Library::new(options.memory).with_access(&options.access), AtomicBool::new(false));
    let own = std::path::absolute(Path::new(".").join(manifest.path().parent().unwrap_or(Path::new(""))));
    let own = own.map_err(BatchError::read(manifest.path()))?;
    let requests = Context {
        folder: &own,
        library: &library,
        parallel: threads > workers,
        sequence: false,
        origin: Origin::Fields,
    };
    let context = TaskContext { requests, runs: folder.runs(), stop: &stop };
    let ask = |line: &ManifestLine| answer(&context, line);
    let work = Work {
        manifest: &manifest,
        shard: options.shard,
        workers,
        threads: threads / workers,
        stop: &stop,
        ask: &ask,
    };
    let done = work.run(&mut folder, (tally, pending), watch)?;
    let timing = timing(&done, &library, [threads, workers], found);
    folder.time(&timing)?;
    let (summary, stopped) = (done.tally.summary(&file), done.stopped);
    if !stopped {
        folder.complete(&summary)?;
    }
    Ok(BatchOutcome { summary, timing, stopped })
}

/// Threads, and workers among which they are shared: as many as there are items to answer, at most.
fn share_out(threads: usize, items: u64) -> (usize, usize) {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = if threads == 0 { cores } else { threads };
    (threads, threads.min(usize::try_from(items).unwrap_or(threads)).max(1))
}

/// The answer to a line, and its kind; none where it was stopped.
fn answer(context: &TaskContext, line: &ManifestLine) -> Option<(Report, &'static str)> {
    let bad = |message: &str| {
        Fault::new(Class::BadFile, format!("line {} of the manifest: {message}", line.number))
    };
    let text = match &line.text {
        Ok(text) => text,
        Err(why) => return Some((Header::unknown(line.index).failed(bad(why)), Header::UNKNOWN)),
    };
    match Item::parse(text) {
        Err(error) => {
            let kind = error.kind.unwrap_or(Header::UNKNOWN);
            let head = Header { index: line.index, id: error.id.as_deref(), kind };
            Some((head.failed(bad(&error.to_string())), kind))
        }
        Ok(item) => {
            let head = Header { index: line.index, id: item.id(), kind: item.kind() };
            let folder = folder_of_run(&context.runs, line.index, item.id());
            let stop = || context.stop.load(Ordering::SeqCst);
            let run = RunPlace { folder: &folder, stop: &stop };
            let report = match item.request.answer(&context.requests, &run) {
                Ok(answered) => {
                    let (response, time) = answered?;
                    head.report(&response, time)
                }
                Err(fault) => head.failed(near(context.requests.folder, fault)),
            };
            Some((report, item.kind()))
        }
    }
}

/// The failure with paths as the manifest has them: what an answer says does not depend on where the manifest lies.
fn near(folder: &Path, fault: Fault) -> Fault {
    let folder = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
    Fault { message: fault.message.replace(&folder, ""), ..fault }
}

fn timing(done: &Done, library: &Library, [threads, workers]: [usize; 2], found: u64) -> BatchTiming {
    let wall = done.wall.as_secs_f64();
    let inside: f64 = done.kinds.values().map(|kind| kind.time).sum();
    #[expect(clippy::cast_precision_loss, reason = "a rate needs no more than 52 bits")]
    let (items, workers_time) = (done.items as f64, wall * workers as f64);
    BatchTiming {
        host: host_name(),
        threads,
        workers,
        resumed: found,
        items: done.items,
        wall_time: wall,
        items_per_second: items / wall,
        time_in_questions: inside,
        share_outside: 1.0 - inside / workers_time,
        kinds: done.kinds.clone(),
        loads: library.loads(),
        peak_memory: peak(),
        memory: done.memory.clone(),
    }
}

/// Where the run of an item is recorded: by its name, or by its number behind a letter that no name begins with.
fn folder_of_run(runs: &Path, index: u64, id: Option<&str>) -> PathBuf {
    runs.join(id.map_or_else(|| format!("@{index}"), str::to_owned))
}
