//! The rows of a minimum-norm projection, scaled to unit length and padded for kernels four wide.

use std::ops::Range;

/// Width of the kernels.
const WIDTH: usize = 4;

/// Rows a·y ≥ b.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    columns: usize,
    stride: usize,
    /// Unit rows, each padded with zeros to the stride.
    coefficients: Vec<f64>,
    /// b/‖a‖ of each.
    bounds: Vec<f64>,
    /// ‖a‖ of each; zero where the row has no coefficients.
    lengths: Vec<f64>,
    /// Columns outside of which each row is zero, multiples of four: a bound of a variable has one coefficient, and that of a link
    /// depends on the joints that carry it.
    spans: Vec<Range<usize>>,
}

impl Rows {
    /// An empty set of rows with this many columns.
    pub(crate) fn new(columns: usize) -> Self {
        let stride = columns.next_multiple_of(WIDTH);
        Self {
            columns,
            stride,
            coefficients: Vec::new(),
            bounds: Vec::new(),
            lengths: Vec::new(),
            spans: Vec::new(),
        }
    }

    /// Removes all rows and keeps the allocated memory.
    pub(crate) fn clear(&mut self) {
        self.coefficients.clear();
        self.bounds.clear();
        self.lengths.clear();
        self.spans.clear();
    }

    /// Adds the row a·y ≥ `bound`.
    ///
    /// # Panics
    /// When `a` has another length than there are columns.
    pub(crate) fn push(&mut self, a: &[f64], bound: f64) {
        assert_eq!(a.len(), self.columns, "a row of the columns' number");
        let max = a.iter().fold(0.0, |max: f64, x| max.max(x.abs()));
        // Scaled before it is squared: neither tiny nor huge coefficients underflow or overflow.
        let norm = max * a.iter().map(|x| (x / max).powi(2)).sum::<f64>().sqrt();
        let length = if max > 0.0 { norm } else { 0.0 };
        let scale = if length > 0.0 { length } else { 1.0 };
        self.coefficients.extend(a.iter().map(|x| x / scale));
        self.coefficients.resize(self.coefficients.len() + self.stride - self.columns, 0.0);
        self.bounds.push(bound / scale);
        self.lengths.push(length);
        let is_set = |x: &f64| x.abs() > 0.0 || x.is_nan();
        let first = a.iter().position(is_set).unwrap_or(0);
        let end = a.iter().rposition(is_set).map_or(0, |last| last + 1);
        self.spans.push(first - first % WIDTH..end.next_multiple_of(WIDTH));
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Columns of the problem.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// The unit row, padded.
    pub(super) fn row(&self, index: usize) -> &[f64] {
        &self.coefficients[index * self.stride..(index + 1) * self.stride]
    }

    /// Columns outside of which a row is zero.
    pub(super) fn span(&self, index: usize) -> Range<usize> {
        self.spans[index].clone()
    }

    /// The product of a row with a padded vector. The columns outside of its span would add zeros.
    pub(super) fn product(&self, index: usize, vector: &[f64]) -> f64 {
        let span = self.span(index);
        dot(&self.row(index)[span.clone()], &vector[span])
    }

    /// Adds a multiple of a row to a padded vector.
    pub(super) fn add(&self, index: usize, factor: f64, vector: &mut [f64]) {
        let span = self.span(index);
        for (y, x) in vector[span.clone()].iter_mut().zip(&self.row(index)[span]) {
            *y += factor * x;
        }
    }

    pub(super) fn is_zero(&self, index: usize) -> bool {
        !(self.lengths[index] > 0.0)
    }

    /// a·y − b of the unit row at a padded point.
    pub(super) fn slack(&self, index: usize, point: &[f64]) -> f64 {
        self.product(index, point) - self.bounds[index]
    }

    /// A softness in the unit of b, converted to that of the unit row.
    pub(super) fn softness(&self, index: usize, softness: f64) -> f64 {
        if self.is_zero(index) { 0.0 } else { softness / self.lengths[index] }
    }

    pub(super) fn first_not_finite(&self) -> Option<usize> {
        let finite = |i: usize| {
            self.bounds[i].is_finite()
                && self.row(i).iter().all(|x| x.is_finite())
                && self.lengths[i].is_finite()
        };
        (0..self.len()).find(|&i| !finite(i))
    }
}

/// The scalar product of vectors padded to a multiple of four, in a fixed order of four sums.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}
