//! Measurement of quantities of soft bodies.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

use super::super::placement::vector;
use super::super::schema::{NodesEntry, Quantity, Triple};
use super::super::soft::nodes_of;
use crate::state::SoftState;
use extricate_dynamics::SoftBodyDescription;

/// Intermediate result of a quantity of a soft body.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::scene) enum SoftReading {
    VolumeRatio { ratio: f64 },
    VolumeDrift { max: f64 },
    Inverted { count: f64 },
    Penetration { from: f64, max: f64 },
    Deflection(Deflection),
    HandleForce { handle: String, along: Vector3<f64>, force: f64 },
}

/// Mean displacement of some nodes along a direction.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::scene) struct Deflection {
    #[serde(skip)]
    nodes: Arc<[u32]>,
    along: Vector3<f64>,
    start: Option<Vector3<f64>>,
    #[serde(rename = "way")]
    displacement: f64,
}

impl SoftReading {
    /// Name, body and initial reading of `quantity`, if it is one of a soft body.
    pub(super) fn new<'q>(
        quantity: &'q Quantity,
        bodies: &[SoftBodyDescription],
    ) -> Option<(String, &'q str, Self)> {
        let (name, body, reading): (String, &String, Self) = match quantity {
            Quantity::VolumeRatio { body } => {
                (format!("volume_ratio({body})"), body, Self::VolumeRatio { ratio: f64::NAN })
            }
            Quantity::VolumeDrift { body } => {
                (format!("volume_drift({body})"), body, Self::VolumeDrift { max: f64::NAN })
            }
            Quantity::InvertedElements { body } => {
                (format!("inverted_elements({body})"), body, Self::Inverted { count: f64::NAN })
            }
            Quantity::Penetration { body, from } => {
                let reading = Self::Penetration { from: *from, max: f64::NAN };
                (format!("penetration({body}) [m]"), body, reading)
            }
            Quantity::Deflection { body, nodes, along } => {
                let deflection =
                    Deflection::new(bodies.iter().find(|soft| soft.name == *body), nodes, *along);
                (format!("deflection({body}) [m]"), body, Self::Deflection(deflection))
            }
            Quantity::HandleForce { body, handle, along } => {
                let along = vector(*along).normalize();
                let reading = Self::HandleForce { handle: handle.clone(), along, force: f64::NAN };
                (format!("handle_force({body}, {handle}) [N]"), body, reading)
            }
            _ => return None,
        };
        Some((name, body.as_str(), reading))
    }

    /// Takes the state of the body that is measured into account.
    pub(super) fn follow(&mut self, time: f64, body: &SoftState) {
        let state = &body.state;
        match self {
            Self::VolumeRatio { ratio } => *ratio = state.volume / body.rest_volume,
            Self::VolumeDrift { max } => *max = max.max(state.volume_change.map_or(0.0, f64::abs)),
            #[expect(clippy::cast_precision_loss, reason = "a mesh has few elements")]
            Self::Inverted { count } => *count = state.inverted as f64,
            Self::Penetration { from, max } if time >= *from => {
                *max = max.max(state.max_penetration);
            }
            Self::Penetration { .. } => {}
            Self::Deflection(deflection) => deflection.follow(&body.nodes),
            Self::HandleForce { handle, along, force } => {
                *force = state.handles.get(handle).map_or(f64::NAN, |load| load.force.dot(along));
            }
        }
    }

    /// Takes over the set of nodes, which is not serialized.
    pub(super) fn adopt_nodes(&mut self, other: &Self) {
        if let (Self::Deflection(own), Self::Deflection(other)) = (self, other) {
            own.nodes = Arc::clone(&other.nodes);
        }
    }

    pub(super) fn value(&self) -> f64 {
        match self {
            Self::VolumeRatio { ratio: value }
            | Self::VolumeDrift { max: value }
            | Self::Inverted { count: value }
            | Self::Penetration { max: value, .. }
            | Self::HandleForce { force: value, .. }
            | Self::Deflection(Deflection { displacement: value, .. }) => *value,
        }
    }
}

impl Deflection {
    fn new(body: Option<&SoftBodyDescription>, nodes: &NodesEntry, along: Triple) -> Self {
        let nodes = body.and_then(|body| nodes_of(&body.mesh, &body.name, nodes).ok());
        let along = vector(along).normalize();
        Self { nodes: nodes.unwrap_or_default().into(), along, start: None, displacement: f64::NAN }
    }

    fn follow(&mut self, at: &[Point3<f64>]) {
        let sum: Vector3<f64> = self.nodes.iter().map(|&node| at[node as usize].coords).sum();
        let mean = sum / self.nodes.len() as f64;
        self.displacement = (mean - *self.start.get_or_insert(mean)).dot(&self.along);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::quantity::Meter;
    use crate::state::WorldState;
    use extricate_core::geometry::tet_mesh::procedural::block;
    use extricate_dynamics::soft::material::{Constitutive, Material};
    use extricate_dynamics::{SoftBodyState, SoftLoad, SoftReport};
    use nalgebra::Isometry3;

    /// A cube with an edge of 2 m around its origin.
    fn cube() -> SoftBodyDescription {
        let mesh = block([1, 1, 1], Vector3::repeat(2.0), Point3::new(-1.0, -1.0, -1.0)).unwrap();
        let material = Material::new(Constitutive::NeoHookean, 1.0, 1.0, 0.3).unwrap();
        SoftBodyDescription::new("b", Arc::new(mesh), material, Isometry3::identity())
    }

    /// The value after states a second apart, in which the cube is stretched along x by the factors.
    fn measured(quantity: &Quantity, stretches: &[f64]) -> f64 {
        let cube = cube();
        let mut meter = Meter::new(quantity, &["a"], std::slice::from_ref(&cube), &Vector3::zeros());
        for (second, stretch) in stretches.iter().enumerate() {
            let at = |p: &Point3<f64>| Point3::new(stretch * p.x, p.y, p.z);
            let nodes: Vec<_> = cube.mesh.nodes().iter().map(at).collect();
            let state = SoftBodyState {
                name: "b".into(),
                centroid: Point3::new(*stretch, 0.0, 0.0),
                velocity: Vector3::new(0.0, *stretch, 0.0),
                volume: 8.0 * stretch,
                rest_volume: 8.0,
                max_penetration: 0.1 * stretch,
                inverted: second,
                handles: vec![(
                    "grip".into(),
                    SoftLoad { force: 10.0 * *stretch * Vector3::z(), ..SoftLoad::default() },
                )],
            };
            let soft = vec![SoftState { nodes, ..state.into() }];
            meter.observe(&WorldState { time: second as f64, soft, ..WorldState::default() });
        }
        meter.value()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn volumes_depths_and_inverted_elements_are_those_of_their_times() {
        let stretches = [1.0, 0.5, 1.25];
        let body = || String::from("b");
        close(measured(&Quantity::VolumeRatio { body: body() }, &stretches), 1.25);
        close(measured(&Quantity::VolumeDrift { body: body() }, &stretches), 0.5);
        close(measured(&Quantity::InvertedElements { body: body() }, &stretches), 2.0);
        close(measured(&Quantity::Penetration { body: body(), from: 0.0 }, &stretches), 0.125);
        close(measured(&Quantity::Penetration { body: body(), from: 1.0 }, &stretches[..2]), 0.05);
        assert!(measured(&Quantity::Penetration { body: body(), from: 9.0 }, &stretches).is_nan());
    }

    #[test]
    fn a_deflection_is_the_mean_displacement_of_the_nodes_along_the_direction() {
        let face = NodesEntry::HalfSpace { point: (1.0, 0.0, 0.0), normal: (-1.0, 0.0, 0.0) };
        let deflection = |nodes, along| {
            measured(&Quantity::Deflection { body: "b".into(), nodes, along }, &[1.0, 3.0, 1.5])
        };
        close(deflection(face.clone(), (2.0, 0.0, 0.0)), 0.5);
        close(deflection(face, (-3.0, 4.0, 0.0)), -0.3);
        close(deflection(NodesEntry::All, (1.0, 0.0, 0.0)), 0.0);
    }

    #[test]
    fn the_force_of_a_handle_is_that_at_the_end_along_the_direction() {
        let force = |handle: &str, along| {
            measured(&Quantity::HandleForce { body: "b".into(), handle: handle.into(), along }, &[1.0, 3.0])
        };
        close(force("grip", (0.0, 0.0, -2.0)), -30.0);
        close(force("grip", (3.0, 0.0, 4.0)), 24.0);
        assert!(force("other", (0.0, 0.0, 1.0)).is_nan());
    }

    #[test]
    fn the_centre_of_a_soft_body_travels_and_drifts_like_that_of_a_rigid_one() {
        let stretches = [1.0, 4.0, 3.0];
        let along = (1.0, 0.0, 0.0);
        close(measured(&Quantity::Travel { body: "b".into(), along }, &stretches), 2.0);
        close(measured(&Quantity::Drift { body: "b".into(), from: 0.5 }, &stretches), 1.0);
        close(measured(&Quantity::Speed { body: "b".into(), along: (0.0, 2.0, 0.0) }, &stretches), 3.0);
    }

    #[test]
    fn the_imbalance_is_the_maximum_over_the_steps_with_contact() {
        let mut meter = Meter::new(&Quantity::ContactImbalance, &[], &[], &Vector3::zeros());
        let step =
            |contact_force, imbalance| SoftReport { contact_force, imbalance, ..SoftReport::default() };
        meter.follow_contacts(&step(0.0, 0.0));
        assert!(meter.value().is_nan(), "nothing has touched");
        [step(10.0, 1.0), step(1000.0, 2.0), step(0.0, 0.0)]
            .iter()
            .for_each(|step| meter.follow_contacts(step));
        close(meter.value(), 0.1);
    }
}
