//! Shapes at poses, the arguments of all queries.

use nalgebra::Isometry3;

use super::error::QueryError;
use super::shape::Shape;
use crate::kinematics::{Motion, RigidMotion};

/// A shape at a pose (body to world), or the named links of a robot in a configuration: an argument of a query.
///
/// ```
/// use extricate_core::query::{Posed, Shape};
/// use nalgebra::Isometry3;
///
/// let ball = Shape::ball(0.05);
/// let above = Posed::new(&ball, Isometry3::translation(0.0, 0.0, 1.0));
/// assert_eq!(above.parts().count(), 1);
/// ```
#[derive(Debug, Clone)]
pub struct Posed<'a> {
    first: Part<'a>,
    others: Vec<Part<'a>>,
}

/// One shape at its pose.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Name of the link; `None` for a single shape.
    pub name: Option<&'a str>,
    /// The shape.
    pub shape: &'a Shape,
    /// Its pose, body to world.
    pub pose: Isometry3<f64>,
}

impl<'a> Posed<'a> {
    /// A shape at a pose, body to world.
    #[must_use]
    pub fn new(shape: &'a Shape, pose: Isometry3<f64>) -> Self {
        Self { first: Part { name: None, shape, pose }, others: Vec::new() }
    }

    /// A shape whose frame is that of the world.
    #[must_use]
    pub fn at_origin(shape: &'a Shape) -> Self {
        Self::new(shape, Isometry3::identity())
    }

    /// Several shapes as one rigid assembly, such as the links of a robot in a configuration; `None` for no parts.
    #[must_use]
    pub fn of_parts(parts: impl IntoIterator<Item = Part<'a>>) -> Option<Self> {
        let mut parts = parts.into_iter();
        Some(Self { first: parts.next()?, others: parts.collect() })
    }

    /// The shapes, in a fixed order: results refer to them by their index in it.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = &Part<'a>> + Clone {
        PartsIter { first: Some(&self.first), others: self.others.iter() }
    }

    /// The part at an index in [`Posed::parts`].
    ///
    /// # Panics
    /// When there is no such part.
    #[must_use]
    pub fn part(&self, index: usize) -> &Part<'a> {
        if index == 0 { &self.first } else { &self.others[index - 1] }
    }

    /// Name of the link at an index in [`Posed::parts`]; `None` for a single shape.
    ///
    /// # Panics
    /// When there is no such part.
    #[must_use]
    pub fn name(&self, index: usize) -> Option<&'a str> {
        self.part(index).name
    }

    /// The only shape; `None` for several.
    pub(super) fn single(&self) -> Option<&Part<'a>> {
        self.others.is_empty().then_some(&self.first)
    }

    pub(super) fn check(&self, body: &'static str) -> Result<(), QueryError> {
        for part in self.parts() {
            check_pose(&part.pose, body)?;
            part.shape.check()?;
        }
        Ok(())
    }
}

pub(super) fn check_pose(pose: &Isometry3<f64>, body: &'static str) -> Result<(), QueryError> {
    let finite = pose.translation.vector.iter().chain(pose.rotation.coords.iter()).all(|x| x.is_finite());
    if finite { Ok(()) } else { Err(QueryError::PoseNotFinite { body }) }
}

#[derive(Debug, Clone)]
struct PartsIter<'p, 'a> {
    first: Option<&'p Part<'a>>,
    others: std::slice::Iter<'p, Part<'a>>,
}

impl<'p, 'a> Iterator for PartsIter<'p, 'a> {
    type Item = &'p Part<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.first.take().or_else(|| self.others.next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::from(self.first.is_some()) + self.others.len();
        (left, Some(left))
    }
}

impl ExactSizeIterator for PartsIter<'_, '_> {}

/// A shape in motion over the time from 0 to 1.
#[derive(Debug, Clone, Copy)]
pub struct Moving<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// Its motion.
    pub motion: Motion,
}

impl<'a> Moving<'a> {
    /// A shape at rest.
    #[must_use]
    pub fn still(shape: &'a Shape, pose: &Isometry3<f64>) -> Self {
        Self { shape, motion: Motion::still(pose) }
    }

    /// From one pose to another: the origin along a straight line, the rotation slerped the short way.
    #[must_use]
    pub fn linear(shape: &'a Shape, from: &Isometry3<f64>, to: &Isometry3<f64>) -> Self {
        Self { shape, motion: Motion::linear(from, to) }
    }

    /// From one pose to another by a screw motion.
    #[must_use]
    pub fn screw(shape: &'a Shape, from: &Isometry3<f64>, to: &Isometry3<f64>) -> Self {
        Self { shape, motion: Motion::screw(from, to) }
    }

    pub(super) fn check(&self, body: &'static str) -> Result<(), QueryError> {
        self.shape.check()?;
        check_pose(self.motion.start(), body)?;
        let twist = self.motion.twist_at(0.0);
        let finite = twist.linear.iter().chain(twist.angular.iter()).all(|x| x.is_finite());
        if finite { Ok(()) } else { Err(QueryError::PoseNotFinite { body }) }
    }
}
