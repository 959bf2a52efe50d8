//! Maximally clear configurations on disk: a small JSON file that identifies its mesh by a fingerprint.

use std::io;
use std::path::Path;

use crate::geometry::read::error::FileError;
use crate::geometry::read::file::text_of;
use crate::geometry::triangle_mesh::Solidity;
use crate::geometry::write::write_atomically;
use crate::proximity::clear_place::{ClearConfigurations, ClearPlace, PLACES, RESOLUTIONS};
use crate::proximity::model::Model;
use nalgebra::Point3;
use serde::{Deserialize, Serialize};

/// Value of the `format` field of every such file.
const FORMAT: &str = "extricate clear configurations";
/// Maximum file size [bytes]: about a thousand times the size of a typical file, so that only foreign files exceed it.
const FILE_BYTES: u64 = 16 << 20;
/// Version of the file format and of the algorithm that finds the places.
const VERSION: u32 = 1;

/// Content of a file. A place is x, y, z and its clearance [m, body frame].
#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    mesh: String,
    resolution: u32,
    free: Vec<[f64; 4]>,
    #[serde(rename = "flesh")]
    interior: Vec<[f64; 4]>,
}

/// Fields that are common to all versions.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

impl Model {
    /// Hash of the mesh and its solidity that identifies a file of clear configurations: sixteen hexadecimal digits,
    /// followed by `s` for a solid.
    #[must_use]
    pub fn clear_configurations_key(&self) -> String {
        let solid = if self.solidity() == Solidity::Solid { "s" } else { "" };
        format!("{:016x}{solid}", self.mesh().fingerprint())
    }

    /// Writes the maximally clear places to a file, computing them if necessary; an existing file is replaced.
    ///
    /// ```
    /// use extricate_core::geometry::Solidity;
    /// use extricate_core::geometry::procedural::{Cup, Procedural};
    /// use extricate_core::proximity::Model;
    ///
    /// let path = std::env::temp_dir().join(format!("extricate-doc-{}.json", std::process::id()));
    /// let cup = Model::new(Cup::default().mesh()?, Solidity::Solid);
    /// cup.save_clear_configurations(&path)?;
    /// let mut again = Model::new(Cup::default().mesh()?, Solidity::Solid);
    /// again.load_clear_configurations(&path)?;
    /// assert_eq!(again.clear_configurations(), cup.clear_configurations());
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`FileError::Io`] when the file cannot be written.
    pub fn save_clear_configurations(&self, path: &Path) -> Result<(), FileError> {
        let found = self.clear_configurations();
        let numbers = |place: &ClearPlace| {
            let ClearPlace { point, clearance } = place;
            [point.x, point.y, point.z, *clearance]
        };
        let file = File {
            format: FORMAT.to_owned(),
            version: VERSION,
            mesh: self.clear_configurations_key(),
            resolution: found.resolution,
            free: found.free.iter().map(numbers).collect(),
            interior: found.interior.iter().map(numbers).collect(),
        };
        write_atomically(path, |out| serde_json::to_writer(out, &file).map_err(io::Error::from))
    }

    /// Loads the maximally clear places from a file that [`Model::save_clear_configurations`] has written for the same
    /// mesh. On an error the model is unchanged.
    ///
    /// # Errors
    /// [`FileError`] when the file cannot be read, is truncated, or belongs to another mesh, format or
    /// version.
    pub fn load_clear_configurations(&mut self, path: &Path) -> Result<(), FileError> {
        let text = text_of(path, FILE_BYTES).map_err(FileError::unread(path))?;
        self.parse_clear_configurations(&text, path)
    }

    /// Loads the maximally clear places from the content of a file; `path` is used in error messages only.
    ///
    /// # Errors
    /// As [`Model::load_clear_configurations`].
    pub fn parse_clear_configurations(&mut self, text: &str, path: &Path) -> Result<(), FileError> {
        let loaded = parse(text, path, &self.clear_configurations_key())?;
        self.clear_configurations = loaded.into();
        Ok(())
    }
}

fn parse(text: &str, path: &Path, mesh: &str) -> Result<ClearConfigurations, FileError> {
    let format = "file of clear configurations";
    let malformed = |why: String| FileError::Malformed { path: path.to_owned(), format, why };
    // The header alone first: a file of another version is reported as such, not as malformed.
    let header: Header = serde_json::from_str(text).map_err(|error| malformed(error.to_string()))?;
    if header.format != FORMAT {
        return Err(malformed(format!("its format is `{}`, expected `{FORMAT}`", header.format)));
    }
    if header.version != VERSION {
        let (found, expected) = (header.version, VERSION);
        return Err(FileError::Version { path: path.to_owned(), found, expected });
    }
    let file: File = serde_json::from_str(text).map_err(|error| malformed(error.to_string()))?;
    if file.mesh != mesh {
        let (found, expected) = (file.mesh, mesh.to_owned());
        return Err(FileError::OtherMesh { path: path.to_owned(), found, expected });
    }
    // Checked here once, so that no query meets a place that is NaN or a list without bound.
    let lists = [&file.free, &file.interior];
    let is_place = |place: &[f64; 4]| place.iter().all(|x| x.is_finite()) && place[3] >= 0.0;
    if !RESOLUTIONS.contains(&file.resolution)
        || lists.iter().any(|list| list.len() > PLACES || !list.iter().all(is_place))
    {
        return Err(malformed("its resolution, number of places or coordinates are out of range".to_owned()));
    }
    let places = |list: &[[f64; 4]]| {
        let place = |&[x, y, z, clearance]: &[f64; 4]| ClearPlace { point: Point3::new(x, y, z), clearance };
        list.iter().map(place).collect()
    };
    Ok(ClearConfigurations {
        resolution: file.resolution,
        free: places(&file.free),
        interior: places(&file.interior),
    })
}
