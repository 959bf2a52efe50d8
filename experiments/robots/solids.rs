//! Convex pieces and their OBJ files.

use std::f64::consts::TAU;
use std::fmt::Write;

/// A closed convex mesh.
pub(crate) struct Piece {
    pub(crate) points: Vec<[f64; 3]>,
    /// Corners of its faces, counter-clockwise from outside.
    pub(crate) faces: Vec<Vec<usize>>,
}

/// A box with edges along the axes.
pub(crate) fn cuboid(center: [f64; 3], size: [f64; 3]) -> Piece {
    let side =
        |i: usize, axis: usize| center[axis] + size[axis] * if i >> axis & 1 == 0 { -0.5 } else { 0.5 };
    let points = (0..8).map(|i| [side(i, 0), side(i, 1), side(i, 2)]).collect();
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Piece { points, faces: faces.map(|face| face.to_vec()).to_vec() }
}

/// A body of revolution about the z axis with flat sides: a ring of `sides` corners at each height with its radius.
pub(crate) fn revolved(profile: &[[f64; 2]], sides: usize) -> Piece {
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for &[height, radius] in profile {
        for i in 0..sides {
            let (sin, cos) = (TAU * i as f64 / sides as f64).sin_cos();
            points.push([radius * cos, radius * sin, height]);
        }
    }
    for ring in 0..profile.len() - 1 {
        for i in 0..sides {
            let (here, next) = (ring * sides + i, ring * sides + (i + 1) % sides);
            faces.push(vec![here, next, next + sides, here + sides]);
        }
    }
    let last = (profile.len() - 1) * sides;
    faces.push((0..sides).rev().collect());
    faces.push((last..last + sides).collect());
    Piece { points, faces }
}

/// Share of a slab by which it reaches into the next one: pieces that shared corners would count as one.
const OVERLAP: f64 = 0.03;

/// One of the slabs around a circle, from the inner radius to the outer one and between two heights.
pub(crate) fn slab(index: usize, sides: usize, radii: [f64; 2], heights: [f64; 2]) -> Piece {
    let corner = |side: f64, radius: f64, height: f64| {
        let (sin, cos) = (TAU * side / sides as f64).sin_cos();
        [radius * cos, radius * sin, height]
    };
    let (from, to) = (index as f64 - OVERLAP, index as f64 + 1.0 + OVERLAP);
    let [inner, outer] = radii;
    let mut points = Vec::new();
    for height in heights {
        points.push(corner(from, inner, height));
        points.push(corner(from, outer, height));
        points.push(corner(to, inner, height));
        points.push(corner(to, outer, height));
    }
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    Piece { points, faces: faces.map(|face| face.to_vec()).to_vec() }
}

/// The pieces moved.
pub(crate) fn moved(pieces: Vec<Piece>, by: [f64; 3]) -> Vec<Piece> {
    let shift = |piece: Piece| {
        let points = piece.points.iter().map(|p| [p[0] + by[0], p[1] + by[1], p[2] + by[2]]).collect();
        Piece { points, ..piece }
    };
    pieces.into_iter().map(shift).collect()
}

/// The pieces as an OBJ file of triangles, each with its own vertices.
pub(crate) fn obj(pieces: &[Piece]) -> String {
    let mut text = String::from("# Convex pieces. Written by the command in assets/SOURCES.md.\n");
    let mut first = 1;
    for (index, piece) in pieces.iter().enumerate() {
        let _ = writeln!(text, "o piece_{index}");
        for [x, y, z] in &piece.points {
            let _ = writeln!(text, "v {} {} {}", rounded(*x), rounded(*y), rounded(*z));
        }
        for face in &piece.faces {
            for i in 1..face.len() - 1 {
                let _ = writeln!(text, "f {} {} {}", first + face[0], first + face[i], first + face[i + 1]);
            }
        }
        first += piece.points.len();
    }
    text
}

/// To a nanometre, without a minus before zero: the same file wherever sines are the same to ten digits.
fn rounded(x: f64) -> f64 {
    (x * 1e9).round() / 1e9 + 0.0
}
