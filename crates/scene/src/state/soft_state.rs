//! State of a soft body.

use nalgebra::{Point3, Vector3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use extricate_dynamics::SoftBodyState;

/// State of a soft body.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftState {
    /// Its name.
    pub name: String,
    /// Motion and deformation as a whole.
    pub state: SoftValues,
    /// Volume at rest [m³]; not recorded, zero in a state that was read.
    pub rest_volume: f64,
    /// Positions of its nodes, those of the edges' middles included where elements are quadratic [m]. They are recorded in a
    /// file of their own.
    pub nodes: Vec<Point3<f64>>,
    /// Velocities of the same nodes [m/s]; not recorded.
    pub velocities: Vec<Vector3<f64>>,
}

/// Motion and deformation of a soft body as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("required" = ["centroid", "velocity", "max_penetration", "volume", "volume_change", "inverted"]))]
pub struct SoftValues {
    /// Centre of mass [m].
    #[schemars(with = "[f64; 3]")]
    pub centroid: Point3<f64>,
    /// Velocity of the centre of mass [m/s].
    #[schemars(with = "[f64; 3]")]
    pub velocity: Vector3<f64>,
    /// Deepest contact that it has part in [m].
    #[schemars(range(min = 0.0))]
    pub max_penetration: f64,
    /// Volume [m³].
    pub volume: f64,
    /// Volume over that at rest, less one.
    // None in a state of a golden file alone, which does not hold it: the published schema is that of recorded states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub volume_change: Option<f64>,
    /// Number of inverted elements.
    pub inverted: usize,
}

/// A state without its nodes.
impl From<SoftBodyState> for SoftState {
    fn from(state: SoftBodyState) -> Self {
        let SoftBodyState { name, centroid, velocity, volume, rest_volume, max_penetration, inverted } =
            state;
        let volume_change = Some(volume / rest_volume - 1.0);
        let state = SoftValues { centroid, velocity, max_penetration, volume, volume_change, inverted };
        Self { name, state, rest_volume, nodes: Vec::new(), velocities: Vec::new() }
    }
}
