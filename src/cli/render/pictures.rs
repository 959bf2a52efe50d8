//! Pictures and films as they are asked for.

use std::path::Path;

use super::Arguments;
use super::arguments::{Shown, SoftColor};
use crate::cli::terminal::{Console, Progress as Bar};
use crate::cli::terminal::{Exit, Failure};
use extricate_scene::record::{RecordError, Recording};
use extricate_scene::request::Access;
use extricate_scene::request::start::at_start;
use extricate_viewer::ViewError;
use extricate_viewer::overlay::{Overlays, Section};
use extricate_viewer::render::{Format, Marks, Order, Progress, Reel, Times};
use extricate_viewer::soft_quantity::SoftQuantity;

/// Most pictures a second that programs show of a GIF.
const FASTEST_GIF: f64 = 50.0;
/// Pictures in a second of a GIF and of other films, where nothing else is said.
const FPS: [f64; 2] = [20.0, 30.0];

/// Renders what is asked for.
pub(super) fn render(console: &mut Console, arguments: &Arguments) -> Result<(), Failure> {
    let order = order(arguments)?;
    let runs = match &order.times {
        Times::Each(times) => times.iter().any(|&time| time > 0.0),
        Times::Film { .. } => true,
    };
    let first = match &order.times {
        Times::Each(times) => times.first().copied().unwrap_or(0.0),
        Times::Film { from, .. } => *from,
    };
    // What is not recorded is had by running again, from a checkpoint.
    let again = tells_contacts(arguments).then_some(first);
    let access = console.access();
    let reels = arguments.sources.iter().map(|source| reel(access, source, runs, again));
    let reels = reels.collect::<Result<Vec<_>, Failure>>()?;
    let mut bar: Option<Bar> = None;
    let mut watch = |Progress { done, total, time }: Progress| {
        bar.get_or_insert_with(|| console.progress(total)).update(done, || format!("{time:.2} s"));
        console.go_on()
    };
    let pictures = order.carry_out(reels, &mut watch)?;
    drop(bar);
    if console.json() {
        return console.json_line(&serde_json::json!({"file": arguments.output, "pictures": pictures}));
    }
    let what = if pictures == 1 { "a picture".to_owned() } else { format!("{pictures} pictures") };
    console.line(format_args!("{what} written to {}", arguments.output.display()))
}

impl From<ViewError> for Failure {
    fn from(error: ViewError) -> Self {
        let exit = match error {
            ViewError::Stopped { .. } => return Self::Silent(Exit::Interrupted),
            ViewError::Record(RecordError::Scene(error)) => return error.into(),
            ViewError::Record(_) | ViewError::Build(_) | ViewError::Shape(_) => Exit::BadFile,
            ViewError::Step(_) | ViewError::Penetration(_) | ViewError::Start { .. } => Exit::Numerical,
            ViewError::ScriptLine { .. } => Exit::CheckFailed,
            _ => Exit::Usage,
        };
        Self::of(exit, &error)
    }
}

fn order(arguments: &Arguments) -> Result<Order, Failure> {
    let format = Format::of(&arguments.output, arguments.frames)?;
    let is_gif = matches!(format, Format::Gif(_));
    let fps = arguments.fps.unwrap_or(FPS[usize::from(!is_gif)]);
    if is_gif && fps > FASTEST_GIF {
        let message = format!("a GIF has at most {FASTEST_GIF} pictures a second, not {fps}");
        return Err(Failure::new(Exit::Usage, message));
    }
    let times = match (format.is_film(), arguments.time.as_slice()) {
        (false, []) => Times::Each(vec![0.0]),
        (false, times) => Times::Each(times.to_vec()),
        (true, []) => Times::Film { from: arguments.from, to: arguments.to, speed: arguments.speed, fps },
        (true, _) => {
            let message = "--time is that of a picture; a film goes --from one time --to another";
            return Err(Failure::new(Exit::Usage, message));
        }
    };
    Ok(Order {
        format,
        size: arguments.size,
        times,
        camera: arguments.camera,
        orbit: arguments.orbit.to_radians(),
        marks: Marks { overlaps: arguments.overlaps, overlays: overlays(arguments), clock: arguments.clock },
    })
}

/// Level of the boxes that are shown: sixteen of them for a tree of many triangles.
const LEVEL: usize = 4;

fn overlays(arguments: &Arguments) -> Overlays {
    let shows = |what: Shown| arguments.show.contains(&what);
    Overlays {
        contacts: shows(Shown::Contacts),
        penetrations: shows(Shown::Penetrations),
        local_penetrations: shows(Shown::LocalPenetrations),
        walk: shows(Shown::Walk).then_some(usize::MAX),
        section: shows(Shown::Section).then(Section::default),
        boxes: shows(Shown::Boxes).then_some(LEVEL),
        soft: arguments.color.map(|color| match color {
            SoftColor::Depth => SoftQuantity::Depth,
            SoftColor::ContactDepth => SoftQuantity::ContactDepth,
            SoftColor::Displacement => SoftQuantity::Displacement,
            SoftColor::Stress => SoftQuantity::Stress,
        }),
        depth_scale: arguments.depth_scale,
        ..Overlays::default()
    }
}

/// Whether something is drawn that only a world tells that runs.
fn tells_contacts(arguments: &Arguments) -> bool {
    let colors = arguments.color.is_some_and(|color| matches!(color, SoftColor::ContactDepth));
    arguments.overlaps || arguments.show.contains(&Shown::Contacts) || colors
}

/// A scene or run; of a run, with `again`, what is run again from that time on [s]. A scene that is going to run is repaired
/// first if it says so.
fn reel(access: &Access, source: &Path, runs: bool, again: Option<f64>) -> Result<Reel, Failure> {
    if source.is_dir() {
        let recording = Recording::open(source).map_err(ViewError::from)?;
        return match again {
            Some(time) => Ok(Reel::of_run(&recording, time)?),
            None => Ok(Reel::of_recording(recording)?),
        };
    }
    let scene = access.scene(source)?;
    if !runs {
        return Ok(Reel::of_scene(scene)?);
    }
    let (scene, world) = at_start(scene)?;
    Ok(Reel::Live { scene: Box::new(scene), world: Box::new(world) })
}
