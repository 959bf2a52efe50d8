//! Quantities that colour soft bodies.

/// Quantity that colours soft bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SoftQuantity {
    /// Distance to the surface in the rest shape \[m\], zero on the surface: visible on slices.
    Depth,
    /// Penetration depth of contacts \[m\]; not available for recordings.
    ContactDepth,
    /// Displacement of nodes from the start \[m\].
    Displacement,
    /// Von Mises stress \[Pa\].
    Stress,
}

impl SoftQuantity {
    /// Choices in the order in which the key cycles through them; `None` for each body's own colour.
    pub const CHOICES: [Option<Self>; 5] =
        [None, Some(Self::Stress), Some(Self::Displacement), Some(Self::ContactDepth), Some(Self::Depth)];

    /// Name of a choice in panels.
    #[must_use]
    pub const fn name(choice: Option<Self>) -> &'static str {
        match choice {
            None => "Own colour",
            Some(Self::Stress) => "Stress",
            Some(Self::Displacement) => "Displacement",
            Some(Self::ContactDepth) => "Contact depth",
            Some(Self::Depth) => "Distance to the surface",
        }
    }

    /// Next choice, cyclically.
    #[must_use]
    pub fn next(choice: Option<Self>) -> Option<Self> {
        let at = Self::CHOICES.iter().position(|&other| other == choice).unwrap_or(0);
        Self::CHOICES[(at + 1) % Self::CHOICES.len()]
    }

    /// Name and unit, for legends.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Depth => "Distance to the surface [m]",
            Self::ContactDepth => "Contact depth [m]",
            Self::Displacement => "Displacement [m]",
            Self::Stress => "Von Mises stress [Pa]",
        }
    }
}
