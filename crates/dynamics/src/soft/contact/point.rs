//! One contact: a point of one body in the field of another, who carries it and how.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::edge::Deepest;
use super::obstacle::Placement;
use crate::soft::interaction::OuterProducts;

/// Most soft blocks of a contact: two of an edge, four of each of the tetrahedra between which it is deepest.
pub(super) const BLOCKS: usize = 10;

/// How many of those an edge has itself.
pub(super) const ENDS: usize = 2;

/// What a contact's point belongs to.
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

/// Whose field a contact's point is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Field {
    /// A soft body's.
    Body(u32),
    /// An obstacle's.
    Obstacle(u32),
}

/// A point of one body in another, or in itself.
#[derive(Debug, Clone, Copy)]
pub struct Contact {
    /// Whose point it is.
    pub probe: Probe,
    /// Whose field it is in.
    pub field: Field,
    /// The point [m, world].
    pub point: Vector3<f64>,
    /// d̃ [m].
    pub depth: f64,
    /// What of the depth is pushed against [m]; less than it while an initial overlap is released.
    pub pressed: f64,
    /// Penalty times area [N/m].
    pub stiffness: f64,
    /// ∂d̃/∂point, about a unit vector into the field's body.
    pub gradient: Vector3<f64>,
    /// Share of each soft block in the relative displacement of point and field, the point's positive. Those of an edge: its
    /// ends, then the tetrahedra of `sides`, weighted.
    pub(super) shares: [(u32, f64); BLOCKS],
    /// Number of those.
    pub(super) count: usize,
    /// ∂d̃/∂point in each of the tetrahedra between which an edge is deepest.
    pub(super) sides: Option<[Vector3<f64>; 2]>,
    /// The obstacle that takes part, with the share of its point: 1 where the point is its own, −1 where the field is.
    pub(super) obstacle: Option<(u32, f64)>,
    /// Where in a soft body's field the point is.
    pub(super) site: Option<Site>,
}

/// The place of a contact in a soft body's field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Site {
    /// In a part of a tetrahedron.
    Cell(Cell),
    /// Between two, on an edge.
    Face(Deepest),
}

impl Contact {
    /// Energy [J]: ½ stiffness · pressed².
    #[must_use]
    pub fn energy(&self) -> f64 {
        0.5 * self.stiffness * self.pressed * self.pressed
    }

    /// Force on the point [N, world]; the field's body takes the opposite one.
    #[must_use]
    pub fn force(&self) -> Vector3<f64> {
        -self.stiffness * self.pressed * self.gradient
    }

    /// The blocks of the nodes that take part.
    pub(crate) fn soft_blocks(&self) -> impl Iterator<Item = usize> + '_ {
        let taking_part = self.shares[..self.count].iter().filter(|(_, share)| *share != 0.0);
        taking_part.map(|&(block, _)| block as usize)
    }

    /// Derivative of the relative displacement along `v` by each block. `placement` is that of the obstacle, if any.
    pub(super) fn column(
        &self,
        v: Vector3<f64>,
        placement: Option<&Placement>,
    ) -> impl Iterator<Item = (u32, Vector3<f64>)> + Clone {
        let soft = self.shares[..self.count].iter().map(move |&(block, share)| (block, share * v));
        let rigid = self.obstacle.zip(placement).and_then(|((_, share), placement)| {
            let turning = placement.turning(&(self.point - placement.origin), &v);
            placement.block.map(|block| [(block, share * v), (block + 1, share * turning)])
        });
        soft.chain(rigid.into_iter().flatten())
    }

    /// ∂d̃ by each block.
    pub(super) fn jacobian(
        &self,
        placement: Option<&Placement>,
    ) -> impl Iterator<Item = (u32, Vector3<f64>)> + Clone {
        let of_sides = self.sides.map(|sides| {
            let shares = self.shares[..self.count].iter().enumerate();
            shares.map(move |(at, &(block, share))| {
                let gradient = if at < ENDS { self.gradient } else { sides[(at - ENDS) / 4] };
                (block, share * gradient)
            })
        });
        let of_point = if self.sides.is_none() { Some(self.column(self.gradient, placement)) } else { None };
        of_sides.into_iter().flatten().chain(of_point.into_iter().flatten())
    }

    /// Adds the contact's gradient and its Gauss–Newton Hessian k A J Jᵀ: without the term of ∇²d̃, which has both signs
    /// and vanishes with the depth.
    pub(super) fn linearise(
        &self,
        placement: Option<&Placement>,
        gradient: &mut [Vector3<f64>],
        hessian: &mut OuterProducts,
    ) {
        let pull = self.stiffness * self.pressed;
        if !(pull > 0.0) {
            return;
        }
        self.jacobian(placement).for_each(|(block, j)| gradient[block as usize] += pull * j);
        hessian.push(self.stiffness, self.jacobian(placement));
    }
}
