//! Which links of an articulation may collide with one another.

use nalgebra::Isometry3;

use super::link_pairs::AllowedCollisions;
use super::model::ArticulatedModel;
use crate::kinematics::articulation::joint::JointKind;
use crate::kinematics::error::RobotError;

impl AllowedCollisions {
    /// The pairs of neighbours: a link with a shape and the nearest link with a shape that carries it, and links
    /// between which no joint moves.
    #[must_use]
    pub fn adjacent(model: &ArticulatedModel) -> Self {
        let mut allowed = Self::default();
        let articulation = model.articulation();
        let shaped: Vec<_> =
            (0..articulation.links().len()).filter(|&link| model.model(link).is_some()).collect();
        for &link in &shaped {
            let above = std::iter::successors(articulation.parent(link), |&link| articulation.parent(link));
            if let Some(parent) = above.into_iter().find(|&link| model.model(link).is_some()) {
                allowed.allow(link, parent);
            }
        }
        let bodies: Vec<_> = (0..articulation.links().len()).map(|link| rigid_root(model, link)).collect();
        for (at, &i) in shaped.iter().enumerate() {
            shaped[at + 1..].iter().filter(|&&j| bodies[i] == bodies[j]).for_each(|&j| allowed.allow(i, j));
        }
        allowed
    }

    /// Allows the links to collide that do in a configuration that is known to be sound: robots come with hulls that
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

    /// Allows two links to collide.
    pub fn allow(&mut self, first: usize, second: usize) {
        self.pairs.insert([first.min(second), first.max(second)]);
    }

    /// Whether two links may collide.
    #[must_use]
    pub fn contains(&self, first: usize, second: usize) -> bool {
        self.pairs.contains(&[first.min(second), first.max(second)])
    }

    /// The pairs of links that may collide, the lower index first; sorted.
    pub fn iter(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.pairs.iter().copied()
    }
}

/// The uppermost link to which nothing but fixed joints lead.
fn rigid_root(model: &ArticulatedModel, link: usize) -> usize {
    let articulation = model.articulation();
    let up = |&link: &usize| {
        let name = &articulation.links()[link];
        let carrier = articulation.joints().iter().find(|joint| joint.child == *name)?;
        if carrier.kind == JointKind::Fixed { articulation.parent(link) } else { None }
    };
    std::iter::successors(Some(link), up).last().unwrap_or(link)
}
