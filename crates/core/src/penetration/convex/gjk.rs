//! The distance of two cores that are apart, by descent to the point of their difference nearest to the origin
//! [GJK88].
//!
//! Each step proves two bounds: the nearest point v of the simplex is a point of the difference, so the distance is at
//! most |v|; and the support in the direction −v gives a plane that separates by v·w/|v|.

use nalgebra::Vector3;

use super::difference::Difference;
use super::gap::Gap;
use super::simplex::{Nearest, Simplex};

/// What the descent came to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Descent {
    /// The cores are apart.
    Apart(Gap),
    /// The cores touch or overlap.
    Overlap(Touch),
}

/// What the descent leaves of cores that are not apart.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Touch {
    /// The origin is no farther from the simplex than this [m]: in it, or nearer than rounding tells.
    pub(super) at_most: f64,
    /// The least support value [m] that was met, and its direction.
    pub(super) least: Option<(f64, Vector3<f64>)>,
}

/// Descends from the vertices in `simplex`, of which there must be one at least and not four.
///
/// On return `simplex` is the face nearest to the origin, or holds it. `supports` is added to.
pub(super) fn descend(
    difference: &Difference,
    simplex: &mut Simplex,
    relative_tolerance: f64,
    max_iterations: u32,
    supports: &mut u32,
) -> Descent {
    let mut least: Option<(f64, Vector3<f64>)> = None;
    let mut last = f64::INFINITY;
    loop {
        let Nearest::At(v) = simplex.reduce() else {
            return Descent::Overlap(Touch { at_most: 0.0, least });
        };
        let at_most = v.norm();
        if !(at_most > difference.noise()) {
            return Descent::Overlap(Touch { at_most, least });
        }
        let normal = -simplex.direction(&v);
        let start = simplex.vertices()[simplex.vertices().len() - 1].vertices;
        let vertex = difference.support(&normal, start);
        *supports += 1;
        let reach = normal.dot(&vertex.point);
        let (depth, normal) = least.filter(|(depth, _)| *depth <= reach).unwrap_or((reach, normal));
        least = Some((depth, normal));
        let stuck = simplex.contains(&vertex) || !(at_most < last) || *supports >= max_iterations;
        let certified = at_most + depth <= difference.tolerance(at_most, relative_tolerance);
        // Without a plane that separates, the cores may as well touch.
        if certified || stuck && depth < 0.0 {
            let [on_a, on_b] = simplex.witnesses();
            let on_b = difference.of_b(&on_b);
            return Descent::Apart(Gap { value: -depth, at_most, normal, on_a, on_b, supports: *supports });
        }
        if stuck {
            return Descent::Overlap(Touch { at_most, least });
        }
        last = at_most;
        simplex.push(vertex);
    }
}
