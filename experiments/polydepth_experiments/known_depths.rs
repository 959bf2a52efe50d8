//! Pairs whose exact depth is known in advance, made in place.

use std::sync::Arc;

use extricate::geometry::Solidity;
use extricate::geometry::convex::{ConvexHull, ConvexShape};
use extricate::geometry::procedural::{Cuboid, Procedural, Sphere, Torus};
use extricate::penetration::convex::{ConvexCache, ConvexOptions, signed_distance};
use extricate::proximity::Model;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::accuracy::Set;
use super::answers::Pair;
use super::motion::Random;
use super::subjects::Result;

/// Supports after which a search for a certified depth is given up: nearly concentric spheres have a near tie in
/// every direction.
const SUPPORTS: u32 = 20_000;
/// Bounds that agree to this fraction of the size are a certificate.
const CERTIFIED: f64 = 1e-9;
/// Overlaps below this fraction of the size are left out.
const SHALLOW: f64 = 1e-3;

/// A pair that overlaps, and its depth [m].
pub(crate) struct Case {
    pub(crate) models: (Arc<Model>, Arc<Model>),
    /// Of A and of B, body to world.
    pub(crate) poses: [Isometry3<f64>; 2],
    /// The reference.
    pub(crate) depth: f64,
    /// Depth of the original library [m].
    pub(crate) original: Option<f64>,
}

impl Case {
    pub(crate) fn pair(&self) -> Pair<'_> {
        let [pose_a, pose_b] = &self.poses;
        Pair { a: &self.models.0, pose_a, b: &self.models.1, pose_b }
    }
}

/// Sets with this number of cases each.
pub(crate) fn sets(count: usize) -> Result<Vec<Set>> {
    let set = |name: &str, reference, cases| Set { name: name.to_owned(), reference, exact: true, cases };
    Ok(vec![
        set("boxes", "convex depth, certified", boxes(count)?),
        set("boxes, faces parallel", "closed form", parallel_boxes(count)?),
        set("hulls of 40 points", "convex depth, certified", hulls(count)?),
        set("spheres of 1280 triangles", "convex depth, certified", spheres(count)?),
        set("coaxial tori of 2k triangles", "closed form", coaxial_tori(count)?),
    ])
}

/// A convex shape as a mesh and in the form from which its exact depth is computed.
struct Convex {
    model: Arc<Model>,
    shape: ConvexShape,
}

/// Random poses of two convex shapes that overlap, with their certified depths.
fn convex(
    count: usize,
    seed: u64,
    mut shapes: impl FnMut(&mut Random) -> Result<[Convex; 2]>,
) -> Result<Vec<Case>> {
    let mut random = Random::new(seed);
    let mut cases = Vec::new();
    while cases.len() < count {
        let [a, b] = shapes(&mut random)?;
        let reach = 0.5 * (a.model.radius() + b.model.radius());
        let away = random.direction().into_inner() * (reach * (1.0 + random.next()));
        let poses = [
            Isometry3::from_parts(away.into(), random.rotation()),
            Isometry3::from_parts(Vector3::zeros().into(), random.rotation()),
        ];
        let options = ConvexOptions { max_iterations: SUPPORTS, ..ConvexOptions::default() };
        let mut cache = ConvexCache::default();
        let found = signed_distance(&a.shape, &poses[0], &b.shape, &poses[1], &options, &mut cache)?;
        let certified = found.at_most - found.value <= CERTIFIED * reach;
        if let Some(depth) = found.depth().filter(|&depth| certified && depth > SHALLOW * reach) {
            cases.push(Case { models: (a.model, b.model), poses, depth, original: None });
        }
    }
    Ok(cases)
}

/// Full edge lengths of a box [m].
fn size(random: &mut Random) -> Vector3<f64> {
    Vector3::from_fn(|_, _| 0.6 + 0.4 * random.next())
}

fn cuboid(size: &Vector3<f64>) -> Result<Arc<Model>> {
    let cuboid = Cuboid { x: size.x, y: size.y, z: size.z, ..Cuboid::default() };
    Ok(Arc::new(Model::new(cuboid.mesh()?, Solidity::Solid)))
}

fn boxes(count: usize) -> Result<Vec<Case>> {
    let one = |random: &mut Random| -> Result<Convex> {
        let size = size(random);
        Ok(Convex { model: cuboid(&size)?, shape: ConvexShape::cuboid(size) })
    };
    convex(count, 11, |random| Ok([one(random)?, one(random)?]))
}

/// Boxes whose faces are parallel, rotated together: the minimum overlap along an axis.
fn parallel_boxes(count: usize) -> Result<Vec<Case>> {
    let mut random = Random::new(12);
    let case = |_| {
        let sizes = [size(&mut random), size(&mut random)];
        let reach = 0.5 * (sizes[0] + sizes[1]);
        let between = reach.map(|reach| 0.95 * reach * random.next());
        let depth = (reach - between.abs()).min();
        let frame = Isometry3::from_parts(random.point().into(), random.rotation());
        let poses = [frame * Translation3::from(between), frame];
        Ok(Case { models: (cuboid(&sizes[0])?, cuboid(&sizes[1])?), poses, depth, original: None })
    };
    (0..count).map(case).collect()
}

fn hulls(count: usize) -> Result<Vec<Case>> {
    let one = |random: &mut Random| -> Result<Convex> {
        let points: Vec<Point3<f64>> = (0..40).map(|_| random.point()).collect();
        let hull = Arc::new(ConvexHull::new(&points)?);
        let model = Arc::new(Model::new(hull.mesh()?, Solidity::Solid));
        Ok(Convex { model, shape: ConvexShape::hull(hull) })
    };
    convex(count, 13, |random| Ok([one(random)?, one(random)?]))
}

fn spheres(count: usize) -> Result<Vec<Case>> {
    let mesh = Sphere::default().mesh()?;
    let hull = Arc::new(ConvexHull::new(mesh.vertices())?);
    let model = Arc::new(Model::new(mesh, Solidity::Solid));
    let one = || Convex { model: model.clone(), shape: ConvexShape::hull(hull.clone()) };
    convex(count, 14, |_| Ok([one(), one()]))
}

/// Two equal tori about parallel axes, moved apart by less than their diameter across and by h along the axes: the
/// depth is 2r − h with r the radius of the tube, because the centre lines cross as seen along the axes, so that they
/// are never farther apart than h. Tessellated with a corner at the top of the tube, they keep that depth.
fn coaxial_tori(count: usize) -> Result<Vec<Case>> {
    let torus = Torus { segments: 50, sides: 20, ..Torus::default() };
    let (model, tube) = (Arc::new(Model::new(torus.mesh()?, Solidity::Solid)), torus.minor_radius);
    let mut random = Random::new(15);
    let case = |_| {
        let height = tube * (1.1 + 0.8 * random.next());
        let across = 0.3 * random.next() * torus.major_radius;
        let spin = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 3.0 * random.next());
        let frame = Isometry3::from_parts(random.point().into(), random.rotation());
        let above = Isometry3::from_parts(Vector3::new(across, 0.0, height).into(), spin);
        let poses = [frame * above, frame];
        Case { models: (model.clone(), model.clone()), poses, depth: 2.0 * tube - height, original: None }
    };
    Ok((0..count).map(case).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate::proximity::collide;

    #[test]
    fn moving_by_the_known_depth_in_some_direction_frees_parallel_boxes_and_less_does_not() {
        for case in parallel_boxes(20).unwrap() {
            let [pose_a, pose_b] = &case.poses;
            let free = |length: f64| {
                let axes =
                    [Vector3::x(), Vector3::y(), Vector3::z()].into_iter().flat_map(|axis| [axis, -axis]);
                let mut moved = axes.map(|axis| Translation3::from(pose_b.rotation * axis * length) * pose_a);
                moved.any(|pose| !collide(&case.models.0, &pose, &case.models.1, pose_b))
            };
            assert!(free(case.depth * (1.0 + 1e-6)) && !free(case.depth * (1.0 - 1e-6)));
        }
    }

    #[test]
    fn coaxial_tori_are_free_after_their_depth_along_the_axis_and_in_no_direction_before() {
        let mut random = Random::new(3);
        for case in coaxial_tori(5).unwrap() {
            let [pose_a, pose_b] = &case.poses;
            let free = |shift: Vector3<f64>| {
                let moved = Translation3::from(shift) * pose_a;
                !collide(&case.models.0, &moved, &case.models.1, pose_b)
            };
            assert!(free(pose_b.rotation * Vector3::z() * (case.depth * (1.0 + 1e-6))));
            assert!((0..500).all(|_| !free(random.direction().into_inner() * (case.depth * 0.999))));
        }
    }
}
