//! State of a world at an instant: poses and velocities of its bodies, their energy and momentum, a hash of the state.

use std::collections::BTreeMap;

use nalgebra::{Point3, Unit, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// Pose and velocity of a body, world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyState {
    /// Name of the body.
    pub name: String,
    /// Position of the origin of the body frame \[m\].
    pub position: Point3<f64>,
    /// Rotation body → world.
    pub rotation: UnitQuaternion<f64>,
    /// Velocity of the centre of mass [m/s].
    pub linear_velocity: Vector3<f64>,
    /// Angular velocity [rad/s].
    pub angular_velocity: Vector3<f64>,
}

/// Mechanical energy of the dynamic and the soft bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Energy {
    /// ½ m v² + ½ ωᵀ I ω, summed \[J\].
    pub kinetic: f64,
    /// −m g·c with c the centre of mass, summed \[J\]; zero where a centre of mass is at the world's origin.
    pub potential: f64,
    /// Stored in the elements of soft bodies and the springs of joints \[J\].
    pub elastic: f64,
}

impl Energy {
    /// Kinetic, potential and elastic energy together \[J\].
    #[must_use]
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.elastic
    }

    /// This energy and another one.
    pub(crate) fn plus(self, body: &Self) -> Self {
        Self {
            kinetic: self.kinetic + body.kinetic,
            potential: self.potential + body.potential,
            elastic: self.elastic + body.elastic,
        }
    }
}

/// Momentum of the dynamic and the soft bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Momentum {
    /// m v, summed [kg·m/s, world].
    pub linear: Vector3<f64>,
    /// c × m v + I ω with c the centre of mass, summed: about the world's origin [kg·m²/s, world].
    pub angular: Vector3<f64>,
}

impl Momentum {
    /// This momentum and that of a body.
    pub(crate) fn plus(self, body: &Self) -> Self {
        Self { linear: self.linear + body.linear, angular: self.angular + body.angular }
    }
}

/// Index of a body of a world, soft or rigid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnyBody {
    /// Index in [`World::soft_descriptions`](crate::World::soft_descriptions).
    Soft(usize),
    /// Index in [`World::descriptions`](crate::World::descriptions).
    Rigid(usize),
}

/// A point at which two bodies touch, or a soft one touches itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldContact {
    /// The two bodies, in the order of their names, which [`World::name_of`](crate::World::name_of) returns. The same body twice for a
    /// contact of a soft body with itself.
    pub bodies: [AnyBody; 2],
    /// Point of contact [m, world]: it moves with the surfaces of those bodies that are affected by the contact, at their
    /// present poses. Of a soft contact it is the point that is inside the other body.
    pub point: Point3<f64>,
    /// Direction in which the first body is pushed \[world\]; the second one is pushed in the opposite direction.
    pub normal: Unit<Vector3<f64>>,
    /// Depth of the overlap along the normal \[m\], negative for a speculative contact. Between rigid bodies at the start of
    /// the step, whose motion it decided; at its end where a soft body takes part.
    pub depth: f64,
    /// Magnitude of the normal force \[N\], ≥ 0: between rigid bodies the mean over the step, without the impulse of a
    /// bounce; at its end where a soft body takes part.
    pub force: f64,
}

/// Separation of the bodies of a world.
#[derive(Debug, Clone, PartialEq)]
pub struct BodySeparation {
    /// Translations of the bodies that move [m, world], by name.
    pub moved: BTreeMap<String, Vector3<f64>>,
    /// Sum of the lengths of all translations \[m\].
    pub total_displacement: f64,
    /// Minimum distance of two bodies that count as a pair \[m\]; infinite where there is none.
    pub clearance: f64,
    /// Number of rounds.
    pub rounds: u32,
    /// Number of pair queries.
    pub queries: u64,
}

impl Default for BodySeparation {
    fn default() -> Self {
        Self {
            moved: BTreeMap::new(),
            total_displacement: 0.0,
            clearance: f64::INFINITY,
            rounds: 0,
            queries: 0,
        }
    }
}

/// 64-bit FNV-1a over bit patterns: the same state gives the same hash, a difference in the last bit another one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StateHash(u64);

impl StateHash {
    /// Offset basis of FNV-1a.
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    /// Prime of FNV-1a.
    const PRIME: u64 = 0x0000_0100_0000_01b3;

    /// Hash of bytes.
    pub(crate) fn of_bytes(bytes: &[u8]) -> u64 {
        let mut hash = Self(Self::BASIS);
        hash.bytes(bytes);
        hash.value()
    }

    /// Hash of the states in the order given.
    pub(crate) fn of<'a>(states: impl IntoIterator<Item = &'a BodyState>) -> Self {
        let mut hash = Self(Self::BASIS);
        for state in states {
            hash.bytes(state.name.as_bytes());
            hash.bytes(&[0]);
            let rotation = state.rotation.quaternion();
            [rotation.w, rotation.i, rotation.j, rotation.k]
                .iter()
                .chain(state.position.iter())
                .chain(state.linear_velocity.iter())
                .chain(state.angular_velocity.iter())
                .for_each(|number| hash.bytes(&number.to_bits().to_le_bytes()));
        }
        hash
    }

    /// Extends the hash by soft bodies: names, positions and velocities of their nodes, in the order given.
    pub(crate) fn and_soft<'a>(
        mut self,
        bodies: impl IntoIterator<Item = (&'a str, &'a [Vector3<f64>], &'a [Vector3<f64>])>,
    ) -> Self {
        for (name, x, v) in bodies {
            self.bytes(name.as_bytes());
            self.bytes(&[0]);
            for number in x.iter().chain(v).flat_map(|vector| vector.iter()) {
                self.bytes(&number.to_bits().to_le_bytes());
            }
        }
        self
    }

    /// The 64 bits.
    pub(crate) fn value(self) -> u64 {
        self.0
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(Self::PRIME);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(x: f64) -> BodyState {
        BodyState {
            name: "a".into(),
            position: Point3::new(x, 0.0, 0.0),
            rotation: UnitQuaternion::identity(),
            linear_velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
        }
    }

    #[test]
    fn the_hash_of_nothing_is_the_published_basis_and_of_a_letter_the_published_value() {
        assert_eq!(StateHash::of([]).value(), 0xcbf2_9ce4_8422_2325);
        let mut hash = StateHash(StateHash::BASIS);
        hash.bytes(b"a");
        assert_eq!(hash.0, 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn the_last_bit_of_a_coordinate_changes_the_hash() {
        let next = f64::from_bits(1.0_f64.to_bits() + 1);
        let hash = |x: f64| StateHash::of([&state(x)]).value();
        assert_ne!(hash(1.0), hash(next));
        assert_eq!(hash(1.0), hash(1.0));
    }
}
