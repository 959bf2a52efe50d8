//! Convex pieces of a triangle, and how they are cut.

use nalgebra::{Point3, Vector3};

use super::nearest::Near;
use super::side::{Bar, OneSide};
use super::triangle::Triangle;

/// Corners that a piece may have.
const MOST: usize = 8;
/// Every so many cuts a piece is halved, whatever the triangles near its corners: so every piece shrinks.
const HALVED_EVERY: u32 = 4;
/// Steps to where two triangles are equally far away, on an edge; the place need not be exact.
const STEPS: u32 = 2;

/// A corner of a piece.
#[derive(Debug, Clone, Copy)]
struct Corner {
    /// [m, frame of the other model's tree]
    point: Point3<f64>,
    /// A triangle near it: within the target, or the closest one.
    near: Near,
}

/// A convex polygon, part of a triangle of one model.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// The triangle that it is a part of.
    from: u32,
    corners: [Corner; MOST],
    count: usize,
    /// Cuts that it has come from.
    depth: u32,
    /// The triangle of the other model whose greatest distance from the corners is the least known, and that
    /// distance: an upper bound.
    pub(super) cover: Near,
}

impl Piece {
    /// The whole triangle `from`; its corners may raise the bar. `cover` as the field.
    pub(super) fn whole(
        side: &OneSide,
        from: u32,
        corners: &[Point3<f64>; 3],
        cover: Near,
        bar: &mut Bar,
    ) -> Self {
        let known = side.triangle(cover.triangle);
        let blank = Corner { point: Point3::origin(), near: cover };
        let mut piece = Self { from, corners: [blank; MOST], count: 0, depth: 0, cover };
        for point in corners {
            let distance = known.distance_squared(point).sqrt();
            let near = side.near(point, from, Near { triangle: known.index, distance }, bar);
            piece.push(Corner { point: *point, near });
        }
        piece.improve_cover(side, bar.target);
        piece
    }

    fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    fn push(&mut self, corner: Corner) {
        self.corners[self.count] = corner;
        self.count += 1;
    }

    fn reach(&self, triangle: &Triangle) -> Near {
        let distance = triangle.reach(self.corners().iter().map(|corner| &corner.point));
        Near { triangle: triangle.index, distance }
    }

    /// Tries the triangles near the corners as covers until one is good enough.
    fn improve_cover(&mut self, side: &OneSide, enough: f64) {
        let mut last = self.cover.triangle;
        for i in 0..self.count {
            if self.cover.distance <= enough {
                return;
            }
            let candidate = self.corners[i].near.triangle;
            if candidate != last {
                let reach = self.reach(&side.triangle(candidate));
                if reach.distance < self.cover.distance {
                    self.cover = reach;
                }
            }
            last = candidate;
        }
    }

    /// Cuts the piece in two that cover it, with covers of their own; new corners may raise the bar.
    pub(super) fn cut(&self, side: &OneSide, bar: &mut Bar) -> [Self; 2] {
        let cover = side.triangle(self.cover.triangle);
        let distances = self.corners.map(|corner| cover.distance_squared(&corner.point).sqrt());
        let farthest = (1..self.count).fold(0, |far, i| if distances[i] > distances[far] { i } else { far });
        let other = side.triangle(self.corners[farthest].near.triangle);
        let along_crease = Crease { cover, other };
        let values = self.corners.map(|corner| along_crease.value(&corner.point));
        if !self.depth.is_multiple_of(HALVED_EVERY) || self.depth == 0 {
            if let Some(parts) = self.cut_where(side, &values, Some(&along_crease), bar) {
                return parts;
            }
        }
        let values = self.values_along_greatest_extent();
        self.cut_where(side, &values, None, bar).expect("a piece with an extent has corners on both sides")
    }

    /// Heights of the corners over the plane through the middle, across the longest way between two corners.
    fn values_along_greatest_extent(&self) -> [f64; MOST] {
        let mut longest = Vector3::zeros();
        let mut middle = Point3::origin();
        for i in 0..self.count {
            for j in 0..i {
                let way = self.corners[i].point - self.corners[j].point;
                if way.norm_squared() >= longest.norm_squared() {
                    (longest, middle) =
                        (way, nalgebra::center(&self.corners[i].point, &self.corners[j].point));
                }
            }
        }
        self.corners.map(|corner| longest.dot(&(corner.point - middle)))
    }

    /// The parts where `values`, one per corner, are not positive and not negative; `None` where one of them would
    /// be all of the piece or have too many corners.
    fn cut_where(
        &self,
        side: &OneSide,
        values: &[f64; MOST],
        crease: Option<&Crease>,
        bar: &mut Bar,
    ) -> Option<[Self; 2]> {
        let n = self.count;
        let counts = [-1.0, 1.0].map(|sign: f64| {
            let crosses = |i: usize| values[i] * sign < 0.0 && values[(i + 1) % n] * sign > 0.0;
            let crosses_back = |i: usize| values[i] * sign > 0.0 && values[(i + 1) % n] * sign < 0.0;
            let kept = (0..n).filter(|&i| values[i] * sign >= 0.0).count();
            let strictly = (0..n).filter(|&i| values[i] * sign > 0.0).count();
            (kept + (0..n).filter(|&i| crosses(i) || crosses_back(i)).count(), strictly)
        });
        if counts.iter().any(|&(corners, strictly)| corners > MOST || strictly == 0) {
            return None;
        }
        let empty = Self { count: 0, depth: self.depth + 1, cover: self.cover, ..*self };
        let mut parts = [empty.clone(), empty];
        for i in 0..n {
            let j = (i + 1) % n;
            let corner = self.corners[i];
            if values[i] <= 0.0 {
                parts[0].push(corner);
            }
            if values[i] >= 0.0 {
                parts[1].push(corner);
            }
            if values[i] < 0.0 && values[j] > 0.0 || values[i] > 0.0 && values[j] < 0.0 {
                let corner = self.corner_between([i, j], [values[i], values[j]], side, crease, bar);
                parts[0].push(corner);
                parts[1].push(corner);
            }
        }
        for (part, first) in parts.iter_mut().zip([0, 1]) {
            let triangle = match crease {
                Some(crease) if first == 1 => &crease.other,
                _ => &side.triangle(self.cover.triangle),
            };
            part.cover = part.reach(triangle);
            part.improve_cover(side, bar.target);
            // A part of a piece is no farther away than the piece.
            if part.cover.distance > self.cover.distance {
                part.cover = part.reach(&side.triangle(self.cover.triangle));
            }
        }
        Some(parts)
    }

    /// The corner on the edge between corners i and j, where `values` have opposite signs.
    fn corner_between(
        &self,
        [i, j]: [usize; 2],
        [mut value_i, mut value_j]: [f64; 2],
        side: &OneSide,
        crease: Option<&Crease>,
        bar: &mut Bar,
    ) -> Corner {
        let (mut from, mut to) = (self.corners[i].point, self.corners[j].point);
        let between = |from: &Point3<f64>, to: &Point3<f64>, fraction: f64| from + fraction * (to - from);
        let mut point = between(&from, &to, value_i / (value_i - value_j));
        if let Some(crease) = crease {
            for _ in 1..STEPS {
                let value = crease.value(&point);
                if (value < 0.0) == (value_i < 0.0) {
                    (from, value_i) = (point, value);
                } else {
                    (to, value_j) = (point, value);
                }
                if value_i != value_j {
                    point = between(&from, &to, value_i / (value_i - value_j));
                }
            }
        }
        let candidates = [side.triangle(self.cover.triangle), side.triangle(self.corners[j].near.triangle)];
        let [x, y] = match crease {
            Some(crease) => [crease.cover, crease.other],
            None => candidates,
        }
        .map(|triangle| Near {
            triangle: triangle.index,
            distance: triangle.distance_squared(&point).sqrt(),
        });
        let known = if y.distance < x.distance { y } else { x };
        Corner { point, near: side.near(&point, self.from, known, bar) }
    }
}

/// Where two triangles of the other model are equally far away.
struct Crease {
    cover: Triangle,
    other: Triangle,
}

impl Crease {
    /// How much farther the cover is away than the other triangle [m].
    fn value(&self, point: &Point3<f64>) -> f64 {
        self.cover.distance_squared(point).sqrt() - self.other.distance_squared(point).sqrt()
    }
}
