//! From candidates to contacts, at given blocks.

use nalgebra::{Point3, Vector3};

use super::body::Body;
use super::cell::{Shape, value};
use super::edge::{Piece, deepest};
use super::obstacle::{Obstacle, Placement};
use super::point::{BLOCKS, Contact, Field, Probe};
use super::search::{Candidates, PointRun, Scene};

/// Share of a known distance to an obstacle within which a node is taken to stay outside: a field on a grid may rise
/// somewhat faster than the distance.
const TRUST: f64 = 0.8;

/// A point known to lie outside an obstacle, in its frame [m], and how far [m].
#[derive(Debug, Clone, Copy)]
pub(super) struct Clearance {
    from: Point3<f64>,
    distance: f64,
}

impl Clearance {
    pub(super) const UNKNOWN: Self = Self { from: Point3::new(0.0, 0.0, 0.0), distance: -1.0 };
}

/// The contacts at given blocks, before what is left of initial overlaps is taken off.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    pub(super) contacts: Vec<Contact>,
    /// Owner, place and body of each of the first contacts, those of points in soft bodies; ascending.
    keys: Vec<[u32; 3]>,
    pieces: Vec<Piece>,
}

/// What is left of an initial overlap [m].
pub(super) type Remainder<'a> = &'a dyn Fn(Probe, Field) -> f64;

impl Found {
    pub(super) fn clear(&mut self) {
        self.contacts.clear();
        self.keys.clear();
    }

    fn place_of(&self, key: [u32; 3]) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }

    /// Nodes and samples in soft bodies: each in the deepest of the tetrahedra of a body that hold it, so that a point on a
    /// face counts once. `obstacles` are there for the areas of their samples.
    pub(super) fn points(
        &mut self,
        scene: &Scene<'_>,
        candidates: &Candidates,
        obstacles: &[Obstacle],
        stiffness: f64,
        left: Remainder<'_>,
    ) {
        for run in &candidates.points {
            let (probe, point, area) = point_of(scene, obstacles, run);
            let body = &scene.bodies[run.body as usize];
            let hits = candidates.tets_of_point(run).iter().filter_map(|&tet| hit(body, tet, &point, scene.x));
            let Some(hit) = hits.reduce(|best, hit| if hit.depth > best.depth { hit } else { best }) else {
                continue;
            };
            if !(hit.depth > 0.0) {
                continue;
            }
            let field = Field::Body(run.body);
            let (mut shares, mut count) = ([(0, 0.0); BLOCKS], 0);
            if let Probe::Node(block) = probe {
                shares[0] = (block, 1.0);
                count = 1;
            }
            for (corner, u) in body.tets[hit.tet as usize].iter().zip(hit.u) {
                shares[count] = (*corner, -u);
                count += 1;
            }
            let obstacle = if let Probe::Sample { obstacle, .. } = probe { Some((obstacle, 1.0)) } else { None };
            let pressed = (hit.depth - left(probe, field)).max(0.0);
            let (depth, gradient, stiffness) = (hit.depth, hit.gradient, stiffness * area);
            self.keys.push([run.owner, run.place, run.body]);
            self.contacts.push(Contact {
                probe, field, point, depth, pressed, stiffness, gradient, shares, count, obstacle,
            });
        }
    }

    /// Edges whose deepest point presses more than their ends.
    ///
    /// An edge then carries ½ k A (D² − d²) with d of its deeper end: continuous as an end goes in or the deepest point becomes
    /// an end. The second term is taken off the end's own area; the areas of a node's edges sum to the node's, so that what is left is
    /// never negative and nothing pulls.
    pub(super) fn edges(&mut self, scene: &Scene<'_>, candidates: &Candidates, stiffness: f64, left: Remainder<'_>) {
        for run in &candidates.edges {
            let (from, body) = (&scene.bodies[run.owner as usize], &scene.bodies[run.body as usize]);
            let places = from.edges[run.edge as usize];
            let blocks = places.map(|place| from.nodes[place as usize]);
            let ends = blocks.map(|block| scene.x[block as usize]);
            let tets = candidates.tets_of_edge(run);
            let Some(deepest) = deepest(ends, body, tets, scene.x, &mut self.pieces) else { continue };
            let (probe, field) = (Probe::Edge(blocks[0], blocks[1]), Field::Body(run.body));
            let pressed = (deepest.depth - left(probe, field)).max(0.0);
            let of_ends = places.map(|place| self.place_of([run.owner, place, run.body]));
            let presses = |place: Option<usize>| place.map_or(0.0, |at| self.contacts[at].pressed);
            let deeper = if presses(of_ends[1]) > presses(of_ends[0]) { of_ends[1] } else { of_ends[0] };
            if !(pressed > presses(deeper)) {
                continue;
            }
            let stiffness = stiffness * from.edge_areas[run.edge as usize];
            if let Some(at) = deeper {
                self.contacts[at].stiffness = (self.contacts[at].stiffness - stiffness).max(0.0);
            }
            let point = ends[0] + deepest.along * (ends[1] - ends[0]);
            let tet = body.tets[deepest.sides[0].tet as usize];
            let Some(shape) = Shape::of(&tet.map(|i| scene.x[i as usize])) else { continue };
            let u = shape.coordinates(&point);
            let shares = [
                (blocks[0], 1.0 - deepest.along),
                (blocks[1], deepest.along),
                (tet[0], -u[0]),
                (tet[1], -u[1]),
                (tet[2], -u[2]),
                (tet[3], -u[3]),
            ];
            let (depth, gradient) = (deepest.depth, deepest.gradient);
            self.contacts.push(Contact {
                probe, field, point, depth, pressed, stiffness, gradient, shares, count: BLOCKS, obstacle: None,
            });
        }
    }

    /// Nodes of soft bodies in the field of obstacle `number`; `clear` holds what is known of each node.
    pub(super) fn nodes_in_obstacle(
        &mut self,
        bodies: &[Body],
        x: &[Vector3<f64>],
        (number, obstacle, placement): (u32, &Obstacle, &Placement),
        clear: &mut [Clearance],
        (stiffness, left): (f64, Remainder<'_>),
    ) {
        let nodes = bodies.iter().flat_map(|body| body.nodes.iter().zip(&body.areas));
        for ((&node, area), clear) in nodes.zip(clear) {
            let point = x[node as usize];
            let in_body = placement.to_body(&point);
            let room = TRUST * clear.distance;
            if room > 0.0 && (in_body - clear.from).norm_squared() < room * room {
                continue;
            }
            let (distance, outwards) = obstacle.shape.value_and_gradient(&in_body);
            *clear = Clearance { from: in_body, distance };
            if !(distance < 0.0) {
                continue;
            }
            let (probe, field) = (Probe::Node(node), Field::Obstacle(number));
            let mut shares = [(0, 0.0); BLOCKS];
            shares[0] = (node, 1.0);
            self.contacts.push(Contact {
                probe,
                field,
                point,
                depth: -distance,
                pressed: (-distance - left(probe, field)).max(0.0),
                stiffness: stiffness * area,
                gradient: -placement.turned(&outwards),
                shares,
                count: 1,
                obstacle: Some((number, -1.0)),
            });
        }
    }
}

/// A point in a tetrahedron.
struct Hit {
    tet: u32,
    u: [f64; 4],
    depth: f64,
    gradient: Vector3<f64>,
}

fn hit(body: &Body, tet: u32, point: &Vector3<f64>, x: &[Vector3<f64>]) -> Option<Hit> {
    let shape = Shape::of(&body.tets[tet as usize].map(|i| x[i as usize]))?;
    let u = shape.coordinates(point);
    if !u.iter().all(|u| *u >= 0.0) {
        return None;
    }
    let depths = body.depths[tet as usize];
    let values = depths.of_part(depths.part(&u));
    Some(Hit { tet, u, depth: value(&u, &values), gradient: shape.gradient(&values) })
}

fn point_of(scene: &Scene<'_>, obstacles: &[Obstacle], run: &PointRun) -> (Probe, Vector3<f64>, f64) {
    if let Some(body) = scene.bodies.get(run.owner as usize) {
        let node = body.nodes[run.place as usize];
        return (Probe::Node(node), scene.x[node as usize], body.areas[run.place as usize]);
    }
    let obstacle = run.owner as usize - scene.bodies.len();
    let (point, area) =
        (scene.samples[obstacle][run.place as usize], obstacles[obstacle].samples[run.place as usize].1);
    let number = run.owner - u32::try_from(scene.bodies.len()).expect("bodies are fewer than 2³²");
    (Probe::Sample { obstacle: number, sample: run.place }, point, area)
}
