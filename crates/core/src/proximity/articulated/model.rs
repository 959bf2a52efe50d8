//! Articulated models: kinematic trees with a collision model for each link.

use nalgebra::Isometry3;

use super::link_pairs::AllowedCollisions;
use crate::geometry::triangle_mesh::{Solidity, TriangleMesh};
use crate::kinematics::articulation::tree::Articulation;
use crate::kinematics::error::RobotError;
use crate::kinematics::urdf::Robot;
use crate::parallel;
use crate::proximity::collision::collide;
use crate::proximity::model::Model;

/// Articulation with a collision model for every link that has a shape.
#[derive(Debug, Clone)]
pub struct ArticulatedModel {
    pub(super) articulation: Articulation,
    pub(super) models: Vec<Option<Model>>,
    surroundings: Vec<usize>,
}

impl ArticulatedModel {
    /// Builds the model from the mesh of each link in the link frame \[m\], all of them solids or all of them surfaces.
    ///
    /// ```
    /// use extricate_core::geometry::Solidity;
    /// use extricate_core::geometry::procedural::{Cuboid, Procedural};
    /// use extricate_core::kinematics::{Articulation, Joint, JointKind};
    /// use extricate_core::proximity::{AllowedCollisions, ArticulatedModel};
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// // Three bars in a chain, hinged at their ends: folded up, the last one lies on the first.
    /// let bar = Cuboid { x: 1.0, y: 0.1, z: 0.1, ..Cuboid::default() }.mesh()?;
    /// let bar = bar.transformed(&Isometry3::translation(0.5, 0.0, 0.0));
    /// let hinge = |name: &str, parent: &str, child: &str| {
    ///     Joint::new(name, parent, child, JointKind::Revolute { axis: Vector3::z() })
    ///         .at(Isometry3::translation(1.0, 0.0, 0.0))
    /// };
    /// let links = ["a", "b", "c"].map(String::from).to_vec();
    /// let chain = Articulation::new(links, vec![hinge("ab", "a", "b"), hinge("bc", "b", "c")])?;
    /// let chain = ArticulatedModel::new(chain, vec![Some(bar.clone()), Some(bar.clone()), Some(bar)], Solidity::Solid);
    /// let allowed = AllowedCollisions::adjacent(&chain);
    /// let base = Isometry3::identity();
    /// assert!(chain.self_collisions(&[0.0, 0.0], &base, &allowed)?.is_empty());
    /// assert_eq!(chain.self_collisions(&[2.0, 2.4], &base, &allowed)?, vec![[0, 2]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(articulation: Articulation, meshes: Vec<Option<TriangleMesh>>, solidity: Solidity) -> Self {
        let models = meshes.into_iter().map(|mesh| mesh.map(|mesh| Model::new(mesh, solidity)));
        Self::of_models(articulation, models.collect())
    }

    /// Builds the model from the collision model of each link in the link frame; links beyond the last have none.
    #[must_use]
    pub fn of_models(articulation: Articulation, mut models: Vec<Option<Model>>) -> Self {
        models.resize_with(articulation.links().len(), || None);
        Self { articulation, models, surroundings: Vec::new() }
    }

    /// The model with links that are the world around it rather than parts of it, as `world` of MJCF: they are collided with, but
    /// displacements and tolerances are relative to the others.
    #[must_use]
    pub fn with_surroundings(self, surroundings: Vec<usize>) -> Self {
        Self { surroundings, ..self }
    }

    /// The links that are the world around the model.
    #[must_use]
    pub fn surroundings(&self) -> &[usize] {
        &self.surroundings
    }

    /// The links that are measured, with their models: those with a shape that are not the world around, or all with a shape where no
    /// other one has.
    pub fn measured(&self) -> impl Iterator<Item = (usize, &Model)> {
        let shaped =
            || self.models.iter().enumerate().filter_map(|(link, model)| Some((link, model.as_ref()?)));
        let is_all = shaped().all(|(link, _)| self.surroundings.contains(&link));
        shaped().filter(move |(link, _)| is_all || !self.surroundings.contains(link))
    }

    /// Builds the model of a robot read from a file, with solid links.
    #[must_use]
    pub fn of_robot(robot: Robot) -> Self {
        Self::new(robot.articulation, robot.meshes, Solidity::Solid).with_surroundings(robot.surroundings)
    }

    /// The tree of links.
    #[must_use]
    pub fn articulation(&self) -> &Articulation {
        &self.articulation
    }

    /// Collision model of a link in the link frame; `None` for a link without a shape.
    ///
    /// # Panics
    /// When `link` is out of range.
    #[must_use]
    pub fn model(&self, link: usize) -> Option<&Model> {
        self.models[link].as_ref()
    }

    /// Colliding pairs of links at a configuration that are not allowed, the lower index first; sorted.
    ///
    /// # Errors
    /// [`RobotError::Length`] and [`RobotError::NotFinite`] when the configuration is invalid.
    pub fn self_collisions(
        &self,
        configuration: &[f64],
        base: &Isometry3<f64>,
        allowed: &AllowedCollisions,
    ) -> Result<Vec<[usize; 2]>, RobotError> {
        let poses = self.articulation.link_poses(configuration, base)?;
        let pairs: Vec<_> = self.pairs(allowed).collect();
        Ok(self.colliding(&pairs, &poses))
    }

    /// Those of the pairs of links that collide, given the poses of all links.
    pub(super) fn colliding(&self, pairs: &[[usize; 2]], poses: &[Isometry3<f64>]) -> Vec<[usize; 2]> {
        let collide = parallel::map_slice(pairs, 1, |&pair| self.collide_at(pair, poses));
        pairs.iter().zip(collide).filter_map(|(&pair, collide)| collide.then_some(pair)).collect()
    }

    /// Whether two links collide, given the poses of all links.
    pub(super) fn collide_at(&self, [i, j]: [usize; 2], poses: &[Isometry3<f64>]) -> bool {
        match (&self.models[i], &self.models[j]) {
            (Some(a), Some(b)) => {
                bounding_spheres_overlap([a, b], [&poses[i], &poses[j]])
                    && collide(a, &poses[i], b, &poses[j])
            }
            _ => false,
        }
    }

    /// Pairs of links with shapes that are not allowed to collide.
    pub(super) fn pairs<'a>(
        &'a self,
        allowed: &'a AllowedCollisions,
    ) -> impl Iterator<Item = [usize; 2]> + 'a {
        let shaped = |&link: &usize| self.models[link].is_some();
        let links = 0..self.models.len();
        let pairs = links.clone().filter(shaped).flat_map(move |i| {
            (i + 1..self.models.len()).filter(move |&j| self.models[j].is_some()).map(move |j| [i, j])
        });
        pairs.filter(|&[i, j]| !allowed.contains(i, j))
    }
}

/// Whether the bounding spheres of two models overlap; `true` for NaN.
fn bounding_spheres_overlap([a, b]: [&Model; 2], [pose_a, pose_b]: [&Isometry3<f64>; 2]) -> bool {
    let between = pose_a * a.center() - pose_b * b.center();
    // 1e-12 covers the rounding of the distance; negated, so that NaN leads to the exact test.
    !(between.norm() * (1.0 - 1e-12) > a.radius() + b.radius())
}
