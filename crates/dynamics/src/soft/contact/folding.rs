//! The search for what is folded into elements of its own body that are excluded.

use nalgebra::Vector3;

use super::body::Body;
use super::contacts::{MARGIN, SoftContact};
use super::detect::hit;
use super::edge::max_depth;
use super::folds::{Folds, depth_of};
use super::point::Probe;
use super::tree::Bounds;

impl SoftContact {
    /// Finds the folded nodes and edges at the blocks `x`, among those with other elements of their body nearby; of those that are in
    /// such elements already, the depths of before fall with theirs.
    pub(super) fn find_folds(&mut self, x: &[Vector3<f64>]) {
        if !(self.options.stiffens() && self.options.self_contact) {
            return;
        }
        self.detect(x);
        let own = self.detected.contacts.iter().filter(|contact| self.owner(contact.probe) == contact.field);
        let mut now: Vec<_> = own.map(|contact| (contact.probe, contact.depth)).collect();
        now.sort_unstable_by_key(|entry| entry.0);
        let reach = self.candidates.reach_of_neighbours(self.options.margin.unwrap_or(MARGIN * self.longest));
        let there = self.candidates.positions_in_trees();
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
                find_excluded(body, &[run.place], there, reach, &mut tets);
                let depths = tets.iter().map(|&tet| hit(body, tet, None, &x[node as usize], x));
                depths.map(|hit| hit.map_or(0.0, |hit| hit.depth)).fold(0.0, f64::max)
            });
        }
        for run in self.candidates.edges.iter().filter(|run| run.owner == run.body) {
            let body = &self.bodies[run.body as usize];
            let places = body.edges[run.edge as usize];
            let [first, second] = places.map(|place| body.nodes[place as usize]);
            add(Probe::Edge(first, second), &mut || {
                find_excluded(body, &places, there, reach, &mut tets);
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

/// Finds the elements of a body that are excluded for the surface nodes at `places`, that none of these is a corner of, and that may
/// be within `reach` [m] of the box around them; the body's tree was refitted where its blocks were `there` [m].
fn find_excluded(body: &Body, places: &[u32], there: &[Vector3<f64>], reach: f64, tets: &mut Vec<u32>) {
    tets.clear();
    let own = |corner: &u32| places.iter().any(|&place| body.nodes[place as usize] == *corner);
    let is_near = |corner: &u32| places.iter().any(|&place| body.near(place).binary_search(corner).is_ok());
    let around = Bounds::of(places.iter().map(|&place| there[body.nodes[place as usize] as usize]));
    body.tree.for_each(&around.grown(reach), |tet, _| {
        let corners = &body.tets[tet as usize];
        if !corners.iter().any(own) && corners.iter().any(is_near) {
            tets.push(tet);
        }
    });
}
