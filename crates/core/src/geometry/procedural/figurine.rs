//! An upright figure as a radial function of the direction from its middle: a ball with smooth lobes for limbs.

use nalgebra::Vector3;

use super::parameters::Checks;
use super::spheres::{check_frequency, star};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "figurine"
    /// A plump figure, upright along z and facing +x, with head, cap, arms, feet and a sack on its back. The
    /// origin is the middle of its belly.
    pub struct Figurine {
        /// Radius of the belly [m].
        radius: f64 = 0.3,
        /// Factor on the length of the limbs; 0 makes a ball.
        limbs: f64 = 1.0,
        /// Parts of an icosahedron's edge; there are 20 n² triangles.
        frequency: u32 = 20,
    }
    mesh = Figurine::build
}

/// A limb: a lobe around a direction.
struct Limb {
    /// Direction; need not have unit length.
    direction: [f64; 3],
    /// Height above the belly, in radii of the belly.
    length: f64,
    /// Slenderness: the lobe falls to 1/e where the cosine of the angle to its direction is 1 − 1/slenderness.
    slenderness: f64,
}

const LIMBS: [Limb; 7] = [
    Limb { direction: [0.05, 0.0, 1.0], length: 0.75, slenderness: 9.0 },
    Limb { direction: [-0.25, 0.0, 1.0], length: 0.55, slenderness: 60.0 },
    Limb { direction: [0.5, 0.9, 0.25], length: 0.8, slenderness: 22.0 },
    Limb { direction: [0.5, -0.9, 0.25], length: 0.8, slenderness: 22.0 },
    Limb { direction: [0.25, 0.42, -1.0], length: 0.75, slenderness: 16.0 },
    Limb { direction: [0.25, -0.42, -1.0], length: 0.75, slenderness: 16.0 },
    Limb { direction: [-1.0, 0.15, 0.4], length: 0.6, slenderness: 7.0 },
];

impl Figurine {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("radius", self.radius)])?;
        // Ten times as long, the lobes are needles, and the belly is negligible.
        checks.require("limbs", self.limbs, (0.0..=10.0).contains(&self.limbs), "from 0 to 10")?;
        check_frequency(&checks, self.frequency)?;
        star(self.frequency, |direction| self.radius * (1.0 + self.limbs * lobes(direction)))
    }
}

/// Height of the limbs above the belly in a direction, in radii of the belly.
fn lobes(direction: &Vector3<f64>) -> f64 {
    let lobe = |limb: &Limb| {
        let cosine = direction.dot(&Vector3::from(limb.direction).normalize());
        limb.length * (limb.slenderness * (cosine - 1.0)).exp()
    };
    LIMBS.iter().map(lobe).sum()
}
