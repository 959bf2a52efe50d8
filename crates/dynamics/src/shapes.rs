//! Shapes as rapier takes them.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};
use rapier3d::geometry::SharedShape;
use rapier3d::math::Vector;

use super::contact::{ConvexBody, MeshShape, StandIn};
use super::{BodyDescription, BuildError, NarrowPhase, Shape};
use extricate_core::geometry::convex::ConvexHull;
use extricate_core::proximity::Model;
use extricate_core::proximity::contacts::Adjacency;

/// Makes shapes; bodies of one mesh, hull or rounded shape share what is made for it.
pub(super) struct Shapes {
    narrow_phase: NarrowPhase,
    adjacencies: BTreeMap<*const Model, Arc<Adjacency>>,
    /// By the address of the hull or core, the bits of the radius, and whether the bodies bounce.
    convex: BTreeMap<(usize, u64, bool), SharedShape>,
}

impl Shapes {
    pub(super) fn new(narrow_phase: NarrowPhase) -> Self {
        Self { narrow_phase, adjacencies: BTreeMap::new(), convex: BTreeMap::new() }
    }

    /// The shape of a body in rapier's own frame, and the pose of that frame in the body.
    pub(super) fn of(&mut self, body: &BodyDescription) -> Result<(SharedShape, Isometry3<f64>), BuildError> {
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

/// rapier's primitive, with its pose in the frame of ours: its cylinders and cones stand along y.
pub(super) fn primitive_of(shape: &Shape) -> Option<(SharedShape, Isometry3<f64>)> {
    let upright = Isometry3::identity();
    let y_to_z = Isometry3::rotation(Vector3::new(FRAC_PI_2, 0.0, 0.0));
    Some(match shape {
        Shape::Ball { radius } => (SharedShape::ball(*radius), upright),
        Shape::Cuboid { size } => (SharedShape::cuboid(size.x / 2.0, size.y / 2.0, size.z / 2.0), upright),
        Shape::Capsule { radius, length } => (SharedShape::capsule_z(length / 2.0, *radius), upright),
        Shape::Cylinder { radius, height } => (SharedShape::cylinder(height / 2.0, *radius), y_to_z),
        Shape::Cone { radius, height } => (SharedShape::cone(height / 2.0, *radius), y_to_z),
        Shape::HalfSpace { normal } => (SharedShape::halfspace(normal.into_inner().into()), upright),
        Shape::Mesh(_) | Shape::Hull(_) | Shape::Rounded { .. } => return None,
    })
}

/// A hull or a rounded shape as rapier has it, in the frame of ours; none for hulls that rapier cannot take.
fn rapiers_own(shape: &Shape) -> Option<SharedShape> {
    let points = |hull: &ConvexHull| -> Vec<Vector> {
        hull.vertices().iter().map(|vertex| vertex.coords.into()).collect()
    };
    match shape {
        Shape::Hull(hull) => SharedShape::convex_hull(&points(hull)),
        Shape::Rounded { core, radius } => match &**core {
            Shape::Cuboid { size } => {
                Some(SharedShape::round_cuboid(size.x / 2.0, size.y / 2.0, size.z / 2.0, *radius))
            }
            Shape::Hull(hull) => SharedShape::round_convex_hull(&points(hull), *radius),
            Shape::Cylinder { radius: rim, height } => {
                Some(SharedShape::round_cylinder(height / 2.0, *rim, *radius))
            }
            Shape::Cone { radius: rim, height } => Some(SharedShape::round_cone(height / 2.0, *rim, *radius)),
            _ => None,
        },
        _ => None,
    }
}
