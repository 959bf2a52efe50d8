//! File format of distance fields.
//!
//! | bytes        | what                                                                                         |
//! |--------------|----------------------------------------------------------------------------------------------|
//! | 8            | `exfield` and a zero byte                                                                    |
//! | 4            | version                                                                                      |
//! | 1, 1, 2      | order (1 or 2); side (1 inside, 2 outside, 3 both); zero                                     |
//! | 4, 4, 4, 4   | nodes along x, y, z, and zero                                                                |
//! | 8, 8, 8, 8   | origin and spacing of the grid [m]                                                           |
//! | 8, 8         | distances up to which values are computed, and up to which they are exact [m]                |
//! | 8            | checksum of all the other bytes, eight at a time                                             |
//! | 8 a node     | signed distances [m], x running fastest; infinite where there is none                        |
//!
//! All numbers are little-endian.

use std::path::Path;

use nalgebra::Point3;

use super::distance_field::{DistanceField, empty};
use super::grid::Grid;
use super::march::FAR;
use super::options::{Order, Side};
use crate::geometry::limits::FILE_BYTES;
use crate::geometry::read::error::FileError;
use crate::geometry::read::file::bytes_of;
use crate::geometry::write::write_atomically;

/// First bytes of every such file.
const MAGIC: &[u8; 8] = b"exfield\0";
/// Version of the format.
const VERSION: u32 = 2;
/// Bytes of the header.
const HEADER: usize = 88;
/// Position of the checksum.
const CHECKSUM: std::ops::Range<usize> = 80..88;

impl DistanceField {
    /// Writes the field to a file that replaces an older one: eight bytes a node.
    ///
    /// ```
    /// use extricate_core::field::{DistanceField, FieldOptions};
    /// use extricate_core::geometry::procedural::{Cuboid, Procedural};
    ///
    /// let path = std::env::temp_dir().join(format!("extricate-field-doc-{}.field", std::process::id()));
    /// let field = DistanceField::of(&Cuboid::default().mesh()?, &FieldOptions { resolution: 9, ..Default::default() })?;
    /// field.save(&path)?;
    /// assert!(DistanceField::load(&path)?.values().eq(field.values()));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`FileError::Io`] when the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let bytes = self.to_bytes();
        write_atomically(path, |file| file.write_all(&bytes))
    }

    /// Reads a field that [`DistanceField::save`] has written: the same one to the bit.
    ///
    /// # Errors
    /// [`FileError`] when the file cannot be read, is truncated or damaged, or another version wrote it.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        let bytes = bytes_of(path, FILE_BYTES).map_err(FileError::unread(path))?;
        Self::parse(&bytes, path)
    }

    /// The field in the content of a file that has been read already; errors name the path.
    ///
    /// # Errors
    /// As [`DistanceField::load`].
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, FileError> {
        let malformed = |why: &str| {
            let (path, format, why) = (path.to_owned(), "distance field", why.to_owned());
            FileError::Malformed { path, format, why }
        };
        if bytes.len() < HEADER || &bytes[..8] != MAGIC {
            return Err(malformed("it does not begin with the signature `exfield`"));
        }
        // Before the checksum: another version may compute that otherwise.
        let found = word(bytes, 8);
        if found != VERSION {
            return Err(FileError::Version { path: path.to_owned(), found, expected: VERSION });
        }
        if checksum(bytes) != number(bytes, CHECKSUM.start) {
            return Err(malformed("its checksum is wrong: it is truncated or damaged"));
        }
        Self::from_bytes(bytes).map_err(|why| malformed(&why))
    }

    /// The content of the file that [`DistanceField::save`] writes, which [`DistanceField::parse`] reads.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + 8 * self.grid.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        let order = if self.order == Order::First { 1 } else { 2 };
        let side =
            u8::from(self.side.includes(Side::Inside)) + 2 * u8::from(self.side.includes(Side::Outside));
        bytes.extend([order, side, 0, 0]);
        self.grid.counts.iter().for_each(|&count| bytes.extend((count as u32).to_le_bytes()));
        bytes.extend([0; 4]);
        let origin = self.grid.origin;
        for number in [origin.x, origin.y, origin.z, self.grid.spacing, self.limit, self.exact] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend([0; 8]);
        self.values().for_each(|value| bytes.extend(value.to_le_bytes()));
        let sum = checksum(&bytes);
        bytes[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let float = |at: usize| f64::from_bits(number(bytes, at));
        let counts = [16, 20, 24].map(|at| word(bytes, at) as usize);
        let grid = Grid { origin: Point3::new(float(32), float(40), float(48)), spacing: float(56), counts };
        grid.check().map_err(|error| error.to_string())?;
        if bytes.len() != HEADER + 8 * grid.len() {
            return Err(format!("it has {} bytes, expected {}", bytes.len(), HEADER + 8 * grid.len()));
        }
        let order = match bytes[12] {
            1 => Order::First,
            2 => Order::Second,
            other => return Err(format!("unknown order {other}, expected 1 or 2")),
        };
        let side = match bytes[13] {
            1 => Side::Inside,
            2 => Side::Outside,
            3 => Side::Both,
            other => return Err(format!("unknown side {other}, expected 1, 2 or 3")),
        };
        let values = empty(&grid).map_err(|error| error.to_string())?;
        let (limit, exact) = (float(64), float(72));
        if !(limit >= 0.0 && exact >= grid.spacing && exact.is_finite()) {
            return Err(format!("its limit {limit} m or its exact distance {exact} m is out of range"));
        }
        let mut field = Self { grid, values, order, side, limit, exact, known: 0 };
        let mut numbers = bytes[HEADER..].chunks_exact(8);
        let [nx, ny, nz] = counts;
        for (j, k) in (0..nz).flat_map(|k| (0..ny).map(move |j| (j, k))) {
            let line = grid.place([0, j, k]);
            for (value, bytes) in field.values[line..line + nx].iter_mut().zip(&mut numbers) {
                let read = f64::from_bits(number(bytes, 0));
                if read.is_nan() {
                    return Err("it holds a distance that is NaN".to_owned());
                }
                *value = read.clamp(-FAR, FAR);
                field.known += usize::from(read.is_finite());
            }
        }
        Ok(field)
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

/// FNV-1a, eight bytes at a time and rotated between them, over all bytes except the checksum itself.
fn checksum(bytes: &[u8]) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let step = |hash: u64, number: u64| (hash ^ number).wrapping_mul(PRIME).rotate_left(29);
    let parts = bytes[..CHECKSUM.start].chunks(8).chain(bytes[CHECKSUM.end..].chunks(8));
    let padded = |part: &[u8]| {
        let mut whole = [0; 8];
        whole[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(whole)
    };
    step(parts.map(padded).fold(BASIS, step), bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::FieldOptions;
    use super::*;
    use crate::geometry::procedural::{Procedural, Torus};

    #[test]
    fn a_field_is_read_back_bit_for_bit_and_a_damaged_one_is_refused() {
        let path = std::env::temp_dir().join(format!("extricate-field-test-{}.field", std::process::id()));
        let options = FieldOptions { resolution: 12, side: Side::Inside, ..Default::default() };
        let field = DistanceField::of(&Torus::default().mesh().unwrap(), &options).unwrap();
        field.save(&path).unwrap();
        let again = DistanceField::load(&path).unwrap();
        assert!(again.values.iter().map(|x| x.to_bits()).eq(field.values.iter().map(|x| x.to_bits())));
        assert_eq!(
            (again.known, again.grid, again.side, again.order),
            (field.known, field.grid, field.side, field.order)
        );
        let bytes = fs::read(&path).unwrap();
        for at in (0..HEADER).chain([HEADER + 3, bytes.len() - 1]) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            fs::write(&path, &damaged).unwrap();
            assert!(DistanceField::load(&path).is_err(), "byte {at}");
        }
        for length in [0, 7, HEADER, bytes.len() - 8, bytes.len() - 1] {
            fs::write(&path, &bytes[..length]).unwrap();
            assert!(DistanceField::load(&path).is_err(), "{length} bytes");
        }
        fs::remove_file(&path).unwrap();
        assert!(matches!(DistanceField::load(&path), Err(FileError::Io { .. })));
    }
}
