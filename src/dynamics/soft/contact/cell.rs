//! The field inside a deformed tetrahedron: d̃(m) = Σ uᵢ dᵢ with u the barycentric coordinates of m in the deformed
//! element [Fisher01 §5.1.1].
//!
//! With hᵢ = ∂uᵢ/∂m: g = ∂d̃/∂m = Σ dᵢ hᵢ and ∂d̃/∂nᵢ = −uᵢ g, so the five forces sum to zero and, because m = Σ uᵢ nᵢ,
//! so do their moments.
//!
//! A tetrahedron whose nodes are all on the surface would have d̃ ≡ 0 and never push. It gets a virtual node at its
//! centroid, of depth d_c at rest, that splits it in four. A point whose least coordinate is uⱼ lies in the part that
//! replaces corner j, where the centroid's coordinate is 4 uⱼ: d̃ = 4 d_c min uᵢ. That is the linear field of the node
//! values 4 d_c at j and 0 elsewhere, is zero on the faces as the neighbours' fields are, and hence continuous.

use nalgebra::Vector3;

/// Share of the volume of a cube over the longest edge below which a deformed tetrahedron has no field: its gradient is
/// of the order of its depth over its height. Inverted ones have none either: their field would pull.
const FLAT: f64 = 1e-9;

/// Depths of a tetrahedron's nodes [m].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Depths {
    /// One for each node.
    Nodes([f64; 4]),
    /// All zero, and that of the virtual node at the centroid.
    Centroid(f64),
}

impl Depths {
    /// The node values of the linear field of part `part`; parts differ only with a virtual node.
    pub(super) fn of_part(&self, part: usize) -> [f64; 4] {
        match *self {
            Self::Nodes(depths) => depths,
            Self::Centroid(depth) => {
                let mut values = [0.0; 4];
                values[part] = 4.0 * depth;
                values
            }
        }
    }

    /// The part that holds the point with barycentric coordinates `u`.
    pub(super) fn part(&self, u: &[f64; 4]) -> usize {
        match self {
            Self::Nodes(_) => 0,
            Self::Centroid(_) => (1..4).fold(0, |least, i| if u[i] < u[least] { i } else { least }),
        }
    }

    /// Number of parts.
    pub(super) fn parts(&self) -> usize {
        match self {
            Self::Nodes(_) => 1,
            Self::Centroid(_) => 4,
        }
    }
}

/// A deformed tetrahedron: where the barycentric coordinates are zero and how they grow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    origin: Vector3<f64>,
    /// Gradients hᵢ of the barycentric coordinates [1/m].
    pub(super) slopes: [Vector3<f64>; 4],
}

impl Shape {
    /// The shape of the tetrahedron with these corners, `None` where it is flat or inverted.
    pub(super) fn of(corners: &[Vector3<f64>; 4]) -> Option<Self> {
        let [a, b, c, d] = *corners;
        let (ab, ac, ad) = (b - a, c - a, d - a);
        let volume = ab.dot(&ac.cross(&ad));
        let longest = ab.norm_squared().max(ac.norm_squared()).max(ad.norm_squared());
        if !(volume > FLAT * longest * longest.sqrt()) {
            return None;
        }
        let [h1, h2, h3] = [ac.cross(&ad) / volume, ad.cross(&ab) / volume, ab.cross(&ac) / volume];
        Some(Self { origin: a, slopes: [-(h1 + h2 + h3), h1, h2, h3] })
    }

    /// Barycentric coordinates of a point.
    pub(super) fn coordinates(&self, point: &Vector3<f64>) -> [f64; 4] {
        let from = point - self.origin;
        let [u1, u2, u3] = [1, 2, 3].map(|i: usize| self.slopes[i].dot(&from));
        [1.0 - u1 - u2 - u3, u1, u2, u3]
    }

    /// ∂d̃/∂m for node values `depths`.
    pub(super) fn gradient(&self, depths: &[f64; 4]) -> Vector3<f64> {
        self.slopes.iter().zip(depths).map(|(h, d)| *d * h).sum()
    }
}

/// d̃ for coordinates `u` and node values `depths` [m].
pub(super) fn value(u: &[f64; 4], depths: &[f64; 4]) -> f64 {
    u.iter().zip(depths).map(|(u, d)| u * d).sum()
}
