//! Answering items side by side, with the answers in order.
//!
//! Every worker takes the next line of the manifest, answers it, and hands the answer over; the calling thread writes answers
//! when it is their turn. How far workers are ahead of what is written is bounded, in items and in bytes, and so is the
//! memory. A worker has threads of its own, so that an item never waits for another one in the middle of a search.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
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

/// Answers that are written at once, at most.
const AT_ONCE: usize = 256;

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
enum Message {
    Answer { place: u64, answer: Answer, kind: &'static str, time: Duration },
    Broken(BatchError),
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

    /// Tells that so many answers were written, and how many bytes wait.
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
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            for number in 0..self.workers {
                let (gate, sender) = (&gate, sender.clone());
                let worker = thread::Builder::new().name(format!("{THREAD_NAME}{number}")).stack_size(STACK);
                let started = worker.spawn_scoped(scope, move || self.work(gate, &sender));
                if let Err(source) = started {
                    gate.close();
                    return Err(BatchError::Thread { source });
                }
            }
            drop(sender);
            let items = self.shard.share(self.manifest.items());
            let mut writer = Writer::new(&gate, folder, (tally, pending), items);
            let written = writer.run(&receiver, watch);
            // Whatever went wrong, nobody takes any more, and the scope ends.
            if written.is_err() {
                gate.close();
            }
            written.map(|()| writer.done())
        })
    }

    fn work(&self, gate: &Gate, sender: &Sender<Message>) {
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
            let message = match gate.take() {
                Ok(None) => return,
                Ok(Some((place, line))) => match ask(&line) {
                    Some((told, kind)) => {
                        let Told { line, time } = told;
                        let facts = facts_of(&line).expect("an answer has the fields of all answers");
                        Message::Answer { place, answer: Answer { facts, line }, kind, time }
                    }
                    None => return,
                },
                Err(error) => Message::Broken(error),
            };
            // Where nobody listens any more, something else went wrong and is told.
            if sender.send(message).is_err() {
                return;
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

/// Puts answers in order and writes them.
struct Writer<'a, 'b> {
    gate: &'a Gate<'b>,
    folder: &'a mut BatchFolder,
    tally: Tally,
    waiting: Pending,
    waiting_bytes: usize,
    items: u64,
    found: u64,
    answered: u64,
    started: Instant,
    stopped: bool,
    kinds: BTreeMap<&'static str, KindTiming>,
    memory: MemoryLog,
}

impl<'a, 'b> Writer<'a, 'b> {
    fn new(
        gate: &'a Gate<'b>,
        folder: &'a mut BatchFolder,
        (tally, waiting): (Tally, Pending),
        items: u64,
    ) -> Self {
        let waiting_bytes = waiting.values().map(|answer| answer.line.len()).sum();
        let found = tally.done + waiting.len() as u64;
        Self {
            gate,
            folder,
            tally,
            waiting,
            waiting_bytes,
            items,
            found,
            answered: 0,
            started: Instant::now(),
            stopped: false,
            kinds: BTreeMap::new(),
            memory: MemoryLog::new(),
        }
    }

    fn run(
        &mut self,
        receiver: &Receiver<Message>,
        watch: &mut dyn FnMut(&BatchProgress) -> ControlFlow<()>,
    ) -> Result<(), BatchError> {
        // What was waiting when an earlier call ended may have its turn now.
        self.write(Vec::new())?;
        loop {
            let first = match receiver.recv_timeout(PATIENCE) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let messages = first.into_iter().chain(receiver.try_iter()).take(AT_ONCE).collect();
            self.write(messages)?;
            self.memory.look(self.tally.done, false);
            if watch(&self.progress()).is_break() {
                self.stopped = true;
                self.gate.close();
            }
        }
        self.memory.look(self.tally.done, true);
        self.stopped = self.tally.done < self.items;
        Ok(())
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
    fn write(&mut self, messages: Vec<Message>) -> Result<(), BatchError> {
        let mut early = BTreeMap::new();
        for message in messages {
            match message {
                Message::Broken(error) => return Err(error),
                Message::Answer { place, answer, kind, time } => {
                    let timing = self.kinds.entry(kind).or_default();
                    timing.items += 1;
                    timing.time += time.as_secs_f64();
                    self.answered += 1;
                    self.waiting_bytes += answer.line.len();
                    early.insert(place, ());
                    self.waiting.insert(place, answer);
                }
            }
        }
        let (mut results, mut failed, mut written) = (Vec::new(), Vec::new(), 0);
        while let Some(answer) = self.waiting.remove(&self.tally.done) {
            early.remove(&self.tally.done);
            self.tally.add(&answer.facts, &answer.line);
            self.waiting_bytes -= answer.line.len();
            failed.extend(answer.facts.failed_line().unwrap_or_default());
            results.extend_from_slice(&answer.line);
            written += 1;
        }
        if !results.is_empty() {
            self.folder.append(&results, &failed)?;
        }
        let early: Vec<u8> =
            early.keys().flat_map(|place| self.waiting[place].line.iter().copied()).collect();
        self.folder.keep(&early, &self.waiting)?;
        self.gate.written(written, self.waiting_bytes);
        Ok(())
    }

    fn done(self) -> Done {
        Done {
            tally: self.tally,
            stopped: self.stopped,
            items: self.answered,
            wall: self.started.elapsed(),
            kinds: self.kinds,
            memory: self.memory.into_samples(),
        }
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
            if line.index % 7 == 0 {
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
