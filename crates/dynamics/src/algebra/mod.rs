//! Vectors and matrices of any size, with sums whose order no library chooses: the same bits everywhere.

pub(crate) mod pivoted_cholesky;

/// Sum of products of slices of one length, in four sums, which processors add at once.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, rest), (b, other)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + dot_of_few(rest, other)
}

/// Sum of up to three products; a loop over so few is slower.
#[inline(always)]
fn dot_of_few(a: &[f64], b: &[f64]) -> f64 {
    match (a, b) {
        (&[a], &[b]) => a * b,
        (&[a, c], &[b, d]) => a * b + c * d,
        (&[a, c, e], &[b, d, f]) => a * b + c * d + e * f,
        _ => -0.0,
    }
}

/// Sums of products of three slices with one, each as [`dot`] has it: it is read once.
#[inline(always)]
pub(crate) fn three_dots([x, y, z]: [&[f64]; 3], b: &[f64]) -> [f64; 3] {
    let (chunks, other) = b.as_chunks::<4>();
    let ([x, y, z], rests) = {
        let [(x, of_x), (y, of_y), (z, of_z)] = [x, y, z].map(|row| row.as_chunks::<4>());
        ([x, y, z], [of_x, of_y, of_z])
    };
    let mut sums = [[0.0; 4]; 3];
    for (((b, x), y), z) in chunks.iter().zip(x).zip(y).zip(z) {
        for (sums, row) in sums.iter_mut().zip([x, y, z]) {
            for lane in 0..4 {
                sums[lane] += row[lane] * b[lane];
            }
        }
    }
    let of = |row: usize| {
        let sums = &sums[row];
        (sums[0] + sums[1]) + (sums[2] + sums[3]) + dot_of_few(rests[row], other)
    };
    [of(0), of(1), of(2)]
}

/// Adds a multiple.
#[inline(always)]
pub(crate) fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += factor * what);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_any_number_are_summed_each_once() {
        // Powers of two: a sum has one bit for each product, and no rounding.
        let a: Vec<f64> = (0..23).map(|power| f64::from(1 << power)).collect();
        for count in 0..=a.len() {
            let b = vec![3.0; count];
            let expected = 3.0 * (f64::from(1 << count) - 1.0);
            assert!((dot(&a[..count], &b) - expected).abs() < 0.5, "{count}: {}", dot(&a[..count], &b));
            let rows = [1.0, 0.3, 0.7].map(|factor| a.iter().map(|a| factor * a).collect::<Vec<f64>>());
            let all = three_dots([0, 1, 2].map(|row| &rows[row][..count]), &b);
            let each = [0, 1, 2].map(|row| dot(&rows[row][..count], &b));
            assert_eq!(all.map(f64::to_bits), each.map(f64::to_bits));
        }
    }
}
