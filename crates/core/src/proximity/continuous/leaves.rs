//! How long the triangles of two leaves certainly stay apart.
//!
//! Every pair gets the time that its distance gives at the greatest speed of its corners: speed is a convex function,
//! so that no point of a triangle is faster. Then the pair that would touch first is looked at more closely: along the
//! line between its closest points only the closing speed counts, which is greatest at a corner too. What this line
//! tells of the other pairs is taken along. That goes on until the first pair has had its turn.

use nalgebra::{Point3, Unit, Vector3};

use super::free_time::free_time;
use super::relative::{Instant, Relative};
use crate::bvh::lanes::isa::{Double, Isa, dot, load, splat};
use crate::bvh::packet::{PACKET, Packet};
use crate::kinematics::rigid_motion::share_along;
use crate::proximity::triangle_distance::{PreparedTriangle, closest_points, distances_squared};

/// What two leaves are at one time.
pub(super) enum Leaves {
    /// These triangles of A and B are within the tolerance.
    Touching([u32; 2]),
    /// They stay apart for so long.
    Apart(f64),
}

/// A leaf of A at one time, in the frame of B's tree.
struct Moved {
    corners: [[[f64; 3]; 3]; PACKET],
    velocities: [[Vector3<f64>; 3]; PACKET],
    curved: f64,
    axis: Option<Unit<Vector3<f64>>>,
}

impl Moved {
    #[inline(always)]
    fn new(packet: &Packet, relative: &Relative<'_>, now: &Instant) -> Self {
        let center = relative.a.model.center().coords;
        let mut moved = Self {
            corners: [[[0.0; 3]; 3]; PACKET],
            velocities: [[Vector3::zeros(); 3]; PACKET],
            curved: 0.0,
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
        moved.curved = relative.acceleration_within(farthest.sqrt());
        moved
    }

    /// The greatest speed of a triangle's points against a direction.
    #[inline(always)]
    fn closing(&self, lane: usize, n: &Vector3<f64>) -> f64 {
        let [x, y, z] = &self.velocities[lane];
        -(n.dot(x).min(n.dot(y)).min(n.dot(z)))
    }

    #[inline(always)]
    fn speed(&self, lane: usize) -> f64 {
        let [x, y, z] = &self.velocities[lane];
        x.norm_squared().max(y.norm_squared()).max(z.norm_squared()).sqrt()
    }
}

/// The limits of a search between leaves.
pub(super) struct Limits {
    /// What touching is [m].
    pub(super) tolerance: f64,
    /// What gaps must keep [m].
    pub(super) margin: f64,
    /// How long matters.
    pub(super) horizon: f64,
}

/// Looks at all pairs of triangles of two leaves.
#[inline(always)]
pub(super) fn look<I: Isa>(
    relative: &Relative<'_>,
    now: &Instant,
    a: &Packet,
    b: &Packet,
    limits: &Limits,
) -> Leaves {
    let moved = Moved::new(a, relative, now);
    let slack = relative.speed_slack();
    let mut free = [[f64::INFINITY; PACKET]; PACKET];
    let mut nearest = (f64::INFINITY, [0; 2]);
    for (i, _) in a.lanes() {
        let speed = moved.speed(i) + slack;
        let reach = limits.margin + limits.horizon * (speed + 0.5 * moved.curved * limits.horizon);
        let prepared = PreparedTriangle::new(&moved.corners[i]);
        let squared = distances_squared::<I::Double>(&prepared, b, reach * reach);
        for (j, _) in b.lanes() {
            if squared[j] < nearest.0 {
                nearest = (squared[j], [i, j]);
            }
            free[i][j] = free_time(squared[j].sqrt() - limits.margin, speed, moved.curved);
        }
    }
    if nearest.0 <= limits.tolerance * limits.tolerance {
        let [i, j] = nearest.1;
        return Leaves::Touching([a.triangles[i], b.triangles[j]]);
    }
    let mut refined = [[false; PACKET]; PACKET];
    loop {
        let [i, j] = soonest(&free, a, b);
        if !(free[i][j] < limits.horizon) || refined[i][j] {
            return Leaves::Apart(free[i][j]);
        }
        refined[i][j] = true;
        let triangle = b.triangle(j).map(Point3::from);
        let (distance, [x, y]) = closest_points(&moved.corners[i].map(Point3::from), &triangle);
        if distance > 0.0 {
            along::<I>(&moved, [a, b], &((x - y) / distance), &mut free, [limits.margin, slack]);
        }
    }
}

/// The pair that would touch first.
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

/// What a direction, from B to A, tells of all pairs.
#[inline(always)]
fn along<I: Isa>(
    moved: &Moved,
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
    let curved = moved.curved * share_along(n, moved.axis);
    for (i, _) in a.lanes() {
        let [x, y, z] = moved.corners[i].map(|corner| n.dot(&Vector3::from(corner)));
        let lowest = x.min(y).min(z) - margin;
        let closing = moved.closing(i, n) + slack;
        for (j, _) in b.lanes() {
            free[i][j] = free[i][j].max(free_time(lowest - heights[j], closing, curved));
        }
    }
}
