//! Binary messages: a header in JSON, and numbers.
//!
//! | bytes | content |
//! |---|---|
//! | 4 | length of the header, little-endian |
//! | | header: an object of JSON, filled up with blanks to a multiple of 4 |
//! | | numbers of 4 bytes, little-endian, whose counts are in the header |

use serde_json::Value;

/// A message of a header and numbers.
pub(crate) fn message(header: &Value, numbers: &[&[u8]]) -> Vec<u8> {
    let mut text = header.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(4 + text.len() + numbers.iter().map(|part| part.len()).sum::<usize>());
    bytes.extend(length.to_le_bytes());
    bytes.extend(text);
    numbers.iter().for_each(|part| bytes.extend_from_slice(part));
    bytes
}

/// Little-endian bytes of numbers.
pub(crate) fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "drawn with single precision")]
pub(crate) fn single(x: f64) -> f32 {
    x as f32
}
