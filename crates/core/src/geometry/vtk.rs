//! XML files of VTK (`.vtu`, `.vti`), for ParaView and others: a header, and arrays in base64, each preceded by its size in
//! bytes, little-endian ["VTK file formats", the VTK user's guide].

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Array of a file with its VTK type.
pub(crate) enum Values<'a> {
    /// Real numbers.
    Float64(&'a [f64]),
    /// Indices and offsets.
    UInt64(&'a [u64]),
    /// Cell types.
    UInt8(&'a [u8]),
}

impl Values<'_> {
    fn type_and_bytes(&self) -> (&'static str, Vec<u8>) {
        match self {
            Self::Float64(values) => ("Float64", values.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Self::UInt64(values) => ("UInt64", values.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Self::UInt8(values) => ("UInt8", values.to_vec()),
        }
    }
}

/// Writes the file of a data set of the given kind; `body` writes its elements.
pub(crate) fn write_file(
    file: &mut dyn Write,
    kind: &str,
    body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    writeln!(file, "<?xml version=\"1.0\"?>")?;
    writeln!(
        file,
        "<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
    )?;
    body(file)?;
    writeln!(file, "</VTKFile>")
}

/// Writes an array of tuples of `components` numbers.
pub(crate) fn write_array(
    file: &mut dyn Write,
    name: &str,
    components: usize,
    values: &Values,
) -> io::Result<()> {
    let (type_name, bytes) = values.type_and_bytes();
    let sized = [(bytes.len() as u64).to_le_bytes().as_slice(), &bytes].concat();
    write!(file, "<DataArray type=\"{type_name}\" Name=\"{name}\" NumberOfComponents=\"{components}\"")?;
    writeln!(file, " format=\"binary\">{}</DataArray>", STANDARD.encode(sized))
}
