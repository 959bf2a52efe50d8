//! Worker thread for repairs and following repairs, one job at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use extricate_scene::repair::{FollowJob, Followed, RepairError, RepairJob, Repaired};

/// Job of the worker.
enum Job {
    Repair(RepairJob),
    Follow(u64, FollowJob),
}

/// Result of a job.
#[derive(Debug)]
pub(super) enum JobResult {
    Repaired(Box<Result<Option<Repaired>, RepairError>>),
    /// With the revision of the sketch that is followed.
    Followed(u64, Result<Followed, RepairError>),
}

/// Worker thread. When this is dropped, its current job is asked to stop, after which the thread ends.
#[derive(Debug)]
pub(super) struct Worker {
    jobs: Sender<(Job, Arc<AtomicBool>)>,
    results: Receiver<JobResult>,
    /// Stop flag of the current job, if there is one.
    stop: Option<Arc<AtomicBool>>,
}

impl Worker {
    pub(super) fn new() -> Self {
        let (jobs, received) = channel::<(Job, Arc<AtomicBool>)>();
        let (done, results) = channel();
        thread::spawn(move || {
            for (job, stop) in received {
                let should_stop = || stop.load(Ordering::Relaxed);
                let result = match job {
                    Job::Repair(job) => JobResult::Repaired(Box::new(job.run(&should_stop))),
                    Job::Follow(revision, job) => JobResult::Followed(revision, job.run(&should_stop)),
                };
                if done.send(result).is_err() {
                    return;
                }
            }
        });
        Self { jobs, results, stop: None }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.stop.is_some()
    }

    pub(super) fn repair(&mut self, job: RepairJob) {
        self.start(Job::Repair(job));
    }

    pub(super) fn follow(&mut self, revision: u64, job: FollowJob) {
        self.start(Job::Follow(revision, job));
    }

    /// Takes the result of the current job, if it has finished.
    pub(super) fn try_result(&mut self) -> Option<JobResult> {
        let result = self.results.try_recv().ok()?;
        self.stop = None;
        Some(result)
    }

    fn start(&mut self, job: Job) {
        let stop = Arc::new(AtomicBool::new(false));
        if self.jobs.send((job, Arc::clone(&stop))).is_ok() {
            self.stop = Some(stop);
        }
    }

    /// Asks the current job to stop and return its best result so far.
    pub(super) fn request_stop(&self) {
        if let Some(stop) = &self.stop {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.request_stop();
    }
}
