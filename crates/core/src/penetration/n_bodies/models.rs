//! Triangle models as bodies of a separation.

use nalgebra::{Isometry3, Translation3, Vector3};

use super::separation::Body;
use super::source::{BodyInfo, PairConstraint, PairSearch, Pairs, PathContact};
use crate::penetration::error::PenetrationError;
use crate::penetration::translational::from_free::penetration_from;
use crate::penetration::translational::options::{LowerBound, TranslationalOptions};
use crate::penetration::translational::query::penetration;
use crate::proximity::collision::collide;
use crate::proximity::distance;
use crate::proximity::distance::is_within;
use crate::proximity::model::Model;
use crate::proximity::time_of_contact::translational;

/// In-projections of a walk that continues an earlier one from a known free shift. A walk that ends earlier by itself
/// is unaffected; one that is cut off returns a longer translation. A safeguard against walks that converge slowly,
/// without effect on the sets of docs/sensitivity.md.
const MAX_IN_PROJECTIONS: u32 = 60;

/// Triangle models at their poses.
pub(super) struct Models<'a> {
    bodies: &'a [Body<'a>],
    info: Vec<BodyInfo>,
}

impl<'a> Models<'a> {
    pub(super) fn new(bodies: &'a [Body<'a>]) -> Self {
        Self { bodies, info: bodies.iter().map(info_of).collect() }
    }

    fn pair(&self, pair: [usize; 2], shift: &Vector3<f64>) -> MeshPair<'a> {
        let [a, b] = pair.map(|body| &self.bodies[body]);
        MeshPair { a: a.model, pose_a: Translation3::from(*shift) * a.pose, b: b.model, pose_b: b.pose }
    }
}

fn info_of(body: &Body) -> BodyInfo {
    let corners = body.model.mesh().triangles().iter().flatten();
    let corners = corners.map(|&i| (body.pose * body.model.mesh().vertices()[i as usize]).coords);
    let nothing = [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)];
    let bounds = corners.fold(nothing, |[min, max], p| [min.inf(&p), max.sup(&p)]);
    let weight = (!body.fixed).then_some(body.weight);
    BodyInfo { bounds, rotation: body.pose.rotation, size: body.model.radius(), weight }
}

impl Pairs for Models<'_> {
    fn bodies(&self) -> &[BodyInfo] {
        &self.info
    }

    fn must_separate(&self, pair: [usize; 2]) -> bool {
        pair.iter().any(|&body| !self.bodies[body].fixed)
    }

    fn constraint(
        &self,
        pair: [usize; 2],
        shift: &Vector3<f64>,
        clearance: f64,
        search: PairSearch,
    ) -> Result<Option<PairConstraint>, PenetrationError> {
        self.pair(pair, shift).constraint(shift, clearance, search)
    }

    fn is_apart(&self, pair: [usize; 2], shift: &Vector3<f64>, clearance: f64) -> bool {
        self.pair(pair, shift).is_apart(clearance)
    }

    fn first_contact(&self, pair: [usize; 2], from: &Vector3<f64>, to: &Vector3<f64>) -> Option<PathContact> {
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
    /// See [`Pairs::constraint`]; `shift` is contained in the poses and locates `search.free` relative to them.
    ///
    /// # Errors
    /// [`PenetrationError`] when no separating translation of the pair is found.
    pub fn constraint(
        &self,
        shift: &Vector3<f64>,
        clearance: f64,
        search: PairSearch,
    ) -> Result<Option<PairConstraint>, PenetrationError> {
        if self.is_apart(clearance) {
            return Ok(None);
        }
        if !collide(self.a, &self.pose_a, self.b, &self.pose_b) {
            return Ok(self.too_near());
        }
        let (a, b) = ((self.a, &self.pose_a), (self.b, &self.pose_b));
        // From the last free shift the walk finds the same side again; from scratch the pair could swap sides every round.
        let back = search.free.map(|free| penetration_from(a, b, &(free - shift), MAX_IN_PROJECTIONS));
        let found = match back {
            Some(Ok(found)) => found,
            _ => {
                let options = TranslationalOptions {
                    effort: search.effort,
                    lower_bound: LowerBound::Skip,
                    gaps: false,
                    ..TranslationalOptions::default()
                };
                let Some(found) = penetration(a.0, a.1, b.0, b.1, &options)? else { return Ok(None) };
                found
            }
        };
        let depth = found.translation.norm();
        Ok(Some(PairConstraint { normal: found.translation / depth, depth }))
    }

    /// The constraint of models that are separated by less than the clearance.
    fn too_near(&self) -> Option<PairConstraint> {
        let found = distance(self.a, &self.pose_a, self.b, &self.pose_b);
        let apart = found.witnesses[0] - found.witnesses[1];
        let normal = apart.try_normalize(0.0)?;
        Some(PairConstraint { normal, depth: -found.value })
    }

    /// Whether the separation distance of the models exceeds `clearance` \[m\].
    pub fn is_apart(&self, clearance: f64) -> bool {
        let (a, b) = ((self.a, &self.pose_a), (self.b, &self.pose_b));
        if clearance > 0.0 { !is_within(a.0, a.1, b.0, b.1, clearance) } else { !collide(a.0, a.1, b.0, b.1) }
    }

    /// The first contact when A is translated by `displacement` \[m\].
    pub fn first_contact(&self, displacement: &Vector3<f64>) -> Option<PathContact> {
        match translational(self.a, &self.pose_a, displacement, self.b, &self.pose_b) {
            Ok(found) => {
                found.map(|found| PathContact { fraction: found.time, normal: found.normal.into_inner() })
            }
            // A displacement that is not finite is blocked at once.
            Err(_) => Some(PathContact { fraction: 0.0, normal: Vector3::zeros() }),
        }
    }

    /// Distance of the two models \[m\].
    pub fn distance(&self) -> f64 {
        distance(self.a, &self.pose_a, self.b, &self.pose_b).value
    }
}
