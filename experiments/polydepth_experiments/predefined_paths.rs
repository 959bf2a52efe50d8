//! Table 3 and Figs. 16–20 of [Je12]: predefined paths, with different sources of starts.

use extricate::penetration::{Effort, FreeConfiguration, MotionCoherence, TranslationalOptions};
use nalgebra::Isometry3;

use super::answers::{Answer, Miss, Pair, Summary, with_effort};
use super::chart::{self, Panel, Series};
use super::motion::Path;
use super::statistics::mean;
use super::subjects::{self, Result, Setting, Subject};
use extricate::geometry::procedural::{Cup, Spoon};

/// A body that moves along a path past one that rests at the identity.
struct Passage {
    /// The paper's row: models, time [ms], contacts, iterations.
    paper: &'static str,
    moving: Subject,
    /// `None` for a copy of the moving one.
    resting: Option<Subject>,
    path: Path,
    /// Name of its picture.
    picture: Option<&'static str>,
}

/// Source of the starts of the walks of a passage.
#[derive(Clone, Copy)]
enum Start {
    Source(FreeConfiguration),
    /// From the side from which the bodies came.
    Coherence,
    /// As the effort chooses.
    Policy(Effort),
}

const STARTS: [(&str, Start); 5] = [
    ("centroid difference", Start::Source(FreeConfiguration::CentroidDifference)),
    ("motion coherence", Start::Coherence),
    ("maximally clear", Start::Source(FreeConfiguration::MaximallyClear)),
    ("fast", Start::Policy(Effort::Fast)),
    ("best", Start::Policy(Effort::Best)),
];

/// Results of one source on every frame: the depth [m], zero where the bodies are apart, and the CPU time [ms].
struct Track {
    depths: Vec<f64>,
    milliseconds: Vec<f64>,
    /// Of the frames on which the bodies overlap.
    summary: Summary,
}

fn passages(setting: &Setting) -> Result<Vec<Passage>> {
    let fall = |paper, moving: Subject, picture| {
        let path = Path::fall(&moving.model);
        Passage { paper, moving, resting: None, path, picture }
    };
    let spoon = Passage {
        paper: "Spoon and Cup | 0.96 | 4.49 | 1.02",
        moving: Subject::of("spoon", &Spoon::default())?,
        resting: Some(Subject::of("cup", &Cup::default())?),
        path: Path::spoon_in_cup(),
        picture: Some("path_spoon_cup.svg"),
    };
    let mut all = vec![
        spoon,
        fall("Buddha | 3.50 | 5.07 | 1.29", subjects::figurine(22)?, None),
        fall("– | – | – | –", subjects::blob(49)?, None),
        fall("– | – | – | –", subjects::blob(59)?, Some("path_blob.svg")),
        fall("Dragon | 5.84 | 10.32 | 1.45", subjects::blob(93)?, None),
    ];
    for name in ["dragon48k", "bunny_noholes", "dragonclass"] {
        all.extend(setting.scan(name)?.map(|scan| fall("Dragon | 5.84 | 10.32 | 1.45", scan, None)));
    }
    all.retain(|passage| passage.moving.triangles() <= setting.max_triangles);
    Ok(all)
}

/// Prints the table and draws the pictures; returns the failures.
pub(crate) fn table(setting: &Setting) -> Result<Vec<String>> {
    println!("\n## Table 3: predefined paths of {} frames\n", setting.frames);
    println!(
        "| [Je12] | ms | contacts | iterations | ours | triangles | frames of overlap | start | ms | contacts \
         | iterations | casts | depths ÷ best | no start | failed |"
    );
    println!("|---|--:|--:|--:|---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|");
    let mut failures = Vec::new();
    for passage in passages(setting)? {
        let frames = passage.path.frames(setting.frames);
        let tracks = STARTS.map(|(name, start)| (name, passage.follow(&frames, start, setting.repeats)));
        let best = &tracks[STARTS.len() - 1].1.summary.depths;
        for (name, track) in &tracks {
            println!(
                "| {} | {} | {} | {} | {name} | {} | {} | {} | {} |",
                passage.paper,
                passage.names(),
                passage.moving.triangles() + passage.resting.as_ref().map_or(0, Subject::triangles),
                track.summary.depths.len(),
                track.summary.cells(),
                track.summary.total_cell(best),
                track.summary.without_start,
                track.summary.failures.len(),
            );
            failures.extend(
                track.summary.failures.iter().map(|why| format!("{}, {name}: {why}", passage.names())),
            );
        }
        if let (Some(folder), Some(picture)) = (&setting.pictures, passage.picture) {
            std::fs::create_dir_all(folder)?;
            chart::draw(&folder.join(picture), 2, &panels(&passage.names(), &tracks))?;
        }
    }
    Ok(failures)
}

impl Passage {
    fn names(&self) -> String {
        match &self.resting {
            Some(resting) => format!("{} and {}", self.moving.name, resting.name),
            None => format!("{} and copy", self.moving.name),
        }
    }

    /// Follows the path several times, a thorough search once; the minimum time of each frame counts.
    fn follow(&self, frames: &[Isometry3<f64>], start: Start, repeats: usize) -> Track {
        let repeats = if matches!(start, Start::Policy(Effort::Best)) { 1 } else { repeats };
        let here = Isometry3::identity();
        let resting = self.resting.as_ref().unwrap_or(&self.moving);
        let pair = |pose_a| Pair { a: &self.moving.model, pose_a, b: &resting.model, pose_b: &here };
        let mut track: Option<Track> = None;
        for _ in 0..repeats.max(1) {
            let mut coherence = MotionCoherence::default();
            let mut this = Track { depths: vec![], milliseconds: vec![], summary: Summary::default() };
            for (index, pose_a) in frames.iter().enumerate() {
                let (found, mut milliseconds) = pair(pose_a).asked(start, &mut coherence);
                if let Some(earlier) = &track {
                    milliseconds = milliseconds.min(earlier.milliseconds[index]);
                }
                this.depths
                    .push(found.as_ref().map_or(f64::NAN, |found| found.as_ref().map_or(0.0, |f| f.depth)));
                this.milliseconds.push(milliseconds);
                match found {
                    Ok(None) => {}
                    Ok(Some(found)) => this.summary.add(Ok(Answer { found, milliseconds })),
                    Err(why) => this.summary.add(Err(why)),
                }
            }
            track = Some(this);
        }
        track.unwrap_or(Track { depths: vec![], milliseconds: vec![], summary: Summary::default() })
    }
}

impl Pair<'_> {
    /// The answer with that start, and its time [ms].
    fn asked(
        &self,
        start: Start,
        coherence: &mut MotionCoherence,
    ) -> (std::result::Result<Option<extricate::penetration::Penetration>, Miss>, f64) {
        let options = match start {
            Start::Source(source) => {
                TranslationalOptions { start: Some(source), ..with_effort(Effort::Fast) }
            }
            Start::Coherence => return self.ask_coherently(&with_effort(Effort::Fast), coherence),
            Start::Policy(effort) => with_effort(effort),
        };
        // A fresh memory knows of no side to come from.
        self.ask_coherently(&options, &mut MotionCoherence::default())
    }
}

/// Time and depth of every frame, one line for each start; the time of a thorough search is beyond the scale.
fn panels(names: &str, tracks: &[(&str, Track)]) -> Vec<Panel> {
    let line = |color: usize, label: String, values: &[f64]| {
        let points = values.iter().enumerate().map(|(frame, &value)| [frame as f64, value]);
        let points = points.filter(|point| point[1].is_finite()).collect();
        // What the efforts choose lies over the source that they chose.
        let dashed = matches!(STARTS[color].1, Start::Policy(_));
        Series { label, points, color, dashed, marked: false }
    };
    let is_quick = |color: &usize| !matches!(STARTS[*color].1, Start::Policy(Effort::Best));
    let time = |color: usize| {
        let (name, track) = &tracks[color];
        let label = format!("{name}: {:.2} ms", mean(&track.summary.milliseconds));
        line(color, label, &track.milliseconds)
    };
    let depth = |color: usize| line(color, tracks[color].0.to_owned(), &tracks[color].1.depths);
    let panel = |what: &str, axis: &str, series| Panel {
        title: format!("{names}: {what}"),
        axes: ["frame".to_owned(), axis.to_owned()],
        logarithmic: false,
        series,
    };
    vec![
        panel("time", "CPU time of a query [ms]", (0..tracks.len()).filter(is_quick).map(time).collect()),
        panel("depth", "penetration depth [m]", (0..tracks.len()).map(depth).collect()),
    ]
}
