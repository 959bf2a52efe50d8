//! The spanning distance.

use std::f64::consts::TAU;

use nalgebra::{Point3, Vector3};

use super::error::QueryError;
use super::options::SpanningOptions;
use super::posed::{Part, Posed};
use super::shape::used_vertices;
use crate::geometry::convex::Core;
use crate::geometry::convex::polyhedron::box_corners;
use crate::proximity::spanning_distance;

/// The maximum distance of a point of A and a point of B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spanning {
    /// The distance of the points \[m\]: a lower bound, attained.
    pub value: f64,
    /// Proved upper bound \[m\]: the value itself up to rounding, unless a cylinder or a cone takes part.
    pub upper_bound: f64,
    /// A point of A and one of B that are that far apart [m, world].
    pub points: [Point3<f64>; 2],
    /// Indices of the vertices of A's and of B's mesh that attain it; `None` unless both are meshes.
    pub vertices: Option<[u32; 2]>,
    /// Indices of the part of A and of B in [`Posed::parts`].
    pub parts: [usize; 2],
}

/// The maximum distance of a point of A and a point of B; for several parts the maximum over all pairs.
///
/// It is attained at vertices, or at points of the rims of cylinders and cones, which are replaced by as many points as the
/// tolerance demands; the radius of a rounded shape is added.
///
/// # Errors
/// [`QueryError::Unsupported`] for a half-space; [`QueryError::Option`]; [`QueryError`] when a pose or a size is invalid.
#[expect(clippy::missing_panics_doc, reason = "a posed shape has at least one part")]
pub fn spanning(a: &Posed, b: &Posed, options: &SpanningOptions) -> Result<Spanning, QueryError> {
    let tolerance = options.relative_tolerance;
    if !(1e-7..1.0).contains(&tolerance) {
        let option = "relative tolerance";
        return Err(QueryError::Option { option, value: tolerance, accepted: "from 1e-7 to 1" });
    }
    a.check("A")?;
    b.check("B")?;
    let mut best: Option<Spanning> = None;
    for (i, first) in a.parts().enumerate() {
        for (j, second) in b.parts().enumerate() {
            let found = Spanning { parts: [i, j], ..of_parts(first, second, tolerance)? };
            // The pair that attains the maximum need not have the largest bound.
            let upper_bound = best.map_or(found.upper_bound, |best| best.upper_bound.max(found.upper_bound));
            let farther = best.filter(|best| best.value >= found.value).unwrap_or(found);
            best = Some(Spanning { upper_bound, ..farther });
        }
    }
    Ok(best.expect("there is a part"))
}

fn of_parts(a: &Part, b: &Part, tolerance: f64) -> Result<Spanning, QueryError> {
    if let (Some(first), Some(second)) = (a.shape.model(), b.shape.model()) {
        let found = spanning_distance(first, &a.pose, second, &b.pose);
        let (value, points, vertices) = (found.value, found.witnesses, Some(found.vertices));
        return Ok(Spanning { value, upper_bound: value, points, vertices, parts: [0, 0] });
    }
    let (Some(first), Some(second)) = (Extremes::of(a, tolerance), Extremes::of(b, tolerance)) else {
        let shapes = [a, b].map(|part| part.shape.kind());
        let reason = "a half-space has no farthest point";
        return Err(QueryError::Unsupported { query: "the spanning distance", shapes, reason });
    };
    Ok(first.farthest(&second))
}

/// Points among which are the farthest points of a shape.
struct Extremes {
    /// Points of the core [m, world].
    points: Vec<Point3<f64>>,
    /// Radius around the core [m].
    radius: f64,
    /// Maximum distance of a point of the core from the hull of the points [m].
    missing: f64,
}

impl Extremes {
    /// The extremes of a shape at a pose; `None` for a half-space.
    fn of(part: &Part, tolerance: f64) -> Option<Self> {
        let at = |points: Vec<Point3<f64>>| points.iter().map(|point| part.pose * point).collect();
        let Some(shape) = part.shape.core() else {
            let model = part.shape.model()?;
            return Some(Self { points: at(used_vertices(model).collect()), radius: 0.0, missing: 0.0 });
        };
        let on_axis = |z: f64| Point3::new(0.0, 0.0, z);
        let (points, missing) = match shape.core() {
            Core::Point => (vec![Point3::origin()], 0.0),
            Core::Segment { half_length: h } => (vec![on_axis(-h), on_axis(*h)], 0.0),
            Core::Cuboid { half_extents } => (box_corners(half_extents), 0.0),
            Core::Hull(hull) => (hull.vertices().to_vec(), 0.0),
            Core::Cylinder { radius, half_height: h } => {
                let (mut points, missing) = rim(*radius, -h, tolerance);
                points.extend(rim(*radius, *h, tolerance).0);
                (points, missing)
            }
            Core::Cone { radius, half_height: h } => {
                let (mut points, missing) = rim(*radius, -h, tolerance);
                points.push(on_axis(*h));
                (points, missing)
            }
            Core::HalfSpace => return None,
        };
        Some(Self { points: at(points), radius: shape.radius(), missing })
    }

    fn farthest(&self, other: &Self) -> Spanning {
        let mut best = (f64::NEG_INFINITY, [Point3::origin(); 2]);
        for p in &self.points {
            for q in &other.points {
                let squared = nalgebra::distance_squared(p, q);
                if squared > best.0 {
                    best = (squared, [*p, *q]);
                }
            }
        }
        let [p, q] = best.1;
        // Coincident points span their radii in any direction.
        let outward = (p - q).try_normalize(0.0).unwrap_or_else(Vector3::x);
        let value = best.0.sqrt() + self.radius + other.radius;
        Spanning {
            value,
            upper_bound: value + self.missing + other.missing,
            points: [p + outward * self.radius, q - outward * other.radius],
            vertices: None,
            parts: [0, 0],
        }
    }
}

/// Points of a circle of a radius at a height, and the maximum distance of a point of it from their polygon [m]: the sagitta
/// r (1 − cos π/n) ≤ r π²/2n².
fn rim(radius: f64, z: f64, tolerance: f64) -> (Vec<Point3<f64>>, f64) {
    // Inverts the sagitta bound for the tolerance.
    let sides = (TAU / (8.0 * tolerance).sqrt()).ceil().max(8.0);
    let angle = |i: u32| TAU * f64::from(i) / sides;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 8 and 7025")]
    let points = (0..sides as u32).map(|i| Point3::new(radius * angle(i).cos(), radius * angle(i).sin(), z));
    (points.collect(), radius * (1.0 - (0.5 * TAU / sides).cos()))
}
