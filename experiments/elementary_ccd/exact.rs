//! Exact decision whether two moving features touch during [0, 1]: the coordinates are binary fractions, so all that
//! is compared are integers and real roots of integer polynomials.
//!
//! Where the coplanarity of the four points is not zero throughout, a contact happens at one of its roots, and whether
//! the features touch there is a matter of signs at the root. Where it is zero throughout, the first contact is at the
//! start, or a point lies on a segment: of two features that touch in their insides the same held a moment before.

use num_bigint::{BigInt, Sign};

use super::polynomial::{Dyadic, Polynomial, Root};
use super::question::{Kind, Query};

/// Truth of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Truth {
    /// The features touch at some time in [0, 1].
    pub(crate) touch: bool,
    /// They touch at some time before the one that was asked about.
    pub(crate) touch_before: bool,
}

type Vector = [Polynomial; 3];

/// Decides a query; `time` is a time in [0, 1] to compare with.
pub(crate) fn decide(kind: Kind, query: &Query, time: f64) -> Truth {
    let points = integer_paths(query);
    let mut judge = Judge { time: dyadic(time), truth: Truth { touch: false, touch_before: false } };
    let difference =
        |i: usize, j: usize| -> Vector { std::array::from_fn(|k| points[i][k].minus(&points[j][k])) };
    let (edges, origin) = match kind {
        Kind::VertexFace => ([difference(2, 1), difference(3, 1)], difference(0, 1)),
        Kind::EdgeEdge => ([difference(1, 0), difference(3, 2)], difference(0, 2)),
    };
    let normal = cross(&edges[0], &edges[1]);
    let coplanarity = dot(&normal, &origin);
    let segments = segments(kind, &difference);
    let inside = inside_conditions(kind, &difference, &edges, &normal);
    if coplanarity.is_zero() {
        judge.start(&normal, &inside, &segments);
        for segment in &segments {
            judge.point_on_segment(segment);
        }
    } else {
        let (of, roots) = coplanarity.roots();
        for mut root in roots {
            if touch_at(&mut root, &of, &normal, &inside, &segments) {
                judge.contact(&root, &of);
            }
        }
    }
    judge.truth
}

/// A point relative to both ends of a segment.
type Segment = [Vector; 2];

/// The points and segments that features with parallel edges touch at.
fn segments(kind: Kind, difference: &dyn Fn(usize, usize) -> Vector) -> Vec<Segment> {
    let pairs: &[[usize; 3]] = match kind {
        Kind::VertexFace => &[[0, 1, 2], [0, 2, 3], [0, 3, 1]],
        Kind::EdgeEdge => &[[0, 2, 3], [1, 2, 3], [2, 0, 1], [3, 0, 1]],
    };
    pairs.iter().map(|&[p, x, y]| [difference(p, x), difference(p, y)]).collect()
}

/// Quantities that must not be negative for features in a plane to touch, where the edges are not parallel.
fn inside_conditions(
    kind: Kind,
    difference: &dyn Fn(usize, usize) -> Vector,
    edges: &[Vector; 2],
    normal: &Vector,
) -> Vec<Polynomial> {
    match kind {
        Kind::VertexFace => {
            let corners = [difference(0, 1), difference(0, 2), difference(0, 3)];
            let weight = |i: usize, j: usize| dot(&cross(&corners[i], &corners[j]), normal);
            vec![weight(1, 2), weight(2, 0), weight(0, 1)]
        }
        Kind::EdgeEdge => {
            let between = difference(0, 2);
            let squared = dot(normal, normal);
            let first = dot(&cross(&between, &edges[1]), normal).negated();
            let second = dot(&cross(&between, &edges[0]), normal).negated();
            let rests = [squared.minus(&first), squared.minus(&second)];
            [vec![first, second], rests.to_vec()].concat()
        }
    }
}

/// Whether the features touch at a root of the polynomial `of`, where the four points lie in a plane.
fn touch_at(
    root: &mut Root,
    of: &Polynomial,
    normal: &Vector,
    inside: &[Polynomial],
    segments: &[Segment],
) -> bool {
    if normal.iter().any(|part| part.sign_at_root(root, of) != Sign::NoSign) {
        return inside.iter().all(|condition| condition.sign_at_root(root, of) != Sign::Minus);
    }
    segments.iter().any(|segment| {
        let on_line =
            cross(&segment[0], &segment[1]).iter().all(|p| p.sign_at_root(root, of) == Sign::NoSign);
        on_line && dot(&segment[0], &segment[1]).sign_at_root(root, of) != Sign::Plus
    })
}

struct Judge {
    time: Dyadic,
    truth: Truth,
}

impl Judge {
    fn contact(&mut self, root: &Root, of: &Polynomial) {
        self.truth.touch = true;
        self.truth.touch_before |= root.is_before(&self.time, of);
    }

    /// A contact at the start.
    fn start(&mut self, normal: &Vector, inside: &[Polynomial], segments: &[Segment]) {
        let mut start = Root::At(dyadic(0.0));
        let zero = Polynomial::new(vec![]);
        if touch_at(&mut start, &zero, normal, inside, segments) {
            self.contact(&start, &zero);
        }
    }

    /// A contact of a point with a segment of its plane.
    fn point_on_segment(&mut self, segment: &Segment) {
        let line = cross(&segment[0], &segment[1]);
        let between = dot(&segment[0], &segment[1]);
        let Some(first) = line.iter().find(|part| !part.is_zero()) else {
            // All on one line throughout: the point is between the ends where the product is not positive.
            self.not_positive(&between);
            return;
        };
        let (of, roots) = first.roots();
        for mut root in roots {
            let on_line = line.iter().all(|part| part.sign_at_root(&mut root, &of) == Sign::NoSign);
            if on_line && between.sign_at_root(&mut root, &of) != Sign::Plus {
                self.contact(&root, &of);
            }
        }
    }

    fn not_positive(&mut self, product: &Polynomial) {
        let start = dyadic(0.0);
        if product.sign_at(&start) != Sign::Plus {
            self.contact(&Root::At(start), product);
        } else if !product.is_zero() {
            let (of, roots) = product.roots();
            for root in roots {
                self.contact(&root, &of);
            }
        }
    }
}

fn dot(a: &Vector, b: &Vector) -> Polynomial {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    let part = |i: usize, j: usize| a[i].times(&b[j]).minus(&a[j].times(&b[i]));
    [part(1, 2), part(2, 0), part(0, 1)]
}

/// The paths of the points, scaled by the power of two that makes all coordinates integers.
fn integer_paths(query: &Query) -> [Vector; 4] {
    let numbers = query.iter().flatten().flatten();
    let min = numbers.filter(|x| **x != 0.0).map(|&x| parts(x).1).min().unwrap_or(0);
    let integer = |x: f64| {
        let (mantissa, exponent) = parts(x);
        if mantissa == 0 { BigInt::from(0) } else { BigInt::from(mantissa) << (exponent - min) as usize }
    };
    std::array::from_fn(|i| {
        std::array::from_fn(|k| Polynomial::path(&integer(query[0][i][k]), &integer(query[1][i][k])))
    })
}

/// Mantissa and exponent of a number: x = mantissa · 2^exponent, the mantissa odd or zero.
fn parts(x: f64) -> (i64, i32) {
    let bits = x.abs().to_bits();
    let (raw, fraction) = ((bits >> 52) as i32, (bits & ((1 << 52) - 1)) as i64);
    let (mut mantissa, mut exponent) =
        if raw == 0 { (fraction, -1074) } else { (fraction | (1 << 52), raw - 1075) };
    if mantissa == 0 {
        return (0, 0);
    }
    exponent += mantissa.trailing_zeros() as i32;
    mantissa >>= mantissa.trailing_zeros();
    (if x < 0.0 { -mantissa } else { mantissa }, exponent)
}

/// A number in [0, 1] as a fraction.
fn dyadic(x: f64) -> Dyadic {
    let (mantissa, exponent) = parts(x);
    let up = exponent.max(0) as usize;
    Dyadic { numerator: BigInt::from(mantissa) << up, bits: (-exponent).max(0) as u32 }
}
