//! Time of contact of two moving bodies at which they must stop.
//!
//! | pair                       | depth                                            | first time by                    |
//! |----------------------------|--------------------------------------------------|----------------------------------|
//! | anything and a half-space  | height of the lowest point                       | advancement                      |
//! | two convex bodies          | certified signed distance, exact                 | advancement                      |
//! | a ball and a mesh          | distance of the centre from the surface, exact   | advancement                      |
//! | all others                 | the mesh of one less its skin against the other  | [`surfaces`]                     |
//!
//! In the last row cylinders, cones and capsules are replaced by their proxy meshes.

use super::advancement::contact_time;
use super::gap_functions::{BallGap, ConvexGap, Height};
use super::path::Path;
use super::surfaces;
use super::swept::{Kind, MovingShape, SweptShape};
use crate::contact::clearance::Clearance;
use extricate_core::geometry::convex::{ConvexShape, Core};
use extricate_core::penetration::convex::ConvexCache;

/// Time from `from` on at which two bodies must stop, if they must; with the clearance of their surfaces, if it is known.
pub(super) fn time_of_contact(
    pair: [MovingShape<'_>; 2],
    from: f64,
    clearance: &mut Clearance,
) -> Option<f64> {
    let [(a, path_a), (b, path_b)] = pair;
    match (&a.kind, &b.kind) {
        (Kind::HalfSpace, Kind::HalfSpace) => None,
        (_, Kind::HalfSpace) => above_plane((a, path_a), path_b, from),
        (Kind::HalfSpace, _) => above_plane((b, path_b), path_a, from),
        (Kind::Convex(of_a), Kind::Convex(of_b)) => {
            let reaches = [a.reach_from(&path_a.center), b.reach_from(&path_b.center)];
            let (shapes, paths, cache) = ([of_a, of_b], [path_a, path_b], ConvexCache::default());
            contact_time(&mut ConvexGap { shapes, paths, reaches, cache }, min_skin(a, b), from)
        }
        (Kind::Convex(ball), Kind::Mesh(_)) if is_ball(ball) => {
            ball_and_mesh((a, path_a, ball), (b, path_b), from)
        }
        (Kind::Mesh(_), Kind::Convex(ball)) if is_ball(ball) => {
            ball_and_mesh((b, path_b, ball), (a, path_a), from)
        }
        _ => surfaces::time_of_contact(pair, from, clearance),
    }
}

fn is_ball(shape: &ConvexShape) -> bool {
    *shape.core() == Core::Point
}

/// Smaller skin [m] of those that have one.
fn min_skin(a: &SweptShape, b: &SweptShape) -> f64 {
    if a.skin > 0.0 && b.skin > 0.0 { a.skin.min(b.skin) } else { a.skin.max(b.skin) }
}

fn above_plane((shape, path): MovingShape<'_>, plane: &Path, from: f64) -> Option<f64> {
    /// Skin of a surface, which has none of its own, as a fraction of its reach. No effect on the sets of
    /// docs/sensitivity.md.
    const SURFACE: f64 = 5e-3;
    let skin = if shape.skin > 0.0 { shape.skin } else { SURFACE * shape.reach_from(&path.center) };
    let mut height = Height { shape, path, plane };
    // Most bodies are far above the ground, and their vertices are not needed.
    if height.stays_above(from) { None } else { contact_time(&mut height, skin, from) }
}

fn ball_and_mesh(
    (ball, path, shape): (&SweptShape, &Path, &ConvexShape),
    (other, mesh): MovingShape<'_>,
    from: f64,
) -> Option<f64> {
    let model = other.surface()?;
    let (radius, reach) = (shape.radius(), other.reach_from(&mesh.center));
    contact_time(&mut BallGap { path, radius, model, mesh, reach }, min_skin(ball, other), from)
}
