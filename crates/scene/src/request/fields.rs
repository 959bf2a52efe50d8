//! The fields of a request as a line of JSON holds them: taken part by part, so that several types share one object and
//! what is left over is known to be unknown.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};
use thiserror::Error;

/// All kinds of requests that a manifest may hold.
pub(crate) const KINDS: [&str; 10] = [
    "collide",
    "distance",
    "hausdorff",
    "spanning",
    "time-of-contact",
    "self-collision",
    "penetration",
    "generalized",
    "repair",
    "run",
];

/// Reason why a line of a manifest is no request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum ItemFault {
    /// It is no JSON, or nothing that an item could be.
    #[error("not an item: {why}")]
    NotJson {
        /// Message of the parser.
        why: String,
    },
    /// Its kind is unknown.
    #[error("there is no kind `{kind}`; there are: {}", KINDS.join(", "))]
    Kind {
        /// The kind.
        kind: String,
    },
    /// A field is missing.
    #[error("the field `{name}` is missing")]
    Missing {
        /// Its name.
        name: &'static str,
    },
    /// A field is not as it should be.
    #[error("the field `{name}`: {why}")]
    Field {
        /// Its name.
        name: &'static str,
        /// The reason.
        why: String,
    },
    /// A field is unknown.
    #[error("there is no field `{name}`; there are: {known}")]
    Unknown {
        /// Its name.
        name: String,
        /// The known names.
        known: String,
    },
    /// Fields exclude each other.
    #[error("{why}")]
    Clash {
        /// The reason.
        why: String,
    },
}

impl de::Error for ItemFault {
    fn custom<T: Display>(message: T) -> Self {
        Self::Clash { why: message.to_string() }
    }

    fn missing_field(name: &'static str) -> Self {
        Self::Missing { name }
    }
}

/// The fields of an object, as they are taken.
#[derive(Debug)]
pub(crate) struct Fields {
    left: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Fields {
    pub(crate) fn new(object: Map<String, Value>) -> Self {
        Self { left: object, known: Vec::new() }
    }

    /// A field that may be missing, or `null`.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<Option<T>, ItemFault> {
        self.known.push(name);
        match self.left.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => serde_json::from_value(value)
                .map(Some)
                .map_err(|error| ItemFault::Field { name, why: error.to_string() }),
        }
    }

    /// A field that must be there.
    pub(crate) fn need<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<T, ItemFault> {
        self.take(name)?.ok_or(ItemFault::Missing { name })
    }

    /// The fields of a structure; those of others stay. A `null` counts as missing.
    pub(crate) fn part<T: DeserializeOwned>(&mut self) -> Result<T, ItemFault> {
        T::deserialize(Part(self))
    }

    /// Refuses what was not taken.
    pub(crate) fn finish(self) -> Result<(), ItemFault> {
        match self.left.into_iter().next() {
            None => Ok(()),
            Some((name, _)) => Err(ItemFault::Unknown { name: clipped(name), known: self.known.join(", ") }),
        }
    }
}

/// The fields of one structure among those of an object.
struct Part<'a>(&'a mut Fields);

impl<'de> Deserializer<'de> for Part<'_> {
    type Error = ItemFault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ItemFault> {
        self.deserialize_struct("", &[], visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ItemFault> {
        let Fields { left, known } = self.0;
        known.extend(names);
        let given = |name: &&'static str| Some((*name, left.remove(*name).filter(|value| !value.is_null())?));
        let taken: Vec<_> = names.iter().filter_map(given).collect();
        visitor.visit_map(Taken { fields: taken.into_iter(), current: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Fields on their way to a structure.
struct Taken {
    fields: std::vec::IntoIter<(&'static str, Value)>,
    current: Option<(&'static str, Value)>,
}

impl<'de> MapAccess<'de> for Taken {
    type Error = ItemFault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ItemFault> {
        self.current = self.fields.next();
        let Some((name, _)) = &self.current else { return Ok(None) };
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ItemFault> {
        let (name, value) = self.current.take().expect("a value follows its key");
        seed.deserialize(value).map_err(|error| ItemFault::Field { name, why: error.to_string() })
    }
}

/// A value that is written as text.
pub(crate) fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    parsed_by(deserializer, |text| text.parse().map_err(|error: T::Err| error.to_string()))
}

/// A value that is written as text and read by a function.
pub(crate) fn parsed_by<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).map(Some).map_err(|why| de::Error::custom(format!("`{text}`: {why}")))
}

/// A length [m], not below zero.
pub(crate) fn length<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(de::Error::custom(format!("{value} is not a length of zero or above")))
}

/// A length that may be missing [m], not below zero.
pub(crate) fn optional_length<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    length(deserializer).map(Some)
}

/// Characters of a name that a message repeats: the name comes from outside.
const CLIP: usize = 64;

/// A text from outside, short enough for a message.
pub(crate) fn clipped(text: String) -> String {
    match text.char_indices().nth(CLIP) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
