//! A validator for the subset of JSON Schema 2020-12 that `assets/schema` uses. An unknown keyword is reported as an
//! error, so that no schema contains constraints that are not checked.

use serde_json::{Map, Value};

/// Errors of `value` against `schema`: path and reason, one line each.
#[must_use]
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, value, "$", &mut found);
    found
}

fn check(schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    let Value::Object(keywords) = schema else {
        found.push(format!("{path}: the schema is not an object"));
        return;
    };
    for (keyword, rule) in keywords {
        let holds = match keyword.as_str() {
            "$schema" | "title" | "description" => true,
            "type" => has_type(rule, value),
            "const" => rule == value,
            "enum" => rule.as_array().is_some_and(|values| values.contains(value)),
            "minimum" => compare(value, rule, |value, bound| value >= bound),
            "maximum" => compare(value, rule, |value, bound| value <= bound),
            "exclusiveMinimum" => compare(value, rule, |value, bound| value > bound),
            "minItems" => length(value).is_none_or(|n| Some(n) >= rule.as_u64()),
            "maxItems" => length(value).is_none_or(|n| Some(n) <= rule.as_u64()),
            // The one pattern of the schemas: sixteen hexadecimal digits.
            "pattern" if rule == "^[0-9a-f]{16}$" => value.as_str().is_none_or(is_hash),
            "uniqueItems" => value
                .as_array()
                .is_none_or(|items| (1..items.len()).all(|at| !items[..at].contains(&items[at]))),
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                items.for_each(|(index, item)| check(rule, item, &format!("{path}[{index}]"), found));
                true
            }
            "required" => value.as_object().is_none_or(|object| has_all(rule, object)),
            "properties" => {
                properties(rule, value, path, found);
                true
            }
            "additionalProperties" => {
                additional(rule, keywords, value, path, found);
                true
            }
            "oneOf" => {
                let fits = |option: &&Value| faults(option, value).is_empty();
                rule.as_array().is_some_and(|options| options.iter().filter(fits).count() == 1)
            }
            _ => false,
        };
        if !holds {
            found.push(format!("{path}: {value} violates {keyword} {rule}"));
        }
    }
}

fn has_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        _ => false,
    };
    rule.as_array().map_or_else(|| is(rule), |names| names.iter().any(is))
}

fn compare(value: &Value, bound: &Value, holds: fn(f64, f64) -> bool) -> bool {
    value.as_f64().zip(bound.as_f64()).is_none_or(|(value, bound)| holds(value, bound))
}

fn length(value: &Value) -> Option<u64> {
    value.as_array().map(|items| items.len() as u64)
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn has_all(names: &Value, object: &Map<String, Value>) -> bool {
    names
        .as_array()
        .is_some_and(|names| names.iter().all(|n| n.as_str().is_some_and(|n| object.contains_key(n))))
}

fn properties(rules: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    for (name, rule) in rules.as_object().into_iter().flatten() {
        if let Some(inner) = value.get(name) {
            check(rule, inner, &format!("{path}.{name}"), found);
        }
    }
}

/// Checks the properties that `properties` does not name; `false` allows none.
fn additional(
    rule: &Value,
    keywords: &Map<String, Value>,
    value: &Value,
    path: &str,
    found: &mut Vec<String>,
) {
    let named = keywords.get("properties").and_then(Value::as_object);
    let unnamed = |name: &str| named.is_none_or(|named| !named.contains_key(name));
    for (name, inner) in value.as_object().into_iter().flatten().filter(|(name, _)| unnamed(name)) {
        if rule == &Value::Bool(false) {
            found.push(format!("{path}: `{name}` is not in the schema"));
        } else {
            check(rule, inner, &format!("{path}.{name}"), found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_can_be_broken() {
        let hash = r#"{"pattern": "^[0-9a-f]{16}$"}"#;
        for (schema, good, bad) in [
            (r#"{"type": "integer"}"#, "3", "3.5"),
            (r#"{"type": ["number", "null"]}"#, "null", "\"a\""),
            (r#"{"const": true}"#, "true", "false"),
            (r#"{"enum": ["a", "b"]}"#, "\"b\"", "\"c\""),
            (r#"{"minimum": 0}"#, "0", "-1e-9"),
            (r#"{"maximum": 1}"#, "1", "1.001"),
            (r#"{"exclusiveMinimum": 0}"#, "1e-9", "0"),
            (r#"{"minItems": 1, "maxItems": 2}"#, "[1, 2]", "[1, 2, 3]"),
            (r#"{"minItems": 1}"#, "[1]", "[]"),
            (r#"{"items": {"type": "string"}}"#, "[\"a\"]", "[\"a\", 1]"),
            (hash, "\"0123456789abcdef\"", "\"0123456789abcdeF\""),
            (r#"{"required": ["a"]}"#, r#"{"a": 1}"#, r#"{"b": 1}"#),
            (r#"{"properties": {"a": {"type": "string"}}}"#, r#"{"a": "x"}"#, r#"{"a": 1}"#),
            (
                r#"{"properties": {"a": {}}, "additionalProperties": false}"#,
                r#"{"a": 1}"#,
                r#"{"a": 1, "b": 2}"#,
            ),
            (r#"{"additionalProperties": {"type": "number"}}"#, r#"{"b": 1}"#, r#"{"b": "x"}"#),
            (r#"{"oneOf": [{"const": 1}, {"const": 2}]}"#, "2", "3"),
            (r#"{"oneOf": [{"type": "number"}, {"const": "a"}]}"#, "\"a\"", "\"b\""),
        ] {
            let parse = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
            assert_eq!(faults(&parse(schema), &parse(good)), Vec::<String>::new(), "{schema}");
            assert_eq!(faults(&parse(schema), &parse(bad)).len(), 1, "{schema}");
        }
        let unknown = serde_json::json!({"maxLength": 3});
        assert_eq!(faults(&unknown, &Value::Null).len(), 1);
    }
}
