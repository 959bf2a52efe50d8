//! Reading a golden file. It may be edited by hand, or come from anywhere: whatever is wrong is told with its line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion};

use super::GoldenFault;
use super::line::Words;
use super::{Bound, Golden, GoldenOptions, GoldenState, MadeBy};
use crate::record::InputFile;
use crate::record::RecordError;
use crate::record::compare::{Scales, Tolerances};
use crate::state::{self, Hash, Named, SoftState, SoftValues, WorldState, find_mut};
use extricate_dynamics::{BodyState, Energy, RobotState};

/// The first line.
pub(super) const HEAD: &str = "extricate golden file, version 1";
/// Largest file that is read [bytes]: a hundred times what a state of a thousand bodies takes.
const MOST_BYTES: u64 = 64 << 20;
/// How far the length of a quaternion may be from one: what rounding to a wide tolerance does.
const UNIT_TOLERANCE: f64 = 0.1;

fn length(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Whether the numbers of a quaternion tell a rotation.
pub(super) fn is_turn(quaternion: &[f64]) -> bool {
    (length(quaternion) - 1.0).abs() <= UNIT_TOLERANCE
}

impl Golden {
    /// The golden file at a path.
    ///
    /// # Errors
    /// [`RecordError`] when it cannot be read, or is no golden file: with the line and the cause.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let unreadable = |source| RecordError::unreadable(path, source);
        let size = fs::metadata(path).map_err(unreadable)?.len();
        if size > MOST_BYTES {
            return Err(RecordError::TooLarge { path: path.to_owned(), size, max: MOST_BYTES });
        }
        let bytes = fs::read(path).map_err(unreadable)?;
        let malformed = |GoldenFault { line, cause }| RecordError::damaged(path, Some(line), cause);
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
            malformed(GoldenFault { line, cause: "it is no UTF-8".to_owned() })
        })?;
        Self::parse(&text).map_err(malformed)
    }

    /// The golden file that a text holds.
    ///
    /// # Errors
    /// [`GoldenFault`] with the line and the cause.
    pub fn parse(text: &str) -> Result<Self, GoldenFault> {
        let mut parsing = Parsing::default();
        let mut last = 0;
        for (index, line) in text.lines().enumerate() {
            last = index + 1;
            parsing.line(line.trim()).map_err(|cause| GoldenFault { line: last, cause })?;
        }
        parsing.finish().map_err(|cause| GoldenFault { line: last.max(1), cause })
    }
}

/// What has been read so far.
#[derive(Debug, Default)]
struct Parsing {
    has_head: bool,
    comments: Vec<String>,
    scene: Option<String>,
    input: Option<Hash>,
    text: Option<Hash>,
    files: Vec<InputFile>,
    made_by: MadeBy,
    options: [Option<f64>; 1],
    counts: [Option<u64>; 3],
    scales: [Option<f64>; 4],
    sliding: Vec<String>,
    tolerances: Tolerances,
    bounds: BTreeMap<Bound, f64>,
    trail: BTreeMap<u64, Hash>,
    states: Vec<Draft>,
    /// Root links of robots where they were told last.
    bases: BTreeMap<String, Isometry3<f64>>,
}

/// A state that is being read.
#[derive(Debug)]
struct Draft {
    state: GoldenState,
    has_energy: bool,
}

/// Names of the scales, in the order of [`Parsing::scales`].
pub(super) const SCALES: [&str; 4] = ["length", "body", "speed", "energy"];
/// Names of the counts, in the order of [`Parsing::counts`].
const COUNTS: [&str; 3] = ["steps", "every", "seed"];

/// Puts a value where none may be yet.
fn once<T>(place: &mut Option<T>, value: T, what: &str) -> Result<(), String> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("{what} stands twice")),
    }
}

fn insert<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: V, what: &str) -> Result<(), String> {
    match map.insert(key, value) {
        None => Ok(()),
        Some(_) => Err(format!("{what} stands twice")),
    }
}

fn enter<T: Named>(list: &mut Vec<T>, entry: T, what: &str) -> Result<(), String> {
    match state::insert(list, entry) {
        None => Ok(()),
        Some(_) => Err(format!("{what} stands twice")),
    }
}

impl Parsing {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(comment) = line.strip_prefix('#') {
            self.comments.push(comment.trim().to_owned());
            return Ok(());
        }
        if line.is_empty() {
            return Ok(());
        }
        if !self.has_head {
            self.has_head = line == HEAD;
            return if self.has_head { Ok(()) } else { Err(format!("`{HEAD}` is expected")) };
        }
        let mut words = Words::new(line);
        let word = words.word("a word")?;
        let of_state = match self.states.last_mut() {
            Some(draft) => draft.line(word, &mut words, &mut self.bases)?,
            None => false,
        };
        if !of_state {
            self.header(word, &mut words)?;
        }
        words.end()
    }

    /// A line that is not of a state, or the one that begins it.
    fn header(&mut self, word: &str, words: &mut Words) -> Result<(), String> {
        match word {
            "scene" => once(&mut self.scene, words.name("a path")?, word),
            "input" => once(&mut self.input, words.hash()?, word),
            "text" => once(&mut self.text, words.hash()?, word),
            "file" => {
                let (name, hash) = (words.name("a path")?, words.hash()?);
                self.files.push(InputFile { name, hash });
                Ok(())
            }
            "program" => {
                self.made_by.program = words.name("a version")?;
                Ok(())
            }
            "library" => {
                let (name, version) = (words.name("a name")?, words.name("a version")?);
                insert(&mut self.made_by.libraries, name, version, "the library")
            }
            "target" => {
                self.made_by.target = words.name("a target")?;
                Ok(())
            }
            "time_step" => once(&mut self.options[0], words.positive(word)?, word),
            "scale" => self.scale(words),
            "sliding" => {
                self.sliding.push(words.name("a joint")?);
                Ok(())
            }
            "tolerance" => {
                let (name, value) = (words.word("a quantity")?, words.word("a tolerance")?);
                self.tolerances.set(name, value).map_err(|error| error.to_string())?;
                Ok(())
            }
            "bound" => {
                let name = words.word("the name of a bound")?;
                let bound = Bound::named(name).ok_or_else(|| format!("`{name}` is no bound"))?;
                insert(&mut self.bounds, bound, words.number(name)?, "the bound")
            }
            "trail" => {
                let step = words.count("a step")?;
                insert(&mut self.trail, step, words.hash()?, "the step")
            }
            "state" => self.state(words),
            _ => match COUNTS.iter().position(|name| *name == word) {
                Some(at) => once(&mut self.counts[at], words.count(word)?, word),
                None => Err(format!("`{word}` begins no line that can stand here")),
            },
        }
    }

    fn scale(&mut self, words: &mut Words) -> Result<(), String> {
        let name = words.word("the name of a scale")?;
        let at = SCALES.iter().position(|scale| *scale == name);
        let at = at.ok_or_else(|| format!("`{name}` is no scale; those are {}", SCALES.join(", ")))?;
        once(&mut self.scales[at], words.positive(name)?, "the scale")
    }

    fn state(&mut self, words: &mut Words) -> Result<(), String> {
        self.settle()?;
        let step = words.count("a step")?;
        words.expect("time")?;
        let time = words.number("a time")?;
        words.expect("hash")?;
        let hash = words.hash()?;
        if let Some(before) = self.states.last().map(|draft| draft.state.state.step).filter(|at| *at >= step)
        {
            return Err(format!("step {step} does not come after step {before}"));
        }
        let state = WorldState { step, time, hash, ..WorldState::default() };
        let state = GoldenState { state, tolerances: BTreeMap::new() };
        self.states.push(Draft { state, has_energy: false });
        Ok(())
    }

    /// What the last state must hold.
    fn settle(&self) -> Result<(), String> {
        match self.states.last() {
            Some(draft) if !draft.has_energy => {
                Err(format!("the energy of the state of step {} is missing", draft.state.state.step))
            }
            _ => Ok(()),
        }
    }

    fn finish(self) -> Result<Golden, String> {
        self.settle()?;
        let missing = |what: &str| format!("`{what}` is missing");
        if !self.has_head {
            return Err(missing(HEAD));
        }
        if self.states.is_empty() {
            return Err(missing("state"));
        }
        let count = |at: usize| self.counts[at].ok_or_else(|| missing(COUNTS[at]));
        let scale = |at: usize| self.scales[at].ok_or_else(|| missing(&format!("scale {}", SCALES[at])));
        let options = GoldenOptions {
            time_step: self.options[0].ok_or_else(|| missing("time_step"))?,
            steps: count(0)?,
            every: count(1)?,
            seed: count(2)?,
        };
        let scales = Scales {
            length: scale(0)?,
            body: scale(1)?,
            speed: scale(2)?,
            energy: scale(3)?,
            sliding: self.sliding.into_iter().collect(),
        };
        Ok(Golden {
            comments: self.comments,
            scene: self.scene.ok_or_else(|| missing("scene"))?,
            input: self.input.ok_or_else(|| missing("input"))?,
            text: self.text.ok_or_else(|| missing("text"))?,
            files: self.files,
            made_by: self.made_by,
            options,
            scales,
            tolerances: self.tolerances,
            bounds: self.bounds,
            trail: self.trail,
            states: self.states.into_iter().map(|draft| draft.state).collect(),
        })
    }
}

impl Draft {
    /// Takes a line that is of a state; false where it is of none.
    fn line(
        &mut self,
        word: &str,
        words: &mut Words,
        bases: &mut BTreeMap<String, Isometry3<f64>>,
    ) -> Result<bool, String> {
        let GoldenState { state, tolerances } = &mut self.state;
        match word {
            "tolerance" => {
                let (name, value) = (words.word("a quantity")?, words.word("a tolerance")?);
                let mut set = Tolerances::default();
                let quantity = set.set(name, value).map_err(|error| error.to_string())?;
                insert(tolerances, quantity, set.of(quantity), "the tolerance")?;
            }
            "body" => {
                let name = words.name("the name of a body")?;
                enter(&mut state.bodies, body(name, words)?, "the body")?;
            }
            "robot" => {
                let name = words.name("the name of a robot")?;
                let BodyState { name, position, rotation, .. } = body(name, words)?;
                let base = Isometry3::from_parts(position.coords.into(), rotation);
                bases.insert(name.clone(), base);
                enter(&mut state.robots, robot(name, base), "the robot")?;
            }
            "joint" => {
                let (name, joint) = (words.name("the name of a robot")?, words.name("the name of a joint")?);
                if find_mut(&mut state.robots, &name).is_none() {
                    let base = bases.get(&name).ok_or_else(|| format!("there is no robot `{name}`"))?;
                    enter(&mut state.robots, robot(name.clone(), *base), "the robot")?;
                }
                let value = words.number("a value")?;
                let robot = find_mut(&mut state.robots, &name).expect("it was entered");
                insert(&mut robot.joints, joint, value, "the joint")?;
            }
            "soft" => {
                let name = words.name("the name of a soft body")?;
                enter(&mut state.soft, soft(name, words)?, "the soft body")?;
            }
            "energy" => {
                let [kinetic, potential, elastic] = words.numbers("an energy")?;
                state.energy = Energy { kinetic, potential, elastic };
                self.has_energy = true;
            }
            "contacts" => state.contacts = small(words.count("contacts")?)?,
            "max_penetration" => state.max_penetration = words.number("a depth")?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// A number of things that a machine can have.
fn small(count: u64) -> Result<usize, String> {
    u32::try_from(count).map(|count| count as usize).map_err(|_| format!("{count} are too many"))
}

/// The rest of a line of a body.
fn body(name: String, words: &mut Words) -> Result<BodyState, String> {
    let (mut position, mut rotation, mut linear, mut angular) = (None, None, None, None);
    while let Some(word) = words.next() {
        match word {
            "position" => once(&mut position, words.numbers(word)?, word)?,
            "rotation" => once(&mut rotation, words.numbers(word)?, word)?,
            "linear_velocity" => once(&mut linear, words.numbers(word)?, word)?,
            "angular_velocity" => once(&mut angular, words.numbers(word)?, word)?,
            _ => return Err(format!("`{word}` is nothing that a body has")),
        }
    }
    let rotation: [f64; 4] = rotation.unwrap_or([1.0, 0.0, 0.0, 0.0]);
    if !is_turn(&rotation) {
        let length = length(&rotation);
        return Err(format!("the rotation is no unit quaternion: its length is {length}"));
    }
    let [w, x, y, z] = rotation;
    Ok(BodyState {
        name,
        position: Point3::from(position.ok_or("`position` is missing")?),
        rotation: UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)),
        linear_velocity: linear.unwrap_or([0.0; 3]).into(),
        angular_velocity: angular.unwrap_or([0.0; 3]).into(),
    })
}

/// The rest of a line of a soft body.
fn soft(name: String, words: &mut Words) -> Result<SoftState, String> {
    let (mut centroid, mut velocity, mut volume, mut depth, mut inverted) = (None, None, None, None, None);
    while let Some(word) = words.next() {
        match word {
            "centroid" => once(&mut centroid, words.numbers(word)?, word)?,
            "velocity" => once(&mut velocity, words.numbers(word)?, word)?,
            "volume" => once(&mut volume, words.number(word)?, word)?,
            "max_penetration" => once(&mut depth, words.number(word)?, word)?,
            "inverted" => once(&mut inverted, small(words.count(word)?)?, word)?,
            _ => return Err(format!("`{word}` is nothing that a soft body has")),
        }
    }
    let state = SoftValues {
        centroid: Point3::from(centroid.ok_or("`centroid` is missing")?),
        velocity: velocity.unwrap_or([0.0; 3]).into(),
        max_penetration: depth.unwrap_or(0.0),
        volume: volume.ok_or("`volume` is missing")?,
        volume_change: 0.0,
        inverted: inverted.unwrap_or(0),
    };
    Ok(SoftState { name, state, rest_volume: 0.0, nodes: Vec::new(), velocities: Vec::new() })
}

/// A robot without joints.
fn robot(name: String, base: Isometry3<f64>) -> RobotState {
    RobotState { name, joints: BTreeMap::new(), velocities: BTreeMap::new(), base }
}
