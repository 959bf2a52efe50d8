//! Steepest ascent of a nonsmooth function: a depth, or a sum of depths.
//!
//! A depth has kinks where the closest point changes, so the ascent direction is the shortest vector in the convex hull
//! of the gradients evaluated nearby (the ε-steepest ascent of Wolfe and Lemaréchal): its length is the slope that all
//! of them guarantee.

use nalgebra::Vector3;

/// Number of stored gradients: the shortest vector in a hull in three dimensions never needs more than four.
const GRADIENTS: usize = 4;
/// Sufficient increase: fraction of the increase predicted by the slope that an accepted step must attain. A larger one
/// rejects more steps, a smaller one accepts steps that overshoot.
const SUFFICIENT: f64 = 0.2;
/// Factor of the step length after an accepted step.
const LONGER: f64 = 1.5;
/// Factor of the step length after a rejected step.
const SHORTER: f64 = 0.6;
/// Factor of the step length where the slope is below the minimum.
const CLOSER: f64 = 0.25;

/// A point of the ascent with the value and the gradient of the function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Iterate<T> {
    pub(crate) point: Vector3<f64>,
    /// Value of the function, which is maximised [m].
    pub(crate) height: f64,
    /// Gradient of the function.
    pub(crate) gradient: Vector3<f64>,
    /// Further results of the evaluation.
    pub(crate) detail: T,
}

/// Parameters of an ascent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SteepestAscent {
    /// Length of the first step [m].
    pub(crate) initial_step: f64,
    /// Maximum length of a step, relative to the value.
    pub(crate) max_step: f64,
    /// Maximum number of steps, including rejected ones.
    pub(crate) max_steps: u32,
    /// Minimum slope, below which the point counts as stationary.
    pub(crate) min_slope: f64,
    /// Value at which the ascent ends [m].
    pub(crate) target: f64,
}

impl SteepestAscent {
    /// The highest point reached from `start`; `evaluate` returns value and gradient of a point, or `None` to end the
    /// ascent.
    pub(crate) fn run<T: Copy>(
        &self,
        start: Iterate<T>,
        mut evaluate: impl FnMut(Vector3<f64>) -> Option<Iterate<T>>,
    ) -> Iterate<T> {
        let (mut here, mut step) = (start, self.initial_step);
        let mut recent = RecentGradients::new(here.gradient);
        for _ in 0..self.max_steps {
            if here.height >= self.target {
                break;
            }
            let direction = shortest_in_hull(recent.gradients());
            let slope = direction.norm();
            if !(slope > self.min_slope) {
                // Stationary with respect to the gradients near this point, unless older ones no longer apply.
                step *= if recent.are_of_here { CLOSER } else { 1.0 };
                recent = RecentGradients::new(here.gradient);
                continue;
            }
            let Some(there) = evaluate(here.point + direction * (step / slope)) else { break };
            recent.add(there.gradient);
            // At least nearly the minimum slope, so that flat stretches are not followed; a rejected step still adds
            // its gradient, which bends the next direction around the kink.
            if there.height >= here.height + SUFFICIENT.max(0.9 * self.min_slope) * slope * step {
                here = there;
                recent.are_of_here = false;
                step = (LONGER * step).min(self.max_step * here.height.abs());
            } else {
                step *= SHORTER;
            }
        }
        here
    }
}

/// The gradients recent last, the latest one last.
struct RecentGradients {
    gradients: [Vector3<f64>; GRADIENTS],
    count: usize,
    /// Whether all of them were recent from where the ascent is.
    are_of_here: bool,
}

impl RecentGradients {
    fn new(gradient: Vector3<f64>) -> Self {
        Self { gradients: [gradient; GRADIENTS], count: 1, are_of_here: true }
    }

    fn add(&mut self, gradient: Vector3<f64>) {
        if self.count == GRADIENTS {
            self.gradients.copy_within(1.., 0);
            self.count -= 1;
        }
        self.gradients[self.count] = gradient;
        self.count += 1;
    }

    fn gradients(&self) -> &[Vector3<f64>] {
        &self.gradients[..self.count]
    }
}

/// The shortest vector in the convex hull of some vectors, nearly [Frank and Wolfe 1956].
fn shortest_in_hull(vectors: &[Vector3<f64>]) -> Vector3<f64> {
    /// Steps towards the vector that shortens it most.
    const STEPS: u32 = 16;
    let mut shortest = vectors[vectors.len() - 1];
    for _ in 0..STEPS {
        let most_against = vectors.iter().min_by(|x, y| shortest.dot(x).total_cmp(&shortest.dot(y)));
        let Some(other) = most_against else { break };
        let change = other - shortest;
        let fraction = (-shortest.dot(&change) / change.norm_squared()).clamp(0.0, 1.0);
        if !(fraction > 0.0) {
            break;
        }
        shortest += fraction * change;
    }
    shortest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_vector_in_a_hull_is_square_to_it() {
        let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
        assert!((shortest_in_hull(&[x, y]) - 0.5 * (x + y)).norm() < 1e-12);
        assert!((shortest_in_hull(&[x, y, z]) - (x + y + z) / 3.0).norm() < 0.05);
        assert!(shortest_in_hull(&[x, -x]).norm() < 1e-12);
        assert!((shortest_in_hull(&[x, 2.0 * x + y]) - x).norm() < 1e-12);
    }

    #[test]
    fn a_climb_reaches_the_top_of_a_pyramid() {
        let top = Vector3::new(0.3, -0.2, 0.1);
        let evaluate = |point: Vector3<f64>| {
            let away = point - top;
            let axis = away.iamax();
            let mut gradient = Vector3::zeros();
            gradient[axis] = -away[axis].signum();
            Some(Iterate { point, height: 1.0 - away.amax(), gradient, detail: () })
        };
        let start = evaluate(Vector3::zeros()).unwrap();
        let ascent = SteepestAscent {
            initial_step: 0.2,
            max_step: f64::INFINITY,
            max_steps: 100,
            min_slope: 0.01,
            target: 2.0,
        };
        assert!(ascent.run(start, evaluate).height > 0.999);
    }
}
