//! Conservative filter for feature pairs of two triangles that can become contacts within a small motion.
//!
//! Each condition of a contact is relaxed by the amount that the motion can change it by. Distances change by no more than
//! the motion, angles by no more than the rotation.

use nalgebra::Vector3;

use crate::proximity::contacts::adjacency::Adjacency;
use crate::proximity::contacts::features::{
    BESIDE, Bodies, CONE, Candidates, Feature, FeaturePair, PARALLEL, VALLEY, owned_edges, owned_vertices,
};
use crate::proximity::triangle_distance::closest_on_segments;

/// Rounding of cosines and of squares of sines; far above the rounding of unit vectors, far below [`CONE`].
const COSINE_ROUNDING: f64 = 1e-9;

/// Feature pair that may become a contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) features: [Feature; 2],
    triangles: [u32; 2],
    kind: Kind,
}

/// Kind of a feature pair of two triangles, with the indices of its corners and edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    VertexOfA(u8),
    VertexOfB(u8),
    Edges([u8; 2]),
}

impl Candidate {
    /// Sort key of candidates.
    pub(super) fn key(&self) -> impl Ord + use<> {
        (self.features, self.triangles, self.kind)
    }

    /// Contact of the two features at the pose of `bodies`, if there is one.
    pub(super) fn contact(&self, bodies: &Bodies) -> Option<FeaturePair> {
        let candidates = Candidates::new(bodies, self.triangles);
        match self.kind {
            Kind::VertexOfA(k) => candidates.vertex_of_a_on_face_of_b(k.into()),
            Kind::VertexOfB(k) => candidates.vertex_of_b_on_face_of_a(k.into()),
            Kind::Edges([i, j]) => candidates.crossing(i.into(), j.into()),
        }
    }
}

/// Bounds of the changes within the margin of a reference.
pub(super) struct Sieve {
    /// Maximum distance [m] of two features that can become a contact.
    pub(super) distance: f64,
    /// Maximum magnitude of the gap of a contact [m].
    pub(super) range: f64,
    /// Maximum displacement [m] of a vertex relative to a nearby triangle: that of the triangle's own points times
    /// 1 + distance / r.
    pub(super) slip: f64,
    /// Maximum rotation [rad].
    pub(super) angle: f64,
}

impl Sieve {
    /// Appends the feature pairs of two triangles that can become contacts; the bodies are at the reference pose.
    pub(super) fn candidates(&self, bodies: &Bodies, triangles: [u32; 2], found: &mut Vec<Candidate>) {
        let ([i, j], a, b) = (triangles, bodies.a, bodies.b);
        let owned = [a.owned(i), b.owned(j)];
        if owned == [0; 2] {
            return;
        }
        let pair = Candidates::new(bodies, triangles);
        let mut add = |features, kind| found.push(Candidate { features, triangles, kind });
        for k in owned_vertices(owned[0]) {
            let vertex = a.corners(i)[k];
            if self.vertex_may_touch(&pair, k, 1, vertex) {
                add([Feature::Vertex(vertex), Feature::Face(b.region(j))], Kind::VertexOfA(k as u8));
            }
        }
        for k in owned_vertices(owned[1]) {
            let vertex = b.corners(j)[k];
            if self.vertex_may_touch(&pair, k, 0, vertex) {
                add([Feature::Face(a.region(i)), Feature::Vertex(vertex)], Kind::VertexOfB(k as u8));
            }
        }
        let arcs = owned_edges(owned[1]).map(|l| (l, Arc::of(b, b.edges_of(j)[l])));
        let both = bodies.query.two_sided != [false; 2];
        let arcs = arcs.map(|(l, arc)| (l, Arc { middle: -bodies.rotated(&arc.middle), ..arc }));
        for (l, arc_of_b) in arcs {
            for k in owned_edges(owned[0]) {
                let edges = [a.edges_of(i)[k], b.edges_of(j)[l]];
                if self.arcs_may_cross(&Arc::of(a, edges[0]), &arc_of_b, both)
                    && self.edges_may_touch(&pair, k, l)
                {
                    add(edges.map(Feature::Edge), Kind::Edges([k as u8, l as u8]));
                }
            }
        }
    }

    /// Whether corner k of one triangle, the vertex `index`, can touch the other triangle, which is of body `face`.
    fn vertex_may_touch(&self, pair: &Candidates, k: usize, face: usize, index: u32) -> bool {
        let (both, bodies) = (pair.bodies, [pair.bodies.a, pair.bodies.b]);
        let corners = [&pair.corners_a, &pair.corners_b];
        let (vertex, triangle) = (corners[1 - face][k], corners[face]);
        let own_normal = bodies[face].normal(pair.triangles[face]);
        let normal = if face == 1 { both.rotated(&own_normal) } else { own_normal };
        let height = (vertex - triangle[0]).dot(&normal);
        // Written such that NaN stays a candidate.
        if height.abs() > self.range + self.slip {
            return false;
        }
        let doubled_area_vector = (triangle[1] - triangle[0]).cross(&(triangle[2] - triangle[0]));
        let sign = if doubled_area_vector.dot(&normal) < 0.0 { -1.0 } else { 1.0 };
        let is_beside = |k: usize| {
            let (from, along) = (triangle[k], triangle[(k + 1) % 3] - triangle[k]);
            let valley = bodies[face].is_valley(pair.triangles[face], k);
            let slack = self.slip + if valley { VALLEY * self.range } else { 0.0 };
            let beside = slack * along.norm() + 2.0 * BESIDE * doubled_area_vector.norm();
            sign * along.cross(&(vertex - from)).dot(&normal) < -beside
        };
        if is_beside(0) || is_beside(1) || is_beside(2) {
            return false;
        }
        // In the frame of the body whose neighbours are tested.
        let own = if face == 1 { normal } else { -both.against(&normal) };
        let cone = |direction: &Vector3<f64>| {
            bodies[1 - face].within_cone_of(index, direction, CONE + self.angle + COSINE_ROUNDING)
        };
        cone(&-own) || (both.query.two_sided[face] && cone(&own))
    }

    /// Whether two edges can have a common normal: whether their arcs of normals on the sphere of directions, both in the
    /// frame of A, come within the tolerances of each other. Nearly flat edges that can be touched from both sides have the opposite
    /// arcs as well, within the cone angle.
    fn arcs_may_cross(&self, a: &Arc, b: &Arc, both_sides: bool) -> bool {
        // Cosine and sine of the sum of both half angles, two cone angles and the rotation.
        let (sine, cosine) = (2.0 * (CONE + COSINE_ROUNDING) * ARC_PER_SINE + self.angle).sin_cos();
        let both = [a.cosine * b.cosine - a.sine * b.sine, a.sine * b.cosine + a.cosine * b.sine];
        let sum = [both[0] * cosine - both[1] * sine, both[1] * cosine + both[0] * sine];
        let exceeds_pi = sum[1] < 0.0;
        let along = a.middle.dot(&b.middle);
        let along = if both_sides { along.abs() } else { along };
        exceeds_pi || !(along < sum[0] - COSINE_ROUNDING)
    }

    /// Whether two edges can come within the distance of each other without being parallel.
    fn edges_may_touch(&self, pair: &Candidates, k: usize, l: usize) -> bool {
        let on_a = [pair.corners_a[k], pair.corners_a[(k + 1) % 3]];
        let on_b = [pair.corners_b[l], pair.corners_b[(l + 1) % 3]];
        let (along_a, along_b) = (on_a[1] - on_a[0], on_b[1] - on_b[0]);
        let parallel = f64::max(0.0, PARALLEL - self.angle - COSINE_ROUNDING);
        let lengths_squared = along_a.norm_squared() * along_b.norm_squared();
        if along_a.cross(&along_b).norm_squared() < parallel * parallel * lengths_squared {
            return false;
        }
        let [p, q] = closest_on_segments(&on_a, &on_b);
        // Where edges may be nearly parallel, their closest points are not exact.
        self.angle > PARALLEL / 2.0 || !((p - q).norm() > self.distance)
    }
}

/// Upper bound of the ratio of an angle to its sine, for sines as small as twice [`CONE`].
const ARC_PER_SINE: f64 = 1.01;

/// Normals of an edge: directions perpendicular to it along which no incident face rises. On the sphere of directions
/// they form an arc of a great circle.
#[derive(Clone, Copy)]
struct Arc {
    /// Unit vector at the middle of the arc; zero where it is undefined, and the arc then extends by π to either side.
    middle: Vector3<f64>,
    /// Cosine and sine of half the arc, without the cone tolerance.
    cosine: f64,
    sine: f64,
}

impl Arc {
    /// Normals of an edge. With s₁, s₂ the directions within its two faces away from the edge, the arc is centred at
    /// −(s₁ + s₂) and extends by π/2 minus half the angle between s₁ and s₂ to either side.
    fn of(adjacency: &Adjacency, edge: u32) -> Self {
        let (first, second) = match adjacency.sides(edge) {
            [first, second] => (first, second),
            [first, ..] => (first, first),
            [] => return Self { middle: Vector3::zeros(), cosine: -1.0, sine: 0.0 },
        };
        let sum = first + second;
        let doubled_sine = sum.norm();
        let Some(middle) = (-sum).try_normalize(0.0) else {
            return Self { middle: Vector3::zeros(), cosine: -1.0, sine: 0.0 };
        };
        Self { middle, cosine: (first - second).norm() / 2.0, sine: doubled_sine / 2.0 }
    }
}
