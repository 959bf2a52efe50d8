//! Choice of the samples of a body, and its grid of distances.
//!
//! Points of the surface are chosen from random ones by area and from corners, one after another, each as far as
//! possible from those before it [Gonzalez 1985]: the first ones outline the body, further ones refine it.

use nalgebra::Vector3;

use super::depth_grid::DepthGrid;
use super::model::Model;
use super::outline::{BodySample, Outline};
use crate::bvh::tree::TriangleBvh;
use crate::geometry::random::SplitMix64;
use crate::geometry::triangle_mesh::Solidity;

/// Points of the surface that are chosen.
const POINTS: usize = 128;
/// Random points from which they are chosen, beside about as many corners.
const CANDIDATES: usize = 512;
/// Relative difference of squared distances below which points count as equally far: rounding must not choose.
const SAME: f64 = 1e-9;

impl Outline {
    /// The outline of a model.
    pub(super) fn of(model: &Model) -> Self {
        let inner = model.inner_balls();
        let sample = |center: &Vector3<f64>, radius: f64| BodySample {
            center: center.map(|x| x as f32).into(),
            radius: radius as f32,
        };
        let (points, distance) = farthest(&candidates(model.bvh()));
        let grid = inner.grid().is_none().then(|| {
            let is_solid = model.solidity() == Solidity::Solid;
            DepthGrid::new(model.bvh(), &|point: &Vector3<f64>| is_solid && model.contains_in_tree(point))
        });
        Self {
            balls: inner.balls().iter().map(|ball| sample(&ball.center, ball.radius)).collect(),
            points: points.iter().map(|point| sample(point, 0.0)).collect(),
            disc: (0.5 * distance) as f32,
            grid,
        }
    }

    /// The grid of distances from the surface of a model, and the grid's origin [m, frame of the tree].
    pub(crate) fn grid_of(model: &Model) -> (&DepthGrid, Vector3<f64>) {
        let own = || {
            let grid = model.outline().grid.as_ref();
            (grid.expect("an outline has a grid where the balls have none"), Vector3::zeros())
        };
        model.inner_balls().grid().map_or_else(own, |(grid, origin)| (grid, *origin))
    }
}

/// Random points of the triangles, as many as their area asks for, and corners of triangles at equal intervals.
fn candidates(tree: &TriangleBvh) -> Vec<Vector3<f64>> {
    let triangles = || {
        let packets = tree.packets().iter();
        packets.flat_map(|packet| packet.lanes().map(|(lane, _)| packet.triangle(lane).map(Vector3::from)))
    };
    let area = |[a, b, c]: &[Vector3<f64>; 3]| (b - a).cross(&(c - a)).norm();
    let (count, total) = (triangles().count(), triangles().map(|corners| area(&corners)).sum::<f64>());
    let stride = count.div_ceil(CANDIDATES).max(1);
    let (mut random, mut before) = (SplitMix64(0), 0.0);
    let mut points = Vec::with_capacity(2 * CANDIDATES);
    for (index, corners) in triangles().enumerate() {
        let [a, b, c] = corners;
        let after = before + CANDIDATES as f64 * (area(&corners) / total);
        for _ in before as usize..after as usize {
            let [u, v] = [random.unit_interval(), random.unit_interval()];
            // The other half of the parallelogram is mirrored to the triangle.
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            points.push(a + (b - a) * u + (c - a) * v);
        }
        before = after;
        if index % stride == 0 {
            points.push(a);
        }
    }
    points
}

/// The points of which each is the farthest from those before it, and the distance of the last one [m].
fn farthest(candidates: &[Vector3<f64>]) -> (Vec<Vector3<f64>>, f64) {
    let mut squared = vec![f64::INFINITY; candidates.len()];
    let (mut points, mut last) = (Vec::with_capacity(POINTS), f64::INFINITY);
    let mut next = candidates.first().map(|_| 0);
    while let Some(index) = next.filter(|_| points.len() < POINTS) {
        last = squared[index].sqrt();
        let point = candidates[index];
        points.push(point);
        let mut max = 0.0;
        next = None;
        for (other, (distance, candidate)) in squared.iter_mut().zip(candidates).enumerate() {
            *distance = distance.min((candidate - point).norm_squared());
            if *distance > max * (1.0 + SAME) {
                (max, next) = (*distance, Some(other));
            }
        }
    }
    (points, last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::procedural::{Cuboid, Procedural, Torus};

    #[test]
    fn no_point_is_farther_from_those_before_it_than_the_previous_one() {
        let cube = Model::new(Cuboid::default().mesh().unwrap(), Solidity::Solid);
        let points = cube.outline().points();
        assert_eq!(points.len(), POINTS);
        let at = |index: usize| Vector3::from(points[index].center).cast::<f64>();
        let distance =
            |index: usize| (0..index).map(|i| (at(i) - at(index)).norm()).fold(f64::INFINITY, f64::min);
        let distances = (1..POINTS).map(distance).collect::<Vec<_>>();
        // Single precision rounds the points.
        assert!(distances.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6), "{distances:?}");
    }

    #[test]
    fn discs_about_the_points_nearly_cover_a_torus() {
        let ring = Model::new(Torus::default().mesh().unwrap(), Solidity::Surface);
        let outline = ring.outline();
        let near = |point: &Vector3<f64>| {
            let distances = outline
                .points()
                .iter()
                .map(|other| (Vector3::from(other.center).cast::<f64>() - point).norm());
            distances.fold(f64::INFINITY, f64::min) <= 2.5 * f64::from(outline.disc())
        };
        let center = ring.center();
        assert!(ring.mesh().vertices().iter().all(|vertex| near(&(vertex - center))));
        assert!(outline.balls().is_empty());
    }
}
