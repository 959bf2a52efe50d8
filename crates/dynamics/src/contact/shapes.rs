//! Shapes as rapier takes them.

use std::collections::BTreeMap;
use std::sync::Arc;

use nalgebra::Isometry3;
use rapier3d::geometry::SharedShape;

use super::convex::body::{ConvexBody, StandIn};
use super::mesh_shape::MeshShape;
use crate::description::BodyDescription;
use crate::error::BuildError;
use crate::options::NarrowPhase;
use crate::shape::Shape;
use crate::shape::primitive::{primitive_of, rapiers_own};
use extricate_core::proximity::Model;
use extricate_core::proximity::contacts::Adjacency;

/// Makes shapes; bodies of one mesh, hull or rounded shape share what is made for it.
pub(crate) struct Shapes {
    narrow_phase: NarrowPhase,
    adjacencies: BTreeMap<*const Model, Arc<Adjacency>>,
    /// By the address of the hull or core, the bits of the radius, and whether the bodies bounce.
    convex: BTreeMap<(usize, u64, bool), SharedShape>,
}

impl Shapes {
    pub(crate) fn new(narrow_phase: NarrowPhase) -> Self {
        Self { narrow_phase, adjacencies: BTreeMap::new(), convex: BTreeMap::new() }
    }

    /// The shape of a body in rapier's own frame, and the pose of that frame in the body.
    pub(crate) fn of(&mut self, body: &BodyDescription) -> Result<(SharedShape, Isometry3<f64>), BuildError> {
        match &body.shape {
            Shape::Mesh(model) => Ok((self.mesh(model), Isometry3::identity())),
            Shape::Hull(hull) => self.shared(body, (Arc::as_ptr(hull).addr(), 0, bounces(body))),
            Shape::Rounded { core, radius } => {
                self.shared(body, (Arc::as_ptr(core).addr(), radius.to_bits(), bounces(body)))
            }
            _ => self.primitive(body).ok_or_else(|| not_roundable(body)),
        }
    }

    fn mesh(&mut self, model: &Arc<Model>) -> SharedShape {
        let adjacency = self
            .adjacencies
            .entry(Arc::as_ptr(model))
            .or_insert_with(|| Arc::new(Adjacency::new(model.mesh())))
            .clone();
        SharedShape::new(MeshShape::new(model.clone(), adjacency))
    }

    fn primitive(&self, body: &BodyDescription) -> Option<(SharedShape, Isometry3<f64>)> {
        let shape = &body.shape;
        let (own, pose) = primitive_of(shape)?;
        match shape.convex() {
            Some(convex) if self.narrow_phase == NarrowPhase::Extricate => {
                let core_to_shape = turned(&pose).then(|| pose.inverse());
                let stand_in = StandIn::Primitive(own);
                let made = ConvexBody::new(convex, core_to_shape, shape.bounding_radius(), stand_in);
                Some((shared(made, body), pose))
            }
            _ => Some((own, pose)),
        }
    }

    /// A hull or a rounded shape.
    fn shared(
        &mut self,
        body: &BodyDescription,
        key: (usize, u64, bool),
    ) -> Result<(SharedShape, Isometry3<f64>), BuildError> {
        // rapier's cylinders and cones stand along y, rounded ones too.
        let pose = match &body.shape {
            Shape::Rounded { core, .. } => primitive_of(core).map_or(Isometry3::identity(), |(_, pose)| pose),
            _ => Isometry3::identity(),
        };
        if let Some(known) = self.convex.get(&key) {
            return Ok((known.clone(), pose));
        }
        let convex = body.shape.convex().ok_or_else(|| not_roundable(body))?;
        let for_rapier = match self.narrow_phase {
            NarrowPhase::Extricate => None,
            NarrowPhase::Rapier => {
                let refused = || BuildError::NotForRapier { name: body.name.clone() };
                Some(rapiers_own(&body.shape).ok_or_else(refused)?)
            }
        };
        let core_to_shape = turned(&pose).then(|| pose.inverse());
        let stand_in = StandIn::mesh(&convex, core_to_shape.as_ref(), for_rapier)
            .map_err(|_| BuildError::NoVolume { name: body.name.clone(), volume: 0.0 })?;
        let made = ConvexBody::new(convex, core_to_shape, body.shape.bounding_radius(), stand_in);
        let made = shared(made, body);
        self.convex.insert(key, made.clone());
        Ok((made, pose))
    }
}

fn shared(made: ConvexBody, body: &BodyDescription) -> SharedShape {
    SharedShape::new(if bounces(body) { made } else { made.foreseen_at_rest() })
}

fn bounces(body: &BodyDescription) -> bool {
    body.restitution > 0.0
}

fn turned(pose: &Isometry3<f64>) -> bool {
    *pose != Isometry3::identity()
}

fn not_roundable(body: &BodyDescription) -> BuildError {
    BuildError::NotRoundable { name: body.name.clone() }
}
