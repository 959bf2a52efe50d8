//! `extricate info`: versions, features and the machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::schemas;
use super::terminal::{Console, Exit, Failure};
use extricate_core::geometry::read::EXTENSIONS;
use extricate_scene::json_schema::{of, titled};

/// InfoArguments of `info`.
#[derive(Debug, Args)]
pub(super) struct InfoArguments {
    /// Only write the JSON schemas of answers and results to DIR.
    #[arg(long, value_name = "DIR")]
    schemas: Option<PathBuf>,
}

/// Facts about the program and the machine.
#[derive(Debug, Serialize, JsonSchema)]
struct Info {
    /// Version of the program.
    version: &'static str,
    /// Versions of the libraries that results depend on.
    libraries: BTreeMap<&'static str, &'static str>,
    /// Processor and system.
    target: String,
    /// Number of threads.
    #[schemars(range(min = 1))]
    threads: usize,
    /// Optional parts of the program.
    features: Vec<&'static str>,
    /// Formats of mesh files.
    mesh_formats: MeshFormats,
}

#[derive(Debug, Serialize, JsonSchema)]
struct MeshFormats {
    /// Extensions of the files that are read.
    read: &'static [&'static str],
    /// Extensions of the files that are written.
    #[schemars(with = "Vec<String>")]
    write: [&'static str; 3],
}

/// Prints versions, features and the machine.
pub(super) fn execute(console: &mut Console, arguments: &InfoArguments) -> Result<(), Failure> {
    if let Some(folder) = &arguments.schemas {
        return write_schemas(folder);
    }
    let info = Info {
        version: env!("CARGO_PKG_VERSION"),
        libraries: BTreeMap::from([("rapier3d-f64", rapier3d::VERSION)]),
        target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        threads: rayon::current_num_threads(),
        features: Vec::new(),
        mesh_formats: MeshFormats { read: EXTENSIONS, write: ["obj", "ply", "stl"] },
    };
    if console.json() {
        return console.json_line(&info);
    }
    console.line(format_args!("extricate {}", info.version))?;
    for (name, version) in &info.libraries {
        console.line(format_args!("{name} {version}"))?;
    }
    console.line(format_args!("target {}, {} threads", info.target, info.threads))?;
    console.line(format_args!(
        "meshes: reads {}; writes {}",
        info.mesh_formats.read.join(", "),
        info.mesh_formats.write.join(", ")
    ))
}

/// Writes the schemas derived from the types of answers, a file each.
fn write_schemas(folder: &Path) -> Result<(), Failure> {
    let failed =
        |path: &Path, error| Failure::new(Exit::Usage, format!("cannot write {}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let own = ("info", titled("`info --json`", of::<Info>()));
    for (name, schema) in schemas::all().into_iter().chain([own]) {
        let path = folder.join(format!("{name}.schema.json"));
        fs::write(&path, format!("{schema:#}\n")).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}
