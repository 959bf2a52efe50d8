//! Scale: a model of millions of triangles is built, written, read and asked.
//!
//! ```text
//! cargo run --release --example scale                  # 5 million triangles
//! cargo run --release --example scale 1000000          # about as many as that
//! cargo run --release --example scale 5000000 formats  # the mesh through PLY, STL and OBJ too
//! ```

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use extricate::geometry::procedural::{Blob, Procedural};
use extricate::geometry::read::read_mesh;
use extricate::geometry::write::write_mesh;
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::proximity::{Model, closest_point, collide, distance, translational};
use nalgebra::{Isometry3, Point3, Vector3};

/// Poses that each query is asked about.
const POSES: u32 = 32;

/// Prints a line with the time of `work` and the memory that the program has now and had at most.
fn measured<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    let seconds = start.elapsed().as_secs_f64();
    let [now, most] =
        ["VmRSS:", "VmHWM:"].map(|key| memory(key).map_or("–".to_owned(), |mib| format!("{mib:.0}")));
    println!("  {what:<34} {seconds:>8.3} s   memory {now:>6} MiB, most {most:>6}");
    result
}

/// A line of the system's report on this program's memory [MiB], if there is one.
fn memory(key: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(key))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Box<dyn Error>> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?.install(work))
}

/// A tumbling body, `away` from the origin [m].
fn pose(number: u32, away: f64) -> Isometry3<f64> {
    let phase = f64::from(number);
    let direction = Vector3::new(phase.cos(), (1.7 * phase).sin(), (0.6 * phase).cos()).normalize();
    Isometry3::new(away * direction, Vector3::new(1.1, 0.7, 0.4) * phase)
}

/// Prints the mean time of a query over all poses, and its results.
fn asked(what: &str, query: impl Fn(u32) -> f64) {
    let _ = query(0);
    let (mut slowest, mut sum) = (Duration::ZERO, 0.0);
    let all = Instant::now();
    for number in 0..POSES {
        let start = Instant::now();
        sum += query(number);
        slowest = slowest.max(start.elapsed());
    }
    let (mean, answer) = (all.elapsed() / POSES, sum / f64::from(POSES));
    println!("  {what:<34} {mean:>10.1?} a query, slowest {slowest:>10.1?}   mean answer {answer:.6}");
}

fn formats(mesh: &TriangleMesh, folder: &Path) -> Result<(), Box<dyn Error>> {
    for extension in ["ply", "stl", "obj"] {
        let path = folder.join(format!("scale.{extension}"));
        measured(&format!("write {extension}"), || write_mesh(mesh, &path))?;
        let size = std::fs::metadata(&path)?.len();
        let read = measured(&format!("read {extension}, {} MB", size / 1_000_000), || read_mesh(&path))?;
        assert_eq!(read.triangles().len(), mesh.triangles().len());
        std::fs::remove_file(&path)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.next().map_or(Ok(5_000_000.0), |count| count.parse::<f64>())?;
    let frequency = (wanted / 20.0).sqrt().ceil().max(1.0) as u32;
    let mesh = measured("make the mesh", || Blob { frequency, octaves: 9, ..Blob::default() }.mesh())?;
    let triangles = mesh.triangles().len();
    println!("{triangles} triangles");

    let folder = std::env::temp_dir().join(format!("extricate-scale-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    if arguments.next().as_deref() == Some("formats") {
        formats(&mesh, &folder)?;
    }

    let path = folder.join("scale.bvh");
    let again = mesh.clone();
    drop(measured("model, 1 thread", || with_threads(1, || Model::new(again, Solidity::Solid)))?);
    let again = mesh.clone();
    let model = measured("model, 2 threads", || with_threads(2, || Model::new(again, Solidity::Solid)))?;
    println!("  tree: {:.1} bytes a triangle", model.memory() as f64 / triangles as f64);
    measured("save its tree", || model.save_tree(&path))?;
    println!("  file: {:.2} bytes a triangle", std::fs::metadata(&path)?.len() as f64 / triangles as f64);
    let built = model.bvh().clone();
    drop(model);
    for threads in [1, 2] {
        let again = mesh.clone();
        let load = || Model::load_tree(again, Solidity::Solid, &path);
        let model = measured(&format!("load, {threads} thread(s)"), || with_threads(threads, load))??;
        assert!(*model.bvh() == built, "the tree is the same to the bit");
    }
    drop(built);
    let model = Model::load_tree(mesh, Solidity::Solid, &path)?;
    std::fs::remove_dir_all(&folder)?;
    queries(&model);
    Ok(())
}

/// Queries the model and its copy in many poses.
fn queries(model: &Model) {
    let rest = Isometry3::identity();
    let far = 2.5 * model.radius();
    measured("first inside test", || collide(model, &pose(1, 0.0), model, &rest));
    asked("collide, overlapping", |n| {
        f64::from(u8::from(collide(model, &pose(n, 0.8 * model.radius()), model, &rest)))
    });
    asked("collide, around contact", |n| {
        f64::from(u8::from(collide(model, &pose(n, 1.2 * model.radius()), model, &rest)))
    });
    asked("distance", |n| distance(model, &pose(n, far), model, &rest).value);
    asked("closest point", |n| {
        closest_point(model, &Point3::from(pose(n, model.radius()).translation.vector)).distance
    });
    asked("time of contact, translational", |n| {
        let start = pose(n, far);
        let translation = -2.0 * start.translation.vector;
        let contact = translational(model, &start, &translation, model, &rest).expect("the poses are finite");
        contact.map_or(1.0, |contact| contact.time)
    });
}
