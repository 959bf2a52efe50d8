//! A procedural mesh: report, write, read, weigh.
//!
//! `cargo run --release --example measure_a_mesh -- FILE.ply`; without a file it writes to the temporary folder.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::path::PathBuf;

use extricate::Shape;
use extricate::geometry::procedural::{Procedural, TorusKnot};
use extricate::geometry::read::read_mesh;
use extricate::geometry::report::MeshReport;
use extricate::geometry::write::write_mesh;

fn main() -> Result<(), Box<dyn Error>> {
    let path =
        std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("knot.ply"), PathBuf::from);
    let knot =
        TorusKnot { p: 2, q: 5, minor_radius: 0.4, tube_radius: 0.12, ..TorusKnot::default() }.mesh()?;
    write_mesh(&knot, &path)?;
    let read = read_mesh(&path)?;
    assert_eq!(read, knot, "every bit survives the file");
    println!("{}\n{}", path.display(), MeshReport::of(&read));
    let steel = 7850.0; // [kg/m³]
    println!("in steel it weighs {:.0} kg", steel * Shape::solid(read)?.mass_properties()?.volume);
    Ok(())
}
