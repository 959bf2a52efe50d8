//! SIMD arithmetic of the kernels, with AVX2 and portable, with the same bits on both.
//!
//! Autovectorisation spends more on shuffles than on arithmetic here, so the AVX2 path uses intrinsics. Both paths
//! round identically: no fused multiply-add, no reordered reductions, and the same choice where an operand of a
//! comparison is NaN.

/// Runs a kernel on the widest instruction set that the machine has.
pub(crate) fn on_widest<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
        // SAFETY: AVX2 is available.
        return unsafe { avx2::run(kernel) };
    }
    kernel.run::<Portable>()
}

/// Begins to move a value to the nearest cache, where the machine can.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    /// Bytes that come at once.
    const LINE: usize = 64;
    #[cfg(target_arch = "x86_64")]
    for line in 0..size_of::<T>().div_ceil(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(value).cast::<i8>();
        #[expect(unsafe_code, reason = "a hint, of which nothing but time depends")]
        // SAFETY: nothing is read, and any address is allowed.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(LINE * line));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (value, LINE);
}

/// Whether this machine supports AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn has_avx2() -> bool {
    #[cfg(test)]
    if PORTABLE.get() {
        return false;
    }
    std::arch::is_x86_feature_detected!("avx2")
}

#[cfg(test)]
thread_local! {
    static PORTABLE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs `query` with this thread on the portable path.
#[cfg(test)]
pub(crate) fn portably<T>(query: impl FnOnce() -> T) -> T {
    PORTABLE.set(true);
    let result = query();
    PORTABLE.set(false);
    result
}

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
mod avx2;
pub(crate) mod isa;
use self::isa::{Kernel, Portable};
