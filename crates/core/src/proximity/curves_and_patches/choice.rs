//! Choice of the patches of a surface.
//!
//! | patches | find |
//! |---|---|
//! | the whole surface, its connected components | bodies that stick into a solid, and pieces |
//! | parts left by cutting along creases | faces of bodies with edges |
//! | connected parts that face one of 26 directions | sides of a body, its inner and outer wall |
//! | discs about points spread over the surface | walls that curves pass far from any natural border |

use nalgebra::Vector3;

use super::surface::Surface;
use crate::parallel;

/// Angles of creases [rad].
const CREASES: [f64; 3] = [0.44, 0.87, 1.31];
/// Parts that are left by the creases of one angle, the largest first.
const PARTS: usize = 6;
/// Connected components that become patches, the largest first.
const COMPONENTS: usize = 8;
/// Parts that face one direction, the largest first.
const FACING: usize = 2;
/// Cosine between the normals of a part and its direction, at least.
const FACES: f64 = 0.2;
/// Points that are centres of discs.
const CENTERS: usize = 22;
/// Radii of discs, relative to the radius of the surface.
const RADII: [f64; 3] = [0.2, 0.35, 0.6];
/// Cosine between the normals of a disc and that at its centre, at least: a disc does not reach around a thin wall.
const ROTATED: f64 = -0.3;
/// Minimum number of triangles of a patch.
const MIN_TRIANGLES: usize = 4;
/// Weight of a difference of unit normals against a distance, relative to the radius: the sides of a thin wall count as
/// far from each other.
const NORMALS: f64 = 0.15;

/// A source of patches.
enum Source {
    Whole,
    Components,
    Creases(f64),
    Facing(Vector3<f64>),
    Disc(u32, f64),
}

/// Triangles spread over the surface, and the index of the nearest of them for each triangle.
pub(super) struct Spread {
    pub(super) triangles: Vec<u32>,
    pub(super) nearest: Vec<u8>,
}

impl Spread {
    /// Up to `count` triangles, each as far as possible from those before it (Gonzalez 1985).
    pub(super) fn new(surface: &Surface, radius: f64, count: usize) -> Self {
        let places = (0..surface.triangles.len() as u32).map(|triangle| {
            let normal = surface.area_vector(triangle);
            (surface.middle(triangle), normal * (NORMALS * radius / normal.norm()))
        });
        let places = places.collect::<Vec<_>>();
        let mut distances = vec![f64::INFINITY; places.len()];
        let mut spread = Self { triangles: Vec::new(), nearest: vec![0; places.len()] };
        let mut next = 0;
        while spread.triangles.len() < count.min(places.len()) {
            let (middle, normal) = places[next];
            let number = spread.triangles.len() as u8;
            spread.triangles.push(next as u32);
            let mut farthest = (f64::NEG_INFINITY, 0);
            for (index, (other, other_normal)) in places.iter().enumerate() {
                let squared = (other - middle).norm_squared() + (other_normal - normal).norm_squared();
                if squared < distances[index] {
                    (distances[index], spread.nearest[index]) = (squared, number);
                }
                if distances[index] > farthest.0 {
                    farthest = (distances[index], index);
                }
            }
            next = farthest.1;
        }
        spread
    }
}

/// The patches of a surface of this radius [m]: sets of triangles, ascending, each set once.
pub(super) fn choose(surface: &Surface, spread: &Spread, radius: f64, count: usize) -> Vec<Vec<u32>> {
    let mut sources = vec![Source::Whole, Source::Components];
    sources.extend(CREASES.map(Source::Creases));
    sources.extend(directions().map(Source::Facing));
    let centers = spread.triangles.iter().take(CENTERS);
    sources.extend(centers.flat_map(|&center| RADII.map(|size| Source::Disc(center, size * radius))));
    let sets = parallel::map_slice(&sources, 1, |source| source.sets(surface));
    let mut chosen: Vec<Vec<u32>> = Vec::new();
    for set in sets.into_iter().flatten() {
        if chosen.len() < count
            && set.len() >= MIN_TRIANGLES.min(surface.triangles.len())
            && !chosen.contains(&set)
        {
            chosen.push(set);
        }
    }
    chosen
}

/// The 26 directions to the faces, edges and corners of a cube.
fn directions() -> impl Iterator<Item = Vector3<f64>> {
    let axes = [-1.0, 0.0, 1.0];
    let all = axes.into_iter().flat_map(move |x| {
        axes.into_iter().flat_map(move |y| axes.into_iter().map(move |z| Vector3::new(x, y, z)))
    });
    all.filter_map(|direction| direction.try_normalize(0.0))
}

impl Source {
    /// The sets of triangles of this source, each in ascending order.
    fn sets(&self, surface: &Surface) -> Vec<Vec<u32>> {
        let unit = |triangle: u32| surface.area_vector(triangle).normalize();
        let all = 0..surface.triangles.len() as u32;
        let anything = |_: u32| true;
        let any_edge = |_: u32, _: u32| true;
        match *self {
            Self::Whole => vec![all.collect()],
            Self::Components => {
                let parts = largest(parts(surface, all, anything, any_edge), COMPONENTS);
                if parts.len() == 1 { Vec::new() } else { parts }
            }
            Self::Creases(angle) => {
                let normals = all.clone().map(unit).collect::<Vec<_>>();
                let cosine = angle.cos();
                let is_smooth = |x: u32, y: u32| normals[x as usize].dot(&normals[y as usize]) > cosine;
                largest(parts(surface, all, anything, is_smooth), PARTS)
            }
            Self::Facing(direction) => {
                let faces = |triangle: u32| {
                    let normal = surface.area_vector(triangle);
                    normal.dot(&direction) > FACES * normal.norm()
                };
                largest(parts(surface, all, faces, any_edge), FACING)
            }
            Self::Disc(center, size) => {
                let (middle, normal) = (surface.middle(center), unit(center));
                let is_in = |triangle: u32| {
                    (surface.middle(triangle) - middle).norm_squared() < size * size
                        && surface.area_vector(triangle).dot(&normal)
                            > ROTATED * surface.area_vector(triangle).norm()
                };
                parts(surface, std::iter::once(center), is_in, any_edge)
            }
        }
    }
}

/// The connected parts, reached from the `starts`, of the triangles that `accepts`; parts extend across the edges that
/// `crosses`.
fn parts(
    surface: &Surface,
    starts: impl Iterator<Item = u32>,
    accepts: impl Fn(u32) -> bool,
    crosses: impl Fn(u32, u32) -> bool,
) -> Vec<Vec<u32>> {
    let mut seen = vec![false; surface.triangles.len()];
    let mut parts = Vec::new();
    for start in starts {
        if seen[start as usize] || !accepts(start) {
            continue;
        }
        seen[start as usize] = true;
        let mut part = vec![start];
        let mut next = 0;
        while let Some(&triangle) = part.get(next) {
            next += 1;
            for edge in surface.sides[triangle as usize] {
                for &other in near_in(surface.at_edge(edge), triangle) {
                    if !seen[other as usize] && accepts(other) && crosses(triangle, other) {
                        seen[other as usize] = true;
                        part.push(other);
                    }
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

/// Of the triangles at an edge, in ascending order, those around one of them: of the usual two all, but at an edge of a fan of
/// thousands each triangle has few neighbours, so that the work is in proportion to their number, not to its square.
fn near_in(at_edge: &[u32], triangle: u32) -> &[u32] {
    /// Triangles on either side.
    const NEAR: usize = 16;
    let place = at_edge.partition_point(|&other| other < triangle);
    &at_edge[place.saturating_sub(NEAR)..at_edge.len().min(place + NEAR + 1)]
}

/// The sets with most triangles; of equal ones the first.
fn largest(mut sets: Vec<Vec<u32>>, count: usize) -> Vec<Vec<u32>> {
    sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
    sets.truncate(count);
    sets
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use nalgebra::Point3;

    use super::*;
    use crate::geometry::TriangleMesh;

    #[test]
    fn the_work_for_a_fan_about_one_edge_is_in_proportion_to_its_triangles() {
        const COUNT: u32 = 4000;
        let rim = (0..COUNT).map(|i| {
            let azimuth = f64::from(i) / f64::from(COUNT) * std::f64::consts::TAU;
            Point3::new(azimuth.cos(), azimuth.sin(), 0.0)
        });
        let edge = [-1.0, 1.0].map(|z| Point3::new(0.0, 0.0, z));
        let vertices = edge.into_iter().chain(rim).collect();
        let triangles = (0..COUNT).map(|i| [0, 1, i + 2]).collect();
        let surface = Surface::new(&TriangleMesh::new(vertices, triangles).unwrap(), &Point3::origin());
        let crossings = Cell::new(0_u32);
        let crosses = |_: u32, _: u32| {
            crossings.set(crossings.get() + 1);
            // All are looked at, none is joined.
            false
        };
        let found = parts(&surface, 0..COUNT, |_| true, crosses);
        assert_eq!(found.len(), COUNT as usize);
        assert!(crossings.get() < 64 * COUNT, "{}", crossings.get());
        assert_eq!(parts(&surface, 0..COUNT, |_| true, |_, _| true).len(), 1);
    }
}
