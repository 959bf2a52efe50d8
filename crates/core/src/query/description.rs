//! Serialized form of shapes.

use nalgebra::{Point3, Vector3};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::QueryError;
use super::shape::Shape;
use crate::geometry::convex::Core;
use crate::geometry::{Solidity, TriangleMesh};

/// A shape as plain data [m]. Primitives and rounded shapes are also read in the form of scenes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Description {
    #[serde(alias = "sphere")]
    Ball {
        radius: f64,
    },
    Capsule {
        radius: f64,
        length: f64,
    },
    #[serde(alias = "cuboid")]
    Box {
        size: [f64; 3],
    },
    Cylinder {
        radius: f64,
        height: f64,
    },
    Cone {
        radius: f64,
        height: f64,
    },
    Hull {
        points: Vec<[f64; 3]>,
    },
    Rounded {
        radius: f64,
        #[serde(alias = "core")]
        shape: std::boxed::Box<Description>,
    },
    HalfSpace,
    Mesh {
        vertices: Vec<[f64; 3]>,
        triangles: Vec<[u32; 3]>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        solid: Option<bool>,
    },
}

fn points(rows: &[[f64; 3]]) -> Vec<Point3<f64>> {
    rows.iter().copied().map(Point3::from).collect()
}

impl TryFrom<Description> for Shape {
    type Error = QueryError;

    fn try_from(description: Description) -> Result<Self, QueryError> {
        match description {
            Description::Ball { radius } => Self::ball(radius),
            Description::Capsule { radius, length } => Self::capsule(radius, length),
            Description::Box { size } => Self::cuboid(Vector3::from(size)),
            Description::Cylinder { radius, height } => Self::cylinder(radius, height),
            Description::Cone { radius, height } => Self::cone(radius, height),
            Description::Hull { points: rows } => Self::hull(&points(&rows))?,
            Description::Rounded { radius, shape } => Self::try_from(*shape)?.rounded(radius)?,
            Description::HalfSpace => Self::half_space(),
            Description::Mesh { vertices, triangles, solid } => {
                let mesh = TriangleMesh::new(points(&vertices), triangles)?;
                match solid {
                    Some(true) => Self::solid(mesh)?,
                    Some(false) => Self::surface(mesh),
                    None => Self::mesh(mesh),
                }
            }
        }
        .validated()
    }
}

impl From<&Shape> for Description {
    fn from(shape: &Shape) -> Self {
        let rows = |points: &[Point3<f64>]| points.iter().map(|point| (*point).into()).collect();
        let Some(convex) = shape.core() else {
            let model = shape.model().expect("what is not convex is a mesh");
            return Self::Mesh {
                vertices: rows(model.mesh().vertices()),
                triangles: model.mesh().triangles().to_vec(),
                solid: Some(model.solidity() == Solidity::Solid),
            };
        };
        let radius = convex.radius();
        let sharp = match convex.core() {
            Core::Point => return Self::Ball { radius },
            Core::Segment { half_length } => return Self::Capsule { radius, length: 2.0 * half_length },
            Core::Cuboid { half_extents } => Self::Box { size: (2.0 * half_extents).into() },
            Core::Cylinder { radius, half_height } => {
                Self::Cylinder { radius: *radius, height: 2.0 * half_height }
            }
            Core::Cone { radius, half_height } => Self::Cone { radius: *radius, height: 2.0 * half_height },
            Core::Hull(hull) => Self::Hull { points: rows(hull.vertices()) },
            Core::HalfSpace => Self::HalfSpace,
        };
        if radius > 0.0 { Self::Rounded { radius, shape: std::boxed::Box::new(sharp) } } else { sharp }
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Description::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(Description::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
