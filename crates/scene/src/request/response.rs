//! Responses to all kinds of requests.

use std::fmt;

use serde::Serialize;

use super::bodies_repair::BodiesRepair;
use super::check::CheckResponse;
use super::collide::Collision;
use super::distance::Separation;
use super::fault::Fault;
use super::generalized::GeneralizedResponse;
use super::growth::Growth;
use super::hausdorff::Deviation;
use super::penetration::PenetrationResponse;
use super::plan::PlanResponse;
use super::reply::Reply;
use super::robot_repair::RobotRepair;
use super::scene_repair::SceneRepairResponse;
use super::self_collision::{LinksAtRest, MeshAtRest, MeshInMotion};
use super::spanning::SpanningDistance;
use super::time_of_contact::FirstContact;
use crate::record::Summary;

macro_rules! responses {
    ($($(#[$doc:meta])* $name:ident($type:ty),)*) => {
        /// A response to a request, with JSON fields for programs and a text for people.
        #[derive(Debug, Serialize)]
        #[serde(untagged)]
        pub enum Response {
            $($(#[$doc])* $name($type),)*
        }

        impl Reply for Response {
            fn status(&self) -> &'static str {
                match self {
                    $(Self::$name(response) => response.status(),)*
                }
            }

            fn shortfall(&self) -> Option<Fault> {
                match self {
                    $(Self::$name(response) => response.shortfall(),)*
                }
            }
        }

        impl fmt::Display for Response {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                match self {
                    $(Self::$name(response) => response.fmt(f),)*
                }
            }
        }
    };
}

responses! {
    /// Collision of two shapes.
    Collide(Collision),
    /// Distance of two shapes.
    Distance(Separation),
    /// Hausdorff distance of two surfaces.
    Hausdorff(Deviation),
    /// Maximum distance of two shapes.
    Spanning(SpanningDistance),
    /// Growth distance of two convex shapes.
    Growth(Growth),
    /// First contact of two moving shapes, or of the links of a robot.
    TimeOfContact(FirstContact),
    /// Self-collision of a mesh at rest.
    MeshAtRest(MeshAtRest),
    /// Self-collision of a mesh that deforms.
    MeshInMotion(MeshInMotion),
    /// Self-collision of a robot at rest.
    LinksAtRest(LinksAtRest),
    /// Penetration depth of two shapes.
    Penetration(PenetrationResponse),
    /// Generalized penetration depth of two shapes.
    Generalized(GeneralizedResponse),
    /// Repair of a robot.
    RobotRepair(Box<RobotRepair>),
    /// Repair of the bodies and robots of a scene.
    SceneRepair(Box<SceneRepairResponse>),
    /// Repair of the bodies of a scene by translations.
    BodiesRepair(BodiesRepair),
    /// Path of a robot or body of a scene.
    Plan(Box<PlanResponse>),
    /// Findings on a scene.
    Check(Box<CheckResponse>),
    /// Summary of a run.
    Run(Box<Summary>),
}
