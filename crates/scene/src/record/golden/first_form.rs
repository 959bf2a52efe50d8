//! The first form of golden files, lines of words. It is read, so that files of earlier versions hold and can be converted, and
//! no longer written.
//!
//! | line | holds |
//! |---|---|
//! | `extricate golden file, version 1` | the first line, after comments |
//! | `# …` | a comment |
//! | `scene "…"`, `input H`, `text H`, `file "…" H` | path and hashes of the scene and its files |
//! | `program "…"`, `library "…" "…"`, `target "…"` | what it was made by |
//! | `time_step`, `steps`, `every`, `seed` | options of the run |
//! | `scale NAME x`, `sliding "robot/joint"` | scales of the tolerances, and the joints that slide |
//! | `tolerance QUANTITY x` | a tolerance; below a `state` it holds from that state on |
//! | `bound NAME x`, `trail N H` | an extreme over all steps; hash of the state of step N |
//! | `state N time t hash H` | begins a state; what stays as in the state before is not told again |
//! | `body "…"` | `position x y z`, `rotation w x y z` unless it is none, `linear_velocity`, `angular_velocity` unless they are zero |
//! | `robot "…"`, `joint "ROBOT" "JOINT" x` | `position`, `rotation` of its root; value of a joint |
//! | `soft "…"` | `centroid`, `velocity` unless it is zero, `volume`, `max_penetration`, `inverted` |
//! | `energy k p e`, `contacts n`, `max_penetration d` | of the state |
//!
//! Each line becomes the JSON of the second form, from which the file is made.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Bound, Form, Golden, GoldenFault, GoldenState, follows, is_unit};
use crate::record::compare::Tolerances;
use crate::record::error::json_cause;
use crate::state::Hash;

/// The first line.
const HEAD: &str = "extricate golden file, version 1";

/// Reads a text of the first form.
pub(super) fn parse(text: &str) -> Result<Golden, GoldenFault> {
    let mut reading = Reading::default();
    let mut last = 0;
    for (index, line) in text.lines().enumerate() {
        last = index + 1;
        reading.line(line.trim()).map_err(|cause| GoldenFault { line: last, cause })?;
    }
    reading.finish().map_err(|cause| GoldenFault { line: last.max(1), cause })
}

type Object = Map<String, Value>;

/// What has been read so far.
#[derive(Debug, Default)]
struct Reading {
    has_head: bool,
    header: Object,
    states: Vec<GoldenState>,
    /// The state that is being read.
    draft: Option<Object>,
    /// Root links of robots where they were told last.
    bases: BTreeMap<String, Value>,
}

/// What a word is.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Name,
    Hash,
    Count,
    Number,
    Positive,
}

/// Lines of one value: the word that begins it, the object of the header in which it stands, what the value is, and whether it
/// may be missing.
const LINES: [(&str, &str, Kind, bool); 9] = [
    ("scene", "", Kind::Name, false),
    ("input", "", Kind::Hash, false),
    ("text", "", Kind::Hash, false),
    ("program", "made_by", Kind::Name, true),
    ("target", "made_by", Kind::Name, true),
    ("time_step", "options", Kind::Positive, false),
    ("steps", "options", Kind::Count, false),
    ("every", "options", Kind::Count, false),
    ("seed", "options", Kind::Count, false),
];

/// Names of the scales.
const SCALES: [&str; 4] = ["length", "body", "speed", "energy"];

/// Fields of a body or a robot: their number of values, none for a count, and what they are where they are missing.
const BODY: [(&str, usize, &str); 4] = [
    ("position", 3, ""),
    ("rotation", 4, "[1, 0, 0, 0]"),
    ("linear_velocity", 3, "[0, 0, 0]"),
    ("angular_velocity", 3, "[0, 0, 0]"),
];

/// Fields of a soft body.
const SOFT: [(&str, usize, &str); 5] = [
    ("centroid", 3, ""),
    ("velocity", 3, "[0, 0, 0]"),
    ("volume", 1, ""),
    ("max_penetration", 1, "0"),
    ("inverted", 0, "0"),
];

/// The object of a name within another one, which is made where it is missing; that one itself without a name.
fn within<'a>(object: &'a mut Object, name: &str) -> &'a mut Object {
    if name.is_empty() {
        return object;
    }
    let inner = object.entry(name).or_insert_with(|| Value::Object(Object::new()));
    inner.as_object_mut().expect("only objects are made here")
}

/// Puts a value where none may be yet.
fn once(object: &mut Object, name: &str, value: Value, what: &str) -> Result<(), String> {
    match object.insert(name.to_owned(), value) {
        None => Ok(()),
        Some(_) => Err(format!("{what} stands twice")),
    }
}

fn append(object: &mut Object, name: &str, value: Value) {
    let list = object.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    list.as_array_mut().expect("only lists are made here").push(value);
}

impl Reading {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(comment) = line.strip_prefix('#') {
            append(&mut self.header, "comments", Value::from(comment.trim()));
            return Ok(());
        }
        if line.is_empty() {
            return Ok(());
        }
        if !self.has_head {
            self.has_head = line == HEAD;
            return if self.has_head { Ok(()) } else { Err(format!("`{HEAD}` is expected")) };
        }
        let mut words = Words(line);
        let word = words.word("a word")?;
        let of_state = match &mut self.draft {
            Some(draft) => of_state(draft, &mut self.bases, word, &mut words)?,
            None => false,
        };
        if !of_state {
            self.of_header(word, &mut words)?;
        }
        words.end()
    }

    /// A line that is not of a state, or the one that begins it.
    fn of_header(&mut self, word: &str, words: &mut Words) -> Result<(), String> {
        if let Some((_, place, kind, _)) = LINES.iter().find(|(name, ..)| *name == word) {
            return once(within(&mut self.header, place), word, words.value(*kind, word)?, word);
        }
        match word {
            "file" => {
                let (name, hash) = (words.name("a path")?, words.value(Kind::Hash, "a hash")?);
                append(&mut self.header, "files", json!({"name": name, "hash": hash}));
                Ok(())
            }
            "library" => {
                let (name, version) = (words.name("a name")?, words.value(Kind::Name, "a version")?);
                let made_by = within(&mut self.header, "made_by");
                once(within(made_by, "libraries"), &name, version, "the library")
            }
            "scale" => {
                let name = words.word("the name of a scale")?;
                if !SCALES.contains(&name) {
                    return Err(format!("`{name}` is no scale; those are {}", SCALES.join(", ")));
                }
                let value = words.value(Kind::Positive, name)?;
                once(within(&mut self.header, "scales"), name, value, "the scale")
            }
            "sliding" => {
                append(within(&mut self.header, "scales"), "sliding", words.value(Kind::Name, "a joint")?);
                Ok(())
            }
            "tolerance" => {
                let (name, value) = words.tolerance()?;
                within(&mut self.header, "tolerances").insert(name, value);
                Ok(())
            }
            "bound" => {
                let name = words.word("the name of a bound")?;
                if Bound::ALL.iter().all(|bound| bound.name() != name) {
                    return Err(format!("`{name}` is no bound"));
                }
                let value = words.value(Kind::Number, name)?;
                once(within(&mut self.header, "bounds"), name, value, "the bound")
            }
            "trail" => {
                let step = words.value(Kind::Count, "a step")?.to_string();
                let hash = words.value(Kind::Hash, "a hash")?;
                once(within(&mut self.header, "trail"), &step, hash, "the step")
            }
            "state" => self.begin(words),
            _ => Err(format!("`{word}` begins no line that can stand here")),
        }
    }

    fn begin(&mut self, words: &mut Words) -> Result<(), String> {
        self.settle()?;
        let step = words.value(Kind::Count, "a step")?;
        follows(self.states.last(), step.as_u64().unwrap_or_default())?;
        words.expect("time")?;
        let time = words.value(Kind::Number, "a time")?;
        words.expect("hash")?;
        let hash = words.value(Kind::Hash, "a hash")?;
        let draft = json!({
            "step": step, "time": time, "hash": hash, "bodies": {}, "contacts": 0, "max_penetration": 0,
        });
        self.draft = draft.as_object().cloned();
        Ok(())
    }

    /// Takes the state that has been read; it must hold an energy.
    fn settle(&mut self) -> Result<(), String> {
        let Some(draft) = self.draft.take() else { return Ok(()) };
        if !draft.contains_key("energy") {
            return Err(format!("the energy of the state of step {} is missing", draft["step"]));
        }
        self.states.push(made(draft)?);
        Ok(())
    }

    fn finish(mut self) -> Result<Golden, String> {
        self.settle()?;
        let missing = |what: &str| Err(format!("`{what}` is missing"));
        if !self.has_head {
            return missing(HEAD);
        }
        if self.states.is_empty() {
            return missing("state");
        }
        for (name, place, ..) in LINES.iter().filter(|(.., may_miss)| !may_miss) {
            if !within(&mut self.header, place).contains_key(*name) {
                return missing(name);
            }
        }
        if let Some(name) =
            SCALES.iter().find(|name| !within(&mut self.header, "scales").contains_key(**name))
        {
            return missing(&format!("scale {name}"));
        }
        self.header.insert("format".to_owned(), json!(Form::First));
        let mut golden: Golden = made(self.header)?;
        golden.form = Form::First;
        golden.states = self.states;
        Ok(golden)
    }
}

/// What an object tells.
fn made<T: serde::de::DeserializeOwned>(object: Object) -> Result<T, String> {
    serde_json::from_value(Value::Object(object)).map_err(|error| json_cause(&error))
}

/// Takes a line that is of a state; false where it is of none.
fn of_state(
    draft: &mut Object,
    bases: &mut BTreeMap<String, Value>,
    word: &str,
    words: &mut Words,
) -> Result<bool, String> {
    match word {
        "tolerance" => {
            let (name, value) = words.tolerance()?;
            once(within(draft, "tolerances"), &name, value, "the tolerance")?;
        }
        "body" => {
            let name = words.name("the name of a body")?;
            once(within(draft, "bodies"), &name, words.fields(&BODY, "a body")?.into(), "the body")?;
        }
        "robot" => {
            let name = words.name("the name of a robot")?;
            let pose = words.fields(&BODY, "a robot")?;
            let base = json!({"translation": pose["position"], "rotation": pose["rotation"]});
            bases.insert(name.clone(), base.clone());
            once(within(draft, "robots"), &name, json!({"joints": {}, "base": base}), "the robot")?;
        }
        "joint" => {
            let (name, joint) = (words.name("the name of a robot")?, words.name("the name of a joint")?);
            let base = bases.get(&name).ok_or_else(|| format!("there is no robot `{name}`"))?;
            let robot = within(within(draft, "robots"), &name);
            robot.entry("base").or_insert_with(|| base.clone());
            once(within(robot, "joints"), &joint, words.value(Kind::Number, "a value")?, "the joint")?;
        }
        "soft" => {
            let name = words.name("the name of a soft body")?;
            once(within(draft, "soft"), &name, words.fields(&SOFT, "a soft body")?.into(), "the soft body")?;
        }
        "energy" => {
            let [kinetic, potential, elastic] = [(); 3].map(|()| words.value(Kind::Number, "an energy"));
            let energy = json!({"kinetic": kinetic?, "potential": potential?, "elastic": elastic?});
            draft.insert(word.to_owned(), energy);
        }
        "contacts" => {
            draft.insert(word.to_owned(), words.value(Kind::Count, word)?);
        }
        "max_penetration" => {
            draft.insert(word.to_owned(), words.value(Kind::Number, "a depth")?);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// What is left of a line.
#[derive(Debug)]
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    /// The next word, if there is one.
    fn next(&mut self) -> Option<&'a str> {
        let end = self.0.find(char::is_whitespace).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest.trim_start();
        Some(word).filter(|word| !word.is_empty())
    }

    fn word(&mut self, what: &str) -> Result<&'a str, String> {
        self.next().ok_or_else(|| format!("{what} is missing"))
    }

    /// A name in quotation marks, as JSON writes it.
    fn name(&mut self, what: &str) -> Result<String, String> {
        if !self.0.starts_with('"') {
            return Err(format!("{what} in quotation marks is missing"));
        }
        let mut values = serde_json::Deserializer::from_str(self.0).into_iter::<String>();
        let Some(Ok(name)) = values.next() else {
            return Err(format!("{what} is no string as JSON writes it"));
        };
        self.0 = self.0[values.byte_offset()..].trim_start();
        Ok(name)
    }

    /// The next value.
    fn value(&mut self, kind: Kind, what: &str) -> Result<Value, String> {
        let word = match kind {
            Kind::Name => return self.name(what).map(Value::from),
            _ => self.word(what)?,
        };
        let number = || {
            let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| format!("{what}: `{word}` is no number"))
        };
        match kind {
            Kind::Name | Kind::Hash => {
                let hash = serde_json::from_value::<Hash>(Value::from(word)).map(|hash| json!(hash));
                hash.map_err(|_| format!("`{word}` is no hash of sixteen hexadecimal digits"))
            }
            Kind::Count => {
                let count = word.parse::<u64>().map(Value::from);
                count.map_err(|_| format!("{what}: `{word}` is no whole number from zero on"))
            }
            Kind::Number => number().map(Value::from),
            Kind::Positive => match number()? {
                number if number > 0.0 => Ok(Value::from(number)),
                number => Err(format!("{what}: {number} is not above zero")),
            },
        }
    }

    /// A quantity and its tolerance.
    fn tolerance(&mut self) -> Result<(String, Value), String> {
        let (name, value) = (self.word("a quantity")?, self.word("a tolerance")?);
        Tolerances::default().set(name, value).map_err(|error| error.to_string())?;
        Ok((name.to_owned(), Value::from(value)))
    }

    /// The rest of a line of fields.
    fn fields(&mut self, of: &[(&str, usize, &str)], what: &str) -> Result<Object, String> {
        let mut object = Object::new();
        while let Some(word) = self.next() {
            let field = of.iter().find(|(name, ..)| *name == word);
            let (_, count, _) = field.ok_or_else(|| format!("`{word}` is nothing that {what} has"))?;
            let value = match count {
                0 => self.value(Kind::Count, word)?,
                1 => self.value(Kind::Number, word)?,
                _ => (0..*count).map(|_| self.value(Kind::Number, word)).collect::<Result<_, _>>()?,
            };
            once(&mut object, word, value, word)?;
        }
        for (name, _, usual) in of {
            if !object.contains_key(*name) {
                let value = serde_json::from_str(usual).map_err(|_| format!("`{name}` is missing"))?;
                object.insert((*name).to_owned(), value);
            }
        }
        let rotation = object.get("rotation").and_then(Value::as_array).into_iter().flatten();
        let length = rotation.filter_map(Value::as_f64).map(|x| x * x).sum::<f64>().sqrt();
        if object.contains_key("rotation") && !is_unit(length) {
            return Err(format!("the rotation is no unit quaternion: its length is {length}"));
        }
        Ok(object)
    }

    /// The next word, which must be this one.
    fn expect(&mut self, word: &str) -> Result<(), String> {
        match self.next() {
            Some(found) if found == word => Ok(()),
            Some(found) => Err(format!("`{word}` is expected, not `{found}`")),
            None => Err(format!("`{word}` is missing")),
        }
    }

    /// Nothing may follow.
    fn end(&self) -> Result<(), String> {
        if self.0.is_empty() { Ok(()) } else { Err(format!("`{}` stands too much here", self.0)) }
    }
}
