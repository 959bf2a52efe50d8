//! Expectations of a run: bounds, positions, and quantities with a known value.

use serde::Deserialize;

use super::{JointAt, NodesEntry, Triple};

/// Expectations of a run. Only those that are given are judged.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Maximum penetration depth of a pair over the size of its smaller body, from `settle_time` on.
    #[serde(default)]
    pub max_penetration: Option<f64>,
    /// Time from which `max_penetration` is judged \[s\].
    #[serde(default)]
    pub settle_time: Option<f64>,
    /// Maximum penetration depth, over the same size, in the last state alone.
    #[serde(default)]
    pub final_penetration: Option<f64>,
    /// From this time on \[s\] every dynamic body moves slower than `rest_speed`.
    #[serde(default)]
    pub at_rest_by: Option<f64>,
    /// Maximum speed at rest [body sizes/s].
    #[serde(default)]
    pub rest_speed: Option<f64>,
    /// Maximum rise of the total energy above its start, over the energy scale of the run.
    #[serde(default)]
    pub energy_gain: Option<f64>,
    /// Maximum rise of the total energy above its minimum before, over the energy scale of the run.
    #[serde(default)]
    pub energy_rise: Option<f64>,
    /// Maximum speed of the origin of a dynamic body [m/s].
    #[serde(default)]
    pub max_speed: Option<f64>,
    /// Box that the origins of all dynamic bodies never leave.
    #[serde(default)]
    pub no_escape: Option<Region>,
    /// Positions of bodies at the end.
    #[serde(default)]
    pub body_at: Vec<BodyAt>,
    /// Boxes in which bodies are at the end.
    #[serde(default)]
    pub body_within: Vec<BodyWithin>,
    /// Values of joints of robots at the end.
    #[serde(default)]
    pub joint_at: Vec<JointAt>,
    /// Distances between bodies at the end.
    #[serde(default)]
    pub distance: Vec<Distance>,
    /// Chains of bodies that are linked at the end.
    #[serde(default)]
    pub linked: Vec<Linked>,
    /// Quantities with a known value.
    #[serde(default)]
    pub measured: Vec<Measured>,
}

impl Expect {
    /// Time from which `max_penetration` is judged \[s\]; 1 s by default.
    #[must_use]
    pub fn settle_time(&self) -> f64 {
        self.settle_time.unwrap_or(1.0)
    }

    /// Maximum speed at rest [body sizes/s]; 0.01 by default.
    #[must_use]
    pub fn rest_speed(&self) -> f64 {
        self.rest_speed.unwrap_or(0.01)
    }
}

/// An axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Minimum coordinates \[m\].
    pub min: Triple,
    /// Maximum coordinates \[m\].
    pub max: Triple,
}

/// A body whose origin ends at a position.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyAt {
    /// Name of the body.
    pub body: String,
    /// The position \[m\].
    pub position: Triple,
    /// Maximum distance from it \[m\].
    pub tolerance: f64,
}

/// A body whose origin ends in a box.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyWithin {
    /// Name of the body.
    pub body: String,
    /// Minimum coordinates \[m\].
    pub min: Triple,
    /// Maximum coordinates \[m\].
    pub max: Triple,
}

/// Bodies whose origins end at a distance, each from the next.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distance {
    /// Names of two or more bodies.
    pub bodies: Vec<String>,
    /// The distance \[m\].
    pub distance: f64,
    /// Maximum deviation over the distance.
    pub tolerance: f64,
}

/// Bodies that end linked, each with the next.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linked {
    /// Names of two or more bodies.
    pub bodies: Vec<String>,
    /// The closed curve inside each body, in its frame.
    pub core: LinkingCurve,
}

/// A closed curve, in the frame of a body, whose linking with another one is judged.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LinkingCurve {
    /// A circle around the origin, in the plane z = 0.
    Circle {
        /// Its radius \[m\].
        radius: f64,
    },
    /// Points joined by straight lines, the last with the first.
    Polygon {
        /// Three points or more \[m\].
        points: Vec<Triple>,
    },
}

/// A quantity whose exact value is known.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// The measured quantity.
    pub quantity: Quantity,
    /// The exact value, in the unit of the quantity.
    pub exact: f64,
    /// Maximum deviation from it, in the same unit.
    pub tolerance: f64,
}

/// A quantity measured on the recorded states of a run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Quantity {
    /// Displacement of a body's origin from the start to the end, along a direction \[m\].
    Travel {
        /// Name of the body.
        body: String,
        /// The direction, of any length.
        along: Triple,
    },
    /// Maximum distance of a body's origin from its position at a given time, from then on \[m\].
    Drift {
        /// Name of the body.
        body: String,
        /// The time \[s\].
        from: f64,
    },
    /// Speed of a body's origin at the end, along a direction [m/s].
    Speed {
        /// Name of the body.
        body: String,
        /// The direction, of any length.
        along: Triple,
    },
    /// Maximum height of a body's origin after it has first been lowest, over its height at the start; against
    /// gravity, above the point where it bounces.
    Rebound {
        /// Name of the body.
        body: String,
        /// Position of its origin when it bounces \[m\].
        from: Triple,
    },
    /// Time of the first reversal of the rotation of a body about one of its own axes \[s\].
    FirstFlip {
        /// Name of the body.
        body: String,
        /// The axis, in the frame of the body, of any length.
        axis: Triple,
    },
    /// Mean time between two such reversals \[s\].
    FlipInterval {
        /// Name of the body.
        body: String,
        /// The axis, in the frame of the body, of any length.
        axis: Triple,
    },
    /// Displacement of a body's origin along an axis of the world per right-handed revolution about it \[m\], from the start
    /// to the end.
    Lead {
        /// Name of the body.
        body: String,
        /// The axis, of any length.
        axis: Triple,
    },
    /// Volume of a soft body at the end over that at rest.
    VolumeRatio {
        /// Name of the soft body.
        body: String,
    },
    /// Maximum change of a soft body's volume, over that at rest.
    VolumeDrift {
        /// Name of the soft body.
        body: String,
    },
    /// Number of inverted elements of a soft body at the end.
    InvertedElements {
        /// Name of the soft body.
        body: String,
    },
    /// Depth of the deepest contact in which a soft body takes part, from a given time on \[m\].
    Penetration {
        /// Name of the soft body.
        body: String,
        /// The time \[s\].
        from: f64,
    },
    /// Mean displacement of nodes of a soft body from the start to the end, along a direction \[m\].
    Deflection {
        /// Name of the soft body.
        body: String,
        /// The nodes.
        nodes: NodesEntry,
        /// The direction, of any length.
        along: Triple,
    },
    /// Force of a handle on a soft body at the end, along a direction \[N\].
    HandleForce {
        /// Name of the soft body.
        body: String,
        /// Name of its handle.
        handle: String,
        /// The direction, of any length.
        along: Triple,
    },
    /// Maximum sum of all contact forces on soft bodies and on what they touch, over the sum of their magnitudes.
    ContactImbalance,
    /// Maximum change of the kinetic, potential and elastic energy of all bodies since the start, over its kinetic part then.
    EnergyDrift,
    /// Maximum change of the angular momentum of all bodies about the world's origin since the start, over its
    /// length then.
    AngularMomentumDrift,
}
