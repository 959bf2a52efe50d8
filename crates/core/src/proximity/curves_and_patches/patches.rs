//! The patches of a surface: oriented sets of its triangles with their borders.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use nalgebra::{Point3, Vector3};

use super::border::Border;
use super::choice::{Spread, choose};
use super::patch_field::PatchField;
use super::surface::Surface;
use crate::bvh::lanes::isa::Isa;
use crate::bvh::node::{Node, WIDTH};
use crate::bvh::packet::Packet;
use crate::bvh::single::{self, TreeQuery};
use crate::bvh::tree::TriangleBvh;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::parallel;
use crate::proximity::nearest::{Nearest, rounding_of};

/// Maximum number of patches: a bit each in the mask of a triangle.
pub(super) const PATCHES: usize = 128;
/// Regions of the surface that order the patches by how far crossings are from their borders.
const REGIONS: usize = 64;
/// Vector area over area up to which a patch counts as closed.
const CLOSED: f64 = 0.05;
/// Triangles of a region that are evaluated for that.
const SAMPLES: usize = 8;
/// Points on a border that stand for it in that order, and in the approximate field of distances.
const ON_BORDER: [usize; 2] = [48, 128];
/// Points on a patch in the approximate field of distances.
const ON_PATCH: usize = 384;

/// A set of triangles with its border.
#[derive(Debug, Clone)]
struct Patch {
    border: Border,
    /// Distance of each region from the border [m]: of the farthest of its triangles that belong to the patch; zero if
    /// none does, infinite without a border.
    margins: Vec<f32>,
    /// Prospect of a curve through it, relative to the margin: a patch that is nearly closed encloses one end of the curve,
    /// which cannot come far from it. The square root of its vector area over its area.
    prospect: f32,
    /// Computed on first use: most patches are never tried.
    field: OnceLock<PatchField>,
}

/// The patches of a surface; positions in the frame of the model's tree [m].
#[derive(Debug, Clone)]
pub(crate) struct Patches {
    /// The tree over the triangles, unless the model's own serves.
    own_tree: Option<TriangleBvh>,
    /// The patches of each triangle, one bit each.
    masks: Vec<u128>,
    /// The region of each triangle.
    regions: Vec<u8>,
    /// Corners of the triangles of the own tree.
    own_corners: Vec<[Vector3<f64>; 3]>,
    patches: Vec<Patch>,
    bounds: [Vector3<f64>; 2],
    /// Maximum overestimate of a distance by rounding, where triangles are needles [m].
    rounding: f64,
}

/// Sets of patches that the crossings of each region belong to.
#[derive(Debug, Clone)]
pub(crate) struct CrossedRegions([u128; REGIONS]);

impl Default for CrossedRegions {
    fn default() -> Self {
        Self([0; REGIONS])
    }
}

impl Patches {
    /// The patches of a surface of this radius [m]; `None` where no tree holds all of its triangles.
    pub(super) fn new(
        surface: &Surface,
        mesh: &TriangleMesh,
        tree: &TriangleBvh,
        radius: f64,
    ) -> Option<Self> {
        let is_mesh = !surface.is_refined && surface.triangles.len() == mesh.triangles().len();
        let own_tree = if is_mesh { None } else { Some(tree_of(surface)?) };
        let spread = Spread::new(surface, radius, REGIONS);
        let mut sets = choose(surface, &spread, radius, PATCHES);
        let sampled = sampled(&spread.nearest);
        let mut patches = parallel::map_slice(&sets, 1, |set| Patch::new(surface, set, &spread, &sampled));
        let mut masks = vec![0_u128; surface.triangles.len()];
        for (number, set) in sets.drain(..).enumerate() {
            for triangle in set {
                masks[triangle as usize] |= 1 << number;
            }
        }
        patches.shrink_to_fit();
        let corners = (0..surface.triangles.len() as u32).map(|triangle| surface.corners(triangle));
        let all = || surface.triangles.iter().flatten().map(|&vertex| surface.points[vertex as usize]);
        let bounds = [
            all().fold(Vector3::repeat(f64::INFINITY), |min, point| min.inf(&point)),
            all().fold(Vector3::repeat(f64::NEG_INFINITY), |max, point| max.sup(&point)),
        ];
        let own_corners = if is_mesh { Vec::new() } else { corners.collect() };
        let rounding = rounding_of(own_tree.as_ref().unwrap_or(tree));
        Some(Self { own_tree, masks, regions: spread.nearest, own_corners, patches, bounds, rounding })
    }

    pub(super) fn memory(&self) -> usize {
        let of_patch = |patch: &Patch| {
            patch.border.memory()
                + size_of_val(&*patch.margins)
                + patch.field.get().map_or(0, PatchField::memory)
        };
        self.own_tree.as_ref().map_or(0, TriangleBvh::memory)
            + size_of_val(&*self.masks)
            + size_of_val(&*self.regions)
            + size_of_val(&*self.own_corners)
            + self.patches.iter().map(of_patch).sum::<usize>()
    }
}

/// The patches of a model with the mesh and the tree of the model, which serve where the patches have no own ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PatchesOfModel<'a> {
    patches: &'a Patches,
    mesh: &'a TriangleMesh,
    of_model: &'a TriangleBvh,
}

impl<'a> PatchesOfModel<'a> {
    /// The patches of a model with this mesh and tree.
    pub(in crate::proximity) fn new(
        patches: &'a Patches,
        mesh: &'a TriangleMesh,
        of_model: &'a TriangleBvh,
    ) -> Self {
        Self { patches, mesh, of_model }
    }

    /// The tree over the triangles.
    pub(in crate::proximity) fn tree(&self) -> &'a TriangleBvh {
        self.patches.own_tree.as_ref().unwrap_or(self.of_model)
    }

    /// Origin of the tree over the triangles in the frame of the model's tree [m].
    pub(in crate::proximity) fn origin(&self) -> Vector3<f64> {
        self.patches.own_tree.as_ref().map_or(Vector3::zeros(), |tree| tree.center().coords)
    }

    /// Maximum overestimate of a distance by rounding, where triangles are needles [m].
    pub(crate) fn rounding(&self) -> f64 {
        self.patches.rounding
    }

    /// Corners of a triangle [m].
    pub(in crate::proximity) fn corners(&self, triangle: u32) -> [Vector3<f64>; 3] {
        let own = self.patches.own_corners.get(triangle as usize);
        own.copied().unwrap_or_else(|| {
            let center = self.of_model.center();
            self.mesh.triangle(triangle as usize).map(|corner| corner - center)
        })
    }

    /// The patches of a triangle, one bit each.
    pub(crate) fn mask(&self, triangle: u32) -> u128 {
        self.patches.masks[triangle as usize]
    }

    /// Adds a crossing of a triangle.
    pub(crate) fn add_crossing(&self, triangle: u32, crossed: &mut CrossedRegions) {
        let place = triangle as usize;
        crossed.0[usize::from(self.patches.regions[place])] |= self.patches.masks[place];
    }

    /// Appends the patches that have crossings with the distance of those from their borders, roughly [m].
    pub(crate) fn prospects(&self, crossed: &CrossedRegions, prospects: &mut Vec<(f32, u32)>) {
        for (number, patch) in self.patches.patches.iter().enumerate() {
            let is_crossed = |region: &usize| crossed.0[*region] & (1 << number) != 0;
            let crossed = (0..patch.margins.len()).filter(is_crossed);
            let margin = crossed.map(|region| patch.margins[region]).fold(0.0, f32::max);
            if margin > 0.0 {
                prospects.push((margin, number as u32));
            }
        }
    }

    /// Prospect of a curve through a patch, relative to the distance of its crossings from the border.
    pub(crate) fn prospect(&self, patch: u32) -> f32 {
        self.patches.patches[patch as usize].prospect
    }

    /// Approximate distances from the border of a patch and from the patch.
    pub(crate) fn field(&self, patch: u32) -> &'a PatchField {
        let Patch { border, field, .. } = &self.patches.patches[patch as usize];
        field.get_or_init(|| {
            let members = self.patches.masks.iter().enumerate();
            let members = members.filter(|(_, mask)| *mask & (1 << patch) != 0);
            let stride = members.clone().count().div_ceil(ON_PATCH).max(1);
            let middle = |(triangle, _)| {
                let [a, b, c] = self.corners(triangle as u32);
                (a + b + c) / 3.0
            };
            let of_patch = members.step_by(stride).map(middle).collect::<Vec<_>>();
            PatchField::new(self.patches.bounds, &border.samples(ON_BORDER[1]), &of_patch)
        })
    }

    /// Whether a ball may come nearer to the border of a patch than `within` [m]; what it looks at is added to `visits`.
    pub(crate) fn is_near_border(
        &self,
        patch: u32,
        ball: (&Vector3<f64>, f64),
        (within, visits): (f64, &mut u64),
    ) -> bool {
        self.patches.patches[patch as usize].border.is_near(ball, within, visits)
    }

    /// Distance of a segment from the border of a patch [m] if less than `below`, else `below`; what it evaluates is added to
    /// `visits`.
    pub(crate) fn border_distance(
        &self,
        patch: u32,
        segment: [&Vector3<f64>; 2],
        (below, visits): (f64, &mut u64),
    ) -> f64 {
        self.patches.patches[patch as usize].border.distance(segment, below, visits)
    }

    /// Distance of a point from a patch [m] if less than `below`, else `below`.
    pub(crate) fn distance(&self, patch: u32, point: &Vector3<f64>, below: f64) -> f64 {
        let nearest = Nearest::new(Point3::from(point - self.origin()), below);
        let mut query = NearestOfPatch { nearest, masks: &self.patches.masks, bit: 1 << patch };
        single::descend(self.tree(), &mut query);
        query.nearest.distance()
    }
}

/// The tree over the triangles of a surface; `None` if it leaves one out.
fn tree_of(surface: &Surface) -> Option<TriangleBvh> {
    let vertices = surface.points.iter().map(|&point| Point3::from(point)).collect();
    let mesh = TriangleMesh::new(vertices, surface.triangles.clone()).ok()?;
    let is_complete = (0..mesh.triangles().len()).all(|triangle| !mesh.is_degenerate(triangle));
    is_complete.then(|| TriangleBvh::new(&mesh))
}

/// Some triangles of each region.
fn sampled(regions: &[u8]) -> Vec<u32> {
    let mut of_region = [0; REGIONS];
    for &region in regions {
        of_region[usize::from(region)] += 1;
    }
    let mut seen = [0; REGIONS];
    let is_sampled = |(_, region): &(usize, &u8)| {
        let region = usize::from(**region);
        let stride = usize::div_ceil(of_region[region], SAMPLES);
        seen[region] += 1;
        (seen[region] - 1) % stride == 0
    };
    regions.iter().enumerate().filter(is_sampled).map(|(triangle, _)| triangle as u32).collect()
}

impl Patch {
    /// A patch of these triangles, which are in ascending order.
    fn new(surface: &Surface, triangles: &[u32], spread: &Spread, sampled: &[u32]) -> Self {
        // The boundary of the chain: the edges that its triangles do not use equally often in both directions.
        let mut uses = vec![0_i32; surface.edges.len()];
        for &triangle in triangles {
            for (side, &edge) in surface.sides[triangle as usize].iter().enumerate() {
                uses[edge as usize] += if surface.is_forwards(triangle, side) { 1 } else { -1 };
            }
        }
        let ends = |edge: &[u32; 2]| edge.map(|vertex| Point3::from(surface.points[vertex as usize]));
        let unbalanced = surface.edges.iter().zip(&uses).filter(|(_, uses)| **uses != 0);
        let border = Border::new(unbalanced.map(|(edge, _)| ends(edge)).collect());
        let samples = border.samples(ON_BORDER[0]);
        let mut margins = vec![0.0_f32; spread.triangles.len()];
        for &triangle in sampled.iter().filter(|triangle| triangles.binary_search(triangle).is_ok()) {
            let middle = surface.middle(triangle);
            let squared = samples.iter().map(|sample| (sample - middle).norm_squared());
            let distance = squared.fold(f64::INFINITY, f64::min).sqrt();
            let margin = &mut margins[usize::from(spread.nearest[triangle as usize])];
            *margin = margin.max(distance as f32);
        }
        let areas = triangles.iter().map(|&triangle| surface.area_vector(triangle));
        let (vector, area) = areas
            .fold((Vector3::zeros(), 0.0), |(vector, area): (Vector3<f64>, f64), next| {
                (vector + next, area + next.norm())
            });
        let prospect = (vector.norm() / area).max(CLOSED).sqrt() as f32;
        Self { border, margins, prospect, field: OnceLock::new() }
    }
}

/// Traversal query for the closest triangle of a patch.
struct NearestOfPatch<'a> {
    nearest: Nearest,
    masks: &'a [u128],
    bit: u128,
}

impl TreeQuery for NearestOfPatch<'_> {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        self.nearest.costs::<I>(children)
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.nearest.bound()
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        let (masks, bit) = (self.masks, self.bit);
        self.nearest.visit_if::<I>(packet, |triangle| masks[triangle as usize] & bit != 0);
        ControlFlow::Continue(())
    }
}
