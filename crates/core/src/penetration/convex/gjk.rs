//! The distance of two separated cores, by descent to the point of their difference nearest to the origin (GJK)
//! [GJK88].
//!
//! Each step proves two bounds: the nearest point v of the simplex is a point of the difference, so the distance is at
//! most |v|; and the support in the direction −v gives a plane that separates by v·w/|v|.

use nalgebra::Vector3;

use super::difference::Difference;
use super::gap::Gap;
use super::simplex::{Nearest, Simplex};

/// Result of the descent.
#[derive(Debug, Clone, Copy)]
pub(super) enum Descent {
    /// The cores are separated.
    Apart(Gap),
    /// The cores touch or overlap.
    Overlap(Touch),
}

/// Bounds that the descent found for cores that are not separated.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Touch {
    /// Upper bound of the distance of the origin from the simplex [m]: inside it, or within rounding of it.
    pub(super) at_most: f64,
    /// The minimum support value found [m], and its direction.
    pub(super) min: Option<(f64, Vector3<f64>)>,
}

/// Descends from the vertices in `simplex`, one to three of them.
///
/// On return `simplex` is the face nearest to the origin, or contains it. `supports` is incremented.
pub(super) fn descend(
    difference: &Difference,
    simplex: &mut Simplex,
    relative_tolerance: f64,
    max_iterations: u32,
    supports: &mut u32,
) -> Descent {
    let mut min: Option<(f64, Vector3<f64>)> = None;
    let mut last = f64::INFINITY;
    loop {
        let Nearest::At(v) = simplex.reduce() else {
            return Descent::Overlap(Touch { at_most: 0.0, min });
        };
        let at_most = v.norm();
        if !(at_most > difference.noise()) {
            return Descent::Overlap(Touch { at_most, min });
        }
        let normal = -simplex.direction(&v);
        let start = simplex.vertices()[simplex.vertices().len() - 1].vertices;
        let vertex = difference.support(&normal, start);
        *supports += 1;
        let reach = normal.dot(&vertex.point);
        let (depth, normal) = min.filter(|(depth, _)| *depth <= reach).unwrap_or((reach, normal));
        min = Some((depth, normal));
        // A known vertex, no progress, or no work left: from here on rounding would choose the vertices.
        let stuck = simplex.contains(&vertex) || !(at_most < last) || *supports >= max_iterations;
        let certified = at_most + depth <= difference.tolerance(at_most, relative_tolerance);
        // Without a separating plane the cores may touch: then the expansion decides.
        if certified || stuck && depth < 0.0 {
            let [on_a, on_b] = simplex.witnesses();
            let on_b = difference.of_b(&on_b);
            return Descent::Apart(Gap { value: -depth, at_most, normal, on_a, on_b, supports: *supports });
        }
        if stuck {
            return Descent::Overlap(Touch { at_most, min });
        }
        last = at_most;
        simplex.push(vertex);
    }
}
