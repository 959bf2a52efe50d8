//! Random solids and pairs of them, as numbers that a failure prints and shrinks.

use std::f64::consts::PI;

use extricate::geometry::procedural::{Blob, BumpySphere, Cuboid, Cup, Gear, LShape, Procedural, Torus};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::proximity::Model;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Seed of the cases where `PROPTEST_RNG_SEED` says none.
const SEED: u64 = 10;

/// A number of cases, always the same unless the environment sets others.
pub(crate) fn cases(count: u32) -> ProptestConfig {
    let of_environment = ProptestConfig::default();
    let is_set = |name| std::env::var_os(name).is_some();
    ProptestConfig {
        cases: if is_set("PROPTEST_CASES") { of_environment.cases } else { count },
        rng_seed: if is_set("PROPTEST_RNG_SEED") { of_environment.rng_seed } else { RngSeed::Fixed(SEED) },
        failure_persistence: None,
        // Pairs to which a property does not apply are redrawn.
        max_global_rejects: u32::MAX,
        ..of_environment
    }
}

/// A closed solid of about a unit in size.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    Cuboid([f64; 3]),
    /// Corners; the order is mended.
    Tetrahedron([[f64; 3]; 4]),
    LShape,
    Torus {
        tube: f64,
        segments: u32,
        sides: u32,
    },
    Cup,
    Gear,
    Blob(u32),
    Bumpy,
}

impl Form {
    pub(crate) fn mesh(&self) -> TriangleMesh {
        let made = match *self {
            Self::Cuboid([x, y, z]) => Cuboid { x, y, z, ..Cuboid::default() }.mesh(),
            Self::Tetrahedron(corners) => return tetrahedron(corners),
            Self::LShape => LShape::default().mesh(),
            Self::Torus { tube, segments, sides } => {
                Torus { major_radius: 0.5, minor_radius: tube, segments, sides }.mesh()
            }
            Self::Cup => Cup { segments: 16, ..Cup::default() }.mesh(),
            Self::Gear => Gear::default().mesh(),
            Self::Blob(seed) => Blob { radius: 0.5, seed, frequency: 3, ..Blob::default() }.mesh(),
            Self::Bumpy => BumpySphere { radius: 0.5, frequency: 4, ..BumpySphere::default() }.mesh(),
        };
        made.expect("parameters within their ranges")
    }

    /// Whether the solid is its own hull.
    pub(crate) fn is_convex(&self) -> bool {
        matches!(self, Self::Cuboid(_) | Self::Tetrahedron(_))
    }
}

fn tetrahedron(corners: [[f64; 3]; 4]) -> TriangleMesh {
    let mut points = corners.map(Point3::from);
    let edges = [1, 2, 3].map(|i| points[i] - points[0]);
    if edges[0].cross(&edges[1]).dot(&edges[2]) < 0.0 {
        points.swap(2, 3);
    }
    let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    TriangleMesh::new(points.to_vec(), triangles).expect("four points with a volume")
}

/// Six times the volume of a tetrahedron of unit size below which it is none.
const FLAT: f64 = 1e-3;

fn any_form() -> impl Strategy<Value = Form> {
    let edge = || prop_oneof![Just(1.0), Just(0.5), (-3.0_f64..0.2).prop_map(|x| 10_f64.powf(x))];
    let corner = || prop::array::uniform3(-0.7_f64..0.7);
    let has_volume = |corners: &[[f64; 3]; 4]| {
        let [a, b, c, d] = corners.map(Vector3::from);
        (b - a).cross(&(c - a)).dot(&(d - a)).abs() > FLAT
    };
    prop_oneof![
        3 => prop::array::uniform3(edge()).prop_map(Form::Cuboid),
        3 => prop::array::uniform4(corner()).prop_filter("flat", has_volume).prop_map(Form::Tetrahedron),
        1 => Just(Form::LShape),
        2 => (0.03_f64..0.3, 3_u32..16, 3_u32..10)
            .prop_map(|(tube, segments, sides)| Form::Torus { tube, segments, sides }),
        1 => Just(Form::Cup),
        1 => Just(Form::Gear),
        1 => (0_u32..50).prop_map(Form::Blob),
        1 => Just(Form::Bumpy),
    ]
}

/// Poses of the second solid relative to the first: some at right angles and on a raster, so that faces and edges meet.
pub(crate) fn any_pose(reach: f64) -> impl Strategy<Value = Isometry3<f64>> {
    let free = (prop::array::uniform3(-reach..reach), prop::array::uniform3(-PI..PI));
    let free = free.prop_map(|(by, rotation)| Isometry3::new(by.into(), Vector3::from(rotation)));
    let on_raster = (prop::array::uniform3(-4_i32..=4), 0_usize..4, 0_usize..3);
    let on_raster = on_raster.prop_map(move |(by, quarters, axis)| {
        let by = Vector3::from(by.map(|x| reach * f64::from(x) / 4.0));
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::ith(axis, 0.5 * PI * quarters as f64));
        Isometry3::from_parts(Translation3::from(by), rotation)
    });
    prop_oneof![3 => free, 1 => on_raster]
}

/// Two solids with their poses, and their unit of length [m].
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) forms: [Form; 2],
    pub(crate) poses: [Isometry3<f64>; 2],
    pub(crate) unit: f64,
}

/// The models of a pair where they are.
pub(crate) struct Placed {
    pub(crate) models: [Model; 2],
    pub(crate) poses: [Isometry3<f64>; 2],
    /// Reference length of tolerances: the sizes and the distance from the world's origin [m].
    pub(crate) size: f64,
}

impl Pair {
    /// Scaled by a factor, and moved.
    pub(crate) fn placed(&self, factor: f64, by: &Isometry3<f64>) -> Placed {
        let unit = self.unit * factor;
        let models = self.forms.each_ref().map(|form| {
            let mesh = form.mesh().scaled(&Vector3::repeat(unit)).expect("a finite factor");
            Model::new(mesh, Solidity::Solid)
        });
        let poses = self.poses.map(|pose| {
            let pose = by * pose;
            Isometry3::from_parts((unit * pose.translation.vector).into(), pose.rotation)
        });
        let size = models.iter().map(Model::radius).sum::<f64>()
            + poses.iter().map(|pose| pose.translation.vector.norm()).sum::<f64>();
        Placed { models, poses, size }
    }

    pub(crate) fn here(&self) -> Placed {
        self.placed(1.0, &Isometry3::identity())
    }

    pub(crate) fn swapped(&self) -> Self {
        let ([a, b], [pose_a, pose_b]) = (self.forms.clone(), self.poses);
        Self { forms: [b, a], poses: [pose_b, pose_a], unit: self.unit }
    }
}

/// Pairs whose second solid is at most `reach` units from the first one, along each axis.
pub(crate) fn any_pair(reach: f64) -> impl Strategy<Value = Pair> {
    let unit = prop_oneof![3 => Just(1.0), 1 => Just(1e-3), 1 => Just(1e3)];
    (any_form(), any_form(), any_pose(0.3), any_pose(reach), unit)
        .prop_map(|(a, b, first, apart, unit)| Pair { forms: [a, b], poses: [first, first * apart], unit })
}

/// Vertices in the world.
pub(crate) fn points(model: &Model, pose: &Isometry3<f64>) -> Vec<Point3<f64>> {
    model.mesh().vertices().iter().map(|vertex| pose * vertex).collect()
}
