//! Whether the ends of a path are places to be, and whether a path is free by collision queries of the models.

use super::segment::Segment;
use super::types::{End, PlanError, PlanOptions};
use crate::penetration::generalized::arrangement::Arrangement;
use crate::penetration::generalized::error::GeneralizedError;
use crate::penetration::generalized::mover::Base;
use crate::penetration::generalized::pose::Pose;
use crate::proximity::error::ProximityError;

/// Poses at which a segment is checked, at least.
const LEAST_CHECKS: usize = 4;
/// √σ between two checks, as a share of the size of the arrangement.
const SPACING: f64 = 0.02;
/// Greatest number of checks of a segment.
const MOST_CHECKS: usize = 1000;

/// Whether options and ends can be planned with.
pub(super) fn ends(
    arrangement: &Arrangement,
    [start, goal]: [&Pose; 2],
    options: &PlanOptions,
) -> Result<(), PlanError> {
    let movers = arrangement.movers().len();
    if movers != 1 {
        return Err(PlanError::Movers { movers });
    }
    let step = options.step.unwrap_or(1.0);
    for (option, value, is_sound, accepted) in [
        ("clearance", options.clearance, options.clearance >= 0.0, "a length of at least zero"),
        ("step", step, step > 0.0, "a length above zero"),
        ("resolution", options.resolution, options.resolution > 0.0, "a share above zero"),
    ] {
        if !(is_sound && value.is_finite()) {
            return Err(GeneralizedError::from(ProximityError::Option { option, value, accepted }).into());
        }
    }
    let mover = &arrangement.movers()[0];
    for (end, pose) in [(End::Start, start), (End::Goal, goal)] {
        let gap = options.clearance + 2.0 * options.resolution * arrangement.size();
        if !arrangement.is_free(std::slice::from_ref(pose), gap)? {
            let pairs = arrangement.colliding(std::slice::from_ref(pose))?;
            return Err(PlanError::NotFree { end, pairs, gap });
        }
        for ((&value, [lower, upper]), &joint) in
            pose.joints.iter().zip(mover.limits()?).zip(mover.articulation().coordinates())
        {
            let is_within = lower <= value && value <= upper;
            if !(is_within || arrangement.keeps_limits(std::slice::from_ref(pose))) {
                let joint = mover.articulation().joints()[joint].name.clone();
                return Err(PlanError::OutsideLimits { end, joint, value, lower, upper });
            }
        }
    }
    if mover.base() == Base::Fixed && start.base != goal.base {
        return Err(PlanError::Unmoved { what: "the base".to_owned() });
    }
    for (at, &fixed) in mover.fixed().iter().enumerate() {
        if fixed && start.joints[at].to_bits() != goal.joints[at].to_bits() {
            let joint = mover.articulation().coordinates()[at];
            let what = format!("joint \"{}\"", mover.articulation().joints()[joint].name);
            return Err(PlanError::Unmoved { what });
        }
    }
    Ok(())
}

/// Looks at poses along a path with collision queries of the models, and at the limits; their number.
pub(super) fn path(arrangement: &Arrangement, path: &[Pose]) -> Result<usize, PlanError> {
    let norm = arrangement.movers()[0].norm();
    let mut checked = 0;
    for ends in path.windows(2) {
        let metric = norm.at(&ends[0].joints, &ends[0].base).map_err(GeneralizedError::from)?;
        let length = metric.sigma(&ends[1].joints, &ends[1].base).sqrt();
        let segment = Segment::new(&ends[0], &ends[1], arrangement.obstacles());
        let checks = (length / (SPACING * arrangement.size())).ceil().min(MOST_CHECKS as f64);
        let checks = (checks as usize).max(LEAST_CHECKS);
        for at in 0..=checks {
            let pose = [segment.at(at as f64 / checks as f64)];
            if !(arrangement.verify(&pose)? && arrangement.keeps_limits(&pose)) {
                return Err(PlanError::Unsound { pairs: arrangement.colliding(&pose)? });
            }
            checked += 1;
        }
    }
    Ok(checked)
}
