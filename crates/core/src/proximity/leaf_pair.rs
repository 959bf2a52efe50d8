//! Pairs of leaves: the leaf of A in the frame of B, and a first test across the layers of both.
//!
//! The mean normal of either leaf separates all sixteen pairs of triangles at once, at a twentieth of the price of
//! testing them one by one; where two surfaces nearly touch, it separates most leaves.

use super::relative_pose::RelativePose;
use super::triangle_pair::Prepared;
use crate::bvh::lanes::isa::{Double, Isa, LaneVector, dot, load, splat};
use crate::bvh::packet::{NONE, PACKET, Packet};

/// Minimum speed across a layer, which keeps its reciprocal finite.
const MIN_SPEED: f64 = 1e-200;

/// The triangles of one leaf of A in the frame of B, cached: a traversal visits the same leaf many times in a row.
#[derive(Debug)]
pub(crate) struct PreparedLeaf {
    leaf: u32,
    pub(crate) triangles: [Prepared; PACKET],
    /// Corners side by side, as in [`Packet::corners`].
    pub(super) corners: [[[f64; PACKET]; 3]; 3],
    /// Normal of the layer and its range [m].
    normal: [f64; 3],
    range: [f64; 2],
}

impl Default for PreparedLeaf {
    fn default() -> Self {
        Self {
            leaf: NONE,
            triangles: [Prepared::new(&[[0.0; 3]; 3]); PACKET],
            corners: [[[0.0; PACKET]; 3]; 3],
            normal: [0.0; 3],
            range: [0.0; 2],
        }
    }
}

impl PreparedLeaf {
    /// Transforms a leaf into the frame of B unless it is the one that is loaded.
    #[inline(always)]
    pub(crate) fn load<I: Isa>(&mut self, (leaf, packet): (u32, &Packet), a_to_b: &RelativePose) {
        if self.leaf == leaf {
            return;
        }
        self.leaf = leaf;
        for corner in 0..3 {
            let moved = a_to_b.lanes(&load::<I::Double>(&packet.corners[corner]));
            for axis in 0..3 {
                self.corners[corner][axis] = moved[axis].store();
            }
        }
        for lane in 0..PACKET {
            let mut corners = [[0.0; 3]; 3];
            for corner in 0..3 {
                for axis in 0..3 {
                    corners[corner][axis] = self.corners[corner][axis][lane];
                }
            }
            self.triangles[lane] = Prepared::new(&corners);
        }
        let (normal, layer) = (packet.layer.normal.map(f64::from), &packet.layer);
        let (r, t) = (&a_to_b.rotation, &a_to_b.translation);
        let mut shift = 0.0;
        for k in 0..3 {
            self.normal[k] = r[(k, 0)] * normal[0] + r[(k, 1)] * normal[1] + r[(k, 2)] * normal[2];
            shift += self.normal[k] * t[k];
        }
        self.range = [f64::from(layer.low) + shift, f64::from(layer.high) + shift];
    }

    /// Whether the layers of both leaves admit a distance of at most `margin` [m] at some length of a translation along
    /// `direction` between 0 and `cutoff` [m]. False proves that they do not meet.
    #[inline(always)]
    pub(crate) fn may_meet<I: Isa>(
        &self,
        b: &Packet,
        direction: &[f64; 3],
        margin: f64,
        cutoff: f64,
    ) -> bool {
        let speed = |normal: &[f64; 3]| {
            normal[0] * direction[0] + normal[1] * direction[1] + normal[2] * direction[2]
        };
        let interval = |a: &[f64; 2], b: &[f64; 2], speed: f64| {
            let inverse = 1.0 / if speed.abs() < MIN_SPEED { MIN_SPEED } else { speed };
            let (first, second) = ((b[0] - a[1] - margin) * inverse, (b[1] - a[0] + margin) * inverse);
            if first < second { [first, second] } else { [second, first] }
        };
        // A's layer first; B's only if that does not decide.
        let range_of_b = range::<I::Double>(&b.corners, &self.normal);
        let [mut entry, mut exit] = interval(&self.range, &range_of_b, speed(&self.normal));
        if entry > cutoff || exit < 0.0 {
            return false;
        }
        let normal = b.layer.normal.map(f64::from);
        let range_of_a = range::<I::Double>(&self.corners, &normal);
        let layer = [f64::from(b.layer.low), f64::from(b.layer.high)];
        let other = interval(&range_of_a, &layer, speed(&normal));
        entry = entry.max(other[0]);
        exit = exit.min(other[1]);
        entry <= exit && entry <= cutoff && exit >= 0.0
    }

    /// Whether the layers of both leaves admit a distance of at most `margin` [m]. False proves that they are farther
    /// apart.
    #[inline(always)]
    pub(crate) fn may_be_within<I: Isa>(&self, b: &Packet, margin: f64) -> bool {
        let near = |a: &[f64; 2], b: &[f64; 2]| b[0] - a[1] <= margin && a[0] - b[1] <= margin;
        if !near(&self.range, &range::<I::Double>(&b.corners, &self.normal)) {
            return false;
        }
        let normal = b.layer.normal.map(f64::from);
        let layer = [f64::from(b.layer.low), f64::from(b.layer.high)];
        near(&range::<I::Double>(&self.corners, &normal), &layer)
    }
}

/// Range of the heights of a leaf's corners along `normal` [m].
#[inline(always)]
fn range<D: Double>(corners: &[[[f64; PACKET]; 3]; 3], normal: &[f64; 3]) -> [f64; 2] {
    let normal: LaneVector<D> = splat(normal);
    let first = dot(&normal, &load(&corners[0]));
    let second = dot(&normal, &load(&corners[1]));
    let third = dot(&normal, &load(&corners[2]));
    [first.min(second).min(third).reduce_min(), first.max(second).max(third).reduce_max()]
}
