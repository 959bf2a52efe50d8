//! Obstacles, each a list of convex pieces standing on z = 0 unless said, and the pieces that robots are made of.

use super::solids::{Piece, cuboid, moved, revolved, slab};

/// All of them by name.
pub(crate) fn all() -> Vec<(&'static str, Vec<Piece>)> {
    vec![
        ("limb", vec![revolved(&[[-0.5, 0.6], [-0.4, 1.0], [0.4, 1.0], [0.5, 0.6]], 8)]),
        ("ball", vec![ball()]),
        ("bench", bench()),
        ("tub", cup([0.36, 0.42], 0.5, 12)),
        ("desk", desk()),
        ("shelf", shelf()),
        ("bridge", bridge()),
        ("u_shape", u_shape()),
        ("cup_small", cup([0.028, 0.033], 0.09, 12)),
        ("cup_large", cup([0.038, 0.044], 0.11, 12)),
        ("bottle_small", bottle(0.03, 0.18)),
        ("bottle_large", bottle(0.042, 0.24)),
        ("car", car()),
        ("alpha", alpha()),
    ]
}

fn ball() -> Piece {
    let rings: Vec<[f64; 2]> = [-75.0_f64, -45.0, -15.0, 15.0, 45.0, 75.0]
        .map(|degrees| degrees.to_radians().sin_cos())
        .map(|(sin, cos)| [sin, cos])
        .to_vec();
    revolved(&rings, 12)
}

/// A bench along y, its seat 0.45 m high, with a back at −x.
fn bench() -> Vec<Piece> {
    let mut pieces =
        vec![cuboid([0.0, 0.0, 0.43], [0.45, 1.5, 0.04]), cuboid([-0.24, 0.0, 0.7], [0.04, 1.5, 0.3])];
    for y in [-0.62, 0.62] {
        pieces.push(cuboid([0.17, y, 0.205], [0.05, 0.06, 0.41]));
        pieces.push(cuboid([-0.24, y, 0.275], [0.04, 0.06, 0.55]));
    }
    pieces
}

/// A desk along y, its top 0.74 m high.
fn desk() -> Vec<Piece> {
    let mut pieces = vec![cuboid([0.0, 0.0, 0.72], [0.7, 1.4, 0.04])];
    for (x, y) in [(0.31, 0.66), (0.31, -0.66), (-0.31, 0.66), (-0.31, -0.66)] {
        pieces.push(cuboid([x, y, 0.35], [0.05, 0.05, 0.7]));
    }
    pieces
}

/// A shelf along y of four boards 0.4 m apart, open towards −x.
fn shelf() -> Vec<Piece> {
    let boards = [0.1, 0.52, 0.94, 1.36, 1.78];
    let mut pieces: Vec<_> = boards.iter().map(|&z| cuboid([0.0, 0.0, z], [0.36, 1.1, 0.03])).collect();
    pieces.extend([0.56, -0.56].map(|y| cuboid([0.0, y, 0.9], [0.36, 0.03, 1.8])));
    pieces.push(cuboid([0.18, 0.0, 0.9], [0.02, 1.15, 1.8]));
    pieces
}

/// A bridge along y: a wall of 0.5 m thickness with a hole of 0.9 m width and 0.44 m height at the ground.
fn bridge() -> Vec<Piece> {
    vec![
        cuboid([0.0, 1.225, 0.5], [0.5, 1.55, 1.0]),
        cuboid([0.0, -1.225, 0.5], [0.5, 1.55, 1.0]),
        cuboid([0.0, 0.0, 0.72], [0.5, 0.94, 0.56]),
    ]
}

/// A U open towards +y, in the plane of x and y.
fn u_shape() -> Vec<Piece> {
    vec![
        cuboid([0.0, -0.5, 0.0], [1.8, 0.2, 0.3]),
        cuboid([-0.8, 0.025, 0.0], [0.2, 0.95, 0.3]),
        cuboid([0.8, 0.025, 0.0], [0.2, 0.95, 0.3]),
    ]
}

/// A cup of slabs around a bottom.
fn cup([inner, outer]: [f64; 2], height: f64, sides: usize) -> Vec<Piece> {
    let thickness = outer - inner;
    let mut pieces: Vec<_> =
        (0..sides).map(|index| slab(index, sides, [inner, outer], [thickness, height])).collect();
    pieces.push(revolved(&[[0.0, outer], [thickness, outer]], sides));
    pieces
}

/// A bottle: a body, a shoulder and a neck.
fn bottle(radius: f64, height: f64) -> Vec<Piece> {
    let neck = 0.35 * radius;
    vec![
        revolved(&[[0.0, radius], [0.6 * height, radius], [0.75 * height, neck]], 12),
        revolved(&[[0.74 * height, neck], [height, neck]], 12),
    ]
}

/// Something like a car along x: a body, a cabin and four wheels.
fn car() -> Vec<Piece> {
    let mut body = vec![cuboid([0.0, 0.0, 0.55], [3.6, 1.5, 0.5])];
    let cabin = [[-1.2, 1.0], [0.5, 1.0]];
    let mut points = Vec::new();
    for [x, _] in cabin {
        for y in [-0.7, 0.7] {
            points.push([x * 1.2, y, 0.8]);
            points.push([x * 0.8, 0.85 * y, 1.3]);
        }
    }
    let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [1, 5, 7, 3], [0, 2, 6, 4]];
    body.push(Piece { points, faces: faces.map(|face| face.to_vec()).to_vec() });
    for (x, y) in [(1.15, 0.75), (1.15, -0.75), (-1.15, 0.75), (-1.15, -0.75)] {
        let wheel = revolved(&[[-0.1, 0.33], [0.1, 0.33]], 12);
        // The axle along y: x stays, y takes −z, z takes y.
        let points = wheel.points.iter().map(|p| [p[0], -p[2], p[1]]).collect();
        body.extend(moved(vec![Piece { points, ..wheel }], [x, y, 0.33]));
    }
    body
}

/// A square loop in the plane of x and y with a gap in the side at +x, made of bars of 0.1 m: two of them hang in each
/// other and come apart through the gaps.
fn alpha() -> Vec<Piece> {
    let bar = 0.1;
    vec![
        cuboid([0.0, 0.25, 0.0], [0.6, bar, bar]),
        cuboid([0.0, -0.25, 0.0], [0.6, bar, bar]),
        cuboid([-0.25, 0.0, 0.0], [bar, 0.58, bar]),
        cuboid([0.25, 0.175, 0.0], [bar, 0.23, bar]),
        cuboid([0.25, -0.175, 0.0], [bar, 0.23, bar]),
    ]
}
