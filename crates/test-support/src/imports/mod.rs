//! Imports between source files: those from higher modules into lower ones, and cyclic ones.
//!
//! Every file is split into tokens (without comments, strings and characters), and each path into its own crate is resolved
//! to the crate root, through `use` groups and inline modules, and from there to the file that defines the item, through
//! re-exports. Code for tests only (`#[cfg(test)]`) is skipped.

mod paths;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use paths::Source;

/// Violations of a crate: kind and files of an import, and its occurrences, each with its line and path as written.
pub type Violations = BTreeMap<String, Vec<String>>;

/// Paths in `text`, the file of `module`, into higher parts of the crate, whose order is given from bottom to top: one
/// line for each violation.
#[must_use]
pub fn upward_paths(order: &[&str], module: &[&str], text: &str) -> Vec<String> {
    let rank = |part: &str| order.iter().position(|known| *known == part);
    let Some(own) = module.first().and_then(|part| rank(part)) else {
        return vec![format!("module `{}` is in no layer", module.join("::"))];
    };
    let mut found = Vec::new();
    for named in Source::of(module, text).named {
        let part = named.path.first().map_or("", String::as_str);
        if part == "*" || rank(part).is_some_and(|named| named > own) {
            found.push(format!("line {}: `{}` names `{part}`", named.line, named.written));
        }
    }
    found
}

/// Rust files of a folder and its subfolders, sorted.
///
/// # Panics
///
/// If a folder cannot be read.
#[must_use]
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry of the folder can be read").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

struct File {
    name: String,
    source: Source,
}

/// Files of a crate, by their modules, without those for tests.
pub struct Crate {
    files: BTreeMap<Vec<String>, File>,
}

/// An import: the importing module, the module that defines the item, and the position of the path.
struct Import<'a> {
    from: &'a [String],
    to: Vec<String>,
    /// Module through which the item is imported.
    through: Vec<String>,
    place: String,
}

impl Crate {
    /// Reads the files under `folder`, which is in `root` and has the `lib.rs` of the crate.
    ///
    /// # Panics
    ///
    /// If they cannot be read.
    #[must_use]
    pub fn read(root: &Path, folder: &str) -> Self {
        let base = root.join(folder);
        let files = rust_files(&base).into_iter().map(|path| {
            let relative = path.strip_prefix(&base).expect("a file of the folder").to_owned();
            let text = fs::read_to_string(&path).expect("the file can be read");
            (relative.to_string_lossy().replace('\\', "/"), text)
        });
        let mut read = Self::of(files);
        read.files.values_mut().for_each(|file| file.name = format!("{folder}/{}", file.name));
        read
    }

    /// A crate of the given files: path relative to its `lib.rs`, and text.
    pub fn of(texts: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut files = BTreeMap::new();
        for (name, text) in texts {
            let mut module: Vec<&str> = name.trim_end_matches(".rs").split('/').collect();
            module.pop_if(|last| matches!(*last, "mod" | "lib" | "main"));
            let source = Source::of(&module, &text);
            let module = module.into_iter().map(str::to_owned).collect();
            files.insert(module, File { name, source });
        }
        let for_tests: Vec<Vec<String>> = (files.iter())
            .flat_map(|(module, file): (&Vec<String>, &File)| {
                file.source.test_modules.iter().map(|name| [&module[..], std::slice::from_ref(name)].concat())
            })
            .collect();
        files.retain(|module, _| !for_tests.iter().any(|test| module.starts_with(test)));
        Self { files }
    }

    /// Longest prefix of a path that is a module with a file, and the rest.
    fn module_of<'a>(&self, path: &'a [String]) -> (&'a [String], &'a [String]) {
        let length = (0..=path.len()).rev().find(|&n| self.files.contains_key(&path[..n])).unwrap_or(0);
        path.split_at(length)
    }

    /// Module that defines the item of a path; `None` if the item is a module, or of another crate.
    fn definer(&self, path: &[String], steps: usize) -> Option<Vec<String>> {
        let (module, rest) = self.module_of(path);
        let (name, file) = (rest.first()?, self.files.get(module)?);
        if steps == 0 || file.source.items.contains(name) || name == "*" {
            return Some(module.to_vec());
        }
        if let Some(path) = file.source.declared.get(name) {
            return self.definer(&[&path[..], &rest[1..]].concat(), steps - 1);
        }
        let through_globs = file.source.globs.iter().find_map(|glob| {
            let path = [&glob[..], rest].concat();
            let (module, rest) = self.module_of(&path);
            let is_new = module != self.module_of(glob).0 || !self.files.contains_key(glob);
            let source = &self.files.get(module)?.source;
            let is_there = rest
                .first()
                .is_some_and(|name| source.items.contains(name) || source.declared.contains_key(name));
            (is_there || is_new).then(|| self.definer(&path, steps - 1)).flatten()
        });
        Some(through_globs.unwrap_or_else(|| module.to_vec()))
    }

    fn imports(&self) -> Vec<Import<'_>> {
        let mut imports = Vec::new();
        for (from, file) in &self.files {
            for named in &file.source.named {
                let (through, rest) = self.module_of(&named.path);
                let Some(to) = self.definer(&named.path, 8).filter(|_| !rest.is_empty()) else { continue };
                let place = format!("line {}: `{}`", named.line, named.written);
                imports.push(Import { from, to, through: through.to_vec(), place });
            }
        }
        imports
    }

    fn name(&self, module: &[String]) -> &str {
        self.files.get(module).map_or("", |file| &file.name)
    }

    fn note(&self, found: &mut Violations, what: &str, import: &Import, to: &[String]) {
        let key = format!("{what}: {} -> {}", self.name(import.from), self.name(to));
        found.entry(key).or_default().push(import.place.clone());
    }

    /// Cyclic imports between files (`cycle`), except those between the file of a module and the files below it, and imports
    /// of items that an ancestor only re-exports (`hub`).
    #[must_use]
    pub fn cycles(&self) -> Violations {
        let imports = self.imports();
        let mut next: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
        // The file of a module and the files below it count as one unit.
        let is_apart =
            |import: &Import| !import.from.starts_with(&import.to) && !import.to.starts_with(import.from);
        for import in imports.iter().filter(|import| is_apart(import)) {
            next.entry(import.from).or_default().insert(&import.to);
        }
        let reached: BTreeMap<_, _> = next.keys().map(|from| (*from, reachable(&next, from))).collect();
        let mut found = Violations::new();
        for import in &imports {
            let back = reached.get(&import.to[..]).is_some_and(|reached| reached.contains(import.from));
            if back && is_apart(import) {
                self.note(&mut found, "cycle", import, &import.to);
            }
            let is_of_ancestor = import.from != import.through && import.from.starts_with(&import.through);
            // An item of an ancestor that is not a mere re-export is its own, and may be imported.
            let is_hub = self.files.get(&import.through).is_some_and(|file| file.source.is_hub());
            if is_of_ancestor && is_hub {
                self.note(&mut found, "hub", import, &import.through);
            }
        }
        found
    }

    /// Upward imports between the parts of a module, whose order is given from bottom to top; a part that is missing in the
    /// order is a violation, too.
    #[must_use]
    pub fn upward_imports(&self, module: &[&str], order: &[&str]) -> Violations {
        let part = |path: &[String]| {
            let within = path.len() > module.len() && path.iter().zip(module).all(|(a, b)| a == b);
            within.then(|| path[module.len()].clone())
        };
        let rank = |part: &String| order.iter().position(|known| known == part);
        let mut found = Violations::new();
        let parts: BTreeSet<_> = self.files.keys().filter_map(|path| part(path)).collect();
        for unknown in parts.iter().filter(|part| rank(part).is_none()) {
            found.insert(format!("`{unknown}` is in no order"), Vec::new());
        }
        for gone in order.iter().filter(|known| !parts.contains(**known)) {
            found.insert(format!("`{gone}` is in an order and nowhere else"), Vec::new());
        }
        for import in &self.imports() {
            let ends = part(import.from).zip(part(&import.to));
            if ends.is_some_and(|(from, to)| rank(&from) < rank(&to)) {
                self.note(&mut found, "up", import, &import.to);
            }
        }
        found
    }
}

/// Modules that can be reached from a module in at least one step.
fn reachable<'a>(
    next: &BTreeMap<&'a [String], BTreeSet<&'a [String]>>,
    from: &'a [String],
) -> BTreeSet<&'a [String]> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        for to in next.get(module).into_iter().flatten() {
            if found.insert(*to) {
                open.push(to);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
