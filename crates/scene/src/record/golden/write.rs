//! Writing a golden file.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};
use std::fs;
use std::path::Path;

use nalgebra::{UnitQuaternion, Vector3};

use super::line::quoted;
use super::number::{exact, rounded};
use super::parse::{HEAD, SCALES, is_turn};
use super::{Golden, GoldenState};
use crate::record::compare::{Bars, Quantity, Tolerances};
use crate::record::{RecordError, bundle};
use crate::state::{SoftValues, quaternion};
use extricate_dynamics::{BodyState, RobotState};

impl Golden {
    /// Writes the file; it is never there in part. Folders are made where they are missing.
    ///
    /// # Errors
    /// [`RecordError`] when the system does not allow it.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|source| RecordError::write(folder, source))?;
        }
        bundle::whole(path, self.to_string().as_bytes())
    }
}

impl Display for Golden {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for comment in &self.comments {
            writeln!(f, "{}", format!("# {comment}").trim_end())?;
        }
        writeln!(f, "{HEAD}")?;
        self.write_header(f)?;
        let last = self.last_bars();
        for (bound, value) in &self.bounds {
            writeln!(f, "bound {} {}", bound.name(), rounded(*value, bound.tolerance(&last).1))?;
        }
        for (step, hash) in &self.trail {
            writeln!(f, "trail {step} {hash}")?;
        }
        let (mut before, mut bars) = (BTreeMap::new(), self.bars());
        for state in &self.states {
            bars = state.bars(bars);
            Writing { bars: &bars, before: &mut before }.state(f, state)?;
        }
        Ok(())
    }
}

impl Golden {
    fn write_header(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "scene {}\ninput {}\ntext {}", quoted(&self.scene), self.input, self.text)?;
        for file in &self.files {
            writeln!(f, "file {} {}", quoted(&file.name), file.hash)?;
        }
        writeln!(f, "program {}", quoted(&self.made_by.program))?;
        for (library, version) in &self.made_by.libraries {
            writeln!(f, "library {} {}", quoted(library), quoted(version))?;
        }
        writeln!(f, "target {}", quoted(&self.made_by.target))?;
        let options = &self.options;
        writeln!(f, "time_step {}", exact(options.time_step))?;
        writeln!(f, "steps {}\nevery {}\nseed {}", options.steps, options.every, options.seed)?;
        let scales = &self.scales;
        for (name, scale) in SCALES.iter().zip([scales.length, scales.body, scales.speed, scales.energy]) {
            writeln!(f, "scale {name} {}", exact(scale))?;
        }
        for joint in &scales.sliding {
            writeln!(f, "sliding {}", quoted(joint))?;
        }
        for (quantity, tolerance) in self.tolerances.as_text() {
            writeln!(f, "tolerance {quantity} {tolerance}")?;
        }
        Ok(())
    }
}

/// States that are being written.
struct Writing<'a> {
    bars: &'a Bars,
    /// The line of every body, robot and joint as it was written last, by what begins it.
    before: &'a mut BTreeMap<String, String>,
}

impl Writing<'_> {
    fn state(&mut self, f: &mut fmt::Formatter, golden: &GoldenState) -> fmt::Result {
        let state = &golden.state;
        writeln!(f, "\nstate {} time {} hash {}", state.step, exact(state.time), state.hash)?;
        for (quantity, tolerance) in &golden.tolerances {
            writeln!(f, "tolerance {quantity} {}", Tolerances::text_of(*tolerance))?;
        }
        for body in &state.bodies {
            self.line(f, format!("body {}", quoted(&body.name)), self.body(body))?;
        }
        for RobotState { name, base, .. } in &state.robots {
            self.line(
                f,
                format!("robot {}", quoted(name)),
                self.pose(&base.translation.vector, &base.rotation),
            )?;
        }
        for robot in &state.robots {
            for (joint, value) in &robot.joints {
                let tolerance = self.bars.joint(&format!("{}/{joint}", robot.name));
                let begin = format!("joint {} {}", quoted(&robot.name), quoted(joint));
                self.line(f, begin, format!(" {}", rounded(*value, tolerance)))?;
            }
        }
        for soft in &state.soft {
            self.line(f, format!("soft {}", quoted(&soft.name)), self.soft(&soft.state))?;
        }
        let energy = self.bars.of(Quantity::Energy, 0.0);
        let [kinetic, potential, elastic] =
            [state.energy.kinetic, state.energy.potential, state.energy.elastic].map(|e| rounded(e, energy));
        writeln!(f, "energy {kinetic} {potential} {elastic}\ncontacts {}", state.contacts)?;
        let depth = rounded(state.max_penetration, self.bars.of(Quantity::Penetration, 0.0));
        writeln!(f, "max_penetration {depth}")
    }

    /// Writes a line unless it is as it was written last.
    fn line(&mut self, f: &mut fmt::Formatter, begin: String, rest: String) -> fmt::Result {
        if self.before.get(&begin) != Some(&rest) {
            writeln!(f, "{begin}{rest}")?;
            self.before.insert(begin, rest);
        }
        Ok(())
    }

    fn pose(&self, position: &Vector3<f64>, rotation: &UnitQuaternion<f64>) -> String {
        let mut text = String::new();
        self.field(&mut text, "position", position.as_slice(), Quantity::Position, None);
        self.field(&mut text, "rotation", &quaternion(rotation), Quantity::Rotation, Some("1 0 0 0"));
        text
    }

    fn body(&self, body: &BodyState) -> String {
        let mut text = self.pose(&body.position.coords, &body.rotation);
        for (name, velocity, quantity) in [
            ("linear_velocity", &body.linear_velocity, Quantity::LinearVelocity),
            ("angular_velocity", &body.angular_velocity, Quantity::AngularVelocity),
        ] {
            self.field(&mut text, name, velocity.as_slice(), quantity, Some("0 0 0"));
        }
        text
    }

    fn soft(&self, soft: &SoftValues) -> String {
        let mut text = String::new();
        self.field(&mut text, "centroid", soft.centroid.coords.as_slice(), Quantity::Position, None);
        self.field(&mut text, "velocity", soft.velocity.as_slice(), Quantity::LinearVelocity, Some("0 0 0"));
        let volume = rounded(soft.volume, self.bars.of(Quantity::Volume, soft.volume));
        let depth = rounded(soft.max_penetration, self.bars.of(Quantity::Penetration, 0.0));
        let _ = write!(text, " volume {volume} max_penetration {depth} inverted {}", soft.inverted);
        text
    }

    /// Appends a field unless it is what a reader takes it for where it is missing.
    fn field(
        &self,
        text: &mut String,
        name: &str,
        values: &[f64],
        quantity: Quantity,
        missing: Option<&str>,
    ) {
        let tolerance = self.bars.of(quantity, 0.0);
        let written: Vec<String> = values.iter().map(|&value| rounded(value, tolerance)).collect();
        let read = || written.iter().filter_map(|value| value.parse().ok()).collect::<Vec<f64>>();
        // What passes for any rotation may round to none.
        let is_lost = quantity == Quantity::Rotation && !is_turn(&read());
        let written = if is_lost { values.iter().map(|&value| exact(value)).collect() } else { written };
        let values = written.join(" ");
        if missing != Some(values.as_str()) {
            let _ = write!(text, " {name} {values}");
        }
    }
}
