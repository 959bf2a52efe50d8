//! The search for what is folded into elements of its own body that are excluded.

use nalgebra::Vector3;

use super::body::Body;
use super::contacts::SoftContact;
use super::detect::hit;
use super::edge::max_depth;
use super::folds::{Folds, depth_of};
use super::point::Probe;

impl SoftContact {
    /// Finds the folded nodes and edges at the blocks `x`, among those with other elements of their body nearby; of those that are in
    /// such elements already, the depths of before fall with theirs.
    pub(super) fn find_folds(&mut self, x: &[Vector3<f64>]) {
        let excludes = self.bodies.iter().any(Body::excludes_others);
        if !(self.options.stiffens() && self.options.self_contact && excludes) {
            return;
        }
        self.detect(x);
        let own = self.detected.contacts.iter().filter(|contact| self.owner(contact.probe) == contact.field);
        let mut now: Vec<_> = own.map(|contact| (contact.probe, contact.depth)).collect();
        now.sort_unstable_by_key(|entry| entry.0);
        let mut found = Vec::new();
        let mut add = |probe: Probe, excluded: &mut dyn FnMut() -> f64| {
            let depth = match depth_of(&now, probe) {
                Some(depth) => self.folds.depth_of(probe).min(depth),
                None => excluded(),
            };
            if depth > 0.0 {
                found.push((probe, depth));
            }
        };
        let (mut tets, mut pieces) = (Vec::new(), Vec::new());
        for run in self.candidates.points.iter().filter(|run| run.owner == run.body) {
            let body = &self.bodies[run.body as usize];
            let node = body.nodes[run.place as usize];
            add(Probe::Node(node), &mut || {
                find_excluded(body, &[run.place], &mut tets);
                let depths = tets.iter().map(|&tet| hit(body, tet, None, &x[node as usize], x));
                depths.map(|hit| hit.map_or(0.0, |hit| hit.depth)).fold(0.0, f64::max)
            });
        }
        for run in self.candidates.edges.iter().filter(|run| run.owner == run.body) {
            let body = &self.bodies[run.body as usize];
            let places = body.edges[run.edge as usize];
            let [first, second] = places.map(|place| body.nodes[place as usize]);
            add(Probe::Edge(first, second), &mut || {
                find_excluded(body, &places, &mut tets);
                max_depth([first, second].map(|end| x[end as usize]), body, &tets, x, &mut pieces)
            });
        }
        found.sort_unstable_by_key(|entry| entry.0);
        if found != self.folds.0 {
            self.folds = Folds(found);
            self.detected_at.clear();
        }
    }
}

/// Finds the elements of a body that are excluded for the surface nodes at `places` and that none of these is a corner of.
fn find_excluded(body: &Body, places: &[u32], tets: &mut Vec<u32>) {
    tets.clear();
    let own = |corner: &u32| places.iter().any(|&place| body.nodes[place as usize] == *corner);
    tets.extend(places.iter().flat_map(|&place| body.near(place)).flat_map(|&near| body.tets_of(near)));
    tets.sort_unstable();
    tets.dedup();
    tets.retain(|&tet| !body.tets[tet as usize].iter().any(own));
}
