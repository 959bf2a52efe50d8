//! Checks of driver and display before kiss3d starts, which would panic without them.

use crate::ViewError;

/// Minimum width and height of a picture [pixels].
const MIN: u32 = 16;

/// Checks that there is a driver that draws pictures of this size.
pub(super) fn check_driver(width: u32, height: u32) -> Result<(), ViewError> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::all(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    let adapter = adapter.map_err(|_| ViewError::NoDriver)?;
    let limit = adapter.limits().max_texture_dimension_2d;
    let fits = |length: u32| (MIN..=limit).contains(&length);
    if fits(width) && fits(height) { Ok(()) } else { Err(ViewError::Size { width, height, limit }) }
}

/// Checks that there is a display to open a window on.
pub(super) fn check_display() -> Result<(), ViewError> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let has_display =
        !cfg!(all(unix, not(target_os = "macos"))) || is_set("WAYLAND_DISPLAY") || is_set("DISPLAY");
    if has_display { Ok(()) } else { Err(ViewError::NoDisplay) }
}
