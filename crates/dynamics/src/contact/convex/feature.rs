//! Support features: the facet, line or point of a convex core that faces another body.
//!
//! A polyhedron has one of its facets, a segment itself, a curved core the part that it would rest on: a cylinder its cap
//! or a line of its side, a cone its base or a line from its apex. The round rim of a cap is a polygon fixed to the body,
//! so that its corners keep their names; where the cap is tilted, the lowest point of the true rim is one of its corners.
//! So a feature always holds the point that is extreme in the given direction, to within [`LEVEL`].

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Vector3};

use extricate_core::geometry::convex::{ConvexHull, Core};

/// Corners of the polygon in place of a rim. A cylinder on its cap is as steady as on a disc of 0.97 of its radius,
/// until it tilts and finds its true rim; with half as many, of 0.87. Half and twice change the only run and the work
/// by −1.7 % and −1.8 % (docs/sensitivity.md).
const RIM_CORNERS: u32 = 12;
/// Sine of the tilt up to which a cap is level and has no lowest point of its rim, so that the rounding of that point
/// does not move bodies at rest. It costs 3.4 % of this times the radius in depth. Half and twice change the only run
/// and the work by < 0.1 % and −0.45 % (docs/sensitivity.md).
const LEVEL: f64 = 1e-4;

/// Names of corners that are not on the polygon of a rim.
mod corner {
    /// The extreme point of the rim.
    pub(super) const RIM: u32 = 0x1000;
    /// The upper end of a line.
    pub(super) const UPPER: u32 = 0x1001;
    /// The lower end of a line.
    pub(super) const LOWER: u32 = 0x1002;
    /// The lower rim's polygon begins here, the upper one's at zero.
    pub(super) const SECOND_RIM: u32 = 0x100;
}

/// A corner of a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Corner {
    /// Position [m].
    pub(super) point: Vector3<f64>,
    /// Its name, the same in every feature of the body that holds it.
    pub(super) name: u32,
}

/// A facet, a line or a point of a core, with buffers that are reused.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SupportFeature {
    /// Three corners or more are a convex polygon, counter-clockwise seen from outside.
    pub(super) corners: Vec<Corner>,
    /// Outward unit normal of a polygon.
    pub(super) normal: Vector3<f64>,
    /// Name of the polygon or line among those of the body.
    pub(super) name: u32,
    /// Radius of the core's surface across a line [m].
    pub(super) bend: f64,
}

impl SupportFeature {
    /// Finds the feature of `core` towards the unit vector `direction`, frame of the core. `vertex` is that of a support in
    /// this direction, where a hull has one.
    pub(super) fn find(&mut self, core: &Core, direction: &Vector3<f64>, vertex: u32) {
        self.corners.clear();
        self.normal = Vector3::zeros();
        self.name = 0;
        self.bend = 0.0;
        match core {
            Core::Point | Core::HalfSpace => self.add(Vector3::zeros(), 0),
            Core::Segment { half_length } => self.upright(*half_length, &Vector3::zeros(), &Vector3::zeros()),
            Core::Cuboid { half_extents } => self.facet_of_cuboid(half_extents, direction),
            Core::Cylinder { radius, half_height } => self.cylinder(*radius, *half_height, direction),
            Core::Cone { radius, half_height } => self.cone(*radius, *half_height, direction),
            Core::Hull(hull) => self.facet_of_hull(hull, direction, vertex),
        }
    }

    /// Transforms the feature from the frame of its core to another one.
    pub(super) fn transform(&mut self, pose: &Isometry3<f64>) {
        let rotation = pose.rotation.to_rotation_matrix();
        self.normal = rotation * self.normal;
        for corner in &mut self.corners {
            corner.point = rotation * corner.point + pose.translation.vector;
        }
    }

    /// Whether it is a polygon.
    pub(super) fn is_polygon(&self) -> bool {
        self.corners.len() > 2
    }

    fn add(&mut self, point: Vector3<f64>, name: u32) {
        self.corners.push(Corner { point, name });
    }

    /// The line from (`top`, h) to (`bottom`, −h).
    fn upright(&mut self, half_height: f64, top: &Vector3<f64>, bottom: &Vector3<f64>) {
        let up = Vector3::new(0.0, 0.0, half_height);
        self.name = 2;
        self.add(top + up, corner::UPPER);
        self.add(bottom - up, corner::LOWER);
    }

    fn facet_of_cuboid(&mut self, half_extents: &Vector3<f64>, direction: &Vector3<f64>) {
        let axis = direction.iamax();
        let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
        let side = 1.0_f64.copysign(direction[axis]);
        self.normal[axis] = side;
        self.name = 2 * axis as u32 + u32::from(side > 0.0);
        // Counter-clockwise about +axis; about −axis with u reversed.
        for (along_u, along_v) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
            let mut signs = Vector3::zeros();
            (signs[axis], signs[u], signs[v]) = (side, side * along_u, along_v);
            let bit = |i: usize| u32::from(signs[i] > 0.0) << i;
            self.add(half_extents.component_mul(&signs), bit(0) | bit(1) | bit(2));
        }
    }

    fn cylinder(&mut self, radius: f64, half_height: f64, direction: &Vector3<f64>) {
        let (tilt, towards) = horizontal(direction);
        // Within 45° of the axis the cap is better aligned than the side.
        if direction.z.abs() >= tilt {
            return self.disc(radius, half_height.copysign(direction.z), direction);
        }
        self.upright(half_height, &(radius * towards), &(radius * towards));
        self.bend = radius;
    }

    /// Base, or line from the apex that faces the direction, whichever is better aligned with it.
    ///
    /// The side's outward normal at the azimuth c is (2h·c, r), normalized.
    fn cone(&mut self, radius: f64, half_height: f64, direction: &Vector3<f64>) {
        let (tilt, towards) = horizontal(direction);
        let height = 2.0 * half_height;
        let along_side = (height * tilt + radius * direction.z) / height.hypot(radius);
        if -direction.z >= along_side {
            return self.disc(radius, -half_height, direction);
        }
        self.upright(half_height, &Vector3::zeros(), &(radius * towards));
        self.bend = radius;
    }

    /// The flat end of a cylinder or a cone at height `z`.
    fn disc(&mut self, radius: f64, z: f64, direction: &Vector3<f64>) {
        let upper = z > 0.0;
        let first = if upper { 0 } else { corner::SECOND_RIM };
        let step = TAU / f64::from(RIM_CORNERS);
        self.normal = Vector3::new(0.0, 0.0, 1.0_f64.copysign(z));
        self.name = u32::from(upper);
        let (tilt, towards) = horizontal(direction);
        let azimuth = towards.y.atan2(towards.x).rem_euclid(TAU);
        let mut lowest = (tilt > LEVEL).then_some(azimuth);
        for index in 0..RIM_CORNERS {
            let angle = step * f64::from(index);
            self.add(Vector3::new(radius * angle.cos(), radius * angle.sin(), z), first + index);
            if lowest.take_if(|lowest| *lowest < angle + step).is_some() {
                self.add(Vector3::new(radius * towards.x, radius * towards.y, z), corner::RIM);
            }
        }
        // The corners run counter-clockwise about +z.
        if !upper {
            self.corners.reverse();
        }
    }

    /// The facet at the extreme vertex on which it would come to rest. Flat hulls have two, straight ones none.
    fn facet_of_hull(&mut self, hull: &ConvexHull, direction: &Vector3<f64>, vertex: u32) {
        let Some(facet) = hull.resting_facet(vertex, direction) else {
            return hull.vertices().iter().zip(0..).for_each(|(vertex, name)| self.add(vertex.coords, name));
        };
        self.normal = *facet.normal;
        // No other facet has the same corner before the same corner.
        self.name = directed_name(facet.corners[0], facet.corners[1]);
        for &corner in facet.corners {
            self.add(hull.vertices()[corner as usize].coords, corner);
        }
    }
}

/// Names have thirty bits.
const NAME: u32 = 0x3fff_ffff;
/// Bits of a name made of two that belong to the second: hulls of up to 2¹⁵ vertices have names without clashes.
const SECOND_BITS: u32 = 15;

/// Name made of two corners' names, in their order.
pub(super) fn directed_name(from: u32, to: u32) -> u32 {
    ((from << SECOND_BITS) ^ to) & NAME
}

/// Length of the horizontal part of a direction, and its unit vector: +x where there is none.
fn horizontal(direction: &Vector3<f64>) -> (f64, Vector3<f64>) {
    let length = direction.x.hypot(direction.y);
    let unit = if length > 0.0 {
        Vector3::new(direction.x / length, direction.y / length, 0.0)
    } else {
        Vector3::x()
    };
    (length, unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate_core::geometry::convex::{ConvexShape, START_ANYWHERE};

    fn directions() -> impl Iterator<Item = Vector3<f64>> {
        (0..500).map(|i| f64::from(i) * 2.399_963).enumerate().map(|(i, angle)| {
            let z = 1.0 - (i as f64 + 0.5) / 250.0;
            let r = (1.0 - z * z).sqrt();
            Vector3::new(r * angle.cos(), r * angle.sin(), z)
        })
    }

    fn shapes() -> [ConvexShape; 5] {
        [
            ConvexShape::capsule(0.0, 0.8),
            ConvexShape::cuboid(Vector3::new(0.3, 0.5, 0.9)),
            ConvexShape::cylinder(0.4, 0.6),
            ConvexShape::cone(0.4, 0.6),
            ConvexShape::sphere(0.0),
        ]
    }

    #[test]
    fn a_feature_holds_the_extreme_point_of_its_direction() {
        for shape in shapes() {
            let mut feature = SupportFeature::default();
            for direction in directions() {
                let support = shape.core().support(&direction, START_ANYWHERE);
                feature.find(shape.core(), &direction, support.vertex);
                let extreme = feature.corners.iter().map(|corner| corner.point.dot(&direction));
                let extreme = extreme.fold(f64::NEG_INFINITY, f64::max);
                assert!((extreme - support.point.dot(&direction)).abs() < 1e-12, "{shape:?} {direction}");
            }
        }
    }

    #[test]
    fn a_polygon_is_convex_plane_and_counter_clockwise_about_its_normal() {
        for shape in shapes() {
            let mut feature = SupportFeature::default();
            for direction in directions().filter(|direction| direction.norm() > 0.0) {
                feature.find(shape.core(), &direction, START_ANYWHERE);
                if !feature.is_polygon() {
                    continue;
                }
                assert!(feature.normal.dot(&direction) > 0.0);
                let corners = &feature.corners;
                for (i, corner) in corners.iter().enumerate() {
                    let next = corners[(i + 1) % corners.len()].point - corner.point;
                    let after = corners[(i + 2) % corners.len()].point - corner.point;
                    assert!(next.cross(&after).dot(&feature.normal) > -1e-12, "{shape:?} {direction}");
                    assert!(next.dot(&feature.normal).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn the_polygon_of_a_cap_is_fixed_to_the_body_and_not_to_the_direction() {
        let cylinder = ConvexShape::cylinder(1.0, 1.0);
        let (mut level, mut tilted) = (SupportFeature::default(), SupportFeature::default());
        level.find(cylinder.core(), &-Vector3::z(), START_ANYWHERE);
        tilted.find(cylinder.core(), &Vector3::new(0.1, 0.3, -1.0).normalize(), START_ANYWHERE);
        assert_eq!(level.corners.len() + 1, tilted.corners.len());
        assert!(level.corners.iter().all(|corner| tilted.corners.contains(corner)));
    }
}
