//! Time of a search and of an evaluation of soft contact on TetGen meshes given by their path without extension.
//!
//! `cargo run --release --example soft_contact_times -- MESH…`; each mesh alone, then deformed, then two of it overlapping.

#![expect(clippy::print_stdout, reason = "a program that prints what it measures")]

use std::time::Instant;

use extricate::dynamics::soft::contact::{ContactOptions, SoftContact, node_depths};
use extricate::dynamics::soft::interaction::{Interaction, OuterProducts};
use extricate::geometry::TetMesh;
use extricate::geometry::tet_mesh::TET_EDGES;
use nalgebra::{Point3, Vector3};

/// Rows of numbers of a TetGen file, without the counts and the indices.
fn rows(path: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).expect("a mesh file");
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let numbers =
        lines.map(|line| line.split_whitespace().map(|word| word.parse().expect("a number")).collect());
    numbers.filter(|row: &Vec<f64>| !row.is_empty()).skip(1).map(|row| row[1..].to_vec()).collect()
}

fn mesh(path: &str) -> TetMesh {
    let nodes = rows(&format!("{path}.node")).iter().map(|row| Point3::new(row[0], row[1], row[2])).collect();
    let tets =
        rows(&format!("{path}.ele")).iter().map(|row| [0, 1, 2, 3].map(|i: usize| row[i] as u32)).collect();
    TetMesh::new(nodes, tets).expect("a sound mesh")
}

fn longest_edge(mesh: &TetMesh) -> f64 {
    let nodes = mesh.nodes();
    let edges = mesh.tets().iter().flat_map(|tet| TET_EDGES.map(|[i, j]| [tet[i], tet[j]]));
    edges.map(|[a, b]| (nodes[a as usize] - nodes[b as usize]).norm()).fold(0.0, f64::max)
}

/// Median of `f`'s microseconds over some runs; `f` gets the number of the run.
fn median(mut f: impl FnMut(usize)) -> f64 {
    let mut times: Vec<f64> = (0..15)
        .map(|run| {
            let start = Instant::now();
            f(run);
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Steps of a motion.
const FOLLOWED: u32 = 24;

fn measure(name: &str, contact: &mut SoftContact, x: &[Vector3<f64>], margin: f64) {
    let mut gradient = vec![Vector3::zeros(); x.len()];
    let mut hessian = OuterProducts::default();
    let again = median(|_| {
        hessian.clear();
        contact.linearise(x, &mut gradient, &mut hessian);
    });
    // Everything stretched, there and back, so far that nothing found before holds.
    let search = median(|run| {
        let there: Vec<_> = x.iter().map(|p| p * if run % 2 == 0 { 1.1 } else { 1.0 }).collect();
        contact.energy(&there);
    });
    // Stretched little by little, each time by about the margin at the farthest node.
    let reach = x.iter().map(|p| p.norm()).fold(0.0, f64::max);
    let start = Instant::now();
    for step in 1..=FOLLOWED {
        let factor = 1.0 + f64::from(step) * 1.5 * margin / reach;
        contact.energy(&x.iter().map(|p| p * factor).collect::<Vec<_>>());
    }
    let followed = start.elapsed().as_secs_f64() * 1e6 / f64::from(FOLLOWED);
    println!(
        "{name}: search {search:.0} µs, followed by margins {followed:.0} µs, evaluation {again:.0} µs, {} contacts",
        contact.contacts(x).len()
    );
}

fn main() {
    for path in std::env::args().skip(1) {
        let mesh = mesh(&path);
        let name = path.rsplit('/').next().unwrap_or_default();
        let start = Instant::now();
        let depths = node_depths(&mesh);
        let sampled = start.elapsed();
        let mut one = SoftContact::new(ContactOptions::default()).expect("sound options");
        one.add_body(&mesh, 0, &depths).expect("sound depths");
        println!(
            "{name}: {} tets, depths {sampled:?}, set up {:?}",
            mesh.tets().len(),
            start.elapsed() - sampled
        );
        // The default one: a twentieth of the longest edge.
        let margin = 0.05 * longest_edge(&mesh);
        let x: Vec<_> = mesh.nodes().iter().map(|p| p.coords).collect();
        measure(name, &mut one, &x, margin);
        let twisted: Vec<_> =
            x.iter().map(|p| Vector3::new(p.x, p.y + 0.05 * (3.0 * p.x).sin(), p.z)).collect();
        measure(&format!("{name} bent"), &mut one, &twisted, margin);
        let mut two = one.clone();
        two.add_body(&mesh, u32::try_from(x.len()).expect("a small mesh"), &depths).expect("sound depths");
        let extents = mesh.aabb().extents();
        let aside = Vector3::new(0.013, 0.9 * extents.y, 0.017);
        let both: Vec<_> = x.iter().copied().chain(x.iter().map(|p| p + aside)).collect();
        measure(&format!("two of {name}"), &mut two, &both, margin);
    }
}
