//! Maximally clear configurations on disk: a small JSON file that knows which mesh it belongs to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nalgebra::Point3;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::geometry::read::file::text_of;
use crate::geometry::triangle_mesh::Solidity;
use crate::proximity::clear_place::{ClearConfigurations, ClearPlace, PLACES, RESOLUTIONS};
use crate::proximity::model::Model;

/// What the first field of every such file holds.
const FORMAT: &str = "extricate clear configurations";
/// Longest file [bytes]: a thousand times what one has.
const FILE_BYTES: u64 = 16 << 20;
/// Version of the file's form and of how its places are found.
const VERSION: u32 = 1;

/// Why a file of clear configurations could not be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClearConfigurationsError {
    /// The file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is none of this format, or it is truncated or damaged.
    #[error("{path} is no file of clear configurations: {why}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Another version wrote the file.
    #[error("{path} has version {found} of the format, not {VERSION}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file belongs to another mesh, or to this one with another solidity.
    #[error("{path} belongs to another mesh: its hash is {found}, that of this one {expected}")]
    OtherMesh {
        /// The file.
        path: PathBuf,
        /// Hash in the file.
        found: String,
        /// Hash of the model.
        expected: String,
    },
}

/// The file. A place is x, y, z and its clearance [m, body frame].
#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    mesh: String,
    resolution: u32,
    free: Vec<[f64; 4]>,
    flesh: Vec<[f64; 4]>,
}

/// What every version has.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

impl Model {
    /// Hash of the mesh and its solidity, by which a file of clear configurations is known: sixteen hexadecimal
    /// digits, and `s` for a solid.
    #[must_use]
    pub fn clear_configurations_key(&self) -> String {
        let solid = if self.solidity() == Solidity::Solid { "s" } else { "" };
        format!("{:016x}{solid}", self.mesh().fingerprint())
    }

    /// Writes the maximally clear places, which are made if need be, to a file that replaces an older one.
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
    /// [`ClearConfigurationsError::Io`] when the file cannot be written.
    pub fn save_clear_configurations(&self, path: &Path) -> Result<(), ClearConfigurationsError> {
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
            flesh: found.flesh.iter().map(numbers).collect(),
        };
        let text = serde_json::to_string(&file).map_err(io::Error::from);
        // Written beside it and then renamed: a reader never sees a part of it.
        let beside = path.with_extension(format!("{}.part", std::process::id()));
        let written = text.and_then(|text| fs::write(&beside, text)).and_then(|()| fs::rename(&beside, path));
        written.map_err(|source| ClearConfigurationsError::Io { path: path.to_owned(), source })
    }

    /// Takes the maximally clear places from a file that [`Model::save_clear_configurations`] has written for the
    /// same mesh. What was there before stays on an error.
    ///
    /// # Errors
    /// [`ClearConfigurationsError`] when the file cannot be read, is truncated, or belongs to another mesh, format or
    /// version.
    pub fn load_clear_configurations(&mut self, path: &Path) -> Result<(), ClearConfigurationsError> {
        let source = |source| ClearConfigurationsError::Io { path: path.to_owned(), source };
        let text = text_of(path, FILE_BYTES).map_err(source)?;
        self.parse_clear_configurations(&text, path)
    }

    /// The same from the content of a file that has been read already; the path stands in the errors.
    ///
    /// # Errors
    /// As [`Model::load_clear_configurations`].
    pub fn parse_clear_configurations(
        &mut self,
        text: &str,
        path: &Path,
    ) -> Result<(), ClearConfigurationsError> {
        let loaded = parse(text, path, &self.clear_configurations_key())?;
        self.clear_configurations = loaded.into();
        Ok(())
    }
}

fn parse(text: &str, path: &Path, mesh: &str) -> Result<ClearConfigurations, ClearConfigurationsError> {
    let malformed = |why: String| ClearConfigurationsError::Malformed { path: path.to_owned(), why };
    let head: Head = serde_json::from_str(text).map_err(|error| malformed(error.to_string()))?;
    if head.format != FORMAT {
        return Err(malformed(format!("its format is `{}`", head.format)));
    }
    if head.version != VERSION {
        return Err(ClearConfigurationsError::Version { path: path.to_owned(), found: head.version });
    }
    let file: File = serde_json::from_str(text).map_err(|error| malformed(error.to_string()))?;
    if file.mesh != mesh {
        let (found, expected) = (file.mesh, mesh.to_owned());
        return Err(ClearConfigurationsError::OtherMesh { path: path.to_owned(), found, expected });
    }
    let lists = [&file.free, &file.flesh];
    let is_place = |place: &[f64; 4]| place.iter().all(|x| x.is_finite()) && place[3] >= 0.0;
    if !RESOLUTIONS.contains(&file.resolution)
        || lists.iter().any(|list| list.len() > PLACES || !list.iter().all(is_place))
    {
        return Err(malformed("its numbers are out of range".to_owned()));
    }
    let places = |list: &[[f64; 4]]| {
        let place = |&[x, y, z, clearance]: &[f64; 4]| ClearPlace { point: Point3::new(x, y, z), clearance };
        list.iter().map(place).collect()
    };
    Ok(ClearConfigurations {
        resolution: file.resolution,
        free: places(&file.free),
        flesh: places(&file.flesh),
    })
}
