//! The layers of the crate depend one way: a lower one never names a higher one.
//!
//! Every file under `src/` is cut into tokens (comments, strings and characters dropped) and each path that starts
//! with `crate`, `super` or `self` is resolved to the crate root, through `use` groups and inline modules.

use std::fs;
use std::path::{Path, PathBuf};

/// The layers, bottom to top, each with the folder of its files. A new layer takes its place here.
const LAYERS: [(&str, &str); 16] = [
    ("geometry", "crates/core/src/geometry"),
    ("kinematics", "crates/core/src/kinematics"),
    ("bvh", "crates/core/src/bvh"),
    ("proximity", "crates/core/src/proximity"),
    ("penetration", "crates/core/src/penetration"),
    ("field", "crates/core/src/field"),
    ("plan", "crates/core/src/plan"),
    ("query", "crates/core/src/query"),
    ("dynamics", "crates/dynamics/src"),
    ("scene", "crates/scene/src/scene"),
    ("repair", "crates/scene/src/repair"),
    ("record", "crates/scene/src/record"),
    ("request", "crates/scene/src/request"),
    ("batch", "crates/scene/src/batch"),
    ("viewer", "crates/viewer/src"),
    ("cli", "src/cli"),
];

#[derive(Debug, PartialEq)]
enum Token {
    Word(String),
    PathSeparator,
    Symbol(char),
}

/// The tokens of Rust source, each with its 1-based line; comments and literals are dropped.
fn tokens(source: &str) -> Vec<(Token, usize)> {
    let text: Vec<char> = source.chars().collect();
    let starts = |at: usize, what: &str| text[at..].iter().take(what.len()).copied().eq(what.chars());
    let (mut out, mut at, mut line) = (Vec::new(), 0, 1);
    while at < text.len() {
        let end = match text[at] {
            _ if starts(at, "//") => skip_while(&text, at, |c| c != '\n'),
            _ if starts(at, "/*") => end_of_block_comment(&text, at),
            '"' => end_of_string(&text, at),
            'r' if raw_hashes(&text, at).is_some() => end_of_raw_string(&text, at),
            '\'' => end_of_quote(&text, at),
            c if c.is_alphanumeric() || c == '_' => {
                let end = skip_while(&text, at, |c| c.is_alphanumeric() || c == '_');
                out.push((Token::Word(text[at..end].iter().collect()), line));
                end
            }
            _ if starts(at, "::") => {
                out.push((Token::PathSeparator, line));
                at + 2
            }
            c => {
                if !c.is_whitespace() {
                    out.push((Token::Symbol(c), line));
                }
                at + 1
            }
        };
        line += text[at..end.min(text.len())].iter().filter(|&&c| c == '\n').count();
        at = end;
    }
    out
}

fn skip_while(text: &[char], from: usize, keep: impl Fn(char) -> bool) -> usize {
    (from..text.len()).find(|&i| !keep(text[i])).unwrap_or(text.len())
}

fn end_of_block_comment(text: &[char], start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at + 1 < text.len() {
        match (text[at], text[at + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

fn end_of_string(text: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() && text[at] != '"' {
        at += if text[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// Number of `#` of a raw string that starts here.
fn raw_hashes(text: &[char], start: usize) -> Option<usize> {
    let inside_word = start > 0 && (text[start - 1].is_alphanumeric() && text[start - 1] != 'b');
    let quote = skip_while(text, start + 1, |c| c == '#');
    (!inside_word && text.get(quote) == Some(&'"')).then_some(quote - start - 1)
}

fn end_of_raw_string(text: &[char], start: usize) -> usize {
    let hashes = raw_hashes(text, start).expect("called at a raw string");
    let closes = |at: usize| {
        text[at] == '"' && text[at + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes
    };
    (start + hashes + 2..text.len()).find(|&at| closes(at)).map_or(text.len(), |at| at + 1 + hashes)
}

/// End of a character literal, or of the quote of a lifetime.
fn end_of_quote(text: &[char], start: usize) -> usize {
    match (text.get(start + 1), text.get(start + 2)) {
        (Some('\\'), _) => skip_while(text, start + 3, |c| c != '\'') + 1,
        (_, Some('\'')) => start + 3,
        _ => start + 1,
    }
}

/// Every leaf of the path that starts at `at`, groups expanded, and the index behind it.
fn leaves(tokens: &[(Token, usize)], mut at: usize) -> (Vec<Vec<String>>, usize) {
    let mut prefix = Vec::new();
    loop {
        match tokens.get(at).map(|t| &t.0) {
            Some(Token::Word(word)) => prefix.push(word.clone()),
            Some(Token::Symbol('*')) => prefix.push("*".into()),
            Some(Token::Symbol('{')) => break,
            _ => return (vec![prefix], at),
        }
        if tokens.get(at + 1).map(|t| &t.0) != Some(&Token::PathSeparator) {
            return (vec![prefix], at + 1);
        }
        at += 2;
    }
    let mut all = Vec::new();
    at += 1;
    while at < tokens.len() && tokens[at].0 != Token::Symbol('}') {
        let (group, end) = leaves(tokens, at);
        all.extend(group.into_iter().map(|leaf| [prefix.clone(), leaf].concat()));
        at = skip_to_next_item(tokens, end);
    }
    (all, at + 1)
}

/// Behind the comma that ends an item of a group (which may be `a as b`), or at the brace that ends the group.
fn skip_to_next_item(tokens: &[(Token, usize)], mut at: usize) -> usize {
    while at < tokens.len() && tokens[at].0 != Token::Symbol('}') {
        at += 1;
        if tokens[at - 1].0 == Token::Symbol(',') {
            break;
        }
    }
    at
}

/// The path from the crate root of a path written in `module`.
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

/// What `source`, the file of `module`, may not name: one line for each offence.
fn offences(module: &[&str], source: &str) -> Vec<String> {
    let rank = |layer: &str| LAYERS.iter().position(|(l, _)| *l == layer);
    let Some(own) = module.first().and_then(|layer| rank(layer)) else {
        return vec![format!("module `{}` is in no layer", module.join("::"))];
    };
    let tokens = tokens(source);
    let mut current: Vec<String> = module.iter().map(|s| (*s).to_owned()).collect();
    let (mut found, mut depth, mut inline_modules) = (Vec::new(), 0, Vec::new());
    for (at, (token, line)) in tokens.iter().enumerate() {
        let next = |ahead: usize| tokens.get(at + ahead).map(|t| &t.0);
        match token {
            Token::Symbol('{') => depth += 1,
            Token::Symbol('}') => {
                depth -= 1;
                if inline_modules.last() == Some(&depth) {
                    inline_modules.pop();
                    current.pop();
                }
            }
            Token::Word(word) if word == "mod" && next(2) == Some(&Token::Symbol('{')) => {
                let Some(Token::Word(name)) = next(1) else { continue };
                current.push(name.clone());
                inline_modules.push(depth);
            }
            Token::Word(word) if matches!(word.as_str(), "crate" | "super" | "self") => {
                let within_a_path = at > 0 && tokens[at - 1].0 == Token::PathSeparator;
                if within_a_path || next(1) != Some(&Token::PathSeparator) {
                    continue;
                }
                for leaf in leaves(&tokens, at).0 {
                    let path = resolve(&current, &leaf);
                    let layer = path.first().map_or("", String::as_str);
                    if layer == "*" || rank(layer).is_some_and(|named| named > own) {
                        found.push(format!("line {line}: `{}` names `{layer}`", leaf.join("::")));
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
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

#[test]
fn no_lower_layer_names_a_higher_one() {
    let mut found = Vec::new();
    for (layer, folder) in LAYERS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for file in rust_files(&folder) {
            let relative = file.strip_prefix(&folder).unwrap().with_extension("");
            let mut module = vec![layer];
            module.extend(relative.iter().map(|s| s.to_str().unwrap()));
            if matches!(module.last(), Some(&("mod" | "lib"))) {
                module.pop();
            }
            let source = fs::read_to_string(&file).unwrap();
            found.extend(offences(&module, &source).iter().map(|o| format!("{}: {o}", file.display())));
        }
    }
    assert!(found.is_empty(), "lower layers name higher ones:\n{}", found.join("\n"));
}

#[test]
fn every_way_to_name_a_higher_layer_is_seen() {
    let offending = [
        (vec!["geometry"], "use crate::bvh::Tree;"),
        (vec!["geometry", "read"], "fn f() -> crate::scene::Scene { todo!() }"),
        (vec!["proximity"], "use crate::{geometry::{Aabb, TriangleMesh as Mesh}, dynamics::World};"),
        (vec!["geometry"], "use super::cli;"),
        (vec!["bvh", "build"], "use super::super::penetration::Penetration;"),
        (vec!["bvh"], "use self::super::proximity;"),
        (vec!["bvh"], "mod tests { use super::super::proximity::collide; }"),
        (vec!["bvh"], "mod a { mod b {} use super::super::scene; }"),
        (vec!["geometry"], "use crate::*;"),
        (vec!["dynamics"], "let c = '\"'; use crate::scene::Scene; let d = \"\";"),
        (vec!["dynamics"], "fn f<'a>(x: &'a str) { crate::record::write(x) }"),
        (vec!["kitchen"], ""),
    ];
    for (module, source) in offending {
        assert_eq!(offences(&module, source).len(), 1, "{module:?}: {source}");
    }
}

#[test]
fn what_is_allowed_or_only_written_about_is_no_offence() {
    let allowed = [
        (vec!["cli"], "use crate::{geometry, scene::Scene, record::*};"),
        (vec!["geometry", "read"], "use super::TriangleMesh; use super::*;"),
        (vec!["geometry"], "//! See [`crate::cli`].\n/* crate::cli /* nested */ crate::scene */"),
        (
            vec!["geometry"],
            r####"let a = "crate::cli"; let b = r##"crate::"scene"##; let c = "\"crate::cli";"####,
        ),
        (vec!["scene"], "pub(crate) fn f() {} mod tests { use super::*; use crate::dynamics::World; }"),
        (vec!["bvh"], "mod tests { use super::Tree; } use self::tests as scene;"),
    ];
    for (module, source) in allowed {
        assert_eq!(offences(&module, source), Vec::<String>::new(), "{module:?}: {source}");
    }
}
