//! Robots: copies of the meshes that they name, with the names edited in place. An MJCF file becomes one with the files that it
//! includes.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{Assets, read};
use crate::record::RecordError;
use extricate_core::geometry::read::FileScope;
use extricate_core::kinematics::mjcf::ModelFiles;
use extricate_core::kinematics::urdf::{RobotFileError, UrdfOptions, locate_mesh, urdf_text};
use extricate_core::kinematics::{RobotFormat, robot_format};

/// Copies a robot, the expansion of one in xacro, with the meshes that it names; those that are missing or outside the
/// file scope (a mesh that is only visual need not be read) keep their names. Returns its new name.
pub(super) fn copy(assets: &mut Assets, path: &Path, options: &UrdfOptions) -> Result<String, RecordError> {
    let bytes = assets.read(path, path)?;
    let Ok(text) = String::from_utf8(bytes.clone()) else { return assets.add(&bytes, "urdf") };
    if let Some(model) = model_of(&text, path, &assets.scope)? {
        let edited = model.with_meshes(&mut |mesh| assets.copy_mesh(mesh).map_err(CopyError::Record));
        return assets.add(edited.map_err(|error| error.of(path))?.as_bytes(), "xml");
    }
    let text = expanded(&text, path, options, &assets.scope)?;
    let (mut edited, mut at) = (String::with_capacity(text.len()), 0);
    for span in mesh_names(&text) {
        let Some(mesh) = place_of(&text[span.clone()], path, &options.packages, &assets.scope) else {
            continue;
        };
        edited.push_str(&text[at..span.start]);
        edited.push_str(&assets.copy_mesh(&mesh)?);
        at = span.end;
    }
    edited.push_str(&text[at..]);
    assets.add(edited.as_bytes(), "urdf")
}

/// Reason why a model was not copied.
enum CopyError {
    Record(RecordError),
    Robot(RobotFileError),
}

impl From<RobotFileError> for CopyError {
    fn from(error: RobotFileError) -> Self {
        Self::Robot(error)
    }
}

impl CopyError {
    fn of(self, path: &Path) -> RecordError {
        match self {
            Self::Record(error) => error,
            Self::Robot(error) => RecordError::read(path, io::Error::other(error)),
        }
    }
}

/// The model in the text of an MJCF file; none of another one.
fn model_of(text: &str, path: &Path, scope: &FileScope) -> Result<Option<ModelFiles>, RecordError> {
    if !matches!(robot_format(text), Ok((RobotFormat::Mjcf, _))) {
        return Ok(None);
    }
    let model = ModelFiles::of(text, path, scope).map_err(CopyError::Robot);
    model.map(Some).map_err(|error| error.of(path))
}

/// Existing files that a robot names, in its order.
pub(super) fn meshes(
    path: &Path,
    options: &UrdfOptions,
    scope: &FileScope,
) -> Result<Vec<PathBuf>, RecordError> {
    let bytes = read(path, path, scope)?;
    let text = String::from_utf8_lossy(&bytes);
    if let Some(model) = model_of(&text, path, scope)? {
        let mut files = model.included().to_vec();
        let mut collect = |mesh: &Path| {
            files.push(mesh.to_owned());
            Ok::<_, CopyError>(String::new())
        };
        model.with_meshes(&mut collect).map_err(|error| error.of(path))?;
        return Ok(files);
    }
    let text = expanded(&text, path, options, scope)?;
    Ok(mesh_names(&text)
        .into_iter()
        .filter_map(|span| place_of(&text[span], path, &options.packages, scope))
        .collect())
}

fn expanded<'a>(
    text: &'a str,
    path: &Path,
    options: &UrdfOptions,
    scope: &FileScope,
) -> Result<Cow<'a, str>, RecordError> {
    let options = UrdfOptions { reach: Some(scope.clone()), ..options.clone() };
    urdf_text(text, path, &options).map_err(|error| RecordError::read(path, io::Error::other(error)))
}

/// Path of the mesh of a name, as it is written; none where it is missing or outside the file scope.
fn place_of(name: &str, path: &Path, packages: &[PathBuf], scope: &FileScope) -> Option<PathBuf> {
    locate_mesh(&unescaped(name), path, packages, scope)
}

/// Byte ranges of the values of `filename` in all elements `<mesh …>`.
fn mesh_names(text: &str) -> Vec<Range<usize>> {
    let of_element = |(start, element): (usize, &str)| file_name(text, start + element.len());
    text.match_indices("<mesh").filter_map(of_element).collect()
}

/// Byte range of the value of `filename` among the attributes that start at `at`.
fn file_name(text: &str, mut at: usize) -> Option<Range<usize>> {
    loop {
        let quote = at + text[at..].find(['>', '"', '\''])?;
        if text[quote..].starts_with('>') {
            return None;
        }
        let name = text[at..quote].trim().trim_end_matches('=').trim_end();
        let value = quote + 1;
        let end = value + text[value..].find(&text[quote..value])?;
        if name == "filename" {
            return Some(value..end);
        }
        at = end + 1;
    }
}

/// Text of an XML attribute, with its entities replaced.
fn unescaped(text: &str) -> String {
    // `&amp;` comes last: otherwise `&amp;lt;` would become `<`.
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
        .into_iter()
        .fold(text.to_owned(), |text, (escape, letter)| text.replace(escape, letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_meshes_are_found_whatever_precedes_them_and_no_others() {
        let text = "<mesh filename=\"a.obj\"/><mesh scale = '1 > 1' \n filename = 'b \"c\".stl' ></mesh>\
                    <texture filename=\"d.png\"/><mesh scale=\"1\"/><meshes name='e'/><mesh filename=\"cut";
        let names: Vec<_> = mesh_names(text).into_iter().map(|span| &text[span]).collect();
        assert_eq!(names, ["a.obj", "b \"c\".stl"]);
        assert_eq!(unescaped("a&amp;lt;b&apos;"), "a&lt;b'");
    }
}
