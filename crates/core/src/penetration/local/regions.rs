//! Connected regions of an intersection, with the surface patches that they bound.

use std::collections::BTreeMap;

use crate::geometry::triangle_mesh::Solidity;
use crate::proximity::model::Model;
use crate::proximity::parts::DisjointSets;
use crate::proximity::relative_pose::RelativePose;
use crate::proximity::work_limit::WorkLimit;
use nalgebra::{Point3, Vector3};

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

/// The regions of the sorted intersecting `pairs`, in the order of their first pairs; `None` where the limit is spent before
/// they are known.
pub(super) fn regions(
    (a, b): (&Model, &Model),
    a_to_b: &RelativePose,
    pairs: &[[u32; 2]],
    limit: &mut WorkLimit,
) -> Option<Vec<Region>> {
    let mut sets = DisjointSets::new(pairs.len());
    unite_neighbours(pairs, 0, b, &mut sets, limit)?;
    unite_neighbours(pairs, 1, a, &mut sets, limit)?;
    let b_to_a = a_to_b.inverse();
    let inside = [
        enclosed((a, b, a_to_b), (pairs, 0), &mut sets, limit)?,
        enclosed((b, a, &b_to_a), (pairs, 1), &mut sets, limit)?,
    ];
    // Patches inside the other model join regions, so roots are final only after both sides.
    let mut regions = BTreeMap::new();
    for (index, &pair) in pairs.iter().enumerate() {
        if limit.spend() {
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

/// Unites pairs that are consecutive on the curve: those of one triangle, on a side of the pairs, with neighbours of the other
/// model; `None` where the limit is spent.
fn unite_neighbours(
    pairs: &[[u32; 2]],
    side: usize,
    other: &Model,
    sets: &mut DisjointSets,
    limit: &mut WorkLimit,
) -> Option<()> {
    let incidence = other.incidence();
    // Of every place the triangle, plus one, that was last met there, and the index of its first pair.
    let mut first_at = vec![[0; 2]; incidence.places()];
    for index in in_order(pairs, side) {
        if limit.spend() {
            return None;
        }
        let pair = pairs[index as usize];
        for place in incidence.corners(pair[1 - side]) {
            let first = &mut first_at[place as usize];
            if first[0] != pair[side] + 1 {
                *first = [pair[side] + 1, index];
            }
            sets.unite(first[1], index);
        }
    }
    Some(())
}

/// Indices of sorted pairs in the order of their triangles on a side.
fn in_order(pairs: &[[u32; 2]], side: usize) -> Vec<u32> {
    let mut order: Vec<_> = (0..pairs.len() as u32).collect();
    // Stable, and linear where they are in order already.
    order.sort_by_key(|&index| pairs[index as usize][side]);
    order
}

/// Triangles of `model` that lie inside `other` and border on intersecting ones, each with a pair of its region;
/// unites the regions that one patch joins. `side` is the place of `model`'s triangle in a pair.
fn enclosed(
    (model, other, to_other): (&Model, &Model, &RelativePose),
    (pairs, side): (&[[u32; 2]], usize),
    sets: &mut DisjointSets,
    limit: &mut WorkLimit,
) -> Option<Vec<(u32, u32)>> {
    if other.solidity() == Solidity::Surface {
        return Some(Vec::new());
    }
    let incidence = model.incidence();
    let order = in_order(pairs, side);
    // The triangles that intersect, in ascending order, each with its first pair.
    let mut crossing: Vec<_> = order.iter().map(|&index| (pairs[index as usize][side], index)).collect();
    crossing.dedup_by_key(|(triangle, _)| *triangle);
    let crossing_at = |triangle: u32| {
        let found = crossing.binary_search_by_key(&triangle, |&(triangle, _)| triangle);
        found.ok().map(|place| crossing[place].1)
    };
    let mut sides = SideClasses::new((model, other, to_other), (pairs, side), &order, limit)?;
    let mut is_inside = |triangle: u32, corner: usize, limit: &mut WorkLimit| {
        sides.is_inside(incidence.corners(triangle)[corner], || {
            let vertex = model.mesh().triangle(triangle as usize)[corner];
            let placed = to_other.point(&Point3::from(vertex - model.center())).coords;
            let (is_inside, visited) = other.contains_counted(&placed);
            limit.spend_many(visited);
            is_inside
        })
    };
    let mut seen_places = vec![false; incidence.places()];
    let mut seen = vec![false; model.mesh().triangles().len()];
    let mut found = Vec::new();
    for &(triangle, pair) in &crossing {
        if limit.spend() {
            return None;
        }
        for (corner, place) in incidence.corners(triangle).into_iter().enumerate() {
            if seen_places[place as usize] || !is_inside(triangle, corner, limit) {
                continue;
            }
            seen_places[place as usize] = true;
            let mut stack = vec![place];
            // Flood fill over triangles without intersections, up to those with: they bound the patch inside.
            while let Some(place) = stack.pop() {
                for &neighbour in incidence.triangles(place) {
                    if let Some(met) = crossing_at(neighbour) {
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
    /// The classes of the pairs, given with their indices in the order of the model's triangles; `None` where the limit is spent.
    fn new(
        (model, other, to_other): (&Model, &Model, &RelativePose),
        (pairs, side): (&[[u32; 2]], usize),
        order: &[u32],
        limit: &mut WorkLimit,
    ) -> Option<Self> {
        let incidence = model.incidence();
        let mut joined = DisjointSets::new(incidence.places());
        let of = |index: &u32| pairs[*index as usize];
        for met in order.chunk_by(|x, y| of(x)[side] == of(y)[side]) {
            let own = of(&met[0])[side];
            let corners = model.mesh().triangle(own as usize);
            let corners = corners.map(|corner| to_other.point(&Point3::from(corner - model.center())));
            let places = incidence.corners(own);
            let mut crossed = [false; 3];
            for obstacle in met.iter().map(|index| of(index)[1 - side]) {
                if limit.spend() {
                    return None;
                }
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
        Some(Self { joined, inside: BTreeMap::new() })
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
