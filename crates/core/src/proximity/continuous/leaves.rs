//! Free time of the triangles of two leaves.
//!
//! Each pair is first assigned the free time that follows from its distance and the maximum speed of its corners: speed is
//! a convex function, so that no point of a triangle is faster. Then the pair with the minimum free time is refined: along
//! the line through its closest points only the closing speed counts, whose maximum is at a corner too. The same direction
//! also improves the free times of the other pairs. This is repeated until the pair with the minimum has been refined.

use nalgebra::{Point3, Unit, Vector3};

use super::free_time::free_time;
use super::relative::{Instant, Relative};
use crate::bvh::lanes::isa::{Double, Isa, dot, load, splat};
use crate::bvh::packet::{PACKET, Packet};
use crate::kinematics::rigid_motion::fraction_along;
use crate::proximity::triangle_distance::{PreparedTriangle, closest_points, distances_squared};

/// Outcome of the test of two leaves at one time.
pub(super) enum LeafTest {
    /// Triangles of A and B that are within the tolerance.
    Touching([u32; 2]),
    /// Minimum time for which the leaves stay apart.
    Apart(f64),
}

/// Leaf of A at one time, in the frame of B's tree.
struct MovingLeaf {
    corners: [[[f64; 3]; 3]; PACKET],
    velocities: [[Vector3<f64>; 3]; PACKET],
    acceleration: f64,
    axis: Option<Unit<Vector3<f64>>>,
}

impl MovingLeaf {
    #[inline(always)]
    fn new(packet: &Packet, relative: &Relative<'_>, now: &Instant) -> Self {
        let center = relative.a.model.center().coords;
        let mut moved = Self {
            corners: [[[0.0; 3]; 3]; PACKET],
            velocities: [[Vector3::zeros(); 3]; PACKET],
            acceleration: 0.0,
            axis: now.axis,
        };
        let mut farthest = 0.0_f64;
        for lane in 0..PACKET {
            let triangle = packet.triangle(lane);
            moved.corners[lane] = now.a_to_b.triangle(&triangle);
            for k in 0..3 {
                farthest = farthest.max((Vector3::from(triangle[k]) + center).norm_squared());
                let arm = Vector3::from(moved.corners[lane][k]) - now.a_to_b.translation;
                moved.velocities[lane][k] = now.linear + now.angular.cross(&arm);
            }
        }
        moved.acceleration = relative.acceleration_within(farthest.sqrt());
        moved
    }

    /// Maximum speed of a triangle's points against a direction.
    #[inline(always)]
    fn closing(&self, lane: usize, n: &Vector3<f64>) -> f64 {
        let [x, y, z] = &self.velocities[lane];
        -(n.dot(x).min(n.dot(y)).min(n.dot(z)))
    }

    /// Maximum speed of a triangle's points.
    #[inline(always)]
    fn speed(&self, lane: usize) -> f64 {
        let [x, y, z] = &self.velocities[lane];
        x.norm_squared().max(y.norm_squared()).max(z.norm_squared()).sqrt()
    }
}

/// Tolerances and time horizon of a test of leaves.
pub(super) struct Limits {
    /// Distance that counts as contact [m].
    pub(super) tolerance: f64,
    /// Margin that is subtracted from all gaps [m].
    pub(super) margin: f64,
    /// Time beyond which free times need not be known.
    pub(super) horizon: f64,
}

/// Tests all pairs of triangles of two leaves.
#[inline(always)]
pub(super) fn test_leaves<I: Isa>(
    relative: &Relative<'_>,
    now: &Instant,
    a: &Packet,
    b: &Packet,
    limits: &Limits,
) -> LeafTest {
    let moved = MovingLeaf::new(a, relative, now);
    let slack = relative.speed_slack();
    let mut free = [[f64::INFINITY; PACKET]; PACKET];
    let mut nearest = (f64::INFINITY, [0; 2]);
    for (i, _) in a.lanes() {
        let speed = moved.speed(i) + slack;
        // Triangles farther apart cannot meet within the horizon, so that their exact distance is not needed.
        let reach = limits.margin + limits.horizon * (speed + 0.5 * moved.acceleration * limits.horizon);
        let prepared = PreparedTriangle::new(&moved.corners[i]);
        let squared = distances_squared::<I::Double>(&prepared, b, reach * reach);
        for (j, _) in b.lanes() {
            // Contact is decided by the distance alone, before any free time is improved.
            if squared[j] < nearest.0 {
                nearest = (squared[j], [i, j]);
            }
            free[i][j] = free_time(squared[j].sqrt() - limits.margin, speed, moved.acceleration);
        }
    }
    if nearest.0 <= limits.tolerance * limits.tolerance {
        let [i, j] = nearest.1;
        return LeafTest::Touching([a.triangles[i], b.triangles[j]]);
    }
    let mut refined = [[false; PACKET]; PACKET];
    loop {
        let [i, j] = soonest(&free, a, b);
        // The minimum is beyond the horizon, or cannot be improved any further by its own direction.
        if !(free[i][j] < limits.horizon) || refined[i][j] {
            return LeafTest::Apart(free[i][j]);
        }
        refined[i][j] = true;
        let triangle = b.triangle(j).map(Point3::from);
        let (distance, [x, y]) = closest_points(&moved.corners[i].map(Point3::from), &triangle);
        // Without a distance there is no direction; the pair keeps its free time.
        if distance > 0.0 {
            improve_along::<I>(&moved, [a, b], &((x - y) / distance), &mut free, [limits.margin, slack]);
        }
    }
}

/// Pair with the minimum free time.
#[inline(always)]
fn soonest(free: &[[f64; PACKET]; PACKET], a: &Packet, b: &Packet) -> [usize; 2] {
    let mut soonest = [0; 2];
    for (i, _) in a.lanes() {
        for (j, _) in b.lanes() {
            if free[i][j] < free[soonest[0]][soonest[1]] {
                soonest = [i, j];
            }
        }
    }
    soonest
}

/// Raises the free times of all pairs by means of one direction, from B to A.
#[inline(always)]
fn improve_along<I: Isa>(
    moved: &MovingLeaf,
    [a, b]: [&Packet; 2],
    n: &Vector3<f64>,
    free: &mut [[f64; PACKET]; PACKET],
    [margin, slack]: [f64; 2],
) {
    let lanes = splat::<I::Double>(&(*n).into());
    let heights = dot(&lanes, &load(&b.corners[0]))
        .max(dot(&lanes, &load(&b.corners[1])))
        .max(dot(&lanes, &load(&b.corners[2])))
        .store();
    let acceleration = moved.acceleration * fraction_along(n, moved.axis);
    for (i, _) in a.lanes() {
        let [x, y, z] = moved.corners[i].map(|corner| n.dot(&Vector3::from(corner)));
        // The gap between the projections of both triangles, and the fastest corner against the direction.
        let lowest = x.min(y).min(z) - margin;
        let closing = moved.closing(i, n) + slack;
        for (j, _) in b.lanes() {
            free[i][j] = free[i][j].max(free_time(lowest - heights[j], closing, acceleration));
        }
    }
}
