//! Reach of the contacts of fine meshes that move far in a step.
//!
//! The speculative margin of a pair is that of its fastest points, in any direction. Where it is longer than the features of
//! the meshes, most features within it cannot close: the bodies move past each other there, or apart. So beyond some
//! lengths of an edge, contacts are found only where the last step closed the gap fast enough ([`Approach`]), and no
//! farther than the fastest points of the place where both bodies can meet reach.
//!
//! | here    | meaning                                                                                    |
//! |---------|--------------------------------------------------------------------------------------------|
//! | x       | point, frame of A                                                                            |
//! | v(x)    | displacement of A relative to B at x in the last step [m]                                  |
//! | lens    | intersection of the ball around B and that around A, grown by the reach                    |

use nalgebra::{Isometry3, Point3};

use super::separation::MeshPair;
use extricate_core::proximity::contacts::Approach;

/// Gap, in lengths of a typical edge of the finer mesh, up to which contacts are found whatever the motion: bodies that bounce
/// change their direction within a step. With the margin of bodies at rest instead, about a tenth of that, dense meshes that fall
/// into a bin overlap 1.0 to 1.8 times as deep on impact, at the same cost; more finds more features that do not close.
const ANYWHERE: f64 = 2.0;
/// Growth of the lens for rounding; more only searches farther.
const ROUNDING: f64 = 1.0 + 1e-6;

/// Approach of a pair whose points B moved from where `to_before` maps them, if its reach [m] is beyond the features of the
/// finer mesh; with the reach at the place where the bodies can meet.
pub(super) fn approach(
    pair: &MeshPair,
    to_before: Isometry3<f64>,
    reach: f64,
    (steps, more): (f64, f64),
) -> Option<(Approach, f64)> {
    let min = ANYWHERE * pair.edge();
    if !(reach > min) {
        return None;
    }
    let (center, radius) = lens(pair, reach);
    // Beyond the centre v changes by less than the angle of the rotation times the distance.
    let speed = (to_before * center - center).norm() + to_before.rotation.angle() * radius;
    let approach = Approach { to_before, min, steps, more };
    Some((approach, reach.min(min.max(steps * (ROUNDING * speed + more)))))
}

/// Ball around the lens [m, frame of A].
fn lens(pair: &MeshPair, reach: f64) -> (Point3<f64>, f64) {
    let (a, b) = (pair.a.model.center(), pair.b_to_a * pair.b.model.center());
    let (radius_a, radius_b) = (ROUNDING * (pair.a.size() + reach), ROUNDING * pair.b.size());
    let between = a - b;
    let distance = between.norm();
    // From the centre of B to the plane of the circle in which both spheres intersect.
    let to_plane = (distance * distance + radius_b * radius_b - radius_a * radius_a) / (2.0 * distance);
    if to_plane > 0.0 && to_plane < distance {
        let square = (radius_b * radius_b - to_plane * to_plane).max(0.0);
        return (b + between * (to_plane / distance), square.sqrt());
    }
    // More than half of the smaller ball.
    if radius_a < radius_b { (a, radius_a) } else { (b, radius_b) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use extricate_core::geometry::Solidity;
    use extricate_core::geometry::procedural::{Procedural, Sphere};
    use extricate_core::proximity::Model;
    use nalgebra::{Translation3, UnitQuaternion, Vector3};

    use super::*;
    use crate::contact::mesh_shape::MeshShape;

    #[test]
    fn points_where_both_balls_are_near_move_no_farther_than_the_reach() {
        let ball = |radius| {
            let mesh = Sphere { radius, frequency: 12 }.mesh().unwrap();
            MeshShape::new(Arc::new(Model::new(mesh, Solidity::Solid)))
        };
        let (large, small) = (ball(1.0), ball(0.4));
        for (pair, x) in [
            ([&large, &small], 1.2),
            ([&small, &large], 1.2),
            ([&large, &small], 0.5),
            ([&large, &large], 1.8),
        ] {
            let [a, b] = pair;
            let b_to_a = Isometry3::from_parts(
                Translation3::new(x, 0.2, -0.1),
                UnitQuaternion::from_euler_angles(0.3, 0.2, 0.9),
            );
            let pair = MeshPair { a, b, b_to_a };
            for k in 0..8 {
                let spin = Vector3::new(0.1, -0.2, 0.05) * f64::from(k % 4);
                let by = Vector3::new(0.05, 0.02, -0.03) * f64::from(k / 4);
                let to_before = Isometry3::new(by, spin);
                let Some((_, found)) = approach(&pair, to_before, 0.6, (1.5, 0.01)) else { panic!("{k}") };
                let mut fastest: f64 = 0.0;
                // A lattice of points of both balls.
                for index in 0..41_i32.pow(3) {
                    let at = |k: i32| 0.1 * f64::from(index / 41_i32.pow(k as u32) % 41 - 20);
                    let point = Point3::new(at(0), at(1), at(2));
                    let from_b = (point - b_to_a * b.model.center()).norm();
                    if from_b <= b.size() && (point - a.model.center()).norm() <= a.size() + found {
                        fastest = fastest.max((to_before * point - point).norm());
                    }
                }
                assert!(found >= (1.5 * (fastest + 0.01)).min(0.6), "{k}: {fastest} {found}");
            }
        }
        // A spinning large ball moves little where it meets a small one beside its axis.
        let pair = MeshPair { a: &large, b: &small, b_to_a: Isometry3::translation(0.0, 0.0, 1.3) };
        let spin = Isometry3::new(Vector3::zeros(), Vector3::new(0.0, 0.0, 0.3));
        let (_, found) = approach(&pair, spin, 0.6, (1.5, 0.0)).unwrap();
        assert!(found < 0.3, "{found}");
    }
}
