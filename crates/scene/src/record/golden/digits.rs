//! Golden files in as few digits as their tolerances ask for, each state without what is as in the one before.

use nalgebra::{UnitQuaternion, Vector3};

use super::{Golden, is_unit};
use crate::record::compare::{Bars, Quantity};
use crate::state::{WorldState, find, quaternion, rotation};

/// Most digits behind the point before a number is rounded to significant ones.
const MOST_DECIMALS: i32 = 12;
/// Significant digits of what is not compared.
const DIGITS_OF_ANY: usize = 3;
/// Digits that tell any number apart from its neighbours.
const ALL_DIGITS: i32 = 16;

impl Golden {
    /// The same with rounded numbers, and of each state what is not as in the one before.
    pub(super) fn rounded(mut self) -> Self {
        let (share, last) = (self.rounding, self.last_bars());
        for (bound, value) in &mut self.bounds {
            *value = rounded(*value, share * bound.tolerance(&last).1);
        }
        let (mut bars, mut before) = (self.bars(), WorldState::default());
        for golden in &mut self.states {
            bars = golden.bars(bars);
            Digits { bars: &bars, share }.round(&mut golden.state);
            golden.tell_changes(&before);
            golden.change(&mut before);
        }
        self
    }
}

impl super::GoldenState {
    /// Leaves out what is as in the state before.
    fn tell_changes(&mut self, before: &WorldState) {
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

/// How states are rounded.
struct Digits<'a> {
    bars: &'a Bars,
    /// Share of a tolerance.
    share: f64,
}

impl Digits<'_> {
    fn round(&self, state: &mut WorldState) {
        for body in &mut state.bodies {
            self.vector(&mut body.position.coords, Quantity::Position);
            self.turn(&mut body.rotation);
            self.vector(&mut body.linear_velocity, Quantity::LinearVelocity);
            self.vector(&mut body.angular_velocity, Quantity::AngularVelocity);
        }
        for robot in &mut state.robots {
            self.vector(&mut robot.base.translation.vector, Quantity::Position);
            self.turn(&mut robot.base.rotation);
            for (joint, value) in &mut robot.joints {
                *value = rounded(*value, self.share * self.bars.joint(&format!("{}/{joint}", robot.name)));
            }
        }
        for soft in &mut state.soft {
            let soft = &mut soft.state;
            self.vector(&mut soft.centroid.coords, Quantity::Position);
            self.vector(&mut soft.velocity, Quantity::LinearVelocity);
            self.number(&mut soft.volume, Quantity::Volume);
            self.number(&mut soft.max_penetration, Quantity::Penetration);
            // Follows from the volume, and is not compared.
            soft.volume_change = None;
        }
        let energy = &mut state.energy;
        for energy in [&mut energy.kinetic, &mut energy.potential, &mut energy.elastic] {
            self.number(energy, Quantity::Energy);
        }
        self.number(&mut state.max_penetration, Quantity::Penetration);
    }

    fn number(&self, value: &mut f64, quantity: Quantity) {
        *value = rounded(*value, self.share * self.bars.of(quantity, *value));
    }

    fn vector(&self, vector: &mut Vector3<f64>, quantity: Quantity) {
        vector.apply(|value| self.number(value, quantity));
    }

    /// What passes for any rotation may round to none, and stays as it is.
    fn turn(&self, turn: &mut UnitQuaternion<f64>) {
        let mut components = quaternion(turn);
        components.iter_mut().for_each(|value| self.number(value, Quantity::Rotation));
        let rounded = rotation(components);
        if is_unit(rounded.quaternion().norm()) {
            *turn = rounded;
        }
    }
}

/// A number in as few digits as an error of `step` asks for; all of them where that is zero. No zero is negative.
fn rounded(value: f64, step: f64) -> f64 {
    if step.is_infinite() {
        return read(&format!("{value:.p$e}", p = DIGITS_OF_ANY - 1));
    }
    if value == 0.0 || !(step > 0.0) {
        return value + 0.0;
    }
    let decimals = -step.log10().floor();
    let decimals = decimals.clamp(0.0, 400.0) as i32;
    if decimals <= MOST_DECIMALS {
        return read(&format!("{value:.p$}", p = decimals as usize));
    }
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
    fn numbers_are_within_a_hundredth_of_their_tolerance_and_no_longer_than_that_needs() {
        let told = |value, tolerance: f64| rounded(value, 0.01 * tolerance).to_string();
        assert_eq!(told(0.123_456_789, 1e-4), "0.123457");
        assert_eq!(told(0.5, 1e-6), "0.5");
        assert_eq!(told(-1e-17, 1e-6), "0");
        assert_eq!(told(1234.5, 1000.0), "1234");
        assert_eq!(told(1.5e-9, 1e-15), "0.0000000015");
        assert_eq!(told(1.0 / 3.0, 0.0), "0.3333333333333333");
        assert_eq!(told(12.345_678_9, f64::INFINITY), "12.3");
        assert_eq!(told(3e-20, 1e-15), "0");
        assert_eq!((told(-0.0, 1e-6), told(-0.0, 0.0)), ("0".to_owned(), "0".to_owned()));
        for exponent in -20..9 {
            let tolerance = 10_f64.powi(exponent);
            for value in [0.7, -123.456, 1.0 / 3.0, 9.999_999_999, 4e-9] {
                let read = rounded(value, 0.01 * tolerance);
                let most = (0.01 * tolerance).max(1e-15 * value.abs());
                assert!((read - value).abs() <= most, "{value} {tolerance}: {read}");
                assert_eq!(rounded(read, 0.01 * tolerance).to_bits(), read.to_bits(), "rounded is rounded");
            }
        }
    }
}
