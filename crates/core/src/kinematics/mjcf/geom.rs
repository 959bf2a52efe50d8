//! Geoms: shapes and masses of bodies.

use nalgebra::{Isometry3, Point3, Unit};

use super::compiler::{Compiler, from_z};
use super::defaults::Filled;
use super::mass::{of_primitive, weighed};
use super::mesh::Meshes;
use crate::kinematics::urdf::document::Geometry;
use crate::kinematics::urdf::{Inertial, RobotFileError, Shapes};

/// A geom of a body.
pub(super) struct Geom<'a> {
    pub(super) own: Filled<'a>,
    /// Geom → body.
    pub(super) pose: Isometry3<f64>,
    kind: &'a str,
    sizes: Vec<f64>,
    /// Bits of the collisions that it makes, and of those that it takes part in.
    pub(super) masks: [i64; 2],
    pub(super) group: i64,
}

/// Highest group of geoms that MuJoCo's viewer shows where nothing else is chosen.
const VISIBLE_GROUP: i64 = 2;

const KINDS: [&str; 8] = ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"];

impl<'a> Geom<'a> {
    pub(super) fn of(own: Filled<'a>, compiler: &Compiler) -> Result<Self, RobotFileError> {
        let kind = own.get("type").unwrap_or("sphere").trim();
        if !KINDS.contains(&kind) {
            let cause = format!("unknown type \"{kind}\"; known are {}", KINDS.join(", "));
            return Err(own.refused(cause));
        }
        let mut sizes = own.list("size", 3)?.unwrap_or_default();
        sizes.resize(3, 0.0);
        let mut pose = compiler.pose(&own)?;
        if let Some([a, b, c, d, e, f]) = own.numbers("fromto")? {
            let (from, to) = (Point3::new(a, b, c), Point3::new(d, e, f));
            let Some(axis) = Unit::try_new(from - to, 0.0) else {
                return Err(own.refused("both ends of `fromto` are the same point"));
            };
            pose = Isometry3::from_parts(nalgebra::center(&from, &to).into(), from_z(&axis));
            // A box or ellipsoid is as wide as its first size in both directions.
            let half = (to - from).norm() / 2.0;
            sizes = if matches!(kind, "box" | "ellipsoid") {
                vec![sizes[0], sizes[0], half]
            } else {
                vec![sizes[0], half, 0.0]
            };
        }
        let masks = [own.integer("contype", 1)?, own.integer("conaffinity", 1)?];
        let group = own.integer("group", 0)?;
        Ok(Self { own, pose, kind, sizes, masks, group })
    }

    /// Whether it is one of the selected shapes: collision shapes have a bit in either mask, visual ones are visible.
    pub(super) fn is_selected(&self, shapes: Shapes) -> bool {
        match shapes {
            Shapes::Collision => self.masks != [0, 0],
            Shapes::Visual => self.group <= VISIBLE_GROUP,
        }
    }

    /// Whether its shape is a mesh, also where a primitive is fitted to it.
    pub(super) fn names_mesh(&self) -> bool {
        self.kind == "mesh" || self.own.get("mesh").is_some()
    }

    pub(super) fn is_fitted(&self) -> bool {
        self.kind != "mesh" && self.own.get("mesh").is_some()
    }

    pub(super) fn is_height_field(&self) -> bool {
        self.kind == "hfield"
    }

    /// Its shape, unless that is a height field.
    pub(super) fn geometry(&self, meshes: &mut Meshes<'_>) -> Result<Geometry, RobotFileError> {
        if self.names_mesh() {
            return Ok(Geometry::Loaded(meshes.get(&self.own)?.mesh));
        }
        let [x, y, z] = [self.sizes[0], self.sizes[1], self.sizes[2]];
        if [x, y, z].iter().any(|&size| size < 0.0) && self.kind != "plane" {
            return Err(self.own.refused(format!("`size` is negative: {x} {y} {z}")));
        }
        Ok(match self.kind {
            "plane" => Geometry::Plane,
            "capsule" => Geometry::Capsule { radius: x, length: 2.0 * y },
            "ellipsoid" => Geometry::Ellipsoid { radii: [x, y, z] },
            "cylinder" => Geometry::Cylinder { radius: x, length: 2.0 * y },
            "box" => Geometry::Box { size: [x, y, z].map(|half| 2.0 * half) },
            _ => Geometry::Sphere { radius: x },
        })
    }

    /// Its mass and inertia in its frame; none where it has none.
    pub(super) fn inertial(&self, meshes: &mut Meshes<'_>) -> Result<Option<Inertial>, RobotFileError> {
        let is_massless = |name| Ok::<_, RobotFileError>(self.own.numbers::<1>(name)? == Some([0.0]));
        let stated = self.own.get("mass").is_some();
        if is_massless("mass")? || !stated && is_massless("density")? || self.is_height_field() {
            return Ok(None);
        }
        let unit = if self.names_mesh() {
            meshes.get(&self.own)?.inertial
        } else {
            of_primitive(&self.geometry(meshes)?)
        };
        unit.map_or(Ok(None), |unit| weighed(&unit, &self.own))
    }
}
