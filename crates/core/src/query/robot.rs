//! Robots in configurations.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use nalgebra::{DMatrix, DVector, Isometry3, Point3, Vector3};

use super::error::QueryError;
use super::posed::{Part, Posed, check_pose};
use super::shape::Shape;
use crate::kinematics::urdf::{self, Inertial, UrdfOptions};
use crate::kinematics::{Articulation, Closure, NamedConfiguration, named_joints, read_robot};
use crate::multibody::{RobotDynamics, RobotMotion};

/// A robot: links and joints, and the shape of each link.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use extricate_core::query::{self, Posed, Robot, Shape};
/// use nalgebra::Isometry3;
///
/// let arm = Robot::load("assets/robots/arm.urdf")?;
/// let ground = Shape::half_space();
/// let posed = arm.at(&vec![0.0; arm.degrees_of_freedom()])?;
/// let below = Posed::new(&ground, Isometry3::translation(0.0, 0.0, -5.0));
/// let nearest = query::distance(&posed, &below, &Default::default())?;
/// assert!(nearest.value > 0.0 && posed.name(nearest.parts[0]).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Robot {
    name: String,
    articulation: Articulation,
    shapes: Vec<Option<Shape>>,
    surroundings: Vec<usize>,
    exempt: Vec<[String; 2]>,
    closures: Vec<Closure>,
    configurations: Vec<NamedConfiguration>,
    inertials: Vec<Option<Inertial>>,
    /// Determined when it is asked for.
    dynamics: OnceLock<RobotDynamics>,
}

impl Robot {
    /// Reads a URDF or MJCF file with its collision shapes; links are solids where their meshes are closed.
    ///
    /// # Errors
    /// [`QueryError::RobotFile`] when the file is not read, [`QueryError::NoShape`] when no link has a shape.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, QueryError> {
        Self::of_file(read_robot(path, &UrdfOptions::default())?)
    }

    /// The robot of a file that has been read.
    ///
    /// # Errors
    /// [`QueryError::NoShape`] when no link has a shape.
    pub fn of_file(robot: urdf::Robot) -> Result<Self, QueryError> {
        let shapes: Vec<_> = robot.meshes.into_iter().map(|mesh| mesh.map(Shape::mesh)).collect();
        if shapes.iter().all(Option::is_none) {
            return Err(QueryError::NoShape { robot: robot.name });
        }
        let urdf::Robot {
            name, articulation, surroundings, exempt, closures, configurations, inertials, ..
        } = robot;
        let dynamics = OnceLock::new();
        Ok(Self {
            name,
            articulation,
            shapes,
            surroundings,
            exempt,
            closures,
            configurations,
            inertials,
            dynamics,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its links and joints.
    #[must_use]
    pub fn articulation(&self) -> &Articulation {
        &self.articulation
    }

    /// The shape of each link in its frame; `None` for a link without one.
    #[must_use]
    pub fn shapes(&self) -> &[Option<Shape>] {
        &self.shapes
    }

    /// Links that are the world around it, as `world` of MJCF.
    #[must_use]
    pub fn surroundings(&self) -> &[usize] {
        &self.surroundings
    }

    /// Loops that its file closes between links, which repairs keep.
    #[must_use]
    pub fn closures(&self) -> &[Closure] {
        &self.closures
    }

    /// Mass \[kg\] and centre of mass \[m, link frame\] of each link; `None` where the file states none.
    #[must_use]
    pub fn masses(&self) -> Vec<Option<(f64, Point3<f64>)>> {
        self.inertials.iter().map(|own| own.map(|own| (own.mass, own.center))).collect()
    }

    /// Pairs of links that its file exempts from collision.
    #[must_use]
    pub fn exempt(&self) -> &[[String; 2]] {
        &self.exempt
    }

    /// Number of generalized coordinates: independent joints.
    #[must_use]
    pub fn degrees_of_freedom(&self) -> usize {
        self.articulation.coordinates().len()
    }

    /// A configuration from joint values by name [rad or m]; joints without a value are at zero.
    ///
    /// # Errors
    /// [`QueryError::Configuration`] when a joint does not exist or mimics another one, or a value is not finite.
    pub fn configuration(&self, joints: &BTreeMap<String, f64>) -> Result<Vec<f64>, QueryError> {
        Ok(self.articulation.configuration(joints)?)
    }

    /// A configuration that its file names, such as a keyframe of MJCF [rad or m]; joints without a value are at rest.
    ///
    /// # Errors
    /// [`QueryError::Configuration`] when there is none of this name.
    pub fn named_configuration(&self, name: &str) -> Result<Vec<f64>, QueryError> {
        self.configuration(named_joints(&self.configurations, name)?)
    }

    /// The links in a configuration [rad or m], the root at the origin.
    ///
    /// # Errors
    /// [`QueryError::Configuration`] when the configuration is not one of this robot.
    pub fn at(&self, configuration: &[f64]) -> Result<Posed<'_>, QueryError> {
        self.at_base(configuration, &Isometry3::identity())
    }

    /// The links in a configuration [rad or m] with the root at `base`, body to world.
    ///
    /// # Errors
    /// [`QueryError::Configuration`] when the configuration is not one of this robot; [`QueryError::PoseNotFinite`].
    pub fn at_base(&self, configuration: &[f64], base: &Isometry3<f64>) -> Result<Posed<'_>, QueryError> {
        check_pose(base, "the robot")?;
        let poses = self.articulation.link_poses(configuration, base)?;
        let links = self.articulation.links().iter().zip(&self.shapes).zip(poses);
        let parts = links.filter_map(|((name, shape), pose)| {
            Some(Part { name: Some(name.as_str()), shape: shape.as_ref()?, pose })
        });
        Posed::of_parts(parts).ok_or_else(|| QueryError::NoShape { robot: self.name.clone() })
    }

    /// Dynamics of its links on a fixed base, with the masses that its file states. A link with a shape and without a stated mass is
    /// filled with water, as in scenes; one without a shape has no mass.
    #[must_use]
    pub fn dynamics(&self) -> &RobotDynamics {
        self.dynamics.get_or_init(|| {
            let links = self.inertials.iter().zip(&self.shapes);
            let masses = links.map(|(stated, shape)| {
                let model = shape.as_ref().and_then(Shape::model);
                let filled = || {
                    model.and_then(|model| Inertial::filled(model.mesh(), model.solidity(), Inertial::WATER))
                };
                stated.or_else(filled)
            });
            RobotDynamics::new(&self.articulation, &masses.collect::<Vec<_>>())
        })
    }

    /// Mass matrix H in a configuration [rad or m]: kinetic energy = ½ vᵀ H v \[J\]. Joints that mimic others are part of the
    /// coordinates that they follow. By composite rigid bodies [Featherstone08 §6.2].
    ///
    /// ```
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    /// use extricate_core::query::Robot;
    /// use nalgebra::Vector3;
    ///
    /// let arm = Robot::load("assets/robots/arm.urdf")?;
    /// let (q, rest) = (vec![0.1; arm.degrees_of_freedom()], vec![0.0; arm.degrees_of_freedom()]);
    /// let gravity = Vector3::new(0.0, 0.0, -9.81);
    /// // The forces that hold the arm, and the acceleration when they do.
    /// let holding = arm.inverse_dynamics([&q, &rest, &rest], &gravity)?;
    /// let still = arm.forward_dynamics([&q, &rest, holding.as_slice()], &gravity)?;
    /// assert!(still.amax() < 1e-9);
    /// // Without gravity a force accelerates by the inverse of the mass matrix.
    /// let pushed = arm.forward_dynamics([&q, &rest, holding.as_slice()], &Vector3::zeros())?;
    /// assert!((arm.mass_matrix(&q)? * pushed - &holding).amax() < 1e-9 * holding.amax());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Configuration`] when the configuration is not one of this robot.
    pub fn mass_matrix(&self, configuration: &[f64]) -> Result<DMatrix<f64>, QueryError> {
        Ok(self.dynamics().mass_matrix(configuration)?)
    }

    /// Forces of the joints [N·m or N] in a motion, given as configuration, velocities and accelerations, under gravity [m/s²,
    /// root's frame]: those that hold the robot at zero velocities and accelerations, the bias forces at zero
    /// accelerations. By the recursive Newton–Euler algorithm [Featherstone08 §5.3].
    ///
    /// # Errors
    /// [`QueryError::Configuration`] when one of the three has the wrong length or a number that is not finite.
    pub fn inverse_dynamics(
        &self,
        [configuration, velocities, accelerations]: [&[f64]; 3],
        gravity: &Vector3<f64>,
    ) -> Result<DVector<f64>, QueryError> {
        Ok(self.dynamics().inverse_dynamics(
            RobotMotion { configuration, velocities },
            accelerations,
            gravity,
        )?)
    }

    /// Accelerations of the joints [rad/s² or m/s²], given configuration, velocities and forces of the joints [N·m or N], under
    /// gravity [m/s², root's frame]. By articulated bodies [Featherstone08 §7.3], in time proportional to the number of
    /// links; with joints that mimic others, by the mass matrix.
    ///
    /// # Errors
    /// As [`Self::inverse_dynamics`], and when a coordinate moves no mass.
    pub fn forward_dynamics(
        &self,
        [configuration, velocities, forces]: [&[f64]; 3],
        gravity: &Vector3<f64>,
    ) -> Result<DVector<f64>, QueryError> {
        Ok(self.dynamics().forward_dynamics(RobotMotion { configuration, velocities }, forces, gravity)?)
    }
}
