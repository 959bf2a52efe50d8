//! How much a URDF file may ask for, and whether one asks for more: before it is parsed, because the parser builds a tree
//! of elements that is walked by recursion, and gives each element the names of all namespaces around it.

use std::str::Chars;

/// Longest file [bytes].
pub const FILE_BYTES: u64 = 64 << 20;
/// Elements within elements: a robot needs six.
pub const DEPTH: usize = 64;
/// Most elements. Each takes a kilobyte while the file is read.
pub const ELEMENTS: usize = 500_000;
/// Most namespaces that a file declares.
pub const NAMESPACES: usize = 16;
/// Most links, and most joints.
pub const LINKS: usize = 10_000;
/// Most shapes; a round one becomes a mesh of up to 2000 triangles.
pub const SHAPES: usize = 20_000;
/// Most triangles of all meshes of a robot together.
pub const TRIANGLES: usize = 50_000_000;

/// Brackets in a row that end a section of characters, and no more: the parser counts them in a byte.
const BRACKETS: &str = "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]";

/// What is too much in the text of a file, if anything is.
///
/// It goes through the states of the parser (`RustyXML`), whose errors it need not find: a text in which the parser loses
/// its way is refused anyway.
pub(super) fn excess(text: &str) -> Option<String> {
    if text.contains(BRACKETS) {
        return Some(format!("it has {} brackets in a row", BRACKETS.len()));
    }
    let mut letters = text.chars();
    let (mut depth, mut elements, mut namespaces) = (0_usize, 0_usize, 0_usize);
    while letters.by_ref().any(|letter| letter == '<') {
        match letters.next() {
            Some('?') => {
                letters.by_ref().any(|letter| letter == '?');
                letters.by_ref().any(|letter| letter == '>');
            }
            Some('!') => skip_declaration(&mut letters),
            Some('/') => {
                letters.by_ref().any(|letter| letter == '>');
                depth = depth.saturating_sub(1);
            }
            _ => {
                let (is_empty, declared) = skip_tag(&mut letters);
                elements += 1;
                namespaces += declared;
                depth += usize::from(!is_empty);
            }
        }
        for (what, count, most) in [
            ("elements within elements", depth, DEPTH),
            ("elements", elements, ELEMENTS),
            ("namespaces", namespaces, NAMESPACES),
        ] {
            if count > most {
                return Some(format!("it has more than {most} {what}"));
            }
        }
    }
    None
}

/// Moves behind a comment, a section of characters or a document type, from behind the exclamation mark.
fn skip_declaration(letters: &mut Chars) {
    let end: &[char] = match letters.next() {
        Some('-') => {
            letters.next();
            &['-', '-', '>']
        }
        Some('[') => &[']', ']', '>'],
        _ => &['>'],
    };
    let mut last = ['\0'; 3];
    for letter in letters {
        last = [last[1], last[2], letter];
        if last.ends_with(end) {
            return;
        }
    }
}

/// Moves behind a start tag, from behind the first letter of its name; whether the element is empty, and how many
/// namespaces it declares.
fn skip_tag(letters: &mut Chars) -> (bool, usize) {
    let mut declared = 0;
    let mut is_in_name = true;
    while let Some(letter) = letters.next() {
        match letter {
            '>' => return (false, declared),
            '/' => {
                letters.next();
                return (true, declared);
            }
            ' ' | '\t' | '\r' | '\n' => is_in_name = false,
            _ if is_in_name => {}
            first => {
                // An attribute: all up to the equals sign is its name.
                let rest = letters.as_str();
                declared += usize::from(first == 'x' && rest.starts_with("mlns"));
                letters.by_ref().any(|letter| letter == '=');
                let quote = letters.find(|&letter| letter == '"' || letter == '\'');
                letters.by_ref().any(|letter| Some(letter) == quote);
            }
        }
    }
    (false, declared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_where_they_are_and_not_in_comments_and_values() {
        let nested = |inner: &str, count: usize| inner.repeat(count);
        assert_eq!(excess(&nested("<a>", DEPTH)), None);
        assert!(excess(&nested("<a>", DEPTH + 1)).is_some());
        for harmless in
            ["<a/>", "<a b='>' c=\"<\"/>", "<a></a>", "<!-- <a> -->", "<![CDATA[<a>]]>", "<?a <a>?>"]
        {
            assert_eq!(excess(&nested(harmless, 2 * DEPTH)), None, "{harmless}");
        }
        // What the parser takes for something else than it looks like: quotes in names, the ends of instructions.
        for nest in
            ["<a'><b'>", "<a \">=''>", "<?a ? b><b>", "<?a ? b><b><?>", "<!DOCTYPE <><a>", "<a b = '>' >"]
        {
            assert!(excess(&nested(nest, DEPTH + 1)).is_some(), "{nest}");
        }
        assert!(excess(&nested("]", 300)).is_some());
        // An end tag within a comment ends nothing.
        assert!(excess(&nested("<a><!--</a>-->", DEPTH + 1)).is_some());
        assert!(excess(&nested("<a b='/'>", DEPTH + 1)).is_some());
        assert!(excess(&nested("<a b='</a>'>", DEPTH + 1)).is_some());
        assert!(excess(&nested("<a/>", ELEMENTS + 1)).unwrap().contains("elements"));
        let spaces: String = (0..=NAMESPACES).map(|i| format!(" xmlns:n{i}='u{i}'")).collect();
        assert!(excess(&format!("<a{spaces}/>")).unwrap().contains("namespaces"));
    }
}
