//! Which surface nodes, samples and edges may be in which tetrahedra: found with the trees, with a margin, so that the
//! list stays complete until something has moved by more than the margin.

use nalgebra::Vector3;

use super::body::Body;
use super::tree::Bounds;

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

    /// Whether nothing has moved by more than `margin` [m] since the search.
    pub(super) fn hold(&self, scene: &Scene<'_>, margin: f64) -> bool {
        let still = |before: &[Vector3<f64>], now: &[Vector3<f64>]| {
            before.len() == now.len()
                && before.iter().zip(now).all(|(a, b)| (a - b).norm_squared() <= margin * margin)
        };
        still(&self.at, scene.x)
            && self.samples_at.len() == scene.samples.len()
            && self.samples_at.iter().zip(scene.samples).all(|(a, b)| still(a, b))
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
            for (place, &node) in (0_u32..).zip(&body.nodes) {
                self.find_point(scene, [owner, place], &scene.x[node as usize], margin);
            }
        }
        for (owner, samples) in (index(scene.bodies.len())..).zip(scene.samples) {
            for (place, sample) in (0_u32..).zip(samples) {
                self.find_point(scene, [owner, place], sample, margin);
            }
        }
        if scene.edges {
            for owner in 0..index(scene.bodies.len()) {
                for body in 0..index(scene.bodies.len()) {
                    self.find_edges(scene, owner, body, margin);
                }
            }
        }
    }

    fn find_point(&mut self, scene: &Scene<'_>, [owner, place]: [u32; 2], at: &Vector3<f64>, margin: f64) {
        let around = Bounds::of([*at]).grown(2.0 * margin);
        for (body, target) in (0_u32..).zip(scene.bodies) {
            let own = owner == body;
            if (own && !scene.self_contact) || !target.tree.bounds().meets(&around) {
                continue;
            }
            let start = index(self.tets.len());
            target.tree.for_each(&around, |tet| {
                if !(own && target.is_near(place, &target.tets[tet as usize])) {
                    self.tets.push(tet);
                }
            });
            let end = index(self.tets.len());
            if end > start {
                self.points.push(PointRun { owner, place, body, start, end });
            }
        }
    }

    /// An edge that has a point inside crosses the surface or has ends inside: tetrahedra are listed only for edges that may
    /// do the one or the other.
    fn find_edges(&mut self, scene: &Scene<'_>, owner: u32, body: u32, margin: f64) {
        let own = owner == body;
        let (from, target) = (&scene.bodies[owner as usize], &scene.bodies[body as usize]);
        let apart = !from.tree.bounds().grown(2.0 * margin).meets(&target.tree.bounds());
        if apart || (own && !scene.self_contact) {
            return;
        }
        let near = |[a, b]: [u32; 2], corners: &[u32]| own && (target.is_near(a, corners) || target.is_near(b, corners));
        for (edge, &ends) in (0_u32..).zip(&from.edges) {
            let corners = ends.map(|end| scene.x[from.nodes[end as usize] as usize]);
            let around = Bounds::of(corners).grown(2.0 * margin);
            let mut crosses = false;
            target.face_tree.for_each(&around, |face| crosses |= !near(ends, &target.faces[face as usize]));
            if !crosses && !ends.iter().any(|&end| self.is_listed(owner, end, body)) {
                continue;
            }
            let start = index(self.tets.len());
            target.tree.for_each(&around, |tet| {
                if !near(ends, &target.tets[tet as usize]) {
                    self.tets.push(tet);
                }
            });
            let end = index(self.tets.len());
            if end > start {
                self.edges.push(EdgeRun { owner, edge, body, start, end });
            }
        }
    }

    fn is_listed(&self, owner: u32, place: u32, body: u32) -> bool {
        self.points.binary_search_by_key(&(owner, place, body), |run| (run.owner, run.place, run.body)).is_ok()
    }
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("candidates are fewer than 2³²")
}
