//! Climbing to where a depth, or a sum of depths, is greatest.
//!
//! A depth has kinks where the closest point changes, so the way up is the shortest vector in the hull of the
//! gradients met nearby (the ε-steepest ascent of Wolfe and Lemaréchal): its length is the slope that is left when
//! all of them hold at once.

use nalgebra::Vector3;

/// Gradients that are kept: more than four are never needed for the shortest vector in their hull.
const GRADIENTS: usize = 4;
/// Share of what the slope promises that a step must bring.
const KEPT: f64 = 0.2;
/// What a step becomes after one that leads up.
const LONGER: f64 = 1.5;
/// What a step becomes after one that does not.
const SHORTER: f64 = 0.6;
/// What a step becomes where it is level.
const CLOSER: f64 = 0.25;

/// A place on the way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<T> {
    pub(crate) point: Vector3<f64>,
    /// What is to be great there [m].
    pub(crate) height: f64,
    /// How it grows.
    pub(crate) gradient: Vector3<f64>,
    /// What else is known of the place.
    pub(crate) detail: T,
}

/// How far a climb goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Climb {
    /// Length of the first step [m].
    pub(crate) step: f64,
    /// Length of the longest step, relative to the height.
    pub(crate) longest: f64,
    /// Steps at the most, including those that lead down.
    pub(crate) steps: u32,
    /// A slope that is less than this is level.
    pub(crate) level: f64,
    /// Where it is as high as this the climb ends [m].
    pub(crate) enough: f64,
}

impl Climb {
    /// The highest place reached from `start`; `look` tells of a point, if anything is known of it.
    pub(crate) fn run<T: Copy>(
        &self,
        start: Place<T>,
        mut look: impl FnMut(Vector3<f64>) -> Option<Place<T>>,
    ) -> Place<T> {
        let (mut here, mut step) = (start, self.step);
        let mut met = Met::new(here.gradient);
        for _ in 0..self.steps {
            if here.height >= self.enough {
                break;
            }
            let way = shortest_in_hull(met.gradients());
            let slope = way.norm();
            if !(slope > self.level) {
                // Level as far as was seen from here, or what was seen before holds no more.
                step *= if met.are_of_here { CLOSER } else { 1.0 };
                met = Met::new(here.gradient);
                continue;
            }
            let Some(there) = look(here.point + way * (step / slope)) else { break };
            met.add(there.gradient);
            if there.height >= here.height + KEPT.max(0.9 * self.level) * slope * step {
                here = there;
                met.are_of_here = false;
                step = (LONGER * step).min(self.longest * here.height.abs());
            } else {
                step *= SHORTER;
            }
        }
        here
    }
}

/// The gradients met last, the latest one last.
struct Met {
    gradients: [Vector3<f64>; GRADIENTS],
    count: usize,
    /// Whether all of them were met from where the climb is.
    are_of_here: bool,
}

impl Met {
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
        let share = (-shortest.dot(&change) / change.norm_squared()).clamp(0.0, 1.0);
        if !(share > 0.0) {
            break;
        }
        shortest += share * change;
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
        let look = |point: Vector3<f64>| {
            let away = point - top;
            let axis = away.iamax();
            let mut gradient = Vector3::zeros();
            gradient[axis] = -away[axis].signum();
            Some(Place { point, height: 1.0 - away.amax(), gradient, detail: () })
        };
        let start = look(Vector3::zeros()).unwrap();
        let climb = Climb { step: 0.2, longest: f64::INFINITY, steps: 100, level: 0.01, enough: 2.0 };
        assert!(climb.run(start, look).height > 0.999);
    }
}
