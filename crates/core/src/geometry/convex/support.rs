//! Support functions of cores: the point that is extreme in a direction.

use nalgebra::Vector3;

use super::extreme::Support;
use super::shape::Core;

/// Squared length below which the horizontal part of a direction counts as zero. Its square would have so few digits that a
/// rim point could leave the shape; neglecting it is a relative error of 1e-40 for a direction longer than 1e-100.
const NO_LENGTH_SQUARED: f64 = 1e-280;

impl Core {
    /// Support point in `direction`, frame of the core. The direction must not be zero and need not have unit length; its length
    /// must be between 1e-100 and 1e100.
    ///
    /// `start` is a warm start, the `vertex` of a nearby support, or `START_ANYWHERE`. It never changes the support value.
    ///
    /// # Panics
    /// For a half-space, which has no extreme points.
    #[inline]
    pub fn support(&self, direction: &Vector3<f64>, start: u32) -> Support {
        match self {
            Self::Point => Support { point: Vector3::zeros(), vertex: 0 },
            Self::Segment { half_length } => {
                let z = half_length.copysign(direction.z);
                Support {
                    point: Vector3::new(0.0, 0.0, z),
                    vertex: u32::from(direction.z.is_sign_positive()),
                }
            }
            Self::Cuboid { half_extents } => {
                let point = half_extents.zip_map(direction, f64::copysign);
                let bit = |i: usize| u32::from(direction[i].is_sign_positive()) << i;
                Support { point, vertex: bit(0) | bit(1) | bit(2) }
            }
            Self::Cylinder { radius, half_height } => {
                let z = half_height.copysign(direction.z);
                Support { point: rim(*radius, direction, horizontal(direction), z), vertex: 0 }
            }
            Self::Cone { radius, half_height } => {
                // Support value of the apex less that of the rim: 2h·dz − r·|d_xy|.
                let horizontal = horizontal(direction);
                if 2.0 * half_height * direction.z >= radius * horizontal {
                    Support { point: Vector3::new(0.0, 0.0, *half_height), vertex: 0 }
                } else {
                    Support { point: rim(*radius, direction, horizontal, -half_height), vertex: 0 }
                }
            }
            Self::Hull(hull) => hull.support(direction, start),
            Self::HalfSpace => unreachable!("a half-space has no extreme points"),
        }
    }
}

/// Length of the horizontal part of a direction.
#[inline]
fn horizontal(direction: &Vector3<f64>) -> f64 {
    let squared = direction.x * direction.x + direction.y * direction.y;
    if squared > NO_LENGTH_SQUARED { squared.sqrt() } else { 0.0 }
}

/// Support point of a circle at height `z`; `horizontal` is the length of the direction's horizontal part.
#[inline]
fn rim(radius: f64, direction: &Vector3<f64>, horizontal: f64, z: f64) -> Vector3<f64> {
    if horizontal > 0.0 {
        let scale = radius / horizontal;
        Vector3::new(direction.x * scale, direction.y * scale, z)
    } else {
        Vector3::new(radius, 0.0, z)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};
    use std::sync::Arc;

    use nalgebra::Point3;

    use super::*;
    use crate::geometry::convex::ConvexHull;
    use crate::geometry::convex::extreme::START_ANYWHERE;

    /// Steps around and from pole to pole: a multiple of eight, so that the axes are among the directions.
    const STEPS: u32 = 48;

    fn directions() -> impl Iterator<Item = Vector3<f64>> {
        (0..=STEPS).flat_map(|i| {
            let polar = f64::from(i) / f64::from(STEPS) * PI;
            (0..STEPS).map(move |k| {
                let around = f64::from(k) / f64::from(STEPS) * TAU;
                let clean = |x: f64| if x.abs() < 1e-15 { 0.0 } else { x };
                Vector3::new(polar.sin() * around.cos(), polar.sin() * around.sin(), polar.cos()).map(clean)
            })
        })
    }

    /// Cores of sizes 0.5, 0.8, 1.3, with points whose hull is that core, or inside it by no more than the number.
    fn samples() -> Vec<(Core, Vec<Vector3<f64>>, f64)> {
        let circle = |radius: f64, z: f64| {
            (0..40 * STEPS).map(move |i| {
                let angle = f64::from(i) / f64::from(40 * STEPS) * TAU;
                Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
            })
        };
        let corners: Vec<_> = (0..8)
            .map(|i| {
                let side = |bit: u32, size: f64| if i >> bit & 1 == 0 { -size } else { size };
                Vector3::new(side(0, 0.5), side(1, 0.8), side(2, 1.3))
            })
            .collect();
        let hull = ConvexHull::new(&corners.iter().map(|c| Point3::from(*c)).collect::<Vec<_>>()).unwrap();
        let (radius, half_height, up) = (0.5, 0.8, Vector3::z());
        vec![
            (Core::Point, vec![Vector3::zeros()], 0.0),
            (Core::Segment { half_length: 0.8 }, vec![0.8 * up, -0.8 * up], 0.0),
            (Core::Cuboid { half_extents: corners[7] }, corners.clone(), 0.0),
            (Core::Hull(Arc::new(hull)), corners, 0.0),
            (
                Core::Cylinder { radius, half_height },
                circle(radius, 0.8).chain(circle(radius, -0.8)).collect(),
                radius * (1.0 - (PI / f64::from(40 * STEPS)).cos()),
            ),
            (
                Core::Cone { radius, half_height },
                circle(radius, -0.8).chain([0.8 * up]).collect(),
                radius * (1.0 - (PI / f64::from(40 * STEPS)).cos()),
            ),
        ]
    }

    #[test]
    fn supports_are_as_high_as_the_highest_of_many_points_of_the_surface() {
        for (core, points, missing) in samples() {
            for direction in directions() {
                let highest = points.iter().map(|p| p.dot(&direction)).fold(f64::NEG_INFINITY, f64::max);
                for scale in [1.0, 1e-100, 1e100] {
                    let found = core.support(&(direction * scale), START_ANYWHERE).point.dot(&direction);
                    let more = found - highest;
                    assert!((-1e-15..=missing + 1e-15).contains(&more), "{core:?} to {direction:?}: {more}");
                }
            }
        }
    }

    #[test]
    fn supports_belong_to_the_core() {
        for (core, points, _) in samples() {
            let tiny = [1e-150, 1e-160, 1e-308, 0.0];
            let tilted = tiny.iter().flat_map(|&x| [Vector3::new(x, -x, 1.0), Vector3::new(-x, x, -1.0)]);
            for direction in directions().chain(tilted) {
                let point = core.support(&direction, START_ANYWHERE).point;
                let horizontal = point.x.hypot(point.y);
                let max_radius = points.iter().map(|p| p.x.hypot(p.y)).fold(0.0, f64::max);
                let height = points.iter().map(|p| p.z).fold(0.0, f64::max);
                assert!(
                    horizontal <= max_radius * (1.0 + 1e-15) && point.z.abs() <= height,
                    "{core:?}: {point:?}"
                );
            }
        }
    }

    #[test]
    fn vertices_of_a_box_have_the_number_of_their_signs() {
        let core = Core::Cuboid { half_extents: Vector3::new(1.0, 2.0, 3.0) };
        let support = core.support(&Vector3::new(-1.0, 0.0, 0.1), START_ANYWHERE);
        assert_eq!((support.point, support.vertex), (Vector3::new(-1.0, 2.0, 3.0), 0b110));
    }
}
