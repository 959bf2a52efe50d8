//! Files that were dropped on the page: written to a private folder, which is removed at the end.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use extricate_core::geometry::read::EXTENSIONS;
use extricate_scene::PrivateFolder;
use extricate_scene::request::shape::is_robot;

use crate::limits::{DROPPED_BYTES, DROPPED_FILES, DROPPED_PATH};

/// The folder.
#[derive(Debug)]
pub(crate) struct DropFolder {
    folder: PrivateFolder,
    bytes: u64,
    count: usize,
}

/// Files to be shown: one scene, or robots and meshes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Dropped {
    /// A scene.
    Scene(PathBuf),
    /// Robots, or meshes where there is no robot, and the folder of their files.
    Arguments(Vec<PathBuf>, PathBuf),
}

impl DropFolder {
    /// A new folder that only this user can read.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { folder: PrivateFolder::new()?, bytes: 0, count: 0 })
    }

    /// Writes files and returns those to be shown.
    pub(crate) fn take(&mut self, files: &[(&str, &[u8])]) -> Result<Dropped, String> {
        if files.len() > DROPPED_FILES {
            return Err(format!(
                "{} files were dropped; at most {DROPPED_FILES} are accepted at once",
                files.len()
            ));
        }
        let paths = files.iter().map(|(name, _)| checked(name)).collect::<Result<Vec<_>, _>>()?;
        let bytes = self.bytes + files.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        if bytes > DROPPED_BYTES {
            return Err(format!("the dropped files exceed {} MiB", DROPPED_BYTES >> 20));
        }
        self.bytes = bytes;
        self.count += 1;
        let folder = self.folder.path().join(self.count.to_string());
        let write = |path: &Path, bytes: &[u8]| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            fs::write(path, bytes)
        };
        for (path, (name, bytes)) in paths.iter().zip(files) {
            write(path, bytes).map_err(|error| format!("{name} cannot be stored: {error}"))?;
        }
        shown(&folder, &paths, files)
    }
}

/// The path of a dropped file, which must stay below the folder.
fn checked(name: &str) -> Result<PathBuf, String> {
    let (depth, length) = DROPPED_PATH;
    let parts: Vec<&str> = name.split('/').collect();
    let is_part = |part: &&str| {
        !part.is_empty()
            && **part != *"."
            && **part != *".."
            && !part.contains(|letter: char| letter.is_control() || matches!(letter, '\\' | ':' | '@' | '"'))
    };
    let is_valid = name.len() <= length && parts.len() <= depth && parts.iter().all(is_part);
    if is_valid {
        Ok(parts.iter().collect())
    } else {
        Err(format!("`{name}` is not accepted as the name of a file"))
    }
}

/// The files to be shown: a scene; otherwise robots, whose meshes are among the others; otherwise meshes.
fn shown(folder: &Path, paths: &[PathBuf], files: &[(&str, &[u8])]) -> Result<Dropped, String> {
    let extension =
        |path: &PathBuf| path.extension().map(|x| x.to_string_lossy().to_lowercase()).unwrap_or_default();
    let full = |path: &PathBuf| folder.join(path);
    if let Some(scene) = paths.iter().find(|path| extension(path) == "ron") {
        return Ok(Dropped::Scene(full(scene)));
    }
    let contains = |bytes: &[u8], text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    let is_robot_file = |(path, (_, bytes)): &(&PathBuf, &(&str, &[u8]))| {
        is_robot(&path.to_string_lossy()) && (extension(path) != "xml" || contains(bytes, b"<mujoco"))
    };
    let robots: Vec<_> = paths.iter().zip(files).filter(is_robot_file).map(|(path, _)| full(path)).collect();
    if !robots.is_empty() {
        return Ok(Dropped::Arguments(robots, folder.to_owned()));
    }
    let meshes: Vec<_> =
        paths.iter().filter(|path| EXTENSIONS.contains(&extension(path).as_str())).map(full).collect();
    if meshes.is_empty() {
        let accepted = EXTENSIONS.join(", ");
        return Err(format!(
            "nothing to show: accepted are scenes (ron), robots (urdf, xacro, xml) and meshes ({accepted})"
        ));
    }
    Ok(Dropped::Arguments(meshes, folder.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_out_of_the_folder_are_refused_and_the_folder_is_removed() {
        let mut folder = DropFolder::new().unwrap();
        let path = folder.folder.path().to_owned();
        for name in [
            "",
            "/etc/passwd",
            "../a.obj",
            "a/../../b.obj",
            "a//b.obj",
            "c:\\a.obj",
            "a\0.obj",
            &"x/".repeat(40),
        ] {
            assert!(folder.take(&[(name, b"")]).is_err(), "{name}");
        }
        let taken = folder.take(&[
            ("arm/arm.urdf", b"<robot/>"),
            ("arm/meshes/link.stl", b""),
            ("arm/package.xml", b"<package/>"),
        ]);
        let inside = path.join("1");
        assert_eq!(taken, Ok(Dropped::Arguments(vec![inside.join("arm/arm.urdf")], inside.clone())));
        assert!(inside.join("arm/meshes/link.stl").is_file());
        assert!(
            matches!(folder.take(&[("a.obj", b""), ("b.ply", b"")]), Ok(Dropped::Arguments(meshes, _)) if meshes.len() == 2)
        );
        assert!(folder.take(&[("notes.txt", b"")]).unwrap_err().contains("obj"));
        drop(folder);
        assert!(!path.exists());
    }
}
