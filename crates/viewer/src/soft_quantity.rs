//! What the colours of soft bodies mean.

/// What the colours of soft bodies mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SoftQuantity {
    /// Material distance to the surface at rest [m], on the surface zero: seen where a slice cuts.
    Depth,
    /// How deep contacts are [m]; not of a recording.
    ContactDepth,
    /// How far nodes are from where they were at the start [m].
    Displacement,
    /// Von Mises stress [Pa].
    Stress,
}

impl SoftQuantity {
    /// What the colours of soft bodies can mean, in the order in which the key goes through it; none where each body has its own.
    pub const CHOICES: [Option<Self>; 5] =
        [None, Some(Self::Stress), Some(Self::Displacement), Some(Self::ContactDepth), Some(Self::Depth)];

    /// Name of a choice in panels.
    #[must_use]
    pub const fn name(choice: Option<Self>) -> &'static str {
        match choice {
            None => "own colour",
            Some(Self::Stress) => "stress",
            Some(Self::Displacement) => "displacement",
            Some(Self::ContactDepth) => "depth of contact",
            Some(Self::Depth) => "depth under the surface",
        }
    }

    /// The choice after one, the first one after the last.
    #[must_use]
    pub fn next(choice: Option<Self>) -> Option<Self> {
        let at = Self::CHOICES.iter().position(|&other| other == choice).unwrap_or(0);
        Self::CHOICES[(at + 1) % Self::CHOICES.len()]
    }

    /// Its name and unit.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Depth => "distance to the surface [m]",
            Self::ContactDepth => "depth of contact [m]",
            Self::Displacement => "displacement [m]",
            Self::Stress => "von Mises stress [Pa]",
        }
    }
}
