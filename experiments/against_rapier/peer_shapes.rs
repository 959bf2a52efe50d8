//! The shapes of a scene as rapier takes them.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use extricate::dynamics::{BodyDescription, BodyKind, Mass, Shape};
use extricate::geometry::TriangleMesh;
use extricate::geometry::convex::Core;
use extricate::geometry::mass_properties::MassProperties;
use extricate::proximity::Model;
use nalgebra::{Isometry3, Vector3};
use rapier3d::geometry::{ColliderBuilder, SharedShape, TriMeshFlags};
use rapier3d::math::Vector;
use rapier3d::parry::mass_properties::MassProperties as PeerMass;

use crate::Result;

/// Replacement of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meshes {
    /// Its triangles.
    Triangles,
    /// Convex parts.
    Parts,
}

/// Makes shapes; bodies of one mesh share theirs.
pub(crate) struct PeerShapes {
    meshes: Meshes,
    known: BTreeMap<*const Model, SharedShape>,
}

impl PeerShapes {
    pub(crate) fn new(meshes: Meshes) -> Self {
        Self { meshes, known: BTreeMap::new() }
    }

    /// The collider of a body, with its mass.
    pub(crate) fn collider(&mut self, body: &BodyDescription) -> Result<ColliderBuilder> {
        let Some(model) = body.shape.model() else {
            let (shape, pose) = primitive(&body.shape)?;
            let builder = ColliderBuilder::new(shape).position(pose.into());
            return Ok(match body.mass {
                Mass::Density(density) => builder.density(density),
                Mass::Total(mass) => builder.mass(mass),
                Mass::Inertial(_) => return Err("given inertias are not compared".into()),
            });
        };
        let shape = match self.known.get(&Arc::as_ptr(model)) {
            Some(shape) => shape.clone(),
            None => {
                let made = of_mesh(model.mesh(), self.meshes)?;
                self.known.insert(Arc::as_ptr(model), made.clone());
                made
            }
        };
        let builder = ColliderBuilder::new(shape);
        if body.kind != BodyKind::Dynamic {
            return Ok(builder);
        }
        // The mass of the mesh itself, so that all arms move the same bodies.
        let unit = MassProperties::of_solid(model.mesh())?;
        let density = match body.mass {
            Mass::Density(density) => density,
            Mass::Total(mass) => mass / unit.volume,
            Mass::Inertial(_) => return Err("given inertias are not compared".into()),
        };
        let inertia = (unit.inertia * density).into();
        let mass = PeerMass::with_inertia_matrix(unit.center.coords.into(), unit.volume * density, inertia);
        Ok(builder.mass_properties(mass))
    }
}

fn of_mesh(mesh: &TriangleMesh, meshes: Meshes) -> Result<SharedShape> {
    let vertices = mesh.vertices().iter().map(|vertex| Vector::from(vertex.coords)).collect::<Vec<_>>();
    let triangles = mesh.triangles().to_vec();
    Ok(match meshes {
        Meshes::Triangles => {
            let flags = TriMeshFlags::ORIENTED | TriMeshFlags::FIX_INTERNAL_EDGES;
            SharedShape::trimesh_with_flags(vertices, triangles, flags)?
        }
        Meshes::Parts => SharedShape::convex_decomposition(&vertices, &triangles),
    })
}

/// rapier's primitive, and its pose in the frame of ours: the axis of its cylinders and cones is y.
fn primitive(shape: &Shape) -> Result<(SharedShape, Isometry3<f64>)> {
    let convex = shape.core().ok_or("meshes are not primitives")?;
    let radius = convex.radius();
    let upright = Isometry3::identity();
    let y_to_z = Isometry3::rotation(Vector3::new(FRAC_PI_2, 0.0, 0.0));
    Ok(match *convex.core() {
        Core::Point => (SharedShape::ball(radius), upright),
        Core::Segment { half_length } => (SharedShape::capsule_z(half_length, radius), upright),
        Core::HalfSpace => (SharedShape::halfspace(Vector3::z().into()), upright),
        _ if radius > 0.0 => return Err("rounded shapes are not compared".into()),
        Core::Cuboid { half_extents: h } => (SharedShape::cuboid(h.x, h.y, h.z), upright),
        Core::Cylinder { radius, half_height } => (SharedShape::cylinder(half_height, radius), y_to_z),
        Core::Cone { radius, half_height } => (SharedShape::cone(half_height, radius), y_to_z),
        Core::Hull(_) => return Err("hulls are not compared".into()),
    })
}
