//! The thread on which repairs, and what follows a drag, are sought: one job at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use extricate_scene::repair::{FollowJob, Followed, RepairError, RepairJob, Repaired};

/// What is to be sought.
enum Job {
    Repair(RepairJob),
    Follow(u64, FollowJob),
}

/// What was found.
#[derive(Debug)]
pub(super) enum Answer {
    Repaired(Result<Option<Repaired>, RepairError>),
    /// The revision of the sketch that is followed.
    Followed(u64, Result<Followed, RepairError>),
}

/// A thread that seeks. It ends when this is dropped, after what it is at, which is told to stop.
#[derive(Debug)]
pub(super) struct Worker {
    jobs: Sender<(Job, Arc<AtomicBool>)>,
    answers: Receiver<Answer>,
    /// What tells the present job to stop, while there is one.
    stop: Option<Arc<AtomicBool>>,
}

impl Worker {
    pub(super) fn new() -> Self {
        let (jobs, todo) = channel::<(Job, Arc<AtomicBool>)>();
        let (done, answers) = channel();
        thread::spawn(move || {
            for (job, stop) in todo {
                let is_enough = || stop.load(Ordering::Relaxed);
                let answer = match job {
                    Job::Repair(job) => Answer::Repaired(job.run(&is_enough)),
                    Job::Follow(revision, job) => Answer::Followed(revision, job.run(&is_enough)),
                };
                if done.send(answer).is_err() {
                    return;
                }
            }
        });
        Self { jobs, answers, stop: None }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.stop.is_some()
    }

    pub(super) fn repair(&mut self, job: RepairJob) {
        self.seek(Job::Repair(job));
    }

    pub(super) fn follow(&mut self, revision: u64, job: FollowJob) {
        self.seek(Job::Follow(revision, job));
    }

    /// What was found, if anything was.
    pub(super) fn answer(&mut self) -> Option<Answer> {
        let answer = self.answers.try_recv().ok()?;
        self.stop = None;
        Some(answer)
    }

    fn seek(&mut self, job: Job) {
        let stop = Arc::new(AtomicBool::new(false));
        if self.jobs.send((job, Arc::clone(&stop))).is_ok() {
            self.stop = Some(stop);
        }
    }

    /// Lets the present job answer with what it has found so far.
    pub(super) fn hurry(&self) {
        if let Some(stop) = &self.stop {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.hurry();
    }
}
