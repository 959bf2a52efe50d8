//! The deepest point of an edge in a soft body: for edges that pass through it with both ends outside, which nodes miss.
//!
//! Along the edge m(s) = a + s (b − a) the field is continuous and linear in each tetrahedron. Its maximum D is where
//! a rising piece P meets a falling one Q, at a face between them: D(x) = max over s of min(P, Q). The envelope theorem
//! gives ∂D = λ ∂P + (1 − λ) ∂Q at fixed s, with the multiplier that makes D stationary, λ P' + (1 − λ) Q' = 0. On the face
//! both have the same barycentric coordinates, so with ḡ = λ g_P + (1 − λ) g_Q the ends get (1 − s) ḡ and s ḡ and the
//! nodes −uᵢ ḡ: the forces balance, and ḡ is normal to the edge.

use nalgebra::Vector3;

use super::active_set::ActiveEdge;
use super::body::Body;
use super::cell::{Cell, Shape, are_beyond_a_face, value};

/// Length of a piece, and gap between two, as fractions of the edge, that count as zero: rounding of the clipping,
/// which is that of the coordinates over the edge's length. A safeguard, without effect on the sets of
/// docs/sensitivity.md.
const GAP: f64 = 1e-9;

/// Segment of an edge inside a cell, with the field along it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) tet: u32,
    pub(super) part: usize,
    start: f64,
    end: f64,
    /// Field at the start and at the end [m].
    values: [f64; 2],
    /// ∂d̃/∂s [m].
    pub(super) slope: f64,
    pub(super) gradient: Vector3<f64>,
}

/// The deepest point of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeepestPoint {
    /// Parameter s along the edge, 0 to 1.
    pub(super) along: f64,
    pub(super) depth: f64,
    /// ḡ.
    pub(super) gradient: Vector3<f64>,
    /// The rising piece P and the falling piece Q.
    pub(super) sides: [Piece; 2],
    /// λ.
    pub(super) weight: f64,
}

/// The deepest point of the edge between `ends` in the tetrahedra `tets` of `body` with blocks `x`; `None` where that
/// is an end. `pieces` is a scratch buffer.
pub(super) fn deepest(
    ends: [Vector3<f64>; 2],
    body: &Body,
    tets: &[u32],
    x: &[Vector3<f64>],
    pieces: &mut Vec<Piece>,
) -> Option<DeepestPoint> {
    let highest = max_depth(ends, body, tets, x, pieces);
    // Along a plateau the slope is rounding.
    let rises = |p: &&Piece| p.slope > GAP * highest;
    let rising = pieces.iter().filter(rises);
    let rising = *rising.reduce(|best, p| if p.values[1] > best.values[1] { p } else { best })?;
    let meets = |p: &&Piece| !rises(p) && (p.start - rising.end).abs() <= GAP;
    let falling =
        *pieces.iter().filter(meets).reduce(|best, p| if p.slope < best.slope { p } else { best })?;
    // The maximum is elsewhere: at an end of the edge that lies inside, whose node has a contact of its own.
    if rising.values[1] < highest * (1.0 - GAP) {
        return None;
    }
    Some(DeepestPoint::of([rising, falling], rising.end, rising.values[1]))
}

/// The maximum depth along the edge between `ends` in the tetrahedra `tets` of `body` with blocks `x` [m], zero outside; leaves in
/// `pieces` those that it passes through.
pub(super) fn max_depth(
    ends: [Vector3<f64>; 2],
    body: &Body,
    tets: &[u32],
    x: &[Vector3<f64>],
    pieces: &mut Vec<Piece>,
) -> f64 {
    pieces.clear();
    tets.iter().for_each(|&tet| clip(ends, body, tet, x, pieces));
    pieces.iter().map(|p| p.values[0].max(p.values[1])).fold(0.0, f64::max)
}

/// The point of a frozen edge in the linear functions of its two cells, whether it lies in them or not: depth λ P + (1 − λ) Q.
pub(super) fn frozen(
    ends: [Vector3<f64>; 2],
    body: &Body,
    active: &ActiveEdge,
    x: &[Vector3<f64>],
) -> Option<DeepestPoint> {
    let [rising, falling] = active.cells.map(|cell| piece(ends, body, cell, x));
    let sides = [rising?, falling?];
    let (along, weight) = (active.along, active.weight);
    let [up, down] = sides.map(|side| side.values[0] + along * side.slope);
    let gradient = weight * sides[0].gradient + (1.0 - weight) * sides[1].gradient;
    Some(DeepestPoint { along, depth: weight * up + (1.0 - weight) * down, gradient, sides, weight })
}

impl DeepestPoint {
    /// The point where two pieces meet, with λ = −Q' / (P' − Q').
    fn of(sides: [Piece; 2], along: f64, depth: f64) -> Self {
        let [rising, falling] = &sides;
        let weight = -falling.slope / (rising.slope - falling.slope);
        let gradient = weight * rising.gradient + (1.0 - weight) * falling.gradient;
        Self { along, depth, gradient, sides, weight }
    }
}

/// The linear function of a cell along the whole edge.
fn piece(ends: [Vector3<f64>; 2], body: &Body, cell: Cell, x: &[Vector3<f64>]) -> Option<Piece> {
    let Cell { tet, part } = cell;
    let shape = Shape::of(&body.tets[tet as usize].map(|i| x[i as usize]))?;
    let of_part = body.depths[tet as usize].of_part(part);
    let values = ends.map(|end| value(&shape.coordinates(&end), &of_part));
    let (slope, gradient) = (values[1] - values[0], shape.gradient(&of_part));
    Some(Piece { tet, part, start: 0.0, end: 1.0, values, slope, gradient })
}

/// Clips the edge to the parts of tetrahedron `tet` and appends its pieces.
fn clip(ends: [Vector3<f64>; 2], body: &Body, tet: u32, x: &[Vector3<f64>], pieces: &mut Vec<Piece>) {
    let corners = body.tets[tet as usize].map(|i| x[i as usize]);
    // Most candidates are outside, which costs less to see than a shape.
    if are_beyond_a_face(&ends, &corners, 0.0) {
        return;
    }
    let Some(shape) = Shape::of(&corners) else { return };
    let [from, to] = ends.map(|end| shape.coordinates(&end));
    if (0..4).any(|i| from[i] < 0.0 && to[i] < 0.0) {
        return;
    }
    let depths = &body.depths[tet as usize];
    for part in 0..depths.part_count() {
        let (mut start, mut end) = (0.0_f64, 1.0_f64);
        for (a, b) in depths.sides(part, &from).into_iter().zip(depths.sides(part, &to)) {
            // a + s (b − a) ≥ 0
            if a < 0.0 && b < 0.0 {
                end = f64::NEG_INFINITY;
            } else if a < 0.0 {
                start = start.max(a / (a - b));
            } else if b < 0.0 {
                end = end.min(a / (a - b));
            }
        }
        if !(end > start + GAP) {
            continue;
        }
        let values = depths.of_part(part);
        let [first, last] = [value(&from, &values), value(&to, &values)];
        let at = |s: f64| first + s * (last - first);
        pieces.push(Piece {
            tet,
            part,
            start,
            end,
            values: [at(start), at(end)],
            slope: last - first,
            gradient: shape.gradient(&values),
        });
    }
}
