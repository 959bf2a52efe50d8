//! The vertices of the unit ball of a norm among allowed translations.
//!
//! A convex set of overlapping translations contains the ball of radius r of a norm L1 or L∞ if and only if it contains the
//! vertices of the ball. So the penetration depth in such a norm is the minimum of the directional depths along the vertices of
//! the unit ball, and the same holds for its section with a plane or a line of allowed translations.

use nalgebra::{Unit, UnitVector3, Vector3};

use super::allowed_translations::{AllowedTranslations, PARALLEL};
use crate::geometry::Norm;

/// Directions of the vertices of the unit ball of a norm within the allowed translations; `None` for the round balls of L2 in
/// all translations and in a plane.
pub(crate) fn extreme_translations(
    norm: Norm,
    allowed: Option<AllowedTranslations>,
) -> Option<Vec<UnitVector3<f64>>> {
    let vertices = match allowed {
        Some(AllowedTranslations::Direction(direction)) => return Some(vec![direction]),
        Some(AllowedTranslations::Line(direction)) => return Some(vec![direction, -direction]),
        _ if norm == Norm::L2 => return None,
        Some(AllowedTranslations::Plane(normal)) => norm.section_vertices(&normal),
        None => norm.ball_vertices(),
    };
    Some(vertices.into_iter().map(Unit::new_normalize).collect())
}

/// Euclidean length \[m\] and direction of the allowed translation that is the shortest in a norm and moves a body out of a half-space
/// which it enters by `depth` \[m\], against its outward normal `up`; `None` if there is none.
pub(crate) fn out_of_half_space(
    (norm, allowed): (Norm, Option<AllowedTranslations>),
    depth: f64,
    up: &Vector3<f64>,
) -> Option<(f64, Vector3<f64>)> {
    let slope = |direction: &UnitVector3<f64>| direction.dot(up) / norm.of_unit(direction);
    match (extreme_translations(norm, allowed), allowed) {
        (None, None) => Some((depth, *up)),
        (None, Some(allowed)) => allowed.out_of_half_space(depth, up),
        (Some(directions), _) => {
            let steepest = directions.into_iter().max_by(|x, y| slope(x).total_cmp(&slope(y)))?;
            let direction = match allowed {
                None => Unit::new_normalize(norm.shortest_equal(&steepest, up)),
                Some(_) => steepest,
            };
            let rise = direction.dot(up);
            (rise >= PARALLEL).then(|| (depth / rise, direction.into_inner()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_space_is_left_by_its_depth_over_the_dual_norm_of_its_normal() {
        let ups = [[0.0, 0.0, 1.0], [0.6, 0.0, -0.8], [1.0, 2.0, 3.0], [-2.0, 2.0, 1.0]].map(Vector3::from);
        for up in ups.map(|up| up.normalize()) {
            for norm in [Norm::L1, Norm::L2, Norm::LInf] {
                let (length, direction) = out_of_half_space((norm, None), 0.3, &up).unwrap();
                let translation = direction * length;
                assert!((translation.dot(&up) - 0.3).abs() < 1e-15, "{norm} {up}");
                assert!((norm.of(&translation) - 0.3 / norm.dual().of(&up)).abs() < 1e-15, "{norm} {up}");
            }
        }
        // Of translations that are equally long in L∞, the one without components along the boundary.
        let (_, direction) = out_of_half_space((Norm::LInf, None), 0.3, &Vector3::z()).unwrap();
        assert!((direction - Vector3::z()).norm() < 1e-15);
    }

    #[test]
    fn directions_and_lines_that_leave_no_half_space_leave_none_in_any_norm() {
        for norm in [Norm::L1, Norm::L2, Norm::LInf] {
            for (allowed, is_left) in [
                ("direction:1,0,1", true),
                ("direction:1,0,-1", false),
                ("line:1,0,-1", true),
                ("plane:0,0,1", false),
            ] {
                let allowed = Some(allowed.parse().unwrap());
                let found = out_of_half_space((norm, allowed), 0.3, &Vector3::z());
                assert_eq!(found.is_some(), is_left, "{norm} {allowed:?}");
            }
        }
    }
}
