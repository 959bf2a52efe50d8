//! Velocities of a tree that is placed elsewhere than it moved to.

use extricate_core::multibody::factor::SolveBuffer;
use extricate_core::multibody::{Factor, Multibody, Placement};

/// Velocities at a placement that are nearest, in kinetic energy, to what the momenta of the links at another one ask for. A projection: they have no more
/// energy, where the same rates of the joints could have more.
pub(crate) fn carried_velocities(
    multibody: &Multibody,
    (from, v): (&Placement, &[f64]),
    to: &Placement,
    (factor, buffer): (&mut Factor, &mut SolveBuffer),
) -> Vec<f64> {
    let mut motions = Vec::new();
    multibody.velocities(from, v, &mut motions);
    let links = multibody.links().iter().zip(to.poses()).zip(&motions).enumerate();
    let mut rotors = vec![0.0; v.len()];
    let momenta: Vec<_> = links
        .map(|(index, ((link, pose), motion))| {
            multibody.freedoms_of(index).for_each(|at| rotors[at] = link.armature * v[at]);
            multibody.momentum(from, index, motion).force_from(&(pose.rotation * link.center))
        })
        .collect();
    factor.update(multibody, to, &vec![0.0; v.len()]);
    let mut carried = vec![0.0; v.len()];
    factor.solve(multibody, to, (&rotors, &momenta), buffer, &mut carried);
    carried
}
