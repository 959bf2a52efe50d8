//! Contact against finite differences, brute force and closed forms.

mod derivatives;
mod detection;
mod fields;
mod held;
mod motion;
mod shapes;

use nalgebra::Vector3;

use super::{ContactOptions, SoftContact, node_depths};
use extricate_core::geometry::TetMesh;

/// The contact of meshes whose blocks follow each other.
fn contact(meshes: &[&TetMesh], options: ContactOptions) -> SoftContact {
    let mut contact = SoftContact::new(options).unwrap();
    let mut first = 0;
    for mesh in meshes {
        contact.add_body(mesh, first, &node_depths(mesh)).unwrap();
        first += u32::try_from(mesh.nodes().len()).unwrap();
    }
    contact
}

/// Numbers in [−1, 1], the same each time.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Adds noise of the given size.
fn shaken(x: &[Vector3<f64>], size: f64, seed: u64) -> Vec<Vector3<f64>> {
    let mut next = noise(seed);
    x.iter().map(|p| p + size * Vector3::new(next(), next(), next())).collect()
}
