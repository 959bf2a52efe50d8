//! Point containment in a solid.
//!
//! A point is inside where the absolute winding number is at least one half: robust for meshes with holes, for pieces
//! that overlap (where it is 2, the faces in between bound nothing) and for inverted meshes.

use nalgebra::{Point3, Vector3};

use super::model::Model;

/// Accuracy of the winding number (β of [Barill18]) that decides most points; its error is then below [`ERROR`]. A
/// larger one visits more subtrees.
const ACCURACY: f32 = 2.0;
/// Accuracy where the first evaluation does not decide: near the surface that spans a hole.
const FINE_ACCURACY: f32 = 10.0;
/// Half the width of the band around one half in which the first evaluation does not decide.
const ERROR: f64 = 0.1;

impl Model {
    /// Generalized winding number about `point` [m, body frame]: how often the surface encloses it, to within about
    /// 1e-3. For a closed mesh with outward normals that is 1 inside and 0 outside.
    #[must_use]
    pub fn winding_number(&self, point: &Point3<f64>) -> f64 {
        let point = (point - self.center()).into();
        self.winding().at(self.bvh(), &point, FINE_ACCURACY)
    }

    /// Whether the solid that the mesh bounds contains `point` [m, body frame], whatever the model's solidity.
    ///
    /// On the surface itself either result is possible. Points outside the mesh's box are outside.
    ///
    /// ```
    /// use extricate_core::geometry::Solidity;
    /// use extricate_core::geometry::procedural::{Cuboid, Procedural};
    /// use extricate_core::proximity::{Model};
    /// use nalgebra::Point3;
    ///
    /// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
    /// assert!(cube.contains(&Point3::origin()) && !cube.contains(&Point3::new(0.6, 0.0, 0.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contains(&self, point: &Point3<f64>) -> bool {
        self.contains_in_tree(&(point - self.center()))
    }

    /// As [`Model::contains`], with the point in the frame of the tree.
    pub(crate) fn contains_in_tree(&self, point: &Vector3<f64>) -> bool {
        self.contains_counted(point).0
    }

    /// As [`Model::contains_in_tree`], with the number of nodes visited.
    pub(crate) fn contains_counted(&self, point: &Vector3<f64>) -> (bool, u64) {
        if !self.is_in_box(point) {
            return (false, 0);
        }
        let at = |accuracy| self.winding().at_counted(self.bvh(), &(*point).into(), accuracy);
        let (first, visited) = at(ACCURACY);
        if (first.abs() - 0.5).abs() > ERROR {
            return (first.abs() > 0.5, visited);
        }
        let (second, more) = at(FINE_ACCURACY);
        (second.abs() >= 0.5, visited + more)
    }

    /// Whether a point [m, frame of the tree] is in the box around the mesh.
    pub(super) fn is_in_box(&self, point: &Vector3<f64>) -> bool {
        let bounds = self.bvh().bounds(self.bvh().root());
        (0..3).all(|k| f64::from(bounds.min[k]) <= point[k] && point[k] <= f64::from(bounds.max[k]))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::super::collide;
    use super::super::shapes;
    use super::super::tests::Noise;
    use super::*;
    use crate::geometry::TriangleMesh;
    use crate::geometry::triangle_mesh::Solidity;

    fn solid(mesh: &TriangleMesh) -> Model {
        Model::new(mesh.clone(), Solidity::Solid)
    }

    fn edited(mesh: &TriangleMesh, edit: impl Fn(usize, [u32; 3]) -> Option<[u32; 3]>) -> TriangleMesh {
        let triangles = mesh.triangles().iter().enumerate().filter_map(|(i, &t)| edit(i, t)).collect();
        TriangleMesh::new(mesh.vertices().to_vec(), triangles).unwrap()
    }

    fn joined(meshes: &[TriangleMesh]) -> TriangleMesh {
        TriangleMesh::joined(meshes.iter().cloned()).unwrap()
    }

    fn cube_at(x: f64, half: f64) -> TriangleMesh {
        shapes::cuboid(Vector3::repeat(2.0 * half)).transformed(&Isometry3::translation(x, 0.0, 0.0))
    }

    fn in_cube(p: &Point3<f64>, x: f64, half: f64) -> bool {
        (p.x - x).abs().max(p.y.abs()).max(p.z.abs()) < half
    }

    #[test]
    fn a_torus_contains_what_its_equation_says() {
        let mesh = shapes::torus(1.0, 0.4, 120);
        for scale in [1e-3, 1.0, 1e3] {
            let shift = Vector3::new(1e5, -2e4, 3e4);
            let points = mesh.vertices().iter().map(|p| Point3::from(scale * (p.coords + shift))).collect();
            let model = solid(&TriangleMesh::new(points, mesh.triangles().to_vec()).unwrap());
            let mut noise = Noise(7);
            let mut inside = 0;
            for _ in 0..3000 {
                let p = noise.vector().component_mul(&Vector3::new(1.6, 1.6, 0.6));
                let distance = (p.xy().norm() - 1.0).hypot(p.z) - 0.4;
                if distance.abs() < 2e-3 {
                    continue; // between the torus and its facets
                }
                assert_eq!(model.contains(&Point3::from(scale * (p + shift))), distance < 0.0, "{p}");
                inside += usize::from(distance < 0.0);
            }
            assert!(inside > 500, "{inside}");
        }
    }

    #[test]
    fn a_mesh_inside_out_contains_the_same_points() {
        let mesh = shapes::bumpy_sphere(20);
        let (model, reversed) = (solid(&mesh), solid(&edited(&mesh, |_, [a, b, c]| Some([a, c, b]))));
        let mut noise = Noise(8);
        for _ in 0..500 {
            let p = Point3::from(1.3 * noise.vector());
            assert_eq!(model.contains(&p), reversed.contains(&p));
        }
    }

    #[test]
    fn overlapping_pieces_contain_their_union() {
        let model = solid(&joined(&[cube_at(0.0, 1.0), cube_at(0.7, 1.0), cube_at(0.4, 0.3)]));
        let mut noise = Noise(9);
        for _ in 0..1000 {
            let p = Point3::from(2.0 * noise.vector());
            let expected = [(0.0, 1.0), (0.7, 1.0), (0.4, 0.3)].iter().any(|&(x, half)| in_cube(&p, x, half));
            assert_eq!(model.contains(&p), expected, "{p}");
        }
    }

    #[test]
    fn a_shell_with_normals_inwards_is_a_cavity() {
        let cavity = edited(&cube_at(0.0, 0.5), |_, [a, b, c]| Some([a, c, b]));
        let model = solid(&joined(&[cube_at(0.0, 1.0), cavity]));
        assert!(!model.contains(&Point3::origin()));
        assert!(model.contains(&Point3::new(0.75, 0.1, 0.2)));
    }

    #[test]
    fn a_hole_disturbs_the_inside_only_nearby() {
        let mesh = shapes::bumpy_sphere(40);
        let holed = edited(&mesh, |i, t| (i % 50 != 0).then_some(t));
        let (model, holed) = (solid(&mesh), solid(&holed));
        let mut noise = Noise(10);
        let (mut agree, count) = (0, 2000);
        for _ in 0..count {
            let p = Point3::from(1.3 * noise.vector());
            agree += usize::from(model.contains(&p) == holed.contains(&p));
        }
        assert!(agree > count * 99 / 100, "{agree}");
        assert!(holed.contains(&Point3::origin()) && !holed.contains(&Point3::new(1.5, 0.0, 0.0)));
    }

    #[test]
    fn a_part_inside_a_solid_collides_and_one_inside_a_surface_does_not() {
        let far = shapes::cuboid(Vector3::repeat(0.1)).transformed(&Isometry3::translation(7.0, 0.0, 0.0));
        let small = joined(&[far, shapes::cuboid(Vector3::repeat(0.2))]);
        let large = shapes::cuboid(Vector3::repeat(2.0));
        let pose = Isometry3::new(Vector3::new(30.0, -4.0, 5.0), Vector3::new(1.0, 2.0, 0.5));
        let as_models = |of_small, of_large| {
            let (a, b) = (Model::new(small.clone(), of_small), Model::new(large.clone(), of_large));
            let both = [collide(&a, &pose, &b, &pose), collide(&b, &pose, &a, &pose)];
            assert_eq!(both[0], both[1]);
            both[0]
        };
        assert!(as_models(Solidity::Solid, Solidity::Solid));
        assert!(as_models(Solidity::Surface, Solidity::Solid));
        assert!(!as_models(Solidity::Solid, Solidity::Surface));
        assert!(!as_models(Solidity::Surface, Solidity::Surface));
    }

    #[test]
    fn solids_side_by_side_are_apart_and_touching_ones_collide() {
        let cube = solid(&shapes::cuboid(Vector3::repeat(1.0)));
        let at = |x: f64| Isometry3::translation(x, 0.0, 0.0);
        for (x, expected) in [(0.0, true), (0.5, true), (1.0, true), (1.0 + 1e-9, false), (3.0, false)] {
            assert_eq!(collide(&cube, &at(x), &cube, &at(0.0)), expected, "{x}");
        }
    }

    #[test]
    fn a_link_through_the_hole_of_a_torus_is_free() {
        let torus = solid(&shapes::torus(1.0, 0.2, 40));
        let linked = Isometry3::new(Vector3::x(), Vector3::x() * std::f64::consts::FRAC_PI_2);
        assert!(!collide(&torus, &linked, &torus, &Isometry3::identity()));
    }
}
