//! The state of a world at an instant: where its bodies are, how they move, their energy, one hash of it all.

use nalgebra::{Point3, UnitQuaternion, Vector3};

/// Where a body is and how it moves, world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyState {
    /// Name of the body.
    pub name: String,
    /// Position of the origin of the body frame [m].
    pub position: Point3<f64>,
    /// Rotation body → world.
    pub rotation: UnitQuaternion<f64>,
    /// Velocity of the centre of mass [m/s].
    pub linear_velocity: Vector3<f64>,
    /// Angular velocity [rad/s].
    pub angular_velocity: Vector3<f64>,
}

/// Mechanical energy of the dynamic bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// ½ m v² + ½ ωᵀ I ω, summed [J].
    pub kinetic: f64,
    /// −m g·c with c the centre of mass, summed [J]; zero where a centre of mass is at the world's origin.
    pub potential: f64,
}

impl Energy {
    /// Kinetic and potential energy together [J].
    #[must_use]
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// Momentum of the dynamic bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Momentum {
    /// m v, summed [kg·m/s, world].
    pub linear: Vector3<f64>,
    /// c × m v + I ω with c the centre of mass, summed: about the world's origin [kg·m²/s, world].
    pub angular: Vector3<f64>,
}

/// 64-bit FNV-1a over bit patterns: the same state gives the same hash, a difference in the last bit another one.
#[derive(Debug, Clone, Copy)]
pub(super) struct StateHash(u64);

impl StateHash {
    /// Offset basis of FNV-1a.
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    /// Prime of FNV-1a.
    const PRIME: u64 = 0x0000_0100_0000_01b3;

    /// Hash of the states in the order given.
    pub(super) fn of<'a>(states: impl IntoIterator<Item = &'a BodyState>) -> u64 {
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
        hash.0
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
        assert_eq!(StateHash::of([]), 0xcbf2_9ce4_8422_2325);
        let mut hash = StateHash(StateHash::BASIS);
        hash.bytes(b"a");
        assert_eq!(hash.0, 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn the_last_bit_of_a_coordinate_changes_the_hash() {
        let next = f64::from_bits(1.0_f64.to_bits() + 1);
        assert_ne!(StateHash::of([&state(1.0)]), StateHash::of([&state(next)]));
        assert_eq!(StateHash::of([&state(1.0)]), StateHash::of([&state(1.0)]));
    }
}
