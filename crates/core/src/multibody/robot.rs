//! Dynamics of a robot in the coordinates of its articulation.
//!
//! Links that fixed joints connect are one. A joint that mimics another has a coordinate of its own in the tree; with
//! v = G v' for the velocities v' of the articulation, its mass matrix is Gᵀ H G and its forces are Gᵀ τ.

use nalgebra::{DMatrix, DVector, Isometry3, Matrix3, Vector3};

use super::factor::{Factor, SolveBuffer};
use super::inverse::Recursion;
use super::joint::JointModel;
use super::model::{LinkModel, Multibody};
use super::placement::Placement;
use crate::kinematics::urdf::Inertial;
use crate::kinematics::{Articulation, JointKind, RobotError};

/// Configuration and velocities of a robot, in the order of [`Articulation::coordinates`].
#[derive(Debug, Clone, Copy)]
pub struct RobotMotion<'a> {
    /// Configuration [rad or m].
    pub configuration: &'a [f64],
    /// Velocities [rad/s or m/s].
    pub velocities: &'a [f64],
}

/// Dynamics of a robot on a fixed base, whose frame is the world's.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotDynamics {
    multibody: Multibody,
    /// Of each freedom of the multibody: joint, index in the configuration, factor, offset.
    dependences: Vec<(usize, usize, f64, f64)>,
    names: Vec<String>,
    coordinates: usize,
}

/// A link of an articulation as part of a link of the multibody, or of the base.
#[derive(Debug, Clone, Copy)]
struct Member {
    link: Option<usize>,
    to_link: Isometry3<f64>,
}

impl RobotDynamics {
    /// Dynamics of an articulation whose links have these masses; a link without one has no mass.
    ///
    /// # Panics
    /// When there are fewer masses than links.
    #[must_use]
    pub fn new(articulation: &Articulation, inertials: &[Option<Inertial>]) -> Self {
        let mut links: Vec<(LinkModel, Option<Inertial>)> = Vec::new();
        let base = Member { link: None, to_link: Isometry3::identity() };
        let mut members = vec![base; articulation.links().len()];
        let mut dependences = Vec::new();
        for &link in articulation.parents_first() {
            if let (Some(index), Some(parent)) = (articulation.parent_joint(link), articulation.parent(link))
            {
                let joint = &articulation.joints()[index];
                let Member { link: parent, to_link } = members[parent];
                let origin = to_link * joint.origin;
                let model = match joint.kind {
                    JointKind::Fixed => None,
                    JointKind::Revolute { axis } => Some(JointModel::Revolute { axis }),
                    JointKind::Prismatic { axis } => Some(JointModel::Prismatic { axis }),
                };
                members[link] = match (model, articulation.dependence(index)) {
                    (Some(model), Some((coordinate, factor, offset))) => {
                        dependences.push((index, coordinate, factor, offset));
                        links.push((massless(parent, origin, model), None));
                        Member { link: Some(links.len() - 1), to_link: Isometry3::identity() }
                    }
                    _ => Member { link: parent, to_link: origin },
                };
            }
            if let (Member { link: Some(owner), to_link }, Some(own)) = (members[link], &inertials[link]) {
                let moved = own.transformed(&to_link);
                let sum = links[owner].1.map_or(moved, |sum| sum.joined(&moved));
                links[owner].1 = Some(sum);
            }
        }
        let mut multibody = Multibody::new();
        for (link, own) in links {
            let own = own.map(|own| LinkModel {
                mass: own.mass,
                center: own.center.coords,
                inertia: own.inertia,
                ..link.clone()
            });
            multibody.add(own.unwrap_or(link));
        }
        let names = articulation.joints().iter().map(|joint| joint.name.clone()).collect();
        Self { multibody, dependences, names, coordinates: articulation.coordinates().len() }
    }

    /// The tree, with a coordinate for each joint that is not fixed.
    #[must_use]
    pub fn multibody(&self) -> &Multibody {
        &self.multibody
    }

    /// Mass matrix in a configuration, [kg·m²], [kg·m] or \[kg\].
    ///
    /// # Errors
    /// [`RobotError::Length`] and [`RobotError::NotFinite`] when the configuration is not one of this robot.
    pub fn mass_matrix(&self, configuration: &[f64]) -> Result<DMatrix<f64>, RobotError> {
        let placement = self.placed(configuration)?;
        Ok(self.reduced(&self.multibody.mass_matrix(&placement)))
    }

    /// Forces of the joints [N·m or N] in a motion with accelerations [rad/s² or m/s²], under gravity [m/s², frame of the
    /// base]: H v̇ + c. At zero velocity and acceleration they are those that hold the robot.
    ///
    /// # Errors
    /// As [`Self::mass_matrix`].
    pub fn inverse_dynamics(
        &self,
        motion: RobotMotion<'_>,
        accelerations: &[f64],
        gravity: &Vector3<f64>,
    ) -> Result<DVector<f64>, RobotError> {
        let placement = self.placed(motion.configuration)?;
        self.check(motion.velocities)?;
        self.check(accelerations)?;
        let [v, a] = [motion.velocities, accelerations].map(|rates| self.expanded(rates));
        let mut forces = vec![0.0; self.dependences.len()];
        let mut recursion = Recursion::default();
        self.multibody.inverse_dynamics(&placement, [&v, &a], (gravity, &[]), &mut recursion, &mut forces);
        Ok(self.collected(&forces))
    }

    /// Accelerations of the joints [rad/s² or m/s²] under forces of theirs [N·m or N] and gravity [m/s², frame of the base].
    ///
    /// # Errors
    /// As [`Self::mass_matrix`]; [`RobotError::Massless`] when a coordinate moves no mass.
    pub fn forward_dynamics(
        &self,
        motion: RobotMotion<'_>,
        forces: &[f64],
        gravity: &Vector3<f64>,
    ) -> Result<DVector<f64>, RobotError> {
        self.check(forces)?;
        if self.coordinates < self.dependences.len() {
            let bias = self.inverse_dynamics(motion, &vec![0.0; self.coordinates], gravity)?;
            let mass = self.mass_matrix(motion.configuration)?.cholesky();
            let mass = mass.ok_or_else(|| self.massless(0))?;
            return Ok(mass.solve(&(DVector::from_column_slice(forces) - bias)));
        }
        let placement = self.placed(motion.configuration)?;
        self.check(motion.velocities)?;
        let (v, joint) = (self.expanded(motion.velocities), self.in_tree(forces));
        let mut factor = Factor::default();
        factor.update(&self.multibody, &placement, &vec![0.0; v.len()]);
        if let Some(at) = factor.massless(&self.multibody) {
            return Err(self.massless(at));
        }
        let mut accelerations = vec![0.0; v.len()];
        factor.forward_dynamics(
            (&self.multibody, &placement),
            (&v, &mut Recursion::default()),
            (&joint, &[]),
            (gravity, &mut SolveBuffer::default()),
            &mut accelerations,
        );
        Ok(self.collected(&accelerations))
    }

    fn massless(&self, freedom: usize) -> RobotError {
        let joint = self.dependences.get(freedom).map_or_else(String::new, |of| self.names[of.0].clone());
        RobotError::Massless { joint }
    }

    fn check(&self, numbers: &[f64]) -> Result<(), RobotError> {
        if numbers.len() != self.coordinates {
            return Err(RobotError::Length { given: numbers.len(), expected: self.coordinates });
        }
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(at) => {
                let of = self.dependences.iter().find(|(_, coordinate, ..)| *coordinate == at);
                Err(RobotError::NotFinite {
                    joint: of.map_or_else(String::new, |of| self.names[of.0].clone()),
                })
            }
            None => Ok(()),
        }
    }

    fn placed(&self, configuration: &[f64]) -> Result<Placement, RobotError> {
        self.check(configuration)?;
        let value =
            |&(_, index, factor, offset): &(usize, usize, f64, f64)| factor * configuration[index] + offset;
        let q: Vec<f64> = self.dependences.iter().map(value).collect();
        let mut placement = Placement::default();
        self.multibody.place(&Isometry3::identity(), &q, &mut placement);
        Ok(placement)
    }

    /// G v'.
    fn expanded(&self, rates: &[f64]) -> Vec<f64> {
        self.dependences.iter().map(|&(_, index, factor, _)| factor * rates[index]).collect()
    }

    /// Numbers of the coordinates in the order of the tree, without mimicking joints.
    fn in_tree(&self, numbers: &[f64]) -> Vec<f64> {
        self.dependences.iter().map(|&(_, index, ..)| numbers[index]).collect()
    }

    /// Gᵀ τ; without mimicking joints a permutation.
    fn collected(&self, numbers: &[f64]) -> DVector<f64> {
        let mut collected = DVector::zeros(self.coordinates);
        for (&(_, index, factor, _), number) in self.dependences.iter().zip(numbers) {
            collected[index] += factor * number;
        }
        collected
    }

    /// Gᵀ H G.
    fn reduced(&self, whole: &DMatrix<f64>) -> DMatrix<f64> {
        let mut reduced = DMatrix::zeros(self.coordinates, self.coordinates);
        for (i, &(_, row, left, _)) in self.dependences.iter().enumerate() {
            for (j, &(_, column, right, _)) in self.dependences.iter().enumerate() {
                reduced[(row, column)] += left * right * whole[(i, j)];
            }
        }
        reduced
    }
}

fn massless(parent: Option<usize>, origin: Isometry3<f64>, joint: JointModel) -> LinkModel {
    let (center, inertia) = (Vector3::zeros(), Matrix3::zeros());
    LinkModel { parent, origin, joint, mass: 0.0, center, inertia, armature: 0.0 }
}
