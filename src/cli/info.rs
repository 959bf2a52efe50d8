//! `extricate info`: versions, features and the machine.

use std::collections::BTreeMap;

use serde::Serialize;

use super::terminal::Console;
use super::terminal::Failure;
use extricate_core::geometry::read::EXTENSIONS;

/// What this program is and where it runs.
#[derive(Debug, Serialize)]
struct Info {
    version: &'static str,
    libraries: BTreeMap<&'static str, &'static str>,
    target: String,
    threads: usize,
    features: Vec<&'static str>,
    mesh_formats: MeshFormats,
}

#[derive(Debug, Serialize)]
struct MeshFormats {
    read: [&'static str; 6],
    write: [&'static str; 3],
}

/// Tells versions, features and the machine.
pub(super) fn execute(console: &mut Console) -> Result<(), Failure> {
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
