//! Parsers of the command line's inputs, on text instead of files: entry points of the fuzz targets (`fuzz/`).

use std::path::Path;

use super::configurations;
use super::terminal::lines::parse_lines;
use extricate_scene::repair::Robot;
use extricate_scene::request::shape::ShapeArgument;
use extricate_scene::request::{broad_phase, obstacles, poses, robot};

/// Number of pose lines of a text.
///
/// # Errors
/// Description of the first defect.
pub fn poses(text: &str) -> Result<usize, String> {
    let lines = parse_lines(text, Path::new("poses.jsonl"), "poses", poses::parse)?;
    Ok(lines.len())
}

/// Number of lines of motions of a text.
///
/// # Errors
/// Description of the first defect.
pub fn motions(text: &str) -> Result<usize, String> {
    let lines = parse_lines(text, Path::new("motions.jsonl"), "motions", poses::parse_motions)?;
    Ok(lines.len())
}

/// Number of lines of boxes of a text.
///
/// # Errors
/// Description of the first defect.
pub fn boxes(text: &str) -> Result<usize, String> {
    Ok(parse_lines(text, Path::new("boxes.jsonl"), "boxes", broad_phase::parse)?.len())
}

/// Number of configurations of a robot in a text.
///
/// # Errors
/// Description of the first defect.
pub fn configurations(text: &str, robot: &Robot) -> Result<usize, String> {
    Ok(configurations::parse(text, Path::new("joints.json"), robot, None)?.len())
}

/// Whether a text is a shape in the notation of the command line, with or without a pose, or names two links.
#[must_use]
pub fn names_shape(text: &str) -> bool {
    let is_shape = obstacles::split(text).is_ok_and(|(name, _)| ShapeArgument::parse(name).is_ok());
    is_shape || robot::two_links(text).is_ok()
}
