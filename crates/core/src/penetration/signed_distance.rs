//! Signed distance of two models: how far they are apart, or how deep they penetrate [Lin17 §40.2].

use nalgebra::{Isometry3, Point3};

use super::translational::answer::Penetration;
use super::translational::options::TranslationalOptions;
use super::translational::query::penetration;
use crate::penetration::error::PenetrationError;
use crate::proximity::distance;
use crate::proximity::distance::answer::Distance;
use crate::proximity::model::Model;

/// How far two models are apart or how deep they penetrate, with all that is known of either.
#[derive(Debug, Clone, PartialEq)]
pub enum SignedDistance {
    /// They are apart.
    Apart(Distance),
    /// They overlap or touch.
    Overlapping(Penetration),
}

impl SignedDistance {
    /// The distance [m]: positive apart, minus the depth where the models overlap.
    #[must_use]
    pub fn value(&self) -> f64 {
        match self {
            Self::Apart(distance) => distance.value,
            Self::Overlapping(penetration) => -penetration.depth,
        }
    }

    /// What the signed distance is proved to be at least and at most [m].
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        match self {
            Self::Apart(distance) => [distance.lower_bound, distance.value],
            Self::Overlapping(penetration) => [-penetration.depth, -penetration.lower_bound],
        }
    }

    /// A point of A and one of B [m, world]: the closest ones apart, and those that touch when A has been moved out
    /// where the models overlap.
    #[must_use]
    pub fn witnesses(&self) -> [Point3<f64>; 2] {
        match self {
            Self::Apart(distance) => distance.witnesses,
            Self::Overlapping(penetration) => penetration.witnesses,
        }
    }
}

/// The signed distance of `a` and `b`; poses map body to world coordinates, `options` are those of the penetration.
///
/// It is continuous where the models touch, up to what the penetration's bounds leave open.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::penetration::{TranslationalOptions, signed_distance};
/// use extricate_core::proximity::Model;
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, options) = (Isometry3::identity(), TranslationalOptions::default());
/// for x in [0.8, 1.3] {
///     let there = Isometry3::translation(x, 0.1, 0.0);
///     let found = signed_distance(&cube, &here, &cube, &there, &options)?;
///     assert!((found.value() - (x - 1.0)).abs() < 1e-9);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PenetrationError`] when a pose is not finite, or when the models overlap and no separating translation could be
/// verified.
pub fn signed_distance(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    options: &TranslationalOptions,
) -> Result<SignedDistance, PenetrationError> {
    let apart = distance(a, pose_a, b, pose_b);
    // What is not a number is left to the penetration, which says so.
    if apart.value > 0.0 {
        return Ok(SignedDistance::Apart(apart));
    }
    let found = penetration(a, pose_a, b, pose_b, options)?;
    Ok(found.map_or(SignedDistance::Apart(apart), SignedDistance::Overlapping))
}

#[cfg(test)]
mod tests {
    use nalgebra::{Translation3, Vector3};

    use super::*;
    use crate::geometry::Solidity;
    use crate::geometry::procedural::{BumpySphere, Cuboid, Procedural, Torus};
    use crate::proximity::ProximityError;
    use crate::proximity::collide;

    fn here() -> Isometry3<f64> {
        Isometry3::identity()
    }

    #[test]
    fn it_falls_as_fast_as_a_box_approaches_and_goes_on_below_zero() {
        let cube = Model::new(Cuboid::default().mesh().unwrap(), Solidity::Solid);
        let options = TranslationalOptions::default();
        for x in [2.0, 1.25, 1.0 + 1e-9, 1.0, 1.0 - 1e-9, 0.875, 0.625] {
            let pose = Isometry3::translation(x, 0.1, 0.05);
            for (first, second) in [(&pose, &here()), (&here(), &pose)] {
                let found = signed_distance(&cube, first, &cube, second, &options).unwrap();
                assert!((found.value() - (x - 1.0)).abs() < 1e-9, "{x} {}", found.value());
                let [least, greatest] = found.bounds();
                assert!(least <= x - 1.0 + 1e-9 && x - 1.0 <= greatest + 1e-9, "{x} {least} {greatest}");
            }
        }
    }

    #[test]
    fn its_sign_tells_whether_the_models_collide_and_a_translation_by_it_brings_them_into_touch() {
        let ball = Model::new(BumpySphere::default().mesh().unwrap(), Solidity::Solid);
        let torus = Model::new(Torus::default().mesh().unwrap(), Solidity::Solid);
        let options = TranslationalOptions::default();
        for step in 0..12 {
            let pose = Isometry3::new(
                Vector3::new(0.2 * f64::from(step), 0.1, 0.3),
                Vector3::repeat(f64::from(step)),
            );
            let found = signed_distance(&ball, &pose, &torus, &here(), &options).unwrap();
            assert_eq!(found.value() <= 0.0, collide(&ball, &pose, &torus, &here()));
            let [on_a, on_b] = found.witnesses();
            assert!((nalgebra::distance(&on_a, &on_b) - found.value().abs()).abs() < 1e-9);
            let moved = |share: f64| Translation3::from((on_b - on_a) * share) * pose;
            match &found {
                SignedDistance::Apart(_) => {
                    assert!(!collide(&ball, &moved(0.999), &torus, &here()));
                    assert!(collide(&ball, &moved(1.0 + 1e-9), &torus, &here()));
                }
                SignedDistance::Overlapping(_) => {
                    assert!(collide(&ball, &moved(0.999), &torus, &here()));
                    assert!(!collide(&ball, &moved(1.0 + 1e-6), &torus, &here()));
                }
            }
        }
    }

    #[test]
    fn a_pose_that_is_no_number_is_an_error() {
        let cube = Model::new(Cuboid::default().mesh().unwrap(), Solidity::Solid);
        let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
        let options = TranslationalOptions::default();
        let failed = signed_distance(&cube, &here(), &cube, &nowhere, &options);
        assert!(matches!(
            failed,
            Err(PenetrationError::Proximity(ProximityError::PoseNotFinite { body: 'B', .. }))
        ));
    }
}
