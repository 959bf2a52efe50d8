use super::*;
use extricate_core::geometry::procedural::{Cuboid, Procedural, Sphere};

#[test]
fn a_cube_has_flat_faces() {
    let cube = Surface::of(&Cuboid::default().mesh().expect("a cube"), 1.0);
    // Three faces meet at each corner.
    assert_eq!(cube.positions.len(), 24);
    for normal in &cube.normals {
        let axis = normal.iter().map(|x| x.abs()).fold(0.0, f32::max);
        assert!((axis - 1.0).abs() < 1e-6, "{normal:?}");
    }
}

#[test]
fn a_sphere_is_smooth_and_scaled() {
    let sphere = Surface::of(&Sphere { radius: 2.0, ..Sphere::default() }.mesh().expect("a sphere"), 0.25);
    for (position, normal) in sphere.positions.iter().zip(&sphere.normals) {
        let [p, n] = [position, normal].map(|v| Vector3::from(v.map(f64::from)));
        assert!((p.norm() - 0.5).abs() < 1e-6);
        assert!(p.normalize().dot(&n) > 0.99, "{p} {n}");
    }
}

#[test]
fn triangles_retain_their_corners() {
    let mesh = Cuboid { x: 1.0, y: 2.0, z: 3.0, ..Cuboid::default() }.mesh().expect("a box");
    let surface = Surface::of(&mesh, 1.0);
    for (index, triangle) in surface.triangles.iter().enumerate() {
        for (corner, point) in triangle.iter().zip(mesh.triangle(index)) {
            let drawn = Point3::from(surface.positions[*corner as usize].map(f64::from));
            assert!((drawn + surface.center.coords - point).norm() < 1e-6);
        }
    }
}

#[test]
fn open_and_inverted_meshes_are_drawn_from_both_sides() {
    let cube = Cuboid::default().mesh().expect("a cube");
    let drawn = |triangles: Vec<[u32; 3]>| {
        let mesh = TriangleMesh::new(cube.vertices().to_vec(), triangles).expect("a mesh");
        Surface::of(&mesh, 1.0)
    };
    let solid = cube.triangles().to_vec();
    assert_eq!(drawn(solid.clone()).triangles.len(), 12);
    let open = drawn(solid[1..].to_vec());
    assert_eq!(open.triangles.len(), 2 * 11);
    let reversed = drawn(solid.iter().map(|&[a, b, c]| [a, c, b]).collect());
    assert_eq!(reversed.triangles.len(), 2 * 12);
    // The normal at each corner is on the side from which the triangle is counter-clockwise.
    for surface in [open, reversed] {
        for triangle in &surface.triangles {
            let [a, b, c] = triangle.map(|i| Vector3::from(surface.positions[i as usize].map(f64::from)));
            let outwards = (b - a).cross(&(c - a));
            for corner in triangle {
                let normal = Vector3::from(surface.normals[*corner as usize].map(f64::from));
                assert!(normal.dot(&outwards) > 0.0);
            }
        }
    }
}
