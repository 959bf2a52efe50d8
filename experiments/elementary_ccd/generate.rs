//! Queries from a seed: random ones, and every way to be nearly degenerate that is known to lead tests astray.

use extricate_core::geometry::random::SplitMix64;

use super::question::{Kind, Query};

/// Special property of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Eight random points.
    Random,
    /// Random points that move by a tenth of the features' size, as in a simulation.
    SmallMotion,
    /// A contact is aimed at, somewhere inside both features; rounding decides whether it happens.
    Aimed,
    /// Coordinates from −2 to 2: flat, parallel, coincident and reversed features of all kinds.
    Integers,
    /// Coordinates zero and one, and some points at rest.
    Corners,
    /// All points in one plane throughout.
    InPlane,
    /// All points in one plane that moves and tilts.
    InMovingPlane,
    /// Edges that stay parallel.
    Parallel,
    /// Contact at a corner or on a side, exactly, or missed by a unit in the last place or by 1e-12.
    Grazing,
    /// Contact at the start or at the end only, exactly or missed.
    AtTheEnds,
    /// Points in a plane slide past one another 1e-12 apart.
    Sliding,
    /// No motion at all.
    AtRest,
    /// The triangle has no area, an edge no length, at the start, the end, or throughout.
    Flat,
    /// The plane is touched and left again: a double root.
    Tangential,
    /// A triangle rotates about the foot of a vertex that hardly clears it.
    Rotating,
}

/// All classes.
pub(crate) const CLASSES: [Class; 15] = [
    Class::Random,
    Class::SmallMotion,
    Class::Aimed,
    Class::Integers,
    Class::Corners,
    Class::InPlane,
    Class::InMovingPlane,
    Class::Parallel,
    Class::Grazing,
    Class::AtTheEnds,
    Class::Sliding,
    Class::AtRest,
    Class::Flat,
    Class::Tangential,
    Class::Rotating,
];

/// Random numbers from a seed.
pub(crate) struct Noise(SplitMix64);

impl Noise {
    pub(crate) fn new(seed: u64, index: u64) -> Self {
        let mut noise = Self(SplitMix64(seed ^ index.wrapping_mul(0xd134_2543_de82_ef95)));
        noise.0.next_bits();
        noise
    }

    fn below(&mut self, count: u64) -> u64 {
        self.0.next_bits() % count
    }

    fn is_one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn integer_in(&mut self, low: i64, high: i64) -> f64 {
        (low + self.below((high - low + 1) as u64) as i64) as f64
    }

    /// In [−1, 1).
    fn unit(&mut self) -> f64 {
        2.0 * self.0.unit_interval() - 1.0
    }

    /// In [−1, 1], a multiple of 2⁻¹²: sums and products of a few are exact.
    fn coarse(&mut self) -> f64 {
        self.integer_in(-4096, 4096) / 4096.0
    }

    fn points(&mut self, coordinate: impl Fn(&mut Self) -> f64) -> [[f64; 3]; 4] {
        let mut points = [[0.0; 3]; 4];
        for value in points.iter_mut().flatten() {
            *value = coordinate(self);
        }
        points
    }

    fn vector(&mut self, coordinate: impl Fn(&mut Self) -> f64) -> [f64; 3] {
        [coordinate(self), coordinate(self), coordinate(self)]
    }

    /// Nothing, a unit in the last place of one, 1e-12, or 1e-9, of either sign.
    fn offset(&mut self) -> f64 {
        let sizes = [0.0, 0.0, f64::EPSILON, 1e-12, 1e-9];
        let size = sizes[self.below(5) as usize];
        if self.is_one_in(2) { -size } else { size }
    }
}

/// The query of a seed and an index, its class and the kind of its features.
pub(crate) fn query(seed: u64, index: u64) -> (Class, Kind, Query) {
    let noise = &mut Noise::new(seed, index);
    let class = CLASSES[(index % CLASSES.len() as u64) as usize];
    let kind = if noise.is_one_in(2) { Kind::VertexFace } else { Kind::EdgeEdge };
    let query = of_class(class, kind, noise);
    (class, kind, disguised(query, noise))
}

fn of_class(class: Class, kind: Kind, noise: &mut Noise) -> Query {
    match class {
        Class::Random => [noise.points(Noise::unit), noise.points(Noise::unit)],
        Class::SmallMotion => {
            let start = noise.points(Noise::unit);
            let by = noise.points(Noise::unit);
            [start, combined(&start, 0.1, &by)]
        }
        Class::Aimed => aimed(kind, noise, Noise::unit, |noise| 0.5 + 0.5 * noise.unit()),
        Class::Integers => {
            let coordinate = |noise: &mut Noise| noise.integer_in(-2, 2);
            [noise.points(coordinate), noise.points(coordinate)]
        }
        Class::Corners => corners(noise),
        Class::InPlane => {
            let mut query = [noise.points(Noise::coarse), noise.points(Noise::coarse)];
            flatten(&mut query);
            query
        }
        Class::InMovingPlane => in_moving_plane(noise),
        Class::Parallel => parallel(kind, noise),
        Class::Grazing => {
            let quarter = |noise: &mut Noise| noise.integer_in(0, 1);
            let mut query = aimed(kind, noise, Noise::coarse, quarter);
            query[noise.below(2) as usize][0][noise.below(3) as usize] += noise.offset();
            query
        }
        Class::AtTheEnds => at_the_ends(kind, noise),
        Class::Sliding => sliding(noise),
        Class::AtRest => at_rest(kind, noise),
        Class::Flat => flat(noise),
        Class::Tangential => tangential(kind, noise),
        Class::Rotating => rotating(noise),
    }
}

/// a + factor · b.
fn combined(a: &[[f64; 3]; 4], factor: f64, b: &[[f64; 3]; 4]) -> [[f64; 3]; 4] {
    let mut sum = *a;
    for (point, by) in sum.iter_mut().zip(b) {
        for k in 0..3 {
            point[k] += factor * by[k];
        }
    }
    sum
}

/// The place of the first point that puts the features in contact at the weights u and v of the others.
fn meeting_point(kind: Kind, points: &[[f64; 3]; 4], u: f64, v: f64) -> [f64; 3] {
    std::array::from_fn(|k| match kind {
        Kind::VertexFace => {
            points[1][k] + u * (points[2][k] - points[1][k]) + v * (1.0 - u) * (points[3][k] - points[1][k])
        }
        // The first edge keeps its extent; its start is where its point at u meets the other edge's at v.
        Kind::EdgeEdge => {
            points[2][k] + v * (points[3][k] - points[2][k]) - u * (points[1][k] - points[0][k])
        }
    })
}

/// Puts the features in contact at a time, moving the first feature as a whole.
fn aimed(
    kind: Kind,
    noise: &mut Noise,
    coordinate: impl Fn(&mut Noise) -> f64 + Copy,
    weight: impl Fn(&mut Noise) -> f64,
) -> Query {
    let mut meeting = noise.points(coordinate);
    let (u, v) = (weight(noise), weight(noise));
    let place = meeting_point(kind, &meeting, u, v);
    if kind == Kind::EdgeEdge {
        for k in 0..3 {
            meeting[1][k] += place[k] - meeting[0][k];
        }
    }
    meeting[0] = place;
    let velocities = noise.points(coordinate);
    let time = noise.integer_in(0, 8) / 8.0;
    [combined(&meeting, -time, &velocities), combined(&meeting, 1.0 - time, &velocities)]
}

fn corners(noise: &mut Noise) -> Query {
    let coordinate = |noise: &mut Noise| noise.integer_in(0, 1);
    let (start, mut end) = (noise.points(coordinate), noise.points(coordinate));
    for i in 0..4 {
        if noise.is_one_in(2) {
            end[i] = start[i];
        }
    }
    [start, end]
}

fn flatten(query: &mut Query) {
    for point in query.iter_mut().flatten() {
        point[2] = 0.0;
    }
}

/// The third coordinate is the same combination of the others for all points, at the start and at the end.
fn in_moving_plane(noise: &mut Noise) -> Query {
    let mut query = [noise.points(Noise::coarse), noise.points(Noise::coarse)];
    let tilt = [noise.coarse(), noise.coarse()];
    for points in &mut query {
        let height = noise.coarse();
        for point in points {
            point[2] = height + tilt[0] * point[0] + tilt[1] * point[1];
        }
    }
    query
}

fn parallel(kind: Kind, noise: &mut Noise) -> Query {
    let mut query = [noise.points(Noise::coarse), noise.points(Noise::coarse)];
    let factor = noise.integer_in(-8, 8) / 4.0;
    let is_flat = noise.is_one_in(2);
    for points in &mut query {
        let [from, by] = match kind {
            Kind::VertexFace => [1, 2],
            Kind::EdgeEdge => [0, 1],
        };
        let along: [f64; 3] = std::array::from_fn(|k| points[by][k] - points[from][k]);
        let base = if kind == Kind::VertexFace { 1 } else { 2 };
        for k in 0..3 {
            points[3][k] = points[base][k] + factor * along[k];
        }
    }
    if is_flat {
        flatten(&mut query);
    }
    if noise.is_one_in(3) {
        query[noise.below(2) as usize][3][noise.below(3) as usize] += noise.offset();
    }
    query
}

fn at_the_ends(kind: Kind, noise: &mut Noise) -> Query {
    let mut query = aimed(kind, noise, Noise::coarse, |noise| noise.integer_in(0, 4) / 4.0);
    let meeting = combined(&query[0], 0.0, &query[1]);
    let velocities = noise.points(Noise::coarse);
    let at_start = noise.is_one_in(2);
    query[0] = if at_start { meeting } else { combined(&meeting, -1.0, &velocities) };
    query[1] = if at_start { combined(&meeting, 1.0, &velocities) } else { meeting };
    query[usize::from(!at_start)][0][noise.below(3) as usize] += noise.offset();
    query
}

fn sliding(noise: &mut Noise) -> Query {
    let mut query = [noise.points(Noise::coarse), noise.points(Noise::coarse)];
    flatten(&mut query);
    let heights = [noise.offset(), noise.offset()];
    let same = noise.is_one_in(2);
    for (time, points) in query.iter_mut().enumerate() {
        points[0][2] += heights[if same { 0 } else { time }];
    }
    query
}

fn at_rest(kind: Kind, noise: &mut Noise) -> Query {
    let points = match noise.below(3) {
        0 => noise.points(|noise| noise.integer_in(-2, 2)),
        1 => noise.points(Noise::unit),
        _ => {
            let query = aimed(kind, noise, Noise::coarse, |noise| noise.integer_in(0, 4) / 4.0);
            let mut points = query[0];
            points[0][noise.below(3) as usize] += noise.offset();
            points
        }
    };
    let mut end = points;
    if noise.is_one_in(3) {
        // All move together.
        let by = noise.vector(Noise::coarse);
        for point in &mut end {
            for k in 0..3 {
                point[k] += by[k];
            }
        }
    }
    [points, end]
}

fn flat(noise: &mut Noise) -> Query {
    let mut query = if noise.is_one_in(2) {
        [noise.points(|noise| noise.integer_in(-2, 2)), noise.points(|noise| noise.integer_in(-2, 2))]
    } else {
        [noise.points(Noise::coarse), noise.points(Noise::coarse)]
    };
    let [when, how] = [noise.below(3), noise.below(3)];
    for (time, points) in query.iter_mut().enumerate() {
        if when == time as u64 {
            continue;
        }
        match how {
            0 => points[3] = points[2],
            1 => (points[2], points[3]) = (points[1], points[1]),
            _ => points[3] = std::array::from_fn(|k| 0.5 * points[1][k] + 0.5 * points[2][k]),
        }
    }
    query
}

/// The first point moves in a plane that the others' plane touches at one time, or nearly.
fn tangential(kind: Kind, noise: &mut Noise) -> Query {
    let mut query = aimed(kind, noise, Noise::coarse, |noise| noise.integer_in(1, 3) / 4.0);
    // Reflect the motion of the last point about the contact: height ~ (t − t₀)² for pairs of moving points.
    let speed = noise.coarse();
    for k in 0..3 {
        let middle = 0.5 * (query[0][3][k] + query[1][3][k]);
        query[0][3][k] = middle - speed * (k as f64 - 1.0);
        query[1][3][k] = middle + speed * (k as f64 - 1.0);
    }
    for time in 0..2 {
        let sign = if time == 0 { -1.0 } else { 1.0 };
        query[time] = [
            [sign * noise.coarse().abs(), 0.0, noise.offset()],
            [-1.0, -1.0, sign],
            [1.0, -1.0, sign],
            [0.0, 1.0, -sign],
        ];
        query[time][0][0] = sign * 0.25;
    }
    query[0][0][2] += 0.125 * noise.integer_in(0, 1);
    query[1][0][2] = query[0][0][2];
    query
}

fn rotating(noise: &mut Noise) -> Query {
    let height = [0.0, 1e-12, 1e-9, 1e-6, 1e-3][noise.below(5) as usize];
    let corners: [[f64; 2]; 3] = [[-1.0, -1.0], [2.0, -0.5], [-0.5, 2.0]];
    let tilts = [noise.vector(Noise::coarse), noise.vector(Noise::coarse)];
    let mut query = [[[0.0; 3]; 4]; 2];
    for (time, points) in query.iter_mut().enumerate() {
        points[0] = [0.0, 0.0, height];
        for (corner, place) in corners.iter().enumerate() {
            let lift = tilts[time][0] * place[0] + tilts[time][1] * place[1];
            points[1 + corner] = [place[0], place[1], lift];
        }
    }
    query
}

/// The same query in another place, size and orientation of the axes, as far as numbers allow.
fn disguised(mut query: Query, noise: &mut Noise) -> Query {
    let shift = noise.below(3) as usize;
    let scale = match noise.below(8) {
        0 => 2.0_f64.powi(noise.integer_in(-300, 300) as i32),
        1 => 1e3,
        2 => 1e-3,
        3 => 10.0_f64.powi(noise.integer_in(-100, 100) as i32),
        _ => 1.0,
    };
    let place = if noise.is_one_in(6) {
        let distance = [1e3, 1e6, 1e9, 1048576.0][noise.below(4) as usize];
        noise.vector(|noise| distance * noise.coarse())
    } else {
        [0.0; 3]
    };
    for point in query.iter_mut().flatten() {
        point.rotate_left(shift);
        for k in 0..3 {
            point[k] = (point[k] + place[k]) * scale;
        }
    }
    query
}
