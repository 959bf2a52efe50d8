//! Equality constraints that close loops: `connect` and `weld` of two bodies.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use super::bodies::{Bodies, WORLD};
use super::defaults::Filled;
use crate::kinematics::closure::{ClosureElement, ClosureKind};
use crate::kinematics::urdf::UrdfError;

/// The closure of an element; none of other constraints, of sites, and of unknown bodies.
pub(super) fn closure_of(own: &Filled<'_>, bodies: &Bodies<'_>) -> Result<Option<ClosureElement>, UrdfError> {
    let element = own.element;
    let kind = match element.name.as_str() {
        "connect" => ClosureKind::Point,
        "weld" => ClosureKind::Weld,
        _ => return Ok(None),
    };
    let Some(first) = own.get("body1") else { return Ok(None) };
    let names = [first, own.get("body2").unwrap_or(WORLD)];
    let found = names.map(|name| bodies.links.iter().position(|link| link.name == name));
    let [Some(a), Some(b)] = found else { return Ok(None) };
    let (to_first, to_second) = (bodies.to_links[a], bodies.to_links[b]);
    let (first, second) = match kind {
        ClosureKind::Point => {
            let Some([x, y, z]) = own.numbers::<3>("anchor")? else { return Ok(None) };
            (to_first * Translation3::new(x, y, z), None)
        }
        ClosureKind::Weld => match relative(own)? {
            // The pose of the second body in the first one.
            Some(pose) => (to_first * pose, Some(to_second)),
            None => (to_first, None),
        },
    };
    let name = element
        .get("name")
        .map_or_else(|| format!("{} {} {}", element.name, names[0], names[1]), str::to_owned);
    Ok(Some(ClosureElement { name, links: names.map(str::to_owned), first, second, kind }))
}

/// The relative pose of a weld; none where it is that at rest, which a quaternion of zeros states.
fn relative(own: &Filled<'_>) -> Result<Option<Isometry3<f64>>, UrdfError> {
    let Some([x, y, z, w, i, j, k]) = own.numbers::<7>("relpose")? else { return Ok(None) };
    let rotation = UnitQuaternion::try_new(Quaternion::new(w, i, j, k), 0.0);
    Ok(rotation.map(|rotation| Isometry3::from_parts(Translation3::new(x, y, z), rotation)))
}
