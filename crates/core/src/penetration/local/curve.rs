//! The intersection curve of two surfaces: its centroid and its vector area.

use nalgebra::{Point3, Vector3};

use crate::proximity::model::Model;
use crate::proximity::relative_pose::{RelativePose, triangles_in_b};
use crate::proximity::work_limit::WorkLimit;

/// Properties of a region's intersection curve, in the frame of B's tree.
pub(super) struct Curve {
    /// Centroid of the curve by length [m]; of a curve without length, that of the touching triangles.
    pub(super) centroid: Point3<f64>,
    /// −½∮ r × dr along n_A × n_B [m²]: points in the direction in which A leaves B, if both normals point outwards.
    pub(super) vector_area: Vector3<f64>,
}

/// Measures the curve of these intersecting pairs; only of the first of them where the limit is spent.
pub(super) fn measure(
    [a, b]: [&Model; 2],
    a_to_b: &RelativePose,
    pairs: &[[u32; 2]],
    limit: &mut WorkLimit,
) -> Curve {
    let corner = |pair: &[u32; 2]| triangles_in_b(a, b, a_to_b, *pair)[1][0];
    // Moments about a point of the region: about a far origin the vector area would cancel.
    let about = corner(&pairs[0]);
    let (mut moment, mut length, mut area) = (Vector3::zeros(), 0.0, Vector3::zeros());
    let (mut corners, mut count) = (Vector3::zeros(), 0.0);
    for (index, pair) in pairs.iter().enumerate() {
        if limit.spend() && index > 0 {
            break;
        }
        count += 1.0;
        let [p, q] = triangles_in_b(a, b, a_to_b, *pair);
        corners += q.iter().chain(&p).map(|x| x - about).sum::<Vector3<f64>>() / 6.0;
        if let Some([start, end]) = segment(&p, &q) {
            let (start, end) = (start - about, end - about);
            let span = (end - start).norm();
            moment += (start + end) * (0.5 * span);
            length += span;
            area -= start.cross(&end) * 0.5;
        }
    }
    let centroid = if length > 0.0 { moment / length } else { corners / count };
    Curve { centroid: about + centroid, vector_area: area }
}

/// The segment in which two triangles cross, along n_P × n_Q; `None` where they are coplanar or only touch.
fn segment(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3]) -> Option<[Point3<f64>; 2]> {
    let normal = |t: &[Point3<f64>; 3]| (t[1] - t[0]).cross(&(t[2] - t[0]));
    let (n_p, n_q) = (normal(p), normal(q));
    let along = n_p.cross(&n_q).try_normalize(0.0)?;
    let [p_start, p_end] = crossing(p, &q[0], &n_q, &along)?;
    let [q_start, q_end] = crossing(q, &p[0], &n_p, &along)?;
    let place = |x: &Point3<f64>| (x - p_start).dot(&along);
    let start = if place(&q_start) > 0.0 { q_start } else { p_start };
    let end = if place(&q_end) < place(&p_end) { q_end } else { p_end };
    (place(&end) > place(&start)).then_some([start, end])
}

/// The points at which the edges of a triangle cross a plane, ordered along a direction.
fn crossing(
    triangle: &[Point3<f64>; 3],
    on_plane: &Point3<f64>,
    normal: &Vector3<f64>,
    along: &Vector3<f64>,
) -> Option<[Point3<f64>; 2]> {
    let height = triangle.map(|x| (x - on_plane).dot(normal));
    let mut found = [None; 2];
    let mut count = 0;
    for k in 0..3 {
        let (i, j) = (k, (k + 1) % 3);
        if (height[i] < 0.0) != (height[j] < 0.0) {
            let fraction = height[i] / (height[i] - height[j]);
            found[count] = Some(triangle[i] + (triangle[j] - triangle[i]) * fraction);
            count += 1;
        }
    }
    let [Some(x), Some(y)] = found else { return None };
    Some(if (y - x).dot(along) < 0.0 { [y, x] } else { [x, y] })
}
