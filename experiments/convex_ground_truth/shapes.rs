//! A convex shape with its twin in parry.

use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use std::path::Path;

use extricate::geometry::convex::ConvexShape;
use extricate::geometry::read::read_mesh;
use nalgebra::{Isometry3, Vector3};
use parry3d::math::Vector;
use parry3d::shape::SharedShape;

use super::forms::Form;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

pub(crate) struct Shape {
    pub(crate) form: Form,
    pub(crate) ours: ConvexShape,
    pub(crate) peer: SharedShape,
    /// The peer's frame in the shape's frame: the axis of parry's cylinders and cones is y.
    pub(crate) peer_in_shape: Isometry3<f64>,
    /// Maximum distance of a point from the origin of the shape's frame [m].
    pub(crate) reach: f64,
}

impl Shape {
    pub(crate) fn new(form: Form) -> Result<Self> {
        let upright = Isometry3::rotation(Vector3::x() * FRAC_PI_2);
        let mut peer_in_shape = Isometry3::identity();
        let peer = match &form {
            Form::Sphere(radius) => SharedShape::ball(*radius),
            Form::Capsule { radius, length } => SharedShape::capsule_z(0.5 * length, *radius),
            Form::Cuboid(size) => SharedShape::cuboid(0.5 * size.x, 0.5 * size.y, 0.5 * size.z),
            Form::Cylinder { radius, height } => {
                peer_in_shape = upright;
                SharedShape::cylinder(0.5 * height, *radius)
            }
            Form::Cone { radius, height } => {
                peer_in_shape = upright;
                SharedShape::cone(0.5 * height, *radius)
            }
            Form::Hull(points) => {
                let twins: Vec<_> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
                SharedShape::convex_hull(&twins).ok_or("parry makes no hull of the points")?
            }
            Form::HalfSpace | Form::Rounded(..) => return Err("a form that is not compared".into()),
        };
        let ours = form.shape()?;
        let reach = form.reach();
        Ok(Self { form, ours, peer, peer_in_shape, reach })
    }

    /// A line of `shapes.txt`, without the name: `KIND parameters`.
    pub(crate) fn parse(description: &str, folder: &Path) -> Result<Self> {
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
