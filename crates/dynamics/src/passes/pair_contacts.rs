//! Contacts of the pairs of a part of a step, counted once for the passes that read them.

use extricate_core::parallel;
use rapier3d::geometry::ContactPair;
use rapier3d::pipeline::PhysicsWorld;

use super::awake::Awake;

/// Number of pairs below which threads would cost more than they save.
const MIN_PER_THREAD: usize = 128;

/// Contacts of two bodies, as the solver was given them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairContacts {
    /// Raw indices of the bodies.
    pub(crate) bodies: [usize; 2],
    /// Maximum depth at the start of the part [m]; negative for a disjoint pair, −∞ without points.
    pub(crate) depth: f64,
    /// Number of manifolds with contacts.
    pub(crate) manifolds: usize,
    /// Number of contacts.
    pub(crate) contacts: usize,
}

impl PairContacts {
    fn of(pair: &ContactPair, awake: &Awake) -> Option<Self> {
        let bodies = awake.owners([pair.collider1, pair.collider2])?;
        let mut this = Self { bodies, depth: f64::NEG_INFINITY, manifolds: 0, contacts: 0 };
        for manifold in pair.solver_manifolds() {
            this.manifolds += usize::from(!manifold.data.solver_contacts.is_empty());
            this.contacts += manifold.data.solver_contacts.len();
            this.depth = manifold.points.iter().map(|contact| -contact.dist).fold(this.depth, f64::max);
        }
        Some(this)
    }
}

/// Contacts of all pairs with a body that is awake, in the order of [`Awake::pairs`].
pub(crate) fn collect(physics: &PhysicsWorld, awake: &Awake, into: &mut Vec<PairContacts>) {
    let pairs = awake.pairs(physics);
    let contacts = parallel::map_slice(&pairs, MIN_PER_THREAD, |pair| PairContacts::of(pair, awake));
    into.clear();
    into.extend(contacts.into_iter().flatten());
}
