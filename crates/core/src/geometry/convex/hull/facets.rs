//! Facets: the flat parts of a hull, sets of adjacent polygons that are coplanar to within a tolerance.

use nalgebra::{Unit, Vector3};

use super::rows::Rows;
use super::skeleton::{Edge, left_of, sides};

/// Distance by which the vertices of a facet may leave its plane, as a fraction of the hull's size: the planarity error of a
/// flat face that was stored in single precision. A smaller one splits such faces into triangles, of which a contact manifold
/// uses only one; a larger one would flatten finely curved surfaces.
const FLATNESS_TOLERANCE: f64 = 1e-6;

/// Cosine of the maximum angle (60°) between the normals of a facet and of its polygons. It separates the two sides of a plate
/// that is thinner than the tolerance: opposite normals have −1, those of one flat face nearly 1.
const MIN_NORMAL_COSINE: f64 = 0.5;

/// Width of a polygon, as a fraction of its length, below which its normal is dominated by the rounding of its coordinates:
/// the normal of such a sliver is uncertain by more than 1e-7. Half of it doubles that uncertainty.
const SLIVER: f64 = 1e-9;

/// Maximum number of adjacent slivers that are crossed in search of a reliable normal; beyond it a sliver uses its own.
const MAX_SLIVERS: usize = 64;

/// The facets of a hull.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Facets {
    /// Outward normals.
    pub(super) normals: Vec<Unit<Vector3<f64>>>,
    /// Corners, counterclockwise seen from outside.
    pub(super) loops: Rows<u32>,
    /// Adjacent facets across the sides from each corner to the next.
    pub(super) neighbours: Rows<u32>,
    /// Facet of each polygon.
    pub(super) of_polygon: Vec<u32>,
}

/// Input of the facet construction.
pub(super) struct Surface<'a> {
    /// Vertices, scaled to coordinates of order one.
    pub(super) points: &'a [Vector3<f64>],
    /// Diameter of their bounding box.
    pub(super) size: f64,
    /// Convex polygons, counterclockwise seen from outside.
    pub(super) polygons: &'a Rows<u32>,
    pub(super) skeleton: &'a Rows<Edge>,
    /// Vector areas of the polygons.
    pub(super) areas: &'a [PolygonArea],
}

impl Facets {
    /// Grows facets from seed polygons, the largest first and slivers last. Every facet is connected and has no holes, so
    /// that its boundary is one loop. Needles have no facets.
    pub(super) fn of(surface: &Surface) -> Self {
        let areas = surface.areas;
        if surface.is_needle() {
            return Self {
                normals: Vec::new(),
                loops: Rows::new(),
                neighbours: Rows::new(),
                of_polygon: vec![NONE; areas.len()],
            };
        }
        let mut order: Vec<u32> = (0..areas.len() as u32).collect();
        let key = |polygon: u32| (areas[polygon as usize].is_sliver, areas[polygon as usize].area.norm());
        order.sort_by(|&a, &b| {
            let ((a_is_sliver, a_area), (b_is_sliver, b_area)) = (key(a), key(b));
            a_is_sliver.cmp(&b_is_sliver).then(b_area.total_cmp(&a_area))
        });
        let mut growing = RegionGrowing {
            surface,
            areas,
            facet_of: vec![NONE; areas.len()],
            member_of: vec![NONE; surface.points.len()],
            following: vec![NONE; surface.points.len()],
        };
        let (mut normals, mut loops) = (Vec::new(), Rows::new());
        for seed in order {
            if growing.facet_of[seed as usize] == NONE {
                let (normal, corners) = growing.grow(seed, loops.len() as u32);
                normals.push(normal);
                loops.push(corners);
            }
        }
        let across = |side: [u32; 2]| growing.facet_of[growing.across(side) as usize];
        let mut neighbours = Rows::new();
        loops.iter().for_each(|corners| neighbours.push(sides(corners).map(across)));
        Self { normals, loops, neighbours, of_polygon: growing.facet_of }
    }
}

impl Surface<'_> {
    /// Whether all vertices are so close to a line that no normal is reliable.
    fn is_needle(&self) -> bool {
        let Some(first) = self.points.first() else { return true };
        let farthest = self.points.iter().map(|point| point - first);
        let along = farthest.max_by(|a, b| a.norm_squared().total_cmp(&b.norm_squared())).unwrap_or_default();
        let aside =
            |point: &Vector3<f64>| along.cross(&(point - first)).norm() > SLIVER * along.norm_squared();
        !self.points.iter().any(aside)
    }
}

/// Index of no facet or vertex.
const NONE: u32 = u32::MAX;

/// Vector area of a polygon.
#[derive(Debug)]
pub(super) struct PolygonArea {
    /// Normal times twice the area.
    area: Vector3<f64>,
    is_sliver: bool,
}

impl PolygonArea {
    /// Vector area of a polygon, whose corners are indices of points.
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

struct RegionGrowing<'a> {
    surface: &'a Surface<'a>,
    areas: &'a [PolygonArea],
    facet_of: Vec<u32>,
    /// The last facet to which the vertex was added.
    member_of: Vec<u32>,
    /// Next corner of the facet whose boundary is being traced.
    following: Vec<u32>,
}

impl RegionGrowing<'_> {
    /// Grows a facet from a seed polygon; returns its normal and corners.
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
        // Summed vector areas weight the polygons by area. Slivers alone have no reliable one: they keep the seed's normal.
        let of_members = if self.areas[seed as usize].is_sliver {
            normal
        } else {
            direction(members.iter().map(|&member| self.areas[member as usize].area).sum())
        };
        (of_members, self.boundary(&members, facet))
    }

    /// Normal of a polygon. A sliver is nearly an edge of the polygon across its longest side, and takes over its normal.
    fn normal_of_seed(&self, seed: u32) -> Unit<Vector3<f64>> {
        let (mut polygon, mut crossed) = (seed, None);
        for _ in 0..self.areas.len().min(MAX_SLIVERS) {
            if !self.areas[polygon as usize].is_sliver {
                break;
            }
            let length = |[from, to]: [u32; 2]| {
                (self.surface.points[to as usize] - self.surface.points[from as usize]).norm_squared()
            };
            // Not back across the side that led here, or two slivers would send each other in circles.
            let uncrossed = sides(self.surface.polygons.row(polygon as usize))
                .filter(|&[from, to]| crossed != Some([to, from]))
                .max_by(|&a, &b| length(a).total_cmp(&length(b)));
            let Some(side) = uncrossed else { break };
            (polygon, crossed) = (self.across(side), Some(side));
        }
        self.areas[polygon as usize].normal()
    }

    fn take(&mut self, polygon: u32, facet: u32, members: &mut Vec<u32>) {
        self.facet_of[polygon as usize] = facet;
        for &corner in self.surface.polygons.row(polygon as usize) {
            self.member_of[corner as usize] = facet;
        }
        members.push(polygon);
    }

    /// Polygon on the right of a side.
    fn across(&self, [from, to]: [u32; 2]) -> u32 {
        left_of(self.surface.skeleton, [to, from])
    }

    fn is_flat(&self, polygon: u32, normal: &Unit<Vector3<f64>>, origin: &Vector3<f64>) -> bool {
        let is_near = |&corner: &u32| {
            normal.dot(&(self.surface.points[corner as usize] - origin)).abs()
                <= FLATNESS_TOLERANCE * self.surface.size
        };
        let area = &self.areas[polygon as usize];
        (area.is_sliver || area.normal().dot(normal) >= MIN_NORMAL_COSINE)
            && self.surface.polygons.row(polygon as usize).iter().all(is_near)
    }

    /// Whether a facet without holes remains one when a neighbour is added: their common boundary is a single chain of sides.
    fn keeps_one_loop(&self, polygon: u32, facet: u32) -> bool {
        let corners = self.surface.polygons.row(polygon as usize);
        let is_shared = |side| self.facet_of[self.across(side) as usize] == facet;
        let shared: Vec<bool> = sides(corners).map(is_shared).collect();
        let before = |index: usize| shared[(index + shared.len() - 1) % shared.len()];
        // Several chains would enclose a hole.
        let chains = (0..shared.len()).filter(|&index| shared[index] && !before(index)).count();
        // A common corner away from the chain would close a hole between the two.
        let touches = |index: usize| self.member_of[corners[index] as usize] == facet;
        let touches_elsewhere =
            (0..shared.len()).any(|index| touches(index) && !shared[index] && !before(index));
        chains == 1 && !touches_elsewhere
    }

    /// Corners around a facet.
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

/// Direction of a vector that may be tiny; scaled first, as its square could underflow.
fn direction(vector: Vector3<f64>) -> Unit<Vector3<f64>> {
    let max = vector.amax();
    if max > 0.0 { Unit::new_normalize(vector / max) } else { Vector3::z_axis() }
}
