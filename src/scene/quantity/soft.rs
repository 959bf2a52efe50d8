//! Measuring the quantities of soft bodies.

use std::sync::Arc;

use nalgebra::Vector3;

use super::super::judge::{Moment, SoftMoment};
use super::super::placement::vector;
use super::super::schema::{NodesEntry, Quantity, Triple};
use super::super::soft::nodes_of;
use crate::dynamics::SoftBodyDescription;

/// What is known of a quantity of a soft body so far.
#[derive(Debug, Clone)]
pub(super) enum SoftReading {
    VolumeRatio { ratio: f64 },
    VolumeDrift { greatest: f64 },
    Inverted { count: f64 },
    Penetration { from: f64, greatest: f64 },
    Deflection(Deflection),
}

/// The mean way of some nodes.
#[derive(Debug, Clone)]
pub(super) struct Deflection {
    nodes: Arc<[u32]>,
    along: Vector3<f64>,
    start: Option<Vector3<f64>>,
    way: f64,
}

impl SoftReading {
    /// The reading of `quantity` with its name and that of its body, where it is a quantity of a soft body.
    pub(super) fn new<'q>(
        quantity: &'q Quantity,
        bodies: &[SoftBodyDescription],
    ) -> Option<(String, &'q str, Self)> {
        let (name, body, reading): (String, &String, Self) = match quantity {
            Quantity::VolumeRatio { body } => {
                (format!("volume_ratio({body})"), body, Self::VolumeRatio { ratio: f64::NAN })
            }
            Quantity::VolumeDrift { body } => {
                (format!("volume_drift({body})"), body, Self::VolumeDrift { greatest: f64::NAN })
            }
            Quantity::InvertedElements { body } => {
                (format!("inverted_elements({body})"), body, Self::Inverted { count: f64::NAN })
            }
            Quantity::Penetration { body, from } => {
                let reading = Self::Penetration { from: *from, greatest: f64::NAN };
                (format!("penetration({body}) [m]"), body, reading)
            }
            Quantity::Deflection { body, nodes, along } => {
                let way = Deflection::new(bodies.iter().find(|soft| soft.name == *body), nodes, *along);
                (format!("deflection({body}) [m]"), body, Self::Deflection(way))
            }
            _ => return None,
        };
        Some((name, body.as_str(), reading))
    }

    /// Takes the state of the body that is measured into account.
    pub(super) fn follow(&mut self, moment: &Moment, body: &SoftMoment) {
        let state = body.state;
        match self {
            Self::VolumeRatio { ratio } => *ratio = state.volume / state.rest_volume,
            Self::VolumeDrift { greatest } => {
                *greatest = greatest.max((state.volume / state.rest_volume - 1.0).abs());
            }
            #[expect(clippy::cast_precision_loss, reason = "a mesh has few elements")]
            Self::Inverted { count } => *count = state.inverted as f64,
            Self::Penetration { from, greatest } if moment.time >= *from => {
                *greatest = greatest.max(state.max_penetration);
            }
            Self::Penetration { .. } => {}
            Self::Deflection(deflection) => deflection.follow(body.nodes),
        }
    }

    pub(super) fn value(&self) -> f64 {
        match self {
            Self::VolumeRatio { ratio: value }
            | Self::VolumeDrift { greatest: value }
            | Self::Inverted { count: value }
            | Self::Penetration { greatest: value, .. }
            | Self::Deflection(Deflection { way: value, .. }) => *value,
        }
    }
}

impl Deflection {
    fn new(body: Option<&SoftBodyDescription>, nodes: &NodesEntry, along: Triple) -> Self {
        let nodes = body.and_then(|body| nodes_of(&body.mesh, &body.name, nodes).ok());
        let along = vector(along).normalize();
        Self { nodes: nodes.unwrap_or_default().into(), along, start: None, way: f64::NAN }
    }

    fn follow(&mut self, at: &[Vector3<f64>]) {
        let sum: Vector3<f64> = self.nodes.iter().map(|&node| at[node as usize]).sum();
        let mean = sum / self.nodes.len() as f64;
        self.way = (mean - *self.start.get_or_insert(mean)).dot(&self.along);
    }
}
