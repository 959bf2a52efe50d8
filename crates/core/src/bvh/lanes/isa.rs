//! SIMD vector traits and their portable implementation.

use std::ops::{Add, BitAnd, Mul, Neg, Sub};

/// An instruction set: vectors of four `f64` and of eight `f32`.
pub(crate) trait Isa: Copy {
    type Double: Double;
    type Single: Single;
}

/// A computation that is compiled for every instruction set, with the same bits on each.
pub(crate) trait Kernel {
    type Output;
    fn run<I: Isa>(self) -> Self::Output;
}

/// Truth values, one per lane.
pub(crate) trait Mask: Copy + BitAnd<Output = Self> {
    /// One bit per lane, the first lane lowest.
    fn bits(self) -> u32;
}

/// Four `f64`, one per triangle of a packet.
pub(crate) trait Double:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    type Mask: Mask;
    fn load(values: &[f64; 4]) -> Self;
    fn store(self) -> [f64; 4];
    /// Lanewise minimum; `other` where either is NaN.
    fn min(self, other: Self) -> Self;
    /// Lanewise maximum; `other` where either is NaN.
    fn max(self, other: Self) -> Self;
    /// The minimum of the lanes, none of which is NaN.
    fn reduce_min(self) -> f64;
    /// The maximum of the lanes, none of which is NaN.
    fn reduce_max(self) -> f64;
    fn abs(self) -> Self;
    fn recip(self) -> Self;
    fn less_or_equal(self, other: Self) -> Self::Mask;
    /// `self` where `|self| ≥ min`, else `min`: keeps a divisor away from zero.
    fn away_from_zero(self, min: f64) -> Self;
    /// `self` in the lanes of the mask, infinity in the others.
    fn only_in(self, mask: Self::Mask) -> Self;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self::load(&[value; 4])
    }
}

/// Eight `f32`, one per child of a node.
pub(crate) trait Single: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    type Mask: Mask;
    fn load(values: &[f32; 8]) -> Self;
    /// Four numbers twice.
    fn repeat(values: &[f32; 4]) -> Self;
    fn store(self) -> [f32; 8];
    /// Lanewise minimum; `other` where either is NaN.
    fn min(self, other: Self) -> Self;
    /// Lanewise maximum; `other` where either is NaN.
    fn max(self, other: Self) -> Self;
    fn abs(self) -> Self;
    fn recip(self) -> Self;
    /// `self` where `|self| ≥ min`, else `min`: keeps a divisor away from zero.
    fn away_from_zero(self, min: f32) -> Self;
    fn sqrt(self) -> Self;
    /// `self` with its sign flipped in the lanes where `other` is negative.
    fn times_sign_of(self, other: Self) -> Self;
    fn less_or_equal(self, other: Self) -> Self::Mask;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self::load(&[value; 8])
    }
}

/// Four vectors, one per triangle of a packet.
pub(crate) type LaneVector<D> = [D; 3];

#[inline(always)]
pub(crate) fn load<D: Double>(v: &[[f64; 4]; 3]) -> LaneVector<D> {
    [D::load(&v[0]), D::load(&v[1]), D::load(&v[2])]
}

/// The same vector in every lane.
#[inline(always)]
pub(crate) fn splat<D: Double>(v: &[f64; 3]) -> LaneVector<D> {
    [D::splat(v[0]), D::splat(v[1]), D::splat(v[2])]
}

#[inline(always)]
pub(crate) fn sub<D: Double>(a: &LaneVector<D>, b: &LaneVector<D>) -> LaneVector<D> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn dot<D: Double>(a: &LaneVector<D>, b: &LaneVector<D>) -> D {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross<D: Double>(a: &LaneVector<D>, b: &LaneVector<D>) -> LaneVector<D> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// |x| + |y| + |z| of each lane: at least the length, at most √3 times it, and free of square roots.
#[inline(always)]
pub(crate) fn norm_l1<D: Double>(a: &LaneVector<D>) -> D {
    a[0].abs() + a[1].abs() + a[2].abs()
}

/// The portable instruction set, available on every machine.
///
/// On x86-64 its operations are calls: only processors without AVX2 make them, and inlined into every kernel they took a fifth of
/// the time in which this crate is compiled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable;

impl Isa for Portable {
    type Double = Array<f64, 4>;
    type Single = Array<f32, 8>;
}

/// A vector as an array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Array<T, const N: usize>([T; N]);

/// A mask as bits, the first lane lowest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bits(u32);

impl BitAnd for Bits {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Mask for Bits {
    #[inline(always)]
    fn bits(self) -> u32 {
        self.0
    }
}

impl<T: Copy, const N: usize> Array<T, N> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        let mut result = self.0;
        for lane in 0..N {
            result[lane] = f(self.0[lane], other.0[lane]);
        }
        Self(result)
    }
}

macro_rules! portable {
    ($trait:ident, $number:ty, $lanes:literal) => {
        impl Add for Array<$number, $lanes> {
            type Output = Self;
            #[cfg_attr(target_arch = "x86_64", inline(never))]
            fn add(self, other: Self) -> Self {
                self.zip(other, |a, b| a + b)
            }
        }

        impl Sub for Array<$number, $lanes> {
            type Output = Self;
            #[cfg_attr(target_arch = "x86_64", inline(never))]
            fn sub(self, other: Self) -> Self {
                self.zip(other, |a, b| a - b)
            }
        }

        impl Mul for Array<$number, $lanes> {
            type Output = Self;
            #[cfg_attr(target_arch = "x86_64", inline(never))]
            fn mul(self, other: Self) -> Self {
                self.zip(other, |a, b| a * b)
            }
        }

        impl Neg for Array<$number, $lanes> {
            type Output = Self;
            #[cfg_attr(target_arch = "x86_64", inline(never))]
            fn neg(self) -> Self {
                Self(self.0.map(|a| -a))
            }
        }

        impl $trait for Array<$number, $lanes> {
            portable_methods!($number, $lanes);
            portable_extras!($trait);
        }
    };
}

macro_rules! portable_methods {
    ($number:ty, $lanes:literal) => {
        type Mask = Bits;

        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn load(values: &[$number; $lanes]) -> Self {
            Self(*values)
        }

        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn store(self) -> [$number; $lanes] {
            self.0
        }

        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn min(self, other: Self) -> Self {
            self.zip(other, |a, b| if a < b { a } else { b })
        }

        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn max(self, other: Self) -> Self {
            self.zip(other, |a, b| if a > b { a } else { b })
        }

        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn abs(self) -> Self {
            Self(self.0.map(<$number>::abs))
        }

        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn recip(self) -> Self {
            Self(self.0.map(|a| 1.0 / a))
        }

        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn away_from_zero(self, min: $number) -> Self {
            Self(self.0.map(|a| if a.abs() >= min { a } else { min }))
        }

        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn less_or_equal(self, other: Self) -> Bits {
            let mut bits = 0;
            for lane in 0..$lanes {
                bits |= u32::from(self.0[lane] <= other.0[lane]) << lane;
            }
            Bits(bits)
        }
    };
}

macro_rules! portable_extras {
    (Double) => {
        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn reduce_min(self) -> f64 {
            let [a, b, c, d] = self.0;
            a.min(c).min(b.min(d))
        }

        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn reduce_max(self) -> f64 {
            let [a, b, c, d] = self.0;
            a.max(c).max(b.max(d))
        }

        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn only_in(self, mask: Bits) -> Self {
            let mut result = [f64::INFINITY; 4];
            for lane in 0..4 {
                if mask.0 & (1 << lane) != 0 {
                    result[lane] = self.0[lane];
                }
            }
            Self(result)
        }
    };
    (Single) => {
        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn repeat(values: &[f32; 4]) -> Self {
            let [a, b, c, d] = *values;
            Self([a, b, c, d, a, b, c, d])
        }

        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn sqrt(self) -> Self {
            Self(self.0.map(f32::sqrt))
        }

        #[cfg_attr(target_arch = "x86_64", inline(never))]
        fn times_sign_of(self, other: Self) -> Self {
            self.zip(other, |a, b| f32::from_bits(a.to_bits() ^ (b.to_bits() & SIGN)))
        }
    };
}

/// The sign bit of an `f32`.
const SIGN: u32 = 1 << 31;

portable!(Double, f64, 4);

portable!(Single, f32, 8);
