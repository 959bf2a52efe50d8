//! Local solver of fast marching: the distance at a node from those of its neighbours [Fisher01 §4.2].
//!
//! With t the distance at a node, Σ wₖ max(t − Aₖ, 0)² = h² over the axes k. On each axis a is the smaller of the two
//! neighbours and b the node behind it: A = (4a − b)/3 and w = 9/4 where b < a, which is the one-sided difference of
//! second order; else A = a and w = 1. (A difference a − b of more than h is clamped to h: no distance grows faster.)
//! Only a node with a < t contributes to t, because A ≥ a. So every distance depends on smaller ones alone, the solution
//! is unique, and can be verified at each node separately.
//!
//! | paper | here            | meaning                              |
//! |-------|-----------------|--------------------------------------|
//! | φ     | `values`        | signed distance [m], positive outside |
//! | t     | `t`             | unsigned distance at a node [m]      |
//! | h     | `spacing`       | distance between neighbours [m]      |
//!
//! Departs from [Fisher01]: known distances have signs, so second order starts at once, with nodes on the other side of
//! the surface; no states are stored, because the border of the grid is NaN and unknown values are too large to be
//! distances.

/// A power of two.
const fn power(exponent: u64) -> f64 {
    f64::from_bits((1023 + exponent) << 52)
}

/// Magnitude of an unknown value.
pub(super) const FAR: f64 = f64::MAX;
/// Bound between known values, which are smaller, and all others.
pub(super) const KNOWN: f64 = power(300);
/// Spacings in metres are within this factor of one, so that the scaled values of waiting nodes are distinct from all
/// others.
pub(super) const MAX_SPACING: f64 = power(80);

/// Constants of a march.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stencil {
    /// Steps in memory along the axes.
    pub(super) strides: [usize; 3],
    /// Distance between neighbours [m].
    pub(super) spacing: f64,
    /// Nodes up to this distance are known exactly, and no others are that near [m].
    pub(super) band: f64,
    /// The next number above the band: the minimum distance that is marched [m].
    pub(super) floor: f64,
    /// Difference up to which two neighbours count as equal [m]: in the planes of symmetry of a shape rounding must not
    /// decide between them.
    pub(super) tie: f64,
    /// Distance up to which nodes are computed [m].
    pub(super) limit: f64,
}

/// A value with its sign chosen such that it increases away from the surface on the side of the march.
#[inline(always)]
pub(super) fn oriented<const INSIDE: bool>(value: f64) -> f64 {
    if INSIDE { -value } else { value }
}

impl Stencil {
    /// Distance at a node from its known neighbours; at least [`KNOWN`] when there are none [Fisher01 §4.2].
    #[inline(always)]
    pub(super) fn solve<const INSIDE: bool, const SECOND: bool>(&self, values: &[f64], node: usize) -> f64 {
        let (mut along, mut weight) = ([FAR; 3], [1.0; 3]);
        for axis in 0..3 {
            let step = self.strides[axis];
            let below = oriented::<INSIDE>(values[node - step]);
            let above = oriented::<INSIDE>(values[node + step]);
            // The border is NaN, which `min` leaves out.
            let a = below.min(above);
            if !(a < KNOWN) {
                continue;
            }
            along[axis] = a;
            if SECOND {
                let behind = if (below - above).abs() <= self.tie {
                    // In a tie the larger of those smaller than a, independently of the order of the neighbours.
                    let [low, high] =
                        [node - 2 * step, node + 2 * step].map(|at| oriented::<INSIDE>(values[at]));
                    let counts = |b: f64| b < a - self.tie;
                    if counts(high) && !(counts(low) && low >= high) { high } else { low }
                } else {
                    let at = if below <= a { node - 2 * step } else { node + 2 * step };
                    oriented::<INSIDE>(values[at])
                };
                if behind < a - self.tie {
                    (along[axis], weight[axis]) = (a + (a - behind).min(self.spacing) / 3.0, 2.25);
                }
            }
        }
        self.quadratic(along, weight).max(self.floor)
    }

    /// The t at which Σ wₖ max(t − Aₖ, 0)² = h².
    ///
    /// An axis contributes when the axes with smaller A sum to less than h² at t = Aₖ, so one square root is enough.
    /// Relative to the minimum A: (Σw) τ² − 2 (Σwd) τ + Σwd² − h² = 0.
    #[inline(always)]
    fn quadratic(&self, along: [f64; 3], weight: [f64; 3]) -> f64 {
        let mut terms = [(along[0], weight[0]), (along[1], weight[1]), (along[2], weight[2])];
        for (i, j) in [(0, 1), (1, 2), (0, 1)] {
            if terms[j].0 < terms[i].0 {
                terms.swap(i, j);
            }
        }
        let [(min, w0), (second, w1), (third, w2)] = terms;
        let (d1, d2, h_squared) = (second - min, third - min, self.spacing * self.spacing);
        let (mut sum, mut linear, mut constant) = (w0, 0.0, -h_squared);
        if w0 * d1 * d1 < h_squared {
            (sum, linear, constant) = (sum + w1, w1 * d1, constant + w1 * d1 * d1);
            if w0 * d2 * d2 + w1 * (d2 - d1) * (d2 - d1) < h_squared {
                (sum, linear, constant) = (sum + w2, linear + w2 * d2, constant + w2 * d2 * d2);
            }
        }
        min + (linear + (linear * linear - sum * constant).max(0.0).sqrt()) / sum
    }
}
