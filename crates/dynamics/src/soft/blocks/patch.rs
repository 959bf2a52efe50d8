//! A patch of neighbouring elements with its own symmetric matrix over the nodes it touches.
//!
//! Each patch is assembled and multiplied by one thread in a fixed order; the patches' results are then summed node by
//! node in the order of the patches. So threads share no data while they run, only the upper triangle is stored, and the
//! bits do not depend on the number of threads.

use std::array::from_fn;
use std::collections::{BTreeSet, HashMap};

use nalgebra::{Matrix3, Vector3};

use super::kernel::{Connectivity, DerivativeOrder, ElementKernel};
use crate::soft::element::{Local, LocalBatch};

/// Flag in a scatter index: the pair's block is stored transposed.
const TRANSPOSED: u32 = 1 << 31;

/// Elements evaluated together: four doubles fill an AVX register.
const LANES: usize = 4;

/// Elements of one patch, their upper triangle of blocks and the vectors of a product.
#[derive(Debug, Clone)]
pub(super) struct Patch {
    /// The body of all elements of the patch.
    pub(super) body: usize,
    elements: Vec<u32>,
    /// Blocks of the system that the patch touches.
    pub(super) nodes: Vec<u32>,
    width: usize,
    /// Local nodes of each element, #E × width.
    corners: Vec<u32>,
    /// Index in `values` of each pair (a, b ≥ a) of each element's nodes.
    scatter: Vec<u32>,
    /// Upper rows: `columns` and `values` from `starts[row]`, the diagonal first.
    pub(super) starts: Vec<u32>,
    pub(super) columns: Vec<u32>,
    pub(super) values: Vec<Matrix3<f64>>,
    /// Damping matrix, stored at the start of a step; empty without damping.
    pub(super) damping: Vec<Matrix3<f64>>,
    /// The patch's contribution to a gradient or a product, by local node.
    pub(super) output: Vec<Vector3<f64>>,
    input: Vec<Vector3<f64>>,
    pub(super) energy: f64,
}

impl Patch {
    pub(super) fn new(body: usize, part: &Connectivity, elements: Vec<u32>) -> Self {
        let width = part.width;
        let mut local = HashMap::new();
        let (mut nodes, mut corners) = (Vec::new(), Vec::new());
        for &element in &elements {
            for &node in part.nodes_of(element as usize) {
                let next = nodes.len() as u32;
                corners.push(*local.entry(node).or_insert(next));
                if corners.last() == Some(&next) {
                    nodes.push(node + part.first);
                }
            }
        }
        let (starts, columns) = upper_rows(nodes.len(), corners.chunks_exact(width));
        let scatter = corners.chunks_exact(width).flat_map(|c| places(&starts, &columns, c)).collect();
        let zero = Vector3::zeros();
        Self {
            body,
            elements,
            width,
            corners,
            scatter,
            values: vec![Matrix3::zeros(); columns.len()],
            damping: Vec::new(),
            output: vec![zero; nodes.len()],
            input: vec![zero; nodes.len()],
            nodes,
            starts,
            columns,
            energy: 0.0,
        }
    }

    /// Evaluates the energy [J] and the gradient [N] of the patch's elements at `x`, and the Hessian [N/m] that `order` names.
    pub(super) fn assemble(
        &mut self,
        kernel: &dyn ElementKernel,
        x: &[Vector3<f64>],
        order: DerivativeOrder,
    ) {
        let (mut local, mut batch) = (Local::default(), LocalBatch::default());
        self.energy = 0.0;
        self.output.fill(Vector3::zeros());
        if order != DerivativeOrder::Gradient {
            self.values.fill(Matrix3::zeros());
        }
        for first in (0..self.elements.len()).step_by(LANES) {
            let count = LANES.min(self.elements.len() - first);
            // The last group is padded with its last element; only `count` lanes are added.
            let four = from_fn(|lane| self.elements[first + lane.min(count - 1)]);
            if kernel.local_four(self.body, four, x, &mut batch, order) {
                (0..count).for_each(|lane| self.add_lane(first + lane, &batch, lane, order));
                continue;
            }
            for index in first..first + count {
                let element = self.elements[index] as usize;
                self.energy += kernel.local(self.body, element, x, &mut local, order);
                self.add_local(index, &local, order);
            }
        }
    }

    /// Scatters the derivatives of one element of any width.
    fn add_local(&mut self, index: usize, local: &Local, order: DerivativeOrder) {
        let corners = &self.corners[index * self.width..][..self.width];
        for (corner, gradient) in corners.iter().zip(&local.gradient) {
            self.output[*corner as usize] += gradient;
        }
        if order == DerivativeOrder::Gradient {
            return;
        }
        let pairs = self.width * (self.width + 1) / 2;
        let mut scatter = self.scatter[index * pairs..][..pairs].iter();
        for a in 0..self.width {
            for (b, place) in (a..self.width).zip(&mut scatter) {
                let block = &local.hessian[a][b];
                if place & TRANSPOSED == 0 {
                    self.values[*place as usize] += block;
                } else {
                    self.values[(place & !TRANSPOSED) as usize] += block.transpose();
                }
            }
        }
    }

    /// Scatters lane `lane` of a batch of elements with four nodes.
    fn add_lane(&mut self, index: usize, batch: &LocalBatch<LANES>, lane: usize, order: DerivativeOrder) {
        self.energy += batch.energies[lane];
        for (corner, gradient) in self.corners[4 * index..4 * index + 4].iter().zip(&batch.gradient) {
            let output = &mut self.output[*corner as usize];
            (0..3).for_each(|axis| output[axis] += gradient[axis][lane]);
        }
        if order == DerivativeOrder::Gradient {
            return;
        }
        for (place, block) in self.scatter[10 * index..10 * index + 10].iter().zip(&batch.hessian) {
            let value = &mut self.values[(place & !TRANSPOSED) as usize];
            let transposed = place & TRANSPOSED != 0;
            for column in 0..3 {
                for row in 0..3 {
                    let from = if transposed { &block[row][column] } else { &block[column][row] };
                    value[(row, column)] += from[lane];
                }
            }
        }
    }

    /// Writes to `output` the product of the patch's matrix, or of its damping matrix, with the vector whose blocks are `p(block)`.
    pub(super) fn multiply(&mut self, p: impl Fn(usize) -> Vector3<f64>, damping: bool) {
        let values = if damping { &self.damping } else { &self.values };
        for (input, &node) in self.input.iter_mut().zip(&self.nodes) {
            *input = p(node as usize);
        }
        self.output.fill(Vector3::zeros());
        for (row, span) in self.starts.windows(2).enumerate() {
            let (start, end) = (span[0] as usize, span[1] as usize);
            // Only the upper triangle is stored: each off-diagonal block serves its row and, transposed, its column.
            let mine = self.input[row];
            let mut sum = values[start] * mine;
            for (block, &column) in values[start + 1..end].iter().zip(&self.columns[start + 1..end]) {
                sum += block * self.input[column as usize];
                self.output[column as usize] += block.tr_mul(&mine);
            }
            self.output[row] += sum;
        }
    }
}

/// Rows of the upper triangle of the pattern in which every element couples its nodes: starts and columns, the diagonal first.
fn upper_rows<'a>(count: usize, elements: impl Iterator<Item = &'a [u32]>) -> (Vec<u32>, Vec<u32>) {
    let mut rows: Vec<BTreeSet<u32>> = (0..count).map(|row| BTreeSet::from([row as u32])).collect();
    for corners in elements {
        for (place, &a) in corners.iter().enumerate() {
            for &b in &corners[place + 1..] {
                rows[a.min(b) as usize].insert(a.max(b));
            }
        }
    }
    let mut starts = vec![0];
    let mut columns = Vec::new();
    for row in rows {
        columns.extend(row);
        starts.push(columns.len() as u32);
    }
    (starts, columns)
}

/// Scatter indices of the pairs (a, b ≥ a) of one element.
fn places(starts: &[u32], columns: &[u32], corners: &[u32]) -> Vec<u32> {
    let pairs = (0..corners.len()).flat_map(|a| (a..corners.len()).map(move |b| (corners[a], corners[b])));
    let place = |(a, b): (u32, u32)| {
        let start = starts[a.min(b) as usize] as usize;
        let row = &columns[start..starts[a.min(b) as usize + 1] as usize];
        let found = row.binary_search(&a.max(b)).expect("the pattern holds every pair");
        (start + found) as u32 | if a > b { TRANSPOSED } else { 0 }
    };
    pairs.map(place).collect()
}
