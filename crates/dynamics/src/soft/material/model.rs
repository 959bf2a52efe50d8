//! Constitutive models and material parameters of soft bodies.

use crate::error::SoftError;

/// Constitutive model: the energy density ψ(F). F is the deformation gradient, μ and λ are Lamé's constants \[Pa\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Constitutive {
    /// μ ε:ε + λ/2 tr²ε with ε = (F + Fᵀ)/2 − 1: small strains *and* small rotations; a rotation alone makes forces.
    Linear,
    /// μ‖F − R‖² + λ/2 tr²(RᵀF − 1) with R the rotation nearest to F: large rotations, strains of some per cent.
    #[default]
    Corotational,
    /// μ E:E + λ/2 tr²E with E = (FᵀF − 1)/2. It softens in compression, lets elements collapse, and a mirrored element has
    /// no energy: for stretching.
    StVenantKirchhoff,
    /// μ/2 (‖F‖² − 3) − μ(J − 1) + (λ + μ)/2 (J − 1)² with J = det F: large strains, defined for inverted elements
    /// too [Smith18, without the logarithm of eq. 14, so that the energy at rest is zero with λ + μ for its λ].
    NeoHookean,
}

/// Material of a soft body: model, density, elasticity and damping, validated on construction.
///
/// Damping is Rayleigh's: the damping matrix is α M + β K with mass M and stiffness K. A mode of angular frequency
/// ω [rad/s] has the damping ratio ζ = α/(2ω) + βω/2, where 1 is critical: α slows the body as a whole, as a thin
/// fluid around it would, and β damps the fast modes, as viscosity inside does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    pub(super) model: Constitutive,
    pub(super) density: f64,
    pub(super) youngs_modulus: f64,
    pub(super) poisson_ratio: f64,
    pub(super) mass_damping: f64,
    pub(super) stiffness_damping: f64,
    /// Lamé's constants [Pa], derived.
    pub(super) mu: f64,
    pub(super) lambda: f64,
}

impl Material {
    /// A material without damping: density [kg/m³], Young's modulus \[Pa\], Poisson's ratio.
    ///
    /// ```
    /// use extricate_dynamics::soft::material::{Constitutive, Material};
    ///
    /// let rubber = Material::new(Constitutive::NeoHookean, 1000.0, 1e6, 0.45)?.with_damping(0.0, 1e-3)?;
    /// assert!((rubber.damping_ratio(100.0) - 0.05).abs() < 1e-15);
    /// let error = Material::new(Constitutive::NeoHookean, 1000.0, 1e6, 0.5).unwrap_err();
    /// assert_eq!(error.to_string(), "Poisson's ratio must be above -1 and below 0.5, not 0.5");
    /// # Ok::<(), extricate_dynamics::soft::SoftError>(())
    /// ```
    ///
    /// # Errors
    /// [`SoftError`] when the density or Young's modulus is not positive and finite, or Poisson's ratio is not
    /// between −1 and 0.5.
    pub fn new(
        model: Constitutive,
        density: f64,
        youngs_modulus: f64,
        poisson_ratio: f64,
    ) -> Result<Self, SoftError> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(SoftError::Density { density });
        }
        if !(youngs_modulus > 0.0 && youngs_modulus.is_finite()) {
            return Err(SoftError::YoungsModulus { youngs_modulus });
        }
        if !(poisson_ratio > -1.0 && poisson_ratio < 0.5) {
            return Err(SoftError::PoissonRatio { poisson_ratio });
        }
        Ok(Self {
            model,
            density,
            youngs_modulus,
            poisson_ratio,
            mass_damping: 0.0,
            stiffness_damping: 0.0,
            mu: youngs_modulus / (2.0 * (1.0 + poisson_ratio)),
            lambda: youngs_modulus * poisson_ratio / ((1.0 + poisson_ratio) * (1.0 - 2.0 * poisson_ratio)),
        })
    }

    /// The material with Rayleigh damping: α [1/s] times mass plus β \[s\] times stiffness.
    ///
    /// # Errors
    /// [`SoftError::Damping`] when one is negative or not finite.
    pub fn with_damping(self, alpha: f64, beta: f64) -> Result<Self, SoftError> {
        if !(alpha >= 0.0 && alpha.is_finite() && beta >= 0.0 && beta.is_finite()) {
            return Err(SoftError::Damping { alpha, beta });
        }
        Ok(Self { mass_damping: alpha, stiffness_damping: beta, ..self })
    }

    /// Constitutive model.
    #[must_use]
    pub fn model(&self) -> Constitutive {
        self.model
    }

    /// Density at rest [kg/m³].
    #[must_use]
    pub fn density(&self) -> f64 {
        self.density
    }

    /// Young's modulus \[Pa\].
    #[must_use]
    pub fn youngs_modulus(&self) -> f64 {
        self.youngs_modulus
    }

    /// Poisson's ratio.
    #[must_use]
    pub fn poisson_ratio(&self) -> f64 {
        self.poisson_ratio
    }

    /// α, mass-proportional damping [1/s].
    #[must_use]
    pub fn mass_damping(&self) -> f64 {
        self.mass_damping
    }

    /// β, stiffness-proportional damping \[s\].
    #[must_use]
    pub fn stiffness_damping(&self) -> f64 {
        self.stiffness_damping
    }

    /// Damping ratio ζ = α/(2ω) + βω/2 of a mode of angular frequency ω [rad/s]; 1 is critical.
    #[must_use]
    pub fn damping_ratio(&self, angular_frequency: f64) -> f64 {
        self.mass_damping / (2.0 * angular_frequency) + self.stiffness_damping * angular_frequency / 2.0
    }

    /// Lamé's second constant, the shear modulus μ \[Pa\].
    #[must_use]
    pub fn shear_modulus(&self) -> f64 {
        self.mu
    }

    /// Lamé's first constant λ \[Pa\].
    #[must_use]
    pub fn lame_lambda(&self) -> f64 {
        self.lambda
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_materials_are_refused_with_their_numbers() {
        let refused = |density, youngs_modulus, poisson_ratio| {
            Material::new(Constitutive::NeoHookean, density, youngs_modulus, poisson_ratio)
                .unwrap_err()
                .to_string()
        };
        for bad in [0.5, 0.7, -1.0, -3.0, f64::NAN, f64::INFINITY] {
            assert!(refused(1.0, 1.0, bad).contains(&format!("not {bad}")));
        }
        for bad in [0.0, -2.0, f64::NAN, f64::INFINITY] {
            assert!(
                refused(bad, 1.0, 0.3).contains(&format!("density must be positive and finite, not {bad}"))
            );
            assert!(
                refused(1.0, bad, 0.3).contains(&format!("modulus must be positive and finite, not {bad}"))
            );
        }
        let sound = Material::new(Constitutive::Linear, 1.0, 1.0, -0.5).unwrap();
        for (alpha, beta) in [(-1.0, 0.0), (0.0, -1.0), (f64::NAN, 0.0), (0.0, f64::INFINITY)] {
            assert!(matches!(sound.with_damping(alpha, beta), Err(SoftError::Damping { .. })));
        }
    }

    #[test]
    fn the_damping_ratio_is_that_of_the_damped_oscillator() {
        // m ẍ + (α m + β k) ẋ + k x = 0: ζ = c / (2 √(km)).
        let (mass, stiffness, alpha, beta) = (2.0_f64, 50.0_f64, 0.3, 0.01);
        let material =
            Material::new(Constitutive::Linear, 1.0, 1.0, 0.0).unwrap().with_damping(alpha, beta).unwrap();
        let expected = (alpha * mass + beta * stiffness) / (2.0 * (stiffness * mass).sqrt());
        assert!((material.damping_ratio((stiffness / mass).sqrt()) - expected).abs() < 1e-15);
    }
}
