//! XML as written by other programs: elements by name, attributes as numbers, lines.

use std::borrow::Cow;

use roxmltree::{Document, Error, Node, ParsingOptions};

use crate::geometry::limits::{XML_ATTRIBUTES, XML_DEPTH, XML_NAMESPACES, XML_NODES};

/// Maximum number of undeclared namespace prefixes for which a declaration is added.
const MAX_UNDECLARED_PREFIXES: usize = 64;

/// Text of a file cleaned for a strict parser, with unchanged line numbers: comments (many contain two hyphens, which XML
/// forbids) and everything before the declaration are replaced by spaces.
pub(crate) fn without_comments(text: &str) -> Cow<'_, str> {
    let blank = |byte: &mut u8| {
        if *byte != b'\n' {
            *byte = b' ';
        }
    };
    let lead = text.len() - text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).len();
    let declared = text[lead..].starts_with("<?xml");
    if !(text.contains("<!--") || declared && lead > 0) {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while let Some(start) = text[at..].find("<!--").map(|start| at + start) {
        // An unterminated comment is left for the parser to report.
        let Some(end) = text[start + 4..].find("-->").map(|end| start + 4 + end + 3) else { break };
        bytes[start..end].iter_mut().for_each(blank);
        at = end;
    }
    if declared && lead > 0 {
        let end = text[lead..].find("?>").map_or(lead, |end| lead + end + 2);
        bytes[..end].iter_mut().for_each(blank);
    }
    Cow::Owned(String::from_utf8(bytes).expect("whole characters became spaces"))
}

/// Line and cause of an XML error.
pub(crate) type Refusal = (Option<usize>, String);

/// Error of a text with too much of what takes the parser quadratic time.
fn excess(text: &str) -> Option<String> {
    if text.matches("xmlns").nth(XML_NAMESPACES).is_some() {
        return Some(format!("it has more than {XML_NAMESPACES} namespaces"));
    }
    // `<` is not allowed within a tag, not even in an attribute: the parts between are tags with the text that follows.
    let crowded = text.split('<').any(|tag| tag.matches('=').nth(XML_ATTRIBUTES).is_some());
    crowded.then(|| format!("it has an element with more than {XML_ATTRIBUTES} attributes"))
}

/// Prepares a text for [`parsed`].
pub(crate) fn prepared(text: &str) -> Result<Cow<'_, str>, Refusal> {
    let text = without_comments(text);
    match excess(&text) {
        Some(cause) => Err((None, cause)),
        None => Ok(declared(text)),
    }
}

/// Parses a prepared text.
pub(crate) fn parsed(text: &str) -> Result<Document<'_>, Refusal> {
    let options = ParsingOptions { nodes_limit: XML_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| refusal(&error))?;
    let is_deep = |node: &Node<'_, '_>| node.is_element() && node.ancestors().nth(XML_DEPTH + 1).is_some();
    if let Some(node) = document.descendants().find(is_deep) {
        let line = document.text_pos_at(node.range().start).row as usize;
        return Err((Some(line), format!("its elements are nested more than {XML_DEPTH} deep")));
    }
    Ok(document)
}

fn refusal(error: &Error) -> Refusal {
    let line = Some(error.pos().row as usize);
    match error {
        Error::NodesLimitReached => (None, format!("it has more than {XML_NODES} elements and texts")),
        Error::DtdDetected => {
            (line, "document type declarations (<!DOCTYPE …>) are not supported: remove it".to_owned())
        }
        error => {
            let message = error.to_string();
            // The message ends with the position, which is reported as the line already.
            let cause = message.rsplit_once(" at ").map_or(&*message, |(cause, _)| cause);
            (line, format!("invalid XML: {cause}"))
        }
    }
}

/// Adds declarations of undeclared namespace prefixes; all other errors are left to the parser.
fn declared(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut text = text;
    for _ in 0..MAX_UNDECLARED_PREFIXES {
        let options = ParsingOptions { nodes_limit: XML_NODES, ..ParsingOptions::default() };
        let Err(Error::UnknownNamespace(prefix, _)) = Document::parse_with_options(&text, options) else {
            break;
        };
        let Some((start, root)) = start_tag(&text) else { break };
        let at = start + 1 + root.len();
        text = Cow::Owned(format!("{} xmlns:{prefix}=\"{prefix}\"{}", &text[..at], &text[at..]));
    }
    text
}

/// Start and name of the root element.
pub(crate) fn start_tag(text: &str) -> Option<(usize, &str)> {
    let begins = |&(at, _): &(usize, &str)| !text[at + 1..].starts_with(['?', '!', '/']);
    let (start, _) = text.match_indices('<').find(begins)?;
    let rest = &text[start + 1..];
    let end = rest.find(|letter: char| letter.is_whitespace() || letter == '>' || letter == '/')?;
    Some((start, &rest[..end]))
}

/// Positions of the line breaks of a text.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// Line of an element, from 1.
    pub(crate) fn line(&self, node: Node<'_, '_>) -> usize {
        self.0.partition_point(|&end| end < node.range().start) + 1
    }
}

/// Child elements of a name, in the namespace of their parent.
pub(crate) fn elements<'a, 'i>(parent: Node<'a, 'i>, name: &str) -> impl Iterator<Item = Node<'a, 'i>> {
    let space = parent.tag_name().namespace();
    parent.children().filter(move |child| {
        child.is_element() && child.tag_name().name() == name && child.tag_name().namespace() == space
    })
}

/// Numbers of an attribute; `None` if there is no such attribute.
///
/// # Errors
/// A message if the attribute does not have exactly `N` numbers.
pub(crate) fn numbers<const N: usize>(node: Node<'_, '_>, name: &str) -> Result<Option<[f64; N]>, String> {
    let Some(text) = node.attribute(name) else { return Ok(None) };
    let wrong = || {
        let wanted = if N == 1 { "a number".to_owned() } else { format!("{N} numbers") };
        format!("`{name}` of <{}> is \"{text}\", but must be {wanted}", node.tag_name().name())
    };
    let mut found = [0.0; N];
    let mut words = text.split_whitespace();
    for number in &mut found {
        *number = words.next().and_then(|word| word.parse().ok()).ok_or_else(wrong)?;
    }
    if words.next().is_some() { Err(wrong()) } else { Ok(Some(found)) }
}

/// A required number.
///
/// # Errors
/// A message if the attribute is missing or not a number.
pub(crate) fn number(node: Node<'_, '_>, name: &str) -> Result<f64, String> {
    let missing = || format!("<{}> lacks `{name}`", node.tag_name().name());
    numbers::<1>(node, name)?.map(|[number]| number).ok_or_else(missing)
}

/// An optional number.
///
/// # Errors
/// A message if the attribute is not a number.
pub(crate) fn number_or(node: Node<'_, '_>, name: &str, otherwise: f64) -> Result<f64, String> {
    Ok(numbers::<1>(node, name)?.map_or(otherwise, |[number]| number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_text_before_the_declaration_are_removed_and_lines_preserved() {
        let text = "\n<?xml version=\"1.0\"?>\n<robot><!-- a -- é \n b --><link\n name='a'/></robot>";
        let text = prepared(text).unwrap();
        let document = parsed(&text).unwrap();
        let link = elements(document.root_element(), "link").next().unwrap();
        assert_eq!(Lines::of(&text).line(link), 4);
        assert_eq!(link.attribute("name"), Some("a"));
    }

    #[test]
    fn prefixes_without_a_declaration_get_one() {
        let text = prepared("<robot name='r'><link name='a'><sensor:ray x:y='1'/></link></robot>").unwrap();
        assert!(parsed(&text).is_ok());
        assert!(parsed(&prepared("<?xml version='1.0'?>\n<a><b:c/></a>").unwrap()).is_ok());
    }

    #[test]
    fn text_that_takes_the_parser_quadratic_time_is_refused() {
        let nested = |count: usize| format!("{}{}", "<a>".repeat(count), "</a>".repeat(count));
        assert!(parsed(&nested(XML_DEPTH)).is_ok());
        assert!(parsed(&nested(XML_DEPTH + 1)).unwrap_err().1.contains("more than 64 deep"));
        assert!(parsed(&nested(100_000)).unwrap_err().1.contains("more than 64 deep"));
        let many =
            |what: &str, count: usize| (0..count).map(|i| format!(" {what}{i}='1'")).collect::<String>();
        assert!(prepared(&format!("<a{}/>", many("xmlns:n", XML_NAMESPACES + 1))).is_err());
        assert!(prepared(&format!("<a{}/>", many("n", XML_ATTRIBUTES + 1))).is_err());
        assert!(parsed(&format!("<a><![CDATA[{}]]></a>", "]".repeat(300))).is_ok());
        let (line, cause) = parsed("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>").unwrap_err();
        assert!(line == Some(1) && cause.contains("document type"), "{cause}");
    }

    #[test]
    fn attributes_have_exactly_the_required_count_of_numbers() {
        let read = |text: &str| {
            let text = format!("<a x='{text}'/>");
            numbers::<3>(Document::parse(&text).unwrap().root_element(), "x")
        };
        assert_eq!(read(" 1\n2e3 -.5 "), Ok(Some([1.0, 2000.0, -0.5])));
        assert_eq!(read("1 2").unwrap_err(), "`x` of <a> is \"1 2\", but must be 3 numbers");
        assert!(read("1 2 3 4").is_err() && read("1 2 x").is_err());
    }
}
