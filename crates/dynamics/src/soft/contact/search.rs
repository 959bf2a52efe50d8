//! Candidates, the mid phase: surface nodes, samples and edges with the tetrahedra that they may be in. A margin keeps the list
//! complete until something has moved by more than it. Candidates are taken from wider neighbourhoods, which stay complete for
//! longer: where few bodies are near each other, that costs little.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::neighbours::Neighbours;
use super::scene::Scene;
use super::tree::Bounds;

/// Margin of the neighbourhoods over that of the candidates, which are taken from them two or three times before they
/// become incomplete. Changes time only: half and twice change none of 5 runs; a deep overlap takes −1.3 % and +6.8 %
/// of the instructions (docs/sensitivity.md).
const WIDE: f64 = 3.0;

/// A point that may be in tetrahedra of a body.
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

/// An edge that may pass through tetrahedra of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EdgeRun {
    pub(super) owner: u32,
    pub(super) edge: u32,
    pub(super) body: u32,
    start: u32,
    end: u32,
}

/// Positions of blocks and samples at the time of a search.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ReferencePositions {
    pub(super) x: Vec<Vector3<f64>>,
    pub(super) samples: Vec<Vec<Vector3<f64>>>,
}

impl ReferencePositions {
    /// Stores the positions of the scene.
    fn record(&mut self, scene: &Scene<'_>) {
        self.x.clear();
        self.x.extend_from_slice(scene.x);
        self.samples.resize_with(scene.samples.len(), Vec::new);
        for (noted, samples) in self.samples.iter_mut().zip(scene.samples) {
            noted.clear();
            noted.extend_from_slice(samples);
        }
    }

    /// Whether nothing has moved by more than `by` [m] since, apart from a common translation.
    fn within(&self, scene: &Scene<'_>, by: f64) -> bool {
        if self.x.len() != scene.x.len()
            || self.samples.len() != scene.samples.len()
            || !self.samples.iter().zip(scene.samples).all(|(a, b)| a.len() == b.len())
        {
            return false;
        }
        let ranges = scene.bodies.iter().map(|body| body.blocks[0] as usize..body.blocks[1] as usize);
        let nodes = ranges.flat_map(|range| self.x[range.clone()].iter().zip(&scene.x[range]));
        let count = nodes.clone().count().max(1);
        // A common translation moves no pair closer: the mean displacement does not count.
        let shift = nodes.clone().map(|(a, b)| b - a).sum::<Vector3<f64>>() / count as f64;
        let samples = self.samples.iter().flatten().zip(scene.samples.iter().flatten());
        nodes.chain(samples).all(|(a, b)| (b - a - shift).norm_squared() <= by * by)
    }
}

/// Positions at which candidates and neighbourhoods were last computed, which determine them; the trees were refitted at the
/// latter.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SearchState {
    pub(super) at: ReferencePositions,
    pub(super) neighbours_at: ReferencePositions,
}

impl SearchState {
    /// Whether the positions have at least a number of blocks, or none.
    pub(super) fn has_blocks(&self, blocks: usize) -> bool {
        [&self.at, &self.neighbours_at].iter().all(|places| places.x.is_empty() || places.x.len() >= blocks)
    }
}

/// Candidates, and the neighbourhoods from which they are taken.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    pub(super) points: Vec<PointRun>,
    pub(super) edges: Vec<EdgeRun>,
    tets: Vec<u32>,
    at: ReferencePositions,
    neighbours: Neighbours,
    neighbours_at: ReferencePositions,
}

impl Candidates {
    /// Positions at which candidates and neighbourhoods were computed.
    pub(super) fn snapshot(&self) -> SearchState {
        SearchState { at: self.at.clone(), neighbours_at: self.neighbours_at.clone() }
    }

    /// Distance [m] within which the neighbourhoods list what is near, for candidates with a margin \[m\]: neither a point nor an
    /// element moves by more than half of it before they are rebuilt.
    pub(super) fn reach_of_neighbours(&self, margin: f64) -> f64 {
        2.0 * WIDE * margin
    }

    /// Position of the blocks where the trees were refitted [m].
    pub(super) fn positions_in_trees(&self) -> &[Vector3<f64>] {
        &self.neighbours_at.x
    }

    /// Tetrahedra of a point's run.
    pub(super) fn tets_of_point(&self, run: &PointRun) -> &[u32] {
        &self.tets[run.start as usize..run.end as usize]
    }

    /// Tetrahedra of an edge's run.
    pub(super) fn tets_of_edge(&self, run: &EdgeRun) -> &[u32] {
        &self.tets[run.start as usize..run.end as usize]
    }

    /// Whether the candidates are complete: nothing has moved by more than `margin` [m] since they were taken.
    pub(super) fn are_complete(&self, scene: &Scene<'_>, margin: f64) -> bool {
        self.at.within(scene, margin)
    }

    /// Whether candidates taken from the neighbourhoods at the scene would be complete.
    pub(super) fn neighbourhoods_are_complete(&self, scene: &Scene<'_>, margin: f64) -> bool {
        self.neighbours_at.within(scene, (WIDE - 1.0) * margin)
    }

    /// Rebuilds the neighbourhoods; the trees must have been refitted to the scene.
    pub(super) fn rebuild_neighbourhoods(&mut self, scene: &Scene<'_>, margin: f64) {
        self.neighbours_at.record(scene);
        // Twice the margin: both the point and the element may move by it.
        self.neighbours.search(scene, self.reach_of_neighbours(margin));
    }

    /// Rebuilds the candidates from the neighbourhoods.
    pub(super) fn rebuild(&mut self, scene: &Scene<'_>, margin: f64) {
        self.at.record(scene);
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
            let near = |tet: &&u32| bounds(&target.tets[**tet as usize], scene.x).meets(&at);
            self.tets.extend(self.neighbours.tets_of(point).iter().filter(near));
            let end = index(self.tets.len());
            if end > start {
                self.points.push(PointRun { owner, place, body, start, end });
            }
        }
    }

    /// Takes the edges within `reach` [m] of tetrahedra that may cross a face or have an end inside.
    fn take_edges(&mut self, scene: &Scene<'_>, reach: f64) {
        self.edges.clear();
        for neighbour in &self.neighbours.edges {
            let [owner, edge, body] = neighbour.key;
            let (from, target) = (&scene.bodies[owner as usize], &scene.bodies[body as usize]);
            let ends = from.edges[edge as usize];
            let corners = ends.map(|end| scene.x[from.nodes[end as usize] as usize]);
            let within = Bounds::of(corners);
            let meets = |nodes: &[u32]| {
                let bounds = bounds(nodes, scene.x).grown(reach);
                bounds.meets(&within) && bounds.is_crossed(&corners)
            };
            let faces = self.neighbours.faces_of(neighbour);
            let crosses = faces.iter().any(|&face| meets(&target.faces[face as usize]));
            if !(crosses || ends.into_iter().any(|end| self.is_listed(owner, end, body))) {
                continue;
            }
            let start = index(self.tets.len());
            let tets = self.neighbours.tets_of(neighbour).iter();
            self.tets.extend(tets.filter(|&&tet| meets(&target.tets[tet as usize])));
            let end = index(self.tets.len());
            if end > start {
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

/// Box around nodes.
fn bounds(nodes: &[u32], x: &[Vector3<f64>]) -> Bounds {
    Bounds::of(nodes.iter().map(|&node| x[node as usize]))
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("candidates are fewer than 2³²")
}
