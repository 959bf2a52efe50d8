//! ROS packages by name: the folders that `package://NAME/…` stands for.
//!
//! A package is a folder with a `package.xml`, which states its name; folders of packages often have another one.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::geometry::read::file::text_of;
use crate::geometry::read::reach::{FileScope, PACKAGE_MARKER};
use crate::geometry::read::xml::{elements, parsed, prepared};

/// Maximum length of a `package.xml` [bytes]; those of ROS have a few thousand.
const MANIFEST_BYTES: u64 = 1 << 20;
/// Depth below a folder of packages to which they are searched: workspaces hold `src/REPOSITORY/STACK/PACKAGE`.
const DEPTH: usize = 4;
/// Maximum number of entries of folders that are looked at in that search: it bounds the time in a folder that is no workspace.
const ENTRIES: usize = 50_000;

/// The folders in which packages are searched for a robot.
pub(crate) struct Packages<'a> {
    robot: &'a Path,
    reach: &'a FileScope,
    /// Folders that are packages or hold packages: those given, then those above the robot, nearest first.
    folders: Vec<PathBuf>,
    /// Folders whose descendants may be packages.
    workspaces: Vec<PathBuf>,
    /// Packages below the workspaces, by the name in their `package.xml`; none before the first search.
    stated: Option<BTreeMap<String, Vec<PathBuf>>>,
    found: HashMap<String, Vec<PathBuf>>,
}

impl<'a> Packages<'a> {
    /// The packages of the file of a robot: those of `given`, of the packages of `reach`, and above the file.
    pub(crate) fn of(robot: &'a Path, given: &[PathBuf], reach: &'a FileScope) -> Self {
        let named: Vec<_> = given.iter().chain(reach.packages()).cloned().collect();
        let above = absolute(robot.parent().unwrap_or(Path::new("")));
        let above = above.ancestors().map(Path::to_owned);
        let workspaces = named.iter().chain(reach.roots()).cloned().collect();
        let folders = named.iter().cloned().chain(above).collect();
        Self { robot, reach, folders, workspaces, stated: None, found: HashMap::new() }
    }

    /// Folders that may be the package of this name, best one first. Folders out of reach are named, but not looked at.
    pub(crate) fn folders_of(&mut self, name: &str) -> Vec<PathBuf> {
        if let Some(known) = self.found.get(name) {
            return known.clone();
        }
        let mut found = Vec::new();
        for folder in &self.folders {
            let is_near = self.is_near(folder);
            let is_named = folder.file_name().is_some_and(|last| last == name);
            if is_named || is_near && name_of(folder).is_some_and(|stated| stated == name) {
                found.push(folder.clone());
            }
            let inside = folder.join(name);
            if !is_near || inside.is_dir() {
                found.push(inside);
            }
        }
        if !found.iter().any(|folder| self.is_near(folder)) {
            found.splice(0..0, self.stated().get(name).cloned().unwrap_or_default());
        }
        self.found.insert(name.to_owned(), found.clone());
        found
    }

    /// The folder of a package, if it is found in reach.
    #[cfg(feature = "formats")]
    pub(crate) fn folder_of(&mut self, name: &str) -> Option<PathBuf> {
        let folders = self.folders_of(name);
        folders.into_iter().find(|folder| self.is_near(folder) && folder.is_dir())
    }

    /// Error message about a package none of whose folders is in reach; none where there is one.
    pub(crate) fn missing(&mut self, name: &str) -> Option<String> {
        let folders = self.folders_of(name);
        if folders.iter().any(|folder| self.is_near(folder)) {
            return None;
        }
        let searched = self.searched();
        let searched = searched.map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ");
        Some(format!(
            "package \"{name}\" not found: no folder and no package.xml of this name in {searched}; \
             give the folder that holds the package with --package DIR, in a scene `packages: [\"DIR\"]`, and --root DIR or --allow-outside if it may not be named"
        ))
    }

    /// The folders that are searched.
    pub(crate) fn searched(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path).filter(|folder| self.is_near(folder))
    }

    fn is_near(&self, folder: &Path) -> bool {
        self.reach.check(folder, self.robot).is_ok()
    }

    /// Packages below the workspaces.
    fn stated(&mut self) -> &BTreeMap<String, Vec<PathBuf>> {
        let Self { robot, reach, workspaces, .. } = self;
        self.stated.get_or_insert_with(|| {
            let (mut stated, mut entries) = (BTreeMap::<String, Vec<PathBuf>>::new(), ENTRIES);
            // Breadth first: of packages of the same name, the one nearest to the top is preferred.
            let mut level: Vec<_> = workspaces.iter().map(|folder| absolute(folder)).collect();
            for _ in 0..=DEPTH {
                let mut next = Vec::new();
                for folder in level.into_iter().filter(|folder| reach.check(folder, robot).is_ok()) {
                    match name_of(&folder) {
                        Some(name) => stated.entry(name).or_default().push(folder.clone()),
                        None => next.extend(folders_in(&folder, &mut entries)),
                    }
                }
                level = next;
            }
            stated
        })
    }
}

/// The name that a folder's `package.xml` states.
fn name_of(folder: &Path) -> Option<String> {
    let text = text_of(&folder.join(PACKAGE_MARKER), MANIFEST_BYTES).ok()?;
    let text = prepared(&text).ok()?;
    let document = parsed(&text).ok()?;
    let name = elements(document.root_element(), "name").next()?;
    name.text().map(|name| name.trim().to_owned())
}

/// The visible folders in a folder, sorted.
fn folders_in(folder: &Path, entries: &mut usize) -> Vec<PathBuf> {
    let Ok(inside) = folder.read_dir() else { return Vec::new() };
    let inside: Vec<_> = inside.flatten().take(*entries).collect();
    *entries -= inside.len();
    let is_hidden = |entry: &std::fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    let mut found: Vec<_> = inside
        .iter()
        .filter(|entry| !is_hidden(entry) && entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(std::fs::DirEntry::path)
        .collect();
    found.sort();
    found
}

/// The absolute path of a folder; that of the current one where its path is empty.
pub(crate) fn absolute(folder: &Path) -> PathBuf {
    // The absolute path of an empty one is an error.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}
