//! Free motion of a tree whose loops are closed and whose couplings hold.
//!
//! The forces that do so are those with which the velocity of the displacement has no part that opens a loop or violates a coupling where the tree is in the
//! middle of the step, J(q̄) v̄ = 0: with the midpoint rule they do no work. They are found by fixed-point iteration: a step with the forces found so far, then the
//! impulses that end what is left. Where the iteration diverges, the rows of the displacement and of the velocity alone do so: projections of another configuration, with
//! which robots that whirl gain or lose energy.

use super::midpoint::Step;
use super::motion::MovingTree;
use super::ports::Ports;

/// Maximum number of corrections. Those that converge need three to six.
const MAX_CORRECTIONS: usize = 12;
/// Velocity that opens loops, over the largest velocity at their links, at which they count as closed. Larger, and mechanisms that spin gain energy.
const CLOSED: f64 = 1e-10;
/// The same above which a violation that grows is one of an iteration that diverges; below, the accuracy of single steps lets it vary.
const DIVERGED: f64 = 1e-3;

/// Moves a tree freely over a step, its loops closed and its couplings held.
pub(super) fn move_closed(tree: &mut MovingTree<'_>, step: &Step) {
    if tree.loops.is_empty() && tree.couplings.is_empty() {
        tree.move_freely(step);
        return;
    }
    if tree.kept.is_none() {
        // At the start they are closed: where they are open by a little, rows that are redundant hardly are.
        tree.multibody.place(&tree.base, &tree.q, &mut tree.placement);
        tree.kept = Some(Ports::new(tree, (Vec::new(), Vec::new()), (0, step.h)).kept());
    }
    tree.move_freely(step);
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
