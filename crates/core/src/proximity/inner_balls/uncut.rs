//! Triangles of a surface that no other triangle of it cuts, and the regions that they form.
//!
//! Across an edge of two uncut triangles nothing else meets the surface, so both have the interior on the same sides: one point
//! decides for a whole region.

use std::collections::BTreeMap;

use nalgebra::Vector3;

type Triangle = [Vector3<f64>; 3];

/// Whether `other` meets `own` in more than a common corner, or an edge of both; `tolerance` is a distance [m] that counts as none.
pub(super) fn is_cut_by(own: &Triangle, other: &Triangle, tolerance: f64) -> bool {
    let normal = (own[1] - own[0]).cross(&(own[2] - own[0])).normalize();
    let heights = other.map(|corner| normal.dot(&(corner - own[0])));
    // Negated comparisons: a triangle without a normal counts as cut.
    if heights.iter().all(|height| height.abs() <= tolerance) {
        return !(is_beside(own, other, &normal, tolerance) || is_beside(other, own, &normal, tolerance));
    }
    if own.iter().filter(|corner| other.contains(corner)).count() == 2 {
        return false;
    }
    let section = section(other, &heights, tolerance);
    section.is_some_and(|section| !(length_within(own, &section, &normal, tolerance) <= 4.0 * tolerance))
}

/// Whether an edge line of one of two coplanar triangles has the other one on its outer side.
fn is_beside(of: &Triangle, other: &Triangle, normal: &Vector3<f64>, tolerance: f64) -> bool {
    let middle = of.iter().sum::<Vector3<f64>>() / 3.0;
    (0..3).any(|k| {
        let Some(across) = normal.cross(&(of[(k + 1) % 3] - of[k])).try_normalize(0.0) else { return false };
        let inward = if across.dot(&(middle - of[k])) < 0.0 { -across } else { across };
        other.iter().all(|corner| inward.dot(&(corner - of[k])) <= tolerance)
    })
}

/// Ends of the segment in which a triangle meets the plane of the given heights of its corners; `None` where it meets it in a corner
/// or not at all.
fn section(triangle: &Triangle, heights: &[f64; 3], tolerance: f64) -> Option<[Vector3<f64>; 2]> {
    let corners = (0..3).filter(|&k| heights[k].abs() <= tolerance).map(|k| triangle[k]);
    let crossings = (0..3).filter_map(|k| {
        let next = (k + 1) % 3;
        let (h, g) = (heights[k], heights[next]);
        let crosses = h.abs() > tolerance && g.abs() > tolerance && (h > 0.0) != (g > 0.0);
        crosses.then(|| triangle[k] + (triangle[next] - triangle[k]) * (h / (h - g)))
    });
    // A plane meets the boundary of a triangle that is not in it in two points at most.
    let mut ends = corners.chain(crossings);
    Some([ends.next()?, ends.next()?])
}

/// Length [m] of the part of a segment in the plane of a triangle that is within the triangle.
fn length_within(
    own: &Triangle,
    [from, to]: &[Vector3<f64>; 2],
    normal: &Vector3<f64>,
    tolerance: f64,
) -> f64 {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for k in 0..3 {
        let inward = normal.cross(&(own[(k + 1) % 3] - own[k])).normalize();
        let [start, end] = [from, to].map(|point| inward.dot(&(point - own[k])) + tolerance);
        if start < 0.0 && end < 0.0 {
            return 0.0;
        }
        if start < 0.0 {
            first = first.max(start / (start - end));
        } else if end < 0.0 {
            last = last.min(start / (start - end));
        }
    }
    (last - first).max(0.0) * (to - from).norm()
}

/// Representatives of uncut triangles: for each triangle the largest one of its region, itself where it is cut.
pub(super) fn representatives(triangles: &[Triangle], is_cut: &[bool]) -> Vec<usize> {
    let mut edges = BTreeMap::<[[u64; 3]; 2], Vec<usize>>::new();
    let place = |point: &Vector3<f64>| [point.x, point.y, point.z].map(|x| (x + 0.0).to_bits());
    for (index, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            let mut ends = [place(&triangle[k]), place(&triangle[(k + 1) % 3])];
            ends.sort_unstable();
            edges.entry(ends).or_default().push(index);
        }
    }
    let mut parent: Vec<usize> = (0..triangles.len()).collect();
    for pair in edges.values() {
        // Where more than two triangles meet, another piece may begin.
        if let &[a, b] = &pair[..]
            && !is_cut[a]
            && !is_cut[b]
        {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b)] = a.min(b);
        }
    }
    let area = |index: usize| {
        let [a, b, c] = &triangles[index];
        (b - a).cross(&(c - a)).norm()
    };
    let mut largest: Vec<usize> = (0..triangles.len()).collect();
    for index in 0..triangles.len() {
        let root = root(&mut parent, index);
        if area(index) > area(largest[root]) {
            largest[root] = index;
        }
    }
    (0..triangles.len()).map(|index| largest[root(&mut parent, index)]).collect()
}

/// Root of a tree of a union-find forest, with its path halved.
fn root(parent: &mut [usize], mut index: usize) -> usize {
    while parent[index] != index {
        parent[index] = parent[parent[index]];
        index = parent[index];
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(corners: [[f64; 3]; 3]) -> Triangle {
        corners.map(Vector3::from)
    }

    #[test]
    fn only_triangles_that_enter_the_triangle_cut_it() {
        let own = triangle([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let cases = [
            ("through the middle", [[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [0.3, 0.3, 1.0]], true),
            ("through the plane beside it", [[2.0, 0.2, -1.0], [2.0, 0.2, 1.0], [2.0, 0.3, 1.0]], false),
            ("neighbour at an edge", [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.3, -1.0, 0.5]], false),
            (
                "neighbour at a corner, across the plane",
                [[0.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [-1.0, -0.5, -1.0]],
                false,
            ),
            ("from a corner into it", [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, -1.0]], true),
            ("touches it with an edge", [[0.2, 0.2, 0.0], [0.3, 0.3, 0.0], [0.2, 0.2, 1.0]], true),
            ("touches it with a corner", [[0.2, 0.2, 0.0], [0.3, 0.3, 0.5], [0.2, 0.2, 1.0]], false),
            ("beside it, upright", [[2.0, 0.2, 0.0], [2.0, 0.3, 0.0], [2.0, 0.2, 1.0]], false),
            ("in its plane, overlapping", [[0.1, 0.1, 0.0], [2.0, 0.1, 0.0], [0.1, 2.0, 0.0]], true),
            ("in its plane, beside it", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], false),
            ("itself again", [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], true),
        ];
        for (name, other, expected) in cases {
            let other = triangle(other);
            for k in 0..3 {
                let rotated = [other[k], other[(k + 1) % 3], other[(k + 2) % 3]];
                assert_eq!(is_cut_by(&own, &rotated, 1e-9), expected, "{name}");
                let reversed = [rotated[1], rotated[0], rotated[2]];
                assert_eq!(is_cut_by(&own, &reversed, 1e-9), expected, "{name}, reversed");
            }
        }
    }

    #[test]
    fn regions_end_at_cut_triangles_and_at_edges_of_more_than_two() {
        let quad = [
            triangle([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]),
            triangle([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0]]),
            triangle([[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 1.0, 5.0]]),
        ];
        assert_eq!(representatives(&quad, &[true; 3]), [0, 1, 2]);
        assert_eq!(representatives(&quad, &[false; 3]), [2, 2, 2]);
        assert_eq!(representatives(&quad, &[false, true, false]), [0, 1, 2]);
        let fin = triangle([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.1]]);
        let with_fin = [quad[0], quad[1], quad[2], fin];
        assert_eq!(representatives(&with_fin, &[false; 4]), [0, 2, 2, 3]);
    }
}
