//! The distance at a node from those around it [Fisher01 §4.2].
//!
//! With t the distance at a node, Σ wₖ max(t − Aₖ, 0)² = h² over the axes k. On each axis a is the lesser of the two
//! neighbours and b the node behind it: A = (4a − b)/3 and w = 9/4 where b < a, which is the one-sided difference of
//! second order; else A = a and w = 1. (A difference a − b of more than h is taken as h: no distance grows faster.)
//! Only a node with a < t has part in t, because A ≥ a. So every distance follows from lesser ones alone, the solution
//! is unique, and whether it is one can be checked at each node by itself.
//!
//! | paper | here            | meaning                              |
//! |-------|-----------------|--------------------------------------|
//! | φ     | `values`        | signed distance [m], positive outside |
//! | t     | `t`             | unsigned distance at a node [m]      |
//! | h     | `spacing`       | distance between neighbours [m]      |
//!
//! Departs from [Fisher01]: known distances have signs, so second order begins at once, with nodes on the other side of
//! the surface; no states are kept, because the border of the grid is NaN and what is not known is too large to be a
//! distance.

/// A power of two.
const fn power(exponent: u64) -> f64 {
    f64::from_bits((1023 + exponent) << 52)
}

/// Magnitude of a value of which nothing is known.
pub(super) const FAR: f64 = f64::MAX;
/// Known values are less than this, and all others are more.
pub(super) const KNOWN: f64 = power(300);
/// Spacings in metres are within this factor of one. So values of nodes that wait can be told from all others.
pub(super) const MOST_SPACING: f64 = power(80);

/// What does not change during a march.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stencil {
    /// Steps in memory along the axes.
    pub(super) strides: [usize; 3],
    /// Distance between neighbours [m].
    pub(super) spacing: f64,
    /// Nodes up to this distance are known exactly, and no others are that near [m].
    pub(super) band: f64,
    /// The next number above the band: the least distance that is marched [m].
    pub(super) floor: f64,
    /// Difference up to which two neighbours count as equal [m]: in the planes of symmetry of a shape rounding must not
    /// decide between them.
    pub(super) tie: f64,
    /// Distance up to which nodes are wanted [m].
    pub(super) limit: f64,
}

/// A value with its sign such that it grows away from the surface on the side of the march.
#[inline(always)]
pub(super) fn oriented<const INSIDE: bool>(value: f64) -> f64 {
    if INSIDE { -value } else { value }
}

impl Stencil {
    /// Distance at a node from what is known around it; at least [`KNOWN`] when nothing is.
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
                    // The greater of those that are lesser than a, whichever neighbour came first.
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
    /// An axis has part in it when the others reach less than h² at t = Aₖ, so one root is enough. Relative to the
    /// least A: (Σw) τ² − 2 (Σwd) τ + Σwd² − h² = 0.
    #[inline(always)]
    fn quadratic(&self, along: [f64; 3], weight: [f64; 3]) -> f64 {
        let mut terms = [(along[0], weight[0]), (along[1], weight[1]), (along[2], weight[2])];
        for (i, j) in [(0, 1), (1, 2), (0, 1)] {
            if terms[j].0 < terms[i].0 {
                terms.swap(i, j);
            }
        }
        let [(least, w0), (second, w1), (third, w2)] = terms;
        let (d1, d2, reach) = (second - least, third - least, self.spacing * self.spacing);
        let (mut sum, mut linear, mut constant) = (w0, 0.0, -reach);
        if w0 * d1 * d1 < reach {
            (sum, linear, constant) = (sum + w1, w1 * d1, constant + w1 * d1 * d1);
            if w0 * d2 * d2 + w1 * (d2 - d1) * (d2 - d1) < reach {
                (sum, linear, constant) = (sum + w2, linear + w2 * d2, constant + w2 * d2 * d2);
            }
        }
        least + (linear + (linear * linear - sum * constant).max(0.0).sqrt()) / sum
    }
}
