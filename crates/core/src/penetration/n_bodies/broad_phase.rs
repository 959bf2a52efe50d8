//! Broad phase: pairs of bodies whose boxes are near each other, by sweep and prune along the x axis.

use nalgebra::Vector3;

use super::source::Pairs;

/// Pairs that must be separated and whose boxes, moved by `translations` [m], come within `reach` [m] of each other; sorted.
pub(super) fn near_pairs(pairs: &impl Pairs, translations: &[Vector3<f64>], reach: f64) -> Vec<[usize; 2]> {
    near_boxes(pairs, &boxes(pairs, translations), reach)
}

/// As [`near_pairs`], for given boxes.
pub(super) fn near_boxes(pairs: &impl Pairs, boxes: &[[Vector3<f64>; 2]], reach: f64) -> Vec<[usize; 2]> {
    let mut order = (0..boxes.len()).collect::<Vec<_>>();
    order.sort_by(|&i, &j| boxes[i][0].x.total_cmp(&boxes[j][0].x).then(i.cmp(&j)));
    let mut near = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for body in order {
        open.retain(|&other| boxes[other][1].x + reach >= boxes[body][0].x);
        let met = open.iter().filter(|&&other| overlap(&boxes[other], &boxes[body], reach));
        near.extend(
            met.map(|&other| [other.min(body), other.max(body)]).filter(|&pair| pairs.must_separate(pair)),
        );
        open.push(body);
    }
    near.sort_unstable();
    near
}

/// Boxes of the bodies, moved [m].
pub(super) fn boxes(pairs: &impl Pairs, translations: &[Vector3<f64>]) -> Vec<[Vector3<f64>; 2]> {
    let bodies = pairs.bodies().iter().zip(translations);
    bodies.map(|(body, moved)| body.bounds.map(|corner| corner + moved)).collect()
}

/// Whether two boxes come within `reach` [m] on every axis.
pub(super) fn overlap(a: &[Vector3<f64>; 2], b: &[Vector3<f64>; 2], reach: f64) -> bool {
    (0..3).all(|k| a[0][k] <= b[1][k] + reach && b[0][k] <= a[1][k] + reach)
}
