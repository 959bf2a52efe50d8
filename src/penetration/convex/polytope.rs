//! A polytope inside the Minkowski difference, in flat arrays, that grows by extreme points.
//!
//! Its surface is a closed, oriented sphere of triangles around the origin. Each face has a *bound*: no point of
//! the triangle is nearer to the origin. So a ball whose radius is the least bound lies inside the polytope, and
//! inside the difference.
//!
//! The polytope outlives a query: its vertices are pairs of points fixed to the bodies. When these have moved, no point
//! of its surface has moved farther than a bound of the motion, and all bounds are lessened by it at once, by a
//! counter. Planes are computed again only for the faces that are asked for.

use nalgebra::Vector3;

use super::difference::{Difference, Vertex};
use super::simplex::Simplex;

/// A triangle, counter-clockwise from outside; edge `i` leads from corner `i` to corner `i + 1`.
#[derive(Debug, Clone, Copy)]
struct Face {
    plane: Plane,
    corners: [u16; 3],
    /// The edges that the neighbours have in common with these.
    links: [Link; 3],
    /// The pose at which the plane was computed.
    epoch: u32,
}

/// An edge of a face: the face times four, plus the edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Link(u32);

impl Link {
    const fn new(face: u16, edge: u8) -> Self {
        Self((face as u32) << 2 | edge as u32)
    }

    fn face(self) -> usize {
        (self.0 >> 2) as usize
    }

    fn edge(self) -> usize {
        (self.0 & 3) as usize
    }
}

/// A plane of a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plane {
    /// Unit normal, outwards.
    pub(super) normal: Vector3<f64>,
    /// Distance from the origin, negative where it is outside [m].
    pub(super) offset: f64,
}

/// An edge around the faces that are seen from a point.
#[derive(Debug, Clone, Copy)]
struct Horizon {
    /// The edge of the face that is not seen.
    link: Link,
    /// Where the edge begins, as the face that is seen has it …
    from: u16,
    /// … and where it ends.
    to: u16,
}

/// A face that may be too near to the origin.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    key: f64,
    face: u16,
}

/// A vertex, and the pose at which its point was computed.
#[derive(Debug, Clone, Copy)]
struct Corner {
    vertex: Vertex,
    epoch: u32,
}

/// The triangles around the origin.
#[derive(Debug, Clone, Default)]
struct Surface {
    corners: Vec<Corner>,
    faces: Vec<Face>,
    /// Bound of each face plus the motion up to its computation [m]; infinite for faces that are gone.
    keys: Vec<f64>,
    /// Counts the poses.
    epoch: u32,
    /// How far any point of the difference has moved since the first pose, at most [m].
    moved: f64,
}

/// A polytope around the origin.
#[derive(Debug, Clone, Default)]
pub(super) struct Polytope {
    surface: Surface,
    /// Places of faces that are gone.
    free: Vec<u16>,
    candidates: Vec<Candidate>,
    horizon: Vec<Horizon>,
    stack: Vec<Link>,
    /// Corners when the search from scratch had ended.
    built: usize,
}

/// Surfaces larger than this are not kept up: a new one is built instead.
pub(super) const MAX_FACES: usize = 1 << 13;

/// Corners that may come in the course of a motion. A search from scratch costs as much as a dozen of them.
const WEAR: usize = 256;

/// Faces that are crossed at most on the way to the foot of the origin.
const STROLL: usize = 64;

const GONE: f64 = f64::INFINITY;

/// Bound of a face without area, which bounds nothing: its edges belong to others.
const UNBOUNDED: f64 = f64::MAX;

impl Polytope {
    /// A tetrahedron with the origin in it or on it.
    pub(super) fn start(&mut self, simplex: &Simplex, difference: &Difference) {
        self.clear();
        let surface = &mut self.surface;
        surface.corners.extend(simplex.vertices().iter().map(|&vertex| Corner { vertex, epoch: 0 }));
        let p = |i: usize| surface.corners[i].vertex.point;
        let volume = (p(1) - p(0)).cross(&(p(2) - p(0))).dot(&(p(3) - p(0)));
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

    /// The face that faces most in a direction.
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

    /// Notes that the search from scratch has ended.
    pub(super) fn settle(&mut self) {
        self.built = self.surface.corners.len();
    }

    /// Whether so many corners have come since the search from scratch that another one is due: those that are no longer
    /// used keep their places.
    pub(super) fn is_worn(&self) -> bool {
        self.surface.corners.len() > self.built + WEAR
    }

    /// Lessens all bounds by a motion [m].
    pub(super) fn advance(&mut self, motion: f64) {
        self.surface.epoch += 1;
        self.surface.moved += motion;
    }

    /// The least bound of all faces [m], at whatever pose they were computed.
    pub(super) fn least_bound(&self) -> f64 {
        self.surface.keys.iter().copied().fold(GONE, f64::min) - self.surface.moved
    }

    /// Computes all planes again; `false` if one has the origin outside.
    pub(super) fn recompute(&mut self, difference: &Difference) -> bool {
        let surface = &mut self.surface;
        (0..surface.faces.len()).all(|face| {
            surface.keys[face] >= GONE || {
                surface.update(face, difference);
                surface.faces[face].plane.offset > 0.0
            }
        })
    }

    /// Puts all faces with a bound below `limit` [m] at the present pose among the candidates.
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

    /// The candidate with the least bound, if one is below `limit` [m].
    pub(super) fn nearest(&mut self, limit: f64) -> Option<(u16, Plane)> {
        let limit = limit + self.surface.moved;
        let mut best = Candidate { key: limit, face: u16::MAX };
        let mut index = 0;
        while index < self.candidates.len() {
            let candidate = self.candidates[index];
            #[expect(clippy::float_cmp, reason = "out of date once the key of the face has changed")]
            let gone = self.surface.keys[candidate.face as usize] != candidate.key;
            if gone || !(candidate.key < limit) {
                self.candidates.swap_remove(index);
                continue;
            }
            if candidate.key < best.key {
                best = candidate;
            }
            index += 1;
        }
        (best.face < u16::MAX).then(|| (best.face, self.surface.faces[best.face as usize].plane))
    }

    /// The plane of a face at the present pose.
    pub(super) fn plane_at(&mut self, face: u16, difference: &Difference) -> Plane {
        self.surface.update(face as usize, difference);
        self.surface.faces[face as usize].plane
    }

    /// Whether there is such a face, with this normal at the present pose.
    pub(super) fn is_at(&self, face: u16, normal: &Vector3<f64>) -> bool {
        self.has(face) && {
            let face = &self.surface.faces[face as usize];
            face.epoch == self.surface.epoch && face.plane.normal == *normal
        }
    }

    /// Whether there is such a face.
    pub(super) fn has(&self, face: u16) -> bool {
        self.surface.keys.get(face as usize).is_some_and(|key| *key < GONE)
    }

    /// Where the searches for the support of a face start: at the corners of it that reach farthest, of A and of B.
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
        for _ in 0..STROLL {
            let Face { plane, corners, links, .. } = *surface.update(face as usize, difference);
            let foot = plane.normal * plane.offset;
            let p = corners.map(|corner| surface.corners[corner as usize].vertex.point - foot);
            // Of each corner, by the edge opposite to it.
            let weight = |from: usize, to: usize| p[from].cross(&p[to]).dot(&plane.normal);
            weights = [weight(1, 2), weight(2, 0), weight(0, 1)];
            let least =
                (0..3).fold(0, |best, corner| if weights[corner] < weights[best] { corner } else { best });
            if weights[least] >= 0.0 {
                break;
            }
            let beside = links[AROUND[least].0].face();
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

    /// Replaces all faces that `vertex` sees, from `first` on, by those that lead to it; those nearer than `limit` [m]
    /// are candidates. `false` if they are no disk, or a new face has the origin outside by more than the noise: then
    /// the surface is of no more use.
    pub(super) fn grow(&mut self, first: u16, vertex: &Vertex, limit: f64, difference: &Difference) -> bool {
        // From inside, no new face is nearer than the first; the start may have the origin outside by rounding.
        let least = self.surface.faces[first as usize].plane.offset.min(0.0) - difference.noise();
        self.find_horizon(first, &vertex.point, difference);
        let count = self.horizon.len();
        if count < 3 || self.surface.faces.len() >= MAX_FACES {
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
                if !(planes.tilt[lane] <= difference.noise()) {
                    (plane, bound) = self.surface.upright([from, to, apex]);
                }
                sound &= from == expected && plane.offset >= least;
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
            // A face in whose plane the point lies is seen: with it would come triangles without area.
            if face.plane.normal.dot(point) >= face.plane.offset - noise {
                // `extend` by an array would be twice as long.
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

impl Surface {
    /// The face, with its plane at the present pose.
    #[inline]
    fn update(&mut self, face: usize, difference: &Difference) -> &Face {
        if self.faces[face].epoch != self.epoch {
            self.repose(face, difference);
        }
        &self.faces[face]
    }

    fn repose(&mut self, face: usize, difference: &Difference) {
        let corners = self.faces[face].corners;
        for corner in corners {
            let corner = &mut self.corners[corner as usize];
            if corner.epoch != self.epoch {
                corner.vertex.point = difference.point(&corner.vertex.on_a, &corner.vertex.on_b);
                corner.epoch = self.epoch;
            }
        }
        let (plane, bound) = self.plane_of(corners, difference);
        self.keys[face] = bound + self.moved;
        let face = &mut self.faces[face];
        (face.plane, face.epoch) = (plane, self.epoch);
    }

    /// The plane of three corners, and the bound of their triangle [m].
    #[inline]
    fn plane_of(&self, corners: [u16; 3], difference: &Difference) -> (Plane, f64) {
        let p = corners.map(|corner| self.corners[corner as usize].vertex.point);
        let (to, from) = (p[1] - p[0], p[2] - p[0]);
        let cross = to.cross(&from);
        let normal = cross * (1.0 / cross.norm());
        // So that a triangle without area, whose normal is no number, is taken for a sliver as well.
        if !(normal.dot(&to).abs() + normal.dot(&from).abs() <= difference.noise()) {
            return self.upright(corners);
        }
        let offset = normal.dot(&p[0]);
        (Plane { normal, offset }, offset)
    }

    /// The plane and the bound of a sliver. Rounding tilts the normal along the longest edge, to which it is made perpendicular again;
    /// no corner is nearer to the origin than the offset, however much is left of the tilt.
    #[cold]
    #[inline(never)]
    fn upright(&self, corners: [u16; 3]) -> (Plane, f64) {
        let p = corners.map(|corner| self.corners[corner as usize].vertex.point);
        let edges = [p[1] - p[0], p[2] - p[1], p[0] - p[2]];
        let squares = edges.map(|edge| edge.norm_squared());
        let longest = (0..3).fold(0, |best, edge| if squares[edge] > squares[best] { edge } else { best });
        let (next, last) = AROUND[longest];
        let tilted = edges[next].cross(&edges[last]).try_normalize(0.0).unwrap_or_default();
        let along = edges[longest] * (tilted.dot(&edges[longest]) / squares[longest]);
        let Some(normal) = (tilted - along).try_normalize(0.5) else {
            return (Plane { normal: Vector3::zeros(), offset: 0.0 }, UNBOUNDED);
        };
        let offset = p.iter().map(|point| normal.dot(point)).fold(f64::INFINITY, f64::min);
        (Plane { normal, offset }, offset)
    }

    /// Joins two consecutive faces around an apex.
    #[inline]
    fn join(&mut self, face: u16, next: u16) {
        self.faces[face as usize].links[1] = Link::new(next, 2);
        self.faces[next as usize].links[2] = Link::new(face, 1);
    }

    /// Puts a face in a free place, or in a new one.
    #[inline]
    fn place(&mut self, face: Face, key: f64, free: Option<u16>) -> u16 {
        if let Some(place) = free {
            self.faces[place as usize] = face;
            self.keys[place as usize] = key;
            return place;
        }
        self.faces.push(face);
        self.keys.push(key);
        (self.faces.len() - 1) as u16
    }
}

/// Corners and links of a tetrahedron whose fourth vertex is in front of the first three.
const TETRAHEDRON: [([u16; 3], [Link; 3]); 4] = [
    ([0, 2, 1], [Link::new(3, 0), Link::new(2, 0), Link::new(1, 0)]),
    ([0, 1, 3], [Link::new(0, 2), Link::new(2, 2), Link::new(3, 1)]),
    ([1, 2, 3], [Link::new(0, 1), Link::new(3, 2), Link::new(1, 1)]),
    ([2, 0, 3], [Link::new(0, 0), Link::new(1, 2), Link::new(2, 1)]),
];

/// The edges after an edge; four, so that no index of two bits is out of range.
const AROUND: [(usize, usize); 4] = [(1, 2), (2, 0), (0, 1), (0, 0)];

/// Planes that are computed at once.
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
    /// How far the corners are off the plane [m].
    tilt: [f64; LANES],
}

impl Planes {
    fn plane(&self, lane: usize) -> Plane {
        Plane { normal: Vector3::new(self.x[lane], self.y[lane], self.z[lane]), offset: self.offset[lane] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faces_of_a_tetrahedron_are_joined_by_their_common_edges() {
        for (corners, links) in TETRAHEDRON {
            for edge in 0..3 {
                let (other, back) = TETRAHEDRON[links[edge].face()];
                let ends = |corners: [u16; 3], edge: usize| [corners[edge], corners[(edge + 1) % 3]];
                let [from, to] = ends(corners, edge);
                assert_eq!(ends(other, links[edge].edge()), [to, from]);
                assert_eq!(TETRAHEDRON[back[links[edge].edge()].face()].0, corners);
            }
        }
    }
}
