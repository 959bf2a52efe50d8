//! Which surface nodes, samples and edges may be in which tetrahedra: found with the trees, with a margin, so that the
//! list stays complete until something has moved by more than the margin.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::body::Body;
use super::groups::Groups;
use super::tree::{Bounds, BoxTree};

/// Queries of a list, which one thread works off at a time: some tens of microseconds' worth.
const QUERIES: usize = 256;

/// Nodes, and edges, for which a tree is descended once.
pub(super) const NODES_TOGETHER: usize = 8;
/// See [`NODES_TOGETHER`].
pub(super) const EDGES_TOGETHER: usize = 16;

/// A point that may be in tetrahedra of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PointRun {
    /// The body or, counted on behind the bodies, the obstacle whose point it is.
    pub(super) owner: u32,
    /// The place among the body's surface nodes or the obstacle's samples.
    pub(super) place: u32,
    pub(super) body: u32,
    start: u32,
    end: u32,
}

/// An edge that may pass through tetrahedra of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EdgeRun {
    pub(super) owner: u32,
    pub(super) edge: u32,
    pub(super) body: u32,
    start: u32,
    end: u32,
}

/// What a search looks at.
pub(super) struct Scene<'a> {
    pub(super) bodies: &'a [Body],
    pub(super) x: &'a [Vector3<f64>],
    /// Samples of each obstacle [m, world].
    pub(super) samples: &'a [Vec<Vector3<f64>>],
    pub(super) self_contact: bool,
    pub(super) edges: bool,
}

/// Candidates, and where everything was when they were found.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    pub(super) points: Vec<PointRun>,
    pub(super) edges: Vec<EdgeRun>,
    tets: Vec<u32>,
    at: Vec<Vector3<f64>>,
    samples_at: Vec<Vec<Vector3<f64>>>,
    /// Scratch: the points of an owner, and what each thread finds.
    spots: Vec<Vector3<f64>>,
    lists: Vec<List>,
}

/// What is found for some groups of queries, with memory for finding it.
#[derive(Debug, Clone, Default)]
struct List {
    /// Query, and the end of its tetrahedra.
    runs: Vec<(u32, u32)>,
    tets: Vec<u32>,
    /// Primitives near a group and their boxes, grown by twice the margin.
    close: Vec<(u32, Bounds)>,
    close_tets: Vec<(u32, Bounds)>,
    /// Of each node of a body the last query that it was near at rest.
    stamps: Vec<u32>,
    stamp: u32,
}

impl List {
    /// Marks the nodes, counted as blocks, that are near the surface's nodes `places` at rest, for the next query.
    fn mark(&mut self, body: &Body, places: &[u32]) {
        self.stamp = self.stamp.wrapping_add(1);
        let [first, end] = body.blocks;
        if self.stamps.len() != (end - first) as usize || self.stamp == 0 {
            self.stamps.clear();
            self.stamps.resize((end - first) as usize, 0);
            self.stamp = 1;
        }
        for &node in places.iter().flat_map(|&place| body.near(place)) {
            self.stamps[(node - first) as usize] = self.stamp;
        }
    }

    /// Writes down the tetrahedra that were added for `query`, if any.
    fn close_run(&mut self, query: u32) {
        let end = index(self.tets.len());
        if end > self.runs.last().map_or(0, |run| run.1) {
            self.runs.push((query, end));
        }
    }
}

/// Works off all groups, in parallel, always the same groups with the same list; returns how many lists, from the first on, have
/// what was found, in the order of the groups.
fn each_group(lists: &mut Vec<List>, groups: &Groups, work: impl Fn(&mut List, &[u32]) + Sync) -> usize {
    let together = (QUERIES * groups.len()).div_ceil(groups.member_count().max(1)).max(1);
    let count = groups.len().div_ceil(together);
    if lists.len() < count {
        lists.resize_with(count, List::default);
    }
    lists[..count].par_iter_mut().enumerate().with_max_len(1).for_each(|(at, list)| {
        list.runs.clear();
        list.tets.clear();
        for group in at * together..groups.len().min((at + 1) * together) {
            work(list, groups.members(group));
        }
    });
    count
}

/// Whether one of `corners` was marked last.
fn is_marked(stamps: &[u32], stamp: u32, first: u32, corners: &[u32]) -> bool {
    corners.iter().any(|corner| stamps[(corner - first) as usize] == stamp)
}

/// The primitives whose boxes come within `reach` of `bounds`.
fn collect(tree: &BoxTree, bounds: &Bounds, reach: f64, close: &mut Vec<(u32, Bounds)>) {
    close.clear();
    tree.for_each(&bounds.grown(reach), |primitive, own| close.push((primitive, own.grown(reach))));
}

impl Candidates {
    /// Tetrahedra of a point's run.
    pub(super) fn tets_of_point(&self, run: &PointRun) -> &[u32] {
        &self.tets[run.start as usize..run.end as usize]
    }

    /// Tetrahedra of an edge's run.
    pub(super) fn tets_of_edge(&self, run: &EdgeRun) -> &[u32] {
        &self.tets[run.start as usize..run.end as usize]
    }

    /// Whether nothing has moved by more than `margin` [m] since the search, apart from a translation of everything.
    pub(super) fn hold(&self, scene: &Scene<'_>, margin: f64) -> bool {
        if self.at.len() != scene.x.len()
            || self.samples_at.len() != scene.samples.len()
            || !self.samples_at.iter().zip(scene.samples).all(|(a, b)| a.len() == b.len())
        {
            return false;
        }
        let ranges = scene.bodies.iter().map(|body| body.blocks[0] as usize..body.blocks[1] as usize);
        let nodes = ranges.flat_map(|range| self.at[range.clone()].iter().zip(&scene.x[range]));
        let count = nodes.clone().count().max(1);
        let shift = nodes.clone().map(|(a, b)| b - a).sum::<Vector3<f64>>() / count as f64;
        let samples = self.samples_at.iter().flatten().zip(scene.samples.iter().flatten());
        nodes.chain(samples).all(|(a, b)| (b - a - shift).norm_squared() <= margin * margin)
    }

    /// Searches anew; the trees are to be fitted to the scene before.
    pub(super) fn refresh(&mut self, scene: &Scene<'_>, margin: f64) {
        self.points.clear();
        self.edges.clear();
        self.tets.clear();
        self.at.clear();
        self.at.extend_from_slice(scene.x);
        self.samples_at.clear();
        self.samples_at.extend(scene.samples.iter().cloned());
        let mut spots = std::mem::take(&mut self.spots);
        for (owner, body) in (0_u32..).zip(scene.bodies) {
            spots.clear();
            spots.extend(body.nodes.iter().map(|&node| scene.x[node as usize]));
            self.find_points(scene, (owner, &spots, &body.node_groups), margin);
        }
        for (owner, samples) in (index(scene.bodies.len())..).zip(scene.samples) {
            self.find_points(scene, (owner, samples, &Groups::of_single(samples.len())), margin);
        }
        self.spots = spots;
        self.points.sort_unstable_by_key(|run| (run.owner, run.place, run.body));
        if scene.edges {
            for owner in 0..index(scene.bodies.len()) {
                for body in 0..index(scene.bodies.len()) {
                    self.find_edges(scene, owner, body, margin);
                }
            }
        }
        self.edges.sort_unstable_by_key(|run| (run.owner, run.edge, run.body));
    }

    /// Lists the tetrahedra that the points of an owner may be in.
    fn find_points(
        &mut self,
        scene: &Scene<'_>,
        (owner, spots, groups): (u32, &[Vector3<f64>], &Groups),
        margin: f64,
    ) {
        for (body, target) in (0_u32..).zip(scene.bodies) {
            let own = owner == body;
            let reach = 2.0 * margin;
            if (own && !scene.self_contact)
                || !Bounds::of(spots.iter().copied()).grown(reach).meets(&target.tree.bounds())
            {
                continue;
            }
            let work = |list: &mut List, members: &[u32]| {
                let spot = |&place: &u32| spots[place as usize];
                let mut close = std::mem::take(&mut list.close);
                collect(&target.tree, &Bounds::of(members.iter().map(spot)), reach, &mut close);
                for place in members.iter().filter(|_| !close.is_empty()) {
                    if own {
                        list.mark(target, &[*place]);
                    }
                    let at = Bounds::of([spot(place)]);
                    for (tet, bounds) in &close {
                        let corners = &target.tets[*tet as usize];
                        if bounds.meets(&at)
                            && !(own && is_marked(&list.stamps, list.stamp, target.blocks[0], corners))
                        {
                            list.tets.push(*tet);
                        }
                    }
                    list.close_run(*place);
                }
                list.close = close;
            };
            let count = each_group(&mut self.lists, groups, work);
            let points = &mut self.points;
            Self::gather(&mut self.tets, &self.lists[..count], |place, start, end| {
                points.push(PointRun { owner, place, body, start, end });
            });
        }
    }

    /// Lists the tetrahedra that edges of `owner` may pass through in `body`.
    ///
    /// An edge that has a point inside crosses the surface or has ends inside: tetrahedra are listed only for edges that may
    /// do the one or the other.
    fn find_edges(&mut self, scene: &Scene<'_>, owner: u32, body: u32, margin: f64) {
        let own = owner == body;
        let (from, target) = (&scene.bodies[owner as usize], &scene.bodies[body as usize]);
        let reach = 2.0 * margin;
        let apart = !from.tree.bounds().grown(reach).meets(&target.tree.bounds());
        if apart || (own && !scene.self_contact) {
            return;
        }
        let ends_of = |edge: u32| {
            let ends = from.edges[edge as usize];
            (ends, ends.map(|end| scene.x[from.nodes[end as usize] as usize]))
        };
        let first = target.blocks[0];
        let mut lists = std::mem::take(&mut self.lists);
        let listed = |end: u32| self.is_listed(owner, end, body);
        let work = |list: &mut List, members: &[u32]| {
            let (mut close, mut close_tets) =
                (std::mem::take(&mut list.close), std::mem::take(&mut list.close_tets));
            let around = Bounds::of(members.iter().flat_map(|&edge| ends_of(edge).1));
            collect(&target.face_tree, &around, reach, &mut close);
            let mut have_tets = false;
            for &edge in members {
                let (ends, corners) = ends_of(edge);
                let within = Bounds::of(corners);
                if own {
                    list.mark(target, &ends);
                }
                let (stamps, stamp) = (&list.stamps, list.stamp);
                let meets = |bounds: &Bounds, nodes: &[u32]| {
                    bounds.meets(&within)
                        && !(own && is_marked(stamps, stamp, first, nodes))
                        && bounds.is_crossed(&corners)
                };
                let crosses = close.iter().any(|(face, bounds)| meets(bounds, &target.faces[*face as usize]));
                if !(crosses || ends.into_iter().any(listed)) {
                    continue;
                }
                if !have_tets {
                    collect(&target.tree, &around, reach, &mut close_tets);
                    have_tets = true;
                }
                let hit = |(tet, bounds): &&(u32, Bounds)| meets(bounds, &target.tets[*tet as usize]);
                list.tets.extend(close_tets.iter().filter(hit).map(|(tet, _)| *tet));
                list.close_run(edge);
            }
            (list.close, list.close_tets) = (close, close_tets);
        };
        let count = each_group(&mut lists, &from.edge_groups, work);
        let edges = &mut self.edges;
        Self::gather(&mut self.tets, &lists[..count], |edge, start, end| {
            edges.push(EdgeRun { owner, edge, body, start, end });
        });
        self.lists = lists;
    }

    /// Moves what the lists found behind the other tetrahedra; calls `run` with each query and where its own stand.
    fn gather(tets: &mut Vec<u32>, lists: &[List], mut run: impl FnMut(u32, u32, u32)) {
        for list in lists {
            let (offset, mut start) = (index(tets.len()), 0);
            for &(query, end) in &list.runs {
                run(query, offset + start, offset + end);
                start = end;
            }
            tets.extend_from_slice(&list.tets);
        }
    }

    fn is_listed(&self, owner: u32, place: u32, body: u32) -> bool {
        self.points
            .binary_search_by_key(&(owner, place, body), |run| (run.owner, run.place, run.body))
            .is_ok()
    }
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("candidates are fewer than 2³²")
}
