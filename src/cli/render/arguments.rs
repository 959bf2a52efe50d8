//! Arguments of `extricate render`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use nalgebra::Point3;

const EXAMPLES: &str = "\
Examples:
  extricate render scenes/rigid/ring_stack.ron -o start.png
  extricate render scenes/rigid/linked_chain.ron -o chain.png --time 0,3
  extricate render out/ring_stack -o stack.gif --fps 20 --size 640x480
  extricate render scenes/soft/snake_coil.ron -o snake.mp4 --speed 2 --orbit 90
  extricate render before.ron after.ron -o repair.png --overlaps
  extricate render scenes/rigid/thrown_rings.ron -o throw.gif --trails 0.5
  extricate render scenes/rigid/card_house.ron -o cards.png --aperture 0.02 --focus 0,-0.1,0.1 --occlusion
  extricate render out/ring_stack -o frames-####.png --from 1 --to 2

OUT is a picture (x.png), numbered pictures (frames-####.png, or a folder with --frames), an animation (x.gif) or a video (x.mp4,
which requires the program ffmpeg). No display is needed; without a graphics card the packages libvulkan1 and mesa-vulkan-drivers
render in software. Several scenes or times are drawn side by side, with the camera of the first one. Exit code 2 means that
there is no driver or no ffmpeg.";

/// Arguments of `render`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct RenderArguments {
    /// Scene files, or runs: folders, or .mcap files of them.
    #[arg(required = true, value_name = "SCENE|RUN")]
    pub(super) sources: Vec<PathBuf>,
    /// Output file: x.png, frames-####.png, x.gif, x.mp4, or a folder with --frames.
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: PathBuf,
    /// Write numbered pictures to the folder OUT.
    #[arg(long)]
    pub(super) frames: bool,
    /// Times of the picture [s]; several are drawn side by side [default: 0].
    #[arg(long, value_name = "T[,T…]", value_delimiter = ',', value_parser = time, conflicts_with_all = ["from", "to", "speed", "fps"])]
    pub(super) time: Vec<f64>,
    /// Start time of a video [s].
    #[arg(long, value_name = "T", value_parser = time, default_value_t = 0.0)]
    pub(super) from: f64,
    /// End time of a video [s] [default: end of the scene or run].
    #[arg(long, value_name = "T", value_parser = time)]
    pub(super) to: Option<f64>,
    /// Playback speed: simulated seconds per second of the video.
    #[arg(long, value_name = "X", value_parser = positive, default_value_t = 1.0)]
    pub(super) speed: f64,
    /// Frames per second of the video, at most 50 in a GIF [default: 20 in a GIF, otherwise 30].
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(super) fps: Option<f64>,
    /// Width and height of the output [pixels].
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x720")]
    pub(super) size: [u32; 2],
    /// Position and target of the camera [m] [default: that of the scene, or one that sees all movable bodies].
    #[arg(long, value_name = "X,Y,Z@X,Y,Z", value_parser = camera, allow_hyphen_values = true)]
    pub(super) camera: Option<[Point3<f64>; 2]>,
    /// Diameter of the lens [m]: things before and behind the focus are blurred. Without it the camera is a pinhole.
    #[arg(long, value_name = "METRES", value_parser = positive)]
    pub(super) aperture: Option<f64>,
    /// Plane of focus: through a point, or at a distance from the eye along the view direction [m] [default: the target of the camera].
    #[arg(long, value_name = "X,Y,Z|DISTANCE", value_parser = focus, allow_hyphen_values = true, requires = "aperture")]
    pub(super) focus: Option<FocusOption>,
    /// Let bodies occlude the light of the sky, which darkens gaps and contacts. Its directions are those of the samples.
    #[arg(long)]
    pub(super) occlusion: bool,
    /// Average of N pictures from points of the lens and within each pixel, which also smooths edges [default: 64 with --aperture or --occlusion, otherwise 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_SAMPLES))]
    pub(super) samples: Option<u32>,
    /// Rotate the camera about its target, over a video or at once [°].
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true, value_parser = finite, default_value_t = 0.0)]
    pub(super) orbit: f64,
    /// Draw overlapping bodies in vermilion, others in green, and fixed ones translucent.
    #[arg(long)]
    pub(super) overlaps: bool,
    /// Overlays to draw, separated by commas.
    #[arg(long, value_name = "WHAT[,WHAT…]", value_delimiter = ',')]
    pub(super) show: Vec<OverlayOption>,
    /// Quantity shown by the colours of soft bodies.
    #[arg(long, value_name = "WHAT")]
    pub(super) color: Option<SoftColor>,
    /// Length of penetration arrows relative to their depth.
    #[arg(long, value_name = "X", value_parser = positive, default_value_t = 1.0)]
    pub(super) depth_scale: f64,
    /// Draw the time in a corner.
    #[arg(long)]
    pub(super) clock: bool,
    /// Draw the paths of the centres of all movable bodies and links over the last S seconds, as lines that fade.
    #[arg(long, value_name = "S", value_parser = positive)]
    pub(super) trails: Option<f64>,
}

/// Maximum of `--samples`.
const MAX_SAMPLES: i64 = 4096;

/// Plane that is sharp.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::cli) enum FocusOption {
    /// Through a point [m].
    Point(Point3<f64>),
    /// At a distance from the eye [m].
    Distance(f64),
}

/// Overlays of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum OverlayOption {
    /// Contact points and forces of the last step. A run that did not record them (`run --contacts`) is repeated for them from the previous checkpoint.
    Contacts,
    /// Minimum translations that separate overlapping bodies, and their poses after them.
    Penetrations,
    /// An arrow for each region in which bodies overlap.
    LocalPenetrations,
    /// Walk of the penetration query of the two bodies that overlap most.
    Walk,
    /// Slice through distance fields.
    Section,
    /// Boxes of the bodies' trees, four levels below the root.
    Boxes,
}

/// Quantity shown by the colours of soft bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum SoftColor {
    /// Distance to the surface at rest.
    Depth,
    /// Depth of contacts. A run is repeated for it from the previous checkpoint.
    ContactDepth,
    /// Displacement of the nodes since the start.
    Displacement,
    /// Von Mises stress.
    Stress,
}

fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("`{text}` is not a number"))
}

fn finite(text: &str) -> Result<f64, String> {
    number(text)
}

fn time(text: &str) -> Result<f64, String> {
    let time = number(text)?;
    if time >= 0.0 { Ok(time) } else { Err(String::from("expected a time of zero or above [s]")) }
}

fn positive(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    if value > 0.0 { Ok(value) } else { Err(String::from("expected a number above zero")) }
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', '×']).map(|(width, height)| (width.parse(), height.parse()));
    match sides {
        Some((Ok(width), Ok(height))) => Ok([width, height]),
        _ => Err(String::from("expected WIDTHxHEIGHT, such as 1280x720")),
    }
}

fn camera(text: &str) -> Result<[Point3<f64>; 2], String> {
    let wrong = || String::from("expected EYE@TARGET, such as 2,-3,1.5@0,0,0.5");
    let (eye, target) = text.split_once('@').ok_or_else(wrong)?;
    let point = |text: &str| {
        let numbers = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
        <[f64; 3]>::try_from(numbers).map(Point3::from).map_err(|_| wrong())
    };
    let [eye, target] = [point(eye)?, point(target)?];
    if eye == target { Err(String::from("the eye and the target coincide")) } else { Ok([eye, target]) }
}

fn focus(text: &str) -> Result<FocusOption, String> {
    let wrong = || String::from("expected a point X,Y,Z or a distance above zero [m]");
    let numbers = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
    match numbers[..] {
        [distance] if distance > 0.0 => Ok(FocusOption::Distance(distance)),
        [x, y, z] => Ok(FocusOption::Point(Point3::new(x, y, z))),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_foci_and_sizes_are_parsed_and_invalid_ones_refused() {
        let read = camera("2,-3,1.5@0,0,0.5").unwrap();
        assert_eq!(read, [Point3::new(2.0, -3.0, 1.5), Point3::new(0.0, 0.0, 0.5)]);
        for wrong in
            ["", "1,2,3", "1,2@0,0,0", "1,2,3,4@0,0,0", "1,2,x@0,0,0", "1,2,3@1,2,3", "nan,0,0@1,1,1"]
        {
            assert!(camera(wrong).is_err(), "{wrong}");
        }
        assert_eq!(size("640x480"), Ok([640, 480]));
        for wrong in ["", "640", "640x", "x480", "640x-480", "6.5x4"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(focus("-1,2,3.5"), Ok(FocusOption::Point(Point3::new(-1.0, 2.0, 3.5))));
        assert_eq!(focus("2.5"), Ok(FocusOption::Distance(2.5)));
        for wrong in ["", "0", "-1", "1,2", "1,2,3,4", "1,2,x", "nan"] {
            assert!(focus(wrong).is_err(), "{wrong}");
        }
        assert!(time("-0.1").is_err() && positive("0").is_err() && finite("inf").is_err());
    }
}
