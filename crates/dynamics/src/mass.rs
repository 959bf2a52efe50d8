//! Mass, centre of mass and inertia of bodies of uniform density.

use rapier3d::dynamics::MassProperties as RapierMassProperties;

use crate::description::{BodyDescription, Mass};
use crate::error::BuildError;
use crate::rigid::rapier_mass;
use crate::shape::primitive::{is_primitive, pose_of_rapiers, rapiers_own};
use extricate_core::geometry::Solidity;
use extricate_core::geometry::mass_properties::{MassProperties, signed_volume};
use extricate_core::kinematics::urdf::Inertial;

/// Thickness [m] of a surface in the computation of its inertia; it cancels when the result is scaled to the mass.
const SHELL: f64 = 1.0;

/// Mass, centre of mass and inertia of a dynamic body, in its own frame.
///
/// Those of primitives, hulls and rounded boxes are exact; those of other rounded shapes are computed from a mesh that lies
/// inside them by up to 0.5 % of the radius around their core.
pub(crate) fn mass_properties(body: &BodyDescription) -> Result<RapierMassProperties, BuildError> {
    let no_volume = |volume| BuildError::NoVolume { name: body.name.clone(), volume };
    if let Mass::Inertial(inertial) = body.mass {
        return Ok(rapier_mass(&inertial));
    }
    let unit = match (body.shape.model(), body.shape.bounded_core()) {
        (Some(model), _) if model.solidity() == Solidity::Solid => {
            MassProperties::of_solid(model.mesh()).map_err(|_| no_volume(signed_volume(model.mesh())))?
        }
        (Some(model), _) if matches!(body.mass, Mass::Total(_)) => {
            MassProperties::of_surface(model.mesh(), SHELL).map_err(|_| no_volume(0.0))?
        }
        (Some(_), _) => return Err(BuildError::SurfaceDensity { name: body.name.clone() }),
        (None, None) => return Err(no_volume(f64::INFINITY)),
        (None, Some(convex)) if is_primitive(convex) => {
            let shape = rapiers_own(convex).ok_or_else(|| no_volume(0.0))?;
            let density = density(body.mass, shape.mass_properties(1.0).mass());
            let pose = pose_of_rapiers(convex.core());
            return Ok(shape.mass_properties(density).transform_by(&pose.into()));
        }
        (None, Some(convex)) => convex.measured_mass().ok_or_else(|| no_volume(0.0))?,
    };
    let density = density(body.mass, unit.volume);
    let (mass, inertia) = (unit.volume * density, unit.inertia * density);
    Ok(rapier_mass(&Inertial { mass, center: unit.center, inertia }))
}

fn density(mass: Mass, volume: f64) -> f64 {
    match mass {
        Mass::Density(density) => density,
        Mass::Total(mass) => mass / volume,
        Mass::Inertial(inertial) => inertial.mass / volume,
    }
}
