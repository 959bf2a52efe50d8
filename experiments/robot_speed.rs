//! Time of a step of a robot, its energy, contacts and sweeps, as JSON, for a comparison with other simulators.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo run --release --example robot_speed -- FILE BASE MODE [JOINT=VALUE…]
//! ```
//!
//! `BASE` is `fixed` or `floating`: then the robot starts a quarter of a metre above a floor. `MODE` is `limp`, or `held` by motors at
//! its start: at zero, at the limits nearest to it, or at the values \[rad or m\] that are given. It moves for 1 s at 1/480 s.
//! Times are those of the processor.

#![expect(clippy::print_stdout, reason = "the line is the result")]

use std::error::Error;
use std::path::Path;

use cpu_time::ProcessTime;
use extricate::geometry::read::FileScope;
use extricate::kinematics::JointKind;
use extricate::kinematics::urdf::{UrdfOptions, read_urdf};
use extricate::{Scene, World};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Simulated time [s].
const DURATION: f64 = 1.0;
/// Step [s].
const STEP: f64 = 1.0 / 480.0;
/// Height of the lowest point above the floor at the start [m].
const HEIGHT: f64 = 0.25;

/// A robot, and how it starts.
struct Case {
    file: String,
    is_floating: bool,
    is_held: bool,
    /// Joints that do not start at zero [rad or m].
    given: Vec<(String, f64)>,
}

impl Case {
    fn parse() -> Result<Self> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let [file, base, mode, joints @ ..] = &arguments[..] else {
            return Err("usage: robot_speed FILE fixed|floating held|limp [JOINT=VALUE…]".into());
        };
        let value = |text: &String| -> Result<(String, f64)> {
            let (name, value) = text.split_once('=').ok_or("joints are given as NAME=VALUE")?;
            Ok((name.to_owned(), value.parse()?))
        };
        let given = joints.iter().map(value).collect::<Result<_>>()?;
        let file = Path::new(file).canonicalize()?.display().to_string();
        Ok(Self { file, is_floating: base == "floating", is_held: mode == "held", given })
    }

    /// The scene with the base at a height [m], and the values of the joints at the start.
    fn scene(&self, height: f64) -> Result<(Scene, Value)> {
        let options = UrdfOptions { sound_masses: true, ..UrdfOptions::default() };
        let robot = read_urdf(Path::new(&self.file), &options)?;
        let (mut held, mut joints, mut values) = (Vec::new(), Vec::new(), serde_json::Map::new());
        for &joint in robot.articulation.coordinates() {
            let joint = &robot.articulation.joints()[joint];
            let given = self.given.iter().find(|(name, _)| *name == joint.name);
            let start = joint.limits.map_or(0.0, |[min, max]| 0.0_f64.clamp(min, max));
            let start = given.map_or(start, |(_, value)| *value);
            let unit = if matches!(joint.kind, JointKind::Prismatic { .. }) { "metres" } else { "radians" };
            held.push(format!(
                "{:?}: position(target: {unit}({start:?}), stiffness: 2000, damping: 100)",
                joint.name
            ));
            joints.push(format!("{:?}: {unit}({start:?})", joint.name));
            values.insert(joint.name.clone(), json!(start));
        }
        let motors = if self.is_held { held.join(", ") } else { String::new() };
        let base = if self.is_floating { "floating" } else { "fixed" };
        let (floor, body) = match self.is_floating {
            true => ("\"floor\": half_space", "(name: \"floor\", shape: \"floor\", kind: fixed)"),
            false => ("", ""),
        };
        let text = format!(
            "(title: \"A robot\", duration: {DURATION}, time_step: {STEP}, shapes: {{{floor}}}, bodies: [{body}], \
             robots: [(name: \"robot\", file: {:?}, base: {base}, position: (0, 0, {height:?}), \
             joints: {{{}}}, motors: {{{motors}}})])",
            self.file,
            joints.join(", ")
        );
        let scene = Scene::parse_within(Path::new("robot.ron"), text, &FileScope::anywhere())?;
        Ok((scene, Value::Object(values)))
    }
}

/// Height of the lowest point of all bodies but the floor [m].
fn lowest(world: &World) -> f64 {
    let bodies = world.descriptions().iter().filter(|body| !body.shape.is_half_space());
    bodies.map(|body| body.shape.aabb(&body.pose).min.z).fold(f64::INFINITY, f64::min)
}

/// Value below which a part of the sorted values lies.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in a short list"
    )]
    let at = (part * sorted.len() as f64) as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

fn main() -> Result<()> {
    // As in `extricate run`: otherwise each step hands work over to another thread and waits for it, even where there is only one.
    rayon::ThreadPoolBuilder::new().use_current_thread().build_global()?;
    let case = Case::parse()?;
    let at_origin = lowest(&case.scene(0.0)?.0.world()?);
    let height = if case.is_floating && at_origin.is_finite() { HEIGHT - at_origin } else { 0.0 };
    let (scene, joints) = case.scene(height)?;
    let mut world = scene.world()?;
    world.prepare();
    let start = world.energy().total();
    let (mut times, mut sweeps, mut contacts, mut residuals) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut deepest, mut gain, mut solver, mut newton) = (0.0_f64, f64::NEG_INFINITY, 0.0, 0.0);
    let mut speed = 0.0;
    while world.time() < DURATION - 0.5 * STEP {
        let started = ProcessTime::now();
        let report = world.step()?;
        times.push(1e3 * started.elapsed().as_secs_f64());
        let robots = report.robots.unwrap_or_default();
        sweeps.push(f64::from(u32::try_from(robots.sweeps)?));
        contacts.push(f64::from(u32::try_from(robots.contacts)?));
        residuals.push(robots.residual);
        newton += f64::from(u32::try_from(robots.newton_steps)?);
        // After the impact.
        if world.time() > 0.5 * DURATION {
            deepest = deepest.max(report.max_penetration);
        }
        gain = gain.max(report.energy.total() - start);
        solver += report.timings.solver.as_secs_f64();
        speed = report.max_speed;
    }
    let count = f64::from(u32::try_from(times.len())?);
    let mean = |of: &[f64]| of.iter().sum::<f64>() / count;
    let [ms, mean_sweeps, mean_contacts] = [mean(&times), mean(&sweeps), mean(&contacts)];
    times.sort_unstable_by(f64::total_cmp);
    sweeps.sort_unstable_by(f64::total_cmp);
    residuals.sort_unstable_by(f64::total_cmp);
    let line = json!({
        "file": case.file, "height": height, "joints": joints, "bodies": world.descriptions().len(),
        "ms": ms, "p50": quantile(&times, 0.5), "p99": quantile(&times, 0.99), "solver_ms": 1e3 * solver / count,
        "sweeps": mean_sweeps, "sweeps_p99": quantile(&sweeps, 0.99), "contacts": mean_contacts,
        "newton_steps": newton / count, "residual_p99": quantile(&residuals, 0.99), "residual": quantile(&residuals, 1.0),
        "deepest": deepest, "gain": gain, "energy": start, "speed": speed,
    });
    println!("{line}");
    Ok(())
}
