//! The fields of a request in a line of JSON. They are taken part by part, so that several types can be read from one
//! object; any field that is left over is unknown.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};
use thiserror::Error;

use extricate_core::suggestion::did_you_mean;

/// All kinds of requests in manifests.
pub(crate) const KINDS: [&str; 13] = [
    "collide",
    "distance",
    "hausdorff",
    "spanning",
    "growth",
    "time-of-contact",
    "self-collision",
    "penetration",
    "generalized",
    "repair",
    "plan",
    "check",
    "run",
];

/// Error of a line of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum ItemFault {
    /// The line is not JSON, or not an object.
    #[error("invalid item: {why}")]
    NotJson {
        /// Message of the parser.
        why: String,
    },
    /// Its kind is unknown.
    #[error("unknown kind `{kind}`; accepted: {}", KINDS.join(", "))]
    Kind {
        /// The kind.
        kind: String,
    },
    /// A field is missing.
    #[error("missing field `{name}`")]
    Missing {
        /// Its name.
        name: &'static str,
    },
    /// A field has an invalid value.
    #[error("invalid field `{name}`: {why}")]
    Field {
        /// Its name.
        name: &'static str,
        /// The reason.
        why: String,
    },
    /// A field is unknown.
    #[error("unknown field `{name}`; accepted: {known}{}", did_you_mean(.name, .known.split(", ")))]
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

/// The remaining fields of an object.
#[derive(Debug)]
pub(crate) struct Fields {
    remaining: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Fields {
    pub(crate) fn new(object: Map<String, Value>) -> Self {
        Self { remaining: object, known: Vec::new() }
    }

    /// Takes a field that may be missing or `null`.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<Option<T>, ItemFault> {
        self.known.push(name);
        match self.remaining.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => serde_json::from_value(value)
                .map(Some)
                .map_err(|error| ItemFault::Field { name, why: error.to_string() }),
        }
    }

    /// Takes a required field.
    pub(crate) fn need<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<T, ItemFault> {
        self.take(name)?.ok_or(ItemFault::Missing { name })
    }

    /// Takes the fields of a structure; others stay. A `null` counts as missing.
    pub(crate) fn part<T: DeserializeOwned>(&mut self) -> Result<T, ItemFault> {
        T::deserialize(Part(self))
    }

    /// Refuses remaining fields.
    pub(crate) fn finish(self) -> Result<(), ItemFault> {
        match self.remaining.into_iter().next() {
            None => Ok(()),
            Some((name, _)) => Err(ItemFault::Unknown { name: clipped(name), known: self.known.join(", ") }),
        }
    }
}

/// Deserializer of one structure from some of the fields of an object.
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
        let Fields { remaining, known } = self.0;
        known.extend(names);
        let given =
            |name: &&'static str| Some((*name, remaining.remove(*name).filter(|value| !value.is_null())?));
        let taken: Vec<_> = names.iter().filter_map(given).collect();
        visitor.visit_map(FieldAccess { fields: taken.into_iter(), current: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Access of a structure to its fields.
struct FieldAccess {
    fields: std::vec::IntoIter<(&'static str, Value)>,
    current: Option<(&'static str, Value)>,
}

impl<'de> MapAccess<'de> for FieldAccess {
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

/// Reads a value that is written as text.
pub(crate) fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    parsed_by(deserializer, |text| text.parse().map_err(|error: T::Err| error.to_string()))
}

/// Reads a value that is written as text with a function.
pub(crate) fn parsed_by<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).map(Some).map_err(|why| de::Error::custom(format!("`{text}`: {why}")))
}

/// Reads a length [m], zero or above.
pub(crate) fn length<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(de::Error::custom(format!("invalid length {value} m: must be finite and zero or above")))
}

/// Reads an optional length [m], zero or above.
pub(crate) fn optional_length<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    length(deserializer).map(Some)
}

/// Maximum number of characters of an input name in a message. Names come from untrusted files; longer ones would flood logs.
const CLIP: usize = 64;

/// An input text, truncated for a message.
pub(crate) fn clipped(text: String) -> String {
    match text.char_indices().nth(CLIP) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
