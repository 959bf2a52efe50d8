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

/// A point inside two solids.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deep {
    /// Where it is [m, frame of B's tree].
    pub(super) point: Vector3<f64>,
    /// How deep it is in A and in B [m].
    pub(super) depths: [f64; 2],
    /// Of the sum of the depths.
    gradient: Vector3<f64>,
}

impl Deep {
    /// What it proves [m].
    pub(super) fn proved(&self) -> f64 {
        self.depths[0] + self.depths[1]
    }
}

/// How far an ascent goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Climb {
    /// Length of the first step [m].
    pub(super) step: f64,
    /// Steps at the most, including those that lead down.
    pub(super) steps: u32,
    /// Where as much is proved it ends [m].
    pub(super) enough: f64,
}

impl Solids<'_> {
    /// Climbs from `start` [m, frame of B's tree] with A moved by `q`; the number of points looked at is added to
    /// `looks`.
    pub(super) fn ascend(
        &self,
        q: &Vector3<f64>,
        start: Vector3<f64>,
        climb: &Climb,
        looks: &mut u32,
    ) -> Option<Deep> {
        let mut here = self.look(q, start)?;
        *looks += 1;
        let (mut step, mut gradients) = (climb.step, vec![here.gradient]);
        for _ in 0..climb.steps {
            if here.proved() >= climb.enough {
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
            let Some(there) = self.look(q, here.point + way * (step / slope)) else { break };
            *looks += 1;
            let is_up = there.proved() >= here.proved() + KEPT * slope * step;
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
        Some(here)
    }

    /// How deep a point [m, frame of B's tree] is in both solids with A moved by `q`.
    pub(super) fn look(&self, q: &Vector3<f64>, point: Vector3<f64>) -> Option<Deep> {
        let in_a = self.to_other[1].point(&Point3::from(point - q)).coords;
        let (depth_in_a, on_a) = self.models[0].depth_above(&in_a, f64::NEG_INFINITY)?;
        let (depth_in_b, on_b) = self.models[1].depth_above(&point, f64::NEG_INFINITY)?;
        let upwards_in_a = (in_a - on_a).normalize() * depth_in_a.signum();
        let upwards_in_b = (point - on_b).normalize() * depth_in_b.signum();
        let gradient = self.to_other[0].rotation * upwards_in_a + upwards_in_b;
        let is_known = gradient.iter().all(|x| x.is_finite());
        is_known.then_some(Deep { point, depths: [depth_in_a, depth_in_b], gradient })
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
