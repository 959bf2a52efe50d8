//! Extent of a body: its measure, its centroid and its second moment, from which the object norm of a rigid body
//! follows exactly [Tang14 §3.1, eq. 1; Kazerounian and Rastegar 1992].
//!
//! | paper        | here                  | meaning                                                              |
//! |--------------|-----------------------|----------------------------------------------------------------------|
//! | V            | `measure`             | ∫ 1 over the body [m³]; [m²] of a surface                             |
//! | –            | `centroid`, c         | (1/V) ∫ x [m]                                                        |
//! | –            | `spread`, Σ           | (1/V) ∫ (x − c)(x − c)ᵀ [m²]                                          |
//! | I            | V (tr Σ · 1 − Σ)      | geometric moment ∫ (r² 1 − r rᵀ) about the centroid [m⁵], density 1    |
//! | σ            | `squared`             | mean squared displacement between two poses [m²]                     |
//!
//! Pieces of a mesh that overlap count as often as they overlap, as the winding number does.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Matrix3, Point3, SymmetricEigen, Unit, UnitQuaternion, Vector3};

use super::measure::Measure;
use crate::geometry::convex::shape::{ConvexShape, Core};
use crate::geometry::mass_properties::{MassProperties, surface_area};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::{Solidity, TriangleMesh};
use crate::penetration::error::PenetrationError;

/// Rounding of the minimum eigenvalue of a second moment, relative to its trace: down to minus this it is accepted. Smaller, flat
/// bodies are refused because of rounding; larger, invalid moments are accepted.
const ROUNDING: f64 = 1e-9;

/// Extent of a body: measure, centroid and second moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    kind: Measure,
    measure: f64,
    centroid: Point3<f64>,
    spread: Matrix3<f64>,
}

impl Extent {
    /// The extent of a mesh in its frame: by volume of a solid, by area of a surface.
    ///
    /// ```
    /// use extricate_core::geometry::Solidity;
    /// use extricate_core::geometry::procedural::{Cuboid, Procedural};
    /// use extricate_core::penetration::object_norm::Extent;
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// let extent = Extent::of_mesh(&Cuboid::default().mesh()?, Solidity::Solid)?;
    /// assert!((extent.measure() - 1.0).abs() < 1e-12);
    /// // A rotation by π about z through the middle of a unit cube: (4/V) ∫ (x² + y²) = 4/6.
    /// let rotated = Isometry3::rotation(Vector3::z() * std::f64::consts::PI);
    /// assert!((extent.squared(&Isometry3::identity(), &rotated) - 2.0 / 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError::ZeroVolume`] of a solid and [`PenetrationError::ZeroArea`] of a surface that vanish to
    /// within rounding.
    pub fn of_mesh(mesh: &TriangleMesh, solidity: Solidity) -> Result<Self, PenetrationError> {
        match solidity {
            Solidity::Solid => Ok(Self::of_mass(&MassProperties::of_solid(mesh)?, Measure::Volume)),
            Solidity::Surface => {
                let has_area = surface_area(mesh) > 0.0;
                if !has_area {
                    return Err(PenetrationError::ZeroArea);
                }
                let mass = MassProperties::of_surface(mesh, 1.0).map_err(|_| PenetrationError::ZeroArea)?;
                Ok(Self::of_mass(&mass, Measure::Area))
            }
        }
    }

    /// The extent of a convex shape in its frame, by volume.
    ///
    /// # Errors
    /// [`PenetrationError::NoClosedForm`] of a half-space and of a rounded core that is neither a point nor a segment,
    /// [`ShapeError::ZeroVolume`] of a flat shape.
    pub fn of_convex(shape: &ConvexShape) -> Result<Self, PenetrationError> {
        let is_sharp = shape.radius() <= 0.0;
        let (volume, centroid, [x, y, z]) = match shape.core() {
            Core::Point => ball(shape.radius()),
            Core::Segment { half_length } => capsule(shape.radius(), *half_length),
            Core::Cuboid { half_extents: h } if is_sharp => {
                (8.0 * h.product(), 0.0, [h.x * h.x / 3.0, h.y * h.y / 3.0, h.z * h.z / 3.0])
            }
            Core::Cylinder { radius: r, half_height: h } if is_sharp => {
                (2.0 * PI * r * r * h, 0.0, [r * r / 4.0, r * r / 4.0, h * h / 3.0])
            }
            // The centroid lies at a quarter of the height above the base.
            Core::Cone { radius: r, half_height: h } if is_sharp => {
                (2.0 / 3.0 * PI * r * r * h, -0.5 * h, [0.15 * r * r, 0.15 * r * r, 0.15 * h * h])
            }
            // A hull without a mesh is flat.
            Core::Hull(hull) if is_sharp => {
                let flat = ShapeError::ZeroVolume { volume: 0.0, area: 0.0 };
                return Self::of_mesh(&hull.mesh().map_err(|_| flat)?, Solidity::Solid);
            }
            _ => return Err(PenetrationError::NoClosedForm),
        };
        let is_solid = volume > 0.0 && volume.is_finite();
        if !is_solid {
            return Err(ShapeError::ZeroVolume { volume, area: f64::NAN }.into());
        }
        let spread = Matrix3::from_diagonal(&Vector3::new(x, y, z));
        Ok(Self { kind: Measure::Volume, measure: volume, centroid: Point3::new(0.0, 0.0, centroid), spread })
    }

    /// A line segment without thickness from one point to another \[m\], measured by its length.
    ///
    /// # Errors
    /// [`PenetrationError::NoExtent`] when its length is not positive and finite.
    pub fn of_stick(from: &Point3<f64>, to: &Point3<f64>) -> Result<Self, PenetrationError> {
        let along = to - from;
        Self::given(along.norm(), nalgebra::center(from, to), along * along.transpose() / 12.0)
    }

    /// An extent given by its moments: a measure of any unit, the centroid \[m\] and the second moment about it over the measure,
    /// (1/V) ∫ (x − c)(x − c)ᵀ \[m²\].
    ///
    /// # Errors
    /// [`PenetrationError::NoExtent`] when the measure is not positive, the second moment has a negative eigenvalue, or
    /// a number is not finite.
    pub fn given(
        measure: f64,
        centroid: Point3<f64>,
        spread: Matrix3<f64>,
    ) -> Result<Self, PenetrationError> {
        // A second moment is symmetric; the numbers given may be so to rounding only.
        let spread = 0.5 * (spread + spread.transpose());
        let is_finite =
            centroid.iter().chain(&spread).all(|x| x.is_finite()) && measure > 0.0 && measure.is_finite();
        let min = if is_finite { SymmetricEigen::new(spread).eigenvalues.min() } else { f64::NAN };
        if !(min >= -ROUNDING * spread.trace()) {
            return Err(PenetrationError::NoExtent { measure, min });
        }
        Ok(Self { kind: Measure::Given, measure, centroid, spread })
    }

    fn of_mass(mass: &MassProperties, kind: Measure) -> Self {
        // I = V (tr Σ · 1 − Σ), so tr I = 2 V tr Σ.
        let half_trace = 0.5 * mass.inertia.trace();
        let spread = (Matrix3::from_diagonal_element(half_trace) - mass.inertia) / mass.volume;
        Self { kind, measure: mass.volume, centroid: mass.center, spread }
    }

    /// The kind of measure of the body.
    #[must_use]
    pub fn kind(&self) -> Measure {
        self.kind
    }

    /// V: volume \[m³\] of a solid, area \[m²\] of a surface.
    #[must_use]
    pub fn measure(&self) -> f64 {
        self.measure
    }

    /// c: the centroid \[m\].
    #[must_use]
    pub fn centroid(&self) -> Point3<f64> {
        self.centroid
    }

    /// Σ: the second moment about the centroid over the measure \[m²\].
    #[must_use]
    pub fn spread(&self) -> Matrix3<f64> {
        self.spread
    }

    /// Inertia about the centroid at density 1 \[m⁵\]; \[m⁴\] of a surface.
    #[must_use]
    pub fn inertia(&self) -> Matrix3<f64> {
        self.measure * self.inertia_over_measure()
    }

    /// Inertia about a point \[m\] at density 1 \[m⁵\].
    #[must_use]
    pub fn inertia_about(&self, point: &Point3<f64>) -> Matrix3<f64> {
        let arm = self.centroid - point;
        let steiner = Matrix3::from_diagonal_element(arm.norm_squared()) - arm * arm.transpose();
        self.measure * (self.inertia_over_measure() + steiner)
    }

    /// ωᵀIω: moment of inertia about the line through a point \[m\] along a unit vector, at density 1 \[m⁵\].
    #[must_use]
    pub fn moment_about(&self, point: &Point3<f64>, axis: &Unit<Vector3<f64>>) -> f64 {
        let own = self.spread.trace() - axis.dot(&(self.spread * axis.into_inner()));
        let arm = (self.centroid - point).cross(axis);
        self.measure * (own + arm.norm_squared())
    }

    /// The extent in the frame to which the pose maps the body's own one.
    #[must_use]
    pub fn moved(&self, pose: &Isometry3<f64>) -> Self {
        let rotation = pose.rotation.to_rotation_matrix();
        let spread = rotation.matrix() * self.spread * rotation.matrix().transpose();
        Self { centroid: pose * self.centroid, spread, ..*self }
    }

    /// The extent of the union of this body and another one, both in the same frame and of the same kind of measure.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let measure = self.measure + other.measure;
        let fraction = other.measure / measure;
        let between = other.centroid - self.centroid;
        // Steiner's terms of both, (1 − s) s² + s (1 − s)², add to s (1 − s).
        let spread = (1.0 - fraction) * self.spread
            + fraction * other.spread
            + (fraction * (1.0 - fraction)) * between * between.transpose();
        Self { kind: self.kind, measure, centroid: self.centroid + fraction * between, spread }
    }

    /// σ(T₀, T₁) \[m²\]: the mean squared displacement of the body's points between two poses [Tang14 §3.1, eq. 1].
    ///
    /// σ = (1/V) ∫ ‖T₁x − T₀x‖² = ‖T₁c − T₀c‖² + tr(D Σ Dᵀ) with D = R₁ − R₀, since the cross term vanishes about the
    /// centroid. With Q the vector part of the unit quaternion of R₀ᵀR₁, tr(D Σ Dᵀ) = (4/V) Qᵀ I Q, which is
    /// accurate for small rotations.
    #[must_use]
    pub fn squared(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
        let rotation = from.rotation.inverse() * to.rotation;
        (to * self.centroid - from * self.centroid).norm_squared() + self.rotation_squared(&rotation)
    }

    /// √σ \[m\].
    #[must_use]
    pub fn distance(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
        self.squared(from, to).sqrt()
    }

    /// Mean squared displacement \[m²\] of a rotation about the centroid, (4/V) Qᵀ I Q [Tang14 §4.2, eq. 18].
    #[must_use]
    pub fn rotation_squared(&self, rotation: &UnitQuaternion<f64>) -> f64 {
        let vector = rotation.imag();
        4.0 * vector.dot(&(self.inertia_over_measure() * vector))
    }

    fn inertia_over_measure(&self) -> Matrix3<f64> {
        Matrix3::from_diagonal_element(self.spread.trace()) - self.spread
    }
}

/// Volume, height of the centroid and principal spreads of a ball.
fn ball(radius: f64) -> (f64, f64, [f64; 3]) {
    (4.0 / 3.0 * PI * radius.powi(3), 0.0, [radius * radius / 5.0; 3])
}

/// Volume, height of the centroid and principal spreads of a capsule: a cylinder and two half balls, whose centroids lie
/// 3/8 of the radius beyond its ends.
fn capsule(radius: f64, half_length: f64) -> (f64, f64, [f64; 3]) {
    let (round, tube) = (ball(radius).0, 2.0 * PI * radius * radius * half_length);
    let volume = round + tube;
    let squared = radius * radius;
    let across = (round * squared / 5.0 + tube * squared / 4.0) / volume;
    let cap = squared / 5.0 + half_length * (0.75 * radius + half_length);
    let along = (round * cap + tube * half_length * half_length / 3.0) / volume;
    (volume, 0.0, [across, across, along])
}
