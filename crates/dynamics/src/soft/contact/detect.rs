//! From candidates to contacts, at given blocks.

use nalgebra::{Point3, Vector3};

use super::body::Body;
use super::cell::{Cell, Shape, value};
use super::edge::{self, Deepest, Piece, deepest};
use super::held::{DeeperEnd, Held, HeldEdge};
use super::obstacle::{Obstacle, Placement};
use super::point::{BLOCKS, Contact, ENDS, Field, Probe, Site};
use super::scene::Scene;
use super::search::Candidates;

/// Share of a known distance to an obstacle within which a node is taken to stay outside: a field on a grid may rise
/// somewhat faster than the distance.
const TRUST: f64 = 0.8;

/// How far below zero a coordinate may be for the point to be in the element: rounding must leave no gap between elements.
const ROUNDING: f64 = 1e-12;

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
    /// Owner, edge and body of the contacts that follow, those of edges, and which end was taken for the deeper one.
    edge_keys: Vec<([u32; 3], DeeperEnd)>,
    pieces: Vec<Piece>,
}

/// What is left of an initial overlap [m].
pub(super) type Remainder<'a> = &'a dyn Fn(Probe, Field) -> f64;

impl Found {
    pub(super) fn clear(&mut self) {
        self.contacts.clear();
        self.keys.clear();
        self.edge_keys.clear();
    }

    fn place_of(&self, key: [u32; 3]) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }

    /// Nodes and samples in soft bodies: each in the deepest of the tetrahedra of a body that hold it, so that a point on a
    /// face counts once, or in the piece it is held in. `obstacles` are there for the areas of their samples.
    pub(super) fn points(
        &mut self,
        scene: &Scene<'_>,
        candidates: &Candidates,
        obstacles: &[Obstacle],
        (stiffness, left): (f64, Remainder<'_>),
        held: &Held,
    ) {
        let mut held = held.points.iter().peekable();
        for run in &candidates.points {
            let key = [run.owner, run.place, run.body];
            while let Some((key, cell)) = held.next_if(|(other, _)| *other < key) {
                self.point(scene, obstacles, *key, &[cell.tet], (Some(cell.part), stiffness, left));
            }
            if let Some((_, cell)) = held.next_if(|(other, _)| *other == key) {
                self.point(scene, obstacles, key, &[cell.tet], (Some(cell.part), stiffness, left));
            } else {
                self.point(scene, obstacles, key, candidates.tets_of_point(run), (None, stiffness, left));
            }
        }
        for (key, cell) in held {
            self.point(scene, obstacles, *key, &[cell.tet], (Some(cell.part), stiffness, left));
        }
    }

    /// The contact of one point with the deepest of `tets`, or with a part of the only one wherever it is.
    fn point(
        &mut self,
        scene: &Scene<'_>,
        obstacles: &[Obstacle],
        key: [u32; 3],
        tets: &[u32],
        (part, stiffness, left): (Option<usize>, f64, Remainder<'_>),
    ) {
        let (probe, point, area) = point_of(scene, obstacles, key);
        let body = &scene.bodies[key[2] as usize];
        let hits = tets.iter().filter_map(|&tet| hit(body, tet, part, &point, scene.x));
        let deepest = hits.reduce(|best, hit| if hit.depth > best.depth { hit } else { best });
        let Some(hit) = deepest.filter(|hit| hit.depth > 0.0) else { return };
        let field = Field::Body(key[2]);
        let (mut shares, mut count) = ([(0, 0.0); BLOCKS], 0);
        if let Probe::Node(block) = probe {
            shares[0] = (block, 1.0);
            count = 1;
        }
        for (corner, u) in body.tets[hit.cell.tet as usize].iter().zip(hit.u) {
            shares[count] = (*corner, -u);
            count += 1;
        }
        let obstacle = if let Probe::Sample { obstacle, .. } = probe { Some((obstacle, 1.0)) } else { None };
        let pressed = (hit.depth - left(probe, field)).max(0.0);
        let (depth, gradient, stiffness) = (hit.depth, hit.gradient, stiffness * area);
        let site = Some(Site::Cell(hit.cell));
        self.keys.push(key);
        self.contacts.push(Contact {
            probe,
            field,
            point,
            depth,
            pressed,
            stiffness,
            gradient,
            shares,
            count,
            sides: None,
            obstacle,
            site,
        });
    }

    /// Edges whose deepest point presses more than their ends.
    ///
    /// An edge then carries ½ k A (D² − d²) with d of its deeper end: continuous as an end goes in or the deepest point becomes
    /// an end. The second term is taken off the end's own area; the areas of a node's edges sum to the node's, so that what is left is
    /// never negative and nothing pulls. An edge that is held carries it whichever of D and d is greater.
    pub(super) fn edges(
        &mut self,
        scene: &Scene<'_>,
        candidates: &Candidates,
        (stiffness, left): (f64, Remainder<'_>),
        held: &Held,
    ) {
        let first = self.contacts.len();
        for (key, sides) in &held.edges {
            if let Some((deepest, deeper)) = held_on(scene, *key, sides) {
                self.edge(scene, *key, deepest, Some(deeper), (stiffness, left));
            }
        }
        for run in candidates.edges.iter().filter(|_| !held.seeking) {
            let key = [run.owner, run.edge, run.body];
            let ends = ends_of(scene, key).map(|block| scene.x[block as usize]);
            let (body, tets) = (&scene.bodies[run.body as usize], candidates.tets_of_edge(run));
            if let Some(deepest) = deepest(ends, body, tets, scene.x, &mut self.pieces) {
                self.edge(scene, key, deepest, None, (stiffness, left));
            }
        }
        debug_assert_eq!(self.contacts.len() - first, self.edge_keys.len(), "each edge has its key");
    }

    /// The contact of an edge with a deepest point; `held` is its deeper end where it is held.
    fn edge(
        &mut self,
        scene: &Scene<'_>,
        key: [u32; 3],
        deepest: Deepest,
        held: Option<DeeperEnd>,
        (stiffness, left): (f64, Remainder<'_>),
    ) {
        let (from, body) = (&scene.bodies[key[0] as usize], &scene.bodies[key[2] as usize]);
        let (places, blocks) = (from.edges[key[1] as usize], ends_of(scene, key));
        let (probe, field) = (Probe::Edge(blocks[0], blocks[1]), Field::Body(key[2]));
        // An edge whose end was deeper at the start has no remainder of its own.
        let remainder =
            blocks.iter().fold(left(probe, field), |most, &end| most.max(left(Probe::Node(end), field)));
        let pressed = (deepest.depth - remainder).max(0.0);
        let of_ends = places.map(|place| self.place_of([key[0], place, key[2]]));
        let presses = |place: Option<usize>| place.map_or(0.0, |at| self.contacts[at].pressed);
        let deeper = held.unwrap_or_else(|| {
            let [first, second] = of_ends.map(presses);
            if second > first { DeeperEnd::Second } else { DeeperEnd::First }
        });
        let end = of_ends[deeper as usize];
        if held.is_none() && !(pressed > presses(end)) {
            return;
        }
        let stiffness = stiffness * from.edge_areas[key[1] as usize];
        if let Some(at) = end {
            self.contacts[at].stiffness = (self.contacts[at].stiffness - stiffness).max(0.0);
        }
        let point = scene.x[blocks[0] as usize].lerp(&scene.x[blocks[1] as usize], deepest.along);
        let mut shares = [(0, 0.0); BLOCKS];
        (shares[0], shares[1]) = ((blocks[0], 1.0 - deepest.along), (blocks[1], deepest.along));
        let weights = [deepest.weight, 1.0 - deepest.weight];
        for ((side, weight), shares) in deepest.sides.iter().zip(weights).zip(shares[ENDS..].chunks_mut(4)) {
            let tet = body.tets[side.tet as usize];
            let Some(shape) = Shape::of(&tet.map(|i| scene.x[i as usize])) else { return };
            let u = shape.coordinates(&point);
            shares.iter_mut().zip(tet.iter().zip(u)).for_each(|(share, (&i, u))| *share = (i, -weight * u));
        }
        let site = Some(Site::Face(deepest));
        let (depth, gradient) = (deepest.depth, deepest.gradient);
        self.edge_keys.push((key, deeper));
        self.contacts.push(Contact {
            probe,
            field,
            point,
            depth,
            pressed,
            stiffness,
            gradient,
            shares,
            count: BLOCKS,
            sides: Some(deepest.sides.map(|side| side.gradient)),
            obstacle: None,
            site,
        });
    }

    /// What holds the contacts in the pieces in which they are.
    pub(super) fn hold(&self, held: &mut Held) {
        held.clear();
        for (key, contact) in self.keys.iter().zip(&self.contacts) {
            if let Some(Site::Cell(cell)) = contact.site {
                held.points.push((*key, cell));
            }
        }
        for ((key, deeper), contact) in self.edge_keys.iter().zip(&self.contacts[self.keys.len()..]) {
            if let Some(Site::Face(deepest)) = contact.site {
                let cells = deepest.sides.map(|side| Cell { tet: side.tet, part: side.part });
                let Deepest { along, weight, .. } = deepest;
                held.edges.push((*key, HeldEdge { cells, along, weight, deeper: *deeper }));
            }
        }
        held.seeking = true;
        held.edges.sort_unstable_by_key(|entry| entry.0);
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
                sides: None,
                obstacle: Some((number, -1.0)),
                site: None,
            });
        }
    }
}

/// A point in a tetrahedron.
struct Hit {
    cell: Cell,
    u: [f64; 4],
    depth: f64,
    gradient: Vector3<f64>,
}

/// The point in tetrahedron `tet`: `None` where it is outside, unless its `part` is given.
fn hit(body: &Body, tet: u32, part: Option<usize>, point: &Vector3<f64>, x: &[Vector3<f64>]) -> Option<Hit> {
    let shape = Shape::of(&body.tets[tet as usize].map(|i| x[i as usize]))?;
    let u = shape.coordinates(point);
    if part.is_none() && !u.iter().all(|u| *u >= -ROUNDING) {
        return None;
    }
    let depths = &body.depths[tet as usize];
    let part = part.unwrap_or_else(|| depths.part(&u));
    let values = depths.of_part(part);
    let cell = Cell { tet, part };
    Some(Hit { cell, u, depth: value(&u, &values), gradient: shape.gradient(&values) })
}

/// Blocks of the ends of an edge.
fn ends_of(scene: &Scene<'_>, [owner, edge, _]: [u32; 3]) -> [u32; 2] {
    let from = &scene.bodies[owner as usize];
    from.edges[edge as usize].map(|place| from.nodes[place as usize])
}

/// The point of an edge that is held; `None` where an element has no field.
fn held_on(scene: &Scene<'_>, key: [u32; 3], held: &HeldEdge) -> Option<(Deepest, DeeperEnd)> {
    let ends = ends_of(scene, key).map(|block| scene.x[block as usize]);
    let body = &scene.bodies[key[2] as usize];
    Some((edge::held(ends, body, held, scene.x)?, held.deeper))
}

fn point_of(
    scene: &Scene<'_>,
    obstacles: &[Obstacle],
    [owner, place, _]: [u32; 3],
) -> (Probe, Vector3<f64>, f64) {
    if let Some(body) = scene.bodies.get(owner as usize) {
        let node = body.nodes[place as usize];
        return (Probe::Node(node), scene.x[node as usize], body.areas[place as usize]);
    }
    let obstacle = owner as usize - scene.bodies.len();
    let (point, area) =
        (scene.samples[obstacle][place as usize], obstacles[obstacle].samples[place as usize].1);
    let number = owner - u32::try_from(scene.bodies.len()).expect("bodies are fewer than 2³²");
    (Probe::Sample { obstacle: number, sample: place }, point, area)
}
