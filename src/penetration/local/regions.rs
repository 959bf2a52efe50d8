//! Connected regions of an intersection, with the patches that they bound.

use std::collections::BTreeMap;

use super::empty_patches;
use crate::geometry::Solidity;
use crate::proximity::Model;
use crate::proximity::parts::DisjointSets;
use crate::proximity::patch::Patch;
use crate::proximity::placement::Placement;
use nalgebra::Point3;

/// A connected region.
pub(super) struct Region {
    /// Intersecting pairs of triangles.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Triangles of A and of B that intersect, or lie inside the other one.
    pub(super) patches: [Patch; 2],
}

/// The regions of the intersecting `pairs`, in the order of their first pairs.
pub(super) fn regions(a: &Model, b: &Model, a_to_b: &Placement, pairs: &[[u32; 2]]) -> Vec<Region> {
    let mut sets = DisjointSets::new(pairs.len());
    unite_neighbours(a, b, pairs, &mut sets);
    let inside =
        [enclosed(a, b, a_to_b, pairs, 0, &mut sets), enclosed(b, a, &a_to_b.inverse(), pairs, 1, &mut sets)];
    let mut regions = BTreeMap::new();
    for (index, &pair) in pairs.iter().enumerate() {
        let region = regions
            .entry(sets.root(index as u32))
            .or_insert_with(|| Region { pairs: Vec::new(), patches: empty_patches(a, b) });
        region.pairs.push(pair);
        region.patches[0].insert(pair[0]);
        region.patches[1].insert(pair[1]);
    }
    for (side, enclosed) in inside.into_iter().enumerate() {
        for (pair, triangle) in enclosed {
            if let Some(region) = regions.get_mut(&sets.root(pair)) {
                region.patches[side].insert(triangle);
            }
        }
    }
    regions.into_values().collect()
}

/// The curve goes on from a pair to the pairs of the same triangle with a neighbour of the other one.
fn unite_neighbours(a: &Model, b: &Model, pairs: &[[u32; 2]], sets: &mut DisjointSets) {
    let mut first_at = BTreeMap::new();
    for (index, &[i, j]) in pairs.iter().enumerate() {
        let of_a = a.incidence().corners(i).map(|place| (1, j, place));
        let of_b = b.incidence().corners(j).map(|place| (0, i, place));
        for key in of_a.into_iter().chain(of_b) {
            let first = *first_at.entry(key).or_insert(index as u32);
            sets.unite(first, index as u32);
        }
    }
}

/// Triangles of `model` that lie inside `other` and border on intersecting ones, each with a pair of its region;
/// unites the regions that one patch joins. `side` says which of a pair's triangles is of `model`.
fn enclosed(
    model: &Model,
    other: &Model,
    to_other: &Placement,
    pairs: &[[u32; 2]],
    side: usize,
    sets: &mut DisjointSets,
) -> Vec<(u32, u32)> {
    if other.solidity() == Solidity::Surface {
        return Vec::new();
    }
    let incidence = model.incidence();
    let mut crossing = BTreeMap::new();
    for (index, pair) in pairs.iter().enumerate() {
        crossing.entry(pair[side]).or_insert(index as u32);
    }
    let is_inside = |triangle: u32, corner: usize| {
        let vertex = model.mesh().triangle(triangle as usize)[corner];
        other.contains_in_tree(&to_other.point(&Point3::from(vertex - model.center())).coords)
    };
    let mut seen_places = vec![false; incidence.places()];
    let mut seen = Patch::new(model.mesh().triangles().len());
    let mut found = Vec::new();
    for (&triangle, &pair) in &crossing {
        for (corner, place) in incidence.corners(triangle).into_iter().enumerate() {
            if seen_places[place as usize] || !is_inside(triangle, corner) {
                continue;
            }
            seen_places[place as usize] = true;
            let mut stack = vec![place];
            while let Some(place) = stack.pop() {
                for &neighbour in incidence.triangles(place) {
                    if let Some(&met) = crossing.get(&neighbour) {
                        sets.unite(pair, met);
                    } else if !seen.contains(neighbour) {
                        seen.insert(neighbour);
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
    found
}
