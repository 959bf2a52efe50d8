//! Writes a small corpus for every reader into `corpus/READER` of the working folder, made from procedural meshes, the shipped
//! robots and scenes, and texts by hand that reach what those do not. It is a target like the others, so that one build
//! makes all; it writes and ends, and tests nothing.

#![no_main]
#![allow(unreachable_code, reason = "the program ends once the seeds are written")]

mod by_hand;
mod scenes;

use std::fs;
use std::path::{Path, PathBuf};

use extricate::bvh::TriangleBvh;
use extricate::field::{DistanceField, FieldOptions};
use extricate::geometry::procedural::{Cuboid, KINDS, Procedural, Torus};
use extricate::geometry::read::read_mesh;
use extricate::geometry::tet_mesh::procedural::block;
use extricate::geometry::tet_mesh::write::write_tets;
use extricate::geometry::write::{Encoding, write_mesh_as};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::proximity::Model;
use extricate::scene::Scene;
use nalgebra::{Point3, Vector3};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Longest shipped file that is taken [bytes].
const SHORT: u64 = 12_000;

libfuzzer_sys::fuzz_target!(
    init: {
        write().expect("the seeds can be written");
        std::process::exit(0);
    },
    |bytes: &[u8]| assert!(bytes.is_empty())
);

fn write() -> Outcome {
    let folder = PathBuf::from("corpus");
    for (reader, _) in extricate_fuzz::READERS {
        fs::create_dir_all(folder.join(reader))?;
    }
    let meshes = [Cuboid::default().mesh()?, Torus { segments: 6, sides: 4, ..Torus::default() }.mesh()?];
    for (index, mesh) in meshes.iter().enumerate() {
        write_meshes(&folder, mesh, index)?;
    }
    let cuboid = &meshes[0];
    TriangleBvh::new(cuboid).save(cuboid, &folder.join("tree/0"))?;
    let options = FieldOptions { resolution: 5, ..FieldOptions::default() };
    DistanceField::of(cuboid, &options)?.save(&folder.join("field/0"))?;
    Model::new(cuboid.clone(), Solidity::Solid).save_clear_configurations(&folder.join("clear/0"))?;
    write_clear(&folder)?;
    write_tetrahedra(&folder)?;
    write_run(&folder)?;
    write_checkpoint(&folder)?;
    copy_shipped(&folder)?;
    by_hand::write(&folder)?;
    Ok(())
}

fn write_meshes(folder: &Path, mesh: &TriangleMesh, index: usize) -> Outcome {
    for (format, encoding) in [
        ("obj", Encoding::Text),
        ("stl", Encoding::Text),
        ("stl", Encoding::Binary),
        ("ply", Encoding::Text),
        ("ply", Encoding::Binary),
    ] {
        let file = std::env::temp_dir().join(format!("extricate-seed-{}.{format}", std::process::id()));
        write_mesh_as(mesh, &file, encoding)?;
        assert!(read_mesh(&file).is_ok(), "{format}");
        fs::copy(&file, folder.join(format!("{format}/{encoding:?}-{index}")))?;
        fs::remove_file(&file)?;
    }
    Ok(())
}

/// Clear configurations whose numbers are out of range.
fn write_clear(folder: &Path) -> Outcome {
    let text = fs::read_to_string(folder.join("clear/0"))?;
    let places = |places: &str| text.replace("\"flesh\":[", &format!("\"flesh\":[{places}"));
    let finer = text.replace("\"resolution\":", "\"resolution\":9");
    let wrong = [finer, places("[0,0,0,-1],"), places(&"[0,0,0,1],".repeat(100))];
    for (number, wrong) in wrong.into_iter().enumerate() {
        assert!(wrong != text, "the file has these fields");
        fs::write(folder.join(format!("clear/wrong-{number}")), wrong)?;
    }
    Ok(())
}

fn write_tetrahedra(folder: &Path) -> Outcome {
    let mesh = block([1, 1, 1], Vector3::repeat(1.0), Point3::origin())?;
    let file = std::env::temp_dir().join(format!("extricate-seed-{}", std::process::id()));
    for extension in ["node", "msh"] {
        write_tets(&mesh, file.with_extension(extension))?;
    }
    let read = |extension| fs::read(file.with_extension(extension));
    let pair = [read("node")?, b"\n----\n".to_vec(), read("ele")?].concat();
    fs::write(folder.join("tetgen/0"), pair)?;
    fs::write(folder.join("gmsh/0"), read("msh")?)?;
    for extension in ["node", "ele", "msh"] {
        fs::remove_file(file.with_extension(extension))?;
    }
    Ok(())
}

fn write_run(folder: &Path) -> Outcome {
    let (run, contents) = extricate_fuzz::folder();
    for (which, content) in contents.iter().enumerate() {
        let texts = [content.as_slice(), b"", b"{}", b"{\"steps\": 99}"];
        for (number, text) in texts.into_iter().enumerate() {
            for missing in 0..4 {
                let first = which + missing * contents.len();
                let seed = [&[first as u8], text].concat();
                fs::write(folder.join(format!("recording/{which}-{number}-{missing}")), seed)?;
            }
        }
    }
    fs::remove_dir_all(run)?;
    Ok(())
}

fn write_checkpoint(folder: &Path) -> Outcome {
    let text = "(title: \"t\", duration: 1, shapes: {\"s\": ball(radius: 1)}, bodies: [(name: \"a\", shape: \"s\")])";
    let mut world = Scene::parse(Path::new("x.ron"), text.to_owned())?.world()?;
    world.step()?;
    fs::write(folder.join("checkpoint/0"), world.checkpoint()?.to_bytes()?)?;
    Ok(())
}

/// Scenes and robots of the repository, and a scene of each procedural kind.
fn copy_shipped(folder: &Path) -> Outcome {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = vec![root.join("scenes"), root.join("assets/robots"), root.join("tests/golden")];
    found.retain(|folder| folder.exists());
    while let Some(path) = found.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path)?.map(|entry| Ok(entry?.path()));
            found.extend(entries.collect::<Outcome<Vec<_>>>()?);
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let readers: &[&str] = match path.extension().unwrap_or_default().to_string_lossy().as_ref() {
            "ron" => &["scene", "world"],
            "urdf" => &["urdf"],
            "jsonl" => &["poses", "manifest"],
            "golden" | "txt" => &["golden"],
            _ => &[],
        };
        if fs::metadata(&path)?.len() <= SHORT {
            for reader in readers {
                fs::copy(&path, folder.join(reader).join(&name))?;
            }
        }
    }
    for kind in KINDS {
        let counts =
            kind.parameters.iter().filter(|parameter| parameter.is_count && parameter.default > 24.0);
        let counts: String = counts.map(|parameter| format!("\"{}\": 24, ", parameter.name)).collect();
        let text = format!(
            "(title: \"t\", duration: 1, shapes: {{\"s\": procedural(kind: \"{}\", parameters: {{{counts}}})}},\n\
             bodies: [(name: \"b\", shape: \"s\", mass: 1)])",
            kind.name
        );
        fs::write(folder.join("world").join(kind.name), text)?;
    }
    Ok(())
}
