//! What moved by how much between poses.

use nalgebra::Isometry3;

use super::answer::{Change, Farthest, Moved};
use super::{Ensemble, RepairError};
use extricate_core::kinematics::JointKind;
use extricate_core::penetration::generalized::{Base, Part, Pose, Shape};

impl Ensemble {
    /// What moved by how much, largest part of σ first.
    pub(super) fn changes(&self, before: &[Pose], after: &[Pose]) -> Result<Vec<Change>, RepairError> {
        let movers = self.arrangement().movers();
        let whole: f64 = movers.iter().map(|mover| mover.norm().measure()).sum();
        let mut changes = Vec::new();
        for (index, mover) in movers.iter().enumerate() {
            let (from, to) = (&before[index], &after[index]);
            let metric = mover.norm().at(&from.joints, &from.base)?;
            let share = metric.measure() / whole;
            if mover.base() == Base::Floating && from.base != to.base {
                let translation = to.base.translation.vector - from.base.translation.vector;
                let moved =
                    Moved::Placed { translation, angle: from.base.rotation.angle_to(&to.base.rotation) };
                let sigma = share * metric.sigma_of_base(&to.base);
                changes.push(Change { name: self.base_of(index).to_owned(), moved, sigma });
            }
            let joints = mover.articulation().joints();
            for (at, &joint) in mover.articulation().coordinates().iter().enumerate() {
                let change = to.joints[at] - from.joints[at];
                if change.abs() > 0.0 {
                    let mut one = from.joints.clone();
                    one[at] = to.joints[at];
                    let turns = matches!(joints[joint].kind, JointKind::Revolute { .. });
                    changes.push(Change {
                        name: format!("{}{}", self.prefix_of(index), joints[joint].name),
                        moved: if turns { Moved::Turned(change) } else { Moved::Slid(change) },
                        sigma: share * metric.sigma_of_joints(&one),
                    });
                }
            }
        }
        changes.sort_by(|a, b| b.sigma.total_cmp(&a.sigma).then_with(|| a.name.cmp(&b.name)));
        Ok(changes)
    }

    /// The point of all that moved farthest.
    pub(super) fn farthest(&self, before: &[Pose], after: &[Pose]) -> Result<Option<Farthest>, RepairError> {
        let mut farthest: Option<(f64, Part)> = None;
        for (index, mover) in self.arrangement().movers().iter().enumerate() {
            let places = |pose: &Pose| mover.articulation().link_poses(&pose.joints, &pose.base);
            let (from, to) = (places(&before[index])?, places(&after[index])?);
            for (link, shape) in mover.shapes().iter().enumerate() {
                let Some(shape) = shape else { continue };
                let distance = displacement(shape, &from[link], &to[link]);
                if distance > 0.0 && farthest.is_none_or(|(most, _)| distance > most) {
                    farthest = Some((distance, Part::Link { mover: index, link }));
                }
            }
        }
        Ok(farthest.map(|(distance, part)| Farthest { name: self.name_of(part), distance }))
    }
}

/// How far the farthest point of a shape moves [m]: of triangles that of a corner, of what is round a bound.
fn displacement(shape: &Shape, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
    if let Some(model) = shape.model() {
        let vertices = model.mesh().vertices().iter();
        return vertices.map(|vertex| (to * vertex - from * vertex).norm()).fold(0.0, f64::max);
    }
    let (center, radius) = shape.ball();
    let turn = 2.0 * (0.5 * from.rotation.angle_to(&to.rotation)).sin() * radius;
    (to * center - from * center).norm() + turn
}
