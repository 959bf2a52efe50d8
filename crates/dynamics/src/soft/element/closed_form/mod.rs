//! Linear tetrahedra of two models without a singular value decomposition, several at once.
//!
//! Corotational, with the rotation R nearest to F by Newton's iteration F ← (F + F⁻ᵀ)/2 [Higham86] and held in the
//! Hessian ("warped stiffness" [Müller04]): with Gₐ = R∇Nₐ
//!
//! Hₐb = V (λ Gₐ G_bᵀ + μ G_b Gₐᵀ + μ Gₐ·G_b 1), positive semi-definite.
//!
//! Neo-Hookean, exact: with cₐ = cof(F)∇Nₐ, s = κ(J − 1) − μ, w = F(∇Nₐ × ∇N_b)
//!
//! Hₐb = V (μ ∇Nₐ·∇N_b 1 + κ cₐ c_bᵀ − s \[w\]×).
//!
//! Each element has a lane of the vector instructions; no lane looks at another, so an element has the same bits in any
//! company and with any instructions.

use nalgebra::{Matrix3, Vector3};

use super::elements::{ElementKind, Elements};
use crate::soft::material::lanes::{Column, Lanes, combined, cross, dot, scaled};
use crate::soft::material::{Constitutive, SignedSvd, neo_hookean_energy};

/// Change of the rotation at which the iteration stops: the next one would be its square.
const SETTLED: f64 = 1e-8;

/// Determinant over the cube of the norm below which the iteration gives way to the decomposition: det of the
/// identity is 0.19 of it.
const SQUASHED: f64 = 1e-3;

/// Determinant above which the iteration converges whatever the norm.
const ROOMY: f64 = 0.5;

/// Most iterations; four or five happen.
const ITERATIONS: usize = 20;

/// Three columns of three numbers in each lane.
type Square<const N: usize> = [Column<N>; 3];

/// Energies and derivatives of `N` linear elements; the last index is the element's.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts<const N: usize> {
    /// Energies [J].
    pub energies: [f64; N],
    /// ∂E/∂xₐ [N]: node, axis.
    pub gradient: [[[f64; N]; 3]; 4],
    /// ∂²E/∂xₐ∂x_b [N/m]: pair (a, b ≥ a), column, row.
    pub hessian: [[[[f64; N]; 3]; 3]; 10],
}

impl<const N: usize> Default for Parts<N> {
    fn default() -> Self {
        let zero = [0.0; N];
        Self { energies: zero, gradient: [[zero; 3]; 4], hessian: [[[zero; 3]; 3]; 10] }
    }
}

/// What a kernel reads of its elements.
struct Shapes<const N: usize> {
    /// Deformation gradients.
    f: Square<N>,
    /// ∇Nₐ of the four nodes [1/m].
    slopes: [Column<N>; 4],
    /// Volumes at rest [m³].
    volume: Lanes<N>,
}

impl Elements {
    /// Energies, gradients and, if wanted, Hessians of linear elements: of corotational ones the warped, of neo-Hookean ones
    /// the exact. False, and nothing written, where there is no closed form.
    pub(crate) fn closed_form_of_four(
        &self,
        elements: [u32; 4],
        x: &[Vector3<f64>],
        hessian: bool,
        parts: &mut Parts<4>,
    ) -> bool {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is there.
            return unsafe { self.closed_form_avx2(elements, x, hessian, parts) };
        }
        self.closed_form(elements, x, hessian, parts)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn closed_form_avx2(
        &self,
        elements: [u32; 4],
        x: &[Vector3<f64>],
        hessian: bool,
        parts: &mut Parts<4>,
    ) -> bool {
        self.closed_form(elements, x, hessian, parts)
    }

    #[inline(always)]
    fn closed_form<const N: usize>(
        &self,
        elements: [u32; N],
        x: &[Vector3<f64>],
        hessian: bool,
        parts: &mut Parts<N>,
    ) -> bool {
        if self.kind != ElementKind::Linear {
            return false;
        }
        match self.material.model() {
            Constitutive::Corotational => self.corotational(&self.shapes(elements, x), hessian, parts),
            Constitutive::NeoHookean => self.neo_hookean(&self.shapes(elements, x), hessian, parts),
            _ => return false,
        }
        true
    }

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

    #[inline(always)]
    fn corotational<const N: usize>(&self, shapes: &Shapes<N>, hessian: bool, parts: &mut Parts<N>) {
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
        parts.energies = (shear * square + Lanes::of(0.5) * stretch * growth * growth).0;
        write_gradient(&stress([&strain, &r], [shear + shear, stretch * growth]), slopes, parts);
        if !hessian {
            return;
        }
        let mut turned = *slopes;
        let (mut stretched, mut sheared) = (*slopes, *slopes);
        for a in 0..4 {
            turned[a] = combined(&r, &slopes[a]);
            stretched[a] = scaled(&turned[a], stretch);
            sheared[a] = scaled(&turned[a], shear);
        }
        for (block, [a, b]) in parts.hessian.iter_mut().zip(PAIRS) {
            let direct = dot(&sheared[a], &turned[b]);
            for column in 0..3 {
                for row in 0..3 {
                    let entry = stretched[a][row] * turned[b][column] + turned[b][row] * sheared[a][column];
                    block[column][row] = if row == column { entry + direct } else { entry }.0;
                }
            }
        }
    }

    #[inline(always)]
    fn neo_hookean<const N: usize>(&self, shapes: &Shapes<N>, hessian: bool, parts: &mut Parts<N>) {
        let mu = self.material.shear_modulus();
        let kappa = self.material.lame_lambda() + mu;
        let Shapes { f, slopes, volume } = shapes;
        let cofactor = [cross(&f[1], &f[2]), cross(&f[2], &f[0]), cross(&f[0], &f[1])];
        let growth = dot(&cofactor[0], &f[0]) - Lanes::ONE;
        let (shear, bulk) = (*volume * Lanes::of(mu), *volume * Lanes::of(kappa));
        parts.energies = neo_hookean_energy(f, [shear, bulk]).0;
        let pressure = bulk * growth - shear;
        write_gradient(&stress([f, &cofactor], [shear, pressure]), slopes, parts);
        if !hessian {
            return;
        }
        let (mut areas, mut stiff, mut sheared) = (*slopes, *slopes, *slopes);
        for a in 0..4 {
            areas[a] = combined(&cofactor, &slopes[a]);
            stiff[a] = scaled(&areas[a], bulk);
            sheared[a] = scaled(&slopes[a], shear);
        }
        for (block, [a, b]) in parts.hessian.iter_mut().zip(PAIRS) {
            let direct = dot(&sheared[a], &slopes[b]);
            // Zero where a = b.
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

/// Forces from stress times volume; those on node 0 are the others' opposite.
#[inline(always)]
fn write_gradient<const N: usize>(stress: &Square<N>, slopes: &[Column<N>; 4], parts: &mut Parts<N>) {
    let [a, b, c] = [1, 2, 3].map(|node: usize| combined(stress, &slopes[node]));
    for axis in 0..3 {
        parts.gradient[0][axis] = (-(a[axis] + b[axis] + c[axis])).0;
        (parts.gradient[1][axis], parts.gradient[2][axis]) = (a[axis].0, b[axis].0);
        parts.gradient[3][axis] = c[axis].0;
    }
}

/// The rotations nearest to `f`.
#[inline(always)]
fn nearest_rotations<const N: usize>(f: &Square<N>) -> Square<N> {
    let size = dot(&f[0], &f[0]) + dot(&f[1], &f[1]) + dot(&f[2], &f[2]);
    let least = size.map(|size| (SQUASHED * size * size.sqrt()).min(ROOMY));
    let mut r = *f;
    let mut settled = [false; N];
    let mut stuck = [false; N];
    for _ in 0..ITERATIONS {
        let cofactor = [cross(&r[1], &r[2]), cross(&r[2], &r[0]), cross(&r[0], &r[1])];
        let determinant = dot(&cofactor[0], &r[0]);
        let half = Lanes::of(0.5) / determinant;
        let mut change = Lanes::ZERO;
        for column in 0..3 {
            for row in 0..3 {
                let old = r[column][row];
                let next = old.or(Lanes::of(0.5) * old + half * cofactor[column][row], settled);
                let moved = (next - old).map(f64::abs);
                change = moved.or(change, moved.mask(change, |a, b| !(a <= b)));
                r[column][row] = next;
            }
        }
        let mut done = true;
        for lane in 0..N {
            stuck[lane] |= !settled[lane] && !(determinant.0[lane] > least.0[lane]);
            settled[lane] |= stuck[lane] || change.0[lane] < SETTLED;
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
