//! The checksums of the binary files, as their formats describe them: bytes that have the right one get further.

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

fn word(part: &[u8]) -> u64 {
    let mut whole = [0; 8];
    whole[..part.len()].copy_from_slice(part);
    u64::from_le_bytes(whole)
}

/// A distance field with the checksum of its bytes.
pub fn of_field(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= 88 {
        let step = |hash: u64, number: u64| (hash ^ number).wrapping_mul(PRIME).rotate_left(29);
        let parts = bytes[..80].chunks(8).chain(bytes[88..].chunks(8));
        let sum = step(parts.map(word).fold(BASIS, step), bytes.len() as u64);
        bytes[80..88].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

/// A checkpoint with the checksum of its bytes.
pub fn of_checkpoint(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= 20 {
        let sum = bytes[20..].iter().fold(BASIS, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
        bytes[12..20].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

/// A tree with the checksum of its bytes and the fingerprint of its mesh.
pub fn of_tree(bytes: &[u8], fingerprint: u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= 48 {
        let body = &bytes[48..];
        let (words, rest) = body.as_chunks::<8>();
        let words = words.iter().map(|part| u64::from_le_bytes(*part)).chain([word(rest)]);
        let sum = words.fold(BASIS ^ body.len() as u64, |hash, word| (hash ^ word).wrapping_mul(PRIME));
        bytes[16..24].copy_from_slice(&fingerprint.to_le_bytes());
        bytes[40..48].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}
