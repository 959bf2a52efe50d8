//! Bars of several lengths and sections, on one side of a wall with a hole hardly wider than they are.

use std::error::Error;

use extricate::geometry::procedural::{Cuboid, Procedural};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::nalgebra::{Isometry3, Point3, Translation3, Vector3};
use extricate::penetration::generalized::{CollisionWorld, MovableModel, Obstacle, Pose, Shape};
use extricate::proximity::Model;
use extricate_test_support::Noise;

use super::problem::{Problem, Settings, Tally};

/// Widths of the hole over those of the bar.
const HOLES: [f64; 5] = [1.5, 1.3, 1.2, 1.1, 1.05];
/// Names of walls, and their range of thickness [m].
const WALLS: [(&str, [f64; 2]); 2] = [("thin", [0.03, 0.1]), ("thick", [0.3, 0.8])];
/// Width of bars [m].
const WIDTH: f64 = 0.1;
/// Half the edge of the wall, and of the cube of positions, which does not extend around it [m].
const WALL: f64 = 4.0;
const REGION: f64 = 1.5;

/// Geometry by which a bar and a wall are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Convex,
    Triangles,
}

pub(crate) fn run(settings: &Settings) -> Result<bool, Box<dyn Error>> {
    let mut is_sound = true;
    let mut row = 0;
    for (known, name) in [(Known::Convex, "convex pieces"), (Known::Triangles, "triangles")] {
        for (wall, thickness) in WALLS {
            for hole in HOLES {
                row += 1;
                let mut tally = Tally::new();
                for case in 0..settings.count {
                    let seed = settings.seed(row, case);
                    let problem = problem(&mut Noise(seed), hole, thickness, known)?;
                    tally.add(&problem, settings, seed)?;
                }
                is_sound &= tally.print(&format!("bar, {name}, {wall} wall, hole {hole} times as wide"));
            }
        }
    }
    Ok(is_sound)
}

fn problem(
    noise: &mut Noise,
    hole: f64,
    thickness: [f64; 2],
    known: Known,
) -> Result<Problem, Box<dyn Error>> {
    let length = noise.between(0.4, 1.2);
    let section = [WIDTH, WIDTH * noise.between(0.5, 1.0)];
    let thickness = noise.between(thickness[0], thickness[1]);
    let place = Isometry3::from_parts(Translation3::from(0.3 * noise.vector()), noise.rotation(3.1));
    let center = [0.5 * noise.signed(), 0.5 * noise.signed()];
    let wall = wall(thickness, center, section.map(|width| hole * width))?;
    let bar = Cuboid { x: length, y: section[0], z: section[1], ..Cuboid::default() }.mesh()?;
    let bar = shape(vec![bar], known)?.remove(0);
    let wall = shape(wall, known)?.into_iter().map(|shape| Obstacle { shape, pose: place });
    let world = CollisionWorld::new(vec![MovableModel::rigid(bar)?], wall.collect())?;
    let ends = [-1.0, 1.0].map(|side| end(noise, &world, &place, side));
    let [Some(start), Some(goal)] = ends else { return Err("no free end".into()) };
    let region = [-REGION, REGION].map(|x| Point3::from(Vector3::repeat(x)));
    Ok(Problem { world, ends: [start, goal], region: Some(region) })
}

/// The meshes of a wall in the plane x = 0 with a hole of two widths around a point of that plane.
fn wall(thickness: f64, center: [f64; 2], hole: [f64; 2]) -> Result<Vec<TriangleMesh>, Box<dyn Error>> {
    let [low, high] = [0, 1].map(|side| {
        let sign = if side == 0 { -0.5 } else { 0.5 };
        [center[0] + sign * hole[0], center[1] + sign * hole[1]]
    });
    let beam = |y: [f64; 2], z: [f64; 2]| {
        let mesh = Cuboid { x: thickness, y: y[1] - y[0], z: z[1] - z[0], ..Cuboid::default() }.mesh();
        mesh.map(|mesh| {
            mesh.transformed(&Isometry3::translation(0.0, 0.5 * (y[0] + y[1]), 0.5 * (z[0] + z[1])))
        })
    };
    Ok(vec![
        beam([-WALL, WALL], [-WALL, low[1]])?,
        beam([-WALL, WALL], [high[1], WALL])?,
        beam([-WALL, low[0]], [low[1], high[1]])?,
        beam([high[0], WALL], [low[1], high[1]])?,
    ])
}

/// The shapes of meshes: each for itself, or all as one set of triangles.
fn shape(meshes: Vec<TriangleMesh>, known: Known) -> Result<Vec<Shape>, Box<dyn Error>> {
    let solid = |mesh| Shape::of_model(Model::new(mesh, Solidity::Solid));
    Ok(match known {
        Known::Convex => meshes.into_iter().map(solid).collect(),
        Known::Triangles => vec![solid(TriangleMesh::joined(meshes)?).without_pieces()],
    })
}

/// A free pose on one side of the wall, with any rotation.
fn end(noise: &mut Noise, world: &CollisionWorld, place: &Isometry3<f64>, side: f64) -> Option<Pose> {
    (0..1000).find_map(|_| {
        let position = Vector3::new(side * noise.between(0.2, 1.2), noise.signed(), noise.signed());
        let position = place * Point3::from(position);
        let pose: Pose = Isometry3::from_parts(position.coords.into(), noise.rotation(3.1)).into();
        let is_inside = position.iter().all(|x| x.abs() < REGION);
        (is_inside && world.is_free(std::slice::from_ref(&pose), 0.01).ok()?).then_some(pose)
    })
}
