//! Hashes that identify the input of a run. They do not protect against forgery.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A 64-bit hash, written as sixteen hexadecimal digits: JSON numbers cannot hold it everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hash(pub u64);

impl Hash {
    /// Hash of no bytes, from which [`Hash::then`] continues.
    pub const OF_NOTHING: Self = Self(0xcbf2_9ce4_8422_2325);

    /// FNV-1a over several byte strings, each with its length, so that moving a border changes the hash.
    #[must_use]
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let with_length = |hash: Self, part: &[u8]| hash.then(&(part.len() as u64).to_le_bytes()).then(part);
        parts.into_iter().fold(Self::OF_NOTHING, with_length)
    }

    /// Continues FNV-1a with the next bytes of a stream that is never held as a whole.
    #[must_use]
    pub fn then(self, bytes: &[u8]) -> Self {
        let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Self(bytes.iter().fold(self.0, add))
    }
}

impl JsonSchema for Hash {
    fn schema_name() -> Cow<'static, str> {
        "Hash".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[0-9a-f]{16}$"})
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = Some(text.as_str()).filter(|text| text.len() == 16 && !text.starts_with('+'));
        let hash = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        hash.map(Self).ok_or_else(|| de::Error::custom("a hash has sixteen hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_border_and_a_changed_byte_change_the_hash() {
        let hash = |parts: &[&str]| Hash::of(parts.iter().map(|part| part.as_bytes()));
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_ne!(hash(&["abc"]), hash(&["abd"]));
        assert_eq!(hash(&["abc", ""]), hash(&["abc", ""]));
        assert_eq!(Hash(0xab).to_string(), "00000000000000ab");
        // FNV-1a of "a", as its authors list it.
        assert_eq!(Hash::OF_NOTHING.then(b"a"), Hash(0xaf63_dc4c_8601_ec8c));
        assert_eq!(Hash::OF_NOTHING.then(b"ab").then(b"c"), Hash::OF_NOTHING.then(b"abc"));
    }
}
