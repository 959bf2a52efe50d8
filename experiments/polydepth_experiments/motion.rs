//! Seeded random configurations, and predefined paths: a spline through key poses.

use extricate::proximity::{Model, collide};
use extricate_core::geometry::random::SplitMix64;
use nalgebra::{Isometry3, Point3, Translation3, Unit, UnitQuaternion, Vector3};

/// Directions, rotations and points of a seed.
pub(crate) struct Random(SplitMix64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64(seed))
    }

    /// Uniform in [−1, 1).
    pub(crate) fn next(&mut self) -> f64 {
        2.0 * self.0.unit_interval() - 1.0
    }

    /// Uniform on the sphere.
    pub(crate) fn direction(&mut self) -> Unit<Vector3<f64>> {
        loop {
            let point = Vector3::from_fn(|_, _| self.next());
            if (0.1..1.0).contains(&point.norm()) {
                return Unit::new_normalize(point);
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> UnitQuaternion<f64> {
        let angle = std::f64::consts::PI * self.next();
        UnitQuaternion::from_axis_angle(&self.direction(), angle)
    }

    pub(crate) fn point(&mut self) -> Point3<f64> {
        self.direction().into_inner().into()
    }
}

/// Poses in which a model overlaps its copy at the identity: rotated at random and moved by half the size of its
/// bounding ball in a random direction [Je12 §7.1.1].
pub(crate) fn random_configurations(model: &Model, count: usize) -> Vec<Isometry3<f64>> {
    let mut random = Random::new(1);
    let here = Isometry3::identity();
    let mut pose = || {
        let rotation = random.rotation();
        let center = model.center() + random.direction().into_inner() * model.radius();
        Isometry3::from_parts((center - rotation * model.center()).into(), rotation)
    };
    let poses = std::iter::repeat_with(&mut pose).filter(|pose| collide(model, pose, model, &here));
    poses.take(count).collect()
}

/// A path through key poses.
pub(crate) struct Path {
    pub(crate) keys: Vec<Isometry3<f64>>,
}

impl Path {
    /// A fall past a copy of a model at the identity, grazing it and sinking into it: the model's size is `radius` [m].
    pub(crate) fn fall(model: &Model) -> Self {
        let radius = model.radius();
        let places = [
            [0.35, 0.1, 2.1],
            [0.4, 0.05, 1.3],
            [0.6, 0.1, 0.9],
            [0.8, -0.1, 0.45],
            [0.9, 0.0, 0.0],
            [1.1, 0.2, -0.6],
            [1.2, 0.2, -2.1],
        ];
        let axis = Unit::new_normalize(Vector3::new(0.5, 0.8, 0.3));
        let keys = places.iter().zip(0_u32..).map(|(&place, key)| {
            let rotation = UnitQuaternion::from_axis_angle(&axis, 0.7 * f64::from(key));
            let center = Vector3::from(place) * radius + model.center().coords;
            Isometry3::from_parts(Translation3::from(center - rotation * model.center().coords), rotation)
        });
        Self { keys: keys.collect() }
    }

    /// A spoon, bowl down, goes into a cup at the identity, is pressed through rim, floor and wall, and comes out
    /// again. The sizes are those of the procedural cup and spoon.
    pub(crate) fn spoon_in_cup() -> Self {
        let down = std::f64::consts::FRAC_PI_2;
        let keys = [
            ([0.0, 0.0, 1.4], [0.0, 0.0]),
            ([0.1, 0.0, 0.5], [0.1, 0.2]),
            ([0.45, 0.05, 0.35], [0.25, 0.3]),
            ([0.05, 0.25, 0.2], [0.1, -0.2]),
            ([-0.1, 0.1, 0.25], [0.0, 0.0]),
            ([-0.45, 0.1, 0.4], [-0.3, 0.1]),
            ([-0.15, -0.4, 0.35], [0.0, 0.4]),
            ([0.1, -0.1, 0.3], [0.3, 0.0]),
            ([0.0, 0.0, 1.4], [0.0, 0.0]),
        ];
        let keys = keys.map(|(place, [tilt, roll])| {
            let tilted = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), down + tilt);
            let rolled = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), roll);
            Isometry3::from_parts(Vector3::from(place).into(), tilted * rolled)
        });
        Self { keys: keys.into() }
    }

    /// The pose after a fraction of the path in [0, 1]: positions on a Catmull–Rom spline, rotations on great arcs
    /// between the keys.
    pub(crate) fn at(&self, fraction: f64) -> Isometry3<f64> {
        let last = self.keys.len() - 1;
        let along = fraction.clamp(0.0, 1.0) * last as f64;
        let segment = (along as usize).min(last - 1);
        let t = along - segment as f64;
        let key = |offset: usize| {
            let index = (segment + offset).saturating_sub(1).min(last);
            self.keys[index].translation.vector
        };
        let [before, from, to, after] = [0, 1, 2, 3].map(key);
        let (out, into) = (0.5 * (to - before), 0.5 * (after - from));
        let (t2, t3) = (t * t, t * t * t);
        let place = from * (2.0 * t3 - 3.0 * t2 + 1.0)
            + out * (t3 - 2.0 * t2 + t)
            + to * (3.0 * t2 - 2.0 * t3)
            + into * (t3 - t2);
        let rotation = self.keys[segment].rotation.slerp(&self.keys[segment + 1].rotation, t);
        Isometry3::from_parts(place.into(), rotation)
    }

    /// A number of poses, evenly along the path, both ends included.
    pub(crate) fn frames(&self, count: usize) -> Vec<Isometry3<f64>> {
        (0..count).map(|i| self.at(i as f64 / (count - 1) as f64)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate::geometry::Solidity;
    use extricate::geometry::procedural::{Procedural, Torus};

    fn difference(a: &Isometry3<f64>, b: &Isometry3<f64>) -> f64 {
        (a.translation.vector - b.translation.vector).norm() + a.rotation.angle_to(&b.rotation)
    }

    #[test]
    fn a_path_passes_through_its_keys_in_order() {
        let path = Path::spoon_in_cup();
        let last = path.keys.len() - 1;
        for (index, key) in path.keys.iter().enumerate() {
            assert!(difference(&path.at(index as f64 / last as f64), key) < 1e-12, "key {index}");
        }
    }

    #[test]
    fn a_path_has_no_leap_and_no_kink_in_its_position() {
        let path = Path::spoon_in_cup();
        let frames = path.frames(20_001);
        let steps: Vec<_> =
            frames.windows(2).map(|pair| pair[1].translation.vector - pair[0].translation.vector).collect();
        let longest = steps.iter().map(|step| step.norm()).fold(0.0, f64::max);
        assert!(frames.windows(2).all(|pair| difference(&pair[0], &pair[1]) < 2e-3), "a leap");
        assert!(steps.windows(2).all(|pair| (pair[1] - pair[0]).norm() < 0.01 * longest), "a kink");
    }

    #[test]
    fn random_configurations_overlap_and_lie_half_a_bounding_ball_away() {
        let model = Model::new(Torus::default().mesh().unwrap(), Solidity::Solid);
        let poses = random_configurations(&model, 10);
        assert_eq!(poses.len(), 10);
        for pose in &poses {
            assert!(collide(&model, pose, &model, &Isometry3::identity()));
            assert!(
                (nalgebra::distance(&(pose * model.center()), &model.center()) - model.radius()).abs() < 1e-9
            );
        }
        assert!(difference(&poses[0], &poses[1]) > 1e-3);
    }
}
