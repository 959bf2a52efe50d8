//! Articulations: links joined by joints into trees.

use crate::kinematics::error::RobotError;
use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Isometry3;

use super::joint::{Joint, JointKind};
use crate::suggestion::did_you_mean;

/// A kinematic tree of links and joints.
#[derive(Debug, Clone, PartialEq)]
pub struct Articulation {
    links: Vec<String>,
    pub(super) joints: Vec<Joint>,
    /// Parent joint of each link; none of the root.
    pub(super) parent_joints: Vec<Option<usize>>,
    /// Parent and child link of each joint.
    ends: Vec<[usize; 2]>,
    /// Links, parents before their children.
    order: Vec<usize>,
    /// Each joint's value as factor · configuration[index] + offset; none of a fixed joint.
    dependences: Vec<Option<Dependence>>,
    /// The joint of each generalized coordinate.
    pub(super) coordinates: Vec<usize>,
}

/// A joint's value as a function of the configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Dependence {
    index: usize,
    factor: f64,
    offset: f64,
}

impl Articulation {
    /// A tree of the links with these names and of these joints; the link that is no joint's child is its root.
    ///
    /// ```
    /// use extricate_core::kinematics::{Articulation, Joint, JointKind};
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// let elbow = Joint::new("elbow", "upper", "lower", JointKind::Revolute { axis: Vector3::z() })
    ///     .at(Isometry3::translation(1.0, 0.0, 0.0));
    /// let arm = Articulation::new(vec!["upper".into(), "lower".into()], vec![elbow])?;
    /// let poses = arm.link_poses(&[std::f64::consts::FRAC_PI_2], &Isometry3::identity())?;
    /// let hand = poses[1] * nalgebra::Point3::new(1.0, 0.0, 0.0);
    /// assert!((hand - nalgebra::Point3::new(1.0, 1.0, 0.0)).norm() < 1e-15);
    /// # Ok::<(), extricate_core::kinematics::RobotError>(())
    /// ```
    ///
    /// # Errors
    /// [`RobotError`] when names are not unique or unknown, the joints do not make a tree, an axis is zero,
    /// limits are reversed, a number is not finite, or mimicking joints form a cycle.
    pub fn new(links: Vec<String>, joints: Vec<Joint>) -> Result<Self, RobotError> {
        let indices = unique(links.iter())?;
        unique(joints.iter().map(|joint| &joint.name))?;
        let joints = joints.into_iter().map(Joint::checked).collect::<Result<Vec<_>, _>>()?;
        let ends = joints.iter().map(|joint| ends_of(joint, &indices)).collect::<Result<Vec<_>, _>>()?;
        let parent_joints = parent_joints(&links, &joints, &ends)?;
        let order = parents_first(&links, &parent_joints, &ends)?;
        let moving = |&i: &usize| joints[i].kind != JointKind::Fixed && joints[i].mimic.is_none();
        let coordinates = (0..joints.len()).filter(moving).collect::<Vec<_>>();
        let dependences =
            (0..joints.len()).map(|i| dependence_of(i, &joints, &coordinates)).collect::<Result<_, _>>()?;
        Ok(Self { links, joints, parent_joints, ends, order, dependences, coordinates })
    }

    /// Names of the links.
    #[must_use]
    pub fn links(&self) -> &[String] {
        &self.links
    }

    /// The joints.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The joint of each generalized coordinate; fixed joints and those that mimic others have none.
    #[must_use]
    pub fn coordinates(&self) -> &[usize] {
        &self.coordinates
    }

    /// The link with this name.
    #[must_use]
    pub fn link(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link == name)
    }

    /// The parent of a link; `None` of the root.
    ///
    /// # Panics
    /// When there is no such link.
    #[must_use]
    pub fn parent(&self, link: usize) -> Option<usize> {
        self.parent_joints[link].map(|joint| self.ends[joint][0])
    }

    /// The parent joint of a link; `None` of the root.
    ///
    /// # Panics
    /// When there is no such link.
    #[must_use]
    pub fn parent_joint(&self, link: usize) -> Option<usize> {
        self.parent_joints[link]
    }

    /// The links, parents before their children.
    #[must_use]
    pub fn parents_first(&self) -> &[usize] {
        &self.order
    }

    /// The values of all joints [rad or m], in the order of [`Articulation::joints`]; zero of a fixed one.
    ///
    /// # Errors
    /// [`RobotError::Length`] and [`RobotError::NotFinite`] when the configuration does not fit the articulation.
    pub fn joint_values(&self, configuration: &[f64]) -> Result<Vec<f64>, RobotError> {
        self.check(configuration)?;
        Ok((0..self.joints.len()).map(|joint| self.value(joint, configuration)).collect())
    }

    /// Affine dependence of a joint's value on the configuration, with mimicking resolved: the index of the generalized
    /// coordinate, the factor, the offset. `None` of a fixed joint.
    ///
    /// # Panics
    /// When there is no such joint.
    #[must_use]
    pub fn dependence(&self, joint: usize) -> Option<(usize, f64, f64)> {
        self.dependences[joint].map(|value| (value.index, value.factor, value.offset))
    }

    /// The error of a name that no joint with a generalized coordinate has.
    pub(crate) fn unknown_joint(&self, name: &str) -> RobotError {
        unknown_joint(name, &self.joints, &self.coordinates)
    }

    /// The configuration with the given values by joint name [rad or m]; joints that are not named are at rest: at zero, but
    /// for `ref` of MJCF.
    ///
    /// # Errors
    /// [`RobotError::UnknownJoint`] when no joint has a name, or the joint is fixed or mimics another,
    /// [`RobotError::NotFinite`] when a value is NaN or infinite.
    pub fn configuration(&self, values: &BTreeMap<String, f64>) -> Result<Vec<f64>, RobotError> {
        let mut configuration: Vec<f64> =
            self.coordinates.iter().map(|&joint| self.joints[joint].rest).collect();
        for (name, &value) in values {
            let index = self.coordinates.iter().position(|&joint| self.joints[joint].name == *name);
            let index = index.ok_or_else(|| self.unknown_joint(name))?;
            if !value.is_finite() {
                return Err(RobotError::NotFinite { joint: name.clone() });
            }
            configuration[index] = value;
        }
        Ok(configuration)
    }

    /// The poses of all links, link to world, with the root at `base`.
    ///
    /// # Errors
    /// [`RobotError::Length`] and [`RobotError::NotFinite`] when the configuration does not fit the articulation.
    pub fn link_poses(
        &self,
        configuration: &[f64],
        base: &Isometry3<f64>,
    ) -> Result<Vec<Isometry3<f64>>, RobotError> {
        self.check(configuration)?;
        let mut poses = vec![*base; self.links.len()];
        for &link in &self.order {
            if let Some(joint) = self.parent_joints[link] {
                let moved = self.joints[joint].transform(self.value(joint, configuration));
                poses[link] = poses[self.ends[joint][0]] * moved;
            }
        }
        Ok(poses)
    }

    /// Checks that a configuration has the right length and finite entries.
    ///
    /// # Errors
    /// [`RobotError::Length`] and [`RobotError::NotFinite`].
    pub fn check(&self, configuration: &[f64]) -> Result<(), RobotError> {
        let expected = self.coordinates.len();
        if configuration.len() != expected {
            return Err(RobotError::Length { given: configuration.len(), expected });
        }
        match configuration.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(RobotError::NotFinite { joint: self.joints[self.coordinates[at]].name.clone() }),
            None => Ok(()),
        }
    }

    /// The value of a joint [rad or m]; zero of a fixed one.
    pub(super) fn value(&self, joint: usize, configuration: &[f64]) -> f64 {
        self.dependences[joint].map_or(0.0, |value| value.factor * configuration[value.index] + value.offset)
    }

    /// Joint indices from `ancestor` (the root, when none) down to `link`.
    pub(super) fn chain(&self, ancestor: Option<usize>, link: usize) -> Vec<usize> {
        let (mut chain, mut at) = (Vec::new(), link);
        while Some(at) != ancestor {
            let Some(joint) = self.parent_joints[at] else { break };
            chain.push(joint);
            at = self.ends[joint][0];
        }
        chain.reverse();
        chain
    }

    /// The nearest common ancestor of two links, which may be one of them.
    ///
    /// # Panics
    /// When there are no such links.
    #[must_use]
    pub fn common_ancestor(&self, first: usize, second: usize) -> usize {
        let above = |link: usize| std::iter::successors(Some(link), |&link| self.parent(link));
        let of_first: BTreeSet<usize> = above(first).collect();
        above(second).find(|link| of_first.contains(link)).unwrap_or(self.order[0])
    }
}

/// Index of each name; an error when a name is not unique.
fn unique<'a>(names: impl Iterator<Item = &'a String>) -> Result<BTreeMap<&'a String, usize>, RobotError> {
    let mut indices = BTreeMap::new();
    for (index, name) in names.enumerate() {
        if indices.insert(name, index).is_some() {
            return Err(RobotError::DuplicateName { name: name.clone() });
        }
    }
    Ok(indices)
}

fn unknown_joint(name: &str, joints: &[Joint], coordinates: &[usize]) -> RobotError {
    let known = coordinates.iter().map(|&joint| joints[joint].name.clone()).collect();
    RobotError::UnknownJoint { joint: name.to_owned(), known }
}

fn ends_of(joint: &Joint, indices: &BTreeMap<&String, usize>) -> Result<[usize; 2], RobotError> {
    let index = |link: &String| {
        let unknown = || RobotError::UnknownLink {
            joint: joint.name.clone(),
            link: link.clone(),
            meant: did_you_mean(link, indices.keys()),
        };
        indices.get(link).copied().ok_or_else(unknown)
    };
    Ok([index(&joint.parent)?, index(&joint.child)?])
}

fn parent_joints(
    links: &[String],
    joints: &[Joint],
    ends: &[[usize; 2]],
) -> Result<Vec<Option<usize>>, RobotError> {
    let mut parent_joints: Vec<Option<usize>> = vec![None; links.len()];
    for (joint, &[_, child]) in ends.iter().enumerate() {
        if let Some(other) = parent_joints[child].replace(joint) {
            let joints = [joints[other].name.clone(), joints[joint].name.clone()];
            return Err(RobotError::TwoParents { link: links[child].clone(), joints });
        }
    }
    Ok(parent_joints)
}

/// The links, parents before their children, from the one root.
fn parents_first(
    links: &[String],
    parent_joints: &[Option<usize>],
    ends: &[[usize; 2]],
) -> Result<Vec<usize>, RobotError> {
    let roots = (0..links.len()).filter(|&link| parent_joints[link].is_none()).collect::<Vec<_>>();
    if roots.len() > 1 {
        let roots = roots.iter().map(|&link| links[link].clone()).collect();
        return Err(RobotError::SeveralRoots { roots });
    }
    let mut children = vec![Vec::new(); links.len()];
    for &[parent, child] in ends {
        children[parent].push(child);
    }
    let mut order = roots;
    let mut next = 0;
    while let Some(&link) = order.get(next) {
        order.extend(&children[link]);
        next += 1;
    }
    if order.len() == links.len() {
        return Ok(order);
    }
    // Each link has at most one parent, so links that the root does not reach lie on a cycle or below one.
    let reached: BTreeSet<_> = order.into_iter().collect();
    let unreached = (0..links.len()).find(|link| !reached.contains(link));
    Err(RobotError::Cyclic { link: unreached.map_or_else(String::new, |link| links[link].clone()) })
}

/// Dependence of a joint's value on the configuration, with mimicking resolved.
fn dependence_of(
    joint: usize,
    joints: &[Joint],
    coordinates: &[usize],
) -> Result<Option<Dependence>, RobotError> {
    let (mut at, mut factor, mut offset) = (joint, 1.0, 0.0);
    if joints[joint].kind == JointKind::Fixed {
        return Ok(None);
    }
    // A chain of mimicking joints without a cycle is no longer than the number of joints.
    for _ in 0..=joints.len() {
        let Some(mimic) = &joints[at].mimic else {
            let index = coordinates.iter().position(|&coordinate| coordinate == at);
            return index.map_or_else(
                || Err(unknown_joint(&joints[at].name, joints, coordinates)),
                |index| Ok(Some(Dependence { index, factor, offset })),
            );
        };
        offset += factor * mimic.offset;
        factor *= mimic.factor;
        let found = joints.iter().position(|other| other.name == mimic.joint);
        at = found.ok_or_else(|| unknown_joint(&mimic.joint, joints, coordinates))?;
    }
    Err(RobotError::CyclicMimic { joint: joints[joint].name.clone() })
}
