//! `extricate mesh` and `extricate convert` as a user meets them: results, exit codes, and no output that looks whole.

use std::process::{Command, Output};

use extricate_test_support::ScratchFolder;
use serde_json::Value;

struct Folder(ScratchFolder);

impl Folder {
    fn new() -> Self {
        Self(ScratchFolder::new())
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_extricate"));
        command.args(arguments.split(' ')).current_dir(self.0.folder()).output().expect("the program starts")
    }

    fn json(&self, arguments: &str) -> Value {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("one JSON object")
    }
}

#[test]
fn a_mesh_is_made_and_goes_through_every_format_unchanged() {
    let folder = Folder::new();
    let made = folder.json("mesh cup --segments 40 --scale 2 -o a.obj --json");
    assert_eq!((&made["kind"], &made["genus"], &made["solid"]), (&"cup".into(), &1.into(), &true.into()));
    for step in [
        "convert a.obj b.ply",
        "convert b.ply c.ply --text",
        "convert c.ply d.stl --text",
        "convert d.stl e.obj",
    ] {
        let converted = folder.json(&format!("{step} --json"));
        for field in ["triangles", "volume", "area", "inertia", "genus"] {
            assert_eq!(converted[field], made[field], "{step}: {field}");
        }
    }
    let scaled = folder.json("convert e.obj f.obj --scale 0.5 --reverse --json");
    let [whole, part] = [&made, &scaled].map(|report| report["volume"].as_f64().unwrap());
    assert!(scaled["inside_out"] == true && (part + whole / 8.0).abs() < 1e-12 * whole, "{part} of {whole}");
}

#[test]
fn without_json_a_person_can_read_what_the_mesh_is() {
    let folder = Folder::new();
    let output = folder.run("mesh torus -o a.obj");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("solid: 1152 triangles") && text.contains("genus 1"), "{text}");
}

#[test]
fn an_error_is_reported_with_its_exit_code_and_leaves_no_file() {
    let folder = Folder::new();
    folder.0.write("cut.obj", "v 0 0 0\nv 1 0");
    folder.0.write("empty.stl", "");
    for (arguments, code, expected) in [
        ("mesh tortus -o a.obj", 2, "tortus"),
        ("mesh torus", 2, "--output"),
        ("mesh torus --minor-radius 2 -o a.obj", 2, "must be more than the minor radius"),
        ("mesh torus --sides 2.5 -o a.obj", 2, "whole number"),
        ("mesh torus -o a.xyz", 2, "unsupported output format \"xyz\""),
        ("mesh torus -o none/a.obj", 2, "none/a.obj: cannot be written"),
        ("convert cut.obj a.obj", 3, "cut.obj:2: the vertex has no z"),
        ("convert empty.stl a.obj", 3, "empty.stl: 0 bytes are too few"),
        ("convert none.obj a.obj", 3, "none.obj: cannot be read"),
        ("convert cut.obj a.obj --scale 0", 2, "must be a positive and finite number"),
    ] {
        let output = folder.run(arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {message}");
        assert!(message.contains(expected) && output.stdout.is_empty(), "{arguments}: {message}");
        assert!(!folder.0.exists("a.obj"), "{arguments}");
    }
}
