//! What a run must show: bounds, positions, and quantities with a known value.

use serde::Deserialize;

use super::{JointAt, NodesEntry, Triple};

/// What a run must show. Every bound is judged; what is missing is not.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Largest penetration depth of a pair over the size of its smaller body, from `settle_time` on.
    #[serde(default)]
    pub max_penetration: Option<f64>,
    /// Time from which `max_penetration` is judged [s].
    #[serde(default)]
    pub settle_time: Option<f64>,
    /// The same of the last state alone.
    #[serde(default)]
    pub final_penetration: Option<f64>,
    /// From this time on [s] every dynamic body moves slower than `rest_speed`.
    #[serde(default)]
    pub at_rest_by: Option<f64>,
    /// Speed of rest, in sizes of the body per second [1/s].
    #[serde(default)]
    pub rest_speed: Option<f64>,
    /// Largest rise of the total energy above its start, over the energy scale of the run.
    #[serde(default)]
    pub energy_gain: Option<f64>,
    /// Largest rise of the total energy above its least value before, over the energy scale of the run.
    #[serde(default)]
    pub energy_rise: Option<f64>,
    /// Largest speed of the origin of a dynamic body [m/s].
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
    /// Time from which `max_penetration` is judged [s]: 1 s where the scene says nothing.
    #[must_use]
    pub fn settle_time(&self) -> f64 {
        self.settle_time.unwrap_or(1.0)
    }

    /// Speed of rest in sizes of the body per second [1/s]: 0.01 where the scene says nothing.
    #[must_use]
    pub fn rest_speed(&self) -> f64 {
        self.rest_speed.unwrap_or(0.01)
    }
}

/// An axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Least coordinates [m].
    pub min: Triple,
    /// Greatest coordinates [m].
    pub max: Triple,
}

/// A body whose origin ends at a position.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyAt {
    /// Name of the body.
    pub body: String,
    /// The position [m].
    pub position: Triple,
    /// Greatest distance from it [m].
    pub tolerance: f64,
}

/// A body whose origin ends in a box.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyWithin {
    /// Name of the body.
    pub body: String,
    /// Least coordinates [m].
    pub min: Triple,
    /// Greatest coordinates [m].
    pub max: Triple,
}

/// Bodies whose origins end at a distance, each from the next.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distance {
    /// Names of two or more bodies.
    pub bodies: Vec<String>,
    /// The distance [m].
    pub distance: f64,
    /// Greatest deviation over the distance.
    pub tolerance: f64,
}

/// Bodies that end linked, each with the next.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linked {
    /// Names of two or more bodies.
    pub bodies: Vec<String>,
    /// The closed curve inside each body, in its frame.
    pub core: Core,
}

/// A closed curve, in the frame of a body.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Core {
    /// A circle around the origin, in the plane z = 0.
    Circle {
        /// Its radius [m].
        radius: f64,
    },
    /// Points joined by straight lines, the last with the first.
    Polygon {
        /// Three points or more [m].
        points: Vec<Triple>,
    },
}

/// A quantity whose exact value is known.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// What is measured.
    pub quantity: Quantity,
    /// The exact value, in the unit of the quantity.
    pub exact: f64,
    /// Greatest deviation from it, in the same unit.
    pub tolerance: f64,
}

/// What is measured of a run, at its recorded states.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Quantity {
    /// Way of a body's origin from the start to the end, along a direction [m].
    Travel {
        /// Name of the body.
        body: String,
        /// The direction, of any length.
        along: Triple,
    },
    /// Greatest distance of a body's origin from where it is at a time, from then on [m].
    Drift {
        /// Name of the body.
        body: String,
        /// The time [s].
        from: f64,
    },
    /// Speed of a body's origin at the end, along a direction [m/s].
    Speed {
        /// Name of the body.
        body: String,
        /// The direction, of any length.
        along: Triple,
    },
    /// Greatest height of a body's origin after it has first been lowest, over its height at the start; against
    /// gravity, above the point where it bounces.
    Rebound {
        /// Name of the body.
        body: String,
        /// Where its origin is when it bounces [m].
        from: Triple,
    },
    /// When the rotation of a body about one of its own axes is first reversed [s].
    FirstFlip {
        /// Name of the body.
        body: String,
        /// The axis, in the frame of the body, of any length.
        axis: Triple,
    },
    /// Mean time between two such reversals [s].
    FlipInterval {
        /// Name of the body.
        body: String,
        /// The axis, in the frame of the body, of any length.
        axis: Triple,
    },
    /// Way of a body's origin along an axis of the world for each turn about it, right-handed [m], from the start to
    /// the end.
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
    /// Greatest change of a soft body's volume, over that at rest.
    VolumeDrift {
        /// Name of the soft body.
        body: String,
    },
    /// Elements of a soft body that are turned inside out at the end.
    InvertedElements {
        /// Name of the soft body.
        body: String,
    },
    /// Depth of the deepest contact that a soft body has part in, from a time on [m].
    Penetration {
        /// Name of the soft body.
        body: String,
        /// The time [s].
        from: f64,
    },
    /// Mean way of nodes of a soft body from the start to the end, along a direction [m].
    Deflection {
        /// Name of the soft body.
        body: String,
        /// Which nodes.
        nodes: NodesEntry,
        /// The direction, of any length.
        along: Triple,
    },
    /// Greatest sum of all contact forces on soft bodies and on what they touch, over the sum of their magnitudes.
    ContactImbalance,
    /// Greatest change of the kinetic, potential and elastic energy of all bodies since the start, over its kinetic part then.
    EnergyDrift,
    /// Greatest change of the angular momentum of all bodies about the world's origin since the start, over its
    /// length then.
    AngularMomentumDrift,
}
