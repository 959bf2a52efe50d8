//! Reports of contact: overlaps of pairs, depths of bodies, forces on rigid bodies.

use nalgebra::Vector3;

use super::contacts::SoftContact;
use super::point::{Contact, Field, Probe};

/// Overlap of two bodies, or of one with itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// The soft body and the other one; the same one twice for an overlap with itself.
    pub pair: (u32, Field),
    /// Maximum d̃ \[m\].
    pub depth: f64,
    /// Position of the maximum [m, world].
    pub point: Vector3<f64>,
    /// Number of points in contact.
    pub count: usize,
}

/// Force and torque on a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wrench {
    /// Force [N, world].
    pub force: Vector3<f64>,
    /// Torque about the origin of its frame, the centre of mass of a dynamic one [N·m, world].
    pub torque: Vector3<f64>,
}

impl SoftContact {
    /// The overlaps with the blocks at `x`, each pair once, ascending; nodes in obstacles included.
    pub fn overlaps(&mut self, x: &[Vector3<f64>]) -> Vec<Overlap> {
        self.detect(x);
        let mut overlaps: Vec<Overlap> = Vec::new();
        for contact in &self.detected.contacts {
            let owner = self.owner(contact.probe);
            let pair = match (owner, contact.field) {
                (Field::Body(a), Field::Body(b)) => (a.min(b), Field::Body(a.max(b))),
                (Field::Body(soft), rigid) | (rigid, Field::Body(soft)) => (soft, rigid),
                (Field::Obstacle(_), Field::Obstacle(_)) => continue,
            };
            let one = Overlap { pair, depth: contact.depth, point: contact.point, count: 1 };
            match overlaps.binary_search_by_key(&pair, |overlap| overlap.pair) {
                Ok(at) => {
                    let count = overlaps[at].count + 1;
                    if one.depth > overlaps[at].depth {
                        overlaps[at] = one;
                    }
                    overlaps[at].count = count;
                }
                Err(at) => overlaps.insert(at, one),
            }
        }
        overlaps
    }

    /// Maximum depth over the contacts of each soft body \[m\], with the blocks at `x`.
    pub fn penetrations(&mut self, x: &[Vector3<f64>]) -> Vec<f64> {
        self.detect(x);
        let mut depths = vec![0.0_f64; self.bodies.len()];
        for contact in &self.detected.contacts {
            for side in [self.owner(contact.probe), contact.field] {
                if let Field::Body(body) = side {
                    depths[body as usize] = depths[body as usize].max(contact.depth);
                }
            }
        }
        depths
    }

    /// Force and torque of the soft bodies on each obstacle, friction included, with the blocks at `x`.
    pub fn wrenches(&mut self, x: &[Vector3<f64>]) -> Vec<Wrench> {
        self.detect(x);
        let mut wrenches =
            vec![Wrench { force: Vector3::zeros(), torque: Vector3::zeros() }; self.obstacles.len()];
        let normal_forces = self.detected.contacts.iter().map(|contact| {
            (
                contact,
                self.obstacle_pose_of(contact).map(|obstacle_pose| obstacle_pose.origin),
                contact.force(),
            )
        });
        let friction_forces = self.frictions.iter().map(|friction| {
            let origin = friction.obstacle_pose.map(|obstacle_pose| obstacle_pose.origin);
            (&friction.contact, origin, friction.force(x, &self.start))
        });
        for (contact, origin, force) in normal_forces.chain(friction_forces) {
            if let Some(((number, coefficient), origin)) = contact.obstacle.zip(origin) {
                let wrench = &mut wrenches[number as usize];
                wrench.force += coefficient * force;
                wrench.torque += coefficient * (contact.point - origin).cross(&force);
            }
        }
        wrenches
    }

    /// The contacts of the last detection, whatever its blocks were.
    #[must_use]
    pub fn last_contacts(&self) -> &[Contact] {
        &self.detected.contacts
    }

    /// The body or obstacle that a probe belongs to.
    #[must_use]
    pub(crate) fn owner(&self, probe: Probe) -> Field {
        match probe {
            Probe::Sample { obstacle, .. } => Field::Obstacle(obstacle),
            Probe::Node(block) | Probe::Edge(block, _) => {
                let owns = |body: &super::body::Body| body.nodes.binary_search(&block).is_ok();
                let number = self.bodies.iter().position(owns).expect("nodes belong to bodies");
                Field::Body(u32::try_from(number).expect("bodies are fewer than 2³²"))
            }
        }
    }
}
