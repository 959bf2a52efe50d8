//! When two moving rigid bodies first touch.

use nalgebra::Isometry3;
use serde::Serialize;

use super::{Answered, Reply, coordinates};
use crate::batch::poses::Motions;
use crate::batch::tolerance::Tolerance;
use extricate_core::kinematics::Motion;
use extricate_core::proximity::{ContactInTime, ContinuousOptions, Model, rigid};

/// The first contact; no time where there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum FirstContact {
    None { time: Option<f64> },
    Rigid(RigidContact),
}

/// The first contact of rigid bodies, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RigidContact {
    pub time: f64,
    pub points: [[f64; 3]; 2],
    pub normal: [f64; 3],
    pub(crate) gap: f64,
    pub(crate) triangles: Option<[u32; 2]>,
    pub(crate) steps: u64,
}

/// How a body moves from one pose to another.
pub(crate) type Way = fn(&Isometry3<f64>, &Isometry3<f64>) -> Motion;

/// The first contact of two meshes on their way, if there is one.
pub fn rigid_contact(
    [a, b]: [&Model; 2],
    Motions { start, end }: &Motions,
    way: Way,
    tolerance: Option<Tolerance>,
) -> Answered<Option<RigidContact>> {
    let default = ContinuousOptions::default();
    let tolerance = match tolerance {
        None => default.tolerance,
        Some(Tolerance::Share(share)) => share,
        Some(Tolerance::Length(length)) => length / a.radius().min(b.radius()),
    };
    let options = ContinuousOptions { tolerance, ..default };
    let found = rigid(a, &way(&start.a, &end.a), b, &way(&start.b, &end.b), &options);
    found.map(|found| found.map(|found| (&found).into())).map_err(|error| error.to_string())
}

impl From<&ContactInTime> for RigidContact {
    fn from(found: &ContactInTime) -> Self {
        Self {
            time: found.time,
            points: coordinates(&found.points),
            normal: found.normal.into_inner().into(),
            gap: found.gap,
            triangles: found.triangles,
            steps: found.steps,
        }
    }
}

impl Reply for FirstContact {
    fn status(&self) -> &'static str {
        match self {
            Self::None { .. } => "free",
            Self::Rigid(_) => "contact",
        }
    }
}
