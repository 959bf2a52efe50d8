//! Rendering of pictures and videos, with the options of the command line.

use std::path::Path;

use super::RenderArguments;
use super::arguments::{FocusOption, OverlayOption, SoftColor};
use crate::cli::run_folder::RunFolder;
use crate::cli::terminal::{Console, Progress as Bar};
use crate::cli::terminal::{Exit, Failure};
use extricate_scene::record::{RecordError, Recording};
use extricate_scene::request::Access;
use extricate_scene::request::start::at_start;
use extricate_viewer::overlay::{Overlays, Section};
use extricate_viewer::render::{Annotations, Format, Progress, RenderRequest, RenderSource, Times};
use extricate_viewer::soft_quantity::SoftQuantity;
use extricate_viewer::{Focus, Lens, ViewError};

/// Maximum frame rate of a GIF that programs display [1/s].
const MAX_GIF_FPS: f64 = 50.0;
/// Default frame rates of a GIF and of other videos [1/s].
const FPS: [f64; 2] = [20.0, 30.0];

/// Renders the pictures.
pub(super) fn render(console: &mut Console, arguments: &RenderArguments) -> Result<(), Failure> {
    let order = order(arguments)?;
    let runs = match &order.times {
        Times::Each(times) => times.iter().any(|&time| time > 0.0),
        Times::Film { .. } => true,
    };
    let first = match &order.times {
        Times::Each(times) => times.first().copied().unwrap_or(0.0),
        Times::Film { from, .. } => *from,
    };
    // A run is repeated for data that it did not record, from a checkpoint before the first picture and its trails.
    let again = (first - arguments.trails.unwrap_or(0.0)).max(0.0);
    let access = console.access();
    // Kept until the pictures are drawn: folders of runs that were unpacked are removed then.
    let folders = arguments.sources.iter().map(|source| RunFolder::find(source));
    let folders = folders.collect::<Result<Vec<_>, Failure>>()?;
    let sources = arguments.sources.iter().zip(&folders);
    let reels =
        sources.map(|(source, folder)| reel((arguments, access), (source, folder.as_ref()), (runs, again)));
    let reels = reels.collect::<Result<Vec<_>, Failure>>()?;
    let mut bar: Option<Bar> = None;
    let mut monitor = |Progress { done, total, time }: Progress| {
        bar.get_or_insert_with(|| console.progress(total)).update(done, || format!("{time:.2} s"));
        console.control_flow()
    };
    let pictures = order.execute(reels, &mut monitor)?;
    drop(bar);
    if console.json() {
        return console.json_line(&serde_json::json!({"file": arguments.output, "pictures": pictures}));
    }
    let count = if pictures == 1 { "a picture".to_owned() } else { format!("{pictures} pictures") };
    console.line(format_args!("{count} written to {}", arguments.output.display()))
}

impl From<ViewError> for Failure {
    fn from(error: ViewError) -> Self {
        let exit = match error {
            ViewError::Stopped { .. } => return Self::Silent(Exit::Interrupted),
            ViewError::Record(RecordError::Scene(error)) => return error.into(),
            ViewError::Record(_) | ViewError::Build(_) | ViewError::Shape(_) | ViewError::Contacts { .. } => {
                Exit::BadFile
            }
            ViewError::Step(_) | ViewError::Penetration(_) | ViewError::Start { .. } => Exit::Numerical,
            ViewError::ScriptLine { .. } => Exit::CheckFailed,
            _ => Exit::Usage,
        };
        Self::of(exit, &error)
    }
}

fn order(arguments: &RenderArguments) -> Result<RenderRequest, Failure> {
    let format = Format::of(&arguments.output, arguments.frames)?;
    let is_gif = matches!(format, Format::Gif(_));
    let fps = arguments.fps.unwrap_or(FPS[usize::from(!is_gif)]);
    if is_gif && fps > MAX_GIF_FPS {
        let message = format!("--fps of a GIF must be at most {MAX_GIF_FPS}, not {fps}");
        return Err(Failure::new(Exit::Usage, message));
    }
    let times = match (format.is_film(), arguments.time.as_slice()) {
        (false, []) => Times::Each(vec![0.0]),
        (false, times) => Times::Each(times.to_vec()),
        (true, []) => Times::Film { from: arguments.from, to: arguments.to, speed: arguments.speed, fps },
        (true, _) => {
            let message = "--time applies to pictures; a video takes --from and --to";
            return Err(Failure::new(Exit::Usage, message));
        }
    };
    Ok(RenderRequest {
        format,
        size: arguments.size,
        times,
        camera: arguments.camera,
        orbit: arguments.orbit.to_radians(),
        lens: lens(arguments),
        occlusion: arguments.occlusion,
        annotations: Annotations {
            overlaps: arguments.overlaps,
            overlays: overlays(arguments),
            clock: arguments.clock,
            trails: arguments.trails,
        },
    })
}

/// Default number of pictures that sample a lens or the sky: with fewer, blurred edges have visible steps.
const SAMPLES: u32 = 64;

fn lens(arguments: &RenderArguments) -> Lens {
    let focus = match arguments.focus {
        None => Focus::Target,
        Some(FocusOption::Distance(distance)) => Focus::Distance(distance),
        Some(FocusOption::Point(point)) => Focus::Point(point),
    };
    let many = arguments.aperture.is_some() || arguments.occlusion;
    let samples = arguments.samples.unwrap_or(if many { SAMPLES } else { 1 });
    Lens { aperture: arguments.aperture.unwrap_or(0.0), focus, samples }
}

/// Tree level of the boxes that are drawn: sixteen of them for a tree of many triangles. Each level doubles their number.
const LEVEL: usize = 4;

fn overlays(arguments: &RenderArguments) -> Overlays {
    let shows = |what: OverlayOption| arguments.show.contains(&what);
    Overlays {
        contacts: shows(OverlayOption::Contacts),
        penetrations: shows(OverlayOption::Penetrations),
        local_penetrations: shows(OverlayOption::LocalPenetrations),
        walk: shows(OverlayOption::Walk).then_some(usize::MAX),
        section: shows(OverlayOption::Section).then(Section::default),
        boxes: shows(OverlayOption::Boxes).then_some(LEVEL),
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

/// Whether data are drawn that the run did not record, and that are available from a running world only.
fn needs_replay(arguments: &RenderArguments, recording: &Recording) -> bool {
    let colors = arguments.color.is_some_and(|color| matches!(color, SoftColor::ContactDepth));
    let contacts = arguments.show.contains(&OverlayOption::Contacts) && !recording.has_contacts();
    arguments.overlaps || contacts || colors
}

/// Frames of a scene or run. A run that did not record what is drawn is repeated from the time `again` on [s]. A scene that `runs`
/// is repaired first if it is configured so.
fn reel(
    (arguments, access): (&RenderArguments, &Access),
    (source, folder): (&Path, Option<&RunFolder>),
    (runs, again): (bool, f64),
) -> Result<RenderSource, Failure> {
    if let Some(run) = folder {
        let recording = Recording::open(run.path()).map_err(ViewError::from)?;
        return match needs_replay(arguments, &recording) {
            true => Ok(RenderSource::of_run(&recording, again)?),
            false => Ok(RenderSource::of_recording(recording)?),
        };
    }
    let scene = access.scene(source)?;
    if !runs {
        return Ok(RenderSource::of_scene(scene)?);
    }
    let (scene, world) = at_start(scene)?;
    Ok(RenderSource::Live { scene: Box::new(scene), world: Box::new(world) })
}
