//! The pairs that a list of candidates is of.

/// Pairs of points or edges, and bodies, that a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairs {
    /// Those of different bodies, and the samples of obstacles.
    Others,
    /// Those within a body.
    Own(u32),
}

impl Pairs {
    /// Whether they contain the pair of an owner (a body or, with indices after those of the bodies, an obstacle) and a body.
    pub(super) fn contain(self, [owner, body]: [u32; 2]) -> bool {
        match self {
            Self::Others => owner != body,
            Self::Own(own) => owner == own && body == own,
        }
    }

    /// Whether there is a pair of an owner.
    pub(super) fn have_owner(self, owner: u32) -> bool {
        match self {
            Self::Others => true,
            Self::Own(own) => owner == own,
        }
    }
}
