//! Elementary tests of continuous collision: a moving vertex against a moving triangle, two moving edges.
//!
//! Every point moves on a straight line, x(t) = (1 − t) start + t end, t ∈ [0, 1]. The classic way takes the roots of
//! the cubic of coplanarity [Lin17 §40.3, Pro97], whose rounding can miss a contact ("reliable methods", ibid.). Here
//! the answer *none* is a proof instead, with the contract of [WFS+21]: the time advances over intervals that one of
//! three certificates proves free, each checked with its rounding bounded from above:
//!
//! - a **separating plane** with a fixed normal, taken across the closest points at the current time. Distances to it
//!   are linear in time, so it is good until the first of them vanishes: conservative advancement [TKM10] whose bound
//!   of the motion is exact along the normal;
//! - the **coplanarity** det(e₁, e₂, r)(t), a cubic whose Bernstein coefficients bound it: where it does not vanish the
//!   four points are not in a plane, so nothing touches, however much the triangle turns [TMT10a];
//! - a plane that **turns with a side** of one feature, for points that stay in one plane, where the cubic is silent.
//!   Distances to it are quadratic.
//!
//! All three end at a contact that they can foresee, and the next step starts there: mostly one to four steps in all.
//! Where none advances any further the features are in contact, up to the tolerance.
//!
//! Departs from [WFS+21]: no bisection of time and both parameters. It takes hundreds of boxes to surround a contact;
//! the certificates reach it in a few steps, and rounding, not the tolerance, bounds how far they can see.

mod advance;
mod bernstein;
mod closest;
mod coplanarity;
mod paths;

use nalgebra::Point3;
use thiserror::Error;

use closest::{EdgeEdge, VertexFace};

/// How closely an elementary test looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementaryOptions {
    /// Distance that may count as contact, relative to the extent of the query: the greatest coordinate of the points
    /// of one feature relative to those of the other, at the start and at the end. Below 1e-13 it is lost in rounding.
    pub tolerance: f64,
    /// Distance up to which the features count as touching [m].
    pub minimum_separation: f64,
    /// Steps after which the answer is a contact that is not certain. Nearly every query takes one to four of them.
    pub max_steps: u32,
}

impl Default for ElementaryOptions {
    fn default() -> Self {
        Self { tolerance: 1e-12, minimum_separation: 0.0, max_steps: 100 }
    }
}

/// The first contact of two moving features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementaryContact {
    /// Proved free before this time, in [0, 1]: at most the true time of first contact.
    pub time: f64,
    /// Distance at that time [m]: at most the minimum separation and the tolerance when the contact is certain.
    pub distance: f64,
    /// Where the features are closest then. Of a vertex and a triangle: weights of its second and third corner. Of two
    /// edges: the fractions along the first and along the second one.
    pub parameters: [f64; 2],
    /// Whether the features come within the tolerance; `false` where the steps were used up, or where rounding keeps
    /// the certificates from seeing further. Both are rare: one contact in three thousand of those made to be hard.
    pub certain: bool,
}

/// Why an elementary test has no answer.
#[derive(Debug, Error, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ElementaryError {
    /// A coordinate is NaN or infinite, or the points are too far apart for double precision.
    #[error("a point of the elementary test is not finite, or two of them are more than 1e308 apart")]
    NotFinite,
    /// An option is negative or NaN.
    #[error("the {name} of an elementary test must be at least zero, not {value}")]
    Option {
        /// Which option.
        name: &'static str,
        /// Its value.
        value: f64,
    },
}

/// The first contact of a moving vertex with a moving triangle (touching counts), or `None`: a proof that there is
/// none in [0, 1], whatever the rounding.
///
/// `start` and `end` hold the vertex and the three corners at times 0 and 1 [m], any frame. The triangle may be
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
/// [`ElementaryError`] when a coordinate is not finite or an option is negative.
pub fn vertex_face(
    start: &[Point3<f64>; 4],
    end: &[Point3<f64>; 4],
    options: &ElementaryOptions,
) -> Result<Option<ElementaryContact>, ElementaryError> {
    options.check()?;
    all_finite(start, end)?;
    advance::first_contact::<VertexFace, 3>([start, end], options, 1.0)
}

/// The first contact of two moving edges (touching counts), or `None`: a proof that there is none in [0, 1], whatever
/// the rounding.
///
/// `start` and `end` hold the ends of the first and then of the second edge at times 0 and 1 [m], any frame. Edges may
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
/// [`ElementaryError`] when a coordinate is not finite or an option is negative.
pub fn edge_edge(
    start: &[Point3<f64>; 4],
    end: &[Point3<f64>; 4],
    options: &ElementaryOptions,
) -> Result<Option<ElementaryContact>, ElementaryError> {
    options.check()?;
    all_finite(start, end)?;
    advance::first_contact::<EdgeEdge, 4>([start, end], options, 1.0)
}

/// Why the tests of a mesh cannot fail.
const CHECKED: &str = "the coordinates of a model are finite and less than 1e37 m apart";

/// [`vertex_face`] up to the time `until`, of coordinates and options that have been checked.
#[inline(always)]
pub(super) fn vertex_face_until(
    start: &[Point3<f64>; 4],
    end: &[Point3<f64>; 4],
    options: &ElementaryOptions,
    until: f64,
) -> Option<ElementaryContact> {
    advance::first_contact::<VertexFace, 3>([start, end], options, until).expect(CHECKED)
}

/// [`edge_edge`] up to the time `until`, of coordinates and options that have been checked.
#[inline(always)]
pub(super) fn edge_edge_until(
    start: &[Point3<f64>; 4],
    end: &[Point3<f64>; 4],
    options: &ElementaryOptions,
    until: f64,
) -> Option<ElementaryContact> {
    advance::first_contact::<EdgeEdge, 4>([start, end], options, until).expect(CHECKED)
}

impl ElementaryOptions {
    /// Refuses options that are negative or NaN.
    pub(super) fn check(&self) -> Result<(), ElementaryError> {
        for (name, value) in [("tolerance", self.tolerance), ("minimum separation", self.minimum_separation)]
        {
            if !(value >= 0.0) {
                return Err(ElementaryError::Option { name, value });
            }
        }
        Ok(())
    }
}

fn all_finite(start: &[Point3<f64>; 4], end: &[Point3<f64>; 4]) -> Result<(), ElementaryError> {
    let mut sum = 0.0;
    for corner in 0..4 {
        for axis in 0..3 {
            // Zero times a number that is not finite is NaN.
            sum += 0.0 * start[corner][axis] + 0.0 * end[corner][axis];
        }
    }
    if sum.is_nan() { Err(ElementaryError::NotFinite) } else { Ok(()) }
}
