//! What items share: meshes, hulls, robots and whatever else is made ready once and asked about many times.
//!
//! A mesh goes by the content of its file, so that two files with equal bytes are one. What is kept is bounded: beyond the
//! bound, what was used longest ago goes first, and comes back by being made again. Answers do not depend on it.

use std::any::Any;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::access::Access;
use super::fault::{Class, Fault};
use super::shape::ShapeArgument;
use crate::record::Hash;
use extricate_core::geometry::Solidity;
use extricate_core::geometry::convex::ConvexShape;
use extricate_core::geometry::limits::FILE_BYTES;
use extricate_core::geometry::read::file;
use extricate_core::penetration::generalized::Shape;
use extricate_core::proximity::Model;

/// Bytes that are kept unless told otherwise.
const BUDGET: usize = 1 << 30;

/// Share of the budget that is kept when it is exceeded, so that making room is rare.
const KEPT_SHARE: f64 = 0.75;

/// Bytes of a triangle with all that queries make on top of its mesh: tree, winding numbers, balls, corners. Measured on
/// the shipped meshes; it is a bound's estimate and changes no answer.
const TRIANGLE_BYTES: usize = 600;

/// Bytes that anything small is counted as, with its key.
pub(super) const SMALL: usize = 4096;

/// Files whose content is remembered; beyond, all are forgotten and looked at again.
const PATHS: usize = 1 << 14;

/// What is made ready, by what it is made of. It may be shared among threads; what one of them makes the others wait for.
#[derive(Debug)]
pub struct Library {
    access: Access,
    /// Folder of trees of large meshes that are kept from one process to the next.
    cache: Option<PathBuf>,
    budget: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    paths: HashMap<PathBuf, Arc<str>>,
    entries: HashMap<String, Entry>,
    /// Counts uses.
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
    /// A library that keeps so many bytes, by its estimate.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        Self { access: Access::default(), cache: None, budget, state: Mutex::default() }
    }

    /// The library with files that may be named beyond those around the file that names them.
    #[must_use]
    pub fn with_access(self, access: &Access) -> Self {
        Self { access: access.clone(), ..self }
    }

    /// The library with a folder in which preprocessed meshes are kept from one process to the next.
    #[must_use]
    pub fn with_cache(self, cache: Option<PathBuf>) -> Self {
        Self { cache, ..self }
    }

    /// Files that may be named.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Folder of what is kept from one process to the next.
    pub(super) fn cache(&self) -> Option<&Path> {
        self.cache.as_deref()
    }

    /// How often something was made; what is shared is made once.
    #[must_use]
    pub fn loads(&self) -> u64 {
        self.state().loads
    }

    /// Bytes that are kept, by estimate.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.state().bytes
    }

    /// A shape with its tree.
    pub(crate) fn model(&self, shape: &ShapeArgument, wish: Option<Solidity>) -> Result<Arc<Model>, Fault> {
        let key = format!("model {wish:?} {}", self.key_of(shape)?);
        self.get(key, || {
            let model = shape.model(wish, &self.access, self.cache())?;
            let bytes = bytes_of(&model);
            Ok((model, bytes))
        })
    }

    /// A convex shape; hulls are shared.
    pub(crate) fn convex(&self, shape: &ShapeArgument) -> Result<ConvexShape, Fault> {
        if shape.file().is_none() {
            return shape.convex(&self.access);
        }
        let key = format!("convex {}", self.key_of(shape)?);
        let found: Arc<ConvexShape> = self.get(key, || Ok((shape.convex(&self.access)?, SMALL)))?;
        Ok((*found).clone())
    }

    /// A mesh for searches with turns: its convex parts, if it is a union of such.
    pub(crate) fn shape(&self, shape: &ShapeArgument, wish: Option<Solidity>) -> Result<Shape, Fault> {
        let key = format!("shape {wish:?} {}", self.key_of(shape)?);
        let found: Arc<Shape> = self.get(key, || {
            let model = self.model(shape, wish)?;
            let bytes = bytes_of(&model);
            Ok((Shape::of_model(model), bytes))
        })?;
        Ok((*found).clone())
    }

    /// What a shape goes by: its form, and the content of its file.
    pub(crate) fn key_of(&self, shape: &ShapeArgument) -> Result<String, Fault> {
        let file = shape.file().map(|path| self.content_of(path)).transpose()?;
        Ok(format!("{} {}", shape.text_before_file(), file.as_deref().unwrap_or_default()))
    }

    /// What the content of a mesh file goes by: its format, length and hash. A glTF file goes by its folder as well, for it
    /// names other files there.
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

    /// What goes by the key; `make` makes it, with its bytes, where it is not there. A failure is remembered, too.
    pub(super) fn get<T: Any + Send + Sync>(
        &self,
        key: String,
        make: impl FnOnce() -> Result<(T, usize), Fault>,
    ) -> Result<Arc<T>, Fault> {
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

    /// Counts the bytes of what was made.
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

    /// Drops what was used longest ago, but not what is being used now.
    fn make_room(&self, state: &mut State, current: &str) {
        if state.bytes <= self.budget {
            return;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a count of bytes"
        )]
        let kept = (self.budget as f64 * KEPT_SHARE) as usize;
        let mut ages: Vec<(u64, String)> =
            state.entries.iter().map(|(key, entry)| (entry.used, key.clone())).collect();
        ages.sort_unstable();
        for (_, key) in ages {
            if state.bytes <= kept {
                break;
            }
            if key != current
                && let Some(entry) = state.entries.remove(&key)
            {
                state.bytes -= entry.bytes;
            }
        }
    }

    /// Nothing that can panic is done while the lock is held.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of a model with all that queries will make on top of it.
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
    fn files_with_equal_bytes_are_one_model_and_others_are_not() {
        let folder = folder("shared");
        let mesh = Torus::default().mesh().unwrap();
        let paths = ["a.obj", "b.obj", "c.ply"].map(|name| folder.join(name));
        paths.iter().for_each(|path| write_mesh(&mesh, path).unwrap());
        let library = Library::default();
        let model = |path: &Path, wish| {
            library.model(&ShapeArgument::parse(path.to_str().unwrap()).unwrap(), wish).unwrap()
        };
        let [a, b, c] = paths.each_ref().map(|path| model(path, None));
        assert!(Arc::ptr_eq(&a, &b) && !Arc::ptr_eq(&a, &c));
        let surface = model(&paths[0], Some(Solidity::Surface));
        assert_eq!((a.solidity(), surface.solidity()), (Solidity::Solid, Solidity::Surface));
        assert_eq!(library.loads(), 3);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_was_used_longest_ago_makes_room_and_a_failure_is_remembered() {
        let library = Library::new(20 * SMALL);
        let get = |key: &str| library.get(key.to_owned(), || Ok((key.len(), 7 * SMALL))).unwrap();
        for key in ["a", "b", "a", "c"] {
            get(key);
        }
        assert!(library.bytes() <= 20 * SMALL, "{}", library.bytes());
        assert_eq!(library.loads(), 3);
        get("a");
        assert_eq!(library.loads(), 3, "a was used last and is still there");
        get("b");
        assert_eq!(library.loads(), 4, "b was used longest ago");
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
