//! Computes the penetration of many random pairs of meshes and checks every result against its guarantees.
//!
//! ```text
//! cargo run --release --example penetration_fuzz [-- PAIRS [SEED [families [NAME]]]]
//! ```
//!
//! With `families`, the pairs are those of the forty families of `soup_suite` instead, in equal numbers; with a name, those of that
//! family among so many of all.
//!
//! Ten procedural kinds, as solids and as surfaces, in random and in aligned orientations, one pair in seven far from
//! the origin; each with `fast`, with `best` on one thread and on all, and with `fast` in the norms L1 and L∞. Promised are: free
//! after the translation, not free after 0.999 of it, witnesses that touch then, a lower bound that is none above the depth, `best` not
//! worse than `fast`, a result in a norm not worse than that in L2 and no bound in L2 above its length, and the same bits on
//! any number of threads. Exits with 1 when a promise is broken.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints what it finds")]

#[path = "soup_suite/families.rs"]
mod families;

use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use std::process::ExitCode;

use extricate::geometry::procedural::{
    Blob, BumpySphere, Cuboid, Cup, Figurine, GolfClub, Grate, Procedural, Spoon, Torus, TorusKnot,
};
use extricate::geometry::{Norm, Solidity, TriangleMesh};
use extricate::penetration::{Effort, LowerBound, Penetration, TranslationalOptions, penetration};
use extricate::proximity::{Model, collide};
use extricate_test_support::Noise;
use families::FAMILIES;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

fn vector(noise: &mut Noise, reach: f64) -> Vector3<f64> {
    reach * noise.signed_vector()
}

fn rotation(noise: &mut Noise) -> UnitQuaternion<f64> {
    match noise.below(5) {
        0 => UnitQuaternion::identity(),
        1 => UnitQuaternion::from_axis_angle(&Vector3::z_axis(), FRAC_PI_2),
        _ => UnitQuaternion::from_scaled_axis(vector(noise, 3.0)),
    }
}

fn models() -> Result<Vec<(&'static str, Model)>, Box<dyn Error>> {
    let meshes: [(&str, TriangleMesh); 11] = [
        ("cup", Cup::default().mesh()?),
        ("spoon", Spoon::default().mesh()?),
        ("torus", Torus::default().mesh()?),
        ("torus knot", TorusKnot::default().mesh()?),
        ("grate", Grate::default().mesh()?),
        ("bumpy sphere", BumpySphere::default().mesh()?),
        ("cube", Cuboid::default().mesh()?),
        ("finer cube", Cuboid { subdivisions: 4, ..Cuboid::default() }.mesh()?),
        ("golf club", GolfClub::default().mesh()?),
        ("figurine", Figurine::default().mesh()?),
        ("blob", Blob::default().mesh()?),
    ];
    let kinds = [Solidity::Solid, Solidity::Surface];
    let both = meshes
        .into_iter()
        .flat_map(|(name, mesh)| kinds.map(|solidity| (name, Model::new(mesh.clone(), solidity))));
    Ok(both.collect())
}

/// Two models at their poses, body to world.
struct Pair<'a> {
    a: &'a Model,
    pose_a: Isometry3<f64>,
    b: &'a Model,
    pose_b: Isometry3<f64>,
}

impl Pair<'_> {
    fn collide_after(&self, translation: &Vector3<f64>) -> bool {
        collide(self.a, &(Translation3::from(*translation) * self.pose_a), self.b, &self.pose_b)
    }

    /// The promise that an answer breaks, if any.
    fn broken(&self, found: &Penetration) -> Option<&'static str> {
        let size = self.a.radius() + self.b.radius();
        let met = found.witnesses[0] + found.translation - found.witnesses[1];
        let promises = [
            ("it is not free", !self.collide_after(&found.translation)),
            ("less is free", found.depth < 1e-6 * size || self.collide_after(&(0.999 * found.translation))),
            ("the witnesses do not touch", met.norm() < 1e-6 * size),
            ("the bound is above the depth", found.lower_bound <= found.depth),
        ];
        promises.into_iter().find(|(_, kept)| !kept).map(|(why, _)| why)
    }

    /// The answers of all efforts, or their defects; none where the models are apart.
    fn ask(&self) -> Result<Option<Vec<Penetration>>, String> {
        let cover = LowerBound::Cover { evaluations: 200 };
        let efforts = [
            (Effort::Fast, false, LowerBound::InnerBalls),
            (Effort::Best, false, LowerBound::InnerBalls),
            (Effort::Best, true, cover),
        ];
        let mut answers = Vec::new();
        for (effort, parallel, lower_bound) in efforts {
            let options =
                TranslationalOptions { effort, parallel, lower_bound, ..TranslationalOptions::default() };
            let found = penetration(self.a, &self.pose_a, self.b, &self.pose_b, &options);
            answers.extend(found.map_err(|error| format!("{effort:?}: {error}"))?);
        }
        let [fast, best, parallel] = &answers[..] else {
            let is_apart = answers.is_empty() && !self.collide_after(&Vector3::zeros());
            return if is_apart { Ok(None) } else { Err("apart or not".to_owned()) };
        };
        if best.depth > fast.depth * (1.0 + 1e-9) {
            return Err(format!("best {} is worse than fast {}", best.depth, fast.depth));
        }
        // A cover may find a shorter translation.
        let is_shorter = parallel.depth < best.depth;
        if best.translation != parallel.translation
            && !is_shorter
            && parallel.lower_bound < parallel.depth * (1.0 - 1e-9)
        {
            return Err("threads change the answer".to_owned());
        }
        let in_norms = self.ask_in_norms(fast)?;
        answers.extend(in_norms);
        Ok(Some(answers))
    }

    /// The answers of `fast` in the norms L1 and L∞, beside the one in L2.
    fn ask_in_norms(&self, fast: &Penetration) -> Result<[Penetration; 2], String> {
        let [of_sum, of_max] = [Norm::L1, Norm::LInf].map(|norm| {
            let options =
                TranslationalOptions { norm, effort: Effort::Fast, ..TranslationalOptions::default() };
            let found = penetration(self.a, &self.pose_a, self.b, &self.pose_b, &options);
            let found = found.map_err(|error| format!("{norm:?}: {error}"))?;
            let found = found.ok_or_else(|| format!("{norm:?}: apart or not"))?;
            // Their translations keep a clearance, which their depths do not count.
            let clearance = 1e-6 * (self.a.radius() + self.b.radius());
            if (norm.of(&found.translation) - found.depth).abs() > clearance {
                return Err(format!("{norm:?}: the depth is not the norm of the translation"));
            }
            if found.depth > norm.of(&fast.translation) + clearance {
                return Err(format!("{norm:?}: {} is worse than the result in L2", found.depth));
            }
            if found.translation.norm() < fast.lower_bound {
                return Err(format!("{norm:?}: shorter than the lower bound in L2"));
            }
            Ok(found)
        });
        Ok([of_sum?, of_max?])
    }
}

/// Counts of what was found.
#[derive(Default)]
struct Tally {
    overlaps: usize,
    unconverged: usize,
    broken: usize,
}

impl Tally {
    fn check(&mut self, pair: &Pair, name: &str) {
        let why = match pair.ask() {
            Ok(answers) => {
                let answers = answers.unwrap_or_default();
                self.overlaps += usize::from(!answers.is_empty());
                self.unconverged += answers.iter().filter(|answer| !answer.converged).count();
                answers.iter().find_map(|answer| pair.broken(answer)).map(str::to_owned)
            }
            Err(why) => Some(why),
        };
        if let Some(why) = why {
            self.broken += 1;
            println!("{name}: {why}");
        }
    }
}

/// The pairs of the families, in equal numbers.
fn check_families(
    (pairs, seed): (usize, u64),
    only: Option<&str>,
    tally: &mut Tally,
) -> Result<(), Box<dyn Error>> {
    if let Some(name) = only.filter(|name| FAMILIES.iter().all(|family| family.name != *name)) {
        return Err(format!("unknown family `{name}`").into());
    }
    for family in FAMILIES.iter().filter(|family| only.is_none_or(|name| family.name == name)) {
        let cases = family.cases(pairs.div_ceil(FAMILIES.len()), seed)?;
        for (index, pose_a) in cases.poses.iter().enumerate() {
            let pair = Pair { a: &cases.a, pose_a: *pose_a, b: cases.b(), pose_b: Isometry3::identity() };
            tally.check(&pair, &format!("{} ({:?}) {index}", family.name, family.part));
        }
    }
    Ok(())
}

fn run() -> Result<usize, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let pairs: usize = arguments.next().map_or(Ok(1000), |count| count.parse())?;
    let seed = arguments.next().map_or(Ok(1), |seed| seed.parse())?;
    let mut tally = Tally::default();
    match arguments.next().as_deref() {
        None => check_models(pairs, seed, &mut tally)?,
        Some("families") => {
            check_families((pairs, seed), arguments.next().as_deref(), &mut tally)?;
        }
        Some(other) => return Err(format!("unknown pairs `{other}`; accepted: families").into()),
    }
    let Tally { overlaps, unconverged, broken } = tally;
    println!(
        "{pairs} pairs, {overlaps} overlap; {unconverged} answers at the bound of their walks; {broken} broken promises"
    );
    Ok(broken)
}

/// Random pairs of eleven kinds, near and far from the origin.
fn check_models(pairs: usize, seed: u64, tally: &mut Tally) -> Result<(), Box<dyn Error>> {
    let mut noise = Noise(seed);
    let models = models()?;
    for index in 0..pairs {
        let [(name_a, a), (name_b, b)] =
            [&models[noise.below(models.len())], &models[noise.below(models.len())]];
        let size = a.radius() + b.radius();
        let far = if index % 7 == 0 { 1e4 } else { 0.1 };
        let there = vector(&mut noise, far * size);
        let pose_b = Isometry3::from_parts(there.into(), rotation(&mut noise));
        let pose_a =
            Isometry3::from_parts((there + vector(&mut noise, 0.3 * size)).into(), rotation(&mut noise));
        let pair = Pair { a, pose_a, b, pose_b };
        tally.check(&pair, &format!("pair {index}, {name_a} and {name_b}"));
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(3)
        }
    }
}
