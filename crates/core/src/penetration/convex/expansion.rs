//! The depth of two cores that overlap, certified, by a polytope that grows until no face is too near.
//!
//! [vdBergen01] expands the face nearest to the origin. Here the search ends when two bounds meet: the least bound of
//! all faces proves a ball inside the difference, and the least support value over the directions tried is a
//! translation that separates.

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

/// What is known of the depth.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// The least support value so far [m] …
    upper: f64,
    /// … its direction …
    normal: Vector3<f64>,
    /// … and the face that had it.
    face: u16,
    /// A ball of this radius is inside the difference [m].
    lower: f64,
}

/// A difference thinner than this many times the rounding is flat: planes through its faces would be noise.
const FLAT: f64 = 16.0;

/// What a search came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expanded {
    pub(super) gap: Gap,
    /// The face of the polytope with the answer, which the next search starts at; none without a polytope.
    pub(super) face: Option<u16>,
}

impl Expansion<'_, '_> {
    /// The depth, from where a descent ended.
    pub(super) fn start_at(&mut self, simplex: &Simplex, touch: &Touch) -> Expanded {
        match self.tetrahedron(simplex) {
            Ok(tetrahedron) => {
                self.polytope.start(&tetrahedron, self.difference);
                let (upper, normal) = touch.least.unwrap_or((f64::INFINITY, Vector3::zeros()));
                let bounds = Bounds { upper, lower: -touch.at_most, normal, face: 0 };
                self.polytope.collect(upper, self.difference);
                let expanded = self.run(bounds);
                self.polytope.settle();
                expanded.unwrap_or_else(|gap| Expanded { gap: self.at_simplex(gap, *simplex), face: None })
            }
            Err(flat) => Expanded { gap: flat, face: None },
        }
    }

    /// A gap with the witnesses of a simplex, unless that holds the origin.
    fn at_simplex(&self, gap: Gap, mut simplex: Simplex) -> Gap {
        let Nearest::At(_) = simplex.reduce() else { return gap };
        let [on_a, on_b] = simplex.witnesses();
        Gap { on_a, on_b: self.difference.of_b(&on_b), ..gap }
    }

    /// The depth, from the polytope of an earlier pose and the face of its answer; `None` if it may not hold the
    /// origin any more, or broke.
    pub(super) fn resume(&mut self, motion: f64, face: u16) -> Option<Expanded> {
        self.polytope.advance(motion);
        if self.polytope.is_worn(self.difference) || !self.polytope.has(face) {
            return None;
        }
        if !self.polytope.has_kept_off() && !self.polytope.recompute(self.difference) {
            return None;
        }
        let plane = self.polytope.plane_at(face, self.difference);
        if !(plane.offset > 0.0) {
            return None;
        }
        let vertex = self.support_of(face, &plane.normal);
        let upper = plane.normal.dot(&vertex.point);
        self.polytope.collect(upper, self.difference);
        // The origin is inside: a ball of no radius is.
        self.run(Bounds { upper, lower: 0.0, normal: plane.normal, face }).ok()
    }

    /// Expands faces, the nearest first. `Err` with what was proved when the surface broke, or grew too large.
    fn run(&mut self, mut bounds: Bounds) -> Result<Expanded, Gap> {
        loop {
            let limit = bounds.upper - self.tolerance(bounds.upper);
            let Some((face, plane)) = self.polytope.nearest(limit) else {
                bounds.lower = bounds.lower.max(limit);
                return Ok(self.expanded(&bounds));
            };
            // Of a polytope beside the origin, which rounding may leave of cores that touch, no face bounds anything.
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
        // The face of the least support value may have been replaced by others that face the same way.
        let face = if self.polytope.is_at(face, &normal) { face } else { self.polytope.face_along(&normal) };
        let [on_a, on_b] = self.polytope.witnesses(face, self.tolerance(upper), self.difference);
        let on_b = self.difference.of_b(&on_b);
        let gap =
            Gap { value: -upper, at_most: -lower.min(upper), normal, on_a, on_b, supports: *self.supports };
        Expanded { gap, face: Some(face) }
    }

    /// A tetrahedron of extreme points with the origin in it or on it; the gap, if the difference is flat.
    fn tetrahedron(&mut self, simplex: &Simplex) -> Result<Simplex, Gap> {
        let mut simplex = *simplex;
        if simplex.vertices().len() == 4 {
            if simplex.volume() > self.difference.noise() * simplex.extent().powi(2) {
                return Ok(simplex);
            }
            simplex.drop_flattest();
        }
        let holding = simplex;
        while simplex.vertices().len() < 4 {
            if let Err(normal) = self.raise(&mut simplex) {
                return Err(self.flat(holding, normal));
            }
        }
        Ok(simplex)
    }

    /// Adds the extreme point that is farthest from the space of the simplex, along one of its perpendiculars; `Err` with a
    /// direction along which the difference is flat.
    fn raise(&mut self, simplex: &mut Simplex) -> Result<(), Vector3<f64>> {
        let base = simplex.vertices()[0];
        let mut farthest: Option<(f64, Vertex)> = None;
        for direction in simplex.perpendiculars() {
            let ends = [direction, -direction].map(|way| self.support(&way, base.vertices));
            let heights = ends.map(|end| direction.dot(&(end.point - base.point)).abs());
            if heights.iter().all(|height| *height <= FLAT * self.difference.noise()) {
                return Err(direction);
            }
            for (height, end) in heights.into_iter().zip(ends) {
                if farthest.is_none_or(|(most, _)| height > most) {
                    farthest = Some((height, end));
                }
            }
        }
        if let Some((_, end)) = farthest {
            simplex.push(end);
        }
        Ok(())
    }

    /// The gap of a flat difference, along its normal, where a simplex holds the origin.
    fn flat(&mut self, holding: Simplex, normal: Vector3<f64>) -> Gap {
        let start = holding.vertices()[0].vertices;
        let [up, down] = [normal, -normal].map(|way| way.dot(&self.support(&way, start).point));
        let (depth, normal) = if up <= down { (up, normal) } else { (down, -normal) };
        let gap = Gap {
            value: -depth,
            at_most: -depth.min(0.0),
            normal,
            on_a: Vector3::zeros(),
            on_b: Vector3::zeros(),
            supports: *self.supports,
        };
        self.at_simplex(gap, holding)
    }
}
