//! Sheets and balls to deform.

use extricate::geometry::TriangleMesh;
use extricate_test_support::Noise;
use nalgebra::Point3;

pub(crate) fn moved(noise: &mut Noise, points: &[Point3<f64>], by: f64) -> Vec<Point3<f64>> {
    points.iter().map(|p| p + by * noise.vector()).collect()
}

/// A unit square in the plane z = 0 of 2 · cells² triangles.
pub(crate) fn sheet(cells: u32) -> TriangleMesh {
    let at = |i: u32, j: u32| i * (cells + 1) + j;
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
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

/// The unit sheet as a scroll: z over x follows a curve whose direction swings by `swing` [rad] to either side.
pub(crate) fn folded(mesh: &TriangleMesh, swing: f64) -> Vec<Point3<f64>> {
    const STEPS: usize = 2000;
    let mut curve = vec![[0.0, 0.0]];
    for step in 0..STEPS {
        let angle = swing * (12.0 * (step as f64 + 0.5) / STEPS as f64).sin();
        let [x, z] = curve[step];
        curve.push([x + angle.cos() / STEPS as f64, z + angle.sin() / STEPS as f64]);
    }
    let place = |p: &Point3<f64>| {
        let [x, z] = curve[(p.x * STEPS as f64).round() as usize];
        Point3::new(x, p.y + 0.01 * (9.0 * x).sin(), z + 0.01 * (7.0 * p.y).cos())
    };
    mesh.vertices().iter().map(place).collect()
}

/// A ball of `rings` rings of as many quads, cut in two, with a vertex at each pole (0, 0, ±radius).
pub(crate) fn ball(radius: f64, rings: u32) -> TriangleMesh {
    let mut vertices = vec![Point3::new(0.0, 0.0, -radius), Point3::new(0.0, 0.0, radius)];
    for ring in 1..rings {
        let polar = std::f64::consts::PI * f64::from(ring) / f64::from(rings);
        for step in 0..rings {
            let angle = std::f64::consts::TAU * f64::from(step) / f64::from(rings);
            let (across, up) = (radius * polar.sin(), -radius * polar.cos());
            vertices.push(Point3::new(across * angle.cos(), across * angle.sin(), up));
        }
    }
    let at = |ring: u32, step: u32| 2 + (ring - 1) * rings + step % rings;
    let mut triangles = Vec::new();
    for step in 0..rings {
        triangles.push([0, at(1, step + 1), at(1, step)]);
        triangles.push([1, at(rings - 1, step), at(rings - 1, step + 1)]);
        for ring in 1..rings - 1 {
            triangles.push([at(ring, step), at(ring, step + 1), at(ring + 1, step + 1)]);
            triangles.push([at(ring, step), at(ring + 1, step + 1), at(ring + 1, step)]);
        }
    }
    TriangleMesh::new(vertices, triangles).expect("a ball")
}
