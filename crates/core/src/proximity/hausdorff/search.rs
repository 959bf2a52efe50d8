//! The search: the part with the greatest upper bound is divided first, until the bounds meet.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use nalgebra::{Isometry3, Point3};
use rayon::prelude::*;

use super::answer::{Hausdorff, HausdorffOptions, Side};
use super::bar::{Allowed, Bar, Deviation};
use super::nearest::{Covered, Near, closest, find_covers};
use super::piece::Piece;
use super::side::OneSide;
use super::triangle::{Points, Triangle};
use crate::bvh::node::{Child, WIDTH};
use crate::bvh::packet::{NONE, PACKET};
use crate::bvh::tree::Subtree;
use crate::proximity::error::ProximityError;
use crate::proximity::model::Model;
use crate::proximity::placement::Placement;
use crate::proximity::triangle_distance::closest_on_triangle;

/// Rounding of a distance, relative to the coordinates that enter it.
const ROUNDING: f64 = 1e-14;
/// Distance up to which the tree tells what is closest [m]: its square is a number in single precision.
const FARTHEST: f64 = 1e18;
/// Points of each model that are looked at before anything is divided: a good lower bound spares most of the work.
const SAMPLES: usize = 64;
/// Parts that are divided before the bar that all are held against is raised.
const BATCH: usize = 1024;
/// Parts of a batch that one thread divides in a row.
const RUN: usize = 16;
/// Cuts of a piece that are made in a row.
const CUTS: usize = 16;
/// Cuts after which a piece is a point to within rounding, and is left as it is.
const DEEPEST: u32 = 1000;
/// A triangle about which nothing is known.
const BLANK: Covered = Covered {
    corners: [[0.0; 3]; 3],
    middle: [0.0; 3],
    nearest: Near { triangle: NONE, distance: f64::INFINITY },
    cover: Near { triangle: NONE, distance: f64::INFINITY },
};

/// A box this many times as great as what is good enough is divided without a look at its bound.
const HOPELESS: f64 = 1.0;

/// A question, checked.
pub(super) struct Search<'a> {
    sides: Vec<OneSide<'a>>,
    options: &'a HausdorffOptions,
    allowed: Allowed,
    /// What rounding may amount to [m].
    rounding: f64,
    /// How far the middles of the models are apart [m].
    apart: f64,
}

/// A part of a model with an upper bound of how far its points are from the other model.
struct Part {
    /// [m]
    upper: f64,
    /// Index of the side.
    side: usize,
    kind: Kind,
}

enum Kind {
    /// A subtree, and a triangle of the other model that is near.
    Subtree(Subtree, u32),
    /// A piece of a triangle.
    Piece(Box<Piece>),
}

/// A part that waits: the greatest bound first, then the oldest.
struct Waiting {
    part: Part,
    serial: u64,
}

impl<'a> Search<'a> {
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
            let placement = Placement::between(from, pose_of_from, to, pose_of_to);
            OneSide { side, from, to, placement, pose_of_to }
        };
        let sides = sides.iter().map(one_side).collect::<Vec<_>>();
        let (radii, apart) = (a.radius() + b.radius(), sides[0].placement.translation.norm());
        // Where squares overflow single precision any triangle may pass for the closest one.
        let unknown = if apart + radii < FARTHEST { 0.0 } else { 2.0 * radii };
        let rounding = ROUNDING * (radii + apart) + unknown;
        // Closest points of triangles come from products of four lengths, two of them of one model.
        let product = radii * (radii + apart);
        if !rounding.is_finite() || !(product * product).is_finite() {
            return Err(ProximityError::Overflow { length: apart });
        }
        let per_size = options.size_tolerance * a.radius().max(b.radius());
        // Less than rounding can tell apart is never reached.
        let absolute = options.absolute_tolerance.max(per_size).max(4.0 * rounding);
        let allowed = Allowed { relative: options.relative_tolerance, absolute, rounding: 2.0 * rounding };
        Ok(Self { sides, options, allowed, rounding, apart })
    }
}

fn check(options: &HausdorffOptions) -> Result<(), ProximityError> {
    ProximityError::check_not_negative([
        ("relative tolerance", options.relative_tolerance),
        ("size tolerance", options.size_tolerance),
        ("absolute tolerance", options.absolute_tolerance),
    ])
}

/// Divides parts until the bounds meet or the work is done.
pub(super) fn run(search: &Search) -> Result<Hausdorff, ProximityError> {
    let mut bar = Bar::new(search.allowed);
    let mut queue = BinaryHeap::new();
    let mut serial = 0;
    let mut wait = |queue: &mut BinaryHeap<Waiting>, part: Part| {
        serial += 1;
        queue.push(Waiting { part, serial });
    };
    for (index, side) in search.sides.iter().enumerate() {
        sample(side, &mut bar);
        let root = side.from.bvh().root();
        let hint = side.to.bvh().packets()[0].triangles[0];
        let near = side.near_box(&side.from.bvh().bounds(root), [hint; 2], &mut bar);
        wait(
            &mut queue,
            Part { upper: near.distance, side: index, kind: Kind::Subtree(root, near.triangle) },
        );
    }
    let (mut size, mut batch) = (1, Vec::new());
    while bar.evaluations < search.options.max_iterations {
        while batch.len() < size && queue.peek().is_some_and(|top| !(top.part.upper <= bar.target)) {
            batch.extend(queue.pop().map(|waiting| waiting.part));
        }
        if batch.is_empty() {
            break;
        }
        for (parts, learnt) in divide_all(search, &mut batch, &bar) {
            bar.merge(&learnt);
            for part in parts {
                wait(&mut queue, part);
            }
        }
        size = BATCH.min(2 * size);
    }
    let upper = queue.peek().map_or(0.0, |top| top.part.upper).max(bar.settled);
    outcome(search, &bar, upper)
}

/// Divides the parts of a batch, with all threads where that is allowed.
fn divide_all(search: &Search, batch: &mut Vec<Part>, bar: &Bar) -> Vec<(Vec<Part>, Bar)> {
    let divide_run = |parts: &mut [Option<Part>]| {
        let (mut made, mut bar) = (Vec::new(), bar.fresh());
        for part in parts.iter_mut().filter_map(Option::take) {
            divide(search, part, &mut made, &mut bar);
        }
        (made, bar)
    };
    let mut parts = batch.drain(..).map(Some).collect::<Vec<_>>();
    if search.options.parallel && parts.len() > RUN {
        parts.par_chunks_mut(RUN).map(divide_run).collect()
    } else {
        parts.chunks_mut(RUN).map(divide_run).collect()
    }
}

/// Raises the bar to the greatest distance of some points.
fn sample(side: &OneSide, bar: &mut Bar) {
    let packets = side.from.bvh().packets();
    let stride = packets.len().div_ceil(SAMPLES);
    let mut triangle = side.triangle(side.to.bvh().packets()[0].triangles[0]);
    for packet in packets.iter().step_by(stride) {
        let corners = side.placement.triangle(&packet.triangle(0));
        let point = Point3::from(corners[0]);
        let known = Near { triangle: triangle.index, distance: triangle.distance(&point) };
        bar.evaluations += 1;
        let nearest = closest(side.to.bvh(), &point, bar.lower, known, 1.0);
        if nearest.distance > bar.lower || bar.best.is_none() {
            bar.raise(Deviation { side: side.side, triangle: packet.triangles[0], point, nearest });
        }
        triangle = side.triangle(nearest.triangle);
    }
}

/// Divides one part, and keeps what is beyond the bar.
fn divide(search: &Search, part: Part, made: &mut Vec<Part>, bar: &mut Bar) {
    if bar.settles(part.upper) {
        return;
    }
    let side = &search.sides[part.side];
    match part.kind {
        Kind::Subtree(subtree, hint) => match side.from.bvh().child(subtree) {
            Some(Child::Inner(node)) => divide_node(side, &part, node, hint, made, bar),
            Some(Child::Leaf(leaf)) => divide_leaf(side, &part, leaf, hint, made, bar),
            None => {}
        },
        Kind::Piece(piece) => divide_piece(side, *piece, part.side, made, bar),
    }
}

/// Cuts a piece until all its parts are settled or there is enough of it; the farthest parts are kept.
fn divide_piece(side: &OneSide, piece: Piece, index: usize, made: &mut Vec<Part>, bar: &mut Bar) {
    let mut open = vec![piece];
    for _ in 0..CUTS {
        let Some(piece) = open.pop() else { return };
        for half in piece.cut(side, bar) {
            let upper = half.cover.distance;
            if half.depth() > DEEPEST {
                bar.give_up(upper);
            } else if !bar.settles(upper) {
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

fn divide_node(side: &OneSide, part: &Part, node: u32, hint: u32, made: &mut Vec<Part>, bar: &mut Bar) {
    let tree = side.from.bvh();
    let mut last = hint;
    for subtree in (0..WIDTH).map(|lane| Subtree::new(node, lane)) {
        if tree.child(subtree).is_none() {
            continue;
        }
        let bounds = tree.bounds(subtree);
        let half = bounds.half_extents();
        let radius_squared = half[0] * half[0] + half[1] * half[1] + half[2] * half[2];
        let mut near = Near { triangle: hint, distance: part.upper };
        if radius_squared <= (HOPELESS * bar.target).powi(2) {
            let found = side.near_box(&bounds, [last, hint], bar);
            last = found.triangle;
            near = Near { triangle: found.triangle, distance: found.distance.min(part.upper) };
        }
        if !bar.settles(near.distance) {
            let kind = Kind::Subtree(subtree, near.triangle);
            made.push(Part { upper: near.distance, side: part.side, kind });
        }
    }
}

fn divide_leaf(side: &OneSide, part: &Part, leaf: u32, hint: u32, made: &mut Vec<Part>, bar: &mut Bar) {
    let packet = side.from.bvh().packet(leaf);
    let hint = side.triangle(hint);
    let mut triangles = [BLANK; PACKET];
    let mut count = 0;
    for (lane, _) in packet.lanes() {
        triangles[lane] = known_near(&side.placement.triangle(&packet.triangle(lane)), &hint);
        count += 1;
    }
    let triangles = &mut triangles[..count];
    bar.evaluations +=
        triangles.iter().filter(|triangle| triangle.cover.distance > bar.target).count() as u64;
    find_covers(side.to.bvh(), triangles, bar.target);
    for (triangle, from) in triangles.iter().zip(packet.triangles) {
        if bar.settles(triangle.cover.distance.min(part.upper)) {
            continue;
        }
        let deviation = Deviation {
            side: side.side,
            triangle: from,
            point: triangle.middle.into(),
            nearest: triangle.nearest,
        };
        bar.raise(deviation);
        let piece =
            Piece::whole(side, from, &triangle.corners.map(Point3::from), triangle.nearest.triangle, bar);
        let upper = piece.cover.distance.min(part.upper);
        if !bar.settles(upper) {
            made.push(Part { upper, side: part.side, kind: Kind::Piece(Box::new(piece)) });
        }
    }
}

/// A triangle of the first model and what one triangle tells of what is near it.
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

fn outcome(search: &Search, bar: &Bar, upper: f64) -> Result<Hausdorff, ProximityError> {
    let best = bar.best.expect("points of every side are looked at first");
    if !upper.is_finite() || !best.nearest.distance.is_finite() {
        return Err(ProximityError::Overflow { length: search.apart });
    }
    let side = search.sides.iter().find(|side| side.side == best.side);
    let side = side.expect("a deviation belongs to a side that was asked about");
    let center = side.to.center();
    let nearest = side.to.mesh().triangle(best.nearest.triangle as usize).map(|p| Point3::from(p - center));
    let on_other = closest_on_triangle(&best.point, &nearest);
    let [far, near] = [best.point, on_other].map(|point| side.pose_of_to * (point + center.coords));
    let value = best.nearest.distance;
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
        converged: upper <= bar.target,
        evaluations: bar.evaluations,
    })
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.part.upper.total_cmp(&other.part.upper).then(other.serial.cmp(&self.serial))
    }
}
