//! A line of a manifest: what is asked, and the name that the answer goes by.

use serde_json::Value;
use thiserror::Error;

use crate::request::{Fields, ItemFault, KINDS, Request, clipped};

/// Longest name of an item, in bytes: it becomes the name of a folder.
const LONGEST_ID: usize = 100;

/// What is asked, by name.
///
/// ```
/// use extricate_scene::batch::Item;
///
/// let line = r#"{"kind": "penetration", "id": "first", "a": "cup.obj", "b": "box:1,1,1"}"#;
/// let item = Item::parse(line)?;
/// assert_eq!((item.id(), item.kind()), (Some("first"), "penetration"));
/// # Ok::<(), extricate_scene::batch::ItemError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub(super) id: Option<String>,
    pub(super) request: Request,
}

/// Why a line is no item, with what of it could be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{fault}")]
pub struct ItemError {
    /// Its name, if that much is known.
    pub id: Option<String>,
    /// Its kind, if that much is known.
    pub kind: Option<&'static str>,
    /// What is wrong with it.
    pub(crate) fault: ItemFault,
}

impl Item {
    /// The item of a line.
    ///
    /// # Errors
    /// [`ItemError`] when the line is no JSON object, or asks for nothing that there is.
    pub fn parse(line: &str) -> Result<Self, ItemError> {
        let failed = |id, kind, fault| ItemError { id, kind, fault };
        let not_json = |why: String| failed(None, None, ItemFault::NotJson { why });
        // The column is told without the line, which is always the first.
        let value: Value = serde_json::from_str(line)
            .map_err(|error| not_json(error.to_string().replace(" at line 1 column ", " at column ")))?;
        let Value::Object(object) = value else {
            return Err(not_json(String::from("an object is needed: {\"kind\": …}")));
        };
        let mut fields = Fields::new(object);
        let id = fields.take("id").and_then(|id: Option<String>| id.map(checked).transpose());
        let id = id.map_err(|fault| failed(None, None, fault))?;
        let kind: String = fields.need("kind").map_err(|fault| failed(id.clone(), None, fault))?;
        let Some(kind) = KINDS.into_iter().find(|known| *known == kind) else {
            let fault = ItemFault::Kind { kind: clipped(kind) };
            return Err(failed(id, None, fault));
        };
        let request = Request::take(kind, &mut fields).and_then(|request| fields.finish().map(|()| request));
        match request {
            Ok(request) => Ok(Self { id, request }),
            Err(fault) => Err(failed(id, Some(kind), fault)),
        }
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// What it asks for.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.request.kind()
    }
}

/// The name, which may be that of a folder: letters, digits, `.`, `_` and `-`, the first one a letter or a digit.
fn checked(id: String) -> Result<String, ItemFault> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let starts_well = id.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if starts_well && id.len() <= LONGEST_ID && id.bytes().all(allowed) {
        return Ok(id);
    }
    let what = "letters, digits, `.`, `_` and `-`, the first one a letter or a digit";
    let why = format!("`{}`: a name is up to {LONGEST_ID} of {what}", clipped(id));
    Err(ItemFault::Field { name: "id", why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_item_is_told_with_the_reason() {
        for (line, told) in [
            ("", "not an item: EOF"),
            ("{", "at column 1"),
            ("[]", "an object is needed"),
            ("{}", "`kind` is missing"),
            (r#"{"kind": 3}"#, "`kind`: invalid type"),
            (r#"{"kind": "cook"}"#, "there is no kind `cook`; there are: "),
            (r#"{"kind": "penetration", "b": "sphere:1"}"#, "`a` is missing"),
            (r#"{"kind": "penetration", "a": "sphere:1", "b": "sphere:1", "c": 1}"#, "there is no field `c`"),
            (r#"{"kind": "penetration", "a": 1, "b": "sphere:1"}"#, "the field `a`: invalid type"),
            (r#"{"kind": "penetration", "a": "x", "b": "x", "effort": "some"}"#, "the field `effort`"),
            (
                r#"{"kind": "penetration", "a": "x", "b": "x", "poses": {"a": {"translation": [NaN]}}}"#,
                "not an item",
            ),
            (
                r#"{"kind": "penetration", "a": "x", "b": "x", "poses": {"a": {"translation": [1e999, 0, 0]}}}"#,
                "number out of range",
            ),
            (
                r#"{"kind": "penetration", "a": "x", "b": "x", "poses": {"a": {"rotation": [1, 1, 0, 0]}}}"#,
                "length 1.41",
            ),
            (r#"{"kind": "penetration", "a": "x", "b": "x", "solid": true, "surface": true}"#, "`solid`"),
            (r#"{"kind": "generalized", "a": "x", "b": "x", "clearance": -1}"#, "`clearance`: -1 is not"),
            (r#"{"kind": "penetration", "a": "x", "b": "x", "id": "../x"}"#, "`id`: `../x`"),
            (r#"{"kind": "penetration", "a": "x", "b": "x", "id": 7}"#, "`id`: invalid type"),
        ] {
            let error = Item::parse(line).expect_err(line).to_string();
            assert!(error.contains(told), "{line}: {error}");
        }
    }

    #[test]
    fn name_and_kind_of_a_bad_item_are_told_where_they_can_be_read() {
        let error =
            Item::parse(r#"{"c": 1, "kind": "collide", "a": "x", "b": "x", "id": "n.1"}"#).unwrap_err();
        assert_eq!((error.id.as_deref(), error.kind), (Some("n.1"), Some("collide")));
        let long = format!(r#"{{"kind": "{}"}}"#, "k".repeat(5000));
        assert!(Item::parse(&long).unwrap_err().to_string().len() < 400);
    }
}
