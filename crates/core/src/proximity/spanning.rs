//! Spanning distance of two models: the maximum distance between a point of one and a point of the other.
//!
//! span(A, B) = max over a, b of |a − b| [Lin17 §40]. The distance to a point is convex, so the maximum is attained at
//! vertices. A branch and bound over both trees finds the pair; pairs of subtrees whose upper bound does not exceed the
//! best pair so far are pruned. Solids and their surfaces have the same spanning distance.
//!
//! A pair of subtrees has two bounds. The first is the distance of the centres of their bounding balls plus both radii.
//! For the second, with `u` the direction between the centres, the squared distance of the points is at most `(reach
//! along u)² + (both radii)²`; the reach of a patch along its own normal is that of its layer. So the bound of two
//! patches that face away from each other exceeds their distance by the square of their size only, and a round body is
//! not compared with all of its opposite side.

use nalgebra::{Isometry3, Point3, Vector3};

use super::model::Model;
use super::relative_pose::RelativePose;
use crate::bvh::node::{Child, Volume, WIDTH};
use crate::bvh::packet::{PACKET, Packet};
use crate::bvh::tree::{Subtree, TriangleBvh};

/// Rounding of a bound, relative, which keeps the bound conservative.
const ROUNDING: f64 = 1e-14;
/// Iterations of the search for the farthest vertex from the last one, which starts the branch and bound from a long
/// pair. Each costs one pass over all vertices.
const EXCHANGES: usize = 2;

/// The maximum distance between points of two models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spanning {
    /// The distance \[m\]; exact to within rounding.
    pub value: f64,
    /// A point of A and one of B that are that far apart [m, world].
    pub witnesses: [Point3<f64>; 2],
    /// The vertices of A's and of B's mesh that are the witnesses.
    pub vertices: [u32; 2],
}

/// The maximum distance between a point of `a` and a point of `b`; poses map body to world coordinates.
///
/// Triangles without an area are ignored. A pose that is not finite gives a value that is not a number.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, spanning_distance};
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
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
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
    a_to_b: RelativePose,
    /// Squared distance [m²].
    best: f64,
    /// Triangle and corner of A and of B.
    corners: [(u32, usize); 2],
}

/// A corner of a triangle and its position [m].
type At = ((u32, usize), Vector3<f64>);

/// A subtree with its bounding box, ball and layer.
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

    /// Support of the subtree beyond its centre along a unit vector [m], bounded by the box and by the layer and ball.
    fn reach(&self, direction: &Vector3<f64>) -> f64 {
        let along = self.normal.dot(direction);
        let across = (direction - along * self.normal).norm();
        // direction = along n + the rest: the layer bounds the first part and the ball the second one.
        let of_layer = if along < 0.0 { along * self.heights[0] } else { along * self.heights[1] };
        self.half.dot(&direction.abs()).min(of_layer + across * self.radius)
    }
}

/// A pair of subtrees on the stack.
struct Entry {
    /// Squared upper bound [m²].
    upper: f64,
    a: Subtree,
    b: Subtree,
}

impl Farthest {
    /// Initial pair: a corner of A, the corner of B that is farthest from it, the one of A that is farthest from that …
    fn start(&mut self, a: &TriangleBvh, b: &TriangleBvh) {
        let first = |tree: &TriangleBvh| (name(&tree.packets()[0], 0), corner(&tree.packets()[0], 0));
        let moved = |(corner, at): At| (corner, self.a_to_b.point(&at.into()).coords);
        let (mut of_a, mut of_b) = (moved(first(a)), first(b));
        for _ in 0..EXCHANGES {
            of_b = farthest_corner(b, &of_a.1);
            // Rotations keep lengths: the search is done in the frame of A's tree.
            let seen_from_a = self.a_to_b.rotation.tr_mul(&(of_b.1 - self.a_to_b.translation));
            of_a = moved(farthest_corner(a, &seen_from_a));
        }
        (self.best, self.corners) = ((of_a.1 - of_b.1).norm_squared(), [of_a.0, of_b.0]);
    }

    /// Traverses both trees depth first, larger bounds first.
    fn descend(&mut self, a: &TriangleBvh, b: &TriangleBvh) {
        let mut stack = vec![Entry { upper: f64::INFINITY, a: a.root(), b: b.root() }];
        while let Some(entry) = stack.pop() {
            // NaN fails: a pose that is not finite ends the traversal.
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

    /// Pushes the entries that may be longer than the best pair, the one with the maximum bound on top.
    fn push(&self, stack: &mut Vec<Entry>, entries: impl Iterator<Item = Entry>) {
        let first = stack.len();
        stack.extend(entries.filter(|entry| entry.upper > self.best));
        // The longest pair soon raises the lower bound, which prunes the others.
        stack[first..].sort_by(|x, y| x.upper.total_cmp(&y.upper));
    }

    /// A pair with its squared upper bound; see the module's documentation.
    fn entry(&self, of_a: &Around, of_b: &Around) -> Entry {
        let between = of_a.center - of_b.center;
        let distance = between.norm();
        let radii = of_a.radius + of_b.radius;
        let direction = if distance > 0.0 { between / distance } else { Vector3::x() };
        // Along `direction` the projections of two points differ by at most the larger of the two.
        let forwards = distance + of_a.reach(&direction) + of_b.reach(&-direction);
        let backwards = of_a.reach(&-direction) + of_b.reach(&direction) - distance;
        let along = forwards.max(backwards);
        let upper = (distance + radii).powi(2).min(along * along + radii * radii);
        Entry { upper: (1.0 + ROUNDING) * upper, a: of_a.subtree, b: of_b.subtree }
    }

    /// The bounding volumes of a subtree of A in the frame of B's tree.
    fn moved(&self, around: Around) -> Around {
        Around {
            center: self.a_to_b.point(&around.center.into()).coords,
            half: self.a_to_b.rotation.abs() * around.half,
            normal: self.a_to_b.rotation * around.normal,
            ..around
        }
    }

    fn leaves(&mut self, a: &Packet, b: &Packet) {
        let mut of_a = [Vector3::zeros(); CORNERS];
        for i in 0..CORNERS {
            of_a[i] = self.a_to_b.point(&corner(a, i).into()).coords;
        }
        for j in 0..CORNERS {
            let of_b = corner(b, j);
            for i in 0..CORNERS {
                let squared = (of_a[i] - of_b).norm_squared();
                if squared > self.best {
                    (self.best, self.corners) = (squared, [name(a, i), name(b, j)]);
                }
            }
        }
    }
}

/// Corners of a leaf; those of an empty lane repeat the first triangle's.
const CORNERS: usize = 3 * PACKET;

/// Position of the i-th corner of a leaf [m].
#[inline(always)]
fn corner(packet: &Packet, i: usize) -> Vector3<f64> {
    let [x, y, z] = &packet.corners[i / PACKET];
    Vector3::new(x[i % PACKET], y[i % PACKET], z[i % PACKET])
}

/// Triangle and corner of the i-th corner of a leaf. The repeated corners of an empty lane follow those that they
/// repeat, and since a strict comparison keeps the first of equal ones they are never reported.
fn name(packet: &Packet, i: usize) -> (u32, usize) {
    (packet.triangles[i % PACKET], i / PACKET)
}

/// The corner that is farthest from `point` [m, frame of the tree].
fn farthest_corner(tree: &TriangleBvh, point: &Vector3<f64>) -> At {
    let mut best = (f64::NEG_INFINITY, &tree.packets()[0], 0);
    for packet in tree.packets() {
        for i in 0..CORNERS {
            let squared = (corner(packet, i) - point).norm_squared();
            if squared > best.0 {
                best = (squared, packet, i);
            }
        }
    }
    (name(best.1, best.2), corner(best.1, best.2))
}

#[cfg(test)]
mod tests {
    use super::super::shapes;
    use super::super::tests::{Noise, about_center, soup};
    use super::*;
    use crate::geometry::{Solidity, TriangleMesh};

    fn surface(mesh: TriangleMesh) -> Model {
        Model::new(mesh, Solidity::Surface)
    }

    fn brute(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> f64 {
        let world = |model: &Model, pose: &Isometry3<f64>| -> Vec<_> {
            model.mesh().vertices().iter().map(|p| pose * p).collect()
        };
        let of_b = world(b, pose_b);
        let from = |p: &Point3<f64>| of_b.iter().map(|q| nalgebra::distance(p, q)).fold(0.0, f64::max);
        world(a, pose_a).iter().map(from).fold(0.0, f64::max)
    }

    fn assert_holds(found: &Spanning, [a, b]: [&Model; 2], [pose_a, pose_b]: [&Isometry3<f64>; 2]) {
        let [p, q] = found.witnesses;
        let rounding = 1e-14 * (p.coords.norm() + q.coords.norm() + found.value);
        assert!((nalgebra::distance(&p, &q) - found.value).abs() <= rounding);
        assert_eq!(pose_a * a.mesh().vertices()[found.vertices[0] as usize], p);
        assert_eq!(pose_b * b.mesh().vertices()[found.vertices[1] as usize], q);
    }

    #[test]
    fn the_descent_finds_the_distance_that_brute_force_finds() {
        let mut noise = Noise(90);
        let bodies = [
            soup(&mut noise, 150, 0.3),
            soup(&mut noise, 3, 1.0),
            surface(shapes::bumpy_sphere(14)),
            surface(shapes::torus(1.0, 0.2, 20)),
            surface(shapes::cuboid(Vector3::new(1.0, 2.0, 0.1))),
        ];
        for a in &bodies {
            for b in &bodies {
                for reach in [0.0, 0.3, 30.0] {
                    let (pose_a, pose_b) =
                        (about_center(noise.pose(reach, 3.0)), about_center(noise.pose(reach, 3.0)));
                    let found = spanning_distance(a, &pose_a, b, &pose_b);
                    let expected = brute(a, &pose_a, b, &pose_b);
                    assert!(
                        (found.value - expected).abs() <= 1e-12 * (1.0 + expected),
                        "{found:?} {expected}"
                    );
                    assert_holds(&found, [a, b], [&pose_a, &pose_b]);
                    let swapped = spanning_distance(b, &pose_b, a, &pose_a);
                    assert!((found.value - swapped.value).abs() <= 1e-12 * (1.0 + expected));
                }
            }
        }
    }

    #[test]
    fn boxes_span_from_corner_to_corner_in_every_unit_and_far_from_the_origin() {
        for scale in [1e-6, 1.0, 1e6] {
            let cube = surface(shapes::cuboid(Vector3::repeat(2.0 * scale)));
            for far in [0.0, 1e5 * scale] {
                let pose_a = Isometry3::translation(far, -far, far);
                let pose_b = Isometry3::translation(far + 3.0 * scale, 1.0 * scale - far, far);
                let found = spanning_distance(&cube, &pose_a, &cube, &pose_b);
                let expected = scale * (25.0 + 9.0 + 4.0_f64).sqrt();
                assert!((found.value - expected).abs() <= 1e-10 * scale, "{found:?}");
                let same = spanning_distance(&cube, &pose_a, &cube, &pose_a);
                assert!((same.value - scale * 12.0_f64.sqrt()).abs() <= 1e-10 * scale);
                assert_eq!(same, spanning_distance(&cube, &pose_a, &cube, &pose_a));
            }
        }
    }

    #[test]
    fn a_ball_spans_its_centres_and_both_radii_however_many_pairs_are_as_far_apart() {
        let (ball, pose) = (surface(shapes::sphere(60)), Isometry3::identity());
        assert!((spanning_distance(&ball, &pose, &ball, &pose).value - 2.0).abs() <= 1e-12);
        let away = Isometry3::translation(0.0, 0.0, 5.0);
        assert!((spanning_distance(&ball, &pose, &ball, &away).value - 7.0).abs() <= 1e-12);
    }

    #[test]
    fn a_triangle_without_an_area_takes_no_part_and_a_pose_that_is_not_finite_gives_no_number() {
        let mesh = shapes::cuboid(Vector3::repeat(2.0));
        let mut vertices = mesh.vertices().to_vec();
        vertices.push(Point3::new(9.0, 0.0, 0.0));
        let triangles = [mesh.triangles(), &[[0, 0, 8], [8, 8, 8]]].concat();
        let spoilt = surface(TriangleMesh::new(vertices, triangles).unwrap());
        let here = Isometry3::identity();
        assert!((spanning_distance(&spoilt, &here, &spoilt, &here).value - 12.0_f64.sqrt()).abs() < 1e-12);
        let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
        assert!(spanning_distance(&spoilt, &here, &spoilt, &nowhere).value.is_nan());
    }
}
