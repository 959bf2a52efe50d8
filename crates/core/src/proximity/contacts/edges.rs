//! Edges of a mesh and the faces at them; where shells of a closed mesh meet, one edge for every wedge of the solid.
//!
//! Where two solids of a mesh touch along an edge, welding leaves one edge of four faces. The faces alternate around it: from one
//! that is used backwards to the next one that is used forwards lies a wedge of the solid. Taken apart in pairs, the edges join two
//! faces each, which agree on the outside, and the mesh has an outside everywhere.

use std::collections::HashMap;

use nalgebra::{Point3, Vector3};

/// An edge of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    /// Indices of its ends among the welded vertices.
    pub(super) ends: [u32; 2],
}

/// Edges of a mesh while its adjacency is computed.
pub(super) struct EdgesOfFaces {
    pub(super) edges: Vec<Edge>,
    /// Edges of each triangle: edge k connects corners k and k + 1.
    pub(super) of_triangles: Vec<[u32; 3]>,
    /// Pairs of an edge and a face at it, in the order of the faces.
    pub(super) entries: Vec<(u32, u32)>,
}

impl EdgesOfFaces {
    /// Edges in the order of their first triangles, then those that were taken apart.
    pub(super) fn new(positions: &[Point3<f64>], corners: &[[u32; 3]]) -> Self {
        let mut numbers = HashMap::new();
        let mut edges = Vec::new();
        let mut entries = Vec::with_capacity(3 * corners.len());
        let mut triangle_edges = Vec::with_capacity(corners.len());
        for (face, &[a, b, c]) in (0_u32..).zip(corners) {
            triangle_edges.push([[a, b], [b, c], [c, a]].map(|[from, to]| {
                let ends = [from.min(to), from.max(to)];
                let edge = *numbers.entry(ends).or_insert_with(|| {
                    edges.push(Edge { ends });
                    u32::try_from(edges.len() - 1).expect("edges are numbered in 32 bits")
                });
                // An edge of a degenerate triangle without length has no faces.
                if from != to {
                    entries.push((edge, face));
                }
                edge
            }));
        }
        let mut found = Self { edges, of_triangles: triangle_edges, entries };
        take_apart(positions, corners, &mut found);
        found
    }
}

/// A face at an edge.
#[derive(Debug, Clone, Copy)]
struct Use {
    entry: usize,
    face: u32,
    /// Whether the face runs from the first to the second end of the edge.
    is_forward: bool,
    /// Place around the edge: see [`pseudo_angle`].
    angle: f64,
}

/// Takes apart the edges of more than two faces that are used equally often in both directions. The one with the first face
/// keeps its number, the others follow those of the mesh. Edges beside triangles without an area remain as they are.
fn take_apart(positions: &[Point3<f64>], corners: &[[u32; 3]], found: &mut EdgesOfFaces) {
    let mut counts = vec![0_u32; found.edges.len()];
    found.entries.iter().for_each(|&(edge, _)| counts[edge as usize] += 1);
    if counts.iter().all(|&count| count <= 2) {
        return;
    }
    let mut shared: Vec<_> =
        (0..found.entries.len()).filter(|&at| counts[found.entries[at].0 as usize] > 2).collect();
    shared.sort_by_key(|&at| found.entries[at]);
    let is_inside_out = sixfold_volume(positions, corners) < 0.0;
    let entries = found.entries.clone();
    for group in shared.chunk_by(|&a, &b| entries[a].0 == entries[b].0) {
        let edge = entries[group[0]].0;
        let Some(mut uses) = uses_around(positions, corners, (found, edge), group) else { continue };
        // Where the mesh is inside out, the wedges are between forward and backward ones.
        uses.iter_mut().for_each(|place| place.is_forward ^= is_inside_out);
        let mut pairs = wedges(uses);
        pairs.sort_by_key(|[a, b]| a.face.min(b.face));
        for pair in pairs.into_iter().skip(1) {
            let number = u32::try_from(found.edges.len()).expect("edges are numbered in 32 bits");
            found.edges.push(found.edges[edge as usize]);
            for place in pair {
                found.entries[place.entry].0 = number;
                let of_triangle = &mut found.of_triangles[place.face as usize];
                of_triangle.iter_mut().filter(|own| **own == edge).for_each(|own| *own = number);
            }
        }
    }
}

/// Sixfold volume [m³] inside a closed mesh; negative where it is inside out.
pub(super) fn sixfold_volume(positions: &[Point3<f64>], corners: &[[u32; 3]]) -> f64 {
    let Some(&origin) = positions.first() else { return 0.0 };
    let of_triangle = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|vertex| positions[vertex as usize] - origin);
        a.dot(&b.cross(&c))
    };
    corners.iter().map(of_triangle).sum()
}

/// The faces around an edge in the order of their angles, or `None` where they are not used equally often in both directions, or
/// their angles are not defined.
fn uses_around(
    positions: &[Point3<f64>],
    corners: &[[u32; 3]],
    (found, edge): (&EdgesOfFaces, u32),
    group: &[usize],
) -> Option<Vec<Use>> {
    let ends = found.edges[edge as usize].ends;
    let [from, to] = ends.map(|vertex| positions[vertex as usize]);
    let along = (to - from).try_normalize(0.0)?;
    let mut axes: Option<[Vector3<f64>; 2]> = None;
    let mut uses = Vec::with_capacity(group.len());
    for &entry in group {
        let face = found.entries[entry].1;
        let [a, b, c] = corners[face as usize];
        let apex = [a, b, c].into_iter().find(|vertex| !ends.contains(vertex))?;
        let away = positions[apex as usize] - from;
        let away = (away - along * along.dot(&away)).try_normalize(0.0)?;
        let [first, second] = *axes.get_or_insert_with(|| [away, along.cross(&away)]);
        let is_forward = [[a, b], [b, c], [c, a]].contains(&ends);
        uses.push(Use { entry, face, is_forward, angle: pseudo_angle(away.dot(&first), away.dot(&second)) });
    }
    let forward = uses.iter().filter(|place| place.is_forward).count();
    if 2 * forward != uses.len() {
        return None;
    }
    // Of faces that coincide, the end of a wedge comes before the start of the next one.
    uses.sort_by(|a, b| a.angle.total_cmp(&b.angle).then(b.is_forward.cmp(&a.is_forward)));
    Some(uses)
}

/// Pairs of a backward face and the forward one that ends its wedge, around the edge; of wedges in each other, the inner ones first.
fn wedges(uses: Vec<Use>) -> Vec<[Use; 2]> {
    let (mut open, mut pairs) = (Vec::new(), Vec::with_capacity(uses.len() / 2));
    let mut is_paired = vec![false; uses.len()];
    // Twice around: a wedge may contain the place where the angles begin.
    for (index, place) in uses.iter().enumerate().chain(uses.iter().enumerate()) {
        if is_paired[index] {
            continue;
        }
        if !place.is_forward {
            if !open.contains(&index) {
                open.push(index);
            }
        } else if let Some(start) = open.pop() {
            (is_paired[start], is_paired[index]) = (true, true);
            pairs.push([uses[start], *place]);
        }
    }
    pairs
}

/// Number in [0, 4) that grows with the angle of a vector from the first axis towards the second one, without trigonometry.
fn pseudo_angle(x: f64, y: f64) -> f64 {
    let part = y / (x.abs() + y.abs());
    match (x >= 0.0, y >= 0.0) {
        (true, true) => part,
        (false, _) => 2.0 - part,
        (true, false) => 4.0 + part,
    }
}
