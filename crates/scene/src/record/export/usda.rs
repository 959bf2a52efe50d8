//! A state as text for USD: z up, in metres.
//!
//! Every mesh is a class, which bodies reference with a translation and a rotation of their own. The name of a body is in its attribute
//! `extricate:name`: names of prims are letters, digits and `_`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use nalgebra::Point3;

use super::subject::{Body, Subject};
use crate::record::bundle::whole;
use crate::record::error::RecordError;
use crate::record::source::StateSource;
use crate::state::WorldState;

/// Writes a state and returns the number of states, one.
pub(super) fn write(
    recording: &dyn StateSource,
    (subject, index): (&Subject, usize),
    path: &Path,
) -> Result<usize, RecordError> {
    let state = recording.state(index)?;
    let mut text = format!(
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = {}\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\n\n",
        quoted(&format!("{}, step {}, time {} s", recording.scene().title, state.step, state.time))
    );
    for (index, mesh) in subject.meshes.iter().enumerate() {
        let _ = writeln!(text, "class Mesh \"mesh_{index}\"\n{{");
        put_mesh(&mut text, "    ", mesh.vertices(), mesh.triangles());
        text.push_str("}\n\n");
    }
    text.push_str("def Xform \"World\"\n{\n");
    let mut names = Names::default();
    for (index, body) in subject.bodies.iter().enumerate() {
        put_body(&mut text, body, &names.unique(&body.name), (&state, index));
    }
    for (body, soft) in subject.soft.iter().zip(&state.soft) {
        let name = names.unique(&body.name);
        let _ = writeln!(text, "    def Mesh \"{name}\"\n    {{");
        put_mesh(&mut text, "        ", &body.points(soft), &body.triangles);
        put_look(&mut text, &body.name, body.color);
        text.push_str("    }\n");
    }
    text.push_str("}\n");
    whole(path, text.as_bytes())?;
    Ok(1)
}

fn put_body(text: &mut String, body: &Body, name: &str, (state, index): (&WorldState, usize)) {
    let _ = match body.mesh {
        Some(mesh) => {
            writeln!(
                text,
                "    def Mesh \"{name}\" (\n        prepend references = </mesh_{mesh}>\n    )\n    {{"
            )
        }
        None => writeln!(text, "    def Xform \"{name}\"\n    {{"),
    };
    let pose = state.pose(index);
    let ([x, y, z], rotation) = (<[f64; 3]>::from(pose.translation.vector), pose.rotation);
    let (w, i, j, k) = (rotation.w, rotation.i, rotation.j, rotation.k);
    let _ = writeln!(text, "        double3 xformOp:translate = ({x}, {y}, {z})");
    let _ = writeln!(text, "        quatd xformOp:orient = ({w}, {i}, {j}, {k})");
    text.push_str("        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n");
    put_look(text, &body.name, body.color);
    text.push_str("    }\n");
}

fn put_look(text: &mut String, name: &str, [r, g, b]: [f64; 3]) {
    let _ = writeln!(text, "        color3f[] primvars:displayColor = [({r}, {g}, {b})]");
    let _ = writeln!(text, "        custom string extricate:name = {}", quoted(name));
}

fn put_mesh(text: &mut String, indent: &str, points: &[Point3<f64>], triangles: &[[u32; 3]]) {
    let counts = vec!["3"; triangles.len()].join(", ");
    let corners: Vec<String> = triangles.as_flattened().iter().map(u32::to_string).collect();
    let points: Vec<String> = points.iter().map(|p| format!("({}, {}, {})", p.x, p.y, p.z)).collect();
    let (corners, points) = (corners.join(", "), points.join(", "));
    let _ = writeln!(text, "{indent}int[] faceVertexCounts = [{counts}]");
    let _ = writeln!(text, "{indent}int[] faceVertexIndices = [{corners}]");
    let _ = writeln!(text, "{indent}point3f[] points = [{points}]");
    let _ = writeln!(text, "{indent}uniform token subdivisionScheme = \"none\"");
}

fn quoted(text: &str) -> String {
    let escaped: String = (text.chars().filter(|c| !c.is_control()))
        .flat_map(|c| (c == '"' || c == '\\').then_some('\\').into_iter().chain([c]))
        .collect();
    format!("\"{escaped}\"")
}

/// Names of prims so far.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// A name of letters, digits and `_` that is not in use.
    fn unique(&mut self, name: &str) -> String {
        let mut base: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
            base.insert(0, '_');
        }
        let mut unique = base.clone();
        let mut number = 2;
        while !self.0.insert(unique.clone()) {
            unique = format!("{base}_{number}");
            number += 1;
        }
        unique
    }
}
