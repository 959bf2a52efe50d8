//! `extricate view`: shows a scene or a run in a window, or plays a script without one.

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

H in the window lists all keys; docs/viewer.md also documents scripts. The scene is reloaded when its file or one of its
meshes changes. Exit code 1 means that a script could not be played to its end, 2 that there is no display or no driver.";

/// ViewArguments of `view`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ViewArguments {
    /// A scene file, or a run: its folder, or an .mcap file of it. Without it, the last ten that were opened are listed.
    #[arg(value_name = "SCENE|RUN")]
    source: Option<PathBuf>,
    /// Resume the simulation of a run from the state after STEP, or from the `last` recorded one, bit for bit.
    #[arg(long, value_name = "STEP", value_parser = resume_from, requires = "source")]
    from: Option<ResumeFrom>,
    /// Script of keyboard and mouse commands to play first.
    #[arg(long, value_name = "FILE", requires = "source")]
    script: Option<PathBuf>,
    /// Play the script without a window, then exit. No display is needed.
    #[arg(long, requires_all = ["script", "source"])]
    offscreen: bool,
    /// Width and height of the picture [pixels].
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x720")]
    size: [u32; 2],
    /// Draw without shadows and anti-aliasing: faster with software rendering.
    #[arg(long)]
    plain: bool,
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', '×']).map(|(width, height)| (width.parse(), height.parse()));
    match sides {
        Some((Ok(width), Ok(height))) => Ok([width, height]),
        _ => Err(String::from("expected WIDTHxHEIGHT, such as 1280x720")),
    }
}

/// Opens the window.
#[cfg(feature = "viewer")]
pub(super) fn execute(console: &mut Console, arguments: &ViewArguments) -> Result<(), Failure> {
    window::open(console, arguments)
}

/// Reports that the feature is missing, and how to get it.
#[cfg(not(feature = "viewer"))]
pub(super) fn execute(_: &mut Console, _: &ViewArguments) -> Result<(), Failure> {
    let message = "this program was built without the feature `viewer`, which opens windows: \
                   cargo install --path . --features viewer";
    Err(Failure::new(super::terminal::Exit::Usage, message))
}
