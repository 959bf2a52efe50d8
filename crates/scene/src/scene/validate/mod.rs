//! Validation of scene files: names, ranges, units, references. All errors are reported at once.

mod bodies;
mod camera;
mod expectations;
mod joints;
mod plan;
mod robots;
mod shapes;
mod soft;

use std::collections::BTreeMap;

use super::error::{Fault, Problem};
use super::limits::{ENTRIES, NAME_BYTES, PROBLEMS};
use super::locate::Step::{self, Field};
use super::parse::Document;
use super::placement::vector;
use super::schema::{SceneFile, ShapeEntry, SleepEntry, SolverEntry, Triple};

/// Maximum deviation from 1 of the length of a direction or quaternion: the rounding of four written digits. Larger, and a
/// wrong vector would pass; smaller, and `(0.7071, 0.7071, 0)` would be rejected.
const UNIT_TOLERANCE: f64 = 1e-4;

/// All errors of the document, in the order of the text; `links` are the names of the bodies of all robots, once their
/// files have been read, each with whether it is dynamic.
pub(super) fn validate(document: &Document, links: Option<&BTreeMap<String, bool>>) -> Vec<Problem> {
    let shapes = document.file.shapes.0.iter().map(|(name, shape)| (name.as_str(), shape)).collect();
    let mut checker = Checker { document, links, shapes, problems: Vec::new() };
    checker.scene();
    checker.entries();
    checker.camera();
    checker.shapes();
    checker.robots();
    if checker.bodies_are_countable() {
        let mut bodies = checker.bodies();
        bodies.extend(links.into_iter().flatten().map(|(name, dynamic)| (name.clone(), *dynamic)));
        checker.joints(&bodies);
        checker.plan(&bodies);
        checker.soft_bodies(&bodies);
        let soft = checker.file().soft_bodies.iter().map(|body| (body.name.clone(), true));
        bodies.extend(soft);
        checker.expectations(&bodies);
    }
    let mut problems = checker.problems;
    // Reported in the order of the text; beyond the limit, those that were found first.
    problems.sort_by_key(Problem::offset);
    problems
}

/// Names of all bodies, copies expanded, each with whether it is dynamic.
type BodyNames = BTreeMap<String, bool>;

struct Checker<'a> {
    document: &'a Document,
    links: Option<&'a BTreeMap<String, bool>>,
    /// Shapes by name.
    shapes: BTreeMap<&'a str, &'a ShapeEntry>,
    problems: Vec<Problem>,
}

impl<'a> Checker<'a> {
    fn file(&self) -> &'a SceneFile {
        &self.document.file
    }

    fn report(&mut self, path: &[Step], fault: Fault) {
        if self.problems.len() < PROBLEMS {
            self.problems.push(self.document.problem(path, fault));
        }
    }

    fn contradiction(&mut self, path: &[Step], message: impl Into<String>) {
        self.report(path, Fault::Contradiction { message: message.into() });
    }

    /// Checks the time of a keyframe, and that of the one before it.
    fn keyframe_time(&mut self, path: &[Step], time: f64, before: Option<f64>) {
        self.range(path, "the time of a keyframe [s]", time, NOT_NEGATIVE);
        if before.is_some_and(|before| time <= before) {
            let message =
                format!("the times of keyframes must increase: {time} s is not after the previous one");
            self.contradiction(path, message);
        }
    }

    /// Checks that `within` holds for the value; all requirements are written so that NaN fails.
    fn range(&mut self, path: &[Step], quantity: &'static str, value: f64, (requirement, within): Range) {
        if !within(value) {
            self.report(path, Fault::OutOfRange { quantity, value, requirement });
        }
    }

    fn unit(&mut self, path: &[Step], what: &'static str, direction: Triple) {
        self.unit_length(path, what, vector(direction).norm());
    }

    fn unit_length(&mut self, path: &[Step], what: &'static str, length: f64) {
        let is_unit = (length - 1.0).abs() <= UNIT_TOLERANCE;
        if !is_unit {
            self.report(path, Fault::NotUnit { what, length });
        }
    }

    /// Refuses a lower bound above its upper bound.
    fn ordered(&mut self, path: &[Step], lower: f64, upper: f64) {
        let in_order = lower <= upper;
        if !in_order {
            self.report(path, Fault::ReversedLimits { lower, upper });
        }
    }

    /// Reports empty, overlong and duplicate names, the latter with both places. `names` come with the path of each.
    fn names<'n>(&mut self, what: &'static str, names: impl IntoIterator<Item = (&'n str, Vec<Step>)>) {
        let mut first = BTreeMap::<&str, Vec<Step>>::new();
        for (name, path) in names {
            if name.trim().is_empty() {
                self.report(&path, Fault::EmptyName { what });
            } else if name.len() > NAME_BYTES {
                let length = name.len();
                let message =
                    format!("a name of {what} has {length} bytes; at most {NAME_BYTES} are supported");
                self.report(&path, Fault::TooLarge { message });
            } else if let Some(earlier) = first.get(name) {
                let fault = Fault::DuplicateName { what, name: name.to_owned() };
                let problem = self.document.problem(&path, fault);
                if self.problems.len() < PROBLEMS {
                    self.problems.push(problem.with_earlier(self.document.place(earlier)));
                }
            } else {
                first.insert(name, path);
            }
        }
    }

    /// Reports an unknown body; before the files of robots are read, any `robot/link` passes.
    fn known_body(&mut self, path: &[Step], name: &str, bodies: &BodyNames) {
        let is_pending = self.links.is_none() && self.may_be_a_link(name);
        if !bodies.contains_key(name) && !is_pending {
            self.report(path, Fault::unknown_name("body", name, bodies.keys()));
        }
    }

    /// Refuses lists beyond their limits.
    fn entries(&mut self) {
        let file = self.file();
        for (field, count) in [
            ("shapes", file.shapes.0.len()),
            ("robots", file.robots.len()),
            ("joints", file.joints.len()),
            ("soft_bodies", file.soft_bodies.len()),
        ] {
            if count > ENTRIES {
                let message = format!("there are {count} {field}; at most {ENTRIES} are supported");
                self.report(&[Field(field)], Fault::TooLarge { message });
            }
        }
    }

    fn scene(&mut self) {
        let file = self.file();
        self.range(&[Field("duration")], "the duration [s]", file.duration, POSITIVE);
        if let Some(time_step) = file.time_step {
            self.range(&[Field("time_step")], "the time step [s]", time_step, POSITIVE);
            if time_step > file.duration {
                let message = format!(
                    "the time step of {time_step} s is longer than the duration of {} s",
                    file.duration
                );
                self.contradiction(&[Field("time_step")], message);
            }
        }
        self.solver(&file.solver);
        self.sleep(file.sleep.unwrap_or_default());
        if file.bodies.is_empty() && file.robots.is_empty() && file.soft_bodies.is_empty() {
            self.contradiction(&[Field("bodies")], "the scene has no bodies, robots or soft bodies; a body is `bodies: [(name: \"a\", shape: \"s\")]`");
        }
    }
}

impl Checker<'_> {
    fn solver(&mut self, solver: &SolverEntry) {
        let counts = [
            ("substeps", "the number of substeps", solver.substeps, POSITIVE_COUNT),
            ("relax_passes", "the number of relaxation passes", solver.relax_passes, COUNT),
        ];
        for (field, quantity, count, range) in counts {
            if let Some(count) = count {
                self.range(&[Field("solver"), Field(field)], quantity, f64::from(count), range);
            }
        }
        let numbers = [
            ("contact_frequency", "the frequency of contacts [Hz]", solver.contact_frequency, POSITIVE),
            ("contact_damping", "the damping ratio of contacts", solver.contact_damping, POSITIVE),
            (
                "min_bounce_speed",
                "the minimum speed of a bounce [m/s]",
                solver.min_bounce_speed,
                NOT_NEGATIVE,
            ),
        ];
        for (field, quantity, number, range) in numbers {
            if let Some(number) = number {
                self.range(&[Field("solver"), Field(field)], quantity, number, range);
            }
        }
    }

    fn sleep(&mut self, sleep: SleepEntry) {
        let bounds = [
            ("speed", "the speed of bodies at rest [bounding radii/s]", sleep.speed),
            ("time", "the time at rest [s]", sleep.time),
        ];
        for (field, quantity, number) in bounds {
            if let Some(number) = number {
                self.range(&[Field("sleep"), Field(field)], quantity, number, POSITIVE);
            }
        }
    }
}

/// Counts that [`extricate_dynamics::SolverOverrides`] accepts.
const COUNT: (&str, fn(f64) -> bool) = ("between 0 and 1000", |x| (0.0..=1000.0).contains(&x));
const POSITIVE_COUNT: (&str, fn(f64) -> bool) = ("between 1 and 1000", |x| (1.0..=1000.0).contains(&x));
/// A range of numbers: its name, and whether a number is in it.
type Range = (&'static str, fn(f64) -> bool);

const POSITIVE: Range = ("above zero", |x| x > 0.0);
const NOT_NEGATIVE: Range = ("zero or above", |x| x >= 0.0);
const WITHIN_ONE: Range = ("between 0 and 1", |x| (0.0..=1.0).contains(&x));
/// Angles beyond ±180° are not unique.
const HALF_CIRCLE: Range = ("between -180 and 180", |x| (-180.0..=180.0).contains(&x));
