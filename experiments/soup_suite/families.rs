//! Forty families of pairs of soups: holed, thin, open, nested, interlocked, scanned and self-overlapping ones.
//!
//! Half of them are for tuning, the other half for reporting. The two halves share no kind of shape, except convex tools
//! (bars, balls) that are put into other shapes.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use extricate::geometry::{ShapeError, Solidity, TriangleMesh, procedural};
use extricate::proximity::{Model, collide};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3, Rotation3, UnitQuaternion, Vector3};

type Result<T> = std::result::Result<T, ShapeError>;

/// Use of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Constants and orders of search are chosen on it.
    Tuning,
    /// Results are reported on it; nothing is chosen on it.
    Reported,
}

/// The shapes of a family; without a second one, the first is paired with a copy of itself.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) part: Part,
    /// Maximum distance of the middles, over the sum of the radii.
    reach: f64,
    build: fn() -> Result<Shapes>,
}

type Shapes = (Model, Option<Model>);

/// A family with its models, and poses of the first one in the frame of the second one.
pub(crate) struct Cases {
    pub(crate) a: Model,
    b: Option<Model>,
    pub(crate) poses: Vec<Isometry3<f64>>,
}

impl Cases {
    pub(crate) fn b(&self) -> &Model {
        self.b.as_ref().unwrap_or(&self.a)
    }
}

impl Family {
    /// `count` overlapping poses, in random orientations that depend on the seed.
    pub(crate) fn cases(&self, count: usize, seed: u64) -> Result<Cases> {
        let (a, b) = (self.build)()?;
        let mut cases = Cases { a, b, poses: Vec::new() };
        let place = FAMILIES.iter().position(|other| other.name == self.name).unwrap_or(0);
        let mut noise = Noise(seed + place as u64);
        let (middle_a, middle_b) = (cases.a.center(), cases.b().center());
        let size = cases.a.radius() + cases.b().radius();
        while cases.poses.len() < count {
            let about = noise.uniform_direction(0.1..1.0);
            let rotation = UnitQuaternion::from_axis_angle(&about, noise.between(0.0, PI));
            let shift =
                noise.uniform_direction(0.1..1.0).into_inner() * noise.between(0.0, self.reach * size);
            let translation = middle_b + shift - rotation * middle_a;
            let pose = Isometry3::from_parts(translation.into(), rotation);
            if collide(&cases.a, &pose, cases.b(), &Isometry3::identity()) {
                cases.poses.push(pose);
            }
        }
        Ok(cases)
    }
}

const fn tuning(name: &'static str, reach: f64, build: fn() -> Result<Shapes>) -> Family {
    Family { name, part: Part::Tuning, reach, build }
}

const fn reported(name: &'static str, reach: f64, build: fn() -> Result<Shapes>) -> Family {
    Family { name, part: Part::Reported, reach, build }
}

/// All families, those for tuning first.
pub(crate) const FAMILIES: [Family; 40] = [
    tuning("tori", 0.5, || copies(kind("torus", &[("minor_radius", 0.25)])?)),
    tuning("torus and bar", 0.5, || solids(kind("torus", &[])?, bar([0.15, 0.2, 2.0])?)),
    tuning("lattices", 0.5, || copies(kind("lattice", &[])?)),
    tuning("lattice and ball", 0.5, || solids(kind("lattice", &[])?, kind("sphere", &[("radius", 0.25)])?)),
    tuning("cup and ball", 0.4, || solids(kind("cup", &[])?, kind("sphere", &[("radius", 0.3)])?)),
    tuning("spoon and cup", 0.4, || solids(kind("spoon", &[])?, kind("cup", &[])?)),
    tuning("gears", 0.5, || copies(kind("gear", &[])?)),
    tuning("nut and bolt", 0.4, || solids(kind("nut", &[])?, kind("bolt", &[])?)),
    tuning("bumpy spheres", 0.5, || copies(kind("bumpy_sphere", &[])?)),
    tuning("hammers", 0.5, || copies(kind("hammer", &[])?)),
    tuning("open bowls", 0.5, || surfaces(cut(&kind("bowl", &[])?, Vector3::new(1.0, 0.3, 0.0), 0.2)?)),
    tuning("scan of a blob", 0.5, || surfaces(with_gaps(&kind("blob", &[("frequency", 24.0)])?, 0.04, 5)?)),
    tuning("springs", 0.5, || copies(along(60, &[0.12, 0.12], |t| spiral(3.0 * TAU * t, 0.5, 0.12))?)),
    tuning("combs", 0.5, || copies(comb(7)?)),
    tuning("piles of boxes", 0.5, || copies(pile(14, 3, 0.5)?)),
    tuning("frames", 0.5, || copies(along(4, &[0.15, 0.15], |t| circle(TAU * t, 1.0))?)),
    tuning("tub and box", 0.35, || solids(kind("tub", &[])?, bar([0.9, 0.8, 0.7])?)),
    tuning("pawn and bottle", 0.3, || {
        solids(kind("pawn", &[("radius", 0.15), ("height", 0.4)])?, kind("bottle", &[])?)
    }),
    tuning("open tube and capsule", 0.5, || {
        Ok((
            surface(cut_both(&kind("cylinder", &[("height", 2.0)])?)?),
            Some(solid(kind("capsule", &[("radius", 0.2)])?)),
        ))
    }),
    tuning("chains", 0.5, || copies(chain(4)?)),
    reported("torus knots", 0.5, || copies(kind("torus_knot", &[])?)),
    reported("distorted tori", 0.5, || copies(kind("distorted_torus", &[])?)),
    reported("grates", 0.5, || copies(kind("grate", &[])?)),
    reported("grate and bar", 0.4, || solids(kind("grate", &[])?, bar([0.1, 0.12, 1.5])?)),
    reported("plates", 0.5, || copies(kind("plate", &[])?)),
    reported("angles", 0.5, || copies(kind("l_shape", &[])?)),
    reported("golf clubs", 0.4, || copies(kind("golf_club", &[])?)),
    reported("figurines", 0.5, || copies(kind("figurine", &[])?)),
    reported("rings of boxes", 0.5, || copies(along(16, &[0.3, 0.2], |t| circle(TAU * t, 1.0))?)),
    reported("knot and stick", 0.4, || {
        solids(kind("torus_knot", &[("p", 2.0), ("q", 5.0)])?, bar([0.15, 0.15, 2.5])?)
    }),
    reported("ladders", 0.5, || copies(ladder(6)?)),
    reported("cage and ball", 0.3, || solids(cage()?, kind("sphere", &[("radius", 0.3)])?)),
    reported("random triangles", 0.5, || surfaces(loose_triangles(60, 11)?)),
    reported("random sticks", 0.5, || copies(sticks(12, 7)?)),
    reported("open halves of bottles", 0.5, || surfaces(cut(&kind("bottle", &[])?, Vector3::x(), 0.0)?)),
    reported("scan of an apple", 0.5, || surfaces(with_gaps(&kind("apple", &[])?, 0.04, 9)?)),
    reported("stairs and bar", 0.5, || solids(stairs(18)?, bar([0.2, 0.2, 1.5])?)),
    reported("shackles", 0.5, || copies(along(12, &[0.2, 0.25], |t| circle(1.5 * PI * t, 0.8))?)),
    reported("nested cups", 0.15, || {
        solids(kind("cup", &[("handle", 0.0)])?, kind("cup", &[("handle", 0.0), ("scale", 0.9)])?)
    }),
    reported("wheels", 0.5, || copies(wheel(6)?)),
];

fn kind(name: &str, parameters: &[(&str, f64)]) -> Result<TriangleMesh> {
    let parameters = parameters.iter().map(|&(key, value)| (key.to_owned(), value));
    procedural::build(name, &parameters.collect::<BTreeMap<_, _>>())
}

fn solid(mesh: TriangleMesh) -> Model {
    Model::new(mesh, Solidity::Solid)
}

fn surface(mesh: TriangleMesh) -> Model {
    Model::new(mesh, Solidity::Surface)
}

fn copies(mesh: TriangleMesh) -> Result<Shapes> {
    Ok((solid(mesh), None))
}

fn surfaces(mesh: TriangleMesh) -> Result<Shapes> {
    Ok((surface(mesh), None))
}

fn solids(a: TriangleMesh, b: TriangleMesh) -> Result<Shapes> {
    Ok((solid(a), Some(solid(b))))
}

fn bar([x, y, z]: [f64; 3]) -> Result<TriangleMesh> {
    kind("box", &[("x", x), ("y", y), ("z", z)])
}

fn placed(mesh: &TriangleMesh, translation: [f64; 3], scaled_axis: [f64; 3]) -> TriangleMesh {
    let rotation = UnitQuaternion::from_scaled_axis(Vector3::from(scaled_axis));
    mesh.transformed(&Isometry3::from_parts(Vector3::from(translation).into(), rotation))
}

/// The triangles whose middle is below `offset` [m] along `normal`.
fn cut(mesh: &TriangleMesh, normal: Vector3<f64>, offset: f64) -> Result<TriangleMesh> {
    keeping(mesh, |_, middle| normal.dot(&middle.coords) <= offset)
}

/// A cylinder without its caps.
fn cut_both(mesh: &TriangleMesh) -> Result<TriangleMesh> {
    let flat =
        |corners: [Point3<f64>; 3]| corners.iter().all(|corner| (corner.z - corners[0].z).abs() < 1e-9);
    keeping(mesh, |corners, _| !flat(corners))
}

/// The mesh without a `fraction` of its triangles, with the vertices moved by a thousandth of its size: a scan.
fn with_gaps(mesh: &TriangleMesh, fraction: f64, seed: u64) -> Result<TriangleMesh> {
    let mut noise = Noise(seed);
    let size = 1e-3 * mesh.aabb().extents().norm();
    let vertices = mesh.vertices().iter().map(|vertex| vertex + size * noise.vector()).collect();
    let rough = TriangleMesh::new(vertices, mesh.triangles().to_vec())?;
    keeping(&rough, |_, _| noise.unit_interval() >= fraction)
}

fn keeping(
    mesh: &TriangleMesh,
    mut is_kept: impl FnMut([Point3<f64>; 3], Point3<f64>) -> bool,
) -> Result<TriangleMesh> {
    let kept = (0..mesh.triangles().len()).filter(|&index| {
        let corners = mesh.triangle(index);
        is_kept(corners, Point3::from(corners.iter().map(|corner| corner.coords).sum::<Vector3<f64>>() / 3.0))
    });
    TriangleMesh::new(mesh.vertices().to_vec(), kept.map(|index| mesh.triangles()[index]).collect())
}

fn circle(angle: f64, radius: f64) -> Point3<f64> {
    Point3::new(radius * angle.cos(), radius * angle.sin(), 0.0)
}

fn spiral(angle: f64, radius: f64, rise: f64) -> Point3<f64> {
    circle(angle, radius) + Vector3::z() * (rise * angle)
}

/// Boxes of a cross-section [m] along a curve over [0, 1], each overlapping the next one.
fn along(count: u32, section: &[f64; 2], curve: impl Fn(f64) -> Point3<f64>) -> Result<TriangleMesh> {
    /// Length of a box over that of its part of the curve: overlapping boxes are one solid.
    const LONGER: f64 = 1.1;
    let at = |i: u32| curve(f64::from(i) / f64::from(count));
    let boxes = (0..count).map(|i| {
        let (from, to) = (at(i), at(i + 1));
        let tangent = to - from;
        let piece = bar([section[0], section[1], LONGER * tangent.norm()])?;
        let rotation = Rotation3::face_towards(&tangent, &Vector3::new(0.1, 0.2, 1.0));
        Ok(piece.transformed(&Isometry3::from_parts(nalgebra::center(&from, &to).into(), rotation.into())))
    });
    TriangleMesh::joined(boxes.collect::<Result<Vec<_>>>()?)
}

/// A bar with teeth.
fn comb(teeth: u32) -> Result<TriangleMesh> {
    let tooth = |i: u32| Ok(placed(&bar([0.1, 0.9, 0.15])?, [0.25 * f64::from(i), 0.5, 0.0], [0.0; 3]));
    let back = placed(
        &bar([0.25 * f64::from(teeth), 0.2, 0.2])?,
        [0.125 * f64::from(teeth - 1), 0.0, 0.0],
        [0.0; 3],
    );
    let teeth = (0..teeth).map(tooth).collect::<Result<Vec<_>>>()?;
    TriangleMesh::joined(teeth.into_iter().chain([back]))
}

/// Boxes at random places within `reach` [m].
fn pile(count: u32, seed: u64, reach: f64) -> Result<TriangleMesh> {
    let mut noise = Noise(seed);
    let boxes = (0..count).map(|_| {
        let size = [0; 3].map(|_| noise.between(0.15, 0.6));
        Ok(bar(size)?.transformed(&noise.pose(reach, PI)))
    });
    TriangleMesh::joined(boxes.collect::<Result<Vec<_>>>()?)
}

/// Long thin bars at random places.
fn sticks(count: u32, seed: u64) -> Result<TriangleMesh> {
    let mut noise = Noise(seed);
    let stick = bar([0.08, 0.1, 1.8])?;
    TriangleMesh::joined((0..count).map(|_| stick.transformed(&noise.pose(0.4, PI))))
}

/// Triangles at random places, without an inside.
fn loose_triangles(count: u32, seed: u64) -> Result<TriangleMesh> {
    let mut noise = Noise(seed);
    let vertices = (0..count).flat_map(|_| {
        let middle = Point3::from(noise.vector());
        [0; 3].map(|_| middle + 0.4 * noise.vector())
    });
    TriangleMesh::new(vertices.collect(), (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
}

/// Interlocked rings.
fn chain(links: u32) -> Result<TriangleMesh> {
    let ring = kind("torus", &[("minor_radius", 0.12), ("major_radius", 0.5), ("segments", 32.0)])?;
    let link =
        |i: u32| placed(&ring, [0.75 * f64::from(i), 0.0, 0.0], [f64::from(i % 2) * 0.5 * PI, 0.0, 0.0]);
    TriangleMesh::joined((0..links).map(link))
}

/// Two rails with rungs.
fn ladder(rungs: u32) -> Result<TriangleMesh> {
    let height = 0.35 * f64::from(rungs);
    let rail = bar([0.1, 0.1, height])?;
    let rails = [-0.4, 0.4].map(|x| placed(&rail, [x, 0.0, 0.5 * height - 0.175], [0.0; 3]));
    let rung = bar([0.85, 0.07, 0.07])?;
    let rungs = (0..rungs).map(|i| placed(&rung, [0.0, 0.0, 0.35 * f64::from(i)], [0.0; 3]));
    TriangleMesh::joined(rails.into_iter().chain(rungs))
}

/// Bars between two plates.
fn cage() -> Result<TriangleMesh> {
    let plates = [-0.7, 0.7].map(|z| {
        Ok(placed(&kind("cylinder", &[("radius", 0.8), ("height", 0.1)])?, [0.0, 0.0, z], [0.0; 3]))
    });
    let rod = kind("cylinder", &[("radius", 0.06), ("height", 1.4), ("segments", 10.0)])?;
    let rods = (0..10).map(|i| {
        let at = circle(TAU * f64::from(i) / 10.0, 0.7);
        placed(&rod, [at.x, at.y, 0.0], [0.0; 3])
    });
    TriangleMesh::joined(plates.into_iter().collect::<Result<Vec<_>>>()?.into_iter().chain(rods))
}

/// Treads around a post.
fn stairs(treads: u32) -> Result<TriangleMesh> {
    let post = kind("cylinder", &[("radius", 0.1), ("height", 2.2), ("segments", 16.0)])?;
    let tread = bar([0.8, 0.25, 0.05])?;
    let treads = (0..treads).map(|i| {
        let angle = 0.5 * f64::from(i);
        let at = circle(angle, 0.4);
        placed(&tread, [at.x, at.y, 0.11 * f64::from(i) - 1.0], [0.0, 0.0, angle])
    });
    TriangleMesh::joined(std::iter::once(post).chain(treads))
}

/// A rim with spokes.
fn wheel(spokes: u32) -> Result<TriangleMesh> {
    let rim = kind("torus", &[("minor_radius", 0.1)])?;
    let spoke = bar([1.0, 0.08, 0.06])?;
    let spokes = (0..spokes).map(|i| {
        let angle = TAU * f64::from(i) / f64::from(spokes);
        let at = circle(angle, 0.5);
        placed(&spoke, [at.x, at.y, 0.0], [0.0, 0.0, angle])
    });
    TriangleMesh::joined(std::iter::once(rim).chain(spokes))
}
