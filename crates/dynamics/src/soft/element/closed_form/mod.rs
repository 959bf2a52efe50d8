//! Closed forms of linear tetrahedra of two models, without a singular value decomposition, several elements at once.
//!
//! Corotational, with the rotation R nearest to F by Newton's iteration F ← (F + F⁻ᵀ)/2 [Higham86] and fixed in the
//! Hessian ("warped stiffness" [Müller04]): with Gₐ = R∇Nₐ
//!
//! Hₐb = V (λ Gₐ G_bᵀ + μ G_b Gₐᵀ + μ Gₐ·G_b 1), positive semi-definite.
//!
//! Neo-Hookean, exact: with cₐ = cof(F)∇Nₐ, s = κ(J − 1) − μ, w = F(∇Nₐ × ∇N_b)
//!
//! Hₐb = V (μ ∇Nₐ·∇N_b 1 + κ cₐ c_bᵀ − s \[w\]×).
//!
//! Each element has a lane of the vector instructions; no lane reads another, so the bits of an element depend neither on the
//! other elements nor on the instruction set.

use nalgebra::{Matrix3, Vector3};

use super::elements::{ElementKind, Elements};
use crate::soft::material::lanes::{Column, Lanes, combined, cross, dot, scaled};
use crate::soft::material::{Constitutive, SignedSvd, neo_hookean_energy};

/// Largest change of an entry at which the iteration stops: the next change would be its square, below rounding. Half
/// and twice change 1 of 3 runs and the linear iterations by less than 0.1 % (docs/sensitivity.md).
const ROTATION_TOLERANCE: f64 = 1e-8;

/// Determinant over the cube of the Frobenius norm below which the singular value decomposition replaces the iteration,
/// which would converge slowly or to a reflection. The identity has 0.19; larger values send more elements to the
/// slower decomposition. A safeguard, without effect on the sets of docs/sensitivity.md.
const MIN_RELATIVE_DETERMINANT: f64 = 1e-3;

/// Determinant above which the iteration is used whatever the norm. No effect on the sets of docs/sensitivity.md.
const SAFE_DETERMINANT: f64 = 0.5;

/// Maximum number of iterations; four or five are typical. A safeguard against an endless loop, without effect on the
/// sets of docs/sensitivity.md.
const MAX_ITERATIONS: usize = 20;

/// A 3 × 3 matrix in each lane, as columns.
type Square<const N: usize> = [Column<N>; 3];

/// Energies and derivatives of `N` linear elements; the last index is that of the element.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalBatch<const N: usize> {
    /// Energies \[J\].
    pub energies: [f64; N],
    /// ∂E/∂xₐ \[N\]: node, axis.
    pub gradient: [[[f64; N]; 3]; 4],
    /// ∂²E/∂xₐ∂x_b [N/m]: pair (a, b ≥ a), column, row.
    pub hessian: [[[[f64; N]; 3]; 3]; 10],
}

impl<const N: usize> Default for LocalBatch<N> {
    fn default() -> Self {
        let zero = [0.0; N];
        Self { energies: zero, gradient: [[zero; 3]; 4], hessian: [[[zero; 3]; 3]; 10] }
    }
}

/// Deformation and rest shape of `N` elements.
struct Shapes<const N: usize> {
    /// Deformation gradients.
    f: Square<N>,
    /// ∇Nₐ of the four nodes [1/m].
    slopes: [Column<N>; 4],
    /// Volumes at rest [m³].
    volume: Lanes<N>,
}

impl Elements {
    /// Evaluates energies, gradients and with `hessian` the Hessians of four linear elements, warped for the corotational model,
    /// exact for the neo-Hookean one. False, and nothing written, where there is no closed form.
    pub(crate) fn closed_form_of_four(
        &self,
        elements: [u32; 4],
        x: &[Vector3<f64>],
        hessian: bool,
        batch: &mut LocalBatch<4>,
    ) -> bool {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is there.
            return unsafe { self.closed_form_avx2(elements, x, hessian, batch) };
        }
        self.closed_form(elements, x, hessian, batch)
    }

    /// The same loops compiled for AVX2. Without fused multiply-add, so that the bits are those of the baseline.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn closed_form_avx2(
        &self,
        elements: [u32; 4],
        x: &[Vector3<f64>],
        hessian: bool,
        batch: &mut LocalBatch<4>,
    ) -> bool {
        self.closed_form(elements, x, hessian, batch)
    }

    /// Evaluates `N` elements of the body's model; false where it has no closed form. Inlined, like all below, into its callers
    /// so that it is compiled for their instruction set.
    #[inline(always)]
    fn closed_form<const N: usize>(
        &self,
        elements: [u32; N],
        x: &[Vector3<f64>],
        hessian: bool,
        batch: &mut LocalBatch<N>,
    ) -> bool {
        if self.kind != ElementKind::Linear {
            return false;
        }
        match self.material.model() {
            Constitutive::Corotational => self.corotational(&self.shapes(elements, x), hessian, batch),
            Constitutive::NeoHookean => self.neo_hookean(&self.shapes(elements, x), hessian, batch),
            _ => return false,
        }
        true
    }

    /// Gathers the deformation gradients, shape gradients and volumes of the elements.
    #[inline(always)]
    fn shapes<const N: usize>(&self, elements: [u32; N], x: &[Vector3<f64>]) -> Shapes<N> {
        let mut edges = [[Lanes::ZERO; 3]; 3];
        let mut slopes = [[Lanes::ZERO; 3]; 4];
        let mut volume = Lanes::ZERO;
        for lane in 0..N {
            let element = elements[lane] as usize;
            let corners = &self.nodes[4 * element..4 * element + 4];
            let origin = &x[corners[0] as usize];
            let rest = &self.rest[element];
            volume.0[lane] = rest.volume;
            for k in 0..3 {
                let corner = &x[corners[k + 1] as usize];
                for axis in 0..3 {
                    edges[k][axis].0[lane] = corner[axis] - origin[axis];
                    slopes[k + 1][axis].0[lane] = rest.inverse[(k, axis)];
                }
            }
        }
        let [_, a, b, c] = slopes;
        for axis in 0..3 {
            slopes[0][axis] = -(a[axis] + b[axis] + c[axis]);
        }
        let column = |axis: usize| combined(&edges, &[a[axis], b[axis], c[axis]]);
        Shapes { f: [column(0), column(1), column(2)], slopes, volume }
    }

    /// Energy μ‖F − R‖² + λ/2 tr²(RᵀF − 1), its gradient, and the warped Hessian Hₐb above [Müller04].
    #[inline(always)]
    fn corotational<const N: usize>(&self, shapes: &Shapes<N>, hessian: bool, batch: &mut LocalBatch<N>) {
        let (mu, lambda) = (self.material.shear_modulus(), self.material.lame_lambda());
        let Shapes { f, slopes, volume } = shapes;
        let r = nearest_rotations(f);
        let mut strain = *f;
        let (mut growth, mut square) = (Lanes::ZERO, Lanes::ZERO);
        for column in 0..3 {
            for row in 0..3 {
                strain[column][row] = f[column][row] - r[column][row];
            }
            growth += dot(&r[column], &strain[column]);
            square += dot(&strain[column], &strain[column]);
        }
        let (shear, stretch) = (*volume * Lanes::of(mu), *volume * Lanes::of(lambda));
        batch.energies = (shear * square + Lanes::of(0.5) * stretch * growth * growth).0;
        write_gradient(&stress([&strain, &r], [shear + shear, stretch * growth]), slopes, batch);
        if !hessian {
            return;
        }
        let mut rotated = *slopes;
        let (mut stretched, mut sheared) = (*slopes, *slopes);
        for a in 0..4 {
            rotated[a] = combined(&r, &slopes[a]);
            stretched[a] = scaled(&rotated[a], stretch);
            sheared[a] = scaled(&rotated[a], shear);
        }
        for (block, [a, b]) in batch.hessian.iter_mut().zip(PAIRS) {
            let direct = dot(&sheared[a], &rotated[b]);
            for column in 0..3 {
                for row in 0..3 {
                    let entry = stretched[a][row] * rotated[b][column] + rotated[b][row] * sheared[a][column];
                    block[column][row] = if row == column { entry + direct } else { entry }.0;
                }
            }
        }
    }

    /// Stable neo-Hookean energy [Smith18], its gradient, and the exact Hessian Hₐb above.
    #[inline(always)]
    fn neo_hookean<const N: usize>(&self, shapes: &Shapes<N>, hessian: bool, batch: &mut LocalBatch<N>) {
        let mu = self.material.shear_modulus();
        let kappa = self.material.lame_lambda() + mu;
        let Shapes { f, slopes, volume } = shapes;
        let cofactor = [cross(&f[1], &f[2]), cross(&f[2], &f[0]), cross(&f[0], &f[1])];
        let growth = dot(&cofactor[0], &f[0]) - Lanes::ONE;
        let (shear, bulk) = (*volume * Lanes::of(mu), *volume * Lanes::of(kappa));
        batch.energies = neo_hookean_energy(f, [shear, bulk]).0;
        let pressure = bulk * growth - shear;
        write_gradient(&stress([f, &cofactor], [shear, pressure]), slopes, batch);
        if !hessian {
            return;
        }
        let (mut areas, mut stiff, mut sheared) = (*slopes, *slopes, *slopes);
        for a in 0..4 {
            areas[a] = combined(&cofactor, &slopes[a]);
            stiff[a] = scaled(&areas[a], bulk);
            sheared[a] = scaled(&slopes[a], shear);
        }
        for (block, [a, b]) in batch.hessian.iter_mut().zip(PAIRS) {
            let direct = dot(&sheared[a], &slopes[b]);
            // F(∇Nₐ × ∇N_b), whose cross-product matrix is ∂cₐ/∂x_b; zero where a = b.
            let w = scaled(&combined(f, &cross(&slopes[a], &slopes[b])), pressure);
            for column in 0..3 {
                let (next, last) = ((column + 1) % 3, (column + 2) % 3);
                let entry = |row: usize| stiff[a][row] * areas[b][column];
                block[column][column] = (entry(column) + direct).0;
                block[column][last] = (entry(last) + w[next]).0;
                block[column][next] = (entry(next) - w[last]).0;
            }
        }
    }
}

/// The pairs (a, b ≥ a) of four nodes.
const PAIRS: [[usize; 2]; 10] =
    [[0, 0], [0, 1], [0, 2], [0, 3], [1, 1], [1, 2], [1, 3], [2, 2], [2, 3], [3, 3]];

/// x A + y B.
#[inline(always)]
fn stress<const N: usize>([a, b]: [&Square<N>; 2], [x, y]: [Lanes<N>; 2]) -> Square<N> {
    let mut sum = *a;
    for column in 0..3 {
        for row in 0..3 {
            sum[column][row] = a[column][row] * x + b[column][row] * y;
        }
    }
    sum
}

/// Writes the gradient, stress times volume times ∇Nₐ; that of node 0 is minus the sum of the others.
#[inline(always)]
fn write_gradient<const N: usize>(stress: &Square<N>, slopes: &[Column<N>; 4], batch: &mut LocalBatch<N>) {
    let [a, b, c] = [1, 2, 3].map(|node: usize| combined(stress, &slopes[node]));
    for axis in 0..3 {
        batch.gradient[0][axis] = (-(a[axis] + b[axis] + c[axis])).0;
        (batch.gradient[1][axis], batch.gradient[2][axis]) = (a[axis].0, b[axis].0);
        batch.gradient[3][axis] = c[axis].0;
    }
}

/// The rotations nearest to `f`: the polar factor by Newton's iteration R ← (R + R⁻ᵀ)/2 [Higham86], or by the signed singular
/// value decomposition where the iteration is not safe.
#[inline(always)]
fn nearest_rotations<const N: usize>(f: &Square<N>) -> Square<N> {
    let size = dot(&f[0], &f[0]) + dot(&f[1], &f[1]) + dot(&f[2], &f[2]);
    let min = size.map(|size| (MIN_RELATIVE_DETERMINANT * size * size.sqrt()).min(SAFE_DETERMINANT));
    let mut r = *f;
    let mut settled = [false; N];
    let mut stuck = [false; N];
    for _ in 0..MAX_ITERATIONS {
        // R⁻ᵀ is the cofactor matrix over the determinant.
        let cofactor = [cross(&r[1], &r[2]), cross(&r[2], &r[0]), cross(&r[0], &r[1])];
        let determinant = dot(&cofactor[0], &r[0]);
        let half = Lanes::of(0.5) / determinant;
        let mut change = Lanes::ZERO;
        for column in 0..3 {
            for row in 0..3 {
                let old = r[column][row];
                let next = old.or(Lanes::of(0.5) * old + half * cofactor[column][row], settled);
                let moved = (next - old).map(f64::abs);
                // A maximum that NaN wins: such a lane never settles and ends in the decomposition.
                change = moved.or(change, moved.mask(change, |a, b| !(a <= b)));
                r[column][row] = next;
            }
        }
        let mut done = true;
        for lane in 0..N {
            // Frozen once settled, a lane keeps its bits whatever the number of iterations of the others.
            stuck[lane] |= !settled[lane] && !(determinant.0[lane] > min.0[lane]);
            settled[lane] |= stuck[lane] || change.0[lane] < ROTATION_TOLERANCE;
            done &= settled[lane];
        }
        if done {
            break;
        }
    }
    for lane in 0..N {
        if stuck[lane] || !settled[lane] {
            let f = Matrix3::from_fn(|row, column| f[column][row].0[lane]);
            let rotation = SignedSvd::of(&f).rotation();
            for column in 0..3 {
                for row in 0..3 {
                    r[column][row].0[lane] = rotation[(row, column)];
                }
            }
        }
    }
    r
}

#[cfg(test)]
mod tests;
