//! Neighbourhoods, the broad phase: pairs of surface nodes, samples or edges and nearby tetrahedra, found with the trees.
//! Candidates are taken from these few pairs until something has moved far.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::body::Body;
use super::cell::are_beyond_a_face;
use super::groups::Groups;
use super::pairs::Pairs;
use super::scene::Scene;
use super::tree::{Bounds, BoxTree};

/// Queries of a list, the work item of a thread: some tens of microseconds. Fewer: scheduling costs; more: threads idle
/// at the end. No effect on the sets of docs/sensitivity.md.
const QUERIES: usize = 256;

/// A point or an edge in the neighbourhood of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbour {
    /// The owner (a body or, with indices after those of the bodies, an obstacle), the index among its surface nodes, samples or
    /// edges, and the body.
    pub(super) key: [u32; 3],
    tets: [u32; 2],
    faces: [u32; 2],
}

/// All neighbourhoods, ascending by key.
#[derive(Debug, Clone, Default)]
pub(super) struct Neighbours {
    pub(super) points: Vec<Neighbour>,
    pub(super) edges: Vec<Neighbour>,
    tets: Vec<u32>,
    faces: Vec<u32>,
    /// Scratch: the points of an owner, and the results of each work item.
    spots: Vec<Vector3<f64>>,
    lists: Vec<List>,
}

/// Results of some groups of queries, with scratch buffers.
#[derive(Debug, Clone, Default)]
struct List {
    /// Query, and the ends of its tetrahedra and faces.
    runs: Vec<(u32, [u32; 2])>,
    tets: Vec<u32>,
    faces: Vec<u32>,
    /// Primitives near a group and their boxes, grown by the reach.
    close: Vec<(u32, Bounds)>,
    close_tets: Vec<(u32, Bounds)>,
    /// For each node of a body the stamp of the last query that it was near at rest.
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

    /// Takes the tetrahedra of `body` among the `close` ones that its node, or the ends of its edge, at `places` and `points` may be in.
    ///
    /// All of a body's nodes are near some of its elements. Those that a node belongs to, or that are near it at rest, are excluded, and
    /// so are those that it is clearly outside of; not where nodes may be folded into elements near them at rest (`folding.rs`).
    fn take_own(
        &mut self,
        scene: &Scene<'_>,
        body: &Body,
        (places, points): (&[u32], &[Vector3<f64>]),
        close: &[(u32, Bounds)],
        reach: f64,
    ) {
        self.mark(body, places);
        let Self { tets, stamps, stamp, .. } = self;
        let (within, culls) = (Bounds::of(points.iter().copied()), !body.excludes_others());
        let is_crossed = |bounds: &Bounds| match points {
            [a, b] => bounds.is_crossed(&[*a, *b]),
            _ => true,
        };
        let near = |(tet, bounds): &&(u32, Bounds)| {
            let corners = &body.tets[*tet as usize];
            let placed = || corners.map(|node| scene.x[node as usize]);
            bounds.meets(&within)
                && !is_marked(stamps, *stamp, body.blocks[0], corners)
                && is_crossed(bounds)
                && !(culls && are_beyond_a_face(points, &placed(), reach))
        };
        tets.extend(close.iter().filter(near).map(|(tet, _)| *tet));
    }

    /// Closes the run of `query` over the tetrahedra and faces added since the last one; drops the faces if there are no tetrahedra.
    fn close_run(&mut self, query: u32) {
        let [tets, faces] = self.runs.last().map_or([0; 2], |run| run.1);
        if self.tets.len() > tets as usize {
            self.runs.push((query, [index(self.tets.len()), index(self.faces.len())]));
        } else {
            self.faces.truncate(faces as usize);
        }
    }
}

/// Processes all groups in parallel, always the same groups with the same list; returns the number of lists, from the first on,
/// that contain the results in the order of the groups.
fn each_group(lists: &mut Vec<List>, groups: &Groups, work: impl Fn(&mut List, &[u32]) + Sync) -> usize {
    let together = (QUERIES * groups.len()).div_ceil(groups.member_count().max(1)).max(1);
    let count = groups.len().div_ceil(together);
    if lists.len() < count {
        lists.resize_with(count, List::default);
    }
    lists[..count].par_iter_mut().enumerate().with_max_len(1).for_each(|(at, list)| {
        list.runs.clear();
        list.tets.clear();
        list.faces.clear();
        for group in at * together..groups.len().min((at + 1) * together) {
            work(list, groups.members(group));
        }
    });
    count
}

/// Whether one of `corners` was marked for the current query.
fn is_marked(stamps: &[u32], stamp: u32, first: u32, corners: &[u32]) -> bool {
    corners.iter().any(|corner| stamps[(corner - first) as usize] == stamp)
}

/// Collects the primitives whose boxes come within `reach` of `bounds`, with their boxes grown by it.
fn collect(tree: &BoxTree, bounds: &Bounds, reach: f64, close: &mut Vec<(u32, Bounds)>) {
    close.clear();
    tree.for_each(&bounds.grown(reach), |primitive, own| close.push((primitive, own.grown(reach))));
}

/// Appends the results of the lists to `tets` and `faces`; calls `run` with each query and its ranges in them.
fn gather([tets, faces]: [&mut Vec<u32>; 2], lists: &[List], mut run: impl FnMut(u32, [[u32; 2]; 2])) {
    for list in lists {
        let offsets = [index(tets.len()), index(faces.len())];
        let mut start = [0; 2];
        for &(query, end) in &list.runs {
            run(query, [0, 1].map(|i: usize| [offsets[i] + start[i], offsets[i] + end[i]]));
            start = end;
        }
        tets.extend_from_slice(&list.tets);
        faces.extend_from_slice(&list.faces);
    }
}

impl Neighbours {
    /// The tetrahedra in the neighbourhood.
    pub(super) fn tets_of(&self, neighbour: &Neighbour) -> &[u32] {
        &self.tets[neighbour.tets[0] as usize..neighbour.tets[1] as usize]
    }

    /// The faces of the surface in the neighbourhood of an edge.
    pub(super) fn faces_of(&self, neighbour: &Neighbour) -> &[u32] {
        &self.faces[neighbour.faces[0] as usize..neighbour.faces[1] as usize]
    }

    /// Finds all `pairs` within `reach` [m]; the trees must have been refitted to the scene.
    pub(super) fn search(&mut self, scene: &Scene<'_>, pairs: Pairs, reach: f64) {
        self.points.clear();
        self.edges.clear();
        self.tets.clear();
        self.faces.clear();
        let mut spots = std::mem::take(&mut self.spots);
        for (owner, body) in (0_u32..).zip(scene.bodies).filter(|(owner, _)| pairs.have_owner(*owner)) {
            spots.clear();
            spots.extend(body.nodes.iter().map(|&node| scene.x[node as usize]));
            self.find_points(scene, pairs, (owner, &spots, &body.node_groups), reach);
        }
        if pairs == Pairs::Others {
            for (owner, samples) in (index(scene.bodies.len())..).zip(scene.samples) {
                self.find_points(scene, pairs, (owner, samples, &Groups::of_single(samples.len())), reach);
            }
        }
        self.spots = spots;
        self.points.sort_unstable_by_key(|point| point.key);
        if scene.edges {
            for owner in 0..index(scene.bodies.len()) {
                for body in (0..index(scene.bodies.len())).filter(|body| pairs.contain([owner, *body])) {
                    self.find_edges(scene, owner, body, reach);
                }
            }
        }
        self.edges.sort_unstable_by_key(|edge| edge.key);
    }

    /// Lists the tetrahedra that the points of an owner may be in.
    fn find_points(
        &mut self,
        scene: &Scene<'_>,
        pairs: Pairs,
        (owner, spots, groups): (u32, &[Vector3<f64>], &Groups),
        reach: f64,
    ) {
        for (body, target) in (0_u32..).zip(scene.bodies) {
            let own = owner == body;
            if !pairs.contain([owner, body])
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
                        list.take_own(scene, target, (&[*place], &[spot(place)]), &close, reach);
                    } else {
                        let at = Bounds::of([spot(place)]);
                        list.tets.extend(close.iter().filter(|(_, b)| b.meets(&at)).map(|(tet, _)| *tet));
                    }
                    list.close_run(*place);
                }
                list.close = close;
            };
            let count = each_group(&mut self.lists, groups, work);
            let points = &mut self.points;
            gather([&mut self.tets, &mut self.faces], &self.lists[..count], |place, [tets, _]| {
                points.push(Neighbour { key: [owner, place, body], tets, faces: [0; 2] });
            });
        }
    }

    /// Lists the tetrahedra that edges of `owner` may pass through in `body`.
    ///
    /// An edge of another body with a point inside crosses the surface or has an end inside: tetrahedra are listed only for edges that
    /// may do either. Within a body an edge may enter an element beside one that is inverted, without crossing the surface.
    fn find_edges(&mut self, scene: &Scene<'_>, owner: u32, body: u32, reach: f64) {
        let own = owner == body;
        let (from, target) = (&scene.bodies[owner as usize], &scene.bodies[body as usize]);
        if !from.tree.bounds().grown(reach).meets(&target.tree.bounds()) {
            return;
        }
        let ends_of = |edge: u32| {
            let ends = from.edges[edge as usize];
            (ends, ends.map(|end| scene.x[from.nodes[end as usize] as usize]))
        };
        let mut lists = std::mem::take(&mut self.lists);
        let listed = |end: u32| self.is_listed(owner, end, body);
        let work = |list: &mut List, members: &[u32]| {
            let (mut close, mut close_tets) =
                (std::mem::take(&mut list.close), std::mem::take(&mut list.close_tets));
            let around = Bounds::of(members.iter().flat_map(|&edge| ends_of(edge).1));
            close.clear();
            if !own {
                collect(&target.face_tree, &around, reach, &mut close);
            }
            let mut have_tets = false;
            for &edge in members {
                let (ends, corners) = ends_of(edge);
                let within = Bounds::of(corners);
                let meets = |bounds: &Bounds| bounds.meets(&within) && bounds.is_crossed(&corners);
                let before = list.faces.len();
                list.faces.extend(close.iter().filter(|(_, bounds)| meets(bounds)).map(|(face, _)| *face));
                if !(own || list.faces.len() > before || ends.into_iter().any(listed)) {
                    continue;
                }
                // Most groups cross no face: the tree of tetrahedra is traversed only once one does.
                if !have_tets {
                    collect(&target.tree, &around, reach, &mut close_tets);
                    have_tets = true;
                }
                if own {
                    list.take_own(scene, target, (&ends, &corners), &close_tets, reach);
                } else {
                    list.tets
                        .extend(close_tets.iter().filter(|(_, bounds)| meets(bounds)).map(|(tet, _)| *tet));
                }
                list.close_run(edge);
            }
            (list.close, list.close_tets) = (close, close_tets);
        };
        let count = each_group(&mut lists, &from.edge_groups, work);
        let edges = &mut self.edges;
        gather([&mut self.tets, &mut self.faces], &lists[..count], |edge, [tets, faces]| {
            edges.push(Neighbour { key: [owner, edge, body], tets, faces });
        });
        self.lists = lists;
    }

    /// Whether a point has tetrahedra of `body` in its neighbourhood.
    fn is_listed(&self, owner: u32, place: u32, body: u32) -> bool {
        self.points.binary_search_by_key(&[owner, place, body], |point| point.key).is_ok()
    }
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("neighbours are fewer than 2³²")
}
