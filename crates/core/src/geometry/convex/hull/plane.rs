//! Convex hull of points in a plane: monotone chains [Andrew79] with an exact orientation predicate.

use super::exact::ExactPoints;

/// Corners of the hull, counterclockwise seen from above the triangle. All points must be in its plane.
///
/// Every corner is extreme: duplicates and points on edges are left out.
pub(super) fn hull_in_plane(points: &ExactPoints, triangle: [u32; 3]) -> Vec<u32> {
    let orientation = |axis: usize| points.orientation(axis, triangle);
    let size = |axis: usize| orientation(axis).abs();
    // Projection along the axis of largest area: the triangle is not degenerate in it.
    let axis = (1..3).fold(0, |best, axis| if size(axis) > size(best) { axis } else { best });
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let key = |index: u32| points.projected(axis, index);
    order.sort_by(|&a, &b| {
        let ([ax, ay], [bx, by]) = (key(a), key(b));
        ax.total_cmp(&bx).then(ay.total_cmp(&by))
    });
    order.dedup_by_key(|index| key(*index));
    let mut corners = chain(points, axis, order.iter().copied());
    corners.extend(chain(points, axis, order.iter().rev().copied()));
    // The chains run counterclockwise in the projection, which may show the plane from below.
    if orientation(axis) < 0.0 {
        corners.reverse();
    }
    corners
}

/// Monotone chain of the corners on the right of a sweep, without the last one, which starts the other chain.
fn chain(points: &ExactPoints, axis: usize, order: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut corners: Vec<u32> = Vec::new();
    for point in order {
        while let [.., a, b] = corners[..] {
            if points.orientation(axis, [a, b, point]) > 0.0 {
                break;
            }
            corners.pop();
        }
        corners.push(point);
    }
    corners.pop();
    corners
}
