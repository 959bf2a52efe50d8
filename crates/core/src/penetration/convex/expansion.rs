//! Certified depth of two cores that overlap, by the expanding polytope algorithm (EPA) [vdBergen01].
//!
//! [vdBergen01] expands the face nearest to the origin. Here the search ends when two bounds meet: the minimum bound of
//! all faces proves a ball inside the difference, and the minimum support value over the directions evaluated is the length
//! of a translation that separates.

use nalgebra::Vector3;

use super::difference::{Difference, Vertex};
use super::gap::Gap;
use super::gjk::Touch;
use super::polytope::Polytope;
use super::simplex::{Nearest, Simplex};

/// The search for the depth at one pose.
pub(super) struct Expansion<'a, 'b> {
    pub(super) difference: &'a Difference<'b>,
    pub(super) polytope: &'a mut Polytope,
    pub(super) relative_tolerance: f64,
    pub(super) max_iterations: u32,
    pub(super) supports: &'a mut u32,
}

/// Bounds of the depth.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// The minimum support value so far [m] …
    upper: f64,
    /// … its direction …
    normal: Vector3<f64>,
    /// … and the face that had it.
    face: u16,
    /// A ball of this radius is inside the difference [m].
    lower: f64,
}

/// Thickness, in units of the rounding, below which the difference counts as flat and its depth is taken along its
/// normal, which exceeds the true depth by no more than the thickness. A safeguard against planes of noise through the
/// faces of slivers, without effect on the sets of docs/sensitivity.md.
const FLAT: f64 = 16.0;

/// Result of an expansion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expanded {
    pub(super) gap: Gap,
    /// The face of the polytope that gave the depth, at which the next search starts; none without a polytope.
    pub(super) face: Option<u16>,
}

impl Expansion<'_, '_> {
    /// The depth, starting from the simplex at which a descent ended.
    pub(super) fn start_at(&mut self, simplex: &Simplex, touch: &Touch) -> Expanded {
        match self.tetrahedron(simplex) {
            Ok(tetrahedron) => {
                self.polytope.start(&tetrahedron, self.difference);
                let (upper, normal) = touch.min.unwrap_or((f64::INFINITY, Vector3::zeros()));
                let bounds = Bounds { upper, lower: -touch.at_most, normal, face: 0 };
                self.polytope.collect(upper, self.difference);
                let expanded = self.run(bounds);
                self.polytope.mark_built();
                expanded.unwrap_or_else(|gap| Expanded { gap: self.at_simplex(gap, *simplex), face: None })
            }
            Err(flat) => Expanded { gap: flat, face: None },
        }
    }

    /// A gap with the witnesses of a simplex, unless that contains the origin.
    fn at_simplex(&self, gap: Gap, mut simplex: Simplex) -> Gap {
        let Nearest::At(_) = simplex.reduce() else { return gap };
        let [on_a, on_b] = simplex.witnesses();
        Gap { on_a, on_b: self.difference.of_b(&on_b), ..gap }
    }

    /// The depth, starting from the polytope of an earlier pose and the face that gave its depth; `None` if the polytope may no
    /// longer contain the origin, or its surface became invalid.
    pub(super) fn resume(&mut self, motion: f64, face: u16) -> Option<Expanded> {
        self.polytope.advance(motion);
        if self.polytope.needs_rebuild(self.difference) || !self.polytope.has(face) {
            return None;
        }
        // Recomputing all planes costs more than the search; the motion bound makes it unnecessary for small motions.
        if !self.polytope.surely_contains_origin() && !self.polytope.recompute(self.difference) {
            return None;
        }
        let plane = self.polytope.plane_at(face, self.difference);
        if !(plane.offset > 0.0) {
            return None;
        }
        let vertex = self.support_of(face, &plane.normal);
        let upper = plane.normal.dot(&vertex.point);
        self.polytope.collect(upper, self.difference);
        // The origin is inside, which proves a ball of radius zero.
        self.run(Bounds { upper, lower: 0.0, normal: plane.normal, face }).ok()
    }

    /// Expands faces, the nearest first. `Err` with the bounds proved so far when the surface became invalid or too large.
    fn run(&mut self, mut bounds: Bounds) -> Result<Expanded, Gap> {
        loop {
            let limit = bounds.upper - self.tolerance(bounds.upper);
            let Some((face, plane)) = self.polytope.nearest(limit) else {
                bounds.lower = bounds.lower.max(limit);
                return Ok(self.expanded(&bounds));
            };
            // The faces of a polytope beside the origin, which rounding may leave of cores that touch, prove no bound.
            if plane.offset >= 0.0 {
                bounds.lower = bounds.lower.max(plane.offset);
            }
            let vertex = self.support_of(face, &plane.normal);
            let depth = plane.normal.dot(&vertex.point);
            if depth < bounds.upper {
                bounds = Bounds { upper: depth, normal: plane.normal, face, ..bounds };
            }
            if depth - plane.offset <= self.tolerance(depth) || *self.supports >= self.max_iterations {
                return Ok(self.expanded(&bounds));
            }
            if !self.polytope.grow(face, &vertex, bounds.upper, self.difference) {
                return Err(self.expanded(&bounds).gap);
            }
        }
    }

    fn support(&mut self, direction: &Vector3<f64>, start: [u32; 2]) -> Vertex {
        *self.supports += 1;
        self.difference.support(direction, start)
    }

    /// The support along the normal of a face.
    fn support_of(&mut self, face: u16, normal: &Vector3<f64>) -> Vertex {
        *self.supports += 1;
        let in_b = self.difference.direction_in_b(normal);
        let start = self.polytope.start_of(face, normal, &in_b);
        self.difference.support_along(normal, &in_b, start)
    }

    fn tolerance(&self, depth: f64) -> f64 {
        if depth < f64::INFINITY { self.difference.tolerance(-depth, self.relative_tolerance) } else { 0.0 }
    }

    fn expanded(&mut self, bounds: &Bounds) -> Expanded {
        let Bounds { upper, lower, normal, face } = *bounds;
        // The face of the minimum support value may have been replaced by others that face the same way.
        let face = if self.polytope.is_at(face, &normal) { face } else { self.polytope.face_along(&normal) };
        let [on_a, on_b] = self.polytope.witnesses(face, self.tolerance(upper), self.difference);
        let on_b = self.difference.of_b(&on_b);
        let gap =
            Gap { value: -upper, at_most: -lower.min(upper), normal, on_a, on_b, supports: *self.supports };
        Expanded { gap, face: Some(face) }
    }

    /// A tetrahedron of extreme points that contains the origin; `Err` with the gap if the difference is flat.
    fn tetrahedron(&mut self, simplex: &Simplex) -> Result<Simplex, Gap> {
        let mut simplex = *simplex;
        if simplex.vertices().len() == 4 {
            if simplex.volume() > self.difference.noise() * simplex.extent().powi(2) {
                return Ok(simplex);
            }
            simplex.drop_flattest();
        }
        let containing = simplex;
        while simplex.vertices().len() < 4 {
            if let Err(normal) = self.raise(&mut simplex) {
                return Err(self.flat(containing, normal));
            }
        }
        Ok(simplex)
    }

    /// Adds the extreme point that is farthest from the affine hull of the simplex, along one of its perpendiculars; `Err` with a
    /// direction along which the difference is flat.
    fn raise(&mut self, simplex: &mut Simplex) -> Result<(), Vector3<f64>> {
        let base = simplex.vertices()[0];
        let mut farthest: Option<(f64, Vertex)> = None;
        for direction in simplex.perpendiculars() {
            let ends = [direction, -direction].map(|along| self.support(&along, base.vertices));
            let heights = ends.map(|end| direction.dot(&(end.point - base.point)).abs());
            if heights.iter().all(|height| *height <= FLAT * self.difference.noise()) {
                return Err(direction);
            }
            for (height, end) in heights.into_iter().zip(ends) {
                if farthest.is_none_or(|(max, _)| height > max) {
                    farthest = Some((height, end));
                }
            }
        }
        if let Some((_, end)) = farthest {
            simplex.push(end);
        }
        Ok(())
    }

    /// The gap of a flat difference along its normal, where a simplex contains the origin.
    fn flat(&mut self, containing: Simplex, normal: Vector3<f64>) -> Gap {
        let start = containing.vertices()[0].vertices;
        let [up, down] = [normal, -normal].map(|along| along.dot(&self.support(&along, start).point));
        let (depth, normal) = if up <= down { (up, normal) } else { (down, -normal) };
        let gap = Gap {
            value: -depth,
            at_most: -depth.min(0.0),
            normal,
            on_a: Vector3::zeros(),
            on_b: Vector3::zeros(),
            supports: *self.supports,
        };
        self.at_simplex(gap, containing)
    }
}
