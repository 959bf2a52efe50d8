//! A folded sheet in motion, and the elementary queries of one of its steps.

use extricate::geometry::TriangleMesh;
use nalgebra::Point3;

/// Four points at the start and at the end.
pub(crate) type Query = [[Point3<f64>; 4]; 2];

/// Cells along a side: 92 450 triangles.
pub(crate) const CELLS: u32 = 215;
/// Steps of the curve that the sheet follows.
const STEPS: usize = 4000;

/// A unit square in the plane z = 0.
pub(crate) fn sheet(cells: u32) -> TriangleMesh {
    let at = |i: u32, j: u32| i * (cells + 1) + j;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..=cells {
        for j in 0..=cells {
            vertices.push(Point3::new(f64::from(i), f64::from(j), 0.0) / f64::from(cells));
            if i < cells && j < cells {
                triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    TriangleMesh::new(vertices, triangles).expect("a sheet")
}

/// The sheet in folds whose sides lean by up to `swing` [rad], with ripples across; beyond π/2 they overhang.
pub(crate) fn folded(mesh: &TriangleMesh, swing: f64) -> Vec<Point3<f64>> {
    let mut curve = vec![[0.0, 0.0]];
    for step in 0..STEPS {
        let angle = swing * (12.0 * (step as f64 + 0.5) / STEPS as f64).sin();
        let [x, z] = curve[step];
        curve.push([x + angle.cos() / STEPS as f64, z + angle.sin() / STEPS as f64]);
    }
    let place = |p: &Point3<f64>| {
        let [x, z] = curve[(p.x * STEPS as f64).round() as usize];
        let (ripple, wave) = (0.004 * (40.0 * p.y).sin(), 0.003 * (70.0 * p.y + 20.0 * p.x).cos());
        Point3::new(x + ripple, p.y + 0.002 * (50.0 * p.x + 5.0 * swing).sin(), z + wave)
    };
    mesh.vertices().iter().map(place).collect()
}

/// Elementary queries between features of nearby cells that share no vertex and whose paths' boxes overlap: what the
/// tree leaves over of a step. `is_face` says of which kind.
pub(crate) fn elementary_queries(
    is_face: bool,
    mesh: &TriangleMesh,
    from: f64,
    to: f64,
    count: usize,
) -> Vec<Query> {
    let (start, end) = (folded(mesh, from), folded(mesh, to));
    let triangles = mesh.triangles();
    let query = |corners: [u32; 4]| [&start, &end].map(|places| corners.map(|i| places[i as usize]));
    let mut queries = Vec::new();
    let row = 2 * CELLS as usize;
    for (index, first) in triangles.iter().enumerate() {
        // Triangles of the same cell and of the next ones across and along.
        let nearby = (0..3).flat_map(|across| (1..8).map(move |along| across * row + along));
        for second in nearby.filter_map(|offset| triangles.get(index + offset)) {
            let corners = if is_face {
                [first[0], second[0], second[1], second[2]]
            } else {
                [first[0], first[1], second[1], second[2]]
            };
            let apart = if is_face { 1 } else { 2 };
            let is_adjacent = corners[..apart].iter().any(|i| corners[apart..].contains(i));
            if !is_adjacent && boxes_overlap(&query(corners), apart) {
                queries.push(query(corners));
            }
            if queries.len() == count {
                return queries;
            }
        }
    }
    queries
}

/// Returns whether the boxes around the paths of the first `apart` points and of the others overlap.
fn boxes_overlap(query: &Query, apart: usize) -> bool {
    (0..3).all(|axis| {
        let of = |points: &[usize]| {
            let values = points.iter().flat_map(|&i| [query[0][i][axis], query[1][i][axis]]);
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [x.min(low), x.max(high)])
        };
        let (a, b) = if apart == 1 { (of(&[0]), of(&[1, 2, 3])) } else { (of(&[0, 1]), of(&[2, 3])) };
        a[0] <= b[1] && b[0] <= a[1]
    })
}
