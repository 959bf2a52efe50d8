//! Picking: intersection of a ray with the triangles of bodies and the planes of half-spaces.

mod tree;

use std::collections::HashMap;
use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use self::tree::{RayTree, hit_triangle};
use crate::{Ground, Models, Ray, SoftModel};
use extricate_core::geometry::{Aabb, TriangleMesh};
use extricate_dynamics::{AnyBody, Grip};
use extricate_scene::record::WorldState;

/// First intersection of a ray with a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The body, an index in [`Models::bodies`] or [`Models::soft`].
    pub body: AnyBody,
    /// Distance from the ray's origin \[m\].
    pub distance: f64,
    /// The point [m, world].
    pub point: Point3<f64>,
    /// The same point in the body's frame \[m\]; for a soft body, the vertex of the hit triangle that is nearest to it.
    pub grip: Grip,
}

/// Ray-casting trees of meshes, built when a ray first enters the bounding box of a mesh.
#[derive(Debug, Default)]
pub struct Picker {
    /// By the address of the mesh; the tree owns a reference, so that the address is not reused.
    trees: HashMap<*const TriangleMesh, RayTree>,
}

impl Picker {
    /// First hit of a ray \[world\]: surfaces are hit from both sides, half-spaces from outside only.
    #[must_use]
    pub fn pick(&mut self, models: &Models, state: &WorldState, ray: &Ray) -> Option<Hit> {
        let rigid = self.rigid(models, state, ray);
        let soft = models.soft.iter().zip(&state.soft).enumerate().filter_map(|(index, (body, soft))| {
            let (distance, node) = on_soft(body, &soft.nodes, ray)?;
            Some(Hit::new(AnyBody::Soft(index), ray, distance, Grip::Node(node)))
        });
        let grounds = models.grounds.iter().filter_map(|ground| {
            let distance = on_ground(ground, state, ray)?;
            let pose = state.pose(ground.body);
            let grip = Grip::Point(pose.inverse_transform_point(&ray.at(distance)));
            Some(Hit::new(AnyBody::Rigid(ground.body), ray, distance, grip))
        });
        let hits = rigid.into_iter().chain(soft).chain(grounds);
        hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    fn rigid(&mut self, models: &Models, state: &WorldState, ray: &Ray) -> Option<Hit> {
        let mut nearest: Option<Hit> = None;
        for (index, (body, pose)) in models.bodies.iter().zip(state.poses()).enumerate() {
            let Some(mesh) = &body.mesh else { continue };
            let limit = nearest.map_or(f64::INFINITY, |hit| hit.distance);
            // The ray is moved to the body's frame: the tree is built once for each mesh, whatever the pose.
            let in_body = Ray {
                origin: pose.inverse_transform_point(&ray.origin),
                direction: pose.inverse_transform_vector(&ray.direction),
            };
            // Also skips rays that are not numbers: their entry distance is infinite.
            if !(tree::enters(&in_body, &mesh.aabb()) < limit) {
                continue;
            }
            let tree = self.trees.entry(Arc::as_ptr(mesh)).or_insert_with(|| RayTree::new(mesh));
            if let Some(distance) = tree.hit(&in_body, limit) {
                let grip = Grip::Point(in_body.at(distance));
                nearest = Some(Hit::new(AnyBody::Rigid(index), ray, distance, grip));
            }
        }
        nearest
    }
}

impl Hit {
    fn new(body: AnyBody, ray: &Ray, distance: f64, grip: Grip) -> Self {
        Self { body, distance, point: ray.at(distance), grip }
    }
}

impl Ray {
    /// The point at a distance from the origin \[m\].
    #[must_use]
    pub fn at(&self, distance: f64) -> Point3<f64> {
        self.origin + self.direction * distance
    }

    /// Intersection with the plane through a point with a normal; `None` if the ray is parallel to the plane or points away from it.
    #[must_use]
    pub fn on_plane(&self, point: &Point3<f64>, normal: &Vector3<f64>) -> Option<Point3<f64>> {
        let distance = (point - self.origin).dot(normal) / self.direction.dot(normal);
        (distance >= 0.0 && distance.is_finite()).then(|| self.at(distance))
    }
}

/// Distance along the ray to the surface of a soft body [m], and the node nearest to the hit point.
fn on_soft(body: &SoftModel, nodes: &[Point3<f64>], ray: &Ray) -> Option<(f64, usize)> {
    let place = |corner: u32| body.nodes[corner as usize] as usize;
    let bounds = Aabb::of_points(body.nodes.iter().map(|&node| &nodes[node as usize]));
    if tree::enters(ray, &bounds).is_infinite() {
        return None;
    }
    let mut nearest: Option<(f64, [usize; 3])> = None;
    for triangle in &body.triangles {
        let corners = triangle.map(place);
        if let Some(distance) = hit_triangle(ray, &corners.map(|node| nodes[node]))
            && nearest.is_none_or(|(found, _)| distance < found)
        {
            nearest = Some((distance, corners));
        }
    }
    let (distance, corners) = nearest?;
    let away = |node: &usize| (nodes[*node] - ray.at(distance)).norm_squared();
    let node = corners.into_iter().min_by(|a, b| away(a).total_cmp(&away(b)))?;
    Some((distance, node))
}

/// Distance along the ray to the boundary plane of a half-space [m], from outside only.
fn on_ground(ground: &Ground, state: &WorldState, ray: &Ray) -> Option<f64> {
    let pose = ground.pose(state);
    let up = pose.rotation * Vector3::z();
    let height = (ray.origin - Point3::from(pose.translation.vector)).dot(&up);
    let falls = -ray.direction.dot(&up);
    (height >= 0.0 && falls > 0.0).then(|| height / falls)
}

#[cfg(test)]
mod tests;
