//! A polytope inside the Minkowski difference, in flat arrays, that grows by extreme points.
//!
//! Its surface is a closed, oriented sphere of triangles around the origin. Each face has a *bound*: no point of
//! the triangle is nearer to the origin. So a ball whose radius is the minimum bound lies inside the polytope, and
//! inside the difference.
//!
//! The polytope outlives a query: its vertices are pairs of points fixed to the bodies. When these have moved, no point
//! of its surface has moved farther than a bound of the motion, and all bounds are lowered by it at once, by a
//! counter. Planes are recomputed only for the faces that are visited.

mod candidates;
mod growth;
mod surface;

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use self::candidates::{Candidate, Candidates};
pub(super) use self::surface::Plane;
use self::surface::{AROUND, Corner, Face, GONE, Horizon, Link, Surface, TETRAHEDRON};
use super::difference::Difference;
use super::simplex::Simplex;

/// A polytope around the origin.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Polytope {
    surface: Surface,
    /// Slots of removed faces.
    free: Vec<u16>,
    #[serde(skip)]
    candidates: Candidates,
    #[serde(skip)]
    horizon: Vec<Horizon>,
    #[serde(skip)]
    stack: Vec<Link>,
    /// Corners at the end of the last search from scratch.
    built: usize,
}

/// Corners that warm-started searches may add before the polytope is rebuilt: unused corners cost memory and their
/// faces are scanned by every query. Half and twice change values by at most 2e-10 m, the supports by +0.17 % and
/// < 0.1 %, the instructions by < 0.1 % (docs/sensitivity.md).
const MAX_NEW_CORNERS: usize = 256;

/// Maximum number of faces crossed towards the foot of the origin. The foot is mostly in the first or the next face;
/// beyond this the nearest point of the face reached is the witness. A safeguard, without effect on the sets of
/// docs/sensitivity.md.
const MAX_CROSSINGS: usize = 64;

impl Polytope {
    /// Starts over with a tetrahedron that contains the origin.
    pub(super) fn start(&mut self, simplex: &Simplex, difference: &Difference) {
        self.clear();
        let surface = &mut self.surface;
        surface.corners.extend(simplex.vertices().iter().map(|&vertex| Corner { vertex, epoch: 0 }));
        let p = |i: usize| surface.corners[i].vertex.point;
        let volume = (p(1) - p(0)).cross(&(p(2) - p(0))).dot(&(p(3) - p(0)));
        // The table of links assumes the fourth vertex in front of the first three.
        if volume < 0.0 {
            surface.corners.swap(0, 1);
        }
        for (corners, links) in TETRAHEDRON {
            let (plane, bound) = surface.plane_of(corners, difference);
            surface.faces.push(Face { plane, corners, links, epoch: 0 });
            surface.keys.push(bound);
        }
    }

    fn clear(&mut self) {
        self.surface.corners.clear();
        self.surface.faces.clear();
        self.surface.keys.clear();
        (self.surface.epoch, self.surface.moved) = (0, 0.0);
        self.free.clear();
        self.candidates.clear();
    }

    /// The face whose normal is nearest to a direction.
    pub(super) fn face_along(&self, direction: &Vector3<f64>) -> u16 {
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, (face, key)) in self.surface.faces.iter().zip(&self.surface.keys).enumerate() {
            let along = face.plane.normal.dot(direction);
            if *key < GONE && along > best.0 {
                best = (along, index as u16);
            }
        }
        best.1
    }

    /// Records the size at the end of a search from scratch.
    pub(super) fn mark_built(&mut self) {
        self.built = self.surface.corners.len();
    }

    /// Whether another search from scratch is due: too many corners have been added since the last one (unused ones keep
    /// their places), or the accumulated motion is so long that the bounds lose digits to it.
    pub(super) fn needs_rebuild(&self, difference: &Difference) -> bool {
        let Surface { corners, moved, .. } = &self.surface;
        corners.len() > self.built + MAX_NEW_CORNERS || moved * f64::EPSILON > difference.noise()
    }

    /// Lowers all bounds by a motion [m].
    pub(super) fn advance(&mut self, motion: f64) {
        self.surface.epoch += 1;
        self.surface.moved += motion;
    }

    /// Whether no face can have reached the origin since its bound was computed.
    pub(super) fn surely_contains_origin(&self) -> bool {
        let moved = self.surface.moved;
        self.surface.keys.iter().all(|key| *key > moved)
    }

    /// Recomputes all planes; `false` if one has the origin outside.
    pub(super) fn recompute(&mut self, difference: &Difference) -> bool {
        let surface = &mut self.surface;
        (0..surface.faces.len()).all(|face| {
            surface.keys[face] >= GONE || {
                surface.update(face, difference);
                surface.faces[face].plane.offset > 0.0
            }
        })
    }

    /// Makes all faces with a bound below `limit` [m] at the present pose the candidates.
    pub(super) fn collect(&mut self, limit: f64, difference: &Difference) {
        self.candidates.clear();
        let limit = limit + self.surface.moved;
        for face in 0..self.surface.keys.len() {
            if self.surface.keys[face] < limit {
                self.surface.update(face, difference);
                let key = self.surface.keys[face];
                if key < limit {
                    self.candidates.push(Candidate { key, face: face as u16 });
                }
            }
        }
    }

    /// The candidate with the minimum bound, if one is below `limit` [m].
    pub(super) fn nearest(&mut self, limit: f64) -> Option<(u16, Plane)> {
        let limit = limit + self.surface.moved;
        let found = self.candidates.nearest(&self.surface.keys, limit)?;
        Some((found.face, self.surface.faces[found.face as usize].plane))
    }

    /// The plane of a face at the present pose.
    pub(super) fn plane_at(&mut self, face: u16, difference: &Difference) -> Plane {
        self.surface.update(face as usize, difference);
        self.surface.faces[face as usize].plane
    }

    /// Whether the face exists and has this normal at the present pose.
    pub(super) fn is_at(&self, face: u16, normal: &Vector3<f64>) -> bool {
        self.has(face) && {
            let face = &self.surface.faces[face as usize];
            face.epoch == self.surface.epoch && face.plane.normal == *normal
        }
    }

    /// Whether the face exists.
    pub(super) fn has(&self, face: u16) -> bool {
        self.surface.keys.get(face as usize).is_some_and(|key| *key < GONE)
    }

    /// Start vertices of the support search for a face: its corners that are farthest along the normal, on A and on B.
    pub(super) fn start_of(&self, face: u16, normal: &Vector3<f64>, in_b: &Vector3<f64>) -> [u32; 2] {
        let corners = self.surface.faces[face as usize]
            .corners
            .map(|corner| &self.surface.corners[corner as usize].vertex);
        let heights_a = corners.map(|corner| corner.on_a.dot(normal));
        let heights_b = corners.map(|corner| corner.on_b.dot(in_b));
        let farthest = |heights: [f64; 3]| {
            let first = if heights[1] > heights[0] { 1 } else { 0 };
            if heights[2] > heights[first] { 2 } else { first }
        };
        [corners[farthest(heights_a)].vertices[0], corners[farthest(heights_b)].vertices[1]]
    }

    /// The witnesses of the foot of the origin on the nearest plane, each in its own frame [m]. The search starts at a
    /// face in that plane; the foot may be on another one beside it, farther from the origin by no more than `slack` [m].
    pub(super) fn witnesses(
        &mut self,
        mut face: u16,
        slack: f64,
        difference: &Difference,
    ) -> [Vector3<f64>; 2] {
        let surface = &mut self.surface;
        let mut weights = [1.0; 3];
        for _ in 0..MAX_CROSSINGS {
            let Face { plane, corners, links, .. } = *surface.update(face as usize, difference);
            let foot = plane.normal * plane.offset;
            let p = corners.map(|corner| surface.corners[corner as usize].vertex.point - foot);
            // Of each corner, by the edge opposite to it.
            let weight = |from: usize, to: usize| p[from].cross(&p[to]).dot(&plane.normal);
            weights = [weight(1, 2), weight(2, 0), weight(0, 1)];
            let min =
                (0..3).fold(0, |best, corner| if weights[corner] < weights[best] { corner } else { best });
            if weights[min] >= 0.0 {
                break;
            }
            // The foot lies beyond the edge opposite to the corner with the most negative weight.
            let beside = links[AROUND[min].0].face();
            if surface.update(beside, difference).plane.offset > plane.offset + slack {
                break;
            }
            face = beside as u16;
        }
        let corners =
            surface.faces[face as usize].corners.map(|corner| surface.corners[corner as usize].vertex);
        let sum = weights[0] + weights[1] + weights[2];
        if weights.iter().any(|weight| *weight < 0.0) || !(sum > 0.0) {
            // Beyond the edge of the plane, or without area: the point of the face nearest to the origin.
            let mut simplex = Simplex::default();
            corners.into_iter().for_each(|corner| simplex.push(corner));
            simplex.reduce();
            return simplex.witnesses();
        }
        let scale = 1.0 / sum;
        let mut witnesses = [Vector3::zeros(); 2];
        for (corner, weight) in corners.iter().zip(weights) {
            witnesses[0] += corner.on_a * (weight * scale);
            witnesses[1] += corner.on_b * (weight * scale);
        }
        witnesses
    }
}
