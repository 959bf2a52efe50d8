//! Table 4 of [Je12]: global and local penetration depth in a simulation.
//!
//! The paper's simulator looks for collisions where the bodies would be after a step without contacts [Guendelman,
//! Bridson, Fedkiw 2003]; ours predicts contacts and hardly ever lets bodies overlap. The depths are therefore timed at
//! the poses at which theirs were: those to which velocities and gravity alone would take the bodies in a step.

use cpu_time::ProcessTime;
use extricate::dynamics::{BodyDescription, BodyKind, BodyState, Shape, World, WorldOptions};
use extricate::geometry::mass_properties::MassProperties;
use extricate::penetration::{Effort, MotionCoherence, local_penetrations};
use extricate::proximity::Model;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use std::sync::Arc;

use super::answers::{Pair, with_effort};
use super::statistics::{mean, median};
use super::subjects::{self, Result, Setting, Subject};

/// Rows of the paper's table: time of global and of local depth, and both [ms]; and our mesh.
fn rows(setting: &Setting) -> Result<Vec<(&'static str, Vec<Subject>)>> {
    let with = |own: Subject, scan: &str| -> Result<Vec<Subject>> {
        Ok(std::iter::once(own).chain(setting.scan(scan)?).collect())
    };
    Ok(vec![
        ("Torus | 3.13 | 1.04 | 4.17", vec![subjects::torus()?]),
        ("Bunny2 | 5.43 | 1.78 | 7.21", with(subjects::blob(45)?, "bunny_noholes")?),
        ("Golf-club | 4.87 | 1.67 | 6.54", vec![subjects::golf_club(656, 80)?]),
        ("Santa | 9.14 | 2.90 | 12.04", with(subjects::figurine(87)?, "santaclass")?),
    ])
}

/// Measurements of a simulation: times [ms] at the steps after which the two bodies overlap.
#[derive(Default)]
struct Measured {
    /// With motion coherence, and from scratch.
    global: Vec<f64>,
    cold: Vec<f64>,
    local: Vec<f64>,
    regions: Vec<f64>,
    /// Depths with motion coherence divided by the sizes of both bodies, and by those from scratch.
    depths: Vec<f64>,
    farther: Vec<f64>,
    /// Of every step: wall-clock time of all contacts of the simulator, and CPU time of the whole step [ms].
    contacts: Vec<f64>,
    steps: Vec<f64>,
    failures: Vec<String>,
}

/// Prints the table; returns the failures.
pub(crate) fn table(setting: &Setting) -> Result<Vec<String>> {
    println!("\n## Table 4: two bodies fall onto each other, {} s\n", setting.seconds);
    println!(
        "| [Je12] | global ms | local ms | total ms | ours | triangles | steps of overlap | of | global ms \
         | local ms | total ms | global from scratch ms | regions | median depth ÷ size | depth ÷ from scratch, \
         median | worst | contacts of the simulator ms (wall) | whole step ms | failed |"
    );
    println!("|---|{}", "--:|".repeat(3) + "---|" + &"--:|".repeat(14));
    let mut failures = Vec::new();
    for (paper, subjects) in rows(setting)? {
        for subject in setting.chosen(subjects) {
            let (name, triangles) = (subject.name.clone(), subject.triangles());
            let measured = simulate(subject, setting)?;
            println!("| {paper} | {name} | {triangles} | {} |", measured.cells());
            failures.extend(measured.failures.into_iter().map(|why| format!("{name}: {why}")));
        }
    }
    Ok(failures)
}

/// The subject in the size of a metre, as bodies of the simulator are.
fn metre_sized(subject: Subject) -> Result<Arc<Model>> {
    let model = subject.model;
    let scaled = model.mesh().scaled(&Vector3::repeat(0.5 / model.radius()))?;
    Ok(Arc::new(Model::new(scaled, model.solidity())))
}

/// One body a little above the floor, lying, and one above it, with another orientation.
fn world(model: &Arc<Model>) -> Result<World> {
    let mut builder = World::builder(WorldOptions::default());
    let floor = Shape::half_space();
    builder.add_body(BodyDescription::new("floor", BodyKind::Fixed, floor, Isometry3::identity()))?;
    let rotations = [Vector3::new(0.2, 1.3, 0.0), Vector3::new(1.2, 0.3, 0.9)].map(UnitQuaternion::new);
    let places = [Vector3::new(0.0, 0.0, 0.52), Vector3::new(0.08, 0.05, 1.56)];
    for ((name, rotation), place) in ["lower", "upper"].into_iter().zip(rotations).zip(places) {
        let centered = Translation3::from(-model.center().coords);
        let pose = Isometry3::from_parts(place.into(), rotation) * centered;
        builder.add_body(BodyDescription::new(name, BodyKind::Dynamic, model.clone().into(), pose))?;
    }
    Ok(builder.build()?)
}

/// Pose body → world after a step under gravity without contacts.
fn predicted(body: &BodyState, center_of_mass: &Point3<f64>, options: &WorldOptions) -> Isometry3<f64> {
    let now = Isometry3::from_parts(body.position.into(), body.rotation);
    let step = options.time_step;
    let center = now * center_of_mass + (body.linear_velocity + options.gravity * step) * step;
    let rotation = UnitQuaternion::new(body.angular_velocity * step) * body.rotation;
    Isometry3::from_parts((center - rotation * center_of_mass).into(), rotation)
}

fn simulate(subject: Subject, setting: &Setting) -> Result<Measured> {
    let model = metre_sized(subject)?;
    let mut world = world(&model)?;
    let center_of_mass = MassProperties::of_solid(model.mesh())?.center;
    let (mut measured, mut coherence) = (Measured::default(), MotionCoherence::default());
    while world.time() < setting.seconds {
        let start = ProcessTime::now();
        let report = world.step()?;
        measured.steps.push(start.elapsed().as_secs_f64() * 1e3);
        measured.contacts.push(report.timings.contacts.as_secs_f64() * 1e3);
        let pose = |name: &str| -> Result<Isometry3<f64>> {
            let body = world.body(name).ok_or("it was added")?;
            Ok(predicted(&body, &center_of_mass, world.options()))
        };
        let (upper, lower) = (pose("upper")?, pose("lower")?);
        measured.look(&Pair { a: &model, pose_a: &upper, b: &model, pose_b: &lower }, &mut coherence);
    }
    Ok(measured)
}

impl Measured {
    /// Cells of the table's row after the mesh.
    fn cells(&self) -> String {
        if self.global.is_empty() {
            return format!("0 | {}{} |", self.steps.len(), " | –".repeat(10));
        }
        let [global, local, cold] = [&self.global, &self.local, &self.cold].map(|times| mean(times));
        let worst = self.farther.iter().copied().fold(f64::NAN, f64::max);
        format!(
            "{} | {} | {global:.3} | {local:.3} | {:.3} | {cold:.3} | {:.1} | {:.1e} | {:.2} | {worst:.0} | {:.2} \
             | {:.2} | {}",
            self.global.len(),
            self.steps.len(),
            global + local,
            mean(&self.regions),
            median(&self.depths),
            median(&self.farther),
            mean(&self.contacts),
            mean(&self.steps),
            self.failures.len(),
        )
    }

    /// Global and local depths at a pose, if the bodies overlap there.
    fn look(&mut self, pair: &Pair, coherence: &mut MotionCoherence) {
        let (found, milliseconds) = pair.ask_coherently(&with_effort(Effort::Fast), coherence);
        let global = match found {
            Ok(None) => return,
            Ok(Some(global)) => global,
            Err(why) => return self.failures.push(why.to_string()),
        };
        let start = ProcessTime::now();
        let regions = local_penetrations(pair.a, pair.pose_a, pair.b, pair.pose_b, &global);
        self.local.push(start.elapsed().as_secs_f64() * 1e3);
        self.global.push(milliseconds);
        self.regions.push(regions.len() as f64);
        self.depths.push(global.depth / (pair.a.radius() + pair.b.radius()));
        match pair.ask(&with_effort(Effort::Fast), 1) {
            Ok(cold) => {
                self.cold.push(cold.milliseconds);
                self.farther.push(global.depth / cold.found.depth);
            }
            Err(why) => self.failures.push(why.to_string()),
        }
        if regions.is_empty() {
            self.failures.push("an overlap without a region".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate::geometry::Solidity;
    use extricate::geometry::procedural::{Hammer, Procedural};

    #[test]
    fn a_body_that_nothing_touches_goes_where_it_is_foreseen() {
        let model = Arc::new(Model::new(Hammer::default().mesh().unwrap(), Solidity::Solid));
        let center = MassProperties::of_solid(model.mesh()).unwrap().center;
        let pose = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.3, 0.2, 0.9));
        let mut builder = World::builder(WorldOptions::default());
        let mut hammer = BodyDescription::new("hammer", BodyKind::Dynamic, model.into(), pose);
        hammer.linear_velocity = Vector3::new(2.0, -1.0, 0.5);
        hammer.angular_velocity = Vector3::new(1.0, 2.0, -3.0);
        builder.add_body(hammer).unwrap();
        let mut world = builder.build().unwrap();
        world.step().unwrap();
        let expected = predicted(&world.body("hammer").unwrap(), &center, world.options());
        world.step().unwrap();
        let body = world.body("hammer").unwrap();
        let step = world.options().time_step;
        // Of second order in the step, as any two ways to integrate are; the way of a step is a hundred times longer.
        let bar = 20.0 * step * step;
        assert!((expected.translation.vector - body.position.coords).norm() < bar);
        assert!(expected.rotation.angle_to(&body.rotation) < bar);
    }
}
