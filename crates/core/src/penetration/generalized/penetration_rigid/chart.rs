//! Coordinates of the poses of a rigid body in which the object norm is Euclidean
//! [Tang14 §3.1–3.2, eqs. 1, 5–8].
//!
//! | paper   | here                | meaning                                                                        |
//! |---------|---------------------|--------------------------------------------------------------------------------|
//! | o       | zero                | the input pose                                                                 |
//! | q₁…q₃   | Q = y₁…₃ / w        | vector part of the unit quaternion of the rotation, along the principal axes of A |
//! | q₄…q₆   | y₄…₆                | displacement of A's centroid [m], frame of B's tree                            |
//! | M       | w = 2 √(I/V)        | [`RigidLocalChart::widths`], twice the radii of gyration [m]                             |
//!
//! σ = (4/V) QᵀIQ + ‖c − c₀‖² = ‖y‖²: metric and constraints use the same coordinates about the same frame, with the
//! metric scaled away. The rotation is R = R₀ q in the body's frame, so Q̇ = ½ E ω with E = q₀1 + [Q]×, and a force n at a
//! point x, whose moment about the centroid is τ in the principal axes, has the row (2 E⁻ᵀτ / w, n): eqs. 6–8 in one.
//! E⁻ᵀ = (q₀²1 + QQᵀ + q₀[Q]×) / q₀, which is singular at a rotation of 180°; rotations are bounded below that.

use nalgebra::{Isometry3, Matrix3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3, Vector6};

use crate::proximity::gyration::Gyration;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;

/// Maximum length of Q: sine of half of the maximum rotation, 163°. A safeguard against the singularity of the chart at
/// 180°, without effect on the sets of docs/sensitivity.md.
const MAX_VECTOR: f64 = 0.989;
/// Minimum width, relative to the maximum one: the rotation of a needle about its axis moves nothing and must not
/// divide by zero. A safeguard, without effect on the sets of docs/sensitivity.md.
const MIN_WIDTH: f64 = 1e-6;

/// The local chart of the poses of A around its input pose, in the frame of B's tree.
#[derive(Debug, Clone)]
pub(crate) struct RigidLocalChart {
    /// Centroid of A in its frame.
    centroid: Point3<f64>,
    /// Rotation from the principal axes to A's frame.
    axes: Matrix3<f64>,
    /// w: twice the radii of gyration about the principal axes [m], the root of M [Tang14 eq. 5].
    widths: Vector3<f64>,
    /// Orientation of A at the input.
    rotation: UnitQuaternion<f64>,
    /// Position of its centroid at the input [m].
    center: Vector3<f64>,
    /// Transformation from the frame of B's tree to the world.
    to_world: Isometry3<f64>,
}

/// A configuration with all derived quantities.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Configuration {
    /// Its coordinates [m].
    pub(crate) y: Vector6<f64>,
    /// Scalar part q₀ and vector part Q of the quaternion.
    scalar: f64,
    vector: Vector3<f64>,
    /// Rotation from A's frame to that of B's tree.
    pub(crate) rotation: Matrix3<f64>,
    /// Position of A's centroid [m].
    pub(crate) center: Vector3<f64>,
}

impl Configuration {
    /// Object norm σ [m²] of the motion from the input [Tang14 eq. 1].
    pub(crate) fn sigma(&self) -> f64 {
        self.y.norm_squared()
    }

    /// Translation of the centroid [m].
    pub(crate) fn shift(&self) -> Vector3<f64> {
        self.y.fixed_rows::<3>(3).into_owned()
    }
}

impl RigidLocalChart {
    /// The chart around the poses of two bodies.
    pub(crate) fn new(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> Self {
        let Gyration { centroid, axes, radii } = *a.gyration();
        let widths = 2.0 * radii;
        let to_world = pose_b * Translation3::from(b.center().coords);
        let a_to_b = to_world.inverse() * pose_a;
        Self {
            centroid,
            axes,
            widths: widths.map(|width| width.max(MIN_WIDTH * widths.max())),
            rotation: a_to_b.rotation,
            center: (a_to_b * centroid).coords,
            to_world,
        }
    }

    /// The configuration at `y`; `None` where the rotation is nearly 180° or more.
    pub(crate) fn at(&self, y: &Vector6<f64>) -> Option<Configuration> {
        let vector = y.fixed_rows::<3>(0).component_div(&self.widths);
        let squared = vector.norm_squared();
        if !(squared <= MAX_VECTOR * MAX_VECTOR) {
            return None;
        }
        let scalar = (1.0 - squared).sqrt();
        // The coordinates are in principal axes, the quaternion in A's frame.
        let q = UnitQuaternion::new_unchecked(Quaternion::from_parts(scalar, self.axes * vector));
        let rotation = (self.rotation * q).to_rotation_matrix().into_inner();
        let center = self.center + y.fixed_rows::<3>(3);
        Some(Configuration { y: *y, scalar, vector, rotation, center })
    }

    /// The coordinates of a pose of A in the world; `None` where the rotation is nearly 180° or more.
    pub(crate) fn of_pose(&self, pose: &Isometry3<f64>) -> Option<Vector6<f64>> {
        let a_to_b = self.to_world.inverse() * pose;
        let relative = self.rotation.inverse() * a_to_b.rotation;
        // q and −q are the same rotation: the one with q₀ ≥ 0 is the shorter.
        let sign = if relative.w < 0.0 { -1.0 } else { 1.0 };
        let vector = self.axes.tr_mul(&(relative.imag() * sign)).component_mul(&self.widths);
        let shift = (a_to_b * self.centroid).coords - self.center;
        let y = Vector6::new(vector.x, vector.y, vector.z, shift.x, shift.y, shift.z);
        self.at(&y).is_some().then_some(y)
    }

    /// The pose of A in the world.
    pub(crate) fn pose(&self, y: &Vector6<f64>) -> Option<Isometry3<f64>> {
        let configuration = self.at(y)?;
        let vector = self.axes * configuration.vector;
        let q = UnitQuaternion::new_normalize(Quaternion::from_parts(configuration.scalar, vector));
        let rotation = self.rotation * q;
        let translation = configuration.center - rotation * self.centroid.coords;
        Some(self.to_world * Isometry3::from_parts(translation.into(), rotation))
    }

    /// Centroid of A in its frame.
    pub(crate) fn centroid(&self) -> &Point3<f64> {
        &self.centroid
    }

    /// The configuration at a fraction of the path from the input to `y`: the rotation slerped, the centroid along a straight line.
    pub(crate) fn interpolated(&self, y: &Vector6<f64>, fraction: f64) -> Vector6<f64> {
        let vector = y.fixed_rows::<3>(0).component_div(&self.widths);
        let half = vector.norm().min(1.0).asin();
        // Slerp scales the half angle, so Q scales by the ratio of the sines.
        let ratio = if half > 0.0 { (fraction * half).sin() / half.sin() } else { fraction };
        let mut point = y * fraction;
        point.fixed_rows_mut::<3>(0).copy_from(&(y.fixed_rows::<3>(0) * ratio));
        point
    }

    /// Relative pose of the tree of A with the rotation of `configuration` and its centroid where it was at the input: the
    /// origin of its translations.
    pub(crate) fn placement(&self, configuration: &Configuration, a: &Model, b: &Model) -> RelativePose {
        let offset = configuration.rotation * (a.center() - self.centroid);
        RelativePose::new(configuration.rotation, self.center + offset, a.radius() + b.radius())
    }

    /// A point of A's frame relative to the centroid.
    pub(crate) fn relative_to_centroid(&self, point: &Point3<f64>) -> Vector3<f64> {
        point - self.centroid
    }

    /// The row of a contact with a normal at a point (frame of B's tree): the gradient of the point's height [Tang14 eqs. 6–8].
    pub(crate) fn row(
        &self,
        at: &Configuration,
        normal: &Vector3<f64>,
        point: &Vector3<f64>,
    ) -> Vector6<f64> {
        let moment = (point - at.center).cross(normal);
        let moment = self.axes.tr_mul(&at.rotation.tr_mul(&moment));
        let (w, q) = (at.scalar, &at.vector);
        let of_rotation = (moment * w + q * (q.dot(&moment) / w) + q.cross(&moment)) * 2.0;
        let of_rotation = of_rotation.component_div(&self.widths);
        Vector6::new(of_rotation.x, of_rotation.y, of_rotation.z, normal.x, normal.y, normal.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Solidity;
    use crate::geometry::procedural::{Cuboid, Procedural, Spoon};

    fn chart() -> (Model, RigidLocalChart, Isometry3<f64>) {
        let spoon = Model::new(Spoon::default().mesh().unwrap(), Solidity::Solid);
        let cube = Model::new(Cuboid::default().mesh().unwrap(), Solidity::Solid);
        let pose_a = Isometry3::new(Vector3::new(0.3, -0.2, 0.5), Vector3::new(1.0, -0.4, 0.7));
        let pose_b = Isometry3::new(Vector3::new(-3.0, 2.0, 1.0), Vector3::new(0.2, 0.9, -0.3));
        let chart = RigidLocalChart::new(&spoon, &pose_a, &cube, &pose_b);
        (spoon, chart, pose_a)
    }

    #[test]
    fn its_length_is_the_mean_square_displacement_of_the_bodys_points() {
        let (spoon, chart, from) = chart();
        let to = Isometry3::new(Vector3::new(0.5, 0.1, 0.2), Vector3::new(0.3, -0.1, 1.5));
        let y = chart.of_pose(&to).unwrap();
        assert!((chart.pose(&y).unwrap().to_homogeneous() - to.to_homogeneous()).norm() < 1e-12);
        // The same integral over tetrahedra from the origin, by the four-point rule that is exact for squares.
        let (near, far) = (0.138_196_601_125_010_5, 0.585_410_196_624_968_5);
        let (mut sum, mut volume) = (0.0, 0.0);
        for i in 0..spoon.mesh().triangles().len() {
            let [a, b, c] = spoon.mesh().triangle(i).map(|p| p.coords);
            let signed = a.cross(&b).dot(&c) / 6.0;
            volume += signed;
            for k in 0..4 {
                let weight = |j: usize| if j == k { far } else { near };
                let x = Point3::from(a * weight(0) + b * weight(1) + c * weight(2));
                sum += 0.25 * signed * (to * x - from * x).norm_squared();
            }
        }
        let sigma = sum / volume;
        assert!((y.norm_squared() - sigma).abs() < 1e-9 * sigma, "{} {sigma}", y.norm_squared());
    }

    #[test]
    fn a_row_is_the_derivative_of_the_height_of_a_point() {
        let (_, chart, _) = chart();
        let y = Vector6::new(0.02, -0.05, 0.2, 0.1, 0.2, -0.4);
        assert!(y.fixed_rows::<3>(0).component_div(&chart.widths).norm() > 0.2);
        let at = chart.at(&y).unwrap();
        let (of_body, normal) = (Vector3::new(0.1, -0.7, 0.05), Vector3::new(0.6, 0.0, 0.8));
        let height = |y: &Vector6<f64>| {
            let at = chart.at(y).unwrap();
            normal.dot(&(at.rotation * of_body + at.center))
        };
        let row = chart.row(&at, &normal, &(at.rotation * of_body + at.center));
        for k in 0..6 {
            let step = Vector6::ith(k, 1e-6);
            let slope = (height(&(y + step)) - height(&(y - step))) / 2e-6;
            assert!((slope - row[k]).abs() < 1e-8 * (1.0 + row.norm()), "{k}: {slope} {}", row[k]);
        }
    }

    #[test]
    fn a_half_rotation_is_outside_the_chart() {
        let (_, chart, from) = chart();
        let rotated = |angle: f64| {
            Isometry3::from_parts(from.translation, from.rotation * UnitQuaternion::new(Vector3::x() * angle))
        };
        assert!(chart.of_pose(&rotated(2.8)).is_some());
        assert!(chart.of_pose(&rotated(3.1)).is_none());
        assert!(chart.at(&Vector6::repeat(f64::NAN)).is_none());
    }
}
