//! Start of a step of a tree whose loops are closed, or whose joints follow others.

use super::coupled::violation;
use super::midpoint::Step;
use super::motion::MovingTree;
use super::ports::Ports;

/// Velocity that violates couplings, over the largest one of their joints, at which they hold.
const HELD: f64 = 1e-10;

/// Starts a step: velocities that open loops or violate couplings, as those of a robot that continuous collision moved back, become the nearest ones
/// in kinetic energy that do not. A projection: they have no more of it.
pub(super) fn begin(tree: &mut MovingTree<'_>, step: &Step) {
    if tree.loops.is_empty() && violation(tree.couplings, &tree.v) <= HELD {
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
    let kept = (!tree.loops.is_empty()).then(|| ports.kept());
    tree.kept = [kept.clone(), kept];
}
