//! Version 1 of golden files, lines of words. It is read, so that files of earlier versions remain valid and can be converted, and
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
//! | `state N time t hash H` | begins a state; what is equal in the state before is left out |
//! | `body "…"` | `position x y z`, `rotation w x y z` unless it is none, `linear_velocity`, `angular_velocity` unless they are zero |
//! | `robot "…"`, `joint "ROBOT" "JOINT" x` | `position`, `rotation` of its root; value of a joint |
//! | `soft "…"` | `centroid`, `velocity` unless it is zero, `volume`, `max_penetration`, `inverted` |
//! | `energy k p e`, `contacts n`, `max_penetration d` | of the state |
//!
//! Each line becomes the JSON of version 2, from which the file is made.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Bound, FormatVersion, Golden, GoldenFault, GoldenState, follows, is_unit};
use crate::record::compare::Tolerances;
use crate::record::error::json_cause;
use crate::state::Hash;

/// The first line.
const FIRST_LINE: &str = "extricate golden file, version 1";

/// Parses a text of version 1.
pub(super) fn parse(text: &str) -> Result<Golden, GoldenFault> {
    let mut parser = Parser::default();
    let mut last = 0;
    for (index, line) in text.lines().enumerate() {
        last = index + 1;
        parser.line(line.trim()).map_err(|cause| GoldenFault { line: last, cause })?;
    }
    parser.finish().map_err(|cause| GoldenFault { line: last.max(1), cause })
}

type Object = Map<String, Value>;

/// The parsed part of a text.
#[derive(Debug, Default)]
struct Parser {
    has_first_line: bool,
    header: Object,
    states: Vec<GoldenState>,
    /// The state that is being parsed.
    draft: Option<Object>,
    /// Last given poses of the root links of robots.
    bases: BTreeMap<String, Value>,
}

/// Type of a word.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Name,
    Hash,
    Count,
    Number,
    Positive,
}

/// Lines of one value: the keyword, the object of the header that holds it, the type of the value, and whether it
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

/// Fields of a body or a robot: name, number of values (0 for a count), and JSON of the default where they may be missing.
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

/// The object of a name within another one, created where it is missing; the outer one itself for an empty name.
fn within<'a>(object: &'a mut Object, name: &str) -> &'a mut Object {
    if name.is_empty() {
        return object;
    }
    let inner = object.entry(name).or_insert_with(|| Value::Object(Object::new()));
    inner.as_object_mut().expect("only objects are made here")
}

/// Inserts a value; a second one of the same name is an error.
fn insert_once(object: &mut Object, name: &str, value: Value, what: &str) -> Result<(), String> {
    match object.insert(name.to_owned(), value) {
        None => Ok(()),
        Some(_) => Err(format!("duplicate {what}")),
    }
}

fn append(object: &mut Object, name: &str, value: Value) {
    let list = object.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    list.as_array_mut().expect("only lists are made here").push(value);
}

impl Parser {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(comment) = line.strip_prefix('#') {
            append(&mut self.header, "comments", Value::from(comment.trim()));
            return Ok(());
        }
        if line.is_empty() {
            return Ok(());
        }
        if !self.has_first_line {
            self.has_first_line = line == FIRST_LINE;
            return if self.has_first_line { Ok(()) } else { Err(format!("`{FIRST_LINE}` is expected")) };
        }
        let mut words = Words(line);
        let word = words.word("a word")?;
        // A keyword such as `tolerance` belongs to the state that is being parsed, or else to the header.
        let of_state = match &mut self.draft {
            Some(draft) => of_state(draft, &mut self.bases, word, &mut words)?,
            None => false,
        };
        if !of_state {
            self.of_header(word, &mut words)?;
        }
        words.end()
    }

    /// Parses a line of the header, or the first line of a state.
    fn of_header(&mut self, word: &str, words: &mut Words) -> Result<(), String> {
        if let Some((_, place, kind, _)) = LINES.iter().find(|(name, ..)| *name == word) {
            return insert_once(within(&mut self.header, place), word, words.value(*kind, word)?, word);
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
                insert_once(within(made_by, "libraries"), &name, version, "library")
            }
            "scale" => {
                let name = words.word("the name of a scale")?;
                if !SCALES.contains(&name) {
                    return Err(format!("unknown scale `{name}`; the scales are {}", SCALES.join(", ")));
                }
                let value = words.value(Kind::Positive, name)?;
                insert_once(within(&mut self.header, "scales"), name, value, "scale")
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
                    return Err(format!("unknown bound `{name}`"));
                }
                let value = words.value(Kind::Number, name)?;
                insert_once(within(&mut self.header, "bounds"), name, value, "bound")
            }
            "trail" => {
                let step = words.value(Kind::Count, "a step")?.to_string();
                let hash = words.value(Kind::Hash, "a hash")?;
                insert_once(within(&mut self.header, "trail"), &step, hash, "step")
            }
            "state" => self.begin(words),
            _ => Err(format!("unexpected keyword `{word}`")),
        }
    }

    fn begin(&mut self, words: &mut Words) -> Result<(), String> {
        self.finish_state()?;
        let step = words.value(Kind::Count, "a step")?;
        // Checked at the first line of the state, so that the error names it.
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

    /// Finishes the state that is being parsed; it must hold an energy.
    fn finish_state(&mut self) -> Result<(), String> {
        let Some(draft) = self.draft.take() else { return Ok(()) };
        if !draft.contains_key("energy") {
            return Err(format!("the energy of the state of step {} is missing", draft["step"]));
        }
        self.states.push(deserialized(draft)?);
        Ok(())
    }

    fn finish(mut self) -> Result<Golden, String> {
        self.finish_state()?;
        let missing = |what: &str| Err(format!("`{what}` is missing"));
        if !self.has_first_line {
            return missing(FIRST_LINE);
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
        // Both versions serialize as version 2, which alone can be deserialized; the one that was read is set below.
        self.header.insert("format".to_owned(), json!(FormatVersion::V1));
        let mut golden: Golden = deserialized(self.header)?;
        golden.format = FormatVersion::V1;
        golden.states = self.states;
        Ok(golden)
    }
}

/// Deserializes an object.
fn deserialized<T: serde::de::DeserializeOwned>(object: Object) -> Result<T, String> {
    serde_json::from_value(Value::Object(object)).map_err(|error| json_cause(&error))
}

/// Parses a line of a state; false where the keyword belongs to none.
fn of_state(
    draft: &mut Object,
    bases: &mut BTreeMap<String, Value>,
    word: &str,
    words: &mut Words,
) -> Result<bool, String> {
    match word {
        "tolerance" => {
            let (name, value) = words.tolerance()?;
            insert_once(within(draft, "tolerances"), &name, value, "tolerance")?;
        }
        "body" => {
            let name = words.name("the name of a body")?;
            insert_once(within(draft, "bodies"), &name, words.fields(&BODY, "a body")?.into(), "body")?;
        }
        "robot" => {
            let name = words.name("the name of a robot")?;
            let pose = words.fields(&BODY, "a robot")?;
            let base = json!({"translation": pose["position"], "rotation": pose["rotation"]});
            bases.insert(name.clone(), base.clone());
            insert_once(within(draft, "robots"), &name, json!({"joints": {}, "base": base}), "robot")?;
        }
        "joint" => {
            let (name, joint) = (words.name("the name of a robot")?, words.name("the name of a joint")?);
            // A robot whose root did not move has no line of its own in this state: its last pose is repeated.
            let base = bases.get(&name).ok_or_else(|| format!("there is no robot `{name}`"))?;
            let robot = within(within(draft, "robots"), &name);
            robot.entry("base").or_insert_with(|| base.clone());
            insert_once(within(robot, "joints"), &joint, words.value(Kind::Number, "a value")?, "joint")?;
        }
        "soft" => {
            let name = words.name("the name of a soft body")?;
            insert_once(
                within(draft, "soft"),
                &name,
                words.fields(&SOFT, "a soft body")?.into(),
                "soft body",
            )?;
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

/// The rest of a line.
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

    /// A name in quotation marks, as a JSON string.
    fn name(&mut self, what: &str) -> Result<String, String> {
        if !self.0.starts_with('"') {
            return Err(format!("{what} in quotation marks is missing"));
        }
        // A stream stops behind the string, and its offset is the start of the rest.
        let mut values = serde_json::Deserializer::from_str(self.0).into_iter::<String>();
        let Some(Ok(name)) = values.next() else {
            return Err(format!("{what} is not a JSON string"));
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
            number.ok_or_else(|| format!("{what}: `{word}` is not a number"))
        };
        match kind {
            Kind::Name | Kind::Hash => {
                let hash = serde_json::from_value::<Hash>(Value::from(word)).map(|hash| json!(hash));
                hash.map_err(|_| format!("`{word}` is not a hash of sixteen hexadecimal digits"))
            }
            Kind::Count => {
                let count = word.parse::<u64>().map(Value::from);
                count.map_err(|_| format!("{what}: `{word}` is not a non-negative integer"))
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

    /// The fields on the rest of a line.
    fn fields(&mut self, of: &[(&str, usize, &str)], what: &str) -> Result<Object, String> {
        let mut object = Object::new();
        while let Some(word) = self.next() {
            let field = of.iter().find(|(name, ..)| *name == word);
            let (_, count, _) = field.ok_or_else(|| format!("unknown field `{word}` of {what}"))?;
            let value = match count {
                0 => self.value(Kind::Count, word)?,
                1 => self.value(Kind::Number, word)?,
                _ => (0..*count).map(|_| self.value(Kind::Number, word)).collect::<Result<_, _>>()?,
            };
            insert_once(&mut object, word, value, word)?;
        }
        // An empty default is not JSON, and makes the field a required one.
        for (name, _, usual) in of {
            if !object.contains_key(*name) {
                let value = serde_json::from_str(usual).map_err(|_| format!("`{name}` is missing"))?;
                object.insert((*name).to_owned(), value);
            }
        }
        let rotation = object.get("rotation").and_then(Value::as_array).into_iter().flatten();
        let length = rotation.filter_map(Value::as_f64).map(|x| x * x).sum::<f64>().sqrt();
        if object.contains_key("rotation") && !is_unit(length) {
            return Err(format!("the rotation is not a unit quaternion: its length is {length}"));
        }
        Ok(object)
    }

    /// Consumes the next word, which must be `word`.
    fn expect(&mut self, word: &str) -> Result<(), String> {
        match self.next() {
            Some(found) if found == word => Ok(()),
            Some(found) => Err(format!("`{word}` is expected, not `{found}`")),
            None => Err(format!("`{word}` is missing")),
        }
    }

    /// Checks that the line is at its end.
    fn end(&self) -> Result<(), String> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(format!("unexpected `{}` at the end of the line", self.0))
        }
    }
}
