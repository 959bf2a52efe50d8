//! Mass, centre and inertia of bodies, each filled evenly.

use rapier3d::dynamics::MassProperties as RapierMassProperties;
use rapier3d::math::{Matrix, Vector};

use crate::description::{BodyDescription, Mass};
use crate::error::BuildError;
use crate::rigid::rapier_mass;
use crate::shape::Shape;
use crate::shape::primitive::primitive_of;
use crate::shape::volume::of_convex;
use extricate_core::geometry::Solidity;
use extricate_core::geometry::mass_properties::{MassProperties, signed_volume};

/// Thickness [m] of a surface in the computation of its inertia; it cancels against the mass.
const SHELL: f64 = 1.0;

/// Mass, centre and inertia of a dynamic body, in its own frame.
///
/// Primitives, hulls and rounded boxes are exact; other rounded shapes are measured by a mesh that lies inside them by
/// up to 0.5 % of the radius around their core.
pub(crate) fn mass_properties(body: &BodyDescription) -> Result<RapierMassProperties, BuildError> {
    let no_volume = |volume| BuildError::NoVolume { name: body.name.clone(), volume };
    let unit = match (&body.shape, body.mass) {
        (_, Mass::Inertial(inertial)) => return Ok(rapier_mass(&inertial)),
        (Shape::HalfSpace { .. }, _) => return Err(no_volume(f64::INFINITY)),
        (Shape::Mesh(model), Mass::Total(_)) if model.solidity() == Solidity::Surface => {
            MassProperties::of_surface(model.mesh(), SHELL).map_err(|_| no_volume(0.0))?
        }
        (Shape::Mesh(model), Mass::Density(_)) if model.solidity() == Solidity::Surface => {
            return Err(BuildError::SurfaceDensity { name: body.name.clone() });
        }
        (Shape::Mesh(model), _) => {
            MassProperties::of_solid(model.mesh()).map_err(|_| no_volume(signed_volume(model.mesh())))?
        }
        (shape @ (Shape::Hull(_) | Shape::Rounded { .. }), _) => {
            of_convex(shape).ok_or_else(|| no_volume(0.0))?
        }
        (primitive, mass) => {
            let (shape, shape_to_body) = primitive_of(primitive).ok_or_else(|| no_volume(0.0))?;
            let unit = shape.mass_properties(1.0);
            let density = density(mass, unit.mass());
            return Ok(shape.mass_properties(density).transform_by(&shape_to_body.into()));
        }
    };
    let density = density(body.mass, unit.volume);
    let center: Vector = unit.center.coords.into();
    let inertia: Matrix = (unit.inertia * density).into();
    Ok(RapierMassProperties::with_inertia_matrix(center, unit.volume * density, inertia))
}

fn density(mass: Mass, volume: f64) -> f64 {
    match mass {
        Mass::Density(density) => density,
        Mass::Total(mass) => mass / volume,
        Mass::Inertial(inertial) => inertial.mass / volume,
    }
}
