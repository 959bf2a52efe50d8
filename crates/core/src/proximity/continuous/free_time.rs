//! How long two boxes, or two triangles, certainly stay apart.
//!
//! Along a unit vector n that is fixed in B, from B to A, let g be the gap, c an upper bound of the closing speed
//! −n·ẏ now, and M one of the acceleration at any time. Then they are apart at least as long as
//!
//! c Δ + ½ M Δ² ≤ g,  which is  Δ ≤ 2 g / (c + √(c² + 2 M g)).
//!
//! Any direction proves it, so the longest time counts. First-order bounds [TKM09; Lin17 §40.3] charge a body that
//! turns with its whole speed; here it is charged with its true velocity now, and with its turning only as M.
//!
//! Directions of boxes are the axes of both trees and the directions across the layers around patches of surface.

use super::relative::{Instant, Relative};
use crate::bvh::lanes::isa::{Isa, Single};
use crate::bvh::node::{Node, Volume, WIDTH};
use crate::proximity::placement::{Along, RoundedPlacement};
use nalgebra::{Unit, Vector3};

/// Rounding of the quotient in single precision, relative to the numbers that enter its divisor.
const QUOTIENT_ROUNDING: f32 = 1e-6;
/// Rounding of a velocity in single precision, relative to the speeds that enter it.
const VELOCITY_ROUNDING: f64 = 2e-6;
/// Rounding of the share of an acceleration along a direction: of a cross product of unit vectors.
const SHARE_ROUNDING: f32 = 1e-6;
/// Keeps the divisor of what rests away from zero.
const REST: f32 = 1e-30;

/// The longest time for which a gap [m] stays open when it closes at `closing` [m per motion] with an acceleration of
/// at most `curved` [m per motion²].
pub(super) fn free_time(gap: f64, closing: f64, curved: f64) -> f64 {
    if !(gap > 0.0) {
        return 0.0;
    }
    let root = (closing * closing + 2.0 * curved * gap).sqrt();
    let time = if closing >= 0.0 { 2.0 * gap / (closing + root) } else { (root - closing) / curved };
    let time = time * (1.0 - f64::EPSILON * 8.0);
    if time > 0.0 { time } else { 0.0 }
}

/// A relative motion at one time in single precision, lengths of velocities in units of the motion's scale.
pub(super) struct Clock {
    a_to_b: RoundedPlacement,
    b_to_a: RoundedPlacement,
    /// 1 / scale [1/m].
    per_scale: f32,
    /// Velocity of the centre of A's tree, in the frames of A and of B.
    linear: [[f32; 3]; 2],
    /// Angular velocity in the frame of A.
    angular: [f32; 3],
    /// Velocity in the frame of B of the point x of A's tree: `linear` + `turned` x.
    turned: [[f32; 3]; 3],
    /// The direction along which nothing accelerates, in the frames of A and of B; zero where there is none.
    axis: [[f32; 3]; 2],
    /// Least share of the acceleration along any direction: rounding; one where there is no axis.
    least_share: f32,
    /// Rounding of velocities.
    slack: f32,
}

impl Clock {
    /// `margin` [m]: what the gaps must keep.
    pub(super) fn new(relative: &Relative<'_>, now: &Instant, margin: f64) -> Self {
        let per_scale = 1.0 / relative.scale;
        let margin = margin + relative.position_slack();
        let rotation = now.a_to_b.rotation;
        let single = |v: Vector3<f64>| [v.x as f32, v.y as f32, v.z as f32];
        let turned = now.angular.cross_matrix() * rotation * per_scale;
        let linear = now.linear * per_scale;
        let axis = now.axis.map_or_else(Vector3::zeros, Unit::into_inner);
        let speeds = now.linear.norm() + now.angular.norm() * relative.a.model.radius();
        let slack = (VELOCITY_ROUNDING * speeds + relative.speed_slack()) * per_scale;
        Self {
            a_to_b: RoundedPlacement::new(&now.a_to_b, margin),
            b_to_a: RoundedPlacement::new(&now.a_to_b.inverse(), margin),
            per_scale: per_scale as f32,
            linear: [single(rotation.tr_mul(&linear)), single(linear)],
            angular: single(rotation.tr_mul(&now.angular) * per_scale),
            turned: std::array::from_fn(|i| std::array::from_fn(|j| turned[(i, j)] as f32)),
            axis: [single(rotation.tr_mul(&axis)), single(axis)],
            least_share: if now.axis.is_some() { SHARE_ROUNDING } else { 1.0 },
            slack: slack as f32 * (1.0 + QUOTIENT_ROUNDING),
        }
    }

    /// How long each child of a node of A stays apart from a volume of B, when no point of theirs accelerates by more
    /// than `curved` (in units of the scale).
    #[inline(always)]
    pub(super) fn of_children_of_a<I: Isa>(&self, children: &Node, b: &Volume, curved: f32) -> [f32; WIDTH] {
        let (single, load) = (I::Single::splat, I::Single::load);
        let (half, zero) = (single(0.5), single(0.0));
        let (mut center, mut extent) = ([half; 3], [half; 3]);
        for k in 0..3 {
            let (min, max) = (load(&children.min[k]), load(&children.max[k]));
            center[k] = half * (min + max);
            extent[k] = half * (max - min);
        }
        let [in_a, in_b] = self.velocities::<I>(&center);
        let mut longest = Longest::<I> { time: zero, clock: self, extent, curved };
        let moved = self.a_to_b.children::<I>(children, &b.bounds);
        let hull = self.b_to_a.hull(&b.bounds);
        for k in 0..3 {
            let along = Along { offset: moved.offsets[k], reach: moved.reaches[k] };
            longest.offer(&along, zero - in_b[k], &self.across(&AXES[k]), self.share(&AXES[k], 1));
            let along =
                Along { offset: center[k] - single(hull[0][k]), reach: extent[k] + single(hull[1][k]) };
            longest.offer(&along, zero - in_a[k], &crossed(&AXES[k], &self.angular), self.share(&AXES[k], 0));
        }
        let n = b.layer.normal;
        let speed = single(n[0]) * in_b[0] + single(n[1]) * in_b[1] + single(n[2]) * in_b[2];
        let along = self.b_to_a.boxes_across::<I>(&b.layer, &self.b_to_a.direction(&n), children);
        longest.offer(&along, zero - speed, &self.across(&n), self.share(&n, 1));
        let n = &children.layers.normal;
        let n = [load(&n[0]), load(&n[1]), load(&n[2])];
        let speed = n[0] * in_a[0] + n[1] * in_a[1] + n[2] * in_a[2];
        let along = self.b_to_a.layers_against::<I>(&b.bounds, children);
        let across = crossed_lanes::<I>(&n, &self.angular);
        longest.offer_lanes(&along, zero - speed, &across, self.share_of_lanes::<I>(&n, 0));
        longest.time.store()
    }

    /// How long each child of a node of B stays apart from a volume of A.
    #[inline(always)]
    pub(super) fn of_children_of_b<I: Isa>(&self, children: &Node, a: &Volume, curved: f32) -> [f32; WIDTH] {
        let (single, load) = (I::Single::splat, I::Single::load);
        let half = single(0.5);
        let (mut center, mut extent) = ([half; 3], [half; 3]);
        for k in 0..3 {
            center[k] = single(0.5 * (a.bounds.min[k] + a.bounds.max[k]));
            extent[k] = single(0.5 * (a.bounds.max[k] - a.bounds.min[k]));
        }
        let [in_a, in_b] = self.velocities::<I>(&center);
        let mut longest = Longest::<I> { time: single(0.0), clock: self, extent, curved };
        let moved = self.b_to_a.children::<I>(children, &a.bounds);
        let hull = self.a_to_b.hull(&a.bounds);
        for k in 0..3 {
            let along = Along { offset: moved.offsets[k], reach: moved.reaches[k] };
            longest.offer(&along, in_a[k], &crossed(&AXES[k], &self.angular), self.share(&AXES[k], 0));
            let (min, max) = (load(&children.min[k]), load(&children.max[k]));
            let offset = half * (min + max) - single(hull[0][k]);
            let along = Along { offset, reach: half * (max - min) + single(hull[1][k]) };
            longest.offer(&along, in_b[k], &self.across(&AXES[k]), self.share(&AXES[k], 1));
        }
        let n = a.layer.normal;
        let speed = single(n[0]) * in_a[0] + single(n[1]) * in_a[1] + single(n[2]) * in_a[2];
        let along = self.a_to_b.boxes_across::<I>(&a.layer, &self.a_to_b.direction(&n), children);
        longest.offer(&along, speed, &crossed(&n, &self.angular), self.share(&n, 0));
        let n = &children.layers.normal;
        let n = [load(&n[0]), load(&n[1]), load(&n[2])];
        let speed = n[0] * in_b[0] + n[1] * in_b[1] + n[2] * in_b[2];
        let along = self.a_to_b.layers_against::<I>(&a.bounds, children);
        let mut across = n;
        for k in 0..3 {
            let column = [self.turned[0][k], self.turned[1][k], self.turned[2][k]];
            across[k] = single(column[0]) * n[0] + single(column[1]) * n[1] + single(column[2]) * n[2];
        }
        longest.offer_lanes(&along, speed, &across, self.share_of_lanes::<I>(&n, 1));
        longest.time.store()
    }

    /// n × ω in the frame of A, for n in that of B: along n, the point x of A's tree has the velocity x·(n × ω) more
    /// than the centre.
    #[inline(always)]
    fn across(&self, n: &[f32; 3]) -> [f32; 3] {
        let m = &self.turned;
        let mut across = [0.0; 3];
        for k in 0..3 {
            across[k] = n[0] * m[0][k] + n[1] * m[1][k] + n[2] * m[2][k];
        }
        across
    }

    /// Share of the acceleration along a unit vector in the frame of A (0) or B (1).
    #[inline(always)]
    fn share(&self, n: &[f32; 3], frame: usize) -> f32 {
        let c = crossed(n, &self.axis[frame]);
        ((c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt() + self.least_share).min(1.0)
    }

    #[inline(always)]
    fn share_of_lanes<I: Isa>(&self, n: &[I::Single; 3], frame: usize) -> I::Single {
        let c = crossed_lanes::<I>(n, &self.axis[frame]);
        let share = (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt() + I::Single::splat(self.least_share);
        share.min(I::Single::splat(1.0))
    }

    /// Velocities of points of A's tree, in the frames of A and of B.
    #[inline(always)]
    fn velocities<I: Isa>(&self, x: &[I::Single; 3]) -> [[I::Single; 3]; 2] {
        let single = I::Single::splat;
        let mut velocities = [*x; 2];
        for k in 0..3 {
            let [next, last] = [(k + 1) % 3, (k + 2) % 3];
            let turned = single(self.angular[next]) * x[last] - single(self.angular[last]) * x[next];
            velocities[0][k] = single(self.linear[0][k]) + turned;
            let r = &self.turned[k];
            let turned = single(r[0]) * x[0] + single(r[1]) * x[1] + single(r[2]) * x[2];
            velocities[1][k] = single(self.linear[1][k]) + turned;
        }
        velocities
    }
}

/// The directions of a frame.
const AXES: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

#[inline(always)]
fn crossed(n: &[f32; 3], v: &[f32; 3]) -> [f32; 3] {
    [n[1] * v[2] - n[2] * v[1], n[2] * v[0] - n[0] * v[2], n[0] * v[1] - n[1] * v[0]]
}

#[inline(always)]
fn crossed_lanes<I: Isa>(n: &[I::Single; 3], v: &[f32; 3]) -> [I::Single; 3] {
    let v = [I::Single::splat(v[0]), I::Single::splat(v[1]), I::Single::splat(v[2])];
    [n[1] * v[2] - n[2] * v[1], n[2] * v[0] - n[0] * v[2], n[0] * v[1] - n[1] * v[0]]
}

/// The longest time that any direction proves, for each child.
struct Longest<'a, I: Isa> {
    time: I::Single,
    clock: &'a Clock,
    /// Half sizes of A's boxes.
    extent: [I::Single; 3],
    curved: f32,
}

impl<I: Isa> Longest<'_, I> {
    /// Offers a direction n: `towards` is the speed that closes the gap where the offset is positive, `across` n × ω in
    /// the frame of A, and `share` that of the acceleration along n.
    #[inline(always)]
    fn offer(&mut self, along: &Along<I::Single>, towards: I::Single, across: &[f32; 3], share: f32) {
        let single = I::Single::splat;
        let across = [single(across[0]), single(across[1]), single(across[2])];
        self.offer_lanes(along, towards, &across, single(share));
    }

    #[inline(always)]
    fn offer_lanes(
        &mut self,
        along: &Along<I::Single>,
        towards: I::Single,
        across: &[I::Single; 3],
        share: I::Single,
    ) {
        let single = I::Single::splat;
        let [x, y, z] = &self.extent;
        let spread = across[0].abs() * *x + across[1].abs() * *y + across[2].abs() * *z;
        let gap = (along.offset.abs() - along.reach).max(single(0.0)) * single(self.clock.per_scale);
        let closing = towards.times_sign_of(along.offset) + spread + single(self.clock.slack);
        let root = (closing * closing + single(2.0 * self.curved) * share * gap).sqrt();
        let rounding = single(QUOTIENT_ROUNDING) * (closing.abs() + root) + single(REST);
        let time = (gap + gap) * (closing + root + rounding).recip() * single(1.0 - QUOTIENT_ROUNDING);
        self.time = time.max(self.time);
    }
}
