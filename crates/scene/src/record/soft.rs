//! Soft bodies in what a run leaves behind: lines of states, a part of the summary, files for pictures.

use std::collections::BTreeMap;
use std::path::Path;

use nalgebra::Point3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DeepestContact, RecordError};
use crate::state::SoftState;
use extricate_core::geometry::FileError;
use extricate_core::geometry::tet_mesh::write::write_deformed;
use extricate_dynamics::{SoftBodyDescription, SoftReport, StepReport, World};

/// What a run did to its soft bodies.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SoftSummary {
    /// The bodies by name.
    pub bodies: BTreeMap<String, SoftBodySummary>,
    /// The deepest contact of a soft body at the end of any step; missing where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deepest_contact: Option<DeepestContact>,
    /// Greatest sum of the magnitudes of all contact forces of a step [N].
    #[schemars(range(min = 0.0))]
    pub greatest_contact_force: f64,
    /// Greatest sum of all contact forces of a step, which should vanish [N].
    #[schemars(range(min = 0.0))]
    pub greatest_imbalance: f64,
    /// Most elements turned inside out at the end of any step.
    pub most_inverted: usize,
    /// Newton iterations of all steps.
    pub newton_iterations: usize,
    /// Most of one step.
    pub most_newton_iterations: usize,
    /// Iterations of conjugate gradients of all steps.
    pub linear_iterations: usize,
    /// Steps that were cut into parts because they did not converge at once.
    pub divided_steps: u64,
    /// Greatest share of the forces that meet which a step left out of balance.
    #[schemars(range(min = 0.0))]
    pub greatest_residual: f64,
}

/// A soft body over a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SoftBodySummary {
    /// Number of nodes, those of the edges' middles included where elements are quadratic.
    pub nodes: usize,
    /// Number of elements.
    pub elements: usize,
    /// Greatest change of its volume in a recorded state, over that at rest.
    #[schemars(range(min = 0.0))]
    pub volume_drift: f64,
    /// The deepest contact in a recorded state that it has part in [m].
    #[schemars(range(min = 0.0))]
    pub max_penetration: f64,
    /// Elements turned inside out in the last state.
    pub inverted: usize,
}

/// What a monitor has seen so far: the fields of a [`SoftSummary`], all of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SoftMonitorState {
    bodies: BTreeMap<String, SoftBodySummary>,
    deepest_contact: Option<DeepestContact>,
    /// Force, imbalance and residual.
    greatest: [f64; 3],
    /// Inverted elements, and iterations of Newton's method of a step.
    most: [usize; 2],
    /// Iterations of Newton's method and of conjugate gradients.
    iterations: [usize; 2],
    divided_steps: u64,
}

impl From<&SoftSummary> for SoftMonitorState {
    fn from(summary: &SoftSummary) -> Self {
        Self {
            bodies: summary.bodies.clone(),
            deepest_contact: summary.deepest_contact.clone(),
            greatest: [summary.greatest_contact_force, summary.greatest_imbalance, summary.greatest_residual],
            most: [summary.most_inverted, summary.most_newton_iterations],
            iterations: [summary.newton_iterations, summary.linear_iterations],
            divided_steps: summary.divided_steps,
        }
    }
}

impl From<SoftMonitorState> for SoftSummary {
    fn from(state: SoftMonitorState) -> Self {
        let SoftMonitorState { bodies, deepest_contact, greatest, most, iterations, divided_steps } = state;
        Self {
            bodies,
            deepest_contact,
            greatest_contact_force: greatest[0],
            greatest_imbalance: greatest[1],
            greatest_residual: greatest[2],
            most_inverted: most[0],
            most_newton_iterations: most[1],
            newton_iterations: iterations[0],
            linear_iterations: iterations[1],
            divided_steps,
        }
    }
}

/// Follows the soft bodies of a run.
#[derive(Debug, Clone)]
pub(super) struct SoftMonitor {
    summary: Option<SoftSummary>,
}

impl SoftMonitor {
    /// A monitor of a world at its start.
    pub(super) fn new(world: &World) -> Self {
        let bodies = world.soft_descriptions();
        let of_body = |body: &SoftBodyDescription| {
            let nodes = world.soft_positions(&body.name).map_or(0, <[_]>::len);
            let elements = body.mesh.tets().len();
            let summary =
                SoftBodySummary { nodes, elements, volume_drift: 0.0, max_penetration: 0.0, inverted: 0 };
            (body.name.clone(), summary)
        };
        let summary = (!bodies.is_empty()).then(|| SoftSummary {
            bodies: bodies.iter().map(of_body).collect(),
            deepest_contact: None,
            greatest_contact_force: 0.0,
            greatest_imbalance: 0.0,
            most_inverted: 0,
            newton_iterations: 0,
            most_newton_iterations: 0,
            linear_iterations: 0,
            divided_steps: 0,
            greatest_residual: 0.0,
        });
        Self { summary }
    }

    /// What was seen so far; none without soft bodies.
    pub(super) fn snapshot(&self) -> Option<SoftMonitorState> {
        self.summary.as_ref().map(SoftMonitorState::from)
    }

    /// Goes on from what was seen.
    pub(super) fn restore(&mut self, state: Option<SoftMonitorState>) {
        self.summary = state.map(SoftSummary::from);
    }

    /// Takes a step into account.
    pub(super) fn follow(&mut self, world: &World, report: &StepReport) {
        let (Some(summary), Some(soft)) = (&mut self.summary, &report.soft) else { return };
        summary.follow(soft);
        let deepest = summary.deepest_contact.as_ref().map_or(0.0, |contact| contact.depth);
        if let Some(pair) = soft.deepest
            && soft.max_penetration > deepest
        {
            let bodies = pair.map(|body| world.name_of(body).to_owned());
            let (depth, time) = (soft.max_penetration, report.time);
            summary.deepest_contact = Some(DeepestContact { depth, time, bodies });
        }
    }

    /// Takes a recorded state into account.
    pub(super) fn observe(&mut self, states: &[SoftState]) {
        let Some(summary) = &mut self.summary else { return };
        for SoftState { name, state, .. } in states {
            let Some(body) = summary.bodies.get_mut(name) else { continue };
            body.volume_drift = body.volume_drift.max(state.volume_change.map_or(0.0, f64::abs));
            body.max_penetration = body.max_penetration.max(state.max_penetration);
            body.inverted = state.inverted;
        }
    }

    /// What the run came to; none without soft bodies.
    pub(super) fn summary(&self) -> Option<SoftSummary> {
        self.summary.clone()
    }
}

impl SoftSummary {
    fn follow(&mut self, step: &SoftReport) {
        self.greatest_contact_force = self.greatest_contact_force.max(step.contact_force);
        self.greatest_imbalance = self.greatest_imbalance.max(step.imbalance);
        self.most_inverted = self.most_inverted.max(step.inverted);
        self.newton_iterations += step.newton_iterations;
        self.most_newton_iterations = self.most_newton_iterations.max(step.newton_iterations);
        self.linear_iterations += step.linear_iterations;
        self.divided_steps += u64::from(step.parts > 1);
        self.greatest_residual = self.greatest_residual.max(step.relative_residual);
    }
}

/// Writes every soft body as it is now to `FOLDER/NAME-STEP.vtu`, for ParaView and its like.
///
/// # Errors
/// [`RecordError`] when a file cannot be written.
pub(super) fn write_pictures(world: &World, folder: &Path) -> Result<(), RecordError> {
    for body in world.soft_descriptions() {
        let nodes: Vec<Point3<f64>> = world
            .soft_positions(&body.name)
            .into_iter()
            .flatten()
            .take(body.mesh.nodes().len())
            .map(|&p| p.into())
            .collect();
        let path = folder.join(format!("{}-{:06}.vtu", file_name(&body.name), world.steps()));
        write_deformed(&body.mesh, &nodes, &path).map_err(|error| {
            let source = match error {
                FileError::Io { source, .. } => source,
                other => std::io::Error::other(other.to_string()),
            };
            RecordError::write(&path, source)
        })?;
    }
    Ok(())
}

/// The step of a file that [`write_pictures`] wrote.
pub(super) fn picture_step(path: &Path) -> Option<u64> {
    let is_one = path.extension().is_some_and(|extension| extension == "vtu");
    path.file_stem().filter(|_| is_one)?.to_str()?.rsplit_once('-')?.1.parse().ok()
}

/// The name of a body as that of a file: what no folder may hold becomes a dash.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}
