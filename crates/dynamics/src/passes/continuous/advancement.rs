//! Time at which a gap closes, by conservative advancement [Mir96], [Lin17 §40.3].

/// Gap function: distance of two moving bodies as a function of time.
pub(super) trait Gap {
    /// Gap at a time [m], negative where the bodies overlap, with a bound on its rate [m per step]: at any later time the
    /// gap is at least the present one minus that bound times the time in between.
    fn at(&mut self, time: f64) -> (f64, f64);
}

/// Tolerance of a depth, as a fraction of the skin. The number of steps grows with its logarithm. No effect on the sets
/// of docs/sensitivity.md.
const TOLERANCE: f64 = 0.02;
/// Maximum number of steps: an advancement that needs more stops there, since the rest is not known to be free. A
/// safeguard, without effect on the sets of docs/sensitivity.md.
const MAX_STEPS: u32 = 20_000;
/// Maximum number of steps back to the first touch: fewer may leave bodies up to a skin deep in each other.
const MAX_STEPS_BACK: u32 = 30;

/// Time from `from` on at which bodies must stop because they would get a skin [m] deeper into each other than they are:
/// when they touched, or when the step began if they overlap throughout.
pub(super) fn contact_time(gap: &mut impl Gap, skin: f64, from: f64) -> Option<f64> {
    let touching = gap.at(from).0.min(0.0);
    let deep = reaches(gap, touching - skin, TOLERANCE * skin, from)?;
    // Steps back of the duration that the overlap needs at least at the bound on the rate: from the deep side to the touch.
    let mut time = deep;
    for _ in 0..MAX_STEPS_BACK {
        let (now, speed) = gap.at(time);
        if now >= touching - TOLERANCE * skin || !(speed > 0.0) {
            break;
        }
        time -= (touching - now) / speed;
        if !(time > from) {
            return Some(from);
        }
    }
    Some(time)
}

/// First time at which a gap is no more than `level` + `tolerance` [m]; `None` where it is proved to stay above.
fn reaches(gap: &mut impl Gap, level: f64, tolerance: f64, from: f64) -> Option<f64> {
    let mut time = from;
    for _ in 0..MAX_STEPS {
        let (now, speed) = gap.at(time);
        // Negated so that a gap of NaN stops the bodies.
        if !(now > level + tolerance) {
            return Some(time);
        }
        if speed <= 0.0 {
            return None;
        }
        time += (now - level) / speed;
        if time >= 1.0 {
            return None;
        }
    }
    Some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gap that closes at `speed`, and at `change` of that per unit of time less.
    struct Bouncing {
        start: f64,
        speed: f64,
        change: f64,
    }

    impl Gap for Bouncing {
        fn at(&mut self, time: f64) -> (f64, f64) {
            (self.start - self.speed * time + 0.5 * self.change * time * time, self.speed)
        }
    }

    #[test]
    fn bodies_stop_when_they_touch() {
        for speed in [1.01, 3.0, 200.0] {
            let found = contact_time(&mut Bouncing { start: 1.0, speed, change: 0.0 }, 1e-3, 0.0).unwrap();
            assert!((found * speed - 1.0).abs() < 1e-4, "{found}");
        }
    }

    #[test]
    fn bodies_that_only_graze_are_not_stopped() {
        // The minimum gap is −8e-4.
        let mut grazing = Bouncing { start: 0.4992, speed: 2.0, change: 4.0 };
        assert_eq!(contact_time(&mut grazing, 1e-3, 0.0), None);
        assert!(contact_time(&mut grazing, 5e-4, 0.0).is_some());
    }

    #[test]
    fn overlapping_bodies_may_separate_but_not_sink_deeper() {
        assert_eq!(contact_time(&mut Bouncing { start: -0.5, speed: -1.0, change: 0.0 }, 1e-3, 0.0), None);
        let sinking =
            contact_time(&mut Bouncing { start: -0.5, speed: 1.0, change: 0.0 }, 1e-3, 0.25).unwrap();
        assert!((0.25..0.252).contains(&sinking), "{sinking}");
    }

    #[test]
    fn a_gap_that_is_nan_stops_at_once() {
        assert_eq!(
            contact_time(&mut Bouncing { start: f64::NAN, speed: 1.0, change: 0.0 }, 1e-3, 0.5),
            Some(0.5)
        );
    }
}
