//! Object norm: distance of two poses of a body, or of two configurations of an articulated model
//! [Tang14 §3.1 and §4; Kazerounian and Rastegar 1992].
//!
//! σ is a squared length \[m²\]; reports also print √σ \[m\]. Of a rigid body σ is the mean squared displacement of its
//! points ([`Extent::squared`]). Of an articulated model it is the sum of the contributions of the joints, one after another
//! from the base to the tips ([`Metric::sigma`]): neither an upper nor a lower bound of the mean squared displacement
//! of its points, which [`ObjectNorm::mean_squared_displacement`] computes to be reported beside it.
//!
//! Bodies are weighted by volume, surfaces without volume by area ([`Extent::kind`]).

pub(crate) mod extent;
mod measure;
pub(crate) mod metric;

use nalgebra::{Isometry3, Point3, Unit};

pub use extent::Extent;
pub use measure::Measure;
pub use metric::{JointWeight, Metric};

use crate::kinematics::articulation::joint::JointKind;
use crate::kinematics::articulation::tree::Articulation;
use crate::kinematics::error::RobotError;
use crate::penetration::error::PenetrationError;
use crate::proximity::articulated::model::ArticulatedModel;
use crate::proximity::error::ProximityError;

/// The object norm of an articulated model: its tree and the extents of its links.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectNorm {
    articulation: Articulation,
    extents: Vec<Option<Extent>>,
    kind: Measure,
    measure: f64,
}

impl ObjectNorm {
    /// The norm of an articulation whose links have these extents in their frames; `None` for a link without a shape.
    ///
    /// ```
    /// use extricate_core::kinematics::{Articulation, Joint, JointKind};
    /// use extricate_core::penetration::object_norm::{Extent, ObjectNorm};
    /// use nalgebra::{Isometry3, Point3, Vector3};
    ///
    /// // Two line segments of length 1, hinged at the origin and at their common end.
    /// let hinge = |name: &str, parent: &str, child: &str, x: f64| {
    ///     Joint::new(name, parent, child, JointKind::Revolute { axis: Vector3::z() })
    ///         .at(Isometry3::translation(x, 0.0, 0.0))
    /// };
    /// let links = ["ground", "upper", "lower"].map(String::from).to_vec();
    /// let arm = Articulation::new(links, vec![
    ///     hinge("shoulder", "ground", "upper", 0.0),
    ///     hinge("elbow", "upper", "lower", 1.0),
    /// ])?;
    /// let stick = Extent::of_stick(&Point3::origin(), &Point3::new(1.0, 0.0, 0.0))?;
    /// let norm = ObjectNorm::new(&arm, vec![None, Some(stick), Some(stick)])?;
    /// let here = Isometry3::identity();
    /// let metric = norm.at(&[0.0, 0.0], &here)?;
    /// // (2l)³/3 about the shoulder, l³/3 about the elbow.
    /// assert!((metric.weights()[0] - 8.0 / 3.0).abs() < 1e-12);
    /// assert!((metric.weights()[1] - 1.0 / 3.0).abs() < 1e-12);
    /// let quarter = std::f64::consts::FRAC_PI_2;
    /// // (2 sin 45°)² = 2, over V = 2.
    /// assert!((metric.sigma(&[0.0, quarter], &here) - 1.0 / 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ProximityError::Count`] when extents and links do not match in number, [`PenetrationError::MixedMeasures`]
    /// when some are volumes and some areas, [`PenetrationError::NoLinkShapes`] when no link has one.
    pub fn new(articulation: &Articulation, extents: Vec<Option<Extent>>) -> Result<Self, PenetrationError> {
        let links = articulation.links();
        if extents.len() != links.len() {
            let (given, expected) = (extents.len(), links.len());
            return Err(ProximityError::Count { what: "extents", given, expected }.into());
        }
        let mut present = extents.iter().enumerate().filter_map(|(link, extent)| Some((link, (*extent)?)));
        let nothing = PenetrationError::NoLinkShapes { links: links.len() };
        let (first, extent) = present.next().ok_or(nothing)?;
        let (kind, mut measure) = (extent.kind(), extent.measure());
        for (link, extent) in present {
            if extent.kind() != kind {
                let measures = [kind, extent.kind()].map(Measure::name);
                let links = [first, link].map(|link| links[link].clone());
                return Err(PenetrationError::MixedMeasures { links, measures });
            }
            measure += extent.measure();
        }
        Ok(Self { articulation: articulation.clone(), extents, kind, measure })
    }

    /// The norm of a model, with solid links weighted by volume and surfaces by area. Links that are the world around it have none.
    ///
    /// # Errors
    /// [`PenetrationError::Link`] with the name of a link whose shape has no volume, and as [`ObjectNorm::new`].
    pub fn of_model(model: &ArticulatedModel) -> Result<Self, PenetrationError> {
        let articulation = model.articulation();
        let mut extents = vec![None; articulation.links().len()];
        for (link, shape) in model.measured() {
            let extent = Extent::of_mesh(shape.mesh(), shape.solidity());
            extents[link] = Some(extent.map_err(|error| error.of_link(&articulation.links()[link]))?);
        }
        Self::new(articulation, extents)
    }

    /// The tree of links.
    #[must_use]
    pub fn articulation(&self) -> &Articulation {
        &self.articulation
    }

    /// The extent of each link in its frame.
    #[must_use]
    pub fn extents(&self) -> &[Option<Extent>] {
        &self.extents
    }

    /// The kind of measure of the links.
    #[must_use]
    pub fn kind(&self) -> Measure {
        self.kind
    }

    /// V: the total measure of all links \[m³\].
    #[must_use]
    pub fn measure(&self) -> f64 {
        self.measure
    }

    /// The norm at a configuration, with the root at `base`, from which it measures distances.
    ///
    /// # Errors
    /// [`RobotError::Length`] and [`RobotError::NotFinite`] when the configuration is invalid.
    #[expect(
        clippy::missing_panics_doc,
        reason = "every norm has a link with an extent, and all are descendants of the root"
    )]
    pub fn at(&self, configuration: &[f64], base: &Isometry3<f64>) -> Result<Metric, RobotError> {
        let poses = self.articulation.link_poses(configuration, base)?;
        let outboard = self.outboard(&poses);
        let order = self.articulation.parents_first();
        let weigh = |&link: &usize| {
            let joint = self.articulation.parent_joint(link)?;
            let (coordinate, factor, _) = self.articulation.dependence(joint)?;
            let (is_revolute, weight) = match (self.articulation.joints()[joint].kind, &outboard[link]) {
                (JointKind::Fixed, _) => return None,
                (JointKind::Prismatic { .. }, outboard) => {
                    (false, outboard.map_or(0.0, |extent| extent.measure()))
                }
                (JointKind::Revolute { axis }, outboard) => {
                    // The joint's axis passes through the origin of its child link and is fixed in the child's frame.
                    let axis = Unit::new_normalize(poses[link].rotation * axis);
                    let origin = Point3::from(poses[link].translation.vector);
                    (true, outboard.map_or(0.0, |extent| extent.moment_about(&origin, &axis)))
                }
            };
            Some(JointWeight { joint, coordinate, factor, is_revolute, weight })
        };
        let joints = order.iter().filter_map(weigh).collect();
        let whole = outboard[order[0]]
            .expect("a norm has a link with an extent, and all are descendants of the root");
        Ok(Metric::new(configuration, base, joints, whole))
    }

    /// The true mean squared displacement \[m²\] of all points between two configurations, each with its base, which is
    /// reported beside σ.
    ///
    /// # Errors
    /// [`RobotError::Length`] and [`RobotError::NotFinite`] when a configuration is invalid.
    pub fn mean_squared_displacement(
        &self,
        from: (&[f64], &Isometry3<f64>),
        to: (&[f64], &Isometry3<f64>),
    ) -> Result<f64, RobotError> {
        let before = self.articulation.link_poses(from.0, from.1)?;
        let after = self.articulation.link_poses(to.0, to.1)?;
        let links = self.extents.iter().zip(before.iter().zip(&after));
        let of_link = links.filter_map(|(extent, (from, to))| {
            extent.as_ref().map(|extent| extent.measure() * extent.squared(from, to))
        });
        Ok(of_link.sum::<f64>() / self.measure)
    }

    /// The extent of the outboard links of each link, itself included, in the world.
    fn outboard(&self, poses: &[Isometry3<f64>]) -> Vec<Option<Extent>> {
        let own =
            |(extent, pose): (&Option<Extent>, &Isometry3<f64>)| extent.map(|extent| extent.moved(pose));
        let mut outboard: Vec<_> = self.extents.iter().zip(poses).map(own).collect();
        for &link in self.articulation.parents_first().iter().rev() {
            if let (Some(parent), Some(extent)) = (self.articulation.parent(link), outboard[link]) {
                // Children come before their parents in the reversed order, so each is complete when it is added.
                outboard[parent] =
                    Some(outboard[parent].map_or(extent, |of_parent| of_parent.joined(&extent)));
            }
        }
        outboard
    }
}

#[cfg(test)]
mod tests;
