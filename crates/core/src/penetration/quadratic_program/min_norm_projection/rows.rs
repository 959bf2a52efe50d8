//! The rows of a minimum-norm projection, scaled to unit length and padded for kernels four wide.

use std::ops::Range;

use crate::bvh::lanes::isa::{Double, Isa, Kernel};
use crate::bvh::lanes::on_widest;

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
    /// The first row with NaN or an infinite number.
    first_not_finite: Option<usize>,
    /// Squares of the coefficients of the row being added.
    squares: Vec<f64>,
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
            first_not_finite: None,
            squares: Vec::new(),
        }
    }

    /// Removes all rows and keeps the allocated memory.
    pub(crate) fn clear(&mut self) {
        self.coefficients.clear();
        self.bounds.clear();
        self.lengths.clear();
        self.spans.clear();
        self.first_not_finite = None;
    }

    /// Adds the row a·y ≥ `bound`.
    ///
    /// # Panics
    /// When `a` has another length than there are columns.
    pub(crate) fn push(&mut self, a: &[f64], bound: f64) {
        assert_eq!(a.len(), self.columns, "a row of the columns' number");
        on_widest(Push { rows: self, a, bound });
    }

    /// Adds a row, scaled to unit length.
    #[inline(always)]
    fn push_scaled(&mut self, a: &[f64], bound: f64) {
        let begin = self.coefficients.len();
        self.coefficients.extend_from_slice(a);
        self.coefficients.resize(begin + self.stride, 0.0);
        let row = &mut self.coefficients[begin..];
        let (span, max) = extent(row);
        let row = &mut row[span.clone()];
        // Scaled before it is squared: neither tiny nor huge coefficients underflow or overflow. Zeros outside of the span would
        // add nothing.
        self.squares.resize(row.len(), 0.0);
        self.squares.iter_mut().zip(&*row).for_each(|(square, x)| *square = (x / max).powi(2));
        let norm = max * self.squares.iter().sum::<f64>().sqrt();
        let length = if max > 0.0 { norm } else { 0.0 };
        let scale = if length > 0.0 { length } else { 1.0 };
        row.iter_mut().for_each(|x| *x /= scale);
        let bound = bound / scale;
        let is_finite = row.iter().fold(bound.is_finite() & length.is_finite(), |all, x| all & x.is_finite());
        if !is_finite && self.first_not_finite.is_none() {
            self.first_not_finite = Some(self.len());
        }
        self.bounds.push(bound);
        self.lengths.push(length);
        self.spans.push(span);
    }

    /// Number of rows.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Columns of the problem.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    #[inline(always)]
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// The unit row, padded.
    #[inline(always)]
    pub(super) fn row(&self, index: usize) -> &[f64] {
        &self.coefficients[index * self.stride..(index + 1) * self.stride]
    }

    /// Columns outside of which a row is zero.
    #[inline(always)]
    pub(super) fn span(&self, index: usize) -> Range<usize> {
        self.spans[index].clone()
    }

    /// The coefficients of a row in its span, and the span.
    #[inline(always)]
    fn within_span(&self, index: usize) -> (&[f64], Range<usize>) {
        let (begin, span) = (index * self.stride, self.span(index));
        (&self.coefficients[begin + span.start..begin + span.end], span)
    }

    /// The product of a row with a padded vector. The columns outside of its span would add zeros.
    #[inline(always)]
    pub(super) fn product<I: Isa>(&self, index: usize, vector: &[f64]) -> f64 {
        let (a, span) = self.within_span(index);
        dot::<I>(a, &vector[span])
    }

    /// Adds a multiple of a row to a padded vector.
    #[inline(always)]
    pub(super) fn add(&self, index: usize, factor: f64, vector: &mut [f64]) {
        let (a, span) = self.within_span(index);
        for (y, x) in vector[span].iter_mut().zip(a) {
            *y += factor * x;
        }
    }

    #[inline(always)]
    pub(super) fn is_zero(&self, index: usize) -> bool {
        !(self.lengths[index] > 0.0)
    }

    /// Whether a row has unit length or none: a length that is subnormal, or nearly, has too few digits to scale with.
    #[inline(always)]
    pub(super) fn is_unit(&self, index: usize) -> bool {
        self.is_zero(index) || self.lengths[index] >= f64::MIN_POSITIVE / f64::EPSILON
    }

    /// a·y − b of the unit row at a padded point.
    #[inline(always)]
    pub(super) fn slack<I: Isa>(&self, index: usize, point: &[f64]) -> f64 {
        self.product::<I>(index, point) - self.bounds[index]
    }

    /// A softness in the unit of b, converted to that of the unit row.
    #[inline(always)]
    pub(super) fn softness(&self, index: usize, softness: f64) -> f64 {
        if self.is_zero(index) { 0.0 } else { softness / self.lengths[index] }
    }

    /// The first row with NaN or an infinite number.
    pub(super) fn first_not_finite(&self) -> Option<usize> {
        self.first_not_finite
    }
}

/// Columns outside of which a padded row is zero, multiples of four, and the maximum absolute coefficient.
#[inline(always)]
fn extent(row: &[f64]) -> (Range<usize>, f64) {
    let (mut first, mut end) = (usize::MAX, 0);
    let mut max = [0.0; WIDTH];
    for (at, four) in row.chunks_exact(WIDTH).enumerate() {
        // Negated, so that NaN is in the span.
        let is_zero = four.iter().fold(true, |all, x| all & (x.abs() <= 0.0));
        if !is_zero {
            (first, end) = (first.min(at * WIDTH), (at + 1) * WIDTH);
        }
        for k in 0..WIDTH {
            max[k] = f64::max(max[k], four[k].abs());
        }
    }
    (first.min(end)..end, max.into_iter().fold(0.0, f64::max))
}

/// The scalar product of vectors padded to a multiple of four, in a fixed order of four sums.
#[inline(always)]
pub(super) fn dot<I: Isa>(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = I::Double::splat(0.0);
    let (a, b) = (a.as_chunks::<WIDTH>().0, b.as_chunks::<WIDTH>().0);
    for (a, b) in a.iter().zip(b) {
        sums = sums + I::Double::load(a) * I::Double::load(b);
    }
    let sums = sums.store();
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

/// A row to be added.
struct Push<'a> {
    rows: &'a mut Rows,
    a: &'a [f64],
    bound: f64,
}

impl Kernel for Push<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        self.rows.push_scaled(self.a, self.bound);
    }
}
