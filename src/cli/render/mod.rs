//! `extricate render`: pictures and videos of scenes and runs, without a display.

mod arguments;
#[cfg(feature = "viewer")]
mod pictures;

pub(super) use arguments::RenderArguments;

use super::terminal::Console;
use super::terminal::Failure;

/// Renders the pictures.
#[cfg(feature = "viewer")]
pub(super) fn execute(console: &mut Console, arguments: &RenderArguments) -> Result<(), Failure> {
    pictures::render(console, arguments)
}

/// Reports that the feature is missing, and how to get it.
#[cfg(not(feature = "viewer"))]
pub(super) fn execute(_: &mut Console, _: &RenderArguments) -> Result<(), Failure> {
    let message = "this program was built without the feature `viewer`, which draws pictures: \
                   cargo install --path . --features viewer";
    Err(Failure::new(super::terminal::Exit::Usage, message))
}
