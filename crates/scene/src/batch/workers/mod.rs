//! Parallel answering of items, with the results in order.
//!
//! Every worker takes the next line of the manifest, answers it, and hands the result over; a worker that finds nobody writing
//! writes the results that are next in order. The lead of the workers over the written results is bounded, in items and in bytes, and so
//! is the memory. A worker has threads of its own, so that an item never waits for another one in the middle of a search.

mod admission;
mod collector;
mod done;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::thread;

use self::admission::Admission;
use self::collector::{Message, ResultCollector, Writer};
pub(super) use self::done::Done;
use super::error::BatchError;
use super::folder::{BatchFolder, Pending, ResultLine, outcome_of};
use super::manifest::{Manifest, ManifestLine};
use super::progress::BatchProgress;
use super::report::{Header, Report};
use super::shard::Shard;
use super::summary::Tally;
use crate::request::{Class, Fault};

/// Prefix of the thread names, by which a process recognises panics that are reported in a result.
pub const THREAD_NAME: &str = "batch-";

/// Stack of a thread [bytes]: that of a main thread, so that an item that succeeds alone does so in a batch.
const STACK: usize = 8 << 20;

/// Function that answers an item; none where it was stopped.
pub(super) type ItemHandler<'a> = dyn Fn(&ManifestLine) -> Option<(Report, &'static str)> + Sync + 'a;

/// The items to be answered, and the workers for them.
pub(super) struct Work<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) shard: Shard,
    pub(super) workers: usize,
    /// Threads of each worker.
    pub(super) threads: usize,
    pub(super) stop: &'a AtomicBool,
    pub(super) handle: &'a ItemHandler<'a>,
}

impl Work<'_> {
    /// Answers the items that are not answered yet and writes their results to the folder. `monitor` is called repeatedly with the progress
    /// and may stop the batch: items in work are then still answered, unless they can be stopped themselves.
    pub(super) fn run(
        &self,
        folder: &mut BatchFolder,
        (tally, pending): (Tally, Pending),
        monitor: &mut dyn FnMut(&BatchProgress) -> ControlFlow<()>,
    ) -> Result<Done, BatchError> {
        let answered = pending.keys().copied().collect();
        let admission = Admission::new((self.manifest, self.shard), tally.done, answered, self.stop)?;
        let items = self.shard.item_count(self.manifest.items());
        let collector = ResultCollector::new(Writer::new(folder, (tally, pending), items), self.workers);
        // Pending results of an earlier call may be next in order now.
        collector.write(&admission);
        thread::scope(|scope| {
            for number in 0..self.workers {
                let (admission, collector) = (&admission, &collector);
                let worker = thread::Builder::new().name(format!("{THREAD_NAME}{number}")).stack_size(STACK);
                let started = worker.spawn_scoped(scope, move || {
                    self.work(admission, collector);
                    collector.leave();
                });
                if let Err(source) = started {
                    collector.fail(admission, BatchError::Thread { source });
                    collector.leave();
                }
            }
            while !collector.all_left() {
                let progress = collector.writer().progress();
                // A worker that found the writer locked meanwhile has left the writing to this thread.
                collector.write(&admission);
                if monitor(&progress).is_break() {
                    admission.close();
                }
            }
        });
        collector.write(&admission);
        let writer = collector.into_writer();
        // The final progress is reported as well; nothing is left to be stopped.
        let _ = monitor(&writer.progress());
        writer.done()
    }

    fn work(&self, admission: &Admission, collector: &ResultCollector) {
        let pool = rayon::ThreadPoolBuilder::new();
        // A worker of one thread is its own pool: while it waits, a search never takes up another item.
        let pool = match self.threads {
            0 | 1 => pool.num_threads(1).use_current_thread().build(),
            threads => pool.num_threads(threads).stack_size(STACK).build(),
        };
        let handle = |line: &ManifestLine| match &pool {
            Ok(pool) if self.threads > 1 => pool.install(|| self.answer(line)),
            _ => self.answer(line),
        };
        loop {
            match admission.take() {
                Ok(None) => return,
                Err(error) => return collector.fail(admission, error),
                Ok(Some((place, line))) => {
                    let Some((Report { line, time }, kind)) = handle(&line) else { return };
                    let outcome = outcome_of(&line).expect("an answer has the fields of all answers");
                    collector.hand_over(
                        admission,
                        Message { place, answer: ResultLine { outcome, line }, kind, time },
                    );
                }
            }
        }
    }

    /// ResultLine to a line; a panic becomes a failure of the item.
    fn answer(&self, line: &ManifestLine) -> Option<(Report, &'static str)> {
        catch_unwind(AssertUnwindSafe(|| (self.handle)(line))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            let message = format!("panicked: {}", text.unwrap_or_default());
            let head = Header::of_line(line);
            Some((head.header().failed(Fault::new(Class::Numerical, message)), head.kind))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::batch::folder::Opened;
    use crate::batch::summary::BatchFile;

    #[test]
    fn a_panic_is_the_answer_of_its_item_and_of_no_other() {
        let root = std::env::temp_dir().join(format!("extricate-workers-{}", std::process::id()));
        std::fs::create_dir_all(&root).unwrap();
        let path = root.join("manifest.jsonl");
        let items =
            (0..40).map(|index| format!("{{\"kind\": \"run\", \"id\": \"n{index}\", \"scene\": \"x\"}}\n"));
        std::fs::write(&path, items.collect::<String>()).unwrap();
        let manifest = Manifest::scan(&path).unwrap();
        let file = BatchFile::new(&manifest, Shard::WHOLE);
        let Opened { mut folder, tally, pending } =
            BatchFolder::open(&root.join("out"), &file, false).unwrap();
        let stop = AtomicBool::new(false);
        let handle = |line: &ManifestLine| {
            assert!(line.index % 10 != 3, "item {} is too much", line.index);
            // Every seventh one is late, so that answers come out of order.
            if line.index.is_multiple_of(7) {
                thread::sleep(Duration::from_millis(3));
            }
            let head = Header { index: line.index, id: None, kind: "run" };
            Some((head.failed(Fault::new(Class::Usage, "refused")), "run"))
        };
        let work = Work {
            manifest: &manifest,
            shard: Shard::WHOLE,
            workers: 4,
            threads: 1,
            stop: &stop,
            handle: &handle,
        };
        let done = work.run(&mut folder, (tally, pending), &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(!done.stopped && done.tally.done == 40);
        let text = std::fs::read_to_string(root.join("out/results.jsonl")).unwrap();
        for (index, line) in text.lines().enumerate() {
            let outcome = outcome_of(format!("{line}\n").as_bytes()).unwrap();
            assert_eq!(outcome.index, index as u64);
            let expected = if index % 10 == 3 {
                (Some(5), Some(format!("panicked: item {index} is too much")), Some(format!("n{index}")))
            } else {
                (Some(2), Some(String::from("refused")), None)
            };
            assert_eq!((outcome.exit_code, outcome.error, outcome.id), expected);
        }
        std::fs::remove_dir_all(root).unwrap();
    }
}
