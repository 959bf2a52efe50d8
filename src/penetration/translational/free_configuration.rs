//! Free configurations from which a walk can start [Je12 §5].

use nalgebra::{Isometry3, Vector3};

use super::walk::{ContactSpace, Optimum};

/// Directions of a thorough search, spread evenly over the sphere.
const DIRECTIONS: u32 = 200;
/// Directions in which a thorough search marches out from inside, beside the axes of both bodies.
const MARCHES: u32 = 200;
/// Steps that such a march may take at the most, of a way as long as the best depth so far.
const STRIDES: f64 = 48.0;
/// How far such a march may go, in best depths so far: the walk from a gap a little farther may end nearer. Against
/// 1 this costs a third more time and brought the last of the exact reference cases to its depth.
const MARCH_REACH: f64 = 1.15;
/// Walks of a thorough search, from the most promising directions.
const WALKS: usize = 10;
/// Directions whose cosine exceeds this lead to the same place: the better one is enough.
const SAME: f64 = 0.995;

/// The direction of the centroid difference [Je12 §5.1], from B to A in the frame of B's tree.
pub(crate) fn centroid_difference(space: &ContactSpace) -> Vector3<f64> {
    let (a, b) = (space.a, space.b);
    let in_b = space.a_to_b.point(&(a.centroid() - a.center().coords));
    let difference = in_b - (b.centroid() - b.center().coords);
    let size = a.radius() + b.radius();
    if difference.norm() > 1e-9 * size {
        return difference.normalize();
    }
    // Concentric: the shortest way out along the axes of either body is as good a guess as any.
    let shortest = axes(space).map(|direction| (space.outside(&direction), direction));
    shortest.min_by(|x, y| x.0.total_cmp(&y.0)).map_or(Vector3::x(), |(_, direction)| direction)
}

/// The six directions along the axes of B, then those of A.
fn axes(space: &ContactSpace) -> impl Iterator<Item = Vector3<f64>> + use<> {
    let rotation = space.a_to_b.rotation;
    let of_b = [Vector3::x(), Vector3::y(), Vector3::z()];
    let of_a = of_b.map(|axis| rotation * axis);
    of_b.into_iter().chain(of_a).flat_map(|axis| [axis, -axis])
}

/// Point `i` of `n` on the unit sphere along a golden-angle spiral.
fn fibonacci(i: u32, n: u32) -> Vector3<f64> {
    let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(n);
    let angle = std::f64::consts::PI * (3.0 - 5_f64.sqrt()) * f64::from(i);
    let radius = (1.0 - z * z).sqrt();
    Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
}

/// Where the last free placement of A lies for the orientation that A has now [Je12 §5.3], pushed on outwards until
/// it is free there.
pub(crate) fn motion_coherence(space: &ContactSpace, last_free: &Isometry3<f64>) -> Option<Vector3<f64>> {
    /// Doublings of the way back before giving up.
    const PUSHES: u32 = 24;
    /// First step where the way back has no length, relative to the size.
    const STEP: f64 = 1e-3;
    let center = last_free * space.a.center() - space.b.center().coords;
    let back = center.coords - space.a_to_b.translation;
    let step = STEP * (space.a.radius() + space.b.radius());
    let direction = if back.norm() > 1e-3 * step { back.normalize() } else { centroid_difference(space) };
    let pushes = (0..PUSHES).map(|i| if i == 0 { 0.0 } else { step * f64::from(1 << (i - 1)) });
    pushes.map(|push| back + direction * push).find(|q| q.norm() > 0.0 && space.is_apart(q))
}

/// Leaves nothing free between the overlap and the optimum: what is free on the way out is where to walk from.
pub(crate) fn settle(space: &mut ContactSpace, mut optimum: Optimum, hops: bool) -> Optimum {
    /// Walks that may follow each other; each starts nearer than the last one ended.
    const WALKS: u32 = 16;
    for _ in 0..WALKS {
        let depth = optimum.q.norm();
        let within = depth - 4.0 * space.clearance();
        let Some(start) = space.first_free(&(optimum.q / depth), within, 0.0) else { break };
        optimum = space.walk(&start, hops);
    }
    optimum
}

/// One walk from the centroid difference.
pub(crate) fn fast(space: &mut ContactSpace) -> Optimum {
    let direction = centroid_difference(space);
    let start = direction * space.outside(&direction);
    space.walk(&start, true)
}

/// Casts along many directions, then walks from the best of them.
pub(crate) fn best(space: &mut ContactSpace) -> Optimum {
    let mut best = fast(space);
    let mut promising: Vec<(f64, Vector3<f64>)> = Vec::new();
    let spread = (0..DIRECTIONS).map(|i| fibonacci(i, DIRECTIONS));
    for direction in axes(space).chain(spread) {
        let within = if promising.len() < WALKS { f64::INFINITY } else { promising[WALKS - 1].0 };
        let Some(depth) = space.depth_from_outside(&direction, within) else { continue };
        insert(&mut promising, depth, direction);
    }
    for (depth, direction) in promising {
        let start = direction * (depth + space.clearance());
        let optimum = space.walk(&start, true);
        if optimum.touching.norm() < best.touching.norm() {
            best = optimum;
        }
    }
    for direction in axes(space).chain((0..MARCHES).map(|i| fibonacci(i, MARCHES))) {
        let within = MARCH_REACH * best.touching.norm();
        let Some(start) = space.first_free(&direction, within, within / STRIDES) else { continue };
        let optimum = space.walk(&start, true);
        if optimum.touching.norm() < best.touching.norm() {
            best = optimum;
        }
    }
    best
}

/// Keeps the least depths in order, one per neighbourhood.
fn insert(promising: &mut Vec<(f64, Vector3<f64>)>, depth: f64, direction: Vector3<f64>) {
    let near = |other: &(f64, Vector3<f64>)| other.1.dot(&direction) > SAME;
    if promising.iter().any(|other| near(other) && other.0 <= depth) {
        return;
    }
    promising.retain(|other| !near(other));
    let place = promising.partition_point(|other| other.0 <= depth);
    promising.insert(place, (depth, direction));
    promising.truncate(WALKS);
}
