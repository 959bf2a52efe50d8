//! Which surface nodes, samples and edges may be in which tetrahedra: found with the trees, with a margin, so that the
//! list stays complete until something has moved by more than the margin.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::body::Body;
use super::tree::Bounds;

/// Least number of queries that a thread takes at a time: some tens of microseconds' worth.
const CHUNK: usize = 128;

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
    /// Scratch: the points of an owner, and which of them or of its edges have candidates.
    spots: Vec<Vector3<f64>>,
    flags: Vec<bool>,
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
        for (owner, body) in (0_u32..).zip(scene.bodies) {
            self.spots.clear();
            self.spots.extend(body.nodes.iter().map(|&node| scene.x[node as usize]));
            self.find_points(scene, owner, margin);
        }
        for (owner, samples) in (index(scene.bodies.len())..).zip(scene.samples) {
            self.spots.clear();
            self.spots.extend_from_slice(samples);
            self.find_points(scene, owner, margin);
        }
        self.points.sort_unstable_by_key(|run| (run.owner, run.place, run.body));
        if scene.edges {
            for owner in 0..index(scene.bodies.len()) {
                for body in 0..index(scene.bodies.len()) {
                    self.find_edges(scene, owner, body, margin);
                }
            }
        }
    }

    /// Lists the tetrahedra that `spots`, the points of `owner`, may be in.
    ///
    /// Few points have any: which have is found in parallel, and the lists are then written in order.
    fn find_points(&mut self, scene: &Scene<'_>, owner: u32, margin: f64) {
        for (body, target) in (0_u32..).zip(scene.bodies) {
            let own = owner == body;
            let root = target.tree.bounds();
            if (own && !scene.self_contact)
                || !Bounds::of(self.spots.iter().copied()).grown(2.0 * margin).meets(&root)
            {
                continue;
            }
            let around = |spot: &Vector3<f64>| Bounds::of([*spot]).grown(2.0 * margin);
            let counts = |place: u32, tet: u32| !(own && target.is_near(place, &target.tets[tet as usize]));
            let has_any = |place: u32, spot: &Vector3<f64>| {
                let mut any = false;
                target.tree.for_each(&around(spot), |tet, _| any = any || counts(place, tet));
                any
            };
            let places = self.spots.par_iter().enumerate().with_min_len(CHUNK);
            places.map(|(place, spot)| has_any(index(place), spot)).collect_into_vec(&mut self.flags);
            for (place, spot) in (0_u32..).zip(&self.spots).filter(|(place, _)| self.flags[*place as usize]) {
                let start = index(self.tets.len());
                target.tree.for_each(&around(spot), |tet, _| {
                    if counts(place, tet) {
                        self.tets.push(tet);
                    }
                });
                self.points.push(PointRun { owner, place, body, start, end: index(self.tets.len()) });
            }
        }
    }

    /// Lists the tetrahedra that edges of `owner` may pass through in `body`.
    ///
    /// An edge that has a point inside crosses the surface or has ends inside: tetrahedra are listed only for edges that may
    /// do the one or the other.
    fn find_edges(&mut self, scene: &Scene<'_>, owner: u32, body: u32, margin: f64) {
        let own = owner == body;
        let (from, target) = (&scene.bodies[owner as usize], &scene.bodies[body as usize]);
        let apart = !from.tree.bounds().grown(2.0 * margin).meets(&target.tree.bounds());
        if apart || (own && !scene.self_contact) {
            return;
        }
        let near = |[a, b]: [u32; 2], corners: &[u32]| {
            own && (target.is_near(a, corners) || target.is_near(b, corners))
        };
        let ends_of = |ends: [u32; 2]| ends.map(|end| scene.x[from.nodes[end as usize] as usize]);
        let mut flags = std::mem::take(&mut self.flags);
        let crosses = |ends: [u32; 2]| {
            let corners = ends_of(ends);
            let mut crosses = false;
            target.face_tree.for_each(&Bounds::of(corners).grown(2.0 * margin), |face, bounds| {
                crosses = crosses
                    || (bounds.grown(2.0 * margin).is_crossed(&corners)
                        && !near(ends, &target.faces[face as usize]));
            });
            crosses || ends.iter().any(|&end| self.is_listed(owner, end, body))
        };
        from.edges.par_iter().with_min_len(CHUNK).map(|&ends| crosses(ends)).collect_into_vec(&mut flags);
        for (edge, &ends) in (0_u32..).zip(&from.edges).filter(|(edge, _)| flags[*edge as usize]) {
            let corners = ends_of(ends);
            let start = index(self.tets.len());
            target.tree.for_each(&Bounds::of(corners).grown(2.0 * margin), |tet, bounds| {
                if bounds.grown(2.0 * margin).is_crossed(&corners) && !near(ends, &target.tets[tet as usize])
                {
                    self.tets.push(tet);
                }
            });
            let end = index(self.tets.len());
            if end > start {
                self.edges.push(EdgeRun { owner, edge, body, start, end });
            }
        }
        self.flags = flags;
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
