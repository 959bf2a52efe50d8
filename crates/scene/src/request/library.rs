//! Cache of resources shared by items: meshes, hulls, robots and scenes, which are preprocessed once and queried many times.
//!
//! A mesh is identified by the content of its file, so that two files with equal bytes are one entry. The size of the cache is
//! bounded: beyond the bound the least recently used entries are evicted, and rebuilt when they are needed again. Results do
//! not depend on it.

use std::any::Any;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::access::Access;
use super::fault::{Class, Fault};
use super::shape::ShapeArgument;
use crate::record::Hash;
use extricate_core::geometry::Solidity;
use extricate_core::geometry::limits::FILE_BYTES;
use extricate_core::geometry::read::file;
use extricate_core::proximity::Model;
use extricate_core::query::Shape;

/// Default size of the cache [bytes].
const BUDGET: usize = 1 << 30;

/// Fraction of the budget that is retained when it is exceeded. Close to one, almost every new entry would sort all entries to
/// evict one; close to zero, entries would be rebuilt that the budget has room for. Results do not depend on it.
const RETAINED_FRACTION: f64 = 0.75;

/// Bytes per triangle of a mesh with all the data that queries add to it: tree, winding numbers, balls, corners. Measured on
/// the shipped meshes; an estimate for the bound of the cache, which does not affect results.
const TRIANGLE_BYTES: usize = 600;

/// Bytes that a small entry counts as, with its key.
pub(super) const SMALL: usize = 4096;

/// Maximum number of files whose content hash is stored; beyond it all are cleared and hashed again.
const PATHS: usize = 1 << 14;

/// Cache of preprocessed resources. It may be shared among threads; while one of them builds an entry, others that need it
/// wait.
#[derive(Debug)]
pub struct Library {
    access: Access,
    /// Folder in which trees of large meshes are stored between processes.
    cache: Option<PathBuf>,
    budget: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    paths: HashMap<PathBuf, Arc<str>>,
    entries: HashMap<String, Entry>,
    /// Number of accesses, the time stamp of the entries.
    clock: u64,
    bytes: usize,
    loads: u64,
}

type Slot = Arc<OnceLock<Result<Arc<dyn Any + Send + Sync>, Fault>>>;

#[derive(Debug)]
struct Entry {
    slot: Slot,
    used: u64,
    bytes: usize,
}

impl Default for Library {
    fn default() -> Self {
        Self::new(BUDGET)
    }
}

impl Library {
    /// A library with a maximum size \[bytes\], by estimate.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        Self { access: Access::default(), cache: None, budget, state: Mutex::default() }
    }

    /// The library with further files that may be named.
    #[must_use]
    pub fn with_access(self, access: &Access) -> Self {
        Self { access: access.clone(), ..self }
    }

    /// The library with a folder in which preprocessed meshes are stored between processes.
    #[must_use]
    pub fn with_cache(self, cache: Option<PathBuf>) -> Self {
        Self { cache, ..self }
    }

    /// Access to files.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Folder in which preprocessed meshes are stored between processes.
    pub(super) fn cache(&self) -> Option<&Path> {
        self.cache.as_deref()
    }

    /// Number of entries built so far.
    #[must_use]
    pub fn loads(&self) -> u64 {
        self.state().loads
    }

    /// Size of the cached entries \[bytes\], by estimate.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.state().bytes
    }

    /// A shape as a triangle mesh, with its tree and all the data that queries add to it.
    pub(crate) fn mesh(&self, shape: &ShapeArgument, solidity: Option<Solidity>) -> Result<Shape, Fault> {
        self.shape(format!("mesh {solidity:?} {}", self.key_of(shape)?), || {
            let model = shape.model(solidity, &self.access, self.cache())?;
            let bytes = bytes_of(&model);
            Ok((model.into(), bytes))
        })
    }

    /// The model of a shape: its mesh with the tree.
    pub(crate) fn model(
        &self,
        shape: &ShapeArgument,
        solidity: Option<Solidity>,
    ) -> Result<Arc<Model>, Fault> {
        Ok(Arc::clone(self.mesh(shape, solidity)?.model().expect("triangles have a tree")))
    }

    /// A convex shape; hulls are shared.
    pub(crate) fn convex(&self, shape: &ShapeArgument) -> Result<Shape, Fault> {
        if shape.file().is_none() {
            return Ok(shape.convex(&self.access)?.into());
        }
        let key = format!("convex {}", self.key_of(shape)?);
        self.shape(key, || Ok((shape.convex(&self.access)?.into(), SMALL)))
    }

    fn shape(
        &self,
        key: String,
        make: impl FnOnce() -> Result<(Shape, usize), Fault>,
    ) -> Result<Shape, Fault> {
        Ok(Shape::clone(&*self.get(key, make)?))
    }

    /// Key of a shape: its form, and the content of its file.
    pub(crate) fn key_of(&self, shape: &ShapeArgument) -> Result<String, Fault> {
        let file = shape.file().map(|path| self.content_of(path)).transpose()?;
        Ok(format!("{} {}", shape.text_before_file(), file.as_deref().unwrap_or_default()))
    }

    /// Key of the content of a mesh file: its format, length and hash, for glTF files also the folder, since they name other
    /// files there.
    fn content_of(&self, path: &Path) -> Result<Arc<str>, Fault> {
        if let Some(content) = self.state().paths.get(path) {
            return Ok(Arc::clone(content));
        }
        let bytes = file::bytes_of(path, FILE_BYTES).map_err(|error| {
            Fault::new(Class::BadFile, format!("{}: cannot be read: {error}", path.display()))
        })?;
        let format = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let folder = path
            .parent()
            .filter(|_| ["gltf", "glb"].contains(&format.as_str()))
            .map(|folder| folder.display().to_string());
        let hash = Hash::of([bytes.as_slice()]);
        let content = format!("{format} {} {hash} {}", bytes.len(), folder.unwrap_or_default());
        let content: Arc<str> = content.into();
        let mut state = self.state();
        if state.paths.len() >= PATHS {
            state.paths.clear();
        }
        state.paths.insert(path.to_owned(), Arc::clone(&content));
        Ok(content)
    }

    /// The entry of a key; `make` builds it and returns its size [bytes] where it is missing. Failures are cached as well.
    pub(super) fn get<T: Any + Send + Sync>(
        &self,
        key: String,
        make: impl FnOnce() -> Result<(T, usize), Fault>,
    ) -> Result<Arc<T>, Fault> {
        // Built outside the lock: other entries stay accessible meanwhile.
        let slot = self.slot(&key);
        let mut made = None;
        let value = slot
            .get_or_init(|| {
                let (value, bytes) = make()?;
                made = Some(bytes);
                Ok(Arc::new(value) as Arc<dyn Any + Send + Sync>)
            })
            .clone();
        if let Some(bytes) = made {
            self.count(&key, bytes);
        }
        Ok(value?.downcast().expect("a key belongs to one type"))
    }

    fn slot(&self, key: &str) -> Slot {
        let mut state = self.state();
        state.clock += 1;
        let now = state.clock;
        if let Some(entry) = state.entries.get_mut(key) {
            entry.used = now;
            return Arc::clone(&entry.slot);
        }
        let slot = Slot::default();
        let entry = Entry { slot: Arc::clone(&slot), used: now, bytes: SMALL };
        state.entries.insert(key.to_owned(), entry);
        state.bytes += SMALL;
        self.make_room(&mut state, key);
        slot
    }

    /// Updates the size of an entry that was built.
    fn count(&self, key: &str, bytes: usize) {
        let mut guard = self.state();
        let state = &mut *guard;
        state.loads += 1;
        if let Some(entry) = state.entries.get_mut(key) {
            let bytes = bytes.max(SMALL);
            state.bytes = state.bytes - entry.bytes + bytes;
            entry.bytes = bytes;
        }
        self.make_room(state, key);
    }

    /// Evicts the least recently used entries, except the current one.
    fn make_room(&self, state: &mut State, current: &str) {
        if state.bytes <= self.budget {
            return;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a fraction of a count of bytes"
        )]
        let retained = (self.budget as f64 * RETAINED_FRACTION) as usize;
        let mut ages: Vec<(u64, String)> =
            state.entries.iter().map(|(key, entry)| (entry.used, key.clone())).collect();
        ages.sort_unstable();
        for (_, key) in ages {
            if state.bytes <= retained {
                break;
            }
            if key != current
                && let Some(entry) = state.entries.remove(&key)
            {
                state.bytes -= entry.bytes;
            }
        }
    }

    /// Locks the state. Nothing panics while the lock is held, so a poisoned lock is still consistent.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Estimated bytes of a model with all the data that queries will add to it.
pub(super) fn bytes_of(model: &Model) -> usize {
    SMALL + model.mesh().triangles().len() * TRIANGLE_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    use extricate_core::geometry::procedural::{Procedural, Torus};
    use extricate_core::geometry::write::write_mesh;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("extricate-library-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn files_with_equal_bytes_share_a_model_and_others_do_not() {
        let folder = folder("shared");
        let mesh = Torus::default().mesh().unwrap();
        let paths = ["a.obj", "b.obj", "c.ply"].map(|name| folder.join(name));
        paths.iter().for_each(|path| write_mesh(&mesh, path).unwrap());
        let library = Library::default();
        let model = |path: &Path, solidity| {
            library.model(&ShapeArgument::parse(path.to_str().unwrap()).unwrap(), solidity).unwrap()
        };
        let [a, b, c] = paths.each_ref().map(|path| model(path, None));
        assert!(Arc::ptr_eq(&a, &b) && !Arc::ptr_eq(&a, &c));
        let surface = model(&paths[0], Some(Solidity::Surface));
        assert_eq!((a.solidity(), surface.solidity()), (Solidity::Solid, Solidity::Surface));
        assert_eq!(library.loads(), 3);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_least_recently_used_entry_is_evicted_and_a_failure_is_cached() {
        let library = Library::new(20 * SMALL);
        let get = |key: &str| library.get(key.to_owned(), || Ok((key.len(), 7 * SMALL))).unwrap();
        for key in ["a", "b", "a", "c"] {
            get(key);
        }
        assert!(library.bytes() <= 20 * SMALL, "{}", library.bytes());
        assert_eq!(library.loads(), 3);
        get("a");
        assert_eq!(library.loads(), 3, "a was used last and is still cached");
        get("b");
        assert_eq!(library.loads(), 4, "b was evicted");
        let mut tries = 0;
        for _ in 0..2 {
            let found = library.get::<()>("bad".to_owned(), || {
                tries += 1;
                Err(Fault::new(Class::BadFile, "bad"))
            });
            assert_eq!(found.unwrap_err().message, "bad");
        }
        assert_eq!(tries, 1);
    }
}
