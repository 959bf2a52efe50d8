//! The growth of a polytope by a vertex: the faces that see it are replaced by a fan around it.

use nalgebra::Vector3;

use super::Polytope;
use super::candidates::Candidate;
use super::surface::{AROUND, Corner, Face, GONE, Horizon, Link, Plane, UNBOUNDED};
use crate::penetration::convex::difference::{Difference, Vertex};

/// Maximum number of faces; a surface that would exceed it is discarded. At the default 1000 supports a cold search
/// stays far below it; it bounds the memory and the index width of a search with more. A safeguard, without effect on
/// the sets of docs/sensitivity.md.
const MAX_FACES: usize = 1 << 13;
/// Corner indices have 16 bits; unused corners keep their places.
const MAX_CORNERS: usize = u16::MAX as usize;

impl Polytope {
    /// Replaces all faces that `vertex` sees, starting at `first`, by a fan around it; new faces nearer than `limit` [m]
    /// become candidates. `false` if the visible faces are not a disk, or a new face has the origin outside by more than
    /// rounding: then the surface is invalid.
    pub(in crate::penetration::convex) fn grow(
        &mut self,
        first: u16,
        vertex: &Vertex,
        limit: f64,
        difference: &Difference,
    ) -> bool {
        // With the origin inside, no new face is nearer than the first; the initial surface may have it outside by rounding.
        let min = self.surface.faces[first as usize].plane.offset.min(0.0) - difference.noise();
        self.find_horizon(first, &vertex.point, difference);
        let count = self.horizon.len();
        let is_full = self.surface.faces.len() >= MAX_FACES || self.surface.corners.len() >= MAX_CORNERS;
        if count < 3 || is_full {
            return false;
        }
        let apex = self.surface.corners.len() as u16;
        self.surface.corners.push(Corner { vertex: *vertex, epoch: self.surface.epoch });
        let (limit, moved, epoch) = (limit + self.surface.moved, self.surface.moved, self.surface.epoch);
        let mut sound = true;
        let mut expected = self.horizon[count - 1].to;
        let (mut before, mut start) = (None, None);
        for begin in (0..count).step_by(LANES) {
            let planes = self.planes(begin, &vertex.point);
            let lanes = LANES.min(count - begin);
            for (lane, horizon) in self.horizon[begin..begin + lanes].iter().enumerate() {
                let Horizon { link, from, to } = *horizon;
                let (mut plane, mut bound) = (planes.plane(lane), planes.bound[lane]);
                // The vectorised plane is wrong for slivers; few faces are, so they are recomputed one by one.
                if !(planes.tilt[lane] <= difference.noise()) {
                    (plane, bound) = self.surface.upright([from, to, apex]);
                }
                sound &= from == expected && plane.offset >= min;
                expected = to;
                let key = bound + moved;
                let links = [link, Link::new(0, 2), Link::new(0, 1)];
                let face = Face { plane, corners: [from, to, apex], links, epoch };
                let place = self.surface.place(face, key, self.free.pop());
                self.surface.faces[link.face()].links[link.edge()] = Link::new(place, 0);
                if let Some(before) = before {
                    self.surface.join(before, place);
                }
                (before, start) = (Some(place), start.or(Some(place)));
                if key < limit {
                    self.candidates.push(Candidate { key, face: place });
                }
            }
        }
        if let (Some(last), Some(first)) = (before, start) {
            self.surface.join(last, first);
        }
        sound
    }

    /// The planes through an apex and consecutive edges of the horizon.
    fn planes(&self, begin: usize, apex: &Vector3<f64>) -> Planes {
        let [mut x, mut y, mut z] = [[0.0; LANES + 1]; 3];
        // The last edge ends where the first one begins.
        let close = [self.horizon[0]; LANES + 1];
        let around = self.horizon[begin..].iter().chain(&close).take(LANES + 1);
        for (lane, corner) in around.enumerate() {
            let point = &self.surface.corners[corner.from as usize].vertex.point;
            (x[lane], y[lane], z[lane]) = (point.x - apex.x, point.y - apex.y, point.z - apex.z);
        }
        let mut planes = Planes::default();
        for k in 0..LANES {
            let cross = [
                y[k] * z[k + 1] - z[k] * y[k + 1],
                z[k] * x[k + 1] - x[k] * z[k + 1],
                x[k] * y[k + 1] - y[k] * x[k + 1],
            ];
            let area_squared = cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2];
            let has_area = area_squared > 0.0;
            let scale = if has_area { 1.0 / area_squared.sqrt() } else { 0.0 };
            planes.x[k] = cross[0] * scale;
            planes.y[k] = cross[1] * scale;
            planes.z[k] = cross[2] * scale;
            planes.offset[k] = planes.x[k] * apex.x + planes.y[k] * apex.y + planes.z[k] * apex.z;
            planes.bound[k] = if has_area { planes.offset[k] } else { UNBOUNDED };
            let first = planes.x[k] * x[k] + planes.y[k] * y[k] + planes.z[k] * z[k];
            let second = planes.x[k] * x[k + 1] + planes.y[k] * y[k + 1] + planes.z[k] * z[k + 1];
            planes.tilt[k] = first.abs() + second.abs();
        }
        planes
    }

    /// Removes the faces that a point sees and collects the edges around them, counter-clockwise.
    fn find_horizon(&mut self, first: u16, point: &Vector3<f64>, difference: &Difference) {
        let Self { surface, free, horizon, stack, .. } = self;
        horizon.clear();
        stack.clear();
        let noise = difference.noise();
        let links = surface.faces[first as usize].links;
        surface.keys[first as usize] = GONE;
        free.push(first);
        stack.push(links[2]);
        stack.push(links[1]);
        stack.push(links[0]);
        while let Some(link) = stack.pop() {
            let index = link.face();
            if surface.keys[index] >= GONE {
                continue;
            }
            let face = surface.update(index, difference);
            let (next, last) = AROUND[link.edge()];
            // A face whose plane contains the point counts as visible: otherwise triangles without area would arise.
            if face.plane.normal.dot(point) >= face.plane.offset - noise {
                // Two pushes: `extend` by an array would compile to twice the code in this loop.
                stack.push(face.links[last]);
                stack.push(face.links[next]);
                surface.keys[index] = GONE;
                free.push(index as u16);
            } else {
                horizon.push(Horizon { link, from: face.corners[next], to: face.corners[link.edge()] });
            }
        }
    }
}

/// Planes that are computed at once: one vector of four doubles.
const LANES: usize = 4;

/// Planes of faces around an apex.
#[derive(Default)]
struct Planes {
    x: [f64; LANES],
    y: [f64; LANES],
    z: [f64; LANES],
    offset: [f64; LANES],
    /// No point of the face is nearer to the origin [m].
    bound: [f64; LANES],
    /// Distance of the corners from the plane [m].
    tilt: [f64; LANES],
}

impl Planes {
    fn plane(&self, lane: usize) -> Plane {
        Plane { normal: Vector3::new(self.x[lane], self.y[lane], self.z[lane]), offset: self.offset[lane] }
    }
}
