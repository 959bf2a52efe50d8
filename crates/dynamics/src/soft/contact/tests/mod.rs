//! Contact against finite differences, brute force and closed forms.

mod active_set;
mod derivatives;
mod detection;
mod easing;
mod fields;
mod firmness;
mod following;
mod motion;
mod self_contact;
mod shapes;

use extricate_test_support::Noise;
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

/// Adds noise of the given size.
fn shaken(x: &[Vector3<f64>], size: f64, seed: u64) -> Vec<Vector3<f64>> {
    let mut noise = Noise(seed);
    x.iter().map(|p| p + size * noise.signed_vector()).collect()
}
