//! A triangle mesh made ready for queries.

use nalgebra::{Point3, Vector3};

use crate::bvh::TriangleBvh;
use crate::geometry::{Solidity, TriangleMesh};

/// A triangle mesh with its tree, its size and whether it has an inside.
#[derive(Debug, Clone)]
pub struct Model {
    mesh: TriangleMesh,
    bvh: TriangleBvh,
    solidity: Solidity,
    radius: f64,
    centroid: Point3<f64>,
}

impl Model {
    /// A model of `mesh`, which is taken as a solid or as a surface as `solidity` says.
    ///
    /// The tree is built with all threads of the current pool; the result does not depend on their number.
    #[must_use]
    pub fn new(mesh: TriangleMesh, solidity: Solidity) -> Self {
        let bvh = TriangleBvh::new(&mesh);
        let center = bvh.center();
        let used = mesh.triangles().iter().flatten().map(|&i| mesh.vertices()[i as usize]);
        let radius = used.map(|p| nalgebra::distance_squared(&p, &center)).fold(0.0, f64::max).sqrt();
        let centroid = area_centroid(&mesh, &center);
        Self { mesh, bvh, solidity, radius, centroid }
    }

    /// The mesh [m, body frame].
    #[must_use]
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    /// The tree over the mesh.
    #[must_use]
    pub fn bvh(&self) -> &TriangleBvh {
        &self.bvh
    }

    /// Whether the model has an inside.
    #[must_use]
    pub fn solidity(&self) -> Solidity {
        self.solidity
    }

    /// Centre of the mesh's axis-aligned box [m, body frame].
    #[must_use]
    pub fn center(&self) -> Point3<f64> {
        self.bvh.center()
    }

    /// Radius of the ball around [`Model::center`] that bounds the mesh [m]: the size that tolerances relate to.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Centroid of the surface [m, body frame].
    #[must_use]
    pub fn centroid(&self) -> Point3<f64> {
        self.centroid
    }
}

/// Centroid of the triangles weighted by area, summed relative to `about`.
fn area_centroid(mesh: &TriangleMesh, about: &Point3<f64>) -> Point3<f64> {
    let (mut sum, mut area) = (Vector3::zeros(), 0.0);
    for i in 0..mesh.triangles().len() {
        let [p, q, r] = mesh.triangle(i).map(|corner| corner - about);
        let doubled_area = (q - p).cross(&(r - p)).norm();
        sum += (p + q + r) * doubled_area;
        area += 3.0 * doubled_area;
    }
    about + sum / area
}
