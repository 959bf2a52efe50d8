//! The norms in which lengths of translations are measured: L1, L2 and L∞, with respect to the axes of the world.
//!
//! The unit balls of L1 and L∞ are an octahedron and a cube, so that a convex set contains such a ball if it contains its six
//! or eight vertices. The distance of a plane n·t = h from the origin in a norm is h over the dual norm of n; the norms L1 and L∞ are
//! dual to one another, and L2 is dual to itself.

use std::fmt;
use std::str::FromStr;

use nalgebra::{UnitVector3, Vector3};
use thiserror::Error;

/// A norm of translations, with respect to the axes of the world.
///
/// ```
/// use extricate_core::geometry::Norm;
/// use nalgebra::Vector3;
///
/// let translation = Vector3::new(3.0, -4.0, 0.0);
/// assert_eq!([Norm::L1, Norm::L2, Norm::LInf].map(|norm| norm.of(&translation)), [7.0, 5.0, 4.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Norm {
    /// The sum of the absolute values of the components: a machine that moves along one axis after the other.
    L1,
    /// The Euclidean length.
    #[default]
    L2,
    /// The maximum of the absolute values of the components: a machine that moves along all axes at once.
    LInf,
}

impl Norm {
    /// The norm of a vector, in the unit of its components.
    #[must_use]
    pub fn of(self, vector: &Vector3<f64>) -> f64 {
        match self {
            Self::L1 => vector.x.abs() + vector.y.abs() + vector.z.abs(),
            Self::L2 => vector.norm(),
            Self::LInf => vector.amax(),
        }
    }

    /// The norm of a vector whose Euclidean length is one.
    pub(crate) fn of_unit(self, direction: &UnitVector3<f64>) -> f64 {
        if self == Self::L2 { 1.0 } else { self.of(direction) }
    }

    /// The dual norm: the distance of the plane n·t = h from the origin is |h| over the dual norm of n.
    #[must_use]
    pub fn dual(self) -> Self {
        match self {
            Self::L1 => Self::LInf,
            Self::L2 => Self::L2,
            Self::LInf => Self::L1,
        }
    }

    /// The minimum and the maximum of the norm over the vectors of Euclidean length one.
    pub(crate) fn range_on_sphere(self) -> [f64; 2] {
        match self {
            Self::L1 => [1.0, 3.0_f64.sqrt()],
            Self::L2 => [1.0; 2],
            Self::LInf => [1.0 / 3.0_f64.sqrt(), 1.0],
        }
    }

    /// The vertices of the unit ball; none for L2, whose ball is round.
    pub(crate) fn ball_vertices(self) -> Vec<Vector3<f64>> {
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        match self {
            Self::L1 => axes.into_iter().flat_map(|axis| [axis, -axis]).collect(),
            Self::L2 => Vec::new(),
            Self::LInf => (0..8)
                .map(|corner| Vector3::from_fn(|axis, _| if corner >> axis & 1 == 0 { 1.0 } else { -1.0 }))
                .collect(),
        }
    }

    /// The vertices of the section of the unit ball with the plane through the origin that has this normal: the points in
    /// which it cuts edges. None for L2.
    pub(crate) fn section_vertices(self, normal: &Vector3<f64>) -> Vec<Vector3<f64>> {
        /// Distance up to which two points of the unit ball are the same: a multiple of the rounding of a crossing.
        const SAME: f64 = 1e-14;
        let vertices = self.ball_vertices();
        let mut section = Vec::new();
        for (index, from) in vertices.iter().enumerate() {
            let below = normal.dot(from);
            for to in vertices[index + 1..].iter().filter(|to| self.is_edge(from, to)) {
                let above = normal.dot(to);
                // An edge within the plane ends at vertices, which belong to other edges that cross the plane there.
                if below * above <= 0.0 && (below - above).abs() > 0.0 {
                    let crossing = from + (to - from) * (below / (below - above));
                    // A vertex in the plane belongs to several edges.
                    if section.iter().all(|known: &Vector3<f64>| (known - crossing).amax() > SAME) {
                        section.push(crossing);
                    }
                }
            }
        }
        section
    }

    /// Whether two vertices of the unit ball are joined by an edge: two of the octahedron unless they are opposite, two of the
    /// cube if they differ in one component.
    fn is_edge(self, from: &Vector3<f64>, to: &Vector3<f64>) -> bool {
        match self {
            Self::L1 => from.dot(to) > -0.5,
            Self::L2 => false,
            Self::LInf => from.dot(to) > 0.5,
        }
    }

    /// The shortest in the Euclidean norm of the vectors that are as long as `vertex` in this one and as far along a normal, where
    /// `vertex` is the vertex of a ball that is farthest along it.
    pub(crate) fn shortest_equal(self, vertex: &Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
        /// Component of a unit normal below which the plane counts as parallel to an axis: the rounding of a normal.
        const PARALLEL: f64 = 1e-12;
        if self != Self::LInf {
            return *vertex;
        }
        vertex.zip_map(normal, |component, along| if along.abs() > PARALLEL { component } else { 0.0 })
    }
}

/// A text that names no norm.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("unknown norm `{text}`; accepted: l1, l2 and linf")]
pub struct UnknownNorm {
    /// The text.
    pub text: String,
}

/// `l1`, `l2` or `linf`.
impl fmt::Display for Norm {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::L1 => "l1",
            Self::L2 => "l2",
            Self::LInf => "linf",
        })
    }
}

impl FromStr for Norm {
    type Err = UnknownNorm;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "l1" => Ok(Self::L1),
            "l2" => Ok(Self::L2),
            "linf" => Ok(Self::LInf),
            _ => Err(UnknownNorm { text: text.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::SplitMix64;

    const ALL: [Norm; 3] = [Norm::L1, Norm::L2, Norm::LInf];

    fn vector(random: &mut SplitMix64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| 2.0 * random.unit_interval() - 1.0)
    }

    #[test]
    fn every_norm_parses_back_and_other_texts_are_refused() {
        for norm in ALL {
            assert_eq!(norm.to_string().parse(), Ok(norm));
        }
        for text in ["", "L1", "l3", "inf", "l1 "] {
            let error = text.parse::<Norm>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")) && error.contains("linf"), "{error}");
        }
    }

    #[test]
    fn the_dual_norm_is_the_maximum_of_products_with_the_unit_ball() {
        let mut random = SplitMix64(3);
        for norm in [Norm::L1, Norm::LInf] {
            for _ in 0..100 {
                let normal = vector(&mut random);
                let farthest = norm.ball_vertices().iter().map(|v| v.dot(&normal)).fold(0.0, f64::max);
                assert!((farthest - norm.dual().of(&normal)).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn the_range_on_the_sphere_contains_the_norms_of_all_unit_vectors_and_is_attained() {
        let mut random = SplitMix64(4);
        let diagonal = Vector3::repeat(1.0).normalize();
        for norm in ALL {
            let [min, max] = norm.range_on_sphere();
            for _ in 0..100 {
                let length = norm.of(&vector(&mut random).normalize());
                assert!(min - 1e-15 <= length && length <= max + 1e-15);
            }
            let ends = [norm.of(&diagonal), norm.of(&Vector3::x())];
            assert!((ends[0].min(ends[1]) - min).abs() < 1e-15 && (ends[0].max(ends[1]) - max).abs() < 1e-15);
        }
    }

    #[test]
    fn the_section_of_a_ball_has_vertices_of_norm_one_in_the_plane_whose_hull_is_the_section() {
        let mut random = SplitMix64(5);
        let mut normals = vec![Vector3::x(), Vector3::new(1.0, 1.0, 0.0), Vector3::repeat(1.0)];
        normals.extend((0..50).map(|_| vector(&mut random)));
        for normal in normals {
            for norm in [Norm::L1, Norm::LInf] {
                let section = norm.section_vertices(&normal);
                assert!(section.len() >= 4, "{normal} {norm}");
                for vertex in &section {
                    assert!((norm.of(vertex) - 1.0).abs() < 1e-12 && normal.dot(vertex).abs() < 1e-12);
                }
                // No point of the section is farther along a direction than all of the vertices.
                for _ in 0..100 {
                    let flat = vector(&mut random);
                    let flat = flat - normal * (normal.dot(&flat) / normal.norm_squared());
                    let point = flat / norm.of(&flat);
                    let along = vector(&mut random);
                    let farthest = section.iter().map(|v| v.dot(&along)).fold(f64::NEG_INFINITY, f64::max);
                    assert!(point.dot(&along) <= farthest + 1e-12, "{normal} {norm}");
                }
            }
        }
    }
}
