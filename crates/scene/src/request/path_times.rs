//! Times of the poses of a path: each segment takes as long as what is slowest along it.

use nalgebra::Vector3;

use extricate_core::kinematics::Articulation;
use extricate_core::penetration::generalized::Pose;

/// Maximum speeds along a path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Speeds<'a> {
    /// Of each joint of the articulation [rad/s or m/s], where its robot states one.
    pub(super) joints: &'a [Option<f64>],
    /// Of everything else: other joints, and the base or body [m/s and rad/s].
    pub(super) others: f64,
}

/// The time at which each pose of a path is reached [s], with everything at its maximum speed or below on straight segments.
pub(super) fn times(path: &[Pose], articulation: &Articulation, speeds: Speeds<'_>) -> Vec<f64> {
    let mut time = 0.0;
    let mut times = vec![0.0; path.len().min(1)];
    for segment in path.windows(2) {
        time += duration([&segment[0], &segment[1]], articulation, speeds);
        times.push(time);
    }
    times
}

/// Duration of a segment [s].
fn duration([from, to]: [&Pose; 2], articulation: &Articulation, speeds: Speeds<'_>) -> f64 {
    // The poses are those of this articulation.
    let values = |pose: &Pose| articulation.joint_values(&pose.joints).unwrap_or_default();
    let speed = |joint: usize| {
        let own = speeds.joints.get(joint).copied().flatten();
        own.filter(|speed| *speed > 0.0 && speed.is_finite()).unwrap_or(speeds.others)
    };
    let of_joints = values(from).into_iter().zip(values(to)).enumerate();
    let of_joints = of_joints.map(|(joint, (from, to))| (to - from).abs() / speed(joint));
    let shift: Vector3<f64> = to.base.translation.vector - from.base.translation.vector;
    let angle = from.base.rotation.angle_to(&to.base.rotation);
    of_joints.fold((shift.norm() / speeds.others).max(angle / speeds.others), f64::max)
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::*;
    use extricate_core::kinematics::{Joint, JointKind};

    #[test]
    fn a_segment_takes_as_long_as_the_joint_that_needs_most() {
        let axis = JointKind::Revolute { axis: Vector3::z() };
        let joints = vec![Joint::new("fast", "a", "b", axis), Joint::new("slow", "b", "c", axis)];
        let links = ["a", "b", "c"].map(String::from).to_vec();
        let articulation = Articulation::new(links, joints).unwrap();
        let pose = |joints: [f64; 2], x: f64| Pose {
            base: Isometry3::new(Vector3::x() * x, Vector3::z() * x),
            joints: joints.to_vec(),
        };
        let path =
            [pose([0.0, 0.0], 0.0), pose([2.0, 0.5], 0.0), pose([2.0, 0.0], 0.0), pose([2.0, 0.0], 3.0)];
        let speeds = Speeds { joints: &[Some(4.0), None], others: 0.5 };
        // 0.5 rad at 0.5 rad/s twice, then 3 m and 3 rad at 0.5.
        for (found, expected) in times(&path, &articulation, speeds).iter().zip([0.0, 1.0, 2.0, 8.0]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        assert_eq!(times(&path[..1], &articulation, speeds), [0.0]);
    }
}
