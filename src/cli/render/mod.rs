//! `extricate render`: pictures and films of scenes and runs, without a display.

mod arguments;
#[cfg(feature = "viewer")]
mod pictures;

pub(super) use arguments::Arguments;

use super::terminal::Console;
use super::terminal::Failure;

/// Renders what is asked for.
#[cfg(feature = "viewer")]
pub(super) fn execute(console: &mut Console, arguments: &Arguments) -> Result<(), Failure> {
    pictures::render(console, arguments)
}

/// Says how to get a program that can.
#[cfg(not(feature = "viewer"))]
pub(super) fn execute(_: &mut Console, _: &Arguments) -> Result<(), Failure> {
    let message = "this program was built without pictures. With the feature viewer it makes them: \
                   cargo install --path . --features viewer";
    Err(Failure::new(super::terminal::Exit::Usage, message))
}
