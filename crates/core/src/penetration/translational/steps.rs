//! Records of the walks of a query, step by step.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::penetration::free_configuration::FreeConfiguration;
use crate::proximity::model::Model;

/// The walks of a query, in the order in which they were made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// The walks; none if the models are separated.
    pub walks: Vec<Walk>,
}

/// A walk in contact space from a free configuration towards the input configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Walk {
    /// The source of its start.
    pub source: FreeConfiguration,
    /// Its start: a translation of A at which the models are separated [m, world].
    pub start: Vector3<f64>,
    /// Its steps.
    pub steps: Vec<WalkStep>,
    /// Its end: a translation of A [m, world].
    pub end: Vector3<f64>,
    /// Depth that it found \[m\], or infinity for a walk that was abandoned because it could not become the best.
    pub depth: f64,
    /// Whether it ended nearer than all walks before it, by more than rounding. The last such walk led to the result, unless a
    /// search from scratch was preferred to it.
    pub kept: bool,
}

/// A step of a walk.
#[derive(Debug, Clone, PartialEq)]
pub struct WalkStep {
    /// Kind of the step.
    pub kind: WalkStepKind,
    /// Configuration reached: a translation of A [m, world].
    pub translation: Vector3<f64>,
    /// The known contacts there, which bound the local contact space.
    pub contacts: Vec<WalkContact>,
    /// Length of the shortest translation that this walk has found to be free \[m\]: an upper bound of the depth.
    pub upper_bound: f64,
}

/// Kinds of steps [Je12 §§ 3.2, 6].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WalkStepKind {
    /// A moves from a free configuration towards its target up to the first contact: the result is free and touches.
    OutProjection,
    /// The nearest configuration to the input in the local contact space; unknown contacts may be violated there.
    InProjection,
    /// A comes from outside along the ray through the target, if that ends nearer: the result is free and touches.
    Hop,
}

/// A contact that bounds the local contact space: A is allowed on the side to which its normal points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WalkContact {
    /// The point of B that is nearest to A there [m, world], or a common point if the two intersect.
    pub point: Point3<f64>,
    /// The point of A, moved, that is nearest to that [m, world].
    pub moved: Point3<f64>,
    /// Unit normal of the half-space, in which A is free to move \[world\].
    pub normal: Vector3<f64>,
}

impl Trace {
    /// The trace in the world frame, from one in the frame of B's tree.
    pub(crate) fn in_world(mut self, b: &Model, pose_b: &Isometry3<f64>) -> Self {
        let rotate = |v: &mut Vector3<f64>| *v = pose_b.rotation * *v;
        for walk in &mut self.walks {
            rotate(&mut walk.start);
            rotate(&mut walk.end);
            for step in &mut walk.steps {
                rotate(&mut step.translation);
                for contact in &mut step.contacts {
                    rotate(&mut contact.normal);
                    let to_world = |point: Point3<f64>| pose_b * (b.center() + point.coords);
                    (contact.point, contact.moved) = (to_world(contact.point), to_world(contact.moved));
                }
            }
        }
        self
    }

    /// The trace with the roles of A and B exchanged.
    pub(crate) fn exchanged(mut self) -> Self {
        for walk in &mut self.walks {
            walk.source = walk.source.exchanged();
            (walk.start, walk.end) = (-walk.start, -walk.end);
            for step in &mut walk.steps {
                step.translation = -step.translation;
                for contact in &mut step.contacts {
                    contact.normal = -contact.normal;
                    // The body that stayed is the one that moves.
                    (contact.point, contact.moved) =
                        (contact.moved + step.translation, contact.point + step.translation);
                }
            }
        }
        self
    }

    pub(super) fn begin(&mut self, source: FreeConfiguration, start: &Vector3<f64>) {
        let (start, steps) = (*start, Vec::new());
        self.walks.push(Walk { source, start, steps, end: start, depth: f64::INFINITY, kept: false });
    }

    pub(super) fn add(&mut self, kind: WalkStepKind, q: &Vector3<f64>, contacts: Vec<WalkContact>) {
        let Some(walk) = self.walks.last_mut() else { return };
        let before = walk.steps.last().map_or_else(|| walk.start.norm(), |step| step.upper_bound);
        let free = kind != WalkStepKind::InProjection;
        let upper_bound = if free { before.min(q.norm()) } else { before };
        walk.steps.push(WalkStep { kind, translation: *q, contacts, upper_bound });
        walk.end = *q;
    }

    pub(super) fn end(&mut self, end: &Vector3<f64>, depth: f64, within: f64) {
        let Some((walk, before)) = self.walks.split_last_mut() else { return };
        let min = before.iter().map(|walk| walk.depth).fold(f64::INFINITY, f64::min);
        (walk.end, walk.depth, walk.kept) = (*end, depth, depth < min.min(within));
    }
}
