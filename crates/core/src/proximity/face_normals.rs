//! Dominant normals of a surface: clusters of the triangles' normals, weighted by area.
//!
//! The minimum translation that separates a polyhedral body from another one is usually along the normal of a face, and
//! more often than not of a large one.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use crate::geometry::triangle_mesh::TriangleMesh;

/// Maximum number of clusters, largest area first. A box has six, a prism of many sides two dominant ones. Each cluster
/// is a direction that a search casts along.
const CLUSTERS: usize = 12;
/// Cells per unit of each coordinate into which normals are sorted before they are clustered: about seven degrees. A
/// finer grid costs more comparisons, a coarser one merges what [`SAME_CLUSTER`] would keep apart.
const CELLS: f64 = 8.0;
/// Cosine of the angle within which a cell joins a larger one: about twenty degrees. A smaller angle gives a curved
/// part of the surface more directions than it needs, a larger one merges neighbouring faces of a hexagon.
const SAME_CLUSTER: f64 = 0.94;
/// Fraction of the total area to which areas are rounded before they are compared, so that rounding, and with it the
/// unit of length, does not decide the order.
const AREA_STEP: f64 = 1e-7;

/// Unit normals of the clusters, largest area first.
pub(super) fn clusters(mesh: &TriangleMesh) -> Vec<Vector3<f64>> {
    let mut cells: BTreeMap<[i32; 3], (f64, Vector3<f64>)> = BTreeMap::new();
    let mut total = 0.0;
    for index in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.triangle(index);
        let doubled = (b - a).cross(&(c - a));
        let area = doubled.norm();
        if area > 0.0 {
            let key = (doubled / area).map(|x| (CELLS * x).round() as i32).into();
            let cell = cells.entry(key).or_insert((0.0, Vector3::zeros()));
            *cell = (cell.0 + area, cell.1 + doubled);
            total += area;
        }
    }
    // Descending, and a stable sort: ties keep the order of the cells.
    let sort_key = |area: f64| -(area / total / AREA_STEP).round();
    let mut cells = cells.into_values().collect::<Vec<_>>();
    cells.sort_by(|x, y| sort_key(x.0).total_cmp(&sort_key(y.0)));
    let mut clusters: Vec<(f64, Vector3<f64>, Vector3<f64>)> = Vec::new();
    for (area, sum) in cells {
        let normal = sum.normalize();
        // Compared with the normal of the cluster's largest cell, not with its mean, so that clusters cannot drift.
        match clusters.iter_mut().find(|cluster| cluster.1.dot(&normal) >= SAME_CLUSTER) {
            Some(cluster) => (cluster.0, cluster.2) = (cluster.0 + area, cluster.2 + sum),
            None => clusters.push((area, normal, sum)),
        }
    }
    clusters.sort_by(|x, y| sort_key(x.0).total_cmp(&sort_key(y.0)));
    clusters.into_iter().take(CLUSTERS).map(|(_, _, sum)| sum.normalize()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::shapes;
    use super::*;

    #[test]
    fn a_box_has_the_normals_of_its_six_faces_largest_first() {
        for scale in [1e-3, 1.0, 1e3] {
            let mesh = shapes::cuboid(scale * Vector3::new(1.0, 2.0, 3.0));
            let found = clusters(&mesh);
            assert_eq!(found.len(), 6);
            for (place, axis) in [0, 0, 1, 1, 2, 2].into_iter().enumerate() {
                assert!(found[place][axis].abs() > 1.0 - 1e-12, "{scale} {place}: {}", found[place]);
            }
            for pair in found.chunks(2) {
                assert!((pair[0] + pair[1]).norm() < 1e-12);
            }
        }
    }

    #[test]
    fn a_sphere_has_no_more_clusters_than_are_kept_and_they_are_apart() {
        let found = clusters(&shapes::sphere(24));
        assert_eq!(found.len(), CLUSTERS);
        for (i, n) in found.iter().enumerate() {
            assert!((n.norm() - 1.0).abs() < 1e-12);
            assert!(found[..i].iter().all(|other| other.dot(n) < 0.99));
        }
    }
}
