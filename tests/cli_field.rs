//! `extricate field` as a user meets it: results, files and exit codes.

use std::path::Path;
use std::process::{Command, Output};

use extricate::field::DistanceField;
use extricate_test_support::ScratchFolder;
use serde_json::Value;

fn run(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_extricate"));
    command.args(arguments.split(' ')).current_dir(folder).output().expect("the program starts")
}

#[test]
fn a_torus_has_its_field_in_every_form_and_bad_input_has_its_exit_code() {
    let scratch = ScratchFolder::new();
    let folder = scratch.folder();
    assert!(run(folder, "mesh torus --minor-radius 0.3 -o ring.obj").status.success());
    let output = run(
        folder,
        "field ring.obj -o ring.field -o ring.vti -o ring.svg --resolution 40 --slice x=0.1 --json",
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let field = DistanceField::load(&folder.join("ring.field")).unwrap();
    assert_eq!(report["counts"][0], 40);
    assert_eq!((&report["known"], &report["nodes"]), (&field.known().into(), &field.grid().len().into()));
    assert_eq!(report["inside"], field.values().filter(|value| *value < 0.0).count());
    // The tube is 0.3 m thick, and nodes are within a cell of its middle.
    let (min, spacing) = (report["least"].as_f64().unwrap(), report["spacing"].as_f64().unwrap());
    assert!(min < -0.3 + spacing && min > -0.3, "{min}");
    assert!(report["greatest"].as_f64().unwrap() > 0.3);
    let svg = std::fs::read_to_string(folder.join("ring.svg")).unwrap();
    assert!(svg.contains("<svg") && svg.contains("x = 0.1000 m"));
    assert!(std::fs::read_to_string(folder.join("ring.vti")).unwrap().contains("ImageData"));
    let part =
        run(folder, "field ring.obj -o part.field --spacing 0.1 --side inside --band 0.1 --order first");
    assert!(part.status.success() && String::from_utf8_lossy(&part.stdout).contains("1.0000e-1 m apart"));
    let part = DistanceField::load(&folder.join("part.field")).unwrap();
    assert!(part.known() < part.grid().len());
    std::fs::write(folder.join("open.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    for (arguments, code, wanted) in [
        ("open.obj -o a.field", 3, "open.obj: the mesh is not closed"),
        ("none.obj -o a.field", 3, "none.obj"),
        ("ring.obj -o a.field --resolution 1", 2, "at least 2 nodes"),
        ("ring.obj -o a.field --resolution 1000000", 2, "GiB"),
        ("ring.obj -o a.field --spacing 0", 2, "spacing"),
        ("ring.obj -o a.field --exact 0.5", 2, "at least 1 cell"),
        ("ring.obj -o a.stl", 2, "a field is written as"),
        ("ring.obj -o a.field --slice z=0", 2, "--slice needs"),
        ("ring.obj -o a.svg --slice w=0", 2, "such as z=0.25"),
        ("ring.obj -o a.svg --slice z=9", 2, "misses the grid"),
        ("ring.obj -o missing/a.field", 2, "missing"),
        ("ring.obj", 2, "--output"),
    ] {
        let output = run(folder, &format!("field {arguments}"));
        let report = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(code) && report.contains(wanted), "{arguments}: {report}");
    }
    assert!(!folder.join("a.field").exists() && !folder.join("a.svg").exists());
}
