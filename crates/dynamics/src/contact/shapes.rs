//! Shapes in rapier's form.

use std::collections::BTreeMap;
use std::sync::Arc;

use nalgebra::Isometry3;
use rapier3d::geometry::SharedShape;

use super::convex::body::{ConvexBody, ProxyGeometry};
use super::mesh_shape::MeshShape;
use crate::description::BodyDescription;
use crate::error::BuildError;
use crate::options::NarrowPhase;
use crate::shape::primitive::{is_primitive, pose_of_rapiers, rapiers_own};
use extricate_core::geometry::convex::ConvexShape;
use extricate_core::proximity::Model;

/// Builder of shapes; bodies with the same mesh, hull or rounded shape share its adjacency and proxy.
pub(crate) struct Shapes {
    narrow_phase: NarrowPhase,
    meshes: BTreeMap<*const Model, MeshShape>,
    /// By the address of the shape, and whether the bodies bounce.
    convex: BTreeMap<(usize, bool), SharedShape>,
}

impl Shapes {
    pub(crate) fn new(narrow_phase: NarrowPhase) -> Self {
        Self { narrow_phase, meshes: BTreeMap::new(), convex: BTreeMap::new() }
    }

    /// The shape of a body in rapier's own frame, and the pose of that frame in the body.
    pub(crate) fn of(&mut self, body: &BodyDescription) -> Result<(SharedShape, Isometry3<f64>), BuildError> {
        let shape = &body.shape;
        let Some(convex) = shape.core() else {
            let model = shape.model().expect("what is not convex is a mesh");
            return Ok((self.mesh(model), Isometry3::identity()));
        };
        let pose = pose_of_rapiers(convex.core());
        let made =
            if is_primitive(convex) { self.primitive(body, convex) } else { self.shared(body, convex) };
        Ok((made?, pose))
    }

    fn mesh(&mut self, model: &Arc<Model>) -> SharedShape {
        let made = || MeshShape::new(model.clone());
        SharedShape::new(self.meshes.entry(Arc::as_ptr(model)).or_insert_with(made).clone())
    }

    fn primitive(&self, body: &BodyDescription, convex: &ConvexShape) -> Result<SharedShape, BuildError> {
        let own = rapiers_own(convex).ok_or_else(|| not_for_rapier(body))?;
        if self.narrow_phase == NarrowPhase::Rapier || body.shape.is_half_space() {
            return Ok(own);
        }
        Ok(shared(convex_body(body, convex, ProxyGeometry::Primitive(own)), body))
    }

    /// A hull or a rounded shape.
    fn shared(&mut self, body: &BodyDescription, convex: &ConvexShape) -> Result<SharedShape, BuildError> {
        // Bodies that bounce have boxes without a speculative margin, and so a shape of their own.
        let key = (body.shape.address(), bounces(body));
        if let Some(known) = self.convex.get(&key) {
            return Ok(known.clone());
        }
        let for_rapier = match self.narrow_phase {
            NarrowPhase::Extricate => None,
            NarrowPhase::Rapier => Some(rapiers_own(convex).ok_or_else(|| not_for_rapier(body))?),
        };
        let proxy = ProxyGeometry::mesh(convex, core_to_shape(convex).as_ref(), for_rapier)
            .ok_or_else(|| BuildError::NoVolume { name: body.name.clone(), volume: 0.0 })?;
        let made = shared(convex_body(body, convex, proxy), body);
        self.convex.insert(key, made.clone());
        Ok(made)
    }
}

fn convex_body(body: &BodyDescription, convex: &ConvexShape, proxy: ProxyGeometry) -> ConvexBody {
    ConvexBody::new(convex.clone(), core_to_shape(convex), body.shape.bounding_radius(), proxy)
}

/// Core → rapier's shape, where they differ.
fn core_to_shape(convex: &ConvexShape) -> Option<Isometry3<f64>> {
    let pose = pose_of_rapiers(convex.core());
    (pose != Isometry3::identity()).then(|| pose.inverse())
}

fn shared(made: ConvexBody, body: &BodyDescription) -> SharedShape {
    SharedShape::new(if bounces(body) { made } else { made.with_speculative_margin() })
}

fn bounces(body: &BodyDescription) -> bool {
    body.restitution > 0.0
}

fn not_for_rapier(body: &BodyDescription) -> BuildError {
    BuildError::NotForRapier { name: body.name.clone() }
}
