//! Connected regions of an intersection, with the surface patches that they bound.

use std::collections::BTreeMap;

use crate::geometry::triangle_mesh::Solidity;
use crate::proximity::model::Model;
use crate::proximity::parts::DisjointSets;
use crate::proximity::relative_pose::RelativePose;
use nalgebra::{Point3, Vector3};

/// Pairs between two looks at the clock: some tens of microseconds.
const BETWEEN_CHECKS: usize = 256;

/// A connected region.
pub(super) struct Region {
    /// Intersecting pairs of triangles.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Triangles of A and of B that intersect, or lie inside the other model, in ascending order.
    pub(super) patches: [Vec<u32>; 2],
}

impl Region {
    /// All intersecting `pairs` as one region, of the triangles that intersect.
    pub(super) fn of_all(pairs: Vec<[u32; 2]>) -> Self {
        let mut patches = [0, 1].map(|side| pairs.iter().map(|pair| pair[side]).collect::<Vec<_>>());
        for patch in &mut patches {
            patch.sort_unstable();
            patch.dedup();
        }
        Self { pairs, patches }
    }
}

/// The regions of the intersecting `pairs`, in the order of their first pairs; `None` where `is_late` returns true before
/// they are known.
pub(super) fn regions(
    (a, b): (&Model, &Model),
    a_to_b: &RelativePose,
    pairs: &[[u32; 2]],
    is_late: &dyn Fn() -> bool,
) -> Option<Vec<Region>> {
    let mut sets = DisjointSets::new(pairs.len());
    unite_neighbours((a, b), pairs, &mut sets, is_late)?;
    let b_to_a = a_to_b.inverse();
    let inside = [
        enclosed((a, b, a_to_b), (pairs, 0), &mut sets, is_late)?,
        enclosed((b, a, &b_to_a), (pairs, 1), &mut sets, is_late)?,
    ];
    // Patches inside the other model join regions, so roots are final only after both sides.
    let mut regions = BTreeMap::new();
    for (index, &pair) in pairs.iter().enumerate() {
        if index.is_multiple_of(BETWEEN_CHECKS) && is_late() {
            return None;
        }
        let region = regions
            .entry(sets.root(index as u32))
            .or_insert_with(|| Region { pairs: Vec::new(), patches: [Vec::new(), Vec::new()] });
        region.pairs.push(pair);
        region.patches[0].push(pair[0]);
        region.patches[1].push(pair[1]);
    }
    for (side, enclosed) in inside.into_iter().enumerate() {
        for (pair, triangle) in enclosed {
            if let Some(region) = regions.get_mut(&sets.root(pair)) {
                region.patches[side].push(triangle);
            }
        }
    }
    let mut regions: Vec<_> = regions.into_values().collect();
    for patch in regions.iter_mut().flat_map(|region| &mut region.patches) {
        patch.sort_unstable();
        patch.dedup();
    }
    Some(regions)
}

/// Unites pairs that are consecutive on the curve: those of the same triangle with a neighbour of the other one.
fn unite_neighbours(
    (a, b): (&Model, &Model),
    pairs: &[[u32; 2]],
    sets: &mut DisjointSets,
    is_late: &dyn Fn() -> bool,
) -> Option<()> {
    let mut first_at = BTreeMap::new();
    for (index, &[i, j]) in pairs.iter().enumerate() {
        if index.is_multiple_of(BETWEEN_CHECKS) && is_late() {
            return None;
        }
        let of_a = a.incidence().corners(i).map(|place| (1, j, place));
        let of_b = b.incidence().corners(j).map(|place| (0, i, place));
        for key in of_a.into_iter().chain(of_b) {
            let first = *first_at.entry(key).or_insert(index as u32);
            sets.unite(first, index as u32);
        }
    }
    Some(())
}

/// Triangles of `model` that lie inside `other` and border on intersecting ones, each with a pair of its region;
/// unites the regions that one patch joins. `side` is the place of `model`'s triangle in a pair.
fn enclosed(
    (model, other, to_other): (&Model, &Model, &RelativePose),
    (pairs, side): (&[[u32; 2]], usize),
    sets: &mut DisjointSets,
    is_late: &dyn Fn() -> bool,
) -> Option<Vec<(u32, u32)>> {
    if other.solidity() == Solidity::Surface {
        return Some(Vec::new());
    }
    let incidence = model.incidence();
    let mut crossing = BTreeMap::new();
    for (index, pair) in pairs.iter().enumerate() {
        if index.is_multiple_of(BETWEEN_CHECKS) && is_late() {
            return None;
        }
        crossing.entry(pair[side]).or_insert(index as u32);
    }
    let mut sides = SideClasses::new(model, other, to_other, pairs, side);
    let mut is_inside = |triangle: u32, corner: usize| {
        sides.is_inside(incidence.corners(triangle)[corner], || {
            let vertex = model.mesh().triangle(triangle as usize)[corner];
            other.contains_in_tree(&to_other.point(&Point3::from(vertex - model.center())).coords)
        })
    };
    let mut seen_places = vec![false; incidence.places()];
    let mut seen = vec![false; model.mesh().triangles().len()];
    let mut found = Vec::new();
    for (&triangle, &pair) in &crossing {
        if is_late() {
            return None;
        }
        for (corner, place) in incidence.corners(triangle).into_iter().enumerate() {
            if seen_places[place as usize] || !is_inside(triangle, corner) {
                continue;
            }
            seen_places[place as usize] = true;
            let mut stack = vec![place];
            // Flood fill over triangles without intersections, up to those with: they bound the patch inside.
            while let Some(place) = stack.pop() {
                for &neighbour in incidence.triangles(place) {
                    if let Some(&met) = crossing.get(&neighbour) {
                        sets.unite(pair, met);
                    } else if !std::mem::replace(&mut seen[neighbour as usize], true) {
                        found.push((pair, neighbour));
                        let next = incidence.corners(neighbour);
                        stack.extend(
                            next.iter().filter(|&&p| !std::mem::replace(&mut seen_places[p as usize], true)),
                        );
                    }
                }
            }
        }
    }
    Some(found)
}

/// Equivalence classes of the corners of intersecting triangles, joined where an edge surely does not cross the other model:
/// then both ends are inside it or both outside, and one evaluation of the winding number decides for the whole class.
struct SideClasses {
    joined: DisjointSets,
    /// Whether the corners of a class are inside, once known; by their root.
    inside: BTreeMap<u32, bool>,
}

impl SideClasses {
    fn new(model: &Model, other: &Model, to_other: &RelativePose, pairs: &[[u32; 2]], side: usize) -> Self {
        let incidence = model.incidence();
        let mut joined = DisjointSets::new(incidence.places());
        let mut sorted: Vec<[u32; 2]> = pairs.iter().map(|pair| [pair[side], pair[1 - side]]).collect();
        sorted.sort_unstable();
        for met in sorted.chunk_by(|x, y| x[0] == y[0]) {
            let corners = model.mesh().triangle(met[0][0] as usize);
            let corners = corners.map(|corner| to_other.point(&Point3::from(corner - model.center())));
            let places = incidence.corners(met[0][0]);
            let mut crossed = [false; 3];
            for &[_, obstacle] in met {
                let triangle = other.mesh().triangle(obstacle as usize).map(|corner| corner - other.center());
                // Rounding counts as a crossing: then the winding number is evaluated for both ends.
                let sides = sides_of_plane(&corners, &triangle);
                for k in 0..3 {
                    crossed[k] |= sides[k] == 0 || sides[k] != sides[(k + 1) % 3];
                }
            }
            for k in (0..3).filter(|&k| !crossed[k]) {
                joined.unite(places[k], places[(k + 1) % 3]);
            }
        }
        Self { joined, inside: BTreeMap::new() }
    }

    fn is_inside(&mut self, place: u32, evaluate: impl FnOnce() -> bool) -> bool {
        *self.inside.entry(self.joined.root(place)).or_insert_with(evaluate)
    }
}

/// The side of a triangle's plane on which each point surely lies: 1, −1, or 0 within rounding.
fn sides_of_plane(points: &[Point3<f64>; 3], triangle: &[Vector3<f64>; 3]) -> [i8; 3] {
    /// Rounding of a height, relative to all lengths that enter. A larger value costs winding numbers, a smaller one
    /// may join corners on different sides. A safeguard, without effect on the sets of docs/sensitivity.md.
    const ROUNDING: f64 = 1e-12;
    let normal = (triangle[1] - triangle[0]).cross(&(triangle[2] - triangle[0]));
    let length = triangle.iter().map(Vector3::norm).fold(0.0, f64::max);
    points.map(|point| {
        let height = (point.coords - triangle[0]).dot(&normal);
        let doubt = ROUNDING * normal.norm() * (length + point.coords.norm());
        i8::from(height > doubt) - i8::from(height < -doubt)
    })
}
