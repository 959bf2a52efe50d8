//! Clock that decides when the next step is due.

use std::time::Duration;

use crate::interface::ClockState;

/// Source of the time that steps follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    /// Wall-clock time, times the speed.
    #[default]
    RealTime,
    /// Only [`Command::Advance`](super::Command::Advance): equal commands give equal runs.
    Commanded,
}

/// Minimum and maximum speed: simulated seconds per second.
pub const SPEEDS: [f64; 2] = [1.0 / 16.0, 16.0];
/// Maximum wall-clock delay that is caught up [s]: longer delays are dropped, so that a slow step is not followed by a
/// burst. Smaller values run slower than the set speed after short pauses of the machine.
const MAX_CATCH_UP: f64 = 0.1;
/// Averaging window of the achieved speed [s].
const WINDOW: f64 = 0.5;
/// Fraction of the set speed below which the clock counts as behind.
const BEHIND_FRACTION: f64 = 0.9;
/// Fraction of a step that may be missing when it is taken: sums of times are rounded.
const SLACK: f64 = 1e-9;

/// Decides when the next step is due. Times are since a fixed moment, the same for all calls.
#[derive(Debug)]
pub(super) struct Clock {
    pace: Pace,
    state: ClockState,
    now: f64,
    /// Simulated time that has passed but has not been stepped yet [s].
    due: f64,
    /// Start of the averaging window, and simulated time since then [s].
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

    /// Whether steps are taken on command only.
    pub(super) fn waits_for_commands(&self) -> bool {
        self.pace == Pace::Commanded
    }

    pub(super) fn play(&mut self, playing: bool) {
        if playing != self.state.playing {
            self.state.playing = playing;
            self.restart();
        }
    }

    /// Sets the speed, clamped to [`SPEEDS`]; NaN is ignored.
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

    /// Advances the clock to a wall-clock time.
    pub(super) fn pass(&mut self, now: Duration) {
        let now = now.as_secs_f64();
        let passed = (now - self.now).max(0.0);
        self.now = now;
        let ClockState { playing: true, speed, .. } = self.state else { return };
        if self.pace == Pace::Commanded {
            return;
        }
        // No more is due than the delay that is caught up, in simulated time.
        self.due = (self.due + speed * passed).min(speed * MAX_CATCH_UP.max(passed.min(MAX_CATCH_UP)));
        let [began, stepped] = self.window;
        if now - began >= WINDOW {
            self.state.achieved = stepped / (now - began);
            self.state.behind = self.state.achieved < BEHIND_FRACTION * speed;
            self.window = [now, 0.0];
        }
    }

    /// Adds simulated time [s] to step through, with [`Pace::Commanded`] while playing.
    pub(super) fn advance(&mut self, seconds: f64) {
        if self.state.playing && self.pace == Pace::Commanded && seconds >= 0.0 {
            self.due += seconds;
        }
    }

    /// Whether a step of this length [s] is due. A step longer than the maximum delay is due when that delay is reached.
    pub(super) fn is_due(&self, step: f64) -> bool {
        self.state.playing && self.missing(step) <= 0.0
    }

    /// Wall-clock time until a step of this length [s] is due; `None` if none will be due.
    pub(super) fn wait(&self, step: f64) -> Option<Duration> {
        if !self.state.playing || self.pace == Pace::Commanded {
            return self.is_due(step).then_some(Duration::ZERO);
        }
        Some(Duration::try_from_secs_f64(self.missing(step).max(0.0) / self.state.speed).unwrap_or_default())
    }

    /// Simulated time missing until a step is due [s].
    fn missing(&self, step: f64) -> f64 {
        let needed = match self.pace {
            Pace::RealTime => step.min(self.state.speed * MAX_CATCH_UP),
            Pace::Commanded => step,
        };
        needed * (1.0 - SLACK) - self.due
    }

    /// Records that a step of this length [s] was taken.
    pub(super) fn stepped(&mut self, step: f64) {
        self.due -= step;
        self.window[1] += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays for a wall-clock time with steps that take `takes` each; returns the simulated time. All in seconds.
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
    fn a_clock_that_cannot_keep_up_reports_it_and_the_achieved_speed() {
        let mut clock = Clock::new(Pace::RealTime);
        // Steps of 1 ms that take 4 ms.
        let simulated = play(&mut clock, 4.0, 0.001, 0.004);
        assert!((simulated - 1.0).abs() < 0.01, "{simulated}");
        let state = clock.state();
        assert!(state.behind && (state.achieved - 0.25).abs() < 0.01, "{state:?}");
        // When steps are fast again, no more than a tenth of a second is caught up.
        let simulated = play(&mut clock, 1.0, 0.001, 1e-6);
        assert!(simulated < 1.0 + MAX_CATCH_UP + 0.01, "{simulated}");
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
        for (requested, set) in [(100.0, 16.0), (0.0, 0.0625), (-3.0, 0.0625), (f64::NAN, 0.0625), (2.0, 2.0)]
        {
            clock.set_speed(requested);
            assert!((clock.state().speed - set).abs() < 1e-15, "{requested}");
        }
    }

    #[test]
    fn commanded_time_is_stepped_through_exactly() {
        let mut clock = Clock::new(Pace::Commanded);
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
