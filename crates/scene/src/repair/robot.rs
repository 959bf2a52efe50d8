//! A robot among obstacles: its allowed collisions, norm and poses.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3};

use super::ensemble::in_search;
use super::proxy_geometry::with_triangles;
use super::{Actor, Ensemble, Freedom, NamedObstacle, RepairError};
use extricate_core::geometry::Solidity;
use extricate_core::kinematics::{
    Articulation, Closure, ClosureKind, Joint, JointKind, NamedConfiguration, named_joints, urdf,
};
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::generalized::{
    Base, ConstraintEnd, ConstraintFrame, Lock, MovableModel, Pose, PoseConstraint, Shape,
};
use extricate_core::penetration::object_norm::{Extent, Measure, ObjectNorm};
use extricate_core::proximity::{AllowedCollisions, AllowedReason, ArticulatedModel, Model, Sampling};

/// Properties of a robot that its file does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotOptions {
    /// Base: fixed or floating.
    pub base: Base,
    /// Pairs of links that may collide, on top of those that are derived.
    pub allow: Vec<[String; 2]>,
    /// Pairs of links that may not collide, whatever is derived.
    pub forbid: Vec<[String; 2]>,
}

impl Default for RobotOptions {
    fn default() -> Self {
        Self { base: Base::Fixed, allow: Vec::new(), forbid: Vec::new() }
    }
}

/// Two links that may collide, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedLinks {
    /// Their names.
    pub links: [String; 2],
    /// The reason.
    pub because: AllowedReason,
}

/// An object that moves with a link of a robot.
#[derive(Debug, Clone)]
pub struct AttachedObject {
    /// The link.
    pub link: String,
    /// Name of the object, different from those of all links.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Its pose, object to link.
    pub pose: Isometry3<f64>,
}

/// Density \[kg/m³\] of attached objects: that of bodies of a scene that state none.
const DENSITY: f64 = 1000.0;

/// A robot, preprocessed to be placed among obstacles.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use std::collections::BTreeMap;
///
/// use extricate_core::kinematics::urdf::{UrdfOptions, read_urdf};
/// use extricate_core::penetration::generalized::{Obstacle, Shape};
/// use extricate_core::geometry::convex::ConvexShape;
/// use extricate_scene::repair::{Freedom, NamedObstacle, RepairOptions, Robot, RobotOptions};
/// use nalgebra::Isometry3;
///
/// let arm = Robot::new(read_urdf("assets/robots/arm.urdf", &UrdfOptions::default())?, &RobotOptions::default())?;
/// let bent = BTreeMap::from([("shoulder".into(), 1.2), ("elbow".into(), 0.3)]);
/// let pose = arm.pose(&bent, Isometry3::identity())?;
/// // A ball around where the hand is.
/// let hand = arm.model().articulation().link("hand").expect("the arm has a hand");
/// let at = arm.model().articulation().link_poses(&pose.joints, &pose.base)?[hand];
/// let ball = Obstacle { shape: Shape::convex(ConvexShape::sphere(0.05)), pose: at };
/// let ensemble = arm.among(vec![NamedObstacle { name: "ball".into(), obstacle: ball }], &Freedom::default())?;
/// let repair = ensemble.repair(&[pose], &RepairOptions::default())?.expect("the hand is in the ball");
/// assert!(repair.verified_free && repair.limits_kept && !repair.changes.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Robot {
    name: String,
    model: ArticulatedModel,
    allowed: Vec<AllowedLinks>,
    collisions: AllowedCollisions,
    base: Base,
    configurations: Vec<NamedConfiguration>,
    closures: Vec<Closure>,
    masses: Vec<Option<(f64, Point3<f64>)>>,
    /// The exact shapes of attached objects, by link.
    attached: Vec<(usize, Shape)>,
}

impl Robot {
    /// The robot of a file: links are solids where their meshes are closed. Neighbours may collide, and so may pairs that the
    /// file exempts, and those that
    /// collide at rest (all joints at zero, or at the limit nearest to it) and in each of many seeded configurations.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`] when a link that may or may not collide does not exist.
    pub fn new(robot: urdf::Robot, options: &RobotOptions) -> Result<Self, RepairError> {
        let allow = options.allow.iter().chain(&robot.exempt).cloned().collect();
        let options = RobotOptions { allow, ..options.clone() };
        let model = |mesh| {
            let solidity = Solidity::of(&mesh);
            Model::new(mesh, solidity)
        };
        let masses = robot.masses();
        let models = robot.meshes.into_iter().map(|mesh| mesh.map(model)).collect();
        let model =
            ArticulatedModel::of_models(robot.articulation, models).with_surroundings(robot.surroundings);
        Ok(Self {
            name: robot.name,
            configurations: robot.configurations,
            closures: robot.closures,
            masses,
            ..Self::of_model(model, &options)?
        })
    }

    /// The robot of an articulated model; as [`Robot::new`] for the rest.
    ///
    /// # Errors
    /// As [`Robot::new`].
    pub fn of_model(model: ArticulatedModel, options: &RobotOptions) -> Result<Self, RepairError> {
        let link = |name: &String| {
            model.articulation().link(name).ok_or_else(|| RepairError::UnknownName {
                what: "link",
                name: name.clone(),
                known: model.articulation().links().to_vec(),
            })
        };
        let pairs = |names: &[[String; 2]]| {
            names
                .iter()
                .map(|[a, b]| Ok([link(a)?, link(b)?]))
                .collect::<Result<Vec<[usize; 2]>, RepairError>>()
        };
        let (given, forbidden) = (pairs(&options.allow)?, pairs(&options.forbid)?);
        let at_rest = at_rest(model.articulation());
        let derived = model.derive_allowed(&at_rest, &given, Sampling::default())?;
        let mut allowed = derived.allowed;
        // Forbidden pairs take precedence over given and derived ones.
        allowed.retain(|(pair, _)| !forbidden.iter().any(|&[a, b]| *pair == [a, b] || *pair == [b, a]));
        let mut collisions = AllowedCollisions::default();
        allowed.iter().for_each(|([a, b], _)| collisions.allow(*a, *b));
        let named = |(pair, because): ([usize; 2], AllowedReason)| AllowedLinks {
            links: pair.map(|link| model.articulation().links()[link].clone()),
            because,
        };
        let allowed = allowed.into_iter().map(named).collect();
        Ok(Self {
            name: String::new(),
            model,
            allowed,
            collisions,
            base: options.base,
            configurations: Vec::new(),
            closures: Vec::new(),
            masses: Vec::new(),
            attached: Vec::new(),
        })
    }

    /// The robot with loops between its links, which repairs keep.
    #[must_use]
    pub fn closed_by(self, closures: &[Closure]) -> Self {
        Self { closures: closures.to_vec(), ..self }
    }

    /// The robot with masses of its links \[kg\] and their centres \[m, link frame\], which
    /// [`Keep`](super::Keep) of the centre of mass weighs them by.
    #[must_use]
    pub fn weighing(self, masses: Vec<Option<(f64, Point3<f64>)>>) -> Self {
        Self { masses, ..self }
    }

    /// The robot with an object that moves with a link, and is part of its shape in all queries. The object may touch the link, those that
    /// are fixed to it, and those that it carries, as the fingers of a hand do. Where links have masses, it has that of a density of
    /// 1000 kg/m³.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`] when there is no such link, [`RepairError::Norm`] when the object has no volume, and
    /// [`RepairError::Articulation`] when its name is that of a link.
    pub fn attach(mut self, object: &AttachedObject) -> Result<Self, RepairError> {
        let AttachedObject { link, name, shape, pose } = object;
        let before = self.model.articulation();
        let holder = before.link(link).ok_or_else(|| RepairError::UnknownName {
            what: "link",
            name: link.clone(),
            known: before.links().to_vec(),
        })?;
        let own = before.links().len();
        for other in touched(before, holder) {
            self.collisions.allow(other, own);
            let links = [before.links()[other].clone(), name.clone()];
            self.allowed.push(AllowedLinks { links, because: AllowedReason::Given });
        }
        let links = before.links().iter().cloned().chain([name.clone()]).collect();
        let tie = Joint::new(&format!("attachment of {name}"), link, name, JointKind::Fixed).at(*pose);
        let joints = before.joints().iter().cloned().chain([tie]).collect();
        let articulation = Articulation::new(links, joints)?;
        let solid = with_triangles(shape);
        let model = solid.model().cloned();
        let refused = |source| RepairError::Norm { name: name.clone(), source };
        let model = model.ok_or_else(|| refused(PenetrationError::Unbounded))?;
        if self.masses.iter().any(Option::is_some) {
            let extent = Extent::of_mesh(model.mesh(), model.solidity()).map_err(refused)?;
            self.masses.push(Some((DENSITY * extent.measure(), extent.centroid())));
        }
        let models = (0..own).map(|link| self.model.model(link).cloned()).chain([Some(model)]).collect();
        let surroundings = self.model.surroundings().to_vec();
        self.model = ArticulatedModel::of_models(articulation, models).with_surroundings(surroundings);
        self.attached.push((own, shape.clone()));
        Ok(self)
    }

    /// Its name in its file; empty where there is none.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Articulation with the models of the links.
    #[must_use]
    pub fn model(&self) -> &ArticulatedModel {
        &self.model
    }

    /// The pairs of links that may collide, with the reasons.
    #[must_use]
    pub fn allowed(&self) -> &[AllowedLinks] {
        &self.allowed
    }

    /// The joint values of a named configuration of its file.
    ///
    /// # Errors
    /// [`RepairError::Articulation`] when there is none of this name.
    pub fn named_joints(&self, name: &str) -> Result<&BTreeMap<String, f64>, RepairError> {
        Ok(named_joints(&self.configurations, name)?)
    }

    /// Its pose with joints at these values by name [rad or m], those that are not named at zero, and its root at `base`.
    ///
    /// # Errors
    /// [`RepairError::Articulation`] when a joint does not exist or moves with another one, or a value is not finite.
    pub fn pose(&self, joints: &BTreeMap<String, f64>, base: Isometry3<f64>) -> Result<Pose, RepairError> {
        Ok(Pose { base, joints: self.model.articulation().configuration(joints)? })
    }

    /// The robot alone among obstacles: its links and joints keep their names, its base is `base`.
    ///
    /// # Errors
    /// [`RepairError::Norm`], with the name of a link that has no volume, and as [`Ensemble::new`].
    pub fn among(self, obstacles: Vec<NamedObstacle>, freedom: &Freedom) -> Result<Ensemble, RepairError> {
        let articulation = self.model.articulation().clone();
        let closures = self.closures.clone();
        let movable = self.movable()?;
        let actor = Actor { prefix: String::new(), base: "base".to_owned(), movable };
        let mut ensemble = Ensemble::new(vec![actor], obstacles, freedom)?;
        closures.iter().try_for_each(|closure| ensemble.constrain(constraint_of(closure, &articulation)))?;
        Ok(ensemble)
    }

    /// Measure of its motion: volume, or area where a link is a surface without one.
    ///
    /// # Errors
    /// [`RepairError::Norm`], with the name of a link that has neither.
    pub fn measure(&self) -> Result<Measure, RepairError> {
        Ok(norm_of(&self.model)?.kind())
    }

    fn movable(self) -> Result<MovableModel, RepairError> {
        let norm = norm_of(&self.model)?;
        let links = 0..self.model.articulation().links().len();
        let mut shapes: Vec<_> =
            links.map(|link| self.model.model(link).cloned().map(Shape::of_model)).collect();
        self.attached.into_iter().for_each(|(link, shape)| shapes[link] = Some(shape));
        Ok(MovableModel::with_norm(norm, shapes, self.collisions, self.base).with_masses(self.masses))
    }
}

/// The links that an object on a link may touch: the link, those that are rigidly connected to it, and those that it carries.
pub(super) fn touched(articulation: &Articulation, holder: usize) -> Vec<usize> {
    let part = |link: usize| {
        let is_fixed = |link: &usize| {
            let joint = articulation.parent_joint(*link);
            joint.is_some_and(|joint| articulation.joints()[joint].kind == JointKind::Fixed)
        };
        let mut top = link;
        while let Some(parent) = articulation.parent(top).filter(|_| is_fixed(&top)) {
            top = parent;
        }
        top
    };
    let ancestors = |link: usize| std::iter::successors(Some(link), |&link| articulation.parent(link));
    let is_touched =
        |&link: &usize| part(link) == part(holder) || ancestors(link).any(|above| above == holder);
    (0..articulation.links().len()).filter(is_touched).collect()
}

/// The constraint of a closure of the only actor; its links are those of the articulation.
fn constraint_of(closure: &Closure, articulation: &Articulation) -> PoseConstraint {
    let frame = |side: usize| {
        // An unknown link has no number, which the collision world refuses.
        let link = articulation.link(&closure.links[side]).unwrap_or(usize::MAX);
        ConstraintFrame { end: ConstraintEnd::Link { movable: 0, link }, frame: closure.frames[side] }
    };
    PoseConstraint::closure(&closure.name, [frame(0), frame(1)], lock_of(closure.kind))
}

/// The directions that a loop locks.
pub(super) fn lock_of(kind: ClosureKind) -> Lock {
    match kind {
        ClosureKind::Point => Lock::SPHERICAL,
        ClosureKind::Weld => Lock::FIXED,
    }
}

/// Object norm of a model by volume; by area where a link is a surface, which has none.
pub(super) fn norm_of(model: &ArticulatedModel) -> Result<ObjectNorm, RepairError> {
    let in_words = |error: PenetrationError| in_search(error.into());
    match ObjectNorm::of_model(model) {
        // Volumes and areas have no sum: with one open link, all links are measured by area.
        Err(PenetrationError::MixedMeasures { .. }) => {
            let mut extents = vec![None; model.articulation().links().len()];
            for (link, own) in model.measured() {
                extents[link] = Some(Extent::of_mesh(own.mesh(), Solidity::Surface).map_err(in_words)?);
            }
            ObjectNorm::new(model.articulation(), extents).map_err(in_words)
        }
        norm => norm.map_err(in_words),
    }
}

/// The configuration with all joints at rest, which is zero but for `ref` of MJCF, or at the limit nearest to it.
#[must_use]
pub fn at_rest(articulation: &Articulation) -> Vec<f64> {
    let joints = articulation.joints();
    let value = |&joint: &usize| joints[joint].rest_within_limits();
    articulation.coordinates().iter().map(value).collect()
}
