//! Families of meshes that strain trees and searches: slivers, needles, duplicates, shells, stacks, fans, sheets, combs, sponges,
//! and meshes far from the origin, of mixed sizes or partly collapsed. All have a size of about one.

use std::error::Error;

use extricate::Shape;
use extricate::geometry::TriangleMesh;
use extricate::nalgebra::{Isometry3, Point3, Vector3};

use super::random::Random;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Two shapes by a number, with their description, the pose of the first, and the source of further choices.
pub(crate) fn case(number: u64) -> Result<(String, [Shape; 2], Isometry3<f64>, Random)> {
    let mut random = Random(number);
    let mut member = || {
        let count = [12, 100, 1000, 10_000, 40_000][random.below(5)];
        let family = Family::ALL[random.below(Family::ALL.len())];
        let mesh = family.mesh(&mut random, count)?;
        Ok::<_, Box<dyn Error>>((format!("{} of {family:?}", mesh.triangles().len()), mesh))
    };
    let ((name, mesh), (other, second)) = (member()?, member()?);
    let (other, second) = match random.below(5) {
        0 => ("itself".to_owned(), mesh.clone()),
        1 => ("its inverse".to_owned(), mesh.reversed()),
        2 => ("a millionth of itself".to_owned(), mesh.scaled(&Vector3::repeat(1e-6))?),
        _ => (other, second),
    };
    let near = [0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.5][random.below(6)];
    let angle = [0.0, 1e-12, 3.0][random.below(3)];
    let pose = random.pose(angle, near);
    let apart = second.aabb().center() - mesh.aabb().center();
    // Those far from the origin would not meet.
    let pose = if apart.norm() > 10.0 { Isometry3::from(pose.translation.vector + apart) } else { pose };
    let text = format!("{name} and {other}, {near} apart");
    Ok((text, [Shape::mesh(mesh), Shape::mesh(second)], pose, random))
}

/// Vertices and triangles that are added to each other.
#[derive(Debug, Default)]
struct Soup {
    vertices: Vec<Point3<f64>>,
    triangles: Vec<[u32; 3]>,
}

impl Soup {
    fn add(&mut self, vertices: impl IntoIterator<Item = Point3<f64>>, triangles: &[[u32; 3]]) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(vertices);
        self.triangles.extend(triangles.iter().map(|corners| corners.map(|corner| corner + first)));
    }

    fn triangle(&mut self, corners: [Vector3<f64>; 3]) {
        self.add(corners.map(Point3::from), &[[0, 1, 2]]);
    }

    /// A box between two corners, outside in if `is_inverted`.
    fn cuboid(&mut self, min: Vector3<f64>, max: Vector3<f64>, is_inverted: bool) {
        const FACES: [[u32; 3]; 12] = [
            [0, 2, 1],
            [1, 2, 3],
            [4, 5, 6],
            [5, 7, 6],
            [0, 1, 4],
            [1, 5, 4],
            [2, 6, 3],
            [3, 6, 7],
            [0, 4, 2],
            [2, 4, 6],
            [1, 3, 5],
            [3, 7, 5],
        ];
        let corner = |bits: usize| {
            Point3::from(Vector3::from_fn(
                |axis, _| if bits >> axis & 1 == 0 { min[axis] } else { max[axis] },
            ))
        };
        let faces = FACES.map(|[a, b, c]| if is_inverted { [a, c, b] } else { [a, b, c] });
        self.add((0..8).map(corner), &faces);
    }

    /// A grid of `n` × `n` squares with corners at `place(x, y)`, x and y from 0 to 1.
    fn grid(&mut self, n: usize, place: impl Fn(f64, f64) -> Vector3<f64>) {
        let at = |i: usize| i as f64 / n as f64;
        let row = n as u32 + 1;
        let vertices = (0..=n).flat_map(|j| (0..=n).map(move |i| (i, j)));
        let vertices = vertices.map(|(i, j)| Point3::from(place(at(i), at(j)))).collect::<Vec<_>>();
        let squares = (0..n as u32).flat_map(|j| (0..n as u32).map(move |i| i + j * row));
        let triangles = squares.flat_map(|k| [[k, k + 1, k + row], [k + 1, k + row + 1, k + row]]);
        self.add(vertices, &triangles.collect::<Vec<_>>());
    }

    fn ball(&mut self, n: usize, radius: f64, bumps: f64) {
        self.grid(n, |u, v| {
            let (azimuth, polar) = (u * std::f64::consts::TAU, v * std::f64::consts::PI);
            let bump = 1.0 + bumps * (7.0 * azimuth).sin() * (5.0 * polar).sin();
            let (sine, cosine) = polar.sin_cos();
            radius * bump * Vector3::new(sine * azimuth.cos(), sine * azimuth.sin(), cosine)
        });
    }

    fn mesh(self) -> Result<TriangleMesh> {
        Ok(TriangleMesh::new(self.vertices, self.triangles)?)
    }
}

/// A family of meshes.
#[derive(Debug, Clone, Copy)]
enum Family {
    Slivers,
    Needles,
    Duplicates,
    Triangle,
    FarAway,
    MixedSizes,
    Shells,
    Stack,
    Fan,
    Sheet,
    Collapsed,
    Comb,
    Sponge,
    Hair,
    FineBox,
    Lattice,
    Ball,
    Noise,
    Sandwich,
    Wedges,
}

impl Family {
    const ALL: [Self; 20] = [
        Self::Slivers,
        Self::Needles,
        Self::Duplicates,
        Self::Triangle,
        Self::FarAway,
        Self::MixedSizes,
        Self::Shells,
        Self::Stack,
        Self::Fan,
        Self::Sheet,
        Self::Collapsed,
        Self::Comb,
        Self::Sponge,
        Self::Hair,
        Self::FineBox,
        Self::Lattice,
        Self::Ball,
        Self::Noise,
        Self::Sandwich,
        Self::Wedges,
    ];

    /// A member with about `count` triangles.
    fn mesh(self, random: &mut Random, count: usize) -> Result<TriangleMesh> {
        let (mut soup, side) = (Soup::default(), ((count as f64 / 2.0).sqrt() as usize).max(1));
        match self {
            Self::Slivers => slivers(&mut soup, random, count),
            Self::Needles => needles(&mut soup, random, count),
            Self::Duplicates => {
                for _ in 0..count / 12 + 1 {
                    soup.cuboid(Vector3::repeat(-0.5), Vector3::repeat(0.5), false);
                }
            }
            Self::Triangle => soup.triangle([random.vector(), random.vector(), random.vector()]),
            Self::FarAway => {
                soup.ball(side, 0.5, 0.2);
                soup.vertices.iter_mut().for_each(|vertex| *vertex += Vector3::new(1e6, -1e6, 1e6));
            }
            Self::MixedSizes => mixed_sizes(&mut soup, random, side),
            Self::Shells => shells(&mut soup, random, count),
            Self::Stack => stack(&mut soup, random, count),
            Self::Fan => fan(&mut soup, random, count),
            Self::Sheet => soup.grid(side, |x, y| Vector3::new(x - 0.5, y - 0.5, 0.0)),
            Self::Collapsed => collapsed(&mut soup, random, side),
            Self::Comb => comb(&mut soup, random, count),
            Self::Sponge => sponge(&mut soup, count),
            Self::Hair => hair(&mut soup, random, count),
            Self::FineBox => fine_box(&mut soup, (side / 3).max(1)),
            Self::Lattice => lattice(&mut soup, count),
            Self::Ball => soup.ball(side, 0.5, random.unit().powi(2)),
            Self::Noise => noise(&mut soup, random, count),
            Self::Sandwich => sandwich(&mut soup, random, side),
            Self::Wedges => wedges(&mut soup, count),
        }
        soup.mesh()
    }
}

/// Triangles as long as the mesh and a millionth as wide, across each other.
fn slivers(soup: &mut Soup, random: &mut Random, count: usize) {
    let width = [1e-3, 1e-6, 1e-9][random.below(3)];
    for _ in 0..count {
        let (from, along) = (random.vector() * 0.3, random.direction().into_inner());
        soup.triangle([from, from + along, from + along + random.vector() * width]);
    }
}

/// A ball of needles from its centre, or a cone of them with one tip.
fn needles(soup: &mut Soup, random: &mut Random, count: usize) {
    let (width, is_cone) = ([1e-6, 1e-3][random.below(2)], random.unit() < 0.5);
    for i in 0..count {
        let azimuth = i as f64 / count as f64 * std::f64::consts::TAU;
        let cone = Vector3::new(azimuth.cos(), azimuth.sin(), 1.0) * 0.5;
        let end = if is_cone { cone } else { random.direction().into_inner() * 0.5 };
        soup.triangle([Vector3::zeros(), end, end + random.vector() * width]);
    }
}

/// A ball of size one and copies of a billionth of it, in one body.
fn mixed_sizes(soup: &mut Soup, random: &mut Random, side: usize) {
    soup.ball(side / 2 + 2, 0.5, 0.1);
    for _ in 0..40 {
        let center = random.vector() * 0.5;
        let radius = 10_f64.powf(-9.0 * random.unit());
        let first = soup.vertices.len();
        soup.ball(side / 20 + 3, radius, 0.1);
        soup.vertices[first..].iter_mut().for_each(|vertex| *vertex += center);
    }
}

/// A hundred boxes or balls in each other, with alternating orientation or all outwards.
fn shells(soup: &mut Soup, random: &mut Random, count: usize) {
    const SHELLS: usize = 100;
    let (of_boxes, alternates) = (random.unit() < 0.5, random.unit() < 0.5);
    let side = ((count as f64 / 2.0 / SHELLS as f64).sqrt() as usize).max(4);
    for i in 0..SHELLS {
        let radius = 0.5 * (1.0 - 0.9 * i as f64 / SHELLS as f64);
        if of_boxes {
            let corner = Vector3::repeat(radius);
            soup.cuboid(-corner, corner, alternates && i % 2 == 1);
        } else {
            soup.ball(side, radius, 0.0);
        }
    }
}

/// Parallel sheets at the same height, or at heights that hardly differ.
fn stack(soup: &mut Soup, random: &mut Random, count: usize) {
    let (sheets, gap) = (2 + random.below(60), [0.0, 1e-15, 1e-12, 1e-6, 1e-2][random.below(5)]);
    let side = ((count as f64 / 2.0 / sheets as f64).sqrt() as usize).max(1);
    for i in 0..sheets {
        let height = gap * i as f64;
        soup.grid(side, |x, y| Vector3::new(x - 0.5, y - 0.5, height));
    }
}

/// Triangles about one edge.
fn fan(soup: &mut Soup, random: &mut Random, count: usize) {
    let angle = [1.0, 1e-3, 1e-9][random.below(3)];
    let edge = [0.0, 1.0].map(|z| Point3::new(0.0, 0.0, z - 0.5));
    soup.vertices.extend(edge);
    for i in 0..count {
        let azimuth = i as f64 / count as f64 * std::f64::consts::TAU * angle;
        soup.vertices.push(Point3::new(0.5 * azimuth.cos(), 0.5 * azimuth.sin(), 0.0));
        soup.triangles.push([0, 1, i as u32 + 2]);
    }
}

/// A ball with half of its vertices moved onto others.
fn collapsed(soup: &mut Soup, random: &mut Random, side: usize) {
    soup.ball(side, 0.5, 0.2);
    let count = soup.vertices.len();
    for i in 0..count {
        if random.unit() < 0.5 {
            soup.vertices[i] = soup.vertices[random.below(count)];
        }
    }
}

/// Teeth on a bar.
fn comb(soup: &mut Soup, random: &mut Random, count: usize) {
    let teeth = (count / 12).max(1);
    let fill = [0.5, 0.5 - 1e-9, 0.9, 0.1][random.below(4)];
    soup.cuboid(Vector3::new(-0.5, -0.1, -0.1), Vector3::new(0.5, 0.1, 0.0), false);
    for i in 0..teeth {
        let (start, width) = (i as f64 / teeth as f64 - 0.5, fill / teeth as f64);
        soup.cuboid(Vector3::new(start, -0.1, -0.05), Vector3::new(start + width, 0.1, 0.8), false);
    }
}

/// A Menger sponge of boxes.
fn sponge(soup: &mut Soup, count: usize) {
    let mut cells = vec![(Vector3::repeat(-0.5), 1.0)];
    while cells.len() * 20 * 12 <= count.max(240) {
        let divided = cells.iter().flat_map(|&(corner, size): &(Vector3<f64>, f64)| {
            let places = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]);
            let solid = places.filter(|place| place.iter().filter(|&&k| k == 1).count() < 2);
            solid.map(move |place| {
                let offset = Vector3::from(place.map(|k| f64::from(k) * size / 3.0));
                (corner + offset, size / 3.0)
            })
        });
        cells = divided.collect();
    }
    for (corner, size) in cells {
        soup.cuboid(corner, corner + Vector3::repeat(size), false);
    }
}

/// Long thin boxes in random directions: a ball of hair.
fn hair(soup: &mut Soup, random: &mut Random, count: usize) {
    let width = [1e-2, 1e-3, 1e-5][random.below(3)];
    for _ in 0..count / 12 + 1 {
        let first = soup.vertices.len();
        soup.cuboid(Vector3::new(-0.5, -width, -width), Vector3::new(0.5, width, width), false);
        let pose = random.pose(3.0, 0.3);
        soup.vertices[first..].iter_mut().for_each(|vertex| *vertex = pose * *vertex);
    }
}

/// A box whose faces are finely meshed.
fn fine_box(soup: &mut Soup, side: usize) {
    for axis in 0..3 {
        for end in [-0.5, 0.5] {
            soup.grid(side, |x, y| {
                let mut corner = Vector3::repeat(end);
                // Outwards on both ends.
                let (first, second) = if end > 0.0 { (x, y) } else { (y, x) };
                corner[(axis + 1) % 3] = first - 0.5;
                corner[(axis + 2) % 3] = second - 0.5;
                corner
            });
        }
    }
}

/// Cubes on a grid, half of each cell.
fn lattice(soup: &mut Soup, count: usize) {
    let n = ((count as f64 / 12.0).cbrt() as usize).max(1);
    for place in (0..n * n * n).map(|i| [i % n, i / n % n, i / n / n]) {
        let corner = Vector3::from(place.map(|k| k as f64 / n as f64 - 0.5));
        soup.cuboid(corner, corner + Vector3::repeat(0.5 / n as f64), false);
    }
}

/// Triangles with random corners, all across each other.
fn noise(soup: &mut Soup, random: &mut Random, count: usize) {
    let size = [1.0, 0.1][random.below(2)];
    for _ in 0..count.min(20_000) {
        let center = random.vector() * (0.5 * (1.0 - size));
        soup.triangle([(); 3].map(|()| center + random.vector() * (0.5 * size)));
    }
}

/// A box of two finely meshed sheets that are hardly apart.
fn sandwich(soup: &mut Soup, random: &mut Random, side: usize) {
    let gap = [1e-12, 1e-9, 1e-4][random.below(3)];
    let side = (side * 7 / 10).max(1);
    soup.grid(side, |x, y| Vector3::new(x - 0.5, y - 0.5, gap));
    soup.grid(side, |x, y| Vector3::new(y - 0.5, x - 0.5, 0.0));
}

/// A sawtooth surface with facets of two directions.
fn wedges(soup: &mut Soup, count: usize) {
    let n = (count / 2).max(2);
    for i in 0..n {
        let place = |k: usize| k as f64 / n as f64 - 0.5;
        let height = |k: usize| if k.is_multiple_of(2) { 0.0 } else { 0.3 };
        let [a, b] = [i, i + 1].map(|k| Vector3::new(place(k), -0.5, height(k)));
        let across = Vector3::new(0.0, 1.0, 0.0);
        soup.triangle([a, b, b + across]);
        soup.triangle([a, b + across, a + across]);
    }
}
