//! Procedural meshes: closed, manifold, outward-oriented solids from a few parameters.
//!
//! Every kind is a struct of parameters with a `Default` of about one metre in size; [`Procedural::mesh`] checks
//! the parameters and builds the mesh. The same kinds are available by name, for the command line and for scenes:
//!
//! ```
//! use std::collections::BTreeMap;
//! use extricate_core::geometry::procedural;
//!
//! let parameters = BTreeMap::from([("major_radius".to_owned(), 2.0)]);
//! let ring = procedural::build("torus", &parameters)?;
//! assert!((ring.aabb().extents().x - 2.0 * 2.2).abs() < 1e-12);
//! # Ok::<(), extricate_core::geometry::ShapeError>(())
//! ```
//!
//! Lengths are in metres, angles in radians. The frame: z is up and the axis of symmetry, if there is one; the middle of
//! height, width and depth is at the origin, unless a kind states otherwise. Curved shapes are inscribed: their
//! vertices are on the surface that the parameters describe, so a polygonal volume is slightly less than the smooth one.

#[macro_use]
pub(crate) mod parameters;
mod boxes;
mod cells;
mod cup;
mod figurine;
mod gear;
mod golf_club;
mod grates;
mod hammer;
mod knot;
mod noise;
mod pottery;
mod revolved;
mod ring;
mod round;
mod spheres;
mod spoon;
mod surface;
mod threads;
mod tube;

pub use self::parameters::SCALE;
pub use boxes::{Cuboid, LShape, Tub};
pub use cup::Cup;
pub use figurine::Figurine;
pub use gear::Gear;
pub use golf_club::GolfClub;
pub use grates::{Grate, Lattice};
pub use hammer::Hammer;
pub use knot::TorusKnot;
pub use parameters::{Kind, Parameter, Procedural};
pub use pottery::{Bowl, Plate};
pub use revolved::{Apple, Bottle, Pawn};
pub use ring::{DistortedTorus, Torus};
pub use round::{Capsule, Cone, Cylinder};
pub use spheres::{Blob, BumpySphere, Sphere, UvSphere};
pub use spoon::Spoon;
pub use threads::{Bolt, Nut};

use crate::geometry::shape_error::ShapeError;
use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::triangle_mesh::TriangleMesh;

/// All kinds of procedural meshes, sorted by name.
pub const KINDS: &[Kind] = &[
    Kind::of::<Apple>(),
    Kind::of::<Blob>(),
    Kind::of::<Bolt>(),
    Kind::of::<Bottle>(),
    Kind::of::<Bowl>(),
    Kind::of::<Cuboid>(),
    Kind::of::<BumpySphere>(),
    Kind::of::<Capsule>(),
    Kind::of::<Cone>(),
    Kind::of::<Cup>(),
    Kind::of::<Cylinder>(),
    Kind::of::<DistortedTorus>(),
    Kind::of::<Figurine>(),
    Kind::of::<Gear>(),
    Kind::of::<GolfClub>(),
    Kind::of::<Grate>(),
    Kind::of::<Hammer>(),
    Kind::of::<LShape>(),
    Kind::of::<Lattice>(),
    Kind::of::<Nut>(),
    Kind::of::<Pawn>(),
    Kind::of::<Plate>(),
    Kind::of::<Sphere>(),
    Kind::of::<Spoon>(),
    Kind::of::<Torus>(),
    Kind::of::<TorusKnot>(),
    Kind::of::<Tub>(),
    Kind::of::<UvSphere>(),
];

/// Kind of procedural mesh of a name.
///
/// # Errors
/// [`ShapeError::UnknownKind`] if there is none.
pub fn kind(name: &str) -> Result<&'static Kind, ShapeError> {
    (KINDS.iter().find(|kind| kind.name == name)).ok_or_else(|| ShapeError::UnknownKind {
        kind: name.to_owned(),
        known: KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", "),
    })
}

/// Builds a mesh of a kind from parameters by name; omitted ones have their defaults. Counts are integers, and `scale`
/// multiplies every length.
///
/// # Errors
/// [`ShapeError`] when the kind or a parameter is unknown, or a value is out of its range.
pub fn build(name: &str, parameters: &BTreeMap<String, f64>) -> Result<TriangleMesh, ShapeError> {
    let kind = kind(name)?;
    let mut own = parameters.clone();
    let scale = own.remove(SCALE).unwrap_or(1.0);
    if !(scale > 0.0 && scale.is_finite()) {
        let (shape, quantity, expected) = (kind.name, SCALE, "a positive factor");
        return Err(ShapeError::OutOfRange { shape, quantity, value: scale, unit: "", expected });
    }
    kind.build(&own)?.scaled(&Vector3::repeat(scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_by_name_and_distinct() {
        assert!(KINDS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn unknown_names_are_errors_that_list_the_known_ones() {
        let error = build("tortus", &BTreeMap::new()).unwrap_err();
        assert!(error.to_string().contains("torus_knot"), "{error}");
        let error = build("torus", &BTreeMap::from([("radius".to_owned(), 1.0)])).unwrap_err();
        assert!(error.to_string().contains("major_radius"), "{error}");
    }

    #[test]
    fn every_length_scales_with_scale() {
        let twice = build("cup", &BTreeMap::from([(SCALE.to_owned(), 2.0)])).unwrap();
        let once = build("cup", &BTreeMap::new()).unwrap();
        assert!((twice.aabb().extents() - 2.0 * once.aabb().extents()).norm() < 1e-12);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(build("cup", &BTreeMap::from([(SCALE.to_owned(), bad)])).is_err());
        }
    }
}
