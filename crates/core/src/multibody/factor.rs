//! Forward dynamics by articulated bodies [Featherstone08 §7.3], split into a factorisation of the mass matrix and solves.
//!
//! (H + D) x = b for a diagonal D: the articulated inertias, U = I S and the inverses of Sᵀ U + D of the joints depend on
//! the configuration alone; each right-hand side costs two passes. O(n), whatever the depth.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::inverse::Recursion;
use super::joint::MAX_FREEDOMS;
use super::model::Multibody;
use super::placement::Placement;
use super::spatial::{ArticulatedInertia, SpatialVector};

/// Fraction of the joint's own inertia Sᵀ I S below which a pivot is rounding: the coordinate carries no mass and does not
/// accelerate. More would lock light joints beside heavy loads.
const NO_MASS: f64 = 1e-13;

/// Factorised mass matrix of a multibody in a configuration, with a diagonal matrix added to it.
#[derive(Debug, Clone, Default)]
pub struct Factor {
    inertias: Vec<ArticulatedInertia>,
    /// Columns of U = I S.
    products: Vec<SpatialVector>,
    /// Inverses of Sᵀ U + D of joints of one freedom.
    pivots: Vec<f64>,
    /// The same of joints with more, by their link, links descending, each with the L of its L Lᵀ.
    blocks: Vec<(usize, Matrix6<f64>, Matrix6<f64>)>,
}

/// A unit force on a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UnitForce {
    /// On a link, reference at its origin, world axes.
    Wrench(usize, SpatialVector),
    /// On a joint, by its freedom.
    Joint(usize),
}

/// Intermediate results of a solve.
#[derive(Debug, Clone, Default)]
pub struct SolveBuffer {
    forces: Vec<SpatialVector>,
    rests: Vec<f64>,
    motions: Vec<SpatialVector>,
}

impl SolveBuffer {
    /// Motions of the links of the last solve: references at their origins.
    #[must_use]
    pub fn motions(&self) -> &[SpatialVector] {
        &self.motions
    }
}

impl Factor {
    /// Factorises H + diag(`added`), with the armatures in H.
    ///
    /// # Panics
    /// When `added` is too short.
    pub fn update(&mut self, multibody: &Multibody, placement: &Placement, added: &[f64]) {
        self.update_stiffened(multibody, placement, (added, &[]));
    }

    /// Factorises H + diag(`added`) + Σ Jᵀ M J, with moments M that resist the angular accelerations of the links [kg·m², world
    /// axes]; none where the slice is empty.
    ///
    /// # Panics
    /// When `added` is too short.
    pub fn update_stiffened(
        &mut self,
        multibody: &Multibody,
        placement: &Placement,
        (added, moments): (&[f64], &[Matrix3<f64>]),
    ) {
        let links = multibody.links();
        self.inertias.clear();
        self.inertias.extend(placement.inertias.iter().map(ArticulatedInertia::from));
        self.inertias.iter_mut().zip(moments).for_each(|(inertia, moments)| inertia.add_moments(moments));
        self.products.resize(multibody.freedoms(), SpatialVector::ZERO);
        self.pivots.resize(multibody.freedoms(), 0.0);
        self.blocks.clear();
        for (index, link) in links.iter().enumerate().rev() {
            let mut inertia = self.inertias[index];
            let freedoms = multibody.freedoms_of(index);
            for freedom in freedoms.clone() {
                self.products[freedom] = inertia.times(&placement.subspaces[freedom]);
            }
            if freedoms.len() == 1 {
                let at = freedoms.start;
                let carried = placement.subspaces[at].dot(&self.products[at]);
                let own =
                    placement.subspaces[at].dot(&placement.inertias[index].times(&placement.subspaces[at]));
                let pivot = carried + link.armature + added[at];
                let has_mass = pivot > NO_MASS * own && pivot > 0.0;
                self.pivots[at] = if has_mass { pivot.recip() } else { 0.0 };
                let scaled = self.products[at] * self.pivots[at];
                inertia.subtract(&scaled, &self.products[at]);
            } else {
                self.pivots[freedoms.clone()].fill(0.0);
                let (block, lower) = self.block(placement, freedoms.clone(), |at| link.armature + added[at]);
                for (i, row) in freedoms.clone().enumerate() {
                    let mut scaled = SpatialVector::ZERO;
                    for (j, column) in freedoms.clone().enumerate() {
                        scaled += self.products[column] * block[(i, j)];
                    }
                    inertia.subtract(&self.products[row], &scaled);
                }
                self.blocks.push((index, block, lower));
            }
            if let Some(parent) = link.parent {
                self.inertias[parent] += inertia.shifted(&placement.offsets[index]);
            }
        }
    }

    /// Inverse of Sᵀ U + D of a joint with several freedoms, padded with zeros, and L of the L Lᵀ that it inverts; zero where no mass moves.
    fn block(
        &self,
        placement: &Placement,
        freedoms: std::ops::Range<usize>,
        added: impl Fn(usize) -> f64,
    ) -> (Matrix6<f64>, Matrix6<f64>) {
        let mut matrix = Matrix6::identity();
        for (i, row) in freedoms.clone().enumerate() {
            for (j, column) in freedoms.clone().enumerate() {
                matrix[(i, j)] = placement.subspaces[row].dot(&self.products[column]);
            }
            matrix[(i, i)] += added(row);
        }
        // Rounding leaves it slightly unsymmetric.
        let matrix = 0.5 * (matrix + matrix.transpose());
        let (mut inverse, lower) =
            matrix.cholesky().map_or_else(Default::default, |factor| (factor.inverse(), factor.l()));
        for i in freedoms.len()..MAX_FREEDOMS {
            inverse.row_mut(i).fill(0.0);
            inverse.column_mut(i).fill(0.0);
        }
        (inverse, lower)
    }

    /// Solves (H + D) x = `joint` + Σ Jᵀ `wrenches`, with forces on the joints and on the links (references at their
    /// origins; none where the slice is empty), and leaves the motions of the links at velocities x in the buffer.
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn solve(
        &self,
        multibody: &Multibody,
        placement: &Placement,
        (joint, wrenches): (&[f64], &[SpatialVector]),
        buffer: &mut SolveBuffer,
        x: &mut [f64],
    ) {
        let count = multibody.links().len();
        buffer.forces.clear();
        buffer
            .forces
            .extend((0..count).map(|link| wrenches.get(link).map_or(SpatialVector::ZERO, |force| -*force)));
        self.pass(multibody, placement, (joint, None, SpatialVector::ZERO), buffer, x);
    }

    /// Accelerations of a motion under forces of the joints: (H + D) v̇ = `joint` − c, with the velocities of `recursion`'s
    /// motions, gravity [m/s²], and forces on the links as in [`Self::solve`].
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn forward_dynamics(
        &self,
        (multibody, placement): (&Multibody, &Placement),
        (v, recursion): (&[f64], &mut Recursion),
        (joint, wrenches): (&[f64], &[SpatialVector]),
        (gravity, buffer): (&Vector3<f64>, &mut SolveBuffer),
        accelerations: &mut [f64],
    ) {
        multibody.velocities(placement, v, &mut recursion.motions);
        let Recursion { motions, accelerations: products, .. } = recursion;
        products.clear();
        buffer.forces.clear();
        for link in 0..multibody.links().len() {
            products.push(multibody.velocity_product(placement, (link, motions), v));
            let outside = wrenches.get(link).copied().unwrap_or(SpatialVector::ZERO);
            buffer.forces.push(Multibody::velocity_force(placement, link, &motions[link]) - outside);
        }
        let base = SpatialVector::new(Vector3::zeros(), -gravity);
        self.pass(multibody, placement, (joint, Some(products), base), buffer, accelerations);
    }

    /// The two passes: forces towards the base, motions outwards. `buffer.forces` holds the forces against the links.
    fn pass(
        &self,
        multibody: &Multibody,
        placement: &Placement,
        (joint, products, base): (&[f64], Option<&Vec<SpatialVector>>, SpatialVector),
        buffer: &mut SolveBuffer,
        x: &mut [f64],
    ) {
        buffer.rests.resize(multibody.freedoms(), 0.0);
        buffer.motions.resize(multibody.links().len(), SpatialVector::ZERO);
        self.towards_base(multibody, placement, (joint, products), buffer);
        let SolveBuffer { rests, motions, .. } = buffer;
        let mut blocks = self.blocks.iter().rev();
        for (index, link) in multibody.links().iter().enumerate() {
            let parent = link.parent.map_or(base, |parent| motions[parent]);
            // The force of the velocity products is in the rests already.
            let carried = parent.motion_at(&placement.offsets[index]);
            let mut motion = products.map_or(carried, |products| carried + products[index]);
            let freedoms = multibody.freedoms_of(index);
            if freedoms.len() == 1 {
                let at = freedoms.start;
                x[at] = self.pivots[at] * (rests[at] - self.products[at].dot(&carried));
                motion += placement.subspaces[at] * x[at];
            } else if let Some((_, block, _)) = blocks.next() {
                let mut rest = Vector6::zeros();
                for (i, at) in freedoms.clone().enumerate() {
                    rest[i] = rests[at] - self.products[at].dot(&carried);
                }
                let solved = block * rest;
                for (i, at) in freedoms.enumerate() {
                    x[at] = solved[i];
                    motion += placement.subspaces[at] * solved[i];
                }
            }
            motions[index] = motion;
        }
    }

    fn towards_base(
        &self,
        multibody: &Multibody,
        placement: &Placement,
        (joint, products): (&[f64], Option<&Vec<SpatialVector>>),
        SolveBuffer { forces, rests, .. }: &mut SolveBuffer,
    ) {
        let mut blocks = self.blocks.iter();
        for (index, link) in multibody.links().iter().enumerate().rev() {
            let freedoms = multibody.freedoms_of(index);
            let mut force = forces[index];
            if let Some(products) = products {
                force += self.inertias[index].times(&products[index]);
            }
            for at in freedoms.clone() {
                rests[at] = joint[at] - placement.subspaces[at].dot(&force);
            }
            if freedoms.len() == 1 {
                let at = freedoms.start;
                force += self.products[at] * (self.pivots[at] * rests[at]);
            } else if let Some((_, block, _)) = blocks.next() {
                let mut rest = Vector6::zeros();
                freedoms.clone().enumerate().for_each(|(i, at)| rest[i] = rests[at]);
                let scaled = block * rest;
                freedoms.enumerate().for_each(|(i, at)| force += self.products[at] * scaled[i]);
            }
            if let Some(parent) = link.parent {
                forces[parent] += force.force_from(&placement.offsets[index]);
            }
        }
    }

    /// Coordinates z of a force on a joint or on a link, in which the response is the identity: the velocity at b that a unit impulse at a causes,
    /// `J_b` (H + D)⁻¹ `J_a`ᵀ, is the scalar product of the coordinates of both. Those of joints that are no ancestors stay zero.
    ///
    /// \[Jain91\], the innovations factor of the inverse mass matrix: O(depth).
    ///
    /// # Panics
    /// When `z` is not zero and as long as there are freedoms, or the place is not of the multibody.
    pub fn coordinates(
        &self,
        (multibody, placement): (&Multibody, &Placement),
        unit: &UnitForce,
        z: &mut [f64],
    ) {
        let (mut link, mut force) = match *unit {
            UnitForce::Wrench(link, wrench) => (Some(link), wrench),
            UnitForce::Joint(freedom) => {
                z[freedom] = 1.0;
                (Some(multibody.link_of(freedom)), SpatialVector::ZERO)
            }
        };
        while let Some(index) = link {
            let freedoms = multibody.freedoms_of(index);
            for at in freedoms.clone() {
                z[at] += placement.subspaces[at].dot(&force);
            }
            if freedoms.len() == 1 {
                let at = freedoms.start;
                force -= self.products[at] * (self.pivots[at] * z[at]);
                z[at] *= self.pivots[at].sqrt();
            } else if let Ok(found) = self.blocks.binary_search_by(|(own, ..)| index.cmp(own)) {
                let (_, block, lower) = &self.blocks[found];
                let mut rest = Vector6::zeros();
                freedoms.clone().enumerate().for_each(|(i, at)| rest[i] = z[at]);
                let scaled = block * rest;
                let root = lower.solve_lower_triangular(&rest).unwrap_or_default();
                for (i, at) in freedoms.enumerate() {
                    force -= self.products[at] * scaled[i];
                    z[at] = root[i];
                }
            }
            force = force.force_from(&placement.offsets[index]);
            link = multibody.links()[index].parent;
        }
    }

    /// The first coordinate that moves no mass, if any.
    #[must_use]
    pub fn massless(&self, multibody: &Multibody) -> Option<usize> {
        let single = |&at: &usize| self.pivots[at] <= 0.0;
        let links = 0..multibody.links().len();
        links
            .map(|link| multibody.freedoms_of(link))
            .filter(|of| of.len() == 1)
            .map(|of| of.start)
            .find(single)
    }
}
