//! Elementary tests of continuous collision: a moving vertex against a moving triangle, two moving edges.
//!
//! Every point moves on a straight line, x(t) = (1 − t) start + t end, t ∈ [0, 1]. The classic method computes the roots of
//! the coplanarity cubic [Lin17 §40.3, Pro97], whose rounding can miss a contact ("reliable methods", ibid.). Here the
//! result *none* is a proof instead, with the guarantee of [WFS+21]: the time advances over intervals that one of three
//! certificates proves free, each evaluated with an upper bound of its rounding:
//!
//! - a **separating plane** with a fixed normal, along the line through the closest points at the current time. Distances
//!   to it are linear in time, so it separates until the first of them vanishes: conservative advancement [TKM10] whose
//!   motion bound is exact along the normal;
//! - the **coplanarity** det(e₁, e₂, r)(t), a cubic whose Bernstein coefficients bound it: where it does not vanish the
//!   four points are not in a plane, so nothing touches, however much the triangle rotates [TMT10a];
//! - a plane that **rotates with a side** of one feature, for points that stay coplanar, where the cubic vanishes.
//!   Distances to it are quadratic in time.
//!
//! The next step starts at the time up to which the best of the three holds: mostly one to four steps in all. Where none
//! advances any further the features are in contact, up to the tolerance.
//!
//! Departs from [WFS+21]: no bisection of time and both parameters, which takes hundreds of boxes to enclose a contact.
//! The certificates reach it in a few steps, and their range is limited by rounding, not by the tolerance.

mod advance;
mod bernstein;
mod closest;
pub(crate) mod contact;
mod coplanarity;
mod paths;

pub use self::contact::{ElementaryContact, ElementaryOptions};
use crate::proximity::error::ProximityError;
use nalgebra::Point3;

use self::closest::{EdgeEdge, VertexFace};
use self::contact::CHECKED;

/// First contact of a moving vertex with a moving triangle (touching counts), or `None`: a proof, in spite of rounding,
/// that there is none in [0, 1].
///
/// `start` and `end` hold the vertex and the three corners at times 0 and 1 \[m\], any frame. The triangle may be
/// degenerate at any time.
///
/// ```
/// use extricate_core::proximity::deforming::{ElementaryOptions, vertex_face};
/// use nalgebra::Point3;
///
/// let corners = [Point3::new(0.0, 0.0, 0.0), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
/// let [a, b, c] = corners;
/// let start = [Point3::new(0.25, 0.25, 1.0), a, b, c];
/// let end = [Point3::new(0.25, 0.25, -3.0), a, b, c];
/// let contact = vertex_face(&start, &end, &ElementaryOptions::default())?.expect("it falls through");
/// assert!((contact.time - 0.25).abs() < 1e-12);
/// let aside = [Point3::new(1.25, 0.25, -3.0), a, b, c];
/// assert_eq!(vertex_face(&[Point3::new(1.25, 0.25, 1.0), a, b, c], &aside, &ElementaryOptions::default())?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ProximityError`] when a coordinate is not finite or an option is negative.
pub fn vertex_face(
    start: &[Point3<f64>; 4],
    end: &[Point3<f64>; 4],
    options: &ElementaryOptions,
) -> Result<Option<ElementaryContact>, ProximityError> {
    options.check()?;
    all_finite(start, end)?;
    Ok(advance::first_contact::<VertexFace, 3>([start, end], options, 1.0)?)
}

/// First contact of two moving edges (touching counts), or `None`: a proof, in spite of rounding, that there is none in
/// [0, 1].
///
/// `start` and `end` hold the ends of the first and then of the second edge at times 0 and 1 \[m\], any frame. Edges may
/// be parallel and may have no length at any time.
///
/// ```
/// use extricate_core::proximity::deforming::{ElementaryOptions, edge_edge};
/// use nalgebra::Point3;
///
/// let [a, b] = [Point3::new(-1.0, 0.0, 0.0), Point3::new(1.0, 0.0, 0.0)];
/// let start = [a, b, Point3::new(0.0, -1.0, 1.0), Point3::new(0.0, 1.0, 1.0)];
/// let end = [a, b, Point3::new(0.0, -1.0, -1.0), Point3::new(0.0, 1.0, -1.0)];
/// let contact = edge_edge(&start, &end, &ElementaryOptions::default())?.expect("they cross");
/// assert!((contact.time - 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ProximityError`] when a coordinate is not finite or an option is negative.
pub fn edge_edge(
    start: &[Point3<f64>; 4],
    end: &[Point3<f64>; 4],
    options: &ElementaryOptions,
) -> Result<Option<ElementaryContact>, ProximityError> {
    options.check()?;
    all_finite(start, end)?;
    Ok(advance::first_contact::<EdgeEdge, 4>([start, end], options, 1.0)?)
}

/// As [`vertex_face`] up to the time `until`, for coordinates and options that have been checked.
#[inline(always)]
pub(super) fn vertex_face_until(
    start: &[Point3<f64>; 4],
    end: &[Point3<f64>; 4],
    options: &ElementaryOptions,
    until: f64,
) -> Option<ElementaryContact> {
    advance::first_contact::<VertexFace, 3>([start, end], options, until).expect(CHECKED)
}

/// As [`edge_edge`] up to the time `until`, for coordinates and options that have been checked.
#[inline(always)]
pub(super) fn edge_edge_until(
    start: &[Point3<f64>; 4],
    end: &[Point3<f64>; 4],
    options: &ElementaryOptions,
    until: f64,
) -> Option<ElementaryContact> {
    advance::first_contact::<EdgeEdge, 4>([start, end], options, until).expect(CHECKED)
}

fn all_finite(start: &[Point3<f64>; 4], end: &[Point3<f64>; 4]) -> Result<(), ProximityError> {
    let mut sum = 0.0;
    for corner in 0..4 {
        for axis in 0..3 {
            // Zero times a number that is not finite is NaN.
            sum += 0.0 * start[corner][axis] + 0.0 * end[corner][axis];
        }
    }
    if sum.is_nan() { Err(ProximityError::NotFinite) } else { Ok(()) }
}
