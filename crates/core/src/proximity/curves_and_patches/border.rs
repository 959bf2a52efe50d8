//! The border of a patch, and distances from it.
//!
//! The segments are in groups of eight neighbours with a ball around each group: a distance evaluates the segments of
//! the groups whose ball is near enough.

use nalgebra::{Point3, Vector3};

use crate::proximity::triangle_distance::closest_on_segments;

/// Segments of a group.
const GROUP: usize = 8;

/// The border of a patch: segments, in the frame of the model's tree [m].
#[derive(Debug, Clone)]
pub(super) struct Border {
    segments: Vec<[Point3<f64>; 2]>,
    /// Centre and radius of the ball around each group.
    balls: Vec<(Vector3<f64>, f64)>,
}

impl Border {
    pub(super) fn new(mut segments: Vec<[Point3<f64>; 2]>) -> Self {
        sort_by_place(&mut segments);
        let ball_of = |group: &[[Point3<f64>; 2]]| {
            let ends = || group.iter().flatten();
            let sum = ends().map(|end| end.coords).sum::<Vector3<f64>>();
            let center = sum / (2 * group.len()) as f64;
            (center, ends().map(|end| (end.coords - center).norm()).fold(0.0, f64::max))
        };
        let balls = segments.chunks(GROUP).map(ball_of).collect();
        Self { segments, balls }
    }

    /// The minimum distance of the segment from `p` to `q` from the border [m] if less than `below`, else `below`; the groups and
    /// segments that it evaluates are added to `visits`.
    pub(super) fn distance(&self, [p, q]: [&Vector3<f64>; 2], below: f64, visits: &mut u64) -> f64 {
        let (center, half) = (0.5 * (p + q), 0.5 * (q - p).norm());
        let own = [Point3::from(*p), Point3::from(*q)];
        let mut min = below;
        *visits += self.balls.len() as u64;
        for ((ball, radius), group) in self.balls.iter().zip(self.segments.chunks(GROUP)) {
            let reach = min + half + radius;
            if (ball - center).norm_squared() >= reach * reach {
                continue;
            }
            *visits += group.len() as u64;
            for other in group {
                let [x, y] = closest_on_segments(&own, other);
                min = min.min(nalgebra::distance(&x, &y));
            }
        }
        min
    }

    /// Whether a ball may come nearer to the border than `within` [m]; the groups that it looks at are added to `visits`.
    pub(super) fn is_near(
        &self,
        (center, radius): (&Vector3<f64>, f64),
        within: f64,
        visits: &mut u64,
    ) -> bool {
        // A little farther, for the rounding of the balls.
        let reach = (within + radius) * (1.0 + 1e-9);
        let is_near = |(ball, own): &(Vector3<f64>, f64)| {
            (ball - center).norm_squared() < (reach + own) * (reach + own)
        };
        let first = self.balls.iter().position(is_near);
        *visits += first.map_or(self.balls.len(), |first| first + 1) as u64;
        first.is_some()
    }

    /// Up to about `count` points spread over the border [m].
    pub(super) fn samples(&self, count: usize) -> Vec<Vector3<f64>> {
        let lengths = self.segments.iter().map(|[p, q]| nalgebra::distance(p, q));
        let total: f64 = lengths.clone().sum();
        let spacing = total / count as f64;
        let mut samples = Vec::with_capacity(2 * count);
        let mut left = 0.0;
        for ([p, q], length) in self.segments.iter().zip(lengths) {
            while left <= length && samples.len() < 2 * count {
                samples.push(p.coords + (q - p) * if length > 0.0 { left / length } else { 0.0 });
                left += spacing.max(f64::MIN_POSITIVE);
            }
            left -= length;
        }
        samples
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.segments) + size_of_val(&*self.balls)
    }
}

/// Sorts segments so that neighbours in the list are neighbours in space: halves along the longest axis, recursively.
fn sort_by_place(segments: &mut [[Point3<f64>; 2]]) {
    if segments.len() <= GROUP {
        return;
    }
    let middle = |segment: &[Point3<f64>; 2], axis: usize| segment[0][axis] + segment[1][axis];
    let extent = |axis: usize| {
        let places = segments.iter().map(|segment| middle(segment, axis));
        let (min, max) =
            places.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), x| (x.min(min), x.max(max)));
        max - min
    };
    let extents = [0, 1, 2].map(extent);
    let axis = (0..3).fold(0, |best, axis| if extents[axis] > extents[best] { axis } else { best });
    // A multiple of the group size, so that no group spans both halves.
    let half = (segments.len() / 2).next_multiple_of(GROUP).min(segments.len() - 1);
    segments.select_nth_unstable_by(half, |x, y| {
        let order = middle(x, axis).total_cmp(&middle(y, axis));
        // Equal places are ordered by all coordinates: the result must not depend on the initial order.
        order.then_with(|| {
            let all = |segment: &[Point3<f64>; 2]| segment.map(|end| <[f64; 3]>::from(end.coords));
            let [x, y] = [all(x), all(y)];
            let pairs = x.iter().flatten().zip(y.iter().flatten());
            pairs
                .map(|(x, y)| x.total_cmp(y))
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        })
    });
    let (first, second) = segments.split_at_mut(half);
    sort_by_place(first);
    sort_by_place(second);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proximity::tests::Noise;

    #[test]
    fn the_distance_from_a_border_is_that_of_the_nearest_segment() {
        let mut noise = Noise(3);
        let point = |noise: &mut Noise| Point3::from(noise.vector());
        let segments = (0..100)
            .map(|_| {
                let from = point(&mut noise);
                [from, from + 0.1 * noise.vector()]
            })
            .collect::<Vec<_>>();
        let border = Border::new(segments.clone());
        for _ in 0..200 {
            let own = [point(&mut noise), point(&mut noise)];
            let brute = segments.iter().map(|segment| {
                let [x, y] = closest_on_segments(&own, segment);
                nalgebra::distance(&x, &y)
            });
            let brute = brute.fold(f64::INFINITY, f64::min);
            let [p, q] = own.map(|end| end.coords);
            let mut visits = 0;
            assert!((border.distance([&p, &q], f64::INFINITY, &mut visits) - brute).abs() < 1e-15);
            assert!((border.distance([&p, &q], 0.5 * brute, &mut visits) - 0.5 * brute).abs() < 1e-15);
            // Thirteen groups, twice, and the segments of those that are near.
            assert!((26 + 8..=226).contains(&visits), "{visits}");
        }
    }
}
