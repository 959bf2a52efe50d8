//! Ten thousand random joint motions of an arm among thin obstacles, each answer checked by dense sampling.
//!
//! ```text
//! cargo run --release --example articulated_ccd -- [MOTIONS] [SAMPLES] [URDF]
//! ```
//!
//! Prints how many motions are free, start in contact and run into contact; the misses (collisions before the answered
//! time, or where there is to be none: 0 is right); means and percentiles of the advancement steps and of the time that
//! a query takes. The joints of a URDF move within their limits; without one the robot is an arm of seven links on a
//! rail. The base moves along a screw, and of the obstacles one moves too.

#![expect(clippy::print_stdout, reason = "what the program is for")]

use std::error::Error;
use std::f64::consts::{FRAC_PI_2, PI};
use std::time::Instant;

use extricate::geometry::procedural::{Capsule, Cuboid, Procedural, Torus};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::kinematics::urdf::{UrdfOptions, read_urdf};
use extricate::kinematics::{Articulation, Joint, JointKind, Motion, RigidMotion};
use extricate::proximity::{
    AllowedCollisions, ArticulatedModel, ArticulatedMotion, ContinuousOptions, Model, MovingObstacle,
    articulated, collide,
};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Vector3};
use rayon::prelude::*;

/// A pose about `distance` from the origin.
fn random_pose(noise: &mut Noise, distance: f64) -> Isometry3<f64> {
    let direction = noise.signed_vector().normalize();
    Isometry3::new(direction * distance * (1.0 + 0.5 * noise.signed()), PI * noise.signed_vector())
}

/// Seven capsules in a chain on a cart on a rail.
fn arm() -> Result<ArticulatedModel, Box<dyn Error>> {
    let rail = JointKind::Prismatic { axis: Vector3::x() };
    let mut links = vec!["rail".to_owned(), "cart".to_owned()];
    let mut joints = vec![Joint::new("slide", "rail", "cart", rail).within([-0.5, 0.5])];
    let cart = Cuboid { x: 0.3, y: 0.3, z: 0.3, ..Cuboid::default() }.mesh()?;
    let mut meshes = vec![None, Some(cart)];
    let lying = Isometry3::new(Vector3::x() * 0.2, Vector3::y() * FRAC_PI_2);
    let capsule = Capsule { radius: 0.04, length: 0.3, segments: 16, rings: 4 }.mesh()?.transformed(&lying);
    for i in 0..7 {
        let axis = [Vector3::z(), Vector3::z(), Vector3::y()][i % 3];
        let at = Isometry3::translation(if i == 0 { 0.2 } else { 0.45 }, 0.0, 0.0);
        let joint = Joint::new(
            &format!("joint{i}"),
            &links[i + 1],
            &format!("link{i}"),
            JointKind::Revolute { axis },
        );
        joints.push(joint.at(at).within([-2.8, 2.8]));
        links.push(format!("link{i}"));
        meshes.push(Some(capsule.clone()));
    }
    Ok(ArticulatedModel::new(Articulation::new(links, joints)?, meshes, Solidity::Solid))
}

/// A sheet, a needle and a ring, all of them thin.
fn obstacles() -> Result<Vec<Model>, Box<dyn Error>> {
    let sheet = Cuboid { x: 0.7, y: 0.7, z: 1e-5, ..Cuboid::default() }.mesh()?;
    let needle = Cuboid { x: 1.5, y: 1e-5, z: 1e-5, ..Cuboid::default() }.mesh()?;
    let ring = Torus { major_radius: 0.3, minor_radius: 1e-3, ..Torus::default() }.mesh()?;
    let solid = |mesh: TriangleMesh| Model::new(mesh, Solidity::Solid);
    Ok(vec![solid(sheet), solid(needle), solid(ring)])
}

/// A random motion.
struct Case {
    from: Vec<f64>,
    to: Vec<f64>,
    base: Motion,
    /// Of each obstacle; every other one rests.
    others: Vec<Motion>,
}

impl Case {
    fn new(model: &ArticulatedModel, size: f64, others: usize, seed: u64) -> Self {
        let mut noise = Noise(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let tree = model.articulation();
        let mut configuration = || {
            let value = |&joint: &usize| {
                let [low, high] = tree.joints()[joint].limits.unwrap_or([-PI, PI]);
                0.5 * (low + high) + 0.5 * (high - low) * noise.signed()
            };
            tree.coordinates().iter().map(value).collect::<Vec<_>>()
        };
        let (from, to) = (configuration(), configuration());
        let others = (0..others)
            .map(|i| match i % 2 {
                0 => Motion::still(&random_pose(&mut noise, size)),
                _ => Motion::linear(&random_pose(&mut noise, size), &random_pose(&mut noise, size)),
            })
            .collect();
        let end = Isometry3::new(0.1 * size * noise.signed_vector(), noise.signed_vector());
        Self { from, to, base: Motion::screw(&Isometry3::identity(), &end), others }
    }

    fn collides(
        &self,
        model: &ArticulatedModel,
        others: &[Model],
        allowed: &AllowedCollisions,
        t: f64,
    ) -> bool {
        let configuration: Vec<f64> = self.from.iter().zip(&self.to).map(|(x, y)| x + (y - x) * t).collect();
        let base = self.base.pose_at(t);
        let poses =
            model.articulation().link_poses(&configuration, &base).expect("finite, of the right length");
        let with_others = others.iter().zip(&self.others).any(|(other, motion)| {
            let pose = motion.pose_at(t);
            poses.iter().enumerate().any(|(link, of_link)| {
                model.model(link).is_some_and(|link| collide(link, of_link, other, &pose))
            })
        });
        let itself = model.self_collisions(&configuration, &base, allowed).expect("as above");
        with_others || !itself.is_empty()
    }
}

/// Result of a query.
struct Outcome {
    case: Case,
    time: Option<f64>,
    steps: u64,
    microseconds: f64,
}

impl Outcome {
    fn new(
        case: Case,
        model: &ArticulatedModel,
        others: &[Model],
        allowed: &AllowedCollisions,
    ) -> Result<Self, Box<dyn Error>> {
        let obstacles: Vec<_> = others
            .iter()
            .zip(&case.others)
            .map(|(model, &motion)| MovingObstacle { model, motion })
            .collect();
        let motion = ArticulatedMotion { from: &case.from, to: &case.to, base: case.base };
        let begin = Instant::now();
        let found = articulated(model, &motion, &obstacles, Some(allowed), &ContinuousOptions::default())?;
        let microseconds = begin.elapsed().as_secs_f64() * 1e6;
        let (time, steps) = (found.map(|contact| contact.time), found.map_or(0, |contact| contact.steps));
        Ok(Self { case, time, steps, microseconds })
    }

    /// Collisions among evenly spaced times before the answer.
    fn misses(
        &self,
        model: &ArticulatedModel,
        others: &[Model],
        allowed: &AllowedCollisions,
        samples: u32,
    ) -> usize {
        let end = self.time.unwrap_or(1.0);
        let count = if end > 0.0 { samples } else { 0 };
        let at = |i: u32| end * f64::from(i) / f64::from(samples);
        (0..count).filter(|&i| self.case.collides(model, others, allowed, at(i))).count()
    }
}

fn print_spread(what: &str, values: impl Iterator<Item = f64>) {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    if values.is_empty() {
        return;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let percentile = |p: usize| values[(values.len() - 1) * p / 100];
    println!(
        "{what}: mean {mean:.0}, median {:.0}, 90 % {:.0}, 99 % {:.0}, maximum {:.0}",
        percentile(50),
        percentile(90),
        percentile(99),
        percentile(100)
    );
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: u32| arguments.get(i).map_or(Ok(default), |text| text.parse());
    let (motions, samples) = (number(0, 10_000)?, number(1, 200)?);
    let model = match arguments.get(2) {
        Some(path) => ArticulatedModel::of_robot(read_urdf(path, &UrdfOptions::default())?),
        None => arm()?,
    };
    let mut allowed = AllowedCollisions::adjacent(&model);
    allowed.allow_overlapping(&model, &vec![0.0; model.articulation().coordinates().len()])?;
    let others = obstacles()?;
    let case = |seed: u32| Case::new(&model, 1.5, others.len(), u64::from(seed) + 1);
    let run = |seed: u32| Outcome::new(case(seed), &model, &others, &allowed);
    let outcomes = (0..motions).map(run).collect::<Result<Vec<_>, _>>()?;
    let misses: usize = outcomes.par_iter().map(|o| o.misses(&model, &others, &allowed, samples)).sum();
    let count = |of: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| of(outcome)).count();
    let starts = count(&|o| o.time.is_some_and(|time| time <= 0.0));
    let free = count(&|o| o.time.is_none());
    println!(
        "{motions} motions: {free} free, {starts} start in contact, {} run into it",
        motions as usize - free - starts
    );
    println!("misses among {samples} samples of each: {misses}");
    let into = || outcomes.iter().filter(|o| o.time.is_some_and(|time| time > 0.0));
    print_spread("advancement steps to a contact", into().map(|o| o.steps as f64));
    print_spread("time to a contact [us]", into().map(|o| o.microseconds));
    print_spread(
        "time to a proof of freedom [us]",
        outcomes.iter().filter(|o| o.time.is_none()).map(|o| o.microseconds),
    );
    Ok(())
}
