//! Lines, words and numbers of text formats.

use std::borrow::Cow;

use nalgebra::Point3;

use super::error::Fault;

/// Maximum length of an excerpt of a file in an error message, in characters.
const MAX_EXCERPT: usize = 40;

/// Lines of a file with their numbers, from 1. Bytes that are not UTF-8 become replacement characters; a leading byte order
/// mark is dropped.
pub(in crate::geometry) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    (bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).split(|&byte| byte == b'\n').enumerate())
        .map(|(index, line)| (index + 1, String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line))))
}

/// Part of a line before a comment.
pub(in crate::geometry) fn before_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default()
}

/// A word quoted for an error message: shortened, without control characters.
pub(in crate::geometry) fn excerpt(word: &str) -> String {
    let shown: String =
        word.chars().take(MAX_EXCERPT).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    let ellipsis = if word.chars().count() > MAX_EXCERPT { "…" } else { "" };
    format!("\"{shown}{ellipsis}\"")
}

/// Parses the first three words as finite coordinates.
pub(in crate::geometry) fn point<'a>(
    line: usize,
    words: impl Iterator<Item = &'a str>,
) -> Result<Point3<f64>, Fault> {
    coordinates(words, line, number)
}

/// Parses the first three words as coordinates, which may be infinite or NaN.
pub(in crate::geometry) fn any_point<'a>(
    line: usize,
    words: impl Iterator<Item = &'a str>,
) -> Result<Point3<f64>, Fault> {
    coordinates(words, line, |line, word| word.parse().or_else(|_| number(line, word)))
}

fn coordinates<'a>(
    mut words: impl Iterator<Item = &'a str>,
    line: usize,
    parse: impl Fn(usize, &str) -> Result<f64, Fault>,
) -> Result<Point3<f64>, Fault> {
    let mut point = Point3::origin();
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let missing = || Fault::Line(line, format!("the vertex has no {name}: the line ends early"));
        point[axis] = parse(line, words.next().ok_or_else(missing)?)?;
    }
    Ok(point)
}

/// Parses a word as a finite number.
pub(in crate::geometry) fn number(line: usize, word: &str) -> Result<f64, Fault> {
    match word.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(Fault::Line(line, format!("the coordinate {} is not finite", excerpt(word)))),
        Err(_) => Err(Fault::Line(line, format!("{} is not a number", excerpt(word)))),
    }
}

/// Parses a word as an integer.
pub(in crate::geometry) fn integer<N: std::str::FromStr>(line: usize, word: &str) -> Result<N, Fault> {
    word.parse().map_err(|_| Fault::Line(line, format!("{} is not an integer in range", excerpt(word))))
}
