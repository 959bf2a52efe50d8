//! Generalized winding number of triangle meshes and soups [Barill18]: how often a surface encloses a point, as a
//! function that is smooth off the surface and which holes disturb only nearby.
//!
//! w(q) = 1/4π Σ ∫ n·(x − q)/‖x − q‖³ dA over all triangles. A subtree that is far from q is replaced by a dipole at
//! its area centroid; near triangles give their solid angle exactly.
//!
//! | paper | here              | meaning |
//! |-------|-------------------|---------|
//! | β     | `accuracy`        | distance, in radii of the subtree, beyond which it is a dipole |
//! | p̃     | `Dipoles::center` | area centroid of the subtree |
//! | ΣaN   | `Dipoles::dipole` | Σ a n, area-weighted normals |
//!
//! Departs from [Barill18]: the first order of the expansion instead of three, because the second one vanishes on flat
//! patches and the third one needs eighteen numbers, while containment compares with one half only; the dipoles are in
//! single precision on dimensionless lengths, eight subtrees side by side, about centres that were rounded first. The
//! error is about 0.1/β².

use std::cell::Cell;
use std::f64::consts::PI;

use nalgebra::Vector3;

use crate::bvh::node::{Child, Node, WIDTH};
use crate::bvh::packet::{PACKET, Packet, above};
use crate::bvh::tree::TriangleBvh;

/// Dipoles of all subtrees of a tree, node by node: about 20 bytes a triangle.
#[derive(Debug, Clone)]
pub(super) struct WindingNumber {
    dipoles: Vec<Dipoles>,
    /// Reciprocal of the unit of length of areas and distances [1/m].
    scale: f64,
}

/// Dipoles of a node's eight subtrees; lengths in units of `1 / scale`, but `center` [m, frame of the tree].
#[derive(Debug, Clone)]
#[repr(C, align(32))]
struct Dipoles {
    center: [[f32; WIDTH]; 3],
    /// Radius of the ball around `center` that bounds the subtree; infinite where there is none.
    radius: [f32; WIDTH],
    dipole: [[f32; WIDTH]; 3],
}

/// Sums over the triangles of a subtree in the frame of the tree: area [m²], centroid times area [m³] and normal times
/// area [m²].
#[derive(Clone, Copy)]
struct Sums {
    area: f64,
    center: Vector3<f64>,
    normal: Vector3<f64>,
}

impl Sums {
    fn zero() -> Self {
        let zero = Vector3::zeros();
        Self { area: 0.0, center: zero, normal: zero }
    }

    fn of_packet(packet: &Packet) -> Self {
        packet.lanes().fold(Self::zero(), |sums, (lane, _)| {
            let [a, b, c] = packet.triangle(lane).map(Vector3::from);
            let normal = 0.5 * (b - a).cross(&(c - a));
            let (area, center) = (normal.norm(), (a + b + c) / 3.0);
            sums.plus(&Self { area, center: area * center, normal })
        })
    }

    fn plus(self, other: &Self) -> Self {
        Self {
            area: self.area + other.area,
            center: self.center + other.center,
            normal: self.normal + other.normal,
        }
    }
}

impl Dipoles {
    const EMPTY: Self =
        Self { center: [[0.0; WIDTH]; 3], radius: [f32::INFINITY; WIDTH], dipole: [[0.0; WIDTH]; 3] };

    fn set(&mut self, lane: usize, node: &Node, sums: &Sums, scale: f64) {
        let center = (sums.center / sums.area).map(|x| x as f32);
        // The radius is taken about the rounded centre, so that rounding does not make it too small.
        let rounded = center.map(f64::from);
        let bounds = node.bounds(lane);
        let farthest = Vector3::from_fn(|k, _| {
            (f64::from(bounds.max[k]) - rounded[k]).max(rounded[k] - f64::from(bounds.min[k]))
        });
        let dipole = sums.normal * (scale * scale);
        self.radius[lane] = above(farthest.norm() * scale);
        for axis in 0..3 {
            self.center[axis][lane] = center[axis];
            self.dipole[axis][lane] = dipole[axis] as f32;
        }
    }

    /// Solid angle of each subtree as a dipole seen from `point` [sr], the first-order term of [Barill18]; NaN where
    /// the subtree is too near for that.
    #[inline(always)]
    fn solid_angles(&self, point: &[f64; 3], scale: f64, accuracy: f32) -> [f32; WIDTH] {
        let mut angles = [0.0; WIDTH];
        for lane in 0..WIDTH {
            let to = |k: usize| ((f64::from(self.center[k][lane]) - point[k]) * scale) as f32;
            let (x, y, z) = (to(0), to(1), to(2));
            let squared = x * x + y * y + z * z;
            let near = accuracy * self.radius[lane];
            let inverse = 1.0 / squared.sqrt();
            let dipole = self.dipole[0][lane] * x + self.dipole[1][lane] * y + self.dipole[2][lane] * z;
            let angle = dipole * inverse * (inverse * inverse);
            angles[lane] = if squared > near * near { angle } else { f32::NAN };
        }
        angles
    }
}

thread_local! {
    static STACK: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

impl WindingNumber {
    /// Computes the dipoles of all subtrees of `tree`.
    pub(super) fn new(tree: &TriangleBvh) -> Self {
        let scale = 1.0 / tree.half_diagonal();
        let nodes = tree.inner_nodes();
        let mut dipoles = vec![Dipoles::EMPTY; nodes.len()];
        let mut sums = vec![Sums::zero(); nodes.len()];
        // Children follow their parents: in reverse their sums are complete.
        for (index, node) in nodes.iter().enumerate().rev() {
            for lane in 0..WIDTH {
                let subtree = match node.child(lane) {
                    Some(Child::Inner(child)) => sums[child as usize],
                    Some(Child::Leaf(packet)) => Sums::of_packet(tree.packet(packet)),
                    None => continue,
                };
                dipoles[index].set(lane, node, &subtree, scale);
                sums[index] = sums[index].plus(&subtree);
            }
        }
        Self { dipoles, scale }
    }

    /// Winding number of the mesh of `tree` about `point` [m, frame of the tree].
    ///
    /// A subtree counts as a dipole when `point` is farther from its centre than `accuracy` (at least 1) times its
    /// radius; an infinite accuracy sums all solid angles exactly.
    pub(super) fn at(&self, tree: &TriangleBvh, point: &[f64; 3], accuracy: f32) -> f64 {
        self.at_counted(tree, point, accuracy).0
    }

    /// As [`WindingNumber::at`], with the number of nodes visited.
    pub(super) fn at_counted(&self, tree: &TriangleBvh, point: &[f64; 3], accuracy: f32) -> (f64, u64) {
        #[cfg(target_arch = "x86_64")]
        if crate::bvh::lanes::has_avx2() {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is available.
            return unsafe { self.at_avx2(tree, point, accuracy) };
        }
        self.at_portable(tree, point, accuracy)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn at_avx2(&self, tree: &TriangleBvh, point: &[f64; 3], accuracy: f32) -> (f64, u64) {
        self.at_portable(tree, point, accuracy)
    }

    /// The traversal, compiled for each instruction set with the same bits.
    #[inline(always)]
    fn at_portable(&self, tree: &TriangleBvh, point: &[f64; 3], accuracy: f32) -> (f64, u64) {
        let mut stack = STACK.take();
        stack.clear();
        stack.push(0);
        let (mut sum, mut near, mut visited) = (0.0, SumOfAngles::ZERO, 0);
        while let Some(index) = stack.pop() {
            visited += 1;
            let node = tree.node(index);
            let angles = self.dipoles[index as usize].solid_angles(point, self.scale, accuracy);
            for lane in 0..WIDTH {
                if !angles[lane].is_nan() {
                    sum += f64::from(angles[lane]);
                    continue;
                }
                match node.child(lane) {
                    Some(Child::Inner(child)) => stack.push(child),
                    Some(Child::Leaf(packet)) => add_solid_angles(&mut near, tree.packet(packet), point),
                    None => {}
                }
            }
        }
        STACK.set(stack);
        ((sum + 2.0 * near.value()) / (4.0 * PI), visited)
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        std::mem::size_of_val(&*self.dipoles)
    }
}

/// Sum of angles as the product of complex numbers with these arguments: one arctangent for any number of angles.
struct SumOfAngles {
    cos: f64,
    sin: f64,
    /// Number of times that the sum passed ±π.
    revolutions: f64,
}

impl SumOfAngles {
    const ZERO: Self = Self { cos: 1.0, sin: 0.0, revolutions: 0.0 };

    /// Adds the argument, from −π to π, of a number whose larger part is ±1.
    #[inline(always)]
    fn add(&mut self, cos: f64, sin: f64) {
        let (x, y) = (self.cos * cos - self.sin * sin, self.cos * sin + self.sin * cos);
        // Two angles from 0 to π whose sum is beyond π, or two from −π to 0 whose sum is at −π or beyond.
        let up = self.sin >= 0.0 && sin >= 0.0 && (y < 0.0 || (y == 0.0 && x > 0.0 && cos < 0.0));
        let down = self.sin < 0.0 && sin < 0.0 && y >= 0.0;
        self.revolutions += f64::from(u8::from(up)) - f64::from(u8::from(down));
        (self.cos, self.sin) = (x, y);
    }

    /// Scales the product to a size near one: its length grew by at most 2^(n/2) and shrank by none in n additions.
    #[inline(always)]
    fn normalise(&mut self) {
        let inverse = 1.0 / self.cos.abs().max(self.sin.abs());
        (self.cos, self.sin) = (self.cos * inverse, self.sin * inverse);
    }

    fn value(&self) -> f64 {
        self.sin.atan2(self.cos) + 2.0 * PI * self.revolutions
    }
}

/// Adds half the signed solid angles of the packet's triangles seen from `point` [sr], positive from behind [Van Oosterom and
/// Strackee 1983]: tan(Ω/2) = a·(b×c) / (abc + (a·b)c + (b·c)a + (c·a)b).
#[inline(always)]
fn add_solid_angles(sum: &mut SumOfAngles, packet: &Packet, point: &[f64; 3]) {
    let mut parts = [[0.0; PACKET]; 2];
    for lane in 0..PACKET {
        let [a, b, c] = packet.triangle(lane).map(|corner| Vector3::from(corner) - Vector3::from(*point));
        // The square root of nalgebra is that of the baseline, which processors take long to get to from AVX2.
        let [length_a, length_b, length_c] = [a, b, c].map(|side| side.norm_squared().sqrt());
        let volume = a.dot(&b.cross(&c));
        let rest = length_a * length_b * length_c
            + a.dot(&b) * length_c
            + b.dot(&c) * length_a
            + c.dot(&a) * length_b;
        let size = rest.abs().max(volume.abs());
        // A point at a corner of the triangle sees it under no angle.
        (parts[0][lane], parts[1][lane]) = if size > 0.0 { (rest / size, volume / size) } else { (1.0, 0.0) };
    }
    for (lane, _) in packet.lanes() {
        sum.add(parts[0][lane], parts[1][lane]);
    }
    sum.normalise();
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::super::shapes;
    use super::super::tests::Noise;
    use super::*;
    use crate::geometry::TriangleMesh;

    /// Tree, dipoles, and the winding number about a point given relative to the tree's centre.
    struct Setup(TriangleBvh, WindingNumber);

    impl Setup {
        fn new(mesh: &TriangleMesh) -> Self {
            let tree = TriangleBvh::new(mesh);
            let winding = WindingNumber::new(&tree);
            Self(tree, winding)
        }

        fn at(&self, point: Vector3<f64>, accuracy: f32) -> f64 {
            self.1.at(&self.0, &point.into(), accuracy)
        }
    }

    /// A square of side 2 around the origin, normal +z, of 2 n² triangles; far from where it was modelled.
    fn square(n: u32) -> TriangleMesh {
        let point = |i: u32| {
            let (x, y) = (f64::from(i % (n + 1)), f64::from(i / (n + 1)));
            Point3::new(100.0 + 2.0 * x / f64::from(n), 2.0 * y / f64::from(n), -30.0)
        };
        let cells = (0..n).flat_map(|j| (0..n).map(move |i| i + j * (n + 1)));
        let triangles = cells.flat_map(|i| [[i, i + 1, i + n + 2], [i, i + n + 2, i + n + 1]]);
        TriangleMesh::new((0..(n + 1) * (n + 1)).map(point).collect(), triangles.collect()).unwrap()
    }

    #[test]
    fn a_square_winds_as_its_closed_solid_angle_says() {
        let (coarse, fine) = (Setup::new(&square(1)), Setup::new(&square(40)));
        for height in [1e-9_f64, 0.01, 0.3, 1.0, 7.0, 1e4] {
            // A pyramid over a square of half side 1: Ω = 4 atan(1 / (h √(h² + 2))).
            let exact = -4.0 * (1.0 / (height * (height * height + 2.0).sqrt())).atan() / (4.0 * PI);
            for (sign, setup) in [(1.0, &coarse), (1.0, &fine), (-1.0, &coarse), (-1.0, &fine)] {
                let point = Vector3::new(0.0, 0.0, sign * height);
                let summed = setup.at(point, f32::INFINITY);
                // Above an edge, two lengths cancel down to the height.
                assert!((summed - sign * exact).abs() <= 1e-13 + 1e-16 / height, "{summed} {exact}");
                let approximate = setup.at(point, 10.0);
                assert!((approximate - sign * exact).abs() <= 5e-3 * exact.abs(), "{approximate} {exact}");
            }
        }
    }

    #[test]
    fn products_of_complex_numbers_add_their_angles() {
        let mut noise = Noise(8);
        for count in 1..200 {
            let (mut sum, mut expected) = (SumOfAngles::ZERO, 0.0);
            for _ in 0..count {
                // Any angle, and often 0, π or close to ±π, as near triangles have.
                let any = PI * noise.next();
                let flat = (PI - 1e-3 * noise.next().abs()) * noise.next().signum();
                let (angle, cos, sin) = match (8.0 * noise.next().abs()) as u32 {
                    0 => (0.0, 1.0, 0.0),
                    1 => (PI, -1.0, 0.0),
                    2 => (0.5 * PI, 0.0, 1.0),
                    3 => (-0.5 * PI, 0.0, -1.0),
                    4 => (any, any.cos(), any.sin()),
                    _ => (flat, flat.cos(), flat.sin()),
                };
                let size = cos.abs().max(sin.abs());
                sum.add(cos / size, sin / size);
                sum.normalise();
                expected += angle;
            }
            assert!((sum.value() - expected).abs() < 1e-12, "{count}: {} {expected}", sum.value());
        }
    }

    #[test]
    fn the_dipoles_err_little_and_less_with_a_greater_accuracy() {
        let mut noise = Noise(5);
        for mesh in [shapes::bumpy_sphere(60), shapes::torus(1.0, 0.3, 50), square(50)] {
            let setup = Setup::new(&mesh);
            let mut worst = [0.0_f64; 3];
            for _ in 0..400 {
                let point = 1.2 * noise.vector();
                let exact = setup.at(point, f32::INFINITY);
                for (error, accuracy) in worst.iter_mut().zip([2.0, 4.0, 8.0]) {
                    *error = error.max((setup.at(point, accuracy) - exact).abs());
                }
            }
            assert!(worst[0] < 0.05 && worst[1] < 0.01 && worst[2] < 2e-3, "{worst:?}");
        }
    }

    #[test]
    fn the_winding_number_does_not_depend_on_the_unit() {
        let mesh = shapes::bumpy_sphere(30);
        let setup = Setup::new(&mesh);
        let mut noise = Noise(6);
        for scale in [2.0_f64.powi(-60), 2.0_f64.powi(-10), 2.0_f64.powi(10), 2.0_f64.powi(40)] {
            let scaled = Setup::new(&mesh.scaled(&Vector3::repeat(scale)).unwrap());
            for _ in 0..50 {
                let point = 1.5 * noise.vector();
                let expected = setup.at(point, 2.0);
                assert!((scaled.at(scale * point, 2.0) - expected).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_tiny_part_far_from_the_middle_of_a_mesh_is_resolved() {
        let tiny = shapes::bumpy_sphere(20).scaled(&Vector3::repeat(1e-6)).unwrap();
        let moved = |x: f64| tiny.vertices().iter().map(move |p| p + Vector3::new(x, 0.3, 0.2));
        let count = tiny.vertices().len() as u32;
        let copy = tiny.triangles().iter().map(|t| t.map(|i| i + count));
        let both = TriangleMesh::new(
            moved(1.0).chain(moved(-1.0)).collect(),
            tiny.triangles().iter().copied().chain(copy).collect(),
        );
        let setup = Setup::new(&both.unwrap());
        let center = setup.0.center();
        for (offset, inside) in [(0.3e-6, 1.0), (2e-6, 0.0), (-0.5e-6, 1.0)] {
            let point = Point3::new(1.0 + offset, 0.3, 0.2) - center;
            assert!((setup.at(point, 2.0) - inside).abs() < 0.05, "{}", setup.at(point, 2.0));
        }
    }

    #[test]
    fn dipoles_cost_few_bytes_a_triangle() {
        let mesh = shapes::torus(1.0, 0.4, 100);
        let bytes = Setup::new(&mesh).1.memory();
        assert!(bytes <= 25 * mesh.triangles().len(), "{bytes}");
    }
}
