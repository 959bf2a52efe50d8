//! Several numbers at once, in plain loops that the compiler turns into vector instructions. No operation mixes lanes
//! or contracts a product with a sum, so that a lane has the same bits in company as alone.

use std::array::from_fn;
use std::ops::{Add, Mul, Neg, Sub};

/// `N` numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lanes<const N: usize>(pub(super) [f64; N]);

impl<const N: usize> Lanes<N> {
    pub(super) const ZERO: Self = Self([0.0; N]);
    pub(super) const ONE: Self = Self([1.0; N]);

    #[inline(always)]
    pub(super) fn gather(number: impl Fn(usize) -> f64) -> Self {
        Self(from_fn(number))
    }

    #[inline(always)]
    pub(super) fn map(self, function: impl Fn(f64) -> f64) -> Self {
        Self(from_fn(|lane| function(self.0[lane])))
    }

    /// Where each number passes a test.
    #[inline(always)]
    pub(super) fn mask(self, other: Self, test: impl Fn(f64, f64) -> bool) -> [bool; N] {
        from_fn(|lane| test(self.0[lane], other.0[lane]))
    }

    /// `self` where the mask holds, `other` elsewhere.
    #[inline(always)]
    pub(super) fn or(self, other: Self, mask: [bool; N]) -> Self {
        Self(from_fn(|lane| if mask[lane] { self.0[lane] } else { other.0[lane] }))
    }
}

impl<const N: usize> Add for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(from_fn(|lane| self.0[lane] + other.0[lane]))
    }
}

impl<const N: usize> Sub for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(from_fn(|lane| self.0[lane] - other.0[lane]))
    }
}

impl<const N: usize> Mul for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(from_fn(|lane| self.0[lane] * other.0[lane]))
    }
}

impl<const N: usize> Neg for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|number| -number)
    }
}

/// Three numbers in each lane.
pub(super) type Column<const N: usize> = [Lanes<N>; 3];

#[inline(always)]
pub(super) fn dot<const N: usize>(a: &Column<N>, b: &Column<N>) -> Lanes<N> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross<const N: usize>(a: &Column<N>, b: &Column<N>) -> Column<N> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(super) fn scaled<const N: usize>(a: &Column<N>, factor: Lanes<N>) -> Column<N> {
    a.map(|number| number * factor)
}

#[inline(always)]
pub(super) fn column<const N: usize>(columns: &[Column<N>; 3], lane: usize) -> nalgebra::Matrix3<f64> {
    nalgebra::Matrix3::from_fn(|row, column| columns[column][row].0[lane])
}
