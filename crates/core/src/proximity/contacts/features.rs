//! Finding the contact features among pairs of triangles.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::adjacency::Adjacency;

/// Sine of the angle by which a neighbour may lie on the wrong side of a contact plane. At 0 rounding tips a cube
/// over one corner; at 0.3 corners that are well clear of the plane count, and it rocks too.
pub(super) const CONE: f64 = 0.02;
/// Sine of the angle between two edges below which they count as parallel and have no common normal.
pub(super) const PARALLEL: f64 = 0.05;
/// How far faces and edges that end in a valley go on beyond it, as a share of the greatest gap: enough to hold a
/// body that would rattle between the flanks, and so little that where the valley ends they are no obstacles.
pub(super) const VALLEY: f64 = 0.05;
/// Cosine of the angle within which an edge is the continuation of another one.
const ONWARDS: f64 = 0.9;
/// Sine of the angle by which the continuation of an edge in a valley rises at least.
const RISING: f64 = 1e-4;
/// By how much a foot may lie beside its triangle, as a share of the triangle: rounding of coordinates.
pub(super) const BESIDE: f64 = 1e-9;

/// A feature of a mesh. Equal in every step as long as the same part of the mesh is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// A vertex; vertices at the same place are one.
    Vertex(u32),
    /// An edge.
    Edge(u32),
    /// A plane region, named by one of its triangles.
    Face(u32),
}

/// Two features that touch or nearly touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeaturePair {
    /// The points on A and on B [m], frame of A.
    pub points: [Point3<f64>; 2],
    /// Unit normal of the contact from A towards B, frame of A.
    pub normal: Vector3<f64>,
    /// Signed gap along the normal [m]; negative where the meshes overlap.
    pub gap: f64,
    /// The features on A and on B.
    pub features: [Feature; 2],
}

/// Which features are asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Query {
    /// B → A.
    pub b_to_a: Isometry3<f64>,
    /// Least gap [m], usually negative.
    pub least: f64,
    /// Greatest gap [m].
    pub greatest: f64,
    /// Whether A and B are surfaces without an inside: their normals then point to the side the other body is on,
    /// and there are no negative gaps.
    pub two_sided: [bool; 2],
}

/// Finds contact features. Holds buffers only; reuse it.
#[derive(Debug, Clone, Default)]
pub struct FeatureFinder {
    found: Vec<FeaturePair>,
}

impl FeatureFinder {
    /// Contact features among the triangle pairs `[triangle of A, triangle of B]`, in the order of the pairs.
    ///
    /// Every pair of triangles that are nearer to each other than the query's gaps must be listed; each feature
    /// is found in exactly one pair.
    pub fn find(
        &mut self,
        a: &Adjacency,
        b: &Adjacency,
        pairs: &[[u32; 2]],
        query: &Query,
    ) -> &[FeaturePair] {
        self.found.clear();
        let bodies = Bodies::new([a, b], query);
        for &pair in pairs {
            let candidates = Candidates::new(&bodies, pair);
            candidates.each(|pair| self.found.push(pair));
        }
        if self.found.is_empty() {
            for &pair in pairs {
                Candidates::new(&bodies, pair).closest_points_of_borders(&mut self.found);
            }
        }
        &self.found
    }
}

/// Two bodies at a pose.
pub(super) struct Bodies<'a> {
    pub(super) a: &'a Adjacency,
    pub(super) b: &'a Adjacency,
    pub(super) query: &'a Query,
    /// The rotation of the pose.
    rotation: Matrix3<f64>,
}

impl<'a> Bodies<'a> {
    pub(super) fn new([a, b]: [&'a Adjacency; 2], query: &'a Query) -> Self {
        Self { a, b, query, rotation: query.b_to_a.rotation.to_rotation_matrix().into_inner() }
    }

    /// From the frame of B to that of A.
    pub(super) fn turned(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * vector
    }

    /// From B towards A, in the frame of B.
    pub(super) fn against(&self, normal: &Vector3<f64>) -> Vector3<f64> {
        -self.rotation.tr_mul(normal)
    }

    fn placed(&self, point: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.rotation * point.coords + self.query.b_to_a.translation.vector)
    }

    /// How far faces and edges that end in a valley go on beyond it [m].
    fn valley_slack(&self) -> f64 {
        VALLEY * self.query.greatest
    }
}

/// The features of two triangles, in the frame of A.
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
            corners_b: [bodies.placed(&p), bodies.placed(&q), bodies.placed(&r)],
            owned: [a.owned(i), b.owned(j)],
        }
    }

    /// All contacts of faces and edges that the two triangles answer for.
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

    /// The contact of corner `k` of A's triangle with B's.
    pub(super) fn vertex_of_a_on_face_of_b(&self, k: usize) -> Option<FeaturePair> {
        let face = self.triangles[1];
        let outward = self.bodies.turned(&self.bodies.b.normal(face));
        let vertex = self.corners_a[k];
        let (outward, gap) = self.over_face(&vertex, &self.corners_b, outward, 1)?;
        let place = self.bodies.a.corners(self.triangles[0])[k];
        self.bodies.a.within_cone(place, &-outward).then(|| FeaturePair {
            points: [vertex, vertex - outward * gap],
            normal: -outward,
            gap,
            features: [Feature::Vertex(place), Feature::Face(self.bodies.b.region(face))],
        })
    }

    /// The contact of A's triangle with corner `k` of B's.
    pub(super) fn vertex_of_b_on_face_of_a(&self, k: usize) -> Option<FeaturePair> {
        let face = self.triangles[0];
        let vertex = self.corners_b[k];
        let (outward, gap) = self.over_face(&vertex, &self.corners_a, self.bodies.a.normal(face), 0)?;
        let place = self.bodies.b.corners(self.triangles[1])[k];
        self.bodies.b.within_cone(place, &self.bodies.against(&outward)).then(|| FeaturePair {
            points: [vertex - outward * gap, vertex],
            normal: outward,
            gap,
            features: [Feature::Face(self.bodies.a.region(face)), Feature::Vertex(place)],
        })
    }

    /// The outward normal and the gap of a vertex over a face, if its foot is on the face and its gap is asked for.
    fn over_face(
        &self,
        vertex: &Point3<f64>,
        face: &[Point3<f64>; 3],
        normal: Vector3<f64>,
        side: usize,
    ) -> Option<(Vector3<f64>, f64)> {
        let height = (vertex - face[0]).dot(&normal);
        let turned = self.bodies.query.two_sided[side] && height < 0.0;
        let (outward, gap) = if turned { (-normal, -height) } else { (normal, height) };
        let asked = self.bodies.query.least <= gap && gap <= self.bodies.query.greatest;
        let (body, triangle) = ([self.bodies.a, self.bodies.b][side], self.triangles[side]);
        let slack = |k: usize| if body.is_valley(triangle, k) { self.bodies.valley_slack() } else { 0.0 };
        (asked && foot_is_within(vertex, face, &normal, slack)).then_some((outward, gap))
    }

    /// The contact of edge `i` of A's triangle with edge `j` of B's: their closest points are inner points of both.
    ///
    /// Beyond an end at which the surface rises on, an edge counts as going on for a while: the two edges of a
    /// valley then hold a body between them from both sides, and it does not rattle from one to the other.
    pub(super) fn crossing(&self, i: usize, j: usize) -> Option<FeaturePair> {
        let on_a = [self.corners_a[i], self.corners_a[(i + 1) % 3]];
        let on_b = [self.corners_b[j], self.corners_b[(j + 1) % 3]];
        let edges =
            [self.bodies.a.edges_of(self.triangles[0])[i], self.bodies.b.edges_of(self.triangles[1])[j]];
        let (corners_a, corners_b) =
            (self.bodies.a.corners(self.triangles[0]), self.bodies.b.corners(self.triangles[1]));
        let places_a = [corners_a[i], corners_a[(i + 1) % 3]];
        let places_b = [corners_b[j], corners_b[(j + 1) % 3]];
        let (along_a, along_b) = (on_a[1] - on_a[0], on_b[1] - on_b[0]);
        let across = along_a.cross(&along_b);
        let across_squared = across.norm_squared();
        let lengths_squared = along_a.norm_squared() * along_b.norm_squared();
        if !(across_squared > PARALLEL * PARALLEL * lengths_squared) {
            return None;
        }
        let between = on_b[0] - on_a[0];
        let height = between.dot(&across);
        let reach = self.bodies.query.greatest.max(-self.bodies.query.least);
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
        [unit, -unit].into_iter().find_map(|normal| {
            let gap = between.dot(&normal);
            let wrong_side = self.bodies.query.two_sided == [true; 2] && gap < 0.0;
            let asked = self.bodies.query.least <= gap && gap <= self.bodies.query.greatest && !wrong_side;
            let features = edges.map(Feature::Edge);
            let against = self.bodies.against(&normal);
            let bears = asked
                && self.bodies.a.bears(edges[0], beyond_a.map(|end| places_a[end]), &normal)
                && self.bodies.b.bears(edges[1], beyond_b.map(|end| places_b[end]), &against);
            bears.then_some(FeaturePair { points, normal, gap, features })
        })
    }

    /// Vertex–edge and vertex–vertex pairs that are apart, at local minima of the distance.
    pub(super) fn closest_points_of_borders(&self, found: &mut Vec<FeaturePair>) {
        for i in owned_vertices(self.owned[0]) {
            let place = self.bodies.a.corners(self.triangles[0])[i];
            for j in owned_edges(self.owned[1]) {
                let ends = [self.corners_b[j], self.corners_b[(j + 1) % 3]];
                let edge = self.bodies.b.edges_of(self.triangles[1])[j];
                let Some(foot) = inner_foot(&self.corners_a[i], &ends) else { continue };
                let features = [Feature::Vertex(place), Feature::Edge(edge)];
                found.extend(self.apart([self.corners_a[i], foot], features));
            }
            for j in owned_vertices(self.owned[1]) {
                let features =
                    [Feature::Vertex(place), Feature::Vertex(self.bodies.b.corners(self.triangles[1])[j])];
                found.extend(self.apart([self.corners_a[i], self.corners_b[j]], features));
            }
        }
        for j in owned_vertices(self.owned[1]) {
            for i in owned_edges(self.owned[0]) {
                let ends = [self.corners_a[i], self.corners_a[(i + 1) % 3]];
                let edge = self.bodies.a.edges_of(self.triangles[0])[i];
                let Some(foot) = inner_foot(&self.corners_b[j], &ends) else { continue };
                let features =
                    [Feature::Edge(edge), Feature::Vertex(self.bodies.b.corners(self.triangles[1])[j])];
                found.extend(self.apart([foot, self.corners_b[j]], features));
            }
        }
    }

    /// A pair of points that are apart, if they are a local minimum of the distance.
    fn apart(&self, points: [Point3<f64>; 2], features: [Feature; 2]) -> Option<FeaturePair> {
        let between = points[1] - points[0];
        let gap = between.norm();
        if !(gap > 0.0 && self.bodies.query.least <= gap && gap <= self.bodies.query.greatest) {
            return None;
        }
        let normal = between / gap;
        let on_a = match features[0] {
            Feature::Vertex(place) => self.bodies.a.within_cone(place, &normal),
            Feature::Edge(edge) => self.bodies.a.sides_are_behind(edge, &normal),
            Feature::Face(_) => true,
        };
        let on_b = match features[1] {
            Feature::Vertex(place) => self.bodies.b.within_cone(place, &self.bodies.against(&normal)),
            Feature::Edge(edge) => self.bodies.b.sides_are_behind(edge, &self.bodies.against(&normal)),
            Feature::Face(_) => true,
        };
        (on_a && on_b).then_some(FeaturePair { points, normal, gap, features })
    }
}

impl Adjacency {
    /// Whether no neighbour of a vertex lies further along a direction.
    pub(super) fn within_cone(&self, place: u32, direction: &Vector3<f64>) -> bool {
        self.within_cone_of(place, direction, CONE)
    }

    /// Whether no neighbour of a vertex lies further along a direction than this sine allows.
    pub(super) fn within_cone_of(&self, place: u32, direction: &Vector3<f64>, sine: f64) -> bool {
        let vertex = self.place(place);
        self.neighbours(place)
            .iter()
            .all(|&neighbour| rises_by_at_most(sine, &(self.place(neighbour) - vertex), direction))
    }

    /// Whether an edge bears along a direction: no face at it rises, and if the contact lies beyond one of its ends,
    /// the surface rises on there.
    fn bears(&self, edge: u32, beyond: Option<u32>, direction: &Vector3<f64>) -> bool {
        self.sides_are_behind(edge, direction)
            && beyond.is_none_or(|end| {
                let ends = self.edge_places(edge);
                let start = if ends[0] == end { ends[1] } else { ends[0] };
                self.rises_on(start, end, direction)
            })
    }

    /// Whether, coming along an edge from `start`, the surface goes on beyond `end` and rises along a direction.
    fn rises_on(&self, start: u32, end: u32, direction: &Vector3<f64>) -> bool {
        let vertex = self.place(end);
        let along = (vertex - self.place(start)).normalize();
        self.neighbours(end).iter().any(|&neighbour| {
            let on = self.place(neighbour) - vertex;
            let length = on.norm();
            on.dot(&along) > ONWARDS * length && on.dot(direction) > RISING * length
        })
    }

    /// Whether no face at an edge rises along a direction.
    pub(super) fn sides_are_behind(&self, edge: u32, direction: &Vector3<f64>) -> bool {
        self.sides(edge).iter().all(|side| side.dot(direction) <= CONE)
    }
}

/// Whether a vector rises along a direction by no more than the cone allows.
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

/// The end (0 or 1) beyond which a share of an edge lies, if it is not on the edge; nothing at all if it lies farther
/// beyond than `slack` [m].
#[expect(clippy::option_option, reason = "far away, beside and on the edge are three answers")]
fn end_beyond(share: f64, slack: f64, along: &Vector3<f64>) -> Option<Option<usize>> {
    let beside = f64::max(-share, share - 1.0);
    if beside <= BESIDE {
        return Some(None);
    }
    (beside * along.norm() <= slack).then_some(Some(usize::from(share > 0.5)))
}

/// Whether the foot of a point on the plane of a triangle lies in the triangle.
pub(super) fn foot_is_inside(
    point: &Point3<f64>,
    triangle: &[Point3<f64>; 3],
    normal: &Vector3<f64>,
) -> bool {
    foot_is_within(point, triangle, normal, |_| 0.0)
}

/// Whether the foot of a point on the plane of a triangle lies in the triangle or beside edge k by at most
/// `slack(k)` [m].
fn foot_is_within(
    point: &Point3<f64>,
    [a, b, c]: &[Point3<f64>; 3],
    normal: &Vector3<f64>,
    slack: impl Fn(usize) -> f64,
) -> bool {
    let doubled_area_vector = (b - a).cross(&(c - a));
    let doubled_area = doubled_area_vector.norm();
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

/// The foot of a point on an edge, if it is an inner point of the edge.
pub(super) fn inner_foot(point: &Point3<f64>, [from, to]: &[Point3<f64>; 2]) -> Option<Point3<f64>> {
    let along = to - from;
    let share = (point - from).dot(&along) / along.norm_squared();
    (0.0 < share && share < 1.0).then(|| from + along * share)
}
