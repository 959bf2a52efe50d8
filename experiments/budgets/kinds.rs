//! Kinds of queries that are asked.

use std::time::Duration;

use extricate::nalgebra::{Isometry3, Translation3, Vector3};
use extricate::penetration::generalized::SearchEnd;
use extricate::penetration::{Effort, LowerBound};
use extricate::query::{
    CollideOptions, DistanceOptions, HausdorffOptions, Moving, PenetrationOptions, RigidPenetrationOptions,
    TimeOfContactOptions,
};
use extricate::{Posed, query};

/// A kind of query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Collide,
    CollideUnlimited,
    Distance,
    DistanceUnlimited,
    SignedDistance,
    Best,
    Fast,
    FastUnlimited,
    LowerBound,
    Local,
    LocalUnlimited,
    Rigid,
    RigidUnlimited,
    TimeOfContact,
    Hausdorff,
}

impl Kind {
    pub(crate) const ALL: [Self; 15] = [
        Self::Collide,
        Self::CollideUnlimited,
        Self::Distance,
        Self::DistanceUnlimited,
        Self::SignedDistance,
        Self::Best,
        Self::Fast,
        Self::FastUnlimited,
        Self::LowerBound,
        Self::Local,
        Self::LocalUnlimited,
        Self::Rigid,
        Self::RigidUnlimited,
        Self::TimeOfContact,
        Self::Hausdorff,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Collide => "collide",
            Self::CollideUnlimited => "collide, without a budget",
            Self::Distance => "distance",
            Self::DistanceUnlimited => "distance, without a budget",
            Self::SignedDistance => "signed distance",
            Self::Best => "penetration, best",
            Self::Fast => "penetration, fast",
            Self::FastUnlimited => "penetration, fast, without a budget",
            Self::LowerBound => "penetration with a lower bound",
            Self::Local => "local penetrations",
            Self::LocalUnlimited => "local penetrations, without a budget",
            Self::Rigid => "rigid penetration",
            Self::RigidUnlimited => "rigid penetration, fast, without a budget",
            Self::TimeOfContact => "time of contact",
            Self::Hausdorff => "hausdorff",
        }
    }

    pub(crate) fn has_budget(self) -> bool {
        matches!(
            self,
            Self::Collide
                | Self::Distance
                | Self::SignedDistance
                | Self::Best
                | Self::Fast
                | Self::LowerBound
                | Self::Local
                | Self::Rigid
                | Self::Hausdorff
        )
    }

    /// Asks the query, and returns its outcome in a word.
    pub(crate) fn ask(self, a: &Posed, b: &Posed, budget: Duration) -> &'static str {
        let of = |effort| PenetrationOptions {
            effort,
            time_budget: self.has_budget().then_some(budget),
            ..PenetrationOptions::default()
        };
        let separated = |options: &PenetrationOptions| match query::penetration(a, b, options) {
            Ok(Some(_)) => "found",
            Ok(None) => "apart",
            Err(_) => "refused",
        };
        match self {
            Self::Collide | Self::CollideUnlimited => {
                let options =
                    CollideOptions { time_budget: of(Effort::Fast).time_budget, ..CollideOptions::default() };
                query::collide(a, b, &options).map_or("refused", |_| "answered")
            }
            Self::Distance | Self::DistanceUnlimited => {
                let options = DistanceOptions {
                    time_budget: of(Effort::Fast).time_budget,
                    ..DistanceOptions::default()
                };
                exactness(query::distance(a, b, &options))
            }
            Self::SignedDistance => {
                query::signed_distance(a, b, &of(Effort::Fast)).map_or("refused", |_| "answered")
            }
            Self::Best => separated(&of(Effort::Best)),
            Self::Fast | Self::FastUnlimited => separated(&of(Effort::Fast)),
            Self::LowerBound => {
                let lower_bound = LowerBound::Cover { evaluations: 1000 };
                separated(&PenetrationOptions { lower_bound, ..of(Effort::Fast) })
            }
            Self::Local | Self::LocalUnlimited => match query::local_penetrations(a, b, &of(Effort::Fast)) {
                Ok(found) if found.iter().any(|region| !region.is_measured) => "not all measured",
                Ok(_) => "found",
                Err(_) => "refused",
            },
            Self::Rigid => {
                let options = RigidPenetrationOptions {
                    time_budget: Some(budget),
                    ..RigidPenetrationOptions::default()
                };
                query::penetration_rigid(a, b, &options).map_or("refused", |_| "found")
            }
            Self::RigidUnlimited => {
                let found = query::penetration_rigid(a, b, &RigidPenetrationOptions::fast());
                match found.map(|found| found.map(|found| found.ended_by)) {
                    Ok(None) => "apart",
                    Ok(Some(SearchEnd::WorkBound)) => "work bound",
                    Ok(Some(_)) => "found",
                    Err(_) => "refused",
                }
            }
            Self::TimeOfContact => first_contact(a, b),
            Self::Hausdorff => deviation(a, b, budget),
        }
    }
}

/// Outcome of a distance query.
fn exactness(found: std::result::Result<query::Distance, query::QueryError>) -> &'static str {
    match found {
        Ok(found) if found.lower_bound < found.value => "between bounds",
        Ok(_) => "answered",
        Err(_) => "refused",
    }
}

/// Asks for a Hausdorff distance to one per cent.
fn deviation(a: &Posed, b: &Posed, budget: Duration) -> &'static str {
    let time_budget = Some(budget);
    let options = HausdorffOptions { relative_tolerance: 1e-2, time_budget, ..HausdorffOptions::default() };
    match query::hausdorff(a, b, &options) {
        Ok(found) if found.converged => "answered",
        Ok(_) => "not converged",
        Err(_) => "refused",
    }
}

/// Asks for the first contact of a screw that leads A from its pose, moved away by one, through B to its far side and a right
/// angle on.
fn first_contact(a: &Posed, b: &Posed) -> &'static str {
    let [part, other] = [a.part(0), b.part(0)];
    let (pose, across) = (part.pose, Vector3::new(0.3, -1.0, 0.2));
    let beyond = Isometry3::new(across, Vector3::new(0.9, 0.9, -0.9)) * pose;
    let moving = Moving::screw(part.shape, &(Translation3::from(-across) * pose), &beyond);
    let resting = Moving::still(other.shape, &other.pose);
    match query::time_of_contact(&moving, &resting, &TimeOfContactOptions::default()) {
        Ok(Some(contact)) if contact.time > 0.0 => "found",
        Ok(Some(_)) => "in contact",
        Ok(None) => "free",
        Err(_) => "refused",
    }
}
