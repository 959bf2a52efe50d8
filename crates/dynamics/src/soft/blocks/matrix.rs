//! The block matrix, and products of vectors of blocks.

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::kernel::{Connectivity, DerivativeOrder, ElementKernel};
use super::partition;
use super::patch::Patch;

/// Pairs of element nodes in one patch: enough of them to outweigh handing a patch to a thread, few enough for the
/// patch to stay in the second-level cache (72 bytes a block, fewer blocks than pairs). Half changes 4 and twice 2 of 5
/// runs and the linear iterations by +0.43 % and < 0.1 % (docs/sensitivity.md).
const PAIRS_IN_PATCH: usize = 10_240;

/// Patches below which one thread does the work: handing over costs some microseconds. Fewer: small systems pay for it.
/// Changes time only; no effect on the sets of docs/sensitivity.md.
const PARALLEL_PATCHES: usize = 4;

/// Blocks that one thread sums at a time; also the length of the pieces of dot products, so a change changes rounding.
/// Few enough that two threads divide some thousands evenly. Half changes 5 and twice 4 of 5 runs; the energy gained by
/// a deep overlap varies by 1e-2 of its scale (docs/sensitivity.md).
pub(crate) const CHUNK: usize = 256;

/// Blocks below which sums over all blocks are left to one thread. Changes time only; no effect on the sets of
/// docs/sensitivity.md.
pub(crate) const PARALLEL_BLOCKS: usize = 2048;

/// Blocks below which one thread computes a dot product, which takes some microseconds. Changes time only; no effect on
/// the sets of docs/sensitivity.md.
const PARALLEL_DOT: usize = 32_768;

/// A symmetric matrix of 3×3 blocks with the pattern of the elements' connectivity.
#[derive(Debug, Clone)]
pub struct BlockMatrix {
    patches: Vec<Patch>,
    /// Start in `entries` of the patches that touch each block.
    entry_starts: Vec<u32>,
    entries: Vec<(u32, u32)>,
    /// Diagonal blocks of nodes that no element touches (D).
    isolated: Vec<(u32, Matrix3<f64>)>,
    /// Partial sums of a curvature, one for each chunk of blocks.
    sums: Vec<f64>,
}

impl BlockMatrix {
    /// A zero matrix of `blocks` × `blocks` blocks for the elements of `bodies`.
    #[must_use]
    pub fn new(blocks: usize, bodies: &[Connectivity]) -> Self {
        let mut patches = Vec::new();
        for (body, part) in bodies.iter().enumerate() {
            let pairs = part.width * (part.width + 1) / 2;
            let parts = partition::partition(&part.centres, PAIRS_IN_PATCH / pairs.max(1));
            patches.extend(parts.into_iter().map(|elements| Patch::new(body, part, elements)));
        }
        let mut of_block = vec![Vec::new(); blocks];
        for (index, patch) in patches.iter().enumerate() {
            for (local, &node) in patch.nodes.iter().enumerate() {
                of_block[node as usize].push((index as u32, local as u32));
            }
        }
        let mut entry_starts = vec![0];
        let mut entries: Vec<(u32, u32)> = Vec::new();
        let mut isolated = Vec::new();
        for (block, list) in of_block.into_iter().enumerate() {
            if list.is_empty() {
                isolated.push((block as u32, Matrix3::zeros()));
            }
            entries.extend(list);
            entry_starts.push(entries.len() as u32);
        }
        let sums = vec![0.0; blocks.div_ceil(CHUNK)];
        Self { patches, entry_starts, entries, isolated, sums }
    }

    /// Number of blocks in a row or column.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.entry_starts.len() - 1
    }

    /// Energy \[J\] of all elements at `x`; their gradient \[N\] replaces `gradient`, and unless `order` is the gradient alone
    /// their Hessian [N/m] replaces the matrix.
    pub fn assemble(
        &mut self,
        kernel: &dyn ElementKernel,
        x: &[Vector3<f64>],
        order: DerivativeOrder,
        gradient: &mut [Vector3<f64>],
    ) -> f64 {
        self.each_patch(|patch| patch.assemble(kernel, x, order));
        if order != DerivativeOrder::Gradient {
            self.isolated.iter_mut().for_each(|(_, block)| *block = Matrix3::zeros());
        }
        self.gather(gradient);
        self.patches.iter().map(|patch| patch.energy).sum()
    }

    /// Adds `term` to a diagonal block.
    pub fn add_diagonal(&mut self, block: usize, term: &Matrix3<f64>) {
        // The matrix is the sum of the patches, so the first patch that touches the block takes the whole term.
        if let Some(&(patch, local)) = self.entries_of(block).first() {
            let patch = &mut self.patches[patch as usize];
            let place = patch.starts[local as usize] as usize;
            patch.values[place] += term;
        } else if let Ok(place) = self.isolated.binary_search_by_key(&(block as u32), |(block, _)| *block) {
            self.isolated[place].1 += term;
        }
    }

    /// Writes the diagonal blocks to `diagonal`.
    pub fn diagonal(&self, diagonal: &mut [Matrix3<f64>]) {
        let work = |(piece, diagonal): (usize, &mut [Matrix3<f64>])| {
            for (offset, sum) in diagonal.iter_mut().enumerate() {
                *sum = Matrix3::zeros();
                for &(patch, local) in self.entries_of(piece * CHUNK + offset) {
                    let patch = &self.patches[patch as usize];
                    *sum += patch.values[patch.starts[local as usize] as usize];
                }
            }
        };
        if diagonal.len() < PARALLEL_BLOCKS {
            diagonal.chunks_mut(CHUNK).enumerate().for_each(work);
        } else {
            diagonal.par_chunks_mut(CHUNK).enumerate().for_each(work);
        }
        self.isolated.iter().for_each(|(block, term)| diagonal[*block as usize] = *term);
    }

    /// Product of the matrix with `p`, which replaces `out`.
    pub fn multiply(&mut self, p: &[Vector3<f64>], out: &mut [Vector3<f64>]) {
        self.each_patch(|patch| patch.multiply(|node| p[node], false));
        self.gather(out);
        self.isolated.iter().for_each(|(block, term)| out[*block as usize] = term * p[*block as usize]);
    }

    /// Updates the direction of conjugate gradients, p ← z + `beta` p; its product with the matrix replaces `out`. Returns pᵀ out.
    pub(crate) fn multiply_direction(
        &mut self,
        z: &[Vector3<f64>],
        beta: f64,
        p: &mut [Vector3<f64>],
        out: &mut [Vector3<f64>],
    ) -> f64 {
        // The patches read the new direction from its two parts, so that it needs no pass of its own before the product.
        let before = &*p;
        self.each_patch(|patch| patch.multiply(|node| z[node] + beta * before[node], false));
        let mut sums = std::mem::take(&mut self.sums);
        let work = |piece: usize, p: &mut [Vector3<f64>], out: &mut [Vector3<f64>], sum: &mut f64| {
            *sum = 0.0;
            for (offset, (p, out)) in p.iter_mut().zip(out).enumerate() {
                let block = piece * CHUNK + offset;
                *p = z[block] + beta * *p;
                *out = self.sum_of(block);
                *sum += p.dot(out);
            }
        };
        if out.len() < PARALLEL_BLOCKS {
            let pieces = p.chunks_mut(CHUNK).enumerate().zip(out.chunks_mut(CHUNK)).zip(&mut sums);
            pieces.for_each(|(((piece, p), out), sum)| work(piece, p, out, sum));
        } else {
            let pieces = p.par_chunks_mut(CHUNK).enumerate().zip(out.par_chunks_mut(CHUNK));
            let pieces = pieces.zip(sums.par_iter_mut());
            pieces.for_each(|(((piece, p), out), sum)| work(piece, p, out, sum));
        }
        let mut total: f64 = sums.iter().sum();
        self.sums = sums;
        for (block, term) in &self.isolated {
            let block = *block as usize;
            out[block] = term * p[block];
            total += p[block].dot(&out[block]);
        }
        total
    }

    /// Stores `factor(body)` times the elements' part of the matrix as the damping matrix.
    pub fn store_damping(&mut self, factor: &(dyn Fn(usize) -> f64 + Sync)) {
        self.each_patch(|patch| {
            let factor = factor(patch.body);
            patch.damping.clear();
            patch.damping.extend(patch.values.iter().map(|block| block * factor));
        });
    }

    /// Adds `factor` times the stored damping matrix.
    pub fn add_damping(&mut self, factor: f64) {
        self.each_patch(|patch| {
            patch
                .values
                .iter_mut()
                .zip(&patch.damping)
                .for_each(|(value, damping)| *value += damping * factor);
        });
    }

    /// Product of the stored damping matrix with `p`, which replaces `out`.
    pub fn multiply_damping(&mut self, p: &[Vector3<f64>], out: &mut [Vector3<f64>]) {
        self.each_patch(|patch| patch.multiply(|node| p[node], true));
        self.gather(out);
    }

    /// Calls `visit` with the row, the column and the block of every stored term, row and column in no order and a
    /// pair perhaps several times: the matrix is the sum of the terms and of the transposed ones off the diagonal.
    pub(crate) fn terms(&self, mut visit: impl FnMut(u32, u32, &Matrix3<f64>)) {
        for patch in &self.patches {
            for (row, span) in patch.starts.windows(2).enumerate() {
                for place in span[0] as usize..span[1] as usize {
                    let column = patch.nodes[patch.columns[place] as usize];
                    visit(patch.nodes[row], column, &patch.values[place]);
                }
            }
        }
        self.isolated.iter().for_each(|(block, term)| visit(*block, *block, term));
    }

    /// Patches that touch a block: (patch, local node).
    fn entries_of(&self, block: usize) -> &[(u32, u32)] {
        &self.entries[self.entry_starts[block] as usize..self.entry_starts[block + 1] as usize]
    }

    /// Runs `work` on all patches, in parallel where there are enough of them.
    fn each_patch(&mut self, work: impl Fn(&mut Patch) + Sync + Send) {
        if self.patches.len() < PARALLEL_PATCHES {
            self.patches.iter_mut().for_each(work);
        } else {
            self.patches.par_iter_mut().with_max_len(1).for_each(work);
        }
    }

    /// Sum of the patches' outputs for a block.
    fn sum_of(&self, block: usize) -> Vector3<f64> {
        let mut sum = Vector3::zeros();
        for &(patch, local) in self.entries_of(block) {
            sum += self.patches[patch as usize].output[local as usize];
        }
        sum
    }

    /// Sums the patches' outputs by block, in the order of the patches.
    fn gather(&self, out: &mut [Vector3<f64>]) {
        let sum = |(piece, out): (usize, &mut [Vector3<f64>])| {
            for (offset, out) in out.iter_mut().enumerate() {
                *out = self.sum_of(piece * CHUNK + offset);
            }
        };
        if out.len() < PARALLEL_BLOCKS {
            out.chunks_mut(CHUNK).enumerate().for_each(sum);
        } else {
            out.par_chunks_mut(CHUNK).enumerate().for_each(sum);
        }
    }
}

/// aᵀb, summed chunk by chunk: the same bits for every thread count.
#[must_use]
pub fn dot(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    let piece =
        |(a, b): (&[Vector3<f64>], &[Vector3<f64>])| -> f64 { a.iter().zip(b).map(|(a, b)| a.dot(b)).sum() };
    if a.len() < PARALLEL_DOT {
        return a.chunks(CHUNK).zip(b.chunks(CHUNK)).map(piece).sum();
    }
    let pieces: Vec<f64> = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK)).map(piece).collect();
    pieces.iter().sum()
}

/// ‖a‖.
#[must_use]
pub fn norm(a: &[Vector3<f64>]) -> f64 {
    dot(a, a).sqrt()
}
