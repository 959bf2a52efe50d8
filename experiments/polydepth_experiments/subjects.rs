//! The meshes of the experiments: procedural ones of the kind and size of the paper's, and scans where there are any.

use std::error::Error;
use std::path::{Path, PathBuf};

use extricate::geometry::Solidity;
use extricate::geometry::procedural::{
    Blob, DistortedTorus, Figurine, GolfClub, Grate, Procedural, Torus, TorusKnot,
};
use extricate::geometry::read::read_mesh;
use extricate::geometry::report::MeshReport;
use extricate::proximity::Model;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Amount of work, and its inputs.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    /// Folder with `soup/` and `exact/`, if there is one.
    pub(crate) data: Option<PathBuf>,
    /// Random configurations of each mesh.
    pub(crate) poses: usize,
    /// Frames of each path.
    pub(crate) frames: usize,
    /// Length of each simulation [s].
    pub(crate) seconds: f64,
    /// Times each query is repeated; the minimum time counts.
    pub(crate) repeats: usize,
    /// Folder of the pictures, if any.
    pub(crate) pictures: Option<PathBuf>,
    /// Leaves out meshes of more triangles.
    pub(crate) max_triangles: usize,
}

impl Setting {
    /// The mesh of that name among the data, if it is there and not too large.
    pub(crate) fn scan(&self, name: &str) -> Result<Option<Subject>> {
        let Some(data) = &self.data else { return Ok(None) };
        let path = data.join(format!("soup/meshes/{name}.obj"));
        let subject = if path.exists() { Some(Subject::load(&path)?) } else { None };
        Ok(subject.filter(|subject| subject.triangles() <= self.max_triangles))
    }

    /// Of the subjects those that are not too large.
    pub(crate) fn chosen(&self, subjects: Vec<Subject>) -> impl Iterator<Item = Subject> + use<> {
        let most = self.max_triangles;
        subjects.into_iter().filter(move |subject| subject.triangles() <= most)
    }
}

/// A mesh ready for queries, with its name.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) model: Model,
}

impl Subject {
    pub(crate) fn of(name: &str, shape: &impl Procedural) -> Result<Self> {
        Ok(Self { name: name.to_owned(), model: Model::new(shape.mesh()?, Solidity::Solid) })
    }

    /// A mesh from a file: solid where it is closed, else a surface.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let mesh = read_mesh(path)?;
        let solidity = MeshReport::of(&mesh).solidity();
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("a file name")?;
        Ok(Self { name: format!("`{name}`"), model: Model::new(mesh, solidity) })
    }

    pub(crate) fn triangles(&self) -> usize {
        self.model.mesh().triangles().len()
    }
}

/// The torus knot of 3k triangles.
pub(crate) fn torus_knot() -> Result<Subject> {
    Subject::of("torus knot", &TorusKnot { segments: 150, ..TorusKnot::default() })
}

/// The torus of 2k triangles.
pub(crate) fn torus() -> Result<Subject> {
    Subject::of("torus", &Torus { segments: 50, sides: 20, ..Torus::default() })
}

/// The distorted torus of 1.3k triangles.
pub(crate) fn distorted_torus() -> Result<Subject> {
    Subject::of("distorted torus", &DistortedTorus { segments: 37, ..DistortedTorus::default() })
}

/// The grates of 0.5k and 0.9k triangles.
pub(crate) fn grates() -> Result<[Subject; 2]> {
    let bars = |bars| Grate { bars, bar: 0.7 / f64::from(bars), ..Grate::default() };
    Ok([Subject::of("grate of 16 bars", &bars(16))?, Subject::of("grate of 33 bars", &bars(33))?])
}

/// A statuette like a scan, 20 n² triangles.
pub(crate) fn figurine(frequency: u32) -> Result<Subject> {
    Subject::of("figurine", &Figurine { frequency, ..Figurine::default() })
}

/// A boulder like a scan, 20 n² triangles.
pub(crate) fn blob(frequency: u32) -> Result<Subject> {
    Subject::of("blob", &Blob { frequency, ..Blob::default() })
}

/// A golf club of 2 · segments · sides triangles.
pub(crate) fn golf_club(segments: u32, sides: u32) -> Result<Subject> {
    Subject::of("golf club", &GolfClub { segments, sides, ..GolfClub::default() })
}
