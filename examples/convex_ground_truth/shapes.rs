//! A convex shape with its twin in parry, and its support function once more, written without the library.

use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use std::path::Path;
use std::sync::Arc;

use extricate::geometry::convex::{ConvexHull, ConvexShape};
use extricate::geometry::read::read_mesh;
use nalgebra::{Isometry3, Point3, Vector3};
use parry3d::math::Vector;
use parry3d::shape::SharedShape;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What a shape is, in the words of `shapes.txt`: full sizes, axis z.
#[derive(Clone)]
pub enum Form {
    Sphere(f64),
    Capsule { radius: f64, length: f64 },
    Cuboid(Vector3<f64>),
    Cylinder { radius: f64, height: f64 },
    Cone { radius: f64, height: f64 },
    Hull(Vec<Point3<f64>>),
}

pub struct Shape {
    pub form: Form,
    pub ours: ConvexShape,
    pub peer: SharedShape,
    /// The peer's frame in the shape's frame: parry's cylinders and cones stand along y.
    pub peer_in_shape: Isometry3<f64>,
    /// Greatest distance of a point from the origin of the shape's frame [m].
    pub reach: f64,
}

impl Shape {
    pub fn new(form: Form) -> Result<Self> {
        let upright = Isometry3::rotation(Vector3::x() * FRAC_PI_2);
        let mut peer_in_shape = Isometry3::identity();
        let (ours, peer) = match &form {
            Form::Sphere(radius) => (ConvexShape::sphere(*radius), SharedShape::ball(*radius)),
            Form::Capsule { radius, length } => {
                (ConvexShape::capsule(*radius, *length), SharedShape::capsule_z(0.5 * length, *radius))
            }
            Form::Cuboid(size) => {
                let half = 0.5 * size;
                (ConvexShape::cuboid(*size), SharedShape::cuboid(half.x, half.y, half.z))
            }
            Form::Cylinder { radius, height } => {
                peer_in_shape = upright;
                (ConvexShape::cylinder(*radius, *height), SharedShape::cylinder(0.5 * height, *radius))
            }
            Form::Cone { radius, height } => {
                peer_in_shape = upright;
                (ConvexShape::cone(*radius, *height), SharedShape::cone(0.5 * height, *radius))
            }
            Form::Hull(points) => {
                let twins: Vec<_> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
                let peer = SharedShape::convex_hull(&twins).ok_or("parry makes no hull of the points")?;
                (ConvexShape::hull(Arc::new(ConvexHull::new(points)?)), peer)
            }
        };
        let reach = form.reach();
        Ok(Self { form, ours, peer, peer_in_shape, reach })
    }

    /// A line of `shapes.txt`, without the name: `KIND parameters`.
    pub fn parse(description: &str, folder: &Path) -> Result<Self> {
        let mut words = description.split_whitespace();
        let kind = words.next().ok_or("a shape without a kind")?;
        let rest: Vec<&str> = words.collect();
        let number = |index: usize| -> Result<f64> { Ok(rest.get(index).ok_or("too few numbers")?.parse()?) };
        Self::new(match kind {
            "sphere" => Form::Sphere(number(0)?),
            "capsule" => Form::Capsule { radius: number(0)?, length: number(1)? },
            "box" => Form::Cuboid(Vector3::new(number(0)?, number(1)?, number(2)?)),
            "cylinder" => Form::Cylinder { radius: number(0)?, height: number(1)? },
            "cone" => Form::Cone { radius: number(0)?, height: number(1)? },
            "mesh" => {
                let path = folder.join(rest.first().ok_or("a mesh without a file")?);
                Form::Hull(read_mesh(&path)?.vertices().to_vec())
            }
            other => return Err(format!("no shape is a {other}").into()),
        })
    }
}

impl Form {
    /// h(d) = max d·x over the shape [m].
    pub fn support(&self, d: &Vector3<f64>) -> f64 {
        let across = d.x.hypot(d.y);
        match self {
            Self::Sphere(radius) => radius * d.norm(),
            Self::Capsule { radius, length } => radius * d.norm() + 0.5 * length * d.z.abs(),
            Self::Cuboid(size) => 0.5 * size.dot(&d.abs()),
            Self::Cylinder { radius, height } => radius * across + 0.5 * height * d.z.abs(),
            Self::Cone { radius, height } => (0.5 * height * d.z).max(radius * across - 0.5 * height * d.z),
            Self::Hull(points) => points.iter().map(|p| p.coords.dot(d)).fold(f64::NEG_INFINITY, f64::max),
        }
    }

    fn reach(&self) -> f64 {
        match self {
            Self::Sphere(radius) => *radius,
            Self::Capsule { radius, length } => radius + 0.5 * length,
            Self::Cuboid(size) => 0.5 * size.norm(),
            Self::Cylinder { radius, height } | Self::Cone { radius, height } => radius.hypot(0.5 * height),
            Self::Hull(points) => points.iter().map(|p| p.coords.norm()).fold(0.0, f64::max),
        }
    }
}

/// How far A moves along a unit direction until it is free of B [m]; A at the identity.
pub fn free_after(a: &Form, b: &Form, pose_b: &Isometry3<f64>, direction: &Vector3<f64>) -> f64 {
    let in_b = pose_b.inverse_transform_vector(direction);
    b.support(&in_b) + direction.dot(&pose_b.translation.vector) + a.support(&-direction)
}
