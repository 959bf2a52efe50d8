//! Convex hull of points in space: quickhull [Barber96] with exact predicates.
//!
//! Departs from [Barber96]: no tolerance and no merging while faces are made. A face is removed only for a point that
//! is strictly above it, so that every new triangle has an area: a horizon edge in line with the new point would
//! belong to a removed face whose plane contains the point. What lies flat is joined at the end, exactly, and
//! points that are no corners drop out there.

use std::collections::VecDeque;

use super::exact::ExactPoints;
use super::rows::Rows;

/// No point, no face.
const NONE: u32 = u32::MAX;

/// The faces of the hull as convex polygons, counterclockwise seen from outside: no two of them lie in one plane, and
/// every corner is extreme. `tetrahedron` spans space, its last corner above the plane of the others.
pub(super) fn hull_in_space(points: &ExactPoints, tetrahedron: [u32; 4]) -> Rows<u32> {
    let mut hull = Quickhull::new(points, tetrahedron);
    while let Some(face) = hull.pending.pop_front() {
        if !hull.faces[face as usize].is_removed {
            hull.add_farthest(face);
        }
    }
    hull.into_polygons()
}

#[derive(Debug)]
struct Face {
    corners: [u32; 3],
    /// The faces across the edges from each corner to the next.
    neighbours: [u32; 3],
    /// The first of the points above it that were given to it.
    first: u32,
    /// The farthest of these points, and its height.
    farthest: u32,
    height: f64,
    /// The last point from which the face was found invisible.
    hidden_from: u32,
    is_removed: bool,
}

impl Face {
    fn new(corners: [u32; 3], neighbours: [u32; 3]) -> Self {
        let height = 0.0;
        Self {
            corners,
            neighbours,
            first: NONE,
            farthest: NONE,
            height,
            hidden_from: NONE,
            is_removed: false,
        }
    }

    /// Which edge starts at a corner.
    fn edge_from(&self, corner: u32) -> usize {
        self.corners.iter().position(|&own| own == corner).expect("neighbours share their edge")
    }
}

/// An edge between a face that is visible from a point and one that is not.
#[derive(Debug, Clone, Copy)]
struct HorizonEdge {
    /// Its ends, in the order of the visible face.
    from: u32,
    to: u32,
    /// The face that is not visible.
    hidden: u32,
}

struct Quickhull<'a> {
    points: &'a ExactPoints,
    faces: Vec<Face>,
    /// Faces that may have points above them, the oldest first: were the newest first, a rim would be finished on one side
    /// of a hull before the other is begun, and every point of the other would see all of it.
    pending: VecDeque<u32>,
    /// The next point above the same face.
    next: Vec<u32>,
    /// The new face whose horizon edge starts at a point.
    starting: Vec<u32>,
    visible: Vec<u32>,
    horizon: Vec<HorizonEdge>,
}

impl<'a> Quickhull<'a> {
    fn new(points: &'a ExactPoints, [a, b, c, d]: [u32; 4]) -> Self {
        let faces = vec![
            Face::new([a, c, b], [2, 3, 1]),
            Face::new([a, b, d], [0, 3, 2]),
            Face::new([c, a, d], [0, 1, 3]),
            Face::new([b, c, d], [0, 2, 1]),
        ];
        let unlinked = vec![NONE; points.len()];
        let mut hull = Self {
            points,
            faces,
            pending: (0..4).collect(),
            starting: unlinked.clone(),
            next: unlinked,
            visible: Vec::new(),
            horizon: Vec::new(),
        };
        for point in 0..points.len() as u32 {
            hull.give(point, 0);
        }
        hull
    }

    /// Gives a point to the first face from `first_face` on that it is above, if there is one.
    fn give(&mut self, point: u32, first_face: usize) {
        for face in &mut self.faces[first_face..] {
            let height = self.points.height(face.corners, point);
            if height > 0.0 {
                self.next[point as usize] = face.first;
                face.first = point;
                if height > face.height {
                    (face.farthest, face.height) = (point, height);
                }
                return;
            }
        }
    }

    /// Extends the hull to the farthest point above a face.
    fn add_farthest(&mut self, face: u32) {
        let apex = self.faces[face as usize].farthest;
        if apex == NONE {
            return;
        }
        self.find_horizon(face, apex);
        let first_new = self.faces.len();
        self.raise_cone(apex);
        for index in 0..self.visible.len() {
            let mut point = self.faces[self.visible[index] as usize].first;
            while point != NONE {
                let next = self.next[point as usize];
                self.give(point, first_new);
                point = next;
            }
        }
        let has_points = |index: &usize| self.faces[*index].first != NONE;
        self.pending.extend((first_new..self.faces.len()).filter(has_points).map(|index| index as u32));
    }

    /// Removes the faces that are visible from a point; they hang together, and `face` is one of them.
    fn find_horizon(&mut self, face: u32, apex: u32) {
        self.visible.clear();
        self.horizon.clear();
        self.visible.push(face);
        self.faces[face as usize].is_removed = true;
        let mut done = 0;
        while let Some(&from) = self.visible.get(done) {
            done += 1;
            let Face { corners, neighbours, .. } = self.faces[from as usize];
            for edge in 0..3 {
                let across = neighbours[edge];
                let other = &mut self.faces[across as usize];
                if other.is_removed {
                    continue;
                }
                if other.hidden_from != apex && self.points.height(other.corners, apex) > 0.0 {
                    other.is_removed = true;
                    self.visible.push(across);
                } else {
                    other.hidden_from = apex;
                    let (from, to) = (corners[edge], corners[(edge + 1) % 3]);
                    self.horizon.push(HorizonEdge { from, to, hidden: across });
                }
            }
        }
    }

    /// Joins every edge of the horizon, which is one cycle, with the apex.
    fn raise_cone(&mut self, apex: u32) {
        for &HorizonEdge { from, to, hidden } in &self.horizon {
            let new = self.faces.len() as u32;
            self.starting[from as usize] = new;
            let edge = self.faces[hidden as usize].edge_from(to);
            self.faces[hidden as usize].neighbours[edge] = new;
            self.faces.push(Face::new([from, to, apex], [hidden, NONE, NONE]));
        }
        for &HorizonEdge { from, to, .. } in &self.horizon {
            let (this, next) = (self.starting[from as usize], self.starting[to as usize]);
            self.faces[this as usize].neighbours[1] = next;
            self.faces[next as usize].neighbours[2] = this;
        }
    }

    /// Joins triangles that lie in one plane.
    fn into_polygons(self) -> Rows<u32> {
        let (groups, group_of) = self.planes();
        // A corner is extreme if three planes or more meet there: on an edge two meet, in a face one.
        let mut planes_at = vec![0_u8; self.points.len()];
        for (face, edge) in self.borders(&groups, &group_of) {
            let corner = &mut planes_at[self.faces[face as usize].corners[edge] as usize];
            *corner = corner.saturating_add(1);
        }
        let mut following = vec![NONE; self.points.len()];
        let mut polygons = Rows::new();
        for group in groups.iter() {
            let mut start = NONE;
            for &face in group {
                let Face { corners, neighbours, .. } = self.faces[face as usize];
                for edge in
                    (0..3).filter(|&edge| group_of[neighbours[edge] as usize] != group_of[face as usize])
                {
                    start = corners[edge];
                    following[start as usize] = corners[(edge + 1) % 3];
                }
            }
            let step = |&corner: &u32| Some(following[corner as usize]).filter(|&next| next != start);
            let loop_of_group = std::iter::successors(Some(start), step);
            polygons.push(loop_of_group.filter(|&corner| planes_at[corner as usize] >= 3));
        }
        polygons
    }

    /// The faces in groups that lie in one plane and hang together, and the group of each face.
    fn planes(&self) -> (Rows<u32>, Vec<u32>) {
        let mut group_of = vec![NONE; self.faces.len()];
        let mut groups = Rows::new();
        let mut members = Vec::new();
        for seed in (0..self.faces.len()).filter(|&face| !self.faces[face].is_removed) {
            if group_of[seed] != NONE {
                continue;
            }
            let group = groups.len() as u32;
            group_of[seed] = group;
            members.push(seed as u32);
            let mut done = 0;
            while let Some(&face) = members.get(done) {
                done += 1;
                for across in self.faces[face as usize].neighbours {
                    if group_of[across as usize] == NONE && self.are_coplanar(face, across) {
                        group_of[across as usize] = group;
                        members.push(across);
                    }
                }
            }
            groups.push(members.drain(..));
        }
        (groups, group_of)
    }

    /// Whether two neighbours lie in one plane.
    fn are_coplanar(&self, face: u32, across: u32) -> bool {
        let Face { corners, .. } = self.faces[face as usize];
        let other = &self.faces[across as usize];
        let opposite = other.corners.into_iter().find(|corner| !corners.contains(corner));
        opposite.is_none_or(|opposite| self.points.height(corners, opposite) == 0.0)
    }

    /// The edges between groups, as a face and the number of its edge.
    fn borders<'b>(
        &'b self,
        groups: &'b Rows<u32>,
        group_of: &'b [u32],
    ) -> impl Iterator<Item = (u32, usize)> + 'b {
        let edges = groups.items().iter().flat_map(|&face| (0..3).map(move |edge| (face, edge)));
        edges.filter(|&(face, edge)| {
            let across = self.faces[face as usize].neighbours[edge];
            group_of[across as usize] != group_of[face as usize]
        })
    }
}
