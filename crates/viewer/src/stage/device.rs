//! Whether this machine can draw, asked before kiss3d is, which would panic.

use thiserror::Error;

/// Why nothing can be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StageError {
    /// There is no graphics driver, not even one in software.
    #[error(
        "no Vulkan or OpenGL driver was found. Without a graphics card, software does it: \
         on Debian and Ubuntu, install the packages libvulkan1 and mesa-vulkan-drivers"
    )]
    NoDriver,
    /// There is no display for a window.
    #[error(
        "there is no display to open a window on (neither WAYLAND_DISPLAY nor DISPLAY is set). \
         `extricate render` makes pictures without one; `xvfb-run` (package xvfb) gives a window a virtual one"
    )]
    NoDisplay,
    /// A library that windows need is missing.
    #[error("a window needs {library}: on Debian and Ubuntu, install the package {package}")]
    NoLibrary {
        /// What is missing.
        library: &'static str,
        /// Where it is.
        package: &'static str,
    },
    /// The picture is too large or has no size.
    #[error("pictures are 16 to {limit} pixels wide and high, not {width} × {height}")]
    Size {
        /// Its width [pixels].
        width: u32,
        /// Its height [pixels].
        height: u32,
        /// The greatest this graphics driver can do.
        limit: u32,
    },
}

/// Least width and height of a picture [pixels].
const LEAST: u32 = 16;

/// Checks that there is a driver that draws pictures of this size.
pub(super) fn check_driver(width: u32, height: u32) -> Result<(), StageError> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::all(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    let adapter = adapter.map_err(|_| StageError::NoDriver)?;
    let limit = adapter.limits().max_texture_dimension_2d;
    let fits = |length: u32| (LEAST..=limit).contains(&length);
    if fits(width) && fits(height) { Ok(()) } else { Err(StageError::Size { width, height, limit }) }
}

/// Checks that there is something to open a window on.
pub(super) fn check_display() -> Result<(), StageError> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let has_display =
        !cfg!(all(unix, not(target_os = "macos"))) || is_set("WAYLAND_DISPLAY") || is_set("DISPLAY");
    if has_display { Ok(()) } else { Err(StageError::NoDisplay) }
}
