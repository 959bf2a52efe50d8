//! Quantities that are compared.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// A quantity that is compared, with a tolerance of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Existence of a body or joint; no difference is tolerated.
    Presence,
    /// Position of a body or of the root of a robot, centre of mass of a soft body \[m\].
    Position,
    /// Rotation of a body or of the root of a robot \[rad\].
    Rotation,
    /// Velocity of a centre of mass [m/s].
    LinearVelocity,
    /// Angular velocity [rad/s].
    AngularVelocity,
    /// Value of a joint [rad or m].
    Joint,
    /// Positions of the nodes of a soft body, of which the farthest counts \[m\].
    Nodes,
    /// Volume of a soft body \[m³\].
    Volume,
    /// Number of inverted elements of a soft body.
    Inverted,
    /// Penetration depth \[m\].
    Penetration,
    /// Kinetic, potential, elastic energy \[J\].
    Energy,
    /// Number of contact points.
    Contacts,
}

impl Quantity {
    /// Number of quantities.
    pub(super) const COUNT: usize = 12;

    /// All quantities, in the order in which they are reported.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Presence,
        Self::Position,
        Self::Rotation,
        Self::LinearVelocity,
        Self::AngularVelocity,
        Self::Joint,
        Self::Nodes,
        Self::Volume,
        Self::Inverted,
        Self::Penetration,
        Self::Energy,
        Self::Contacts,
    ];

    /// Name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Presence => "presence",
            Self::Position => "position",
            Self::Rotation => "rotation",
            Self::LinearVelocity => "linear_velocity",
            Self::AngularVelocity => "angular_velocity",
            Self::Joint => "joint",
            Self::Nodes => "nodes",
            Self::Volume => "volume",
            Self::Inverted => "inverted",
            Self::Penetration => "penetration",
            Self::Energy => "energy",
            Self::Contacts => "contacts",
        }
    }

    /// Unit; empty for counts.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Position | Self::Nodes | Self::Penetration => "m",
            Self::Rotation => "rad",
            Self::LinearVelocity => "m/s",
            Self::AngularVelocity => "rad/s",
            Self::Joint => "rad or m",
            Self::Volume => "m³",
            Self::Energy => "J",
            Self::Presence | Self::Inverted | Self::Contacts => "",
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.name())
    }
}
