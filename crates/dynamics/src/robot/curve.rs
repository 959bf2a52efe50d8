//! Bounded forces within a joint, in pieces, and the active set of their pieces over a step.
//!
//! The force of a motor, and that of Coulomb friction, falls with the speed of the joint: it is that of a spring and a damper between two
//! bounds. One piece acts in a step: it is predicted by [`super::drive`], and corrected for the speeds that follow ([`Drive::correct`]).

use super::action::{Action, Coordinate, Now};
use super::reading::JointEfforts;

/// Part of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// The wanted spring and damper.
    Wanted,
    /// Held at the maximum speed, forward or backward.
    Fastest(bool),
    /// The bound as a constant force, forward or backward.
    Bound(bool),
}

/// Spring and damper whose force is bounded and drives no faster than a maximum speed: a force that falls with the speed of the joint,
/// in pieces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Curve {
    pub(super) wanted: Action,
    /// Dampers that hold the joint at its maximum speed, backward and forward.
    pub(super) fastest: Option<[Action; 2]>,
    /// Infinite where there is none.
    pub(super) bound: f64,
    /// The piece that acts.
    pub(super) piece: Piece,
}

impl Curve {
    fn of(&self, piece: Piece) -> Action {
        match (piece, self.fastest) {
            (Piece::Bound(forward), _) => Action::constant(if forward { self.bound } else { -self.bound }),
            (Piece::Fastest(forward), Some(fastest)) => fastest[usize::from(forward)],
            _ => self.wanted,
        }
    }

    pub(super) fn action(&self) -> Action {
        self.of(self.piece)
    }

    /// The piece, or the bound where its force would be beyond at the end of the step.
    pub(super) fn bounded(&self, piece: Piece, now: &Now, load: f64) -> Piece {
        let force = self.of(piece).force_ahead(now, load);
        if force.abs() > self.bound { Piece::Bound(force > 0.0) } else { piece }
    }

    /// The piece at a speed, without the bound, and its force.
    fn unbounded(&self, start: &Coordinate, speed: f64, reach: f64) -> (Piece, f64) {
        let force = self.wanted.force_at(start, speed, reach);
        let Some(fastest) = self.fastest else { return (Piece::Wanted, force) };
        let [backward, forward] = fastest.map(|action| action.force_at(start, speed, reach));
        match () {
            () if force > forward => (Piece::Fastest(true), forward),
            () if force < backward => (Piece::Fastest(false), backward),
            () => (Piece::Wanted, force),
        }
    }

    /// The piece between the bounds: the wanted one where the bound drives no faster than that, otherwise that of the speed at which the force is zero. The piece of a
    /// speed that a bound threw far away, past the other one, would throw it back.
    fn within(&self, start: &Coordinate, speeds: &[f64], reach: f64) -> Piece {
        if speeds.iter().all(|speed| self.unbounded(start, *speed, reach).0 == Piece::Wanted) {
            return Piece::Wanted;
        }
        let falls = self.wanted.damping + self.wanted.stiffness * reach;
        let balanced = self.wanted.force_at(start, 0.0, reach) / falls;
        self.unbounded(start, if falls > 0.0 { balanced } else { speeds[0] }, reach).0
    }

    /// The piece at all of these speeds, without the bound; the wanted one where they differ. The displacement alone is faster than the joint where
    /// it recovers an overlap, which no motor drives.
    fn common(&self, start: &Coordinate, speeds: &[f64], reach: f64) -> Piece {
        let mut pieces = speeds.iter().map(|speed| self.unbounded(start, *speed, reach).0);
        let first = pieces.next().unwrap_or(Piece::Wanted);
        if pieces.all(|piece| piece == first) { first } else { Piece::Wanted }
    }

    /// Whether the force is beyond the bound at all of these speeds, forward or backward.
    fn beyond(&self, start: &Coordinate, speeds: &[f64], reach: f64) -> Option<bool> {
        let force = |&speed: &f64| self.unbounded(start, speed, reach).1;
        let is_beyond = |sign: f64| speeds.iter().all(|speed| sign * force(speed) > self.bound);
        [true, false].into_iter().find(|forward| is_beyond(if *forward { 1.0 } else { -1.0 }))
    }

    /// Corrects the piece for the speeds of the joint's displacement and at the end of a step; returns whether it changes. A bound is left as soon as
    /// the force of one speed is within it, and reached only where those of both are beyond and it `may` be, as is the maximum speed: a bound that is reached
    /// too late makes a joint stiffer for a step, one that is left too late throws a light link.
    fn correct(&mut self, start: &Coordinate, speeds: &[f64], (reach, may): (f64, bool)) -> bool {
        let piece = match (self.piece, self.beyond(start, speeds, reach)) {
            (Piece::Bound(bound), Some(forward)) if bound == forward => self.piece,
            (Piece::Wanted | Piece::Fastest(_), Some(forward)) if may => Piece::Bound(forward),
            (Piece::Wanted | Piece::Fastest(_), Some(_)) => self.piece,
            (Piece::Bound(_), _) => self.within(start, speeds, reach),
            (Piece::Wanted, _) => self.common(start, speeds, reach),
            _ => self.unbounded(start, speeds[0], reach).0,
        };
        std::mem::replace(&mut self.piece, piece) != piece
    }
}

/// Forces within a joint during a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drive {
    pub(super) at: Coordinate,
    /// Spring and damping of the joint.
    pub(super) passive: Action,
    pub(super) motor: Option<Curve>,
    /// Spring of a limit.
    pub(super) limit: Action,
    pub(super) friction: Option<Curve>,
    /// Position at which friction holds the joint [rad or m].
    pub(super) anchor: f64,
}

impl Drive {
    /// The spring and damper that act.
    pub(crate) fn action(&self) -> Action {
        let [motor, friction] =
            [self.motor, self.friction].map(|curve| curve.map_or(Action::default(), |curve| curve.action()));
        self.passive.plus(motor).plus(self.limit).plus(friction)
    }

    /// Corrects what acts for the speeds of the joint's displacement and at the end of the step; returns whether it changes. Forces are
    /// taken `reach` \[s\] after the start; bounds are reached only where they `may` be.
    pub(crate) fn correct(&mut self, speeds: &[f64], reached: (f64, bool)) -> bool {
        let at = self.at;
        let mut changes = false;
        for curve in [&mut self.motor, &mut self.friction].into_iter().flatten() {
            changes |= curve.correct(&at, speeds, reached);
        }
        changes
    }

    /// Whether a motor or friction is stronger than its bound at these speeds.
    pub(crate) fn exceeds(&self, speeds: &[f64], reach: f64) -> bool {
        let exceeds = |curve: &Curve| {
            !matches!(curve.piece, Piece::Bound(_)) && curve.beyond(&self.at, speeds, reach).is_some()
        };
        [self.motor, self.friction].iter().flatten().any(exceeds)
    }

    /// Forces at a speed that the joint keeps from the start of a step for `reach` \[s\]; that of a limit is of its spring alone.
    pub(super) fn efforts(&self, speed: f64, reach: f64) -> JointEfforts {
        let force = |action: &Action| action.force_at(&self.at, speed, reach);
        let of_curve = |curve: Option<Curve>| curve.map_or(0.0, |curve| force(&curve.action()));
        JointEfforts {
            motor: of_curve(self.motor),
            friction: of_curve(self.friction) + force(&self.passive),
            limit: force(&self.limit),
        }
    }

    /// Inertia that the force accelerates.
    pub(crate) fn inertia(&self) -> f64 {
        self.at.inertia
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REACH: f64 = 0.002;

    /// A motor of 300 N·m and 3 rad/s at most, at a distance \[rad\] before its target, and its joint at rest.
    fn motor(piece: Piece, distance: f64) -> (Curve, Coordinate) {
        let wanted = Action::spring(2000.0, distance, 100.0);
        let fastest = Some([Action::servo(1e5, -3.0), Action::servo(1e5, 3.0)]);
        let start = Coordinate { position: 0.0, speed: 0.0, inertia: 0.4 };
        (Curve { wanted, fastest, bound: 300.0, piece }, start)
    }

    /// The piece after a correction.
    fn corrected(piece: Piece, distance: f64, speeds: [f64; 2]) -> Piece {
        let (mut curve, start) = motor(piece, distance);
        curve.correct(&start, &speeds, (REACH, true));
        curve.piece
    }

    #[test]
    fn the_maximum_speed_is_reached_where_the_displacement_and_the_end_both_are() {
        assert_eq!(corrected(Piece::Wanted, 0.1, [-27.0, 0.1]), Piece::Wanted);
        assert_eq!(corrected(Piece::Wanted, 0.1, [0.1, -27.0]), Piece::Wanted);
        assert_eq!(corrected(Piece::Wanted, -0.3, [-3.0005, -3.0005]), Piece::Fastest(false));
        assert_eq!(corrected(Piece::Fastest(false), 0.05, [-1.0, -1.0]), Piece::Wanted);
    }

    #[test]
    fn a_bound_that_drives_no_faster_than_the_maximum_speed_is_left_for_the_wanted_force() {
        // The force is zero at 3.4 rad/s, and 300 N·m at half a radian per second.
        assert_eq!(corrected(Piece::Bound(true), 0.18, [-0.4, 1.3]), Piece::Wanted);
        assert_eq!(corrected(Piece::Bound(true), 0.18, [-0.4, 0.4]), Piece::Bound(true));
        assert_eq!(corrected(Piece::Bound(true), 0.18, [8.0, 8.0]), Piece::Fastest(true));
    }
}
