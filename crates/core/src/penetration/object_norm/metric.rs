//! The object norm of an articulated model at one configuration: weights of its joints, and distances to other
//! configurations [Tang14 §4.2, eqs. 14–19].
//!
//! | paper  | here        | meaning                                                                                    |
//! |--------|-------------|--------------------------------------------------------------------------------------------|
//! | Hᵢ     | `weight`    | of a joint: the outboard measure (prismatic) or ωᵀIω of the outboard links about its axis (revolute) |
//! | Xᵢ     | `step`      | Δq of a prismatic joint, 2 sin(Δq/2) of a revolute one                                      |
//! | σ      | `sigma`     | (1/V) (Σ Hᵢ Xᵢ² + the part of the base) [m²]                                                |
//!
//! Departs from [Tang14]: eq. 28 omits 1/V, and eq. 24's σᵢ are V times those of eqs. 16–18; with 1/V once all agree.
//!
//! The sequential change proceeds from the base to the tips. When a joint moves, its outboard links are still in their old
//! configuration, and its inboard links have moved already; the displacement does not depend on the latter. So the weights
//! are those of the old configuration whatever the change is, and a mimic joint adds its own term.

use nalgebra::Isometry3;

use super::extent::Extent;

/// Weight of a movable joint in the norm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointWeight {
    /// Index of the joint in the articulation.
    pub joint: usize,
    /// The generalized coordinate that drives it.
    pub coordinate: usize,
    /// Derivative of its value by that coordinate: 1, or the factor of a mimic joint.
    pub factor: f64,
    /// Whether it is revolute; otherwise it is prismatic.
    pub is_revolute: bool,
    /// H: the measure of the outboard links \[m³\], or their moment of inertia about the joint's axis \[m⁵\].
    pub weight: f64,
}

impl JointWeight {
    /// H X² and its derivative by the change of the coordinate [Tang14 §4.2].
    fn squared(&self, change: f64) -> (f64, f64) {
        let moved = self.factor * change;
        if self.is_revolute {
            // X² = 4 sin²(Δ/2), whose derivative is 2 sin Δ.
            let step = 2.0 * (0.5 * moved).sin();
            (self.weight * step * step, 2.0 * self.weight * self.factor * moved.sin())
        } else {
            (self.weight * moved * moved, 2.0 * self.weight * self.factor * moved)
        }
    }
}

/// The object norm at one configuration, which measures distances from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    configuration: Vec<f64>,
    base: Isometry3<f64>,
    joints: Vec<JointWeight>,
    weights: Vec<f64>,
    whole: Extent,
}

impl Metric {
    pub(super) fn new(
        configuration: &[f64],
        base: &Isometry3<f64>,
        joints: Vec<JointWeight>,
        whole: Extent,
    ) -> Self {
        let mut weights = vec![0.0; configuration.len()];
        for joint in &joints {
            // A mimic joint moves by its factor times the change, which enters squared.
            weights[joint.coordinate] += joint.factor * joint.factor * joint.weight;
        }
        Self { configuration: configuration.to_vec(), base: *base, joints, weights, whole }
    }

    /// The configuration at which the weights are taken [rad, m].
    #[must_use]
    pub fn configuration(&self) -> &[f64] {
        &self.configuration
    }

    /// The pose of the root at which the weights are taken.
    #[must_use]
    pub fn base(&self) -> &Isometry3<f64> {
        &self.base
    }

    /// H of every generalized coordinate, in order: σ is (1/V) Σ H Δq² for small changes. \[m³\] for prismatic joints, \[m⁵\] for
    /// revolute ones; mimic joints add the square of their factor times their weight. Zero for a coordinate that moves only
    /// links without a shape.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The movable joints, mimic joints included; parents before children.
    #[must_use]
    pub fn joints(&self) -> &[JointWeight] {
        &self.joints
    }

    /// V: the total measure of all links \[m³\].
    #[must_use]
    pub fn measure(&self) -> f64 {
        self.whole.measure()
    }

    /// The extent of the union of all links in the world, in the configuration and with the root at its base: the body that a
    /// floating base translates, and rotates about the centroid.
    #[must_use]
    pub fn whole(&self) -> &Extent {
        &self.whole
    }

    /// Multiplies the weight of a generalized coordinate: one with a larger weight moves less. The distance is then no longer
    /// a mean squared displacement.
    ///
    /// # Panics
    /// When there is no such coordinate.
    pub fn weigh(&mut self, coordinate: usize, factor: f64) {
        self.weights[coordinate] *= factor;
        for joint in self.joints.iter_mut().filter(|joint| joint.coordinate == coordinate) {
            joint.weight *= factor;
        }
    }

    /// σ \[m²\] [Tang14 §4.2]: from the configuration and base of this metric to others, under the sequential change from the base to
    /// the tips.
    ///
    /// # Panics
    /// When the configuration has too few coordinates.
    #[must_use]
    pub fn sigma(&self, configuration: &[f64], base: &Isometry3<f64>) -> f64 {
        self.sigma_of_base(base) + self.sigma_of_joints(configuration)
    }

    /// Contribution of the joints to σ \[m²\].
    ///
    /// # Panics
    /// When the configuration has too few coordinates.
    #[must_use]
    pub fn sigma_of_joints(&self, configuration: &[f64]) -> f64 {
        let of_joint = |joint: &JointWeight| {
            joint.squared(configuration[joint.coordinate] - self.configuration[joint.coordinate]).0
        };
        self.joints.iter().map(of_joint).sum::<f64>() / self.measure()
    }

    /// Contribution of the base to σ \[m²\]: a rigid motion of all links in their old configuration.
    #[must_use]
    pub fn sigma_of_base(&self, base: &Isometry3<f64>) -> f64 {
        self.whole.squared(&Isometry3::identity(), &(base * self.base.inverse()))
    }

    /// V σ of a change [rad or m] of one coordinate alone, and its derivative by that change.
    ///
    /// # Panics
    /// When there is no such coordinate.
    #[must_use]
    pub fn of_change(&self, coordinate: usize, change: f64) -> (f64, f64) {
        assert!(coordinate < self.weights.len(), "there are {} generalized coordinates", self.weights.len());
        let of_coordinate = self.joints.iter().filter(|joint| joint.coordinate == coordinate);
        of_coordinate.map(|joint| joint.squared(change)).fold((0.0, 0.0), |(s, d), (t, e)| (s + t, d + e))
    }
}
