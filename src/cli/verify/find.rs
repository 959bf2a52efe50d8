//! Search for the scenes to verify and their golden files.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::cli::terminal::{Exit, Failure};
use extricate_scene::record::Manifest;

/// Extension of golden files.
const EXTENSION: &str = "golden";
/// Default folder of golden files, below a folder above the scene.
const DEFAULT_FOLDER: [&str; 2] = ["tests", "golden"];
/// Name of a folder of scenes: golden files mirror what is below it.
const SCENES: &str = "scenes";

/// The scene files among the paths and below the folders among them, except folders of runs, sorted within each folder.
pub(super) fn scenes(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut scenes = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = scenes.len();
            scenes_below(path, &mut scenes)?;
            if scenes.len() == before {
                return Err(Failure::new(Exit::Usage, format!("no scenes (*.ron) in {}", path.display())));
            }
        } else {
            scenes.push(path.clone());
        }
    }
    Ok(scenes)
}

/// The scene files below a folder. Folders of runs, which contain a copy of their scene, are skipped.
fn scenes_below(folder: &Path, scenes: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable =
        |error| Failure::new(Exit::BadFile, format!("cannot read {}: {error}", folder.display()));
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            if !path.join(Manifest::FILE).is_file() {
                scenes_below(&path, scenes)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "ron") {
            scenes.push(path);
        }
    }
    Ok(())
}

/// Path of the golden file of a scene, existing or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GoldenPlace {
    pub(super) path: PathBuf,
    pub(super) exists: bool,
}

/// The golden file of a scene. Below `folder`, if one is given, it is the file whose path is the longest suffix of the path
/// of the scene: `rigid/a.golden` before `a.golden`. Otherwise it is in `tests/golden` of the nearest folder above the scene
/// that has such a folder, if the scene is below that folder or its `scenes`. None if there is neither.
pub(super) fn golden_of(scene: &Path, folder: Option<&Path>) -> Option<GoldenPlace> {
    let is_relative = scene.is_relative();
    let scene = std::path::absolute(scene).ok()?;
    let place = match folder {
        Some(folder) => below_given(&scene, folder),
        None => default_place(&scene)?,
    };
    // Relative if the scene's path is, so that equal runs in different folders print the same.
    let here = std::env::current_dir().ok().filter(|_| is_relative);
    let below = here.and_then(|here| place.path.strip_prefix(here).ok().map(Path::to_owned));
    Some(GoldenPlace { path: below.unwrap_or(place.path), exists: place.exists })
}

fn below_given(scene: &Path, folder: &Path) -> GoldenPlace {
    let parts: Vec<_> = scene.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let tail = |from: usize| folder.join(parts[from..].iter().collect::<PathBuf>().with_extension(EXTENSION));
    let found = (0..parts.len()).map(tail).find(|path| path.is_file());
    let scenes = parts.iter().rposition(|part| part.as_os_str() == SCENES);
    let new = scenes.map_or(parts.len().saturating_sub(1), |at| at + 1);
    found.map_or_else(
        || GoldenPlace { path: tail(new), exists: false },
        |path| GoldenPlace { path, exists: true },
    )
}

fn default_place(scene: &Path) -> Option<GoldenPlace> {
    let root = scene
        .ancestors()
        .skip(1)
        .find(|folder| folder.join(DEFAULT_FOLDER[0]).join(DEFAULT_FOLDER[1]).is_dir())?;
    let below = scene.strip_prefix(root).ok()?;
    let below = below.strip_prefix(SCENES).unwrap_or(below).with_extension(EXTENSION);
    let path = root.join(DEFAULT_FOLDER[0]).join(DEFAULT_FOLDER[1]).join(below);
    Some(GoldenPlace { exists: path.is_file(), path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_golden_file_is_the_one_whose_path_is_most_like_that_of_the_scene() {
        let folder = std::env::temp_dir().join(format!("extricate-golden-{}", std::process::id()));
        let golden = folder.join("tests/golden");
        fs::create_dir_all(golden.join("rigid")).unwrap();
        fs::write(golden.join("rigid/a.golden"), "").unwrap();
        fs::write(golden.join("b.golden"), "").unwrap();
        let find = |scene: &str, given: bool| {
            let place = golden_of(&folder.join(scene), given.then_some(golden.as_path())).unwrap();
            let path = place.path.strip_prefix(&golden).unwrap().to_string_lossy().replace('\\', "/");
            (path, place.exists)
        };
        for given in [true, false] {
            assert_eq!(find("scenes/rigid/a.ron", given), ("rigid/a.golden".into(), true));
            assert_eq!(find("scenes/soft/a.ron", given), ("soft/a.golden".into(), false));
            assert_eq!(find("b.ron", given), ("b.golden".into(), true));
        }
        assert_eq!(find("elsewhere/rigid/a.ron", true), ("rigid/a.golden".into(), true));
        assert_eq!(find("elsewhere/rigid/a.ron", false), ("elsewhere/rigid/a.golden".into(), false));
        assert_eq!(find("elsewhere/c.ron", true), ("c.golden".into(), false));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(golden_of(&folder.join("a.ron"), None).map(|place| place.exists), None);
    }
}
