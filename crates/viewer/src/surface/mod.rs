//! Triangle meshes for drawing: single precision, about their own centre, with normals split at sharp edges.

use nalgebra::{Point3, Vector3};

use extricate_core::geometry::TriangleMesh;
use extricate_core::geometry::mass_properties::signed_volume;

/// A mesh for drawing.
#[derive(Debug, Clone, Default)]
pub(super) struct Surface {
    /// Positions from `center`, times the scale it was made with.
    pub(super) positions: Vec<[f32; 3]>,
    /// Unit normals, one for each position.
    pub(super) normals: Vec<[f32; 3]>,
    /// Triangles, counter-clockwise from outside.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Origin of the positions in the mesh's frame [m].
    pub(super) center: Point3<f64>,
}

/// Cosine of the angle between two triangles, 35°, from which the edge between them is drawn sharp: a larger angle smooths
/// real edges, a smaller one shows the facets of coarse curved meshes.
const SHARP: f64 = 0.819;

impl Surface {
    /// A mesh, lengths times `scale`. Normals at a corner are means, weighted by angle [Thürmer98], over the triangles around
    /// the vertex whose normals differ from that of the corner's triangle by less than the sharp angle.
    pub(super) fn of(mesh: &TriangleMesh, scale: f64) -> Self {
        let center = mesh.aabb().center();
        let normals = (0..mesh.triangles().len()).map(|index| unit_normal(&mesh.triangle(index)));
        let normals = normals.collect::<Vec<_>>();
        let around = Around::of(mesh);
        let mut surface = Self { center, ..Self::default() };
        // Corners of one vertex with the same normal share a position.
        let mut made: Vec<(u32, [f32; 3])> = Vec::new();
        surface.triangles = vec![[0; 3]; mesh.triangles().len()];
        for vertex in 0..mesh.vertices().len() {
            made.clear();
            let position = single(&((mesh.vertices()[vertex] - center) * scale));
            for &(triangle, corner) in around.corners(vertex) {
                let own = normals[triangle as usize];
                let near = around
                    .corners(vertex)
                    .iter()
                    .filter(|(other, _)| *other == triangle || normals[*other as usize].dot(&own) > SHARP);
                let sum: Vector3<f64> =
                    near.map(|&(other, corner)| normals[other as usize] * angle(mesh, other, corner)).sum();
                // Opposite normals can cancel: the triangle's own normal then serves.
                let normal = single(&sum.try_normalize(0.0).unwrap_or(own));
                let known = made
                    .iter()
                    .find(|(_, other)| other.map(f32::to_bits) == normal.map(f32::to_bits))
                    .map(|&(index, _)| index);
                let index = known.unwrap_or_else(|| {
                    let index = surface.positions.len() as u32;
                    surface.positions.push(position);
                    surface.normals.push(normal);
                    made.push((index, normal));
                    index
                });
                surface.triangles[triangle as usize][corner as usize] = index;
            }
        }
        if !is_solid(mesh) {
            surface.show_both_sides();
        }
        surface
    }

    /// Adds the back faces with normals of their own, since only front faces are drawn.
    fn show_both_sides(&mut self) {
        let count = self.positions.len() as u32;
        self.positions.extend_from_within(..);
        self.normals.extend_from_within(..);
        let behind = &mut self.normals[count as usize..];
        behind.iter_mut().flatten().for_each(|component| *component = -*component);
        let triangles = self.triangles.iter().map(|&[a, b, c]| [a + count, c + count, b + count]);
        self.triangles.extend(triangles.collect::<Vec<_>>());
    }
}

/// Whether a mesh is closed and oriented outwards: each edge from a to b has a counterpart from b to a. Decided by a sum of
/// hashes, which is zero if so and almost never otherwise.
fn is_solid(mesh: &TriangleMesh) -> bool {
    let edge = |from: u32, to: u32| mixed(u64::from(from) << 32 | u64::from(to));
    let sum = mesh.triangles().iter().fold(0_u64, |sum, &[a, b, c]| {
        [[a, b], [b, c], [c, a]]
            .iter()
            .fold(sum, |sum, &[from, to]| sum.wrapping_add(edge(from, to)).wrapping_sub(edge(to, from)))
    });
    sum == 0 && signed_volume(mesh) > 0.0
}

/// Hash of 64 bits: all result bits depend on all bits of the argument [Steele14, SplitMix64].
fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// Triangle corners incident to each vertex, in compressed rows.
struct Around {
    first: Vec<u32>,
    corners: Vec<(u32, u8)>,
}

impl Around {
    fn of(mesh: &TriangleMesh) -> Self {
        let mut first = vec![0_u32; mesh.vertices().len() + 1];
        mesh.triangles().iter().flatten().for_each(|&vertex| first[vertex as usize + 1] += 1);
        for vertex in 0..mesh.vertices().len() {
            first[vertex + 1] += first[vertex];
        }
        let mut next = first.clone();
        let mut corners = vec![(0, 0); 3 * mesh.triangles().len()];
        for (triangle, vertices) in (0_u32..).zip(mesh.triangles()) {
            for (corner, &vertex) in (0_u8..).zip(vertices) {
                corners[next[vertex as usize] as usize] = (triangle, corner);
                next[vertex as usize] += 1;
            }
        }
        Self { first, corners }
    }

    fn corners(&self, vertex: usize) -> &[(u32, u8)] {
        &self.corners[self.first[vertex] as usize..self.first[vertex + 1] as usize]
    }
}

fn unit_normal([a, b, c]: &[Point3<f64>; 3]) -> Vector3<f64> {
    (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vector3::z)
}

/// Angle of a triangle at a corner [rad].
fn angle(mesh: &TriangleMesh, triangle: u32, corner: u8) -> f64 {
    let points = mesh.triangle(triangle as usize);
    let [here, next, last] = [0, 1, 2].map(|step| points[(usize::from(corner) + step) % 3]);
    (next - here).angle(&(last - here))
}

/// Components in single precision.
pub(super) fn single(vector: &Vector3<f64>) -> [f32; 3] {
    #[expect(clippy::cast_possible_truncation, reason = "what the graphics card takes")]
    let single = |x: f64| x as f32;
    [single(vector.x), single(vector.y), single(vector.z)]
}

#[cfg(test)]
mod tests;
