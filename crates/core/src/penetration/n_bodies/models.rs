//! Triangle models as the bodies of a separation.

use nalgebra::{Isometry3, Translation3, Vector3};

use super::separation::Body;
use super::source::{Contact, Demand, Facts, Pairs, Search};
use crate::penetration::error::PenetrationError;
use crate::penetration::translational::from_free::penetration_from;
use crate::penetration::translational::options::{LowerBound, TranslationalOptions};
use crate::penetration::translational::query::penetration;
use crate::proximity::collision::collide;
use crate::proximity::distance;
use crate::proximity::distance::is_within;
use crate::proximity::model::Model;
use crate::proximity::time_of_contact::translational;

/// In-projections of a walk that continues an earlier one.
const WALK: u32 = 60;

/// Triangle models at their poses.
pub(super) struct Models<'a> {
    bodies: &'a [Body<'a>],
    facts: Vec<Facts>,
}

impl<'a> Models<'a> {
    pub(super) fn new(bodies: &'a [Body<'a>]) -> Self {
        Self { bodies, facts: bodies.iter().map(facts).collect() }
    }

    fn pair(&self, pair: [usize; 2], shift: &Vector3<f64>) -> MeshPair<'a> {
        let [a, b] = pair.map(|body| &self.bodies[body]);
        MeshPair { a: a.model, pose_a: Translation3::from(*shift) * a.pose, b: b.model, pose_b: b.pose }
    }
}

fn facts(body: &Body) -> Facts {
    let corners = body.model.mesh().triangles().iter().flatten();
    let corners = corners.map(|&i| (body.pose * body.model.mesh().vertices()[i as usize]).coords);
    let nothing = [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)];
    let bounds = corners.fold(nothing, |[min, max], p| [min.inf(&p), max.sup(&p)]);
    let weight = (!body.fixed).then_some(body.weight);
    Facts { bounds, rotation: body.pose.rotation, size: body.model.radius(), weight }
}

impl Pairs for Models<'_> {
    fn bodies(&self) -> &[Facts] {
        &self.facts
    }

    fn count(&self, pair: [usize; 2]) -> bool {
        pair.iter().any(|&body| !self.bodies[body].fixed)
    }

    fn demand(
        &self,
        pair: [usize; 2],
        shift: &Vector3<f64>,
        clearance: f64,
        search: Search,
    ) -> Result<Option<Demand>, PenetrationError> {
        self.pair(pair, shift).demand(shift, clearance, search)
    }

    fn is_apart(&self, pair: [usize; 2], shift: &Vector3<f64>, clearance: f64) -> bool {
        self.pair(pair, shift).is_apart(clearance)
    }

    fn first_contact(&self, pair: [usize; 2], from: &Vector3<f64>, to: &Vector3<f64>) -> Option<Contact> {
        self.pair(pair, from).first_contact(&(to - from))
    }

    fn distance(&self, pair: [usize; 2], shift: &Vector3<f64>) -> f64 {
        self.pair(pair, shift).distance()
    }
}

/// Two models at their poses body → world.
pub struct MeshPair<'a> {
    /// First model.
    pub a: &'a Model,
    /// Pose of the first model, world frame.
    pub pose_a: Isometry3<f64>,
    /// Second model.
    pub b: &'a Model,
    /// Pose of the second model, world frame.
    pub pose_b: Isometry3<f64>,
}

impl MeshPair<'_> {
    /// See [`Pairs::demand`]; `shift` is contained in the poses and tells where `search.free` lies.
    ///
    /// # Errors
    /// [`SeparationError`] when no separating translation of the pair is found.
    pub fn demand(
        &self,
        shift: &Vector3<f64>,
        clearance: f64,
        search: Search,
    ) -> Result<Option<Demand>, PenetrationError> {
        if self.is_apart(clearance) {
            return Ok(None);
        }
        if !collide(self.a, &self.pose_a, self.b, &self.pose_b) {
            return Ok(self.too_near());
        }
        let (a, b) = ((self.a, &self.pose_a), (self.b, &self.pose_b));
        let back = search.free.map(|free| penetration_from(a, b, &(free - shift), WALK));
        let found = match back {
            Some(Ok(found)) => found,
            _ => {
                let options = TranslationalOptions {
                    effort: search.effort,
                    lower_bound: LowerBound::Skip,
                    ..TranslationalOptions::default()
                };
                let Some(found) = penetration(a.0, a.1, b.0, b.1, &options)? else { return Ok(None) };
                found
            }
        };
        let depth = found.translation.norm();
        Ok(Some(Demand { normal: found.translation / depth, depth }))
    }

    /// The demand of models that are apart, but not enough.
    fn too_near(&self) -> Option<Demand> {
        let found = distance(self.a, &self.pose_a, self.b, &self.pose_b);
        let apart = found.witnesses[0] - found.witnesses[1];
        let normal = apart.try_normalize(0.0)?;
        Some(Demand { normal, depth: -found.value })
    }

    /// Whether the models are more than `clearance` [m] apart.
    pub fn is_apart(&self, clearance: f64) -> bool {
        let (a, b) = ((self.a, &self.pose_a), (self.b, &self.pose_b));
        if clearance > 0.0 { !is_within(a.0, a.1, b.0, b.1, clearance) } else { !collide(a.0, a.1, b.0, b.1) }
    }

    /// The first contact when A moves by `way` [m].
    pub fn first_contact(&self, way: &Vector3<f64>) -> Option<Contact> {
        match translational(self.a, &self.pose_a, way, self.b, &self.pose_b) {
            Ok(found) => found.map(|found| Contact { share: found.time, normal: found.normal.into_inner() }),
            // A way that is not finite leads nowhere.
            Err(_) => Some(Contact { share: 0.0, normal: Vector3::zeros() }),
        }
    }

    /// Distance of the two models [m].
    pub fn distance(&self) -> f64 {
        distance(self.a, &self.pose_a, self.b, &self.pose_b).value
    }
}
