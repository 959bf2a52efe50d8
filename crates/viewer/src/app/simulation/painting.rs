//! The thread of the layers: it draws those of the newest state, so that costly queries delay no step.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::Painter;
use super::exchange::Exchange;
use crate::interface::{LayerDrawing, LayersOf};
use crate::models::Models;
use crate::overlay::{OverlayInput, SceneShapes};
use extricate_dynamics::WorldContact;
use extricate_scene::record::WorldState;

/// Layers to draw.
pub(super) struct PaintJob {
    pub(super) of: LayersOf,
    pub(super) state: WorldState,
    pub(super) contacts: Option<Vec<WorldContact>>,
    pub(super) contact_depths: Option<Vec<Vec<f64>>>,
}

/// The thread of the layers. It ends after its current drawing when this is dropped.
pub(super) struct PaintThread(Arc<PaintQueue>);

#[derive(Default)]
struct PaintQueue {
    orders: Mutex<Orders>,
    changed: Condvar,
}

#[derive(Default)]
struct Orders {
    newest: Option<Box<PaintJob>>,
    closed: bool,
}

impl PaintQueue {
    /// Nothing panics while holding the lock, so that a poisoned lock still guards consistent data.
    fn lock(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a job; `None` when there will be none.
    fn next(&self) -> Option<Box<PaintJob>> {
        let mut orders = self.lock();
        loop {
            if orders.closed {
                return None;
            }
            match orders.newest.take() {
                Some(job) => return Some(job),
                None => orders = self.changed.wait(orders).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl PaintThread {
    pub(super) fn start(
        mut painter: Box<dyn Painter>,
        (shapes, models): (SceneShapes, Models),
        exchange: Arc<Exchange>,
    ) -> Self {
        let queue = Arc::new(PaintQueue::default());
        let orders = Arc::clone(&queue);
        // Never joined: the thread owns all it needs, and a query may take long.
        std::thread::spawn(move || {
            let paint = || {
                while let Some(job) = orders.next() {
                    let started = Instant::now();
                    let layers = job.paint(&mut *painter, &shapes, &models);
                    exchange.push_layers(Box::new(layers), started.elapsed());
                }
            };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(paint)) {
                exchange.end_with("layers", &*panic);
            }
        });
        Self(queue)
    }

    /// Orders a drawing in place of one that was not begun; `None` withdraws that.
    pub(super) fn order(&self, job: Option<Box<PaintJob>>) {
        let before = std::mem::replace(&mut self.0.lock().newest, job);
        self.0.changed.notify_all();
        // Freed outside the lock.
        drop(before);
    }
}

impl Drop for PaintThread {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }
}

impl PaintJob {
    fn paint(&self, painter: &mut dyn Painter, shapes: &SceneShapes, models: &Models) -> LayerDrawing {
        let input = OverlayInput {
            shapes,
            models,
            state: &self.state,
            contacts: self.contacts.as_deref(),
            contact_depths: self.contact_depths.as_deref(),
        };
        let drawing = painter.paint(&input, &self.of.display);
        LayerDrawing { of: self.of, drawing, walk_steps: painter.walk_steps() }
    }
}
