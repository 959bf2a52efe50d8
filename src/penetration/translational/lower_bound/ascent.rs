//! Where two solids are deepest in each other: a local search for the greatest sum of depths.
//!
//! At x, the largest balls about x in A and in B prove s_A(x) + s_B(x). The sum is Lipschitz with kinks where closest
//! points change, so the way up is the shortest vector in the hull of the gradients met nearby (the ε-steepest ascent
//! of Wolfe and Lemaréchal).

use nalgebra::{Point3, Vector3};

use super::Solids;

/// Gradients that are kept: more than four vectors are never needed for the shortest one in their hull.
const GRADIENTS: usize = 4;
/// Ways up that are less steep than this lead nowhere: the most is 2.
const LEVEL: f64 = 0.02;
/// Share of what the slope promises that a step must bring.
const KEPT: f64 = 0.2;

/// A point in the frame of B's tree, what it proves and where that grows.
struct Deep {
    point: Vector3<f64>,
    proved: f64,
    gradient: Vector3<f64>,
}

impl Solids<'_> {
    /// What is proved at the end of an ascent from `start` [m, frame of B's tree] of at most `steps` steps, the first
    /// one of length `step`; it ends where more than `enough` is proved.
    pub(super) fn ascend(&self, start: Vector3<f64>, step: f64, steps: u32, enough: f64) -> f64 {
        let Some(mut here) = self.look(start) else { return 0.0 };
        let (mut step, mut gradients) = (step, vec![here.gradient]);
        for _ in 0..steps {
            if here.proved >= enough {
                break;
            }
            let way = shortest_in_hull(&gradients);
            let slope = way.norm();
            if !(slope > LEVEL) {
                // Level as far as this step saw: look more closely.
                step *= 0.25;
                gradients = vec![here.gradient];
                continue;
            }
            let Some(there) = self.look(here.point + way * (step / slope)) else { break };
            let is_up = there.proved >= here.proved + KEPT * slope * step;
            if is_up {
                gradients.clear();
                gradients.push(there.gradient);
                here = there;
                step *= 1.5;
            } else {
                if gradients.len() == GRADIENTS {
                    gradients.remove(1);
                }
                gradients.push(there.gradient);
                step *= 0.6;
            }
        }
        here.proved
    }

    fn look(&self, point: Vector3<f64>) -> Option<Deep> {
        let in_a = self.to_other[1].point(&Point3::from(point)).coords;
        let (depth_in_a, on_a) = self.models[0].depth_above(&in_a, f64::NEG_INFINITY)?;
        let (depth_in_b, on_b) = self.models[1].depth_above(&point, f64::NEG_INFINITY)?;
        let upwards_in_a = (in_a - on_a).normalize() * depth_in_a.signum();
        let upwards_in_b = (point - on_b).normalize() * depth_in_b.signum();
        let gradient = self.to_other[0].rotation * upwards_in_a + upwards_in_b;
        let is_known = gradient.iter().all(|x| x.is_finite());
        is_known.then_some(Deep { point, proved: depth_in_a + depth_in_b, gradient })
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
