//! Geometric Jacobians of links and of their points with respect to the generalized coordinates
//! [Lin17 §40.3; LaValle 2006 §3.4].
//!
//! A joint between the root and a link, with its unit axis a through o in the world, moves a point p of the link by
//!
//! | joint     | velocity of p | angular velocity |
//! |-----------|---------------|------------------|
//! | revolute  | a × (p − o)   | a                |
//! | prismatic | a             | 0                |
//!
//! A joint that mimics another adds its column, times its factor, to that of the coordinate it follows. The columns are in
//! the order of a configuration.

use crate::kinematics::error::RobotError;
use nalgebra::{Isometry3, Matrix3xX, Matrix6xX, Point3, Vector3};

use super::joint::JointKind;
use super::tree::Articulation;

/// An articulation in one configuration: the poses of its links, and their Jacobians.
#[derive(Debug, Clone)]
pub struct PlacedArticulation<'a> {
    articulation: &'a Articulation,
    poses: Vec<Isometry3<f64>>,
}

/// Twist that one joint imparts to its descendants, per change of a generalized coordinate.
struct JointTwist {
    coordinate: usize,
    /// A point whose velocity is `linear`.
    origin: Point3<f64>,
    angular: Vector3<f64>,
    linear: Vector3<f64>,
}

impl JointTwist {
    fn velocity_at(&self, point: &Point3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(&(point - self.origin))
    }
}

impl Articulation {
    /// The articulation in a configuration, with its root on `base`.
    ///
    /// ```
    /// use extricate_core::kinematics::{Articulation, Joint, JointKind};
    /// use nalgebra::{Isometry3, Point3, Vector3};
    ///
    /// let hinge = Joint::new("hinge", "wall", "door", JointKind::Revolute { axis: Vector3::z() });
    /// let door = Articulation::new(vec!["wall".into(), "door".into()], vec![hinge])?;
    /// let open = door.placed(&[0.0], &Isometry3::identity())?;
    /// let handle = open.point_jacobian(1, &Point3::new(0.8, 0.0, 1.0));
    /// assert!((handle.column(0) - Vector3::new(0.0, 0.8, 0.0)).norm() < 1e-15);
    /// # Ok::<(), extricate_core::kinematics::RobotError>(())
    /// ```
    ///
    /// # Errors
    /// [`RobotError::Length`] and [`RobotError::NotFinite`] when the configuration does not fit the articulation.
    pub fn placed(
        &self,
        configuration: &[f64],
        base: &Isometry3<f64>,
    ) -> Result<PlacedArticulation<'_>, RobotError> {
        Ok(PlacedArticulation { articulation: self, poses: self.link_poses(configuration, base)? })
    }
}

impl PlacedArticulation<'_> {
    /// The poses of all links, link to world.
    #[must_use]
    pub fn poses(&self) -> &[Isometry3<f64>] {
        &self.poses
    }

    /// Jacobian of a point [m, world] that is fixed to a link: its velocity in the world per change of each generalized
    /// coordinate, 3 × #coordinates, [m/rad] or [m/m].
    ///
    /// # Panics
    /// When there is no such link.
    #[must_use]
    pub fn point_jacobian(&self, link: usize, point: &Point3<f64>) -> Matrix3xX<f64> {
        let mut jacobian = Matrix3xX::zeros(self.articulation.coordinates.len());
        for twist in self.twists(link) {
            let mut column = jacobian.column_mut(twist.coordinate);
            column += twist.velocity_at(point);
        }
        jacobian
    }

    /// Jacobian of a link: its velocity in the world per change of each generalized coordinate, 6 × #coordinates, first
    /// that of the origin of its frame [m/rad or m/m], then the angular one [rad/rad or rad/m].
    ///
    /// # Panics
    /// When there is no such link.
    #[must_use]
    pub fn link_jacobian(&self, link: usize) -> Matrix6xX<f64> {
        let mut jacobian = Matrix6xX::zeros(self.articulation.coordinates.len());
        let origin = Point3::from(self.poses[link].translation.vector);
        for twist in self.twists(link) {
            let mut linear = jacobian.fixed_view_mut::<3, 1>(0, twist.coordinate);
            linear += twist.velocity_at(&origin);
            let mut angular = jacobian.fixed_view_mut::<3, 1>(3, twist.coordinate);
            angular += twist.angular;
        }
        jacobian
    }

    /// Adds to `row` the velocities along a direction (world) of a point [m, world] that is fixed to a link, per change
    /// of each generalized coordinate: a row of a contact Jacobian, without an allocation.
    ///
    /// # Panics
    /// When there is no such link, or the row is too short.
    pub fn add_row(&self, link: usize, point: &Point3<f64>, direction: &Vector3<f64>, row: &mut [f64]) {
        for twist in self.twists(link) {
            row[twist.coordinate] += direction.dot(&twist.velocity_at(point));
        }
    }

    /// Twists that a link receives from its own joint and from those of its ancestors, from the link up to the root.
    fn twists(&self, link: usize) -> impl Iterator<Item = JointTwist> + '_ {
        let up = move |&link: &usize| self.articulation.parent(link);
        std::iter::successors(Some(link), up).filter_map(|link| self.twist_of_parent_joint(link))
    }

    fn twist_of_parent_joint(&self, link: usize) -> Option<JointTwist> {
        let joint = self.articulation.parent_joints[link]?;
        let (coordinate, factor, _) = self.articulation.dependence(joint)?;
        // A joint's motion leaves its own axis in place, so the axis is the same in the child's frame as in the joint's.
        let pose = &self.poses[link];
        let (angular, linear) = match self.articulation.joints[joint].kind {
            JointKind::Fixed => return None,
            JointKind::Revolute { axis } => (factor * (pose.rotation * axis), Vector3::zeros()),
            JointKind::Prismatic { axis } => (Vector3::zeros(), factor * (pose.rotation * axis)),
        };
        Some(JointTwist { coordinate, origin: pose.translation.vector.into(), angular, linear })
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, Matrix6, Vector6};

    use super::super::{Joint, Mimic};
    use super::*;
    use crate::kinematics::tests::Noise;

    /// A random tree of `count` joints of all kinds, some of which mimic others.
    fn random_tree(noise: &mut Noise, count: usize) -> Articulation {
        let mut links = vec!["0".to_owned()];
        let mut joints: Vec<Joint> = Vec::new();
        for at in 1..=count {
            // A long chain with branches.
            let parent = if at % 5 == 0 { at / 2 } else { at - 1 };
            let kind = match at % 4 {
                0 => JointKind::Prismatic { axis: noise.vector() },
                1 if at % 3 == 0 => JointKind::Fixed,
                _ => JointKind::Revolute { axis: noise.vector() },
            };
            links.push(at.to_string());
            let name = |at: usize| format!("j{at}");
            let made =
                Joint::new(&name(at), &parent.to_string(), &at.to_string(), kind).at(noise.pose(0.3, 1.0));
            let follows = at > 7 && at % 7 == 0 && joints[at - 3].kind != JointKind::Fixed;
            let mimic =
                follows.then(|| Mimic { joint: name(at - 2), factor: 2.0 * noise.next(), offset: 0.1 });
            joints.push(Joint { mimic, ..made });
        }
        Articulation::new(links, joints).unwrap()
    }

    fn configuration(tree: &Articulation, noise: &mut Noise) -> Vec<f64> {
        tree.coordinates().iter().map(|_| noise.next()).collect()
    }

    #[test]
    fn the_point_jacobian_agrees_with_finite_differences_of_positions() {
        let mut noise = Noise(11);
        for count in [3, 12, 40] {
            let tree = random_tree(&mut noise, count);
            let (q, base) = (configuration(&tree, &mut noise), noise.pose(1.0, 3.0));
            let placed = tree.placed(&q, &base).unwrap();
            for link in 0..tree.links().len() {
                let local = Point3::from(noise.vector());
                let point = placed.poses()[link] * local;
                let jacobian = placed.point_jacobian(link, &point);
                let direction = noise.vector();
                let mut row = vec![0.5; q.len()];
                placed.add_row(link, &point, &direction, &mut row);
                for coordinate in 0..q.len() {
                    let at = |change: f64| {
                        let mut moved = q.clone();
                        moved[coordinate] += change;
                        tree.link_poses(&moved, &base).unwrap()[link] * local
                    };
                    let h = 1e-5;
                    let differences = (at(h) - at(-h)) / (2.0 * h);
                    assert!((jacobian.column(coordinate) - differences).norm() < 1e-8, "{count} {link}");
                    assert!((row[coordinate] - 0.5 - direction.dot(&differences)).abs() < 1e-8);
                }
            }
        }
    }

    /// The matrix that takes a twist (linear, angular) seen in a frame to one seen in the frame of which `pose` is the
    /// pose of the first: v' = R v + p × R ω.
    fn adjoint(pose: &Isometry3<f64>) -> Matrix6<f64> {
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        let across = pose.translation.vector.cross_matrix() * rotation;
        let mut adjoint = Matrix6::zeros();
        adjoint.fixed_view_mut::<3, 3>(0, 0).copy_from(&rotation);
        adjoint.fixed_view_mut::<3, 3>(0, 3).copy_from(&across);
        adjoint.fixed_view_mut::<3, 3>(3, 3).copy_from(&rotation);
        adjoint
    }

    #[test]
    fn the_link_jacobian_agrees_with_the_recursion_of_twists() {
        let mut noise = Noise(12);
        for count in [4, 25, 60] {
            let tree = random_tree(&mut noise, count);
            let (q, base) = (configuration(&tree, &mut noise), noise.pose(1.0, 3.0));
            let placed = tree.placed(&q, &base).unwrap();
            for coordinate in 0..q.len() {
                // Twists of all links in their own frames when this coordinate alone changes, from the root outwards.
                let mut twists = vec![Vector6::zeros(); tree.links().len()];
                for &link in tree.parents_first() {
                    let (Some(joint), Some(parent)) = (tree.parent_joint(link), tree.parent(link)) else {
                        continue;
                    };
                    let to_link = placed.poses()[link].inverse() * placed.poses()[parent];
                    twists[link] = adjoint(&to_link) * twists[parent];
                    let rate = match tree.dependence(joint) {
                        Some((index, factor, _)) if index == coordinate => factor,
                        _ => continue,
                    };
                    let (linear, angular) = match tree.joints()[joint].kind {
                        JointKind::Revolute { axis } => (Vector3::zeros(), axis),
                        JointKind::Prismatic { axis } => (axis, Vector3::zeros()),
                        JointKind::Fixed => continue,
                    };
                    for i in 0..3 {
                        twists[link][i] += rate * linear[i];
                        twists[link][i + 3] += rate * angular[i];
                    }
                }
                for (link, twist) in twists.iter().enumerate() {
                    let rotation = placed.poses()[link].rotation.to_rotation_matrix().into_inner();
                    let found = placed.link_jacobian(link);
                    let in_world = |at: usize| -> Vector3<f64> {
                        Matrix3::from(rotation) * twist.fixed_rows::<3>(at).into_owned()
                    };
                    assert!((found.fixed_view::<3, 1>(0, coordinate) - in_world(0)).norm() < 1e-11);
                    assert!((found.fixed_view::<3, 1>(3, coordinate) - in_world(3)).norm() < 1e-12);
                }
            }
        }
    }
}
