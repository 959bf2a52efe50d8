//! Branch and bound: the part with the maximum upper bound is divided first, until the bounds meet.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::time::Instant;

use nalgebra::{Isometry3, Point3};

use super::answer::{Hausdorff, HausdorffOptions, Side};
use super::nearest::{Covered, Near, closest, find_covers};
use super::piece::Piece;
use super::pruning_bound::{Deviation, PruningBound, Tolerances};
use super::side::DirectedPair;
use super::triangle::{Points, Triangle};
use crate::bvh::node::{Child, WIDTH};
use crate::bvh::packet::{NONE, PACKET};
use crate::bvh::tree::Subtree;
use crate::parallel;
use crate::proximity::error::ProximityError;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;
use crate::proximity::triangle_distance::closest_on_triangle;

/// Rounding of a distance, relative to the coordinates that enter it.
const ROUNDING: f64 = 1e-14;
/// Maximum distance at which the tree finds the closest triangle [m]: its square is finite in single precision.
const MAX_DISTANCE: f64 = 1e18;
/// Points of each model that are evaluated before anything is divided: a good lower bound prunes most of the work. Each
/// costs one query.
const SAMPLES: usize = 64;
/// Maximum number of parts that are divided between updates of the common lower bound: more feed more threads, and are
/// divided in part for nothing. The result depends on it, not on the number of threads.
const BATCH: usize = 1024;
/// Parts of a batch that one task divides in a row, with a lower bound of its own.
const CHUNK: usize = 16;
/// Cuts of a piece in a row before its parts return to the queue: more use the cache better, and follow a piece that
/// may no longer be the worst.
const CUTS: usize = 16;
/// Number of cuts after which a piece is a point to within rounding and is settled.
const MAX_DEPTH: u32 = 1000;
/// A triangle near which nothing has been found.
const BLANK: Covered = Covered {
    corners: [[0.0; 3]; 3],
    middle: [0.0; 3],
    nearest: Near { triangle: NONE, distance: f64::INFINITY },
    cover: Near { triangle: NONE, distance: f64::INFINITY },
};

/// Radius of a box, relative to the target, above which it is divided without computing its bound, which would hardly
/// settle it. A smaller one divides more boxes, a larger one computes more bounds.
const MAX_BOUNDED_SIZE: f64 = 1.0;

/// A query with checked input.
pub(super) struct BranchAndBound<'a> {
    sides: Vec<DirectedPair<'a>>,
    options: &'a HausdorffOptions,
    tolerances: Tolerances,
    /// Bound of the rounding of a distance [m].
    rounding: f64,
    /// Distance of the centres of the models [m].
    apart: f64,
    /// Time at which the search ends.
    deadline: Option<Instant>,
}

/// A part of a model with an upper bound of the distances of its points from the other model.
struct Part {
    /// Upper bound [m].
    upper: f64,
    /// Index of the side.
    side: usize,
    kind: Kind,
}

enum Kind {
    /// A subtree and a triangle of the other model near it.
    Subtree(Subtree, u32),
    /// A piece of a triangle.
    Piece(Box<Piece>),
}

/// A part in the queue: the maximum bound first, then the oldest.
struct QueuedPart {
    part: Part,
    serial: u64,
}

impl<'a> BranchAndBound<'a> {
    pub(super) fn new(
        [a, b]: [&'a Model; 2],
        [pose_a, pose_b]: [&'a Isometry3<f64>; 2],
        sides: &[Side],
        options: &'a HausdorffOptions,
    ) -> Result<Self, ProximityError> {
        for (body, pose) in [('A', pose_a), ('B', pose_b)] {
            if !pose.to_homogeneous().iter().all(|x| x.is_finite()) {
                return Err(ProximityError::PoseNotFinite { body, pose: *pose });
            }
        }
        check(options)?;
        let one_side = |&side: &Side| {
            let [from, to] = if side == Side::A { [a, b] } else { [b, a] };
            let [pose_of_from, pose_of_to] =
                if side == Side::A { [pose_a, pose_b] } else { [pose_b, pose_a] };
            let relative_pose = RelativePose::between(from, pose_of_from, to, pose_of_to);
            DirectedPair { side, from, to, relative_pose, pose_of_to }
        };
        let sides = sides.iter().map(one_side).collect::<Vec<_>>();
        let (radii, apart) = (a.radius() + b.radius(), sides[0].relative_pose.translation.norm());
        // Where squares overflow single precision any triangle may be taken for the closest one.
        let unknown = if apart + radii < MAX_DISTANCE { 0.0 } else { 2.0 * radii };
        let rounding = ROUNDING * (radii + apart) + unknown;
        // Closest points of triangles come from products of four lengths, two of them of one model.
        let product = radii * (radii + apart);
        if !rounding.is_finite() || !(product * product).is_finite() {
            return Err(ProximityError::Overflow { length: apart });
        }
        let per_size = options.size_tolerance * a.radius().max(b.radius());
        // A difference below rounding is never reached.
        let absolute = options.absolute_tolerance.max(per_size).max(4.0 * rounding);
        let tolerances =
            Tolerances { relative: options.relative_tolerance, absolute, rounding: 2.0 * rounding };
        let deadline = options.time_budget.and_then(|budget| Instant::now().checked_add(budget));
        Ok(Self { sides, options, tolerances, rounding, apart, deadline })
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

fn check(options: &HausdorffOptions) -> Result<(), ProximityError> {
    ProximityError::check_not_negative([
        ("relative tolerance", options.relative_tolerance),
        ("size tolerance", options.size_tolerance),
        ("absolute tolerance", options.absolute_tolerance),
    ])
}

/// Divides parts until the bounds meet, or the iteration limit or the deadline is reached.
pub(super) fn run(search: &BranchAndBound) -> Result<Hausdorff, ProximityError> {
    let mut pruning = PruningBound::new(search.tolerances);
    let mut queue = BinaryHeap::new();
    let mut serial = 0;
    let mut wait = |queue: &mut BinaryHeap<QueuedPart>, part: Part| {
        serial += 1;
        queue.push(QueuedPart { part, serial });
    };
    for (index, side) in search.sides.iter().enumerate() {
        sample(search, side, &mut pruning);
        let root = side.from.bvh().root();
        let hint = side.to.bvh().packets()[0].triangles[0];
        let near = side.near_box(&side.from.bvh().bounds(root), [hint; 2], &mut pruning);
        wait(
            &mut queue,
            Part { upper: near.distance, side: index, kind: Kind::Subtree(root, near.triangle) },
        );
    }
    let (mut size, mut batch) = (1, Vec::new());
    while pruning.evaluations < search.options.max_iterations && !search.is_late() {
        while batch.len() < size && queue.peek().is_some_and(|top| !(top.part.upper <= pruning.target)) {
            batch.extend(queue.pop().map(|waiting| waiting.part));
        }
        if batch.is_empty() {
            break;
        }
        for (parts, found) in divide_all(search, &mut batch, &pruning) {
            pruning.merge(&found);
            for part in parts {
                wait(&mut queue, part);
            }
        }
        // The first batches are small: the lower bound rises most at the start.
        size = BATCH.min(2 * size);
    }
    // Every point is in a part that is queued or settled.
    let upper = queue.peek().map_or(0.0, |top| top.part.upper).max(pruning.settled);
    outcome(search, &pruning, upper)
}

/// Divides the parts of a batch, with all threads if the options allow it.
fn divide_all(
    search: &BranchAndBound,
    batch: &mut Vec<Part>,
    pruning: &PruningBound,
) -> Vec<(Vec<Part>, PruningBound)> {
    let divide_run = |parts: &mut [Option<Part>]| {
        let (mut made, mut pruning) = (Vec::new(), pruning.fresh());
        for part in parts.iter_mut().filter_map(Option::take) {
            if search.is_late() {
                made.push(part);
            } else {
                divide(search, part, &mut made, &mut pruning);
            }
        }
        (made, pruning)
    };
    let mut parts = batch.drain(..).map(Some).collect::<Vec<_>>();
    // The chunks are the same without threads, so the result is, too.
    if search.options.parallel && parts.len() > CHUNK {
        let mut runs = parts.chunks_mut(CHUNK).collect::<Vec<_>>();
        parallel::map_mut(&mut runs, 1, |_, run| divide_run(run))
    } else {
        parts.chunks_mut(CHUNK).map(divide_run).collect()
    }
}

/// Raises the lower bound to the maximum distance of some sample points, of one at least.
fn sample(search: &BranchAndBound, side: &DirectedPair, pruning: &mut PruningBound) {
    let packets = side.from.bvh().packets();
    // Leaves are in the order of the tree, so a stride spreads the samples, and the last closest triangle is a good
    // hint.
    let stride = packets.len().div_ceil(SAMPLES);
    let mut triangle = side.triangle(side.to.bvh().packets()[0].triangles[0]);
    for (i, packet) in packets.iter().step_by(stride).enumerate() {
        if i > 0 && search.is_late() {
            break;
        }
        let corners = side.relative_pose.triangle(&packet.triangle(0));
        let point = Point3::from(corners[0]);
        let known = Near { triangle: triangle.index, distance: triangle.distance(&point) };
        pruning.evaluations += 1;
        let nearest = closest(side.to.bvh(), &point, pruning.lower, known, 1.0);
        // The floor ends queries of points that cannot raise the bound.
        if nearest.distance > pruning.lower || pruning.best.is_none() {
            pruning.raise(Deviation { side: side.side, triangle: packet.triangles[0], point, nearest });
        }
        triangle = side.triangle(nearest.triangle);
    }
}

/// Divides one part; the parts that are not settled are appended to `made`.
fn divide(search: &BranchAndBound, part: Part, made: &mut Vec<Part>, pruning: &mut PruningBound) {
    if pruning.settles(part.upper) {
        return;
    }
    let side = &search.sides[part.side];
    match part.kind {
        Kind::Subtree(subtree, hint) => match side.from.bvh().child(subtree) {
            Some(Child::Inner(node)) => divide_node(side, &part, node, hint, made, pruning),
            Some(Child::Leaf(leaf)) => divide_leaf(side, &part, leaf, hint, made, pruning),
            None => {}
        },
        Kind::Piece(piece) => divide_piece(side, *piece, part.side, made, pruning),
    }
}

/// Cuts a piece until all its parts are settled or [`CUTS`] cuts are made; the parts that remain are appended to
/// `made`.
fn divide_piece(
    side: &DirectedPair,
    piece: Piece,
    index: usize,
    made: &mut Vec<Part>,
    pruning: &mut PruningBound,
) {
    let mut open = vec![piece];
    for _ in 0..CUTS {
        let Some(piece) = open.pop() else { return };
        for half in piece.cut(side, pruning) {
            let upper = half.cover.distance;
            if half.depth() > MAX_DEPTH {
                pruning.give_up(upper);
            } else if !pruning.settles(upper) {
                open.push(half);
            }
        }
    }
    let parts = open.into_iter().map(|piece| Part {
        upper: piece.cover.distance,
        side: index,
        kind: Kind::Piece(Box::new(piece)),
    });
    made.extend(parts);
}

/// Divides a subtree into the children of its node.
fn divide_node(
    side: &DirectedPair,
    part: &Part,
    node: u32,
    hint: u32,
    made: &mut Vec<Part>,
    pruning: &mut PruningBound,
) {
    let tree = side.from.bvh();
    let mut last = hint;
    for subtree in (0..WIDTH).map(|lane| Subtree::new(node, lane)) {
        if tree.child(subtree).is_none() {
            continue;
        }
        let bounds = tree.bounds(subtree);
        let half = bounds.half_extents();
        let radius_squared = half[0] * half[0] + half[1] * half[1] + half[2] * half[2];
        // The bound of the parent holds for its children.
        let mut near = Near { triangle: hint, distance: part.upper };
        if radius_squared <= (MAX_BOUNDED_SIZE * pruning.target).powi(2) {
            let found = side.near_box(&bounds, [last, hint], pruning);
            last = found.triangle;
            near = Near { triangle: found.triangle, distance: found.distance.min(part.upper) };
        }
        if !pruning.settles(near.distance) {
            let kind = Kind::Subtree(subtree, near.triangle);
            made.push(Part { upper: near.distance, side: part.side, kind });
        }
    }
}

/// Divides a leaf into its triangles.
fn divide_leaf(
    side: &DirectedPair,
    part: &Part,
    leaf: u32,
    hint: u32,
    made: &mut Vec<Part>,
    pruning: &mut PruningBound,
) {
    let packet = side.from.bvh().packet(leaf);
    let hint = side.triangle(hint);
    let mut triangles = [BLANK; PACKET];
    let mut count = 0;
    for (lane, _) in packet.lanes() {
        triangles[lane] = known_near(&side.relative_pose.triangle(&packet.triangle(lane)), &hint);
        count += 1;
    }
    let triangles = &mut triangles[..count];
    pruning.evaluations +=
        triangles.iter().filter(|triangle| triangle.cover.distance > pruning.target).count() as u64;
    find_covers(side.to.bvh(), triangles, pruning.target);
    for (triangle, from) in triangles.iter().zip(packet.triangles) {
        if pruning.settles(triangle.cover.distance.min(part.upper)) {
            continue;
        }
        let deviation = Deviation {
            side: side.side,
            triangle: from,
            point: triangle.middle.into(),
            nearest: triangle.nearest,
        };
        pruning.raise(deviation);
        // No single triangle covers this one: it is divided along the Voronoi diagram of the other model.
        let piece =
            Piece::whole(side, from, &triangle.corners.map(Point3::from), triangle.nearest.triangle, pruning);
        let upper = piece.cover.distance.min(part.upper);
        if !pruning.settles(upper) {
            made.push(Part { upper, side: part.side, kind: Kind::Piece(Box::new(piece)) });
        }
    }
}

/// A triangle of the first model with the distances of one triangle as initial bounds.
fn known_near(corners: &[[f64; 3]; 3], hint: &Triangle) -> Covered {
    let mut middle = [0.0; 3];
    for axis in 0..3 {
        middle[axis] = (corners[0][axis] + corners[1][axis] + corners[2][axis]) / 3.0;
    }
    let points = Points::of(&[corners[0].into(), corners[1].into(), corners[2].into(), middle.into()]);
    let distances = hint.distances(&points);
    let near = |distance: f64| Near { triangle: hint.index, distance };
    Covered {
        corners: *corners,
        middle,
        nearest: near(distances[3]),
        cover: near(distances[0].max(distances[1]).max(distances[2])),
    }
}

/// The result with its witnesses in the world.
fn outcome(search: &BranchAndBound, pruning: &PruningBound, upper: f64) -> Result<Hausdorff, ProximityError> {
    let best = pruning.best.expect("points of every side are sampled first");
    if !upper.is_finite() || !best.nearest.distance.is_finite() {
        return Err(ProximityError::Overflow { length: search.apart });
    }
    let side = search.sides.iter().find(|side| side.side == best.side);
    let side = side.expect("a deviation belongs to one of the sides");
    let center = side.to.center();
    let nearest = side.to.mesh().triangle(best.nearest.triangle as usize).map(|p| Point3::from(p - center));
    let on_other = closest_on_triangle(&best.point, &nearest);
    let [far, near] = [best.point, on_other].map(|point| side.pose_of_to * (point + center.coords));
    let value = best.nearest.distance;
    // The largest part may have been settled below the deviation of one of its points, by rounding.
    let upper_bound = upper.max(value) + search.rounding;
    let lower_bound = (value - search.rounding).max(0.0);
    let is_a = best.side == Side::A;
    let (i, j) = (best.triangle, best.nearest.triangle);
    Ok(Hausdorff {
        value,
        lower_bound,
        upper_bound,
        witnesses: if is_a { [far, near] } else { [near, far] },
        triangles: if is_a { [i, j] } else { [j, i] },
        farthest_on: best.side,
        converged: upper <= pruning.target,
        evaluations: pruning.evaluations,
    })
}

impl PartialEq for QueuedPart {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for QueuedPart {}

impl PartialOrd for QueuedPart {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for QueuedPart {
    fn cmp(&self, other: &Self) -> Ordering {
        self.part.upper.total_cmp(&other.part.upper).then(other.serial.cmp(&self.serial))
    }
}
