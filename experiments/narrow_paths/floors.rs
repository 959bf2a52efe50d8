//! Bodies and robots known by their triangles alone, beside the half-space of a floor.

use std::error::Error;

use extricate::geometry::Solidity;
use extricate::geometry::convex::ConvexShape;
use extricate::geometry::procedural::{Cuboid, LShape, Procedural, Torus};
use extricate::kinematics::{Articulation, Joint, JointKind};
use extricate::nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use extricate::penetration::generalized::{Base, CollisionWorld, MovableModel, Obstacle, Pose, Shape};
use extricate::proximity::{AllowedCollisions, Model};
use extricate_test_support::Noise;

use super::problem::{Problem, Settings, Tally};

pub(crate) fn run(settings: &Settings) -> Result<bool, Box<dyn Error>> {
    let mut is_sound = true;
    type Family = fn(&mut Noise) -> Result<Problem, Box<dyn Error>>;
    let families: [(&str, Family); 4] = [
        ("ring over a floor, round posts", ring),
        ("angle over a floor, under a ceiling", angle),
        ("cart with an arm, 2 mm over a floor", |noise| cart(noise, false)),
        ("the same of convex pieces", |noise| cart(noise, true)),
    ];
    for (row, (name, family)) in families.into_iter().enumerate() {
        let mut tally = Tally::new();
        for case in 0..settings.count {
            let seed = settings.seed(100 + row as u64, case);
            tally.add(&family(&mut Noise(seed))?, settings, seed)?;
        }
        is_sound &= tally.print(name);
    }
    Ok(is_sound)
}

fn floor(height: f64) -> Obstacle {
    Obstacle {
        shape: Shape::convex(ConvexShape::half_space()),
        pose: Isometry3::translation(0.0, 0.0, height),
    }
}

fn triangles(mesh: extricate::geometry::TriangleMesh) -> Shape {
    Shape::of_model(Model::new(mesh, Solidity::Solid)).without_pieces()
}

/// Two free poses with a rotation each, on both sides of what is at the origin.
fn ends(noise: &mut Noise, world: &CollisionWorld, height: [f64; 2]) -> Option<[Pose; 2]> {
    let mut end = |side: f64| {
        (0..10_000).find_map(|_| {
            let place = Vector3::new(
                side * noise.between(0.8, 1.3),
                0.5 * noise.signed(),
                noise.between(height[0], height[1]),
            );
            let pose: Pose = Isometry3::from_parts(place.into(), noise.rotation(3.1)).into();
            world.is_free(std::slice::from_ref(&pose), 0.01).ok()?.then_some(pose)
        })
    };
    Some([end(-1.0)?, end(1.0)?])
}

/// A ring that must pass between or over posts on a floor.
fn ring(noise: &mut Noise) -> Result<Problem, Box<dyn Error>> {
    let mesh = Torus { major_radius: 0.3, minor_radius: 0.06, segments: 24, sides: 10 }.mesh()?;
    let mut obstacles = vec![floor(0.0)];
    for post in 0..5 {
        let pose = Isometry3::translation(0.1 * noise.signed(), 0.3 * f64::from(post) - 0.6, 0.25);
        obstacles.push(Obstacle {
            shape: Shape::convex(ConvexShape::cylinder(0.04, 0.25 + 0.1 * noise.signed())),
            pose,
        });
    }
    let world = CollisionWorld::new(vec![MovableModel::rigid(triangles(mesh))?], obstacles)?;
    let ends = ends(noise, &world, [0.1, 0.45]).ok_or("no free end")?;
    let region = [[-1.6, -0.8, 0.0], [1.6, 0.8, 0.7]].map(Point3::from);
    Ok(Problem { world, ends, region: Some(region) })
}

/// An angle in a slot between two half-spaces, with a step between start and goal.
fn angle(noise: &mut Noise) -> Result<Problem, Box<dyn Error>> {
    let mesh = LShape { foot: 0.5, stem: 0.4, thickness: 0.1, depth: 0.1, subdivisions: 1 }.mesh()?;
    let ceiling = 0.42 + 0.05 * noise.signed();
    let upside_down = UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::PI);
    let mut obstacles = vec![floor(0.0)];
    obstacles.push(Obstacle {
        shape: Shape::convex(ConvexShape::half_space()),
        pose: Isometry3::from_parts(Translation3::new(0.0, 0.0, ceiling), upside_down),
    });
    let step = noise.between(0.05, 0.15);
    obstacles.push(Obstacle {
        shape: Shape::convex(ConvexShape::cuboid(Vector3::new(0.1, 4.0, 2.0 * step))),
        pose: Isometry3::identity(),
    });
    let world = CollisionWorld::new(vec![MovableModel::rigid(triangles(mesh))?], obstacles)?;
    let ends = ends(noise, &world, [0.1, 0.35]).ok_or("no free end")?;
    let region = [[-1.6, -0.8, 0.0], [1.6, 0.8, ceiling]].map(Point3::from);
    Ok(Problem { world, ends, region: Some(region) })
}

/// A cart that slides and rotates 2 mm over a floor, with an arm of two bars, among posts.
fn cart(noise: &mut Noise, is_convex: bool) -> Result<Problem, Box<dyn Error>> {
    let link =
        |mesh| if is_convex { Shape::of_model(Model::new(mesh, Solidity::Solid)) } else { triangles(mesh) };
    let body = Cuboid { x: 0.4, y: 0.3, z: 0.2, ..Cuboid::default() }.mesh()?;
    let body = body.transformed(&Isometry3::translation(0.0, 0.0, 0.102));
    let bar = || Cuboid { x: 0.4, y: 0.06, z: 0.06, ..Cuboid::default() }.mesh();
    let bar = || bar().map(|mesh| mesh.transformed(&Isometry3::translation(0.2, 0.0, 0.0)));
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let names = ["ground", "along", "across", "cart", "upper", "lower"];
    let kinds = [
        (JointKind::Prismatic { axis: x }, Isometry3::identity(), [-2.0, 2.0]),
        (JointKind::Prismatic { axis: y }, Isometry3::identity(), [-0.7, 0.7]),
        (JointKind::Revolute { axis: z }, Isometry3::identity(), [-3.1, 3.1]),
        (JointKind::Revolute { axis: y }, Isometry3::translation(0.15, 0.0, 0.25), [-2.5, 0.5]),
        (JointKind::Revolute { axis: y }, Isometry3::translation(0.4, 0.0, 0.0), [-2.5, 2.5]),
    ];
    let joint = |(at, (kind, origin, limits)): (usize, &(JointKind, Isometry3<f64>, [f64; 2]))| {
        Joint::new(&format!("j{at}"), names[at], names[at + 1], *kind).at(*origin).within(*limits)
    };
    let joints = kinds.iter().enumerate().map(joint).collect();
    let tree = Articulation::new(names.map(String::from).to_vec(), joints)?;
    let shapes = vec![None, None, None, Some(link(body)), Some(link(bar()?)), Some(link(bar()?))];
    let mut allowed = AllowedCollisions::default();
    [(3, 4), (4, 5)].into_iter().for_each(|(a, b)| allowed.allow(a, b));
    let movable = MovableModel::new(tree, shapes, allowed, Base::Fixed)?;
    let mut obstacles = vec![floor(0.0)];
    for side in [-1.0, 1.0] {
        let post = link(Cuboid { x: 0.2, y: 0.5, z: 1.4, ..Cuboid::default() }.mesh()?);
        let pose = Isometry3::translation(0.3 * noise.signed(), side * noise.between(0.5, 0.6), 0.7);
        obstacles.push(Obstacle { shape: post, pose });
    }
    let world = CollisionWorld::new(vec![movable], obstacles)?;
    let mut end = |side: f64| {
        (0..10_000).find_map(|_| {
            let arm = [noise.between(-2.5, 0.5), noise.between(-2.5, 2.5)];
            let joints = vec![
                side * noise.between(0.9, 1.5),
                0.5 * noise.signed(),
                3.0 * noise.signed(),
                arm[0],
                arm[1],
            ];
            let pose = Pose { base: Isometry3::identity(), joints };
            world.is_free(std::slice::from_ref(&pose), 0.001).ok()?.then_some(pose)
        })
    };
    let (Some(start), Some(goal)) = (end(-1.0), end(1.0)) else { return Err("no free end".into()) };
    Ok(Problem { world, ends: [start, goal], region: None })
}
