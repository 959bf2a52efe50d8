//! Contact features of pairs of triangles.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::adjacency::Adjacency;

/// Sine of the angle by which a neighbour may lie on the wrong side of a contact plane (cone test). At 0, rounding makes
/// a cube rock on one corner; at 0.3, corners that are well clear of the plane count, and it rocks too; 0.01 to 0.03
/// behave alike.
pub(super) const CONE: f64 = 0.02;
/// Sine of the angle between two edges below which they count as parallel and have no common normal. A smaller one admits
/// normals and closest points that are dominated by rounding, a larger one loses contacts of crossed edges.
pub(super) const PARALLEL: f64 = 0.05;
/// Extension of faces and edges beyond a valley that they end in, as a fraction of the maximum gap: enough to hold a body
/// that would otherwise rattle between the flanks, and so little that the extensions are not obstacles at the end of the
/// valley.
pub(super) const VALLEY: f64 = 0.05;
/// Cosine of the angle within which an edge counts as the continuation of another one (26°).
const ONWARDS: f64 = 0.9;
/// Minimum sine of the angle by which the continuation of an edge in a valley rises: above the rounding of a flat one.
const RISING: f64 = 1e-4;
/// Tolerance of the inside test of a foot point, relative to the triangle: rounding of coordinates.
pub(super) const BESIDE: f64 = 1e-9;

/// Feature of a mesh. Its value is the same in every step, so that contacts can be matched between steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// Vertex; vertices with equal coordinates are one.
    Vertex(u32),
    /// Edge.
    Edge(u32),
    /// Plane region, identified by one of its triangles.
    Face(u32),
}

/// Pair of features in or near contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeaturePair {
    /// Witness points on A and on B [m, frame of A].
    pub points: [Point3<f64>; 2],
    /// Unit contact normal from A towards B, frame of A.
    pub normal: Vector3<f64>,
    /// Signed gap along the normal \[m\]; negative where the meshes overlap.
    pub gap: f64,
    /// Features of A and of B.
    pub features: [Feature; 2],
}

/// Relative pose and range of gaps of a search for contact features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureQuery {
    /// Pose of B in the frame of A.
    pub b_to_a: Isometry3<f64>,
    /// Minimum gap \[m\], usually negative.
    pub min: f64,
    /// Maximum gap \[m\].
    pub max: f64,
    /// Whether A and B are surfaces without an inside: their normals then point to the side of the other body, and
    /// gaps are not negative.
    pub two_sided: [bool; 2],
}

/// Finder of contact features. It holds only buffers and is meant to be reused.
#[derive(Debug, Clone, Default)]
pub struct FeatureFinder {
    found: Vec<FeaturePair>,
}

impl FeatureFinder {
    /// Contact features among the triangle pairs `[triangle of A, triangle of B]`, in the order of the pairs.
    ///
    /// Every pair of triangles that are closer to each other than the query's gaps must be listed; each feature is found
    /// in exactly one pair.
    pub fn find(
        &mut self,
        a: &Adjacency,
        b: &Adjacency,
        pairs: &[[u32; 2]],
        query: &FeatureQuery,
    ) -> &[FeaturePair] {
        self.found.clear();
        let bodies = Bodies::new([a, b], query);
        for &pair in pairs {
            let candidates = Candidates::new(&bodies, pair);
            candidates.each(|pair| self.found.push(pair));
        }
        // Only where there is nothing else: see the documentation of the module.
        if self.found.is_empty() {
            for &pair in pairs {
                Candidates::new(&bodies, pair).closest_points_of_borders(&mut self.found);
            }
        }
        &self.found
    }
}

/// Adjacencies of two bodies at a relative pose.
pub(super) struct Bodies<'a> {
    pub(super) a: &'a Adjacency,
    pub(super) b: &'a Adjacency,
    pub(super) query: &'a FeatureQuery,
    /// Rotation of the pose.
    rotation: Matrix3<f64>,
}

impl<'a> Bodies<'a> {
    pub(super) fn new([a, b]: [&'a Adjacency; 2], query: &'a FeatureQuery) -> Self {
        Self { a, b, query, rotation: query.b_to_a.rotation.to_rotation_matrix().into_inner() }
    }

    /// Vector of the frame of B in the frame of A.
    pub(super) fn rotated(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * vector
    }

    /// Reversed normal, from B towards A, in the frame of B.
    pub(super) fn against(&self, normal: &Vector3<f64>) -> Vector3<f64> {
        -self.rotation.tr_mul(normal)
    }

    fn point_in_a(&self, point: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.rotation * point.coords + self.query.b_to_a.translation.vector)
    }

    /// Whether a vertex of a body supports a contact along a direction in the frame of that body: no neighbour lies further
    /// along it, and it does not enter a solid.
    fn supports_vertex(&self, side: usize, vertex: u32, direction: &Vector3<f64>) -> bool {
        let body = [self.a, self.b][side];
        body.within_cone(vertex, direction) && (self.query.two_sided[side] || !body.enters(vertex, direction))
    }

    /// Extension of faces and edges beyond a valley [m], see [`VALLEY`].
    fn valley_slack(&self) -> f64 {
        VALLEY * self.query.max
    }
}

/// Feature pairs of two triangles, in the frame of A.
pub(super) struct Candidates<'a> {
    pub(super) bodies: &'a Bodies<'a>,
    pub(super) triangles: [u32; 2],
    pub(super) corners_a: [Point3<f64>; 3],
    pub(super) corners_b: [Point3<f64>; 3],
    owned: [u8; 2],
}

impl<'a> Candidates<'a> {
    #[inline]
    pub(super) fn new(bodies: &'a Bodies<'a>, [i, j]: [u32; 2]) -> Self {
        let (a, b) = (bodies.a, bodies.b);
        let [p, q, r] = b.triangle(j);
        Self {
            bodies,
            triangles: [i, j],
            corners_a: a.triangle(i),
            corners_b: [bodies.point_in_a(&p), bodies.point_in_a(&q), bodies.point_in_a(&r)],
            owned: [a.owned(i), b.owned(j)],
        }
    }

    /// Reports all vertex–face and edge–edge contacts of the features that the two triangles own.
    #[inline]
    pub(super) fn each(&self, mut add: impl FnMut(FeaturePair)) {
        for k in owned_vertices(self.owned[0]) {
            self.vertex_of_a_on_face_of_b(k).into_iter().for_each(&mut add);
        }
        for k in owned_vertices(self.owned[1]) {
            self.vertex_of_b_on_face_of_a(k).into_iter().for_each(&mut add);
        }
        for i in owned_edges(self.owned[0]) {
            for j in owned_edges(self.owned[1]) {
                self.crossing(i, j).into_iter().for_each(&mut add);
            }
        }
    }

    /// Contact of corner `k` of A's triangle with B's triangle.
    pub(super) fn vertex_of_a_on_face_of_b(&self, k: usize) -> Option<FeaturePair> {
        let face = self.triangles[1];
        let outward = self.bodies.rotated(&self.bodies.b.normal(face));
        let vertex = self.corners_a[k];
        let (outward, gap) = self.over_face(&vertex, &self.corners_b, outward, 1)?;
        let index = self.bodies.a.corners(self.triangles[0])[k];
        self.bodies.supports_vertex(0, index, &-outward).then(|| FeaturePair {
            points: [vertex, vertex - outward * gap],
            normal: -outward,
            gap,
            features: [Feature::Vertex(index), Feature::Face(self.bodies.b.region(face))],
        })
    }

    /// Contact of A's triangle with corner `k` of B's triangle.
    pub(super) fn vertex_of_b_on_face_of_a(&self, k: usize) -> Option<FeaturePair> {
        let face = self.triangles[0];
        let vertex = self.corners_b[k];
        let (outward, gap) = self.over_face(&vertex, &self.corners_a, self.bodies.a.normal(face), 0)?;
        let index = self.bodies.b.corners(self.triangles[1])[k];
        self.bodies.supports_vertex(1, index, &self.bodies.against(&outward)).then(|| FeaturePair {
            points: [vertex - outward * gap, vertex],
            normal: outward,
            gap,
            features: [Feature::Face(self.bodies.a.region(face)), Feature::Vertex(index)],
        })
    }

    /// Outward normal and gap of a vertex over a face, if its foot point is on the face and its gap within the query's range.
    fn over_face(
        &self,
        vertex: &Point3<f64>,
        face: &[Point3<f64>; 3],
        normal: Vector3<f64>,
        side: usize,
    ) -> Option<(Vector3<f64>, f64)> {
        let height = (vertex - face[0]).dot(&normal);
        // A surface without an inside faces the other body, whichever side that is on.
        let reversed = self.bodies.query.two_sided[side] && height < 0.0;
        let (outward, gap) = if reversed { (-normal, -height) } else { (normal, height) };
        let in_range = self.bodies.query.min <= gap && gap <= self.bodies.query.max;
        let (body, triangle) = ([self.bodies.a, self.bodies.b][side], self.triangles[side]);
        let slack = |k: usize| if body.is_valley(triangle, k) { self.bodies.valley_slack() } else { 0.0 };
        (in_range && foot_is_within(vertex, face, &normal, slack)).then_some((outward, gap))
    }

    /// Contact of edge `i` of A's triangle with edge `j` of B's: their closest points are interior to both.
    ///
    /// Where the surface continues to rise beyond an end of an edge, the edge is extended by the valley slack: the two
    /// edges of a valley then hold a body between them from both sides, and it does not rattle from one to the other.
    pub(super) fn crossing(&self, i: usize, j: usize) -> Option<FeaturePair> {
        let on_a = [self.corners_a[i], self.corners_a[(i + 1) % 3]];
        let on_b = [self.corners_b[j], self.corners_b[(j + 1) % 3]];
        let edges =
            [self.bodies.a.edges_of(self.triangles[0])[i], self.bodies.b.edges_of(self.triangles[1])[j]];
        let (corners_a, corners_b) =
            (self.bodies.a.corners(self.triangles[0]), self.bodies.b.corners(self.triangles[1]));
        let vertices_a = [corners_a[i], corners_a[(i + 1) % 3]];
        let vertices_b = [corners_b[j], corners_b[(j + 1) % 3]];
        let (along_a, along_b) = (on_a[1] - on_a[0], on_b[1] - on_b[0]);
        let across = along_a.cross(&along_b);
        let across_squared = across.norm_squared();
        let lengths_squared = along_a.norm_squared() * along_b.norm_squared();
        // Negated, so that NaN and edges without length are rejected too.
        if !(across_squared > PARALLEL * PARALLEL * lengths_squared) {
            return None;
        }
        let between = on_b[0] - on_a[0];
        // Squared, before the divisions below: most pairs of edges are too far apart.
        let height = between.dot(&across);
        let reach = self.bodies.query.max.max(-self.bodies.query.min);
        if height * height > reach * reach * across_squared {
            return None;
        }
        let s = between.cross(&along_b).dot(&across) / across_squared;
        let t = between.cross(&along_a).dot(&across) / across_squared;
        let slack = self.bodies.valley_slack();
        let beyond_a = end_beyond(s, slack, &along_a)?;
        let beyond_b = end_beyond(t, slack, &along_b)?;
        let unit = across / across_squared.sqrt();
        let points = [on_a[0] + along_a * s, on_b[0] + along_b * t];
        // Either direction may be the normal: the faces at the edges decide, not the sign of the gap.
        [unit, -unit].into_iter().find_map(|normal| {
            let gap = between.dot(&normal);
            // Two surfaces without an inside cannot overlap: a negative gap only has the wrong sign of the normal.
            let wrong_side = self.bodies.query.two_sided == [true; 2] && gap < 0.0;
            let in_range = self.bodies.query.min <= gap && gap <= self.bodies.query.max && !wrong_side;
            let features = edges.map(Feature::Edge);
            let against = self.bodies.against(&normal);
            let supports = in_range
                && self.bodies.a.supports(edges[0], beyond_a.map(|end| vertices_a[end]), &normal)
                && self.bodies.b.supports(edges[1], beyond_b.map(|end| vertices_b[end]), &against)
                && self.leaves(0, edges[0], &normal)
                && self.leaves(1, edges[1], &against);
            supports.then_some(FeaturePair { points, normal, gap, features })
        })
    }

    /// Whether a direction in the frame of a body does not enter the solid at an edge of its triangle.
    ///
    /// At an edge between nearly coplanar faces the cone test accepts the outward normal and its opposite alike: the one
    /// that enters would report separated surfaces as overlapping, and is off the face's own normal by almost π. Normals of
    /// an edge whose faces enclose a right angle or more differ from the normals of both by at most π/2 and the tolerance
    /// of the cone test; a sharper edge has normals that differ by more, and needs no such test.
    fn leaves(&self, side: usize, edge: u32, direction: &Vector3<f64>) -> bool {
        let body = [self.bodies.a, self.bodies.b][side];
        let solid = body.oriented() && !self.bodies.query.two_sided[side];
        let is_blunt = matches!(body.sides(edge), [first, second] if first.dot(second) < 0.0);
        !(solid && is_blunt && body.normal(self.triangles[side]).dot(direction) < -0.5)
    }

    /// Appends vertex–edge and vertex–vertex pairs at positive distance that are local minima of the distance.
    pub(super) fn closest_points_of_borders(&self, found: &mut Vec<FeaturePair>) {
        for i in owned_vertices(self.owned[0]) {
            let index = self.bodies.a.corners(self.triangles[0])[i];
            for j in owned_edges(self.owned[1]) {
                let ends = [self.corners_b[j], self.corners_b[(j + 1) % 3]];
                let edge = self.bodies.b.edges_of(self.triangles[1])[j];
                let Some(foot) = inner_foot(&self.corners_a[i], &ends) else { continue };
                let features = [Feature::Vertex(index), Feature::Edge(edge)];
                found.extend(self.separated([self.corners_a[i], foot], features));
            }
            for j in owned_vertices(self.owned[1]) {
                let features =
                    [Feature::Vertex(index), Feature::Vertex(self.bodies.b.corners(self.triangles[1])[j])];
                found.extend(self.separated([self.corners_a[i], self.corners_b[j]], features));
            }
        }
        for j in owned_vertices(self.owned[1]) {
            for i in owned_edges(self.owned[0]) {
                let ends = [self.corners_a[i], self.corners_a[(i + 1) % 3]];
                let edge = self.bodies.a.edges_of(self.triangles[0])[i];
                let Some(foot) = inner_foot(&self.corners_b[j], &ends) else { continue };
                let features =
                    [Feature::Edge(edge), Feature::Vertex(self.bodies.b.corners(self.triangles[1])[j])];
                found.extend(self.separated([foot, self.corners_b[j]], features));
            }
        }
    }

    /// Pair of points at positive distance, if they are a local minimum of the distance.
    fn separated(&self, points: [Point3<f64>; 2], features: [Feature; 2]) -> Option<FeaturePair> {
        let between = points[1] - points[0];
        let gap = between.norm();
        // Coincident points have no normal.
        if !(gap > 0.0 && self.bodies.query.min <= gap && gap <= self.bodies.query.max) {
            return None;
        }
        let normal = between / gap;
        let on_a = match features[0] {
            Feature::Vertex(index) => self.bodies.supports_vertex(0, index, &normal),
            Feature::Edge(edge) => {
                self.bodies.a.sides_are_behind(edge, &normal) && self.leaves(0, edge, &normal)
            }
            Feature::Face(_) => true,
        };
        let against = self.bodies.against(&normal);
        let on_b = match features[1] {
            Feature::Vertex(index) => self.bodies.supports_vertex(1, index, &against),
            Feature::Edge(edge) => {
                self.bodies.b.sides_are_behind(edge, &against) && self.leaves(1, edge, &against)
            }
            Feature::Face(_) => true,
        };
        (on_a && on_b).then_some(FeaturePair { points, normal, gap, features })
    }
}

impl Adjacency {
    /// Whether no neighbour of a vertex lies further along a direction, up to [`CONE`].
    pub(super) fn within_cone(&self, vertex: u32, direction: &Vector3<f64>) -> bool {
        self.within_cone_of(vertex, direction, CONE)
    }

    /// Whether no neighbour of a vertex lies further along a direction than the angle of the given sine.
    pub(super) fn within_cone_of(&self, vertex: u32, direction: &Vector3<f64>, sine: f64) -> bool {
        let position = self.position(vertex);
        self.neighbours(vertex)
            .iter()
            .all(|&neighbour| rises_by_at_most(sine, &(self.position(neighbour) - position), direction))
    }

    /// Whether an edge supports a contact along a direction: no face at it rises, and if the contact lies beyond one of
    /// its ends, the surface continues to rise there.
    fn supports(&self, edge: u32, beyond: Option<u32>, direction: &Vector3<f64>) -> bool {
        self.sides_are_behind(edge, direction)
            && beyond.is_none_or(|end| {
                let ends = self.edge_vertices(edge);
                let start = if ends[0] == end { ends[1] } else { ends[0] };
                self.continues_to_rise(start, end, direction)
            })
    }

    /// Whether the edge from `start` to `end` has a continuation beyond `end` that rises along a direction.
    fn continues_to_rise(&self, start: u32, end: u32, direction: &Vector3<f64>) -> bool {
        let position = self.position(end);
        let along = (position - self.position(start)).normalize();
        self.neighbours(end).iter().any(|&neighbour| {
            let onward = self.position(neighbour) - position;
            let length = onward.norm();
            onward.dot(&along) > ONWARDS * length && onward.dot(direction) > RISING * length
        })
    }

    /// Whether no face at an edge rises along a direction.
    pub(super) fn sides_are_behind(&self, edge: u32, direction: &Vector3<f64>) -> bool {
        self.sides(edge).iter().all(|side| side.dot(direction) <= CONE)
    }
}

/// Whether a vector rises along a direction by no more than [`CONE`] allows.
pub(super) fn rises_little(vector: &Vector3<f64>, direction: &Vector3<f64>) -> bool {
    rises_by_at_most(CONE, vector, direction)
}

/// Whether a vector rises along a direction by no more than this sine.
pub(super) fn rises_by_at_most(sine: f64, vector: &Vector3<f64>, direction: &Vector3<f64>) -> bool {
    let rise = vector.dot(direction);
    rise <= 0.0 || rise * rise <= sine * sine * vector.norm_squared()
}

pub(super) fn owned_vertices(owned: u8) -> impl Iterator<Item = usize> {
    (0..3).filter(move |k| owned & (1 << k) != 0)
}

pub(super) fn owned_edges(owned: u8) -> impl Iterator<Item = usize> {
    (0..3).filter(move |k| owned & (1 << (k + 3)) != 0)
}

/// End (0 or 1) beyond which the point at `fraction` of an edge lies, `Some(None)` if it is on the edge; `None` if it is
/// farther beyond than `slack` [m].
#[expect(clippy::option_option, reason = "far away, beyond an end and on the edge are three outcomes")]
fn end_beyond(fraction: f64, slack: f64, along: &Vector3<f64>) -> Option<Option<usize>> {
    // Distance beyond either end in units of the edge's length; negative on the edge.
    let beside = f64::max(-fraction, fraction - 1.0);
    if beside <= BESIDE {
        return Some(None);
    }
    (beside * along.norm() <= slack).then_some(Some(usize::from(fraction > 0.5)))
}

/// Whether the foot point (orthogonal projection) of a point on the plane of a triangle lies in the triangle.
pub(super) fn foot_is_inside(
    point: &Point3<f64>,
    triangle: &[Point3<f64>; 3],
    normal: &Vector3<f64>,
) -> bool {
    foot_is_within(point, triangle, normal, |_| 0.0)
}

/// Whether the foot point of a point on the plane of a triangle lies in the triangle or beyond edge k by at most
/// `slack(k)` [m].
fn foot_is_within(
    point: &Point3<f64>,
    [a, b, c]: &[Point3<f64>; 3],
    normal: &Vector3<f64>,
    slack: impl Fn(usize) -> f64,
) -> bool {
    let doubled_area_vector = (b - a).cross(&(c - a));
    let doubled_area = doubled_area_vector.norm();
    // The normal may have been reversed to point outwards, against the winding of the corners.
    let sign = if doubled_area_vector.dot(normal) < 0.0 { -1.0 } else { 1.0 };
    let edges = [(a, b), (b, c), (c, a)];
    doubled_area > 0.0
        && edges.iter().enumerate().all(|(k, (from, to))| {
            let (along, slack) = (*to - *from, slack(k));
            let beyond = if slack > 0.0 { slack * along.norm() } else { 0.0 };
            let beside = beyond + BESIDE * doubled_area;
            sign * along.cross(&(point - *from)).dot(normal) >= -beside
        })
}

/// Foot point of a point on an edge, if it is interior to the edge.
pub(super) fn inner_foot(point: &Point3<f64>, [from, to]: &[Point3<f64>; 2]) -> Option<Point3<f64>> {
    let along = to - from;
    let fraction = (point - from).dot(&along) / along.norm_squared();
    (0.0 < fraction && fraction < 1.0).then(|| from + along * fraction)
}
