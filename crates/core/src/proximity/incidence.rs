//! Incidence of vertices and triangles of a mesh whose vertices of equal coordinates are welded.

use crate::geometry::triangle_mesh::TriangleMesh;
use crate::geometry::weld::Welder;

/// The triangles around every place: vertices of equal coordinates are one place (a welded vertex).
#[derive(Debug, Clone)]
pub(crate) struct Incidence {
    /// Corners of the triangles, as places.
    corners: Vec<[u32; 3]>,
    /// Offsets of the places' triangles in `triangles`, compressed rows: one more than there are places.
    offsets: Vec<u32>,
    triangles: Vec<u32>,
}

impl Incidence {
    pub(super) fn new(mesh: &TriangleMesh) -> Self {
        let mut welder = Welder::default();
        let place_of = mesh.vertices().iter().map(|&p| welder.add(p)).collect::<Vec<_>>();
        let corners = mesh.triangles().iter().map(|t| t.map(|i| place_of[i as usize])).collect::<Vec<_>>();
        let mut offsets = vec![0_u32; welder.into_points().len() + 1];
        for &place in corners.iter().flatten() {
            offsets[place as usize + 1] += 1;
        }
        for i in 1..offsets.len() {
            offsets[i] += offsets[i - 1];
        }
        let mut next = offsets.clone();
        let mut triangles = vec![0; 3 * corners.len()];
        for (triangle, places) in corners.iter().enumerate() {
            for &place in places {
                triangles[next[place as usize] as usize] = triangle as u32;
                next[place as usize] += 1;
            }
        }
        Self { corners, offsets, triangles }
    }

    /// Number of places.
    pub(crate) fn places(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Corners of a triangle, as places.
    pub(crate) fn corners(&self, triangle: u32) -> [u32; 3] {
        self.corners[triangle as usize]
    }

    /// Triangles with a corner at the place.
    pub(crate) fn triangles(&self, place: u32) -> &[u32] {
        let [first, last] = [0, 1].map(|k| self.offsets[place as usize + k] as usize);
        &self.triangles[first..last]
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.corners) + size_of_val(&*self.offsets) + size_of_val(&*self.triangles)
    }
}
