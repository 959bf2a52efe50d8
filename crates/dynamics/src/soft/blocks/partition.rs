//! Partition of elements into patches of neighbours by recursive bisection: the axis with the largest extent is split at the
//! median until a patch is small enough. The patches depend on the rest shape alone, never on the number of threads.

use nalgebra::Vector3;

/// Indices of the elements with `centres` [m], in patches of at most `size`, each patch in ascending order.
pub(super) fn partition(centres: &[Vector3<f64>], size: usize) -> Vec<Vec<u32>> {
    let mut all: Vec<u32> = (0_u32..).take(centres.len()).collect();
    let mut patches = Vec::new();
    halve(centres, &mut all, size.max(1), &mut patches);
    patches
}

/// Appends the patches of `part`, bisected until each has at most `size` elements.
fn halve(centres: &[Vector3<f64>], part: &mut [u32], size: usize, patches: &mut Vec<Vec<u32>>) {
    if part.len() <= size {
        part.sort_unstable();
        patches.push(part.to_vec());
        return;
    }
    let place = |&index: &u32| centres[index as usize];
    let low = part.iter().map(place).fold(Vector3::repeat(f64::INFINITY), |low, p| low.inf(&p));
    let high = part.iter().map(place).fold(Vector3::repeat(f64::NEG_INFINITY), |high, p| high.sup(&p));
    let axis = (high - low).imax();
    let key = |index: &u32| place(index)[axis];
    let middle = part.len() / 2;
    // Ties are ordered by index, so that the partition is the same on every machine.
    part.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
    let (left, right) = part.split_at_mut(middle);
    halve(centres, left, size, patches);
    halve(centres, right, size, patches);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_in_one_patch_and_no_patch_is_too_large() {
        let centres: Vec<_> =
            (0..1000).map(|i| Vector3::new(f64::from(i % 7), f64::from(i % 11), f64::from(i / 30))).collect();
        let patches = partition(&centres, 64);
        assert!(patches.iter().all(|patch| !patch.is_empty() && patch.len() <= 64));
        let mut all: Vec<u32> = patches.concat();
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<u32>>());
    }
}
