//! Inscribed polyhedra of convex shapes: hulls themselves, and hulls of dense surface points of round shapes.

use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::{Point3, Vector3};

use super::extreme::START_ANYWHERE;
use super::hull::ConvexHull;
use super::shape::{ConvexShape, Core};
use crate::geometry::procedural::{Procedural, Sphere};
use crate::geometry::triangle_mesh::TriangleMesh;

/// Steps of a quarter circle across a rounded edge: the mesh is inside the shape by up to 1 − cos(π/32) = 0.5 % of the rounding
/// radius. Twice as many quarter this error and quadruple the points of a corner.
const STEPS: u32 = 8;
/// Steps around a cylinder or a cone: the mesh is inside by up to 1 − cos(π/96) = 0.05 % of its radius. Twice as many quarter
/// this error and double the points.
const SIDES: u32 = 96;

impl ConvexShape {
    /// Inscribed polyhedron [m, frame of the shape]: the shape itself if it is a hull, otherwise inside it by up to 0.5 % of
    /// the rounding radius and 0.05 % of the radius of a cylinder or cone. `None` for a half-space, and for a hull without
    /// area.
    #[must_use]
    pub fn inscribed_polyhedron(&self) -> Option<TriangleMesh> {
        match self.core() {
            Core::Hull(hull) if self.radius() == 0.0 => hull.mesh().ok(),
            _ => ConvexHull::new(&surface_points(self)).ok()?.mesh().ok(),
        }
    }
}

/// Points of the surface, dense enough that their hull approximates the shape. None for a half-space.
fn surface_points(shape: &ConvexShape) -> Vec<Point3<f64>> {
    let radius = shape.radius();
    match shape.core() {
        Core::Point => around_box(&Vector3::zeros(), radius),
        Core::Segment { half_length } => around_box(&Vector3::new(0.0, 0.0, *half_length), radius),
        Core::Cuboid { half_extents } => around_box(half_extents, radius),
        Core::Cylinder { radius: rim, half_height } => {
            let upper = Arc { center: [*rim, *half_height], from: 0.0, to: FRAC_PI_2 };
            let lower = Arc { center: [*rim, -half_height], from: -FRAC_PI_2, to: 0.0 };
            revolved(&[upper, lower], radius)
        }
        Core::Cone { radius: rim, half_height } => {
            // Elevation of the normal of the lateral surface.
            let raised = rim.atan2(2.0 * half_height);
            let apex = Arc { center: [0.0, *half_height], from: raised, to: FRAC_PI_2 };
            let base = Arc { center: [*rim, -half_height], from: -FRAC_PI_2, to: raised };
            revolved(&[apex, base], radius)
        }
        Core::Hull(hull) => around_hull(hull, radius),
        Core::HalfSpace => Vec::new(),
    }
}

/// One eighth of a sphere at each corner of a box.
fn around_box(half_extents: &Vector3<f64>, radius: f64) -> Vec<Point3<f64>> {
    let mut points = Vec::new();
    for outward in directions() {
        // A direction in a coordinate plane belongs to the corners on both sides of it.
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

/// Unit vectors of all directions, with circles in the coordinate planes, which make the rounded edges of boxes.
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

/// Vertices of a hull, offset along the normals of their facets, along the arcs between those of adjacent facets, and
/// along a grid of the directions in which they are extreme.
fn around_hull(hull: &ConvexHull, radius: f64) -> Vec<Point3<f64>> {
    let mut points = Vec::new();
    for facet in hull.facets() {
        let sides = facet.corners.iter().enumerate();
        for ((side, &corner), &neighbour) in sides.zip(facet.neighbours) {
            let across = hull.facet(neighbour).normal;
            let ends = [corner, facet.corners[(side + 1) % facet.corners.len()]];
            let steps = arc_steps(facet.normal.angle(&across));
            // The arc excludes its end, which is the start of the neighbour's own.
            for step in 0..steps {
                let outward = facet.normal.slerp(&across, f64::from(step) / f64::from(steps));
                points.extend(ends.map(|end| hull.vertices()[end as usize] + radius * *outward));
            }
        }
    }
    let core = Core::Hull(std::sync::Arc::new(hull.clone()));
    points.extend(directions().iter().map(|direction| {
        let support = core.support(direction, START_ANYWHERE);
        Point3::from(support.point + radius * direction)
    }));
    points
}

fn arc_steps(angle: f64) -> u32 {
    (angle / FRAC_PI_2 * f64::from(STEPS)).ceil().max(1.0) as u32
}

/// Arc of a profile (distance from the axis, height), given by the elevations of its normals [rad].
struct Arc {
    center: [f64; 2],
    from: f64,
    to: f64,
}

/// Surface of revolution of arcs about the z axis.
fn revolved(arcs: &[Arc], radius: f64) -> Vec<Point3<f64>> {
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
