//! A link with all links that it carries, as one system: its momentum, and what its joint transmits to it.
//!
//! With the momentum p of the system, its angular momentum L about a point, its mass m and first moment s about the point, and the forces f of
//! contacts, loops and loads on it, with their moments n about the point, a step of length h transmits on average
//!
//! F = Δp / h − m g − Σ f,  M = ΔL / h − s × g − Σ n.
//!
//! The point is the middle of the path of the sensor, and s the mean of start and end: second order in h. No inertia of rotors is in it, and forces
//! against the weight of links count as those of the joint, both as in MuJoCo.

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};
use rapier3d::dynamics::{RigidBodyHandle, RigidBodySet};
use serde::{Deserialize, Serialize};

use super::mount::{Mount, velocity_at};
use super::outside::OutsideForces;
use super::parts::{CarriedPart, Parts};
use super::reading::{ContactForce, Reading};
use super::tree::RobotTree;

/// Selection of the contacts of a body by their points in the world.
pub(crate) type Selection<'a> = dyn Fn(&Point3<f64>) -> bool + 'a;

/// Resultant of the selected contacts of a body, with its moment about a point.
pub(crate) type ContactsOf<'a> = dyn Fn(RigidBodyHandle, &Point3<f64>, &Selection<'_>) -> ContactForce + 'a;

/// A link with all links that it carries.
#[derive(Debug)]
pub(super) struct Subtree {
    parts: Vec<(RigidBodyHandle, CarriedPart)>,
    /// Links of the tree that are in it, with their bodies.
    links: Vec<(usize, RigidBodyHandle)>,
    loops: Vec<LoopEnd>,
}

/// The end of a loop whose other end is elsewhere.
#[derive(Debug)]
struct LoopEnd {
    /// Index among the loops of the tree.
    index: usize,
    /// Sign of its force on this end.
    sign: f64,
    /// Its frame.
    mount: Mount,
}

/// State of a subtree about the origin of a sensor.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct SubtreeStart {
    /// Origin of the sensor \[m\], and its rotation x, y, z, w.
    origin: [f64; 3],
    rotation: [f64; 4],
    /// First moment [kg·m], momentum [kg·m/s] and angular momentum [kg·m²/s].
    moment: [f64; 3],
    momentum: [f64; 3],
    angular: [f64; 3],
    /// Ends of its loops, from the origin \[m\].
    ends: Vec<[f64; 3]>,
}

/// Momentum of a subtree about a point.
struct Motion {
    mass: f64,
    moment: Vector3<f64>,
    momentum: Vector3<f64>,
    angular: Vector3<f64>,
}

/// Gravity [m/s²], length of the step \[s\], and forces in it.
pub(super) struct Exerted<'a> {
    pub(super) gravity: Vector3<f64>,
    pub(super) h: f64,
    pub(super) contacts: &'a ContactsOf<'a>,
    pub(super) outside: &'a OutsideForces,
}

impl Subtree {
    /// The subtree of a link; none where there is no such link.
    pub(super) fn new(
        (parts, handles): (&Parts, &[RigidBodyHandle]),
        link: &str,
        tree: Option<&RobotTree>,
    ) -> Option<Self> {
        let (carried, is_in) = parts.carried(link)?;
        let loops =
            tree.into_iter().flat_map(|tree| tree.loops.iter().enumerate()).filter_map(|(index, own)| {
                let closure = &parts.description.closures[own.closure];
                let inside = closure
                    .links
                    .each_ref()
                    .map(|link| parts.description.articulation.link(link).is_some_and(|link| is_in[link]));
                let side = match inside {
                    [true, false] => 0,
                    [false, true] => 1,
                    _ => return None,
                };
                let (part, to_part) = parts.place(&closure.links[side])?;
                let mount = Mount { body: handles[part], frame: to_part * closure.frames[side] };
                Some(LoopEnd { index, sign: if side == 0 { -1.0 } else { 1.0 }, mount })
            });
        let loops = loops.collect();
        let whole: Vec<RigidBodyHandle> =
            carried.iter().filter(|part| part.is_whole()).map(|part| handles[part.part]).collect();
        let links = tree.into_iter().flat_map(|tree| tree.links.iter().enumerate());
        let links = links.map(|(index, link)| (index, link.body)).filter(|(_, body)| whole.contains(body));
        let links = links.collect();
        let parts = carried.into_iter().map(|part| (handles[part.part], part)).collect();
        Some(Self { parts, links, loops })
    }

    fn motion(&self, bodies: &RigidBodySet, about: &Point3<f64>) -> Motion {
        let zero = Vector3::zeros();
        let mut sum = Motion { mass: 0.0, moment: zero, momentum: zero, angular: zero };
        for (handle, part) in &self.parts {
            let (body, Some(own)) = (&bodies[*handle], &part.inertial) else { continue };
            let pose = Isometry3::from(*body.position());
            let (center, angular) = (pose * own.center, Vector3::from(body.angvel()));
            let momentum = own.mass * velocity_at(body, &center);
            let spin = pose.rotation * (own.inertia * (pose.rotation.inverse() * angular));
            sum.mass += own.mass;
            sum.moment += own.mass * (center - about);
            sum.momentum += momentum;
            sum.angular += (center - about).cross(&momentum) + spin;
        }
        sum
    }

    /// Remembers the motion at the start of a step, about the origin of a sensor.
    pub(super) fn begin(&self, bodies: &RigidBodySet, mount: &Mount) -> SubtreeStart {
        let pose = mount.pose(&bodies[mount.body]);
        let origin = Point3::from(pose.translation.vector);
        let Motion { moment, momentum, angular, .. } = self.motion(bodies, &origin);
        SubtreeStart {
            origin: origin.into(),
            rotation: pose.rotation.coords.into(),
            moment: moment.into(),
            momentum: momentum.into(),
            angular: angular.into(),
            ends: self.ends(bodies, &origin).map(Into::into).collect(),
        }
    }

    /// Ends of its loops, from a point.
    fn ends<'a>(
        &'a self,
        bodies: &'a RigidBodySet,
        origin: &'a Point3<f64>,
    ) -> impl Iterator<Item = Vector3<f64>> + 'a {
        let end = |own: &LoopEnd| own.mount.pose(&bodies[own.mount.body]).translation.vector;
        self.loops.iter().map(move |own| end(own) - origin.coords)
    }

    /// Force and torque that the joint of the link transmitted to it in a step, on average, at a sensor and in its axes in the middle of the step.
    pub(super) fn transmitted(
        &self,
        bodies: &RigidBodySet,
        (mount, start): (&Mount, &SubtreeStart),
        exerted: &Exerted<'_>,
    ) -> Reading {
        let pose = mount.pose(&bodies[mount.body]);
        let last = Point3::from(pose.translation.vector);
        let middle = nalgebra::center(&Point3::from(start.origin), &last);
        let end = self.motion(bodies, &last);
        let [moment, momentum, angular] = [start.moment, start.momentum, start.angular].map(Vector3::from);
        let half = last - middle;
        let change = end.angular + half.cross(&end.momentum) - (angular - half.cross(&momentum));
        let Exerted { gravity, h, .. } = exerted;
        let mut force = (end.momentum - momentum) / *h - end.mass * gravity;
        let mut torque = change / *h - 0.5 * (moment + end.moment).cross(gravity);
        for [own, moment] in self.outside_forces(bodies, start, (&middle, &last), exerted) {
            force -= own;
            torque -= moment;
        }
        let [x, y, z, w] = start.rotation;
        let before = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
        let step = (pose.rotation * before.inverse()).scaled_axis();
        let axes = (UnitQuaternion::from_scaled_axis(0.5 * step) * before).inverse();
        Reading::ForceTorque { force: axes * force, torque: axes * torque }
    }

    /// Forces of contacts, loads and loops on it, with their moments about the middle of the path of the sensor, which ends at `last`.
    fn outside_forces(
        &self,
        bodies: &RigidBodySet,
        start: &SubtreeStart,
        (middle, last): (&Point3<f64>, &Point3<f64>),
        exerted: &Exerted<'_>,
    ) -> Vec<[Vector3<f64>; 2]> {
        let mut all = Vec::new();
        for (handle, part) in &self.parts {
            let to_body = Isometry3::from(*bodies[*handle].position()).inverse();
            let selected = |point: &Point3<f64>| part.has(&(to_body * point));
            let ContactForce { force, moment, .. } = (exerted.contacts)(*handle, middle, &selected);
            all.push([force, moment]);
        }
        for &(link, handle) in &self.links {
            let [force, moment] = exerted.outside.load(link);
            let arm = Vector3::from(bodies[handle].center_of_mass()) - last.coords;
            all.push([force, moment + arm.cross(&force)]);
        }
        for ((own, before), after) in self.loops.iter().zip(&start.ends).zip(self.ends(bodies, last)) {
            let [force, moment] = exerted.outside.closing(own.index).map(|part| own.sign * part);
            let arm = 0.5 * (Vector3::from(*before) + after);
            all.push([force, moment + arm.cross(&force)]);
        }
        all
    }

    /// Centre of mass and momentum; none of a subtree without mass.
    pub(super) fn reading(&self, bodies: &RigidBodySet) -> Option<Reading> {
        let about = Point3::from(Vector3::from(bodies[self.parts.first()?.0].center_of_mass()));
        let Motion { mass, moment, momentum, angular } = self.motion(bodies, &about);
        let has_mass = mass > 0.0;
        has_mass.then(|| Reading::Subtree {
            center: about + moment / mass,
            linear_velocity: momentum / mass,
            angular_momentum: angular - (moment / mass).cross(&momentum),
        })
    }
}
