//! Answering items side by side, with the answers in order.
//!
//! Every worker takes the next line of the manifest, answers it, and hands the answer over; whoever finds nobody writing
//! writes the answers whose turn it is. How far workers are ahead of what is written is bounded, in items and in bytes, and so is
//! the memory. A worker has threads of its own, so that an item never waits for another one in the middle of a search.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::error::BatchError;
use super::fault::{Class, Fault};
use super::folder::{Answer, BatchFolder, Pending, facts_of};
use super::manifest::{Lines, Manifest, ManifestLine};
use super::memory::MemoryLog;
use super::run::BatchProgress;
use super::shard::Shard;
use super::summary::{KindTiming, MemorySample, Tally};
use super::task::{Head, Told};

/// Items that may be ahead of what is written: what one item may take longer than the others.
const WINDOW: u64 = 4096;

/// Bytes of answers that may wait for their turn; the answer that they wait for still comes.
const WAITING_BYTES: usize = 1 << 26;

/// How long nothing may be told.
const PATIENCE: Duration = Duration::from_millis(200);

/// Start of the names of the threads, by which a process knows that a panic is told in an answer.
pub const THREAD_NAME: &str = "batch-";

/// Stack of a thread [bytes]: that of a main thread.
const STACK: usize = 8 << 20;

/// Answers an item, or nothing where it was stopped.
pub(super) type Ask<'a> = dyn Fn(&ManifestLine) -> Option<(Told, &'static str)> + Sync + 'a;

/// What is to be answered, and by whom.
pub(super) struct Work<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) shard: Shard,
    pub(super) workers: usize,
    /// Threads of each worker.
    pub(super) threads: usize,
    pub(super) stop: &'a AtomicBool,
    pub(super) ask: &'a Ask<'a>,
}

/// What workers came to.
pub(super) struct Done {
    pub(super) tally: Tally,
    pub(super) stopped: bool,
    pub(super) items: u64,
    pub(super) wall: Duration,
    pub(super) kinds: BTreeMap<&'static str, KindTiming>,
    pub(super) memory: Vec<MemorySample>,
}

/// What a worker hands over.
struct Message {
    place: u64,
    answer: Answer,
    kind: &'static str,
    time: Duration,
}

/// Lines that nobody has taken yet, and how far those who took some are ahead.
struct Gate<'a> {
    feed: Mutex<Feed<'a>>,
    moved: Condvar,
    stop: &'a AtomicBool,
}

struct Feed<'a> {
    manifest: &'a Manifest,
    lines: Lines,
    shard: Shard,
    /// Places that an earlier call has answered: those below, and these.
    done: u64,
    answered: BTreeSet<u64>,
    ended: bool,
    taken: u64,
    written: u64,
    waiting_bytes: usize,
}

impl<'a> Gate<'a> {
    fn lock(&self) -> MutexGuard<'_, Feed<'a>> {
        self.feed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next line and its place in the shard, as soon as it is not too far ahead; none at the end.
    fn take(&self) -> Result<Option<(u64, ManifestLine)>, BatchError> {
        let far = |feed: &mut Feed| {
            let ahead = feed.taken - feed.written >= WINDOW || feed.waiting_bytes >= WAITING_BYTES;
            ahead && !feed.ended && !self.stop.load(Ordering::SeqCst)
        };
        let feed = self.moved.wait_while(self.lock(), far);
        let mut feed = feed.unwrap_or_else(PoisonError::into_inner);
        if feed.ended || self.stop.load(Ordering::SeqCst) {
            return Ok(None);
        }
        let line = feed.next();
        match &line {
            Ok(Some(_)) => feed.taken += 1,
            _ => feed.ended = true,
        }
        line
    }

    /// Tells that so many answers to lines that were taken were written, and how many bytes wait.
    fn written(&self, answers: u64, waiting_bytes: usize) {
        let mut feed = self.lock();
        feed.written += answers;
        feed.waiting_bytes = waiting_bytes;
        self.moved.notify_all();
    }

    /// Lets nobody take any more.
    fn close(&self) {
        self.stop.store(true, Ordering::SeqCst);
        // Whoever is about to wait holds the lock, and is woken once it does.
        drop(self.lock());
        self.moved.notify_all();
    }
}

impl Feed<'_> {
    fn next(&mut self) -> Result<Option<(u64, ManifestLine)>, BatchError> {
        loop {
            let path = self.manifest.path();
            let line = self.lines.next();
            let line = line.map_err(|source| BatchError::Manifest { path: path.to_owned(), source })?;
            let Some(line) = line else {
                self.manifest.check(&self.lines)?;
                return Ok(None);
            };
            match self.shard.place(line.index) {
                Some(place) if place >= self.done && !self.answered.contains(&place) => {
                    return Ok(Some((place, line)));
                }
                _ => {}
            }
        }
    }
}

impl Work<'_> {
    /// Answers what is not answered yet and writes it to the folder. `watch` is told again and again how far it is, and may
    /// stop it: what was begun is then still answered, unless the task itself knows how to stop.
    pub(super) fn run(
        &self,
        folder: &mut BatchFolder,
        (tally, pending): (Tally, Pending),
        watch: &mut dyn FnMut(&BatchProgress) -> ControlFlow<()>,
    ) -> Result<Done, BatchError> {
        let feed = Feed {
            manifest: self.manifest,
            lines: self.manifest.lines()?,
            shard: self.shard,
            done: tally.done,
            answered: pending.keys().copied().collect(),
            ended: false,
            taken: 0,
            written: 0,
            waiting_bytes: 0,
        };
        let gate = Gate { feed: Mutex::new(feed), moved: Condvar::new(), stop: self.stop };
        let items = self.shard.share(self.manifest.items());
        let desk = Desk::new(Writer::new(folder, (tally, pending), items), self.workers);
        // What was waiting when an earlier call ended may have its turn now.
        desk.write(&gate);
        thread::scope(|scope| {
            for number in 0..self.workers {
                let (gate, desk) = (&gate, &desk);
                let worker = thread::Builder::new().name(format!("{THREAD_NAME}{number}")).stack_size(STACK);
                let started = worker.spawn_scoped(scope, move || {
                    self.work(gate, desk);
                    desk.leave();
                });
                if let Err(source) = started {
                    desk.give_up(gate, BatchError::Thread { source });
                    desk.leave();
                }
            }
            while !desk.is_left() {
                let progress = desk.writer().progress();
                // Who handed something over meanwhile took this for writing.
                desk.write(&gate);
                if watch(&progress).is_break() {
                    gate.close();
                }
            }
        });
        desk.write(&gate);
        let writer = desk.writer.into_inner().unwrap_or_else(PoisonError::into_inner);
        // The end is told as well.
        let _ = watch(&writer.progress());
        writer.done()
    }

    fn work(&self, gate: &Gate, desk: &Desk) {
        let pool = rayon::ThreadPoolBuilder::new();
        // Alone, the worker is its own pool: a search never takes another item up while it waits for a part of its own.
        let pool = match self.threads {
            0 | 1 => pool.num_threads(1).use_current_thread().build(),
            threads => pool.num_threads(threads).stack_size(STACK).build(),
        };
        let ask = |line: &ManifestLine| match &pool {
            Ok(pool) if self.threads > 1 => pool.install(|| self.answer(line)),
            _ => self.answer(line),
        };
        loop {
            match gate.take() {
                Ok(None) => return,
                Err(error) => return desk.give_up(gate, error),
                Ok(Some((place, line))) => {
                    let Some((Told { line, time }, kind)) = ask(&line) else { return };
                    let facts = facts_of(&line).expect("an answer has the fields of all answers");
                    desk.hand_over(gate, Message { place, answer: Answer { facts, line }, kind, time });
                }
            }
        }
    }

    /// The answer to a line; a panic is a failure of the item.
    fn answer(&self, line: &ManifestLine) -> Option<(Told, &'static str)> {
        catch_unwind(AssertUnwindSafe(|| (self.ask)(line))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            let message = format!("panicked: {}", text.unwrap_or_default());
            let head = Head::of_line(line);
            Some((head.head().failed(Fault::new(Class::Numerical, message)), head.kind))
        })
    }
}

/// Where answers are handed over.
struct Desk<'a> {
    handed: Mutex<Vec<Message>>,
    writer: Mutex<Writer<'a>>,
    /// Workers that are still there.
    there: Mutex<usize>,
    left: Condvar,
}

impl<'a> Desk<'a> {
    fn new(writer: Writer<'a>, workers: usize) -> Self {
        let (handed, writer) = (Mutex::default(), Mutex::new(writer));
        Self { handed, writer, there: Mutex::new(workers), left: Condvar::new() }
    }

    fn writer(&self) -> MutexGuard<'_, Writer<'a>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hand_over(&self, gate: &Gate, message: Message) {
        self.handed.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        self.write(gate);
    }

    /// Writes what was handed over, unless somebody else is at it: then that one finds it when done.
    fn write(&self, gate: &Gate) {
        loop {
            let mut writer = match self.writer.try_lock() {
                Ok(writer) => writer,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            let messages = mem::take(&mut *self.handed.lock().unwrap_or_else(PoisonError::into_inner));
            writer.write(messages, gate);
            drop(writer);
            if self.handed.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                return;
            }
        }
    }

    /// Ends all with an error.
    fn give_up(&self, gate: &Gate, error: BatchError) {
        self.writer().failure.get_or_insert(error);
        gate.close();
    }

    /// Tells that a worker has left.
    fn leave(&self) {
        *self.there.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.left.notify_all();
    }

    /// Whether all workers have left, soon.
    fn is_left(&self) -> bool {
        let there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = self.left.wait_timeout_while(there, PATIENCE, |there| *there > 0);
        *wait.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

/// Puts answers in order and writes them.
struct Writer<'a> {
    folder: &'a mut BatchFolder,
    tally: Tally,
    waiting: Pending,
    waiting_bytes: usize,
    items: u64,
    found: u64,
    /// Places of answers that an earlier call has left waiting: nobody took these.
    left: BTreeSet<u64>,
    answered: u64,
    started: Instant,
    failure: Option<BatchError>,
    kinds: BTreeMap<&'static str, KindTiming>,
    memory: MemoryLog,
}

impl<'a> Writer<'a> {
    fn new(folder: &'a mut BatchFolder, (tally, waiting): (Tally, Pending), items: u64) -> Self {
        Self {
            folder,
            waiting_bytes: waiting.values().map(|answer| answer.line.len()).sum(),
            items,
            found: tally.done + waiting.len() as u64,
            left: waiting.keys().copied().collect(),
            tally,
            waiting,
            answered: 0,
            started: Instant::now(),
            failure: None,
            kinds: BTreeMap::new(),
            memory: MemoryLog::new(),
        }
    }

    fn progress(&self) -> BatchProgress {
        BatchProgress {
            items: self.items,
            done: self.found + self.answered,
            found: self.found,
            failed: self.tally.failed,
            elapsed: self.started.elapsed(),
        }
    }

    /// Writes what has come and what has its turn with it.
    fn write(&mut self, messages: Vec<Message>, gate: &Gate) {
        // Behind an error nothing is written: what is there must stay whole.
        if self.failure.is_some() {
            return;
        }
        let mut early = BTreeSet::new();
        for Message { place, answer, kind, time } in messages {
            let timing = self.kinds.entry(kind).or_default();
            timing.items += 1;
            timing.time += time.as_secs_f64();
            self.answered += 1;
            self.waiting_bytes += answer.line.len();
            early.insert(place);
            self.waiting.insert(place, answer);
        }
        match self.write_turns(early) {
            Ok(written) => gate.written(written, self.waiting_bytes),
            Err(error) => {
                self.failure = Some(error);
                gate.close();
            }
        }
        self.memory.look(self.tally.done, false);
    }

    /// Writes the answers whose turn it is, and keeps those that came before theirs. Returns how many lines that were taken are
    /// done with.
    fn write_turns(&mut self, mut early: BTreeSet<u64>) -> Result<u64, BatchError> {
        let (mut results, mut failed, mut written) = (Vec::new(), Vec::new(), 0);
        while let Some(answer) = self.waiting.remove(&self.tally.done) {
            early.remove(&self.tally.done);
            written += u64::from(!self.left.remove(&self.tally.done));
            self.tally.add(&answer.facts, &answer.line);
            self.waiting_bytes -= answer.line.len();
            failed.extend(answer.facts.failed_line().unwrap_or_default());
            results.extend_from_slice(&answer.line);
        }
        if !results.is_empty() {
            self.folder.append(&results, &failed)?;
        }
        let early: Vec<u8> =
            early.iter().flat_map(|place| self.waiting[place].line.iter().copied()).collect();
        self.folder.keep(&early, &self.waiting)?;
        Ok(written)
    }

    fn done(mut self) -> Result<Done, BatchError> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        self.memory.look(self.tally.done, true);
        Ok(Done {
            stopped: self.tally.done < self.items,
            tally: self.tally,
            items: self.answered,
            wall: self.started.elapsed(),
            kinds: self.kinds,
            memory: self.memory.into_samples(),
        })
    }
}

#[cfg(test)]
mod tests {
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
        let manifest = Manifest::survey(&path).unwrap();
        let file = BatchFile::new(&manifest, Shard::WHOLE);
        let Opened { mut folder, tally, pending } =
            BatchFolder::open(&root.join("out"), &file, false).unwrap();
        let stop = AtomicBool::new(false);
        let ask = |line: &ManifestLine| {
            assert!(line.index % 10 != 3, "item {} is too much", line.index);
            // Every seventh one is late, so that answers come out of order.
            if line.index.is_multiple_of(7) {
                thread::sleep(Duration::from_millis(3));
            }
            let head = Head { index: line.index, id: None, kind: "run" };
            Some((head.failed(Fault::new(Class::Usage, "told")), "run"))
        };
        let work =
            Work { manifest: &manifest, shard: Shard::WHOLE, workers: 4, threads: 1, stop: &stop, ask: &ask };
        let done = work.run(&mut folder, (tally, pending), &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(!done.stopped && done.tally.done == 40);
        let text = std::fs::read_to_string(root.join("out/results.jsonl")).unwrap();
        for (index, line) in text.lines().enumerate() {
            let facts = facts_of(format!("{line}\n").as_bytes()).unwrap();
            assert_eq!(facts.index, index as u64);
            let expected = if index % 10 == 3 {
                (Some(5), Some(format!("panicked: item {index} is too much")), Some(format!("n{index}")))
            } else {
                (Some(2), Some(String::from("told")), None)
            };
            assert_eq!((facts.exit_code, facts.error, facts.id), expected);
        }
        std::fs::remove_dir_all(root).unwrap();
    }
}
