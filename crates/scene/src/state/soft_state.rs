//! State of a soft body.

use std::collections::BTreeMap;

use nalgebra::{Point3, Vector3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use extricate_dynamics::{SoftBodyState, SoftLoad};

/// State of a soft body.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftState {
    /// Its name.
    pub name: String,
    /// Motion and deformation as a whole.
    pub state: SoftValues,
    /// Rest volume \[m³\]; not recorded, zero in a state that was read.
    pub rest_volume: f64,
    /// Positions of its nodes, those in the middle of edges included where elements are quadratic \[m\]. They are recorded in a
    /// separate file.
    pub nodes: Vec<Point3<f64>>,
    /// Velocities of the same nodes [m/s]; not recorded.
    pub velocities: Vec<Vector3<f64>>,
}

/// Motion and deformation of a soft body as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("required" = ["centroid", "velocity", "max_penetration", "volume", "volume_change", "inverted"]))]
pub struct SoftValues {
    /// Centre of mass \[m\].
    #[schemars(with = "[f64; 3]")]
    pub centroid: Point3<f64>,
    /// Velocity of the centre of mass [m/s].
    #[schemars(with = "[f64; 3]")]
    pub velocity: Vector3<f64>,
    /// Deepest contact of the body \[m\].
    #[schemars(range(min = 0.0))]
    pub max_penetration: f64,
    /// Volume \[m³\].
    pub volume: f64,
    /// Relative change of the volume: volume over that at rest, minus one.
    // Only golden files leave it out: the published schema is that of recorded states, where it is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub volume_change: Option<f64>,
    /// Number of inverted elements.
    pub inverted: usize,
    /// Loads of its handles on it at the end of the last step, by their names; left out where it has none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub handles: BTreeMap<String, HandleLoad>,
}

/// Load of a handle on a soft body, in the axes of the world.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HandleLoad {
    /// Force \[N\].
    #[schemars(with = "[f64; 3]")]
    pub force: Vector3<f64>,
    /// Torque about the pivot of the handle [N·m].
    #[schemars(with = "[f64; 3]")]
    pub torque: Vector3<f64>,
}

/// A state without its nodes.
impl From<SoftBodyState> for SoftState {
    fn from(state: SoftBodyState) -> Self {
        let SoftBodyState {
            name,
            centroid,
            velocity,
            volume,
            rest_volume,
            max_penetration,
            inverted,
            handles,
        } = state;
        let handles = handles
            .into_iter()
            .map(|(name, SoftLoad { force, torque })| (name, HandleLoad { force, torque }))
            .collect();
        let volume_change = Some(volume / rest_volume - 1.0);
        let state =
            SoftValues { centroid, velocity, max_penetration, volume, volume_change, inverted, handles };
        Self { name, state, rest_volume, nodes: Vec::new(), velocities: Vec::new() }
    }
}
