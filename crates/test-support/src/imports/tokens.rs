//! Rust source as tokens: words, `::` and other characters, without comments and literals.

#[derive(Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    PathSeparator,
    Symbol(char),
}

/// Tokens of Rust source, each with its 1-based line, without comments and literals.
pub(super) fn tokens(source: &str) -> Vec<(Token, usize)> {
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
