//! Meshes of hulls and of rounded shapes: fine ones from points on the surface.

use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::{Point3, Vector3};

use extricate_core::geometry::convex::{ConvexHull, ConvexShape, Core};
use extricate_core::geometry::procedural::{Procedural, Sphere};
use extricate_core::geometry::{ShapeError, TriangleMesh};

/// Steps of a quarter of a circle across a rounded edge: the mesh lies inside the shape by up to 0.5 % of the radius
/// around it.
const STEPS: u32 = 8;
/// Steps around a cylinder or a cone: the mesh lies inside by up to 0.05 % of its radius.
const SIDES: u32 = 96;

/// The mesh of a hull, or a fine one of a rounded shape.
pub(crate) fn mesh_of(shape: &ConvexShape) -> Result<TriangleMesh, ShapeError> {
    match shape.core() {
        Core::Hull(hull) if shape.radius() == 0.0 => hull.mesh(),
        _ => ConvexHull::new(&surface_points(shape))?.mesh(),
    }
}

/// Points of the surface, enough of them for their hull to stand for the shape. A half-space has none.
fn surface_points(shape: &ConvexShape) -> Vec<Point3<f64>> {
    let radius = shape.radius();
    match shape.core() {
        Core::Point => around_box(&Vector3::zeros(), radius),
        Core::Segment { half_length } => around_box(&Vector3::new(0.0, 0.0, *half_length), radius),
        Core::Cuboid { half_extents } => around_box(half_extents, radius),
        Core::Cylinder { radius: rim, half_height } => {
            let upper = Arc { center: [*rim, *half_height], from: 0.0, to: FRAC_PI_2 };
            let lower = Arc { center: [*rim, -half_height], from: -FRAC_PI_2, to: 0.0 };
            turned(&[upper, lower], radius)
        }
        Core::Cone { radius: rim, half_height } => {
            // The side's normal is raised by this angle above the horizontal.
            let raised = rim.atan2(2.0 * half_height);
            let apex = Arc { center: [0.0, *half_height], from: raised, to: FRAC_PI_2 };
            let base = Arc { center: [*rim, -half_height], from: -FRAC_PI_2, to: raised };
            turned(&[apex, base], radius)
        }
        Core::Hull(hull) => around_hull(hull, radius),
        Core::HalfSpace => Vec::new(),
    }
}

/// An eighth of a sphere at each corner of a box.
fn around_box(half_extents: &Vector3<f64>, radius: f64) -> Vec<Point3<f64>> {
    let mut points = Vec::new();
    for outward in directions() {
        let sides = outward.map(|x| if x == 0.0 { &[-1.0, 1.0][..] } else { &[1.0][..] });
        for (&x, &y, &z) in sides.x.iter().flat_map(|x| {
            let sides = &sides;
            sides.y.iter().flat_map(move |y| sides.z.iter().map(move |z| (x, y, z)))
        }) {
            let side =
                Vector3::new(x, y, z).zip_map(&outward, |side, x| if x == 0.0 { side } else { x.signum() });
            points.push(Point3::from(half_extents.component_mul(&side) + radius * outward));
        }
    }
    points
}

/// Unit vectors all around, with circles along the coordinate planes: the edges of boxes.
fn directions() -> Vec<Vector3<f64>> {
    let sphere = Sphere { radius: 1.0, frequency: STEPS }.mesh();
    let geodesic = sphere.iter().flat_map(|mesh| mesh.vertices()).map(|vertex| vertex.coords);
    let step = FRAC_PI_2 / f64::from(STEPS);
    let quarter = (0..STEPS).map(|i| (f64::from(i) * step).sin_cos()).flat_map(|(s, c)| [[c, s], [-s, c]]);
    let circle = quarter.flat_map(|[c, s]| [[c, s], [-c, -s]]);
    let circles =
        circle.flat_map(|[c, s]| [Vector3::new(c, s, 0.0), Vector3::new(0.0, c, s), Vector3::new(s, 0.0, c)]);
    geodesic.chain(circles).collect()
}

/// A hull's corners, moved out along the normals of the facets around them, along the arcs between those of
/// neighbours, and along all directions in which they are extreme.
fn around_hull(hull: &ConvexHull, radius: f64) -> Vec<Point3<f64>> {
    let mut points = Vec::new();
    for facet in hull.facets() {
        let sides = facet.corners.iter().enumerate();
        for ((side, &corner), &neighbour) in sides.zip(facet.neighbours) {
            let across = hull.facet(neighbour).normal;
            let ends = [corner, facet.corners[(side + 1) % facet.corners.len()]];
            let steps = arc_steps(facet.normal.angle(&across));
            for step in 0..steps {
                let outward = facet.normal.slerp(&across, f64::from(step) / f64::from(steps));
                points.extend(ends.map(|end| hull.vertices()[end as usize] + radius * *outward));
            }
        }
    }
    let core = Core::Hull(std::sync::Arc::new(hull.clone()));
    points.extend(directions().iter().map(|direction| {
        let support = core.support(direction, extricate_core::geometry::convex::START_ANYWHERE);
        Point3::from(support.point + radius * direction)
    }));
    points
}

fn arc_steps(angle: f64) -> u32 {
    (angle / FRAC_PI_2 * f64::from(STEPS)).ceil().max(1.0) as u32
}

/// An arc of a profile (distance from the axis, height), by the angles of its normals above the horizontal.
struct Arc {
    center: [f64; 2],
    from: f64,
    to: f64,
}

/// Arcs turned around the z axis.
fn turned(arcs: &[Arc], radius: f64) -> Vec<Point3<f64>> {
    let mut points = Vec::new();
    for arc in arcs {
        let steps = arc_steps(arc.to - arc.from);
        for step in 0..=steps {
            let normal = arc.from + (arc.to - arc.from) * f64::from(step) / f64::from(steps);
            let (out, z) = (arc.center[0] + radius * normal.cos(), arc.center[1] + radius * normal.sin());
            let around = (0..SIDES).map(|side| TAU * f64::from(side) / f64::from(SIDES));
            points.extend(around.map(|azimuth| Point3::new(out * azimuth.cos(), out * azimuth.sin(), z)));
        }
    }
    points
}
