//! The numbers of a run as a table: a line for each recorded state.
//!
//! Columns: step, time [s], energies [J], maximum penetration [m], the joints of robots as `ROBOT/JOINT` [rad or m], and the values of their
//! sensors as `ROBOT:SENSOR.VALUE`, of vectors with `.x` and so on. States without values, as the start, have empty cells. Numbers are as
//! recorded; lines end and cells are quoted as RFC 4180 says.

use std::path::Path;

use nalgebra::Vector3;

use super::subject::Subject;
use crate::record::bundle::whole;
use crate::record::error::RecordError;
use crate::record::source::StateSource;
use crate::state::{WorldState, quaternion};
use extricate_dynamics::{ContactForce, JointEfforts, Reading};

/// Writes the numbers of all states, and returns their number.
pub(super) fn write(
    recording: &dyn StateSource,
    subject: &mut Subject,
    path: &Path,
) -> Result<usize, RecordError> {
    let count = recording.state_count();
    // The start has no sensor values, and all others have the same.
    let columns: Vec<String> =
        cells_of(&recording.state(count - 1)?).into_iter().map(|(name, _)| name).collect();
    let mut text = columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",") + "\r\n";
    for state in 0..count {
        let cells = cells_of(&recording.state(state)?);
        let mut cells = cells.iter().peekable();
        for (index, column) in columns.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            if let Some((_, value)) = cells.next_if(|(name, _)| name == column) {
                text.push_str(value);
            }
        }
        text.push_str("\r\n");
    }
    whole(path, text.as_bytes())?;
    if !subject.bodies.is_empty() {
        subject.left_out = vec![format!("the poses of {} bodies", subject.bodies.len())];
    }
    Ok(count)
}

/// Columns of a state with their values.
fn cells_of(state: &WorldState) -> Vec<(String, String)> {
    let mut cells = vec![("step".to_owned(), state.step.to_string())];
    let energy = &state.energy;
    let numbers = [
        ("time", state.time),
        ("kinetic", energy.kinetic),
        ("potential", energy.potential),
        ("elastic", energy.elastic),
        ("max_penetration", state.max_penetration),
    ];
    cells.extend(numbers.map(|(name, value)| (name.to_owned(), value.to_string())));
    for robot in &state.robots {
        for (joint, value) in &robot.joints {
            cells.push((format!("{}/{joint}", robot.name), value.to_string()));
        }
        for (sensor, reading) in &robot.sensors {
            for (value, number) in values_of(reading) {
                cells.push((format!("{}:{sensor}.{value}", robot.name), number.to_string()));
            }
        }
    }
    cells
}

fn values_of(reading: &Reading) -> Vec<(String, f64)> {
    let scalars = |values: &[(&str, f64)]| -> Vec<(String, f64)> {
        values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    };
    let vector = |name: &str, value: &Vector3<f64>| {
        ["x", "y", "z"]
            .iter()
            .zip(value.iter())
            .map(|(axis, value)| (format!("{name}.{axis}"), *value))
            .collect()
    };
    let parts: Vec<Vec<(String, f64)>> = match reading {
        Reading::Joint { position, velocity, efforts: JointEfforts { motor, friction, limit } } => {
            vec![scalars(&[
                ("position", *position),
                ("velocity", *velocity),
                ("motor", *motor),
                ("friction", *friction),
                ("limit", *limit),
            ])]
        }
        Reading::Contact(ContactForce { force, moment, normal }) => {
            vec![vector("force", force), vector("moment", moment), scalars(&[("normal", *normal)])]
        }
        Reading::Imu { specific_force, angular_velocity } => {
            vec![vector("specific_force", specific_force), vector("angular_velocity", angular_velocity)]
        }
        Reading::Frame { pose, linear_velocity, angular_velocity } => {
            let [w, x, y, z] = quaternion(&pose.rotation);
            vec![
                vector("position", &pose.translation.vector),
                scalars(&[("rotation.w", w), ("rotation.x", x), ("rotation.y", y), ("rotation.z", z)]),
                vector("linear_velocity", linear_velocity),
                vector("angular_velocity", angular_velocity),
            ]
        }
        Reading::Velocimeter { linear_velocity, angular_velocity } => {
            vec![vector("linear_velocity", linear_velocity), vector("angular_velocity", angular_velocity)]
        }
        Reading::ForceTorque { force, torque } => vec![vector("force", force), vector("torque", torque)],
        Reading::Subtree { center, linear_velocity, angular_momentum } => vec![
            vector("center", &center.coords),
            vector("linear_velocity", linear_velocity),
            vector("angular_momentum", angular_momentum),
        ],
    };
    parts.concat()
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}
