//! The crossings of the curves of one model with the triangles of another one.
//!
//! A crossing is decided by the signs of five volumes. One that is within rounding of zero, and that the others do not
//! make irrelevant, leaves the segment *uncertain*: no curve through it proves anything.

use std::time::Instant;

use nalgebra::{Matrix3, Vector3};

use super::collision::pairs_within_of_trees;
use super::curves_and_patches::curve_graph::{CurveGraph, NO_SEGMENT};
use super::curves_and_patches::patches::PatchesOfModel;
use super::relative_pose::RelativePose;
use super::work_limit::WorkLimit;

/// Rounding of a volume, relative to the size of the models times the squares of the lengths that enter it: some fifty
/// units in the last place.
const ROUNDING: f64 = 1e-14;
/// Gap up to which triangles are taken as candidates, relative to the size: above the rounding of the traversal.
const CANDIDATES: f64 = 1e-11;

/// A segment of a curve crosses a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Crossing {
    pub(crate) segment: u32,
    pub(crate) triangle: u32,
    /// 1 if the segment leads from the back of the triangle to its front, otherwise −1.
    pub(crate) sign: i32,
}

/// Crossings of the curves of one model.
#[derive(Debug, Default)]
pub(crate) struct CrossingsOfCurves {
    pub(crate) all: Vec<Crossing>,
    /// Segments of which it is not certain that all their crossings are known, in no order, some repeatedly.
    pub(crate) uncertain: Vec<u32>,
}

impl CrossingsOfCurves {
    fn clear(&mut self) {
        self.all.clear();
        self.uncertain.clear();
    }

    /// Adds the crossings of the segments that `carrier` carries with the triangle of these corners.
    #[inline]
    fn add(&mut self, graph: &CurveGraph, carrier: u32, triangle: (u32, &[Vector3<f64>; 3]), place: &Place) {
        for segment in graph.carried[carrier as usize] {
            if segment == NO_SEGMENT {
                continue;
            }
            match place.crossing(&graph.segments[segment as usize], triangle.1) {
                Verdict::Crosses(sign) => self.all.push(Crossing { segment, triangle: triangle.0, sign }),
                Verdict::Uncertain => self.uncertain.push(segment),
                Verdict::Misses => {}
            }
        }
    }
}

/// All crossings in one relative placement.
#[derive(Debug, Default)]
pub(crate) struct Crossings {
    /// Those of the curves of A with the triangles of B, and the reverse.
    pub(crate) of: [CrossingsOfCurves; 2],
    pairs: Vec<[u32; 2]>,
}

/// Pairs of subtrees that a search for crossings may visit, at less than a microsecond each. A safeguard against surfaces all of
/// whose triangles are near each other.
const MAX_VISITS: u64 = 1 << 21;
/// Pairs of triangles between looks at the clock: less than a millisecond.
const BETWEEN_LOOKS: usize = 1 << 12;

impl Crossings {
    /// Finds the crossings of the curves of each model with the triangles of the other one; `poses` map the tree of A to that
    /// of B, and back. False where the deadline passes, or the bound on work is met, before all are
    /// found.
    pub(crate) fn find(
        &mut self,
        graphs: [&CurveGraph; 2],
        [a, b]: &[PatchesOfModel; 2],
        poses: &[RelativePose; 2],
        (size, deadline): (f64, Option<Instant>),
    ) -> bool {
        let translation = poses[0].rotation * a.origin() + poses[0].translation - b.origin();
        let between_trees = RelativePose::new(poses[0].rotation, translation, size);
        self.of.iter_mut().for_each(CrossingsOfCurves::clear);
        self.pairs.clear();
        let candidates = CANDIDATES * size;
        let trees = [a.tree(), b.tree()];
        let limit = WorkLimit::new(MAX_VISITS, deadline);
        if !pairs_within_of_trees(trees, &between_trees, candidates, limit, &mut self.pairs) {
            return false;
        }
        let places = poses.each_ref().map(|pose| Place {
            rotation: pose.rotation,
            translation: pose.translation,
            rounding: ROUNDING * size,
        });
        let [of_a, of_b] = &mut self.of;
        for some in self.pairs.chunks(BETWEEN_LOOKS) {
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return false;
            }
            for &[i, j] in some {
                of_a.add(graphs[0], i, (j, &b.corners(j)), &places[0]);
                of_b.add(graphs[1], j, (i, &a.corners(i)), &places[1]);
            }
        }
        true
    }
}

/// Result of a test of a segment and a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Misses,
    Crosses(i32),
    Uncertain,
}

/// The placement of the curves relative to the patches.
struct Place {
    rotation: Matrix3<f64>,
    translation: Vector3<f64>,
    /// Rounding of a volume over the squared lengths that enter it [m].
    rounding: f64,
}

impl Place {
    fn crossing(&self, segment: &[Vector3<f64>; 2], corners: &[Vector3<f64>; 3]) -> Verdict {
        // Every segment that ends at a vertex gets the same bits for it.
        let [p, q] = segment.map(|end| self.rotation * end + self.translation);
        let [a, b, c] = corners;
        let [ab, ac, ap, aq] = [b - a, c - a, p - a, q - a];
        let normal = ab.cross(&ac);
        let longest = [ab, ac, ap, aq].iter().map(Vector3::norm_squared).fold(0.0, f64::max);
        let rounding = self.rounding * longest;
        let (at_p, at_q) = (normal.dot(&ap), normal.dot(&aq));
        if at_p.min(at_q) > rounding || at_p.max(at_q) < -rounding {
            return Verdict::Misses;
        }
        let along = q - p;
        // Volumes of the segment with each side: all of one sign if its line passes through the triangle.
        let [pa, pb, pc] = [a - p, b - p, c - p];
        let beside = [pa.cross(&pb), pb.cross(&pc), pc.cross(&pa)].map(|area| along.dot(&area));
        let min = beside.iter().copied().fold(f64::INFINITY, f64::min);
        let max = beside.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if min < -rounding && max > rounding {
            return Verdict::Misses;
        }
        let is_through = min > rounding || max < -rounding;
        let is_across = at_p.min(at_q) < -rounding && at_p.max(at_q) > rounding;
        match (is_through && is_across, at_q > at_p) {
            (true, true) => Verdict::Crosses(1),
            (true, false) => Verdict::Crosses(-1),
            (false, _) => Verdict::Uncertain,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::geometry::Solidity;
    use crate::geometry::procedural::{Procedural, Torus};
    use crate::proximity::model::Model;
    use crate::proximity::tests::Noise;

    #[test]
    fn a_segment_crosses_where_its_line_meets_the_plane_inside_the_triangle() {
        let mut noise = Noise(8);
        let place = Place { rotation: Matrix3::identity(), translation: Vector3::zeros(), rounding: 1e-14 };
        let mut crossed = 0;
        for _ in 0..2000 {
            let corners: [Vector3<f64>; 3] = std::array::from_fn(|_| noise.vector());
            let segment: [Vector3<f64>; 2] = std::array::from_fn(|_| noise.vector());
            // The system p + t (q − p) = a + u (b − a) + v (c − a).
            let (from, along) = (segment[0] - corners[0], segment[0] - segment[1]);
            let system = Matrix3::from_columns(&[along, corners[1] - corners[0], corners[2] - corners[0]]);
            let solved = system.lu().solve(&from).unwrap();
            let (t, u, v) = (solved[0], solved[1], solved[2]);
            let crosses = (0.0..=1.0).contains(&t) && u >= 0.0 && v >= 0.0 && u + v <= 1.0;
            let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            let sign = if normal.dot(&along) < 0.0 { 1 } else { -1 };
            let expected = if crosses { Verdict::Crosses(sign) } else { Verdict::Misses };
            assert_eq!(place.crossing(&segment, &corners), expected);
            crossed += usize::from(crosses);
        }
        assert!(crossed > 50, "{crossed}");
    }

    #[test]
    fn a_segment_through_an_edge_or_a_vertex_is_uncertain() {
        let place = Place { rotation: Matrix3::identity(), translation: Vector3::zeros(), rounding: 1e-14 };
        let corners = [Vector3::zeros(), Vector3::x(), Vector3::y()];
        for (x, y, expected) in [
            (0.3, 0.3, Verdict::Crosses(1)),
            (0.5, 0.5, Verdict::Uncertain),
            (0.0, 0.0, Verdict::Uncertain),
            (0.0, 0.4, Verdict::Uncertain),
            (-0.1, 0.4, Verdict::Misses),
        ] {
            let at = Vector3::new(x, y, 0.0);
            assert_eq!(
                place.crossing(&[at - Vector3::z(), at + Vector3::z()], &corners),
                expected,
                "{x} {y}"
            );
        }
        let touching = [Vector3::new(0.2, 0.2, 0.0), Vector3::new(0.2, 0.2, 1.0)];
        assert_eq!(place.crossing(&touching, &corners), Verdict::Uncertain);
    }

    #[test]
    fn a_search_after_the_deadline_finds_nothing_and_leaves_nothing_behind() {
        let model = Model::new(Torus::default().mesh().unwrap(), Solidity::Solid);
        let ((graph, of_a), (_, of_b)) =
            (model.curves_and_patches().unwrap(), model.curves_and_patches().unwrap());
        let patches = [of_a, of_b];
        let there = RelativePose::new(Matrix3::identity(), Vector3::new(0.3, 0.1, 0.05), 1.0);
        let poses = [there, there.inverse()];
        let mut crossings = Crossings::default();
        let mut find = |deadline: Option<Instant>| {
            let is_complete = crossings.find([graph; 2], &patches, &poses, (2.0 * model.radius(), deadline));
            is_complete.then(|| crossings.of.each_ref().map(|of| of.all.clone()))
        };
        let all = find(None).unwrap();
        assert!(all.iter().all(|of| !of.is_empty()));
        assert_eq!(find(Some(Instant::now())), None);
        assert_eq!(find(Some(Instant::now() + Duration::from_secs(3600))), Some(all.clone()));
        assert_eq!(find(None), Some(all));
    }
}
