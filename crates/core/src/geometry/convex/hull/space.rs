//! Convex hull of points in space: quickhull [Barber96] with exact predicates.
//!
//! Departs from [Barber96]: no tolerance, and no merging during the construction. A face is removed only for a point that
//! is strictly above it, so that every new triangle has an area: a horizon edge collinear with the new point would
//! belong to a removed face whose plane contains the point. Coplanar triangles are merged at the end, exactly, which
//! drops points that are not corners.

use std::collections::VecDeque;

use super::exact::ExactPoints;
use super::rows::Rows;

/// Index of no point or face.
const NONE: u32 = u32::MAX;

/// Quickhull [Barber96]: the faces of the hull as convex polygons, counterclockwise seen from outside. No two of them are
/// coplanar, and every corner is extreme. `tetrahedron` is the initial simplex, its last corner above the plane of the others.
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
    /// Adjacent faces across the edges from each corner to the next.
    neighbours: [u32; 3],
    /// First point of its outside set, a linked list through `Quickhull::next`.
    first: u32,
    /// Farthest point of its outside set, and its height.
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

    /// Index of the edge that starts at a corner.
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
    /// Face that is not visible.
    hidden: u32,
}

struct Quickhull<'a> {
    points: &'a ExactPoints,
    faces: Vec<Face>,
    /// Faces that may have outside points, the oldest first. With the newest first, a rim would be completed on one side of
    /// a hull before the other is begun, and each point of the other would see all of its faces.
    pending: VecDeque<u32>,
    /// Next point of the same outside set.
    next: Vec<u32>,
    /// New face whose horizon edge starts at a point.
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
            hull.assign(point, 0);
        }
        hull
    }

    /// Adds a point to the outside set of the first face from `first_face` on that it is above, if there is one.
    fn assign(&mut self, point: u32, first_face: usize) {
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

    /// Adds the farthest outside point of a face to the hull.
    fn add_farthest(&mut self, face: u32) {
        let apex = self.faces[face as usize].farthest;
        if apex == NONE {
            return;
        }
        self.find_horizon(face, apex);
        let first_new = self.faces.len();
        self.create_cone(apex);
        for index in 0..self.visible.len() {
            let mut point = self.faces[self.visible[index] as usize].first;
            while point != NONE {
                // The assignment overwrites the link.
                let next = self.next[point as usize];
                self.assign(point, first_new);
                point = next;
            }
        }
        // Points above no new face are inside the hull and in no outside set any more.
        let has_points = |index: &usize| self.faces[*index].first != NONE;
        self.pending.extend((first_new..self.faces.len()).filter(has_points).map(|index| index as u32));
    }

    /// Finds the horizon of a point and removes the faces that it sees; they are connected, and `face` is one of them.
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
                // Several edges may lead to the same hidden face, whose predicate is evaluated once per apex.
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

    /// Creates the cone of new faces between the horizon, which is one cycle, and the apex.
    fn create_cone(&mut self, apex: u32) {
        for &HorizonEdge { from, to, hidden } in &self.horizon {
            let new = self.faces.len() as u32;
            self.starting[from as usize] = new;
            let edge = self.faces[hidden as usize].edge_from(to);
            self.faces[hidden as usize].neighbours[edge] = new;
            self.faces.push(Face::new([from, to, apex], [hidden, NONE, NONE]));
        }
        for &HorizonEdge { from, to, .. } in &self.horizon {
            // The side from the end of a horizon edge to the apex is shared with the face of the following horizon edge.
            let (this, next) = (self.starting[from as usize], self.starting[to as usize]);
            self.faces[this as usize].neighbours[1] = next;
            self.faces[next as usize].neighbours[2] = this;
        }
    }

    /// Merges coplanar triangles.
    fn into_polygons(self) -> Rows<u32> {
        let (groups, group_of) = self.planes();
        // A corner is extreme if at least three planes meet there: on an edge two meet, inside a face one.
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

    /// Connected groups of coplanar faces, and the group of each face.
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

    /// Whether two neighbours are coplanar.
    fn are_coplanar(&self, face: u32, across: u32) -> bool {
        let Face { corners, .. } = self.faces[face as usize];
        let other = &self.faces[across as usize];
        let opposite = other.corners.into_iter().find(|corner| !corners.contains(corner));
        // Without an opposite corner, both faces have the same three corners.
        opposite.is_none_or(|opposite| self.points.height(corners, opposite) == 0.0)
    }

    /// Edges between groups, as a face and the index of its edge.
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
