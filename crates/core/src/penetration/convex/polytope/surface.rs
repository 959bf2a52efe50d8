//! The triangles of a polytope, their planes and their bounds, at one pose after another.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::penetration::convex::difference::{Difference, Vertex};

/// A triangle, counter-clockwise from outside; edge `i` leads from corner `i` to corner `i + 1`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Face {
    pub(super) plane: Plane,
    pub(super) corners: [u16; 3],
    /// The edges of the neighbours that coincide with these.
    pub(super) links: [Link; 3],
    /// The pose at which the plane was computed.
    pub(super) epoch: u32,
}

/// An edge of a face: the face times four, plus the edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Link(u32);

impl Link {
    pub(super) const fn new(face: u16, edge: u8) -> Self {
        Self((face as u32) << 2 | edge as u32)
    }

    pub(super) fn face(self) -> usize {
        (self.0 >> 2) as usize
    }

    pub(super) fn edge(self) -> usize {
        (self.0 & 3) as usize
    }
}

/// A plane of a face.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(in crate::penetration::convex) struct Plane {
    /// Unit normal, outwards.
    pub(in crate::penetration::convex) normal: Vector3<f64>,
    /// Distance from the origin, negative where it is outside [m].
    pub(in crate::penetration::convex) offset: f64,
}

/// A vertex, and the pose at which its point was computed.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Corner {
    pub(super) vertex: Vertex,
    pub(super) epoch: u32,
}

/// The triangles around the origin.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Surface {
    pub(super) corners: Vec<Corner>,
    pub(super) faces: Vec<Face>,
    /// Bound of each face plus the motion up to its computation [m]; infinite for removed faces.
    pub(super) keys: Vec<f64>,
    /// Number of the present pose.
    pub(super) epoch: u32,
    /// Upper bound of the motion of any point of the difference since the first pose [m].
    pub(super) moved: f64,
}

/// Key of a removed face.
pub(super) const GONE: f64 = f64::INFINITY;

/// Bound of a face without area, which cannot be the nearest one: its edges belong to other faces too.
pub(super) const UNBOUNDED: f64 = f64::MAX;

impl Surface {
    /// The face, with its plane at the present pose.
    #[inline]
    pub(super) fn update(&mut self, face: usize, difference: &Difference) -> &Face {
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
    pub(super) fn plane_of(&self, corners: [u16; 3], difference: &Difference) -> (Plane, f64) {
        let p = corners.map(|corner| self.corners[corner as usize].vertex.point);
        let (to, from) = (p[1] - p[0], p[2] - p[0]);
        let cross = to.cross(&from);
        let normal = cross * (1.0 / cross.norm());
        // Negated so that a triangle without area, whose normal is NaN, counts as a sliver as well.
        if !(normal.dot(&to).abs() + normal.dot(&from).abs() <= difference.noise()) {
            return self.upright(corners);
        }
        let offset = normal.dot(&p[0]);
        (Plane { normal, offset }, offset)
    }

    /// The plane and the bound of a sliver. Rounding tilts the normal along the longest edge, to which it is made perpendicular
    /// again; no corner is nearer to the origin than the offset, whatever tilt remains.
    #[cold]
    #[inline(never)]
    pub(super) fn upright(&self, corners: [u16; 3]) -> (Plane, f64) {
        let p = corners.map(|corner| self.corners[corner as usize].vertex.point);
        let edges = [p[1] - p[0], p[2] - p[1], p[0] - p[2]];
        let squares = edges.map(|edge| edge.norm_squared());
        let longest = (0..3).fold(0, |best, edge| if squares[edge] > squares[best] { edge } else { best });
        let (next, last) = AROUND[longest];
        let tilted = edges[next].cross(&edges[last]).try_normalize(0.0).unwrap_or_default();
        let along = edges[longest] * (tilted.dot(&edges[longest]) / squares[longest]);
        // Less than half of a unit normal left: the corners are collinear to rounding, and no plane is defined.
        let Some(normal) = (tilted - along).try_normalize(0.5) else {
            return (Plane { normal: Vector3::zeros(), offset: 0.0 }, UNBOUNDED);
        };
        let offset = p.iter().map(|point| normal.dot(point)).fold(f64::INFINITY, f64::min);
        (Plane { normal, offset }, offset)
    }

    /// Joins two consecutive faces around an apex.
    #[inline]
    pub(super) fn join(&mut self, face: u16, next: u16) {
        self.faces[face as usize].links[1] = Link::new(next, 2);
        self.faces[next as usize].links[2] = Link::new(face, 1);
    }

    /// Stores a face in a free slot, or in a new one.
    #[inline]
    pub(super) fn place(&mut self, face: Face, key: f64, free: Option<u16>) -> u16 {
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
pub(super) const TETRAHEDRON: [([u16; 3], [Link; 3]); 4] = [
    ([0, 2, 1], [Link::new(3, 0), Link::new(2, 0), Link::new(1, 0)]),
    ([0, 1, 3], [Link::new(0, 2), Link::new(2, 2), Link::new(3, 1)]),
    ([1, 2, 3], [Link::new(0, 1), Link::new(3, 2), Link::new(1, 1)]),
    ([2, 0, 3], [Link::new(0, 0), Link::new(1, 2), Link::new(2, 1)]),
];

/// The edges after an edge; four, so that no index of two bits is out of range.
pub(super) const AROUND: [(usize, usize); 4] = [(1, 2), (2, 0), (0, 1), (0, 0)];

/// An edge around the faces that are visible from a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Horizon {
    /// The edge of the face that is not visible.
    pub(super) link: Link,
    /// Start corner of the edge, in the orientation of the visible face.
    pub(super) from: u16,
    /// End corner of the edge.
    pub(super) to: u16,
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
