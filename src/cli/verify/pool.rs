//! Scenes in parallel, each on one thread: no thread waits for another, which is faster than one scene after the other on
//! all threads, and the results are the same.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use super::{Judged, Work};
use crate::cli::terminal::Progress;
use crate::cli::terminal::{Exit, Failure};

/// Minimum number of scenes per thread for running them in parallel: with fewer, the last ones would leave threads idle.
pub(super) const MIN_SCENES_PER_THREAD: usize = 2;

/// Callback for the result of a scene.
type OnJudged<'a> = dyn FnMut(&Work, Result<Judged, Failure>) -> Result<(), Failure> + 'a;

/// Runs scenes on all threads of the pool, and calls `on_judged` for each in their order.
pub(super) fn each_in_order(
    scenes: &[Work],
    mut progress: Progress,
    run: &(dyn Fn(&Work) -> Result<Judged, Failure> + Sync),
    on_judged: &mut OnJudged,
) -> Result<(), Failure> {
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let work = |sender: mpsc::Sender<(usize, Result<Judged, Failure>)>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| Failure::new(Exit::Usage, format!("cannot start a thread: {error}")));
        while !is_over.load(Ordering::SeqCst) {
            let index = next.fetch_add(1, Ordering::SeqCst);
            let Some(scene) = scenes.get(index) else { return };
            let judged = match &pool {
                Ok(pool) => pool.install(|| run(scene)),
                Err(_) => run(scene),
            };
            if sender.send((index, judged)).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..rayon::current_num_threads().min(scenes.len()) {
            let sender = sender.clone();
            scope.spawn(|| work(sender));
        }
        drop(sender);
        let (mut waiting, mut reported, mut done) = (BTreeMap::new(), 0, 0);
        let mut result = Ok(());
        for (index, judged) in receiver {
            waiting.insert(index, judged);
            done += 1;
            progress.update(done, || "scenes".to_owned());
            // Results arrive in any order and are reported in that of the scenes.
            while let Some(judged) = waiting.remove(&reported).filter(|_| result.is_ok()) {
                result = on_judged(&scenes[reported], judged);
                reported += 1;
                is_over.store(result.is_err(), Ordering::SeqCst);
            }
        }
        result
    })
}
