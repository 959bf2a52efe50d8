//! Vectors of numbers, one for each lane, in plain loops that the compiler vectorises. No operation mixes lanes or contracts
//! a product with a sum, so that a lane has the same bits whatever the others contain.

use std::array::from_fn;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// `N` numbers, aligned for the widest loads.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
pub(in crate::soft) struct Lanes<const N: usize>(pub(in crate::soft) [f64; N]);

impl<const N: usize> Lanes<N> {
    pub(in crate::soft) const ZERO: Self = Self([0.0; N]);
    pub(in crate::soft) const ONE: Self = Self([1.0; N]);

    #[inline(always)]
    pub(in crate::soft) fn gather(number: impl Fn(usize) -> f64) -> Self {
        let mut all = [0.0; N];
        for lane in 0..N {
            all[lane] = number(lane);
        }
        Self(all)
    }

    #[inline(always)]
    pub(in crate::soft) fn of(number: f64) -> Self {
        Self([number; N])
    }

    #[inline(always)]
    pub(in crate::soft) fn map(self, function: impl Fn(f64) -> f64) -> Self {
        Self::gather(|lane| function(self.0[lane]))
    }

    /// Mask of the lanes whose pair of numbers passes a test.
    #[inline(always)]
    pub(in crate::soft) fn mask(self, other: Self, test: impl Fn(f64, f64) -> bool) -> [bool; N] {
        from_fn(|lane| test(self.0[lane], other.0[lane]))
    }

    /// `self` where the mask holds, `other` elsewhere.
    #[inline(always)]
    pub(in crate::soft) fn or(self, other: Self, mask: [bool; N]) -> Self {
        Self::gather(|lane| if mask[lane] { self.0[lane] } else { other.0[lane] })
    }
}

impl<const N: usize> Add for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::gather(|lane| self.0[lane] + other.0[lane])
    }
}

impl<const N: usize> Sub for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::gather(|lane| self.0[lane] - other.0[lane])
    }
}

impl<const N: usize> Mul for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::gather(|lane| self.0[lane] * other.0[lane])
    }
}

impl<const N: usize> Div for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self::gather(|lane| self.0[lane] / other.0[lane])
    }
}

impl<const N: usize> AddAssign for Lanes<N> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
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
pub(in crate::soft) type Column<const N: usize> = [Lanes<N>; 3];

#[inline(always)]
pub(in crate::soft) fn dot<const N: usize>(a: &Column<N>, b: &Column<N>) -> Lanes<N> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(in crate::soft) fn cross<const N: usize>(a: &Column<N>, b: &Column<N>) -> Column<N> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// x a + y b + z c.
#[inline(always)]
pub(in crate::soft) fn combined<const N: usize>(
    [a, b, c]: &[Column<N>; 3],
    [x, y, z]: &Column<N>,
) -> Column<N> {
    [a[0] * *x + b[0] * *y + c[0] * *z, a[1] * *x + b[1] * *y + c[1] * *z, a[2] * *x + b[2] * *y + c[2] * *z]
}

#[inline(always)]
pub(in crate::soft) fn scaled<const N: usize>(a: &Column<N>, factor: Lanes<N>) -> Column<N> {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

#[inline(always)]
pub(in crate::soft) fn column<const N: usize>(
    columns: &[Column<N>; 3],
    lane: usize,
) -> nalgebra::Matrix3<f64> {
    nalgebra::Matrix3::from_fn(|row, column| columns[column][row].0[lane])
}
