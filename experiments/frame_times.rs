//! Time of pictures, where it is spent, and whether drawing slows the simulation.
//!
//! ```text
//! cargo run --release --features viewer --example frame_times            # tables of all below
//! cargo run --release --features viewer --example frame_times frame 70000 shadows,smooth 1280x720
//! cargo run --release --features viewer --example frame_times scene scenes/rigid/hull_pile.ron shadows,smooth 1280x720
//! cargo run --release --features viewer --example frame_times steps scenes/rigid/box_pyramid.ron 12
//! ```
//!
//! Qualities are `shadows`, `smooth`, neither, and `alike` for bodies of one shape. Each row is a process of its own. CPU times are of all threads of the process, or of the thread that steps; they are
//! read from `/proc` and NaN where there is none. `LP_NUM_THREADS=1` holds software drawing to one thread, as it is set
//! for `steps`, where the simulation has one thread too.

#![expect(clippy::print_stdout, reason = "what the program is for")]

use std::error::Error;
use std::fs::read_to_string;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use extricate::dynamics::{BodyKind, BodyState};
use extricate::geometry::TriangleMesh;
use extricate::geometry::procedural::{Procedural, Torus};
use extricate::record::WorldState;
use extricate::scene::Scene;
use extricate::viewer::{BodyModel, Camera, Drawing, Ground, Models, Quality, Stage, palette};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => tables(),
        ["frame", triangles, quality, size] => frame(triangles.parse()?, quality, size),
        ["scene", scene, quality, size] => scene_frame(scene, quality, size),
        ["steps", scene, seconds] => steps(scene, seconds.parse()?),
        _ => Err("arguments: none, or `frame TRIANGLES QUALITY WxH`, `scene SCENE QUALITY WxH`, or `steps SCENE SECONDS`".into()),
    }
}

fn tables() -> Result<(), Failure> {
    println!("triangles  quality         picture [ms]  CPU [ms]  passes [ms]");
    for triangles in ["10000", "70000", "500000"] {
        for quality in ["shadows,smooth", "smooth", "shadows", "plain", "plain,alike"] {
            child(&["frame", triangles, quality, "1280x720"])?;
        }
    }
    for scene in
        ["scenes/rigid/linked_chain.ron", "scenes/rigid/hull_pile.ron", "scenes/robots/arm_tracks.ron"]
    {
        child(&["scene", scene, "shadows,smooth", "1280x720"])?;
    }
    println!("\nscene                          drawing  steps  median wall [ms]    mean CPU [ms]");
    for scene in
        ["scenes/rigid/box_pyramid.ron", "scenes/rigid/ring_stack.ron", "scenes/soft/ball_through_ring.ron"]
    {
        child(&["steps", scene, "12"])?;
    }
    Ok(())
}

fn child(arguments: &[&str]) -> Result<(), Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    if arguments[0] == "steps" {
        command.env("LP_NUM_THREADS", "1");
    }
    let status = command.args(arguments).status()?;
    if status.success() { Ok(()) } else { Err(format!("{arguments:?}: {status}").into()) }
}

/// One row: pictures of 27 tori that rotate over a ground, with about this number of triangles in all.
fn frame(triangles: u32, quality: &str, size: &str) -> Result<(), Failure> {
    let models = tori(triangles, quality.contains("alike"))?;
    let camera = |aspect| Camera::fitted(&models.bounds(&rotated(0.0), true), aspect);
    row(&models, &|picture| rotated(0.05 * picture as f64), &camera, quality, size)
}

/// One row: pictures of the start of a scene with its own camera.
fn scene_frame(path: &str, quality: &str, size: &str) -> Result<(), Failure> {
    let scene = Scene::load(path)?;
    let world = scene.world()?;
    let (models, start) = (Models::of(&world)?, WorldState::of(&world));
    let camera = |aspect| match &scene.camera {
        Some(camera) => Camera::look_at(&camera.eye, &camera.target, camera.field_of_view),
        None => Camera::fitted(&models.bounds(&start, true), aspect),
    };
    print!("{path}: ");
    row(&models, &|_| start.clone(), &camera, quality, size)
}

/// Draws pictures of states and prints the medians of their times.
fn row(
    models: &Models,
    state: &dyn Fn(usize) -> WorldState,
    camera: &dyn Fn(f64) -> Camera,
    quality: &str,
    size: &str,
) -> Result<(), Failure> {
    /// Pictures that are drawn, and of these the first that are not counted: pipelines are made in them.
    const PICTURES: [usize; 2] = [12, 3];
    let [width, height] = size_of(size)?;
    let chosen = Quality { shadows: quality.contains("shadows"), smooth: quality.contains("smooth") };
    let mut stage = Stage::offscreen(width, height, chosen)?;
    stage.set(models, &state(0));
    let camera = camera(f64::from(width) / f64::from(height));
    let (mut wall, mut cpu) = (Vec::new(), Vec::new());
    let mut passes: Vec<(&str, Vec<f64>)> = Vec::new();
    for picture in 0..PICTURES[0] {
        let state = state(picture);
        let (start, before) = (Instant::now(), process_cpu());
        stage.draw(&state, &Drawing::default(), &camera, |_| ());
        std::hint::black_box(stage.picture());
        if picture < PICTURES[1] {
            continue;
        }
        wall.push(1e3 * start.elapsed().as_secs_f64());
        cpu.push(1e3 * (process_cpu() - before));
        for (name, time) in stage.pass_times() {
            let milliseconds = 1e3 * time.as_secs_f64();
            match passes.iter_mut().find(|(other, _)| *other == name) {
                Some((_, times)) => times.push(milliseconds),
                None => passes.push((name, vec![milliseconds])),
            }
        }
    }
    passes.sort_by(|(_, a), (_, b)| b[0].total_cmp(&a[0]));
    let passes = passes.into_iter().map(|(name, times)| format!("{name} {:.1}", median(times)));
    let passes = passes.collect::<Vec<_>>().join(", ");
    let count = models.triangles();
    println!("{count:>9}  {quality:<14}  {:>12.1}  {:>8.1}  {passes}", median(wall), median(cpu));
    Ok(())
}

fn size_of(text: &str) -> Result<[u32; 2], Failure> {
    let (width, height) = text.split_once('x').ok_or("a size is WIDTHxHEIGHT")?;
    Ok([width.parse()?, height.parse()?])
}

/// Bodies on a side of the grid.
const SIDE: u32 = 3;

/// Tori with about this number of triangles in all, of one shape or of different ones.
fn tori(triangles: u32, alike: bool) -> Result<Models, Failure> {
    // A torus has 2 · segments · sides triangles.
    let sides = (f64::from(triangles) / f64::from(8 * SIDE.pow(3))).sqrt().round().max(3.0) as u32;
    let mesh = |index: u32| -> Result<Arc<TriangleMesh>, Failure> {
        let minor_radius = 0.1 + 0.005 * f64::from(index);
        let torus = Torus { major_radius: 0.4, minor_radius, segments: 4 * sides, sides };
        Ok(Arc::new(torus.mesh()?))
    };
    let first = mesh(0)?;
    let mut bodies = vec![BodyModel {
        name: "ground".into(),
        kind: BodyKind::Fixed,
        mesh: None,
        color: palette::FIXED,
        mass: None,
    }];
    for index in 0..SIDE.pow(3) {
        let color = palette::BODIES[index as usize % palette::BODIES.len()];
        let mesh = Some(if alike { Arc::clone(&first) } else { mesh(index)? });
        bodies.push(BodyModel {
            name: format!("torus {index:02}"),
            kind: BodyKind::Dynamic,
            mesh,
            color,
            mass: None,
        });
    }
    let ground = Ground { body: 0 };
    Ok(Models { bodies, soft: Vec::new(), grounds: vec![ground] })
}

fn rotated(angle: f64) -> WorldState {
    let tori = (0..SIDE.pow(3)).map(|index| {
        let [x, y, z] = [index % SIDE, index / SIDE % SIDE, index / SIDE / SIDE].map(f64::from);
        let rotation = UnitQuaternion::from_euler_angles(angle + x, 2.0 * angle + y, z);
        Isometry3::from_parts(Vector3::new(1.2 * x, 1.2 * y, 0.7 + 1.2 * z).into(), rotation)
    });
    let body = |pose: Isometry3<f64>| BodyState {
        name: String::new(),
        position: pose.translation.vector.into(),
        rotation: pose.rotation,
        linear_velocity: Vector3::zeros(),
        angular_velocity: Vector3::zeros(),
    };
    let bodies = std::iter::once(Isometry3::identity()).chain(tori).map(body).collect();
    WorldState { bodies, ..WorldState::default() }
}

/// Two rows: steps of a scene on a thread of their own, while the main thread draws and while it does not, in turns.
fn steps(path: &str, seconds: f64) -> Result<(), Failure> {
    /// Length of a phase with or without drawing.
    const PHASE: Duration = Duration::from_millis(1500);
    let scene = Scene::load(path)?;
    let world = scene.world()?;
    let models = Models::of(&world)?;
    let start = WorldState::of(&world);
    let camera = Camera::fitted(&models.bounds(&start, true), 1280.0 / 720.0);
    let mut stage = Stage::offscreen(1280, 720, Quality::default())?;
    stage.set(&models, &start);
    drop(world);
    let (draws, ends) = (AtomicBool::new(false), AtomicBool::new(false));
    let (frames, newest) = std::sync::mpsc::sync_channel(1);
    let rows = std::thread::scope(|scope| {
        let stepping = scope.spawn(|| measured_steps(&scene, [&draws, &ends], frames));
        let begun = Instant::now();
        let mut frame = start;
        while begun.elapsed().as_secs_f64() < seconds {
            let is_drawing = (begun.elapsed().as_millis() / PHASE.as_millis()) % 2 == 1;
            draws.store(is_drawing, Ordering::Relaxed);
            frame = newest.try_recv().unwrap_or(frame);
            if is_drawing {
                stage.draw(&frame, &Drawing::default(), &camera, |_| ());
                std::hint::black_box(stage.picture());
            } else {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        ends.store(true, Ordering::Relaxed);
        stepping.join().map_err(|_| Failure::from("the thread that steps came to an end"))?
    })?;
    for ([wall, cpu], drawing) in rows.into_iter().zip(["no", "yes"]) {
        let count = wall.len();
        println!("{path:<30}  {drawing:<7}  {count:>5}  {:>16.3}  {:>15.3}", median(wall), mean(&cpu));
    }
    Ok(())
}

/// Wall and CPU times [ms] of steps without and with drawing. The scene begins anew when its time is over.
type Times = [[Vec<f64>; 2]; 2];

fn measured_steps(
    scene: &Scene,
    [draws, ends]: [&AtomicBool; 2],
    frames: std::sync::mpsc::SyncSender<WorldState>,
) -> Result<Times, Failure> {
    let mut times = Times::default();
    // One thread, this one: what it does for others is counted with it.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| {
        let mut world = scene.world()?;
        while !ends.load(Ordering::Relaxed) {
            if world.time() > scene.duration {
                world = scene.world()?;
            }
            let was_drawing = draws.load(Ordering::Relaxed);
            let (start, before) = (Instant::now(), thread_cpu());
            world.step()?;
            let (wall, cpu) = (start.elapsed().as_secs_f64(), thread_cpu() - before);
            // A step in which drawing began or ended counts for neither.
            if draws.load(Ordering::Relaxed) == was_drawing {
                let [walls, cpus] = &mut times[usize::from(was_drawing)];
                walls.push(1e3 * wall);
                cpus.push(1e3 * cpu);
            }
            // Given to who draws if it has taken the last one: stepping does not wait.
            if was_drawing {
                let _ = frames.try_send(WorldState::of(&world));
            }
        }
        Ok::<_, Failure>(())
    })?;
    Ok(times)
}

/// Of CPU times of steps, which are counted in ticks longer than some steps.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// CPU time of all threads of this process so far [s].
fn process_cpu() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads.map(|thread| scheduled(&thread.path().join("schedstat").to_string_lossy())).sum()
}

/// CPU time of this thread so far [s].
fn thread_cpu() -> f64 {
    scheduled("/proc/thread-self/schedstat")
}

/// The first number of a `schedstat` of Linux: time on a CPU, here in seconds.
fn scheduled(path: &str) -> f64 {
    let text = read_to_string(path).unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.map_or(f64::NAN, |nanoseconds| 1e-9 * nanoseconds)
}
