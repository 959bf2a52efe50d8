//! The fields of a line of JSON, taken one by one: what is left over is unknown.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::item::ItemFault;

/// The fields of an object, as they are taken.
#[derive(Debug)]
pub(super) struct Fields {
    left: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Fields {
    pub(super) fn new(object: Map<String, Value>) -> Self {
        Self { left: object, known: Vec::new() }
    }

    /// A field that may be missing, or `null`.
    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<Option<T>, ItemFault> {
        self.known.push(name);
        match self.left.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => serde_json::from_value(value)
                .map(Some)
                .map_err(|error| ItemFault::Field { name, why: error.to_string() }),
        }
    }

    /// A field that must be there.
    pub(super) fn need<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<T, ItemFault> {
        self.take(name)?.ok_or(ItemFault::Missing { name })
    }

    /// A field that is false where it is missing.
    pub(super) fn flag(&mut self, name: &'static str) -> Result<bool, ItemFault> {
        Ok(self.take(name)?.unwrap_or(false))
    }

    /// A length that may be missing [m], not below zero.
    pub(super) fn length(&mut self, name: &'static str) -> Result<Option<f64>, ItemFault> {
        let wrong =
            |value| ItemFault::Field { name, why: format!("{value} is not a length of zero or above") };
        match self.take::<f64>(name)? {
            Some(value) if !(value >= 0.0 && value.is_finite()) => Err(wrong(value)),
            length => Ok(length),
        }
    }

    /// A field that is read from its text.
    pub(super) fn parsed<T>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ItemFault> {
        let text: Option<String> = self.take(name)?;
        text.map(|text| {
            parse(&text).map_err(|why| ItemFault::Field { name, why: format!("`{text}`: {why}") })
        })
        .transpose()
    }

    /// Refuses what was not taken.
    pub(super) fn finish(self) -> Result<(), ItemFault> {
        match self.left.into_iter().next() {
            None => Ok(()),
            Some((name, _)) => Err(ItemFault::Unknown { name: clipped(name), known: self.known.join(", ") }),
        }
    }
}

/// Characters of a name that a message repeats: the name comes from outside.
const CLIP: usize = 64;

/// A text from outside, short enough for a message.
pub(super) fn clipped(text: String) -> String {
    match text.char_indices().nth(CLIP) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
