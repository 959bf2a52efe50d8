//! When the next step is due.

use std::time::Duration;

use crate::interface::ClockState;

/// Who says when steps are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    /// A clock on the wall, times the speed.
    #[default]
    RealTime,
    /// [`Command::Advance`](super::Command::Advance) alone: equal commands give equal runs.
    Asked,
}

/// Slowest and fastest time: simulated seconds per second.
pub const SPEEDS: [f64; 2] = [1.0 / 16.0, 16.0];
/// Seconds of which what was missed is caught up; what is beyond them is given up, so that a slow step is not followed by a
/// rush.
const CAUGHT_UP: f64 = 0.1;
/// Seconds over which the speed that is achieved is taken.
const WINDOW: f64 = 0.5;
/// Share of the speed below which a clock is behind.
const BEHIND: f64 = 0.9;
/// Share of a step that may be missing when it is taken: sums of times are rounded.
const SLACK: f64 = 1e-9;

/// Tells when the next step is due. Times are since some moment, the same for all calls.
#[derive(Debug)]
pub(super) struct Clock {
    pace: Pace,
    state: ClockState,
    now: f64,
    /// Simulated time that has passed and was not stepped through yet [s].
    due: f64,
    /// When the window began, and simulated time since then [s].
    window: [f64; 2],
}

impl Clock {
    pub(super) fn new(pace: Pace) -> Self {
        let state = ClockState { playing: false, speed: 1.0, achieved: 0.0, behind: false };
        Self { pace, state, now: 0.0, due: 0.0, window: [0.0; 2] }
    }

    pub(super) fn state(&self) -> ClockState {
        self.state
    }

    pub(super) fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
        self.restart();
    }

    /// Whether steps are taken when they are asked for only.
    pub(super) fn waits_for_commands(&self) -> bool {
        self.pace == Pace::Asked
    }

    pub(super) fn play(&mut self, playing: bool) {
        if playing != self.state.playing {
            self.state.playing = playing;
            self.restart();
        }
    }

    /// Sets the speed, within [`SPEEDS`]; not a number changes nothing.
    pub(super) fn set_speed(&mut self, speed: f64) {
        if !speed.is_nan() {
            self.state.speed = speed.clamp(SPEEDS[0], SPEEDS[1]);
            self.restart();
        }
    }

    fn restart(&mut self) {
        self.due = 0.0;
        self.window = [self.now, 0.0];
        (self.state.achieved, self.state.behind) = (0.0, false);
    }

    /// Time passes.
    pub(super) fn pass(&mut self, now: Duration) {
        let now = now.as_secs_f64();
        let passed = (now - self.now).max(0.0);
        self.now = now;
        let ClockState { playing: true, speed, .. } = self.state else { return };
        if self.pace == Pace::Asked {
            return;
        }
        self.due = (self.due + speed * passed).min(speed * CAUGHT_UP.max(passed.min(CAUGHT_UP)));
        let [began, stepped] = self.window;
        if now - began >= WINDOW {
            self.state.achieved = stepped / (now - began);
            self.state.behind = self.state.achieved < BEHIND * speed;
            self.window = [now, 0.0];
        }
    }

    /// Asks for simulated time [s], where that is what steps wait for.
    pub(super) fn advance(&mut self, seconds: f64) {
        if self.state.playing && self.pace == Pace::Asked && seconds >= 0.0 {
            self.due += seconds;
        }
    }

    /// Whether a step of this length [s] is due. A step that is longer than all that is caught up is due when that is.
    pub(super) fn is_due(&self, step: f64) -> bool {
        self.state.playing && self.missing(step) <= 0.0
    }

    /// Seconds until a step of this length [s] is due; none where it never will be.
    pub(super) fn wait(&self, step: f64) -> Option<Duration> {
        if !self.state.playing || self.pace == Pace::Asked {
            return self.is_due(step).then_some(Duration::ZERO);
        }
        Some(Duration::try_from_secs_f64(self.missing(step).max(0.0) / self.state.speed).unwrap_or_default())
    }

    fn missing(&self, step: f64) -> f64 {
        let needed = match self.pace {
            Pace::RealTime => step.min(self.state.speed * CAUGHT_UP),
            Pace::Asked => step,
        };
        needed * (1.0 - SLACK) - self.due
    }

    /// A step of this length [s] was taken.
    pub(super) fn stepped(&mut self, step: f64) {
        self.due -= step;
        self.window[1] += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays for seconds of wall-clock time with steps that take a while; simulated seconds.
    fn play(clock: &mut Clock, seconds: f64, step: f64, takes: f64) -> f64 {
        let (start, mut simulated) = (clock.now, 0.0);
        let mut now = start;
        clock.play(true);
        while now < start + seconds {
            if clock.is_due(step) {
                clock.stepped(step);
                simulated += step;
                now += takes;
            } else {
                now += clock.wait(step).expect("it plays").as_secs_f64().max(1e-6);
            }
            clock.pass(Duration::from_secs_f64(now));
        }
        simulated
    }

    #[test]
    fn simulated_time_is_wall_clock_time_times_the_speed() {
        for (speed, step) in [(1.0, 0.001), (16.0, 1.0 / 60.0), (0.0625, 0.004), (1.0, 0.25)] {
            let mut clock = Clock::new(Pace::RealTime);
            clock.set_speed(speed);
            let simulated = play(&mut clock, 4.0, step, 1e-5);
            assert!((simulated - 4.0 * speed).abs() < 2.0 * step + 0.01 * speed, "{speed}: {simulated}");
            assert!(!clock.state().behind, "{speed}: {:?}", clock.state());
        }
    }

    #[test]
    fn a_clock_that_cannot_keep_up_says_so_and_what_it_achieves() {
        let mut clock = Clock::new(Pace::RealTime);
        // Steps of 1 ms that take 4 ms.
        let simulated = play(&mut clock, 4.0, 0.001, 0.004);
        assert!((simulated - 1.0).abs() < 0.01, "{simulated}");
        let state = clock.state();
        assert!(state.behind && (state.achieved - 0.25).abs() < 0.01, "{state:?}");
        // When steps are fast again, no more than a tenth of a second is caught up.
        let simulated = play(&mut clock, 1.0, 0.001, 1e-6);
        assert!(simulated < 1.0 + CAUGHT_UP + 0.01, "{simulated}");
        assert!(!clock.state().behind);
    }

    #[test]
    fn a_paused_clock_has_no_step_due_and_a_pause_is_not_caught_up() {
        let mut clock = Clock::new(Pace::RealTime);
        clock.pass(Duration::from_secs(5));
        assert!(!clock.is_due(0.001) && clock.wait(0.001).is_none());
        clock.play(true);
        assert!(!clock.is_due(0.001));
        clock.pass(Duration::from_secs_f64(5.0011));
        assert!(clock.is_due(0.001));
    }

    #[test]
    fn speeds_stay_within_their_range() {
        let mut clock = Clock::new(Pace::RealTime);
        for (asked, set) in [(100.0, 16.0), (0.0, 0.0625), (-3.0, 0.0625), (f64::NAN, 0.0625), (2.0, 2.0)] {
            clock.set_speed(asked);
            assert!((clock.state().speed - set).abs() < 1e-15, "{asked}");
        }
    }

    #[test]
    fn time_that_is_asked_for_is_stepped_through_to_the_step() {
        let mut clock = Clock::new(Pace::Asked);
        let (step, mut steps) = (0.1, 0);
        clock.advance(1.0);
        assert!(!clock.is_due(step), "it is paused");
        clock.play(true);
        // Ten times 0.1 is less than 1 in floating point.
        for _ in 0..10 {
            clock.advance(0.1);
            clock.pass(Duration::from_secs(99));
            while clock.is_due(step) {
                clock.stepped(step);
                steps += 1;
            }
        }
        assert_eq!(steps, 10);
    }
}
