//! Robots and obstacles of the project's own: URDF files of boxes and small convex meshes, OBJ files of convex pieces.
//!
//! ```text
//! cargo run --release --example robots -- assets
//! ```
//!
//! Writes `robots/*.urdf` and `meshes/*.obj` under the folder given. Every piece of an obstacle is a closed convex
//! component of its own, so that unions of them are recognised as such.

mod figure;
mod hand;
mod machines;
mod obstacles;
mod solids;
mod urdf;

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "assets".to_owned());
    let [robots, meshes] = ["robots", "meshes"].map(|name| Path::new(&folder).join(name));
    std::fs::create_dir_all(&robots)?;
    std::fs::create_dir_all(&meshes)?;
    for (name, text) in [
        ("figure", figure::urdf()),
        ("hand", hand::urdf()),
        ("arm_on_base", machines::arm_on_base()),
        ("crawler", machines::crawler()),
        ("three_link", machines::three_link()),
        ("two_link", machines::two_link()),
    ] {
        std::fs::write(robots.join(format!("{name}.urdf")), text)?;
    }
    for (name, pieces) in obstacles::all() {
        std::fs::write(meshes.join(format!("{name}.obj")), solids::obj(&pieces))?;
    }
    Ok(())
}
