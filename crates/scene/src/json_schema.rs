//! JSON schemas of types, restricted to the few keywords that simple validators support.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema of a file with its dialect and title.
#[must_use]
pub fn titled(title: &str, mut schema: Value) -> Value {
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(title);
    schema
}

/// The schema of a type as it is serialized: without references, closed to other fields, alternatives as `oneOf`.
#[must_use]
pub fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Value::Object(keywords) = &mut schema {
        keywords.remove("title");
    }
    simplify(&mut schema);
    schema
}

fn simplify(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Object(keywords) => {
            keywords.remove("format");
            keywords.remove("default");
            if let Some(options) = keywords.remove("anyOf") {
                keywords.insert("oneOf".to_owned(), options);
            }
            if keywords.get("type").is_some_and(|kind| kind == "object" || has_type(kind, "object")) {
                keywords.entry("additionalProperties").or_insert(Value::Bool(false));
                remove_null_from_optional(keywords);
            }
            // Brackets are escaped for rustdoc alone.
            if let Some(Value::String(text)) = keywords.get_mut("description") {
                *text = text.replace(r"\[", "[").replace(r"\]", "]");
            }
            for (keyword, value) in keywords {
                match value {
                    // Its keys are names, not keywords.
                    Value::Object(properties) if keyword == "properties" => {
                        properties.values_mut().for_each(simplify)
                    }
                    value => simplify(value),
                }
            }
        }
        _ => {}
    }
}

fn has_type(kinds: &Value, kind: &str) -> bool {
    kinds.as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind))
}

/// Removes `null` from the types of optional properties: a field without a value is omitted, never null.
fn remove_null_from_optional(keywords: &mut Map<String, Value>) {
    let required = keywords.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = keywords.get_mut("properties") else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !required.iter().any(|one| one == *name)) {
        let Some(kinds) = property.get_mut("type").filter(|kinds| has_type(kinds, "null")) else { continue };
        let without_null: Vec<Value> =
            kinds.as_array().into_iter().flatten().filter(|one| *one != "null").cloned().collect();
        *kinds = match <[Value; 1]>::try_from(without_null) {
            Ok([only]) => only,
            Err(several) => Value::Array(several),
        };
    }
}
