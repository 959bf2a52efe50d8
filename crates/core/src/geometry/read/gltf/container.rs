//! The container of a glTF file: a JSON text by itself, or a GLB, a header and chunks, each aligned to four bytes (glTF 2.0, § 4).

use crate::geometry::read::correction::Corrections;
use crate::geometry::read::error::Fault;

/// Bytes with which a GLB begins.
const MAGIC: &[u8] = b"glTF";
/// Mark with which some programs begin a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Bytes of the header of a GLB: those with which it begins, the version, the length.
const HEADER: usize = 12;
/// Bytes of the header of a chunk: the length of its data, the kind.
const CHUNK_HEADER: usize = 8;

/// The two parts of a file.
pub(super) struct Container<'a> {
    /// The JSON text.
    pub(super) json: &'a [u8],
    /// The binary chunk of a GLB.
    pub(super) binary: Option<&'a [u8]>,
}

/// Finds the parts of a file; bytes after the end that a GLB declares are ignored with a warning.
pub(super) fn split<'a>(bytes: &'a [u8], corrections: &Corrections) -> Result<Container<'a>, Fault> {
    if !bytes.starts_with(MAGIC) {
        return Ok(Container { json: bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes), binary: None });
    }
    let mut rest = &without_rest(bytes, corrections)?[HEADER..];
    let version = number(bytes, MAGIC.len()).unwrap_or_default();
    if version != 2 {
        return Err(Fault::Content(format!("its container has the version {version}, only 2 is supported")));
    }
    let mut chunk = || -> Result<Option<Chunk<'a>>, Fault> {
        if rest.is_empty() {
            return Ok(None);
        }
        let length = number(rest, 0).zip(rest.get(4..CHUNK_HEADER));
        let (length, kind) = length.ok_or_else(|| Fault::Content("a chunk has no header".to_owned()))?;
        let data = rest.get(CHUNK_HEADER..).unwrap_or_default();
        let Some(content) = data.get(..length) else {
            let cause = format!("a chunk declares {length} bytes, but only {} follow", data.len());
            return Err(Fault::Content(cause));
        };
        rest = &data[length..];
        Ok(Some(Chunk { kind, content }))
    };
    let Some(Chunk { kind: b"JSON", content: json }) = chunk()? else {
        return Err(Fault::Content("its first chunk is not JSON".to_owned()));
    };
    // Chunks of other kinds belong to extensions, and are to be ignored.
    while let Some(Chunk { kind, content }) = chunk()? {
        if kind == b"BIN\0" {
            return Ok(Container { json, binary: Some(content) });
        }
    }
    Ok(Container { json, binary: None })
}

struct Chunk<'a> {
    kind: &'a [u8],
    content: &'a [u8],
}

/// The little-endian number of four bytes at an offset.
fn number(bytes: &[u8], offset: usize) -> Option<usize> {
    let bytes = bytes.get(offset..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*bytes) as usize)
}

/// The bytes that the header of a GLB declares; refuses a file that is shorter.
fn without_rest<'a>(bytes: &'a [u8], corrections: &Corrections) -> Result<&'a [u8], Fault> {
    let declared = number(bytes, MAGIC.len() + 4);
    if let Some(declared) = declared.filter(|&declared| declared >= HEADER && declared <= bytes.len()) {
        if declared < bytes.len() {
            let found =
                || format!("{} bytes after the {declared} that its header declares", bytes.len() - declared);
            corrections.add(None, "end", "ignored", found);
        }
        return Ok(&bytes[..declared]);
    }
    let declared = declared.map_or_else(|| "no".to_owned(), |declared| declared.to_string());
    Err(Fault::Content(format!("the header declares {declared} bytes, but the file has {}", bytes.len())))
}
