//! Principal axes of inertia of a mesh.

use nalgebra::{Matrix3, Vector3};

use crate::geometry::mass_properties::MassProperties;
use crate::geometry::triangle_mesh::{Solidity, TriangleMesh};

/// Relative difference of moments, in terms of the maximum, below which they count as equal: otherwise rounding would
/// choose the axes.
const SAME_MOMENT: f64 = 1e-6;

/// Axes of the solid, or of a shell if there is no volume; minimum moment (the long axis) first. Where moments are
/// equal, the axes are chosen close to those of the body frame.
pub(super) fn of(mesh: &TriangleMesh, solidity: Solidity) -> [Vector3<f64>; 3] {
    let solid = (solidity == Solidity::Solid).then(|| MassProperties::of_solid(mesh).ok()).flatten();
    let mass = solid.or_else(|| MassProperties::of_surface(mesh, 1.0).ok());
    mass.map_or([Vector3::x(), Vector3::y(), Vector3::z()], |mass| of_inertia(&mass.inertia))
}

/// Axes of an inertia tensor.
fn of_inertia(inertia: &Matrix3<f64>) -> [Vector3<f64>; 3] {
    let body = [Vector3::x(), Vector3::y(), Vector3::z()];
    let max = inertia.amax();
    if !(max > 0.0 && max.is_finite()) {
        return body;
    }
    let eigen = (inertia / max).symmetric_eigen();
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| eigen.eigenvalues[i].total_cmp(&eigen.eigenvalues[j]));
    let [low, middle, high] = order.map(|i| eigen.eigenvalues[i]);
    let [long, between, short] = order.map(|i| eigen.eigenvectors.column(i).normalize());
    // With two equal moments only the third axis is determined.
    match (middle - low <= SAME_MOMENT, high - middle <= SAME_MOMENT) {
        (true, true) => body,
        (true, false) => {
            let [u, v] = across(&short);
            [u, v, short]
        }
        (false, true) => {
            let [u, v] = across(&long);
            [long, u, v]
        }
        (false, false) => [long, between, short],
    }
}

/// Two axes orthogonal to `axis`, the first one as close as possible to an axis of the body frame.
fn across(axis: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let min = (0..3).reduce(|i, j| if axis[j].abs() < axis[i].abs() - SAME_MOMENT { j } else { i });
    let first = Vector3::ith(min.unwrap_or(0), 1.0);
    let u = (first - axis * axis.dot(&first)).normalize();
    [u, axis.cross(&u)]
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, UnitQuaternion};

    use super::super::shapes;
    use super::*;

    #[test]
    fn the_axes_of_a_rotated_box_are_those_of_its_edges_longest_first() {
        let rotation = UnitQuaternion::from_euler_angles(0.3, -0.8, 1.1);
        for scale in [1e-3, 1.0, 1e3] {
            let mesh = shapes::cuboid(scale * Vector3::new(1.0, 3.0, 2.0));
            let mesh = mesh.transformed(&Isometry3::from_parts(nalgebra::Translation3::identity(), rotation));
            for solidity in [Solidity::Solid, Solidity::Surface] {
                let found = of(&mesh, solidity);
                for (axis, edge) in found.iter().zip([1, 2, 0]) {
                    let edge = rotation * Vector3::ith(edge, 1.0);
                    assert!(axis.dot(&edge).abs() > 1.0 - 1e-9, "{scale} {axis} {edge}");
                }
            }
        }
    }

    #[test]
    fn a_ring_has_its_own_axis_and_a_cube_those_of_its_frame() {
        let ring = of(&shapes::torus(1.0, 0.3, 24), Solidity::Solid);
        assert!(ring[2].z.abs() > 1.0 - 1e-9 && ring[0].z.abs() < 1e-6 && ring[0].dot(&ring[1]).abs() < 1e-9);
        let cube = of(&shapes::cuboid(Vector3::repeat(0.7)), Solidity::Solid);
        assert_eq!(cube, [Vector3::x(), Vector3::y(), Vector3::z()]);
    }
}
