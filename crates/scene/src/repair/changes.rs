//! Displacements of joints, bases and bodies between poses.

use nalgebra::Isometry3;

use super::answer::{Change, Farthest, Moved};
use super::{Ensemble, RepairError};
use extricate_core::kinematics::JointKind;
use extricate_core::penetration::generalized::{Base, Part, Pose, Shape};

impl Ensemble {
    /// Displacements of joints, bases and bodies between two poses, largest part of σ first.
    pub(super) fn changes(&self, before: &[Pose], after: &[Pose]) -> Result<Vec<Change>, RepairError> {
        let movables = self.collision_world().movables();
        let whole: f64 = movables.iter().map(|movable| movable.norm().measure()).sum();
        let mut changes = Vec::new();
        for (index, movable) in movables.iter().enumerate() {
            let (from, to) = (&before[index], &after[index]);
            let metric = movable.norm().at(&from.joints, &from.base)?;
            let fraction = metric.measure() / whole;
            if movable.base() == Base::Floating && from.base != to.base {
                let translation = to.base.translation.vector - from.base.translation.vector;
                let moved =
                    Moved::Placed { translation, angle: from.base.rotation.angle_to(&to.base.rotation) };
                let sigma = fraction * metric.sigma_of_base(&to.base);
                changes.push(Change { name: self.base_of(index).to_owned(), moved, sigma });
            }
            let joints = movable.articulation().joints();
            for (at, &joint) in movable.articulation().coordinates().iter().enumerate() {
                let change = to.joints[at] - from.joints[at];
                if change.abs() > 0.0 {
                    // σ sums the displacement by each coordinate alone: the others keep their values of before.
                    let mut one = from.joints.clone();
                    one[at] = to.joints[at];
                    let is_revolute = matches!(joints[joint].kind, JointKind::Revolute { .. });
                    changes.push(Change {
                        name: format!("{}{}", self.prefix_of(index), joints[joint].name),
                        moved: if is_revolute { Moved::Rotated(change) } else { Moved::Slid(change) },
                        sigma: fraction * metric.sigma_of_joints(&one),
                    });
                }
            }
        }
        changes.sort_by(|a, b| b.sigma.total_cmp(&a.sigma).then_with(|| a.name.cmp(&b.name)));
        Ok(changes)
    }

    /// The part with the point that moved farthest.
    pub(super) fn farthest(&self, before: &[Pose], after: &[Pose]) -> Result<Option<Farthest>, RepairError> {
        let mut farthest: Option<(f64, Part)> = None;
        for (index, movable) in self.collision_world().movables().iter().enumerate() {
            let link_poses = |pose: &Pose| movable.articulation().link_poses(&pose.joints, &pose.base);
            let (from, to) = (link_poses(&before[index])?, link_poses(&after[index])?);
            for (link, shape) in movable.shapes().iter().enumerate() {
                let Some(shape) = shape else { continue };
                let distance = displacement(shape, &from[link], &to[link]);
                if distance > 0.0 && farthest.is_none_or(|(max, _)| distance > max) {
                    farthest = Some((distance, Part::Link { movable: index, link }));
                }
            }
        }
        Ok(farthest.map(|(distance, part)| Farthest { name: self.name_of(part), distance }))
    }
}

/// Displacement of the farthest point of a shape [m]: exact for triangles, a corner; an upper bound for round shapes.
fn displacement(shape: &Shape, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
    if let Some(model) = shape.model() {
        let vertices = model.mesh().vertices().iter();
        return vertices.map(|vertex| (to * vertex - from * vertex).norm()).fold(0.0, f64::max);
    }
    // Chord of the rotation at the radius: no point of the ball moves farther relative to its centre.
    let (center, radius) = shape.ball();
    let chord = 2.0 * (0.5 * from.rotation.angle_to(&to.rotation)).sin() * radius;
    (to * center - from * center).norm() + chord
}
