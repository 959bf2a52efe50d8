//! SIMD types for AVX2 on x86-64.
//!
//! The methods are inlined into functions that are compiled for AVX2 and entered only after the instruction set has
//! been detected (`tandem::descend`, `single::descend`, `on_widest`); nothing else makes these values.

#![expect(
    unsafe_code,
    reason = "vendor intrinsics; the module's documentation states why the instruction set is available"
)]

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, Mul, Neg, Sub};

use super::isa::{Double, Isa, Kernel, Mask, Single};

/// The instruction set AVX2 of x86-64.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2;

impl Isa for Avx2 {
    type Double = F64x4;
    type Single = F32x8;
}

/// Compiles a kernel for AVX2; only [`super::on_widest`] enters it.
#[target_feature(enable = "avx2")]
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

/// Four `f64` in one register.
#[derive(Debug, Clone, Copy)]
pub(crate) struct F64x4(__m256d);

/// Eight `f32` in one register.
#[derive(Debug, Clone, Copy)]
pub(crate) struct F32x8(__m256);

macro_rules! operator {
    ($type:ident, $trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: AVX2 is available, see the module's documentation.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

operator!(F64x4, Add, add, _mm256_add_pd);
operator!(F64x4, Sub, sub, _mm256_sub_pd);
operator!(F64x4, Mul, mul, _mm256_mul_pd);
operator!(F64x4, BitAnd, bitand, _mm256_and_pd);
operator!(F32x8, Add, add, _mm256_add_ps);
operator!(F32x8, Sub, sub, _mm256_sub_ps);
operator!(F32x8, Mul, mul, _mm256_mul_ps);
operator!(F32x8, BitAnd, bitand, _mm256_and_ps);

impl Neg for F64x4 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)) })
    }
}

impl Mask for F64x4 {
    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: AVX2 is available, see the module's documentation.
        unsafe { _mm256_movemask_pd(self.0).cast_unsigned() }
    }
}

impl Mask for F32x8 {
    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: AVX2 is available, see the module's documentation.
        unsafe { _mm256_movemask_ps(self.0).cast_unsigned() }
    }
}

impl Double for F64x4 {
    type Mask = Self;

    #[inline(always)]
    fn load(values: &[f64; 4]) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation; the array has four numbers.
        Self(unsafe { _mm256_loadu_pd(values.as_ptr()) })
    }

    #[inline(always)]
    fn store(self) -> [f64; 4] {
        let mut values = [0.0; 4];
        // SAFETY: AVX2 is available, see the module's documentation; the array has four numbers.
        unsafe { _mm256_storeu_pd(values.as_mut_ptr(), self.0) };
        values
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_min_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_max_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
    }

    #[inline(always)]
    fn reduce_min(self) -> f64 {
        // SAFETY: AVX2 is available, see the module's documentation.
        unsafe {
            let halves = _mm_min_pd(_mm256_castpd256_pd128(self.0), _mm256_extractf128_pd::<1>(self.0));
            _mm_cvtsd_f64(_mm_min_sd(halves, _mm_unpackhi_pd(halves, halves)))
        }
    }

    #[inline(always)]
    fn reduce_max(self) -> f64 {
        // SAFETY: AVX2 is available, see the module's documentation.
        unsafe {
            let halves = _mm_max_pd(_mm256_castpd256_pd128(self.0), _mm256_extractf128_pd::<1>(self.0));
            _mm_cvtsd_f64(_mm_max_sd(halves, _mm_unpackhi_pd(halves, halves)))
        }
    }

    #[inline(always)]
    fn recip(self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_div_pd(_mm256_set1_pd(1.0), self.0) })
    }

    #[inline(always)]
    fn less_or_equal(self, other: Self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_cmp_pd::<_CMP_LE_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn away_from_zero(self, min: f64) -> Self {
        let floor = Self::splat(min);
        let enough = floor.less_or_equal(self.abs());
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_blendv_pd(floor.0, self.0, enough.0) })
    }

    #[inline(always)]
    fn only_in(self, mask: Self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_blendv_pd(_mm256_set1_pd(f64::INFINITY), self.0, mask.0) })
    }
}

impl Single for F32x8 {
    type Mask = Self;

    #[inline(always)]
    fn load(values: &[f32; 8]) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation; the array has eight numbers.
        Self(unsafe { _mm256_loadu_ps(values.as_ptr()) })
    }

    #[inline(always)]
    fn repeat(values: &[f32; 4]) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation; the array has four numbers.
        unsafe {
            let four = _mm_loadu_ps(values.as_ptr());
            Self(_mm256_set_m128(four, four))
        }
    }

    #[inline(always)]
    fn store(self) -> [f32; 8] {
        let mut values = [0.0; 8];
        // SAFETY: AVX2 is available, see the module's documentation; the array has eight numbers.
        unsafe { _mm256_storeu_ps(values.as_mut_ptr(), self.0) };
        values
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }

    #[inline(always)]
    fn recip(self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_div_ps(_mm256_set1_ps(1.0), self.0) })
    }

    #[inline(always)]
    fn away_from_zero(self, min: f32) -> Self {
        let floor = Self::splat(min);
        let enough = floor.less_or_equal(self.abs());
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_blendv_ps(floor.0, self.0, enough.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn times_sign_of(self, other: Self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_xor_ps(self.0, _mm256_and_ps(other.0, _mm256_set1_ps(-0.0))) })
    }

    #[inline(always)]
    fn less_or_equal(self, other: Self) -> Self {
        // SAFETY: AVX2 is available, see the module's documentation.
        Self(unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0) })
    }
}
