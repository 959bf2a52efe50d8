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
    /// The faces across the edges …
    neighbors: [u16; 3],
    /// … and the same edges as these count them.
    twins: [u8; 3],
    /// The pose at which the plane was computed.
    epoch: u32,
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
    /// The face that is not seen …
    face: u16,
    /// … and the edge as it counts it.
    edge: u8,
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

/// A polytope around the origin.
#[derive(Debug, Clone, Default)]
pub(super) struct Polytope {
    vertices: Vec<Vertex>,
    /// The pose at which the point of each vertex was computed.
    posed: Vec<u32>,
    faces: Vec<Face>,
    /// Bound of each face plus the motion up to its computation [m]; infinite for faces that are gone.
    keys: Vec<f64>,
    /// Places of faces that are gone.
    free: Vec<u16>,
    candidates: Vec<Candidate>,
    horizon: Vec<Horizon>,
    /// Coordinates of the edges from the apex to the horizon.
    spokes: [Vec<f64>; 3],
    ring: Vec<u16>,
    stack: Vec<(u16, u8)>,
    epoch: u32,
    /// How far any point of the difference has moved since the first pose, at most [m].
    moved: f64,
}

/// Surfaces larger than this are not kept up: a new one is built instead.
pub(super) const MAX_FACES: usize = 1 << 13;

const GONE: f64 = f64::INFINITY;

impl Polytope {
    /// A tetrahedron with the origin in it or on it.
    pub(super) fn start(&mut self, simplex: &Simplex) {
        self.clear();
        self.vertices.extend_from_slice(simplex.vertices());
        self.posed.resize(4, self.epoch);
        let p = |i: usize| self.vertices[i].point;
        let volume = (p(1) - p(0)).cross(&(p(2) - p(0))).dot(&(p(3) - p(0)));
        if volume < 0.0 {
            self.vertices.swap(0, 1);
        }
        const CORNERS: [[u16; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        for corners in CORNERS {
            let plane = self.plane_of(corners);
            let face = Face { plane, corners, neighbors: [0; 3], twins: [0; 3], epoch: self.epoch };
            self.faces.push(face);
            self.keys.push(bound(&face.plane) + self.moved);
        }
        for i in 0..4 {
            for edge in 0..3 {
                let (from, to) = (CORNERS[i][edge], CORNERS[i][(edge + 1) % 3]);
                let other = (0..4).flat_map(|j| (0..3).map(move |e| (j, e)));
                let mut twin = other.filter(|&(j, e)| CORNERS[j][e] == to && CORNERS[j][(e + 1) % 3] == from);
                if let Some((j, e)) = twin.next() {
                    self.faces[i].neighbors[edge] = j as u16;
                    self.faces[i].twins[edge] = e as u8;
                }
            }
        }
    }

    fn clear(&mut self) {
        self.vertices.clear();
        self.posed.clear();
        self.faces.clear();
        self.keys.clear();
        self.free.clear();
        self.candidates.clear();
        self.epoch = 0;
        self.moved = 0.0;
    }

    /// The face with the least bound.
    pub(super) fn nearest_of_all(&self) -> u16 {
        let nearer = |best: usize, face: usize| if self.keys[face] < self.keys[best] { face } else { best };
        (0..self.keys.len()).fold(0, nearer) as u16
    }

    /// Lessens all bounds by a motion [m].
    pub(super) fn advance(&mut self, motion: f64) {
        self.epoch += 1;
        self.moved += motion;
    }

    /// The least bound of all faces [m], of stale ones as well.
    pub(super) fn least_bound(&self) -> f64 {
        self.keys.iter().copied().fold(GONE, f64::min) - self.moved
    }

    /// Computes all planes again; `false` if one has the origin outside.
    pub(super) fn recompute(&mut self, difference: &Difference) -> bool {
        for face in 0..self.faces.len() {
            if self.keys[face] < GONE {
                self.update(face, difference);
                if !(self.faces[face].plane.offset > 0.0) {
                    return false;
                }
            }
        }
        true
    }

    /// Puts all faces with a bound below `limit` [m] among the candidates.
    pub(super) fn collect(&mut self, limit: f64) {
        self.candidates.clear();
        let limit = limit + self.moved;
        for (face, &key) in self.keys.iter().enumerate() {
            if key < limit {
                self.candidates.push(Candidate { key, face: face as u16 });
            }
        }
    }

    /// The candidate with the least bound, if one is below `limit` [m], with a plane of the present pose.
    pub(super) fn nearest(&mut self, limit: f64, difference: &Difference) -> Option<(u16, Plane)> {
        loop {
            let limit = limit + self.moved;
            let mut best: Option<(usize, f64)> = None;
            let mut index = 0;
            while index < self.candidates.len() {
                let Candidate { key, face } = self.candidates[index];
                #[expect(
                    clippy::float_cmp,
                    reason = "a candidate is out of date once the key of its face has changed"
                )]
                let stale = self.keys[face as usize] != key;
                if stale || !(key < limit) {
                    self.candidates.swap_remove(index);
                    continue;
                }
                if best.is_none_or(|(_, least)| key < least) {
                    best = Some((index, key));
                }
                index += 1;
            }
            let (index, _) = best?;
            let face = self.candidates[index].face;
            if self.faces[face as usize].epoch == self.epoch {
                return Some((face, self.plane(face)));
            }
            self.update(face as usize, difference);
            self.candidates[index].key = self.keys[face as usize];
        }
    }

    /// The face with the plane, at the present pose.
    pub(super) fn plane_at(&mut self, face: u16, difference: &Difference) -> Plane {
        self.update(face as usize, difference);
        self.plane(face)
    }

    /// Whether there is such a face, with this normal at the present pose.
    pub(super) fn is_at(&self, face: u16, normal: &Vector3<f64>) -> bool {
        self.has(face) && {
            let face = &self.faces[face as usize];
            face.epoch == self.epoch && face.plane.normal == *normal
        }
    }

    /// Whether there is such a face.
    pub(super) fn has(&self, face: u16) -> bool {
        self.keys.get(face as usize).is_some_and(|key| *key < GONE)
    }

    fn plane(&self, face: u16) -> Plane {
        self.faces[face as usize].plane
    }

    /// Where the searches for the support of a face start: at a corner of it.
    pub(super) fn start_of(&self, face: u16) -> [u32; 2] {
        self.vertices[self.faces[face as usize].corners[0] as usize].vertices
    }

    /// The witnesses of the foot of the origin on the nearest plane, each in its own frame [m]. The search starts at a
    /// face in that plane; the foot may be on another one beside it.
    pub(super) fn witnesses(&mut self, face: u16, difference: &Difference) -> [Vector3<f64>; 2] {
        let mut face = face;
        for _ in 0..self.faces.len() {
            self.update(face as usize, difference);
            let Face { plane, corners, neighbors, .. } = self.faces[face as usize];
            let foot = plane.normal * plane.offset;
            let p = corners.map(|corner| self.vertices[corner as usize].point - foot);
            let outside = |edge: usize| p[edge].cross(&p[AROUND[edge].0]).dot(&plane.normal);
            let across = (0..3).min_by(|one, other| outside(*one).total_cmp(&outside(*other))).unwrap_or(0);
            let beside = neighbors[across] as usize;
            if outside(across) >= 0.0 {
                break;
            }
            self.update(beside, difference);
            if self.faces[beside].plane.offset > plane.offset + difference.noise() {
                break;
            }
            face = beside as u16;
        }
        let mut simplex = Simplex::default();
        let corners = self.faces[face as usize].corners;
        corners.into_iter().for_each(|corner| simplex.push(self.vertices[corner as usize]));
        simplex.reduce();
        simplex.witnesses()
    }

    fn update(&mut self, face: usize, difference: &Difference) {
        if self.faces[face].epoch == self.epoch {
            return;
        }
        for corner in self.faces[face].corners {
            let corner = corner as usize;
            if self.posed[corner] != self.epoch {
                let vertex = &mut self.vertices[corner];
                vertex.point = difference.point(&vertex.on_a, &vertex.on_b);
                self.posed[corner] = self.epoch;
            }
        }
        let plane = self.plane_of(self.faces[face].corners);
        self.keys[face] = bound(&plane) + self.moved;
        let face = &mut self.faces[face];
        (face.plane, face.epoch) = (plane, self.epoch);
    }

    fn plane_of(&self, corners: [u16; 3]) -> Plane {
        let p = corners.map(|corner| self.vertices[corner as usize].point);
        let cross = (p[1] - p[0]).cross(&(p[2] - p[0]));
        let area_squared = cross.norm_squared();
        let normal = if area_squared > 0.0 { cross * (1.0 / area_squared.sqrt()) } else { Vector3::zeros() };
        Plane { normal, offset: normal.dot(&p[0]) }
    }

    /// Replaces all faces that `vertex` sees, from `first` on, by those that lead to it; those nearer than `limit` [m]
    /// are candidates. `false` if they are no disk, or a new face has the origin outside by more than the noise: then
    /// the surface is of no more use.
    pub(super) fn grow(&mut self, first: u16, vertex: &Vertex, limit: f64, difference: &Difference) -> bool {
        self.find_horizon(first, &vertex.point, difference);
        let count = self.horizon.len();
        if count < 3 || self.vertices.len() >= usize::from(u16::MAX) || self.faces.len() >= MAX_FACES {
            return false;
        }
        let apex = self.vertices.len() as u16;
        self.vertices.push(*vertex);
        self.posed.push(self.epoch);
        // From inside a face nearer than before cannot come; the first may have the origin outside by a rounding of the start.
        let least = self.faces[first as usize].plane.offset.min(0.0) - difference.noise();
        let mut sound = self.gather_spokes(&vertex.point);
        let limit = limit + self.moved;
        self.ring.clear();
        for begin in (0..count).step_by(LANES) {
            let planes = self.planes(begin, &vertex.point);
            for lane in 0..LANES.min(count - begin) {
                let Horizon { face: outer, edge, from, to } = self.horizon[begin + lane];
                let plane = Plane { normal: planes.normal(lane), offset: planes.offset[lane] };
                sound &= plane.offset >= least;
                let key = bound(&plane) + self.moved;
                let face = Face {
                    plane,
                    corners: [from, to, apex],
                    neighbors: [outer, 0, 0],
                    twins: [edge, 2, 1],
                    epoch: self.epoch,
                };
                let place = self.place(face, key);
                let outer = &mut self.faces[outer as usize];
                (outer.neighbors[edge as usize], outer.twins[edge as usize]) = (place, 0);
                self.ring.push(place);
                if key < limit {
                    self.candidates.push(Candidate { key, face: place });
                }
            }
        }
        let mut before = self.ring[count - 1];
        for &face in &self.ring {
            self.faces[before as usize].neighbors[1] = face;
            self.faces[face as usize].neighbors[2] = before;
            before = face;
        }
        sound
    }

    /// The edges from the apex to the corners of the horizon, the first again at the end; `false` if the horizon is no
    /// loop.
    fn gather_spokes(&mut self, apex: &Vector3<f64>) -> bool {
        self.spokes.iter_mut().for_each(Vec::clear);
        let mut expected = self.horizon[self.horizon.len() - 1].to;
        let mut sound = true;
        for corner in &self.horizon {
            sound &= corner.from == expected;
            expected = corner.to;
            let spoke = self.vertices[corner.from as usize].point - apex;
            (0..3).for_each(|axis| self.spokes[axis].push(spoke[axis]));
        }
        for spokes in &mut self.spokes {
            let first = spokes[0];
            spokes.resize(self.horizon.len().next_multiple_of(LANES) + 1, first);
        }
        sound
    }

    /// The planes of the faces between consecutive spokes.
    fn planes(&self, begin: usize, apex: &Vector3<f64>) -> Planes {
        let [x, y, z] = [0, 1, 2].map(|axis| {
            let spokes = &self.spokes[axis][begin..=begin + LANES];
            std::array::from_fn::<f64, { LANES + 1 }, _>(|lane| spokes[lane])
        });
        let mut planes = Planes { normals: [[0.0; LANES]; 3], offset: [0.0; LANES] };
        for k in 0..LANES {
            let cross = [
                y[k] * z[k + 1] - z[k] * y[k + 1],
                z[k] * x[k + 1] - x[k] * z[k + 1],
                x[k] * y[k + 1] - y[k] * x[k + 1],
            ];
            let area_squared = cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2];
            let scale = if area_squared > 0.0 { 1.0 / area_squared.sqrt() } else { 0.0 };
            let normal = cross.map(|x| x * scale);
            (0..3).for_each(|axis| planes.normals[axis][k] = normal[axis]);
            planes.offset[k] = normal[0] * apex.x + normal[1] * apex.y + normal[2] * apex.z;
        }
        planes
    }

    fn place(&mut self, face: Face, key: f64) -> u16 {
        if let Some(place) = self.free.pop() {
            self.faces[place as usize] = face;
            self.keys[place as usize] = key;
            return place;
        }
        self.faces.push(face);
        self.keys.push(key);
        (self.faces.len() - 1) as u16
    }

    /// Removes the faces that a point sees and collects the edges around them, counter-clockwise.
    fn find_horizon(&mut self, first: u16, point: &Vector3<f64>, difference: &Difference) {
        self.horizon.clear();
        self.stack.clear();
        self.remove(first);
        let around = |face: &Face, edge: usize| (face.neighbors[edge], face.twins[edge]);
        let face = &self.faces[first as usize];
        self.stack.extend([around(face, 2), around(face, 1), around(face, 0)]);
        while let Some((index, edge)) = self.stack.pop() {
            if self.keys[index as usize] == GONE {
                continue;
            }
            let mut face = &self.faces[index as usize];
            if face.epoch != self.epoch {
                self.update(index as usize, difference);
                face = &self.faces[index as usize];
            }
            let (next, last) = AROUND[edge as usize];
            // A face in whose plane the vertex lies is seen: with it would come triangles without area.
            if face.plane.normal.dot(point) >= face.plane.offset - difference.noise() {
                self.stack.extend([around(face, last), around(face, next)]);
                self.remove(index);
            } else {
                let (to, from) = (face.corners[edge as usize], face.corners[next]);
                self.horizon.push(Horizon { face: index, edge, from, to });
            }
        }
    }

    fn remove(&mut self, face: u16) {
        self.keys[face as usize] = GONE;
        self.free.push(face);
    }
}

/// The edges after an edge.
const AROUND: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

/// Planes that are computed at once.
const LANES: usize = 4;

/// Planes of faces around an apex.
struct Planes {
    normals: [[f64; LANES]; 3],
    offset: [f64; LANES],
}

impl Planes {
    fn normal(&self, lane: usize) -> Vector3<f64> {
        Vector3::new(self.normals[0][lane], self.normals[1][lane], self.normals[2][lane])
    }
}

/// No point of a face in this plane is nearer to the origin [m]. A face without area bounds nothing: its edges belong
/// to others.
fn bound(plane: &Plane) -> f64 {
    if plane.normal == Vector3::zeros() { f64::MAX } else { plane.offset }
}
