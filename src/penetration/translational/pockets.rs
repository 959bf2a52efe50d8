//! Free configurations in pockets and holes that no ray from the origin leads to.
//!
//! How deep the balls inside each solid lie in the other one is a rough, cheap measure of how much two solids overlap at
//! a translation: the greatest sum of a ball's radius and its centre's depth. Followed downhill from many places, it
//! leads to the places where the solids have room, however narrow these are.

use nalgebra::{Point3, Vector3};

use super::free_configuration::fibonacci;
use super::walk::ContactSpace;
use crate::proximity::Model;
use crate::proximity::inner_balls::Ball;

/// Places from which the measure is followed.
const SEEDS: u32 = 200;
/// Steps downhill.
const STEPS: usize = 10;
/// Steps after which the balls are chosen anew.
const RENEWAL: usize = 5;
/// Balls that are followed for a few steps.
const CHOSEN: usize = 16;
/// Slope below which there is no downhill.
const FLAT: f64 = 1e-3;
/// Balls of either solid that are looked at.
const BALLS: usize = 64;
/// Offset of the differences that stand for the gradient, relative to the size.
const OFFSET: f64 = 0.01;
/// Overlap by the measure below which a place is worth a query, relative to the size: the measure is as coarse as the
/// grids of depths.
const WORTH: f64 = 0.015;

/// Up to `count` free configurations nearer than `within` [m], nearest first.
pub(super) fn pockets(space: &ContactSpace, within: f64, count: usize) -> Vec<Vector3<f64>> {
    let mut overlap = Overlap::new(space);
    if overlap.balls.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    let size = space.a.radius() + space.b.radius();
    let mut found: Vec<Vector3<f64>> = Vec::new();
    for i in 0..SEEDS {
        // Radii that fill the ball evenly, in another order than the directions.
        let share = (f64::from(i) * 0.618_033_988_749_895).fract().cbrt();
        let start = fibonacci(i, SEEDS) * (share * within);
        let (least, at) = overlap.descend(start, within, size);
        if least < WORTH * size && at.norm() < within && space.is_apart(&at) {
            found.push(at);
        }
    }
    found.sort_by(|x, y| x.norm_squared().total_cmp(&y.norm_squared()));
    found.truncate(count);
    found
}

/// The measure: balls of each solid, placed in the frame of the other one's tree.
struct Overlap<'a> {
    models: [&'a Model; 2],
    balls: [Vec<Ball>; 2],
    /// The balls that are looked at, with what they overlapped by when they were chosen [m].
    chosen: Vec<(f64, (usize, usize))>,
    /// From a translation of A to that of either solid's balls in the other one's frame.
    b_to_a: nalgebra::Matrix3<f64>,
}

impl<'a> Overlap<'a> {
    fn new(space: &ContactSpace<'a>) -> Self {
        let b_to_a = space.a_to_b.inverse();
        let placed = |model: &Model, to_other: &crate::proximity::placement::Placement| {
            let balls = model.inner_balls().balls().iter().take(BALLS);
            let place =
                |ball: &Ball| Ball { center: to_other.point(&Point3::from(ball.center)).coords, ..*ball };
            balls.map(place).collect::<Vec<_>>()
        };
        let balls = [placed(space.a, &space.a_to_b), placed(space.b, &b_to_a)];
        Self { models: [space.a, space.b], balls, chosen: Vec::new(), b_to_a: b_to_a.rotation }
    }

    /// How far the balls of either solid move for a translation of A.
    fn moves(&self, q: &Vector3<f64>) -> [Vector3<f64>; 2] {
        [*q, -(self.b_to_a * q)]
    }

    /// Follows the measure downhill from `q` within the ball of translations shorter than `within` [m]; the least
    /// value on the way [m], and where.
    fn descend(&mut self, mut q: Vector3<f64>, within: f64, size: f64) -> (f64, Vector3<f64>) {
        let (mut least, mut at) = (f64::INFINITY, q);
        for step in 0..STEPS {
            if step % RENEWAL == 0 {
                self.choose(&q);
            }
            let (value, ball) = self.at(&q);
            if value < least {
                (least, at) = (value, q);
            }
            let slope = self.slope(&q, ball, OFFSET * size);
            let Some(downhill) = slope.try_normalize(FLAT) else { break };
            if value <= 0.0 {
                break;
            }
            q -= downhill * value.max(WORTH * size);
            if q.norm() > within {
                q *= within / q.norm();
            }
        }
        (least, at)
    }

    fn of_ball(&self, (owner, index): (usize, usize), moves: &[Vector3<f64>; 2]) -> f64 {
        let ball = &self.balls[owner][index];
        let other = self.models[1 - owner].inner_balls();
        other
            .estimate(&(ball.center + moves[owner]))
            .map_or(f64::NEG_INFINITY, |known| known.likely + ball.radius)
    }

    /// Chooses the balls that overlap most at `q`: those that can decide the measure nearby.
    fn choose(&mut self, q: &Vector3<f64>) {
        let moves = self.moves(q);
        let mut chosen = std::mem::take(&mut self.chosen);
        chosen.clear();
        for owner in 0..2 {
            let balls = 0..self.balls[owner].len();
            chosen.extend(balls.map(|index| (self.of_ball((owner, index), &moves), (owner, index))));
        }
        if chosen.len() > CHOSEN {
            chosen.select_nth_unstable_by(CHOSEN, |x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
            chosen.truncate(CHOSEN);
        }
        self.chosen = chosen;
    }

    /// The measure at a translation [m], and the ball that decides it, of those that were chosen.
    fn at(&self, q: &Vector3<f64>) -> (f64, (usize, usize)) {
        let moves = self.moves(q);
        let values = self.chosen.iter().map(|&(_, ball)| (self.of_ball(ball, &moves), ball));
        values.fold((f64::NEG_INFINITY, (0, 0)), |most, value| if value.0 > most.0 { value } else { most })
    }

    /// How the measure of one ball grows with the translation.
    fn slope(&self, q: &Vector3<f64>, ball: (usize, usize), offset: f64) -> Vector3<f64> {
        Vector3::from_fn(|k, _| {
            let step = Vector3::ith(k, offset);
            let value = |q: Vector3<f64>| self.of_ball(ball, &self.moves(&q));
            (value(q + step) - value(q - step)) / (2.0 * offset)
        })
    }
}
