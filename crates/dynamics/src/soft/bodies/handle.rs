//! Prescribed nodes: poses of handles over time, and the positions that handles and rigid bodies prescribe.

use nalgebra::{Isometry3, Point3, Unit, UnitQuaternion, Vector3};

use super::description::{Handle, Keyframe};
use super::state::SoftLoad;
use crate::soft::SoftSystem;

/// Fraction of a step by which its end may be past the release time of a handle: rounding of sums of steps. A
/// safeguard, without effect on the sets of docs/sensitivity.md.
const TIME_TOLERANCE: f64 = 1e-6;

/// Nodes prescribed by one handle or rigid body.
#[derive(Debug, Clone)]
pub(super) struct PrescribedNodes {
    /// Blocks of the system.
    pub(super) blocks: Vec<usize>,
    /// Their positions in the frame of the holder [m]: the world at the start for a handle, the obstacle's frame for a rigid body.
    pub(super) places: Vec<Point3<f64>>,
    pub(super) by: Holder,
    /// Load on the nodes at the end of the last step, about the pivot of a handle or the origin of the obstacle's frame.
    pub(super) load: SoftLoad,
}

/// Holder of prescribed nodes.
#[derive(Debug, Clone)]
pub(super) enum Holder {
    /// A handle.
    Handle(Handle),
    /// A fixed or kinematic rigid body, by its index.
    Body(usize),
}

impl PrescribedNodes {
    /// Prescribes the nodes for a substep that ends at `time` and takes `dt` [s]; `pose_of` returns the poses of rigid bodies then.
    pub(super) fn prescribe(
        &self,
        system: &mut SoftSystem,
        (time, dt): (f64, f64),
        pose_of: &dyn Fn(usize) -> Isometry3<f64>,
    ) {
        let (pose, axes) = match &self.by {
            Holder::Body(index) => (pose_of(*index), [true; 3]),
            Holder::Handle(handle) => {
                if handle.until.is_some_and(|until| time > until + TIME_TOLERANCE * dt) {
                    self.blocks.iter().for_each(|&block| system.release(block));
                    return;
                }
                (handle_pose(handle, time), handle.axes)
            }
        };
        for (&block, place) in self.blocks.iter().zip(&self.places) {
            system.prescribe(block, axes, (pose * place).coords);
        }
    }
}

impl PrescribedNodes {
    /// Takes the load from the reactions of the nodes, about `center` \[m\].
    pub(super) fn collect_load(&mut self, system: &SoftSystem, center: &Vector3<f64>) {
        self.load = SoftLoad::default();
        for &block in &self.blocks {
            let force = system.reaction(block);
            self.load.force += force;
            self.load.torque += (system.x[block] - center).cross(&force);
        }
    }
}

/// The motion of a handle from the start to `time` [s], world → world.
pub(super) fn handle_pose(handle: &Handle, time: f64) -> Isometry3<f64> {
    let start = Keyframe { time: 0.0, displacement: Vector3::zeros(), rotation: UnitQuaternion::identity() };
    let next = handle.keyframes.partition_point(|frame| frame.time <= time);
    let from = if next == 0 { start } else { handle.keyframes[next - 1] };
    let to = handle.keyframes.get(next).copied().unwrap_or(from);
    let span = to.time - from.time;
    let part = if span > 0.0 { smooth((time - from.time) / span) } else { 0.0 };
    let displacement = from.displacement.lerp(&to.displacement, part);
    let rotation = interpolate_rotation(&from.rotation, &to.rotation, part);
    let pivot = handle.pivot.coords;
    Isometry3::from_parts((pivot + displacement - rotation * pivot).into(), rotation)
}

/// The cubic smoothstep from 0 to 1, with zero slope at both ends.
fn smooth(u: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}

/// Spherical interpolation along the shorter arc from one rotation to another, about one axis; a relative rotation by π, for
/// which both arcs are equally long, follows the sign of its quaternion.
fn interpolate_rotation(
    from: &UnitQuaternion<f64>,
    to: &UnitQuaternion<f64>,
    part: f64,
) -> UnitQuaternion<f64> {
    let relative = to * from.inverse();
    // A unit quaternion and its negative are the same rotation; that with w ≥ 0 has the angle below π.
    let short = if relative.w < 0.0 { -relative.into_inner() } else { relative.into_inner() };
    let sine = short.imag().norm();
    match Unit::try_new(short.imag(), 0.0) {
        Some(axis) => UnitQuaternion::from_axis_angle(&axis, part * 2.0 * sine.atan2(short.w)) * from,
        None => *from,
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;

    fn about_z(angle: f64) -> UnitQuaternion<f64> {
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle)
    }

    fn handle(frames: &[(f64, Vector3<f64>, f64)]) -> Handle {
        let frame = |&(time, displacement, angle): &(f64, Vector3<f64>, f64)| Keyframe {
            time,
            displacement,
            rotation: about_z(angle),
        };
        Handle {
            name: "grip".into(),
            nodes: vec![0],
            axes: [true; 3],
            pivot: Point3::new(1.0, 0.0, 0.0),
            keyframes: frames.iter().map(frame).collect(),
            until: None,
        }
    }

    #[test]
    fn a_handle_begins_at_the_start_and_stays_at_its_last_keyframe() {
        let shift = Vector3::new(0.0, 0.0, 2.0);
        let handle = handle(&[(2.0, shift, FRAC_PI_2)]);
        assert!(
            (handle_pose(&handle, 0.0).to_homogeneous() - Isometry3::identity().to_homogeneous()).norm()
                < 1e-15
        );
        // A quarter of the time is 3/16 − 2/64 of the motion; the pivot only translates.
        let early = handle_pose(&handle, 0.5);
        let part = 3.0 / 16.0 - 2.0 / 64.0;
        assert!((early.rotation.angle() - part * FRAC_PI_2).abs() < 1e-14);
        assert!((early * Point3::new(1.0, 0.0, 0.0) - Point3::new(1.0, 0.0, 2.0 * part)).norm() < 1e-14);
        // The point at the origin rotates about the pivot: (−1, 0, 0) becomes (0, −1, 0).
        for time in [2.0, 7.0] {
            let moved = handle_pose(&handle, time) * Point3::origin();
            assert!((moved - Point3::new(1.0, -1.0, 2.0)).norm() < 1e-14, "{moved}");
        }
        assert_eq!(handle_pose(&Handle { keyframes: Vec::new(), ..handle }, 3.0), Isometry3::identity());
    }

    #[test]
    fn rotations_take_the_shorter_arc_and_half_a_revolution_takes_either() {
        let back = handle(&[(1.0, Vector3::zeros(), 1.5 * PI)]);
        let middle = handle_pose(&back, 0.5).rotation;
        assert!((middle.angle_to(&about_z(-0.25 * PI))).abs() < 1e-14);
        let half = handle(&[(1.0, Vector3::zeros(), PI)]);
        assert!((handle_pose(&half, 0.5).rotation.angle() - FRAC_PI_2).abs() < 1e-14);
    }

    #[test]
    fn a_handle_is_at_rest_at_its_keyframes() {
        let shift = Vector3::new(3.0, 0.0, 0.0);
        let handle = handle(&[(1.0, shift, 0.0), (2.0, -shift, 1.0)]);
        let place = |time: f64| handle_pose(&handle, time) * Point3::origin();
        for time in [0.0, 1.0, 2.0] {
            let speed = (place(time + 1e-6) - place(time - 1e-6)).norm() / 2e-6;
            assert!(speed < 1e-4, "{time} {speed}");
        }
        assert!((place(1.5 + 1e-6) - place(1.5 - 1e-6)).norm() / 2e-6 > 1.0);
    }
}
