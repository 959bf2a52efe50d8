//! Rounding of golden files to the digits that their tolerances need; each state is reduced to its changes.

use nalgebra::{UnitQuaternion, Vector3};

use super::{Golden, is_unit};
use crate::record::compare::{AcceptanceThresholds, Quantity};
use crate::state::{WorldState, find, quaternion, rotation};

/// Maximum number of decimals; a number that needs more is rounded to significant digits.
const MAX_DECIMALS: i32 = 12;
/// Number of significant digits of quantities that are not compared.
const DIGITS_OF_ANY: usize = 3;
/// Number of digits behind the first one that distinguish any number from its neighbours.
const ALL_DIGITS: i32 = 16;

impl Golden {
    /// The same with rounded numbers, each state reduced to its changes since the one before.
    pub(super) fn rounded(mut self) -> Self {
        let (fraction, last) = (self.rounding, self.final_thresholds());
        for (bound, value) in &mut self.bounds {
            *value = rounded(*value, fraction * bound.tolerance(&last).1);
        }
        let (mut thresholds, mut before) = (self.thresholds(), WorldState::default());
        for golden in &mut self.states {
            thresholds = golden.thresholds(thresholds);
            Digits { thresholds: &thresholds, fraction }.round(&mut golden.state);
            // After rounding, so that what differs by less than the rounding is left out.
            golden.retain_changes(&before);
            golden.change(&mut before);
        }
        self
    }
}

impl super::GoldenState {
    /// Removes what is equal in the state before.
    fn retain_changes(&mut self, before: &WorldState) {
        let WorldState { bodies, robots, soft, .. } = &mut self.state;
        bodies.retain(|body| find(&before.bodies, &body.name) != Some(body));
        soft.retain(|soft| find(&before.soft, &soft.name) != Some(soft));
        robots.retain_mut(|robot| {
            let Some(known) = find(&before.robots, &robot.name) else { return true };
            robot.joints.retain(|joint, value| known.joints.get(joint) != Some(value));
            known.base != robot.base || !robot.joints.is_empty()
        });
    }
}

/// Rounding of states.
struct Digits<'a> {
    thresholds: &'a AcceptanceThresholds,
    /// Fraction of a tolerance.
    fraction: f64,
}

impl Digits<'_> {
    fn round(&self, state: &mut WorldState) {
        for body in &mut state.bodies {
            self.vector(&mut body.position.coords, Quantity::Position);
            self.unit_quaternion(&mut body.rotation);
            self.vector(&mut body.linear_velocity, Quantity::LinearVelocity);
            self.vector(&mut body.angular_velocity, Quantity::AngularVelocity);
        }
        for robot in &mut state.robots {
            self.vector(&mut robot.base.translation.vector, Quantity::Position);
            self.unit_quaternion(&mut robot.base.rotation);
            for (joint, value) in &mut robot.joints {
                *value = rounded(
                    *value,
                    self.fraction * self.thresholds.joint(&format!("{}/{joint}", robot.name)),
                );
            }
        }
        for soft in &mut state.soft {
            let soft = &mut soft.state;
            self.vector(&mut soft.centroid.coords, Quantity::Position);
            self.vector(&mut soft.velocity, Quantity::LinearVelocity);
            self.number(&mut soft.volume, Quantity::Volume);
            self.number(&mut soft.max_penetration, Quantity::Penetration);
            // The change follows from the volume, and is not compared; nor are the loads of handles.
            soft.volume_change = None;
            soft.handles.clear();
        }
        let energy = &mut state.energy;
        for energy in [&mut energy.kinetic, &mut energy.potential, &mut energy.elastic] {
            self.number(energy, Quantity::Energy);
        }
        self.number(&mut state.max_penetration, Quantity::Penetration);
    }

    fn number(&self, value: &mut f64, quantity: Quantity) {
        *value = rounded(*value, self.fraction * self.thresholds.of(quantity, *value));
    }

    fn vector(&self, vector: &mut Vector3<f64>, quantity: Quantity) {
        vector.apply(|value| self.number(value, quantity));
    }

    /// Rounds a rotation. With a tolerance that accepts any rotation this may not leave a unit quaternion, and it stays as it is.
    fn unit_quaternion(&self, value: &mut UnitQuaternion<f64>) {
        let mut components = quaternion(value);
        components.iter_mut().for_each(|value| self.number(value, Quantity::Rotation));
        let rounded = rotation(components);
        if is_unit(rounded.quaternion().norm()) {
            *value = rounded;
        }
    }
}

/// A number in as few digits as an error of `step` permits; in all of them where that is zero. Zeros are never negative.
fn rounded(value: f64, step: f64) -> f64 {
    if step.is_infinite() {
        return read(&format!("{value:.p$e}", p = DIGITS_OF_ANY - 1));
    }
    if value == 0.0 || !(step > 0.0) {
        // Adding 0.0 makes a negative zero positive.
        return value + 0.0;
    }
    let decimals = -step.log10().floor();
    let decimals = decimals.clamp(0.0, 400.0) as i32;
    if decimals <= MAX_DECIMALS {
        return read(&format!("{value:.p$}", p = decimals as usize));
    }
    // Number of significant digits behind the first one; the number itself is below the step where it is negative.
    match decimals + value.abs().log10().floor() as i32 {
        ..0 => 0.0,
        digits => read(&format!("{value:.p$e}", p = digits.min(ALL_DIGITS) as usize)),
    }
}

fn read(digits: &str) -> f64 {
    digits.parse::<f64>().expect("it was written as a number") + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_within_a_hundredth_of_their_tolerance_and_no_longer_than_needed() {
        let text = |value, tolerance: f64| rounded(value, 0.01 * tolerance).to_string();
        assert_eq!(text(0.123_456_789, 1e-4), "0.123457");
        assert_eq!(text(0.5, 1e-6), "0.5");
        assert_eq!(text(-1e-17, 1e-6), "0");
        assert_eq!(text(1234.5, 1000.0), "1234");
        assert_eq!(text(1.5e-9, 1e-15), "0.0000000015");
        assert_eq!(text(1.0 / 3.0, 0.0), "0.3333333333333333");
        assert_eq!(text(12.345_678_9, f64::INFINITY), "12.3");
        assert_eq!(text(3e-20, 1e-15), "0");
        assert_eq!((text(-0.0, 1e-6), text(-0.0, 0.0)), ("0".to_owned(), "0".to_owned()));
        for exponent in -20..9 {
            let tolerance = 10_f64.powi(exponent);
            for value in [0.7, -123.456, 1.0 / 3.0, 9.999_999_999, 4e-9] {
                let read = rounded(value, 0.01 * tolerance);
                let max_error = (0.01 * tolerance).max(1e-15 * value.abs());
                assert!((read - value).abs() <= max_error, "{value} {tolerance}: {read}");
                assert_eq!(rounded(read, 0.01 * tolerance).to_bits(), read.to_bits(), "rounded is rounded");
            }
        }
    }
}
