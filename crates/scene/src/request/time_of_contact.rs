//! First contact of two moving shapes: rigid bodies, deforming meshes, a robot and an obstacle.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::deforming::FeatureContact;
use super::fields::parsed;
use super::poses::{Interpolation, Motions};
use super::reply::{Reply, coordinates};
use super::text::{number, text_of};
use super::tolerance::Tolerance;
use extricate_core::kinematics::Motion;
use extricate_core::query::{self, ContactInTime, Moving, QueryError, Shape, TimeOfContactOptions};

/// Request for the first contact of two moving shapes.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct TimeOfContactRequest {
    /// Interpolation between the poses of a rigid body [default: linear].
    #[cfg_attr(feature = "clap", arg(long, value_name = "MOTION"))]
    pub motion: Option<MotionArgument>,
    /// Gap that counts as contact of rigid bodies: a length \[m\], or a fraction of the smaller shape's radius [default: 0.0001%].
    #[cfg_attr(feature = "clap", arg(long, value_name = "T", conflicts_with_all = ["a_end", "b_end"]))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "Option<String>")]
    pub tolerance: Option<Tolerance>,
    /// End the search after S seconds with an error, which of rigid bodies and robots gives the time up to which the motion is free; such an end
    /// depends on the machine and is not reproducible.
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", value_parser = super::text::seconds))]
    #[serde(skip)]
    pub time_budget: Option<Duration>,
    /// Deform A: its vertices move to those of FILE, which must have the same triangles.
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", conflicts_with = "motion"))]
    pub a_end: Option<PathBuf>,
    /// Deform B: its vertices move to those of FILE, which must have the same triangles.
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", conflicts_with = "motion"))]
    pub b_end: Option<PathBuf>,
    /// Search for contacts between the links of a robot as well.
    #[cfg_attr(feature = "clap", arg(long))]
    pub self_collision: bool,
}

/// Motion of a rigid body between two poses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum MotionArgument {
    /// Origin on a straight line, rotation at a constant rate.
    Linear,
    /// Rotation about and translation along one fixed axis.
    Screw,
}

/// The first contact, world frame; no time where there is none.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FirstContact {
    /// The whole motion is proved free of contact.
    #[schemars(extend("x-status" = ["free"]))]
    None {
        /// No time.
        #[schemars(with = "()")]
        time: Option<f64>,
        /// Whether the request was about a robot.
        #[serde(skip)]
        of_robot: bool,
    },
    /// Rigid shapes.
    #[schemars(extend("x-status" = ["contact"]))]
    Rigid(RigidContact),
    /// With `a_end` or `b_end`: the first feature is of A, the second one of B.
    #[schemars(extend("x-status" = ["contact"]))]
    Deforming(FeatureContact),
    /// A robot.
    #[schemars(extend("x-status" = ["contact"]))]
    Robot(LinkContact),
}

/// The first contact of rigid bodies, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RigidContact {
    /// Time of the first contact: the motion is proved free up to here.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub time: f64,
    /// Closest points of A and of B at that time \[m\].
    pub points: [[f64; 3]; 2],
    /// Unit normal, from B to A.
    pub normal: [f64; 3],
    /// Distance of the surfaces at that time \[m\]; zero where the shapes touch at the start.
    #[schemars(range(min = 0.0))]
    pub gap: f64,
    /// The touching triangles of A and B, 0-based; null where one shape is inside a solid at the start.
    pub triangles: Option<[u32; 2]>,
    /// Number of advancement steps.
    pub steps: u64,
}

/// The first contact of a link, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LinkContact {
    /// Time of the first contact: the motion is proved free up to here.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub time: f64,
    /// The touching link of the robot, of A where both are robots.
    pub link: String,
    /// The other touching link, of B where both are robots; null for the shape.
    pub other: Option<String>,
    /// Closest points of the link and of the other at that time \[m\].
    pub points: [[f64; 3]; 2],
    /// Unit normal, from the other to the link.
    pub normal: [f64; 3],
    /// Distance of the surfaces at that time \[m\]; zero where the shapes touch at the start.
    #[schemars(range(min = 0.0))]
    pub gap: f64,
    /// The touching triangles of the link and of the other, 0-based; null where one is inside a solid at the start.
    pub triangles: Option<[u32; 2]>,
    /// Number of advancement steps of all pairs of bodies together.
    pub steps: u64,
    /// The shape beside the robot.
    #[serde(skip)]
    pub(super) obstacle: char,
    /// Whether A and B are robots.
    #[serde(skip)]
    pub(super) of_two: bool,
}

impl TimeOfContactRequest {
    /// Interpolation between the poses of rigid bodies.
    pub(super) fn interpolation(&self) -> Interpolation {
        match self.motion {
            None | Some(MotionArgument::Linear) => Motion::linear,
            Some(MotionArgument::Screw) => Motion::screw,
        }
    }

    fn options(&self) -> TimeOfContactOptions {
        let mut options = TimeOfContactOptions { time_budget: self.time_budget, ..Default::default() };
        if let Some(tolerance) = self.tolerance {
            (options.relative_tolerance, options.absolute_tolerance) = tolerance.parts();
        }
        options
    }

    /// The first contact of two moving shapes.
    pub(super) fn answer(
        &self,
        [a, b]: &[Shape; 2],
        Motions { start, end }: &Motions,
    ) -> Result<FirstContact, QueryError> {
        let motion = self.interpolation();
        let a = Moving { shape: a, motion: motion(&start.a, &end.a) };
        let b = Moving { shape: b, motion: motion(&start.b, &end.b) };
        let found = query::time_of_contact(&a, &b, &self.options())?;
        Ok(found.map_or(FirstContact::NONE, |found| FirstContact::Rigid((&found).into())))
    }
}

impl FirstContact {
    pub(super) const NONE: Self = Self::None { time: None, of_robot: false };

    /// The first contact of a robot, or none.
    pub(super) fn of_robot(found: Option<LinkContact>) -> Self {
        found.map_or(Self::None { time: None, of_robot: true }, Self::Robot)
    }
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
            _ => "contact",
        }
    }
}

impl fmt::Display for FirstContact {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::None { of_robot: true, .. } => f.write_str("free of contact during the whole motion"),
            Self::None { .. } => f.write_str("free of contact"),
            Self::Rigid(found) => {
                write!(f, "contact at time {}, ", number(found.time))?;
                at(f, &found.points, &found.normal)
            }
            Self::Robot(found) => {
                let (time, link) = (number(found.time), &found.link);
                match &found.other {
                    None => write!(f, "contact at time {time}: {link} with {}, ", found.obstacle)?,
                    Some(other) if found.of_two => {
                        write!(f, "contact at time {time}: {link} of A with {other} of B, ")?;
                    }
                    Some(other) => write!(f, "contact at time {time}: {link} with {other}, ")?,
                }
                at(f, &found.points, &found.normal)
            }
            Self::Deforming(found) => {
                let ([of_a, of_b], [a, b]) = (found.feature_names(), &found.points);
                write!(f, "contact at time {}, {of_a} of A at ", number(found.time))?;
                write!(f, "({}) and {of_b} of B at ({})", text_of(a), text_of(b))
            }
        }
    }
}

fn at(f: &mut fmt::Formatter, [a, b]: &[[f64; 3]; 2], normal: &[f64; 3]) -> fmt::Result {
    write!(f, "at ({}) and ({}), normal ({})", text_of(a), text_of(b), text_of(normal))
}
