//! Items of a manifest: a request, and the id under which its result is reported.

use serde_json::Value;
use thiserror::Error;

use crate::request::{Fields, ItemFault, KINDS, Request, clipped};

/// Maximum length of an id [bytes]: it becomes the name of a folder.
const MAX_ID_BYTES: usize = 100;

/// A request with an optional id.
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

/// Reason why a line is not an item, with its id and kind as far as they could be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{fault}")]
pub struct ItemError {
    /// Id, if it could be read.
    pub id: Option<String>,
    /// Kind, if it could be read.
    pub kind: Option<&'static str>,
    /// The fault.
    pub(crate) fault: ItemFault,
}

impl Item {
    /// Parses a line of a manifest.
    ///
    /// # Errors
    /// [`ItemError`] when the line is not a JSON object, or not a known request.
    pub fn parse(line: &str) -> Result<Self, ItemError> {
        let failed = |id, kind, fault| ItemError { id, kind, fault };
        let not_json = |why: String| failed(None, None, ItemFault::NotJson { why });
        // The line number is left out: the text is always a single line.
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

    /// Id of the item.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Kind of the request.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.request.kind()
    }
}

/// Checks an id, which may become the name of a folder: letters, digits, `.`, `_` and `-`, the first one a letter or a digit.
fn checked(id: String) -> Result<String, ItemFault> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let starts_well = id.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if starts_well && id.len() <= MAX_ID_BYTES && id.bytes().all(allowed) {
        return Ok(id);
    }
    let what = "letters, digits, `.`, `_` and `-`, the first one a letter or a digit";
    let why = format!("`{}` is not an id: expected at most {MAX_ID_BYTES} {what}", clipped(id));
    Err(ItemFault::Field { name: "id", why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_items_are_reported_with_the_reason() {
        for (line, expected) in [
            ("", "invalid item: EOF"),
            ("{", "at column 1"),
            ("[]", "an object is needed"),
            ("{}", "missing field `kind`"),
            (r#"{"kind": 3}"#, "`kind`: invalid type"),
            (r#"{"kind": "cook"}"#, "unknown kind `cook`; accepted: "),
            (r#"{"kind": "penetration", "b": "sphere:1"}"#, "missing field `a`"),
            (r#"{"kind": "penetration", "a": "sphere:1", "b": "sphere:1", "c": 1}"#, "unknown field `c`"),
            (r#"{"kind": "penetration", "a": 1, "b": "sphere:1"}"#, "invalid field `a`: invalid type"),
            (r#"{"kind": "penetration", "a": "x", "b": "x", "effort": "some"}"#, "invalid field `effort`"),
            (
                r#"{"kind": "penetration", "a": "x", "b": "x", "poses": {"a": {"translation": [NaN]}}}"#,
                "invalid item",
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
            (
                r#"{"kind": "generalized", "a": "x", "b": "x", "clearance": -1}"#,
                "`clearance`: invalid length -1 m",
            ),
            (r#"{"kind": "penetration", "a": "x", "b": "x", "id": "../x"}"#, "`id`: `../x`"),
            (r#"{"kind": "penetration", "a": "x", "b": "x", "id": 7}"#, "`id`: invalid type"),
        ] {
            let error = Item::parse(line).expect_err(line).to_string();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }

    #[test]
    fn id_and_kind_of_an_invalid_item_are_reported_where_they_can_be_read() {
        let error =
            Item::parse(r#"{"c": 1, "kind": "collide", "a": "x", "b": "x", "id": "n.1"}"#).unwrap_err();
        assert_eq!((error.id.as_deref(), error.kind), (Some("n.1"), Some("collide")));
        let long = format!(r#"{{"kind": "{}"}}"#, "k".repeat(5000));
        assert!(Item::parse(&long).unwrap_err().to_string().len() < 400);
    }
}
