//! The files that a scene names: resolution of their paths, and the limit on their total size.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::error::Fault;
use super::limits::ELEMENTS;
use extricate_core::geometry::TriangleMesh;
use extricate_core::geometry::read::{Correction, FileScope, read_mesh_corrected};

/// Resolves the files of a scene and counts the elements of its meshes.
#[derive(Debug)]
pub(super) struct Files<'a> {
    scene: &'a Path,
    scope: &'a FileScope,
    elements: AtomicUsize,
    corrections: Mutex<Vec<Correction>>,
}

impl<'a> Files<'a> {
    /// The files that `scene` may name.
    pub(super) fn of(scene: &'a Path, scope: &'a FileScope) -> Self {
        Self { scene, scope, elements: AtomicUsize::new(0), corrections: Mutex::default() }
    }

    /// Reads the mesh of a file, and collects its corrections.
    pub(super) fn read(&self, path: &Path) -> Result<TriangleMesh, Fault> {
        let read = read_mesh_corrected(path, self.scope);
        let (mesh, corrections) =
            read.map_err(|error| Fault::Mesh { path: path.to_owned(), cause: error.into() })?;
        self.corrections.lock().unwrap_or_else(PoisonError::into_inner).extend(corrections);
        Ok(mesh)
    }

    /// Corrections of all mesh files, sorted: meshes are read in parallel, and the same file perhaps several times.
    pub(super) fn corrections(self) -> Vec<Correction> {
        let mut corrections = self.corrections.into_inner().unwrap_or_else(PoisonError::into_inner);
        corrections.sort_by(|a, b| (&a.path, a.line, &a.part).cmp(&(&b.path, b.line, &b.part)));
        corrections.dedup();
        corrections
    }

    /// The files that may be named.
    pub(super) fn scope(&self) -> &'a FileScope {
        self.scope
    }

    /// The path of a file or folder that the scene names.
    pub(super) fn find(&self, file: &str) -> Result<PathBuf, Fault> {
        let path = self.scene.parent().unwrap_or(Path::new("")).join(file);
        match self.scope.check(&path, self.scene) {
            Ok(()) => Ok(path),
            Err(error) => Err(Fault::OutsideFileScope { file: file.to_owned(), cause: error }),
        }
    }

    /// Adds the triangles or tetrahedra of a mesh to the total, and refuses it beyond the limit.
    pub(super) fn count(&self, elements: usize) -> Result<(), Fault> {
        let before = self.elements.fetch_add(elements, Ordering::Relaxed);
        if before.saturating_add(elements) > ELEMENTS {
            let message =
                format!("the meshes of the scene have more than {ELEMENTS} triangles and tetrahedra");
            return Err(Fault::TooLarge { message });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_that_fill_the_memory_only_together_are_refused_together() {
        let scope = FileScope::anywhere();
        let files = Files::of(Path::new("s.ron"), &scope);
        for _ in 0..5 {
            assert!(files.count(ELEMENTS / 5).is_ok());
        }
        assert!(files.count(1).is_err_and(|fault| fault.to_string().contains("more than 50000000")));
        assert!(files.count(usize::MAX).is_err());
    }
}
