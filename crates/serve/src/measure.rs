//! Depths of the pairs that overlap in a sketch, by the requests of the command line.

use std::time::{Duration, Instant};

use nalgebra::{Isometry3, Point3};
use serde_json::{Value, json};

use extricate_core::query::{Posed, Shape};
use extricate_dynamics::BodyKind;
use extricate_scene::repair::RepairError;
use extricate_scene::request::{PenetrationRequest, PenetrationResponse, Reply, timed};

use crate::posing::{Posing, robot_of};
use crate::stage::Stage;

/// Maximum number of pairs that are measured; the others are listed.
const PAIRS: usize = 6;

/// Time after which no further pair is measured: a drag stays fluent.
const TIME: Duration = Duration::from_millis(40);

/// Pairs that overlap, with their shapes and poses, so that they are measured while the sketch moves on.
#[derive(Debug)]
pub(crate) struct Pairs {
    pairs: Vec<Pair>,
    revision: u64,
}

#[derive(Debug)]
struct Pair {
    names: [String; 2],
    shapes: [Shape; 2],
    poses: [Isometry3<f64>; 2],
}

impl Pairs {
    /// The pairs that collide, those of `subject` first and as the first body of the pair; where there are none, the subject
    /// and the body that is nearest to it by their boxes.
    pub(crate) fn of(posing: &mut Posing, stage: &Stage, subject: Option<&str>) -> Result<Self, RepairError> {
        let mut collisions = posing.sketch.colliding()?.to_vec();
        // A deep pair is of more interest; the depths of convex pieces order the pairs before they are measured.
        collisions
            .sort_by(|a, b| b.depth.unwrap_or(f64::INFINITY).total_cmp(&a.depth.unwrap_or(f64::INFINITY)));
        let mut names: Vec<[String; 2]> = collisions.into_iter().map(|collision| collision.names).collect();
        let poses = posing.sketch.named_poses(posing.sketch.posture())?;
        let place = |name: &str| poses.iter().find(|pose| pose.name == name).map(|pose| pose.pose);
        if let Some(subject) = subject {
            let scene = posing.sketch.scene();
            let family = robot_of(scene, subject).map(|(robot, _)| format!("{robot}/"));
            let is_own =
                |name: &String| name == subject || family.as_ref().is_some_and(|own| name.starts_with(own));
            for pair in &mut names {
                if is_own(&pair[1]) && !is_own(&pair[0]) {
                    pair.swap(0, 1);
                }
            }
            names.sort_by_key(|[a, _]| !is_own(a));
            let others = poses.iter().filter(|pose| !is_own(&pose.name));
            names.extend(neighbours(
                stage,
                (subject, place(subject)),
                others.map(|pose| (pose.name.as_str(), pose.pose)),
                &names,
            ));
        }
        let pair = |names: [String; 2]| {
            let [a, b] = [stage.index(&names[0])?, stage.index(&names[1])?];
            let poses = [place(&names[0])?, place(&names[1])?];
            Some(Pair { shapes: [stage.shape(a).0.clone(), stage.shape(b).0.clone()], poses, names })
        };
        Ok(Self { pairs: names.into_iter().filter_map(pair).collect(), revision: posing.sketch.revision() })
    }

    /// The depths, deepest first, and the pairs that were not measured.
    pub(crate) fn measure(&self, request: &PenetrationRequest) -> Value {
        let started = Instant::now();
        let (mut found, mut rest) = (Vec::new(), Vec::new());
        for pair in &self.pairs {
            if found.len() >= PAIRS || (!found.is_empty() && started.elapsed() > TIME) {
                rest.push(&pair.names);
                continue;
            }
            found.push(pair.answer(request));
        }
        let depth = |answer: &Value| answer["depth"].as_f64().unwrap_or(-1.0);
        found.sort_by(|a, b| depth(b).total_cmp(&depth(a)));
        json!({"pairs": found, "rest": rest, "revision": self.revision})
    }
}

impl Pair {
    fn answer(&self, request: &PenetrationRequest) -> Value {
        let posed = [Posed::new(&self.shapes[0], self.poses[0]), Posed::new(&self.shapes[1], self.poses[1])];
        let (found, time) = timed(|| request.answer(&posed, true));
        let mut answer = json!({"a": self.names[0], "b": self.names[1], "time_us": time.as_secs_f64() * 1e6});
        let fields = match &found {
            Ok(response) => {
                answer["status"] = json!(response.status());
                answer["text"] = json!(response.to_string());
                if let PenetrationResponse::Separate { distance } = response {
                    answer["distance"] = json!(distance);
                }
                serde_json::to_value(response).unwrap_or_default()
            }
            Err(message) => json!({"status": "failed", "text": message}),
        };
        if let (Value::Object(answer), Value::Object(fields)) = (&mut answer, fields) {
            answer.extend(fields);
        }
        answer
    }
}

/// Pairs of a subject beyond those that the sketch tests: of two fixed bodies whose boxes overlap, or, where nothing
/// collides, with the nearest body.
fn neighbours<'a>(
    stage: &Stage,
    (subject, pose): (&str, Option<Isometry3<f64>>),
    others: impl Iterator<Item = (&'a str, Isometry3<f64>)>,
    known: &[[String; 2]],
) -> Vec<[String; 2]> {
    let (Some(index), Some(pose)) = (stage.index(subject), pose) else { return Vec::new() };
    let (shape, kind) = stage.shape(index);
    let gap_to = |(name, other): (&'a str, Isometry3<f64>)| {
        let (other_shape, other_kind) = stage.shape(stage.index(name)?);
        Some((gap((shape, &pose), (other_shape, &other)), *other_kind, name))
    };
    let mut gaps: Vec<_> = others.filter_map(gap_to).collect();
    gaps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let pair = |name: &str| [subject.to_owned(), name.to_owned()];
    let untested = |(gap, other, _): &&(f64, BodyKind, &str)| {
        *gap <= 0.0 && *kind != BodyKind::Dynamic && *other != BodyKind::Dynamic
    };
    let is_robot = subject.contains('/');
    let found: Vec<_> =
        gaps.iter().filter(untested).filter(|_| !is_robot).map(|(_, _, name)| pair(name)).collect();
    if found.is_empty() && known.is_empty() {
        gaps.first().map(|(_, _, name)| pair(name)).into_iter().collect()
    } else {
        found
    }
}

/// Distance of the boxes of two bodies [m], not above that of the bodies.
fn gap(a: (&Shape, &Isometry3<f64>), b: (&Shape, &Isometry3<f64>)) -> f64 {
    let (a, b) = (a.0.aabb(a.1), b.0.aabb(b.1));
    let along = |from: &Point3<f64>, to: &Point3<f64>| {
        (0..3).map(|axis| from[axis] - to[axis]).fold(0.0_f64, f64::max)
    };
    along(&a.min, &b.max).max(along(&b.min, &a.max))
}
