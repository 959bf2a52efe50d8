//! Four `f64` side by side: the arithmetic of the packet kernels.
//!
//! Plain arrays, so that the compiler vectorises them for whatever instruction set the caller was compiled for and
//! the result has the same bits on every path: no fused multiply-add, no reordered reductions.

use std::ops::{Add, BitAnd, Mul, Neg, Sub};

/// Four numbers, one per triangle of a packet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lanes(pub(crate) [f64; 4]);

/// Four truth values, one per triangle of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mask(pub(crate) [bool; 4]);

/// Four vectors, one per triangle of a packet.
pub(crate) type LaneVector = [Lanes; 3];

impl Lanes {
    #[inline(always)]
    pub(crate) fn splat(value: f64) -> Self {
        Self([value; 4])
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let (a, b) = (self.0, other.0);
        Self([f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])])
    }

    /// The lesser of each lane; where a lane compares with NaN, `other` wins.
    #[inline(always)]
    pub(crate) fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    /// The greater of each lane; where a lane compares with NaN, `other` wins.
    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        Self(self.0.map(f64::abs))
    }

    #[inline(always)]
    pub(crate) fn recip(self) -> Self {
        Self(self.0.map(|x| 1.0 / x))
    }

    #[inline(always)]
    pub(crate) fn less_or_equal(self, other: Self) -> Mask {
        let (a, b) = (self.0, other.0);
        Mask([a[0] <= b[0], a[1] <= b[1], a[2] <= b[2], a[3] <= b[3]])
    }

    /// `self` where `|self| ≥ least`, else `least`: keeps a divisor away from zero.
    #[inline(always)]
    pub(crate) fn away_from_zero(self, least: f64) -> Self {
        Self(self.0.map(|x| if x.abs() >= least { x } else { least }))
    }
}

impl Mask {
    #[inline(always)]
    pub(crate) fn any(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3]
    }
}

impl BitAnd for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]])
    }
}

impl Add for Lanes {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Lanes {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl Neg for Lanes {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}

/// The same vector in every lane.
#[inline(always)]
pub(crate) fn splat(v: &[f64; 3]) -> LaneVector {
    [Lanes::splat(v[0]), Lanes::splat(v[1]), Lanes::splat(v[2])]
}

#[inline(always)]
pub(crate) fn sub(a: &LaneVector, b: &LaneVector) -> LaneVector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn dot(a: &LaneVector, b: &LaneVector) -> Lanes {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross(a: &LaneVector, b: &LaneVector) -> LaneVector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// |x| + |y| + |z| of each lane: at least the length, at most √3 times it, and free of square roots.
#[inline(always)]
pub(crate) fn norm_l1(a: &LaneVector) -> Lanes {
    a[0].abs() + a[1].abs() + a[2].abs()
}
