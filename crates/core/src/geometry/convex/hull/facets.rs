//! Facets: the flat parts of a hull, of polygons that lie in one plane to within a tolerance.

use nalgebra::{Unit, Vector3};

use super::rows::Rows;
use super::skeleton::{Edge, left_of, sides};

/// Share of a hull's size by which the vertices of a facet may leave its plane: what single-precision files leave of a
/// face that was flat. A smaller one tears such faces into triangles, of which a contact finds only one; a larger
/// one would flatten fine curved surfaces.
const FLAT: f64 = 1e-6;

/// Cosine of the greatest angle between the normals of a facet's polygons. It keeps the sides of a plate that is
/// thinner than the tolerance apart.
const TURNED: f64 = 0.5;

/// Width of a polygon, as a share of its length, below which its normal is lost in the rounding of its coordinates: the
/// normal of such a sliver is uncertain by more than 1e-7.
const SLIVER: f64 = 1e-9;

/// Slivers that may lie side by side.
const MOST_SLIVERS: usize = 64;

/// The facets of a hull.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Facets {
    /// Outward normals.
    pub(super) normals: Vec<Unit<Vector3<f64>>>,
    /// Corners, counterclockwise seen from outside.
    pub(super) loops: Rows<u32>,
    /// The facets across the sides from each corner to the next.
    pub(super) neighbours: Rows<u32>,
    /// The facet of each polygon.
    pub(super) of_polygon: Vec<u32>,
}

/// What the facets are made of.
pub(super) struct Surface<'a> {
    /// Vertices, scaled to coordinates of order one.
    pub(super) points: &'a [Vector3<f64>],
    /// Diameter of their bounding box.
    pub(super) size: f64,
    /// Convex polygons, counterclockwise seen from outside.
    pub(super) polygons: &'a Rows<u32>,
    pub(super) skeleton: &'a Rows<Edge>,
    /// The polygons as flat things.
    pub(super) flats: &'a [Flat],
}

impl Facets {
    /// Grows facets, the largest polygon first and slivers last. Every facet hangs together and has no holes, so
    /// that its boundary is one loop. Needles have none.
    pub(super) fn of(surface: &Surface) -> Self {
        let flats = surface.flats;
        if surface.is_needle() {
            return Self {
                normals: Vec::new(),
                loops: Rows::new(),
                neighbours: Rows::new(),
                of_polygon: vec![NONE; flats.len()],
            };
        }
        let mut order: Vec<u32> = (0..flats.len() as u32).collect();
        let key = |polygon: u32| (flats[polygon as usize].is_sliver, flats[polygon as usize].area.norm());
        order.sort_by(|&a, &b| {
            let ((a_is_sliver, a_area), (b_is_sliver, b_area)) = (key(a), key(b));
            a_is_sliver.cmp(&b_is_sliver).then(b_area.total_cmp(&a_area))
        });
        let mut growth = Growth {
            surface,
            flats,
            facet_of: vec![NONE; flats.len()],
            member_of: vec![NONE; surface.points.len()],
            following: vec![NONE; surface.points.len()],
        };
        let (mut normals, mut loops) = (Vec::new(), Rows::new());
        for seed in order {
            if growth.facet_of[seed as usize] == NONE {
                let (normal, corners) = growth.grow(seed, loops.len() as u32);
                normals.push(normal);
                loops.push(corners);
            }
        }
        let across = |side: [u32; 2]| growth.facet_of[growth.across(side) as usize];
        let mut neighbours = Rows::new();
        loops.iter().for_each(|corners| neighbours.push(sides(corners).map(across)));
        Self { normals, loops, neighbours, of_polygon: growth.facet_of }
    }
}

impl Surface<'_> {
    /// Whether all vertices are so near to a line that all normals are lost.
    fn is_needle(&self) -> bool {
        let Some(first) = self.points.first() else { return true };
        let farthest = self.points.iter().map(|point| point - first);
        let along = farthest.max_by(|a, b| a.norm_squared().total_cmp(&b.norm_squared())).unwrap_or_default();
        let aside =
            |point: &Vector3<f64>| along.cross(&(point - first)).norm() > SLIVER * along.norm_squared();
        !self.points.iter().any(aside)
    }
}

/// No facet, no vertex.
const NONE: u32 = u32::MAX;

/// A polygon as a flat thing.
#[derive(Debug)]
pub(super) struct Flat {
    /// Twice the area, along the normal.
    area: Vector3<f64>,
    is_sliver: bool,
}

impl Flat {
    /// A polygon with corners among points.
    pub(super) fn of(points: &[Vector3<f64>], polygon: &[u32]) -> Self {
        let first = points[polygon[0] as usize];
        let corner = |index: u32| points[index as usize] - first;
        let area: Vector3<f64> =
            polygon[1..].windows(2).map(|side| corner(side[0]).cross(&corner(side[1]))).sum();
        let length_squared = polygon.iter().map(|&index| corner(index).norm_squared()).fold(0.0, f64::max);
        Self { area, is_sliver: area.norm() <= SLIVER * length_squared }
    }

    /// Outward normal; that of a sliver is uncertain.
    pub(super) fn normal(&self) -> Unit<Vector3<f64>> {
        direction(self.area)
    }
}

struct Growth<'a> {
    surface: &'a Surface<'a>,
    flats: &'a [Flat],
    facet_of: Vec<u32>,
    /// The last facet that took the vertex.
    member_of: Vec<u32>,
    /// The next corner of the facet that is being walked around.
    following: Vec<u32>,
}

impl Growth<'_> {
    /// Normal and corners of a facet around a polygon.
    fn grow(&mut self, seed: u32, facet: u32) -> (Unit<Vector3<f64>>, Vec<u32>) {
        let normal = self.normal_of_seed(seed);
        let origin = self.surface.points[self.surface.polygons.row(seed as usize)[0] as usize];
        let mut members = Vec::new();
        self.take(seed, facet, &mut members);
        let mut done = 0;
        while let Some(&polygon) = members.get(done) {
            done += 1;
            for side in sides(self.surface.polygons.row(polygon as usize)) {
                let across = self.across(side);
                if self.facet_of[across as usize] == NONE
                    && self.is_flat(across, &normal, &origin)
                    && self.keeps_one_loop(across, facet)
                {
                    self.take(across, facet, &mut members);
                }
            }
        }
        let of_members = if self.flats[seed as usize].is_sliver {
            normal
        } else {
            direction(members.iter().map(|&member| self.flats[member as usize].area).sum())
        };
        (of_members, self.boundary(&members, facet))
    }

    /// The normal of a polygon. A sliver is nearly an edge of what is across its longest side, and has its normal.
    fn normal_of_seed(&self, seed: u32) -> Unit<Vector3<f64>> {
        let (mut polygon, mut crossed) = (seed, None);
        for _ in 0..self.flats.len().min(MOST_SLIVERS) {
            if !self.flats[polygon as usize].is_sliver {
                break;
            }
            let length = |[from, to]: [u32; 2]| {
                (self.surface.points[to as usize] - self.surface.points[from as usize]).norm_squared()
            };
            let uncrossed = sides(self.surface.polygons.row(polygon as usize))
                .filter(|&[from, to]| crossed != Some([to, from]))
                .max_by(|&a, &b| length(a).total_cmp(&length(b)));
            let Some(side) = uncrossed else { break };
            (polygon, crossed) = (self.across(side), Some(side));
        }
        self.flats[polygon as usize].normal()
    }

    fn take(&mut self, polygon: u32, facet: u32, members: &mut Vec<u32>) {
        self.facet_of[polygon as usize] = facet;
        for &corner in self.surface.polygons.row(polygon as usize) {
            self.member_of[corner as usize] = facet;
        }
        members.push(polygon);
    }

    /// The polygon on the right of a side.
    fn across(&self, [from, to]: [u32; 2]) -> u32 {
        left_of(self.surface.skeleton, [to, from])
    }

    fn is_flat(&self, polygon: u32, normal: &Unit<Vector3<f64>>, origin: &Vector3<f64>) -> bool {
        let is_near = |&corner: &u32| {
            normal.dot(&(self.surface.points[corner as usize] - origin)).abs() <= FLAT * self.surface.size
        };
        let flat = &self.flats[polygon as usize];
        (flat.is_sliver || flat.normal().dot(normal) >= TURNED)
            && self.surface.polygons.row(polygon as usize).iter().all(is_near)
    }

    /// Whether a facet without holes stays one with a neighbour: what they share is a single chain of sides.
    fn keeps_one_loop(&self, polygon: u32, facet: u32) -> bool {
        let corners = self.surface.polygons.row(polygon as usize);
        let is_shared = |side| self.facet_of[self.across(side) as usize] == facet;
        let shared: Vec<bool> = sides(corners).map(is_shared).collect();
        let before = |index: usize| shared[(index + shared.len() - 1) % shared.len()];
        let chains = (0..shared.len()).filter(|&index| shared[index] && !before(index)).count();
        let touches = |index: usize| self.member_of[corners[index] as usize] == facet;
        let touches_elsewhere =
            (0..shared.len()).any(|index| touches(index) && !shared[index] && !before(index));
        chains == 1 && !touches_elsewhere
    }

    /// The corners around a facet.
    fn boundary(&mut self, members: &[u32], facet: u32) -> Vec<u32> {
        let mut start = NONE;
        for &polygon in members {
            for [from, to] in sides(self.surface.polygons.row(polygon as usize)) {
                if self.facet_of[self.across([from, to]) as usize] != facet {
                    self.following[from as usize] = to;
                    start = from;
                }
            }
        }
        let step = |&corner: &u32| Some(self.following[corner as usize]).filter(|&next| next != start);
        std::iter::successors(Some(start), step).collect()
    }
}

/// The direction of a vector that may be tiny.
fn direction(vector: Vector3<f64>) -> Unit<Vector3<f64>> {
    let greatest = vector.amax();
    if greatest > 0.0 { Unit::new_normalize(vector / greatest) } else { Vector3::z_axis() }
}
