//! Allowed collision matrix of an articulation: pairs of links that are exempt from self-collision.

use nalgebra::Isometry3;

use super::link_pairs::AllowedCollisions;
use super::model::ArticulatedModel;
use crate::kinematics::articulation::joint::JointKind;
use crate::kinematics::articulation::tree::Articulation;
use crate::kinematics::error::RobotError;

impl AllowedCollisions {
    /// Adjacent pairs: a link with a shape and its nearest ancestor with a shape, unless the joints between them let it move
    /// freely, as a vehicle on a floor; and links that are rigidly connected by fixed joints.
    #[must_use]
    pub fn adjacent(model: &ArticulatedModel) -> Self {
        let mut allowed = Self::default();
        let articulation = model.articulation();
        let shaped: Vec<_> =
            (0..articulation.links().len()).filter(|&link| model.model(link).is_some()).collect();
        for &link in &shaped {
            // Links without a shape are skipped: a sensor frame between two bars leaves the bars adjacent.
            let above = std::iter::successors(articulation.parent(link), |&link| articulation.parent(link));
            if let Some(parent) = above.into_iter().find(|&link| model.model(link).is_some())
                && !is_detached(articulation, link, parent)
            {
                allowed.allow(link, parent);
            }
        }
        // Links with the same rigid root never move relative to each other, so that their overlap is by design.
        let bodies: Vec<_> = (0..articulation.links().len()).map(|link| rigid_root(model, link)).collect();
        for (at, &i) in shaped.iter().enumerate() {
            shaped[at + 1..].iter().filter(|&&j| bodies[i] == bodies[j]).for_each(|&j| allowed.allow(i, j));
        }
        allowed
    }

    /// Allows the pairs of links that collide at a configuration known to be valid: the collision hulls of many robots
    /// overlap at rest.
    ///
    /// # Errors
    /// As [`ArticulatedModel::self_collisions`].
    pub fn allow_overlapping(
        &mut self,
        model: &ArticulatedModel,
        configuration: &[f64],
    ) -> Result<(), RobotError> {
        let overlapping = model.self_collisions(configuration, &Isometry3::identity(), self)?;
        self.pairs.extend(overlapping);
        Ok(())
    }

    /// Exempts a pair of links from self-collision.
    pub fn allow(&mut self, first: usize, second: usize) {
        self.pairs.insert([first.min(second), first.max(second)]);
    }

    /// Whether a pair of links is exempt from self-collision.
    #[must_use]
    pub fn contains(&self, first: usize, second: usize) -> bool {
        self.pairs.contains(&[first.min(second), first.max(second)])
    }

    /// Exempt pairs of links, the lower index first; sorted.
    pub fn iter(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.pairs.iter().copied()
    }
}

/// Whether the joints between a link and an ancestor let it move freely in a plane or in space: three or more of them, two of
/// which slide. Such links do not overlap by construction.
fn is_detached(articulation: &Articulation, link: usize, ancestor: usize) -> bool {
    let chain = std::iter::successors(Some(link), |&link| articulation.parent(link));
    let joints =
        chain.take_while(|&link| link != ancestor).filter_map(|link| articulation.parent_joint(link));
    let kinds: Vec<_> = joints.map(|joint| articulation.joints()[joint].kind).collect();
    let count = |is: fn(&JointKind) -> bool| kinds.iter().filter(|kind| is(kind)).count();
    count(|kind| *kind != JointKind::Fixed) >= 3
        && count(|kind| matches!(kind, JointKind::Prismatic { .. })) >= 2
}

/// Root of the rigid component of a link: its topmost ancestor along a chain of fixed joints.
fn rigid_root(model: &ArticulatedModel, link: usize) -> usize {
    let articulation = model.articulation();
    let up = |&link: &usize| {
        let name = &articulation.links()[link];
        let carrier = articulation.joints().iter().find(|joint| joint.child == *name)?;
        if carrier.kind == JointKind::Fixed { articulation.parent(link) } else { None }
    };
    std::iter::successors(Some(link), up).last().unwrap_or(link)
}
