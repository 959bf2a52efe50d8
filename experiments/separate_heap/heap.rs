//! The heap: kinds of bodies, and where they are.

use extricate::geometry::ShapeError;
use extricate::geometry::procedural::{
    BumpySphere, Cuboid, Cup, LShape, Procedural, Spoon, Torus, TorusKnot,
};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::penetration::Body;
use extricate::proximity::Model;
use extricate_core::geometry::random::SplitMix64;
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};

/// Mean distance of neighbours [m]; the bodies have a radius of 0.6 m.
const SPACING: f64 = 0.8;
/// Maximum deviation from the grid along each axis [m].
const JITTER: f64 = 0.2;
/// Radius of every body [m].
const RADIUS: f64 = 0.6;
/// Thickness of the floor [m].
const FLOOR: f64 = 0.5;

/// The floor, then the kinds of bodies.
pub(crate) fn models() -> Result<Vec<Model>, ShapeError> {
    let floor = Cuboid { x: 40.0, y: 40.0, z: FLOOR, subdivisions: 1 }.mesh()?;
    let kinds = [
        Torus { segments: 32, sides: 12, ..Torus::default() }.mesh()?,
        TorusKnot { segments: 96, sides: 8, ..TorusKnot::default() }.mesh()?,
        Cup { segments: 24, rings: 8, ..Cup::default() }.mesh()?,
        BumpySphere { frequency: 6, ..BumpySphere::default() }.mesh()?,
        LShape::default().mesh()?,
        Spoon { segments: 24, sides: 12, ..Spoon::default() }.mesh()?,
        Cuboid { x: 1.0, y: 0.7, z: 0.5, subdivisions: 1 }.mesh()?,
    ];
    Ok(std::iter::once(Model::new(floor, Solidity::Solid)).chain(kinds.into_iter().map(model)).collect())
}

/// The mesh as a solid of the common size.
fn model(mesh: TriangleMesh) -> Model {
    let radius = Model::new(mesh.clone(), Solidity::Solid).radius();
    let scaled = mesh.scaled(&Vector3::repeat(RADIUS / radius)).expect("a factor above zero");
    Model::new(scaled, Solidity::Solid)
}

/// The floor and `count` bodies on a jittered grid, with random orientations.
pub(crate) fn bodies(models: &[Model], count: usize, seed: u64) -> Vec<Body<'_>> {
    let (floor, kinds) = models.split_first().expect("the floor comes first");
    let below = Isometry3::translation(0.0, 0.0, -0.5 * FLOOR);
    let side = (1..).find(|n| n * n * n >= count).unwrap_or(1);
    let mut random = SplitMix64(seed);
    let heap = (0..count).map(|index| {
        let cell = [index % side, index / side % side, index / (side * side)];
        let middle = 0.5 * (side - 1) as f64;
        let offset = Vector3::new(middle, middle, -0.5);
        let jitter = Vector3::from_fn(|_, _| JITTER * signed(&mut random));
        let place = (Vector3::from(cell.map(|k| k as f64)) - offset) * SPACING + jitter;
        let rotation = Quaternion::new(
            normal(&mut random),
            normal(&mut random),
            normal(&mut random),
            normal(&mut random),
        );
        let pose = Isometry3::from_parts(place.into(), UnitQuaternion::new_normalize(rotation));
        Body::new(&kinds[index % kinds.len()], pose)
    });
    std::iter::once(Body::fixed(floor, below)).chain(heap).collect()
}

/// Triangles of all bodies.
pub(crate) fn triangles(bodies: &[Body]) -> usize {
    bodies.iter().map(|body| body.model.mesh().triangles().len()).sum()
}

/// Uniform in [−1, 1).
fn signed(random: &mut SplitMix64) -> f64 {
    2.0 * random.unit_interval() - 1.0
}

/// Nearly normal: a sum of twelve.
fn normal(random: &mut SplitMix64) -> f64 {
    (0..12).map(|_| signed(random)).sum::<f64>() / 2.0
}
