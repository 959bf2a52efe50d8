//! Groups of bodies that stop together, and pairs that never collide.

use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::pipeline::PhysicsWorld;

/// Groups of bodies connected by joints: where one of them stops, all do, so that no joint is violated.
#[derive(Debug, Clone)]
pub(super) struct Joined {
    /// The first member of each body's group.
    first: Vec<usize>,
    /// Members of the groups that have more than one, by their first one.
    members: Vec<Vec<usize>>,
}

impl Joined {
    /// Groups of bodies in the order of their handles; a joint to a body that is not `movable` connects nothing. `robots`
    /// are the links of robots that rapier does not joint.
    pub(super) fn of(
        physics: &PhysicsWorld,
        handles: &[RigidBodyHandle],
        robots: &[Vec<RigidBodyHandle>],
        movable: impl Fn(usize) -> bool,
    ) -> Self {
        let index = |handle| handles.iter().position(|&other| other == handle);
        let joints = physics.impulse_joints.iter();
        let joints = joints.filter_map(|(_, joint)| Some([index(joint.body1())?, index(joint.body2())?]));
        let links = physics.multibody_joints.multibodies().flat_map(|multibody| {
            let links = multibody.links().filter_map(|link| index(link.rigid_body_handle()));
            let links = links.filter(|&link| movable(link)).collect::<Vec<_>>();
            links.windows(2).map(|pair| [pair[0], pair[1]]).collect::<Vec<_>>()
        });
        let trees = robots.iter().flat_map(|links| {
            let links = links.iter().filter_map(|&link| index(link)).filter(|&link| movable(link));
            let links = links.collect::<Vec<_>>();
            links.windows(2).map(|pair| [pair[0], pair[1]]).collect::<Vec<_>>()
        });
        Self::new(
            handles.len(),
            joints.chain(links).chain(trees).filter(|pair| pair.iter().all(|&body| movable(body))),
        )
    }

    fn new(bodies: usize, joints: impl Iterator<Item = [usize; 2]>) -> Self {
        let mut first = (0..bodies).collect::<Vec<_>>();
        for [a, b] in joints {
            let (a, b) = (root(&first, a), root(&first, b));
            first[a.max(b)] = a.min(b);
        }
        let first = (0..bodies).map(|body| root(&first, body)).collect::<Vec<_>>();
        let mut members = vec![Vec::new(); bodies];
        for (body, &first) in first.iter().enumerate() {
            members[first].push(body);
        }
        Self { first, members }
    }

    /// Bodies that stop with a body, including itself.
    pub(super) fn with(&self, body: usize) -> &[usize] {
        &self.members[self.first[body]]
    }
}

fn root(first: &[usize], mut body: usize) -> usize {
    while first[body] != body {
        body = first[body];
    }
    body
}

/// Whether neither a joint between two bodies nor the groups of their colliders exempt them from contacts.
pub(super) fn may_collide(physics: &PhysicsWorld, [a, b]: [RigidBodyHandle; 2]) -> bool {
    let groups = |handle: RigidBodyHandle| {
        let collider = physics.bodies[handle].colliders().first().copied();
        collider.map(|collider| physics.colliders[collider].collision_groups())
    };
    let tested = match (groups(a), groups(b)) {
        (Some(of_a), Some(of_b)) => of_a.test(of_b),
        _ => false,
    };
    tested && physics.impulse_joints.joints_between(a, b).all(|(_, joint)| joint.data.contacts_enabled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_together_when_a_chain_of_joints_connects_them() {
        let joined = Joined::new(6, [[4, 2], [0, 4], [5, 1]].into_iter());
        assert_eq!(joined.with(2), [0, 2, 4]);
        assert_eq!(joined.with(1), [1, 5]);
        assert_eq!(joined.with(3), [3]);
    }
}
