//! How much a URDF file may ask for.

/// Longest file [bytes].
pub const FILE_BYTES: u64 = 64 << 20;
/// Elements within elements: a robot needs six.
pub const DEPTH: usize = 64;
/// Most elements, texts and comments.
pub const NODES: u32 = 2_000_000;
/// Most namespaces that a file declares: a parser compares each with all those around it.
pub const NAMESPACES: usize = 1000;
/// Most equals signs of one tag, and so most attributes: a parser compares each with all others.
pub const ATTRIBUTES: usize = 10_000;
/// Most links, and most joints.
pub const LINKS: usize = 10_000;
/// Most shapes; a round one becomes a mesh of up to 2000 triangles.
pub const SHAPES: usize = 20_000;
/// Most triangles of all meshes of a robot together.
pub const TRIANGLES: usize = 50_000_000;

/// What costs a parser the square of the length of a text, if the text holds too much of it.
pub(super) fn excess(text: &str) -> Option<String> {
    if text.matches("xmlns").nth(NAMESPACES).is_some() {
        return Some(format!("it has more than {NAMESPACES} namespaces"));
    }
    // No tag holds another bracket of that kind, also in its attributes.
    let crowded = text.split('<').any(|tag| tag.matches('=').nth(ATTRIBUTES).is_some());
    crowded.then(|| format!("it has an element of more than {ATTRIBUTES} attributes"))
}
