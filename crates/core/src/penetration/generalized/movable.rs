//! Movable models and static obstacles.

use nalgebra::{Isometry3, Point3};

use super::error::GeneralizedError;
use super::pose::Pose;
use super::shape::Shape;
use crate::geometry::convex::shape::ConvexShape;
use crate::kinematics::articulation::tree::Articulation;
use crate::kinematics::error::RobotError;
use crate::penetration::error::PenetrationError;
use crate::penetration::object_norm::ObjectNorm;
use crate::penetration::object_norm::extent::Extent;
use crate::proximity::articulated::link_pairs::AllowedCollisions;
use crate::proximity::articulated::model::ArticulatedModel;
use crate::proximity::model::Model;

/// Mobility of the root link of a movable model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The root is fixed in the world.
    Fixed,
    /// The root rotates and translates freely.
    Floating,
}

/// A kinematic tree of links that may move: a robot, or a rigid body, which is one link on a floating base.
#[derive(Debug, Clone)]
pub struct MovableModel {
    articulation: Articulation,
    shapes: Vec<Option<Shape>>,
    allowed: AllowedCollisions,
    base: Base,
    norm: ObjectNorm,
    fixed: Vec<bool>,
    weights: Vec<f64>,
    base_weight: f64,
    /// Whether each link carries a frame of a constraint.
    constrained: Vec<bool>,
    /// Mass and centre of mass of each link [link frame]; empty where none are given.
    masses: Vec<Option<(f64, Point3<f64>)>>,
}

/// A static body.
#[derive(Debug, Clone)]
pub struct Obstacle {
    /// Its shape.
    pub shape: Shape,
    /// Its pose, body to world.
    pub pose: Isometry3<f64>,
}

impl MovableModel {
    /// A rigid body on a floating base.
    ///
    /// # Errors
    /// [`GeneralizedError::Penetration`] when the shape has no volume.
    pub fn rigid(shape: Shape) -> Result<Self, GeneralizedError> {
        let articulation = Articulation::new(vec!["body".to_owned()], Vec::new())?;
        Self::new(articulation, vec![Some(shape)], AllowedCollisions::default(), Base::Floating)
    }

    /// A robot whose links may collide with each other as far as `allowed` permits.
    ///
    /// # Errors
    /// [`GeneralizedError::Penetration`], with the name of a link whose shape has no volume.
    pub fn robot(
        model: ArticulatedModel,
        allowed: AllowedCollisions,
        base: Base,
    ) -> Result<Self, GeneralizedError> {
        let norm = ObjectNorm::of_model(&model)?;
        let links = 0..model.articulation().links().len();
        let shapes = links.map(|link| model.model(link).cloned().map(Shape::of_model)).collect();
        Ok(Self::with_norm(norm, shapes, allowed, base))
    }

    /// An articulation with the shape of each link in the link frame; links without an entry have no shape.
    ///
    /// # Errors
    /// [`GeneralizedError::Penetration`], with the name of a link whose shape has no volume.
    pub fn new(
        articulation: Articulation,
        mut shapes: Vec<Option<Shape>>,
        allowed: AllowedCollisions,
        base: Base,
    ) -> Result<Self, GeneralizedError> {
        shapes.resize_with(articulation.links().len(), || None);
        let extent = |(shape, link): (&Option<Shape>, &String)| {
            shape.as_ref().map(|shape| extent_of(shape).map_err(|error| error.of_link(link))).transpose()
        };
        let extents = shapes.iter().zip(articulation.links()).map(extent).collect::<Result<Vec<_>, _>>()?;
        let norm = ObjectNorm::new(&articulation, extents)?;
        Ok(Self::with_norm(norm, shapes, allowed, base))
    }

    /// A movable model with a given object norm, which contains the articulation.
    #[must_use]
    pub fn with_norm(
        norm: ObjectNorm,
        mut shapes: Vec<Option<Shape>>,
        allowed: AllowedCollisions,
        base: Base,
    ) -> Self {
        let articulation = norm.articulation().clone();
        shapes.resize_with(articulation.links().len(), || None);
        let coordinates = articulation.coordinates().len();
        let (fixed, weights) = (vec![false; coordinates], vec![1.0; coordinates]);
        let constrained = vec![false; articulation.links().len()];
        let masses = Vec::new();
        Self {
            articulation,
            shapes,
            allowed,
            base,
            norm,
            fixed,
            weights,
            base_weight: 1.0,
            constrained,
            masses,
        }
    }

    /// The model with masses \[kg\] of its links and their centres \[m, link frame\]. Without any, links weigh as much as they measure in the
    /// object norm.
    #[must_use]
    pub fn with_masses(self, masses: Vec<Option<(f64, Point3<f64>)>>) -> Self {
        Self { masses, ..self }
    }

    /// The model with other shapes of the same links, and the same norm.
    #[must_use]
    pub fn with_shapes(self, mut shapes: Vec<Option<Shape>>) -> Self {
        shapes.resize_with(self.articulation.links().len(), || None);
        Self { shapes, ..self }
    }

    /// Mass and centre of mass \[m, link frame\] of each link: in kg where they were given, else by volume or area.
    #[must_use]
    pub fn masses(&self) -> Vec<Option<(f64, Point3<f64>)>> {
        if self.masses.iter().any(|mass| mass.is_some_and(|(mass, _)| mass > 0.0)) {
            return self.masses.clone();
        }
        let of_link = |extent: &Option<Extent>| extent.map(|extent| (extent.measure(), extent.centroid()));
        self.norm.extents().iter().map(of_link).collect()
    }

    /// Notes that a constraint depends on the masses: the joints that move one are variables even if it has no shape.
    pub(super) fn note_masses(&mut self) {
        let masses = self.masses();
        self.constrained.iter_mut().zip(&masses).for_each(|(own, mass)| *own |= mass.is_some());
    }

    /// Notes that a link carries a frame of a constraint: the joints that move it are variables even if it has no shape.
    pub(super) fn note_constraint(&mut self, link: usize) {
        self.constrained[link] = true;
    }

    /// Whether a link matters to a search: it has a shape, or a frame of a constraint.
    pub(super) fn matters(&self, link: usize) -> bool {
        self.shapes[link].is_some() || self.constrained[link]
    }

    /// Fixes a joint, and those that mimic it, at its value.
    ///
    /// # Errors
    /// [`RobotError::UnknownJoint`] when there is no independent joint of this name.
    pub fn fix(&mut self, joint: &str) -> Result<(), GeneralizedError> {
        let at = self.coordinate(joint)?;
        self.fixed[at] = true;
        Ok(())
    }

    /// Sets the weight of a joint in the choice of the minimum change: its term of σ is multiplied by it, so that weights above
    /// one make it dearer to move. The σ reported is the unweighted object norm.
    ///
    /// # Errors
    /// [`RobotError::UnknownJoint`], and [`GeneralizedError::Weight`] when the weight is not positive and finite.
    pub fn weigh(&mut self, joint: &str, weight: f64) -> Result<(), GeneralizedError> {
        let at = self.coordinate(joint)?;
        let is_weight = weight > 0.0 && weight.is_finite();
        if !is_weight {
            return Err(GeneralizedError::Weight { joint: joint.to_owned(), weight });
        }
        self.weights[at] = weight;
        Ok(())
    }

    /// Multiplies the weight of each joint by √(H_max/H), H its weight in the object norm at a pose: heavy and light joints become
    /// more alike.
    pub(super) fn level_weights(&mut self, pose: &Pose) {
        let Ok(metric) = self.norm.at(&pose.joints, &pose.base) else { return };
        let max = metric.weights().iter().fold(0.0, |max: f64, weight| max.max(*weight));
        for (weight, own) in self.weights.iter_mut().zip(metric.weights()) {
            // A joint that moves nothing is left as it is.
            if *own > 0.0 {
                *weight *= (max / own).sqrt();
            }
        }
    }

    /// Fixes the base where it is.
    pub fn fix_base(&mut self) {
        self.base = Base::Fixed;
    }

    /// Sets the weight of the base, and with it of a rigid body as a whole, as [`MovableModel::weigh`] does for joints.
    ///
    /// # Errors
    /// [`GeneralizedError::Weight`] when the weight is not positive and finite.
    pub fn weigh_base(&mut self, weight: f64) -> Result<(), GeneralizedError> {
        let is_weight = weight > 0.0 && weight.is_finite();
        if !is_weight {
            return Err(GeneralizedError::Weight { joint: "base".to_owned(), weight });
        }
        self.base_weight = weight;
        Ok(())
    }

    /// The kinematic tree.
    #[must_use]
    pub fn articulation(&self) -> &Articulation {
        &self.articulation
    }

    /// The shape of each link in the link frame.
    #[must_use]
    pub fn shapes(&self) -> &[Option<Shape>] {
        &self.shapes
    }

    /// The pairs of links that may collide.
    #[must_use]
    pub fn allowed(&self) -> &AllowedCollisions {
        &self.allowed
    }

    /// Mobility of the root link.
    #[must_use]
    pub fn base(&self) -> Base {
        self.base
    }

    /// The object norm that measures its motion.
    #[must_use]
    pub fn norm(&self) -> &ObjectNorm {
        &self.norm
    }

    /// Whether each generalized coordinate is fixed.
    #[must_use]
    pub fn fixed(&self) -> &[bool] {
        &self.fixed
    }

    /// Weight of each generalized coordinate in the choice of the minimum change.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Weight of the motion of the base.
    #[must_use]
    pub fn base_weight(&self) -> f64 {
        self.base_weight
    }

    /// Lower and upper limit of each generalized coordinate [rad or m], intersected with the limits of the joints that mimic
    /// it; infinite where there are none.
    ///
    /// # Errors
    /// [`GeneralizedError::NoValueWithinLimits`] when the limits of joints that mimic one another exclude each other.
    pub fn limits(&self) -> Result<Vec<[f64; 2]>, GeneralizedError> {
        let mut limits = vec![[f64::NEG_INFINITY, f64::INFINITY]; self.fixed.len()];
        for (index, joint) in self.articulation.joints().iter().enumerate() {
            let dependence = self.articulation.dependence(index);
            let (Some((at, factor, offset)), Some(own)) = (dependence, joint.limits) else { continue };
            // A joint of value factor·q + offset limits q by its own limits mapped back; a factor of zero limits nothing.
            if factor.abs() > 0.0 {
                let ends = own.map(|value| (value - offset) / factor);
                let [lower, upper] = &mut limits[at];
                // A negative factor swaps the ends.
                (*lower, *upper) = (lower.max(ends[0].min(ends[1])), upper.min(ends[0].max(ends[1])));
            }
        }
        for ([lower, upper], &joint) in limits.iter().zip(self.articulation.coordinates()) {
            if !(lower <= upper) {
                let joint = self.articulation.joints()[joint].name.clone();
                return Err(GeneralizedError::NoValueWithinLimits { joint });
            }
        }
        Ok(limits)
    }

    fn coordinate(&self, joint: &str) -> Result<usize, RobotError> {
        let joints = self.articulation.joints();
        let found = self.articulation.coordinates().iter().position(|&index| joints[index].name == joint);
        found.ok_or_else(|| self.articulation.unknown_joint(joint))
    }
}

/// Volume moments of a shape: those of its triangle model if it has one, else the sum over its convex pieces.
fn extent_of(shape: &Shape) -> Result<Extent, PenetrationError> {
    if let Some(model) = shape.model() {
        return of_model(model);
    }
    let mut pieces = shape.pieces().iter().map(|piece| of_convex(&piece.shape, &piece.pose));
    let first = pieces.next().unwrap_or(Err(PenetrationError::NoLinkShapes { links: 1 }))?;
    pieces.try_fold(first, |sum, piece| piece.map(|piece| sum.joined(&piece)))
}

fn of_model(model: &Model) -> Result<Extent, PenetrationError> {
    Extent::of_mesh(model.mesh(), model.solidity())
}

fn of_convex(shape: &ConvexShape, pose: &Isometry3<f64>) -> Result<Extent, PenetrationError> {
    Extent::of_convex(shape).map(|extent| extent.moved(pose))
}
