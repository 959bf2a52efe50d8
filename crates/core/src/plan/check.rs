//! Checks of the ends of a path, and of a path by collision queries of the models.

use super::segment::Segment;
use super::types::{End, PlanError, PlanOptions};
use crate::penetration::generalized::collision_world::CollisionWorld;
use crate::penetration::generalized::error::GeneralizedError;
use crate::penetration::generalized::movable::Base;
use crate::penetration::generalized::pose::Pose;
use crate::proximity::error::ProximityError;

/// Minimum number of poses at which a segment is checked.
const MIN_CHECKS: usize = 4;
/// √σ between two checked poses, as a fraction of the size of the collision world. The check is a second opinion on segments
/// that are proved free: a larger spacing saves time and may miss a faulty proof.
const SPACING: f64 = 0.02;
/// Maximum number of checks of a segment.
const MAX_CHECKS: usize = 1000;

/// Checks the options and both ends of a plan.
pub(super) fn ends(
    collision_world: &CollisionWorld,
    [start, goal]: [&Pose; 2],
    options: &PlanOptions,
) -> Result<(), PlanError> {
    let movables = collision_world.movables().len();
    if movables != 1 {
        return Err(PlanError::ModelCount { movables });
    }
    let step = options.step.unwrap_or(1.0);
    for (option, value, is_sound, accepted) in [
        ("clearance", options.clearance, options.clearance >= 0.0, "a length of at least zero"),
        ("step", step, step > 0.0, "a length above zero"),
        ("resolution", options.resolution, options.resolution > 0.0, "a fraction above zero"),
    ] {
        if !(is_sound && value.is_finite()) {
            return Err(GeneralizedError::from(ProximityError::Option { option, value, accepted }).into());
        }
    }
    let movable = &collision_world.movables()[0];
    for (end, pose) in [(End::Start, start), (End::Goal, goal)] {
        // A gap of twice the resolution lets the motion validator prove the first interval of a segment free.
        let gap = options.clearance + 2.0 * options.resolution * collision_world.size();
        if !collision_world.is_free(std::slice::from_ref(pose), gap)? {
            let pairs = collision_world.colliding(std::slice::from_ref(pose))?;
            return Err(PlanError::NotFree { end, pairs, gap });
        }
        for ((&value, [lower, upper]), &joint) in
            pose.joints.iter().zip(movable.limits()?).zip(movable.articulation().coordinates())
        {
            let is_within = lower <= value && value <= upper;
            // Values beyond a limit by rounding alone are accepted.
            if !(is_within || collision_world.keeps_limits(std::slice::from_ref(pose))) {
                let joint = movable.articulation().joints()[joint].name.clone();
                return Err(PlanError::OutsideLimits { end, joint, value, lower, upper });
            }
        }
    }
    if movable.base() == Base::Fixed && start.base != goal.base {
        return Err(PlanError::Unmoved { what: "the base".to_owned() });
    }
    for (at, &fixed) in movable.fixed().iter().enumerate() {
        // Bitwise, because a fixed joint keeps its exact value along the path.
        if fixed && start.joints[at].to_bits() != goal.joints[at].to_bits() {
            let joint = movable.articulation().coordinates()[at];
            let what = format!("joint \"{}\"", movable.articulation().joints()[joint].name);
            return Err(PlanError::Unmoved { what });
        }
    }
    Ok(())
}

/// Checks poses along a path with collision queries of the models, and the joint limits; returns their number.
pub(super) fn path(collision_world: &CollisionWorld, path: &[Pose]) -> Result<usize, PlanError> {
    let norm = collision_world.movables()[0].norm();
    let mut checked = 0;
    for ends in path.windows(2) {
        let metric = norm.at(&ends[0].joints, &ends[0].base).map_err(GeneralizedError::from)?;
        let length = metric.sigma(&ends[1].joints, &ends[1].base).sqrt();
        let segment = Segment::new(&ends[0], &ends[1], collision_world.obstacles());
        let checks = (length / (SPACING * collision_world.size())).ceil().min(MAX_CHECKS as f64);
        let checks = (checks as usize).max(MIN_CHECKS);
        for at in 0..=checks {
            let pose = [segment.at(at as f64 / checks as f64)];
            if !(collision_world.verify(&pose)? && collision_world.keeps_limits(&pose)) {
                return Err(PlanError::Unsound { pairs: collision_world.colliding(&pose)? });
            }
            checked += 1;
        }
    }
    Ok(checked)
}
