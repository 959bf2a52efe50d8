//! `docs/scenes.md` is the reference of the scene schema: its snippets are scenes, and it leaves no field out.

use std::collections::BTreeMap;
use std::path::Path;

use extricate::scene::schema::SceneFile;

const DOCS: &str = include_str!("../docs/scenes.md");
const SCHEMA: &str = concat!(
    include_str!("../crates/scene/src/scene/schema/mod.rs"),
    include_str!("../crates/scene/src/scene/schema/camera.rs"),
    include_str!("../crates/scene/src/scene/schema/expect.rs"),
    include_str!("../crates/scene/src/scene/schema/plan.rs"),
    include_str!("../crates/scene/src/scene/schema/robot.rs"),
    include_str!("../crates/scene/src/scene/schema/soft.rs"),
    include_str!("../crates/scene/src/scene/schema/solver.rs")
);

/// Values of `Solidity`.
const SOLIDITIES: [&str; 2] = ["solid", "surface"];

/// The snippets in RON, each with the line of `docs/scenes.md` on which it starts.
fn snippets(docs: &str) -> Vec<(usize, String)> {
    let (mut found, mut open) = (Vec::new(), None);
    for (index, line) in docs.lines().enumerate() {
        match (&mut open, line) {
            (None, "```ron") => open = Some((index + 2, String::new())),
            (Some(_), "```") => found.extend(open.take()),
            (Some((_, text)), _) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, _) => {}
        }
    }
    found
}

/// Names of fields and variants of each type of the schema, as a scene writes them.
fn fields_of_types(schema: &str) -> BTreeMap<String, Vec<String>> {
    let (mut types, mut current) = (BTreeMap::<String, Vec<String>>::new(), None);
    let mut is_enum = false;
    for line in schema.lines() {
        let text = line.trim();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        if let ["pub", kind @ ("struct" | "enum"), name, ..] = words[..] {
            is_enum = kind == "enum";
            current = (text.ends_with('{') && !text.contains('<')).then(|| name.to_owned());
        } else if line == "}" {
            current = None;
        } else if let Some(name) = &current {
            let field = text.strip_prefix("pub ").unwrap_or(text).split_once(':').map(|(field, _)| field);
            let variant = words[0];
            if !text.starts_with("//") && !text.starts_with('#') {
                if let Some(field) = field {
                    types.entry(name.clone()).or_default().push(field.to_owned());
                } else if is_enum && variant.starts_with(char::is_uppercase) {
                    types.entry(name.clone()).or_default().push(snake_case(variant));
                }
            }
        }
    }
    types
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// The part of the docs that is marked as the reference of a type: from its marker to the next.
fn section<'a>(docs: &'a str, name: &str) -> Option<&'a str> {
    let marker = format!("<!-- {name} -->");
    let start = docs.find(&marker)? + marker.len();
    let end = docs[start..].find("\n<!-- ").map_or(docs.len(), |end| start + end);
    Some(&docs[start..end])
}

#[test]
fn every_snippet_is_a_scene() {
    let snippets = snippets(DOCS);
    assert!(snippets.len() >= 6, "only {} snippets were found", snippets.len());
    for (line, text) in snippets {
        if let Err(error) = SceneFile::parse(Path::new("docs/scenes.md"), &text) {
            panic!("the snippet at line {line} is not a scene: {error}");
        }
    }
}

#[test]
fn every_field_and_value_of_the_schema_is_described_in_the_section_of_its_type() {
    let types = fields_of_types(SCHEMA);
    assert!(types.len() >= 15 && types["BodyEntry"].len() == 16, "the schema was not understood: {types:?}");
    for (name, fields) in types {
        let section = section(DOCS, &name).unwrap_or_else(|| panic!("`{name}` has no section"));
        for field in fields {
            let described =
                section.contains(&format!("`{field}`")) || section.contains(&format!("`{field}("));
            assert!(described, "`{field}` of `{name}` is not described");
        }
    }
    // A type of the geometry, which scenes write as it is.
    let solidity = section(DOCS, "SolidityEntry").expect("it has a section");
    assert!(SOLIDITIES.iter().all(|value| solidity.contains(&format!("`{value}`"))));
}

#[test]
fn every_field_and_value_of_the_schema_is_used_in_a_snippet() {
    let text: String = snippets(DOCS).into_iter().map(|(_, text)| text).collect();
    let used: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    /// Values that are in a snippet by being the default, or that no snippet can show together with the others.
    const UNSEEN: [&str; 9] = [
        "preview",
        "standard",
        "dynamic",
        "error",
        "repair",
        "implicit_midpoint",
        "newmark",
        "symplectic_euler",
        "quasi_static",
    ];
    for (name, fields) in fields_of_types(SCHEMA) {
        for field in fields.iter().filter(|field| !UNSEEN.contains(&field.as_str())) {
            assert!(used.contains(&field.as_str()), "`{field}` of `{name}` is in no example");
        }
    }
    assert!(SOLIDITIES.iter().all(|value| used.contains(value)));
}
