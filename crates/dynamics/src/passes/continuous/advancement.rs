//! Where a gap closes in time, by conservative advancement [Mir96], [Lin17 §40.3].

/// A gap that changes in time.
pub(super) trait Gap {
    /// The gap at a time [m], negative where the bodies overlap, with a speed [m per step]: at no later time is it less
    /// than that speed times the time in between below what it is now.
    fn at(&mut self, time: f64) -> (f64, f64);
}

/// Share of the skin to which a depth is met.
const TOLERANCE: f64 = 0.02;
/// Steps after which an advancement stops where it is: what is beyond is not known to be free.
const MOST_STEPS: u32 = 20_000;
/// Steps back to the touch.
const MOST_STEPS_BACK: u32 = 30;

/// The time from `from` on at which bodies must stop because they would get a skin [m] deeper into each other than they
/// are: when they touched, or when the step began if they overlap all the time.
pub(super) fn meeting_of(gap: &mut impl Gap, skin: f64, from: f64) -> Option<f64> {
    let touching = gap.at(from).0.min(0.0);
    let deep = reaches(gap, touching - skin, TOLERANCE * skin, from)?;
    let mut time = deep;
    for _ in 0..MOST_STEPS_BACK {
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

/// The first time at which a gap is no more than `level` + `tolerance` [m]; none where it is proved to stay above.
fn reaches(gap: &mut impl Gap, level: f64, tolerance: f64, from: f64) -> Option<f64> {
    let mut time = from;
    for _ in 0..MOST_STEPS {
        let (now, speed) = gap.at(time);
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
            let found = meeting_of(&mut Bouncing { start: 1.0, speed, change: 0.0 }, 1e-3, 0.0).unwrap();
            assert!((found * speed - 1.0).abs() < 1e-4, "{found}");
        }
    }

    #[test]
    fn what_only_grazes_goes_on() {
        // The least gap is −8e-4.
        let mut grazing = Bouncing { start: 0.4992, speed: 2.0, change: 4.0 };
        assert_eq!(meeting_of(&mut grazing, 1e-3, 0.0), None);
        assert!(meeting_of(&mut grazing, 5e-4, 0.0).is_some());
    }

    #[test]
    fn what_overlaps_may_come_apart_but_not_sink_deeper() {
        assert_eq!(meeting_of(&mut Bouncing { start: -0.5, speed: -1.0, change: 0.0 }, 1e-3, 0.0), None);
        let sinking = meeting_of(&mut Bouncing { start: -0.5, speed: 1.0, change: 0.0 }, 1e-3, 0.25).unwrap();
        assert!((0.25..0.252).contains(&sinking), "{sinking}");
    }

    #[test]
    fn a_gap_that_is_no_number_stops_at_once() {
        assert_eq!(
            meeting_of(&mut Bouncing { start: f64::NAN, speed: 1.0, change: 0.0 }, 1e-3, 0.5),
            Some(0.5)
        );
    }
}
