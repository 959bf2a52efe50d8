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

/// Options of a batch.
#[derive(Debug, Clone)]
pub struct BatchOptions {
    /// Shard of the manifest to be answered.
    pub shard: Shard,
    /// Whether to resume the same batch from the results in the folder.
    pub resume: bool,
    /// Number of threads; 0 is one for each core. Results do not depend on it.
    pub threads: usize,
    /// Memory for meshes and the structures built from them \[bytes\], by estimate.
    pub memory: usize,
    /// Files that items may name.
    pub access: Access,
}

/// Resources for answering items.
struct TaskContext<'a> {
    /// Resources of requests.
    requests: Context<'a>,
    /// Folder of the runs.
    runs: PathBuf,
    /// Flag that asks long computations to stop.
    stop: &'a AtomicBool,
}

impl Default for BatchOptions {
    fn default() -> Self {
        Self { shard: Shard::WHOLE, resume: false, threads: 0, memory: 1 << 30, access: Access::default() }
    }
}

/// Outcome of a batch.
#[derive(Debug, Clone)]
pub struct BatchOutcome {
    /// Summary of all results so far.
    pub summary: BatchSummary,
    /// Wall-clock times.
    pub timing: BatchTiming,
    /// Whether it was stopped before its end; it can be resumed then.
    pub stopped: bool,
}

/// Answers the items of a manifest into a folder, several at a time, with the results in the order of the manifest.
///
/// A failure of an item, a panic included, becomes its result and does not affect other items. `monitor` is called repeatedly with the
/// progress and may stop the batch. A batch that was stopped or killed can be resumed.
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
    monitor: &mut dyn FnMut(&BatchProgress) -> ControlFlow<()>,
) -> Result<BatchOutcome, BatchError> {
    let manifest = Manifest::scan(manifest)?;
    let file = BatchFile::new(&manifest, options.shard);
    let Opened { mut folder, tally, pending } = BatchFolder::open(folder.as_ref(), &file, options.resume)?;
    let found = tally.done + pending.len() as u64;
    let (threads, workers) = thread_counts(options.threads, file.items - found);
    let (library, stop) = (Library::new(options.memory).with_access(&options.access), AtomicBool::new(false));
    // With `.` in front: the parent of a bare file name is empty, and has no absolute path.
    let own = std::path::absolute(Path::new(".").join(manifest.path().parent().unwrap_or(Path::new(""))));
    let own = own.map_err(BatchError::read(manifest.path()))?;
    let requests = Context {
        folder: &own,
        library: &library,
        // With more threads than items the others work inside the items.
        parallel: threads > workers,
        sequence: false,
        origin: Origin::Fields,
    };
    let context = TaskContext { requests, runs: folder.runs(), stop: &stop };
    let handle = |line: &ManifestLine| answer(&context, line);
    let work = Work {
        manifest: &manifest,
        shard: options.shard,
        workers,
        threads: threads / workers,
        stop: &stop,
        handle: &handle,
    };
    let done = work.run(&mut folder, (tally, pending), monitor)?;
    let timing = timing(&done, &library, [threads, workers], found);
    folder.write_timing(&timing)?;
    let (summary, stopped) = (done.tally.summary(&file), done.stopped);
    if !stopped {
        folder.complete(&summary)?;
    }
    Ok(BatchOutcome { summary, timing, stopped })
}

/// Number of threads, and of workers among which they are distributed: at most one worker for each item.
fn thread_counts(threads: usize, items: u64) -> (usize, usize) {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = if threads == 0 { cores } else { threads };
    (threads, threads.min(usize::try_from(items).unwrap_or(threads)).max(1))
}

/// Report of a line, and its kind; none where the item was stopped.
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

/// The failure with paths relative to the manifest, so that results do not depend on its location.
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
        overhead_fraction: 1.0 - inside / workers_time,
        kinds: done.kinds.clone(),
        loads: library.loads(),
        peak_memory: peak(),
        memory: done.memory.clone(),
    }
}

/// Folder in which the run of an item is recorded: its id, or its index behind `@`, with which no id begins.
fn folder_of_run(runs: &Path, index: u64, id: Option<&str>) -> PathBuf {
    runs.join(id.map_or_else(|| format!("@{index}"), str::to_owned))
}
