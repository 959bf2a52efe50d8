//! Spheres, and star-shaped solids: those whose surface is a radial function of the direction from their centre.

use nalgebra::{Point3, Vector3};

use super::noise::fractal;
use super::parameters::Checks;
use super::surface::{Surface, revolve};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::geometry::weld::Welder;

procedural! { "sphere"
    /// A geodesic sphere: an icosahedron, each edge subdivided into equal parts, its points projected to the sphere.
    pub struct Sphere {
        /// Radius [m].
        radius: f64 = 0.5,
        /// Parts of an icosahedron's edge; there are 20 n² triangles.
        frequency: u32 = 8,
    }
    mesh = Sphere::build
}

impl Sphere {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("radius", self.radius)])?;
        check_frequency(&checks, self.frequency)?;
        star(self.frequency, |_| self.radius)
    }
}

procedural! { "uv_sphere"
    /// A sphere of meridians and parallels about the z axis.
    pub struct UvSphere {
        /// Radius [m].
        radius: f64 = 0.5,
        /// Steps around the axis.
        segments: u32 = 32,
        /// Steps from pole to pole.
        rings: u32 = 16,
    }
    mesh = UvSphere::build
}

impl UvSphere {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("radius", self.radius)])?;
        checks.at_least("segments", self.segments, 3, "at least 3")?;
        checks.at_least("rings", self.rings, 2, "at least 2")?;
        checks.triangles([2, self.segments, self.rings])?;
        let profile: Vec<_> = (0..=self.rings)
            .map(|i| std::f64::consts::PI * f64::from(i) / f64::from(self.rings))
            .map(|angle| [self.radius * angle.sin(), -self.radius * angle.cos()])
            .collect();
        revolve(&profile, self.segments)
    }
}

procedural! { "bumpy_sphere"
    /// A sphere with regular bumps and dents.
    pub struct BumpySphere {
        /// Mean radius [m].
        radius: f64 = 0.5,
        /// Maximum height of a bump as a fraction of the radius, below 1.
        amplitude: f64 = 0.12,
        /// Bumps across the diameter.
        bumps: f64 = 2.0,
        /// Parts of an icosahedron's edge; there are 20 n² triangles.
        frequency: u32 = 12,
    }
    mesh = BumpySphere::build
}

impl BumpySphere {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("radius", self.radius), ("bumps", self.bumps)])?;
        checks.require(
            "amplitude",
            self.amplitude,
            (0.0..1.0).contains(&self.amplitude),
            "from 0 to below 1",
        )?;
        check_frequency(&checks, self.frequency)?;
        let wave = std::f64::consts::PI * self.bumps;
        star(self.frequency, |direction| {
            let height = direction.map(|x| (wave * x).cos()).product();
            self.radius * (1.0 + self.amplitude * height)
        })
    }
}

procedural! { "blob"
    /// A boulder, similar to a scan: a sphere displaced by seeded fractal noise. The default has 80 000 triangles.
    pub struct Blob {
        /// Mean radius [m].
        radius: f64 = 0.5,
        /// Maximum displacement as a fraction of the radius, below 1.
        amplitude: f64 = 0.9,
        /// Features of the coarsest octave across the radius.
        roughness: f64 = 1.3,
        /// Octaves of noise, each with 0.4 of the amplitude of the previous one.
        octaves: u32 = 5,
        /// Seed of the noise.
        seed: u32 = 1,
        /// Parts of an icosahedron's edge; there are 20 n² triangles.
        frequency: u32 = 64,
    }
    mesh = Blob::build
}

impl Blob {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("radius", self.radius)])?;
        checks.require(
            "amplitude",
            self.amplitude,
            (0.0..1.0).contains(&self.amplitude),
            "from 0 to below 1",
        )?;
        // Above 10⁶ features per radius the nodes of the finest octave are no longer distinguishable in double precision.
        checks.require(
            "roughness",
            self.roughness,
            (0.0..=1e6).contains(&self.roughness),
            "from 0 to 1e6",
        )?;
        checks.require(
            "octaves",
            f64::from(self.octaves),
            (1..=16).contains(&self.octaves),
            "from 1 to 16",
        )?;
        check_frequency(&checks, self.frequency)?;
        star(self.frequency, |direction| {
            let height = fractal(self.seed.into(), self.octaves, &Point3::from(direction * self.roughness));
            self.radius * (1.0 + self.amplitude * height)
        })
    }
}

pub(super) fn check_frequency(checks: &Checks, frequency: u32) -> Result<(), ShapeError> {
    checks.at_least("frequency", frequency, 1, "at least 1")?;
    checks.triangles([20, frequency, frequency])
}

/// Star-shaped surface at distance `radius(direction)` [m] from the origin in every direction of a geodesic sphere. With a
/// positive function it is closed and free of self-intersections: every ray intersects it once.
pub(super) fn star(
    frequency: u32,
    radius: impl Fn(&Vector3<f64>) -> f64,
) -> Result<TriangleMesh, ShapeError> {
    let (directions, triangles) = geodesic(frequency);
    let mut surface = Surface::default();
    for direction in directions {
        surface.vertex(Point3::from(direction * radius(&direction)));
    }
    triangles.into_iter().for_each(|triangle| surface.triangle(triangle));
    surface.finish()
}

/// Unit directions and outward triangles of the geodesic sphere of class I.
fn geodesic(frequency: u32) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let corners = icosahedron();
    let mut welder = Welder::default();
    let mut triangles = Vec::with_capacity(20 * (frequency as usize).pow(2));
    for face in ICOSAHEDRON {
        let mut node = |i: u32, j: u32| {
            let weights = [frequency - i - j, i, j];
            let mut terms = [0, 1, 2].map(|k| (face[k], weights[k]));
            // Summed in the order of the corners' indices, a point on an edge is bitwise equal in both faces.
            terms.sort_unstable();
            let sum: Vector3<f64> = terms.iter().map(|&(k, weight)| corners[k] * f64::from(weight)).sum();
            welder.add(Point3::from(sum))
        };
        for i in 0..frequency {
            for j in 0..frequency - i {
                triangles.push([node(i, j), node(i + 1, j), node(i, j + 1)]);
                if i + j + 1 < frequency {
                    triangles.push([node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)]);
                }
            }
        }
    }
    (welder.into_points().iter().map(|point| point.coords.normalize()).collect(), triangles)
}

/// Corners of an icosahedron: cyclic permutations of (0, ±1, ±φ).
fn icosahedron() -> [Vector3<f64>; 12] {
    let phi = 0.5 * (1.0 + 5.0_f64.sqrt());
    [
        [-1.0, phi, 0.0],
        [1.0, phi, 0.0],
        [-1.0, -phi, 0.0],
        [1.0, -phi, 0.0],
        [0.0, -1.0, phi],
        [0.0, 1.0, phi],
        [0.0, -1.0, -phi],
        [0.0, 1.0, -phi],
        [phi, 0.0, -1.0],
        [phi, 0.0, 1.0],
        [-phi, 0.0, -1.0],
        [-phi, 0.0, 1.0],
    ]
    .map(Vector3::from)
}

#[rustfmt::skip]
const ICOSAHEDRON: [[usize; 3]; 20] = [
    [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11],
    [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
    [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
    [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
];
