//! Repair of sketched poses on a thread of its own.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

use extricate_scene::request::{Fault, Reply as _, SceneChange, SceneRepairRequest, timed};
use extricate_scene::scene::Scene;

/// A repair with its outcome once it is found.
#[derive(Debug)]
pub(crate) struct Search {
    outcome: Arc<Mutex<Option<Outcome>>>,
    revision: u64,
}

/// The response of a repair and the scene with its poses, where it was repaired.
pub(crate) type Outcome = Result<(Value, Option<Scene>), String>;

impl Search {
    /// Begins to repair a scene, whose sketch has a revision.
    pub(crate) fn begin(start: Scene, revision: u64, request: SceneRepairRequest) -> Self {
        let outcome = Arc::new(Mutex::new(None));
        let found = Arc::clone(&outcome);
        thread::spawn(move || {
            let outcome = repaired(&start, &request);
            *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        });
        Self { outcome, revision }
    }

    /// Revision of the sketch that is repaired.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether there is no outcome yet.
    pub(crate) fn is_running(&self) -> bool {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Takes the outcome, once it is found.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Repairs a scene as the command line does.
fn repaired(scene: &Scene, request: &SceneRepairRequest) -> Outcome {
    let mut made = None;
    let (response, time) = timed(|| {
        request.repair(scene, true, |scene, change| {
            let scene = match change {
                SceneChange::Moved(moves) => scene.clone().moved(moves),
                SceneChange::Posed(poses) => scene.clone().posed(poses),
            };
            made = Some(scene.clone());
            Ok::<_, Fault>(scene)
        })
    });
    let response = response.map_err(|fault| fault.message)?;
    let status = response.status();
    let fields = json!({
        "status": status, "text": response.to_string(), "time_ms": time.as_secs_f64() * 1e3,
        "response": serde_json::to_value(&response).unwrap_or_default(),
    });
    Ok((fields, made.filter(|_| status == "repaired")))
}
