//! The object norm of an articulated model at one configuration: weights of its joints, and distances to other
//! configurations [Tang14 §4.2, eqs. 14–19].
//!
//! | paper  | here        | meaning                                                                                    |
//! |--------|-------------|--------------------------------------------------------------------------------------------|
//! | Hᵢ     | `weight`    | of a joint: the outboard measure (prismatic) or ωᵀIω of the outboard links about its axis (revolute) |
//! | Xᵢ     | `step`      | Δq of a prismatic joint, 2 sin(Δq/2) of a revolute one                                      |
//! | σ      | `sigma`     | (1/V) (Σ Hᵢ Xᵢ² + the part of the base) [m²]                                                |
//!
//! Departs from [Tang14]: eq. 28 lacks 1/V, and eq. 24's σᵢ are V times those of eqs. 16–18; with 1/V once all agree.
//!
//! The sequential change goes from the base to the tips. When a joint turns, what hangs on it is still in its old
//! configuration, and what carries it has moved already; the displacement does not depend on the latter. So the weights
//! are those of the old configuration whatever the change is, and a joint that mimics adds its own term.

use nalgebra::Isometry3;

use super::extent::Extent;

/// A joint that moves, as the norm sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointWeight {
    /// Index of the joint in the articulation.
    pub joint: usize,
    /// The number of the configuration that it follows.
    pub coordinate: usize,
    /// What its value changes by when that number changes by one: 1, or the factor of a joint that mimics.
    pub factor: f64,
    /// Whether it turns what hangs on it; else it slides it.
    pub turns: bool,
    /// H: the measure of what hangs on it [m³], or its moment of inertia about the joint's axis [m⁵].
    pub weight: f64,
}

impl JointWeight {
    /// H X² and its derivative by the change of the coordinate.
    fn squared(&self, change: f64) -> (f64, f64) {
        let moved = self.factor * change;
        if self.turns {
            // X² = 4 sin²(Δ/2), whose derivative is 2 sin Δ.
            let step = 2.0 * (0.5 * moved).sin();
            (self.weight * step * step, 2.0 * self.weight * self.factor * moved.sin())
        } else {
            (self.weight * moved * moved, 2.0 * self.weight * self.factor * moved)
        }
    }
}

/// The object norm at one configuration: how far others are from it.
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

    /// H of every number of a configuration, in its order: σ is (1/V) Σ H Δq² for small changes. [m³] where joints
    /// slide, [m⁵] where they turn; joints that mimic add the square of their factor times their weight. Zero of one
    /// that moves nothing but links without a shape.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Each joint that moves, those that mimic included; parents before children.
    #[must_use]
    pub fn joints(&self) -> &[JointWeight] {
        &self.joints
    }

    /// V: the measure of all links together [m³].
    #[must_use]
    pub fn measure(&self) -> f64 {
        self.whole.measure()
    }

    /// The extent of all links together in the world, in the configuration and with the root on its base: what a
    /// floating base translates, and turns about the centroid.
    #[must_use]
    pub fn whole(&self) -> &Extent {
        &self.whole
    }

    /// Multiplies the weight of a number of a configuration: what is dear to move moves less. The distance is then no
    /// mean squared displacement any more.
    ///
    /// # Panics
    /// When there is no such number.
    pub fn weigh(&mut self, coordinate: usize, factor: f64) {
        self.weights[coordinate] *= factor;
        for joint in self.joints.iter_mut().filter(|joint| joint.coordinate == coordinate) {
            joint.weight *= factor;
        }
    }

    /// σ [m²]: from the configuration and base of this metric to others, under the sequential change from the base to
    /// the tips.
    ///
    /// # Panics
    /// When the configuration has too few numbers.
    #[must_use]
    pub fn sigma(&self, configuration: &[f64], base: &Isometry3<f64>) -> f64 {
        self.sigma_of_base(base) + self.sigma_of_joints(configuration)
    }

    /// The part of σ [m²] that the joints make.
    ///
    /// # Panics
    /// When the configuration has too few numbers.
    #[must_use]
    pub fn sigma_of_joints(&self, configuration: &[f64]) -> f64 {
        let of_joint = |joint: &JointWeight| {
            joint.squared(configuration[joint.coordinate] - self.configuration[joint.coordinate]).0
        };
        self.joints.iter().map(of_joint).sum::<f64>() / self.measure()
    }

    /// The part of σ [m²] that a moved base makes: a rigid motion of all links in their old configuration.
    #[must_use]
    pub fn sigma_of_base(&self, base: &Isometry3<f64>) -> f64 {
        self.whole.squared(&Isometry3::identity(), &(base * self.base.inverse()))
    }

    /// V σ of a change [rad or m] of one number alone, and its derivative by that change.
    ///
    /// # Panics
    /// When there is no such number.
    #[must_use]
    pub fn of_change(&self, coordinate: usize, change: f64) -> (f64, f64) {
        assert!(coordinate < self.weights.len(), "the configuration has {} numbers", self.weights.len());
        let of_coordinate = self.joints.iter().filter(|joint| joint.coordinate == coordinate);
        of_coordinate.map(|joint| joint.squared(change)).fold((0.0, 0.0), |(s, d), (t, e)| (s + t, d + e))
    }
}
