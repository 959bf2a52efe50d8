//! Questions about two shapes.

use std::sync::Arc;
use std::time::Duration;

use super::{Bench, Head, Told};
use crate::batch::answers::collide::{self, Collision, Details};
use crate::batch::answers::distance::{self, Wanted};
use crate::batch::answers::penetration::{Answer, PenetrationAnswer, lower_bound};
use crate::batch::answers::time_of_contact::{FirstContact, rigid_contact};
use crate::batch::answers::{Answered, Reply, convex, generalized, hausdorff, spanning, timed};
use crate::batch::fault::{Class, Fault};
use crate::batch::fields::Fields;
use crate::batch::item::ItemFault;
use crate::batch::library::SMALL;
use crate::batch::poses::{self, Motions, Poses};
use crate::batch::shape::ShapeArgument;
use crate::batch::tolerance::Tolerance;
use crate::repair::RepairOptions;
use extricate_core::geometry::Solidity;
use extricate_core::geometry::convex::ConvexShape;
use extricate_core::kinematics::Motion;
use extricate_core::penetration::{
    Effort, FreeConfiguration, LowerBound, TranslationalOptions, local_penetrations, penetration,
};
use extricate_core::proximity::{DistanceCache, Model};

/// A question about two shapes at their poses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairTask {
    shapes: [String; 2],
    poses: Poses,
    /// What meshes are taken for; nothing leaves closed ones solid.
    wish: Option<Solidity>,
    question: Question,
}

#[derive(Debug, Clone, PartialEq)]
enum Question {
    Collide(Details),
    Distance(Wanted),
    Hausdorff(hausdorff::Wanted),
    Spanning,
    TimeOfContact(Course),
    Penetration(Search),
    Generalized(RepairOptions),
}

/// How two shapes move.
#[derive(Debug, Clone, PartialEq)]
struct Course {
    motions: Motions,
    /// Whether they move about and along an axis.
    screw: bool,
    tolerance: Option<Tolerance>,
}

/// How a penetration is searched for.
#[derive(Debug, Clone, PartialEq)]
struct Search {
    options: TranslationalOptions,
    /// The first field that was given and that only meshes have.
    for_meshes: Option<&'static str>,
}

/// Two shapes that can be asked about.
enum Pair {
    Convex(Box<[ConvexShape; 2]>),
    Meshes([Arc<Model>; 2]),
}

/// The field `effort`.
pub(super) fn effort(fields: &mut Fields) -> Result<Option<Effort>, ItemFault> {
    fields.parsed("effort", |text| match text {
        "fast" => Ok(Effort::Fast),
        "best" => Ok(Effort::Best),
        _ => Err(String::from("write fast or best")),
    })
}

impl PairTask {
    pub(super) fn take(kind: &'static str, fields: &mut Fields) -> Result<Self, ItemFault> {
        let shapes = [fields.need("a")?, fields.need("b")?];
        let wish = match (fields.flag("solid")?, fields.flag("surface")?) {
            (true, true) => {
                let why = String::from("`solid` and `surface` exclude each other");
                return Err(ItemFault::Clash { why });
            }
            (true, _) => Some(Solidity::Solid),
            (_, true) => Some(Solidity::Surface),
            _ => None,
        };
        let moves = kind == "time-of-contact";
        let poses = if moves { Poses::default() } else { resting(fields)? };
        let question = match kind {
            "collide" => {
                Question::Collide(Details { pairs: fields.flag("all")?, segments: fields.flag("segments")? })
            }
            "distance" => Question::Distance(wanted(fields)?),
            "hausdorff" => Question::Hausdorff(hausdorff::Wanted {
                one_sided: fields.flag("one_sided")?,
                tolerance: fields.parsed("tolerance", str::parse)?,
                max_evaluations: fields.take("max_evaluations")?,
            }),
            "spanning" => Question::Spanning,
            "time-of-contact" => Question::TimeOfContact(Course::take(fields)?),
            "generalized" => Question::Generalized(RepairOptions {
                effort: effort(fields)?.unwrap_or(Effort::Best),
                clearance: fields.length("clearance")?.unwrap_or(0.0),
                seed: fields.take("seed")?.unwrap_or(0),
                ..RepairOptions::default()
            }),
            _ => Question::Penetration(Search::take(fields)?),
        };
        Ok(Self { shapes, poses, wish, question })
    }

    pub(super) fn kind(&self) -> &'static str {
        match self.question {
            Question::Collide(_) => "collide",
            Question::Distance(_) => "distance",
            Question::Hausdorff(_) => "hausdorff",
            Question::Spanning => "spanning",
            Question::TimeOfContact(_) => "time-of-contact",
            Question::Penetration(_) => "penetration",
            Question::Generalized(_) => "generalized",
        }
    }

    pub(super) fn answer(&self, bench: &Bench, head: Head) -> Result<Told, Fault> {
        let poses = &self.poses;
        match &self.question {
            Question::Collide(told) => {
                let why = "`all` and `segments` name triangles";
                let why = (told.pairs || told.segments).then_some(why);
                let (found, time) = timed_answer(|| match self.load(bench, why)? {
                    Pair::Convex(shapes) => Ok(timed(|| {
                        let found = convex::signed_distance_at(&shapes, poses);
                        found.map(|found| Collision::told(found.value <= 0.0))
                    })),
                    Pair::Meshes([a, b]) => Ok(timed(|| Ok(collide::of_meshes([&a, &b], poses, *told)))),
                })?;
                Ok(head.told(&found, time))
            }
            Question::Distance(wanted) => {
                let (found, time) = timed_answer(|| match self.load(bench, None)? {
                    Pair::Convex(shapes) => Ok(distance::of_convex(&shapes, poses, wanted)),
                    Pair::Meshes([a, b]) if wanted.signed => {
                        Ok(distance::signed([&a, &b], poses, bench.parallel))
                    }
                    Pair::Meshes([a, b]) => {
                        let cache = &mut DistanceCache::default();
                        Ok(distance::of_meshes([&a, &b], poses, &wanted.options(), cache))
                    }
                })?;
                Ok(head.told(&found, time))
            }
            Question::Hausdorff(wanted) => {
                let [a, b] = self.meshes(bench, "the Hausdorff distance is that of triangles")?;
                let (found, time) = timed_answer(|| Ok(timed(|| wanted.ask([&a, &b], poses))))?;
                Ok(head.told(&found, time))
            }
            Question::Spanning => {
                let [a, b] = self.meshes(bench, "the spanning distance is that of vertices")?;
                let (found, time) = timed(|| spanning::of_meshes([&a, &b], poses));
                Ok(head.told(&found, time))
            }
            Question::TimeOfContact(course) => {
                let [a, b] = self.meshes(bench, "the time of contact is that of triangles")?;
                let (found, time) = timed_answer(|| Ok(timed(|| course.ask([&a, &b]))))?;
                Ok(head.told(&found, time))
            }
            Question::Penetration(search) => {
                let (found, time) =
                    timed_answer(|| search.ask(&self.load(bench, None)?, poses, bench.parallel))?;
                Ok(head.told(&found, time))
            }
            Question::Generalized(options) => {
                let options = RepairOptions { parallel: bench.parallel, ..options.clone() };
                let (found, time) = timed_answer(|| {
                    let pair = self.made_ready(bench)?;
                    Ok(timed(|| {
                        let found = pair.search(poses, &options, None)?;
                        Ok(found.map_or(generalized::Answer::Separate {}, generalized::Answer::Penetrating))
                    }))
                })?;
                Ok(head.told(&found, time))
            }
        }
    }

    fn parsed(&self, bench: &Bench) -> Result<[ShapeArgument; 2], Fault> {
        let [a, b] = &self.shapes;
        Ok([ShapeArgument::parse_in(a, bench.folder)?, ShapeArgument::parse_in(b, bench.folder)?])
    }

    /// The shapes: as convex ones, unless one is a mesh file, or triangles are needed because of `why`.
    fn load(&self, bench: &Bench, why: Option<&str>) -> Result<Pair, Fault> {
        let shapes = self.parsed(bench)?;
        let as_surface = self.wish == Some(Solidity::Surface);
        if shapes.iter().all(ShapeArgument::is_convex) && !as_surface && why.is_none() {
            let [a, b] = &shapes;
            return Ok(Pair::Convex(Box::new([bench.library.convex(a)?, bench.library.convex(b)?])));
        }
        let why = why.unwrap_or(if as_surface {
            "`surface` takes the triangles of both shapes"
        } else {
            "a mesh file is asked about together with another mesh file, box:X,Y,Z or hull:FILE only"
        });
        Ok(Pair::Meshes(self.meshes(bench, why)?))
    }

    /// The shapes as triangles, which are needed because of `why`.
    fn meshes(&self, bench: &Bench, why: &str) -> Result<[Arc<Model>; 2], Fault> {
        let shapes = self.parsed(bench)?;
        if let Some(shape) = shapes.iter().find(|shape| !shape.has_triangles()) {
            return Err(Fault::new(Class::Usage, format!("`{}` has no triangles: {why}", shape.text())));
        }
        let [a, b] = &shapes;
        Ok([bench.library.model(a, self.wish)?, bench.library.model(b, self.wish)?])
    }

    /// The shapes for a search with turns, which takes longer to make ready: what is asked about again is kept.
    fn made_ready(&self, bench: &Bench) -> Result<Arc<generalized::Pair>, Fault> {
        let shapes = self.parsed(bench)?;
        let [a, b] = [bench.library.key_of(&shapes[0])?, bench.library.key_of(&shapes[1])?];
        let key = format!("generalized {:?} {a} {b}", self.wish);
        bench.library.get(key, || {
            let pair = generalized::Pair::new(bench.library, &shapes, self.wish)?;
            Ok((pair, PAIR_BYTES))
        })
    }
}

/// Bytes that a pair made ready is counted as, beyond its models: pieces, norms and boxes.
const PAIR_BYTES: usize = 16 * SMALL;

/// Where two shapes are.
fn resting(fields: &mut Fields) -> Result<Poses, ItemFault> {
    let line: Option<poses::Line> = fields.take("poses")?;
    poses::poses(line.unwrap_or_default()).map_err(|why| ItemFault::Field { name: "poses", why })
}

impl Course {
    fn take(fields: &mut Fields) -> Result<Self, ItemFault> {
        let line: Option<poses::MotionLine> = fields.take("poses")?;
        let still = Motions { start: Poses::default(), end: Poses::default() };
        let motions = line.map_or(Ok(still), poses::motions);
        let screw = fields.parsed("motion", |text| match text {
            "linear" => Ok(false),
            "screw" => Ok(true),
            _ => Err(String::from("write linear or screw")),
        })?;
        Ok(Self {
            motions: motions.map_err(|why| ItemFault::Field { name: "poses", why })?,
            screw: screw.unwrap_or(false),
            tolerance: fields.parsed("tolerance", str::parse)?,
        })
    }

    fn ask(&self, models: [&Model; 2]) -> Answered<FirstContact> {
        let way = if self.screw { Motion::screw } else { Motion::linear };
        let found = rigid_contact(models, &self.motions, way, self.tolerance)?;
        Ok(found.map_or(FirstContact::None { time: None }, FirstContact::Rigid))
    }
}

fn wanted(fields: &mut Fields) -> Result<Wanted, ItemFault> {
    let wanted = Wanted {
        closer_than: fields.length("closer_than")?,
        tolerance: fields.parsed("tolerance", str::parse)?,
        signed: fields.flag("signed")?,
    };
    if wanted.signed && (wanted.closer_than.is_some() || wanted.tolerance.is_some()) {
        let why = String::from("`signed` goes neither with `closer_than` nor with `tolerance`");
        return Err(ItemFault::Clash { why });
    }
    Ok(wanted)
}

/// An answer and its time; a query that fails is a numerical failure.
fn timed_answer<R: Reply>(
    ask: impl FnOnce() -> Result<(Answered<R>, Duration), Fault>,
) -> Result<(R, Duration), Fault> {
    let (found, time) = ask()?;
    Ok((found.map_err(|error| Fault::new(Class::Numerical, error))?, time))
}

impl Search {
    fn take(fields: &mut Fields) -> Result<Self, ItemFault> {
        let effort = effort(fields)?;
        let start: Option<FreeConfiguration> =
            fields.parsed("start", |text| text.parse().map_err(|error| format!("{error}")))?;
        let seed: Option<u64> = fields.take("seed")?;
        let bound: Option<LowerBound> = fields.parsed("lower_bound", lower_bound)?;
        if start == Some(FreeConfiguration::MotionCoherence) {
            let why = "an item remembers nothing of those before it: `coherence` belongs to `query --poses`";
            return Err(ItemFault::Field { name: "start", why: why.to_owned() });
        }
        let given = [("start", start.is_some()), ("seed", seed.is_some()), ("lower_bound", bound.is_some())];
        let for_meshes = given.into_iter().find(|(_, given)| *given).map(|(name, _)| name);
        let default = TranslationalOptions::default();
        let options = TranslationalOptions {
            effort: effort.unwrap_or(default.effort),
            start,
            seed: seed.unwrap_or(default.seed),
            lower_bound: bound.unwrap_or(default.lower_bound),
            ..default
        };
        Ok(Self { options, for_meshes })
    }

    fn ask(&self, pair: &Pair, poses: &Poses, parallel: bool) -> Result<(Answered<Answer>, Duration), Fault> {
        match (pair, self.for_meshes) {
            (Pair::Convex(_), Some(name)) => {
                let why = "two convex shapes are answered exactly, without a search";
                Err(Fault::new(Class::Usage, format!("`{name}` belongs to meshes: {why}")))
            }
            (Pair::Convex(shapes), None) => Ok(timed(|| {
                let found = convex::signed_distance_at(shapes, poses)?;
                convex::penetration(shapes, poses, &found)
            })),
            (Pair::Meshes([a, b]), _) => {
                let options = TranslationalOptions { parallel, ..self.options };
                Ok(timed(|| match penetration(a, &poses.a, b, &poses.b, &options) {
                    Ok(Some(found)) => {
                        let local = local_penetrations(a, &poses.a, b, &poses.b, &found);
                        Ok(Answer::Penetrating(PenetrationAnswer::new(&found, &local)))
                    }
                    Ok(None) => Ok(Answer::Separate {}),
                    Err(error) => Err(error.to_string()),
                }))
            }
        }
    }
}
