//! Files that another file may name.
//!
//! A scene names meshes and robots, a robot names meshes, a glTF file names buffers. What a person names (on the command
//! line, in a call of the library) is read wherever it is; what a *file* names is read only below a root, so that a file
//! from a stranger reads nothing else. The root of a file is its folder, or the nearest folder above that holds a file
//! named [`ROOT_MARKER`]. Who can put such a marker into a folder could have put the file itself there, so it opens
//! nothing that was shut; where several people may write to a folder, as to `/tmp`, a marker of another one's does not
//! count.
//!
//! Paths are followed as the system does before they are compared: `..`, symbolic links and absolute paths lead nowhere
//! else. Nothing outside is opened. Not defended against: somebody who swaps folders for links while they are read, and
//! hard links, which only those can make who may read the file.

use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};

use thiserror::Error;

/// Name of the file that makes its folder the root of all files below it: they may name any file in it.
pub const ROOT_MARKER: &str = ".extricate-root";

/// Name of the file that every ROS package has in its folder: a robot may name what is in its package.
pub(crate) const PACKAGE_MARKER: &str = "package.xml";

/// The files that may be read because another file names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileScope {
    /// Folders whose files may be read, as the system knows them; none where any file may be.
    roots: Option<Vec<PathBuf>>,
    /// Folders that are ROS packages or hold some, beyond those that a robot itself may name.
    packages: Vec<PathBuf>,
}

/// A file names another one that it may not.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error(
    "{} lies outside of {}, and {} may name no file there; if you trust it, say --root DIR with a folder that holds both, \
     put an empty file {ROOT_MARKER} into that folder, or say --allow-outside",
    path.display(), self.accepted(), named_by.display()
)]
pub struct OutsideFileScope {
    /// The file that is named, as it would be opened.
    pub path: PathBuf,
    /// The file that names it.
    pub named_by: PathBuf,
    /// The folders that it may name files of.
    pub roots: Vec<PathBuf>,
}

impl OutsideFileScope {
    /// The folders that may be named, as text.
    pub(crate) fn accepted(&self) -> String {
        let names: Vec<_> = self.roots.iter().map(|root| root.display().to_string()).collect();
        if names.is_empty() { "every folder".to_owned() } else { names.join(" and ") }
    }
}

impl FileScope {
    /// Any file at all: for files that are trusted.
    #[must_use]
    pub const fn anywhere() -> Self {
        Self { roots: None, packages: Vec::new() }
    }

    /// The files that `file` may name: files below its folder, or below the nearest folder above that holds a [`ROOT_MARKER`].
    ///
    /// ```
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    /// use std::path::Path;
    /// use extricate_core::geometry::read::FileScope;
    ///
    /// let scene = Path::new("scenes/rigid/linked_chain.ron");
    /// let reach = FileScope::around(scene);
    /// // The root of this repository is marked.
    /// assert!(reach.check(Path::new("scenes/rigid/../../assets/meshes/ring.obj"), scene).is_ok());
    /// assert!(reach.check(Path::new("/etc/passwd"), scene).is_err());
    /// assert!(reach.check(Path::new("scenes/rigid/../../../elsewhere.obj"), scene).is_err());
    /// ```
    #[must_use]
    pub fn around(file: &Path) -> Self {
        Self::marked(file, &[ROOT_MARKER])
    }

    /// The files that the URDF file `robot` may name: as [`FileScope::around`], and its ROS package, whose folder holds a `package.xml`.
    #[must_use]
    pub fn around_robot(robot: &Path) -> Self {
        Self::marked(robot, &[ROOT_MARKER, PACKAGE_MARKER])
    }

    fn marked(file: &Path, markers: &[&str]) -> Self {
        let folder = real(file.parent().unwrap_or(Path::new("")));
        let is_root = |folder: &&Path| markers.iter().any(|marker| marks(folder, marker));
        let root = folder.ancestors().find(is_root).map_or_else(|| folder.clone(), Path::to_owned);
        Self { roots: Some(vec![root]), packages: Vec::new() }
    }

    /// The same, and files below `folder`.
    #[must_use]
    pub fn and(mut self, folder: &Path) -> Self {
        if let Some(roots) = &mut self.roots {
            roots.push(real(folder));
        }
        self
    }

    /// The same, and the files of ROS packages: each folder is a package, or holds packages.
    #[must_use]
    pub fn with_packages(self, folders: &[PathBuf]) -> Self {
        let mut scope = folders.iter().fold(self, |scope, folder| scope.and(folder));
        scope.packages.extend_from_slice(folders);
        scope
    }

    /// Folders that are ROS packages, or hold some.
    pub(crate) fn packages(&self) -> &[PathBuf] {
        &self.packages
    }

    /// Folders whose files may be read; none where any file may be.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        self.roots.as_deref().unwrap_or_default()
    }

    /// Refuses a path that leads out of reach; `named_by` is the file that names it. A file that is not there is as good
    /// as one that is: nothing outside is looked at.
    ///
    /// # Errors
    /// [`OutsideFileScope`], with all that is to be known.
    pub fn check(&self, path: &Path, named_by: &Path) -> Result<(), OutsideFileScope> {
        let Some(roots) = &self.roots else { return Ok(()) };
        let path = real(path);
        if roots.iter().any(|root| path.starts_with(root)) {
            return Ok(());
        }
        Err(OutsideFileScope { path, named_by: named_by.to_owned(), roots: roots.clone() })
    }
}

/// The target of a path, links followed as far as it exists.
fn real(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut place = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                place.pop();
            }
            part => {
                place.push(part);
                if let Ok(real) = place.canonicalize() {
                    place = real;
                }
            }
        }
    }
    place
}

/// Whether the folder holds the marker, put there by somebody whose folder it is, by who runs this, or by the system.
fn marks(folder: &Path, marker: &str) -> bool {
    let (Ok(of_folder), Ok(of_marker)) = (folder.metadata(), folder.join(marker).symlink_metadata()) else {
        return false;
    };
    of_marker.is_file() && is_trusted(&of_folder, &of_marker)
}

#[cfg(unix)]
fn is_trusted(folder: &Metadata, marker: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    /// The system itself.
    const ROOT: u32 = 0;
    let owner = marker.uid();
    let own = || std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == owner);
    owner == folder.uid() || owner == ROOT || own()
}

#[cfg(not(unix))]
fn is_trusted(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::fs;

    use extricate_test_support::ScratchFolder;

    use super::*;

    struct Folder(ScratchFolder);

    impl Folder {
        fn new() -> Self {
            let scratch = ScratchFolder::new();
            let folder = scratch.folder();
            fs::create_dir_all(folder.join("project/scenes")).unwrap();
            fs::create_dir_all(folder.join("project/assets")).unwrap();
            fs::write(folder.join("secret.obj"), "").unwrap();
            Self(scratch)
        }

        fn reaches(&self, reach: &FileScope, path: &str) -> bool {
            let scene = self.0.folder().join("project/scenes/a.ron");
            reach.check(&self.0.folder().join("project/scenes").join(path), &scene).is_ok()
        }
    }

    #[test]
    fn a_file_reaches_its_folder_and_not_what_dots_links_or_roots_lead_to() {
        let folder = Folder::new();
        let reach = FileScope::around(&folder.0.folder().join("project/scenes/a.ron"));
        for inside in ["b.obj", "deep/er/c.obj", "../scenes/b.obj", "./d/../b.obj", "deep/../../scenes/b.obj"]
        {
            assert!(folder.reaches(&reach, inside), "{inside}");
        }
        for outside in [
            "../assets/b.obj",
            "../../secret.obj",
            "/etc/passwd",
            "..",
            "deep/../../b.obj",
            "../scenes2/a.obj",
        ] {
            assert!(!folder.reaches(&reach, outside), "{outside}");
            assert!(folder.reaches(&FileScope::anywhere(), outside), "{outside}");
        }
        let wider = reach.and(&folder.0.folder().join("project/assets"));
        assert!(folder.reaches(&wider, "../assets/b.obj") && !folder.reaches(&wider, "../b.obj"));
    }

    #[test]
    fn a_marker_widens_the_reach_to_its_folder_and_no_further() {
        let folder = Folder::new();
        fs::write(folder.0.folder().join("project").join(ROOT_MARKER), "").unwrap();
        let reach = FileScope::around(&folder.0.folder().join("project/scenes/a.ron"));
        assert!(folder.reaches(&reach, "../assets/b.obj") && folder.reaches(&reach, "b.obj"));
        assert!(
            !folder.reaches(&reach, "../../secret.obj") && !folder.reaches(&reach, "../../project2/b.obj")
        );
        fs::write(folder.0.folder().join("package.xml"), "").unwrap();
        let robot = folder.0.folder().join("project/scenes/a.urdf");
        assert!(!folder.reaches(&FileScope::around_robot(&robot), "../../secret.obj"));
        fs::remove_file(folder.0.folder().join("project").join(ROOT_MARKER)).unwrap();
        assert!(folder.reaches(&FileScope::around_robot(&robot), "../../secret.obj"));
        assert!(!folder.reaches(&FileScope::around(&robot), "../../secret.obj"));
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_reaches_no_further_than_what_it_leads_to() {
        use std::os::unix::fs::symlink;
        let folder = Folder::new();
        let scenes = folder.0.folder().join("project/scenes");
        symlink(folder.0.folder().join("secret.obj"), scenes.join("file.obj")).unwrap();
        symlink("../..", scenes.join("up")).unwrap();
        symlink("../nowhere", scenes.join("dangling")).unwrap();
        symlink(&scenes, folder.0.folder().join("linked")).unwrap();
        let reach = FileScope::around(&scenes.join("a.ron"));
        for outside in ["file.obj", "up/secret.obj", "up/project/assets/b.obj"] {
            assert!(!folder.reaches(&reach, outside), "{outside}");
        }
        assert!(folder.reaches(&reach, "up/project/scenes/b.obj"), "it leads back");
        // A folder that is itself a link is the one that it leads to.
        let linked = FileScope::around(&folder.0.folder().join("linked/a.ron"));
        assert_eq!(linked, reach);
        // A marker that is a link marks nothing.
        symlink(folder.0.folder().join("secret.obj"), folder.0.folder().join("project").join(ROOT_MARKER))
            .unwrap();
        assert_eq!(FileScope::around(&scenes.join("a.ron")), reach);
    }
}
