//! Requests for a collision-free path of a robot or body of a scene.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Class, Fault};
use super::fields::{Fields, ItemFault};
use super::path_times::{Speeds, times};
use super::reply::Reply;
use super::text::number;
use crate::scene::{Planning, Scene};
use extricate_core::kinematics::Articulation;
use extricate_core::penetration::generalized::{CollidingPair, GeneralizedError, Pose};
use extricate_core::plan::{PlanError, PlanOptions, PlanWork, plan};
use extricate_core::proximity::ProximityError;

/// Request for a path.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRequest {
    /// The scene file.
    pub scene: String,
    /// Options of the search.
    pub fields: PlanFields,
}

/// Options of a search for a path.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct PlanFields {
    /// Seed of the samples: the same seed gives the same path.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().seed))]
    pub seed: u64,
    /// Leave samples that overlap where they are, instead of moving them to the nearest free pose.
    #[cfg_attr(feature = "clap", arg(long))]
    pub no_retraction: bool,
    /// Maximum number of samples of the search.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().max_samples))]
    pub max_samples: u32,
    /// Clearance along the path \[m\] [default: 1e-4 of the size of the largest link, at least 1e-5, or 0 where an end has no room
    /// for it].
    #[cfg_attr(feature = "clap", arg(long, value_name = "D", allow_negative_numbers = true))]
    pub clearance: Option<f64>,
    /// Maximum number of attempts to shorten the path.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().shortcuts))]
    pub shortcuts: u32,
    /// Maximum speed of the base or body [m/s and rad/s], and of joints whose robot states none [rad/s or m/s], which the times of the path
    /// follow from.
    #[cfg_attr(feature = "clap", arg(long, value_name = "V", default_value_t = Self::default().speed))]
    #[cfg_attr(feature = "clap", arg(value_parser = speed, allow_negative_numbers = true))]
    #[serde(deserialize_with = "positive")]
    pub speed: f64,
}

fn positive<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    let is_speed = value > 0.0 && value.is_finite();
    is_speed.then_some(value).ok_or_else(|| serde::de::Error::custom("expected a speed above zero"))
}

#[cfg(feature = "clap")]
fn speed(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| *value > 0.0 && value.is_finite());
    value.ok_or_else(|| String::from("expected a speed above zero"))
}

impl Default for PlanFields {
    fn default() -> Self {
        let PlanOptions { seed, max_samples, shortcuts, retraction, .. } = PlanOptions::default();
        Self { seed, no_retraction: !retraction, max_samples, clearance: None, shortcuts, speed: 1.0 }
    }
}

/// Outcome of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanStatus {
    /// A path was found.
    Found,
    /// No path was found, which does not prove that there is none.
    NotFound,
}

/// A path, or the part of one that was reached.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanResponse {
    /// Success.
    #[serde(skip)]
    pub status: PlanStatus,
    /// Name of the scene: its file without folder and extension.
    pub scene: String,
    /// Name of the robot or body that moves.
    #[serde(rename = "mover")]
    pub movable: String,
    /// Poses from the start to the goal, or to where the search came nearest to it. Between two of them joints and positions are
    /// interpolated linearly, and the rotation along the shorter arc at constant speed: all of that is proved free.
    #[schemars(length(min = 1))]
    pub path: Vec<PathPose>,
    /// Time from the start to the last pose \[s\].
    #[schemars(range(min = 0.0))]
    pub duration: f64,
    /// Sum of the root mean squared displacements (object norm) of the segments \[m\]; null where no path was found.
    #[schemars(range(min = 0.0))]
    pub length: Option<f64>,
    /// The same before the path was shortened \[m\]; null where none was found.
    #[schemars(range(min = 0.0))]
    pub found_length: Option<f64>,
    /// Object norm between the configurations reached from the start and from the goal \[m\]; null where a path was found.
    #[schemars(range(min = 0.0))]
    pub gap: Option<f64>,
    /// Clearance along the path \[m\], proved like the path itself.
    #[schemars(range(min = 0.0))]
    pub clearance: f64,
    /// Poses along the path at which collision queries of the models found everything free.
    pub checked: usize,
    /// Number of samples.
    pub samples: u32,
    /// Number of samples that overlapped.
    pub overlapping: u32,
    /// Number of samples that were moved to the nearest free pose.
    pub retracted: u32,
    /// Nodes of the trees of the start and of the goal.
    #[schemars(inner(range(min = 1)))]
    pub nodes: [usize; 2],
    /// Segments that were proved free, or blocked.
    pub segments: u64,
}

/// A pose of a path.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PathPose {
    /// Position of the body, or of the robot's root \[m\].
    pub position: [f64; 3],
    /// Unit quaternion w, x, y, z.
    pub rotation: [f64; 4],
    /// Values of the independent joints, by name [rad or m]; empty for a body.
    pub joints: BTreeMap<String, f64>,
    /// Time at which it is reached \[s\]: each segment takes as long as what is slowest along it needs at its maximum speed.
    #[schemars(range(min = 0.0))]
    pub time: f64,
}

impl PathPose {
    fn new((pose, time): (&Pose, f64), articulation: &Articulation) -> Self {
        let q = pose.base.rotation;
        let names = articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.clone());
        Self {
            position: pose.base.translation.vector.into(),
            rotation: [q.w, q.i, q.j, q.k],
            joints: names.zip(pose.joints.iter().copied()).collect(),
            time,
        }
    }
}

impl PlanRequest {
    /// Takes the fields of the request.
    pub(super) fn take(fields: &mut Fields) -> Result<Self, ItemFault> {
        Ok(Self { scene: fields.need("scene")?, fields: fields.part()? })
    }
}

impl PlanFields {
    /// Searches for the path that the `plan` of a scene asks for.
    ///
    /// # Errors
    /// A [`Fault`] where the scene has no plan, an end is not free or outside of limits, or the search fails; that no path is
    /// found is a response.
    pub fn search(&self, scene: &Scene) -> Result<PlanResponse, Fault> {
        let planning = scene.planning().map_err(|error| Fault::of(Class::BadFile, &error))?;
        let options = PlanOptions {
            retraction: !self.no_retraction,
            max_samples: self.max_samples,
            seed: self.seed,
            clearance: self.clearance.unwrap_or_else(|| planning.default_clearance()),
            region: planning.region,
            shortcuts: self.shortcuts,
            ..PlanOptions::default()
        };
        let search =
            |options: &PlanOptions| plan(&planning.collision_world, &planning.start, &planning.goal, options);
        let (found, clearance) = match search(&options) {
            // The ends are given: one that is free is not refused for the sake of the default.
            Err(PlanError::NotFree { .. }) if self.clearance.is_none() => {
                (search(&PlanOptions { clearance: 0.0, ..options }), 0.0)
            }
            found => (found, options.clearance),
        };
        let articulation = planning.collision_world.movables()[0].articulation();
        let speeds = Speeds { joints: &planning.speeds, others: self.speed };
        let movable = scene.plan.as_ref().map_or_else(String::new, |plan| plan.movable.clone());
        let response = |status, path: &[Pose], work: PlanWork| {
            let times = times(path, articulation, speeds);
            PlanResponse {
                status,
                scene: scene.name(),
                movable: movable.clone(),
                duration: times.last().copied().unwrap_or_default(),
                path: path.iter().zip(times).map(|timed| PathPose::new(timed, articulation)).collect(),
                length: None,
                found_length: None,
                gap: None,
                clearance,
                checked: 0,
                samples: work.samples,
                overlapping: work.overlapping,
                retracted: work.retracted,
                nodes: work.nodes,
                segments: work.segments,
            }
        };
        match found {
            Ok(found) => Ok(PlanResponse {
                length: Some(found.length),
                found_length: Some(found.found_length),
                checked: found.checked,
                ..response(PlanStatus::Found, &found.path, found.work)
            }),
            Err(PlanError::NotFound { reached }) => Ok(PlanResponse {
                gap: Some(reached.gap),
                ..response(PlanStatus::NotFound, &reached.path, reached.work)
            }),
            Err(error) => Err(refused(&planning, &error)),
        }
    }
}

fn refused(planning: &Planning, error: &PlanError) -> Fault {
    let names = |pairs: &[CollidingPair]| {
        let name = |pair: &CollidingPair| {
            let [a, b] = pair.parts.map(|part| planning.name_of(part));
            format!("{a} with {b}")
        };
        pairs.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    match error {
        PlanError::NotFree { end, pairs, .. } if !pairs.is_empty() => {
            Fault::new(Class::InitialPenetration, format!("the {end} is not free: {}", names(pairs)))
        }
        PlanError::NotFree { .. } => Fault::of(Class::InitialPenetration, error),
        PlanError::Unsound { pairs } => Fault::new(Class::Numerical, format!("{error}: {}", names(pairs))),
        PlanError::OutsideLimits { .. } | PlanError::Unmoved { .. } => Fault::of(Class::BadFile, error),
        PlanError::Query(GeneralizedError::Proximity(ProximityError::Option { .. })) => {
            Fault::of(Class::Usage, error)
        }
        _ => Fault::of(Class::Numerical, error),
    }
}

impl fmt::Display for PlanResponse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}, {}: ", self.scene, self.movable)?;
        match (self.length, self.gap) {
            (Some(length), _) => {
                write!(f, "a path of {} poses, {} m of mean displacement", self.path.len(), number(length))
            }
            (None, Some(gap)) => write!(f, "NO path was found; the search came within {} m", number(gap)),
            (None, None) => f.write_str("NO path was found"),
        }
    }
}

impl Reply for PlanResponse {
    fn status(&self) -> &'static str {
        match self.status {
            PlanStatus::Found => "found",
            PlanStatus::NotFound => "not-found",
        }
    }

    fn shortfall(&self) -> Option<Fault> {
        (self.status == PlanStatus::NotFound).then(|| {
            Fault::new(Class::NoFreePose, "no path was found, which does not prove that there is none")
        })
    }
}
