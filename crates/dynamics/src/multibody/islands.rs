//! Islands that hold robots: their contacts and free bodies.

use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::geometry::ContactPair;
use rapier3d::pipeline::PhysicsWorld;

use crate::rigid::{parents, raw};
use crate::robot::body::RobotBody;

/// Contacts and free bodies of the islands that hold robots.
pub(super) struct Islands<'a> {
    /// Pairs with contacts, and their bodies, in the order of the bodies.
    pub(super) pairs: Vec<(&'a ContactPair, [RigidBodyHandle; 2])>,
    /// Bodies that are no links, in the order of their handles.
    pub(super) bodies: Vec<RigidBodyHandle>,
}

impl<'a> Islands<'a> {
    /// Islands of the robots with trees, after rapier's step.
    pub(super) fn new(physics: &'a PhysicsWorld, robots: &[RobotBody]) -> Self {
        let count = physics.bodies.iter().map(|(handle, _)| raw(handle) + 1).max().unwrap_or(0);
        let mut groups = Groups::new(count);
        let mut links = Vec::new();
        for tree in robots.iter().filter_map(RobotBody::tree) {
            links.extend(tree.links.iter().map(|link| raw(link.body)));
            tree.links.windows(2).for_each(|pair| groups.join(raw(pair[0].body), raw(pair[1].body)));
        }
        let moves = |body: RigidBodyHandle| physics.bodies[body].is_dynamic();
        let mut pairs = Vec::new();
        for pair in physics.narrow_phase.contact_pairs() {
            let touches =
                pair.solver_manifolds().iter().any(|manifold| !manifold.data.solver_contacts.is_empty());
            let Some([a, b]) =
                parents(&physics.colliders, [pair.collider1, pair.collider2]).filter(|_| touches)
            else {
                continue;
            };
            if moves(a) && moves(b) {
                groups.join(raw(a), raw(b));
            }
            pairs.push((pair, [a, b]));
        }
        let mut is_ours = vec![false; count];
        for &link in &links {
            is_ours[groups.first(link)] = true;
        }
        let mut ours = |body: RigidBodyHandle| moves(body) && is_ours[groups.first(raw(body))];
        pairs.retain(|(_, [a, b])| ours(*a) || ours(*b));
        pairs.sort_by_key(|(pair, [a, b])| {
            (raw(*a), raw(*b), pair.collider1.into_raw_parts(), pair.collider2.into_raw_parts())
        });
        let mut bodies: Vec<RigidBodyHandle> =
            pairs.iter().flat_map(|(_, bodies)| *bodies).filter(|&body| ours(body)).collect();
        bodies.sort_by_key(|&body| raw(body));
        bodies.dedup();
        links.sort_unstable();
        bodies.retain(|&body| links.binary_search(&raw(body)).is_err());
        Self { pairs, bodies }
    }
}

/// Groups of things that are connected, by index.
pub(super) struct Groups {
    first: Vec<usize>,
}

impl Groups {
    /// A group for each of `count`.
    pub(super) fn new(count: usize) -> Self {
        Self { first: (0..count).collect() }
    }

    /// First member of the group.
    pub(super) fn first(&mut self, body: usize) -> usize {
        let mut first = body;
        while self.first[first] != first {
            first = self.first[first];
        }
        self.first[body] = first;
        first
    }

    /// Joins the groups of two.
    pub(super) fn join(&mut self, a: usize, b: usize) {
        let [a, b] = [self.first(a), self.first(b)];
        self.first[a.max(b)] = a.min(b);
    }
}
