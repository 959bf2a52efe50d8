//! Two boxes: the difference has faces with 15 normals, so the depth is the minimum of 15 overlaps [GLM96].
//!
//! The normals are those of the faces and the cross products of the edges. An overlap along a cross product is exact to
//! rounding however short the product is: its entries are entries of the rotation, so the error of its direction is
//! proportional to the width of the face of the difference in that direction.

use nalgebra::Vector3;

use super::difference::Difference;
use super::gap::Gap;

/// A candidate separating axis with its overlap.
#[derive(Debug, Clone, Copy)]
struct Axis {
    /// Depth along the normal [m].
    depth: f64,
    /// From A to B, unit.
    normal: Vector3<f64>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    FaceOfA,
    FaceOfB,
    Edges(usize, usize),
}

/// Result of the test of the 15 axes.
#[derive(Debug, Clone, Copy)]
pub(super) enum BoxGap {
    /// The boxes overlap or touch.
    Overlap(Gap),
    /// This direction, from A to B, separates.
    Apart(Vector3<f64>),
}

/// Fraction of the rounding by which the overlap along an edge–edge axis must be smaller than that along a face normal:
/// among equal overlaps a face is preferred because its contacts are steadier from step to step. A safeguard, without
/// effect on the sets of docs/sensitivity.md.
const PREFER_FACES: f64 = 0.5;

/// The gap of two boxes given by half their edge lengths [m].
pub(super) fn gap([a, b]: [&Vector3<f64>; 2], difference: &Difference) -> BoxGap {
    let best = min_overlap([a, b], difference);
    if best.depth < 0.0 {
        return BoxGap::Apart(best.normal);
    }
    let [on_a, on_b] = witnesses([a, b], difference, &best);
    BoxGap::Overlap(Gap {
        value: -best.depth,
        at_most: -best.depth,
        normal: best.normal,
        on_a,
        on_b,
        supports: 0,
    })
}

fn min_overlap([a, b]: [&Vector3<f64>; 2], difference: &Difference) -> Axis {
    let (r, t) = (&difference.rotation, &difference.origin);
    let magnitude = r.abs();
    let in_b = r.tr_mul(t);
    let reach_a = magnitude * b;
    let reach_b = magnitude.tr_mul(a);
    // All depths first, then the minimum: a branch at each axis would be mispredicted every other time.
    let mut faces = [0.0; 6];
    for i in 0..3 {
        faces[i] = a[i] + reach_a[i] - t[i].abs();
        faces[i + 3] = b[i] + reach_b[i] - in_b[i].abs();
    }
    let mut edges = [0.0; 9];
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            // e_i × b_j has the entries 0, −r[i2][j], r[i1][j].
            let length_squared = r[(i1, j)] * r[(i1, j)] + r[(i2, j)] * r[(i2, j)];
            let reach = a[i1] * magnitude[(i2, j)]
                + a[i2] * magnitude[(i1, j)]
                + b[j1] * magnitude[(i, j2)]
                + b[j2] * magnitude[(i, j1)];
            let overlap = reach - (t[i2] * r[(i1, j)] - t[i1] * r[(i2, j)]).abs();
            // Parallel edges have no cross product; the face normals cover that direction.
            let depth = overlap / length_squared.sqrt();
            edges[3 * i + j] = if length_squared > 0.0 { depth } else { f64::INFINITY };
        }
    }
    let (face, edge) = (min_of(&faces), min_of(&edges));
    // A negative depth is a separating axis of whatever kind, and the minimum over all is the best one.
    if edges[edge] < faces[face] - PREFER_FACES * difference.noise() {
        return edge_axis([edge / 3, edge % 3], edges[edge], difference);
    }
    let depth = faces[face];
    if face < 3 {
        let mut normal = Vector3::zeros();
        normal[face] = 1.0_f64.copysign(t[face]);
        return Axis { depth, normal, kind: Kind::FaceOfA };
    }
    let normal = r.column(face - 3) * 1.0_f64.copysign(in_b[face - 3]);
    Axis { depth, normal, kind: Kind::FaceOfB }
}

/// The index of the minimum value, the first of equal ones.
fn min_of(values: &[f64]) -> usize {
    let mut best = (values[0], 0);
    for (index, &value) in values.iter().enumerate() {
        best = if value < best.0 { (value, index) } else { best };
    }
    best.1
}

/// The axis perpendicular to an edge direction of A and one of B.
fn edge_axis([i, j]: [usize; 2], depth: f64, difference: &Difference) -> Axis {
    let (r, mut normal) = (&difference.rotation, Vector3::zeros());
    let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
    (normal[i1], normal[i2]) = (-r[(i2, j)], r[(i1, j)]);
    let normal = normal.normalize();
    let normal = if normal.dot(&difference.origin) < 0.0 { -normal } else { normal };
    Axis { depth, normal, kind: Kind::Edges(i, j) }
}

/// Alternating projections of the witness into both faces where faces or edges are parallel; the loop ends early once a
/// projection changes nothing. Fewer may leave a witness outside the other face. A safeguard, without effect on the
/// sets of docs/sensitivity.md.
const ROUNDS: usize = 4;

fn witnesses([a, b]: [&Vector3<f64>; 2], difference: &Difference, axis: &Axis) -> [Vector3<f64>; 2] {
    let (r, normal) = (&difference.rotation, &axis.normal);
    let corner_a = extreme(a, normal);
    let corner_b = extreme(b, &-r.tr_mul(normal));
    if let Kind::Edges(i, j) = axis.kind {
        // Along e_i from the corner of A and along b_j from that of B, where they cross seen along the normal.
        let (u, v) = (Vector3::ith(i, 1.0), r.column(j).into_owned());
        let between = difference.of_b(&corner_b) - corner_a;
        let (cosine, along_u, along_v) = (u.dot(&v), between.dot(&u), between.dot(&v));
        let s = (along_u - along_v * cosine) / (1.0 - cosine * cosine);
        let mut on_a = corner_a;
        on_a[i] = (on_a[i] + s).clamp(-a[i], a[i]);
        return [on_a, on_a - normal * axis.depth];
    }
    let clamp = |p: Vector3<f64>, h: &Vector3<f64>| p.zip_map(h, |x, h| x.clamp(-h, h));
    let across = normal * axis.depth;
    let mut on_a =
        if matches!(axis.kind, Kind::FaceOfA) { difference.of_b(&corner_b) + across } else { corner_a };
    for _ in 0..ROUNDS {
        // Alternating projection: into A's box, then, shifted by the depth, into B's.
        let in_a = clamp(on_a, a);
        let on_b = r.tr_mul(&(in_a - across - difference.origin));
        let in_b = clamp(on_b, b);
        if in_b == on_b {
            on_a = in_a;
            break;
        }
        on_a = difference.of_b(&in_b) + across;
    }
    [on_a, on_a - across]
}

/// Components of a unit direction below this are zero, so that the extreme set is an edge or a face and not a corner.
/// Above the rounding of a normal; the witness misses the extreme height by at most this times the half extent. A
/// safeguard, without effect on the sets of docs/sensitivity.md.
const SIDEWAYS: f64 = 1e-9;

/// The middle of the extreme set in a direction: a corner, or the middle of an edge or a face.
fn extreme(half_extents: &Vector3<f64>, direction: &Vector3<f64>) -> Vector3<f64> {
    half_extents.zip_map(direction, |h, d| if d.abs() < SIDEWAYS { 0.0 } else { h.copysign(d) })
}
