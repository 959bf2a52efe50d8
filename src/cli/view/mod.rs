//! `extricate view`: a scene or a run in a window, or a script of that without one.

#[cfg(feature = "viewer")]
mod window;

use std::path::PathBuf;

use clap::Args;

use super::run::resume_from;
use super::terminal::{Console, Failure};
use extricate_scene::record::ResumeFrom;

const EXAMPLES: &str = "\
Examples:
  extricate view scenes/rigid/ring_stack.ron
  extricate view out/ring_stack
  extricate view out/ring_stack --from last
  extricate view scenes/repair/three_link.ron --script pose.txt
  extricate view scenes/repair/three_link.ron --script pose.txt --offscreen --size 640x360

H in the window tells all keys; docs/viewer.md also tells the lines of scripts. The scene is loaded anew when its file or a mesh of it
changes. Exit code 1 tells that a script could not be played to its end, 2 that there is no display or no driver.";

/// Arguments of `view`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A scene file, or the folder of a run.
    #[arg(value_name = "SCENE|RUN")]
    source: PathBuf,
    /// Of a run: simulate on from the state after STEP, or from the `last` recorded one, with the bits of the run.
    #[arg(long, value_name = "STEP", value_parser = resume_from)]
    from: Option<ResumeFrom>,
    /// Play the lines of this file first: what keys and mouse can do.
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Play the script without a window, then end. No display is needed.
    #[arg(long, requires = "script")]
    offscreen: bool,
    /// Width and height of the picture [pixels].
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x720")]
    size: [u32; 2],
    /// Draw without shadows and with rough edges: faster where software draws.
    #[arg(long)]
    plain: bool,
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', '×']).map(|(width, height)| (width.parse(), height.parse()));
    match sides {
        Some((Ok(width), Ok(height))) => Ok([width, height]),
        _ => Err(String::from("a size is written 1280x720")),
    }
}

/// Opens the window.
#[cfg(feature = "viewer")]
pub(super) fn execute(console: &Console, arguments: &Arguments) -> Result<(), Failure> {
    window::open(console, arguments)
}

/// Says how to get a program that can.
#[cfg(not(feature = "viewer"))]
pub(super) fn execute(_: &Console, _: &Arguments) -> Result<(), Failure> {
    let message = "this program was built without a window. With the feature viewer it has one: \
                   cargo install --path . --features viewer";
    Err(Failure::new(super::terminal::Exit::Usage, message))
}
