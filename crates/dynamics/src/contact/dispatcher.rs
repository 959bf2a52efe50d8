//! The query dispatcher, which rapier calls first for every pair of shapes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nalgebra::{Isometry3, Vector3};
use rapier3d::math::{Pose, Vector};
use rapier3d::parry::query::details::{ContactManifoldsWorkspace, NormalConstraints, ShapeCastOptions};
use rapier3d::parry::query::{
    ClosestPoints, Contact, ContactManifold, DefaultQueryDispatcher, NonlinearRigidMotion,
    PersistentQueryDispatcher, QueryDispatcher, QueryDispatcherChain, ShapeCastHit, ShapeDistance,
    ShapeIntersection, Unsupported,
};
use rapier3d::parry::shape::Shape;

use super::convex::body::{ConvexBody, for_rapier};
use super::convex::half_space;
use super::convex::manifold::{self, ConvexMemory, ConvexPair, SAME_PLACE};
use super::manifolds;
use super::memory::PairMemory;
use super::mesh_mesh::Prediction;
use super::mesh_shape::MeshShape;
use super::patch::Patch;
use super::point::{ContactPoint, Order};
use super::reduction::Selected;
use super::round::Round;
use super::separation::MeshPair;
use super::workspace::Remembered;
use super::{mesh_mesh, plane, proxy, round};
use crate::options::{NarrowPhase, WorldOptions};
use crate::profile::{Profiler, Timer, Work};

/// Time spent on contacts, summed over all threads, and the profile of the pairs.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContactTally {
    /// Time [ns].
    time: Arc<AtomicU64>,
    pub(crate) profiler: Profiler,
}

impl ContactTally {
    /// Returns the time since it was last taken, and starts again at zero.
    pub(crate) fn take(&self) -> Duration {
        Duration::from_nanos(self.time.swap(0, Ordering::Relaxed))
    }

    fn add(&self, timer: &Timer) {
        let time = self.profiler.end(timer, Work::Contacts);
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.time.fetch_add(nanoseconds, Ordering::Relaxed);
    }
}

/// Contacts of pairs with a mesh in them, and of convex pairs unless those are left to rapier.
pub(crate) struct Dispatcher {
    tally: ContactTally,
    /// Narrow phase of convex pairs.
    narrow_phase: NarrowPhase,
    /// Distance that a body at rest falls within a step [m].
    fall: f64,
}

impl Dispatcher {
    /// Dispatcher of a world with these options, with rapier's own behind it.
    pub(crate) fn chained(
        options: &WorldOptions,
        tally: &ContactTally,
    ) -> QueryDispatcherChain<Self, DefaultQueryDispatcher> {
        let fall = options.gravity.norm() * options.time_step.powi(2);
        let ours = Self { tally: tally.clone(), narrow_phase: options.narrow_phase, fall };
        ours.chain(DefaultQueryDispatcher)
    }

    /// Contacts of a mesh with another shape: in the frame of the mesh, or (`Order::Swapped`) in that of the other.
    fn mesh_contacts(
        mesh: &MeshShape,
        other: &dyn Shape,
        other_to_mesh: &Isometry3<f64>,
        prediction: &Prediction,
        memory: &mut PairMemory,
    ) -> Result<Order, Unsupported> {
        if let Some(half_space) = other.as_halfspace() {
            let normal: Vector3<f64> = half_space.normal.into();
            plane::contacts(mesh, &normal, other_to_mesh, prediction, memory);
            return Ok(Order::Original);
        }
        if let Some(other) = other.as_shape::<MeshShape>() {
            return Ok(Self::larger_first(mesh, other, other_to_mesh, prediction, memory));
        }
        let round = Round::of(for_rapier(other));
        if let Some(round) = &round
            && round::contacts(mesh, round, other_to_mesh, prediction, memory)
        {
            return Ok(Order::Original);
        }
        // Also for a ball or a capsule whose core is inside the mesh.
        let proxy = proxy::of(other, memory).ok_or(Unsupported)?;
        // A ball or a capsule stays the second shape, as in its exact contacts, whose poses the memory holds.
        if round.is_none() {
            return Ok(Self::larger_first(mesh, &proxy, other_to_mesh, prediction, memory));
        }
        mesh_mesh::contacts(&MeshPair { a: mesh, b: &proxy, b_to_a: *other_to_mesh }, prediction, memory);
        Ok(Order::Original)
    }

    /// Contacts of two meshes in the frame of the larger one: the remembered translations of a small body that spins on a
    /// large one then keep their directions.
    fn larger_first(
        a: &MeshShape,
        b: &MeshShape,
        b_to_a: &Isometry3<f64>,
        prediction: &Prediction,
        memory: &mut PairMemory,
    ) -> Order {
        if a.size() >= b.size() {
            mesh_mesh::contacts(&MeshPair { a, b, b_to_a: *b_to_a }, prediction, memory);
            return Order::Original;
        }
        mesh_mesh::contacts(&MeshPair { a: b, b: a, b_to_a: b_to_a.inverse() }, prediction, memory);
        Order::Swapped
    }
}

/// Mesh of a pair, the other shape with its pose in the frame of the mesh, and whether they were exchanged.
fn mesh_first<'a>(
    pose: &Pose,
    first: &'a dyn Shape,
    second: &'a dyn Shape,
) -> Option<(&'a MeshShape, &'a dyn Shape, Isometry3<f64>, Order)> {
    let second_to_first: Isometry3<f64> = (*pose).into();
    match (first.as_shape::<MeshShape>(), second.as_shape::<MeshShape>()) {
        (Some(mesh), _) => Some((mesh, second, second_to_first, Order::Original)),
        (None, Some(mesh)) => Some((mesh, first, second_to_first.inverse(), Order::Swapped)),
        (None, None) => None,
    }
}

impl Dispatcher {
    /// Contacts of two convex shapes, or of one with a half-space.
    fn convex_contacts(
        &self,
        pose: &Pose,
        [first, second]: [&dyn Shape; 2],
        distance: f64,
        memory: &mut ConvexMemory,
    ) -> Result<Order, Unsupported> {
        let second_to_first: Isometry3<f64> = (*pose).into();
        let prediction = Prediction { distance, fall: self.fall };
        let (body, plane, plane_to_body, order) = match (first.as_halfspace(), second.as_halfspace()) {
            (None, None) => {
                let pair =
                    ConvexPair { bodies: [convex_body(first)?, convex_body(second)?], second_to_first };
                manifold::contacts(&pair, &prediction, memory);
                return Ok(Order::Original);
            }
            (_, Some(plane)) => (convex_body(first)?, plane, second_to_first, Order::Original),
            (Some(plane), None) => (convex_body(second)?, plane, second_to_first.inverse(), Order::Swapped),
        };
        half_space::contacts(body, &plane.normal.into(), &plane_to_body, &prediction, memory);
        Ok(order)
    }

    /// Writes the contacts that were chosen, and tallies them.
    fn write<M: Default, C: Default + Copy>(
        &self,
        timer: &Timer,
        (contacts, selected, patch): (&[ContactPoint], &[Selected], Option<Patch>),
        (pose, order, same_place): (&Isometry3<f64>, Order, f64),
        manifolds: &mut Vec<ContactManifold<M, C>>,
    ) {
        manifolds::write((contacts, selected, patch), pose, order, same_place, manifolds);
        self.tally.add(timer);
    }
}

fn convex_body(shape: &dyn Shape) -> Result<&ConvexBody, Unsupported> {
    shape.as_shape::<ConvexBody>().ok_or(Unsupported)
}

impl<M, C> PersistentQueryDispatcher<M, C> for Dispatcher
where
    M: Default + Clone + Send + Sync + 'static,
    C: Default + Copy + Send + Sync + 'static,
{
    fn contact_manifolds(
        &self,
        pose: &Pose,
        first: &dyn Shape,
        second: &dyn Shape,
        distance: f64,
        manifolds: &mut Vec<ContactManifold<M, C>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        let mesh = mesh_first(pose, first, second);
        if mesh.is_none() && self.narrow_phase == NarrowPhase::Rapier {
            // rapier does not know our custom shapes: primitives are unwrapped, hulls replaced.
            let (first, second) = (for_rapier(first), for_rapier(second));
            let rapier = DefaultQueryDispatcher;
            return rapier.contact_manifolds(pose, first, second, distance, manifolds, workspace);
        }
        let timer = &self.tally.profiler.begin();
        let patch = Patch::take();
        let prediction = Prediction { distance, fall: self.fall };
        if let Some((mesh, other, other_to_mesh, order)) = mesh {
            let memory = Remembered::<PairMemory>::of(workspace).ok_or(Unsupported)?;
            // Two meshes may have been exchanged once more, the larger one first.
            let frame = Self::mesh_contacts(mesh, other, &other_to_mesh, &prediction, memory)?;
            let (pose, order) = match frame {
                Order::Original => (other_to_mesh, order),
                Order::Swapped => (other_to_mesh.inverse(), order.swapped()),
            };
            // Features of meshes persist: their contacts are matched by feature, not by place.
            let (contacts, selected) = memory.chosen();
            self.write(timer, (contacts, selected, patch), (&pose, order, 0.0), manifolds);
            return Ok(());
        }
        let memory = Remembered::<ConvexMemory>::of(workspace).ok_or(Unsupported)?;
        let order = self.convex_contacts(pose, [first, second], distance, memory)?;
        let second_to_first: Isometry3<f64> = (*pose).into();
        let pose = if order == Order::Original { second_to_first } else { second_to_first.inverse() };
        let same_place = SAME_PLACE * memory.size;
        let (contacts, selected) = memory.chosen();
        self.write(timer, (contacts, selected, patch), (&pose, order, same_place), manifolds);
        Ok(())
    }

    fn contact_manifold_convex_convex(
        &self,
        _pose: &Pose,
        _first: &dyn Shape,
        _second: &dyn Shape,
        _normals_of_first: Option<&dyn NormalConstraints>,
        _normals_of_second: Option<&dyn NormalConstraints>,
        _prediction: f64,
        _manifold: &mut ContactManifold<M, C>,
    ) -> Result<(), Unsupported> {
        Err(Unsupported)
    }
}

/// rapier's other queries. The simulation uses none of them: continuous collision detection is in [`crate::passes`].
impl QueryDispatcher for Dispatcher {
    fn intersection_test(
        &self,
        _pose: &Pose,
        _first: &dyn Shape,
        _second: &dyn Shape,
    ) -> Result<ShapeIntersection, Unsupported> {
        Err(Unsupported)
    }

    fn distance(
        &self,
        _pose: &Pose,
        _first: &dyn Shape,
        _second: &dyn Shape,
    ) -> Result<ShapeDistance, Unsupported> {
        Err(Unsupported)
    }

    fn contact(
        &self,
        _pose: &Pose,
        _first: &dyn Shape,
        _second: &dyn Shape,
        _prediction: f64,
    ) -> Result<Option<Contact>, Unsupported> {
        Err(Unsupported)
    }

    fn closest_points(
        &self,
        _pose: &Pose,
        _first: &dyn Shape,
        _second: &dyn Shape,
        _farthest: f64,
    ) -> Result<ClosestPoints, Unsupported> {
        Err(Unsupported)
    }

    fn cast_shapes(
        &self,
        _pose: &Pose,
        _velocity: Vector,
        _first: &dyn Shape,
        _second: &dyn Shape,
        _options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        Err(Unsupported)
    }

    fn cast_shapes_nonlinear(
        &self,
        _motion1: &NonlinearRigidMotion,
        _first: &dyn Shape,
        _motion2: &NonlinearRigidMotion,
        _second: &dyn Shape,
        _start: f64,
        _end: f64,
        _stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        Err(Unsupported)
    }
}
