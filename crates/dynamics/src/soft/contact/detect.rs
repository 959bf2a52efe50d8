//! Narrow phase: from candidates to contacts, at given blocks.

use nalgebra::{Point3, Vector3};

use super::active_set::{ActiveEdge, ActiveSet, DeeperEnd, KEPT};
use super::body::Body;
use super::cell::{Cell, Shape, are_beyond_a_face, value};
use super::edge::{self, DeepestPoint, Piece, deepest};
use super::obstacle::{Obstacle, ObstaclePose};
use super::penalty::Penalty;
use super::point::{BLOCKS, Contact, ENDS, Field, Probe, Site};
use super::scene::Scene;
use super::search::Candidates;

/// Fraction of a known distance to an obstacle within which a node is assumed to stay outside: a field on a grid may
/// have a gradient somewhat above 1. Closer to 1: contacts of such fields may be missed; smaller: more distance
/// queries. No effect on the sets of docs/sensitivity.md.
const TRUST: f64 = 0.8;

/// Barycentric coordinate below zero at which a point still counts as inside: rounding must leave no gap between
/// elements. A safeguard, without effect on the sets of docs/sensitivity.md.
const ROUNDING: f64 = 1e-12;

/// A point known to lie outside an obstacle, in its frame [m], and its distance [m].
#[derive(Debug, Clone, Copy)]
pub(super) struct Clearance {
    from: Point3<f64>,
    distance: f64,
}

impl Clearance {
    /// No knowledge: a negative distance excludes nothing.
    pub(super) const UNKNOWN: Self = Self { from: Point3::new(0.0, 0.0, 0.0), distance: -1.0 };
}

/// The contacts detected at given blocks.
#[derive(Debug, Clone, Default)]
pub(super) struct DetectedContacts {
    pub(super) contacts: Vec<Contact>,
    /// Owner, place and body of each of the first contacts, those of points in soft bodies; ascending.
    keys: Vec<[u32; 3]>,
    /// Owner, edge and body of the contacts that follow, those of edges, with the end that counts as the deeper one.
    edge_keys: Vec<([u32; 3], DeeperEnd)>,
    pieces: Vec<Piece>,
}

/// Way in which an edge becomes a contact.
#[derive(Debug, Clone, Copy)]
enum Joins {
    /// It is in the active set, with this deeper end.
    Frozen(DeeperEnd),
    /// There is no frozen active set.
    Anew,
    /// It is not in the active set that is frozen.
    Late,
    /// Neither is it, but an end of it is.
    Beside,
}

impl DetectedContacts {
    pub(super) fn clear(&mut self) {
        self.contacts.clear();
        self.keys.clear();
        self.edge_keys.clear();
    }

    /// Index of the contact of a point.
    fn index_of(&self, key: [u32; 3]) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }

    /// Depth of the deeper end of an edge in the body of its key [m]; zero where neither is in contact.
    pub(super) fn depth_of_ends(&self, scene: &Scene<'_>, [owner, edge, body]: [u32; 3]) -> f64 {
        let places = scene.bodies[owner as usize].edges[edge as usize];
        let depth = |place| self.index_of([owner, place, body]).map_or(0.0, |at| self.contacts[at].depth);
        places.map(depth).into_iter().fold(0.0, f64::max)
    }

    /// Detects nodes and samples in soft bodies: each in the deepest of the tetrahedra of a body that contain it, so that a point
    /// on a face counts once, or in its frozen piece. `obstacles` provide the areas of their samples.
    pub(super) fn detect_points(
        &mut self,
        scene: &Scene<'_>,
        candidates: &Candidates,
        obstacles: &[Obstacle],
        penalty: &Penalty<'_>,
        active_set: &ActiveSet,
    ) {
        let mut frozen = active_set.points.iter().peekable();
        // Candidates and active set ascend by key: a merge, after which `keys` ascends, too.
        for run in &candidates.points {
            let key = [run.owner, run.place, run.body];
            while let Some((key, cell)) = frozen.next_if(|(other, _)| *other < key) {
                self.add_point(scene, obstacles, *key, &[cell.tet], (Some(cell.part), penalty));
            }
            if let Some((_, cell)) = frozen.next_if(|(other, _)| *other == key) {
                self.add_point(scene, obstacles, key, &[cell.tet], (Some(cell.part), penalty));
            } else {
                self.add_point(scene, obstacles, key, candidates.tets_of_point(run), (None, penalty));
            }
        }
        for (key, cell) in frozen {
            self.add_point(scene, obstacles, *key, &[cell.tet], (Some(cell.part), penalty));
        }
    }

    /// Adds the contact of one point with the deepest of `tets`, or with part `part` of the only one wherever the point is.
    fn add_point(
        &mut self,
        scene: &Scene<'_>,
        obstacles: &[Obstacle],
        key: [u32; 3],
        tets: &[u32],
        (part, penalty): (Option<usize>, &Penalty<'_>),
    ) {
        let (probe, point, area) = point_of(scene, obstacles, key);
        let body = &scene.bodies[key[2] as usize];
        let hits = tets.iter().filter_map(|&tet| hit(body, tet, part, &point, scene.x));
        let deepest = hits.reduce(|best, hit| if hit.depth > best.depth { hit } else { best });
        let Some(hit) = deepest.filter(|hit| hit.depth > 0.0) else { return };
        let field = Field::Body(key[2]);
        let (mut coefficients, mut count) = ([(0, 0.0); BLOCKS], 0);
        if let Probe::Node(block) = probe {
            coefficients[0] = (block, 1.0);
            count = 1;
        }
        for (corner, u) in body.tets[hit.cell.tet as usize].iter().zip(hit.u) {
            coefficients[count] = (*corner, -u);
            count += 1;
        }
        let obstacle = if let Probe::Sample { obstacle, .. } = probe { Some((obstacle, 1.0)) } else { None };
        let (effective_depth, law) =
            penalty.act(hit.depth, penalty.remainder_of(probe, field), scene.law(penalty, key, probe));
        let (depth, gradient, stiffness) = (hit.depth, hit.gradient, penalty.stiffness * area);
        let site = Some(Site::Cell(hit.cell));
        self.keys.push(key);
        self.contacts.push(Contact {
            probe,
            field,
            point,
            depth,
            effective_depth,
            stiffness,
            stiffening: stiffness,
            law,
            gradient,
            coefficients,
            count,
            sides: None,
            obstacle,
            site,
        });
    }

    /// Detects edges whose deepest point is effectively deeper than their ends.
    ///
    /// Such an edge has the potential ½ k A (D² − d²) with d of its deeper end: continuous as an end enters or the deepest point
    /// becomes an end. The second term is subtracted from the end's own area; the areas of a node's edges sum to the node's at most,
    /// so that the remainder is never negative and nothing pulls. A frozen edge has it whichever of D and d is greater. The part of the
    /// potential beyond the onset of stiffening is alike. During a minimisation an edge that is not frozen has that part only: edges that
    /// cross deeply within one step are seen by the line search, and others do not appear with a kink. Where an end is frozen, the edge waits for the
    /// next refresh; in a step that is repeated with [`Penalty::joins_beside`] it has that part of its own potential, and its end keeps its own.
    pub(super) fn detect_edges(
        &mut self,
        scene: &Scene<'_>,
        candidates: &Candidates,
        penalty: &Penalty<'_>,
        active_set: &ActiveSet,
    ) {
        let first = self.contacts.len();
        for (key, sides) in &active_set.edges {
            if let Some((deepest, deeper)) = frozen_edge(scene, *key, sides) {
                self.add_edge(scene, *key, deepest, Joins::Frozen(deeper), penalty);
            }
        }
        if active_set.frozen && !penalty.onset.is_finite() {
            return;
        }
        for run in &candidates.edges {
            let key = [run.owner, run.edge, run.body];
            if active_set.edges.binary_search_by_key(&key, |entry| entry.0).is_ok() {
                continue;
            }
            let joins = match active_set.frozen {
                false => Joins::Anew,
                true if !has_frozen_end(scene, active_set, key) => Joins::Late,
                true if penalty.joins_beside => Joins::Beside,
                true => continue,
            };
            let ends = ends_of(scene, key).map(|block| scene.x[block as usize]);
            let (body, tets) = (&scene.bodies[run.body as usize], candidates.tets_of_edge(run));
            if let Some(deepest) = deepest(ends, body, tets, scene.x, &mut self.pieces) {
                self.add_edge(scene, key, deepest, joins, penalty);
            }
        }
        debug_assert_eq!(self.contacts.len() - first, self.edge_keys.len(), "each edge has its key");
    }

    /// Adds the contact of an edge with a deepest point.
    fn add_edge(
        &mut self,
        scene: &Scene<'_>,
        key: [u32; 3],
        deepest: DeepestPoint,
        joins: Joins,
        penalty: &Penalty<'_>,
    ) {
        let (from, body) = (&scene.bodies[key[0] as usize], &scene.bodies[key[2] as usize]);
        let (places, blocks) = (from.edges[key[1] as usize], ends_of(scene, key));
        let (probe, field) = (Probe::Edge(blocks[0], blocks[1]), Field::Body(key[2]));
        // An edge whose end was deeper at the start has no remainder of its own.
        let remainder = blocks
            .iter()
            .map(|&end| penalty.remainder_of(Probe::Node(end), field))
            .fold(penalty.remainder_of(probe, field), f64::max);
        let (effective_depth, law) = penalty.act(deepest.depth, remainder, scene.law(penalty, key, probe));
        let of_ends = places.map(|place| self.index_of([key[0], place, key[2]]));
        let pressing = |place: Option<usize>| place.map_or(0.0, |at| self.contacts[at].effective_depth);
        let [first, second] = of_ends.map(pressing);
        let deeper = match joins {
            Joins::Frozen(end) => end,
            Joins::Anew | Joins::Late | Joins::Beside => {
                if second > first {
                    DeeperEnd::Second
                } else {
                    DeeperEnd::First
                }
            }
        };
        let end = of_ends[deeper as usize];
        let acts = match joins {
            Joins::Frozen(_) => true,
            Joins::Anew => effective_depth > pressing(end),
            Joins::Late => effective_depth > pressing(end) && law.stiffens_at(effective_depth),
            Joins::Beside => law.stiffens_at(effective_depth),
        };
        if !acts {
            return;
        }
        let stiffening = penalty.stiffness * from.edge_areas[key[1] as usize];
        let stiffness = if matches!(joins, Joins::Late | Joins::Beside) { 0.0 } else { stiffening };
        // The term of the end; the bounds guard against rounding of the areas.
        if let Some(at) = end.filter(|_| !matches!(joins, Joins::Beside)) {
            let end = &mut self.contacts[at];
            end.stiffness = (end.stiffness - stiffness).max(0.0);
            end.stiffening = (end.stiffening - stiffening).max(0.0);
        }
        let point = scene.x[blocks[0] as usize].lerp(&scene.x[blocks[1] as usize], deepest.along);
        let Some(coefficients) = edge_coefficients(scene, body, blocks, &deepest, &point) else { return };
        let site = Some(Site::Face(deepest));
        let (depth, gradient) = (deepest.depth, deepest.gradient);
        self.edge_keys.push((key, deeper));
        self.contacts.push(Contact {
            probe,
            field,
            point,
            depth,
            effective_depth,
            stiffness,
            stiffening,
            law,
            gradient,
            coefficients,
            count: BLOCKS,
            sides: Some(deepest.sides.map(|side| side.gradient)),
            obstacle: None,
            site,
        });
    }

    /// Writes to `active_set` the detected contacts with the pieces that they are in.
    pub(super) fn collect_active_set(&self, active_set: &mut ActiveSet) {
        active_set.clear();
        for (key, contact) in self.keys.iter().zip(&self.contacts) {
            if let Some(Site::Cell(cell)) = contact.site {
                active_set.points.push((*key, cell));
            }
        }
        for ((key, deeper), contact) in self.edge_keys.iter().zip(&self.contacts[self.keys.len()..]) {
            if let Some(Site::Face(deepest)) = contact.site {
                let cells = deepest.sides.map(|side| Cell { tet: side.tet, part: side.part });
                let DeepestPoint { along, weight, .. } = deepest;
                active_set.edges.push((*key, ActiveEdge { cells, along, weight, deeper: *deeper }));
            }
        }
        active_set.frozen = true;
        active_set.edges.sort_unstable_by_key(|entry| entry.0);
    }

    /// Detects nodes of soft bodies in the field of obstacle `number`; `clear` caches the last known clearance of each node.
    pub(super) fn detect_nodes_in_obstacle<'a>(
        &mut self,
        bodies: &'a [Body],
        x: &[Vector3<f64>],
        (number, obstacle, obstacle_pose): (u32, &Obstacle, &ObstaclePose),
        clear: &mut [Clearance],
        penalty: &Penalty<'_>,
    ) {
        let nodes_of = |(owner, body): (u32, &'a Body)| {
            let law = penalty.law(Field::Body(owner), Field::Obstacle(number));
            body.nodes.iter().zip(&body.areas).map(move |(&node, area)| (node, area, law))
        };
        for ((node, area, law), clear) in (0_u32..).zip(bodies).flat_map(nodes_of).zip(clear) {
            let point = x[node as usize];
            // A signed distance does not fall faster than the point moves, so a node within its clearance is still outside.
            let in_body = obstacle_pose.to_body(&point);
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
            let (effective_depth, law) = penalty.act(-distance, penalty.remainder_of(probe, field), law);
            let mut coefficients = [(0, 0.0); BLOCKS];
            coefficients[0] = (node, 1.0);
            self.contacts.push(Contact {
                probe,
                field,
                point,
                depth: -distance,
                effective_depth,
                stiffness: penalty.stiffness * area,
                stiffening: penalty.stiffness * area,
                law,
                gradient: -obstacle_pose.rotate(&outwards),
                coefficients,
                count: 1,
                sides: None,
                obstacle: Some((number, -1.0)),
                site: None,
            });
        }
    }
}

/// A point inside a tetrahedron, with the field there.
pub(super) struct Hit {
    cell: Cell,
    u: [f64; 4],
    /// [m].
    pub(super) depth: f64,
    gradient: Vector3<f64>,
}

/// The field at a point of tetrahedron `tet`: `None` where the point is outside, unless the `part` is given (frozen).
pub(super) fn hit(
    body: &Body,
    tet: u32,
    part: Option<usize>,
    point: &Vector3<f64>,
    x: &[Vector3<f64>],
) -> Option<Hit> {
    let corners = body.tets[tet as usize].map(|i| x[i as usize]);
    if part.is_none() && are_beyond_a_face(&[*point], &corners, 0.0) {
        return None;
    }
    let shape = Shape::of(&corners)?;
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

/// Coefficients of the blocks of the deepest point of an edge: its ends, then the tetrahedra of `sides`; `None` where one has no field.
fn edge_coefficients(
    scene: &Scene<'_>,
    body: &Body,
    blocks: [u32; 2],
    deepest: &DeepestPoint,
    point: &Vector3<f64>,
) -> Option<[(u32, f64); BLOCKS]> {
    let mut coefficients = [(0, 0.0); BLOCKS];
    (coefficients[0], coefficients[1]) = ((blocks[0], 1.0 - deepest.along), (blocks[1], deepest.along));
    let weights = [deepest.weight, 1.0 - deepest.weight];
    for ((side, weight), coefficients) in
        deepest.sides.iter().zip(weights).zip(coefficients[ENDS..].chunks_mut(4))
    {
        let tet = body.tets[side.tet as usize];
        let u = Shape::of(&tet.map(|i| scene.x[i as usize]))?.coordinates(point);
        coefficients
            .iter_mut()
            .zip(tet.iter().zip(u))
            .for_each(|(coefficient, (&i, u))| *coefficient = (i, -weight * u));
    }
    Some(coefficients)
}

/// Whether an end of an edge is frozen in the body of its key: its depth is then that of a linear function extended beyond its piece,
/// which that of the edge does not meet as the deepest point becomes the end.
fn has_frozen_end(scene: &Scene<'_>, active_set: &ActiveSet, [owner, edge, body]: [u32; 3]) -> bool {
    let places = scene.bodies[owner as usize].edges[edge as usize];
    let is_frozen =
        |place| active_set.points.binary_search_by_key(&[owner, place, body], |entry| entry.0).is_ok();
    places.into_iter().any(is_frozen)
}

/// Blocks of the end nodes of an edge.
fn ends_of(scene: &Scene<'_>, [owner, edge, _]: [u32; 3]) -> [u32; 2] {
    let from = &scene.bodies[owner as usize];
    from.edges[edge as usize].map(|place| from.nodes[place as usize])
}

/// The deepest point of a frozen edge; `None` where an element has no field.
pub(super) fn frozen_edge(
    scene: &Scene<'_>,
    key: [u32; 3],
    active: &ActiveEdge,
) -> Option<(DeepestPoint, DeeperEnd)> {
    let ends = ends_of(scene, key).map(|block| scene.x[block as usize]);
    let body = &scene.bodies[key[2] as usize];
    Some((edge::frozen(ends, body, active, scene.x)?, active.deeper))
}

/// Whether the point of a key is in a piece of the field, or nearly.
pub(super) fn is_near_cell(scene: &Scene<'_>, obstacles: &[Obstacle], key: [u32; 3], cell: Cell) -> bool {
    let (_, point, _) = point_of(scene, obstacles, key);
    is_near(scene, key[2], cell, &point)
}

/// Whether the deepest point of a frozen edge is in one of its pieces, or nearly.
pub(super) fn is_near_edge(scene: &Scene<'_>, key: [u32; 3], edge: &ActiveEdge) -> bool {
    let [a, b] = ends_of(scene, key).map(|block| scene.x[block as usize]);
    let point = a.lerp(&b, edge.along);
    edge.cells.into_iter().any(|cell| is_near(scene, key[2], cell, &point))
}

/// Whether a point is in a piece of the field of a body, or nearly.
fn is_near(scene: &Scene<'_>, body: u32, cell: Cell, point: &Vector3<f64>) -> bool {
    let body = &scene.bodies[body as usize];
    let corners = body.tets[cell.tet as usize].map(|i| scene.x[i as usize]);
    Shape::of(&corners).is_some_and(|shape| {
        let u = shape.coordinates(point);
        body.depths[cell.tet as usize].sides(cell.part, &u).iter().all(|side| *side >= -KEPT)
    })
}

/// Probe, position [m] and area [m²] of a surface node or a sample.
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
