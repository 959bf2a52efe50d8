//! Distance of two features at a time, by an independent method: all faces of the hull of their differences.

use nalgebra::Vector3;

use super::question::{Kind, Query};

/// The distance of the features at a time.
pub(crate) fn distance(kind: Kind, query: &Query, time: f64) -> f64 {
    let difference = |i: usize, j: usize| {
        let at = |when: usize| Vector3::from_fn(|k, _| query[when][i][k] - query[when][j][k]);
        at(0) * (1.0 - time) + at(1) * time
    };
    match kind {
        Kind::VertexFace => to_triangle([difference(0, 1), difference(0, 2), difference(0, 3)]),
        Kind::EdgeEdge => {
            let [a, b, c, d] = [difference(0, 2), difference(0, 3), difference(1, 3), difference(1, 2)];
            to_triangle([a, b, c]).min(to_triangle([a, d, c]))
        }
    }
}

/// The extent that tolerances relate to: the maximum coordinate of the differences.
pub(crate) fn extent(kind: Kind, query: &Query) -> f64 {
    let pairs: &[[usize; 2]] = match kind {
        Kind::VertexFace => &[[0, 1], [0, 2], [0, 3]],
        Kind::EdgeEdge => &[[0, 2], [0, 3], [1, 2], [1, 3]],
    };
    let gaps = query.iter().flat_map(|points| {
        pairs.iter().flat_map(move |&[i, j]| (0..3).map(move |k| (points[i][k] - points[j][k]).abs()))
    });
    gaps.fold(0.0, f64::max)
}

/// The distance of a triangle from zero.
fn to_triangle(corners: [Vector3<f64>; 3]) -> f64 {
    let size = corners.iter().map(|c| c.amax()).fold(0.0, f64::max);
    if size <= 0.0 {
        return 0.0;
    }
    let [a, b, c] = corners.map(|corner| corner / size);
    let normal = (b - a).cross(&(c - a));
    let weights = [b.cross(&c), c.cross(&a), a.cross(&b)].map(|part| part.dot(&normal));
    let sum: f64 = weights.iter().sum();
    let is_over = sum > 0.0 && weights.iter().all(|weight| *weight >= 0.0);
    let sides = to_segment(a, b).min(to_segment(b, c)).min(to_segment(c, a));
    // A distance that is attained is never too small, whatever the normal of a sliver is.
    let foot = (a * weights[0] + b * weights[1] + c * weights[2]) / sum;
    let nearest = if is_over { sides.min(foot.norm()) } else { sides };
    nearest * size
}

fn to_segment(a: Vector3<f64>, b: Vector3<f64>) -> f64 {
    let along = b - a;
    let squared = along.norm_squared();
    let place = if squared > 0.0 { (-a.dot(&along) / squared).clamp(0.0, 1.0) } else { 0.0 };
    (a + along * place).norm()
}
