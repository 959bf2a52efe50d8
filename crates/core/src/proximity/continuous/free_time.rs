//! Free time: lower bound of the time for which two boxes, or two triangles, stay apart.
//!
//! AxisOffsets a unit vector n that is fixed in B, from B to A, let g be the gap, c an upper bound of the current closing speed
//! −n·ẏ, and M an upper bound of the acceleration at any time. Then they are apart at least as long as
//!
//! c Δ + ½ M Δ² ≤ g,  which is  Δ ≤ 2 g / (c + √(c² + 2 M g)).
//!
//! Every direction yields a valid bound, so the maximum is taken. First-order motion bounds [TKM09; Lin17 §40.3] use the
//! maximum speed of a rotating body; here its current velocity enters, and its rotation only through M.
//!
//! The directions tested for boxes are the axes of both trees and the normals of the layers around surface patches.

use super::relative::{Instant, Relative};
use crate::bvh::lanes::isa::{Isa, Single};
use crate::bvh::node::{Node, Volume, WIDTH};
use crate::proximity::relative_pose::{AxisOffsets, RoundedPose};
use nalgebra::{Unit, Vector3};

/// Rounding of the quotient in single precision, relative to the numbers that enter its divisor.
const QUOTIENT_ROUNDING: f32 = 1e-6;
/// Rounding of a velocity in single precision, relative to the speeds that enter it.
const VELOCITY_ROUNDING: f64 = 2e-6;
/// Rounding of the fraction of an acceleration along a direction: of a cross product of unit vectors.
const FRACTION_ROUNDING: f32 = 1e-6;
/// Keeps the divisor positive for bodies at relative rest.
const MIN_DIVISOR: f32 = 1e-30;

/// Minimum time for which a gap [m] stays open when it closes at `closing` [m per motion] with an acceleration of at
/// most `acceleration` [m per motion²].
pub(super) fn free_time(gap: f64, closing: f64, acceleration: f64) -> f64 {
    if !(gap > 0.0) {
        return 0.0;
    }
    let root = (closing * closing + 2.0 * acceleration * gap).sqrt();
    // Of the two forms of the root of the quadratic, the one without cancellation.
    let time = if closing >= 0.0 { 2.0 * gap / (closing + root) } else { (root - closing) / acceleration };
    // Rounded down, and NaN to zero: the time is a proof.
    let time = time * (1.0 - f64::EPSILON * 8.0);
    if time > 0.0 { time } else { 0.0 }
}

/// Relative motion at one time in single precision, with velocities in units of the motion's scale.
pub(super) struct RoundedInstant {
    a_to_b: RoundedPose,
    b_to_a: RoundedPose,
    /// 1 / scale [1/m].
    per_scale: f32,
    /// Velocity of the centre of A's tree, in the frames of A and of B.
    linear: [[f32; 3]; 2],
    /// Angular velocity in the frame of A.
    angular: [f32; 3],
    /// Gradient of the velocity field: the point x of A's tree has the velocity `linear` + `velocity_gradient` x in the
    /// frame of B.
    velocity_gradient: [[f32; 3]; 3],
    /// Direction without acceleration, in the frames of A and of B; zero where there is none.
    axis: [[f32; 3]; 2],
    /// Minimum fraction of the acceleration along any direction: rounding; one where there is no axis.
    min_fraction: f32,
    /// Rounding of velocities.
    slack: f32,
}

impl RoundedInstant {
    /// Rounds the motion at one time; `margin` [m] is subtracted from all gaps.
    pub(super) fn new(relative: &Relative<'_>, now: &Instant, margin: f64) -> Self {
        let per_scale = 1.0 / relative.scale;
        let margin = margin + relative.position_slack();
        let rotation = now.a_to_b.rotation;
        let single = |v: Vector3<f64>| [v.x as f32, v.y as f32, v.z as f32];
        let velocity_gradient = now.angular.cross_matrix() * rotation * per_scale;
        let linear = now.linear * per_scale;
        let axis = now.axis.map_or_else(Vector3::zeros, Unit::into_inner);
        let speeds = now.linear.norm() + now.angular.norm() * relative.a.model.radius();
        let slack = (VELOCITY_ROUNDING * speeds + relative.speed_slack()) * per_scale;
        Self {
            a_to_b: RoundedPose::new(&now.a_to_b, margin),
            b_to_a: RoundedPose::new(&now.a_to_b.inverse(), margin),
            per_scale: per_scale as f32,
            linear: [single(rotation.tr_mul(&linear)), single(linear)],
            angular: single(rotation.tr_mul(&now.angular) * per_scale),
            velocity_gradient: std::array::from_fn(|i| {
                std::array::from_fn(|j| velocity_gradient[(i, j)] as f32)
            }),
            axis: [single(rotation.tr_mul(&axis)), single(axis)],
            min_fraction: if now.axis.is_some() { FRACTION_ROUNDING } else { 1.0 },
            slack: slack as f32 * (1.0 + QUOTIENT_ROUNDING),
        }
    }

    /// Minimum times for which each child of a node of A stays apart from a volume of B, when no point of theirs
    /// accelerates by more than `acceleration` (in units of the scale).
    #[inline(always)]
    pub(super) fn of_children_of_a<I: Isa>(
        &self,
        children: &Node,
        b: &Volume,
        acceleration: f32,
    ) -> [f32; WIDTH] {
        let (single, load) = (I::Single::splat, I::Single::load);
        let (half, zero) = (single(0.5), single(0.0));
        let (mut center, mut extent) = ([half; 3], [half; 3]);
        for k in 0..3 {
            let (min, max) = (load(&children.min[k]), load(&children.max[k]));
            center[k] = half * (min + max);
            extent[k] = half * (max - min);
        }
        let [in_a, in_b] = self.velocities::<I>(&center);
        let mut longest = MaxFreeTime::<I> { time: zero, instant: self, extent, acceleration };
        // Six directions: the axes of B's and of A's tree.
        let moved = self.a_to_b.children::<I>(children, &b.bounds);
        let hull = self.b_to_a.hull(&b.bounds);
        for k in 0..3 {
            let along = AxisOffsets { offset: moved.offsets[k], reach: moved.reaches[k] };
            longest.add(&along, zero - in_b[k], &self.across(&AXES[k]), self.fraction(&AXES[k], 1));
            let along =
                AxisOffsets { offset: center[k] - single(hull[0][k]), reach: extent[k] + single(hull[1][k]) };
            longest.add(
                &along,
                zero - in_a[k],
                &crossed(&AXES[k], &self.angular),
                self.fraction(&AXES[k], 0),
            );
        }
        // The normal of the volume's layer, then those of the children's layers, one per lane.
        let n = b.layer.normal;
        let speed = single(n[0]) * in_b[0] + single(n[1]) * in_b[1] + single(n[2]) * in_b[2];
        let along = self.b_to_a.boxes_across::<I>(&b.layer, &self.b_to_a.direction(&n), children);
        longest.add(&along, zero - speed, &self.across(&n), self.fraction(&n, 1));
        let n = &children.layers.normal;
        let n = [load(&n[0]), load(&n[1]), load(&n[2])];
        let speed = n[0] * in_a[0] + n[1] * in_a[1] + n[2] * in_a[2];
        let along = self.b_to_a.layers_against::<I>(&b.bounds, children);
        let across = crossed_lanes::<I>(&n, &self.angular);
        longest.add_lanes(&along, zero - speed, &across, self.fraction_of_lanes::<I>(&n, 0));
        longest.time.store()
    }

    /// Minimum times for which each child of a node of B stays apart from a volume of A.
    #[inline(always)]
    pub(super) fn of_children_of_b<I: Isa>(
        &self,
        children: &Node,
        a: &Volume,
        acceleration: f32,
    ) -> [f32; WIDTH] {
        let (single, load) = (I::Single::splat, I::Single::load);
        let half = single(0.5);
        let (mut center, mut extent) = ([half; 3], [half; 3]);
        for k in 0..3 {
            center[k] = single(0.5 * (a.bounds.min[k] + a.bounds.max[k]));
            extent[k] = single(0.5 * (a.bounds.max[k] - a.bounds.min[k]));
        }
        let [in_a, in_b] = self.velocities::<I>(&center);
        let mut longest = MaxFreeTime::<I> { time: single(0.0), instant: self, extent, acceleration };
        // The offsets point from A to B here, so that the velocities of A enter with the opposite sign.
        let moved = self.b_to_a.children::<I>(children, &a.bounds);
        let hull = self.a_to_b.hull(&a.bounds);
        for k in 0..3 {
            let along = AxisOffsets { offset: moved.offsets[k], reach: moved.reaches[k] };
            longest.add(&along, in_a[k], &crossed(&AXES[k], &self.angular), self.fraction(&AXES[k], 0));
            let (min, max) = (load(&children.min[k]), load(&children.max[k]));
            let offset = half * (min + max) - single(hull[0][k]);
            let along = AxisOffsets { offset, reach: half * (max - min) + single(hull[1][k]) };
            longest.add(&along, in_b[k], &self.across(&AXES[k]), self.fraction(&AXES[k], 1));
        }
        let n = a.layer.normal;
        let speed = single(n[0]) * in_a[0] + single(n[1]) * in_a[1] + single(n[2]) * in_a[2];
        let along = self.a_to_b.boxes_across::<I>(&a.layer, &self.a_to_b.direction(&n), children);
        longest.add(&along, speed, &crossed(&n, &self.angular), self.fraction(&n, 0));
        let n = &children.layers.normal;
        let n = [load(&n[0]), load(&n[1]), load(&n[2])];
        let speed = n[0] * in_b[0] + n[1] * in_b[1] + n[2] * in_b[2];
        let along = self.a_to_b.layers_against::<I>(&a.bounds, children);
        let mut across = n;
        for k in 0..3 {
            let gradient = &self.velocity_gradient;
            let column = [gradient[0][k], gradient[1][k], gradient[2][k]];
            across[k] = single(column[0]) * n[0] + single(column[1]) * n[1] + single(column[2]) * n[2];
        }
        longest.add_lanes(&along, speed, &across, self.fraction_of_lanes::<I>(&n, 1));
        longest.time.store()
    }

    /// n × ω in the frame of A, for n in that of B: along n, the point x of A's tree has the velocity x·(n × ω) more
    /// than the centre.
    #[inline(always)]
    fn across(&self, n: &[f32; 3]) -> [f32; 3] {
        let m = &self.velocity_gradient;
        let mut across = [0.0; 3];
        for k in 0..3 {
            across[k] = n[0] * m[0][k] + n[1] * m[1][k] + n[2] * m[2][k];
        }
        across
    }

    /// Maximum fraction of the acceleration along a unit vector in the frame of A (0) or B (1): the sine of the angle
    /// between the vector and the axis without acceleration.
    #[inline(always)]
    fn fraction(&self, n: &[f32; 3], frame: usize) -> f32 {
        let c = crossed(n, &self.axis[frame]);
        ((c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt() + self.min_fraction).min(1.0)
    }

    /// As [`Self::fraction`], for a different vector in each lane.
    #[inline(always)]
    fn fraction_of_lanes<I: Isa>(&self, n: &[I::Single; 3], frame: usize) -> I::Single {
        let c = crossed_lanes::<I>(n, &self.axis[frame]);
        let fraction = (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt() + I::Single::splat(self.min_fraction);
        fraction.min(I::Single::splat(1.0))
    }

    /// Velocities of points of A's tree, in the frames of A and of B.
    #[inline(always)]
    fn velocities<I: Isa>(&self, x: &[I::Single; 3]) -> [[I::Single; 3]; 2] {
        let single = I::Single::splat;
        let mut velocities = [*x; 2];
        for k in 0..3 {
            let [next, last] = [(k + 1) % 3, (k + 2) % 3];
            let rotational = single(self.angular[next]) * x[last] - single(self.angular[last]) * x[next];
            velocities[0][k] = single(self.linear[0][k]) + rotational;
            let r = &self.velocity_gradient[k];
            let rotational = single(r[0]) * x[0] + single(r[1]) * x[1] + single(r[2]) * x[2];
            velocities[1][k] = single(self.linear[1][k]) + rotational;
        }
        velocities
    }
}

/// Unit vectors along the axes of a frame.
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

/// Maximum over the directions of the free time, for each child.
struct MaxFreeTime<'a, I: Isa> {
    time: I::Single,
    instant: &'a RoundedInstant,
    /// Half extents of A's boxes.
    extent: [I::Single; 3],
    acceleration: f32,
}

impl<I: Isa> MaxFreeTime<'_, I> {
    /// Tests a direction n: `towards` is the speed that closes the gap where the offset is positive, `across` n × ω in
    /// the frame of A, and `fraction` that of the acceleration along n.
    #[inline(always)]
    fn add(&mut self, along: &AxisOffsets<I::Single>, towards: I::Single, across: &[f32; 3], fraction: f32) {
        let single = I::Single::splat;
        let across = [single(across[0]), single(across[1]), single(across[2])];
        self.add_lanes(along, towards, &across, single(fraction));
    }

    /// As [`Self::add`], for a different direction in each lane.
    #[inline(always)]
    fn add_lanes(
        &mut self,
        along: &AxisOffsets<I::Single>,
        towards: I::Single,
        across: &[I::Single; 3],
        fraction: I::Single,
    ) {
        let single = I::Single::splat;
        let [x, y, z] = &self.extent;
        // The closing speed of a point of the box differs from that of its centre by at most this.
        let spread = across[0].abs() * *x + across[1].abs() * *y + across[2].abs() * *z;
        let gap = (along.offset.abs() - along.reach).max(single(0.0)) * single(self.instant.per_scale);
        let closing = towards.times_sign_of(along.offset) + spread + single(self.instant.slack);
        let root = (closing * closing + single(2.0 * self.acceleration) * fraction * gap).sqrt();
        let rounding = single(QUOTIENT_ROUNDING) * (closing.abs() + root) + single(MIN_DIVISOR);
        let time = (gap + gap) * (closing + root + rounding).recip() * single(1.0 - QUOTIENT_ROUNDING);
        self.time = time.max(self.time);
    }
}
