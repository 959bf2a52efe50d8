//! Sources of actors in a scene.

/// Source of an actor in the scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::repair) enum ActorSource {
    /// A robot, by index.
    Robot(usize),
    /// Bodies that move as one, by index; the first one's frame is that of the actor.
    Bodies(Vec<usize>),
    /// Bodies of an articulation, each with its link.
    Linkage(Vec<(usize, usize)>),
    /// A soft body that moves rigidly, by index.
    Soft(usize),
}

/// Treatment of bodies that joints attach to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::repair) enum Ties {
    /// They move as one.
    Rigid,
    /// They move as the joints permit.
    Articulated,
}
