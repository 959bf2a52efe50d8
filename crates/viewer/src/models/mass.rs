//! Masses of bodies, for panels.

use extricate_dynamics::{BodyDescription, BodyKind, Mass};

/// Mass of a dynamic body [kg]; `None` if its shape has no volume.
pub(super) fn of(body: &BodyDescription) -> Option<f64> {
    if body.kind != BodyKind::Dynamic {
        return None;
    }
    let mass = match &body.mass {
        Mass::Total(mass) => *mass,
        Mass::Inertial(inertial) => inertial.mass,
        Mass::Density(density) => density * body.shape.volume(),
    };
    (mass > 0.0 && mass.is_finite()).then_some(mass)
}
