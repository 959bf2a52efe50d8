//! YAML files of a robot in xacro, as literals of the expressions of xacro.

use std::path::Path;

use saphyr::{LoadableYamlNode, Scalar, Yaml};

use crate::geometry::read::file::text_of;

/// Maximum length of a YAML file [bytes]: those of robots have some thousand.
const BYTES: u64 = 256 << 10;
/// Maximum depth of its lists and maps.
const DEPTH: usize = 64;
/// Units as tags of numbers, with their factors to [rad] and [m].
const UNITS: [(&str, f64); 6] = [
    ("radians", 1.0),
    ("degrees", std::f64::consts::PI / 180.0),
    ("meters", 1.0),
    ("millimeters", 1e-3),
    ("inches", 0.0254),
    ("foot", 0.3048),
];

/// The literal of the first document of a file.
///
/// # Errors
/// A message with the cause.
pub(super) fn literal(path: &Path) -> Result<String, String> {
    let place = path.display();
    let text = text_of(path, BYTES).map_err(|error| format!("{place} cannot be read: {error}"))?;
    let documents = Yaml::load_from_str(&text).map_err(|error| format!("{place}: invalid YAML: {error}"))?;
    let document = documents.first().ok_or_else(|| format!("{place}: it is empty"))?;
    let mut written = String::new();
    write(document, 1.0, DEPTH, &mut written).map_err(|cause| format!("{place}: {cause}"))?;
    Ok(written)
}

/// Writes a value; numbers are multiplied by the factor of their unit.
fn write(value: &Yaml<'_>, unit: f64, depth: usize, out: &mut String) -> Result<(), String> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(format!("its lists and maps are nested more than {DEPTH} deep"));
    };
    match value {
        Yaml::Value(Scalar::Null) => out.push_str("None"),
        Yaml::Value(Scalar::Boolean(true)) => out.push_str("True"),
        Yaml::Value(Scalar::Boolean(false)) => out.push_str("False"),
        Yaml::Value(Scalar::Integer(number)) if unit.to_bits() == 1.0_f64.to_bits() => {
            out.push_str(&number.to_string());
        }
        Yaml::Value(Scalar::Integer(number)) => out.push_str(&(*number as f64 * unit).to_string()),
        Yaml::Value(Scalar::FloatingPoint(number)) => out.push_str(&(number.into_inner() * unit).to_string()),
        Yaml::Value(Scalar::String(text)) => match text.trim().parse::<f64>() {
            Ok(number) => out.push_str(&(number * unit).to_string()),
            Err(_) => quoted(text, out)?,
        },
        Yaml::Sequence(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write(item, 1.0, depth, out)?;
            }
            out.push(']');
        }
        Yaml::Mapping(entries) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                match key {
                    Yaml::Value(Scalar::String(text)) => quoted(text, out)?,
                    key => write(key, 1.0, depth, out)?,
                }
                out.push_str(": ");
                write(value, 1.0, depth, out)?;
            }
            out.push('}');
        }
        Yaml::Tagged(tag, value) => {
            let unit = UNITS.iter().find(|(name, _)| tag.suffix == *name);
            let (_, unit) = unit.ok_or_else(|| format!("the tag !{} is not known", tag.suffix))?;
            write(value, *unit, depth, out)?;
        }
        Yaml::Representation(text, ..) => write(&Yaml::value_from_str(text), unit, depth, out)?,
        Yaml::Alias(_) | Yaml::BadValue => return Err("it has a value that is not valid".to_owned()),
    }
    Ok(())
}

/// Writes a text in quotes.
fn quoted(text: &str, out: &mut String) -> Result<(), String> {
    // The expressions of xacro have no escapes.
    if text.contains(['\'', '"']) {
        return Err(format!("the text {text:?} has quotes, which expressions cannot hold"));
    }
    out.push('\'');
    out.push_str(text);
    out.push('\'');
    Ok(())
}
