//! Text or binary encoding.

/// Encoding of numbers in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    /// Binary, little-endian, in PLY and STL; OBJ is always text.
    #[default]
    Binary,
    /// Text.
    Text,
}
