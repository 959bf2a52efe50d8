//! Bodies of a run with their surfaces, each mesh once.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use super::surface::shared_surface;
use crate::state::SoftState;
use extricate_core::geometry::{Aabb, ShapeError, TriangleMesh};
use extricate_dynamics::{BodyKind, World};

/// Bodies of a run with their surfaces.
#[derive(Debug)]
pub struct Subject {
    /// Surfaces, each once.
    pub meshes: Vec<Arc<TriangleMesh>>,
    /// Rigid bodies in the order of the states, sorted by name.
    pub bodies: Vec<Body>,
    /// Soft bodies in the order of the states, sorted by name.
    pub soft: Vec<SoftBody>,
    /// Median radius of the rigid bodies with a surface \[m\]; one where there is none.
    pub size: f64,
    /// Content of the run that the file does not hold.
    pub left_out: Vec<String>,
}

/// A rigid body.
#[derive(Debug)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Index of its mesh; none of a half-space.
    pub mesh: Option<usize>,
    /// Red, green and blue, in the colour space sRGB.
    pub color: [f64; 3],
}

/// A soft body.
#[derive(Debug)]
pub struct SoftBody {
    /// Its name.
    pub name: String,
    /// Indices of the nodes on its surface.
    pub nodes: Vec<u32>,
    /// Its surface, indices into `nodes`.
    pub triangles: Vec<[u32; 3]>,
    /// Red, green and blue, in the colour space sRGB.
    pub color: [f64; 3],
}

/// Colour of fixed bodies.
const FIXED: [f64; 3] = [0.6, 0.6, 0.62];

/// Colours of the others in turn: those of Okabe and Ito, which people with any colour vision distinguish.
const COLORS: [[f64; 3]; 6] = [
    [0.0, 0.447, 0.698],
    [0.902, 0.624, 0.0],
    [0.0, 0.62, 0.451],
    [0.8, 0.475, 0.655],
    [0.337, 0.706, 0.914],
    [0.835, 0.369, 0.0],
];

impl Subject {
    /// The bodies of a world.
    ///
    /// # Errors
    /// [`ShapeError`] when a shape has no surface of triangles.
    pub fn of(world: &World) -> Result<Self, ShapeError> {
        let mut shapes = Vec::new();
        let mut meshes: Vec<Arc<TriangleMesh>> = Vec::new();
        let (mut bodies, mut left_out) = (Vec::new(), Vec::new());
        for (index, body) in world.descriptions().iter().enumerate() {
            let mesh = shared_surface(&body.shape, &mut shapes)?.map(|mesh| {
                let known = meshes.iter().position(|other| Arc::ptr_eq(other, &mesh));
                known.unwrap_or_else(|| {
                    meshes.push(mesh);
                    meshes.len() - 1
                })
            });
            if mesh.is_none() {
                left_out.push(format!("the half-space of {}, which has no surface", body.name));
            }
            let color = if body.kind == BodyKind::Fixed { FIXED } else { COLORS[index % COLORS.len()] };
            bodies.push(Body { name: body.name.clone(), mesh, color });
        }
        let soft = world.soft_descriptions().iter().enumerate().map(|(index, body)| {
            let boundary = body.mesh.boundary();
            let mut place = vec![0; body.mesh.nodes().len()];
            for (index, &node) in (0_u32..).zip(&boundary.nodes) {
                place[node as usize] = index;
            }
            let triangles = boundary.faces.iter().map(|face| face.map(|node| place[node as usize])).collect();
            let color = COLORS[(index + 1) % COLORS.len()];
            SoftBody { name: body.name.clone(), nodes: boundary.nodes, triangles, color }
        });
        let mut sizes: Vec<f64> =
            bodies.iter().filter_map(|body| Some(radius(meshes[body.mesh?].vertices()))).collect();
        sizes.sort_by(f64::total_cmp);
        let size = sizes.get(sizes.len() / 2).copied().unwrap_or(1.0);
        Ok(Self { soft: soft.collect(), meshes, bodies, size, left_out })
    }
}

/// Radius of the box of points.
fn radius(points: &[Point3<f64>]) -> f64 {
    let bounds = Aabb::of_points(points);
    0.5 * (bounds.max - bounds.min).norm()
}

impl SoftBody {
    /// Positions of the nodes on its surface in a state \[m, world\].
    #[must_use]
    pub fn points(&self, state: &SoftState) -> Vec<Point3<f64>> {
        let node = |&node: &u32| state.nodes.get(node as usize).copied();
        self.nodes
            .iter()
            .map(|index| node(index).unwrap_or_else(|| Vector3::repeat(f64::NAN).into()))
            .collect()
    }
}
