//! Soft bodies in the records of a run: a part of the summary, a monitor, VTU files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nalgebra::Point3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DeepestContact, RecordError};
use crate::disk::write_whole;
use crate::state::SoftState;
use extricate_core::geometry::FileError;
use extricate_core::geometry::tet_mesh::write::write_deformed;
use extricate_dynamics::soft::contact::FieldWork;
use extricate_dynamics::{SoftBodyDescription, SoftReport, StepReport, World};

/// Results of a run for its soft bodies.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SoftSummary {
    /// The bodies by name.
    pub bodies: BTreeMap<String, SoftBodySummary>,
    /// The deepest contact of a soft body at the end of any step; missing where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deepest_contact: Option<DeepestContact>,
    /// Maximum sum of the magnitudes of all contact forces of a step \[N\].
    #[schemars(range(min = 0.0))]
    #[serde(rename = "greatest_contact_force")]
    pub max_contact_force: f64,
    /// Maximum sum of all contact forces of a step, which should vanish \[N\].
    #[schemars(range(min = 0.0))]
    #[serde(rename = "greatest_imbalance")]
    pub max_imbalance: f64,
    /// Maximum number of inverted elements at the end of any step.
    #[serde(rename = "most_inverted")]
    pub max_inverted: usize,
    /// Number of Newton iterations of all steps.
    pub newton_iterations: usize,
    /// Maximum number of Newton iterations of one step.
    #[serde(rename = "most_newton_iterations")]
    pub max_newton_iterations: usize,
    /// Number of conjugate gradient iterations of all steps.
    pub linear_iterations: usize,
    /// Number of steps that were divided because they did not converge at once.
    pub divided_steps: u64,
    /// Number of steps that met the bound on Newton iterations and ended with the best iterate, not balanced to the tolerance.
    pub unconverged_steps: u64,
    /// Maximum unbalanced force of a step, relative to the forces that meet.
    #[schemars(range(min = 0.0))]
    #[serde(rename = "greatest_residual")]
    pub max_residual: f64,
    /// Number of updates of distance fields to the deformed shape.
    pub field_updates: usize,
    /// Number of those that marched the whole field.
    pub whole_fields: usize,
    /// Number of grid points whose distance the updates computed.
    pub field_points: usize,
    /// Number of grid points that whole fields would have had at these updates.
    pub field_points_of_whole: usize,
}

/// Results of a run for a soft body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SoftBodySummary {
    /// Number of nodes, those in the middle of edges included where elements are quadratic.
    pub nodes: usize,
    /// Number of elements.
    pub elements: usize,
    /// Maximum change of its volume in a recorded state, relative to that at rest.
    #[schemars(range(min = 0.0))]
    pub volume_drift: f64,
    /// Deepest contact of the body in a recorded state \[m\].
    #[schemars(range(min = 0.0))]
    pub max_penetration: f64,
    /// Number of inverted elements in the last state.
    pub inverted: usize,
}

/// State of a monitor: the fields of a [`SoftSummary`], none of which is skipped here, since the binary format has no names.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SoftMonitorState {
    bodies: BTreeMap<String, SoftBodySummary>,
    deepest_contact: Option<DeepestContact>,
    /// Maximum contact force, imbalance and residual.
    max: [f64; 3],
    /// Maximum number of inverted elements, and of Newton iterations of a step.
    max_counts: [usize; 2],
    /// Number of Newton and of conjugate gradient iterations.
    iterations: [usize; 2],
    /// Number of steps that were divided, and of those that did not converge.
    steps: [u64; 2],
    /// Updates of fields, whole ones, and the points of both.
    fields: [usize; 4],
}

impl From<&SoftSummary> for SoftMonitorState {
    fn from(summary: &SoftSummary) -> Self {
        Self {
            bodies: summary.bodies.clone(),
            deepest_contact: summary.deepest_contact.clone(),
            max: [summary.max_contact_force, summary.max_imbalance, summary.max_residual],
            max_counts: [summary.max_inverted, summary.max_newton_iterations],
            iterations: [summary.newton_iterations, summary.linear_iterations],
            steps: [summary.divided_steps, summary.unconverged_steps],
            fields: [
                summary.field_updates,
                summary.whole_fields,
                summary.field_points,
                summary.field_points_of_whole,
            ],
        }
    }
}

impl From<SoftMonitorState> for SoftSummary {
    fn from(state: SoftMonitorState) -> Self {
        let SoftMonitorState { bodies, deepest_contact, max, max_counts, iterations, steps, fields } = state;
        Self {
            bodies,
            deepest_contact,
            max_contact_force: max[0],
            max_imbalance: max[1],
            max_residual: max[2],
            max_inverted: max_counts[0],
            max_newton_iterations: max_counts[1],
            newton_iterations: iterations[0],
            linear_iterations: iterations[1],
            divided_steps: steps[0],
            unconverged_steps: steps[1],
            field_updates: fields[0],
            whole_fields: fields[1],
            field_points: fields[2],
            field_points_of_whole: fields[3],
        }
    }
}

/// Monitor of the soft bodies of a run.
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
            max_contact_force: 0.0,
            max_imbalance: 0.0,
            max_inverted: 0,
            newton_iterations: 0,
            max_newton_iterations: 0,
            linear_iterations: 0,
            divided_steps: 0,
            unconverged_steps: 0,
            max_residual: 0.0,
            field_updates: 0,
            whole_fields: 0,
            field_points: 0,
            field_points_of_whole: 0,
        });
        Self { summary }
    }

    /// State so far, to be restored; none without soft bodies.
    pub(super) fn snapshot(&self) -> Option<SoftMonitorState> {
        self.summary.as_ref().map(SoftMonitorState::from)
    }

    /// Continues from a snapshot.
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

    /// Summary of the run; none without soft bodies.
    pub(super) fn summary(&self) -> Option<SoftSummary> {
        self.summary.clone()
    }
}

impl SoftSummary {
    fn follow(&mut self, step: &SoftReport) {
        self.max_contact_force = self.max_contact_force.max(step.contact_force);
        self.max_imbalance = self.max_imbalance.max(step.imbalance);
        self.max_inverted = self.max_inverted.max(step.inverted);
        self.newton_iterations += step.newton_iterations;
        self.max_newton_iterations = self.max_newton_iterations.max(step.newton_iterations);
        self.linear_iterations += step.linear_iterations;
        self.divided_steps += u64::from(step.parts > 1);
        self.unconverged_steps += u64::from(step.unconverged > 0);
        self.max_residual = self.max_residual.max(step.relative_residual);
        let FieldWork { updates, whole, points, .. } = step.fields;
        self.field_updates += updates;
        self.whole_fields += whole;
        self.field_points += points[0];
        self.field_points_of_whole += points[1];
    }
}

/// Writes the current shape of every soft body to `FOLDER/NAME-STEP.vtu`, for ParaView and similar programs.
///
/// # Errors
/// [`RecordError`] when a file cannot be written.
pub(super) fn write_pictures(world: &World, folder: &Path) -> Result<(), RecordError> {
    for body in world.soft_descriptions() {
        let nodes: Vec<Point3<f64>> = world
            .soft_positions(&body.name)
            .into_iter()
            .flatten()
            // Nodes in the middle of edges come after those of the mesh, and are left out.
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

/// Step of a file that [`write_pictures`] wrote.
pub(super) fn picture_step(path: &Path) -> Option<u64> {
    let is_one = path.extension().is_some_and(|extension| extension == "vtu");
    path.file_stem().filter(|_| is_one)?.to_str()?.rsplit_once('-')?.1.parse().ok()
}

/// Writes the collection of the files in `folder`, each with its time, which ParaView opens as an animation; a part for each body.
pub(super) fn write_collection(folder: &Path, time_step: f64, path: &Path) -> Result<(), RecordError> {
    let failed = |source| RecordError::write(path, source);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let name = file.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.rsplit_once('-'));
        if let (Some(step), Some((body, _))) = (picture_step(&file), name) {
            files.push((step, body.to_owned(), file.file_name().unwrap_or_default().display().to_string()));
        }
    }
    files.sort();
    let bodies: BTreeSet<&String> = files.iter().map(|(_, body, _)| body).collect();
    let folder = folder.file_name().unwrap_or_default().display();
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n",
    );
    for (step, body, file) in &files {
        #[expect(clippy::cast_precision_loss, reason = "no run has 2^53 steps")]
        let time = *step as f64 * time_step;
        let part = bodies.iter().position(|other| *other == body).unwrap_or_default();
        // Names of files have letters, digits, dashes, underscores and dots alone.
        let line = format!(
            "    <DataSet timestep=\"{time:?}\" part=\"{part}\" name=\"{body}\" file=\"{folder}/{file}\"/>\n"
        );
        text.push_str(&line);
    }
    text.push_str("  </Collection>\n</VTKFile>\n");
    write_whole(path, text.as_bytes()).map_err(failed)
}

/// File name of a body: characters that file systems refuse become dashes.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}
