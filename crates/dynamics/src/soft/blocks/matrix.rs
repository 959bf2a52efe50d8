//! The block matrix, and products of vectors of blocks.

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::kernel::{Connectivity, ElementKernel, Want};
use super::partition;
use super::patch::Patch;

/// Blocks of element pairs in one patch: enough to outweigh handing it to a thread, few enough to stay in the second
/// cache (72 bytes a block after sharing).
const PAIRS_IN_PATCH: usize = 10_240;

/// Patches below which one thread does the work: handing over costs some microseconds.
const PARALLEL_PATCHES: usize = 4;

/// Blocks that one thread sums at a time; also the length of the pieces of dot products. Few enough that two threads share
/// some thousands evenly.
pub(crate) const CHUNK: usize = 256;

/// Blocks below which sums over all blocks are left to one thread.
pub(crate) const PARALLEL_BLOCKS: usize = 2048;

/// Blocks below which one thread alone finds a dot product, which takes some microseconds.
const PARALLEL_DOT: usize = 32_768;

/// A symmetric matrix of 3×3 blocks with the pattern of the elements' connectivity.
#[derive(Debug, Clone)]
pub struct BlockMatrix {
    patches: Vec<Patch>,
    /// The patches that touch each block: (patch, local node) from `share_starts[block]`.
    share_starts: Vec<u32>,
    shares: Vec<(u32, u32)>,
    /// Diagonal blocks of what no element touches.
    loose: Vec<(u32, Matrix3<f64>)>,
    /// Sums over pieces of the blocks.
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
        let mut share_starts = vec![0];
        let mut shares: Vec<(u32, u32)> = Vec::new();
        let mut loose = Vec::new();
        for (block, list) in of_block.into_iter().enumerate() {
            if list.is_empty() {
                loose.push((block as u32, Matrix3::zeros()));
            }
            shares.extend(list);
            share_starts.push(shares.len() as u32);
        }
        let sums = vec![0.0; blocks.div_ceil(CHUNK)];
        Self { patches, share_starts, shares, loose, sums }
    }

    /// Number of blocks in a row or column.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.share_starts.len() - 1
    }

    /// Energy [J] of all elements at `x`; their gradient [N] replaces `gradient`, and unless only the gradient is
    /// wanted their Hessian [N/m] replaces the matrix.
    pub fn assemble(
        &mut self,
        kernel: &dyn ElementKernel,
        x: &[Vector3<f64>],
        want: Want,
        gradient: &mut [Vector3<f64>],
    ) -> f64 {
        self.each_patch(|patch| patch.assemble(kernel, x, want));
        if want != Want::Gradient {
            self.loose.iter_mut().for_each(|(_, block)| *block = Matrix3::zeros());
        }
        self.gather(gradient);
        self.patches.iter().map(|patch| patch.energy).sum()
    }

    /// Adds `term` to a diagonal block.
    pub fn add_diagonal(&mut self, block: usize, term: &Matrix3<f64>) {
        if let Some(&(patch, local)) = self.shares_of(block).first() {
            let patch = &mut self.patches[patch as usize];
            let place = patch.starts[local as usize] as usize;
            patch.values[place] += term;
        } else if let Ok(place) = self.loose.binary_search_by_key(&(block as u32), |(block, _)| *block) {
            self.loose[place].1 += term;
        }
    }

    /// Diagonal blocks into `diagonal`.
    pub fn diagonal(&self, diagonal: &mut [Matrix3<f64>]) {
        let work = |(piece, diagonal): (usize, &mut [Matrix3<f64>])| {
            for (offset, sum) in diagonal.iter_mut().enumerate() {
                *sum = Matrix3::zeros();
                for &(patch, local) in self.shares_of(piece * CHUNK + offset) {
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
        self.loose.iter().for_each(|(block, term)| diagonal[*block as usize] = *term);
    }

    /// The matrix times `p` replaces `out`.
    pub fn multiply(&mut self, p: &[Vector3<f64>], out: &mut [Vector3<f64>]) {
        self.each_patch(|patch| patch.multiply(|node| p[node], false));
        self.gather(out);
        self.loose.iter().for_each(|(block, term)| out[*block as usize] = term * p[*block as usize]);
    }

    /// `p` becomes z + `beta` p, and its product with the matrix replaces `out`; returns pᵀ out.
    pub(crate) fn multiply_direction(
        &mut self,
        z: &[Vector3<f64>],
        beta: f64,
        p: &mut [Vector3<f64>],
        out: &mut [Vector3<f64>],
    ) -> f64 {
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
        for (block, term) in &self.loose {
            let block = *block as usize;
            out[block] = term * p[block];
            total += p[block].dot(&out[block]);
        }
        total
    }

    /// Keeps `factor(body)` times the elements' part of the matrix, for damping.
    pub fn keep(&mut self, factor: &(dyn Fn(usize) -> f64 + Sync)) {
        self.each_patch(|patch| {
            let factor = factor(patch.body);
            patch.kept.clear();
            patch.kept.extend(patch.values.iter().map(|block| block * factor));
        });
    }

    /// Adds `factor` times what was kept to the matrix.
    pub fn add_kept(&mut self, factor: f64) {
        self.each_patch(|patch| {
            patch.values.iter_mut().zip(&patch.kept).for_each(|(value, kept)| *value += kept * factor);
        });
    }

    /// What was kept times `p` replaces `out`.
    pub fn multiply_kept(&mut self, p: &[Vector3<f64>], out: &mut [Vector3<f64>]) {
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
        self.loose.iter().for_each(|(block, term)| visit(*block, *block, term));
    }

    fn shares_of(&self, block: usize) -> &[(u32, u32)] {
        &self.shares[self.share_starts[block] as usize..self.share_starts[block + 1] as usize]
    }

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
        for &(patch, local) in self.shares_of(block) {
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

/// aᵀb, summed piece by piece: the same bits for every thread count.
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
