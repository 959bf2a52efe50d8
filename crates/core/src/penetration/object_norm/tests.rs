use std::f64::consts::PI;
use std::sync::Arc;

use extricate_test_support::Noise;
use nalgebra::{Matrix3, Translation3, UnitQuaternion, Vector3};

use super::*;
use crate::geometry::convex::hull::ConvexHull;
use crate::geometry::convex::shape::ConvexShape;
use crate::geometry::procedural::{Capsule, Cuboid, Cylinder, Procedural, Torus};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::{Solidity, TriangleMesh};
use crate::kinematics::Joint;
use crate::kinematics::articulation::Mimic;
use crate::penetration::error::PenetrationError;
use crate::proximity::error::ProximityError;

fn random_pose(noise: &mut Noise, reach: f64) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_scaled_axis(3.0 * noise.vector());
    Isometry3::from_parts(Translation3::from(reach * noise.vector()), rotation)
}

fn close(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(error <= tolerance * expected.abs(), "{found} is not {expected}");
}

fn revolute(axis: Vector3<f64>) -> JointKind {
    JointKind::Revolute { axis }
}

/// A box of some size at a pose in its link's frame, and points with one weight whose sums integrate squares over it
/// exactly (two by Gauss along each edge).
struct Block {
    size: Vector3<f64>,
    pose: Isometry3<f64>,
}

impl Block {
    fn random(noise: &mut Noise) -> Self {
        Self { size: noise.vector().map(|x| 0.6 + 0.5 * x), pose: random_pose(noise, 0.7) }
    }

    fn mesh(&self) -> TriangleMesh {
        let (x, y, z) = (self.size.x, self.size.y, self.size.z);
        Cuboid { x, y, z, subdivisions: 2 }.mesh().unwrap().transformed(&self.pose)
    }

    fn extent(&self) -> Extent {
        Extent::of_mesh(&self.mesh(), Solidity::Solid).unwrap()
    }

    fn volume(&self) -> f64 {
        self.size.product()
    }

    fn points(&self) -> Vec<Point3<f64>> {
        let at = |i: usize, axis: usize| {
            let side = if i >> axis & 1 == 0 { -0.5 } else { 0.5 };
            side * self.size[axis] / 3.0_f64.sqrt()
        };
        (0..8).map(|i| self.pose * Point3::new(at(i, 0), at(i, 1), at(i, 2))).collect()
    }

    fn mean_squared(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
        let points = self.points();
        points.iter().map(|p| (to * p - from * p).norm_squared()).sum::<f64>() / 8.0
    }
}

/// A tree with joints of all kinds, one of which follows another when `mimics`; blocks on all links but two.
fn tree(noise: &mut Noise, mimics: bool) -> (Articulation, Vec<Option<Block>>) {
    let slide = |axis| JointKind::Prismatic { axis };
    let mimic = mimics.then(|| Mimic { joint: "j1".into(), factor: -0.5, offset: 0.2 });
    let joints = vec![
        Joint::new("j1", "root", "one", revolute(noise.vector())).at(random_pose(noise, 0.5)),
        Joint::new("j2", "one", "two", slide(noise.vector())).at(random_pose(noise, 0.5)),
        Joint::new("j3", "two", "three", JointKind::Fixed).at(random_pose(noise, 0.5)),
        Joint::new("j4", "three", "four", revolute(noise.vector())).at(random_pose(noise, 0.5)),
        Joint {
            mimic,
            ..Joint::new("j5", "two", "side", revolute(noise.vector())).at(random_pose(noise, 0.5))
        },
    ];
    let links = ["four", "root", "side", "one", "two", "three"].map(String::from).to_vec();
    let blocks = (0..6).map(|link| (link != 4 && link != 1).then(|| Block::random(noise))).collect();
    (Articulation::new(links, joints).unwrap(), blocks)
}

fn norm_of(tree: &Articulation, blocks: &[Option<Block>]) -> ObjectNorm {
    ObjectNorm::new(tree, blocks.iter().map(|block| block.as_ref().map(Block::extent)).collect()).unwrap()
}

/// The mean squared displacement of all blocks by brute force.
fn displaced(blocks: &[Option<Block>], from: &[Isometry3<f64>], to: &[Isometry3<f64>]) -> f64 {
    let (mut sum, mut volume) = (0.0, 0.0);
    for (link, block) in blocks.iter().enumerate() {
        let Some(block) = block else { continue };
        sum += block.volume() * block.mean_squared(&from[link], &to[link]);
        volume += block.volume();
    }
    sum / volume
}

#[test]
fn a_rigid_body_moves_by_what_quadrature_and_the_trace_say() {
    let mut noise = Noise(1);
    for _ in 0..50 {
        let block = Block::random(&mut noise);
        let extent = block.extent();
        let (from, to) = (random_pose(&mut noise, 2.0), random_pose(&mut noise, 2.0));
        let found = extent.squared(&from, &to);
        close(found, block.mean_squared(&from, &to), 1e-12);
        let [r, s] = [&from, &to].map(|pose| pose.rotation.to_rotation_matrix().into_inner());
        let shift = to * extent.centroid() - from * extent.centroid();
        let trace = ((s - r) * extent.spread() * (s - r).transpose()).trace();
        close(found, shift.norm_squared() + trace, 1e-12);
        close(extent.distance(&from, &to).powi(2), found, 1e-14);
        // The same from any frame, and there as back.
        let elsewhere = random_pose(&mut noise, 3.0);
        close(extent.squared(&(elsewhere * from), &(elsewhere * to)), found, 1e-11);
        close(extent.squared(&to, &from), found, 1e-12);
    }
}

#[test]
fn a_small_rotation_is_accurate() {
    let extent = Extent::of_convex(&ConvexShape::cuboid(Vector3::new(1.0, 2.0, 3.0))).unwrap();
    let tiny = Isometry3::rotation(Vector3::z() * 1e-9);
    close(extent.squared(&Isometry3::identity(), &tiny), 1e-18 * (1.0 + 4.0) / 12.0, 1e-12);
}

#[test]
fn a_rotation_about_a_point_is_the_inertia_about_it_between_quaternions() {
    let mut noise = Noise(2);
    for _ in 0..20 {
        let block = Block::random(&mut noise);
        let extent = block.extent();
        let (point, rotation) = (Point3::from(noise.vector()), random_pose(&mut noise, 0.0).rotation);
        let about =
            Isometry3::from(Translation3::from(point.coords)) * rotation * Translation3::from(-point.coords);
        let q = rotation.imag();
        let by_inertia = 4.0 * q.dot(&(extent.inertia_about(&point) * q)) / extent.measure();
        close(by_inertia, block.mean_squared(&Isometry3::identity(), &about), 1e-11);
        let (axis, angle) = rotation.axis_angle().unwrap();
        let by_axis = 4.0 * (0.5 * angle).sin().powi(2) * extent.moment_about(&point, &axis);
        close(by_axis / extent.measure(), by_inertia, 1e-11);
    }
}

#[test]
fn primitives_have_the_extents_of_their_meshes() {
    let cone = |segments: u32| {
        let ring = (0..segments).map(|i| {
            let (sin, cos) = (2.0 * PI * f64::from(i) / f64::from(segments)).sin_cos();
            Point3::new(0.4 * cos, 0.4 * sin, -0.5)
        });
        let points: Vec<_> = ring.chain([Point3::new(0.0, 0.0, 0.5)]).collect();
        Arc::new(ConvexHull::new(&points).unwrap())
    };
    let hull = cone(400);
    let pairs = [
        (
            ConvexShape::cuboid(Vector3::new(1.0, 2.0, 0.3)),
            Cuboid { x: 1.0, y: 2.0, z: 0.3, subdivisions: 1 }.mesh().unwrap(),
        ),
        (
            ConvexShape::cylinder(0.4, 1.0),
            Cylinder { radius: 0.4, height: 1.0, segments: 400 }.mesh().unwrap(),
        ),
        (
            ConvexShape::capsule(0.4, 1.0),
            Capsule { radius: 0.4, length: 1.0, segments: 200, rings: 60 }.mesh().unwrap(),
        ),
        (
            ConvexShape::sphere(0.4),
            Capsule { radius: 0.4, length: 1e-9, segments: 200, rings: 60 }.mesh().unwrap(),
        ),
        (ConvexShape::cone(0.4, 1.0), hull.mesh().unwrap()),
        (ConvexShape::hull(hull.clone()), hull.mesh().unwrap()),
    ];
    for (shape, mesh) in pairs {
        let (found, expected) =
            (Extent::of_convex(&shape).unwrap(), Extent::of_mesh(&mesh, Solidity::Solid).unwrap());
        close(found.measure(), expected.measure(), 1e-3);
        assert!((found.centroid() - expected.centroid()).norm() < 1e-3, "{shape:?}");
        assert!(
            (found.spread() - expected.spread()).amax() < 1e-3 * expected.spread().amax(),
            "{shape:?}: {found:?}"
        );
    }
    for infinite in [ConvexShape::half_space(), ConvexShape::cuboid(Vector3::repeat(1.0)).rounded(0.1)] {
        assert_eq!(Extent::of_convex(&infinite), Err(PenetrationError::NoClosedForm));
    }
    let flat = ConvexShape::cuboid(Vector3::new(1.0, 1.0, 0.0));
    assert!(matches!(Extent::of_convex(&flat), Err(PenetrationError::Shape(ShapeError::ZeroVolume { .. }))));
}

#[test]
fn a_surface_is_weighted_by_area() {
    let torus = Torus { major_radius: 1.0, minor_radius: 0.2, segments: 200, sides: 100 }.mesh().unwrap();
    let shell = Extent::of_mesh(&torus, Solidity::Surface).unwrap();
    assert_eq!(shell.kind(), Measure::Area);
    close(shell.measure(), 4.0 * PI * PI * 0.2, 1e-3);
    // About its axis: R² + 3/2 r² per area (R² + 3/4 r² of the solid).
    let axis = Unit::new_unchecked(Vector3::z());
    close(shell.moment_about(&Point3::origin(), &axis) / shell.measure(), 1.0 + 1.5 * 0.04, 1e-3);
    assert_eq!(Extent::of_mesh(&torus, Solidity::Solid).unwrap().kind(), Measure::Volume);
}

#[test]
fn one_joint_after_another_from_the_base_is_brute_force() {
    let mut noise = Noise(3);
    for round in 0..40 {
        let mimics = round % 2 == 0;
        let seed = noise.0;
        let (articulation, blocks) = tree(&mut noise, mimics);
        // The same tree with its follower set free can be moved one joint at a time.
        let (free, _) = tree(&mut Noise(seed), false);
        let count = articulation.coordinates().len();
        let [from, to] = [(); 2].map(|()| (0..count).map(|_| 1.5 * noise.next()).collect::<Vec<_>>());
        let [base, moved_base] = [(); 2].map(|()| random_pose(&mut noise, 1.0));
        let values = |configuration: &[f64]| {
            let all = articulation.joint_values(configuration).unwrap();
            free.coordinates().iter().map(|&joint| all[joint]).collect::<Vec<_>>()
        };
        let (mut now, target) = (values(&from), values(&to));
        let mut poses = free.link_poses(&now, &base).unwrap();
        let mut expected = 0.0;
        let mut step = |now: &[f64]| {
            let next = free.link_poses(now, &moved_base).unwrap();
            expected += displaced(&blocks, &poses, &next);
            poses = next;
        };
        step(&now);
        for coordinate in 0..now.len() {
            now[coordinate] = target[coordinate];
            step(&now);
        }
        let metric = norm_of(&articulation, &blocks).at(&from, &base).unwrap();
        close(metric.sigma(&to, &moved_base), expected, 1e-11);
        close(metric.sigma_of_joints(&to) + metric.sigma_of_base(&moved_base), expected, 1e-11);
    }
}

#[test]
fn the_true_mean_squared_displacement_is_that_of_the_points() {
    let mut noise = Noise(4);
    let (articulation, blocks) = tree(&mut noise, true);
    let norm = norm_of(&articulation, &blocks);
    let (from, to) = ([0.3, -0.2, 0.9], [-0.4, 0.5, 1.7]);
    let (base, other) = (random_pose(&mut noise, 1.0), random_pose(&mut noise, 1.0));
    let [before, after] =
        [(&from, &base), (&to, &other)].map(|(q, base)| articulation.link_poses(q, base).unwrap());
    let found = norm.mean_squared_displacement((&from, &base), (&to, &other)).unwrap();
    close(found, displaced(&blocks, &before, &after), 1e-12);
}

#[test]
fn small_changes_weigh_what_the_weights_say_and_the_derivative_is_that_of_differences() {
    let mut noise = Noise(5);
    let (articulation, blocks) = tree(&mut noise, true);
    let mut metric =
        norm_of(&articulation, &blocks).at(&[0.3, -0.2, 0.9], &random_pose(&mut noise, 1.0)).unwrap();
    metric.weigh(1, 3.0);
    for coordinate in 0..3 {
        let (small, h) = (1e-4, 1e-6);
        close(metric.of_change(coordinate, small).0, metric.weights()[coordinate] * small * small, 1e-7);
        let at = |change: f64| metric.of_change(coordinate, change);
        close(at(0.8).1, (at(0.8 + h).0 - at(0.8 - h).0) / (2.0 * h), 1e-7);
        let mut moved = metric.configuration().to_vec();
        moved[coordinate] += 0.8;
        close(at(0.8).0, metric.measure() * metric.sigma_of_joints(&moved), 1e-12);
    }
}

/// Two line sticks on hinges, as in `generalized/two_link.csv` of the shared data: d, σ/l² at the optimum, both angles,
/// and the true mean squared displacement over l².
const TWO_LINK: [[f64; 5]; 5] = [
    [1.0, 0.309679891072, 0.141463624944, 1.41934323259, 0.418760012309],
    [1.2, 0.244658442041, 0.134139324891, 1.22612191932, 0.344594990054],
    [1.5, 0.150213062685, 0.113283772409, 0.926496490344, 0.223395809341],
    [1.8, 0.0590864180193, 0.0752608694285, 0.563507350417, 0.0921908530789],
    [1.9, 0.0293846802626, 0.0539539355205, 0.393722917322, 0.0465321155729],
];

#[test]
fn two_line_sticks_have_the_closed_form_at_every_scale() {
    for scale in [1e-3, 1.0, 1e3] {
        let joint = |name: &str, parent: &str, child: &str, x: f64| {
            Joint::new(name, parent, child, revolute(Vector3::z())).at(Isometry3::translation(
                scale * x,
                0.0,
                0.0,
            ))
        };
        let links = ["ground", "upper", "lower"].map(String::from).to_vec();
        let joints = vec![joint("one", "ground", "upper", 0.0), joint("two", "upper", "lower", 1.0)];
        let arm = Articulation::new(links, joints).unwrap();
        let stick = Extent::of_stick(&Point3::origin(), &Point3::new(scale, 0.0, 0.0)).unwrap();
        let norm = ObjectNorm::new(&arm, vec![None, Some(stick), Some(stick)]).unwrap();
        let (here, straight) = (Isometry3::identity(), [0.0, 0.0]);
        let metric = norm.at(&straight, &here).unwrap();
        for [d, sigma, first, second, true_mean] in TWO_LINK {
            let bent = [first, second];
            close(metric.sigma(&bent, &here) / (scale * scale), sigma, 1e-10);
            let found = norm.mean_squared_displacement((&straight, &here), (&bent, &here)).unwrap();
            close(found / (scale * scale), true_mean, 1e-10);
            // The tip is at the wall: the angles mean what they mean there.
            close(first.cos() + (first + second).cos(), d, 1e-9);
        }
    }
}

/// The Puma on a planar base of the shared data (`articulated/puma.json`, `models/puma9`): of each link from the fourth
/// volume, centroid and inertia about its frame as xx, xy, xz, yy, yz, zz, all at density 1, after the origin of its
/// joint as x, y, z and roll, pitch, yaw.
const PUMA: &str = "\
    0.4318 -0.0203 0.1501 0 0 -1.570796325
    0.005499123967423001 0.09078494734525838 5.15502865543301e-05 -3.341638640969293e-05
    1.0748580059254548e-05 -8.710566197610242e-09 1.6609295973511084e-09
    0.00015942128134658834 1.0469711846916372e-08 0.00016256003805126013
    0 0 0 1.570796325 0 1.570796325
    0.000778326462698738 1.4542426179360405e-05 -1.3791715197807014e-05 0.412806423157787
    0.00013386055192152538 9.81207445133506e-11 -4.820780038309058e-09
    0.00013378832236266927 4.918607188233418e-09 9.52856115925602e-07
    0 0 0.4331 1.570796325 0 0
    0.00015767100121006112 5.097390807780983e-05 0.0018550740161983998 2.4684072295809658e-05
    8.42442354381531e-08 4.366697302356482e-11 4.17693776745765e-12
    7.344709853118596e-08 3.431771589215659e-11 1.3488187678193188e-07
    0 0.0558 0 -1.570796325 0 0
    2.02232339728429e-05 -3.644084218349436e-05 -2.5023981718294564e-06 -0.0049214257469144835
    3.864506165883961e-09 6.50156493984167e-12 -2.5028002079263216e-12
    3.870174166574739e-09 6.671103332183256e-13 6.407321320575753e-09";

#[test]
fn the_wrist_of_a_puma_weighs_what_an_independent_program_says() {
    let mut links = vec!["upper".to_owned()];
    let (mut joints, mut extents) = (Vec::new(), vec![None]);
    let numbers: Vec<f64> = PUMA.split_whitespace().map(|number| number.parse().unwrap()).collect();
    for (at, row) in numbers.chunks(16).enumerate() {
        let [x, y, z, roll, pitch, yaw] = std::array::from_fn(|i| row[i]);
        let origin = Isometry3::from_parts(
            Translation3::new(x, y, z),
            UnitQuaternion::from_euler_angles(roll, pitch, yaw),
        );
        links.push(format!("link{at}"));
        joints.push(
            Joint::new(&format!("j{at}"), &links[at], &links[at + 1], revolute(Vector3::z())).at(origin),
        );
        let [volume, cx, cy, cz, xx, xy, xz, yy, yz, zz] = std::array::from_fn(|i| row[i + 6]);
        let inertia = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let about_frame = Matrix3::from_diagonal_element(0.5 * inertia.trace()) - inertia;
        let c = Vector3::new(cx, cy, cz);
        extents
            .push(Some(Extent::given(volume, c.into(), about_frame / volume - c * c.transpose()).unwrap()));
    }
    let puma = Articulation::new(links, joints).unwrap();
    let norm = ObjectNorm::new(&puma, extents).unwrap();
    // The first configuration of puma.json and its weights.
    let configuration = [-0.338837603, -0.765549329, 0.238423938, -0.162575771];
    let weights =
        [0.0003310299484544137, 1.0361014825695757e-06, 1.9061046642967285e-07, 6.407321320575751e-09];
    let metric = norm.at(&configuration, &Isometry3::identity()).unwrap();
    for (found, expected) in metric.weights().iter().zip(weights) {
        close(*found, expected, 1e-7);
    }
}

#[test]
fn a_link_without_an_extent_is_refused_by_name() {
    let hinge = Joint::new("j", "a", "b", revolute(Vector3::z()));
    let tree = Articulation::new(vec!["a".into(), "b".into()], vec![hinge]).unwrap();
    let corners = vec![Point3::origin(), Point3::new(1.0, 0.0, 3.0), Point3::new(0.0, 1.0, 0.1)];
    let sheet = TriangleMesh::new(corners, vec![[0, 1, 2], [2, 1, 0]]).unwrap();
    let block = Cuboid::default().mesh().unwrap();
    let model = |solidity| {
        ArticulatedModel::new(tree.clone(), vec![Some(block.clone()), Some(sheet.clone())], solidity)
    };
    let error = ObjectNorm::of_model(&model(Solidity::Solid)).unwrap_err().to_string();
    assert!(error.contains("link \"b\": the mesh encloses no volume"), "{error}");
    assert_eq!(ObjectNorm::of_model(&model(Solidity::Surface)).unwrap().kind(), Measure::Area);
    let solid = Extent::of_mesh(&block, Solidity::Solid).unwrap();
    let shell = Extent::of_mesh(&sheet, Solidity::Surface).unwrap();
    let error = ObjectNorm::new(&tree, vec![Some(solid), Some(shell)]).unwrap_err().to_string();
    assert_eq!(error, "link \"a\" is measured by volume, link \"b\" by area");
    assert_eq!(
        ObjectNorm::new(&tree, vec![None]),
        Err(ProximityError::Count { what: "extents", given: 1, expected: 2 }.into())
    );
    assert_eq!(ObjectNorm::new(&tree, vec![None, None]), Err(PenetrationError::NoLinkShapes { links: 2 }));
    let long = Matrix3::from_diagonal(&Vector3::new(1.0, -0.1, 1.0));
    for (measure, spread) in [(0.0, Matrix3::identity()), (f64::NAN, Matrix3::identity()), (1.0, long)] {
        let refused = Extent::given(measure, Point3::origin(), spread);
        assert!(matches!(refused, Err(PenetrationError::NoExtent { .. })), "{refused:?}");
    }
    assert!(Extent::of_stick(&Point3::origin(), &Point3::origin()).is_err());
}
