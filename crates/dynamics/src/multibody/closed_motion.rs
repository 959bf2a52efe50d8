//! Free motion of a tree whose loops are closed.
//!
//! The forces that do so are those with which the velocity of the displacement has no part that opens a loop where the tree is in the
//! middle of the step, J(q̄) v̄ = 0: with the midpoint rule they do no work. They are found by fixed-point iteration: a step with the forces found so far, then the
//! impulses that end what is left. Where the iteration diverges, the rows of the displacement and of the velocity alone do so: projections of another configuration, with
//! which robots that whirl gain or lose energy.

use super::coupled::violation;
use super::midpoint::Step;
use super::motion::MovingTree;
use super::ports::Ports;

/// Maximum number of corrections. Those that converge need three to six.
const MAX_CORRECTIONS: usize = 12;
/// Velocity that opens loops, over the largest velocity at their links, at which they count as closed. Larger, and mechanisms that spin gain energy.
const CLOSED: f64 = 1e-10;
/// The same above which a violation that grows is one of an iteration that diverges; below, the accuracy of single steps lets it vary.
const DIVERGED: f64 = 1e-3;

/// Starts a step: velocities that open loops or violate couplings, as those of a robot that continuous collision moved back, become the nearest ones
/// in kinetic energy that do not. A projection: they have no more of it.
pub(super) fn begin(tree: &mut MovingTree<'_>, step: &Step) {
    if tree.loops.is_empty() && violation(tree.couplings, &tree.v) <= CLOSED {
        return;
    }
    tree.multibody.place(&tree.base, &tree.q, &mut tree.placement);
    let drives = std::mem::take(&mut tree.drives);
    let ports = Ports::new(tree, (Vec::new(), Vec::new()), (0, step.h));
    let mut v = std::mem::take(&mut tree.v);
    ports.apply(tree, (&vec![0.0; ports.count()], false), &mut v);
    tree.v = v;
    tree.drives = drives;
    // Where loops are open by a little, as later in the step, rows that are redundant hardly are.
    tree.kept = (!tree.loops.is_empty()).then(|| ports.kept());
}

/// Moves a tree freely over a step, its loops closed.
pub(super) fn move_closed(tree: &mut MovingTree<'_>, step: &Step) {
    tree.move_freely(step);
    if tree.loops.is_empty() {
        return;
    }
    let fall = step.h * step.gravity.norm();
    let mut first = f64::INFINITY;
    for _ in 0..MAX_CORRECTIONS {
        let ports = Ports::new(tree, (Vec::new(), Vec::new()), (0, step.h));
        let Some((impulses, [violation, fastest])) = ports.holding(tree) else { return };
        // Negated, so that NaN counts as converged where nothing moves, and as diverged elsewhere.
        if !(violation > CLOSED * (fall + fastest)) {
            return;
        }
        if !(violation <= first) {
            tree.held.clear();
            tree.holding.fill(0.0);
            tree.move_freely(step);
            return;
        }
        first = first.min(violation.max(DIVERGED * (fall + fastest)));
        tree.held.resize(impulses.len(), 0.0);
        tree.held.iter_mut().zip(&impulses).for_each(|(total, impulse)| *total += impulse);
        // All of them where the tree is now: those of another configuration would do work.
        let forces = ports.on_joints(tree, &tree.held);
        tree.holding = forces.iter().map(|force| force / step.h).collect();
        tree.move_freely(step);
    }
}
