//! Spanning distance of two models: the greatest distance between a point of one and a point of the other.
//!
//! span(A, B) = max over a, b of |a − b| [LMK17 §40]. The distance to a point is convex, so the maximum is attained at
//! vertices. A descent of both trees finds the pair: what is at most as long as the best pair so far is skipped. It
//! makes no difference whether a model is a solid or its surface.
//!
//! A pair of subtrees is bounded twice. Their bounding balls give the distance of the centres plus both radii. And
//! with `u` the direction between the centres, the points are at most `(reach along u)² + (both radii)²` apart, squared;
//! the reach of a patch along its own normal is that of its layer. So the bound of two patches that face away from
//! one another exceeds their distance by the square of their size, and a round body is not compared with all of
//! its opposite side.

use nalgebra::{Isometry3, Point3, Vector3};

use super::Model;
use super::placement::Placement;
use crate::bvh::node::{Child, Packet, Volume, WIDTH};
use crate::bvh::{Subtree, TriangleBvh};

/// Rounding of a bound, relative: what is bounded never exceeds it.
const ROUNDING: f64 = 1e-14;
/// How often the farthest vertex from the last one is looked for, to start from a long pair.
const EXCHANGES: usize = 4;

/// The greatest distance between points of two models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spanning {
    /// The distance [m]; exact to within rounding.
    pub value: f64,
    /// A point of A and one of B that are that far apart [m, world].
    pub witnesses: [Point3<f64>; 2],
    /// The vertices of A's and of B's mesh at which the witnesses are.
    pub vertices: [u32; 2],
}

/// The greatest distance between a point of `a` and a point of `b`; poses map body to world coordinates.
///
/// Triangles without an area take no part. A pose that is not finite gives a value that is not a number.
///
/// ```
/// use extricate::geometry::Solidity;
/// use extricate::geometry::procedural::{Cuboid, Procedural};
/// use extricate::proximity::{Model, spanning_distance};
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(1.0, 1.0, 0.0));
/// let found = spanning_distance(&cube, &here, &cube, &there);
/// // From one corner to the opposite one: two edges along x and y, one along z.
/// assert!((found.value - 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn spanning_distance(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> Spanning {
    let a_to_b = Placement::between(a, pose_a, b, pose_b);
    let mut farthest = Farthest { a_to_b, best: f64::NEG_INFINITY, corners: [(0, 0); 2] };
    farthest.start(a.bvh(), b.bvh());
    farthest.descend(a.bvh(), b.bvh());
    let [vertex_a, vertex_b] = [(a, farthest.corners[0]), (b, farthest.corners[1])]
        .map(|(model, (triangle, corner))| model.mesh().triangles()[triangle as usize][corner]);
    let [p, q] =
        [(a, vertex_a), (b, vertex_b)].map(|(model, vertex)| model.mesh().vertices()[vertex as usize]);
    let in_b = a_to_b.point(&Point3::from(p - a.center()));
    Spanning {
        value: nalgebra::distance(&in_b, &Point3::from(q - b.center())),
        witnesses: [pose_a * p, pose_b * q],
        vertices: [vertex_a, vertex_b],
    }
}

/// The longest pair of corners so far; everything in the frame of B's tree.
struct Farthest {
    a_to_b: Placement,
    /// Squared distance [m²].
    best: f64,
    /// Triangle and corner of A and of B.
    corners: [(u32, usize); 2],
}

/// A corner of a triangle and where it is.
type At = ((u32, usize), Vector3<f64>);

/// A subtree and what is around it.
struct Around {
    subtree: Subtree,
    center: Vector3<f64>,
    half: Vector3<f64>,
    radius: f64,
    /// Unit normal of the layer and the heights of its two planes over the centre [m].
    normal: Vector3<f64>,
    heights: [f64; 2],
}

impl Around {
    fn new(subtree: Subtree, volume: &Volume) -> Self {
        let center = Vector3::from(volume.bounds.center());
        let half = Vector3::from(volume.bounds.half_extents());
        let normal = Vector3::from(volume.layer.normal.map(f64::from));
        let length = normal.norm();
        let height = |plane: f32| (f64::from(plane) - normal.dot(&center)) / length;
        let heights = [height(volume.layer.low), height(volume.layer.high)];
        Self { subtree, center, half, radius: half.norm(), normal: normal / length, heights }
    }

    /// How far the subtree reaches beyond its centre along a unit vector [m].
    fn reach(&self, direction: &Vector3<f64>) -> f64 {
        let along = self.normal.dot(direction);
        let across = (direction - along * self.normal).norm();
        let of_layer = if along < 0.0 { along * self.heights[0] } else { along * self.heights[1] };
        self.half.dot(&direction.abs()).min(of_layer + across * self.radius)
    }
}

/// A pair of subtrees that waits for its turn.
struct Entry {
    /// Squared upper bound [m²].
    upper: f64,
    a: Subtree,
    b: Subtree,
}

impl Farthest {
    /// Starts from a corner of A, the corner of B that is farthest from it, the one of A that is farthest from that …
    fn start(&mut self, a: &TriangleBvh, b: &TriangleBvh) {
        let first = |tree: &TriangleBvh| {
            let packet = &tree.packets()[0];
            ((packet.triangles[0], 0), Vector3::from(packet.triangle(0)[0]))
        };
        let moved = |(corner, at): At| (corner, self.a_to_b.point(&at.into()).coords);
        let (mut of_a, mut of_b) = (moved(first(a)), first(b));
        for _ in 0..EXCHANGES {
            of_b = farthest_corner(b, &of_a.1);
            // Rotations keep lengths: the search is done in the frame of A's tree.
            let seen_from_a = self.a_to_b.rotation.tr_mul(&(of_b.1 - self.a_to_b.translation));
            of_a = moved(farthest_corner(a, &seen_from_a));
        }
        self.offer(of_a, of_b);
    }

    fn offer(&mut self, of_a: At, of_b: At) {
        let squared = (of_a.1 - of_b.1).norm_squared();
        if squared > self.best {
            (self.best, self.corners) = (squared, [of_a.0, of_b.0]);
        }
    }

    /// Descends both trees, the greatest bounds first.
    fn descend(&mut self, a: &TriangleBvh, b: &TriangleBvh) {
        let mut stack = vec![Entry { upper: f64::INFINITY, a: a.root(), b: b.root() }];
        while let Some(entry) = stack.pop() {
            if !(entry.upper > self.best) {
                continue;
            }
            let (Some(child_of_a), Some(child_of_b)) = (a.child(entry.a), b.child(entry.b)) else { continue };
            let is_a_greater = a.bounds(entry.a).half_area() > b.bounds(entry.b).half_area();
            match (child_of_a, child_of_b) {
                (Child::Leaf(i), Child::Leaf(j)) => self.leaves(a.packet(i), b.packet(j)),
                (Child::Inner(i), Child::Leaf(_)) => self.expand_a(&mut stack, a, b, &entry, i),
                (Child::Inner(i), Child::Inner(_)) if is_a_greater => {
                    self.expand_a(&mut stack, a, b, &entry, i);
                }
                (_, Child::Inner(j)) => self.expand_b(&mut stack, a, b, &entry, j),
            }
        }
    }

    fn expand_a(&self, stack: &mut Vec<Entry>, a: &TriangleBvh, b: &TriangleBvh, entry: &Entry, node: u32) {
        let of_b = Around::new(entry.b, &b.volume(entry.b));
        self.push(
            stack,
            (0..WIDTH).map(|lane| Subtree::new(node, lane)).filter_map(|subtree| {
                a.child(subtree)?;
                Some(self.entry(&self.moved(Around::new(subtree, &a.volume(subtree))), &of_b))
            }),
        );
    }

    fn expand_b(&self, stack: &mut Vec<Entry>, a: &TriangleBvh, b: &TriangleBvh, entry: &Entry, node: u32) {
        let of_a = self.moved(Around::new(entry.a, &a.volume(entry.a)));
        self.push(
            stack,
            (0..WIDTH).map(|lane| Subtree::new(node, lane)).filter_map(|subtree| {
                b.child(subtree)?;
                Some(self.entry(&of_a, &Around::new(subtree, &b.volume(subtree))))
            }),
        );
    }

    /// Pushes the entries that may be longer than the best pair, the greatest bound last.
    fn push(&self, stack: &mut Vec<Entry>, entries: impl Iterator<Item = Entry>) {
        let first = stack.len();
        stack.extend(entries.filter(|entry| entry.upper > self.best));
        stack[first..].sort_by(|x, y| x.upper.total_cmp(&y.upper));
    }

    fn entry(&self, of_a: &Around, of_b: &Around) -> Entry {
        let between = of_a.center - of_b.center;
        let distance = between.norm();
        let radii = of_a.radius + of_b.radius;
        let direction = if distance > 0.0 { between / distance } else { Vector3::x() };
        let forwards = distance + of_a.reach(&direction) + of_b.reach(&-direction);
        let backwards = of_a.reach(&-direction) + of_b.reach(&direction) - distance;
        let along = forwards.max(backwards);
        let upper = (distance + radii).powi(2).min(along * along + radii * radii);
        Entry { upper: (1.0 + ROUNDING) * upper, a: of_a.subtree, b: of_b.subtree }
    }

    /// What is around a subtree of A, in the frame of B's tree.
    fn moved(&self, around: Around) -> Around {
        Around {
            center: self.a_to_b.point(&around.center.into()).coords,
            half: self.a_to_b.rotation.abs() * around.half,
            normal: self.a_to_b.rotation * around.normal,
            ..around
        }
    }

    fn leaves(&mut self, a: &Packet, b: &Packet) {
        let corners_of_a = corners(a).map(|(corner, at)| (corner, self.a_to_b.point(&at.into()).coords));
        for of_a in corners_of_a.collect::<Vec<_>>() {
            for of_b in corners(b) {
                self.offer(of_a, of_b);
            }
        }
    }
}

fn corners(packet: &Packet) -> impl Iterator<Item = At> + '_ {
    packet.lanes().flat_map(|(lane, triangle)| {
        let points = packet.triangle(lane);
        (0..3).map(move |corner| ((triangle, corner), Vector3::from(points[corner])))
    })
}

/// The corner that is farthest from `point` [m, frame of the tree].
fn farthest_corner(tree: &TriangleBvh, point: &Vector3<f64>) -> At {
    let mut best = (f64::NEG_INFINITY, ((tree.packets()[0].triangles[0], 0), Vector3::zeros()));
    for at in tree.packets().iter().flat_map(corners) {
        let squared = (at.1 - point).norm_squared();
        if squared > best.0 {
            best = (squared, at);
        }
    }
    best.1
}
