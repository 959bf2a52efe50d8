//! Broad phase beside parry's tree and rapier's broad phase: pairs from nothing, and pairs after a coherent motion.
//!
//! `cargo bench --bench broad_phase` prints a table; a number behind it is the only count of boxes that is measured.
//! Every box of the coherent motion moves in every step, straight on, by up to 1 % of a box along each axis. Our times
//! and parry's end with the sorted list of the pairs that overlap; ours also report which have begun and ended. parry's
//! tree is refitted and descended in every step; its margin of 0 keeps its pairs exact. rapier's lists pairs of boxes
//! with its own margin, unsorted, and only changes. CPU is that of all threads.

#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use extricate::geometry::Aabb;
use extricate::proximity::BroadPhase;
use extricate_test_support::Noise;
use nalgebra::{Point3, Vector3};
use parry3d::bounding_volume::Aabb as ParryAabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rapier3d::prelude as rapier;

/// Counts of boxes.
const COUNTS: [usize; 3] = [10_000, 100_000, 1_000_000];
/// parry is measured on more boxes than this only where they are even, and rapier, which takes seconds, not at all.
const MAX_FOR_PEERS: usize = 100_000;
/// Pairs for each box.
const DENSITY: f64 = 5.0;
/// Steps of a motion.
const STEPS: usize = 24;
/// Steps of the peers, which take the same time for each.
const STEPS_OF_PEERS: usize = 4;

/// About normal: the sum of twelve.
fn normal(random: &mut Noise) -> f64 {
    (0..12).map(|_| random.unit_interval()).sum::<f64>() - 6.0
}

/// Arrangement of the boxes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scene {
    /// Like boxes anywhere in a cube.
    Cube,
    /// The same, all on one plane.
    Plane,
    /// Like boxes at the shaken places of a lattice.
    Heap,
    /// A hundred dense clusters far from each other.
    Clusters,
    /// Sizes over three decades.
    Sizes,
    /// Like boxes and five that are half as long as the world.
    Huge,
}

const SCENES: [Scene; 6] =
    [Scene::Cube, Scene::Plane, Scene::Heap, Scene::Clusters, Scene::Sizes, Scene::Huge];

impl Scene {
    fn size(self, random: &mut Noise) -> f64 {
        if self == Self::Sizes { 1000_f64.powf(-random.unit_interval()) } else { 1.0 }
    }

    /// Length of the world in which so many boxes have [`DENSITY`] pairs each [m].
    fn world(self, count: usize) -> f64 {
        let random = &mut Noise(7);
        let power = if self == Self::Plane { 2 } else { 3 };
        let samples = 20_000;
        let mean = (0..samples).map(|_| (self.size(random) + self.size(random)).powi(power)).sum::<f64>();
        let volume = count as f64 * mean / f64::from(samples) / (2.0 * DENSITY);
        match self {
            Self::Heap => (count as f64).cbrt(),
            // A normal cloud of n boxes has n² (2 s)³ / (2 (4 π σ²)^1.5) pairs.
            Self::Clusters => (volume / 100.0).cbrt() / (4.0 * std::f64::consts::PI).sqrt(),
            _ => volume.powf(1.0 / f64::from(power)),
        }
    }

    fn boxes(self, count: usize) -> Vec<Aabb> {
        let random = &mut Noise(42);
        let world = self.world(count);
        let lattice = (count as f64).cbrt().ceil() as usize;
        let center = |i: usize, random: &mut Noise| match self {
            Self::Cube | Self::Sizes | Self::Huge => world * random.vector_in_unit_cube(),
            Self::Plane => world * random.vector_in_unit_cube().component_mul(&Vector3::new(1.0, 1.0, 0.0)),
            Self::Heap => {
                let place = [i % lattice, i / lattice % lattice, i / (lattice * lattice)];
                Vector3::from(place.map(|k| k as f64)) + 0.5 * random.vector_in_unit_cube()
            }
            Self::Clusters => {
                let middle = Vector3::repeat(1e3 * world * (i % 100) as f64);
                middle + world * Vector3::from_fn(|_, _| normal(random))
            }
        };
        let mut boxes = Vec::new();
        for i in 0..count {
            let center = center(i, random);
            let huge = self == Self::Huge && i < 5;
            let size = if huge { 0.5 * world } else { self.size(random) };
            let half = 0.5 * size * Vector3::repeat(1.0);
            boxes.push(Aabb { min: Point3::from(center - half), max: Point3::from(center + half) });
        }
        // In no order that would help.
        (1..count).for_each(|i| boxes.swap(i, (random.unit_interval() * i as f64) as usize));
        boxes
    }
}

/// Boxes and how far they move in a step.
struct Motion {
    boxes: Vec<Aabb>,
    velocities: Vec<Vector3<f64>>,
}

impl Motion {
    fn new(scene: Scene, count: usize) -> Self {
        let random = &mut Noise(1);
        let boxes = scene.boxes(count);
        let flat = if scene == Scene::Plane { Vector3::new(1.0, 1.0, 0.0) } else { Vector3::repeat(1.0) };
        let velocity = |aabb: &Aabb| {
            let direction = (2.0 * random.vector_in_unit_cube() - Vector3::repeat(1.0)).component_mul(&flat);
            0.01 * (aabb.max.x - aabb.min.x).min(1.0) * direction
        };
        let velocities = boxes.iter().map(velocity).collect();
        Self { boxes, velocities }
    }

    fn step(&mut self) {
        for (aabb, velocity) in self.boxes.iter_mut().zip(&self.velocities) {
            *aabb = Aabb { min: aabb.min + velocity, max: aabb.max + velocity };
        }
    }
}

/// Wall and CPU time.
#[derive(Clone, Copy, Default)]
struct Times {
    wall: Duration,
    cpu: Duration,
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Times) {
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    let result = work();
    (result, Times { wall: wall.elapsed(), cpu: cpu.elapsed() })
}

/// Measurements of one system.
struct Row {
    rebuild: Times,
    steps: Vec<Times>,
    pairs: usize,
    bytes: Option<usize>,
}

impl Row {
    fn print(&self, name: &str) {
        let ms = |time: Duration| 1e3 * time.as_secs_f64();
        let mean = |of: fn(&Times) -> Duration| {
            self.steps.iter().map(|t| ms(of(t))).sum::<f64>() / self.steps.len() as f64
        };
        let worst = self.steps.iter().map(|t| ms(t.wall)).fold(0.0, f64::max);
        let bytes = self.bytes.map_or("–".to_owned(), |bytes| bytes.to_string());
        println!(
            "  {name:<10} rebuild {:8.1} ms ({:8.1} CPU)  update {:7.1} ms ({:7.1} CPU), worst {worst:7.1}  {:9} pairs  {bytes} B/box",
            ms(self.rebuild.wall),
            ms(self.rebuild.cpu),
            mean(|t| t.wall),
            mean(|t| t.cpu),
            self.pairs
        );
    }
}

fn ours(scene: Scene, count: usize) -> Row {
    let mut motion = Motion::new(scene, count);
    let (mut broad_phase, rebuild) = timed(|| {
        let mut broad_phase = BroadPhase::with_boxes(&motion.boxes).expect("the boxes are finite");
        broad_phase.update();
        broad_phase
    });
    let pairs = broad_phase.pairs().len();
    let steps = (0..STEPS).map(|_| {
        motion.step();
        let update = || {
            broad_phase.set_all(&motion.boxes).expect("the boxes are finite");
            broad_phase.update();
        };
        timed(update).1
    });
    let steps = steps.collect();
    Row { rebuild, steps, pairs, bytes: Some(broad_phase.memory() / count) }
}

fn parry_box(aabb: &Aabb) -> ParryAabb {
    let vector = |p: &Point3<f64>| Vector::new(p.x, p.y, p.z);
    ParryAabb::new(vector(&aabb.min), vector(&aabb.max))
}

/// The pairs of parry's tree, on all threads where there are several.
fn parry_pairs(tree: &Bvh, workspace: &mut BvhWorkspace) -> Vec<(u32, u32)> {
    let mut pairs = if rayon::current_num_threads() > 1 {
        tree.traverse_bvtt_single_tree_parallel::<false>()
    } else {
        let mut pairs = Vec::new();
        tree.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| pairs.push((a, b)));
        pairs
    };
    pairs.iter_mut().for_each(|(a, b)| (*a, *b) = ((*a).min(*b), (*a).max(*b)));
    rayon::slice::ParallelSliceMut::par_sort_unstable(&mut pairs[..]);
    pairs
}

fn parry(scene: Scene, count: usize) -> Row {
    let mut motion = Motion::new(scene, count);
    let mut workspace = BvhWorkspace::default();
    let ((mut tree, pairs), rebuild) = timed(|| {
        let leaves = motion.boxes.iter().map(parry_box).collect::<Vec<_>>();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves);
        let pairs = parry_pairs(&tree, &mut workspace).len();
        (tree, pairs)
    });
    let steps = (0..STEPS_OF_PEERS).map(|_| {
        motion.step();
        let update = || {
            for (index, aabb) in (0..).zip(&motion.boxes) {
                tree.insert_or_update_partially(parry_box(aabb), index, 0.0);
            }
            if rayon::current_num_threads() > 1 {
                tree.refit_parallel(&mut workspace);
            } else {
                tree.refit(&mut workspace);
            }
            parry_pairs(&tree, &mut workspace)
        };
        timed(update).1
    });
    let steps = steps.collect();
    Row { rebuild, steps, pairs, bytes: Some(tree.total_memory_size() / count) }
}

fn rapier(scene: Scene, count: usize) -> Row {
    let mut motion = Motion::new(scene, count);
    let position = |aabb: &Aabb| {
        let center = nalgebra::center(&aabb.min, &aabb.max);
        rapier::Vector::new(center.x, center.y, center.z)
    };
    let mut colliders = rapier::ColliderSet::new();
    let collider = |aabb: &Aabb| {
        let half = 0.5 * (aabb.max - aabb.min);
        rapier::ColliderBuilder::cuboid(half.x, half.y, half.z)
            .active_collision_types(rapier::ActiveCollisionTypes::all())
            .translation(position(aabb))
            .build()
    };
    let handles = motion.boxes.iter().map(|aabb| colliders.insert(collider(aabb))).collect::<Vec<_>>();
    let (parameters, bodies) = (rapier::IntegrationParameters::default(), rapier::RigidBodySet::new());
    let mut broad_phase = rapier::BroadPhaseBvh::new();
    let mut events = Vec::new();
    let ((), rebuild) =
        timed(|| broad_phase.update(&parameters, &colliders, &bodies, &handles, &[], &mut events));
    let pairs = events.len();
    let steps = (0..STEPS_OF_PEERS).map(|_| {
        motion.step();
        for (handle, aabb) in handles.iter().zip(&motion.boxes) {
            colliders.get_mut(*handle).expect("it was inserted").set_translation(position(aabb));
        }
        events.clear();
        timed(|| broad_phase.update(&parameters, &colliders, &bodies, &handles, &[], &mut events)).1
    });
    let steps = steps.collect();
    Row { rebuild, steps, pairs, bytes: None }
}

fn main() {
    let only = std::env::args().skip(1).find_map(|argument| argument.parse::<usize>().ok());
    for count in only.map_or(COUNTS.to_vec(), |count| vec![count]) {
        for scene in SCENES {
            println!("{count} boxes, {scene:?}");
            for threads in [1, 2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                pool.expect("two threads can be had").install(|| {
                    ours(scene, count).print(&format!("ours, {threads}"));
                    if scene == Scene::Cube || count <= MAX_FOR_PEERS {
                        parry(scene, count).print(&format!("parry, {threads}"));
                    }
                    if count <= MAX_FOR_PEERS {
                        rapier(scene, count).print(&format!("rapier, {threads}"));
                    }
                });
            }
        }
    }
}
