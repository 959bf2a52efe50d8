//! One contact: a point of one body in the field of another, with its potential, gradient and Hessian.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::edge::DeepestPoint;
use super::obstacle::ObstaclePose;
use super::pressure::PressureLaw;
use crate::soft::interaction::OuterProducts;

/// Maximum number of soft blocks of a contact: two of an edge, four of each of the tetrahedra between which it is deepest.
pub(super) const BLOCKS: usize = 10;

/// Number of those that are the edge's own ends.
pub(super) const ENDS: usize = 2;

/// The feature that a contact's point belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Probe {
    /// A node of a soft body's surface, by its block.
    Node(u32),
    /// The deepest point of an edge of a soft body's surface, by the blocks of its ends.
    Edge(u32, u32),
    /// A sample of an obstacle.
    Sample {
        /// The obstacle.
        obstacle: u32,
        /// The sample.
        sample: u32,
    },
}

/// The body or obstacle whose field a contact's point is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Field {
    /// A soft body.
    Body(u32),
    /// An obstacle.
    Obstacle(u32),
}

/// A contact: a point of one body inside another, or inside itself.
#[derive(Debug, Clone, Copy)]
pub struct Contact {
    /// The feature that the point belongs to.
    pub probe: Probe,
    /// The body or obstacle whose field the point is in.
    pub field: Field,
    /// The point [m, world].
    pub point: Vector3<f64>,
    /// d̃ \[m\].
    pub depth: f64,
    /// Effective depth, on which the potential acts \[m\]; less than the depth while an initial overlap is released.
    pub effective_depth: f64,
    /// Penalty stiffness times area, k A [N/m]: the slope of the force up to the depth at which the pressure stiffens.
    pub stiffness: f64,
    /// The same for the part of the pressure beyond that depth; differs on edges that join a solve under way, which have this part only.
    pub(super) stiffening: f64,
    /// Pressure over effective depth.
    pub(super) law: PressureLaw,
    /// ∂d̃/∂point, about a unit vector into the field's body.
    pub gradient: Vector3<f64>,
    /// Coefficient of each soft block in the relative displacement of point and field, positive for the point. Those of an edge:
    /// its ends, then the tetrahedra of `sides`, weighted.
    pub(super) coefficients: [(u32, f64); BLOCKS],
    /// Number of those.
    pub(super) count: usize,
    /// ∂d̃/∂point in each of the tetrahedra between which an edge is deepest.
    pub(super) sides: Option<[Vector3<f64>; 2]>,
    /// The obstacle of the contact, with the coefficient of its point: 1 where the point is its own, −1 where the field is.
    pub(super) obstacle: Option<(u32, f64)>,
    /// Location of the point in a soft body's field.
    pub(super) site: Option<Site>,
}

/// Location of a contact in a soft body's field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Site {
    /// In a cell.
    Cell(Cell),
    /// On the face between two cells, on an edge.
    Face(DeepestPoint),
}

impl Contact {
    /// Energy \[J\]: ½ stiffness · effective depth², the penetration potential [Fisher01 §5.1.1, eq. 1] with d̃ for the distance,
    /// weighted by area, and more where the depth is beyond [`super::ContactOptions::stiffen_beyond`].
    #[must_use]
    pub fn energy(&self) -> f64 {
        let depth = self.effective_depth;
        0.5 * self.stiffness * depth * depth + self.stiffening * self.law.added_energy(depth)
    }

    /// Magnitude of the force per unit of the depth's gradient \[N\].
    pub(super) fn pull(&self) -> f64 {
        let depth = self.effective_depth;
        self.stiffness * depth + self.stiffening * self.law.added_pressure(depth)
    }

    /// Derivative of that with respect to the depth [N/m].
    pub(super) fn pull_rate(&self) -> f64 {
        self.stiffness + self.stiffening * self.law.added_slope(self.effective_depth)
    }

    /// Force on the point [N, world]; the field's body takes the opposite one.
    #[must_use]
    pub fn force(&self) -> Vector3<f64> {
        -self.pull() * self.gradient
    }

    /// The blocks of the nodes with a coefficient other than zero.
    pub(crate) fn soft_blocks(&self) -> impl Iterator<Item = usize> + '_ {
        let taking_part =
            self.coefficients[..self.count].iter().filter(|(_, coefficient)| *coefficient != 0.0);
        taking_part.map(|&(block, _)| block as usize)
    }

    /// Derivative of the relative displacement along `v` with respect to each block. `obstacle_pose` is that of the obstacle, if
    /// any.
    pub(super) fn column(
        &self,
        v: Vector3<f64>,
        obstacle_pose: Option<&ObstaclePose>,
    ) -> impl Iterator<Item = (u32, Vector3<f64>)> + Clone {
        let soft =
            self.coefficients[..self.count].iter().map(move |&(block, coefficient)| (block, coefficient * v));
        let rigid = self.obstacle.zip(obstacle_pose).and_then(|((_, coefficient), obstacle_pose)| {
            let torque = obstacle_pose.rotation_gradient(&(self.point - obstacle_pose.origin), &v);
            obstacle_pose.block.map(|block| [(block, coefficient * v), (block + 1, coefficient * torque)])
        });
        soft.chain(rigid.into_iter().flatten())
    }

    /// ∂d̃ with respect to each block: g for the point's own block, −uᵢ g for the element's nodes [Fisher01 §5.1.1].
    pub(super) fn jacobian(
        &self,
        obstacle_pose: Option<&ObstaclePose>,
    ) -> impl Iterator<Item = (u32, Vector3<f64>)> + Clone {
        // The ends of an edge take ḡ; the nodes of each tetrahedron take its own gradient, weighted by λ or 1 − λ.
        let of_sides = self.sides.map(|sides| {
            let coefficients = self.coefficients[..self.count].iter().enumerate();
            coefficients.map(move |(at, &(block, coefficient))| {
                let gradient = if at < ENDS { self.gradient } else { sides[(at - ENDS) / 4] };
                (block, coefficient * gradient)
            })
        });
        let of_point =
            if self.sides.is_none() { Some(self.column(self.gradient, obstacle_pose)) } else { None };
        of_sides.into_iter().flatten().chain(of_point.into_iter().flatten())
    }

    /// Adds the contact's gradient and its Gauss–Newton Hessian k A J Jᵀ, with the slope of the pressure for k: without the term of ∇²d̃, which is indefinite
    /// and vanishes with the depth.
    pub(super) fn linearise(
        &self,
        obstacle_pose: Option<&ObstaclePose>,
        gradient: &mut [Vector3<f64>],
        hessian: &mut OuterProducts,
    ) {
        let pull = self.pull();
        if !(pull > 0.0) {
            return;
        }
        self.jacobian(obstacle_pose).for_each(|(block, j)| gradient[block as usize] += pull * j);
        hessian.push(self.pull_rate(), self.jacobian(obstacle_pose));
    }
}
