//! Classes of pairs made from seeds: the kinds of the files, and kinds that the files do not hold.
//!
//! The truth about a pair is the minimum depth that local searches from many directions find, each evaluated by
//! independent supports: an upper bound, which nothing but a search that missed the minimum one can make too large.

use std::rc::Rc;

use extricate::geometry::procedural::{Procedural, Sphere};
use extricate::penetration::convex::incremental::{IncrementalOptions, incremental};
use extricate::penetration::convex::{ConvexCache, ConvexOptions, signed_distance};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::cases::{Case, Class, Truth};
use super::forms::{Form, free_after};
use super::random::Random;
use super::shapes::{Result, Shape};

/// Pairs of a class of single poses, and steps of its motions together.
const PAIRS: usize = 500;
/// Steps of a motion.
const STEPS: usize = 100;
/// Shapes among which those of random hulls are drawn.
const POOL: usize = 10;
/// Directions at random from which the minimum depth is searched.
const STARTS: usize = 40;
/// Maximum distance of the origins, relative to the sum of the bounding radii; farther, few pairs overlap.
const NEAR: f64 = 0.8;
/// Rotation of a step of a motion [rad], and its displacement relative to the size.
const STEP: (f64, f64) = (0.5 * std::f64::consts::PI / 180.0, 0.002);
/// Depths between which a motion stays, relative to the size.
const MOTION_DEPTHS: (f64, f64) = (0.01, 0.3);

/// Shapes of a class, about a metre in size.
#[derive(Clone, Copy)]
enum Kind {
    Sphere,
    Capsule,
    Box(f64, f64, f64),
    Cylinder,
    Cone,
    /// 10 f² + 2 points of a sphere.
    Icosphere(u32),
    /// The same, its halves pulled apart.
    RoundedBar(u32),
    /// A number of points of an ellipsoid with these half axes.
    Hull(usize, [f64; 3]),
}

#[derive(Clone, Copy, PartialEq)]
enum Placement {
    Anywhere,
    /// Overlapping by 1e-7 to 1e-3 of a metre.
    Touching,
    Concentric,
    /// Turned by right angles.
    Aligned,
    Motion,
}

type Recipe = (&'static str, Kind, Kind, Placement);

const ROUND: [f64; 3] = [0.4, 0.4, 0.4];
const CUBE: Kind = Kind::Box(1.0, 1.0, 1.0);

/// The classes of the files, by their names.
#[rustfmt::skip]
const LIKE_THE_FILES: [Recipe; 22] = [
    ("box_box", Kind::Box(1.0, 0.6, 0.3), Kind::Box(0.8, 1.0, 0.4), Placement::Anywhere),
    ("capm162_capm162", Kind::RoundedBar(4), Kind::RoundedBar(4), Placement::Anywhere),
    ("capsule_capsule", Kind::Capsule, Kind::Capsule, Placement::Anywhere),
    ("cube_cube", CUBE, CUBE, Placement::Anywhere),
    ("cyl_cone", Kind::Cylinder, Kind::Cone, Placement::Anywhere),
    ("hull100", Kind::Hull(100, ROUND), Kind::Hull(100, ROUND), Placement::Anywhere),
    ("hull20", Kind::Hull(20, ROUND), Kind::Hull(20, ROUND), Placement::Anywhere),
    ("ico162_capsule", Kind::Icosphere(4), Kind::Capsule, Placement::Anywhere),
    ("ico162_ico162", Kind::Icosphere(4), Kind::Icosphere(4), Placement::Anywhere),
    ("ico2562_ico2562", Kind::Icosphere(16), Kind::Icosphere(16), Placement::Anywhere),
    ("ico42_ico42", Kind::Icosphere(2), Kind::Icosphere(2), Placement::Anywhere),
    ("seq_capsule_capsule", Kind::Capsule, Kind::Capsule, Placement::Motion),
    ("seq_cube_cube", CUBE, CUBE, Placement::Motion),
    ("seq_hull50", Kind::Hull(50, ROUND), Kind::Hull(50, ROUND), Placement::Motion),
    ("seq_ico162", Kind::Icosphere(4), Kind::Icosphere(4), Placement::Motion),
    ("sphere_capsule", Kind::Sphere, Kind::Capsule, Placement::Anywhere),
    ("sphere_sphere", Kind::Sphere, Kind::Sphere, Placement::Anywhere),
    ("stress_cube_aligned", CUBE, CUBE, Placement::Aligned),
    ("stress_cube_concentric", CUBE, CUBE, Placement::Concentric),
    ("stress_flat1e-2", Kind::Hull(100, [0.5, 0.5, 0.005]), Kind::Hull(100, ROUND), Placement::Anywhere),
    ("stress_needle", Kind::Hull(100, [0.01, 0.01, 0.5]), Kind::Hull(100, [0.01, 0.01, 0.5]), Placement::Anywhere),
    ("stress_touch_cube", CUBE, CUBE, Placement::Touching),
];

const BEYOND_THE_FILES: [Recipe; 6] = [
    ("made_hull500", Kind::Hull(500, ROUND), Kind::Hull(500, ROUND), Placement::Anywhere),
    ("made_ico642", Kind::Icosphere(8), Kind::Icosphere(8), Placement::Anywhere),
    ("made_seq_cube", CUBE, CUBE, Placement::Motion),
    ("made_seq_hull50", Kind::Hull(50, ROUND), Kind::Hull(50, ROUND), Placement::Motion),
    ("made_seq_hull500", Kind::Hull(500, ROUND), Kind::Hull(500, ROUND), Placement::Motion),
    ("made_seq_ico642", Kind::Icosphere(8), Kind::Icosphere(8), Placement::Motion),
];

/// Classes like those of the files.
pub(crate) fn like_the_files() -> Result<Vec<Class>> {
    LIKE_THE_FILES.iter().map(class).collect()
}

/// Fine hulls and icospheres, and their motions.
pub(crate) fn beyond_the_files() -> Result<Vec<Class>> {
    BEYOND_THE_FILES.iter().map(class).collect()
}

fn class(&(name, left, right, placement): &Recipe) -> Result<Class> {
    let mut random = Random::new(name.bytes().fold(0, |seed, byte| 257 * seed + u64::from(byte)));
    let pools = [pool(left, &mut random)?, pool(right, &mut random)?];
    let mut cases = Vec::new();
    while cases.len() < PAIRS {
        let [a, b] = pools.each_ref().map(|pool| &pool[random.below(pool.len())]);
        let sequence = cases.len() as u64;
        if placement == Placement::Motion {
            cases.extend(motion(a, b, sequence, &mut random));
        } else if let Some(pose) = place(placement, a, b, &mut random)
            && let Some(case) = judged(a, b, pose, sequence, &mut random)
        {
            cases.push(case);
        }
    }
    let relative_tolerance = if matches!(left, Kind::Cylinder) { 1e-6 } else { 1e-9 };
    Ok(Class { name: name.to_owned(), cases, relative_tolerance })
}

fn pool(kind: Kind, random: &mut Random) -> Result<Vec<Rc<Shape>>> {
    let shapes = if matches!(kind, Kind::Hull(..)) { POOL } else { 1 };
    (0..shapes).map(|_| Ok(Rc::new(Shape::new(form(kind, random)?)?))).collect()
}

fn form(kind: Kind, random: &mut Random) -> Result<Form> {
    let icosphere =
        |frequency| -> Result<_> { Ok(Sphere { radius: 0.5, frequency }.mesh()?.vertices().to_vec()) };
    Ok(match kind {
        Kind::Sphere => Form::Sphere(0.5),
        Kind::Capsule => Form::Capsule { radius: 0.5, length: 1.0 },
        Kind::Box(x, y, z) => Form::Cuboid(Vector3::new(x, y, z)),
        Kind::Cylinder => Form::Cylinder { radius: 0.5, height: 1.0 },
        Kind::Cone => Form::Cone { radius: 0.5, height: 1.0 },
        Kind::Icosphere(frequency) => Form::Hull(icosphere(frequency)?),
        Kind::RoundedBar(frequency) => {
            let pulled = |p: nalgebra::Point3<f64>| p * 0.5 + Vector3::z() * 0.25_f64.copysign(p.z);
            Form::Hull(icosphere(frequency)?.into_iter().map(pulled).collect())
        }
        Kind::Hull(points, half_axes) => {
            let axes = Vector3::from(half_axes);
            let point = |_| random.direction().component_mul(&axes).into();
            Form::Hull((0..points).map(point).collect())
        }
    })
}

/// A pose of B in the frame of A, overlapping unless it is unlucky.
fn place(placement: Placement, a: &Shape, b: &Shape, random: &mut Random) -> Option<Isometry3<f64>> {
    let near = NEAR * (a.reach + b.reach);
    let mut pose = random.pose(near);
    match placement {
        Placement::Concentric => pose.translation = Translation3::identity(),
        Placement::Aligned => pose.rotation = random.quarter_turn(),
        Placement::Touching => {
            let (depth, direction) = deepest(a, b, &pose)?;
            let by = depth - random.magnitude(-7.0, -3.0);
            pose.translation.vector -= direction.into_inner() * by;
        }
        Placement::Anywhere | Placement::Motion => {}
    }
    Some(pose)
}

/// Steps of a motion, there and back where it would leave the depths.
fn motion(a: &Rc<Shape>, b: &Rc<Shape>, sequence: u64, random: &mut Random) -> Vec<Case> {
    let size = a.reach + b.reach;
    let stays = |pose: &Isometry3<f64>| {
        let (min, most) = MOTION_DEPTHS;
        deepest(a, b, pose).is_some_and(|(depth, _)| depth > min * size && depth < most * size)
    };
    let rotation = UnitQuaternion::from_axis_angle(&random.direction(), STEP.0);
    let mut displacement = random.direction().into_inner() * (STEP.1 * size);
    let mut pose = random.pose(size);
    let mut cases = Vec::new();
    while cases.len() < STEPS {
        let step = |displacement: Vector3<f64>| {
            Isometry3::from_parts((pose.translation.vector + displacement).into(), rotation * pose.rotation)
        };
        let next = if stays(&step(displacement)) { step(displacement) } else { step(-displacement) };
        if !stays(&next) {
            return Vec::new();
        }
        if next != step(displacement) {
            displacement = -displacement;
        }
        pose = next;
        cases.extend(judged(a, b, pose, sequence, random));
    }
    cases
}

/// Depth and direction of the certified answer.
fn deepest(a: &Shape, b: &Shape, pose: &Isometry3<f64>) -> Option<(f64, Unit<Vector3<f64>>)> {
    let (here, options) = (Isometry3::identity(), ConvexOptions::default());
    let found = signed_distance(&a.ours, &here, &b.ours, pose, &options, &mut ConvexCache::default()).ok()?;
    (found.value < 0.0).then_some((-found.value, found.direction))
}

/// The pair with the minimum depth that is found, if it overlaps.
fn judged(
    a: &Rc<Shape>,
    b: &Rc<Shape>,
    pose: Isometry3<f64>,
    sequence: u64,
    random: &mut Random,
) -> Option<Case> {
    let here = Isometry3::identity();
    let (_, answered) = deepest(a, b, &pose)?;
    let options = IncrementalOptions { relative_tolerance: 1e-12, ..IncrementalOptions::default() };
    let searched = |guess: Unit<Vector3<f64>>| {
        incremental(&a.ours, &here, &b.ours, &pose, &guess, &options).ok()?.map(|found| found.direction)
    };
    let starts: Vec<_> = (0..STARTS).map(|_| random.direction()).chain([answered]).collect();
    let depth = |direction: &Vector3<f64>| free_after((&a.form, &here), (&b.form, &pose), direction);
    let direction = starts
        .into_iter()
        .filter_map(searched)
        .chain([answered])
        .min_by(|p, q| depth(p).total_cmp(&depth(q)))?;
    let across = direction.cross(&random.direction());
    let truth = Truth { depth: depth(&direction), gap: 0.0, direction, beside: Unit::new_normalize(across) };
    Some(Case { a: Rc::clone(a), b: Rc::clone(b), pose, sequence, truth })
}
