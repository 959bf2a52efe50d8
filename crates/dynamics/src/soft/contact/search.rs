//! Candidates, the mid phase: surface nodes, samples and edges with the tetrahedra that they may be in. A margin keeps the list
//! complete until something has moved by more than it. Candidates are taken from wider neighbourhoods, which stay complete for
//! longer: where few bodies are near each other, that costs little. Those within one body are a list of their own, which a rigid motion
//! of the body leaves complete: all of its nodes are near some of its elements, always.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::body::Body;
use super::cell::are_beyond_a_face;
use super::neighbours::Neighbours;
use super::options::ContactOptions;
use super::pairs::Pairs;
use super::reference::ReferencePositions;
use super::scene::Scene;
use super::tree::Bounds;

/// Default margin of the search as a fraction of the longest edge, of all bodies or within one of its own: with a smaller one candidates are rebuilt more
/// often, with a larger one there are more of them. Changes time, not results. Half and twice change none of 5 runs; a
/// deep overlap takes −2.9 % and +13 % of the instructions (docs/sensitivity.md).
const MARGIN: f64 = 0.05;

/// Margin of the neighbourhoods over that of the candidates, which are taken from them two or three times before they
/// become incomplete. Changes time only: half and twice change none of 5 runs; a deep overlap takes −1.3 % and +6.8 %
/// of the instructions (docs/sensitivity.md).
const WIDE: f64 = 3.0;

/// A point that may be in tetrahedra of a body: of those whose boxes it meets, the ones that it is not clearly outside of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PointRun {
    /// The body, or with indices after those of the bodies the obstacle, that the point belongs to.
    pub(super) owner: u32,
    /// The index among the body's surface nodes or the obstacle's samples.
    pub(super) place: u32,
    pub(super) body: u32,
    start: u32,
    end: u32,
}

/// An edge that may pass through tetrahedra of a body: of those whose boxes it meets, the ones that it is not clearly outside of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EdgeRun {
    pub(super) owner: u32,
    pub(super) edge: u32,
    pub(super) body: u32,
    start: u32,
    end: u32,
}

/// Positions at which the candidates and the neighbourhoods of each list were last computed, which determine them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SearchState(Vec<[ReferencePositions; 2]>);

impl SearchState {
    /// Whether the positions are those of some bodies, or none.
    pub(super) fn fits(&self, bodies: &[Body]) -> bool {
        let blocks = bodies.iter().map(|body| body.range().end).max().unwrap_or(0);
        let fit = |at: &ReferencePositions, number: usize| match number {
            _ if at.x.is_empty() => true,
            0 => at.x.len() >= blocks,
            own => at.x.len() == bodies[own - 1].range().len(),
        };
        self.0.len() <= bodies.len() + 1
            && self.0.iter().enumerate().all(|(number, both)| both.iter().all(|at| fit(at, number)))
    }
}

/// Candidates of some pairs, and the neighbourhoods from which they are taken.
#[derive(Debug, Clone)]
struct List {
    pairs: Pairs,
    points: Vec<PointRun>,
    edges: Vec<EdgeRun>,
    tets: Vec<u32>,
    at: ReferencePositions,
    neighbours: Neighbours,
    neighbours_at: ReferencePositions,
}

/// All candidates, ascending by key.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    pub(super) points: Vec<PointRun>,
    pub(super) edges: Vec<EdgeRun>,
    /// That of different bodies, then those within each of them.
    lists: Vec<List>,
}

impl Candidates {
    /// Positions at which candidates and neighbourhoods were computed.
    pub(super) fn snapshot(&self) -> SearchState {
        SearchState(self.lists.iter().map(|list| [list.at.clone(), list.neighbours_at.clone()]).collect())
    }

    /// Computes candidates and neighbourhoods at the positions of a state.
    pub(super) fn restore(&mut self, state: SearchState, bodies: &mut [Body], options: &ContactOptions) {
        *self = Self::default();
        let blocks = bodies.iter().map(|body| body.range().end).max().unwrap_or(0);
        for (number, [near, wide]) in state.0.into_iter().enumerate() {
            let mut list = List::of(number);
            let margin = margin_of(list.pairs, bodies, options);
            // The others' places do not matter to a list within a body.
            let placed = |at: &ReferencePositions| match list.pairs {
                Pairs::Others => at.x.clone(),
                Pairs::Own(body) => {
                    let mut x = vec![Vector3::zeros(); blocks];
                    x[bodies[body as usize].range()].copy_from_slice(&at.x);
                    x
                }
            };
            let [near_x, wide_x] =
                [&near, &wide].map(|at| if at.x.is_empty() { Vec::new() } else { placed(at) });
            if !wide_x.is_empty() {
                list.refit(bodies, &wide_x);
                list.find_neighbours(&Scene::of(bodies, &wide_x, &wide.samples, options), margin);
            }
            if !near_x.is_empty() {
                list.take(&Scene::of(bodies, &near_x, &near.samples, options), margin);
            }
            self.lists.push(list);
        }
        self.merge();
    }

    /// Rebuilds the lists that are no longer complete at the blocks `x` and the samples of the obstacles [m], and their
    /// neighbourhoods where these are not either: neither a point nor an element moves by more than the margin [m] before they are
    /// rebuilt.
    pub(super) fn update(
        &mut self,
        bodies: &mut [Body],
        (x, samples): (&[Vector3<f64>], &[Vec<Vector3<f64>>]),
        options: &ContactOptions,
    ) {
        let count = if options.self_contact { bodies.len() + 1 } else { 1 };
        (self.lists.len()..count).for_each(|number| self.lists.push(List::of(number)));
        let (mut are_refitted, mut changes) = (false, false);
        for list in &mut self.lists {
            let margin = margin_of(list.pairs, bodies, options);
            let scene = Scene::of(bodies, x, samples, options);
            if list.at.within(&scene, list.pairs, margin) {
                continue;
            }
            if !list.neighbours_at.within(&scene, list.pairs, (WIDE - 1.0) * margin) {
                if !are_refitted {
                    list.refit(bodies, x);
                    are_refitted = list.pairs == Pairs::Others;
                }
                list.find_neighbours(&Scene::of(bodies, x, samples, options), margin);
            }
            list.take(&Scene::of(bodies, x, samples, options), margin);
            changes = true;
        }
        if changes {
            self.merge();
        }
    }

    /// Merges the lists.
    fn merge(&mut self) {
        self.points.clear();
        self.edges.clear();
        for list in &self.lists {
            self.points.extend_from_slice(&list.points);
            self.edges.extend_from_slice(&list.edges);
        }
        // Stable sorts merge what ascends already.
        self.points.sort_by_key(|run| [run.owner, run.place, run.body]);
        self.edges.sort_by_key(|run| [run.owner, run.edge, run.body]);
    }

    /// Tetrahedra of a point's run.
    pub(super) fn tets_of_point(&self, run: &PointRun) -> &[u32] {
        &self.list_of(run.owner, run.body).tets[run.start as usize..run.end as usize]
    }

    /// Tetrahedra of an edge's run.
    pub(super) fn tets_of_edge(&self, run: &EdgeRun) -> &[u32] {
        &self.list_of(run.owner, run.body).tets[run.start as usize..run.end as usize]
    }

    /// The list that a run is of.
    fn list_of(&self, owner: u32, body: u32) -> &List {
        &self.lists[if owner == body { body as usize + 1 } else { 0 }]
    }
}

impl List {
    /// The empty list of a number: that of different bodies, then those within each of them.
    fn of(number: usize) -> Self {
        let pairs = if number == 0 { Pairs::Others } else { Pairs::Own(index(number - 1)) };
        Self {
            pairs,
            points: Vec::new(),
            edges: Vec::new(),
            tets: Vec::new(),
            at: ReferencePositions::default(),
            neighbours: Neighbours::default(),
            neighbours_at: ReferencePositions::default(),
        }
    }

    /// Refits the trees of the bodies of the pairs to the blocks `x`.
    fn refit(&self, bodies: &mut [Body], x: &[Vector3<f64>]) {
        match self.pairs {
            Pairs::Others => bodies.iter_mut().for_each(|body| body.refit(x)),
            Pairs::Own(body) => bodies[body as usize].refit(x),
        }
    }

    /// Finds the neighbourhoods; the trees must have been refitted to the scene.
    fn find_neighbours(&mut self, scene: &Scene<'_>, margin: f64) {
        self.neighbours_at.record(scene, self.pairs);
        // Twice the margin: both the point and the element may move by it.
        self.neighbours.search(scene, self.pairs, 2.0 * WIDE * margin);
    }

    /// Takes the candidates from the neighbourhoods.
    fn take(&mut self, scene: &Scene<'_>, margin: f64) {
        self.at.record(scene, self.pairs);
        self.tets.clear();
        self.take_points(scene, 2.0 * margin);
        self.take_edges(scene, 2.0 * margin);
    }

    /// Takes the points within `reach` [m] of tetrahedra.
    fn take_points(&mut self, scene: &Scene<'_>, reach: f64) {
        self.points.clear();
        for point in &self.neighbours.points {
            let [owner, place, body] = point.key;
            let target = &scene.bodies[body as usize];
            let spot = match scene.bodies.get(owner as usize) {
                Some(from) => scene.x[from.nodes[place as usize] as usize],
                None => scene.samples[owner as usize - scene.bodies.len()][place as usize],
            };
            let at = Bounds::of([spot]).grown(reach);
            let start = index(self.tets.len());
            let mut is_met = false;
            for &tet in self.neighbours.tets_of(point) {
                let corners = target.tets[tet as usize].map(|node| scene.x[node as usize]);
                if Bounds::of(corners).meets(&at) {
                    is_met = true;
                    if !are_beyond_a_face(&[spot], &corners, reach) {
                        self.tets.push(tet);
                    }
                }
            }
            let end = index(self.tets.len());
            if end > start || is_met && owner == body && target.excludes_others() {
                self.points.push(PointRun { owner, place, body, start, end });
            }
        }
    }

    /// Takes the edges within `reach` [m] of tetrahedra that may cross a face or have an end inside, or are in their own body.
    fn take_edges(&mut self, scene: &Scene<'_>, reach: f64) {
        self.edges.clear();
        for neighbour in &self.neighbours.edges {
            let [owner, edge, body] = neighbour.key;
            let (from, target) = (&scene.bodies[owner as usize], &scene.bodies[body as usize]);
            let ends = from.edges[edge as usize];
            let corners = ends.map(|end| scene.x[from.nodes[end as usize] as usize]);
            let within = Bounds::of(corners);
            let meets = |bounds: Bounds| {
                let bounds = bounds.grown(reach);
                bounds.meets(&within) && bounds.is_crossed(&corners)
            };
            let faces = self.neighbours.faces_of(neighbour);
            let crosses = faces.iter().any(|&face| meets(bounds(&target.faces[face as usize], scene.x)));
            if !(owner == body || crosses || ends.into_iter().any(|end| self.is_listed(owner, end, body))) {
                continue;
            }
            let start = index(self.tets.len());
            let mut is_met = false;
            for &tet in self.neighbours.tets_of(neighbour) {
                let nodes = target.tets[tet as usize].map(|node| scene.x[node as usize]);
                if meets(Bounds::of(nodes)) {
                    is_met = true;
                    if !are_beyond_a_face(&corners, &nodes, reach) {
                        self.tets.push(tet);
                    }
                }
            }
            let end = index(self.tets.len());
            if end > start || is_met && owner == body && target.excludes_others() {
                self.edges.push(EdgeRun { owner, edge, body, start, end });
            }
        }
    }

    /// Whether a point is a candidate for `body`.
    fn is_listed(&self, owner: u32, place: u32, body: u32) -> bool {
        self.points
            .binary_search_by_key(&(owner, place, body), |run| (run.owner, run.place, run.body))
            .is_ok()
    }
}

/// Distance [m] that something may move before candidates of the pairs are searched again.
fn margin_of(pairs: Pairs, bodies: &[Body], options: &ContactOptions) -> f64 {
    let longest = match pairs {
        Pairs::Others => bodies.iter().map(|body| body.longest).fold(0.0, f64::max),
        Pairs::Own(own) => bodies[own as usize].longest,
    };
    options.margin.unwrap_or(MARGIN * longest)
}

/// Box around nodes.
fn bounds(nodes: &[u32], x: &[Vector3<f64>]) -> Bounds {
    Bounds::of(nodes.iter().map(|&node| x[node as usize]))
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("candidates are fewer than 2³²")
}
