//! Reading and writing golden files. They may be edited by hand, or come from anywhere: every fault is reported with its
//! line.

use std::fmt::{self, Display};
use std::fs;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Golden, GoldenFault, GoldenState, UNIT_TOLERANCE, follows, format_v1};
use crate::record::bundle;
use crate::record::error::{RecordError, json_cause};

/// Largest file that is read [bytes]: a hundred times what a state of a thousand bodies takes.
const MAX_BYTES: u64 = 64 << 20;

impl Golden {
    /// Reads the golden file at a path.
    ///
    /// # Errors
    /// [`RecordError`] when it cannot be read, or is not a golden file: with the line and the cause.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let unreadable = |source| RecordError::unreadable(path, source);
        let size = fs::metadata(path).map_err(unreadable)?.len();
        // Checked before reading, so that a huge file takes no memory.
        if size > MAX_BYTES {
            return Err(RecordError::TooLarge { path: path.to_owned(), size, max: MAX_BYTES });
        }
        let bytes = fs::read(path).map_err(unreadable)?;
        let malformed = |GoldenFault { line, cause }| RecordError::damaged(path, Some(line), cause);
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
            malformed(GoldenFault { line, cause: "not valid UTF-8".to_owned() })
        })?;
        Self::parse(&text).map_err(malformed)
    }

    /// Parses a golden file of either version.
    ///
    /// # Errors
    /// [`GoldenFault`] with the line and the cause.
    pub fn parse(text: &str) -> Result<Self, GoldenFault> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let (line, header) = match lines.next() {
            Some((line, header)) if header.trim_start().starts_with('{') => (line, header),
            // Only version 2 begins with an object.
            _ => return format_v1::parse(text),
        };
        let mut golden: Self = of_line(line, header)?;
        golden.check().map_err(|cause| GoldenFault { line, cause })?;
        let mut last = line;
        for (line, state) in lines {
            golden.add(of_line(line, state)?).map_err(|cause| GoldenFault { line, cause })?;
            last = line;
        }
        match golden.states.is_empty() {
            true => Err(GoldenFault { line: last, cause: "there is no state".to_owned() }),
            false => Ok(golden),
        }
    }

    /// Checks the numbers of the header.
    fn check(&self) -> Result<(), String> {
        let (options, scales) = (&self.options, &self.scales);
        let positive = [
            ("time_step", options.time_step),
            ("length", scales.length),
            ("body", scales.body),
            ("speed", scales.speed),
            ("energy", scales.energy),
        ];
        match positive.into_iter().find(|(_, number)| !(*number > 0.0)) {
            Some((name, number)) => Err(format!("{name}: {number} is not above zero")),
            None if (0.0..=1.0).contains(&self.rounding) => Ok(()),
            None => Err(format!("rounding: {} is not between 0 and 1", self.rounding)),
        }
    }

    /// Adds a state that was parsed.
    fn add(&mut self, state: GoldenState) -> Result<(), String> {
        follows(self.states.last(), state.state.step)?;
        if let Some((name, length)) = state.state.non_unit_rotation(UNIT_TOLERANCE) {
            return Err(format!("the rotation of `{name}` is not a unit quaternion: its length is {length}"));
        }
        self.states.push(state);
        Ok(())
    }

    /// Writes the file in version 2, atomically. Missing folders are created.
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

fn of_line<T: DeserializeOwned>(line: usize, text: &str) -> Result<T, GoldenFault> {
    serde_json::from_str(text).map_err(|error| GoldenFault { line, cause: json_cause(&error) })
}

/// The text in version 2.
impl Display for Golden {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write_line(f, self)?;
        self.states.iter().try_for_each(|state| write_line(f, state))
    }
}

fn write_line(f: &mut fmt::Formatter, value: &impl Serialize) -> fmt::Result {
    writeln!(f, "{}", serde_json::to_string(value).map_err(|_| fmt::Error)?)
}
