//! A report as one page of HTML, which needs no other file.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::terminal::{Exit, Failure};
use extricate_scene::record::write_whole;

const STYLE: &str = "\
body{font:15px/1.5 system-ui,sans-serif;color:#1d2733;max-width:1080px;margin:24px auto;padding:0 16px}\
h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:28px 0 6px;border-top:1px solid #d5dbe3;padding-top:16px}\
table{border-collapse:collapse;margin:8px 0;font-size:14px}th,td{text-align:left;padding:3px 14px 3px 0;border-bottom:1px solid #e6eaf0;vertical-align:top}\
th{color:#5a6675;font-weight:600}td{font-variant-numeric:tabular-nums;overflow-wrap:anywhere}.pass{color:#007a55;font-weight:600}.fail{color:#b93a00;font-weight:600}\
p.note{color:#5a6675}figure{margin:12px 0}figure img{max-width:100%;height:auto;border:1px solid #e6eaf0}figcaption{color:#5a6675;font-size:13px}\
ul{margin:6px 0;padding-left:20px}summary{cursor:pointer}@media print{details{display:block}}";

/// A page as it is written.
#[derive(Debug, Clone)]
pub(super) struct Page {
    title: String,
    body: String,
}

/// A cell of a table.
#[derive(Debug, Clone)]
pub(super) enum Cell {
    /// Text.
    Text(String),
    /// Whether something passes.
    Verdict(bool),
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

/// A text in which nothing is markup.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            letter => safe.push(letter),
        }
    }
    safe
}

/// A text as data of an address [RFC 3986 §2.1].
fn encoded(text: &str) -> String {
    let mut data = String::with_capacity(text.len() + text.len() / 4);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b' '
            | b','
            | b'.'
            | b'-'
            | b'/'
            | b'='
            | b':'
            | b';' => data.push(char::from(byte)),
            byte => {
                let _ = write!(data, "%{byte:02X}");
            }
        }
    }
    data
}

impl Cell {
    fn html(&self) -> String {
        match self {
            Self::Text(text) => escaped(text),
            Self::Verdict(true) => String::from("<span class=\"pass\">pass</span>"),
            Self::Verdict(false) => String::from("<span class=\"fail\">FAIL</span>"),
        }
    }
}

impl Page {
    /// A page with its title and its verdict.
    pub(super) fn new(title: &str, pass: bool, verdict: &str) -> Self {
        let class = if pass { "pass" } else { "fail" };
        let body = format!("<h1>{}</h1>\n<p class=\"{class}\">{}</p>\n", escaped(title), escaped(verdict));
        Self { title: title.to_owned(), body }
    }

    fn push(&mut self, text: std::fmt::Arguments) {
        // Writing to a string does not fail.
        let _ = writeln!(self.body, "{text}");
    }

    /// A heading, to which the page links by `id`.
    pub(super) fn heading(&mut self, text: &str, id: &str) {
        self.push(format_args!("<h2 id=\"{}\">{}</h2>", escaped(id), escaped(text)));
    }

    /// A paragraph in grey.
    pub(super) fn note(&mut self, text: &str) {
        self.push(format_args!("<p class=\"note\">{}</p>", escaped(text)));
    }

    /// Lines, each an item of a list.
    pub(super) fn list(&mut self, lines: impl IntoIterator<Item = String>) {
        let items: String = lines.into_iter().map(|line| format!("<li>{}</li>\n", escaped(&line))).collect();
        if !items.is_empty() {
            self.push(format_args!("<ul>\n{items}</ul>"));
        }
    }

    /// A table; the first cell of a row links to the heading of an `id`, where one is given.
    pub(super) fn table(
        &mut self,
        heads: &[&str],
        rows: impl IntoIterator<Item = (Option<String>, Vec<Cell>)>,
    ) {
        let heads: String =
            heads.iter().map(|head| format!("<th scope=\"col\">{}</th>", escaped(head))).collect();
        self.push(format_args!("<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>"));
        for (id, cells) in rows {
            let cells = cells.iter().enumerate().map(|(index, cell)| match &id {
                Some(id) if index == 0 => {
                    format!("<td><a href=\"#{}\">{}</a></td>", escaped(id), cell.html())
                }
                _ => format!("<td>{}</td>", cell.html()),
            });
            self.push(format_args!("<tr>{}</tr>", cells.collect::<String>()));
        }
        self.push(format_args!("</tbody>\n</table>"));
    }

    /// A picture, the text of an SVG file: as an image, in which scripts of a file of somebody else do not run.
    pub(super) fn picture(&mut self, svg: &str, caption: &str) {
        let (data, caption) = (encoded(svg), escaped(caption));
        self.push(format_args!(
            "<figure><img alt=\"{caption}\" src=\"data:image/svg+xml,{data}\"><figcaption>{caption}</figcaption></figure>"
        ));
    }

    /// The plots of the folder of a run, those that it has.
    pub(super) fn plots(&mut self, folder: &Path) {
        for (name, caption) in [("plots.svg", "Energy and penetration"), ("timing.svg", "Times of the steps")]
        {
            if let Ok(svg) = fs::read_to_string(folder.join(name)) {
                self.picture(&svg, caption);
            }
        }
    }

    /// Writes the page.
    pub(super) fn write(&self, path: &Path) -> Result<(), Failure> {
        let Self { title, body } = self;
        let title = escaped(title);
        let text = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
        );
        write_whole(path, text.as_bytes()).map_err(|error| Failure::of(Exit::Usage, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_scene_are_not_markup() {
        let mut page = Page::new("<b>", false, "a & b");
        page.table(&["\"x\""], [(None, vec![Cell::from("<script>alert(1)</script>")])]);
        page.picture("<svg><script>alert(1)</script></svg>", "<i>");
        assert!(
            !page.body.contains("<script") && !page.body.contains("<i>") && !page.body.contains("<svg"),
            "{}",
            page.body
        );
        assert!(page.body.contains("a &amp; b") && page.body.contains("&lt;script&gt;"));
    }
}
