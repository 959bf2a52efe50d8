//! Repair scenes of known families: cavities of thin convex pieces, and sketches of robots in them.

use std::sync::Arc;

use extricate::geometry::convex::{ConvexHull, ConvexShape};
use extricate::geometry::procedural::{Procedural, Torus};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::kinematics::urdf::{UrdfOptions, read_urdf};
use extricate::penetration::generalized::Obstacle;
use extricate::penetration::generalized::{CollisionWorld, Pose, Shape};
use extricate::proximity::Model;
use extricate::repair::{Ensemble, Freedom, NamedObstacle, Robot, RobotOptions};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::Result;

/// A family of scenes: a cavity, whether constants may be tuned on it, and where the anchor of a robot of the size 1 m is
/// placed in it.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) is_tuned_on: bool,
    /// For a figure 1.7 m tall.
    walls: Walls,
    /// Place of the middle of the robot [m].
    inside: [f64; 3],
}

/// The walls of a cavity.
enum Walls {
    /// Boxes, each a convex piece.
    Boxes(fn() -> Vec<Slab>),
    /// A solid of revolution about z, known by its triangles alone: radii and heights [m] of its profile, counter-clockwise from the
    /// axis to the axis.
    Revolved(&'static [[f64; 2]]),
}

/// A box: centre, full edge lengths [m], rotations about z and about its own x [rad].
pub(crate) struct Slab([f64; 3], [f64; 3], [f64; 2]);

/// The families; those that constants were tuned on and those that are only reported share no cavity.
pub(crate) const FAMILIES: [Family; 22] = [
    Family { name: "tub", is_tuned_on: true, walls: Walls::Boxes(tub), inside: [0.0, 0.0, 0.55] },
    Family { name: "shelf", is_tuned_on: true, walls: Walls::Boxes(shelf), inside: [0.0, 0.25, 0.85] },
    Family { name: "pipe", is_tuned_on: true, walls: Walls::Boxes(pipe), inside: [0.0, 0.0, 0.8] },
    Family { name: "hut", is_tuned_on: true, walls: Walls::Boxes(hut), inside: [0.05, -0.05, 0.8] },
    Family { name: "ladder", is_tuned_on: true, walls: Walls::Boxes(ladder), inside: [0.0, 0.0, 0.9] },
    Family { name: "sofa", is_tuned_on: true, walls: Walls::Boxes(sofa), inside: [0.0, 0.0, 0.75] },
    Family { name: "vat", is_tuned_on: true, walls: Walls::Revolved(&VAT), inside: [0.0, 0.05, 0.7] },
    Family { name: "chair", is_tuned_on: false, walls: Walls::Boxes(chair), inside: [0.0, -0.05, 0.65] },
    Family { name: "cabin", is_tuned_on: false, walls: Walls::Boxes(cabin), inside: [0.0, 0.0, 0.7] },
    Family { name: "cage", is_tuned_on: false, walls: Walls::Boxes(cage), inside: [0.0, 0.0, 0.8] },
    Family { name: "booth", is_tuned_on: false, walls: Walls::Boxes(booth), inside: [0.0, -0.08, 0.85] },
    Family { name: "cot", is_tuned_on: false, walls: Walls::Boxes(cot), inside: [0.05, 0.0, 0.55] },
    Family { name: "rocks", is_tuned_on: false, walls: Walls::Boxes(rocks), inside: [0.0, 0.0, 0.7] },
    Family { name: "urn", is_tuned_on: false, walls: Walls::Revolved(&URN), inside: [0.0, 0.0, 0.75] },
    Family { name: "crate", is_tuned_on: false, walls: Walls::Boxes(crate_), inside: [0.02, -0.04, 0.6] },
    Family { name: "thicket", is_tuned_on: false, walls: Walls::Boxes(thicket), inside: [0.0, 0.0, 0.8] },
    Family { name: "desk", is_tuned_on: false, walls: Walls::Boxes(desk), inside: [0.05, -0.1, 0.6] },
    Family {
        name: "stairwell",
        is_tuned_on: false,
        walls: Walls::Boxes(stairwell),
        inside: [0.0, 0.05, 0.9],
    },
    Family { name: "duct", is_tuned_on: false, walls: Walls::Boxes(duct), inside: [0.05, 0.1, 0.6] },
    Family { name: "bowl", is_tuned_on: false, walls: Walls::Revolved(&BOWL), inside: [0.05, 0.0, 0.6] },
    Family {
        name: "wardrobe",
        is_tuned_on: false,
        walls: Walls::Boxes(wardrobe),
        inside: [-0.03, -0.06, 0.75],
    },
    Family { name: "cockpit", is_tuned_on: false, walls: Walls::Boxes(cockpit), inside: [0.02, -0.05, 0.62] },
];

/// An open vessel with thick walls.
const VAT: [[f64; 2]; 7] =
    [[0.0, -0.08], [0.6, -0.08], [0.74, 0.3], [0.72, 0.95], [0.6, 0.95], [0.52, 0.1], [0.0, 0.04]];

/// A vessel with a narrow mouth.
const URN: [[f64; 2]; 12] = [
    [0.0, -0.1],
    [0.5, -0.1],
    [0.78, 0.5],
    [0.7, 1.0],
    [0.42, 1.3],
    [0.44, 1.45],
    [0.34, 1.45],
    [0.3, 1.3],
    [0.58, 0.98],
    [0.66, 0.5],
    [0.42, 0.02],
    [0.0, 0.0],
];

/// A bowl whose lid, with a hole, narrows it.
const BOWL: [[f64; 2]; 9] = [
    [0.0, -0.05],
    [0.45, 0.0],
    [0.8, 0.35],
    [0.85, 0.75],
    [0.3, 0.95],
    [0.28, 0.9],
    [0.77, 0.68],
    [0.72, 0.4],
    [0.0, 0.03],
];

fn ring(sides: u32, radius: f64, height: f64, middle: f64, thickness: f64, tilt: f64) -> Vec<Slab> {
    let width = 2.2 * radius * (std::f64::consts::PI / f64::from(sides)).tan();
    let wall = |i: u32| {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(sides);
        let at = [-radius * angle.sin(), radius * angle.cos(), middle];
        Slab(at, [width, thickness, height], [angle, -tilt])
    };
    (0..sides).map(wall).collect()
}

fn tub() -> Vec<Slab> {
    let mut slabs = ring(16, 0.62, 0.55, 0.3, 0.03, 0.15);
    slabs.extend(ring(16, 0.5, 0.12, 0.06, 0.03, 0.7));
    slabs.push(Slab([0.0; 3], [1.0, 1.0, 0.03], [0.0; 2]));
    slabs
}

fn shelf() -> Vec<Slab> {
    let board = |k: u32| Slab([0.0, 0.45, 0.35 * f64::from(k)], [1.2, 0.4, 0.025], [0.0; 2]);
    let mut slabs: Vec<Slab> = (0..6).map(board).collect();
    for x in [-0.6, 0.0, 0.6] {
        slabs.push(Slab([x, 0.45, 0.9], [0.025, 0.4, 1.8], [0.0; 2]));
    }
    slabs.push(Slab([0.0, 0.66, 0.9], [1.2, 0.015, 1.8], [0.0; 2]));
    slabs
}

fn pipe() -> Vec<Slab> {
    ring(20, 0.45, 2.0, 0.9, 0.02, 0.0)
}

/// A closed room with a door and a window, and a table in it.
fn hut() -> Vec<Slab> {
    vec![
        Slab([0.0, 0.0, -0.015], [1.3, 1.2, 0.03], [0.0; 2]),
        Slab([0.0, 0.0, 1.75], [1.3, 1.2, 0.03], [0.0; 2]),
        Slab([-0.65, 0.0, 0.87], [0.03, 1.2, 1.74], [0.0; 2]),
        // A wall with a window.
        Slab([0.65, 0.0, 0.4], [0.03, 1.2, 0.8], [0.0; 2]),
        Slab([0.65, 0.0, 1.55], [0.03, 1.2, 0.4], [0.0; 2]),
        Slab([0.65, -0.45, 1.075], [0.03, 0.3, 0.55], [0.0; 2]),
        Slab([0.65, 0.45, 1.075], [0.03, 0.3, 0.55], [0.0; 2]),
        // A wall with a door.
        Slab([-0.4, -0.6, 0.87], [0.5, 0.03, 1.74], [0.0; 2]),
        Slab([0.55, -0.6, 0.87], [0.2, 0.03, 1.74], [0.0; 2]),
        Slab([0.15, -0.6, 1.62], [0.6, 0.03, 0.24], [0.0; 2]),
        Slab([0.0, 0.6, 0.87], [1.3, 0.03, 1.74], [0.0; 2]),
        Slab([0.1, 0.4, 0.7], [0.8, 0.35, 0.03], [0.0; 2]),
    ]
}

/// Two rails with rungs, and a wall behind them.
fn ladder() -> Vec<Slab> {
    let rung = |k: u32| Slab([0.0, 0.28, 0.25 + 0.28 * f64::from(k)], [0.5, 0.035, 0.035], [0.0; 2]);
    let mut slabs: Vec<Slab> = (0..7).map(rung).collect();
    slabs.extend([-0.25, 0.25].map(|x| Slab([x, 0.28, 1.0], [0.04, 0.06, 2.0], [0.0; 2])));
    slabs.push(Slab([0.0, 0.5, 1.0], [2.0, 0.05, 2.0], [0.0; 2]));
    slabs.push(Slab([0.0, 0.0, -0.02], [2.0, 2.0, 0.04], [0.0; 2]));
    slabs
}

/// A sofa of thick blocks before a wall, with a low table.
fn sofa() -> Vec<Slab> {
    vec![
        Slab([0.0, 0.2, 0.22], [1.1, 0.7, 0.4], [0.0; 2]),
        Slab([0.0, 0.6, 0.65], [1.1, 0.25, 0.6], [0.0, -0.15]),
        Slab([-0.5, 0.15, 0.5], [0.24, 0.7, 0.35], [0.1, 0.0]),
        Slab([0.5, 0.15, 0.5], [0.24, 0.7, 0.35], [-0.1, 0.0]),
        Slab([0.1, -0.6, 0.3], [0.9, 0.4, 0.15], [0.05, 0.0]),
        Slab([0.0, 0.95, 0.9], [2.0, 0.3, 1.9], [0.0; 2]),
        Slab([0.0, 0.0, -0.1], [3.0, 3.0, 0.2], [0.0; 2]),
    ]
}

/// A narrow box with a seat, a board at the front and a low roof; open at the front above the board.
fn booth() -> Vec<Slab> {
    let mut slabs = vec![
        Slab([0.0, 0.0, 0.0], [0.95, 0.9, 0.04], [0.0; 2]),
        Slab([0.0, 0.0, 1.6], [0.95, 0.9, 0.03], [0.0, 0.06]),
        Slab([0.0, 0.28, 0.46], [0.9, 0.3, 0.05], [0.0; 2]),
        Slab([0.0, 0.45, 0.8], [0.95, 0.03, 1.6], [0.0; 2]),
        Slab([0.0, -0.45, 0.35], [0.95, 0.03, 0.7], [0.0; 2]),
        Slab([0.12, -0.33, 0.95], [0.6, 0.22, 0.03], [0.0, 0.1]),
    ];
    slabs.extend([-0.47, 0.47].map(|x| Slab([x, 0.0, 0.8], [0.03, 0.9, 1.6], [0.0; 2])));
    slabs
}

/// A bed between bars.
fn cot() -> Vec<Slab> {
    let mut slabs = vec![Slab([0.0, 0.0, 0.25], [1.3, 0.75, 0.1], [0.0; 2])];
    for y in [-0.4, 0.4] {
        let bar = |k: u32| Slab([-0.6 + 0.15 * f64::from(k), y, 0.5], [0.03, 0.03, 0.6], [0.3, 0.0]);
        slabs.extend((0..9).map(bar));
        slabs.extend([0.2, 0.8].map(|z| Slab([0.0, y, z], [1.3, 0.04, 0.04], [0.0; 2])));
    }
    slabs.extend([-0.66, 0.66].map(|x| Slab([x, 0.0, 0.5], [0.04, 0.8, 0.75], [0.0; 2])));
    slabs.push(Slab([0.3, 0.0, 1.05], [0.05, 0.9, 0.05], [0.2, 0.3]));
    slabs
}

/// An open box, divided by a low wall across and by two posts.
fn crate_() -> Vec<Slab> {
    let mut slabs = vec![
        Slab([0.0, 0.0, 0.0], [1.1, 1.0, 0.05], [0.0; 2]),
        Slab([0.0, 0.05, 0.25], [1.1, 0.03, 0.5], [0.12, 0.0]),
        Slab([0.2, -0.3, 0.5], [0.06, 0.06, 1.0], [0.4, 0.0]),
        Slab([-0.3, 0.25, 0.45], [0.06, 0.06, 0.9], [0.2, 0.1]),
    ];
    slabs.extend([-0.5, 0.5].map(|y| Slab([0.0, y, 0.4], [1.1, 0.04, 0.8], [0.0; 2])));
    slabs.extend([-0.55, 0.55].map(|x| Slab([x, 0.0, 0.4], [0.04, 1.0, 0.8], [0.0; 2])));
    slabs
}

/// Slanted poles, in no order.
fn thicket() -> Vec<Slab> {
    let pole = |k: u32| {
        let [x, y, about_z, about_x] =
            [0, 1, 2, 3].map(|at| 2.0 * fraction(977, u64::from(4 * k + at)) - 1.0);
        Slab([0.7 * x, 0.7 * y, 0.85], [0.05, 0.05, 2.0], [3.0 * about_z, 0.35 * about_x])
    };
    (0..22).map(pole).collect()
}

/// The room below a desk with drawers, a crossbar and a stool.
fn desk() -> Vec<Slab> {
    let mut slabs = vec![
        Slab([0.0, 0.0, 0.74], [1.4, 0.7, 0.03], [0.0; 2]),
        Slab([-0.5, 0.0, 0.4], [0.36, 0.6, 0.6], [0.0; 2]),
        Slab([0.1, 0.25, 0.35], [1.1, 0.03, 0.08], [0.0; 2]),
        Slab([0.05, -0.35, 0.45], [0.36, 0.34, 0.05], [0.3, 0.0]),
        Slab([0.05, 0.4, 1.1], [1.4, 0.02, 0.6], [0.0, 0.1]),
        Slab([0.0, 0.0, -0.02], [3.0, 3.0, 0.04], [0.0; 2]),
    ];
    slabs.extend([-0.3, 0.3].map(|y| Slab([0.65, y, 0.37], [0.04, 0.04, 0.74], [0.0; 2])));
    slabs.extend([-0.1, 0.2].map(|x| Slab([x, -0.35, 0.2], [0.03, 0.3, 0.42], [0.3, 0.15])));
    slabs
}

/// Winding steps about a post, with the flight above them and a rail.
fn stairwell() -> Vec<Slab> {
    let step = |k: u32| {
        let angle = 0.5 * f64::from(k);
        let at = [-0.42 * angle.sin(), 0.42 * angle.cos(), 0.12 + 0.17 * f64::from(k)];
        Slab(at, [0.3, 0.66, 0.04], [angle, 0.0])
    };
    let baluster = |k: u32| {
        let angle = 0.5 * f64::from(k) + 0.25;
        Slab(
            [-0.74 * angle.sin(), 0.74 * angle.cos(), 0.6 + 0.17 * f64::from(k)],
            [0.03, 0.03, 0.9],
            [angle, 0.1],
        )
    };
    let mut slabs: Vec<Slab> = (0..13).map(step).chain((0..13).map(baluster)).collect();
    slabs.push(Slab([0.0, 0.0, 1.2], [0.09, 0.09, 2.4], [0.4, 0.0]));
    slabs
}

/// A shaft with square walls that bends into a horizontal duct at its foot, with a ledge in the bend.
fn duct() -> Vec<Slab> {
    let mut slabs = vec![
        Slab([0.0, 0.35, 0.75], [0.9, 0.03, 1.5], [0.0; 2]),
        Slab([0.0, -0.35, 1.15], [0.9, 0.03, 0.7], [0.0; 2]),
        Slab([0.0, -0.35, 0.0], [0.9, 1.4, 0.03], [0.0; 2]),
        Slab([0.0, -0.7, 0.8], [0.9, 0.7, 0.03], [0.0; 2]),
        Slab([0.1, 0.2, 0.35], [0.5, 0.3, 0.04], [0.0, 0.3]),
    ];
    slabs.extend([-0.45, 0.45].map(|x| Slab([x, 0.0, 0.75], [0.03, 0.7, 1.5], [0.0; 2])));
    slabs.extend([-0.45, 0.45].map(|x| Slab([x, -0.7, 0.4], [0.03, 0.7, 0.8], [0.0; 2])));
    slabs
}

/// A wardrobe with a rail, a board across one half, a drawer that is open, and a door that is ajar.
fn wardrobe() -> Vec<Slab> {
    let mut slabs = vec![
        Slab([0.0, 0.0, 0.05], [1.1, 0.65, 0.04], [0.0; 2]),
        Slab([0.0, 0.0, 1.7], [1.1, 0.65, 0.03], [0.0; 2]),
        Slab([0.0, 0.32, 0.87], [1.1, 0.02, 1.7], [0.0; 2]),
        Slab([0.0, 0.02, 1.45], [1.1, 0.04, 0.04], [0.0, 0.2]),
        Slab([0.3, 0.02, 0.95], [0.5, 0.55, 0.025], [0.0; 2]),
        Slab([0.3, -0.3, 0.3], [0.5, 0.5, 0.22], [0.0; 2]),
        Slab([-0.42, -0.58, 0.87], [0.03, 0.55, 1.6], [0.35, 0.0]),
        Slab([0.0, 0.0, -0.02], [3.0, 3.0, 0.04], [0.0; 2]),
    ];
    slabs.extend([-0.55, 0.55].map(|x| Slab([x, 0.0, 0.87], [0.03, 0.65, 1.7], [0.0; 2])));
    slabs
}

/// A narrow hull with a reclined seat, a panel above the knees, a column between the legs, and the bars of a canopy.
fn cockpit() -> Vec<Slab> {
    let mut slabs = vec![
        Slab([0.0, 0.1, 0.02], [0.9, 1.9, 0.04], [0.0; 2]),
        Slab([0.0, -0.15, 0.3], [0.5, 0.5, 0.05], [0.0, 0.12]),
        Slab([0.0, -0.5, 0.75], [0.5, 0.05, 0.9], [0.0, 0.25]),
        Slab([0.0, 0.55, 0.85], [0.8, 0.25, 0.03], [0.0, 0.5]),
        Slab([0.0, 0.3, 0.4], [0.05, 0.05, 0.55], [0.0, -0.2]),
        Slab([0.0, 1.0, 0.5], [0.9, 0.04, 1.0], [0.0, -0.2]),
    ];
    slabs.extend([-0.42, 0.42].map(|x| Slab([x, 0.1, 0.45], [0.03, 1.8, 0.85], [0.0; 2])));
    slabs.extend([-0.3, 0.2, 0.7].map(|y| Slab([0.0, y, 1.35 - 0.3 * y * y], [0.9, 0.03, 0.03], [0.0; 2])));
    slabs
}

/// Large blocks around a gap.
fn rocks() -> Vec<Slab> {
    vec![
        Slab([0.75, 0.1, 0.4], [0.8, 0.9, 0.9], [0.5, 0.3]),
        Slab([-0.8, -0.1, 0.5], [0.9, 0.8, 1.1], [-0.3, 0.2]),
        Slab([0.1, 0.85, 0.6], [1.0, 0.7, 1.3], [0.2, -0.4]),
        Slab([-0.2, -0.9, 0.2], [0.9, 0.7, 0.6], [0.7, 0.5]),
        Slab([0.55, -0.5, 1.2], [0.5, 0.4, 0.5], [0.9, 0.7]),
        Slab([-0.4, 0.45, 1.5], [0.6, 0.5, 0.4], [0.1, 0.6]),
        Slab([0.0, 0.0, -0.2], [2.5, 2.5, 0.4], [0.1, 0.05]),
    ]
}

fn chair() -> Vec<Slab> {
    let mut slabs = vec![
        Slab([0.0, 0.0, 0.45], [0.56, 0.5, 0.05], [0.0; 2]),
        Slab([0.0, 0.26, 0.85], [0.56, 0.05, 0.8], [0.0, -0.2]),
    ];
    for side in [-1.0, 1.0] {
        slabs.push(Slab([0.29 * side, 0.0, 0.62], [0.05, 0.5, 0.3], [0.0; 2]));
        for front in [-0.22, 0.22] {
            slabs.push(Slab([0.25 * side, front, 0.21], [0.04, 0.04, 0.42], [0.0; 2]));
        }
    }
    slabs.push(Slab([0.0, 0.0, -0.02], [3.0, 3.0, 0.04], [0.0; 2]));
    slabs
}

fn cabin() -> Vec<Slab> {
    let mut slabs = vec![
        Slab([0.0, 0.0, 0.0], [1.2, 1.5, 0.03], [0.0; 2]),
        Slab([0.0, 0.0, 1.45], [1.2, 1.5, 0.03], [0.0; 2]),
        Slab([0.0, 0.15, 0.3], [0.55, 0.5, 0.12], [0.0; 2]),
        Slab([0.0, 0.42, 0.75], [0.55, 0.1, 0.8], [0.0, -0.15]),
        Slab([0.0, -0.55, 0.75], [1.2, 0.15, 0.25], [0.0, 0.4]),
        Slab([0.0, -0.35, 0.8], [0.38, 0.03, 0.38], [0.0, 0.6]),
        Slab([0.0, -0.74, 1.1], [1.2, 0.03, 0.75], [0.0, 0.5]),
        Slab([0.0, 0.75, 0.75], [1.2, 0.03, 1.5], [0.0; 2]),
    ];
    slabs.extend([-0.6, 0.6].map(|x| Slab([x, 0.0, 0.45], [0.03, 1.5, 0.9], [0.0; 2])));
    slabs
}

fn cage() -> Vec<Slab> {
    let bar = |i: u32| {
        let angle = std::f64::consts::TAU * f64::from(i) / 18.0;
        Slab([0.5 * angle.cos(), 0.5 * angle.sin(), 0.9], [0.025, 0.025, 2.0], [angle, 0.0])
    };
    let mut slabs: Vec<Slab> = (0..18).map(bar).collect();
    for level in [0.0, 0.6, 1.2, 1.9] {
        slabs.extend(ring(18, 0.5, 0.03, level, 0.03, 0.0));
    }
    slabs
}

impl Slab {
    /// The box divided into `parts` along each of its two longest edges.
    fn divided(&self, parts: u32) -> Vec<Self> {
        let Self(center, lengths, rotations) = self;
        let thin = (1..3).fold(0, |thin, axis| if lengths[axis] < lengths[thin] { axis } else { thin });
        let [first, second] = [(thin + 1) % 3, (thin + 2) % 3];
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), rotations[0])
            * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), rotations[1]);
        let part = |i: u32, j: u32| {
            let (mut own, mut offset) = (*lengths, Vector3::zeros());
            for (axis, k) in [(first, i), (second, j)] {
                own[axis] /= f64::from(parts);
                offset[axis] = own[axis] * (f64::from(k) + 0.5) - 0.5 * lengths[axis];
            }
            Self((Vector3::from(*center) + rotation * offset).into(), own, *rotations)
        };
        (0..parts).flat_map(|i| (0..parts).map(move |j| (i, j))).map(|(i, j)| part(i, j)).collect()
    }

    /// The box scaled about the world's origin, as a hull in the world.
    fn convex(&self, scale: f64) -> Result<(ConvexShape, Isometry3<f64>)> {
        let Self(center, lengths, [about_z, about_x]) = self;
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), *about_z)
            * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), *about_x);
        let half = Vector3::from(*lengths) * (0.5 * scale);
        let corner = |i: u32| {
            let side = |axis: u32| if i >> axis & 1 == 0 { -1.0 } else { 1.0 };
            Point3::from(Vector3::new(side(0), side(1), side(2)).component_mul(&half))
        };
        let hull = ConvexHull::new(&(0..8).map(corner).collect::<Vec<_>>())?;
        let at = Translation3::from(Vector3::from(*center) * scale);
        Ok((ConvexShape::hull(Arc::new(hull)), Isometry3::from_parts(at, rotation)))
    }
}

/// A robot of the suite: its file, a scale of the cavities that suits it, and the height of its middle above its root [m].
pub(crate) const ROBOTS: [(&str, f64, f64); 4] =
    [("figure", 1.0, 0.95), ("hand", 0.16, 0.06), ("arm_on_base", 0.9, 0.5), ("crawler", 0.8, 0.42)];

/// A robot in a cavity, and the sketches of it that collide.
pub(crate) struct Cavity {
    pub(crate) ensemble: Ensemble,
    pub(crate) sketches: Vec<(String, Pose)>,
}

impl Cavity {
    /// A robot in the cavity of a family, with `count` sketches: mixtures of the rest pose and random ones, and rest poses in
    /// which a few joints are changed, as by hand.
    pub(crate) fn new(family: &Family, (file, scale, middle): (&str, f64, f64), count: u64) -> Result<Self> {
        let shape = match family.walls {
            Walls::Boxes(boxes) => {
                let pieces = boxes().iter().map(|slab| slab.convex(scale)).collect::<Result<Vec<_>>>()?;
                Shape::of_pieces(pieces)
            }
            Walls::Revolved(profile) => {
                Shape::of_model(Model::new(revolved(profile, scale)?, Solidity::Solid))
            }
        };
        let shift = Vector3::from(family.inside) * scale - Vector3::z() * middle;
        let pose = Isometry3::translation(-shift.x, -shift.y, -shift.z);
        let obstacle = Obstacle { shape, pose };
        Self::around(NamedObstacle { name: family.name.to_owned(), obstacle }, file, count)
    }

    /// A figure in the tub, each slab of which is divided into `parts`² pieces.
    pub(crate) fn divided_tub(parts: u32, count: u64) -> Result<Self> {
        let slabs = tub().iter().flat_map(|slab| slab.divided(parts)).collect::<Vec<_>>();
        let pieces = slabs.iter().map(|slab| slab.convex(1.0)).collect::<Result<Vec<_>>>()?;
        let [x, y, z] = FAMILIES[0].inside;
        let pose = Isometry3::translation(-x, -y, ROBOTS[0].2 - z);
        let obstacle = Obstacle { shape: Shape::of_pieces(pieces), pose };
        Self::around(NamedObstacle { name: "tub".to_owned(), obstacle }, ROBOTS[0].0, count)
    }

    /// A figure in a lying ring of about this number of triangles.
    pub(crate) fn ring(triangles: f64, count: u64) -> Result<Self> {
        // 2 · 4 n · n triangles.
        let sides = (triangles / 8.0).sqrt().round() as u32;
        let torus = Torus { major_radius: 0.42, minor_radius: 0.14, segments: 4 * sides, sides };
        let shape = Shape::of_model(Model::new(torus.mesh()?, Solidity::Solid));
        let obstacle = Obstacle { shape, pose: Isometry3::translation(0.0, 0.0, ROBOTS[0].2) };
        Self::around(NamedObstacle { name: "ring".to_owned(), obstacle }, ROBOTS[0].0, count)
    }

    /// A robot and an obstacle, with `count` sketches that collide.
    fn around(named: NamedObstacle, file: &str, count: u64) -> Result<Self> {
        let path = format!("assets/robots/{file}.urdf");
        let robot = Robot::new(read_urdf(path, &UrdfOptions::default())?, &RobotOptions::default())?;
        let name = named.name.clone();
        let ensemble = robot.among(vec![named], &Freedom::default())?;
        let mut sketches = Vec::new();
        let mut seed = 0;
        while (sketches.len() as u64) < count && seed < 40 * count {
            let pose = sketch(ensemble.collision_world(), seed);
            if !ensemble.colliding(std::slice::from_ref(&pose))?.is_empty() {
                sketches.push((format!("{name}_{file}_{seed}"), pose));
            }
            seed += 1;
        }
        Ok(Self { ensemble, sketches })
    }
}

/// The solid of revolution about z of a profile (radius, height) [m] from the axis to the axis, scaled.
fn revolved(profile: &[[f64; 2]], scale: f64) -> Result<TriangleMesh> {
    const SEGMENTS: u32 = 32;
    let [first, inner @ .., last] = profile else { return Err("a profile has two ends".into()) };
    let at = |angle: f64, [radius, z]: [f64; 2]| {
        Point3::new(radius * angle.cos(), radius * angle.sin(), z) * scale
    };
    let angle = |i: u32| std::f64::consts::TAU * f64::from(i) / f64::from(SEGMENTS);
    let mut vertices: Vec<_> =
        inner.iter().flat_map(|&point| (0..SEGMENTS).map(move |i| at(angle(i), point))).collect();
    let ends = vertices.len() as u32;
    vertices.extend([first, last].map(|&end| at(0.0, end)));
    let mut triangles = Vec::new();
    for i in 0..SEGMENTS {
        let next = (i + 1) % SEGMENTS;
        triangles.push([ends, next, i]);
        for ring in 0..inner.len() as u32 - 1 {
            let [low, high] = [ring * SEGMENTS, (ring + 1) * SEGMENTS];
            triangles.push([low + i, low + next, high + next]);
            triangles.push([low + i, high + next, high + i]);
        }
        let top = ends - SEGMENTS;
        triangles.push([top + i, top + next, ends + 1]);
    }
    Ok(TriangleMesh::new(vertices, triangles)?)
}

/// A number in [0, 1) from two integers: SplitMix64.
fn fraction(seed: u64, at: u64) -> f64 {
    let mut z =
        seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add((at + 1).wrapping_mul(0xD1B5_4A32_D192_ED03));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A sketch: joints that translate or rotate all of the robot change little, the others by a fraction of their range.
fn sketch(world: &CollisionWorld, seed: u64) -> Pose {
    let articulation = world.movables()[0].articulation();
    let joints = articulation.coordinates().iter().enumerate().map(|(at, &joint)| {
        let [lower, upper] = world.limits[0][at].map(|limit| limit.clamp(-3.2, 3.2));
        let rest = articulation.joints()[joint].rest_within_limits();
        let name = &articulation.joints()[joint].name;
        let random = lower + (upper - lower) * fraction(seed, at as u64);
        let is_base = name.starts_with("root") || name.starts_with("base");
        let by_hand = seed % 3 == 2;
        let amount = match (is_base, by_hand) {
            (true, _) => 0.03,
            (false, false) => [0.35, 0.7][(seed % 2) as usize],
            // A few joints, far.
            (false, true) => f64::from(u8::from(fraction(seed, 1000 + at as u64) < 0.3)),
        };
        rest + amount * (random - rest)
    });
    Pose { base: Isometry3::identity(), joints: joints.collect() }
}
