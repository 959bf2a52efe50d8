//! Allowed collision matrix: pairs of links that are exempt from self-collision.

use std::collections::BTreeSet;

/// Pairs of links that are exempt from self-collision (an allowed collision matrix).
///
/// ```
/// use extricate_core::proximity::AllowedCollisions;
///
/// let mut allowed = AllowedCollisions::default();
/// allowed.allow(3, 1);
/// assert!(allowed.contains(1, 3) && !allowed.contains(1, 2));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowedCollisions {
    pub(super) pairs: BTreeSet<[usize; 2]>,
}
