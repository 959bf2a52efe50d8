//! Buffers: the binary chunk, data embedded in the text, external files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::document::Buffer;
use crate::geometry::limits::{BUFFERS, FILE_BYTES};
use crate::geometry::read::error::{Fault, Place};
use crate::geometry::read::file;

/// Bytes of all buffers. Buffers of the same file are read once.
pub(super) fn load_all(
    buffers: &[Buffer],
    blob: Option<&[u8]>,
    place: Place,
) -> Result<Vec<Rc<[u8]>>, Fault> {
    let count = buffers.len();
    if count > BUFFERS {
        let cause = format!("it has {count} buffers, at most {BUFFERS} are accepted");
        return Err(Fault::Content(cause));
    }
    let mut loader = Loader { blob: blob.map(Rc::from), files: BTreeMap::new(), left: FILE_BYTES, place };
    buffers.iter().enumerate().map(|(index, buffer)| loader.load(index, buffer)).collect()
}

struct Loader<'a> {
    blob: Option<Rc<[u8]>>,
    files: BTreeMap<PathBuf, Rc<[u8]>>,
    /// Remaining budget of bytes of all files together.
    left: u64,
    place: Place<'a>,
}

impl Loader<'_> {
    /// Bytes of a buffer, at least as many as it declares.
    fn load(&mut self, index: usize, buffer: &Buffer) -> Result<Rc<[u8]>, Fault> {
        let fault = |cause: String| Fault::Content(format!("buffer {index}: {cause}"));
        let bytes = match buffer.uri.as_deref() {
            None => self.blob.clone().ok_or_else(|| fault("the file has no binary chunk".to_owned()))?,
            Some(uri) => match uri.split_once(',') {
                Some((kind, data)) if kind.starts_with("data:") && kind.ends_with(";base64") => {
                    let data = decode_base64(data);
                    data.ok_or_else(|| fault("its embedded data is not base64".to_owned()))?.into()
                }
                _ if uri.contains(':') => {
                    let scheme = uri.split(':').next().unwrap_or_default();
                    return Err(fault(format!(
                        "the scheme \"{scheme}:\" is not supported, only a relative file name"
                    )));
                }
                _ => self.file(uri, fault)?,
            },
        };
        if bytes.len() < buffer.byte_length {
            return Err(fault(format!("declares {} bytes, but has {}", buffer.byte_length, bytes.len())));
        }
        Ok(bytes)
    }

    fn file(&mut self, uri: &str, fault: impl Fn(String) -> Fault) -> Result<Rc<[u8]>, Fault> {
        let Place { path, reach, .. } = self.place;
        let file =
            buffer_file(uri, path).ok_or_else(|| fault(format!("\"{uri}\" is not a valid file name")))?;
        if let Some(bytes) = self.files.get(&file) {
            return Ok(Rc::clone(bytes));
        }
        reach.check(&file, path)?;
        let read = file::bytes_of(&file, self.left);
        let bytes = read.map_err(|error| fault(format!("{} cannot be read: {error}", file.display())))?;
        self.left -= bytes.len() as u64;
        let bytes: Rc<[u8]> = bytes.into();
        self.files.insert(file, Rc::clone(&bytes));
        Ok(bytes)
    }
}

/// File of a URI without a scheme, relative to the folder of `path`; `None` if the URI is not a file name.
pub fn buffer_file(uri: &str, path: &Path) -> Option<PathBuf> {
    let name = decode_percent(uri).filter(|_| !uri.contains(':'))?;
    Some(path.parent().unwrap_or_else(|| Path::new("")).join(name))
}

/// Decodes base64 (RFC 4648), with or without padding.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let lenient = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&STANDARD, lenient).decode(text).ok()
}

fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        (bytes, rest) = if *first == b'%' {
            let hex = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            (bytes, &after[2..])
        } else {
            bytes.push(*first);
            (bytes, after)
        };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmE=", "fooba")]
        {
            assert_eq!(decode_base64(text).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(decode_base64("+/+/").as_deref(), Some(&[0xfb, 0xff, 0xbf][..]));
        assert_eq!((decode_base64("Z"), decode_base64("Z*==")), (None, None));
    }

    #[test]
    fn percent_signs_are_decoded() {
        assert_eq!(decode_percent("a%20b%C3%A9.bin").as_deref(), Some("a bé.bin"));
        assert_eq!((decode_percent("a%2"), decode_percent("%zz")), (None, None));
    }
}
