//! Paths of a file into its own crate.

use std::collections::{HashMap, HashSet};

use super::tokens::{Token, tokens};

/// A path in a file, resolved from the root of the crate.
#[derive(Debug, Clone)]
pub(super) struct Named {
    /// Modules and items from the root; `*` at its end is a glob.
    pub(super) path: Vec<String>,
    /// The path as written.
    pub(super) written: String,
    /// Its line, from 1.
    pub(super) line: usize,
    /// Name that a `use` declaration at the top of the file gives it, if it is one.
    declared: Option<String>,
    /// Whether that declaration re-exports it (`pub`, `pub(crate)`…).
    exported: bool,
}

/// Modules, items and paths of a file, without its tests.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Names of the items at the top of the file.
    pub(super) items: HashSet<String>,
    /// Modules for tests only that are files of their own.
    pub(super) test_modules: Vec<String>,
    /// Paths into the crate.
    pub(super) named: Vec<Named>,
    /// Names and paths of `use` declarations at the top.
    pub(super) declared: HashMap<String, Vec<String>>,
    /// Modules of glob imports at the top.
    pub(super) globs: Vec<Vec<String>>,
}

impl Source {
    /// Parses the text of the file of a module.
    pub(super) fn of(module: &[&str], text: &str) -> Self {
        let tokens = tokens(text);
        let module = module.iter().map(|s| (*s).to_owned()).collect();
        let mut reader = Reader { tokens: &tokens, module, ..Reader::default() };
        reader.children = reader.declared_modules();
        reader.read();
        let mut found = reader.found;
        // An item that is only re-exported is not used: its name does not occur elsewhere.
        let words = reader.words;
        for named in &found.named {
            if let (Some(name), [.., last]) = (&named.declared, named.path.as_slice()) {
                match last.as_str() {
                    "*" => found.globs.push(named.path[..named.path.len() - 1].to_vec()),
                    _ => drop(found.declared.insert(name.clone(), named.path.clone())),
                }
            }
        }
        let is_only_re_exported = |named: &Named| {
            named.exported && named.declared.as_ref().is_some_and(|name| !words.contains(name))
        };
        found.named.retain(|named| !is_only_re_exported(named));
        found
    }

    /// Whether the file only declares modules and re-exports their items.
    pub(super) fn is_hub(&self) -> bool {
        self.items.is_empty()
    }
}

#[derive(Default)]
struct Reader<'a> {
    tokens: &'a [(Token, usize)],
    /// Module at the current position.
    module: Vec<String>,
    /// Modules that the file declares at its top.
    children: HashSet<String>,
    depth: usize,
    /// Depths at which the inline modules begin.
    inline_modules: Vec<usize>,
    /// Words outside of `use` declarations.
    words: HashSet<String>,
    found: Source,
}

impl Reader<'_> {
    fn at(&self, index: usize) -> Option<&Token> {
        self.tokens.get(index).map(|t| &t.0)
    }

    fn word(&self, index: usize) -> Option<&str> {
        match self.at(index) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn is(&self, index: usize, symbol: char) -> bool {
        self.at(index) == Some(&Token::Symbol(symbol))
    }

    fn declared_modules(&self) -> HashSet<String> {
        let names = (0..self.tokens.len())
            .filter(|&at| self.word(at) == Some("mod") && (self.is(at + 2, ';') || self.is(at + 2, '{')));
        names.filter_map(|at| self.word(at + 1).map(str::to_owned)).collect()
    }

    fn read(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            at = self.step(at);
        }
    }

    /// Reads the construct that begins at a token; returns the index behind it.
    fn step(&mut self, at: usize) -> usize {
        if self.is(at, '#') && self.is(at + 1, '[') {
            let end = self.behind_brackets(at + 1);
            return if self.is_for_tests(at, end) { self.behind_item_of_tests(end) } else { end };
        }
        if self.is(at, '{') {
            self.depth += 1;
        } else if self.is(at, '}') {
            self.depth = self.depth.saturating_sub(1);
            if self.inline_modules.last() == Some(&self.depth) {
                self.inline_modules.pop();
                self.module.pop();
            }
        } else if let Some(word) = self.word(at) {
            let word = word.to_owned();
            return self.step_word(at, &word);
        }
        at + 1
    }

    fn step_word(&mut self, at: usize, word: &str) -> usize {
        let behind_separator = at > 0 && self.at(at - 1) == Some(&Token::PathSeparator);
        if word == "use" && !behind_separator {
            return self.read_use(at + 1);
        }
        if self.depth == 0 {
            self.note_item(at, word);
        }
        if word == "mod" && self.is(at + 2, '{') {
            if let Some(name) = self.word(at + 1).map(str::to_owned) {
                self.module.push(name);
                self.inline_modules.push(self.depth);
            }
        } else if !behind_separator {
            self.words.insert(word.to_owned());
            if self.at(at + 1) == Some(&Token::PathSeparator) {
                let mut end = at;
                for leaf in leaves(self.tokens, at, &mut end) {
                    self.note_path(at, &leaf, false, false);
                }
            }
        }
        at + 1
    }

    /// Reads a declaration after its `use`; returns the index behind it.
    fn read_use(&mut self, at: usize) -> usize {
        let start = at + usize::from(self.at(at) == Some(&Token::PathSeparator));
        let exported = at >= 2 && (self.word(at - 2) == Some("pub") || self.is(at - 2, ')'));
        let mut end = start;
        for leaf in leaves(self.tokens, start, &mut end) {
            self.note_path(at, &leaf, true, exported);
        }
        end
    }

    fn note_path(&mut self, at: usize, leaf: &Leaf, declares: bool, exported: bool) {
        let first = leaf.path.first().map_or("", String::as_str);
        let is_keyword = matches!(first, "crate" | "super" | "self");
        let at_top = self.inline_modules.is_empty();
        let path = if is_keyword {
            resolve(&self.module, &leaf.path)
        } else if at_top && self.children.contains(first) {
            [self.module.clone(), without_self(&leaf.path)].concat()
        } else if let Some(known) =
            self.found.named.iter().rev().find(|n| n.declared.as_deref() == Some(first))
        {
            [known.path.clone(), without_self(&leaf.path[1..])].concat()
        } else {
            return;
        };
        let name = leaf.alias.clone().or_else(|| path.last().cloned());
        self.found.named.push(Named {
            path,
            written: leaf.path.join("::"),
            line: self.tokens[at].1,
            declared: name.filter(|_| declares && at_top),
            exported,
        });
    }

    /// Records the name of an item that begins at a word.
    fn note_item(&mut self, at: usize, word: &str) {
        let name = match word {
            "struct" | "enum" | "union" | "trait" | "fn" | "type" | "static" | "const" => at + 1,
            "mod" if self.is(at + 2, '{') => at + 1,
            "macro_rules" => at + 2,
            "impl" => at,
            _ => return,
        };
        match self.word(name) {
            None | Some("fn" | "unsafe" | "extern" | "async") => {}
            Some(name) => drop(self.found.items.insert(name.to_owned())),
        }
    }

    /// Whether an attribute is `cfg(test)`, or `cfg(all(test, …))`.
    fn is_for_tests(&self, from: usize, end: usize) -> bool {
        let words: Vec<&str> = (from..end).filter_map(|at| self.word(at)).collect();
        matches!(words[..], ["cfg", "test"] | ["cfg", "all", "test", ..])
    }

    /// Index behind the brackets that open at a token.
    fn behind_brackets(&self, from: usize) -> usize {
        let mut depth = 0_usize;
        for at in from..self.tokens.len() {
            match self.at(at) {
                Some(Token::Symbol('[' | '{' | '(')) => depth += 1,
                Some(Token::Symbol(']' | '}' | ')')) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.tokens.len()
    }

    /// Index behind the item at a token; records its name if it is a module in another file.
    fn behind_item_of_tests(&mut self, from: usize) -> usize {
        let mut at = from;
        while at < self.tokens.len() {
            match self.at(at) {
                Some(Token::Symbol('[' | '(')) => at = self.behind_brackets(at),
                Some(Token::Symbol('{')) => {
                    at = self.behind_brackets(at);
                    let is_group = self.is(at, ';');
                    return at + usize::from(is_group);
                }
                Some(Token::Symbol(';' | ',')) => {
                    if at >= 2 && self.word(at - 2) == Some("mod") {
                        let name = self.word(at - 1).unwrap_or_default().to_owned();
                        self.found.test_modules.push(name);
                    }
                    return at + 1;
                }
                _ => at += 1,
            }
        }
        at
    }
}

/// A path of a declaration, and its alias.
struct Leaf {
    path: Vec<String>,
    alias: Option<String>,
}

/// All leaves of the path that starts at `at`, with groups expanded; `end` becomes the index behind it.
fn leaves(tokens: &[(Token, usize)], at: usize, end: &mut usize) -> Vec<Leaf> {
    let mut at = at;
    let mut path = Vec::new();
    let token = |at: usize| tokens.get(at).map(|t| &t.0);
    loop {
        match token(at) {
            Some(Token::Word(word)) => path.push(word.clone()),
            Some(Token::Symbol('*')) => path.push("*".into()),
            Some(Token::Symbol('{')) => break,
            _ => {
                *end = at;
                return vec![Leaf { path, alias: None }];
            }
        }
        at += 1;
        if token(at) != Some(&Token::PathSeparator) {
            let alias = match (token(at), token(at + 1)) {
                (Some(Token::Word(word)), Some(Token::Word(alias))) if word == "as" => Some(alias.clone()),
                _ => None,
            };
            *end = at + if alias.is_some() { 2 } else { 0 };
            return vec![Leaf { path, alias }];
        }
        at += 1;
    }
    at += 1;
    let mut all = Vec::new();
    while at < tokens.len() && token(at) != Some(&Token::Symbol('}')) {
        let mut behind = at;
        for leaf in leaves(tokens, at, &mut behind) {
            all.push(Leaf { path: [path.clone(), leaf.path].concat(), alias: leaf.alias });
        }
        // Skips the comma, or anything else that the braces after a path in an expression contain.
        at = behind.max(at + 1);
        if token(behind) == Some(&Token::Symbol(',')) {
            at = behind + 1;
        } else if token(behind) == Some(&Token::Symbol('}')) {
            at = behind;
        }
    }
    *end = at + 1;
    all
}

/// A path without `self`, which refers to the module in a group.
fn without_self(path: &[String]) -> Vec<String> {
    path.iter().filter(|segment| *segment != "self").cloned().collect()
}

/// Path from the crate root of a path written in `module`.
fn resolve(module: &[String], leaf: &[String]) -> Vec<String> {
    let mut path = module.to_vec();
    for segment in leaf {
        match segment.as_str() {
            "crate" => path.clear(),
            "self" => {}
            "super" => {
                path.pop();
            }
            other => path.push(other.into()),
        }
    }
    path
}
