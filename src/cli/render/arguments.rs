//! What `render` is asked for.

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
  extricate render out/ring_stack -o frames-####.png --from 1 --to 2

OUT is a picture (x.png), numbered pictures (frames-####.png, or a folder with --frames), an animation (x.gif) or a film (x.mp4, by
the program ffmpeg). No display is needed; without a graphics card the packages libvulkan1 and mesa-vulkan-drivers draw in software.
Several scenes or times stand side by side, all seen from where the first one is. Exit code 2 tells that no driver or no ffmpeg is there.";

/// Arguments of `render`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Arguments {
    /// Scene files, or folders of runs.
    #[arg(required = true, value_name = "SCENE|RUN")]
    pub(super) sources: Vec<PathBuf>,
    /// What to make: x.png, frames-####.png, x.gif, x.mp4, or a folder with --frames.
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: PathBuf,
    /// OUT is a folder of numbered pictures.
    #[arg(long)]
    pub(super) frames: bool,
    /// Times of the picture [s]; several give several pictures side by side [default: 0].
    #[arg(long, value_name = "T[,T…]", value_delimiter = ',', value_parser = time, conflicts_with_all = ["from", "to", "speed", "fps"])]
    pub(super) time: Vec<f64>,
    /// Where a film begins [s].
    #[arg(long, value_name = "T", value_parser = time, default_value_t = 0.0)]
    pub(super) from: f64,
    /// Where a film ends [s] [default: where the scene or run does].
    #[arg(long, value_name = "T", value_parser = time)]
    pub(super) to: Option<f64>,
    /// Simulated seconds in a second of the film.
    #[arg(long, value_name = "X", value_parser = positive, default_value_t = 1.0)]
    pub(super) speed: f64,
    /// Pictures in a second of the film, at most 50 in a GIF [default: 20 in a GIF, else 30].
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(super) fps: Option<f64>,
    /// Width and height of what is made [pixels].
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x720")]
    pub(super) size: [u32; 2],
    /// Where the camera is, and what is in the middle of the picture [m] [default: the scene's, or all that moves].
    #[arg(long, value_name = "X,Y,Z@X,Y,Z", value_parser = camera, allow_hyphen_values = true)]
    pub(super) camera: Option<[Point3<f64>; 2]>,
    /// Turn the camera about what is in the middle of the picture, over a film or at once [°].
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true, value_parser = finite, default_value_t = 0.0)]
    pub(super) orbit: f64,
    /// Draw bodies that overlap in vermilion and the others in green, and see through what is fixed.
    #[arg(long)]
    pub(super) overlaps: bool,
    /// Draw what is known besides: several are separated by commas.
    #[arg(long, value_name = "WHAT[,WHAT…]", value_delimiter = ',')]
    pub(super) show: Vec<Shown>,
    /// What the colours of soft bodies mean.
    #[arg(long, value_name = "WHAT")]
    pub(super) color: Option<SoftColor>,
    /// Length of the arrows of penetrations over their depth.
    #[arg(long, value_name = "X", value_parser = positive, default_value_t = 1.0)]
    pub(super) depth_scale: f64,
    /// Write the time into a corner.
    #[arg(long)]
    pub(super) clock: bool,
}

/// What is known of a scene beyond where its bodies are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Shown {
    /// Contacts of the last step: points and forces. A run is run again for them from the checkpoint before.
    Contacts,
    /// The least translations that take overlapping bodies apart, and where they would be then.
    Penetrations,
    /// An arrow for each region in which bodies overlap.
    LocalPenetrations,
    /// The walk of the query of the two bodies that overlap most.
    Walk,
    /// A slice through distance fields.
    Section,
    /// The boxes of the bodies' trees, four levels below the top.
    Boxes,
}

/// What the colours of soft bodies mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum SoftColor {
    /// Distance to the surface at rest.
    Depth,
    /// How deep contacts are. A run is run again for them from the checkpoint before.
    ContactDepth,
    /// How far nodes are from where they were at the start.
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
    if time >= 0.0 { Ok(time) } else { Err(String::from("a time is zero or above")) }
}

fn positive(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    if value > 0.0 { Ok(value) } else { Err(String::from("a number above zero is needed")) }
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', '×']).map(|(width, height)| (width.parse(), height.parse()));
    match sides {
        Some((Ok(width), Ok(height))) => Ok([width, height]),
        _ => Err(String::from("a size is written 1280x720")),
    }
}

fn camera(text: &str) -> Result<[Point3<f64>; 2], String> {
    let wrong = || String::from("a camera is written EYE@TARGET, such as 2,-3,1.5@0,0,0.5");
    let (eye, target) = text.split_once('@').ok_or_else(wrong)?;
    let point = |text: &str| {
        let numbers = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
        <[f64; 3]>::try_from(numbers).map(Point3::from).map_err(|_| wrong())
    };
    let [eye, target] = [point(eye)?, point(target)?];
    if eye == target { Err(String::from("the eye is at the target")) } else { Ok([eye, target]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_and_sizes_are_read_and_wrong_ones_told() {
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
        assert!(time("-0.1").is_err() && positive("0").is_err() && finite("inf").is_err());
    }
}
