//! Queries of deforming models: traversal from trees to features, and collection of contacts.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nalgebra::Point3;

use super::contact::{DeformingContact, DeformingOptions, Features};
use super::elementary::contact::ElementaryOptions;
use super::elementary::{edge_edge_until, vertex_face_until};
use super::model::DeformingModel;
use super::pairs::{Task, Trees, Visitor};
use crate::bvh::lanes::isa::Isa;
use crate::bvh::swept::SweptBox;
use crate::parallel;
use crate::proximity::error::ProximityError;
use crate::proximity::work_limit::WorkLimit;

/// Query of two models, or of one with itself.
pub(super) struct DeformingQuery<'a> {
    a: &'a DeformingModel,
    b: &'a DeformingModel,
    options: ElementaryOptions,
    trees: Trees<'a>,
    is_within: bool,
    /// The time that is given, and its end.
    time: Option<(Duration, Instant)>,
    /// Nodes that are proved free of self-collision; empty where that is not known.
    free_nodes: &'a [bool],
}

impl<'a> DeformingQuery<'a> {
    pub(super) fn within(
        model: &'a DeformingModel,
        options: &DeformingOptions,
    ) -> Result<Self, ProximityError> {
        let query = Self::between(model, model, options)?;
        // The proof by cones and contours says nothing about distances.
        let is_culled = options.normal_cones && options.elementary.minimum_separation <= 0.0;
        let free_nodes = if is_culled { model.free_nodes() } else { &[] };
        Ok(Self { is_within: true, free_nodes, ..query })
    }

    pub(super) fn between(
        a: &'a DeformingModel,
        b: &'a DeformingModel,
        options: &DeformingOptions,
    ) -> Result<Self, ProximityError> {
        options.elementary.check()?;
        let trees = Trees::new(&a.tree, &b.tree, options.elementary.minimum_separation);
        let ends = |budget| Some((budget, Instant::now().checked_add(budget)?));
        let time = options.time_budget.and_then(ends);
        Ok(Self { a, b, options: options.elementary, trees, is_within: false, time, free_nodes: &[] })
    }

    /// Runs all tasks and returns their sinks in the order of the tasks, and an error if the time has passed before their end.
    fn run<S: Sink + Send>(&self, sink: impl Fn() -> S + Sync) -> (Vec<S>, Result<(), ProximityError>) {
        let is_late = AtomicBool::new(false);
        let deadline = self.time.map(|(_, deadline)| deadline);
        let tests = || FeatureTests {
            query: self,
            sink: sink(),
            limit: WorkLimit::new(u64::MAX, deadline),
            is_late: &is_late,
        };
        let whole = if self.is_within { Trees::all_within() } else { self.trees.all_between() };
        let tasks = self.trees.split(whole, &tests());
        let run = |stack: &mut Vec<Task>, index: usize| {
            let mut tests = tests();
            if tests.limit.spend_many(0) {
                is_late.store(true, Ordering::Relaxed);
                return tests.sink;
            }
            // A break means that the sink needs no further contacts, or that it is late.
            let _ = self.trees.run(tasks[index], &mut tests, stack);
            tests.sink
        };
        let sinks = parallel::map_init(tasks.len(), 1, Vec::new, run);
        let in_time = match self.time {
            Some((budget, _)) if is_late.into_inner() => Err(ProximityError::OutOfTime { budget }),
            _ => Ok(()),
        };
        (sinks, in_time)
    }

    pub(super) fn any(&self) -> Result<bool, ProximityError> {
        let found = AtomicBool::new(false);
        let (_, in_time) = self.run(|| Any { found: &found });
        if found.into_inner() { Ok(true) } else { in_time.map(|()| false) }
    }

    pub(super) fn all(&self, contacts: &mut Vec<DeformingContact>) -> Result<(), ProximityError> {
        let first = contacts.len();
        let (found, in_time) = self.run(|| All(Vec::new()));
        in_time?;
        contacts.extend(found.into_iter().flat_map(|found| found.0));
        contacts[first..].sort_unstable_by_key(|contact| contact.features);
        Ok(())
    }

    pub(super) fn first(&self) -> Result<Option<DeformingContact>, ProximityError> {
        let bound = AtomicU64::new(1.0_f64.to_bits());
        let (found, in_time) = self.run(|| First { bound: &bound, best: None });
        in_time?;
        Ok(found.into_iter().filter_map(|first| first.best).min_by(earlier))
    }
}

fn earlier(a: &DeformingContact, b: &DeformingContact) -> std::cmp::Ordering {
    a.contact.time.total_cmp(&b.contact.time).then(a.features.cmp(&b.features))
}

/// Collector of contacts.
trait Sink {
    /// Time after which contacts are not needed.
    fn until(&self) -> f64;
    /// Adds a contact; returns whether to continue.
    fn add(&mut self, contact: DeformingContact) -> ControlFlow<()>;
    /// Whether another task has found all that is needed.
    fn is_done(&self) -> bool {
        false
    }
}

struct Any<'a> {
    found: &'a AtomicBool,
}

impl Sink for Any<'_> {
    fn until(&self) -> f64 {
        1.0
    }

    fn add(&mut self, _: DeformingContact) -> ControlFlow<()> {
        self.found.store(true, Ordering::Relaxed);
        ControlFlow::Break(())
    }

    fn is_done(&self) -> bool {
        self.found.load(Ordering::Relaxed)
    }
}

struct All(Vec<DeformingContact>);

impl Sink for All {
    fn until(&self) -> f64 {
        1.0
    }

    fn add(&mut self, contact: DeformingContact) -> ControlFlow<()> {
        self.0.push(contact);
        ControlFlow::Continue(())
    }
}

/// First contact. The minimum time so far is shared by all tasks; times are not negative, so that their bit patterns have
/// the same order.
struct First<'a> {
    bound: &'a AtomicU64,
    best: Option<DeformingContact>,
}

impl Sink for First<'_> {
    fn until(&self) -> f64 {
        // A simultaneous contact may still have lower features.
        f64::from_bits(self.bound.load(Ordering::Relaxed)).next_up().min(1.0)
    }

    fn add(&mut self, contact: DeformingContact) -> ControlFlow<()> {
        self.bound.fetch_min(contact.contact.time.to_bits(), Ordering::Relaxed);
        if self.best.is_none_or(|best| earlier(&contact, &best).is_lt()) {
            self.best = Some(contact);
        }
        ControlFlow::Continue(())
    }
}

/// Elementary tests of the features of pairs of triangles.
struct FeatureTests<'q, 'a, S> {
    query: &'q DeformingQuery<'a>,
    sink: S,
    limit: WorkLimit,
    /// Whether the time has passed before the end of a task.
    is_late: &'q AtomicBool,
}

impl<S: Sink> Visitor for FeatureTests<'_, '_, S> {
    #[inline(always)]
    fn is_self_collision_free(&self, node: u32) -> bool {
        self.query.free_nodes.get(node as usize).is_some_and(|free| *free)
    }

    #[inline(always)]
    fn is_over(&mut self) -> bool {
        let is_late = self.limit.spend();
        if is_late {
            self.is_late.store(true, Ordering::Relaxed);
        }
        is_late
    }

    #[inline(always)]
    fn pair<I: Isa>(&mut self, a: (u32, &SweptBox), b: (u32, &SweptBox)) -> ControlFlow<()> {
        if self.sink.is_done() {
            return ControlFlow::Break(());
        }
        let trees = &self.query.trees;
        let near_a = NearFeatures::new::<I>(self.query.a, a.0, b.1, |span| trees.span_in_b(span));
        let near_b = NearFeatures::new::<I>(self.query.b, b.0, a.1, |span| *span);
        if (near_a.corners_near | near_b.corners_near) != 0 {
            self.vertices(&near_a, &near_b)?;
        }
        // Of most pairs no side is near: the loops below are then not entered at all.
        if near_a.sides_near == 0 || near_b.sides_near == 0 {
            return ControlFlow::Continue(());
        }
        for first in bits(near_a.sides_near) {
            let reach = near_a.sides[first].as_query();
            for second in bits(near_b.sides_near) {
                if near_b.sides[second].overlaps::<I>(&reach) {
                    self.sides([&near_a, &near_b], [first, second])?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Assigned features of a triangle that are near another triangle.
struct NearFeatures {
    triangle: u32,
    corners: [u32; 3],
    /// Masks of the assigned corners and sides whose boxes overlap that of the other triangle.
    corners_near: u32,
    sides_near: u32,
    /// Boxes of the sides.
    sides: [SweptBox; 3],
}

impl NearFeatures {
    /// Assigned features of `triangle` near a box; `transform` maps boxes to the frame of that box.
    #[inline(always)]
    fn new<I: Isa>(
        model: &DeformingModel,
        triangle: u32,
        other: &SweptBox,
        transform: impl Fn(&SweptBox) -> SweptBox,
    ) -> Self {
        let corners = model.triangles[triangle as usize];
        let assigned = model.features.assigned[triangle as usize];
        let reach = other.as_query();
        let mut around = [SweptBox::EMPTY; 3];
        for corner in 0..3 {
            around[corner] = transform(model.tree.vertex(corners[corner]));
        }
        let (mut corners_near, mut sides_near, mut sides) = (0, 0, [SweptBox::EMPTY; 3]);
        for k in 0..3 {
            sides[k] = around[k].union(&around[(k + 1) % 3]);
            corners_near |= u32::from(around[k].overlaps::<I>(&reach)) << k;
            sides_near |= u32::from(sides[k].overlaps::<I>(&reach)) << k;
        }
        let (corners_near, sides_near) = (corners_near & assigned.corners(), sides_near & assigned.sides());
        Self { triangle, corners, corners_near, sides_near, sides }
    }

    #[inline(always)]
    fn side(&self, side: usize) -> [u32; 2] {
        [self.corners[side], self.corners[(side + 1) % 3]]
    }
}

/// Indices of the bits that are set.
#[inline(always)]
fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        index
    })
}

impl<S: Sink> FeatureTests<'_, '_, S> {
    /// Vertex–face tests of the near vertices of each triangle with the other one.
    fn vertices(&mut self, near_a: &NearFeatures, near_b: &NearFeatures) -> ControlFlow<()> {
        let (a, b) = (self.query.a, self.query.b);
        for corner in bits(near_a.corners_near) {
            let (vertex, face) = (near_a.corners[corner], near_b.triangle);
            if !self.is_corner(vertex, &near_b.corners) {
                self.vertex_face([a, b], vertex, &near_b.corners, Features::VertexFace { vertex, face })?;
            }
        }
        for corner in bits(near_b.corners_near) {
            let (vertex, face) = (near_b.corners[corner], near_a.triangle);
            if !self.is_corner(vertex, &near_a.corners) {
                // Within one mesh there is only one kind of vertex–face pair.
                let features = if self.query.is_within {
                    Features::VertexFace { vertex, face }
                } else {
                    Features::FaceVertex { face, vertex }
                };
                self.vertex_face([b, a], vertex, &near_a.corners, features)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Edge–edge test of a side of each triangle, unless they are adjacent.
    #[inline(always)]
    fn sides(&mut self, [a, b]: [&NearFeatures; 2], [first, second]: [usize; 2]) -> ControlFlow<()> {
        let (ends, others) = (a.side(first), b.side(second));
        if self.is_corner(ends[0], &others) || self.is_corner(ends[1], &others) {
            return ControlFlow::Continue(());
        }
        let of_a = self.query.a.features.sides[a.triangle as usize][first];
        let of_b = self.query.b.features.sides[b.triangle as usize][second];
        self.edge_edge([ends, others], [of_a, of_b])
    }

    /// Whether a vertex is adjacent to a feature with these corners.
    #[inline(always)]
    fn is_corner<const N: usize>(&self, vertex: u32, corners: &[u32; N]) -> bool {
        // Without branches; across two meshes equal indices mean nothing.
        let mut is_corner = false;
        for &corner in corners {
            is_corner |= corner == vertex;
        }
        is_corner && self.query.is_within
    }

    fn vertex_face(
        &mut self,
        [of_vertex, of_face]: [&DeformingModel; 2],
        vertex: u32,
        face: &[u32; 3],
        features: Features,
    ) -> ControlFlow<()> {
        let points = |v: &[Point3<f64>], f: &[Point3<f64>]| {
            [v[vertex as usize], f[face[0] as usize], f[face[1] as usize], f[face[2] as usize]]
        };
        let start = points(&of_vertex.start, &of_face.start);
        let end = points(&of_vertex.end, &of_face.end);
        match vertex_face_until(&start, &end, &self.query.options, self.sink.until()) {
            Some(contact) => self.sink.add(DeformingContact { features, contact }),
            None => ControlFlow::Continue(()),
        }
    }

    fn edge_edge(&mut self, [first, second]: [[u32; 2]; 2], edges: [u32; 2]) -> ControlFlow<()> {
        let (a, b) = (self.query.a, self.query.b);
        // Within one mesh the lower edge comes first, whatever the order of the traversal.
        let swapped = self.query.is_within && edges[0] > edges[1];
        let ([first, second], edges) =
            if swapped { ([second, first], [edges[1], edges[0]]) } else { ([first, second], edges) };
        // Ends in the order of `DeformingModel::edges`, to which the parameters of the contact refer.
        let points = |a: &[Point3<f64>], b: &[Point3<f64>]| {
            let ([i, j], [k, l]) = (sorted(first), sorted(second));
            [a[i as usize], a[j as usize], b[k as usize], b[l as usize]]
        };
        let (start, end) = (points(&a.start, &b.start), points(&a.end, &b.end));
        match edge_edge_until(&start, &end, &self.query.options, self.sink.until()) {
            Some(contact) => {
                self.sink.add(DeformingContact { features: Features::EdgeEdge { edges }, contact })
            }
            None => ControlFlow::Continue(()),
        }
    }
}

#[inline(always)]
fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    if a < b { [a, b] } else { [b, a] }
}
