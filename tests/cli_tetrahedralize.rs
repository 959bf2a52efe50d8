//! `extricate tetrahedralize` as a user meets it: results, files and exit codes.

use std::path::Path;
use std::process::{Command, Output};

use extricate::geometry::tet_mesh::read::read_tets;
use extricate_test_support::ScratchFolder;
use serde_json::Value;

fn run(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_extricate"));
    command.args(arguments.split(' ')).current_dir(folder).output().expect("the program starts")
}

#[test]
fn a_torus_is_filled_and_bad_meshes_and_cells_have_their_exit_codes() {
    let scratch = ScratchFolder::new();
    let folder = scratch.folder();
    assert!(run(folder, "mesh torus -o ring.obj").status.success());
    let output = run(folder, "tetrahedralize ring.obj -o ring.ele --json");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let file = read_tets(folder.join("ring.node")).unwrap();
    assert_eq!(report["quality"]["tets"], file.mesh.tets().len());
    assert!(report["volume_error"].as_f64().unwrap().abs() <= 0.02);
    assert!(report["quality"]["least_dihedral"].as_f64().unwrap() >= 10.0);
    for other in ["ring.vtu --cells 30", "ring.msh --resolution 0.1"] {
        assert!(run(folder, &format!("tetrahedralize ring.obj -o {other}")).status.success(), "{other}");
    }
    std::fs::write(folder.join("open.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    for (arguments, code, wanted) in [
        ("open.obj -o a.ele", 3, "open.obj: the mesh is not closed"),
        ("none.obj -o a.ele", 3, "none.obj"),
        ("ring.obj -o a.ele --resolution -1", 2, ""),
        ("ring.obj -o a.ele --cells 1000000", 2, "too fine"),
        ("ring.obj -o a.stl", 2, "unsupported output format \"stl\""),
    ] {
        let output = run(folder, &format!("tetrahedralize {arguments}"));
        let report = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(code) && report.contains(wanted), "{arguments}: {report}");
    }
    assert!(!folder.join("a.ele").exists());
}
