//! Where walks start, and which of them an effort makes.

use nalgebra::{Isometry3, Translation3, Vector6};

use super::walk::{Optimum, Walk};
use super::{RigidError, RigidOptions, RigidPenetration};
use crate::penetration::{LowerBound, TranslationalOptions, penetration};
use crate::proximity::{Model, collide};

pub(super) fn search(
    a: (&Model, &Isometry3<f64>),
    b: (&Model, &Isometry3<f64>),
    options: &RigidOptions,
) -> Result<RigidPenetration, RigidError> {
    let translational = TranslationalOptions {
        effort: options.effort,
        lower_bound: LowerBound::Skip,
        parallel: options.parallel,
        ..TranslationalOptions::default()
    };
    let found = penetration(a.0, a.1, b.0, b.1, &translational)?.expect("the models collide");
    let seed = Translation3::from(found.translation) * a.1;
    let mut walk = Walk::new(a, b, options.max_iterations);
    let start = walk.chart.of_pose(&seed).unwrap_or_else(Vector6::zeros);
    let seeded = Optimum { y: start, converged: false };
    let best = walk.descend(&start).filter(|optimum| optimum.sigma() < seeded.sigma()).unwrap_or(seeded);
    let pose = walk.chart.pose(&best.y).unwrap_or(seed);
    let free = !collide(a.0, &pose, b.0, b.1);
    let (pose, sigma) = if free { (pose, best.sigma()) } else { (seed, seeded.sigma()) };
    Ok(RigidPenetration {
        sigma,
        pose,
        iterations: walk.iterations,
        projections: walk.projections,
        converged: best.converged && free,
    })
}
