//! The curve of a graph that crosses a patch and stays farthest from its border.
//!
//! Arcs are united in the order of decreasing distance from the border, as in Kruskal's algorithm, with the crossings
//! along the path from the root of its component as the potential of each node. A cycle whose crossings do not cancel is
//! a closed curve through the patch; two nodes of one component with different potentials are the ends of an open one.
//! Of every component the two best ends with different potentials are stored, which suffices: of the best ends of two
//! components the better one is the best of both, and the best one with another potential is among the other three.

use crate::proximity::curves_and_patches::curve_graph::Arc;

/// Buckets of arcs by distance: more order them more finely.
const BUCKETS: usize = 128;
/// Marks an end that does not exist.
const NONE: u32 = u32::MAX;

/// A node as the end of a curve.
#[derive(Debug, Clone, Copy)]
struct End {
    /// Distance from the patch [m].
    reach: f32,
    node: u32,
    /// Crossings along the path from the root.
    potential: i32,
}

impl End {
    const NONE: Self = Self { reach: f32::NEG_INFINITY, node: NONE, potential: 0 };
}

/// A curve found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Found {
    /// From one node to another one.
    Open([u32; 2]),
    /// Through this arc and the forest between its ends.
    Closed(u32),
}

/// The problem: distances of arcs and nodes, and crossings.
pub(super) struct Widths<'a> {
    pub(super) arcs: &'a [Arc],
    /// Distance of each arc from the border of the patch [m].
    pub(super) border: &'a [f32],
    /// Distance of each node from the patch [m].
    pub(super) reach: &'a [f32],
    /// Crossings of each arc with the patch, with their signs.
    pub(super) crossings: &'a [i32],
}

/// The forest of a search, reused from one to the next.
#[derive(Debug, Default)]
pub(super) struct WidestCurve {
    order: Vec<u32>,
    parent: Vec<u32>,
    /// Crossings from the parent to the node.
    offset: Vec<i32>,
    ends: Vec<[End; 2]>,
    /// Arcs of the forest.
    forest: Vec<u32>,
    /// For paths: arcs of the forest at each node, compressed rows, and the arc by which a node was reached.
    offsets: Vec<u32>,
    at_nodes: Vec<u32>,
    reached_by: Vec<u32>,
    queue: Vec<u32>,
}

impl WidestCurve {
    /// The curve with the maximum margin, if above `above`, and that margin [m]; margins above `enough` count as
    /// equal. The margin of a curve is the minimum distance of its arcs from the border and of its ends from the patch.
    pub(super) fn find(&mut self, widths: &Widths, above: f32, enough: f32) -> Option<(f32, Found)> {
        self.start(widths, above, enough);
        let mut best: Option<(f32, Found)> = None;
        let mut narrowest = enough;
        for place in 0..self.order.len() {
            let arc = self.order[place];
            narrowest = narrowest.min(widths.border[arc as usize]);
            if best.is_some_and(|(margin, _)| margin >= narrowest) {
                break;
            }
            let ends = widths.arcs[arc as usize].ends;
            let crossings = widths.crossings[arc as usize];
            let [(p, at_p), (q, at_q)] = ends.map(|node| self.root(node));
            // Crossings from the root of P to that of Q.
            let between = at_p + crossings - at_q;
            if p == q {
                if between != 0 {
                    return Some((narrowest, Found::Closed(arc)));
                }
                continue;
            }
            self.forest.push(arc);
            let pair = self.unite([p, q], between);
            let margin = pair[1].reach.min(narrowest);
            if margin > above && best.is_none_or(|(best, _)| margin > best) {
                best = Some((margin, Found::Open([pair[0].node, pair[1].node])));
            }
        }
        best
    }

    /// Sorts the arcs that may be used by decreasing distance, and resets the forest.
    fn start(&mut self, widths: &Widths, above: f32, enough: f32) {
        let scale = BUCKETS as f32 / (enough - above);
        let bucket = |border: f32| (((border - above) * scale) as usize).min(BUCKETS - 1);
        let mut counts = [0_usize; BUCKETS + 1];
        // NaN fails: such an arc is not used.
        for &border in widths.border.iter().filter(|&&border| border > above) {
            counts[BUCKETS - 1 - bucket(border) + 1] += 1;
        }
        for place in 1..=BUCKETS {
            counts[place] += counts[place - 1];
        }
        self.order.clear();
        self.order.resize(counts[BUCKETS], 0);
        for (arc, &border) in widths.border.iter().enumerate().filter(|(_, border)| **border > above) {
            let place = &mut counts[BUCKETS - 1 - bucket(border)];
            self.order[*place] = arc as u32;
            *place += 1;
        }
        let nodes = widths.reach.len();
        self.parent.clear();
        self.parent.extend(0..nodes as u32);
        self.offset.clear();
        self.offset.resize(nodes, 0);
        self.ends.clear();
        let end = |(node, &reach): (usize, &f32)| [End { reach, node: node as u32, potential: 0 }, End::NONE];
        self.ends.extend(widths.reach.iter().enumerate().map(end));
        self.forest.clear();
    }

    /// The root of a node's component and the crossings from it to the node.
    fn root(&mut self, node: u32) -> (u32, i32) {
        let (mut root, mut crossings) = (node, 0);
        while self.parent[root as usize] != root {
            crossings += self.offset[root as usize];
            root = self.parent[root as usize];
        }
        // Path compression.
        let (mut next, mut left) = (node, crossings);
        while self.parent[next as usize] != root && next != root {
            let (parent, offset) = (self.parent[next as usize], self.offset[next as usize]);
            self.parent[next as usize] = root;
            self.offset[next as usize] = left;
            left -= offset;
            next = parent;
        }
        (root, crossings)
    }

    /// Unites two components, `between` crossings from the root of the first to that of the second; returns the best two ends
    /// with different potentials.
    fn unite(&mut self, [p, q]: [u32; 2], between: i32) -> [End; 2] {
        self.parent[q as usize] = p;
        self.offset[q as usize] = between;
        let moved = self.ends[q as usize].map(|end| End { potential: end.potential + between, ..end });
        let all = [self.ends[p as usize], moved];
        // The first component wins ties.
        let [near, far] = if all[0][0].reach >= all[1][0].reach { all } else { [all[1], all[0]] };
        let best = near[0];
        let others = [near[1], far[0], far[1]].into_iter().filter(|end| end.potential != best.potential);
        let second =
            others.fold(End::NONE, |second, end| if end.reach > second.reach { end } else { second });
        self.ends[p as usize] = [best, second];
        [best, second]
    }

    /// Appends the arcs of a curve in order, each with whether it is followed from its first to its second end.
    pub(super) fn path(&mut self, arcs: &[Arc], found: Found, path: &mut Vec<(u32, bool)>) {
        let [from, to] = match found {
            Found::Open(ends) => ends,
            Found::Closed(arc) => {
                // Along the arc, and back through the forest.
                path.push((arc, true));
                let [first, second] = arcs[arc as usize].ends;
                [second, first]
            }
        };
        self.reach_all(arcs, from, to);
        let start = path.len();
        let mut node = to;
        while node != from {
            let arc = self.reached_by[node as usize];
            let [first, second] = arcs[arc as usize].ends;
            path.push((arc, second == node));
            node = if second == node { first } else { second };
        }
        path[start..].reverse();
    }

    /// Breadth-first search in the forest from one node until the other one is reached.
    fn reach_all(&mut self, arcs: &[Arc], from: u32, to: u32) {
        let nodes = self.parent.len();
        self.offsets.clear();
        self.offsets.resize(nodes + 2, 0);
        let ends = |arc: &u32| arcs[*arc as usize].ends;
        for end in self.forest.iter().flat_map(ends) {
            self.offsets[end as usize + 2] += 1;
        }
        for place in 2..nodes + 2 {
            self.offsets[place] += self.offsets[place - 1];
        }
        self.at_nodes.clear();
        self.at_nodes.resize(2 * self.forest.len(), 0);
        for arc in &self.forest {
            for end in ends(arc) {
                let place = &mut self.offsets[end as usize + 1];
                self.at_nodes[*place as usize] = *arc;
                *place += 1;
            }
        }
        self.reached_by.clear();
        self.reached_by.resize(nodes, NONE);
        self.queue.clear();
        self.queue.push(from);
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            if node == to {
                return;
            }
            let [first, last] = [0, 1].map(|k| self.offsets[node as usize + k] as usize);
            for &arc in &self.at_nodes[first..last] {
                let [p, q] = arcs[arc as usize].ends;
                let other = if p == node { q } else { p };
                if other != from && self.reached_by[other as usize] == NONE {
                    self.reached_by[other as usize] = arc;
                    self.queue.push(other);
                }
            }
        }
    }
}
