//! Text or binary.

/// Whether numbers are written as text or as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    /// Bytes, little end first, in PLY and STL; OBJ is always text.
    #[default]
    Binary,
    /// Text.
    Text,
}
