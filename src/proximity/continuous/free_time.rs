//! How long two boxes, or two triangles, certainly stay apart.
//!
//! Along a unit vector n that is fixed in B, from B to A, let g be the gap, c an upper bound of the closing speed
//! −n·ẏ now, and M one of the acceleration at any time. Then they are apart at least as long as
//!
//! c Δ + ½ M Δ² ≤ g,  which is  Δ ≤ 2 g / (c + √(c² + 2 M g)).
//!
//! Any direction proves it, so the longest time counts. First-order bounds [TKM09; LMK17 §40.3] charge a body that
//! turns with its whole speed; here it is charged with its true velocity now, and with its turning only as M.
//!
//! Directions of boxes are the axes of both trees and the directions across the layers around patches of surface.

use super::relative::{Instant, Relative};
use crate::bvh::lanes::{Isa, Single};
use crate::bvh::node::{Node, Volume, WIDTH};
use crate::proximity::placement::{Along, RoundedPlacement};

/// Rounding of the quotient in single precision, relative to the numbers that enter its divisor.
const QUOTIENT_ROUNDING: f32 = 1e-6;
/// Rounding of a velocity in single precision, relative to the speeds that enter it.
const VELOCITY_ROUNDING: f64 = 2e-6;
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
    /// |ω × e| for the axes e of A.
    spread: [f32; 3],
    /// Rounding of velocities.
    slack: f32,
}

impl Clock {
    /// `margin` [m]: what the gaps must keep.
    pub(super) fn new(relative: &Relative<'_>, now: &Instant, margin: f64) -> Self {
        let per_scale = 1.0 / relative.scale;
        let margin = margin + relative.position_slack();
        let rotation = now.a_to_b.rotation;
        let in_a = rotation.tr_mul(&now.angular);
        let turned = now.angular.cross_matrix() * rotation * per_scale;
        let linear = now.linear * per_scale;
        let linear_in_a = rotation.tr_mul(&linear);
        let along = |x: f64, y: f64| (x.hypot(y) * per_scale * (1.0 + 1e-6)) as f32;
        let speeds = now.linear.norm() + now.angular.norm() * relative.a.model.radius();
        let slack = (VELOCITY_ROUNDING * speeds + relative.speed_slack()) * per_scale;
        Self {
            a_to_b: RoundedPlacement::new(&now.a_to_b, margin),
            b_to_a: RoundedPlacement::new(&now.a_to_b.inverse(), margin),
            per_scale: per_scale as f32,
            linear: [linear_in_a, linear].map(|v| [v.x as f32, v.y as f32, v.z as f32]),
            angular: in_a.map(|x| (x * per_scale) as f32).into(),
            turned: std::array::from_fn(|i| std::array::from_fn(|j| turned[(i, j)] as f32)),
            spread: [along(in_a.y, in_a.z), along(in_a.z, in_a.x), along(in_a.x, in_a.y)],
            slack: slack as f32 * (1.0 + 1e-6),
        }
    }

    /// How long each child of a node of A stays apart from a volume of B, when no point of theirs accelerates by more
    /// than `curved` (in units of the scale).
    #[inline(always)]
    pub(super) fn of_children_of_a<I: Isa>(&self, children: &Node, b: &Volume, curved: f32) -> [f32; WIDTH] {
        let (single, load) = (I::Single::splat, I::Single::load);
        let (half, zero) = (single(0.5), single(0.0));
        let (mut center, mut extent, mut spread) = ([half; 3], [half; 3], single(self.slack));
        for axis in 0..3 {
            let (min, max) = (load(&children.min[axis]), load(&children.max[axis]));
            center[axis] = half * (min + max);
            extent[axis] = half * (max - min);
            spread = spread + single(self.spread[axis]) * extent[axis];
        }
        let [in_a, in_b] = self.velocities::<I>(&center);
        let mut longest = Longest::<I> { time: zero, curved, spread, per_scale: self.per_scale };
        let moved = self.a_to_b.children::<I>(children, &b.bounds);
        let hull = self.b_to_a.hull(&b.bounds);
        for axis in 0..3 {
            let along = Along { offset: moved.offsets[axis], reach: moved.reaches[axis] };
            longest.offer(&along, zero - in_b[axis]);
            let offset = center[axis] - single(hull[0][axis]);
            longest.offer(&Along { offset, reach: extent[axis] + single(hull[1][axis]) }, zero - in_a[axis]);
        }
        let n = b.layer.normal;
        let speed = single(n[0]) * in_b[0] + single(n[1]) * in_b[1] + single(n[2]) * in_b[2];
        let across = self.b_to_a.direction(&n);
        longest.offer(&self.b_to_a.boxes_across::<I>(&b.layer, &across, children), zero - speed);
        let n = &children.layers.normal;
        let speed = load(&n[0]) * in_a[0] + load(&n[1]) * in_a[1] + load(&n[2]) * in_a[2];
        longest.offer(&self.b_to_a.layers_against::<I>(&b.bounds, children), zero - speed);
        longest.time.store()
    }

    /// How long each child of a node of B stays apart from a volume of A.
    #[inline(always)]
    pub(super) fn of_children_of_b<I: Isa>(&self, children: &Node, a: &Volume, curved: f32) -> [f32; WIDTH] {
        let (single, load) = (I::Single::splat, I::Single::load);
        let half = single(0.5);
        let (mut center, mut spread) = ([0.0; 3], self.slack);
        for axis in 0..3 {
            let (min, max) = (a.bounds.min[axis], a.bounds.max[axis]);
            center[axis] = 0.5 * (min + max);
            spread += self.spread[axis] * (0.5 * (max - min));
        }
        let [in_a, in_b] = self.velocities::<I>(&center.map(single));
        let mut longest =
            Longest::<I> { time: single(0.0), curved, spread: single(spread), per_scale: self.per_scale };
        let moved = self.b_to_a.children::<I>(children, &a.bounds);
        let hull = self.a_to_b.hull(&a.bounds);
        for axis in 0..3 {
            let along = Along { offset: moved.offsets[axis], reach: moved.reaches[axis] };
            longest.offer(&along, in_a[axis]);
            let (min, max) = (load(&children.min[axis]), load(&children.max[axis]));
            let offset = half * (min + max) - single(hull[0][axis]);
            longest.offer(&Along { offset, reach: half * (max - min) + single(hull[1][axis]) }, in_b[axis]);
        }
        let n = a.layer.normal;
        let speed = single(n[0]) * in_a[0] + single(n[1]) * in_a[1] + single(n[2]) * in_a[2];
        let across = self.a_to_b.direction(&n);
        longest.offer(&self.a_to_b.boxes_across::<I>(&a.layer, &across, children), speed);
        let n = &children.layers.normal;
        let speed = load(&n[0]) * in_b[0] + load(&n[1]) * in_b[1] + load(&n[2]) * in_b[2];
        longest.offer(&self.a_to_b.layers_against::<I>(&a.bounds, children), speed);
        longest.time.store()
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

/// The longest time that any direction proves, for each child.
struct Longest<I: Isa> {
    time: I::Single,
    curved: f32,
    /// What the speed of a point may exceed that of the middle of its box by, in units of the scale.
    spread: I::Single,
    per_scale: f32,
}

impl<I: Isa> Longest<I> {
    /// Offers a direction: `towards` is the speed that closes the gap where the offset is positive.
    #[inline(always)]
    fn offer(&mut self, along: &Along<I::Single>, towards: I::Single) {
        let single = I::Single::splat;
        let gap = (along.offset.abs() - along.reach).max(single(0.0)) * single(self.per_scale);
        let closing = towards.times_sign_of(along.offset) + self.spread;
        let root = (closing * closing + single(2.0 * self.curved) * gap).sqrt();
        let rounding = single(QUOTIENT_ROUNDING) * (closing.abs() + root) + single(REST);
        let time = (gap + gap) * (closing + root + rounding).recip() * single(1.0 - QUOTIENT_ROUNDING);
        self.time = time.max(self.time);
    }
}
