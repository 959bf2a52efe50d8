//! Insertion of the files that a robot in xacro includes.
//!
//! A name may hold `$(find PACKAGE)`, `$(arg NAME)` and `${property}` with a constant value. An include that cannot be
//! inserted becomes a call of [`REFUSED`], which fails only if the expansion reaches it: many are within conditions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use roxmltree::Node;

use super::source::{FILES, INCLUDES, Source, TEXT_BYTES};
use crate::geometry::read::file::text_of;
use crate::geometry::read::xml::{self, Lines};
use crate::kinematics::packages::Packages;

/// Command of the substitution `$(REFUSED index)` that fails with one of the refusals.
pub(super) const REFUSED: &str = "extricate-refused";
/// Command of the substitution `$(YAML file)` whose value is the content of a YAML file.
pub(super) const YAML: &str = "extricate-yaml";

/// The text of a robot with its included files inserted, and the causes of the [`REFUSED`] includes.
///
/// # Errors
/// A message that names file and line.
pub(super) fn inserted(source: &Source<'_>) -> Result<(String, Vec<String>), String> {
    let mut inserter = Inserter {
        source,
        packages: Packages::of(source.path, source.packages, source.reach),
        arguments: source.arguments.iter().cloned().collect(),
        properties: BTreeMap::new(),
        namespaces: BTreeMap::new(),
        stack: Vec::new(),
        files: 0,
        bytes: 0,
        refusals: Vec::new(),
    };
    let text = inserter.file(source.path, source.text, false)?;
    Ok((text, inserter.refusals))
}

struct Inserter<'a> {
    source: &'a Source<'a>,
    packages: Packages<'a>,
    arguments: BTreeMap<String, String>,
    /// Properties, those that are constant with their values.
    properties: BTreeMap<String, Option<String>>,
    /// Namespaces that included files declare, by prefix.
    namespaces: BTreeMap<String, String>,
    /// Files that are being read, each included by the one before it.
    stack: Vec<PathBuf>,
    files: usize,
    bytes: usize,
    refusals: Vec<String>,
}

impl Inserter<'_> {
    /// The text of a file with its includes inserted: of an included one the content of its root only.
    fn file(&mut self, path: &Path, text: &str, is_included: bool) -> Result<String, String> {
        let name = path.display();
        let at = |(line, cause): xml::Refusal| match line {
            Some(line) if is_included => format!("{name}:{line}: {cause}"),
            None if is_included => format!("{name}: {cause}"),
            Some(line) => format!("line {line}: {cause}"),
            None => cause,
        };
        self.bytes += text.len();
        if self.bytes > TEXT_BYTES {
            return Err(format!("with its included files it has more than {TEXT_BYTES} bytes"));
        }
        let text = xml::prepared(text).map_err(at)?;
        let document = xml::parsed(&text).map_err(at)?;
        let (root, lines) = (document.root_element(), Lines::of(&text));
        self.stack.push(path.to_owned());
        let mut edits = Vec::new();
        for node in root.descendants().filter(Node::is_element) {
            let is_macro = node.tag_name().namespace().is_some_and(|space| space.contains("xacro"));
            match node.tag_name().name() {
                "include" if is_macro || node.attribute("filename").is_some() => {
                    let inserted = self.include(node, path, &format!("{name}:{}", lines.line(node)))?;
                    edits.push((node.range(), inserted));
                }
                "arg" if is_macro => self.argument(node, path),
                "property" if is_macro => {
                    edits.extend(yaml(node));
                    self.property(node, path);
                }
                "macro" if is_macro => self.parameters(node),
                _ => {}
            }
        }
        self.stack.pop();
        let span = if is_included {
            let content = |node: Node<'_, '_>| node.range();
            let ends = root.first_child().map(content).zip(root.last_child().map(content));
            ends.map_or(0..0, |(first, last)| first.start..last.end)
        } else {
            0..text.len()
        };
        for space in root.namespaces() {
            let prefix = space.name().unwrap_or_default().to_owned();
            self.namespaces.entry(prefix).or_insert_with(|| space.uri().to_owned());
        }
        if !is_included {
            let missing = self.namespaces.iter().filter(|(prefix, _)| {
                !prefix.is_empty() && root.lookup_namespace_uri(Some(prefix)).is_none()
            });
            let mut declarations = String::new();
            for (prefix, uri) in missing {
                let _ = write!(declarations, " xmlns:{prefix}=\"{}\"", uri.replace('"', "&quot;"));
            }
            let start = root.range().start;
            let end_of_name = text[start..].find(|c: char| c.is_whitespace() || c == '>' || c == '/');
            let at = start + end_of_name.unwrap_or_default();
            edits.insert(0, (at..at, declarations));
        }
        Ok(applied(&text, span, edits))
    }

    /// The content of an included file, or an element that fails when it is expanded.
    fn include(&mut self, node: Node<'_, '_>, path: &Path, place: &str) -> Result<String, String> {
        let prefix = node.document().input_text()[node.range()].trim_start_matches('<');
        let prefix = prefix.split_once(':').map_or("xacro", |(prefix, _)| prefix);
        let is_optional = matches!(node.attribute("optional"), Some("true" | "1" | "True"));
        match self.included(node, path) {
            Ok((file, text)) => {
                self.files += 1;
                if self.files > FILES {
                    return Err(format!("it includes more than {FILES} files"));
                }
                self.file(&file, &text, true)
            }
            Err(_) if is_optional => Ok(String::new()),
            Err(cause) => {
                self.refusals.push(format!("{place}: {cause}"));
                let index = self.refusals.len() - 1;
                Ok(format!("<{prefix}:if value=\"$({REFUSED} {index})\"/>"))
            }
        }
    }

    /// Path and text of an included file.
    fn included(&mut self, node: Node<'_, '_>, path: &Path) -> Result<(PathBuf, String), String> {
        let written = node.attribute("filename").ok_or("<include> lacks `filename`")?;
        if node.attribute("ns").is_some() {
            return Err(format!("\"{written}\" is included into a namespace, which is not supported"));
        }
        let file = self.constant(written, path)?;
        let file = file.ok_or_else(|| format!("the name of the file \"{written}\" is not constant"))?;
        if file.contains(['*', '?', '[']) {
            return Err(format!("\"{file}\" is a pattern of names, which is not supported"));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let file = folder.join(file.strip_prefix("file://").unwrap_or(&file));
        self.source.reach.check(&file, self.source.path).map_err(|error| error.to_string())?;
        if self.stack.contains(&file) || self.stack.len() >= INCLUDES {
            return Err(format!("{} includes itself", file.display()));
        }
        let text = text_of(&file, TEXT_BYTES as u64);
        let text = text.map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
        Ok((file, text))
    }

    /// Default value of an argument that has no value yet.
    fn argument(&mut self, node: Node<'_, '_>, path: &Path) {
        if let (Some(name), Some(value)) = (node.attribute("name"), node.attribute("default"))
            && !self.arguments.contains_key(name)
            && let Ok(Some(value)) = self.constant(value, path)
        {
            self.arguments.insert(name.to_owned(), value);
        }
    }

    fn property(&mut self, node: Node<'_, '_>, path: &Path) {
        if let (Some(name), Some(value)) = (node.attribute("name"), node.attribute("value")) {
            let value = self.constant(value, path).ok().flatten();
            // A property with several values is not constant.
            self.properties.entry(name.to_owned()).and_modify(|known| *known = None).or_insert(value);
        }
    }

    /// Parameters of macros shadow properties.
    fn parameters(&mut self, node: Node<'_, '_>) {
        for parameter in node.attribute("params").unwrap_or_default().split_whitespace() {
            let name = parameter.split([':', '=']).next().unwrap_or_default();
            self.properties.insert(name.trim_start_matches('*').to_owned(), None);
        }
    }

    /// A text with its substitutions replaced; none where one of them is not constant.
    fn constant(&mut self, text: &str, path: &Path) -> Result<Option<String>, String> {
        let (mut constant, mut rest) = (String::new(), text);
        while let Some(start) = rest.find('$') {
            constant.push_str(&rest[..start]);
            let inner = &rest[start + 1..];
            let close = match inner.as_bytes().first() {
                Some(b'(') => ')',
                Some(b'{') => '}',
                _ => return Ok(None),
            };
            let Some(end) = inner.find(close) else { return Ok(None) };
            let words: Vec<_> = inner[1..end].split_whitespace().collect();
            let value = match words[..] {
                ["find", package] if close == ')' => Some(self.package(package)?),
                ["arg", name] if close == ')' => self.arguments.get(name).cloned(),
                ["dirname"] if close == ')' => path.parent().map(|folder| folder.display().to_string()),
                [name] if close == '}' => self.properties.get(name).cloned().flatten(),
                _ => None,
            };
            let Some(value) = value else { return Ok(None) };
            constant.push_str(&value);
            if constant.len() > TEXT_BYTES {
                return Ok(None);
            }
            rest = &inner[end + 1..];
        }
        Ok(Some(constant + rest))
    }

    fn package(&mut self, name: &str) -> Result<String, String> {
        folder_of(&mut self.packages, name)
    }
}

/// Edit of a property whose whole value is a YAML file: `${load_yaml(NAME)}` becomes `$(YAML NAME)`, which is checked when it is
/// read, because the name is an expression.
fn yaml(property: Node<'_, '_>) -> Option<(std::ops::Range<usize>, String)> {
    let value = property.attribute_node("value")?;
    let call = value.value().trim().strip_prefix("${")?.strip_suffix('}')?.trim();
    let call = call.strip_prefix("xacro.").unwrap_or(call).strip_prefix("load_yaml")?;
    let name = call.trim().strip_prefix('(')?.strip_suffix(')')?.trim();
    let is_quoted = |quote: char| {
        let inner = name.strip_prefix(quote).and_then(|name| name.strip_suffix(quote));
        inner.is_some_and(|inner| !inner.contains(quote))
    };
    let name = if is_quoted('\'') || is_quoted('"') {
        name[1..name.len() - 1].to_owned()
    } else {
        format!("${{{name}}}")
    };
    let escaped =
        name.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;").replace('\'', "&apos;");
    Some((value.range_value(), format!("$({YAML} {escaped})")))
}

/// The folder of a package.
///
/// # Errors
/// A message that names the package and where it was searched.
pub(super) fn folder_of(packages: &mut Packages<'_>, name: &str) -> Result<String, String> {
    match packages.folder_of(name) {
        Some(folder) => Ok(folder.display().to_string()),
        None => Err(packages.missing(name).unwrap_or_else(|| format!("package \"{name}\" not found"))),
    }
}

/// Part of a text with ranges replaced. Ranges within another one belong to an element that is replaced as a whole.
fn applied(text: &str, span: std::ops::Range<usize>, edits: Vec<(std::ops::Range<usize>, String)>) -> String {
    let (mut edited, mut at) = (String::with_capacity(span.len()), span.start);
    for (range, replacement) in edits {
        if range.start >= at {
            edited.push_str(&text[at..range.start]);
            edited.push_str(&replacement);
            at = range.end;
        }
    }
    edited + &text[at.min(span.end)..span.end]
}
