//! Recently opened scenes and runs, kept in the user's state folder.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use extricate_scene::record::write_whole;

/// Maximum number of entries.
const COUNT: usize = 10;

/// Recently opened scenes and runs, the last one first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recent {
    /// File of the list; `None` if it is not kept.
    file: Option<PathBuf>,
    paths: Vec<PathBuf>,
}

impl Recent {
    /// The list of the user: `extricate/recent.txt` in `$XDG_STATE_HOME`, else in the folder of the system for the state of programs. It
    /// is empty if there is none.
    #[must_use]
    pub fn of_user() -> Self {
        state_folder(&|name| env::var_os(name)).map_or_else(Self::default, |folder| Self::in_folder(&folder))
    }

    /// The list in a folder for the state of programs.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        let file = folder.join("extricate").join("recent.txt");
        let text = fs::read_to_string(&file).unwrap_or_default();
        let paths = text.lines().filter(|line| !line.is_empty()).map(PathBuf::from).take(COUNT).collect();
        Self { file: Some(file), paths }
    }

    /// The entries that still exist.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        self.paths.iter().filter(|path| path.exists()).cloned().collect()
    }

    /// Puts a scene or run first. The list stays in memory where it cannot be written.
    pub fn add(&mut self, path: &Path) {
        let Ok(path) = path.canonicalize() else { return };
        // Paths are kept as lines of text.
        if path.to_str().is_none_or(|text| text.contains(['\n', '\r'])) {
            return;
        }
        self.paths.retain(|other| *other != path);
        self.paths.insert(0, path);
        self.paths.truncate(COUNT);
        let lines: String = self.paths.iter().map(|path| format!("{}\n", path.display())).collect();
        if let Some(file) = &self.file {
            // A list that cannot be written is not an error: it only saves typing.
            let folder = file.parent().map_or(Ok(()), fs::create_dir_all);
            let _ = folder.is_ok().then(|| write_whole(file, lines.as_bytes()));
        }
    }
}

/// Folder for the state of programs, from the variables of the environment.
fn state_folder(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name: &str, below: &str| {
        let folder = PathBuf::from(variable(name)?);
        folder.is_absolute().then(|| folder.join(below))
    };
    let of_system = if cfg!(windows) {
        folder("LOCALAPPDATA", "")
    } else if cfg!(target_os = "macos") {
        folder("HOME", "Library/Application Support")
    } else {
        folder("HOME", ".local/state")
    };
    folder("XDG_STATE_HOME", "").or(of_system)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("extricate-recent-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        folder.canonicalize().expect("it exists")
    }

    #[test]
    fn the_last_ten_are_kept_newest_first_without_those_that_are_gone() {
        let folder = folder("kept");
        let file = |number: usize| folder.join(format!("{number}.ron"));
        let mut recent = Recent::in_folder(&folder);
        assert!(recent.paths().is_empty());
        for number in 0..12 {
            fs::write(file(number), "").expect("a file");
            recent.add(&file(number));
        }
        recent.add(&file(5));
        recent.add(&folder.join("absent.ron"));
        let expected = [5, 11, 10, 9, 8, 7, 6, 4, 3, 2].map(file);
        assert_eq!(recent.paths(), expected);
        let read = Recent::in_folder(&folder);
        assert_eq!(read, recent);
        fs::remove_file(file(11)).expect("it is ours");
        assert_eq!(read.paths()[..2], [5, 10].map(file));
        fs::remove_dir_all(folder).expect("it is ours");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_error() {
        let folder = folder("unwritable");
        let scene = folder.join("scene.ron");
        fs::write(&scene, "").expect("a file");
        // A file is where the folder should be.
        let mut recent = Recent::in_folder(&scene);
        recent.add(&scene);
        assert_eq!(recent.paths(), std::slice::from_ref(&scene));
        assert!(Recent::in_folder(&scene).paths().is_empty());
        fs::remove_dir_all(folder).expect("it is ours");
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_is_that_of_the_environment() {
        let of = |pairs: &[(&str, &str)]| {
            state_folder(&|name| pairs.iter().find(|pair| pair.0 == name).map(|pair| OsString::from(pair.1)))
        };
        assert_eq!(of(&[("XDG_STATE_HOME", "/x"), ("HOME", "/h")]), Some(PathBuf::from("/x/")));
        assert_eq!(of(&[("XDG_STATE_HOME", "relative")]), None);
        let home = of(&[("HOME", "/h")]).expect("there is a home");
        assert!(home.starts_with("/h") && home != Path::new("/h"));
        assert_eq!(of(&[]), None);
    }
}
