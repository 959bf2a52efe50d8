//! A robot as a tree in generalized coordinates, with the forces within its joints.
//!
//! The spherical joint of a file is a chain of three hinges through one point (`/yaw`, `/pitch`, `/roll`); where nothing
//! acts within them they are one joint on the manifold of rotations, and their values are read from its rotation. A
//! floating root has its frame at its centre of mass, so that free flight is straight for any step.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Matrix3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use rapier3d::dynamics::RigidBodyHandle;

use super::action::Action;
use super::carried::carried_velocities;
use super::closed_rows::{Closed, Closing};
use super::coupling::Coupling;
pub(crate) use super::curve::Drive;
use super::lift::Lift;
use super::limited::{Limited, PASSED};
use super::loops::TreeLoop;
use super::outside::OutsideForces;
use super::parts::Parts;
use crate::description::BodyKind;
use extricate_core::kinematics::{Articulation, Closure, JointKind};
use extricate_core::multibody::factor::SolveBuffer;
use extricate_core::multibody::{
    Factor, JointModel, LinkModel, Multibody, Placement, SpatialVector, UnitForce,
};

/// Cosine of the pitch below which yaw and roll are about the same axis: their rates are not determined.
const LOCKED: f64 = 1e-9;

/// Smallest inertia of a joint over that with the spring and damper within it.
const SMALL: f64 = 1e-12;

/// A link of the tree, with the body that shows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeLink {
    /// Body of the part in rapier's set.
    pub(crate) body: RigidBodyHandle,
    /// Part → link.
    pub(crate) part: Isometry3<f64>,
}

/// Place of a joint's value in the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// A joint of its own.
    Single { q: usize, v: usize, link: usize },
    /// Yaw, pitch or roll (0 to 2) of a spherical joint.
    Angle { q: usize, v: usize, which: usize },
}

/// A tree at the end of a step.
pub(crate) struct TreeEnd {
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    /// Velocities whose h-fold was the displacement.
    pub(crate) mean: Vec<f64>,
    /// Forces that acted within the joints.
    pub(crate) drives: Vec<([usize; 2], Drive)>,
    /// Length of the step \[s\].
    pub(crate) h: f64,
    /// Instants of it, from 0 to 1, at which they were taken, by velocity.
    pub(crate) instants: Vec<f64>,
    /// Impulses of the limits [N·m·s or N·s], with the places of their velocities.
    pub(crate) limits: Vec<(usize, f64)>,
    /// Forces on its links besides those of joints and contacts.
    pub(crate) outside: OutsideForces,
    /// Accelerations of the free motion, where those of the next step may be alike; otherwise none.
    pub(crate) rates: Vec<f64>,
    /// The tree then, where it is known.
    pub(crate) placement: Option<Placement>,
}

/// Displacement of a tree in a step.
#[derive(Debug, Clone, Default)]
struct Displacement {
    /// Coordinates at the start of the step.
    start: Vec<f64>,
    /// Velocities whose h-fold it is.
    mean: Vec<f64>,
    /// h, the length of the step \[s\].
    h: f64,
}

/// A robot as a tree.
pub(crate) struct RobotTree {
    pub(crate) multibody: Multibody,
    pub(crate) base: Isometry3<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) links: Vec<TreeLink>,
    pub(crate) couplings: Vec<Coupling>,
    pub(crate) loops: Vec<TreeLoop>,
    /// Forces that bear the weight of links.
    pub(crate) lifts: Vec<Lift>,
    pub(crate) limited: Vec<Limited>,
    /// Whether soft bodies may touch it in the next step.
    pub(crate) is_beside_soft: bool,
    /// Forces within the joints during the next step, with the places of their coordinates and velocities.
    pub(crate) drives: Vec<([usize; 2], Drive)>,
    /// The links at `q`.
    pub(crate) placement: Placement,
    /// Accelerations of the free motion in the last step, where they are known to be alike in the next one.
    pub(crate) rates: Vec<f64>,
    pub(super) places: Vec<Place>,
    /// That of the last step.
    displacement: Displacement,
    /// Of the mass matrix with what acted within the joints in the last step.
    factor: Factor,
    buffer: SolveBuffer,
    added: Vec<f64>,
}

impl RobotTree {
    /// Tree of the parts of a robot, in its configuration at the start; `handles` are the bodies of the parts.
    pub(super) fn new(parts: &Parts, handles: &[RigidBodyHandle]) -> Self {
        let mut built = Builder::new(parts, handles);
        for &part in parts.articulation.parents_first() {
            built.add(part);
        }
        let (loops, lifts) = (built.loops(), built.lifts());
        let Builder { multibody, links, places, .. } = built;
        let places: Vec<Place> = places.into_values().collect();
        let (q, v) = (multibody.identity(), vec![0.0; multibody.freedoms()]);
        let mut tree = Self {
            base: parts.parts[0].pose,
            drives: Vec::new(),
            couplings: couplings(&parts.articulation, &places),
            loops,
            lifts,
            limited: limited(&parts.articulation, &places),
            is_beside_soft: false,
            q,
            v,
            multibody,
            links,
            placement: Placement::default(),
            rates: Vec::new(),
            places,
            displacement: Displacement::default(),
            factor: Factor::default(),
            buffer: SolveBuffer::default(),
            added: Vec::new(),
        };
        tree.start(parts);
        tree
    }

    fn start(&mut self, parts: &Parts) {
        let (description, articulation) = (&parts.description, &parts.articulation);
        let values =
            articulation.joint_values(&description.configuration).expect("the configuration was checked");
        let rate = |joint: usize| {
            articulation.dependence(joint).map_or(0.0, |(at, factor, _)| factor * description.velocities[at])
        };
        let joints: Vec<[f64; 2]> =
            values.iter().enumerate().map(|(joint, value)| [*value, rate(joint)]).collect();
        let motion = SpatialVector::new(description.angular_velocity, description.linear_velocity);
        let is_floating = parts.parts[0].kind == BodyKind::Dynamic;
        if is_floating {
            self.base = Isometry3::identity();
        }
        self.assign(is_floating.then_some((parts.parts[0].pose, motion)), &joints);
    }

    /// Sets the pose of a floating root part with the velocity of its centre of mass, and the value and speed of each joint.
    pub(super) fn assign(&mut self, root: Option<(Isometry3<f64>, SpatialVector)>, joints: &[[f64; 2]]) {
        if let Some((pose, motion)) = root {
            let root = pose * self.links[0].part.inverse();
            JointModel::Floating.set_transform(&root, &mut self.q[..7]);
            self.v[..3].copy_from_slice(motion.linear.as_slice());
            self.v[3..6].copy_from_slice(motion.angular.as_slice());
        }
        for (joint, place) in self.places.iter().enumerate() {
            match *place {
                Place::Single { q, v, .. } => [self.q[q], self.v[v]] = joints[joint],
                Place::Angle { q, v, which: 0 } => {
                    let chain = self.angles_of(q);
                    let angles = chain.map(|joint| joints[joint][0]);
                    let rotation = UnitQuaternion::from_euler_angles(angles[2], angles[1], angles[0]);
                    self.q[q..q + 4].copy_from_slice(rotation.coords.as_slice());
                    let omega = axes_of(angles) * Vector3::from(chain.map(|joint| joints[joint][1]));
                    self.v[v..v + 3].copy_from_slice(omega.as_slice());
                }
                Place::Angle { .. } => {}
            }
        }
        self.settle();
    }

    /// Velocity of a joint that is no angle of a spherical one.
    pub(super) fn own_velocity(&self, joint: usize) -> Option<usize> {
        match self.places[joint] {
            Place::Single { v, .. } => Some(v),
            Place::Angle { .. } => None,
        }
    }

    /// Joints of yaw, pitch and roll of the spherical joint whose coordinates are at `q`.
    fn angles_of(&self, q: usize) -> [usize; 3] {
        [0, 1, 2].map(|wanted| {
            let is = |place: &Place| matches!(*place, Place::Angle { q: at, which, .. } if at == q && which == wanted);
            self.places.iter().position(is).expect("a spherical joint has three angles")
        })
    }

    /// Places the links in the present configuration.
    pub(crate) fn settle(&mut self) {
        self.multibody.place(&self.base, &self.q, &mut self.placement);
    }

    /// Moves the links to the end of a step: its coordinates and velocities, and the velocities whose `h`-fold was the displacement. `placement` is
    /// that of the coordinates, where it is known.
    pub(super) fn arrive(&mut self, [q, v, mean]: [Vec<f64>; 3], (h, placement): (f64, Option<Placement>)) {
        let start = std::mem::replace(&mut self.q, q);
        self.displacement = Displacement { start, mean, h };
        self.v = v;
        match placement {
            Some(placement) => self.placement = placement,
            None => self.settle(),
        }
    }

    /// Moves the links back for `duration` \[s\], with the momenta that they have: at their present velocities, which keeps the recovery of overlaps, or,
    /// where those lead astray or beyond a limit, along the displacement of the last step.
    pub(super) fn go_back(&mut self, duration: f64) {
        let (from, end) = (self.placement.clone(), self.q.clone());
        self.multibody.advance(&mut self.q, &self.v, -duration);
        self.settle();
        if self.is_astray(&from, duration) || self.is_beyond(&end) {
            let Displacement { start, mean, h } = &self.displacement;
            self.q.clone_from(start);
            self.multibody.advance(&mut self.q, mean, h - duration);
            self.settle();
        }
        if self.loops.is_empty() {
            let solver = (&mut self.factor, &mut self.buffer);
            self.v = carried_velocities(&self.multibody, (&from, &self.v), &self.placement, solver);
            return;
        }
        let Self { multibody, base, couplings, loops, limited, q, v, .. } = self;
        let of = Closed { multibody, base, couplings, loops, limited };
        Closing::default().close_moving(&of, &from, [q, v]);
        self.settle();
    }

    /// Whether a link that went back from a placement for `duration` \[s\] is farther from where the step started than its displacement and a straight
    /// line at its velocity lead. Links that rotate far in a step do so: their rates balance each other at its end only, and going back at them
    /// leads other links by decimetres into what stopped the robot.
    fn is_astray(&self, from: &Placement, duration: f64) -> bool {
        let (mut start, mut motions) = (Placement::default(), Vec::new());
        self.multibody.place(&self.base, &self.displacement.start, &mut start);
        self.multibody.velocities(from, &self.v, &mut motions);
        let places = [&start, from, &self.placement];
        self.multibody.links().iter().zip(&motions).enumerate().any(|(index, (link, motion))| {
            let [start, end, back] = places.map(|placed| placed.poses()[index] * Point3::from(link.center));
            let speed = motion.motion_at(&(from.poses()[index].rotation * link.center)).linear.norm();
            link.mass > 0.0 && (back - start).norm() > (end - start).norm() + duration * speed
        })
    }

    /// Whether a joint is farther beyond a limit than at the start and at the end of the step: one that left its limit in the step has the speed of
    /// that, and was at rest before.
    fn is_beyond(&self, end: &[f64]) -> bool {
        let start = &self.displacement.start;
        self.limited.iter().any(|limited| {
            let beyond = |q: &[f64]| limited.distance_beyond(q[limited.q]);
            beyond(&self.q) > PASSED + beyond(start).max(beyond(end))
        })
    }

    /// Determines what [`Self::inertia`] reads, before forces act: springs and dampers of the last step resist accelerations over the
    /// next one of `h` \[s\].
    pub(super) fn update_inertias(&mut self, last: impl Iterator<Item = (usize, Action)>, h: f64) {
        self.added.clear();
        self.added.resize(self.v.len(), 0.0);
        last.for_each(|(v, action)| self.added[v] = h * (action.damping + h * action.stiffness));
        self.factor.update(&self.multibody, &self.placement, &self.added);
    }

    /// Inertia that a force within a joint accelerates [kg·m² or kg], of a velocity: the others yield as their springs and dampers
    /// let them, and so does a floating root.
    pub(super) fn inertia(&self, v: usize) -> f64 {
        let mut z = vec![0.0; self.v.len()];
        self.factor.coordinates((&self.multibody, &self.placement), &UnitForce::Joint(v), &mut z);
        let whole = z.iter().map(|z| z * z).sum::<f64>().recip();
        // Rounding may leave nothing of an inertia beside a far larger damper.
        (whole - self.added[v]).max(SMALL * whole)
    }

    /// Value and speed of a joint of the articulation [rad or m; rad/s or m/s].
    pub(super) fn value(&self, joint: usize) -> [f64; 2] {
        match self.places[joint] {
            Place::Single { q, v, .. } => [self.q[q], self.v[v]],
            Place::Angle { q, v, which } => {
                let [x, y, z, w] = [0, 1, 2, 3].map(|i| self.q[q + i]);
                let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
                let (roll, pitch, yaw) = rotation.euler_angles();
                let angles = [yaw, pitch, roll];
                let omega = Vector3::new(self.v[v], self.v[v + 1], self.v[v + 2]);
                let is_locked = pitch.cos().abs() < LOCKED;
                let rates =
                    axes_of(angles).try_inverse().filter(|_| !is_locked).map(|inverse| inverse * omega);
                [angles[which], rates.map_or(0.0, |rates| rates[which])]
            }
        }
    }

    /// Mobility of a point of a link [1/kg], given by its body and the point \[m\] in it, and the mass of all links \[kg\]; `None`
    /// for a body that is no link.
    pub(crate) fn mobility(&self, body: RigidBodyHandle, point: &Point3<f64>) -> Option<(Matrix3<f64>, f64)> {
        let link = self.links.iter().position(|link| link.body == body)?;
        let (count, links) = (self.v.len(), self.multibody.links());
        let (mut factor, mut buffer, mut x) = (Factor::default(), SolveBuffer::default(), vec![0.0; count]);
        factor.update(&self.multibody, &self.placement, &vec![0.0; count]);
        let arm = self.placement.poses()[link].rotation * (self.links[link].part * point).coords;
        let mut wrenches = vec![SpatialVector::ZERO; links.len()];
        let columns = [0, 1, 2].map(|axis| {
            let force = Vector3::ith(axis, 1.0);
            wrenches[link] = SpatialVector::new(arm.cross(&force), force);
            let load = (&vec![0.0; count][..], &wrenches[..]);
            factor.solve(&self.multibody, &self.placement, load, &mut buffer, &mut x);
            buffer.motions()[link].motion_at(&arm).linear
        });
        Some((Matrix3::from_columns(&columns), links.iter().map(|link| link.mass).sum()))
    }

    /// Kinetic energy of the rotors \[J\].
    pub(crate) fn rotor_energy(&self) -> f64 {
        let links = self.multibody.links().iter().enumerate().filter(|(_, link)| link.armature > 0.0);
        let squares = links.map(|(index, link)| {
            link.armature * self.multibody.freedoms_of(index).map(|at| self.v[at] * self.v[at]).sum::<f64>()
        });
        0.5 * squares.sum::<f64>()
    }

    /// Motions of the links at the present velocities: references at their origins.
    pub(crate) fn motions(&self) -> Vec<SpatialVector> {
        let mut motions = Vec::new();
        self.multibody.velocities(&self.placement, &self.v, &mut motions);
        motions
    }
}

/// Axes of yaw, pitch and roll in the frame of the joint.
fn axes_of([yaw, pitch, _]: [f64; 3]) -> Matrix3<f64> {
    let rotated = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw);
    let tilted = rotated * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), pitch);
    Matrix3::from_columns(&[Vector3::z(), rotated * Vector3::y(), tilted * Vector3::x()])
}

fn couplings(articulation: &Articulation, places: &[Place]) -> Vec<Coupling> {
    let coupled = (0..places.len()).filter(|&joint| articulation.joints()[joint].mimic.is_some());
    let coupling = |follower: usize| {
        let (index, factor, offset) = articulation.dependence(follower)?;
        let leader = articulation.coordinates()[index];
        let (Place::Single { q, v, .. }, Place::Single { q: leader_q, v: leader_v, .. }) =
            (places[follower], places[leader])
        else {
            return None;
        };
        Some(Coupling { q: [q, leader_q], v: [v, leader_v], factor, offset })
    };
    coupled.filter_map(coupling).collect()
}

fn limited(articulation: &Articulation, places: &[Place]) -> Vec<Limited> {
    let joints = articulation.joints().iter().zip(places);
    let limited = joints.filter_map(|(joint, place)| match *place {
        Place::Single { q, v, .. } => joint.limits.map(|limits| Limited { q, v, limits }),
        Place::Angle { .. } => None,
    });
    limited.collect()
}

/// Part as a link of the tree, or of the base.
#[derive(Debug, Clone, Copy)]
struct Member {
    link: Option<usize>,
    /// Part → link.
    part: Isometry3<f64>,
}

/// Tree under construction.
struct Builder<'a> {
    parts: &'a Parts,
    handles: &'a [RigidBodyHandle],
    multibody: Multibody,
    links: Vec<TreeLink>,
    members: Vec<Option<Member>>,
    places: BTreeMap<usize, Place>,
}

impl<'a> Builder<'a> {
    fn new(parts: &'a Parts, handles: &'a [RigidBodyHandle]) -> Self {
        let members = vec![None; parts.parts.len()];
        Self {
            parts,
            handles,
            multibody: Multibody::new(),
            links: Vec::new(),
            members,
            places: BTreeMap::new(),
        }
    }

    /// Adds a part whose parent was added, unless it was added with its parent.
    fn add(&mut self, part: usize) {
        if self.members[part].is_some() {
            return;
        }
        let articulation = &self.parts.articulation;
        let (Some(joint), Some(parent)) = (articulation.parent_joint(part), articulation.parent(part)) else {
            self.members[part] = Some(self.root(part));
            return;
        };
        let Some(Member { link: parent, part: to_link }) = self.members[parent] else { return };
        let origin = to_link * articulation.joints()[joint].origin;
        if let Some((joints, parts)) = self.spherical(joint) {
            let link = self.link(parts[2], (parent, origin), (JointModel::Spherical, 0.0), Vector3::zeros());
            let [q, v] = [self.multibody.coordinates_of(link).start, self.multibody.freedoms_of(link).start];
            for which in 0..3 {
                self.places.insert(joints[which], Place::Angle { q, v, which });
                self.members[parts[which]] = Some(Member { link: Some(link), part: Isometry3::identity() });
            }
            return;
        }
        let model = match articulation.joints()[joint].kind {
            JointKind::Prismatic { axis } => JointModel::Prismatic { axis },
            JointKind::Revolute { axis } => JointModel::Revolute { axis },
            // Parts are connected by joints that move.
            JointKind::Fixed => return,
        };
        let armature = self.parts.description.joints[self.parts.joints[joint]].armature;
        let link = self.link(part, (parent, origin), (model, armature), Vector3::zeros());
        let [q, v] = [self.multibody.coordinates_of(link).start, self.multibody.freedoms_of(link).start];
        self.places.insert(joint, Place::Single { q, v, link });
        self.members[part] = Some(Member { link: Some(link), part: Isometry3::identity() });
    }

    /// Forces that bear the weight of links that move.
    fn lifts(&self) -> Vec<Lift> {
        let of_part = |(part, mass, point): (usize, f64, Point3<f64>)| {
            let Member { link, part } = self.members[part]?;
            link.map(|link| Lift { link, mass, point: (part * point).coords })
        };
        self.parts.lifted().filter_map(of_part).collect()
    }

    /// The loops of the robot; none between links that are one.
    fn loops(&self) -> Vec<TreeLoop> {
        let of_closure = |(index, closure): (usize, &Closure)| {
            let mut sides = closure.links.iter().zip(closure.frames).map(|(link, frame)| {
                let (part, to_part) = self.parts.place(link)?;
                let Member { link, part } = self.members[part]?;
                Some((link, part * to_part * frame))
            });
            let [(a, first), (b, second)] = [sides.next()??, sides.next()??];
            let frames = [first, second];
            (a != b).then_some(TreeLoop { links: [a, b], frames, kind: closure.kind, closure: index })
        };
        self.parts.description.closures.iter().enumerate().filter_map(of_closure).collect()
    }

    fn root(&mut self, part: usize) -> Member {
        let Part { kind, center } = self.part(part);
        if kind != BodyKind::Dynamic {
            return Member { link: None, part: Isometry3::identity() };
        }
        let link = self.link(part, (None, Isometry3::identity()), (JointModel::Floating, 0.0), center);
        Member { link: Some(link), part: self.links[link].part }
    }

    fn part(&self, part: usize) -> Part {
        let part = &self.parts.parts[part];
        Part { kind: part.kind, center: part.inertial.map_or(Vector3::zeros(), |own| own.center.coords) }
    }

    /// Adds a link for a part, with its joint and the armature of it, and its frame at a point of the part \[m\].
    fn link(
        &mut self,
        part: usize,
        (parent, origin): (Option<usize>, Isometry3<f64>),
        (joint, armature): (JointModel, f64),
        frame: Vector3<f64>,
    ) -> usize {
        let own = self.parts.parts[part].inertial;
        let link = self.multibody.add(LinkModel {
            parent,
            origin,
            joint,
            mass: own.map_or(0.0, |own| own.mass),
            center: own.map_or(Vector3::zeros(), |own| own.center.coords - frame),
            inertia: own.map_or(Matrix3::zeros(), |own| own.inertia),
            armature,
        });
        let part_to_link = Translation3::from(-frame).into();
        self.links.push(TreeLink { body: self.handles[part], part: part_to_link });
        link
    }

    /// The joints and the parts of a spherical joint that begins with a joint, if one does.
    fn spherical(&self, yaw: usize) -> Option<([usize; 3], [usize; 3])> {
        let Parts { articulation, description, parts, .. } = self.parts;
        let joints = articulation.joints();
        let is_free = |joint: usize, axis: Vector3<f64>| {
            let own = &description.joints[self.parts.joints[joint]];
            let followed = joints.iter().filter_map(|other| other.mimic.as_ref());
            joints[joint].kind == JointKind::Revolute { axis }
                && joints[joint].limits.is_none()
                && joints[joint].mimic.is_none()
                && followed.into_iter().all(|mimic| mimic.joint != joints[joint].name)
                && own.is_passive()
        };
        // The only joint below a part without mass and shape.
        let next = |part: usize| {
            let is_empty = parts[part].inertial.is_none() && parts[part].model.is_none();
            let mut below =
                (0..joints.len()).filter(|&joint| joints[joint].parent == articulation.links()[part]);
            let only = below.next().filter(|_| below.next().is_none() && is_empty)?;
            (joints[only].origin == Isometry3::identity()).then_some(only)
        };
        let child = |joint: usize| articulation.link(&joints[joint].child);
        let first = child(yaw).filter(|_| is_free(yaw, Vector3::z()))?;
        let pitch = next(first).filter(|&joint| is_free(joint, Vector3::y()))?;
        let second = child(pitch)?;
        let roll = next(second).filter(|&joint| is_free(joint, Vector3::x()))?;
        Some(([yaw, pitch, roll], [first, second, child(roll)?]))
    }
}

/// Properties of a part that its link needs.
struct Part {
    kind: BodyKind,
    center: Vector3<f64>,
}
