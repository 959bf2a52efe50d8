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
    /// The origin is no farther from the simplex than this [m]: in it, or nearer than rounding tells.
    Overlap(f64),
}

/// Descends from the vertices in `simplex`, of which there must be one at least and not four.
///
/// On return `simplex` is the face nearest to the origin, or holds it. `supports` is added to.
pub(super) fn descend(
    difference: &Difference,
    simplex: &mut Simplex,
    relative_tolerance: f64,
    max_supports: u32,
    supports: &mut u32,
) -> Descent {
    let mut separating: Option<(f64, Vector3<f64>)> = None;
    let mut last = f64::INFINITY;
    loop {
        let Nearest::At(v) = simplex.reduce() else { return Descent::Overlap(0.0) };
        let at_most = v.norm();
        if !(at_most > difference.noise()) {
            return Descent::Overlap(at_most);
        }
        let apart = |(value, normal): (f64, Vector3<f64>), simplex: &Simplex, supports: u32| {
            let [on_a, on_b] = simplex.witnesses();
            let on_b = difference.of_b(&on_b);
            Descent::Apart(Gap { value, at_most, normal, on_a, on_b, supports })
        };
        let normal = -simplex.direction(&v);
        let start = simplex.vertices()[simplex.vertices().len() - 1].vertices;
        let vertex = difference.support(&normal, start);
        *supports += 1;
        let value = -normal.dot(&vertex.point);
        if separating.is_none_or(|(best, _)| value > best) {
            separating = Some((value, normal));
        }
        let best = separating.unwrap_or((value, normal));
        let tolerance = difference.tolerance(at_most, relative_tolerance);
        let stuck = simplex.contains(&vertex) || !(at_most < last) || *supports >= max_supports;
        if at_most - best.0 <= tolerance {
            return apart(best, simplex, *supports);
        }
        if stuck {
            // Without a plane that separates, the cores may as well touch.
            return if best.0 > 0.0 { apart(best, simplex, *supports) } else { Descent::Overlap(at_most) };
        }
        last = at_most;
        simplex.push(vertex);
    }
}
